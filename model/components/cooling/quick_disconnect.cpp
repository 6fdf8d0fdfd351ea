// Dry-break coupling: a pair of self-sealing halves. Equations: quick_disconnect.md.
#include <array>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/throttle_body.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "node of one half"},
    {"to", PortKind::fluid, PortCount::one, "node of the other half"},
};
constexpr ParameterInfo kParameters[] = {
    kKvParameter,
    kDropParameter,
    kFlowParameter,
    {.name = "rated_flow",
     .quantity = Quantity::volume_flow,
     .fallback = 1e3,
     .low = 1e-9,
     .high = 1e3,
     .meaning = "Flow of its data sheet, above which an alarm is raised.",
     .source = "none: 1,000 m3/s is beyond any"},
    {.name = "connected",
     .kind = ParameterKind::flag,
     .fallback = 1.0,
     .meaning = "Both halves are joined at the start.",
     .source = "joined: the state of operation"},
};
constexpr DiscreteInfo kDiscretes[] = {{"joined", Quantity::none, 1.0, "1 while both halves are joined."}};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from one half to the other."},
    {"dp", Quantity::pressure_difference, SignalType::real,
     "Pressure difference between the halves, without the weight of the coolant."},
    {"is_connected", Quantity::none, SignalType::integer, "1 while both halves are joined."},
};
constexpr CommandInfo kCommands[] = {
    {"connect", "", Quantity::none, "Joins the halves."},
    {"disconnect", "", Quantity::none, "Parts the halves: both shut."},
};
constexpr LimitInfo kLimits[] = {
    {"flow", true, 1e3, 0.0, "rating", "rated flow of its data", "rated_flow"},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; disconnect parts it"},
};
constexpr ClassInfo kInfo{.name = "quick_disconnect",
                          .group = "quick_disconnect",
                          .title = "Quick disconnect",
                          .page = "cooling/quick_disconnect.md",
                          .symbol = "resistance",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .refusals = kRefusals};

struct QuickDisconnect {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 0> rows;
    std::size_t edge, from, to;
    ValveBody body;
    double weight;
    bool connected;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<QuickDisconnect>&, Binder& b) {
    Instance p{};
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.body = bodyOf(d, b, p.from);
    p.weight = b.weight(p.from, p.to);
    p.connected = d.flag("connected");
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<QuickDisconnect>& set, State& s, double) {
    set.z(s, kCommonCount, i) = p.connected ? 1.0 : 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<QuickDisconnect>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.open = set.z(e, kInService, i) != 0.0 && set.z(e, kCommonCount, i) != 0.0;
    p.body.apply(law);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<QuickDisconnect>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.m[p.edge] / p.body.density;
      case 1:
        return e.p[p.from] - e.p[p.to] + p.weight;
      default:
        return set.z(e, kCommonCount, i);
    }
  }
};

class QuickDisconnectSet final : public KernelSet<QuickDisconnect> {
 public:
  using KernelSet<QuickDisconnect>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "connect" && verb != "disconnect")
      return KernelSet<QuickDisconnect>::command(state, i, verb, value, reason);
    z(state, kCommonCount, i) = verb == "connect" ? 1.0 : 0.0;
    return true;
  }
};

}  // namespace

RegisteredClass quickDisconnectClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<QuickDisconnectSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
