// Fan walls and room coolers: air of a zone over a water coil. Equations: fan_wall.md.
#include <array>
#include <cmath>

#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/air_coil.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/dew_point.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;

constexpr PortInfo kPorts[] = {
    {"air", PortKind::heat, PortCount::one, "zone whose air it draws"},
    {"from", PortKind::fluid, PortCount::one, "water inlet node"},
    {"to", PortKind::fluid, PortCount::one, "water outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "air_flow",
     .quantity = Quantity::mass_flow,
     .fallback = 31.4,
     .low = 1e-3,
     .high = 1e5,
     .meaning = "Air mass flow at full speed.",
     .source = "56,800 CFM = 26.8 m3/s of crah_vertiv_fa096hc at 1.17 kg/m3, hardware.csv (published)"},
    {.name = "fan_power",
     .quantity = Quantity::power,
     .fallback = 19.5e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Fan power at full speed.",
     .source = "crah_vertiv_fa096hc 19.5 kW, hardware.csv (published)"},
    {.name = "fan_exponent",
     .quantity = Quantity::ratio,
     .fallback = 3.0,
     .low = 1.0,
     .high = 3.0,
     .meaning = "Exponent of speed in fan power: 3 free delivery, 1 into a plenum held at constant pressure.",
     .source = "fan laws; power = flow times constant pressure"},
    {.name = "supply_air",
     .quantity = Quantity::temperature,
     .fallback = 297.15,
     .low = 273.15,
     .high = 333.15,
     .meaning = "Supply air temperature the coil holds as far as it can.",
     .source = "hall air 25 degC less margin, pod-design 9.1"},
    {.name = "coil_effectiveness",
     .quantity = Quantity::ratio,
     .fallback = 0.85,
     .low = 0.05,
     .high = 1.0,
     .meaning = "Most of (entering air less entering water) the coil can take from the smaller stream.",
     .source = "engineering estimate for six-row coils"},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 60e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Water pressure drop at the stated flow.",
     .source = "engineering estimate"},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .fallback = 761.0 / 60000.0,
     .low = 1e-9,
     .high = 100.0,
     .meaning = "Water flow at which dp is stated.",
     .source = "crah_vertiv_fa096hc 761 L/min, hardware.csv (published)"},
    {.name = "ramp_time",
     .quantity = Quantity::time,
     .fallback = 20.0,
     .low = 0.01,
     .high = 3600.0,
     .meaning = "Full speed range at the fastest.",
     .source = "engineering estimate"},
    {.name = "lag",
     .quantity = Quantity::time,
     .fallback = 2.0,
     .low = 0.01,
     .high = 600.0,
     .meaning = "First-order lag of the fans.",
     .source = "engineering estimate"},
    {.name = "start_speed",
     .quantity = Quantity::ratio,
     .fallback = 0.7,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Speed command before a controller acts.",
     .source = "engineering estimate"},
    kRideThrough,
    kUndervoltageTrip,
    kRestartDelay,
    kRestartMode,
};
constexpr StateInfo kStates[] = {{"speed", Quantity::ratio, 0.02, "Fan speed over full speed."}};
constexpr SignalInfo kSignals[] = {
    {"speed", Quantity::ratio, SignalType::real, "Fan speed over full speed."},
    {"heat", Quantity::power, SignalType::real, "Heat given to the water, fan power included."},
    {"power", Quantity::power, SignalType::real, "Fan power."},
    {"t_supply_air", Quantity::temperature, SignalType::real, "Air it gives to the cold aisle."},
    {"saturated", Quantity::none, SignalType::integer, "1 while the coil cannot hold the supply air temperature."},
    {"dew_point_margin", Quantity::temperature_difference, SignalType::real,
     "Coldest water in the coil above the dew point of the air."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
    kTrippedSignal,
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Fans stop."},
    {"restore", "", Quantity::none, "Fans are available again."},
    {"set", "speed", Quantity::ratio, "Manual speed."},
    {"stick", "speed", Quantity::ratio, "Stays at the stated place, or where it is, whatever it is asked."},
    {"automatic", "", Quantity::none, "Back to its controller."},
};
constexpr LimitInfo kLimits[] = {
    {"t_supply_air", true, 308.15, 10.0, "alarm", "cold-aisle air 35 degC, practice.md section 5; 10 s is an estimate"},
    kDewPointLimit,
    kTrippedLimit};
constexpr ClassInfo kInfo{.name = "fan_wall",
                          .group = "fan_wall",
                          .title = "Fan wall with chilled-water coil",
                          .page = "cooling/fan_wall.md",
                          .symbol = "fan",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kRideThroughDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct FanWall {
  static constexpr int kColumns = 4, kRows = 4;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // speed, zone, water in, water out
    std::array<std::size_t, kRows> rows;
    std::size_t self, edge;
    double density, cp, air, fan, exponent, supply, effectiveness, k, m_linear, ramp, lag, start;
    const KernelSet<FanWall>* set;
    DewPoint dew_point;
    const fluids::CoolantHeat* coolant;
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.ramp; }  // s
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<FanWall>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    const std::size_t from = b.fluidNode(i, "from"), to = b.fluidNode(i, "to");
    p.edge = b.edge(from, to, d.id);
    b.makeDrive(i);
    p.density = b.density(from);
    p.cp = b.specificHeat(from);
    p.coolant = &b.coolantHeat(from);
    p.air = d.number("air_flow");
    p.fan = d.number("fan_power");
    p.exponent = d.number("fan_exponent");
    p.supply = d.number("supply_air");
    p.effectiveness = d.number("coil_effectiveness");
    const double m = d.number("flow") * p.density;
    p.k = d.number("dp") / (m * m);
    p.m_linear = kLinearShare * m;
    p.ramp = d.number("ramp_time");
    p.lag = d.number("lag");
    p.start = d.number("start_speed");
    p.dew_point = dewPoint(b, d, "air");
    const ThermalPort zone = b.heatPort(i, "air"), in = b.nodePort(from), out = b.nodePort(to);
    p.columns = {set.yIndex(0, i), zone.column, in.column, out.column};
    p.rows = {set.yIndex(0, i), zone.row, in.row, out.row};
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<FanWall>& set, State& s, double) {
    set.z(s, kCommand, i) = p.start;
    s.y[set.yIndex(0, i)] = 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<FanWall>& set, Evaluation& e) {
    e.laws[p.edge].k = p.k;
    e.laws[p.edge].m_linear = p.m_linear;
    e.laws[p.edge].open = set.z(e, kInService, i) != 0.0;
  }
  static double speed(const Instance& p, const Evaluation& e) { return std::max(e.y[p.columns[0]], 0.0); }
  static double fanPower(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) ? p.set->served(e, p.self) * p.fan * std::pow(speed(p, e), p.exponent) : 0.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<FanWall>& set, Evaluation& e) {
    set.load(e, i, fanPower(p, e));
  }
  /// Heat into the water [W]: what cools zone air and fan heat down to the supply temperature, as far as the coil can.
  template <class S>
  static S coil(const Instance& p, const Evaluation& e, const S& zone, const S& water) {
    using std::max;
    using std::min;
    const double air = speed(p, e) * p.air * kAirSpecificHeat, wet = std::abs(e.m[p.edge]) * p.cp;
    if (air <= 0.0 || wet <= 0.0) return S(0.0);
    const S entering = zone + S(fanPower(p, e) / air);
    const S wanted = S(air) * (entering - S(p.supply));
    const S most = S(p.effectiveness * std::min(air, wet)) * (entering - water);
    return max(min(wanted, most), S(0.0));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = followRate(x[0], p.set->available(e, p.self) ? asked(*p.set, e, p.self) : 0.0, p.lag, p.ramp);
    const double m = e.m[p.edge];
    const std::size_t in = m >= 0.0 ? 2 : 3, out = 5 - in;
    const S heat = coil<S>(p, e, x[1], x[in]);
    r[1] = S(fanPower(p, e)) - heat;
    r[out] = S(std::abs(m)) * (p.coolant->enthalpy(x[in]) - p.coolant->enthalpy(x[out])) + heat;
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<FanWall>&, const Evaluation& e) {
    const double zone = e.y[p.columns[1]];
    const double heat = coil<double>(p, e, zone, e.y[p.columns[e.m[p.edge] >= 0.0 ? 2 : 3]]);
    const double air = speed(p, e) * p.air * kAirSpecificHeat;
    switch (k) {
      case 0:
        return e.y[p.columns[0]];
      case 1:
        return heat;
      case 2:
        return fanPower(p, e);
      case 3:
        return air > 0.0 ? zone + (fanPower(p, e) - heat) / air : zone;
      case 5:
        return dewPointMargin(p.dew_point, e, e.y[p.columns[2]], e.y[p.columns[3]]);
      default:
        return air > 0.0 && zone + (fanPower(p, e) - heat) / air > p.supply + 0.05 ? 1.0 : 0.0;
    }
  }
};

