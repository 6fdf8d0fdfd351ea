// UPS: double conversion, battery, eco, bypasses; walk-in, dip counter, overload. Equations: ups.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "model/base/curve.hpp"
#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/efficiency_curve.hpp"
#include "model/components/power/ups_info.hpp"
#include "model/system/bus_frequency.hpp"

namespace podtwin {

namespace {

using Points = std::vector<std::pair<double, double>>;
using Info = UpsInfo;
using Mode = UpsMode;

// Eaton 9395XR, hardware.csv (published).
const Points kEfficiency{{0.25, 0.970}, {0.50, 0.973}, {0.75, 0.970}, {1.00, 0.964}};
const Points kEcoEfficiency{{0.25, 0.984}, {0.50, 0.990}, {0.75, 0.992}, {1.00, 0.992}};
const Points kOverloadTimes{
    {1.10, 600.0}, {1.25, 60.0}, {1.40, 30.0}};     // 1, s; 140 %: hardware.csv, the others estimate
constexpr double kInputPowerFactor = 0.99;          // of an active rectifier; hardware.csv (published)
constexpr double kFaultCurrentSpread = 2.0 / 1.5;   // greatest over least of inverters: practice.md section 4
constexpr double kWindowHysteresis = 0.01;          // of nominal voltage, engineering estimate
constexpr double kReliefHysteresis = 1.005;         // of rating, engineering estimate, so that relief does not chatter
constexpr double kNearlyOverload = 0.95;            // of overload_from: from here on it is watched inside steps
constexpr double kLongestAutonomy = 1e6;            // s; longer is not told apart
constexpr double kBeyondBattery = 1e-6;             // of its greatest power: its own end comes first
constexpr double kFullTolerance = 1e-6;             // of charge
constexpr double kTimeTolerance = 1e-9;             // s
constexpr double kAtLimit = 1e-6;                   // of its current limit, below which it does not limit
constexpr double kCurrentOverPower = 1.1;           // of relief: power factor and voltage drop, engineering estimate
constexpr double kSameVoltage = 1e-3;               // of it: bypass and output
constexpr double kMaintenancePole = 20e-6;          // ohm, as of a breaker's closed pole; engineering estimate
constexpr double kNotDue = -1.0, kForEver = 1e300;  // s, of held moments
constexpr double kDueNow = 1.0, kNothing = -1.0;    // of watch functions
constexpr double kPerCent = 100.0;

struct Ups {
  static constexpr int kColumns = 1, kRows = 2;
  static constexpr std::size_t kPhases = 3, kWays = 2;
  struct Store {
    const ComponentSet* set;
    std::size_t instance;
    std::size_t soc;  ///< its signal
    double soc_max;   ///< at which it is full
  };
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self = 0;
    const KernelSet<Ups>* set = nullptr;
    const System* system = nullptr;
    bool phased = false;  ///< its output has voltages
    std::size_t from = 0, to = 0, bypass = 0;
    bool own_bypass = false;                 ///< its bypass is another bus than its input
    std::vector<std::size_t> links;          ///< of Evaluation::link_out: from its input, from its bypass
    std::vector<std::size_t> sources;        ///< of its three phases
    std::array<Branch, kWays> ways;          ///< of its static and its maintenance bypass, between buses with voltages
    bool has_bypass = true;                  ///< its bypass has the voltage of its output
    double rated_current = 0.0;              ///< A, of a phase
    double current_limit = 0.0;              ///< A, of a phase of its inverter
    double current_limit_time = kUnbounded;  ///< s
    std::vector<Store> stores;
    double rating = 0.0, frames = 1.0, voltage = 0.0;
    EfficiencyCurve efficiency, eco, battery;
    bool polynomial = false, battery_as_input = true;
    LossPolynomial loss;
    double bypass_loss = 0.0;
    double low = 0.0, high = 0.0, bypass_angle = 0.0;
    double frequency_low = 0.0, frequency_high = 0.0;
    double walk_delay = 0.0, walk_time = 0.0, stagger = 0.0;
    std::size_t dip_count = 0;
    double dip_time = 0.0, dip_hold = 0.0;
    double recharge_utility = 0.0, recharge_generator = 0.0, charger = 1.0;
    Points overload;
    double overload_from = 1.0, overload_beyond = 0.1, recovery = 1.0;
    double retransfer = 0.0, autonomy_low = 0.0;
    bool restarts = true, eco_on_generator = false;
    Mode initially = Mode::double_conversion;
  };
  static const ClassInfo& info() { return Info::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b);
  static void bindPhases(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p);
  static void bindWay(std::size_t i, const std::string& name, Binder& b, double pole, std::size_t part, Instance& p);
  static void bindStores(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b, Instance& p);
  static void bindOverload(const InstanceDescription& d, Binder& b, Instance& p);
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Ups>& set, State& s, double) {
    set.z(s, Info::kPresent, i) = set.z(s, Info::kWanted, i) = static_cast<double>(p.initially);
    set.z(s, Info::kStoreReady, i) = p.stores.empty() ? 0.0 : 1.0;
  }

  // -- what carries the output, of held values and live buses alone
  static double held(const Instance& p, const Evaluation& e, std::size_t discrete) {
    return p.set->z(e, discrete, p.self);
  }
  static bool is(const Instance& p, const Evaluation& e, std::size_t discrete) { return held(p, e, discrete) != 0.0; }
  static Mode present(const Instance& p, const Evaluation& e) {
    return static_cast<Mode>(static_cast<int>(held(p, e, Info::kPresent)));
  }
  static bool onBypass(Mode mode) { return mode == Mode::bypass || mode == Mode::maintenance; }
  static bool onInput(Mode mode) { return mode == Mode::double_conversion || mode == Mode::eco; }
  static bool ready(const Instance& p, const Evaluation& e) { return !p.stores.empty() && is(p, e, Info::kStoreReady); }
  static bool carries(const Instance& p, const Evaluation& e) {
    const Mode mode = present(p, e);
    return p.set->available(e, p.self) && mode != Mode::off && (mode != Mode::battery || ready(p, e));
  }
  /// By its converters; between buses with voltages a bypass is a way of its own.
  static bool connects(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e) {
    return carries(p, e) && !(p.phased && onBypass(present(p, e)));
  }
  static bool wayCloses(const Instance& p, const Evaluation& e, std::size_t way) {
    return carries(p, e) && present(p, e) == (way == 0 ? Mode::bypass : Mode::maintenance);
  }
  static bool selfFed(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
    return connects(i, p, set, e) && ready(p, e) && !onBypass(present(p, e));
  }
  static bool fedFromStore(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e) {
    return present(p, e) == Mode::battery;
  }
  static bool drawsFrom(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e,
                        std::ptrdiff_t bus) {
    if (!p.own_bypass) return true;
    return static_cast<std::size_t>(bus) == (onBypass(present(p, e)) ? p.bypass : p.from);
  }
  /// With a loss of its input taken in before it was acted on.
  static Mode effective(const Instance& p, const Evaluation& e) {
    if (!carries(p, e)) return Mode::off;
    const Mode mode = present(p, e);
    if (onBypass(mode)) return e.energised[p.bypass] != 0 ? mode : Mode::off;
    if (mode == Mode::battery || e.energised[p.from] != 0) return mode;
    return ready(p, e) ? Mode::battery : Mode::off;
  }
  static SourceKind sourceOf(const Instance& p, const Evaluation& e) {
    return static_cast<SourceKind>(e.bus_source[p.from]);
  }

