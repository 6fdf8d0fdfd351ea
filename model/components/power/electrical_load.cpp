// Constant electrical load: lighting, controls, offices, load banks. Equations: electrical_load.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/system/ride_through.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"air", PortKind::heat, PortCount::optional, "zone that takes its heat; outdoor air when left out"}};
constexpr double kHighestPower = 1e10;  // W; beyond any load of a campus
constexpr ParameterInfo kParameters[] = {
    {.name = "power",
     .quantity = Quantity::power,
     .low = 0.0,
     .high = kHighestPower,
     .meaning = "Power while its supply is live.",
     .source = ""},
    {.name = "it",
     .kind = ParameterKind::flag,
     .fallback = 0.0,
     .meaning = "Counts as IT power in PUE.",
     .source = "0: lighting, controls, load banks are facility load (product.md section 4)"},
    {.name = "reactive_power",
     .quantity = Quantity::reactive_power,
     .fallback = 0.0,
     .low = -kHighestPower,
     .high = kHighestPower,
     .meaning = "Reactive power at nominal voltage, negative when leading; it keeps its proportion to `power`.",
     .source = "0: power factor 1"},
    {.name = "connection",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Between phases, or star: from phase to the bus's neutral.",
     .source = "delta: three-phase machines need no neutral",
     .choices = "delta|star"},
    {.name = "phases",
     .kind = ParameterKind::text,
     .meaning = "Which phases share it equally: abc, or of a star a, b, c, ab, ...; of a delta ab, bc, ca: the pair it "
                "stands between; left out: abc.",
     .source = "abc: three-phase",
     .optional = true},
    {.name = "model",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "What stays as voltage changes: power, current, or impedance.",
     .source = "power: power supplies and drives",
     .choices = "power|current|impedance"},
    {.name = "lowest_voltage",
     .quantity = Quantity::ratio,
     .fallback = 0.7,
     .low = 0.01,
     .high = 1.0,
     .meaning = "Of nominal voltage, below which constant power and current become an impedance.",
     .source = "estimate: input window of supplies and drives"},
    kRideThrough,
    {.name = "ride_through_points",
     .kind = ParameterKind::curve,
     .quantity = Quantity::ratio,
     .low = 0.01,
     .high = 1.0,
     .meaning = "In place of ride_through: voltages, rising, and for how long it bears less than each of them.",
     .source = "",
     .ordinate = Quantity::time,
     .optional = true},
    kUndervoltageTrip,
    kRestartDelay,
    kRestartMode,
};
constexpr DiscreteInfo kOwnDiscretes[] = {
    {"power_setting", Quantity::power, 0.0, "Power while its supply is live [W]."}};