constexpr ParameterInfo kRoomParameters[] = {
    {.name = "ua",
     .quantity = Quantity::thermal_conductance,
     .low = 1e-3,
     .high = 1e8,
     .meaning = "Conductance from room air to water.",
     .source = ""},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 60e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Water pressure drop at the stated flow.",
     .source = "engineering estimate"},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .low = 1e-9,
     .high = 100.0,
     .meaning = "Water flow at which dp is stated.",
     .source = ""},
};
constexpr SignalInfo kRoomSignals[] = {
    {"heat", Quantity::power, SignalType::real, "Heat from the room to the water."},
    {"dew_point_margin", Quantity::temperature_difference, SignalType::real,
     "Coldest water in the coil above the dew point of the air."},
};
constexpr LimitInfo kRoomLimits[] = {kDewPointLimit};
constexpr RefusalInfo kRoomRefusals[] = {
    {"trip", "its fans are counted elsewhere; isolate shuts off its water"},
};
constexpr ClassInfo kRoomInfo{.name = "room_cooler",
                              .group = "room_cooler",
                              .title = "Room cooler whose fans are counted elsewhere",
                              .page = "cooling/fan_wall.md",
                              .symbol = "fan",
                              .ports = kPorts,
                              .parameters = kRoomParameters,
                              .signals = kRoomSignals,
                              .limits = kRoomLimits,
                              .refusals = kRoomRefusals};