  // -- powers
  static double framesIn(const Instance& p, const Evaluation& e) { return p.frames - held(p, e, Info::kFramesOut); }
  static double ratingIn(const Instance& p, const Evaluation& e) {
    return p.rating * std::max(framesIn(p, e), 1.0) / p.frames;  // without any it has tripped
  }
  static double conversionLoss(const Instance& p, const Evaluation& e, double out) {
    const double rating = ratingIn(p, e);
    return p.polynomial ? p.loss.loss(rating, out) : p.efficiency.loss(rating, out);
  }
  static double batteryLoss(const Instance& p, const Evaluation& e, double out) {
    return p.battery_as_input ? conversionLoss(p, e, out) : p.battery.loss(ratingIn(p, e), out);
  }
  /// Moments at which a frame begins or ends to walk in, from the beginning of all, in rising order.
  static std::vector<double> walkPoints(const Instance& p, const Evaluation& e) {
    std::vector<double> points;
    for (double k = 0.0; k < framesIn(p, e); k += 1.0) {
      points.push_back(k * p.stagger);
      points.push_back(k * p.stagger + p.walk_time);
    }
    std::sort(points.begin(), points.end());
    return points;
  }
  static bool walks(const Instance& p, const Evaluation& e) { return held(p, e, Info::kWalkFrom) != kNotDue; }
  /// Share of the output that the input carries in double conversion.
  static double inputShare(const Instance& p, const Evaluation& e) {
    if (!walks(p, e)) return 1.0;
    const double since = e.t - held(p, e, Info::kWalkFrom), n = std::max(framesIn(p, e), 1.0);
    double sum = 0.0;
    for (double k = 0.0; k < n; k += 1.0) {
      const double own = since - k * p.stagger;
      sum += p.walk_time > 0.0 ? std::clamp(own / p.walk_time, 0.0, 1.0) : (own >= 0.0 ? 1.0 : 0.0);
    }
    return sum / n;
  }
  /// Power [W] into the batteries.
  static double charge(const Instance& p, const Evaluation& e, Mode mode) {
    if (e.steady_search || !onInput(mode) || !is(p, e, Info::kCharges) || walks(p, e)) return 0.0;
    double limit = 0.0;
    switch (sourceOf(p, e)) {
      case SourceKind::utility:
      case SourceKind::renewable:
        limit = p.recharge_utility;
        break;
      case SourceKind::generator:
        limit = p.recharge_generator;
        break;
      default:
        break;
    }
    const double offered = p.charger * limit * ratingIn(p, e);
    double taken = 0.0;
    for (const auto& store : p.stores) taken += std::min(store.set->storageLimit(e, store.instance, true), offered);
    return std::min(taken, offered);
  }
  /// Whether a charge should begin or is over: a battery that is full from the start is never charged.
  static bool chargeChanges(const Instance& p, const Evaluation& e) {
    if (p.stores.empty() || !onInput(present(p, e)) || walks(p, e)) return false;
    const bool takes = std::any_of(p.stores.begin(), p.stores.end(), [&](const Store& store) {
      return (is(p, e, Info::kCharges) ||
              store.set->signalOf(e, store.soc, store.instance) < store.soc_max - kFullTolerance) &&
             store.set->storageLimit(e, store.instance, true) > 0.0;
    });
    return takes != is(p, e, Info::kCharges);
  }
  struct Flows {
    double input = 0.0, battery = 0.0, loss = 0.0;  // W; battery positive out of it
  };
  static Flows flows(const Instance& p, const Evaluation& e, double out) {
    Flows f;
    const Mode mode = effective(p, e);
    switch (mode) {
      case Mode::off:
        return f;
      case Mode::battery:
        f.loss = batteryLoss(p, e, out);
        f.battery = out + f.loss;
        return f;
      case Mode::bypass:
      case Mode::maintenance:
        f.loss = p.phased               ? branches::loss(p.ways[mode == Mode::bypass ? 0 : 1], e)
                 : mode == Mode::bypass ? p.bypass_loss * out
                                        : 0.0;
        break;
      case Mode::eco:
        f.loss = p.eco.loss(ratingIn(p, e), out);
        break;
      case Mode::double_conversion:
        f.loss = conversionLoss(p, e, out);
        if (walks(p, e)) {
          const double share = inputShare(p, e);
          f.battery = (1.0 - share) * (out + batteryLoss(p, e, out));
          f.loss = share * f.loss + (1.0 - share) * batteryLoss(p, e, out);
        }
        break;
    }
    if (const double charged = charge(p, e, mode); charged > 0.0) {
      f.battery = -charged;
      f.loss += charged * (1.0 / p.charger - 1.0);
    }
    f.input = out + f.loss - f.battery;
    return f;
  }
  static Complex output(const Instance& p, const Evaluation& e) {
    Complex sum{};
    if (!p.phased) {
      for (const auto l : p.links) sum += e.link_out[l];
      return sum;
    }
    for (const auto s : p.sources) sum += e.phasor.network->sourcePower(s, *e.phasor.topology, e.phasor.state);
    for (const auto& way : p.ways)
      if (way.phased) sum += branches::delivered(way, e);
    return sum;
  }
  /// Current [A] of a phase of its output: of its inverter, or through its bypass.
  static double currentOf(const Instance& p, const Evaluation& e, std::size_t phase) {
    double sum = 0.0;
    for (std::size_t s = phase; s < p.sources.size(); s += kPhases)
      sum += std::abs(e.phasor.network->sourceCurrent(p.sources[s], *e.phasor.topology, e.phasor.state));
    for (const auto& way : p.ways) sum += branches::currentOut(way, phase, e);
    return sum;
  }
  static double greatestCurrent(const Instance& p, const Evaluation& e) {
    double greatest = 0.0;
    for (std::size_t k = 0; p.phased && k < kPhases; ++k) greatest = std::max(greatest, currentOf(p, e, k));
    return greatest;
  }
  /// Whether the bus asks its inverter for more current than it gives.
  static bool limitsCurrent(const Instance& p, const Evaluation& e) {
    return p.phased && inverterCarries(effective(p, e)) && greatestCurrent(p, e) >= (1.0 - kAtLimit) * p.current_limit;
  }
  static double loading(const Instance& p, const Evaluation& e) { return output(p, e).real() / ratingIn(p, e); }
  static void demand(std::size_t, const Instance& p, const KernelSet<Ups>&, Evaluation& e) {
    for (std::size_t k = 0; k < p.sources.size(); ++k)
      e.phasor.state.emf[p.sources[k]] = e.phasor.electrical->emf(e, p.to, k % kPhases, p.voltage);
  }
  static std::complex<double> converterInput(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e,
                                             double power) {
    const double in = flows(p, e, power).input;
    return {in, in * std::tan(std::acos(kInputPowerFactor))};
  }
  /// What it draws beyond its output: with the output it is what enters its upper bus.
  static double beyondOutput(const Instance& p, const Evaluation& e, double out) {
    return flows(p, e, out).input - out;
  }
  static void drawStores(std::size_t, const Instance& p, const KernelSet<Ups>&, Evaluation& e) {
    if (p.stores.empty()) return;
    const double power = flows(p, e, output(p, e).real()).battery;
    if (power == 0.0) return;
    const std::vector<double> share = shares(p, e, power);
    for (std::size_t k = 0; k < p.stores.size(); ++k)
      p.stores[k].set->drawStorage(e, p.stores[k].instance, share[k] * power);
  }
  /// By what each can give (take) of it.
  static std::vector<double> shares(const Instance& p, const Evaluation& e, double power) {
    std::vector<double> all;
    double sum = 0.0;
    for (const auto& store : p.stores) {
      all.push_back(std::min(store.set->storageLimit(e, store.instance, power < 0.0), std::abs(power)));
      sum += all.back();
    }
    for (double& share : all) share = sum > 0.0 ? share / sum : 1.0 / static_cast<double>(all.size());
    return all;
  }
  /// Power [W] that its batteries can give at present; 0: none.
  static double batteryLimit(const Instance& p, const Evaluation& e) {
    double sum = 0.0;
    for (const auto& store : p.stores) sum += store.set->storageLimit(e, store.instance, false);
    return sum;
  }
  static double autonomy(const Instance& p, const Evaluation& e) {
    if (p.stores.empty() || effective(p, e) == Mode::off || !ready(p, e)) return 0.0;
    const double out = output(p, e).real(), power = out + batteryLoss(p, e, out);
    if (batteryLimit(p, e) < power) return 0.0;
    if (!(power > 0.0)) return kLongestAutonomy;
    const std::vector<double> share = shares(p, e, power);
    double sum = 0.0;
    for (std::size_t k = 0; k < p.stores.size(); ++k)
      if (share[k] > 0.0) sum += share[k] * p.stores[k].set->storageTime(e, p.stores[k].instance, share[k] * power);
    return std::min(sum, kLongestAutonomy);
  }
  /// Longest time [s] of a constant load; infinite: for ever.
  static double overloadTime(const Instance& p, double load) {
    if (load <= p.overload_from) return kUnbounded;
    for (const auto& [up_to, time] : p.overload)
      if (load <= up_to) return time;
    return p.overload_beyond;
  }
  static double overloadTime(const Instance& p, const Evaluation& e) {
    if (!inverterCarries(effective(p, e))) return kUnbounded;
    const double longest = overloadTime(p, loading(p, e));
    return limitsCurrent(p, e) ? std::min(longest, p.current_limit_time) : longest;
  }
  /// Zero where it has forgotten its overload; due at once where it should begin to.
  static double forgetMargin(const Instance& p, const Evaluation& e) {
    const double used = e.y[p.columns[0]];
    if (overloadTime(p, e) < kUnbounded) return kNothing;
    return is(p, e, Info::kForgets) ? -used : (used > 0.0 ? kDueNow : kNothing);
  }
  static bool inverterCarries(Mode mode) { return mode == Mode::double_conversion || mode == Mode::battery; }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    const double out = output(p, e).real();
    r[0] = S(flows(p, e, out).loss);
    const double longest = overloadTime(p, e);
    // No derivative: the rates are constants between events, and integrated without error.
    r[1] = S(longest < kUnbounded ? 1.0 / longest : is(p, e, Info::kForgets) ? -1.0 / p.recovery : 0.0);
  }

  // -- input and bypass
  /// Least and greatest voltage between phases, of nominal.
  static std::pair<double, double> voltages(std::size_t bus, const Evaluation& e) {
    std::array<Complex, kPhases> v;
    for (std::size_t k = 0; k < kPhases; ++k) v[k] = e.phasor.voltage(e.phasor.electrical->conductor(bus, k));
    double least = kUnbounded, greatest = 0.0;
    for (std::size_t k = 0; k < kPhases; ++k) {
      const double between = std::abs(v[k] - v[(k + 1) % kPhases]);
      least = std::min(least, between);
      greatest = std::max(greatest, between);
    }
    const double nominal = e.phasor.electrical->nominalVoltage(bus);
    return {least / nominal, greatest / nominal};
  }
  /// Zero where the input leaves its window, or, once it has, comes back into it.
  static double inputMargin(const Instance& p, const Evaluation& e) {
    const bool good = is(p, e, Info::kInputGood);
    if (e.energised[p.from] == 0) return good ? kDueNow : kNothing;
    if (p.stores.empty()) return good ? kNothing : kDueNow;
    const double frequency = busFrequencyShare(*p.system, e, p.from);
    double beyond = std::max(p.frequency_low - frequency, frequency - p.frequency_high);
    if (p.phased) {
      const auto [least, greatest] = voltages(p.from, e);
      beyond = std::max({beyond, p.low - least, greatest - p.high});
    }
    return good ? beyond : -beyond - kWindowHysteresis;
  }
  static bool bypassGood(const Instance& p, const Evaluation& e) {
    if (e.energised[p.bypass] == 0 || !p.has_bypass) return false;
    if (!p.phased) return true;
    const auto [least, greatest] = voltages(p.bypass, e);
    if (least < p.low || greatest > p.high) return false;
    const Complex source = e.phasor.voltage(e.phasor.electrical->conductor(p.bypass, 0));
    return std::abs(std::arg(source / e.phasor.electrical->emf(e, p.to, 0, p.voltage))) <= p.bypass_angle;
  }
  static bool mayBeEco(const Instance& p, const Evaluation& e) {
    return p.eco_on_generator || sourceOf(p, e) != SourceKind::generator;
  }
  static bool wantsEco(const Instance& p, const Evaluation& e) {
    return static_cast<Mode>(static_cast<int>(held(p, e, Info::kWanted))) == Mode::eco;
  }
  static bool locked(const Instance& p, const Evaluation& e) { return held(p, e, Info::kLockedUntil) != kNotDue; }
  static bool over(double moment, const Evaluation& e) { return moment != kNotDue && moment <= e.t + kTimeTolerance; }
  /// Whether it waits for its input to go back to it.
  static bool waits(const Instance& p, const Evaluation& e) {
    const Mode mode = present(p, e);
    const bool off = mode == Mode::off && !is(p, e, Info::kLatchedOff) && p.restarts;
    return (mode == Mode::battery || off) && is(p, e, Info::kInputGood) && !locked(p, e);
  }
  static double dips(const Instance& p, const Evaluation& e) {
    double n = 0.0;
    for (std::size_t k = 0; k < Info::kMostDips; ++k)
      if (const double at = held(p, e, Info::kFirstDip + k); at != kNotDue && at > e.t - p.dip_time) n += 1.0;
    return n;
  }
  /// Whether the battery gives now; and by how much more than it can, as a watch.
  static bool draws(const Instance& p, const Evaluation& e) {
    const Mode mode = present(p, e);
    return mode == Mode::battery || (mode == Mode::double_conversion && walks(p, e));
  }
  static double batteryMargin(const Instance& p, const Evaluation& e) {
    if (!draws(p, e)) return kNothing;
    const double limit = batteryLimit(p, e), power = flows(p, e, output(p, e).real()).battery;
    if (!ready(p, e) || limit <= 0.0) return kDueNow;
    return std::isinf(limit) ? kNothing : power / limit - 1.0 - kBeyondBattery;
  }
  static bool batteryCanCarry(const Instance& p, const Evaluation& e) {
    const double out = output(p, e).real();
    return out + batteryLoss(p, e, out) <= (1.0 + kBeyondBattery) * batteryLimit(p, e);
  }
  static bool storeChanged(const Instance& p, const Evaluation& e) {
    return !p.stores.empty() && is(p, e, Info::kStoreReady) != (batteryLimit(p, e) > 0.0);
  }
  static double ecoMargin(const Instance& p, const Evaluation& e) {
    const Mode mode = present(p, e);
    if (mode == Mode::eco && !mayBeEco(p, e)) return kDueNow;
    const bool may = mode == Mode::double_conversion && wantsEco(p, e) && !walks(p, e) && mayBeEco(p, e) &&
                     e.energised[p.from] != 0 && is(p, e, Info::kInputGood);
    return may ? kDueNow : kNothing;
  }
  /// Zero where the load is within rating again, or, while that is timed, no more.
  static double reliefMargin(const Instance& p, const Evaluation& e) {
    if (!onBypass(present(p, e)) || !is(p, e, Info::kReturnsByItself)) return kNothing;
    const bool good = is(p, e, Info::kInputGood);
    const double most =
        std::max(loading(p, e), p.phased ? greatestCurrent(p, e) / (p.rated_current * kCurrentOverPower) : 0.0);
    if (held(p, e, Info::kRetransferAt) == kNotDue) return good ? 1.0 - most : kNothing;
    return good ? most - kReliefHysteresis : kDueNow;
  }
  static bool watching(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
    if (e.y[p.columns[0]] > 0.0) return true;
    if (!set.available(e, i)) return false;
    const bool varies = p.phased || sourceOf(p, e) == SourceKind::generator;
    return (varies && !p.stores.empty()) || draws(p, e) || is(p, e, Info::kCharges) ||
           is(p, e, Info::kReturnsByItself) || loading(p, e) > kNearlyOverload * p.overload_from;
  }
  static double watch(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
    if (storeChanged(p, e) || chargeChanges(p, e)) return kDueNow;
    if (!set.available(e, i)) return forgetMargin(p, e);
    if (is(p, e, Info::kOrder)) return kDueNow;
    const Mode mode = present(p, e);
    double due = std::max(inputMargin(p, e), forgetMargin(p, e));
    if (onInput(mode) && !is(p, e, Info::kInputGood) && (!p.stores.empty() || p.own_bypass)) return kDueNow;
    if (onBypass(mode) && is(p, e, Info::kBypassLive) != (e.energised[p.bypass] != 0)) return kDueNow;
    if (held(p, e, Info::kReturnAt) == kNotDue && waits(p, e)) return kDueNow;
    if (inverterCarries(mode)) due = std::max(due, e.y[p.columns[0]] - 1.0);
    if (limitsCurrent(p, e) && bypassGood(p, e)) return kDueNow;
    return std::max({due, batteryMargin(p, e), ecoMargin(p, e), reliefMargin(p, e)});
  }
  static double nextMoment(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
    double soonest = kUnbounded;
    if (!set.available(e, i)) return soonest;
    for (const auto k : {Info::kReturnAt, Info::kRetransferAt, Info::kLockedUntil})
      if (const double at = held(p, e, k); at != kNotDue) soonest = std::min(soonest, at);
    if (walks(p, e)) soonest = std::min(soonest, walkMoment(p, e));
    return soonest;
  }
  /// Next beginning or end of a frame's walk-in.
  static double walkMoment(const Instance& p, const Evaluation& e) {
    const auto points = walkPoints(p, e);
    const auto past = static_cast<std::size_t>(held(p, e, Info::kWalkPoints));
    return held(p, e, Info::kWalkFrom) + (past < points.size() ? points[past] : 0.0);
  }
  static void act(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events);
  static bool solves(std::size_t k, const Instance& p) {
    return k < Info::kReactive || k > Info::kCurrentC || p.phased;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e);

 private:
  class Acts;
};

