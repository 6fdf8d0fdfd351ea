// Battery by four models. Equations: battery.md.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/base/curve.hpp"
#include "model/base/diagnostics.hpp"
#include "model/components/power/battery_info.hpp"
#include "model/components/power/battery_terminal.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/kinetic_battery.hpp"
#include "model/components/power/li_ion_cell.hpp"
#include "model/components/power/link.hpp"
#include "model/components/power/peukert.hpp"

namespace podtwin {

namespace {

enum class Model { energy, kinetic, li_ion, vrla };

using Points = std::vector<std::pair<double, double>>;
// NMC cell: engineering estimate, after the usual shape of data sheets.
const Points kLiIonVoltage{{0.0, 3.0}, {0.05, 3.3}, {0.1, 3.45}, {0.2, 3.55}, {0.3, 3.61}, {0.4, 3.65},
                           {0.5, 3.7}, {0.6, 3.79}, {0.7, 3.88}, {0.8, 3.97}, {0.9, 4.06}, {1.0, 4.17}};
// Lead acid: 0.84 V above the specific gravity of the acid, 1.10 empty and 1.30 full (rule of thumb).
const Points kLeadAcidVoltage{{0.0, 1.94}, {1.0, 2.14}};
constexpr double kLiIonEnd = 3.0, kLiIonCharge = 4.2;        // V a cell; engineering estimate
constexpr double kLeadAcidEnd = 1.67, kLeadAcidFloat = 2.3;  // V a cell; hardware.csv (published)
constexpr double kLeadAcidDrop = 0.075;       // V a cell at the current that would take the capacity in kHour; estimate
constexpr double kHour = 3600.0;              // s
constexpr double kOhmicShare = 2.0 / 3.0;     // of what a round trip leaves to resistances; engineering estimate
constexpr double kFullBand = 0.01;            // of charge, that has to go before charging resumes; estimate
constexpr double kLongestAutonomy = 1e6;      // s; longer is not told apart
constexpr int kAutonomySteps = 100;           // of the time that its energy would last without losses
constexpr int kMostAutonomySteps = 100000;    // of what gives far less than it holds
constexpr double kHighestBenchPower = 1e11;   // W
constexpr double kHighestBenchCurrent = 1e9;  // A
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// What is asked of a battery at one moment; plain numbers, without derivative.
struct Order {
  double power = 0.0;    ///< W at the terminals, bench and converters
  double current = 0.0;  ///< A on the bench
};

template <class S>
struct Course {
  S current{}, voltage{}, power{};           ///< at the terminals
  S available{}, bound{}, v_rc{}, stored{};  ///< rates
  bool reached = true;
};

/// What brings a discharge to its end, and how far it is from it: 0 there.
struct End {
  double margin = -1.0;
  const char* cause = "";
};

class BatterySet;

struct Battery {
  static constexpr int kColumns = 3, kRows = 6;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self = 0;
    const KernelSet<Battery>* set = nullptr;
    Model model = Model::energy;
    double strings = 1.0, cells = 1.0;
    double capacity = 0.0;  ///< A s a string; J a string of model energy
    double discharge_efficiency = 1.0, charge_efficiency = 1.0;
    KineticWells wells;
    double full_voltage = 0.0, fall = 0.0;                            ///< V a string
    OpenCircuitVoltage open_circuit;                                  ///< a cell
    double resistance = 0.0, rc_resistance = 0.0, rc_time = 1.0;      ///< ohm a string, s
    double rated_current = 0.0, exponent = 1.0, recovery_time = 1.0;  ///< A a string
    double rated_power = 0.0, charge_power = 0.0;                     ///< W; 0: as the voltage allows
    Curve power_of_charge, power_of_temperature, capacity_of_temperature;
    bool in_zone = false;
    std::size_t zone = 0;
    double temperature = 0.0;
    double end_voltage = 0.0, charge_voltage = 0.0;  ///< V a string; 0: none
    double end_available = 0.0, soc_min = 0.0, soc_max = 1.0, initial_soc = 1.0;
    double restart_rise = 0.0, hold_time = 0.0, bench_power = 0.0;
  };
  static const ClassInfo& info() { return BatteryInfo::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Battery>& set, Binder& b);
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Battery>& set, State& s, double);

