// Make-up of a closed circuit: a fill pump or valve that works by its pressure. Equations: make_up.md.
#include <algorithm>
#include <array>
#include <tuple>

#include "model/components/cooling/classes.hpp"
#include "model/fluids/range.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of carried heat
constexpr PortInfo kPorts[] = {
    {.name = "node", .meaning = "node that it fills and whose pressure it sees", .crosses = true},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .low = 1e-9,
     .high = 1.0,
     .meaning = "While it fills.",
     .source = ""},
    {.name = "start_pressure",
     .quantity = Quantity::pressure_gauge,
     .low = -1e5,
     .high = 5e6,
     .meaning = "Gauge pressure below which it starts.",
     .source = ""},
    {.name = "stop_pressure",
     .quantity = Quantity::pressure_gauge,
     .low = -1e5,
     .high = 5e6,
     .meaning = "Gauge pressure at which it stops.",
     .source = ""},
    {.name = "temperature",
     .quantity = Quantity::temperature,
     .fallback = 293.15,
     .low = 263.15,
     .high = 363.15,
     .meaning = "Of what it fills in.",
     .source = "room temperature"},
    {.name = "glycol",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 0.6,
     .meaning = "Glycol in what it fills in.",
     .source = "0: plain water"},
    {.name = "tank",
     .quantity = Quantity::volume,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e4,
     .meaning = "Its tank as filled; 0: mains, without end.",
     .source = "0: mains"},
    {.name = "longest_run",
     .quantity = Quantity::time,
     .fallback = 600.0,
     .low = 1.0,
     .high = 1e7,
     .meaning = "Filling for longer raises an alarm.",
     .source = "engineering estimate: ten minutes; a tight circuit needs seconds"},
};
constexpr StateInfo kStates[] = {
    {"supplied", Quantity::mass, kUnbounded, "Coolant that it filled in [kg]."},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"running", Quantity::none, 0.0, "1 while it fills."},
    {"since", Quantity::time, 0.0, "When it last started [s]."},
};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow into the circuit."},
    {"running", Quantity::none, SignalType::integer, "1 while it fills."},
    {"run_time", Quantity::time, SignalType::real, "For how long it has been filling."},
    {"supplied", Quantity::mass, SignalType::real, "Coolant filled in since the state's own start."},
    {"tank", Quantity::volume, SignalType::real, "What its tank still holds; 0 of mains."},
};
constexpr LimitInfo kLimits[] = {
    {"run_time", true, 0.0, 0.0, "alarm", "fills for long: a leak", "longest_run"},
};
constexpr ClassInfo kInfo{.name = "make_up",
                          .group = "make_up",
                          .title = "Make-up of a closed circuit",
                          .page = "cooling/make_up.md",
                          .symbol = "pump",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .limits = kLimits};