// -- binding

/// Reads a curve of efficiency that may be left out.
EfficiencyCurve efficiencyOf(const InstanceDescription& d, Binder& b, const char* name, const Points& fallback) {
  const auto& given = d.parameters.at(name);
  if (given.points.empty()) return EfficiencyCurve(fallback);
  for (const auto& [x, eta] : given.points)
    if (!(x >= 0.0 && eta > 0.0 && eta <= 1.0)) {
      b.problems().error(given.where,
                         "'" + d.id + "': an efficiency of " + fluids::inWords(eta) + " at load " + fluids::inWords(x),
                         "give loads from 0 and efficiencies above 0 and not above 100 %");
      return EfficiencyCurve(fallback);
    }
  try {
    return EfficiencyCurve(given.points);
  } catch (const Error& error) {
    b.problems().error(given.where, "'" + d.id + "': " + error.what(),
                       "give rising loads, [[25 %, 97 %], [100 %, 96 %]]");
    return EfficiencyCurve(fallback);
  }
}

Ups::Instance Ups::bind(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b) {
  Instance p{};
  p.self = i;
  p.set = &set;
  p.system = &b.system();
  p.columns = {set.yIndex(Info::kOverload, i)};
  p.rows = {lossRow(i, b), set.yIndex(Info::kOverload, i)};
  b.capacity(set.yIndex(Info::kOverload, i), 1.0);
  p.rating = d.number("rating");
  p.frames = d.number("frames");
  const auto from = b.bus(i, "from"), to = b.bus(i, "to");
  p.from = static_cast<std::size_t>(from);
  p.to = static_cast<std::size_t>(to);
  const auto bypass = b.hasPort(i, "bypass") ? b.bus(i, "bypass") : from;
  p.bypass = static_cast<std::size_t>(bypass);
  p.own_bypass = bypass != from;
  if (b.phased(to)) {
    bindPhases(i, d, b, p);
  } else {
    p.links.push_back(b.link(from, to, i, p.rating));
    if (p.own_bypass) p.links.push_back(b.link(bypass, to, i, p.rating));
  }
  p.efficiency = efficiencyOf(d, b, "efficiency", kEfficiency);
  p.eco = efficiencyOf(d, b, "eco_efficiency", kEcoEfficiency);
  p.battery_as_input = d.parameters.at("battery_efficiency").points.empty();
  p.battery = efficiencyOf(d, b, "battery_efficiency", kEfficiency);
  p.polynomial = readLossPolynomial(d, b, p.loss);
  if (const auto& curve = d.parameters.at("efficiency"); p.polynomial && !curve.points.empty())
    b.problems().error(curve.where, "'" + d.id + "' gives its loss twice: efficiency and loss_polynomial",
                       "give one of the two");
  p.bypass_loss = d.number("bypass_loss");
  p.low = d.number("input_low");
  p.high = d.number("input_high");
  p.frequency_low = d.number("input_frequency_low");
  p.frequency_high = d.number("input_frequency_high");
  p.bypass_angle = d.number("bypass_angle");
  p.walk_delay = d.number("walk_in_delay");
  p.walk_time = d.number("walk_in_time");
  p.stagger = d.number("stagger");
  p.dip_count = static_cast<std::size_t>(d.number("dip_count"));
  p.dip_time = d.number("dip_time");
  p.dip_hold = d.number("dip_hold");
  p.recharge_utility = d.number("recharge_utility");
  p.recharge_generator = d.number("recharge_generator");
  p.charger = d.number("charger_efficiency");
  p.overload_from = d.number("overload_from");
  p.overload_beyond = d.number("overload_beyond");
  p.recovery = d.number("overload_recovery");
  p.retransfer = d.number("retransfer_delay");
  p.autonomy_low = d.number("autonomy_low");
  p.restarts = d.flag("automatic_restart");
  p.eco_on_generator = d.flag("eco_on_generator");
  const std::string& initially = d.text("initially");
  p.initially = initially == "eco"           ? Mode::eco
                : initially == "bypass"      ? Mode::bypass
                : initially == "maintenance" ? Mode::maintenance
                                             : Mode::double_conversion;
  bindOverload(d, b, p);
  bindStores(i, d, set, b, p);
  return p;
}