  // -- laws
  static double live(const Instance& p, const Evaluation& e) {
    return p.strings - p.set->z(e, BatteryInfo::kStringsOut, p.self);
  }
  /// Open-circuit voltage [V] of a string by the charge that can be drawn.
  template <class S>
  static S source(const Instance& p, const S& available) {
    switch (p.model) {
      case Model::energy:
        return S(p.full_voltage);
      case Model::kinetic:
        return p.full_voltage - p.fall * (1.0 - available / p.wells.share);
      default:
        return p.cells * p.open_circuit.value(available);
    }
  }
  /// Energy stored in a string [J] at its charges.
  static double storedOf(const Instance& p, double available, double bound) {
    switch (p.model) {
      case Model::energy:
        return p.capacity * available;
      case Model::kinetic: {
        const double c = p.wells.share;
        const double lower = c < 1.0 ? bound * (1.0 - 0.5 * bound / (1.0 - c)) : 0.0;
        return p.capacity *
               (p.full_voltage * (available + bound) - p.fall * (available * (1.0 - 0.5 * available / c) + lower));
      }
      default:
        return p.capacity * p.cells * p.open_circuit.integral(available + bound);
    }
  }
  template <class S>
  static Course<S> course(const Instance& p, double strings, const Order& order, const S& available, const S& bound,
                          const S& v_rc);
  static double soc(const Instance& p, const Evaluation& e) { return e.y[p.columns[0]] + e.y[p.columns[1]]; }
  /// Charge that soc_min is held against: of lead acid without what high currents have stranded.
  static double reachable(const Instance& p, double available, double bound) {
    return p.model == Model::vrla ? available : available + bound;
  }
  static double temperature(const Instance& p, const Evaluation& e) { return p.in_zone ? e.y[p.zone] : p.temperature; }
  static double lowestCharge(const Instance& p, const Evaluation& e) {
    return p.capacity_of_temperature.empty()
               ? p.soc_min
               : std::max(p.soc_min, 1.0 - p.capacity_of_temperature.value(temperature(p, e)));
  }
  static Course<double> now(const Instance& p, const Evaluation& e) {
    return course<double>(p, live(p, e), order(p, e), e.y[p.columns[0]], e.y[p.columns[1]], e.y[p.columns[2]]);
  }

  // -- what is asked of it
  static bool inUse(const Instance& p, const Evaluation& e) {
    const auto& set = *p.set;
    return set.z(e, kInService, p.self) != 0.0 && set.z(e, kTripped, p.self) == 0.0 && set.z(e, kMode, p.self) != 2.0 &&
           live(p, e) > 0.0 && !e.steady_search;
  }
  static double held(const Instance& p, const Evaluation& e, std::size_t discrete) {
    return p.set->z(e, discrete, p.self);
  }
  static double& drawn(const Instance& p, Evaluation& e) { return e.set_scratch[p.set->scratch_first + p.self]; }
  static double drawn(const Instance& p, const Evaluation& e) { return e.set_scratch[p.set->scratch_first + p.self]; }
  static double limit(const Instance& p, const Evaluation& e, bool charging);
  static Order bench(const Instance& p, const Evaluation& e);
  static Order order(const Instance& p, const Evaluation& e) {
    if (!inUse(p, e) || e.steady_search) return {};
    Order all = bench(p, e);
    all.power += drawn(p, e);
    return all;
  }
  /// Power [W] that the bench gives it.
  static double benchCharge(const Instance& p, const Evaluation& e) {
    if (!inUse(p, e) || e.steady_search) return 0.0;
    const Order asked = bench(p, e);
    if (!(asked.power < 0.0 || asked.current < 0.0)) return 0.0;
    return -course<double>(p, live(p, e), asked, e.y[p.columns[0]], e.y[p.columns[1]], e.y[p.columns[2]]).power;
  }
  static void control(std::size_t, const Instance& p, const KernelSet<Battery>&, Evaluation& e) { drawn(p, e) = 0.0; }
  static void demand(std::size_t i, const Instance& p, const KernelSet<Battery>& set, Evaluation& e) {
    if (const double charge = benchCharge(p, e); charge > 0.0) set.load(e, i, charge);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    if (e.steady_search) return;  // its charge is part of no steady state
    const Course<S> c = course<S>(p, live(p, e), order(p, e), x[0], x[1], x[2]);
    r[0] = c.available;
    r[1] = c.bound;
    r[2] = c.v_rc;
    r[3] = c.stored;
    r[4] = c.power;
    const double elsewhere = inUse(p, e) ? drawn(p, e) : 0.0;
    r[5] = S(benchCharge(p, e) - elsewhere) - c.stored;
  }

