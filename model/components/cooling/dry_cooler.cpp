// Dry cooler with speed-controlled fans. Equations: dry_cooler.md.
#include <array>
#include <cmath>

#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/effectiveness.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kAirSpecificHeat = 1006.0;  // J/(kg K), dry air near 300 K
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
};
constexpr StateInfo kStates[] = {{"speed", Quantity::ratio, 0.02, "Fan speed over full speed."}};
constexpr SignalInfo kSignals[] = {
    {"speed", Quantity::ratio, SignalType::real, "Fan speed over full speed."},
    {"heat", Quantity::power, SignalType::real, "Heat given to outdoor air by the coolant."},
    {"power", Quantity::power, SignalType::real, "Fan power."},
    {"t_out", Quantity::temperature, SignalType::real, "Coolant outlet temperature before mixing."},
    {"flow", Quantity::volume_flow, SignalType::real, "Coolant flow."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Coolant pressure drop."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Fans stop."},
    {"restore", "", Quantity::none, "Fans are available again."},
    {"set", "speed", Quantity::ratio, "Manual fan speed."},
    {"stick", "speed", Quantity::ratio, "Stays at the stated place, or where it is, whatever it is asked."},
    {"automatic", "", Quantity::none, "Back to its controller."},
};
constexpr ClassInfo kInfo{.name = "dry_cooler",
                          .group = "dry_cooler",
                          .title = "Dry cooler",
                          .page = "cooling/dry_cooler.md",
                          .symbol = "dry_cooler",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .signals = kSignals,
                          .commands = kCommands};

struct DryCooler {
  static constexpr int kColumns = 4, kRows = 4;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // speed, inlet, outlet, outdoor air
    std::array<std::size_t, kRows> rows;
    std::size_t self, edge, from, to;
    double density, cp, ua, air, m0, fan, n_air, n_coolant, air_share, draft, recirculation, k, m_linear, ramp, lag,
        start;
    Arrangement arrangement;
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
    p.ua = d.number("ua");
    p.air = d.number("air_flow");
    p.m0 = d.number("flow");
    p.fan = d.number("fan_power");
    p.n_air = d.number("air_exponent");
    p.n_coolant = d.number("coolant_exponent");
    p.air_share = d.number("air_share");
    p.draft = d.number("natural_draft");
    p.recirculation = d.number("recirculation");
    p.k = d.number("dp") / (p.m0 * p.m0);
    p.m_linear = kLinearShare * p.m0;
    p.ramp = d.number("ramp_time");
    p.lag = d.number("lag");
    p.start = d.number("start_speed");
    p.arrangement = d.text("arrangement") == "crossflow_unmixed" ? Arrangement::cross_unmixed_approximate
                                                                 : Arrangement::counterflow;
    const ThermalPort in = b.nodePort(p.from), out = b.nodePort(p.to), air = b.ambient();
    p.columns = {set.yIndex(0, i), in.column, out.column, air.column};
    p.rows = {set.yIndex(0, i), in.row, out.row, air.row};
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<DryCooler>& set, State& s, double) {
    set.z(s, kCommand, i) = p.start;
    s.y[set.yIndex(0, i)] = 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<DryCooler>& set, Evaluation& e) {
    e.laws[p.edge].k = p.k;
    e.laws[p.edge].m_linear = p.m_linear;
    e.laws[p.edge].open = set.z(e, kInService, i) != 0.0;
  }
  static double fanPower(const Instance& p, const Evaluation& e) {
    const double v = e.y[p.columns[0]];
    return p.set->available(e, p.self) ? p.fan * v * v * v : 0.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<DryCooler>& set, Evaluation& e) {
    set.load(e, i, fanPower(p, e));
  }
  /// Effectiveness times the smaller capacity rate [W/K].
  static double exchange(const Instance& p, const Evaluation& e) {
    const double v = std::max(e.y[p.columns[0]], p.draft);
    const double coolant = std::abs(e.m[p.edge]) * p.cp, air = v * p.air * kAirSpecificHeat;
    const double least = std::min(coolant, air);
    if (least <= 0.0) return 0.0;
    // Two films in series, each with its share of the resistance at nominal flows.
    const double film = (1.0 - p.air_share) * std::pow(std::abs(e.m[p.edge]) / p.m0, -p.n_coolant);
    const double ua = p.ua / (p.air_share * std::pow(v, -p.n_air) + film);
    return least * effectiveness(p.arrangement, ua / least, least / std::max(coolant, air));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = followRate(x[0], p.set->available(e, p.self) ? asked(*p.set, e, p.self) : 0.0, p.lag, p.ramp);
    const double rate = e.m[p.edge] * p.cp;
    const std::size_t in = rate >= 0.0 ? 1 : 2, out = 3 - in;
    const S heat = S(exchange(p, e)) * (x[in] - x[3] - S(p.recirculation));
    r[out] = S(std::abs(rate)) * (x[in] - x[out]) - heat;
    r[3] = heat + S(fanPower(p, e));
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<DryCooler>&,
                       const Evaluation& e) {
    const double rate = e.m[p.edge] * p.cp;
    const std::size_t in = rate >= 0.0 ? 1 : 2;
    const double heat = exchange(p, e) * (e.y[p.columns[in]] - e.y[p.columns[3]] - p.recirculation);
    switch (k) {
      case 0:
        return e.y[p.columns[0]];
      case 1:
        return heat;
      case 2:
        return fanPower(p, e);
      case 3:
        return rate != 0.0 ? e.y[p.columns[in]] - heat / std::abs(rate) : e.y[p.columns[2]];
      case 4:
        return e.m[p.edge] / p.density;
      default:
        return e.p[p.from] - e.p[p.to];
    }
  }
};

}  // namespace

RegisteredClass dryCoolerClass() { return {&kInfo, makeDriveSetInto<DryCooler>}; }

}  // namespace podtwin