void Ups::bindPhases(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
  const auto from = static_cast<std::ptrdiff_t>(p.from), to = static_cast<std::ptrdiff_t>(p.to),
             bypass = static_cast<std::ptrdiff_t>(p.bypass);
  p.phased = true;
  p.voltage = d.number("voltage") > 0.0 ? d.number("voltage") : b.nominalVoltage(to);
  const Complex z = {0.0, d.number("output_impedance") * p.voltage * p.voltage / p.rating};
  for (const char* port : {"from", "bypass"}) {
    if (!b.hasPort(i, port) || b.phased(b.bus(i, port))) continue;
    b.problems().error(d.where,
                       "'" + d.id + "' feeds a bus with voltages from one without, '" + d.ports.at(port).at(0) + "'",
                       "give the buses above it voltages, too: nominal_voltage in `nodes:`, or a transformer's");
    return;
  }
  p.rated_current = p.rating / (std::numbers::sqrt3 * p.voltage);
  p.current_limit = d.number("current_limit") * p.rated_current;
  p.current_limit_time = d.number("current_limit_time");
  // On inverter: a study of fault levels takes no way to the bypass.
  const Infeed infeed{.kind = Infeed::Kind::limited,
                      .greatest_current = kFaultCurrentSpread * p.current_limit,
                      .least_current = p.current_limit};
  for (std::size_t k = 0; k < kPhases; ++k)
    p.sources.push_back(
        b.source(i, {.name = d.id, .from = kEarth, .to = b.conductor(to, k), .impedance = z, .infeed = infeed}, from));
  const double at_bypass = b.nominalVoltage(bypass);
  p.has_bypass = std::abs(at_bypass - p.voltage) <= kSameVoltage * p.voltage;
  if (p.has_bypass) {
    // The static bypass loses bypass_loss of its rating at rated current.
    const double pole = std::max(d.number("bypass_loss") * p.voltage * p.voltage / p.rating, kMaintenancePole);
    bindWay(i, d.id + " bypass", b, pole, 0, p);
    bindWay(i, d.id + " maintenance bypass", b, kMaintenancePole, 1, p);
  } else if (d.text("initially") == "bypass" || d.text("initially") == "maintenance") {
    b.problems().error(d.parameters.at("initially").where,
                       "'" + d.id + "' begins on its bypass, of " + fluids::inWords(at_bypass) +
                           " V, for an output of " + fluids::inWords(p.voltage) + " V",
                       "put a transformer into its bypass, or begin in double_conversion");
  }
  const std::size_t n = b.conductor(to, kPhases);
  b.element(i, impedanceElement(d.id + " earthing", n, kEarth, kSolidEarthing), true);
}