  // -- events of its own
  static End end(const Instance& p, const Evaluation& e, const Course<double>& c);
  /// How near it is to the end of charging: 0 there.
  static double fullness(const Instance& p, const Evaluation& e) {
    const double charge = soc(p, e) / p.soc_max;
    const double well = p.model == Model::kinetic ? e.y[p.columns[0]] / p.wells.share : charge;
    return std::max(charge, well) - 1.0;
  }
  static bool watching(std::size_t, const Instance& p, const KernelSet<Battery>&, const Evaluation& e) {
    return inUse(p, e) && (now(p, e).current != 0.0 || now(p, e).power != 0.0 ||
                           (held(p, e, BatteryInfo::kFull) != 0.0 && p.model == Model::kinetic));
  }
  static double watch(std::size_t, const Instance& p, const KernelSet<Battery>&, const Evaluation& e);
  static void act(std::size_t i, const Instance& p, const KernelSet<Battery>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events);

  static double timeAt(const Instance& p, const Evaluation& e, double power);
  static double storedEnergy(std::size_t i, const Instance&, const KernelSet<Battery>& set, const Evaluation& e) {
    return e.y[set.yIndex(BatteryInfo::kStored, i)];
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Battery>& set,
                       const Evaluation& e);
};

template <class S>
Course<S> Battery::course(const Instance& p, double strings, const Order& order, const S& available, const S& bound,
                          const S& v_rc) {
  Course<S> out;
  if (p.model == Model::energy) {
    const double power = order.power;
    out.power = S(power);
    out.voltage = S(p.full_voltage);
    if (strings <= 0.0) return Course<S>{};
    if (p.full_voltage > 0.0) out.current = S(power / p.full_voltage);
    const double taken = power > 0.0 ? power / p.discharge_efficiency : power * p.charge_efficiency;
    out.available = S(-taken / (p.capacity * strings));
    out.stored = S(-taken);
    return out;
  }
  S string_current{};
  if (strings > 0.0) {
    const S behind = source(p, available) - p.cells * v_rc;
    const Terminal<S> t = terminalOf(behind, p.resistance / strings, order.power, order.current);
    out.current = t.current;
    out.voltage = t.voltage;
    out.reached = t.reached;
    out.power = t.current * t.voltage;
    string_current = t.current / strings;
  }
  const S drain = string_current / p.capacity;
  switch (p.model) {
    case Model::kinetic: {
      const S level = p.wells.levelling(available, bound);
      out.available = level - drain;
      out.bound = -level;
      const S lower = p.wells.share < 1.0 ? p.full_voltage - p.fall * (1.0 - bound / (1.0 - p.wells.share)) : S(0.0);
      out.stored = strings * p.capacity * (source(p, available) * out.available + lower * out.bound);
      break;
    }
    case Model::vrla: {
      const S factor = peukertFactor(string_current, p.rated_current, p.exponent);
      const S recovered = string_current > S(0.0) ? S(0.0) : bound / p.recovery_time;
      out.available = recovered - drain * factor;
      out.bound = drain * (factor - 1.0) - recovered;
      out.stored = -strings * p.capacity * source(p, available) * drain;
      break;
    }
    default:
      out.available = -drain;
      out.v_rc = (string_current * p.rc_resistance / p.cells - v_rc) / p.rc_time;
      out.stored = strings * p.capacity * source(p, available) * out.available;
      break;
  }
  return out;
}

/// Reads a curve that may be left out; says what is wrong with it.
Curve curveOf(const InstanceDescription& d, Binder& b, const char* name) {
  const auto& given = d.parameters.at(name);
  if (given.points.empty()) return {};
  try {
    return Curve(given.points);
  } catch (const Error& error) {
    b.problems().error(given.where, "'" + d.id + "': " + name + ": " + error.what(), "give points in rising order");
    return {};
  }
}

