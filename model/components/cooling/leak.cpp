// A hole through which a circuit loses coolant. Equations: leak.md.
#include <array>
#include <cmath>
#include <numbers>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/vent_damping.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of carried heat
constexpr double kLinearBelow = 100.0;  // Pa; a centimetre of coolant, below which the outflow is led to zero; estimate
constexpr double kNoIntake = 1e12;      // Pa s/kg against air: 1e-7 kg/s at 1 bar
constexpr PortInfo kPorts[] = {
    {.name = "node", .meaning = "node at which the coolant gets out", .crosses = true},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "diameter",
     .quantity = Quantity::length,
     .low = 1e-6,
     .high = 2.0,
     .meaning = "Of a round hole; in place of area, or of flow and dp.",
     .source = "",
     .optional = true},
    {.name = "area",
     .quantity = Quantity::area,
     .low = 1e-12,
     .high = 4.0,
     .meaning = "Of the hole.",
     .source = "",
     .optional = true},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .low = 1e-12,
     .high = 10.0,
     .meaning = "Outflow at a gauge pressure of dp.",
     .source = "",
     .optional = true},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .low = 100.0,
     .high = 1e8,
     .meaning = "Gauge pressure at which flow is stated.",
     .source = "",
     .optional = true},
    {.name = "discharge_coefficient",
     .quantity = Quantity::ratio,
     .fallback = 0.62,
     .low = 0.1,
     .high = 1.0,
     .meaning = "Of the hole.",
     .source = "sharp-edged orifice, textbook value"},
    {.name = "leaks",
     .kind = ParameterKind::flag,
     .fallback = 0.0,
     .meaning = "It is open at the start.",
     .source = "0: a sound circuit"},
};
constexpr StateInfo kStates[] = {
    {"lost", Quantity::mass, kUnbounded, "Coolant that got out [kg]."},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"area_now", Quantity::area, 0.0, "Open area of the hole [m2]."},
};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Outflow."},
    {"lost", Quantity::mass, SignalType::real, "Coolant that got out since the state's own start."},
    {"area", Quantity::area, SignalType::real, "Open area of the hole."},
};
constexpr CommandInfo kCommands[] = {
    {"open", "", Quantity::none, "The hole opens as stated."},
    {"close", "", Quantity::none, "It is stopped."},
    {"set", "area", Quantity::area, "A hole of another area; 0 stops it."},
};
constexpr LimitInfo kLimits[] = {
    {"flow", true, 1e-7, 0.0, "alarm", "coolant is lost; 0.4 L/h is what a leak sensor finds (engineering estimate)"},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; close stops it"},
    {"isolate", "it is no equipment; close stops it, valves around it isolate it"},
    {"stick", "it has nothing that could stick"},
    {"automatic", "it has no controller"},
};
constexpr ClassInfo kInfo{.name = "leak",
                          .group = "leak",
                          .title = "Leak to the surroundings",
                          .page = "cooling/leak.md",
                          .symbol = "junction",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .refusals = kRefusals};

struct Leak {
  static constexpr int kColumns = 2, kRows = 2;
  static constexpr std::size_t kArea = kCommonCount;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // node, content of the circuit
    std::array<std::size_t, kRows> rows;        // lost, boundary ledger
    std::size_t edge;
    VentDamping damping;
    const fluids::CoolantHeat* coolant;
    double density, cp, coefficient, area;
    bool leaks;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Leak>& set, Binder& b) {
    Instance p{};
    const std::size_t node = b.fluidNode(i, "node");
    p.edge = b.openEdge(node, b.system().fluidNodes()[node].elevation, d.id);
    p.density = b.density(node);
    p.cp = b.specificHeat(node);
    p.coolant = &b.coolantHeat(node);
    p.coefficient = d.number("discharge_coefficient");
    p.area = areaOf(d, p, b);
    p.leaks = d.flag("leaks");
    p.damping = VentDamping::of(b, node, p.edge);
    p.columns = {b.nodePort(node).column, p.damping.column};
    p.rows = {set.yIndex(0, i), b.boundaryLedger()};
    b.capacity(set.yIndex(0, i), 1.0);
    return p;
  }
  static double areaOf(const InstanceDescription& d, const Instance& p, Binder& b) {
    const auto given = [&](const char* name) { return d.parameters.at(name).given; };
    const bool rated = given("flow") && given("dp");
    if (given("diameter") + given("area") + rated != 1 || given("flow") != given("dp")) {
      b.problems().error(d.where, "'" + d.id + "' does not state its hole once",
                         "give diameter, or area, or flow and dp, as in `flow: 60 L/min, dp: 150 kPa`");
      return 1e-6;
    }
    if (given("area")) return d.number("area");
    if (given("diameter")) return 0.25 * std::numbers::pi * d.number("diameter") * d.number("diameter");
    return d.number("flow") * std::sqrt(0.5 * p.density / d.number("dp")) / p.coefficient;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Leak>& set, State& s, double) {
    set.z(s, kArea, i) = p.leaks ? p.area : 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Leak>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    const double open = p.coefficient * set.z(e, kArea, i);
    law.open = open > 0.0;
    if (!law.open) return;
    law.k = 0.5 / (p.density * open * open);
    law.m_linear = std::sqrt(kLinearBelow / law.k);
    law.check = true;
    law.reverse_linear = kNoIntake;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double m = e.m[p.edge];
    if (!e.steady_search) r[0] = S(m) + p.damping.term(e, x[1]);
    r[1] = S(m) * p.coolant->enthalpy(x[0]);
  }
  static CoolantLedger coolantLedger(std::size_t i, const Instance&, const KernelSet<Leak>& set, const Evaluation& e) {
    return {0.0, 0.0, e.y[set.yIndex(0, i)]};
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Leak>& set,
                       const Evaluation& e) {
    return k == 0 ? e.m[p.edge] / p.density : (k == 1 ? e.y[set.yIndex(0, i)] : set.z(e, kArea, i));
  }
};

class LeakSet final : public KernelSet<Leak> {
 public:
  using KernelSet<Leak>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "set" && !(value >= 0.0)) {
      reason = "the area of a leak must be 0 or more";
      return false;
    }
    if (verb != "open" && verb != "close" && verb != "set")
      return KernelSet<Leak>::command(state, i, verb, value, reason);
    z(state, Leak::kArea, i) = verb == "open" ? instance(i).area : (verb == "close" ? 0.0 : value);
    ++state.topology;
    return true;
  }
};

}  // namespace

RegisteredClass leakClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<LeakSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