void Ups::bindWay(std::size_t i, const std::string& name, Binder& b, double pole, std::size_t part, Instance& p) {
  Branch& way = p.ways[part];  // its part as `closes` counts is one more: 0 is all that carries the output
  std::vector<std::size_t> begin, end;
  for (std::size_t k = 0; k < kConductors; ++k) {
    begin.push_back(b.conductor(static_cast<std::ptrdiff_t>(p.bypass), k));
    end.push_back(b.conductor(static_cast<std::ptrdiff_t>(p.to), k));
    way.from_place[k] = static_cast<std::ptrdiff_t>(k);
    way.to_place[k] = static_cast<std::ptrdiff_t>(kConductors + k);
  }
  const auto n = static_cast<Eigen::Index>(kConductors);
  way.phased = true;
  way.element =
      b.element(i, lineElement(name, begin, end, pole * Eigen::MatrixXcd::Identity(n, n), {}), false, part + 1);
}

void Ups::bindStores(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b, Instance& p) {
  for (std::size_t n = 0; n < b.portCount(i, "battery"); ++n) {
    const auto [store, k] = b.member(i, "battery", n);
    if (store == nullptr) continue;
    if (store->info().name != "battery") {
      b.problems().error(
          d.where,
          "'" + d.id + "' names '" + store->ids()[k] + "' as its battery, a " + std::string(store->info().name),
          "name equipment of class battery");
      continue;
    }
    const auto same = [&](const Store& other) { return other.set == store && other.instance == k; };
    bool taken = std::any_of(p.stores.begin(), p.stores.end(), same);
    for (std::size_t other = 0; other < i; ++other)
      taken = taken || std::any_of(set.instance(other).stores.begin(), set.instance(other).stores.end(), same);
    if (taken) {
      b.problems().error(d.where,
                         "'" + d.id + "' draws on '" + store->ids()[k] + "', and so does another UPS or itself",
                         "give each UPS batteries of its own, once");
      continue;
    }
    const auto& signals = store->info().signals;
    const auto soc = std::find_if(signals.begin(), signals.end(), [](const SignalInfo& s) { return s.name == "soc"; });
    p.stores.push_back(
        {store, k, static_cast<std::size_t>(soc - signals.begin()), store->description(k).number("soc_max")});
  }
  if (p.stores.empty())
    for (const char* name : {"walk_in_delay", "walk_in_time", "stagger", "dip_count", "battery_efficiency",
                             "recharge_utility", "recharge_generator"})
      if (const auto& given = d.parameters.at(name); given.given)
        b.problems().error(given.where, "'" + d.id + "' has " + name + " and no battery",
                           "name its batteries at `battery`, or leave it out");
}