Battery::Instance Battery::bind(std::size_t i, const InstanceDescription& d, KernelSet<Battery>& set, Binder& b) {
  Instance p{};
  p.self = i;
  p.set = &set;
  const std::string model = d.text("model");
  p.model = model == "energy"    ? Model::energy
            : model == "kinetic" ? Model::kinetic
            : model == "li_ion"  ? Model::li_ion
                                 : Model::vrla;
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    b.problems().error(d.where, "'" + d.id + "' of model " + model + " " + what, remedy);
  };
  const auto needed = [&](const char* name) {
    const double value = d.number(name);
    if (!(value > 0.0)) refuse(std::string("has no ") + name, std::string("give `") + name + "`");
    return value > 0.0 ? value : 1.0;
  };
  p.strings = d.number("strings");
  p.cells = d.number("cells");
  const double health = d.number("state_of_health");
  p.discharge_efficiency = d.number("discharge_efficiency");
  p.charge_efficiency = d.number("charge_efficiency");
  p.full_voltage = d.number("full_voltage") * p.cells;
  p.fall = d.number("voltage_fall") * p.cells;
  p.rated_power = d.number("rated_power");
  p.charge_power = d.number("charge_power");
  double resistance = d.number("resistance"), rc = d.number("rc_resistance");  // ohm a cell
  double end = d.number("end_voltage"), charge = d.number("charge_voltage");   // V a cell
  const auto openCircuit = [&](const Points& fallback) {
    const auto& given = d.parameters.at("open_circuit");
    if (given.points.empty() || curveOf(d, b, "open_circuit").empty())
      p.open_circuit = OpenCircuitVoltage(fallback);
    else
      p.open_circuit = OpenCircuitVoltage(given.points);
    if (!given.points.empty() && !(given.points.front().first <= 0.0 && given.points.back().first >= 1.0))
      b.problems().error(given.where, "'" + d.id + "': open_circuit does not go from an empty to a full cell",
                         "give points from 0 % to 100 %");
  };
  switch (p.model) {
    case Model::energy:
      p.capacity = needed("energy") / p.strings;
      break;
    case Model::kinetic: {
      needed("full_voltage");
      if (d.number("capacity_1h") > 0.0 || d.number("capacity_10h") > 0.0 || d.number("capacity_20h") > 0.0) {
        const double one = needed("capacity_1h"), ten = needed("capacity_10h"), twenty = needed("capacity_20h");
        const auto fit = fitKineticWells(one, ten, twenty);
        if (!fit)
          refuse("has capacities at 1 h, 10 h and 20 h that no two wells give",
                 "give capacities that rise with the time of discharge, or capacity, available_fraction and "
                 "rate_constant");
        const KineticFit found = fit.value_or(KineticFit{{0.5, 0.0}, twenty});
        p.wells = found.wells;
        p.capacity = found.capacity;
      } else {
        p.capacity = needed("capacity");
        p.wells = {needed("available_fraction"), d.number("rate_constant")};
      }
      break;
    }
    case Model::li_ion: {
      p.capacity = needed("capacity");
      openCircuit(kLiIonVoltage);
      const double power = needed("rated_power");
      const double cell = p.open_circuit.integral(1.0);  // V, mean
      const double current = power / (p.strings * p.cells * cell);
      const double total = dropOfRoundTrip(d.number("round_trip_efficiency")) * cell / current;
      if (resistance == 0.0) resistance = kOhmicShare * total;
      if (rc == 0.0) rc = 0.5 * resistance;
      if (end == 0.0) end = kLiIonEnd;
      if (charge == 0.0) charge = kLiIonCharge;
      break;
    }
    case Model::vrla:
      p.capacity = needed("capacity");
      openCircuit(kLeadAcidVoltage);
      if (resistance == 0.0) resistance = kLeadAcidDrop / (p.capacity / kHour);
      if (end == 0.0) end = kLeadAcidEnd;
      if (charge == 0.0) charge = kLeadAcidFloat;
      break;
  }
  p.capacity *= health;
  p.rated_current = p.capacity / d.number("rated_time");
  p.exponent = d.number("peukert_exponent");
  p.recovery_time = d.number("recovery_time");
  const double aged = p.cells * (1.0 + d.number("ageing_resistance") * (1.0 - health));
  p.resistance = resistance * aged;
  p.rc_resistance = rc * aged;
  p.rc_time = d.number("rc_time");
  p.end_voltage = end * p.cells;
  p.charge_voltage = charge * p.cells;
  p.end_available = d.number("end_available");
  p.soc_min = std::max(d.number("soc_min"), 1.0 - d.number("usable"));
  p.soc_max = d.number("soc_max");
  p.initial_soc = d.number("initial_soc");
  p.restart_rise = d.number("restart_rise");
  p.hold_time = d.number("hold_time");
  p.bench_power = d.number("power");
  p.temperature = d.number("temperature");
  if (!(p.soc_max > p.soc_min))
    refuse("may be charged to " + std::to_string(p.soc_max) + " and discharged to " + std::to_string(p.soc_min),
           "give a soc_max above soc_min and above 1 - usable");
  p.power_of_charge = curveOf(d, b, "power_of_charge");
  p.power_of_temperature = curveOf(d, b, "power_of_temperature");
  p.capacity_of_temperature = curveOf(d, b, "capacity_of_temperature");
  p.in_zone = b.hasPort(i, "air");
  if (p.in_zone) p.zone = b.heatPort(i, "air").column;
  for (std::size_t k = 0; k < BatteryInfo::kStateCount; ++k) {
    p.rows[k] = set.yIndex(k, i);
    if (k < p.columns.size()) p.columns[k] = set.yIndex(k, i);
    b.capacity(set.yIndex(k, i), 1.0);
  }
  p.rows.back() = lossRow(i, b);
  return p;
}

