// Three-way diverting valve: sends its inlet flow to a branch or past it. Equations: three_way_valve.md.
#include <array>
#include <cmath>

#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceDrop = 1e5;  // Pa
constexpr double kLinearShare = 1e-3;
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "node of the branch"},
    {"through", PortKind::fluid, PortCount::one, "node behind the bypass"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "kv",
     .quantity = Quantity::volume_flow,
     .low = 1e-7,
     .high = 10.0,
     .meaning = "Flow of water at 1 bar to the branch when the position is 1.",
     .source = ""},
    {.name = "kv_bypass",
     .quantity = Quantity::volume_flow,
     .low = 1e-7,
     .high = 10.0,
     .meaning = "Flow of water at 1 bar past the branch when the position is 0; balanced so that total flow stays.",
     .source = ""},
    {.name = "leakage",
     .quantity = Quantity::ratio,
     .fallback = 2e-3,
     .low = 1e-6,
     .high = 0.1,
     .meaning = "Opening that remains of a closed way.",
     .source = "three-way valves leak more than two-way; estimate"},
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
     .fallback = 0.8,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Position command before a controller acts.",
     .source = "engineering estimate"},
    kRideThrough,
};
constexpr StateInfo kStates[] = {{"position", Quantity::ratio, 0.02, "Position, 1 all to the branch."}};
constexpr SignalInfo kSignals[] = {
    {"position", Quantity::ratio, SignalType::real, "Position, 1 all to the branch."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow to the branch."},
    {"flow_bypass", Quantity::volume_flow, SignalType::real, "Flow past the branch."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop from inlet to branch."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
};
constexpr CommandInfo kCommands[] = {
    {"set", "position", Quantity::ratio, "Manual position."},
    {"stick", "position", Quantity::ratio, "Stays at the stated place, or where it is, whatever it is asked."},
    {"restore", "", Quantity::none, "Free again."},
    {"automatic", "", Quantity::none, "Back to its controller."},
};
constexpr ClassInfo kInfo{.name = "three_way_valve",
                          .group = "valve",
                          .title = "Three-way diverting valve",
                          .page = "cooling/three_way_valve.md",
                          .symbol = "valve3",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kRideThroughDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct ThreeWayValve {
  static constexpr int kColumns = 1, kRows = 1;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self, branch, bypass, from, to;
    double density, m_branch, m_bypass, leakage, stroke, lag, start;
    const KernelSet<ThreeWayValve>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.stroke; }  // s
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<ThreeWayValve>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    const std::size_t past = b.fluidNode(i, "through");
    p.branch = b.edge(p.from, p.to, d.id);
    p.bypass = b.edge(p.from, past, d.id + " (bypass)");
    b.passThrough(p.branch);
    b.passThrough(p.bypass);
    b.makeDrive(i);
    p.density = b.density(p.from);
    constexpr double kWaterDensity = 1000.0;  // kg/m3
    const double scale = std::sqrt(p.density * kWaterDensity);
    p.m_branch = d.number("kv") * scale;
    p.m_bypass = d.number("kv_bypass") * scale;
    p.leakage = d.number("leakage");
    p.stroke = d.number("stroke_time");
    p.lag = d.number("lag");
    p.start = d.number("start_position");
    p.columns = {set.yIndex(0, i)};
    p.rows = {set.yIndex(0, i)};
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<ThreeWayValve>& set, State& s, double) {
    set.z(s, kCommand, i) = p.start;
    s.y[set.yIndex(0, i)] = p.start;
  }
  static void controlledWay(const Instance& p, ControlledWay& way) {
    const auto open = [](double m, EdgeLaw& law) {
      law.k = kReferenceDrop / (m * m);
      law.exponent = 2.0;
      law.m_linear = kLinearShare * m;
    };
    way.edge = p.branch;
    open(p.m_branch, way.open);
    way.other = static_cast<std::ptrdiff_t>(p.bypass);
    open(p.m_bypass, way.other_open);
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<ThreeWayValve>& set, Evaluation& e) {
    const double x = std::clamp(e.y[set.yIndex(0, i)], 0.0, 1.0);
    const auto way = [&](std::size_t edge, double m_full, double position) {
      const double m = m_full * (p.leakage + (1.0 - p.leakage) * position);
      EdgeLaw& law = e.laws[edge];
      law.k = kReferenceDrop / (m * m);
      law.exponent = 2.0;
      law.m_linear = kLinearShare * m;
      law.open = set.z(e, kInService, i) != 0.0;  // out of service: shut off by hand
    };
    way(p.branch, p.m_branch, x);
    way(p.bypass, p.m_bypass, 1.0 - x);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const bool driven = p.set->available(e, p.self) || stuck(*p.set, e, p.self);
    r[0] = driven ? followRate(x[0], asked(*p.set, e, p.self), p.lag, p.stroke) : S(0.0);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<ThreeWayValve>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.y[set.yIndex(0, i)];
      case 1:
        return e.m[p.branch] / p.density;
      case 2:
        return e.m[p.bypass] / p.density;
      default:
        return e.p[p.from] - e.p[p.to];
    }
  }
};

}  // namespace

RegisteredClass threeWayValveClass() { return {&kInfo, makeRidingDriveSetInto<ThreeWayValve, kActuatorRideThrough>}; }

}  // namespace podtwin