void Ups::bindOverload(const InstanceDescription& d, Binder& b, Instance& p) {
  const auto& given = d.parameters.at("overload");
  p.overload = given.points.empty() ? kOverloadTimes : given.points;
  double load = p.overload_from, time = kUnbounded;
  for (const auto& [x, longest] : p.overload) {
    if (!(x > load && longest > 0.0 && longest < time))
      b.problems().error(given.points.empty() ? d.where : given.where,
                         "'" + d.id + "': an overload of " + fluids::inWords(x) + " for " + fluids::inWords(longest) +
                             " s does not follow the one before it",
                         "give loads that rise from overload_from and times that fall, [[110 %, 10 min], [125 %, "
                         "1 min]]");
    load = x;
    time = longest;
  }
}

// -- events of its own

/// What act() does, a step at a time; every step looks at held values as they are by then.
class Ups::Acts {
 public:
  Acts(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e, State& s,
       std::vector<Occurrence>& events)
      : i_(i), p_(p), set_(set), e_(e), s_(s), events_(events) {}

  void store() {
    if (storeChanged(p_, e_)) put(Info::kStoreReady, batteryLimit(p_, e_) > 0.0 ? 1.0 : 0.0);
  }
  void charging() {
    if (chargeChanges(p_, e_)) put(Info::kCharges, z(Info::kCharges) == 0.0 ? 1.0 : 0.0);
  }
  void forget() {
    if (forgetMargin(p_, e_) >= 0.0) put(Info::kForgets, z(Info::kForgets) == 0.0 ? 1.0 : 0.0);
  }
  void input() {
    if (inputMargin(p_, e_) >= 0.0) {
      const bool good = z(Info::kInputGood) == 0.0;
      put(Info::kInputGood, good ? 1.0 : 0.0);
      if (!good) {
        put(Info::kReturnAt, kNotDue);
        noteDip();
      }
    }
    if (onInput(mode()) && z(Info::kInputGood) == 0.0 && (!p_.stores.empty() || p_.own_bypass)) loseInput();
  }
  void order() {
    const auto wish = static_cast<Mode>(static_cast<int>(z(Info::kOrder)));
    if (wish == Mode::off) return;
    put(Info::kOrder, 0.0);
    if (onBypass(wish)) {
      if (mode() == wish && z(Info::kReturnsByItself) == 0.0) return;
      if (!bypassGood(p_, e_)) {
        tell("order", e_.energised[p_.bypass] != 0 ? "stays: its bypass is out of its window or out of phase"
                                                   : "stays: its bypass is dead");
        return;
      }
      put(Info::kWanted, static_cast<double>(wish));
      goToBypass(wish, false);
      tell("order", wish == Mode::bypass ? "on static bypass" : "on maintenance bypass");
      return;
    }
    if (onBypass(mode())) {
      if (z(Info::kInputGood) != 0.0) {
        go(Mode::double_conversion);
      } else if (z(Info::kStoreReady) != 0.0) {
        go(Mode::battery);
      } else {
        tell("order", "stays on bypass: no input and no battery");
        return;
      }
      tell("order", "on inverter");
    } else if (mode() == Mode::eco && wish == Mode::double_conversion) {
      go(Mode::double_conversion);
      tell("order", "on inverter");
    }
    put(Info::kWanted, static_cast<double>(wish));
  }
  void lock() {
    if (!over(z(Info::kLockedUntil), e_)) return;
    put(Info::kLockedUntil, kNotDue);
    forgetDips();
    tell("dip counter's time is over", "may go back to its input");
  }
  void overload() {
    if (!inverterCarries(mode())) return;
    const bool limits = limitsCurrent(p_, e_), passes = bypassGood(p_, e_);
    if (e_.y[p_.columns[0]] < 1.0 && !(limits && passes)) return;
    char cause[96];
    if (limits)
      std::snprintf(cause, sizeof cause, "its bus asks for more than the %.4g A of its inverter's limit",
                    p_.current_limit);
    else
      std::snprintf(cause, sizeof cause, "load of %.4g %% for its longest time", kPerCent * loading(p_, e_));
    if (passes) {
      goToBypass(Mode::bypass, true);
      tell(cause, limits ? "current limit: to bypass" : "overload: to bypass");
    } else {
      go(Mode::off);
      put(Info::kLatchedOff, 1.0);
      tell(cause, limits ? "current limit: output off" : "overload: output off");
    }
  }
  void battery() {
    if (mode() != Mode::battery && !(mode() == Mode::double_conversion && z(Info::kWalkFrom) != kNotDue)) return;
    // Held values may have moved since the plant was solved: what it would draw is looked at in the next round.
    if (z(Info::kStoreReady) != 0.0 && batteryMargin(p_, e_) < 0.0) return;
    const char* cause =
        z(Info::kStoreReady) == 0.0 ? "its batteries give nothing more" : "more than its batteries can give";
    if (z(Info::kInputGood) != 0.0) {
      go(Mode::double_conversion);
      tell(cause, "battery end: to input at once");
    } else {
      fallBack(cause, "battery end: to bypass", "battery end: output off");
    }
  }
  void comeBack() {
    const bool off = mode() == Mode::off && z(Info::kLatchedOff) == 0.0 && p_.restarts;
    if (!(mode() == Mode::battery || off) || z(Info::kInputGood) == 0.0 || z(Info::kLockedUntil) != kNotDue) {
      if (z(Info::kReturnAt) != kNotDue) put(Info::kReturnAt, kNotDue);
      return;
    }
    if (z(Info::kReturnAt) == kNotDue) put(Info::kReturnAt, e_.t + p_.walk_delay);
    if (!over(z(Info::kReturnAt), e_)) return;
    go(Mode::double_conversion);
    if (off) {
      tell("input is good again", "output on again");
      return;
    }
    put(Info::kWalkFrom, e_.t);
    tell("input is good again", "back on input: walks in");
  }
  void walk() {
    if (z(Info::kWalkFrom) == kNotDue) return;
    const std::vector<double> points = walkPoints(p_, e_);
    auto past = static_cast<std::size_t>(z(Info::kWalkPoints));
    while (past < points.size() && over(z(Info::kWalkFrom) + points[past], e_)) ++past;
    set_.z(s_, Info::kWalkPoints, i_) = static_cast<double>(past);
    if (past < points.size()) return;
    put(Info::kWalkFrom, kNotDue);
    put(Info::kWalkPoints, 0.0);
    tell("every frame is back on its input", "walk-in done");
  }
  void eco() {
    if (mode() == Mode::eco && !mayBeEco(p_, e_)) {
      go(Mode::double_conversion);
      tell("generators feed its input", "double conversion");
    } else if (mode() == Mode::double_conversion && z(Info::kWanted) == static_cast<double>(Mode::eco) &&
               z(Info::kWalkFrom) == kNotDue && mayBeEco(p_, e_) && e_.energised[p_.from] != 0 &&
               z(Info::kInputGood) != 0.0) {
      go(Mode::eco);
      tell("wanted, and its input is good", "eco mode");
    }
  }
  void bypass() {
    if (!onBypass(mode())) return;
    if (const bool live = e_.energised[p_.bypass] != 0; live != (z(Info::kBypassLive) != 0.0)) {
      put(Info::kBypassLive, live ? 1.0 : 0.0);
      tell(live ? "its bypass is live again" : "its bypass is dead", live ? "output live again" : "output dead");
    }
    if (z(Info::kReturnsByItself) == 0.0) return;
    if (over(z(Info::kRetransferAt), e_)) {
      go(Mode::double_conversion);
      tell("its load is within rating", "back on inverter");
    } else if (reliefMargin(p_, e_) >= 0.0) {
      put(Info::kRetransferAt, z(Info::kRetransferAt) == kNotDue ? e_.t + p_.retransfer : kNotDue);
    }
  }