void Battery::initialise(std::size_t i, const Instance& p, const KernelSet<Battery>& set, State& s, double) {
  const double share = p.model == Model::kinetic ? p.wells.share : 1.0;
  const double available = share * p.initial_soc, bound = (1.0 - share) * p.initial_soc;
  s.y[set.yIndex(BatteryInfo::kAvailable, i)] = available;
  s.y[set.yIndex(BatteryInfo::kBound, i)] = bound;
  s.y[set.yIndex(BatteryInfo::kStored, i)] = p.strings * storedOf(p, available, bound);
  set.z(s, BatteryInfo::kBenchPower, i) = p.bench_power;
}

double Battery::limit(const Instance& p, const Evaluation& e, bool charging) {
  if (!inUse(p, e) || held(p, e, charging ? BatteryInfo::kFull : BatteryInfo::kEnded) != 0.0) return 0.0;
  if (charging && e.steady_search) return 0.0;  // no steady state charges
  const double strings = live(p, e), charge = soc(p, e);
  double most = charging ? p.charge_power : p.rated_power;
  if (most == 0.0) {
    most = kUnlimited;
  } else {
    most *= strings / p.strings;
    if (!p.power_of_charge.empty()) most *= p.power_of_charge.value(charging ? 1.0 - charge : charge);
    if (!p.power_of_temperature.empty()) most *= p.power_of_temperature.value(temperature(p, e));
  }
  if (p.model == Model::energy) return most;
  const double behind = source(p, e.y[p.columns[0]]) - p.cells * e.y[p.columns[2]];
  const double resistance = p.resistance / strings;
  if (charging) {
    if (p.charge_voltage == 0.0) return most;
    if (behind >= p.charge_voltage) return 0.0;
    return resistance > 0.0 ? std::min(most, p.charge_voltage * (p.charge_voltage - behind) / resistance) : most;
  }
  const double voltage = std::max(p.end_voltage, 0.5 * behind);
  if (behind <= voltage) return 0.0;
  return resistance > 0.0 ? std::min(most, voltage * (behind - voltage) / resistance) : most;
}

