// Wet cooling tower with speed-controlled fans. Equations: cooling_tower.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/tower_laws.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"

namespace podtwin {

namespace {

constexpr double kFreezing = 273.15;          // K, 0 degC
constexpr double kDesignPressure = 101325.0;  // Pa; towers are rated at sea level
constexpr double kLinearShare = 1e-3;
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "node of the hot water"},
    {"to", PortKind::fluid, PortCount::one, "node of the cold water; give it the volume of the basin"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "model",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "merkel: conductance that varies with flows and wet bulb; yorkcalc: polynomial of the approach.",
     .source = "EnergyPlus Engineering Reference, variable-speed cooling towers",
     .choices = "merkel|yorkcalc"},
    {.name = "flow",
     .quantity = Quantity::mass_flow,
     .low = 1e-6,
     .high = 1e6,
     .meaning = "Design water flow.",
     .source = ""},
    {.name = "air_flow",
     .quantity = Quantity::volume_flow,
     .low = 1e-6,
     .high = 1e6,
     .meaning = "Air that enters at full fan speed.",
     .source = ""},
    {.name = "fan_power",
     .quantity = Quantity::power,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Fan power at full speed; follows the cube of speed.",
     .source = ""},
    {.name = "t_wet_bulb",
     .quantity = Quantity::temperature,
     .fallback = kFreezing + 25.6,
     .low = 250.0,
     .high = 310.0,
     .meaning = "Wet bulb of the design point of merkel.",
     .source = "78 degF, EnergyPlus's rating point (case M02)"},
    {.name = "range",
     .quantity = Quantity::temperature_difference,
     .fallback = 5.56,
     .low = 0.1,
     .high = 50.0,
     .meaning = "Water in less water out at the design point of merkel.",
     .source = "10 degF, EnergyPlus's rating point"},
    {.name = "approach",
     .quantity = Quantity::temperature_difference,
     .fallback = 3.89,
     .low = 0.1,
     .high = 50.0,
     .meaning = "Water out less wet bulb at the design point of merkel.",
     .source = "7 degF, EnergyPlus's rating point"},
    {.name = "ua",
     .quantity = Quantity::thermal_conductance,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e9,
     .meaning =
         "Conductance of merkel at the design flows and wet bulb, for air of 1006 J/(kg K); 0: from the design point.",
     .source = "the design point says the same in the terms of a data sheet"},
    {.name = "free_convection",
     .quantity = Quantity::ratio,
     .fallback = 0.1,
     .low = 1e-6,
     .high = 0.5,
     .meaning = "Air flow over full speed with fans at rest; of yorkcalc the share of the range at full speed.",
     .source = "EnergyPlus's default, case M02"},
    {.name = "drift",
     .quantity = Quantity::ratio,
     .fallback = 8e-5,
     .low = 0.0,
     .high = 0.01,
     .meaning = "Water carried out as drops over water flow.",
     .source = "0.008 %, EnergyPlus's default"},
    {.name = "cycles_of_concentration",
     .quantity = Quantity::ratio,
     .fallback = 3.0,
     .low = 1.01,
     .high = 50.0,
     .meaning = "Dissolved solids in the basin over those in the make-up water; sets the blowdown.",
     .source = "EnergyPlus's default"},
    {.name = "recirculation",
     .quantity = Quantity::temperature_difference,
     .fallback = 0.0,
     .low = 0.0,
     .high = 15.0,
     .meaning = "Wet bulb of the air that enters above that of the weather.",
     .source = "0: none of the plume comes back"},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 60e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Pressure drop at the design flow, lift to the nozzles included.",
     .source = "engineering estimate: 4 m of lift and 20 kPa of nozzles"},
    {.name = "ramp_time",
     .quantity = Quantity::time,
     .fallback = 30.0,
     .low = 0.01,
     .high = 3600.0,
     .meaning = "Full speed range at the fastest.",
     .source = "engineering estimate, as the dry cooler"},
    {.name = "lag",
     .quantity = Quantity::time,
     .fallback = 2.0,
     .low = 0.01,
     .high = 600.0,
     .meaning = "First-order lag of the fans.",
     .source = "engineering estimate, as the dry cooler"},
    {.name = "start_speed",
     .quantity = Quantity::ratio,
     .fallback = 0.5,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Speed command before a controller acts.",
     .source = "engineering estimate, as the dry cooler"},
    kRideThrough,
    kUndervoltageTrip,
    kRestartDelay,
    kRestartMode,
};
constexpr StateInfo kStates[] = {{"speed", Quantity::ratio, 0.02, "Fan speed over full speed."}};
enum Signal : std::size_t {
  kSpeed,
  kHeat,
  kPower,
  kOut,
  kApproach,
  kFlow,
  kDp,
  kEvaporation,
  kDrift,
  kBlowdown,
  kMakeUp,
  kOutside
};
constexpr SignalInfo kSignals[] = {
    {"speed", Quantity::ratio, SignalType::real, "Fan speed over full speed."},
    {"heat", Quantity::power, SignalType::real, "Heat given to outdoor air by the water."},
    {"power", Quantity::power, SignalType::real, "Fan power."},
    {"t_out", Quantity::temperature, SignalType::real, "Cold water before mixing in the basin."},
    {"approach", Quantity::temperature_difference, SignalType::real, "Cold water above the outdoor wet bulb."},
    {"flow", Quantity::volume_flow, SignalType::real, "Water flow."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop of the water."},
    {"evaporation", Quantity::mass_flow, SignalType::real, "Water that the air takes up."},
    {"drift", Quantity::mass_flow, SignalType::real, "Water carried out as drops."},
    {"blowdown", Quantity::mass_flow, SignalType::real, "Water let off to hold the concentration."},
    {"make_up", Quantity::mass_flow, SignalType::real, "Fresh water: evaporation, drift and blowdown."},
    {"outside", Quantity::none, SignalType::integer, "1 while the model works outside what it was fitted for."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
    kTrippedSignal,
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Fans stop."},
    {"restore", "", Quantity::none, "Fans are available again."},
    {"set", "speed", Quantity::ratio, "Manual fan speed."},
    {"stick", "speed", Quantity::ratio, "Stays at the stated place, or where it is, whatever it is asked."},
    {"automatic", "", Quantity::none, "Back to its controller."},
};
constexpr LimitInfo kLimits[] = {
    {"outside", true, 0.5, 300.0, "alarm", "validity: EnergyPlus's ranges, cooling_tower.md; 300 s is an estimate"},
    kTrippedLimit};
constexpr ClassInfo kInfo{.name = "cooling_tower",
                          .group = "cooling_tower",
                          .title = "Wet cooling tower",
                          .page = "cooling/cooling_tower.md",
                          .symbol = "dry_cooler",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kRideThroughDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct CoolingTower {
  static constexpr int kColumns = 3, kRows = 4;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // speed, inlet, outlet
    std::array<std::size_t, kRows> rows;        // speed, inlet, outlet, outdoor air
    std::size_t self, edge, from, to, dry_bulb;
    OutdoorAir outdoor;
    const fluids::CoolantHeat* coolant;
    double density, cp, m0, air, fan, wet_bulb, recirculation, ua, convection, drift, cycles, k, m_linear, ramp, lag,
        start;
    bool york;
    const KernelSet<CoolingTower>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.ramp; }  // s
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<CoolingTower>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.makeDrive(i);
    p.density = b.density(p.from);
    p.cp = b.specificHeat(p.from);
    p.coolant = &b.coolantHeat(p.from);
    p.york = d.text("model") == "yorkcalc";
    p.m0 = d.number("flow");
    p.air = d.number("air_flow");
    p.fan = d.number("fan_power");
    p.wet_bulb = d.number("t_wet_bulb");
    p.recirculation = d.number("recirculation");
    p.convection = d.number("free_convection");
    p.drift = d.number("drift");
    p.cycles = d.number("cycles_of_concentration");
    p.k = d.number("dp") / (p.m0 * p.m0);
    p.m_linear = kLinearShare * p.m0;
    p.ramp = d.number("ramp_time");
    p.lag = d.number("lag");
    p.start = d.number("start_speed");
    p.ua = d.number("ua");
    if (!p.york && p.ua == 0.0) p.ua = designConductance(p, d, b);
    const ThermalPort in = b.nodePort(p.from), out = b.nodePort(p.to), air = b.ambient();
    p.dry_bulb = air.column;
    p.outdoor = b.outdoorAir();
    p.columns = {set.yIndex(0, i), in.column, out.column};
    p.rows = {set.yIndex(0, i), in.row, out.row, air.row};
    return p;
  }
  static double designConductance(const Instance& p, const InstanceDescription& d, Binder& b) {
    const double range = d.number("range"), rate = p.m0 * p.cp;
    const double air = p.air * towerAirDensity(p.wet_bulb, p.wet_bulb, kDesignPressure);
    const double hot = p.wet_bulb + d.number("approach") + range;
    try {
      return towerConductance({hot, p.wet_bulb, rate, air, kDesignPressure}, rate * range);
    } catch (const Error& error) {
      b.problems().error(d.where, "'" + d.id + "': its design point cannot be: " + error.what(),
                         "give more air_flow, less flow, less range or more approach, or state ua");
      return 0.0;
    }
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<CoolingTower>& set, State& s, double) {
    set.z(s, kCommand, i) = p.start;
    s.y[set.yIndex(0, i)] = 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<CoolingTower>& set, Evaluation& e) {
    e.laws[p.edge].k = p.k;
    e.laws[p.edge].m_linear = p.m_linear;
    e.laws[p.edge].open = set.z(e, kInService, i) != 0.0;
  }
  static double fanPower(const Instance& p, const Evaluation& e) {
    const double v = e.y[p.columns[0]];
    return p.set->available(e, p.self) ? p.set->served(e, p.self) * p.fan * v * v * v : 0.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<CoolingTower>& set, Evaluation& e) {
    set.load(e, i, fanPower(p, e));
  }

  static double airRatio(const Instance& p, const Evaluation& e) { return std::max(e.y[p.columns[0]], p.convection); }
  static double wetBulb(const Instance& p, const Evaluation& e) { return e.z[p.outdoor.wet_bulb] + p.recirculation; }
  static double pressure(const Instance& p, const Evaluation& e) { return e.z[p.outdoor.pressure]; }
  /// Dry air through the tower [kg/s]; its density is that of air saturated at the wet bulb.
  static double dryAir(const Instance& p, const Evaluation& e) {
    const double wet = wetBulb(p, e);
    return airRatio(p, e) * p.air * towerAirDensity(wet, wet, pressure(p, e));
  }
  /// Range by YorkCalc; below the share of free convection the fans' part fades out with their speed.
  static YorkCalcRange yorkRange(const Instance& p, const Evaluation& e, double water_in) {
    const double wet = wetBulb(p, e), water = std::abs(e.m[p.edge]) / p.m0, speed = e.y[p.columns[0]];
    const YorkCalcRange driven = yorkCalcRange(water_in, wet, water, airRatio(p, e));
    if (speed >= p.convection) return driven;
    const YorkCalcRange full = yorkCalcRange(water_in, wet, water, 1.0);
    const double share = std::max(speed, 0.0) / p.convection, still = (1.0 - share) * p.convection;
    return {still * full.range + share * driven.range, still * full.slope + share * driven.slope};
  }
  struct Exchange {
    double heat, slope;  // W; W/K by the entering water
  };
  static Exchange exchange(const Instance& p, const Evaluation& e, double water_in) {
    const double flow = std::abs(e.m[p.edge]), rate = flow * p.cp;
    if (rate <= 0.0) return {0.0, 0.0};
    if (p.york) {
      const YorkCalcRange r = yorkRange(p, e, water_in);
      return {rate * r.range, rate * r.slope};
    }
    const double wet = wetBulb(p, e), water = std::min(flow / p.m0, towerMostWaterRatio());
    const double ua = p.ua * towerConductanceRatio(p.wet_bulb - wet, airRatio(p, e), water);
    const TowerPassResult pass = passTower({water_in, wet, rate, dryAir(p, e), pressure(p, e)}, ua);
    return {pass.heat, pass.slope};
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = followRate(x[0], p.set->available(e, p.self) ? asked(*p.set, e, p.self) : 0.0, p.lag, p.ramp);
    const double rate = e.m[p.edge] * p.cp;
    const std::size_t in = rate >= 0.0 ? 1 : 2, out = 3 - in;
    const Exchange given = exchange(p, e, valueOf(x[in]));
    const S heat = S(given.heat) + S(given.slope) * (x[in] - S(valueOf(x[in])));
    r[out] = S(std::abs(rate)) * (p.coolant->carried(x[in]) - p.coolant->carried(x[out])) - heat;
    r[3] = heat + S(fanPower(p, e));
  }

  static double entering(const Instance& p, const Evaluation& e) { return e.y[p.columns[e.m[p.edge] >= 0.0 ? 1 : 2]]; }
  /// Humidity ratio of the air that enters: that of the weather, or with warm moist air of its own in it, at the
  /// weather's dry bulb and the raised wet bulb.
  static double enteringHumidity(const Instance& p, const Evaluation& e) {
    const double dry = e.y[p.dry_bulb], p_air = pressure(p, e);
    if (p.recirculation <= 0.0) return fluids::humidityRatio(dry, e.z[p.outdoor.relative_humidity], p_air);
    const double wet = wetBulb(p, e);
    return fluids::humidityRatioFromWetBulb(std::max(dry, wet), wet, p_air);
  }
  /// Air leaves saturated with the heat it was given, no hotter or colder than the entering water and its own wet bulb
  /// let it, and takes no more water than flows.
  static double evaporation(const Instance& p, const Evaluation& e) {
    const double flow = std::abs(e.m[p.edge]), p_air = pressure(p, e), air = dryAir(p, e);
    if (flow <= 0.0) return 0.0;
    constexpr double kRichest = 0.9999;  // share of vapour in the pressure, as passTower()
    const double wet = wetBulb(p, e), water = entering(p, e);
    const double hottest = std::min(std::max(water, wet), fluids::dewPointOfVapour(kRichest * p_air));
    const auto enthalpy = [&](double T) { return fluids::saturatedAirEnthalpy(T, p_air).value; };
    const double h_out =
        std::clamp(enthalpy(wet) + exchange(p, e, water).heat / air, enthalpy(std::min(water, wet)), enthalpy(hottest));
    const double leaving = fluids::saturatedAirTemperature(h_out, p_air);
    const double taken = fluids::saturationHumidityRatio(leaving, p_air) - enteringHumidity(p, e);
    return std::clamp(air * taken, 0.0, flow);
  }
  static double blowdown(const Instance& p, double evaporated, double flow) {
    return std::max(evaporated / (p.cycles - 1.0) - p.drift * flow, 0.0);
  }
  static double waterUse(const Instance& p, const Evaluation& e) {
    const double flow = std::abs(e.m[p.edge]), evaporated = evaporation(p, e);
    return evaporated + p.drift * flow + blowdown(p, evaporated, flow);
  }
  static double outside(const Instance& p, const Evaluation& e) {
    const double water = std::abs(e.m[p.edge]) / p.m0;
    if (water <= 0.0) return 0.0;
    if (!p.york) return water > towerMostWaterRatio() ? 1.0 : 0.0;
    const double range = yorkRange(p, e, entering(p, e)).range;
    return outsideYorkCalc(water, airRatio(p, e), range, wetBulb(p, e) - kFreezing).empty() ? 0.0 : 1.0;
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<CoolingTower>&,
                       const Evaluation& e) {
    const double flow = std::abs(e.m[p.edge]);
    const auto out = [&] {
      const double in = entering(p, e);
      if (flow <= 0.0) return e.y[p.columns[2]];
      return p.coolant->fromCarried(p.coolant->carried(in) - exchange(p, e, in).heat / (flow * p.cp));
    };
    switch (k) {
      case kSpeed:
        return e.y[p.columns[0]];
      case kHeat:
        return exchange(p, e, entering(p, e)).heat;
      case kPower:
        return fanPower(p, e);
      case kOut:
        return out();
      case kApproach:
        return out() - e.z[p.outdoor.wet_bulb];
      case kFlow:
        return e.m[p.edge] / p.density;
      case kDp:
        return e.p[p.from] - e.p[p.to];
      case kEvaporation:
        return evaporation(p, e);
      case kDrift:
        return p.drift * flow;
      case kBlowdown:
        return blowdown(p, evaporation(p, e), flow);
      case kMakeUp:
        return waterUse(p, e);
      default:
        return outside(p, e);
    }
  }
};

}  // namespace

RegisteredClass coolingTowerClass() { return {&kInfo, makeRidingDriveSetInto<CoolingTower>}; }

}  // namespace podtwin