 private:
  double z(std::size_t discrete) const { return set_.z(s_, discrete, i_); }
  void put(std::size_t discrete, double value) {
    set_.z(s_, discrete, i_) = value;
    ++s_.topology;
  }
  Mode mode() const { return static_cast<Mode>(static_cast<int>(z(Info::kPresent))); }
  void tell(const std::string& cause, const char* text) {
    const std::string& id = set_.ids()[i_];
    events_.push_back({id, id, cause, text});
  }
  void go(Mode next) {
    put(Info::kPresent, static_cast<double>(next));
    for (const auto k : {Info::kReturnAt, Info::kRetransferAt, Info::kWalkFrom}) put(k, kNotDue);
    put(Info::kWalkPoints, 0.0);
    put(Info::kReturnsByItself, 0.0);
  }
  void goToBypass(Mode kind, bool by_itself) {
    go(kind);
    put(Info::kReturnsByItself, by_itself ? 1.0 : 0.0);
    put(Info::kBypassLive, e_.energised[p_.bypass] != 0 ? 1.0 : 0.0);
  }
  void fallBack(const std::string& cause, const char* to_bypass, const char* off) {
    if (p_.own_bypass && bypassGood(p_, e_)) {
      goToBypass(Mode::bypass, true);
      tell(cause, to_bypass);
    } else {
      go(Mode::off);
      tell(cause, off);
    }
  }
  void loseInput() {
    std::string cause = "input dead";
    if (e_.energised[p_.from] != 0) {
      char text[64];
      const double frequency = busFrequencyShare(*p_.system, e_, p_.from);
      if (!p_.phased || frequency <= p_.frequency_low || frequency >= p_.frequency_high) {
        std::snprintf(text, sizeof text, "input at %.4g %% of nominal frequency", kPerCent * frequency);
      } else {
        const auto [least, greatest] = voltages(p_.from, e_);
        std::snprintf(text, sizeof text, "input at %.4g %% of nominal voltage",
                      kPerCent * (least < p_.low ? least : greatest));
      }
      cause = text;
    }
    if (p_.stores.empty() || z(Info::kStoreReady) == 0.0) {
      fallBack(cause, "no battery: to bypass", "no battery: output off");
    } else if (!batteryCanCarry(p_, e_)) {
      fallBack(cause, "more than its batteries can give: to bypass", "more than its batteries can give: output off");
    } else {
      go(Mode::battery);
      tell(cause, "on battery");
      if (z(Info::kLockedUntil) != kNotDue) tell("dip counter", "stays on battery");
    }
  }
  void noteDip() {
    if (p_.dip_count == 0 || p_.stores.empty()) return;
    for (std::size_t k = Info::kMostDips - 1; k > 0; --k) put(Info::kFirstDip + k, z(Info::kFirstDip + k - 1));
    put(Info::kFirstDip, e_.t);
    const double first = z(Info::kFirstDip + p_.dip_count - 1);
    if (first == kNotDue || e_.t - first > p_.dip_time) return;
    put(Info::kLockedUntil, p_.dip_hold > 0.0 ? e_.t + p_.dip_hold : kForEver);
  }
  void forgetDips() {
    for (std::size_t k = 0; k < Info::kMostDips; ++k) put(Info::kFirstDip + k, kNotDue);
  }