Order Battery::bench(const Instance& p, const Evaluation& e) {
  Order asked{held(p, e, BatteryInfo::kBenchPower), held(p, e, BatteryInfo::kBenchCurrent)};
  const bool out = asked.power > 0.0 || asked.current > 0.0;
  if (held(p, e, out ? BatteryInfo::kEnded : BatteryInfo::kFull) != 0.0) return {};
  if (!out && p.set->supply_bus[p.self] >= 0 && e.energised[static_cast<std::size_t>(p.set->supply_bus[p.self])] == 0)
    return {};
  // Its power limits cut a power; that its voltage gives out is the end of a discharge.
  if (asked.power > 0.0 && p.rated_power > 0.0) {
    double most = p.rated_power * live(p, e) / p.strings;
    if (!p.power_of_charge.empty()) most *= p.power_of_charge.value(soc(p, e));
    if (!p.power_of_temperature.empty()) most *= p.power_of_temperature.value(temperature(p, e));
    asked.power = std::min(asked.power, most);
  }
  if (asked.power < 0.0) asked.power = std::max(asked.power, -limit(p, e, true));
  return asked;
}

End Battery::end(const Instance& p, const Evaluation& e, const Course<double>& c) {
  const double available = e.y[p.columns[0]];
  End worst{lowestCharge(p, e) - reachable(p, available, e.y[p.columns[1]]),
            p.model == Model::vrla ? "charge that can be drawn is gone" : "lowest state of charge"};
  const auto look = [&](double margin, const char* cause) {
    if (margin > worst.margin) worst = {margin, cause};
  };
  if (p.model == Model::energy) return worst;
  // A well that is empty and filling, because less is drawn than flows into it, is at no end.
  if (const double left = available - p.end_available * p.wells.share; p.model == Model::kinetic)
    look(left <= 0.0 && c.available > 0.0 ? -p.wells.share : -left, "available well empty");
  if (p.end_voltage > 0.0) look(1.0 - c.voltage / p.end_voltage, "end voltage");
  const double behind = source(p, available) - p.cells * e.y[p.columns[2]];
  const double asked = order(p, e).power, resistance = p.resistance / live(p, e);
  if (asked > 0.0 && behind > 0.0)
    look(resistance * asked / (0.5 * behind * 0.5 * behind) - 1.0, "more power asked than it can give");
  return worst;
}

double Battery::watch(std::size_t, const Instance& p, const KernelSet<Battery>&, const Evaluation& e) {
  constexpr double kNothing = -1.0;
  if (!inUse(p, e)) return kNothing;
  const Course<double> c = now(p, e);
  double due = kNothing;
  if (held(p, e, BatteryInfo::kEnded) != 0.0)
    due = soc(p, e) - held(p, e, BatteryInfo::kEndedCharge) - p.restart_rise;
  else if (c.power > 0.0 || c.current > 0.0)
    due = end(p, e, c).margin;
  if (held(p, e, BatteryInfo::kFull) != 0.0)
    due = std::max(due, -fullness(p, e) - kFullBand);
  else if (c.power < 0.0 || c.current < 0.0)
    due = std::max(due, fullness(p, e));
  return due;
}

void Battery::act(std::size_t i, const Instance& p, const KernelSet<Battery>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events) {
  if (!inUse(p, e)) return;
  const std::string& id = set.ids()[i];
  const Course<double> c = now(p, e);
  const double charge = soc(p, e);
  const auto told = [&](const char* what, const std::string& cause) {
    constexpr double kPerCent = 100.0;
    char text[96];
    std::snprintf(text, sizeof text, "%s at %.4g %% of charge", what, kPerCent * charge);
    events.push_back({id, id, cause, text});
    ++s.topology;
  };
  double& ended = set.z(s, BatteryInfo::kEnded, i);
  double& full = set.z(s, BatteryInfo::kFull, i);
  if (ended != 0.0) {
    if (charge - set.z(s, BatteryInfo::kEndedCharge, i) - p.restart_rise >= 0.0) {
      ended = 0.0;
      told("can deliver again", "charged");
    }
  } else if (c.power > 0.0 || c.current > 0.0) {
    if (const End at = end(p, e, c); at.margin >= 0.0) {
      ended = 1.0;
      set.z(s, BatteryInfo::kEndedAt, i) = e.t;
      set.z(s, BatteryInfo::kEndedCharge, i) = charge;
      told("end of discharge", at.cause);
    }
  }
  if (full != 0.0) {
    if (-fullness(p, e) - kFullBand >= 0.0) {
      full = 0.0;
      ++s.topology;
    }
  } else if ((c.power < 0.0 || c.current < 0.0) && fullness(p, e) >= 0.0) {
    full = 1.0;
    told("end of charging", charge < p.soc_max ? "available well full" : "charged");
  }
}

