// Two-way control valve. Equations: valve.md.
#include <array>
#include <cmath>

#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceDrop = 1e5;  // Pa; Kv is the flow at 1 bar
constexpr double kLinearShare = 1e-3;
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "kv",
     .quantity = Quantity::volume_flow,
     .low = 1e-7,
     .high = 10.0,
     .meaning = "Flow of water at 1 bar when fully open.",
     .source = ""},
    {.name = "characteristic",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Opening against position.",
     .source = "IEC 60534 inherent characteristics",
     .choices = "equal_percentage|linear"},
    {.name = "rangeability",
     .quantity = Quantity::ratio,
     .fallback = 50.0,
     .low = 2.0,
     .high = 1e4,
     .meaning = "Largest over smallest controllable opening.",
     .source = "usual 30-50 for control valves, estimate"},
    {.name = "leakage",
     .quantity = Quantity::ratio,
     .fallback = 1e-3,
     .low = 0.0,
     .high = 0.1,
     .meaning = "Opening that remains when closed; 0: bubble-tight, it separates what it stands between.",
     .source = "seat leakage class III 0.1 %, IEC 60534-4"},
    {.name = "stroke_time",
     .quantity = Quantity::time,
     .fallback = 120.0,
     .low = 0.1,
     .high = 3600.0,
     .meaning = "Full stroke.",
     .source = "XDU1350 valve stroke 120 s, pod-design 5.1 (published)"},
    {.name = "lag",
     .quantity = Quantity::time,
     .fallback = 1.0,
     .low = 0.01,
     .high = 600.0,
     .meaning = "First-order lag of the actuator.",
     .source = "engineering estimate"},
    {.name = "start_position",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Position command before a controller acts.",
     .source = "engineering estimate: open"},
    {.name = "on_power_loss",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "What a de-energised actuator does.",
     .source = "practice.md section 2: declared a class",
     .choices = "hold|open|close"},
    {.name = "dead_band",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 0.5,
     .meaning = "Change of command, in travel, that its positioner does not follow; stiction and play are in it.",
     .source = "0: it follows every change; 0.5-2 % is usual, estimate"},
    kRideThrough,
};
constexpr DiscreteInfo kOwnDiscretes[] = {
    {"target", Quantity::ratio, 0.0,
     "Position it goes to, with a dead band: its command when that last moved by more."}};
constexpr auto kDiscretes = withRideThrough(kOwnDiscretes);
constexpr std::size_t kTarget = kCommonCount;
/// Below this travel the plug of a tight valve is on its seat.
constexpr double kSeated = 1e-3;
constexpr StateInfo kStates[] = {{"position", Quantity::ratio, 0.02, "Position, 1 open."}};
constexpr SignalInfo kSignals[] = {
    {"position", Quantity::ratio, SignalType::real, "Position, 1 open."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
};
constexpr CommandInfo kCommands[] = {
    {"open", "", Quantity::none, "Manual, fully open."},
    {"close", "", Quantity::none, "Manual, closed."},
    {"set", "position", Quantity::ratio, "Manual position."},
    {"stick", "position", Quantity::ratio, "Stays at the stated place, or where it is, whatever it is asked."},
    {"restore", "", Quantity::none, "Free again."},
    {"automatic", "", Quantity::none, "Back to its controller."},
};
constexpr ClassInfo kInfo{.name = "valve",
                          .group = "valve",
                          .title = "Two-way control valve",
                          .page = "cooling/valve.md",
                          .symbol = "valve",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct Valve {
  static constexpr int kColumns = 1, kRows = 1;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self, edge, from, to;
    double density, m_full, rangeability, leakage, stroke, lag, start, dead_band;
    bool linear;
    int on_loss;
    const KernelSet<Valve>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.stroke; }  // s
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Valve>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    b.makeDrive(i);
    p.density = b.density(p.from);
    constexpr double kWaterDensity = 1000.0;  // kg/m3; Kv is stated for water
    p.m_full = d.number("kv") * std::sqrt(p.density * kWaterDensity);
    p.linear = d.text("characteristic") == "linear";
    p.rangeability = d.number("rangeability");
    p.leakage = d.number("leakage");
    p.stroke = d.number("stroke_time");
    p.lag = d.number("lag");
    p.start = d.number("start_position");
    p.dead_band = d.number("dead_band");
    p.on_loss = d.text("on_power_loss") == "open" ? 1 : (d.text("on_power_loss") == "close" ? 2 : 0);
    p.columns = {set.yIndex(0, i)};
    p.rows = {set.yIndex(0, i)};
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Valve>& set, State& s, double) {
    set.z(s, kCommand, i) = set.z(s, kTarget, i) = p.start;
    s.y[set.yIndex(0, i)] = p.start;
  }
  /// Opening in leakage..1: the characteristic, led to the seat leakage below the lowest controllable position.
  static double opening(const Instance& p, double position) {
    const double x = std::clamp(position, 0.0, 1.0);
    const double inherent = p.linear ? x : std::pow(p.rangeability, x - 1.0) - (1.0 - x) / p.rangeability;
    return p.leakage + (1.0 - p.leakage) * std::max(inherent, 0.0);
  }
  static void controlledWay(const Instance& p, ControlledWay& way) {
    way.edge = p.edge;
    way.open.k = kReferenceDrop / (p.m_full * p.m_full);
    way.open.m_linear = kLinearShare * p.m_full;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Valve>& set, Evaluation& e) {
    const double position = e.y[set.yIndex(0, i)];
    const bool tight = p.leakage == 0.0 && position <= kSeated;
    const double m = p.m_full * opening(p, tight ? kSeated : position);
    EdgeLaw& law = e.laws[p.edge];
    law.k = kReferenceDrop / (m * m);
    law.exponent = 2.0;
    law.m_linear = kLinearShare * m;
    law.open = !tight && set.z(e, kInService, i) != 0.0;  // out of service: shut off by hand
  }
  /// What it is asked: where it has a dead band, what that let through; without effect on a steady state.
  static double target(const Instance& p, const Evaluation& e) {
    if (p.dead_band <= 0.0 || e.steady_search || stuck(*p.set, e, p.self)) return asked(*p.set, e, p.self);
    return p.set->z(e, kTarget, p.self);
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<Valve>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>&) {
    if (p.dead_band <= 0.0) return;
    const double command = asked(set, e, i);
    double& held = set.z(s, kTarget, i);
    if (e.steady_search || std::abs(command - held) > p.dead_band) held = command;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const bool driven = p.set->available(e, p.self) || stuck(*p.set, e, p.self);
    if (!driven && p.on_loss == 0)
      r[0] = S(0.0);
    else
      r[0] = followRate(x[0], driven ? target(p, e) : (p.on_loss == 1 ? 1.0 : 0.0), p.lag, p.stroke);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Valve>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.y[set.yIndex(0, i)];
      case 1:
        return e.m[p.edge] / p.density;
      default:
        return e.p[p.from] - e.p[p.to];
    }
  }
};

}  // namespace

RegisteredClass valveClass() { return {&kInfo, makeRidingDriveSetInto<Valve, kActuatorRideThrough>}; }

}  // namespace podtwin