  std::size_t i_;
  const Instance& p_;
  const KernelSet<Ups>& set_;
  const Evaluation& e_;
  State& s_;
  std::vector<Occurrence>& events_;
};

void Ups::act(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e, State& s,
              std::vector<Occurrence>& events) {
  Acts acts(i, p, set, e, s, events);
  acts.store();
  acts.charging();
  acts.forget();
  if (!set.available(e, i)) return;
  // One change of what carries the output at a time: the next one is looked at with the plant solved again.
  const double before = held(p, e, Info::kPresent);
  const auto changed = [&] { return set.z(s, Info::kPresent, i) != before; };
  acts.input();
  if (!changed()) acts.order();
  if (!changed()) acts.lock();
  if (!changed()) acts.overload();
  if (!changed()) acts.battery();
  if (!changed()) acts.comeBack();
  if (!changed()) acts.walk();
  if (!changed()) acts.eco();
  if (!changed()) acts.bypass();
}

double Ups::signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e) {
  const Complex power = output(p, e);
  const double out = power.real();
  const Flows f = flows(p, e, out);
  const Mode mode = effective(p, e);
  switch (k) {
    case Info::kLoad:
      return out;
    case Info::kLoss:
      return f.loss;
    case Info::kEfficiency:
      return out > 0.0 ? out / (out + f.loss) : 0.0;
    case Info::kLoading:
      return out / ratingIn(p, e);
    case Info::kModeSignal:
      return static_cast<double>(mode);
    case Info::kReactive:
      return power.imag();
    case Info::kInputPower:
      return f.input;
    case Info::kBatteryPower:
      return f.battery;
    case Info::kAutonomy:
      return autonomy(p, e);
    case Info::kSoc: {
      double sum = 0.0;
      for (const auto& store : p.stores) sum += store.set->signalOf(e, store.soc, store.instance);
      return p.stores.empty() ? 0.0 : sum / static_cast<double>(p.stores.size());
    }
    case Info::kOverloadTimeLeft: {
      const double longest = overloadTime(p, e);
      return longest < kUnbounded ? std::max(1.0 - e.y[p.columns[0]], 0.0) * longest : kLongestAutonomy;
    }
    case Info::kInputShare:
      return onInput(mode) ? inputShare(p, e) : (onBypass(mode) ? 1.0 : 0.0);
    case Info::kDips:
      return dips(p, e);
    case Info::kFramesIn:
      return framesIn(p, e);
    case Info::kOnBattery:
      return mode == Mode::battery ? 1.0 : 0.0;
    case Info::kOnBypass:
      return onBypass(mode) ? 1.0 : 0.0;
    case Info::kLowAutonomy:
      return mode == Mode::battery && autonomy(p, e) < p.autonomy_low ? 1.0 : 0.0;
    default:
      return currentOf(p, e, k - Info::kCurrentA);
  }
}

class UpsSet final : public KernelSet<Ups> {
 public:
  using KernelSet<Ups>::KernelSet;
  void bind(Binder& binder) override {
    KernelSet<Ups>::bind(binder);
    for (std::size_t i = 0; i < size(); ++i) link_owner_.insert(link_owner_.end(), instance(i).links.size(), i);
  }
  bool closes(const Evaluation& e, std::size_t i, std::size_t part) const override {
    const Ups::Instance& p = instance(i);
    return part == 0 ? Ups::carries(p, e) : Ups::wayCloses(p, e, part - 1);
  }
  double linkLoss(const Evaluation& e, std::size_t link, double power) const override {
    return Ups::beyondOutput(instance(link_owner_[link]), e, power);
  }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "inverter") return order(s, i, Mode::double_conversion);
    if (verb == "eco") return order(s, i, Mode::eco);
    if (verb == "bypass") return order(s, i, Mode::bypass);
    if (verb == "maintenance") return order(s, i, Mode::maintenance);
    if (verb == "reset") {
      release(s, i);
      return true;
    }
    if (verb == "fail") {
      const double frames = instance(i).frames;
      if (!(value >= 0.0 && value <= frames && value == std::floor(value))) {
        reason = "'fail' takes how many of its frames have failed, a whole number from 0 to " + fluids::inWords(frames);
        return false;
      }
      z(s, Info::kFramesOut, i) = value;
      z(s, Info::kWalkPoints, i) = 0.0;
      ++s.topology;
      return value < frames || KernelSet<Ups>::command(s, i, "trip", kRequired, reason);
    }
    if (!KernelSet<Ups>::command(s, i, verb, value, reason)) return false;
    if (verb == "restore") {
      release(s, i);
      z(s, Info::kFramesOut, i) = z(s, Info::kLatchedOff, i) = z(s, Info::kReturnsByItself, i) = 0.0;
      z(s, Info::kPresent, i) = z(s, Info::kWanted, i);
      z(s, Info::kWalkPoints, i) = 0.0;
      for (const auto k : {Info::kReturnAt, Info::kRetransferAt, Info::kWalkFrom}) z(s, k, i) = kNotDue;
    }
    return true;
  }

 private:
  bool order(State& s, std::size_t i, Mode mode) const {
    z(s, Info::kOrder, i) = static_cast<double>(mode);
    ++s.topology;
    return true;
  }
  void release(State& s, std::size_t i) const {
    for (std::size_t k = 0; k < Info::kMostDips; ++k) z(s, Info::kFirstDip + k, i) = kNotDue;
    z(s, Info::kLockedUntil, i) = kNotDue;
    ++s.topology;
  }
  std::vector<std::size_t> link_owner_;  // [link of this set]
};

}  // namespace

RegisteredClass upsClass() {
  return {&Info::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<UpsSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