constexpr auto kDiscretes = withRideThrough(kOwnDiscretes);
constexpr std::size_t kPowerSetting = kCommonCount;
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power taken."},
    {"energised", Quantity::none, SignalType::integer, "1 while it is on and its supply is live."},
    {"q", Quantity::reactive_power, SignalType::real, "Reactive power taken."},
    {"i", Quantity::current, SignalType::real, "Greatest current of its phases, or between them."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
};
constexpr std::size_t kReactiveSignal = 2;
constexpr CommandInfo kCommands[] = {
    {"set", "power", Quantity::power, "Another power."},
    {"trip", "", Quantity::none, "Off."},
    {"restore", "", Quantity::none, "On."},
};
constexpr ClassInfo kInfo{.name = "electrical_load",
                          .group = "electrical_load",
                          .title = "Constant electrical load",
                          .page = "power/electrical_load.md",
                          .symbol = "load",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct ElectricalLoad {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t self;
    double power;
    bool it;
    const KernelSet<ElectricalLoad>* set;
    double tangent;                  // reactive over active power
    double reactive;                 // var of a load without active power
    std::vector<std::size_t> loads;  // of the network; empty: its bus carries power alone
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<ElectricalLoad>& set, Binder& b) {
    Instance p{{}, {lossRow(i, b)}, i, d.number("power"), d.flag("it"), &set, 0.0, 0.0, {}};
    const double q = d.number("reactive_power");
    p.tangent = p.power > 0.0 ? q / p.power : 0.0;
    p.reactive = p.power > 0.0 ? 0.0 : q;
    const auto bus = set.supply_bus[i];
    const std::vector<std::pair<int, int>> ends = places(d, b);
    if (!b.phased(bus)) {
      const auto& phases = d.parameters.at("phases");
      if (phases.given && !phases.text.empty() && phases.text != "abc")
        b.problems().error(phases.where,
                           "'" + d.id + "' is on '" + phases.text + "' of a bus that carries active power alone",
                           "give its buses a nominal voltage");
      return p;
    }
    const double between = b.nominalVoltage(bus);
    const bool star = d.text("connection") == "star";
    const std::string& model = d.text("model");
    for (const auto& [from, to] : ends)
      p.loads.push_back(b.phasorLoad({.name = d.id,
                                      .from = b.conductor(bus, static_cast<std::size_t>(from)),
                                      .to = static_cast<std::ptrdiff_t>(b.conductor(bus, static_cast<std::size_t>(to))),
                                      .rated_voltage = star ? between / std::numbers::sqrt3 : between,
                                      .model = model == "impedance" ? LoadModel::impedance
                                               : model == "current" ? LoadModel::current
                                                                    : LoadModel::power,
                                      .lowest_share = d.number("lowest_voltage")}));
    return p;
  }
  /// Conductors between which its parts stand.
  static std::vector<std::pair<int, int>> places(const InstanceDescription& d, Binder& b) {
    const auto& given = d.parameters.at("phases");
    const std::string phases = given.text.empty() ? "abc" : given.text;
    constexpr int kNeutral = 3, kPhases = 3;
    std::vector<std::pair<int, int>> ends;
    const bool star = d.text("connection") == "star";
    bool sound = !phases.empty() && phases.size() <= kPhases;
    for (std::size_t k = 0; k < phases.size(); ++k)
      sound = sound && phases[k] >= 'a' && phases[k] <= 'c' && phases.find(phases[k]) == k;
    sound = sound && (star || phases.size() > 1);
    if (!sound) {
      b.problems().error(given.where, "'" + d.id + "' is on the phases '" + phases + "'",
                         star ? "write some of a, b and c, each once: abc, ab, c"
                              : "between phases write abc, ab, bc or ca; a load on one phase is `connection: star`");
      return ends;
    }
    if (!star && phases.size() == 2) return {{phases[0] - 'a', phases[1] - 'a'}};
    for (const char phase : phases) ends.emplace_back(phase - 'a', star ? kNeutral : (phase - 'a' + 1) % kPhases);
    return ends;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<ElectricalLoad>& set, State& s, double) {
    set.z(s, kPowerSetting, i) = p.power;
  }
  /// What it is set to draw at nominal voltage [VA].
  static Complex asked(const Instance& p, const Evaluation& e) {
    if (!p.set->available(e, p.self)) return {};
    const double power = p.set->z(e, kPowerSetting, p.self);
    return {power, power * p.tangent + p.reactive};
  }
  /// What it draws [VA].
  static Complex taken(const Instance& p, const Evaluation& e) {
    if (p.loads.empty()) return asked(p, e);
    Complex sum{};
    for (const auto l : p.loads)
      sum += e.phasor.network->across(l, e.phasor.state) *
             std::conj(e.phasor.network->loadCurrentOf(l, *e.phasor.topology, e.phasor.state));
    return sum;
  }
  static double power(const Instance& p, const Evaluation& e) { return taken(p, e).real(); }
  static void demand(std::size_t i, const Instance& p, const KernelSet<ElectricalLoad>& set, Evaluation& e) {
    if (p.loads.empty()) {
      if (set.supply_bus[i] < 0)
        e.unmetered_load += asked(p, e).real();
      else
        e.bus_load[static_cast<std::size_t>(set.supply_bus[i])] += asked(p, e).real();
    }
    for (const auto l : p.loads) e.phasor.state.power[l] = asked(p, e) / static_cast<double>(p.loads.size());
  }
  static bool solves(std::size_t k, const Instance& p) { return k < kReactiveSignal || !p.loads.empty(); }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(power(p, e));
  }
  static double itPower(std::size_t, const Instance& p, const KernelSet<ElectricalLoad>&, const Evaluation& e) {
    return p.it ? power(p, e) : 0.0;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<ElectricalLoad>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return power(p, e);
      case 1:
        return set.available(e, i) ? 1.0 : 0.0;
      case kReactiveSignal:
        return taken(p, e).imag();
      default: {
        double greatest = 0.0;
        for (const auto l : p.loads)
          greatest =
              std::max(greatest, std::abs(e.phasor.network->loadCurrentOf(l, *e.phasor.topology, e.phasor.state)));
        return greatest;
      }
    }
  }
};

class ElectricalLoadSet : public KernelSet<ElectricalLoad> {
 public:
  using KernelSet<ElectricalLoad>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "set") return KernelSet<ElectricalLoad>::command(s, i, verb, value, reason);
    if (!(value >= 0.0 && value <= kHighestPower)) {
      reason = "its power must be from 0 to 10 GW";
      return false;
    }
    z(s, kPowerSetting, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass electricalLoadClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<RidesThrough<ElectricalLoadSet, kLoadRideThrough>>(std::move(instances)));
          }};
}

}  // namespace podtwin
