// Dry cooler with speed-controlled fans. Equations: dry_cooler.md.
#include <array>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/air_coil.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/fluids/coolant.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "ua",
     .quantity = Quantity::thermal_conductance,
     .fallback = 528e3,
     .low = 1.0,
     .high = 1e9,
     .meaning = "Conductance at nominal air and coolant flow.",
     .source = "BAC TDFS1238N, derived in hardware.csv"},
    {.name = "air_flow",
     .quantity = Quantity::mass_flow,
     .fallback = 527e3 / kAirSpecificHeat,
     .low = 1e-6,
     .high = 1e6,
     .meaning = "Air mass flow at full fan speed.",
     .source = "BAC TDFS1238N: balanced 527 kW/K, pod-design 5.3 (derived)"},
    {.name = "flow",
     .quantity = Quantity::mass_flow,
     .fallback = 127.0,
     .low = 1e-6,
     .high = 1e6,
     .meaning = "Nominal coolant mass flow.",
     .source = "BAC TDFS1238N: 527 kW/K of water, pod-design 5.3 (derived)"},
    {.name = "fan_power",
     .quantity = Quantity::power,
     .fallback = 117.7e3,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Fan power at full speed; follows the cube of speed.",
     .source = "BAC TDFS1238N (published)"},
    {.name = "air_exponent",
     .quantity = Quantity::ratio,
     .fallback = 0.8,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Exponent of air flow in the air-side film.",
     .source = "UA ~ air^0.8, pod-design 5.3"},
    {.name = "coolant_exponent",
     .quantity = Quantity::ratio,
     .fallback = 0.8,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Exponent of coolant flow in the coolant-side film.",
     .source = "turbulent tubes, Dittus-Boelter"},
    {.name = "air_share",
     .quantity = Quantity::ratio,
     .fallback = 0.5,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Share of the air side in the thermal resistance at nominal flows.",
     .source = "r = 0.5 of the TDFS1238N record, hardware.csv (dry_cooler_bac_tdfs1238n, ua_rated)"},
    {.name = "arrangement",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Flow arrangement.",
     .source = "crossflow coil of several passes comes close to counterflow; the record gives UA for effectiveness 0.5 "
               "at balanced flow",
     .choices = "counterflow|crossflow_unmixed"},
    {.name = "natural_draft",
     .quantity = Quantity::ratio,
     .fallback = 0.02,
     .low = 1e-6,
     .high = 0.5,
     .meaning = "Air flow over nominal with fans at rest.",
     .source = "engineering estimate"},
    {.name = "recirculation",
     .quantity = Quantity::temperature_difference,
     .fallback = 0.0,
     .low = 0.0,
     .high = 30.0,
     .meaning = "Inlet air above dry bulb.",
     .source = "practice.md section 3 uses 2 K as a variant; 0 here"},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 60e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Coolant pressure drop at nominal flow.",
     .source = "engineering estimate"},
    {.name = "ramp_time",
     .quantity = Quantity::time,
     .fallback = 30.0,
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
     .fallback = 0.5,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Speed command before a controller acts.",
     .source = "engineering estimate"},
    {.name = "fans",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 1,
     .high = 1000,
     .meaning = "Fans, each with its share of the coil.",
     .source = "1: all as one"},
    {.name = "fans_out",
     .kind = ParameterKind::integer,
     .fallback = 0,
     .low = 0,
     .high = 1000,
     .meaning = "Fans out of service at the start; their share of the coil has natural draft.",
     .source = "0: none"},
    {.name = "pad_effectiveness",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Saturation effectiveness of wetted pads in front of the coil: share of the way from dry to wet bulb; "
                "0: no pads.",
     .source = "0: none; 0.7-0.9 for rigid media of 100-200 mm, engineering estimate"},
    {.name = "adiabatic_start",
     .quantity = Quantity::temperature,
     .fallback = 298.15,
     .low = 278.15,
     .high = 330.0,
     .meaning = "Outdoor dry bulb above which pads are wetted.",
     .source = "engineering estimate: 25 degC"},
    {.name = "adiabatic_differential",
     .quantity = Quantity::temperature_difference,
     .fallback = 2.0,
     .low = 0.1,
     .high = 20.0,
     .meaning = "Pads run dry this far below adiabatic_start.",
     .source = "engineering estimate"},
    {.name = "pad_air_ratio",
     .quantity = Quantity::ratio,
     .fallback = 0.95,
     .low = 0.3,
     .high = 1.0,
     .meaning = "Air flow at a fan speed with wet pads over that with dry ones.",
     .source = "engineering estimate: wet media add 10-20 Pa to some 100 Pa"},
    {.name = "cycles_of_concentration",
     .quantity = Quantity::ratio,
     .fallback = 3.0,
     .low = 1.01,
     .high = 50.0,
     .meaning = "Dissolved solids in the pads' water over those in the supply; sets the bleed.",
     .source = "as the cooling tower; estimate"},
    {.name = "freezing_point",
     .quantity = Quantity::temperature,
     .fallback = 0.0,
     .low = 0.0,
     .high = 300.0,
     .meaning = "Of its coolant, for the warning of a frozen coil; 0: from the name of the fluid, of a fluid without "
                "one that of water.",
     .source = "0: known by the name"},
    {.name = "standing_time",
     .quantity = Quantity::time,
     .fallback = 1200.0,
     .low = 1.0,
     .high = 1e6,
     .meaning = "Time constant with which standing coolant in the coil nears outdoor air.",
     .source = "engineering estimate"},
    kRideThrough,
    kUndervoltageTrip,
    kRestartDelay,
    kRestartMode,
};
constexpr StateInfo kStates[] = {{"speed", Quantity::ratio, 0.02, "Fan speed over full speed."}};
constexpr double kFreezing = 273.15;  // K, of water
constexpr DiscreteInfo kOwnDiscretes[] = {
    {"fans_out", Quantity::none, 0.0, "Fans out of service."},
    {"pads", Quantity::none, 0.0, "1 while pads are wetted."},
    {"pads_manual", Quantity::none, 0.0, "0: by the outdoor temperature; 1 wet, 2 dry by hand."},
    {"precooling", Quantity::temperature_difference, 0.0, "What pads take off the air's temperature [K], each second."},
    {"uptake", Quantity::ratio, 0.0, "Water that a kilogram of dry air takes up in the pads, each second."},
    {"t_coil", Quantity::temperature, 0.0, "Coldest coolant in the coil [K], each second."},
    {"looked_at", Quantity::time, 0.0, "When that was looked at [s]."},
};
constexpr auto kDiscretes = withRideThrough(kOwnDiscretes);
enum Discrete : std::size_t { kFansOut = kCommonCount, kPads, kPadsManual, kPrecooling, kUptake, kCoil, kLookedAt };
constexpr double kWetByHand = 1.0, kDryByHand = 2.0;  // values of pads_manual
enum Signal : std::size_t {
  kSpeed,
  kHeat,
  kPower,
  kOut,
  kFlow,
  kDp,
  kAir,
  kFansRunning,
  kWetted,
  kEvaporation,
  kBleed,
  kWaterUse,
  kFreezeMargin
};
constexpr SignalInfo kSignals[] = {
    {"speed", Quantity::ratio, SignalType::real, "Fan speed over full speed."},
    {"heat", Quantity::power, SignalType::real, "Heat given to outdoor air by the coolant."},
    {"power", Quantity::power, SignalType::real, "Fan power."},
    {"t_out", Quantity::temperature, SignalType::real, "Coolant outlet temperature before mixing."},
    {"flow", Quantity::volume_flow, SignalType::real, "Coolant flow."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Coolant pressure drop."},
    {"t_air", Quantity::temperature, SignalType::real, "Air that enters the coil."},
    {"fans_running", Quantity::none, SignalType::integer, "Fans in service."},
    {"pads_wet", Quantity::none, SignalType::integer, "1 while pads are wetted."},
    {"evaporation", Quantity::mass_flow, SignalType::real, "Water that the air takes up in the pads."},
    {"bleed", Quantity::mass_flow, SignalType::real, "Water let off to hold the concentration."},
    {"water_use", Quantity::mass_flow, SignalType::real, "Fresh water: evaporation and bleed."},
    {"freeze_margin", Quantity::temperature_difference, SignalType::real,
     "Coldest coolant in the coil above its freezing point; standing coolant nears outdoor air."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
    kTrippedSignal,
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Fans stop."},
    {"restore", "", Quantity::none, "Fans are available again."},
    {"set", "speed", Quantity::ratio, "Manual fan speed."},
    {"stick", "speed", Quantity::ratio, "Stays at the stated place, or where it is, whatever it is asked."},
    {"automatic", "", Quantity::none, "Fans back to their controller, pads to the outdoor temperature."},
    {"fail_fans", "share", Quantity::ratio,
     "That share of the fans, in whole fans, stops; the rest follow their command."},
    {"wet", "", Quantity::none, "Pads are wetted, whatever the weather."},
    {"dry", "", Quantity::none, "Pads are not wetted, whatever the weather."},
};
constexpr LimitInfo kLimits[] = {
    {"freeze_margin", false, 0.0, 10.0, "alarm", "frozen coil: freezing point of the coolant; 10 s is an estimate"},
    kTrippedLimit};
constexpr ClassInfo kInfo{.name = "dry_cooler",
                          .group = "dry_cooler",
                          .title = "Dry cooler",
                          .page = "cooling/dry_cooler.md",
                          .symbol = "dry_cooler",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct DryCooler {
  static constexpr int kColumns = 4, kRows = 4;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // speed, inlet, outlet, outdoor air
    std::array<std::size_t, kRows> rows;
    std::size_t self, edge, from, to;
    OutdoorAir outdoor;
    double fans, fans_out, pads, pads_start, pads_stop, pad_air, cycles, freezing, standing;
    const fluids::CoolantHeat* coolant;
    double density, cp, air, m0, fan, draft, recirculation, k, m_linear, ramp, lag, start;
    AirCoil coil;
    const KernelSet<DryCooler>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.ramp; }  // s
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<DryCooler>& set, Binder& b) {
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
    p.air = d.number("air_flow");
    p.m0 = d.number("flow");
    p.fan = d.number("fan_power");
    p.draft = d.number("natural_draft");
    p.recirculation = d.number("recirculation");
    p.k = d.number("dp") / (p.m0 * p.m0);
    p.m_linear = kLinearShare * p.m0;
    p.ramp = d.number("ramp_time");
    p.lag = d.number("lag");
    p.start = d.number("start_speed");
    p.coil = {.ua = d.number("ua"),
              .air_flow = p.air,
              .flow = p.m0,
              .air_share = d.number("air_share"),
              .n_air = d.number("air_exponent"),
              .n_coolant = d.number("coolant_exponent"),
              .arrangement = d.text("arrangement") == "crossflow_unmixed" ? Arrangement::cross_unmixed_approximate
                                                                          : Arrangement::counterflow};
    bindFansAndPads(p, d, b);
    const ThermalPort in = b.nodePort(p.from), out = b.nodePort(p.to), air = b.ambient();
    p.columns = {set.yIndex(0, i), in.column, out.column, air.column};
    p.rows = {set.yIndex(0, i), in.row, out.row, air.row};
    return p;
  }
  static void bindFansAndPads(Instance& p, const InstanceDescription& d, Binder& b) {
    p.outdoor = b.outdoorAir();
    p.fans = d.number("fans");
    p.fans_out = d.number("fans_out");
    if (p.fans_out > p.fans)
      b.problems().error(d.parameters.at("fans_out").where,
                         "'" + d.id + "' has " + std::to_string(static_cast<int>(p.fans)) + " fans and " +
                             std::to_string(static_cast<int>(p.fans_out)) + " of them out of service",
                         "state fewer in fans_out, or all fans in fans");
    p.pads = d.number("pad_effectiveness");
    p.pads_start = d.number("adiabatic_start");
    p.pads_stop = p.pads_start - d.number("adiabatic_differential");
    p.pad_air = d.number("pad_air_ratio");
    p.cycles = d.number("cycles_of_concentration");
    p.standing = d.number("standing_time");
    p.freezing = d.number("freezing_point");
    if (p.freezing > 0.0) return;
    const System& system = b.system();
    const auto& coolant = system.circuits()[system.fluidNodes()[p.from].circuit].coolant;
    p.freezing = fluids::freezingPoint(coolant.name).value_or(kFreezing);
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<DryCooler>& set, State& s,
                         double temperature) {
    set.z(s, kCommand, i) = p.start;
    set.z(s, kFansOut, i) = p.fans_out;
    set.z(s, kCoil, i) = temperature;
    s.y[set.yIndex(0, i)] = 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<DryCooler>& set, Evaluation& e) {
    e.laws[p.edge].k = p.k;
    e.laws[p.edge].m_linear = p.m_linear;
    e.laws[p.edge].open = set.z(e, kInService, i) != 0.0;
  }
  /// Share of the fans that are in service.
  static double running(const Instance& p, const Evaluation& e) { return 1.0 - p.set->z(e, kFansOut, p.self) / p.fans; }
  static double precooling(const Instance& p, const Evaluation& e) { return p.set->z(e, kPrecooling, p.self); }
  static double fanPower(const Instance& p, const Evaluation& e) {
    const double v = e.y[p.columns[0]];
    return p.set->available(e, p.self) ? p.set->served(e, p.self) * running(p, e) * p.fan * v * v * v : 0.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<DryCooler>& set, Evaluation& e) {
    set.load(e, i, fanPower(p, e));
  }
  /// Effectiveness times the smaller capacity rate [W/K].
  static double exchange(const Instance& p, const Evaluation& e) {
    const double m = e.m[p.edge], share = running(p, e), driven = p.coil.exchange(airRatio(p, e), m, p.cp);
    return share >= 1.0 ? driven : share * driven + (1.0 - share) * p.coil.exchange(p.draft, m, p.cp);
  }
  /// Air flow over nominal where a fan runs.
  static double airRatio(const Instance& p, const Evaluation& e) {
    const double v = e.y[p.columns[0]];
    return std::max(p.set->z(e, kPads, p.self) != 0.0 ? v * p.pad_air : v, p.draft);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = followRate(x[0], p.set->available(e, p.self) ? asked(*p.set, e, p.self) : 0.0, p.lag, p.ramp);
    const double rate = e.m[p.edge] * p.cp;
    const std::size_t in = rate >= 0.0 ? 1 : 2, out = 3 - in;
    const S heat = S(exchange(p, e)) * (x[in] - x[3] - S(p.recirculation - precooling(p, e)));
    r[out] = S(std::abs(rate)) * (p.coolant->carried(x[in]) - p.coolant->carried(x[out])) - heat;
    r[3] = heat + S(fanPower(p, e));
  }

  // -- pads and frost, once a second
  static void sample(std::size_t i, const Instance& p, const KernelSet<DryCooler>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>& events) {
    if (p.pads > 0.0) samplePads(i, p, set, e, s, events);
    double& coil = set.z(s, kCoil, i);
    double& looked_at = set.z(s, kLookedAt, i);
    const double dry_bulb = e.y[p.columns[3]];
    if (std::abs(e.m[p.edge]) > p.m_linear)
      coil = outlet(p, e);
    else if (e.steady_search)
      coil = dry_bulb;
    else
      coil += (dry_bulb - coil) * -std::expm1(-std::max(e.t - looked_at, 0.0) / p.standing);
    looked_at = e.t;
  }
  static void samplePads(std::size_t i, const Instance& p, const KernelSet<DryCooler>& set, const Evaluation& e,
                         State& s, std::vector<Occurrence>& events) {
    const double dry_bulb = e.y[p.columns[3]];
    double& wet = set.z(s, kPads, i);
    const double before = wet;
    if (!set.available(e, i))
      wet = 0.0;
    else if (set.z(s, kPadsManual, i) != 0.0)
      wet = set.z(s, kPadsManual, i) == kWetByHand ? 1.0 : 0.0;
    else if (dry_bulb > p.pads_start || dry_bulb < p.pads_stop)
      wet = dry_bulb > p.pads_start ? 1.0 : 0.0;
    if (wet != before) {
      events.push_back(
          {set.ids()[i], "controller", "outdoor temperature, hand or supply", wet != 0.0 ? "pads wetted" : "pads dry"});
      ++s.topology;
    }
    double& precooling = set.z(s, kPrecooling, i);
    double& uptake = set.z(s, kUptake, i);
    precooling = uptake = 0.0;
    if (wet == 0.0) return;
    // Warm air of its own raises the temperature of what enters, not its humidity. Pads follow the line of the wet
    // bulb.
    const double pressure = e.z[p.outdoor.pressure], entering = dry_bulb + p.recirculation;
    const double ratio = fluids::humidityRatio(dry_bulb, e.z[p.outdoor.relative_humidity], pressure);
    const double bulb =
        p.recirculation > 0.0 ? fluids::wetBulbFromRatio(entering, ratio, pressure) : e.z[p.outdoor.wet_bulb];
    precooling = p.pads * std::max(entering - bulb, 0.0);
    uptake = std::max(fluids::humidityRatioFromWetBulb(entering - precooling, bulb, pressure) - ratio, 0.0);
  }

  static double heat(const Instance& p, const Evaluation& e) {
    const double in = e.y[p.columns[e.m[p.edge] >= 0.0 ? 1 : 2]];
    return exchange(p, e) * (in - e.y[p.columns[3]] - (p.recirculation - precooling(p, e)));
  }
  static double outlet(const Instance& p, const Evaluation& e) {
    const double rate = e.m[p.edge] * p.cp;
    if (rate == 0.0) return e.y[p.columns[2]];
    const double in = e.y[p.columns[rate > 0.0 ? 1 : 2]];
    return p.coolant->fromCarried(p.coolant->carried(in) - heat(p, e) / std::abs(rate));
  }
  static double evaporation(const Instance& p, const Evaluation& e) {
    const double share = running(p, e);
    return p.air * (share * airRatio(p, e) + (1.0 - share) * p.draft) * p.set->z(e, kUptake, p.self);
  }
  static double waterUse(const Instance& p, const Evaluation& e) {
    return evaporation(p, e) * p.cycles / (p.cycles - 1.0);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<DryCooler>& set,
                       const Evaluation& e) {
    switch (k) {
      case kSpeed:
        return e.y[p.columns[0]];
      case kHeat:
        return heat(p, e);
      case kPower:
        return fanPower(p, e);
      case kOut:
        return outlet(p, e);
      case kFlow:
        return e.m[p.edge] / p.density;
      case kDp:
        return e.p[p.from] - e.p[p.to];
      case kAir:
        return e.y[p.columns[3]] + p.recirculation - precooling(p, e);
      case kFansRunning:
        return p.fans - set.z(e, kFansOut, i);
      case kWetted:
        return set.z(e, kPads, i);
      case kEvaporation:
        return evaporation(p, e);
      case kBleed:
        return evaporation(p, e) / (p.cycles - 1.0);
      case kWaterUse:
        return waterUse(p, e);
      default:
        return set.z(e, kCoil, i) - p.freezing;
    }
  }
};

class DryCoolerSet : public DriveSet<DryCooler> {
 public:
  using DriveSet<DryCooler>::DriveSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    const auto& p = instance(i);
    if (verb == "fail_fans") {
      if (!(value >= 0.0 && value <= 1.0)) {
        reason = "'fail_fans' takes the share of the fans that stops, from 0 to 1";
        return false;
      }
      constexpr double kRoundOff = 1e-9;
      z(s, kFansOut, i) = std::ceil(value * p.fans - kRoundOff);
      return true;
    }
    if (verb == "wet" || verb == "dry") {
      if (p.pads <= 0.0) {
        reason = "it has no pads: give pad_effectiveness";
        return false;
      }
      z(s, kPadsManual, i) = verb == "wet" ? kWetByHand : kDryByHand;
      return true;
    }
    if (!DriveSet<DryCooler>::command(s, i, verb, value, reason)) return false;
    if (verb == "automatic") z(s, kPadsManual, i) = 0.0;
    if (verb == "restore") z(s, kFansOut, i) = p.fans_out;
    return true;
  }
};

}  // namespace

RegisteredClass dryCoolerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<RidesThrough<DryCoolerSet, kDriveRideThrough>>(std::move(instances)));
          }};
}

}  // namespace podtwin
