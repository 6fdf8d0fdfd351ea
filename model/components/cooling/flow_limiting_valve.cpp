// Valve that holds its set flow while the pressure suffices: pressure-independent control valve. Equations:
// flow_limiting_valve.md.
#include <array>
#include <numbers>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kCreeping = 1.0;        // Reynolds number in its bore below which the open valve is linear; estimate
constexpr double kLeastSetting = 1e-12;  // m3/s; a setting of zero is a shut valve
constexpr double kAtSetting = 0.9999;    // of the set flow; above, the valve is holding it
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .low = 0.0,
     .high = 100.0,
     .meaning = "Flow it holds; 0: shut.",
     .source = ""},
    {.name = "loss_coefficient",
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 1e9,
     .meaning = "Pressure drop of the valve wide open over the dynamic pressure in its bore.",
     .source = ""},
    {.name = "diameter",
     .quantity = Quantity::length,
     .low = 1e-5,
     .high = 10.0,
     .meaning = "Bore that loss_coefficient is stated for.",
     .source = ""},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"flow_setting", Quantity::volume_flow, 0.0, "Flow it holds at present [m3/s]."}};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop."},
    {"holding", Quantity::none, SignalType::integer, "1 while it holds its set flow, 0 while it is wide open."},
};
constexpr CommandInfo kCommands[] = {{"set", "flow", Quantity::volume_flow, "Another set flow."}};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "it acts by its own spring; isolate shuts it off, set gives it another flow"},
};
constexpr ClassInfo kInfo{.name = "flow_limiting_valve",
                          .group = "flow_limiting_valve",
                          .title = "Flow-limiting valve",
                          .page = "cooling/flow_limiting_valve.md",
                          .symbol = "valve",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .refusals = kRefusals};

struct FlowLimitingValve {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 0> rows;
    std::size_t edge, from, to;
    double density, k, m_linear, flow;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<FlowLimitingValve>&, Binder& b) {
    Instance p{};
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.density = b.density(p.from);
    const double diameter = d.number("diameter"), area = 0.25 * std::numbers::pi * diameter * diameter;
    p.k = 0.5 * d.number("loss_coefficient") / (p.density * area * area);
    p.m_linear = kCreeping * area * b.viscosity(p.from) / diameter;
    p.flow = d.number("flow");
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<FlowLimitingValve>& set, State& s, double) {
    set.z(s, kCommonCount, i) = p.flow;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<FlowLimitingValve>& set, Evaluation& e) {
    const double setting = set.z(e, kCommonCount, i);
    EdgeLaw& law = e.laws[p.edge];
    law.k = p.k;
    law.m_linear = p.m_linear;
    law.m_limit = setting * p.density;
    law.open = set.z(e, kInService, i) != 0.0 && setting >= kLeastSetting;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<FlowLimitingValve>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.m[p.edge] / p.density;
      case 1:
        return e.p[p.from] - e.p[p.to];
      default:
        return e.m[p.edge] >= kAtSetting * set.z(e, kCommonCount, i) * p.density ? 1.0 : 0.0;
    }
  }
};

class FlowLimitingValveSet final : public KernelSet<FlowLimitingValve> {
 public:
  using KernelSet<FlowLimitingValve>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "set") return KernelSet<FlowLimitingValve>::command(state, i, verb, value, reason);
    if (!(value >= 0.0)) {
      reason = "the set flow must be 0 or more";
      return false;
    }
    z(state, kCommonCount, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass flowLimitingValveClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<FlowLimitingValveSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