struct MakeUp {
  static constexpr int kColumns = 2, kRows = 4;
  static constexpr std::size_t kRunning = kCommonCount, kSince = kCommonCount + 1;
  static constexpr std::size_t kVesselGlycol = 2, kVesselMass = 5;  // state and signal of expansion_vessel
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // node, glycol of the circuit
    std::array<std::size_t, kRows> rows;        // node, glycol of the circuit, supplied, boundary ledger
    std::size_t self, edge, node;
    const ComponentSet* vessel;
    std::size_t vessel_instance;
    const KernelSet<MakeUp>* set;
    const fluids::CoolantHeat* coolant;
    double density, cp, flow, start, stop, temperature, glycol, tank;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<MakeUp>& set, Binder& b) {
    Instance p{};
    p.self = i;
    p.set = &set;
    p.node = b.fluidNode(i, "node");
    p.edge = b.openEdge(p.node, b.system().fluidNodes()[p.node].elevation, d.id);
    p.density = b.density(p.node);
    p.cp = b.specificHeat(p.node);
    p.coolant = &b.coolantHeat(p.node);
    p.flow = d.number("flow") * p.density;
    p.start = d.number("start_pressure");
    p.stop = d.number("stop_pressure");
    p.temperature = d.number("temperature");
    p.glycol = d.number("glycol");
    p.tank = d.number("tank") * p.density;
    if (!(p.stop > p.start))
      b.problems().error(d.parameters.at("stop_pressure").where,
                         "'" + d.id + "' would stop at " + fluids::inWords(p.stop / 1e3) + " kPa, not above the " +
                             fluids::inWords(p.start / 1e3) + " kPa at which it starts",
                         "give a stop_pressure some 20 kPa higher");
    std::tie(p.vessel, p.vessel_instance) = b.system().vesselOf(b.system().fluidNodes()[p.node].circuit);
    const ThermalPort port = b.nodePort(p.node);
    if (p.vessel == nullptr) {
      b.problems().error(
          d.where, "'" + d.id + "' fills a circuit without an expansion vessel, where no pressure tells it when",
          "give the circuit an expansion_vessel in place of its reference; a reference makes up by itself");
      return p;
    }
    const std::size_t glycol = p.vessel->yIndex(kVesselGlycol, p.vessel_instance);
    p.columns = {port.column, glycol};
    p.rows = {port.row, glycol, set.yIndex(0, i), b.boundaryLedger()};
    b.capacity(set.yIndex(0, i), 1.0);
    return p;
  }
  static void initialise(std::size_t, const Instance&, const KernelSet<MakeUp>&, State&, double) {}
  static double left(const Instance& p, const Evaluation& e) {  // kg
    return std::max(p.tank - e.y[p.set->yIndex(0, p.self)], 0.0);
  }
  static bool fills(const Instance& p, const Evaluation& e) {
    return p.set->z(e, kRunning, p.self) != 0.0 && p.set->available(e, p.self);
  }
  static void edgeLaws(std::size_t, const Instance& p, const KernelSet<MakeUp>&, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.fixed = true;
    law.open = fills(p, e);
    law.m_fixed = -p.flow;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double m = -e.m[p.edge];
    if (m == 0.0 || e.steady_search) return;
    r[0] = S(m) * (S(p.coolant->enthalpy(p.temperature)) - p.coolant->enthalpy(x[0]));
    r[1] = S(m / p.vessel->signalOf(e, kVesselMass, p.vessel_instance)) * (S(p.glycol) - x[1]);
    r[2] = S(m);
    r[3] = S(-m * p.coolant->enthalpy(p.temperature));
  }
  static CoolantLedger coolantLedger(std::size_t i, const Instance&, const KernelSet<MakeUp>& set,
                                     const Evaluation& e) {
    return {0.0, e.y[set.yIndex(0, i)], 0.0};
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<MakeUp>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>& events) {
    if (e.steady_search) return;
    double& running = set.z(s, kRunning, i);
    const double before = running, pressure = e.p[p.node];
    const bool empty = p.tank > 0.0 && left(p, e) < p.flow * kPeriod;
    if (!set.available(e, i) || empty || e.fluid_live[p.node] == 0 || pressure >= p.stop)
      running = 0.0;
    else if (pressure < p.start)
      running = 1.0;
    if (running == before) return;
    if (running != 0.0) set.z(s, kSince, i) = e.t;
    ++s.topology;
    events.push_back({set.ids()[i], set.ids()[i], empty ? "tank empty" : "pressure",
                      running != 0.0 ? "starts to fill" : "stops filling"});
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<MakeUp>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return -e.m[p.edge] / p.density;
      case 1:
        return fills(p, e) ? 1.0 : 0.0;
      case 2:
        return fills(p, e) ? std::max(e.t - set.z(e, kSince, i), 0.0) : 0.0;
      case 3:
        return e.y[set.yIndex(0, i)];
      default:
        return left(p, e) / p.density;
    }
  }

 private:
  static constexpr double kPeriod = 1.0;  // s between samples: it stops before the tank would run dry between two
};

}  // namespace

RegisteredClass makeUpClass() { return {&kInfo, makeKernelSetInto<MakeUp, SetList>}; }

}  // namespace podtwin