/// Time [s] for which it can give a power from now on, by its own equations; no longer than kLongestAutonomy.
double Battery::timeAt(const Instance& p, const Evaluation& e, double power) {
  if (!(power > 0.0)) return kUnlimited;
  if (!inUse(p, e) || held(p, e, BatteryInfo::kEnded) != 0.0) return 0.0;
  const double strings = live(p, e), lowest = lowestCharge(p, e);
  std::array<double, 3> x{e.y[p.columns[0]], e.y[p.columns[1]], e.y[p.columns[2]]};
  if (p.model == Model::energy)
    return std::max(x[0] - lowest, 0.0) * p.capacity * strings * p.discharge_efficiency / power;
  const Order asked{power, 0.0};
  const auto rate = [&](const std::array<double, 3>& at) {
    return course<double>(p, strings, asked, at[0], at[1], at[2]);
  };
  const auto left = [&](const std::array<double, 3>& at, const Course<double>& c) {
    double least = reachable(p, at[0], at[1]) - lowest;
    if (p.model == Model::kinetic) least = std::min(least, at[0] - p.end_available * p.wells.share);
    if (p.end_voltage > 0.0) least = std::min(least, c.voltage / p.end_voltage - 1.0);
    return c.reached ? least : std::min(least, -1.0);
  };
  Course<double> c = rate(x);
  double before = left(x, c);
  if (before <= 0.0) return 0.0;
  const double h = std::max(strings * storedOf(p, x[0], x[1]) / power, 0.0) / kAutonomySteps;
  // Over a time at the current of a course; exact for a constant one, so that no step is too long.
  const auto advanced = [&](const std::array<double, 3>& from, const Course<double>& by, double time) {
    if (p.model == Model::kinetic) {
      const double drain = by.current / strings / p.capacity;
      const double available = p.wells.availableAfter(from[0], from[1], drain, time);
      return std::array<double, 3>{available, from[0] + from[1] - drain * time - available, from[2]};
    }
    return std::array<double, 3>{from[0] + time * by.available, from[1] + time * by.bound,
                                 from[2] - by.v_rc * p.rc_time * std::expm1(-time / p.rc_time)};
  };
  double t = 0.0;
  for (int step = 0; step < kMostAutonomySteps && t < kLongestAutonomy; ++step) {
    // The current in the middle of the step is near enough that of all of it.
    const std::array<double, 3> next = advanced(x, rate(advanced(x, c, 0.5 * h)), h);
    const Course<double> after = rate(next);
    const double remains = left(next, after);
    if (remains <= 0.0) return t + h * before / (before - remains);
    t += h;
    x = next;
    c = after;
    before = remains;
  }
  return kLongestAutonomy;
}

double Battery::signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Battery>& set,
                       const Evaluation& e) {
  const double strings = live(p, e);
  const bool charges = p.model != Model::energy;
  switch (k) {
    case BatteryInfo::kSoc:
      return soc(p, e);
    case BatteryInfo::kVoltage:
      return now(p, e).voltage;
    case BatteryInfo::kCurrent:
      return now(p, e).current;
    case BatteryInfo::kPower:
      return now(p, e).power;
    case BatteryInfo::kEnergy:
      return strings * storedOf(p, e.y[p.columns[0]], e.y[p.columns[1]]);
    case BatteryInfo::kEnergyOut:
      return e.y[set.yIndex(BatteryInfo::kDelivered, i)];
    case BatteryInfo::kAutonomy:
      return std::min(timeAt(p, e, now(p, e).power), kLongestAutonomy);
    case BatteryInfo::kTemperature:
      return temperature(p, e);
    case BatteryInfo::kStateSignal: {
      const double power = now(p, e).power;
      if (power < 0.0) return 2.0;
      if (held(p, e, BatteryInfo::kEnded) != 0.0) {
        constexpr double kEndedState = 3.0;
        return kEndedState;
      }
      return power > 0.0 ? 1.0 : 0.0;
    }
    case BatteryInfo::kQAvailable:
      return charges ? strings * p.capacity * e.y[p.columns[0]] : 0.0;
    case BatteryInfo::kQBound:
      return charges ? strings * p.capacity * e.y[p.columns[1]] : 0.0;
    case BatteryInfo::kLoss: {
      const Course<double> c = now(p, e);
      return -c.stored - c.power;
    }
    case BatteryInfo::kStringsIn:
      return strings;
    case BatteryInfo::kEndedSignal:
      return held(p, e, BatteryInfo::kEnded);
    default:
      return held(p, e, BatteryInfo::kEndedAt);
  }
}

