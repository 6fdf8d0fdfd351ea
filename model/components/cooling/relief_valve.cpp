// Safety relief valve to the air. Equations: relief_valve.md.
#include <array>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/vent_damping.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of carried heat
constexpr double kNoIntake = 1e12;                // Pa s/kg against air: 1e-7 kg/s at 1 bar
constexpr double kShutShare = 0.02;  // of the blowdown, above the end of which it shuts: the last of an exponential
constexpr PortInfo kPorts[] = {
    {.name = "node", .meaning = "node that it protects", .crosses = true},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "set_pressure",
     .quantity = Quantity::pressure_gauge,
     .fallback = 6e5,
     .low = 1e3,
     .high = 1e7,
     .meaning = "Gauge pressure at which it lifts.",
     .source = "6 bar, NVIDIA guide, pod-design 5.1 (published)"},
    {.name = "blowdown",
     .quantity = Quantity::ratio,
     .fallback = 0.1,
     .low = 0.01,
     .high = 0.5,
     .meaning = "Share of the set pressure by which it shuts lower.",
     .source = "engineering estimate: a tenth; codes for liquid allow a fifth"},
    {.name = "accumulation",
     .quantity = Quantity::ratio,
     .fallback = 0.1,
     .low = 0.01,
     .high = 0.5,
     .meaning = "Share of the set pressure above it at which it passes its capacity.",
     .source = "10 %, usual rating of safety valves"},
    {.name = "capacity",
     .quantity = Quantity::volume_flow,
     .fallback = 1e-3,
     .low = 1e-9,
     .high = 10.0,
     .meaning = "Flow at the set pressure and its accumulation.",
     .source = "engineering estimate: 60 L/min, a half-inch valve"},
};
constexpr StateInfo kStates[] = {
    {"discharged", Quantity::mass, kUnbounded, "Coolant that it let out while it flowed [kg]."},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"lifted", Quantity::none, 0.0, "1 while it is open."},
    {"from_trapped", Quantity::mass, 0.0, "Coolant that it let out of its part while that was shut in [kg]."},
};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Outflow."},
    {"lifted", Quantity::none, SignalType::integer, "1 while it is open."},
    {"discharged", Quantity::mass, SignalType::real, "Coolant that it let out since the state's own start."},
};
constexpr LimitInfo kLimits[] = {
    {"lifted", true, 0.5, 0.0, "alarm", "a relief valve is open"},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "it works by pressure alone; isolate shuts it off"},
};
constexpr ClassInfo kInfo{.name = "relief_valve",
                          .group = "relief_valve",
                          .title = "Relief valve to the air",
                          .page = "cooling/relief_valve.md",
                          .symbol = "valve",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .limits = kLimits,
                          .refusals = kRefusals};

struct ReliefValve {
  static constexpr int kColumns = 2, kRows = 2;
  static constexpr std::size_t kLifted = kCommonCount, kFromTrapped = kCommonCount + 1;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // node, content of the circuit
    std::array<std::size_t, kRows> rows;        // discharged, boundary ledger
    std::size_t edge, node;
    VentDamping damping;
    const fluids::CoolantHeat* coolant;
    double density, cp, lifts, shuts, slope;
    bool vessel;  // its circuit has one, whose content falls by what comes out of trapped parts
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<ReliefValve>& set, Binder& b) {
    Instance p{};
    p.node = b.fluidNode(i, "node");
    p.edge = b.openEdge(p.node, b.system().fluidNodes()[p.node].elevation, d.id);
    b.relief(i, p.node);
    p.density = b.density(p.node);
    p.cp = b.specificHeat(p.node);
    p.coolant = &b.coolantHeat(p.node);
    p.lifts = d.number("set_pressure");
    p.shuts = p.lifts * (1.0 - d.number("blowdown"));
    p.slope = (p.lifts * (1.0 + d.number("accumulation")) - p.shuts) / (d.number("capacity") * p.density);
    p.vessel = b.system().circuits()[b.system().fluidNodes()[p.node].circuit].vessel >= 0;
    p.damping = VentDamping::of(b, p.node, p.edge);
    p.columns = {b.nodePort(p.node).column, p.damping.column};
    p.rows = {set.yIndex(0, i), b.boundaryLedger()};
    b.capacity(set.yIndex(0, i), 1.0);
    return p;
  }
  static void initialise(std::size_t, const Instance&, const KernelSet<ReliefValve>&, State&, double) {}
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<ReliefValve>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.vents = true;
    law.open = set.z(e, kLifted, i) != 0.0 && set.z(e, kInService, i) != 0.0;
    law.linear = p.slope;
    law.head_0 = -p.shuts;
    law.check = true;
    law.reverse_linear = kNoIntake;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double m = e.m[p.edge];
    if (!e.steady_search) r[0] = S(m) + p.damping.term(e, x[1]);
    r[1] = S(m) * p.coolant->enthalpy(x[0]);
  }
  static CoolantLedger coolantLedger(std::size_t i, const Instance& p, const KernelSet<ReliefValve>& set,
                                     const Evaluation& e) {
    // Without a vessel the reference replaces what came out of a trapped part once that is open again.
    const double trapped = set.z(e, kFromTrapped, i);
    return {0.0, p.vessel ? 0.0 : trapped, e.y[set.yIndex(0, i)] + trapped};
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<ReliefValve>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>& events) {
    double& lifted = set.z(s, kLifted, i);
    const double before = lifted, pressure = e.p[p.node];
    if (e.fluid_live[p.node] == 0 || set.z(e, kInService, i) == 0.0)
      lifted = 0.0;  // of a trapped part it keeps the pressure as a whole
    else if (pressure >= p.lifts)
      lifted = 1.0;
    else if (pressure <= p.shuts + kShutShare * (p.lifts - p.shuts))
      lifted = 0.0;
    if (lifted == before) return;
    ++s.topology;
    events.push_back({set.ids()[i], set.ids()[i], "pressure", lifted != 0.0 ? "lifts" : "shuts"});
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<ReliefValve>& set,
                       const Evaluation& e) {
    return k == 0   ? e.m[p.edge] / p.density
           : k == 1 ? set.z(e, kLifted, i)
                    : e.y[set.yIndex(0, i)] + set.z(e, kFromTrapped, i);
  }
};

class ReliefValveSet final : public KernelSet<ReliefValve> {
 public:
  using KernelSet<ReliefValve>::KernelSet;
  std::pair<double, double> reliefPressures(const Evaluation& e, std::size_t i) const override {
    if (z(e, kInService, i) == 0.0) return ComponentSet::reliefPressures(e, i);
    return {instance(i).lifts, instance(i).shuts};
  }
  void relieved(State& state, std::size_t i, double mass) const override {
    z(state, ReliefValve::kFromTrapped, i) += mass;
  }
};

}  // namespace

RegisteredClass reliefValveClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<ReliefValveSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
