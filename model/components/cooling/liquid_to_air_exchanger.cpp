// Coolant that gives its heat to the air of a room by a coil with fans. Equations: liquid_to_air_exchanger.md.
#include <array>
#include <cmath>

#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/air_exchanger.hpp"
#include "model/components/cooling/classes.hpp"

namespace podtwin {

namespace {

using namespace air_exchanger;

constexpr PortInfo kPorts[] = {
    {"air", PortKind::heat, PortCount::one, "zone whose air it draws and blows into"},
    {"from", PortKind::fluid, PortCount::one, "coolant inlet node"},
    {"to", PortKind::fluid, PortCount::one, "coolant outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    kUa,
    kRatedHeat,
    kRatedDifference,
    kAirFlow,
    kFlow,
    {.name = "fan_power",
     .quantity = Quantity::power,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Power of all fans at full speed; its heat goes to the air behind the coil.",
     .source = ""},
    kFanExponent,
    kFans,
    {.name = "natural_draft",
     .quantity = Quantity::ratio,
     .fallback = 0.02,
     .low = 0.0,
     .high = 0.5,
     .meaning = "Air flow over air_flow with fans at rest.",
     .source = "engineering estimate, as the dry cooler"},
    kAirExponent,
    kCoolantExponent,
    kAirShare,
    kArrangement,
    kDp,
    kRampTime,
    kLag,
    kStartSpeed,
    kRideThrough,
    kUndervoltageTrip,
    kRestartDelay,
    kRestartMode,
};
constexpr StateInfo kStates[] = {{"speed", Quantity::ratio, 0.02, "Fan speed over full speed."}};
constexpr DiscreteInfo kOwnDiscretes[] = {kFansOutInfo};
constexpr auto kDiscretes = withRideThrough(kOwnDiscretes);
enum Signal : std::size_t { kSpeed, kHeat, kPower, kOut, kAirOut, kApproach, kFlowSignal, kDrop, kRunning, kMargin };
constexpr SignalInfo kSignals[] = {
    {"speed", Quantity::ratio, SignalType::real, "Fan speed over full speed."},
    {"heat", Quantity::power, SignalType::real, "Heat given to the air by the coolant, without that of the fans."},
    {"power", Quantity::power, SignalType::real, "Fan power."},
    {"t_out", Quantity::temperature, SignalType::real, "Coolant outlet temperature before mixing."},
    {"t_air_out", Quantity::temperature, SignalType::real, "Air that leaves, with the heat of the fans."},
    {"approach", Quantity::temperature_difference, SignalType::real,
     "Leaving coolant above the entering air; negative where it cools the air."},
    {"flow", Quantity::volume_flow, SignalType::real, "Coolant flow."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Coolant pressure drop."},
    {"fans_running", Quantity::none, SignalType::integer, "Fans that have not failed."},
    {"dew_point_margin", Quantity::temperature_difference, SignalType::real,
     "Coldest coolant in the coil above the dew point of the air."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
    kTrippedSignal,
};
constexpr CommandInfo kCommands[] = {kTrip, kRestore, kSet, kStick, kAutomatic, kFailFans};
constexpr LimitInfo kLimits[] = {kDewPointLimit, kTrippedLimit};
constexpr ClassInfo kInfo{.name = "liquid_to_air_exchanger",
                          .group = "liquid_to_air",
                          .title = "Liquid-to-air heat exchanger with fans",
                          .page = "cooling/liquid_to_air_exchanger.md",
                          .symbol = "fan",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct LiquidToAir {
  static constexpr int kColumns = 4, kRows = 4;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // speed, zone, coolant in, coolant out
    std::array<std::size_t, kRows> rows;
    AirExchanger x;
    double draft;
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.x.ramp; }  // s
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<LiquidToAir>& set, Binder& b) {
    Instance p{};
    p.x = bindAirExchanger(i, d, set, 0, b);
    p.draft = d.number("natural_draft");
    const ThermalPort zone = b.heatPort(i, "air"), in = b.nodePort(p.x.from), out = b.nodePort(p.x.to);
    p.columns = {p.x.speed, zone.column, in.column, out.column};
    p.rows = {p.x.speed, zone.row, in.row, out.row};
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<LiquidToAir>& set, State& s, double) {
    set.z(s, kCommand, i) = p.x.start;
    s.y[p.x.speed] = 0.0;
  }
  static void edgeLaws(std::size_t, const Instance& p, const KernelSet<LiquidToAir>&, Evaluation& e) { p.x.apply(e); }
  static void demand(std::size_t i, const Instance& p, const KernelSet<LiquidToAir>& set, Evaluation& e) {
    set.load(e, i, p.x.power(e));
  }

  static double airRatio(const Instance& p, const Evaluation& e) { return std::max(p.x.driven(e), p.draft); }
  static double exchange(const Instance& p, const Evaluation& e) {
    return p.x.coil.exchange(airRatio(p, e), e.m[p.x.edge], p.x.cp);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const AirExchanger& unit = p.x;
    r[0] =
        followRate(x[0], unit.set->available(e, unit.self) ? asked(*unit.set, e, unit.self) : 0.0, unit.lag, unit.ramp);
    const double rate = e.m[unit.edge] * unit.cp;
    const std::size_t in = rate >= 0.0 ? 2 : 3, out = 5 - in;
    const S heat = S(exchange(p, e)) * (x[in] - x[1]);
    r[1] = heat + S(unit.power(e));
    r[out] = S(std::abs(rate)) * (unit.coolant->carried(x[in]) - unit.coolant->carried(x[out])) - heat;
  }

  static std::size_t inlet(const Instance& p, const Evaluation& e) { return p.columns[e.m[p.x.edge] >= 0.0 ? 2 : 3]; }
  static double heat(const Instance& p, const Evaluation& e) {
    return exchange(p, e) * (e.y[inlet(p, e)] - e.y[p.columns[1]]);
  }
  static double outlet(const Instance& p, const Evaluation& e) {
    const double rate = std::abs(e.m[p.x.edge]) * p.x.cp;
    if (rate == 0.0) return e.y[p.columns[3]];
    return p.x.coolant->fromCarried(p.x.coolant->carried(e.y[inlet(p, e)]) - heat(p, e) / rate);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<LiquidToAir>&,
                       const Evaluation& e) {
    const double zone = e.y[p.columns[1]], air = airRatio(p, e) * p.x.air_flow * kAirSpecificHeat;
    switch (k) {
      case kSpeed:
        return e.y[p.columns[0]];
      case kHeat:
        return heat(p, e);
      case kPower:
        return p.x.power(e);
      case kOut:
        return outlet(p, e);
      case kAirOut:
        return air > 0.0 ? zone + (heat(p, e) + p.x.power(e)) / air : zone;
      case kApproach:
        return outlet(p, e) - zone;
      case kFlowSignal:
        return e.m[p.x.edge] / p.x.density;
      case kDrop:
        return e.p[p.x.from] - e.p[p.x.to];
      case kRunning:
        return p.x.fans - p.x.set->z(e, kFansOut, p.x.self);
      default:
        return p.x.dewPointMargin(e, e.y[inlet(p, e)], outlet(p, e));
    }
  }
};

class LiquidToAirSet : public DriveSet<LiquidToAir> {
 public:
  using DriveSet<LiquidToAir>::DriveSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    return commandAirExchanger(instance(i).x, verb, value, s, reason,
                               [&] { return DriveSet<LiquidToAir>::command(s, i, verb, value, reason); });
  }
};

}  // namespace

RegisteredClass liquidToAirExchangerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<RidesThrough<LiquidToAirSet, kDriveRideThrough>>(std::move(instances)));
          }};
}

}  // namespace podtwin
