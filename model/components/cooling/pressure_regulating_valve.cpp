// Self-acting valves that hold the pressure behind them (reducing) or before them (sustaining). Equations:
// pressure_regulating_valve.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/throttle_body.hpp"

namespace podtwin {

namespace {

constexpr double kThrottling = 1.0;    // Pa held back; less is wide open
constexpr double kStanding = 1e-3;     // Pa over the leaking seat; a flow that drops less is none
constexpr double kMostLockedUp = 1e6;  // Pa; 10 bar over the set pressure, estimate
constexpr double kAtmosphere = 1e5;    // Pa
constexpr double kHeld = 1e-3;         // of the set pressure, or of 1 bar: nearer, it is held
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "pressure",
     .quantity = Quantity::pressure_gauge,
     .low = -1e5,
     .high = 1e8,
     .meaning = "Pressure it holds: at its outlet node at most (reducing), at its inlet node at least (sustaining).",
     .source = ""},
    kKvParameter,
    kDropParameter,
    kFlowParameter,
    kLeakageParameter,
    {.name = "response_time",
     .quantity = Quantity::time,
     .fallback = 5.0,
     .low = 0.01,
     .high = 600.0,
     .meaning = "Time constant with which the pilot corrects the pressure.",
     .source = "estimate: pilot-operated valves settle within some seconds, set by their needle valve"},
};
constexpr StateInfo kStates[] = {
    {"held_back", Quantity::pressure_difference, 1e3, "Pressure that the throttled seat takes beyond the open body."}};
constexpr DiscreteInfo kDiscretes[] = {
    {"set_pressure", Quantity::pressure_gauge, 0.0, "Pressure it holds at present."}};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop, without the weight of the coolant."},
    {"pressure", Quantity::pressure_gauge, SignalType::real, "Pressure of the node it looks at."},
    {"opening", Quantity::ratio, SignalType::real, "Share of its Kv that it opens; 0 shut, 1 wide open."},
    {"holding", Quantity::none, SignalType::integer, "1 while it throttles and holds its set pressure."},
};
constexpr CommandInfo kCommands[] = {
    {"set", "pressure", Quantity::pressure_gauge, "Another set pressure."},
    {"stick", "position", Quantity::ratio, "Stays at the stated share of its Kv, and passes both ways."},
    {"restore", "", Quantity::none, "Free again, and in service."},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip",
     "it acts by the coolant's own pressure; isolate shuts it off, stick jams it, set gives it another pressure"},
    {"open", "it acts by the coolant's own pressure; stick it at 100 %"},
    {"close", "it acts by the coolant's own pressure; stick it at 0 %, or isolate it"},
    {"automatic", "it has no controller; restore frees it"},
};
constexpr ClassInfo kReducingInfo{.name = "pressure_reducing_valve",
                                  .group = "pressure_reducing_valve",
                                  .title = "Pressure-reducing valve",
                                  .page = "cooling/pressure_regulating_valve.md",
                                  .symbol = "valve",
                                  .ports = kPorts,
                                  .parameters = kParameters,
                                  .states = kStates,
                                  .discretes = kDiscretes,
                                  .signals = kSignals,
                                  .commands = kCommands,
                                  .refusals = kRefusals};
constexpr ClassInfo kSustainingInfo{.name = "pressure_sustaining_valve",
                                    .group = "pressure_sustaining_valve",
                                    .title = "Pressure-sustaining valve",
                                    .page = "cooling/pressure_regulating_valve.md",
                                    .symbol = "valve",
                                    .ports = kPorts,
                                    .parameters = kParameters,
                                    .states = kStates,
                                    .discretes = kDiscretes,
                                    .signals = kSignals,
                                    .commands = kCommands,
                                    .refusals = kRefusals};

template <bool kReducing>
struct RegulatingValve {
  static constexpr int kColumns = 1, kRows = 1;
  using Set = KernelSet<RegulatingValve>;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self, edge, from, to;
    ValveBody body;
    double leak, weight, pressure, response;
    const Set* set;
  };
  static const ClassInfo& info() { return kReducing ? kReducingInfo : kSustainingInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, Set& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.body = bodyOf(d, b, p.from);
    p.leak = leakSlope(p.body, d.number("leakage"));
    p.weight = b.weight(p.from, p.to);
    p.pressure = d.number("pressure");
    p.response = d.number("response_time");
    p.columns = {set.yIndex(0, i)};
    p.rows = {set.yIndex(0, i)};
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const Set& set, State& s, double) {
    set.z(s, kCommonCount, i) = p.pressure;
  }
  static std::string refuses(const Instance&, double value) {
    return std::isfinite(value) ? "" : "'set' takes the pressure to hold";
  }
  static void edgeLaws(std::size_t i, const Instance& p, const Set& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.open = set.z(e, kInService, i) != 0.0;
    if (const double stuck = set.z(e, kStuck, i); stuck != 0.0) {
      applyStuck(law, p.body, stuck - 1.0);
      return;
    }
    p.body.apply(law);
    law.check = true;
    law.reverse_linear = p.leak;
    law.head_0 = -std::max(e.y[set.yIndex(0, i)], 0.0);
  }
  /// What the seat has to take at the present flow so that the pressure looked at is the set one [Pa].
  static double due(std::size_t i, const Instance& p, const Set& set, const Evaluation& e) {
    const double held = set.z(e, kCommonCount, i), open = p.body.drop(std::max(e.m[p.edge], 0.0));
    const double before = kReducing ? e.p[p.from] : held, behind = kReducing ? held : e.p[p.to];
    return std::max(before - behind + p.weight - open, 0.0);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = (S(due(p.self, p, *p.set, e)) - x[0]) / S(p.response);
    // Where the other side is a dead end nothing flows and nothing tells the pilot when its seat has shut: it ends
    // where the outlet would be below vacuum, or the inlet far above what it reduces.
    const double most = kReducing ? kMostLockedUp : e.p[p.from] + p.weight + kAtmosphere;
    if (p.leak * std::abs(e.m[p.edge]) < kStanding && x[0] > most && r[0] > 0.0) r[0] = S(0.0);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const Set& set, const Evaluation& e) {
    const double held = set.z(e, kCommonCount, i);
    const double looked_at = e.p[kReducing ? p.to : p.from];
    const double total = e.p[p.from] - e.p[p.to] + p.weight, back = e.y[set.yIndex(0, i)];
    switch (k) {
      case 0:
        return e.m[p.edge] / p.body.density;
      case 1:
        return total;
      case 2:
        return looked_at;
      case 3:
        if (set.z(e, kInService, i) == 0.0) return 0.0;
        if (set.z(e, kStuck, i) != 0.0) return set.z(e, kStuck, i) - 1.0;
        if (total <= back) return back > kThrottling ? 0.0 : 1.0;
        return std::sqrt((total - std::max(back, 0.0)) / total);
      default:
        return set.z(e, kInService, i) != 0.0 && set.z(e, kStuck, i) == 0.0 && back > kThrottling &&
                       std::abs(looked_at - held) < kHeld * std::max(std::abs(held), kKvDrop)
                   ? 1.0
                   : 0.0;
    }
  }
};

}  // namespace

RegisteredClass pressureReducingValveClass() { return selfActingClass<RegulatingValve<true>>(); }
RegisteredClass pressureSustainingValveClass() { return selfActingClass<RegulatingValve<false>>(); }

}  // namespace podtwin
