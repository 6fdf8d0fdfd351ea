// Coil in the rear door of racks: it takes the heat of their exhaust air before that reaches the room. Equations:
// rear_door_exchanger.md.
#include <array>
#include <cmath>

#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/air_exchanger.hpp"
#include "model/components/cooling/classes.hpp"

namespace podtwin {

namespace {

using namespace air_exchanger;

constexpr double kReferenceTemperature = 273.15;  // K

constexpr PortInfo kPorts[] = {
    {"air", PortKind::heat, PortCount::one, "zone from which the racks draw and into which the door blows"},
    {"from", PortKind::fluid, PortCount::one, "water inlet node"},
    {"to", PortKind::fluid, PortCount::one, "water outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    kUa,
    kRatedHeat,
    kRatedDifference,
    kAirFlow,
    kFlow,
    {.name = "fan_power",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Power of all its fans at full speed; its heat goes to the air behind the coil.",
     .source = "0: a passive door, the racks' fans blow through it"},
    kFanExponent,
    kFans,
    {.name = "rack_air",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.01,
     .high = 1.0,
     .meaning = "Air flow over air_flow that the racks' own fans move with the door's fans at rest.",
     .source = "1: a passive door"},
    {.name = "bypass",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 0.9,
     .meaning = "Share of the exhaust that reaches the zone past the coil.",
     .source = "0: tight; 2-10 % through gaps and cable openings, engineering estimate"},
    {.name = "capacity",
     .quantity = Quantity::heat_capacity,
     .fallback = 20e3,
     .low = 10.0,
     .high = 1e9,
     .meaning = "Heat capacity of the air between racks and coil and of the metal that follows it.",
     .source = "engineering estimate: 40 kg of door and coil and 1 m3 of air"},
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
constexpr StateInfo kStates[] = {
    {"t_exhaust", Quantity::temperature, 1.0, "Exhaust air between racks and coil [K]."},
    {"speed", Quantity::ratio, 0.02, "Fan speed over full speed."},
};
constexpr DiscreteInfo kOwnDiscretes[] = {kFansOutInfo};
constexpr auto kDiscretes = withRideThrough(kOwnDiscretes);
enum Signal : std::size_t {
  kExhaust,
  kLeaving,
  kHeat,
  kToZone,
  kSpeed,
  kPower,
  kOut,
  kFlowSignal,
  kDrop,
  kRunning,
  kMargin
};
constexpr SignalInfo kSignals[] = {
    {"t_exhaust", Quantity::temperature, SignalType::real, "Exhaust air of the racks."},
    {"t_leaving", Quantity::temperature, SignalType::real,
     "Air that reaches the zone, mixed with what passes the coil."},
    {"heat", Quantity::power, SignalType::real, "Heat given to the water."},
    {"heat_to_zone", Quantity::power, SignalType::real,
     "Heat that the zone gets: of the racks, less that to the water, plus fan power; negative where it cools the "
     "zone."},
    {"speed", Quantity::ratio, SignalType::real, "Fan speed over full speed."},
    {"power", Quantity::power, SignalType::real, "Fan power."},
    {"t_out", Quantity::temperature, SignalType::real, "Water outlet temperature before mixing."},
    {"flow", Quantity::volume_flow, SignalType::real, "Water flow."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Water pressure drop."},
    {"fans_running", Quantity::none, SignalType::integer, "Fans that have not failed."},
    {"dew_point_margin", Quantity::temperature_difference, SignalType::real,
     "Coldest water in the coil above the dew point of the air."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
    kTrippedSignal,
};
constexpr CommandInfo kCommands[] = {kTrip, kRestore, kSet, kStick, kAutomatic, kFailFans};
constexpr LimitInfo kLimits[] = {kDewPointLimit, kTrippedLimit};
constexpr ClassInfo kInfo{.name = "rear_door_exchanger",
                          .group = "rear_door",
                          .title = "Rear-door heat exchanger",
                          .page = "cooling/rear_door_exchanger.md",
                          .symbol = "fan",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct RearDoor {
  static constexpr int kColumns = 5, kRows = 5;
  static constexpr std::size_t kDriveState = 1;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // exhaust, speed, zone, water in, water out
    std::array<std::size_t, kRows> rows;
    AirExchanger x;
    double rack_air, through, capacity;  // through: share of the exhaust that passes the coil
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.x.ramp; }  // s
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<RearDoor>& set, Binder& b) {
    Instance p{};
    p.x = bindAirExchanger(i, d, set, kDriveState, b);
    p.rack_air = d.number("rack_air");
    p.through = 1.0 - d.number("bypass");
    p.capacity = d.number("capacity");
    const std::size_t exhaust = set.yIndex(0, i);
    b.capacity(exhaust, p.capacity);
    const ThermalPort zone = b.heatPort(i, "air"), in = b.nodePort(p.x.from), out = b.nodePort(p.x.to);
    p.columns = {exhaust, p.x.speed, zone.column, in.column, out.column};
    p.rows = {exhaust, p.x.speed, zone.row, in.row, out.row};
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<RearDoor>& set, State& s, double) {
    set.z(s, kCommand, i) = p.x.start;
    s.y[p.x.speed] = 0.0;
  }
  static void edgeLaws(std::size_t, const Instance& p, const KernelSet<RearDoor>&, Evaluation& e) { p.x.apply(e); }
  static void demand(std::size_t i, const Instance& p, const KernelSet<RearDoor>& set, Evaluation& e) {
    set.load(e, i, p.x.power(e));
  }

  static double airRatio(const Instance& p, const Evaluation& e) { return std::max(p.x.driven(e), p.rack_air); }
  /// Capacity rate [W/K] of all exhaust air.
  static double airRate(const Instance& p, const Evaluation& e) {
    return airRatio(p, e) * p.x.air_flow * kAirSpecificHeat;
  }
  static double exchange(const Instance& p, const Evaluation& e) {
    return p.x.coil.exchange(p.through * airRatio(p, e), e.m[p.x.edge], p.x.cp);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const AirExchanger& unit = p.x;
    r[1] =
        followRate(x[1], unit.set->available(e, unit.self) ? asked(*unit.set, e, unit.self) : 0.0, unit.lag, unit.ramp);
    const double rate = e.m[unit.edge] * unit.cp;
    const std::size_t in = rate >= 0.0 ? 3 : 4, out = 7 - in;
    const S carried = S(airRate(p, e)) * (x[0] - x[2]), heat = S(exchange(p, e)) * (x[0] - x[in]);
    r[0] = -carried;
    r[2] = carried - heat + S(unit.power(e));
    r[out] = S(std::abs(rate)) * (unit.coolant->carried(x[in]) - unit.coolant->carried(x[out])) + heat;
  }
  static double storedEnergy(std::size_t, const Instance& p, const KernelSet<RearDoor>&, const Evaluation& e) {
    return p.capacity * (e.y[p.columns[0]] - kReferenceTemperature);
  }

  static std::size_t inlet(const Instance& p, const Evaluation& e) { return p.columns[e.m[p.x.edge] >= 0.0 ? 3 : 4]; }
  static double heat(const Instance& p, const Evaluation& e) {
    return exchange(p, e) * (e.y[p.columns[0]] - e.y[inlet(p, e)]);
  }
  static double outlet(const Instance& p, const Evaluation& e) {
    const double rate = std::abs(e.m[p.x.edge]) * p.x.cp;
    if (rate == 0.0) return e.y[p.columns[4]];
    return p.x.coolant->fromCarried(p.x.coolant->carried(e.y[inlet(p, e)]) + heat(p, e) / rate);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<RearDoor>&, const Evaluation& e) {
    const double exhaust = e.y[p.columns[0]];
    switch (k) {
      case kExhaust:
        return exhaust;
      case kLeaving:
        return exhaust + (p.x.power(e) - heat(p, e)) / airRate(p, e);
      case kHeat:
        return heat(p, e);
      case kToZone:
        return airRate(p, e) * (exhaust - e.y[p.columns[2]]) - heat(p, e) + p.x.power(e);
      case kSpeed:
        return e.y[p.x.speed];
      case kPower:
        return p.x.power(e);
      case kOut:
        return outlet(p, e);
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

class RearDoorSet : public DriveSet<RearDoor> {
 public:
  using DriveSet<RearDoor>::DriveSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    return commandAirExchanger(instance(i).x, verb, value, s, reason,
                               [&] { return DriveSet<RearDoor>::command(s, i, verb, value, reason); });
  }
};

}  // namespace

RegisteredClass rearDoorExchangerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<RidesThrough<RearDoorSet, kDriveRideThrough>>(std::move(instances)));
          }};
}

}  // namespace podtwin