struct RoomCooler {
  static constexpr int kColumns = 3, kRows = 3;
  struct Instance {
    std::array<std::size_t, kColumns> columns, rows;  // zone, water in, water out
    std::size_t edge;
    double cp, ua, k, m_linear;
    const fluids::CoolantHeat* coolant;
    DewPoint dew_point;
  };
  static const ClassInfo& info() { return kRoomInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<RoomCooler>&, Binder& b) {
    Instance p{};
    const std::size_t from = b.fluidNode(i, "from"), to = b.fluidNode(i, "to");
    p.edge = b.edge(from, to, d.id);
    p.cp = b.specificHeat(from);
    p.coolant = &b.coolantHeat(from);
    p.ua = d.number("ua");
    p.dew_point = dewPoint(b, d, "air");
    const double m = d.number("flow") * b.density(from);
    p.k = d.number("dp") / (m * m);
    p.m_linear = kLinearShare * m;
    const ThermalPort zone = b.heatPort(i, "air"), in = b.nodePort(from), out = b.nodePort(to);
    p.columns = {zone.column, in.column, out.column};
    p.rows = {zone.row, in.row, out.row};
    return p;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<RoomCooler>& set, Evaluation& e) {
    e.laws[p.edge].k = p.k;
    e.laws[p.edge].m_linear = p.m_linear;
    e.laws[p.edge].open = set.z(e, kInService, i) != 0.0;
  }
  static double conductance(const Instance& p, const Evaluation& e) {
    const double rate = std::abs(e.m[p.edge]) * p.cp;
    return rate > 0.0 ? -rate * std::expm1(-p.ua / rate) : 0.0;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double m = e.m[p.edge];
    const std::size_t in = m >= 0.0 ? 1 : 2, out = 3 - in;
    const S heat = S(conductance(p, e)) * (x[0] - x[in]);
    r[0] = -heat;
    r[out] = S(std::abs(m)) * (p.coolant->enthalpy(x[in]) - p.coolant->enthalpy(x[out])) + heat;
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<RoomCooler>&,
                       const Evaluation& e) {
    if (k == 1) return dewPointMargin(p.dew_point, e, e.y[p.columns[1]], e.y[p.columns[2]]);
    return conductance(p, e) * (e.y[p.columns[0]] - e.y[p.columns[e.m[p.edge] >= 0.0 ? 1 : 2]]);
  }
};

}  // namespace

RegisteredClass fanWallClass() { return {&kInfo, makeRidingDriveSetInto<FanWall>}; }
RegisteredClass roomCoolerClass() { return {&kRoomInfo, makeKernelSetInto<RoomCooler, SetList>}; }

}  // namespace podtwin
