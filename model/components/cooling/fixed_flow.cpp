// An edge that carries a stated flow whatever the pressures: an idealised pump for studies. Equations: fixed_flow.md.
#include <array>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "flow",
     .kind = ParameterKind::number,
     .quantity = Quantity::mass_flow,
     .low = -1e5,
     .high = 1e5,
     .meaning = "Mass flow from inlet to outlet.",
     .source = ""},
    {.name = "efficiency",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Hydraulic over electric power; 0: the flow costs nothing.",
     .source = "0: idealised"},
};
constexpr DiscreteInfo kDiscretes[] = {{"flow_setting", Quantity::mass_flow, 0.0, "Mass flow asked for [kg/s]."}};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure rise that the flow needs."},
    {"power", Quantity::power, SignalType::real, "Electric power."},
    kTrippedSignal,
};
constexpr LimitInfo kLimits[] = {kTrippedLimit};
constexpr CommandInfo kCommands[] = {{"set", "flow", Quantity::mass_flow, "Another flow."},
                                     {"trip", "", Quantity::none, "No flow."},
                                     {"restore", "", Quantity::none, "Flow again."}};
constexpr ClassInfo kInfo{.name = "fixed_flow",
                          .group = "fixed_flow",
                          .title = "Stated flow",
                          .page = "cooling/fixed_flow.md",
                          .symbol = "pump",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct FixedFlow {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t self, edge, from, to;
    double density, flow, efficiency;
    const KernelSet<FixedFlow>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<FixedFlow>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.density = b.density(p.from);
    p.flow = d.number("flow");
    p.efficiency = d.number("efficiency");
    p.rows = {b.nodePort(p.to).row};
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<FixedFlow>& set, State& s, double) {
    set.z(s, kCommonCount, i) = p.flow;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<FixedFlow>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.fixed = true;
    law.m_fixed = set.available(e, i) ? set.z(e, kCommonCount, i) : 0.0;
  }
  static double electric(const Instance& p, const Evaluation& e) {
    if (p.efficiency <= 0.0) return 0.0;
    return p.set->served(e, p.self) * std::max((e.p[p.to] - e.p[p.from]) * e.m[p.edge] / p.density, 0.0) / p.efficiency;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<FixedFlow>& set, Evaluation& e) {
    set.load(e, i, electric(p, e));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(electric(p, e));
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<FixedFlow>&,
                       const Evaluation& e) {
    return k == 0 ? e.m[p.edge] / p.density : (k == 1 ? e.p[p.to] - e.p[p.from] : electric(p, e));
  }
};

class FixedFlowSet final : public KernelSet<FixedFlow> {
 public:
  using KernelSet<FixedFlow>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "set") return KernelSet<FixedFlow>::command(state, i, verb, value, reason);
    z(state, kCommonCount, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass fixedFlowClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<FixedFlowSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