class BatterySet final : public KernelSet<Battery> {
 public:
  using KernelSet<Battery>::KernelSet;
  std::size_t scratchCount() const override { return size(); }
  double storeOutput(const Evaluation& e) const override {
    double sum = 0.0;
    if (!e.steady_search)
      for (std::size_t i = 0; i < size(); ++i) sum += Battery::now(instance(i), e).power;
    return sum;
  }
  void drawStorage(Evaluation& e, std::size_t i, double power) const override {
    Battery::drawn(instance(i), e) += power;
  }
  double storageLimit(const Evaluation& e, std::size_t i, bool charging) const override {
    return Battery::limit(instance(i), e, charging);
  }
  double storageTime(const Evaluation& e, std::size_t i, double power) const override {
    return Battery::timeAt(instance(i), e, power);
  }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    const Battery::Instance& p = instance(i);
    if (verb == "set") {
      if (!(std::abs(value) <= kHighestBenchPower)) {
        reason = "its power must be from -100 to 100 GW";
        return false;
      }
      ask(s, i, value, 0.0);
      return true;
    }
    if (verb == "draw") {
      if (p.model == Model::energy) {
        reason = "a store of energy knows no current; set a power";
        return false;
      }
      if (!(std::abs(value) <= kHighestBenchCurrent)) {
        reason = "its current must be from -1e9 to 1e9 A";
        return false;
      }
      ask(s, i, 0.0, p.hold_time > 0.0 ? held(s, i, value) : value);
      return true;
    }
    if (verb == "fail") {
      if (!(value >= 0.0 && value <= p.strings && value == std::floor(value))) {
        reason = "it has " + std::to_string(static_cast<int>(p.strings)) + " strings that may be out: a whole number";
        return false;
      }
      z(s, BatteryInfo::kStringsOut, i) = value;
      ++s.topology;
      return true;
    }
    if (!KernelSet<Battery>::command(s, i, verb, value, reason)) return false;
    if (verb == "restore") {
      z(s, BatteryInfo::kStringsOut, i) = 0.0;
      z(s, BatteryInfo::kEnded, i) = 0.0;
    }
    return true;
  }

 private:
  void ask(State& s, std::size_t i, double power, double current) const {
    z(s, BatteryInfo::kBenchPower, i) = power;
    z(s, BatteryInfo::kBenchCurrent, i) = current;
    ++s.topology;
  }
  /// The part of a current [A] that lasts for the hold time.
  double held(State& s, std::size_t i, double current) const {
    const Battery::Instance& p = instance(i);
    const double available = s.y[yIndex(BatteryInfo::kAvailable, i)], bound = s.y[yIndex(BatteryInfo::kBound, i)];
    const double whole = (p.strings - z(s, BatteryInfo::kStringsOut, i)) * p.capacity;
    const bool out = current > 0.0;
    double most =
        (out ? Battery::reachable(p, available, bound) - p.soc_min : available + bound - p.soc_max) / p.hold_time;
    if (out && p.model == Model::vrla) most = currentOfDrain(most, p.rated_current / p.capacity, p.exponent);
    if (p.model == Model::kinetic) {
      const double target = out ? p.end_available * p.wells.share : p.wells.share;
      const double by_well = p.wells.currentTo(target, available, bound, p.hold_time);
      most = out ? std::min(most, by_well) : std::max(most, by_well);
    }
    const double granted = out ? std::clamp(whole * most, 0.0, current) : std::clamp(whole * most, current, 0.0);
    if (granted > 0.0) z(s, BatteryInfo::kEnded, i) = 0.0;
    if (granted < 0.0) z(s, BatteryInfo::kFull, i) = 0.0;
    return granted;
  }
};

}  // namespace

RegisteredClass batteryClass() {
  return {&BatteryInfo::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<BatterySet>(std::move(instances)));
          }};
}

}  // namespace podtwin
