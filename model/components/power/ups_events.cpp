// Input, bypass, walk-in, dip counter, overload and end of battery of a UPS: its events.
#include <cmath>
#include <cstdio>

#include "model/components/power/ups_kernel.hpp"
#include "model/system/bus_frequency.hpp"

namespace podtwin::ups {

namespace {
constexpr double kWindowHysteresis = 0.01;        // of nominal voltage, engineering estimate
constexpr double kReliefHysteresis = 1.005;       // of rating, engineering estimate, so that relief does not chatter
constexpr double kNearlyOverload = 0.95;          // of overload_from: from here on it is watched inside steps
constexpr double kBeyondBattery = 1e-6;           // of its greatest power: its own end comes first
constexpr double kFullTolerance = 1e-6;           // of charge
constexpr double kTimeTolerance = 1e-9;           // s
constexpr double kCurrentOverPower = 1.1;         // of relief: power factor and voltage drop, engineering estimate
constexpr double kForEver = 1e300;                // s, of held moments
constexpr double kDueNow = 1.0, kNothing = -1.0;  // of watch functions
constexpr double kPerCent = 100.0;
}  // namespace

std::pair<double, double> Ups::voltages(std::size_t bus, const Evaluation& e) {
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

double Ups::inputMargin(const Instance& p, const Evaluation& e) {
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

bool Ups::bypassGood(const Instance& p, const Evaluation& e) {
  if (e.energised[p.bypass] == 0 || !p.has_bypass) return false;
  if (!p.phased) return true;
  const auto [least, greatest] = voltages(p.bypass, e);
  if (least < p.low || greatest > p.high) return false;
  const Complex source = e.phasor.voltage(e.phasor.electrical->conductor(p.bypass, 0));
  return std::abs(std::arg(source / e.phasor.electrical->emf(e, p.to, 0, p.voltage))) <= p.bypass_angle;
}

bool Ups::mayBeEco(const Instance& p, const Evaluation& e) {
  return p.eco_on_generator || sourceOf(p, e) != SourceKind::generator;
}

bool Ups::wantsEco(const Instance& p, const Evaluation& e) {
  return static_cast<Mode>(static_cast<int>(held(p, e, Info::kWanted))) == Mode::eco;
}

bool Ups::over(double moment, const Evaluation& e) { return moment != kNotDue && moment <= e.t + kTimeTolerance; }

std::vector<double> Ups::walkPoints(const Instance& p, const Evaluation& e) {
  std::vector<double> points;
  for (double k = 0.0; k < framesIn(p, e); k += 1.0) {
    points.push_back(k * p.stagger);
    points.push_back(k * p.stagger + p.walk_time);
  }
  std::sort(points.begin(), points.end());
  return points;
}

double Ups::walkMoment(const Instance& p, const Evaluation& e) {
  const auto points = walkPoints(p, e);
  const auto past = static_cast<std::size_t>(held(p, e, Info::kWalkPoints));
  return held(p, e, Info::kWalkFrom) + (past < points.size() ? points[past] : 0.0);
}

bool Ups::waits(const Instance& p, const Evaluation& e) {
  const Mode mode = present(p, e);
  const bool off = mode == Mode::off && !is(p, e, Info::kLatchedOff) && p.restarts;
  return (mode == Mode::battery || off) && is(p, e, Info::kInputGood) && !locked(p, e);
}

bool Ups::draws(const Instance& p, const Evaluation& e) {
  const Mode mode = present(p, e);
  return mode == Mode::battery || (mode == Mode::double_conversion && walks(p, e));
}

bool Ups::chargeChanges(const Instance& p, const Evaluation& e) {
  if (p.stores.empty() || !onInput(present(p, e)) || walks(p, e)) return false;
  const bool takes = std::any_of(p.stores.begin(), p.stores.end(), [&](const Store& store) {
    return (is(p, e, Info::kCharges) ||
            store.set->signalOf(e, store.soc, store.instance) < store.soc_max - kFullTolerance) &&
           store.set->storageLimit(e, store.instance, true) > 0.0;
  });
  return takes != is(p, e, Info::kCharges);
}

double Ups::batteryMargin(const Instance& p, const Evaluation& e) {
  if (!draws(p, e)) return kNothing;
  const double limit = batteryLimit(p, e), power = flows(p, e, output(p, e).real()).battery;
  if (!ready(p, e) || limit <= 0.0) return kDueNow;
  return std::isinf(limit) ? kNothing : power / limit - 1.0 - kBeyondBattery;
}

bool Ups::batteryCanCarry(const Instance& p, const Evaluation& e) {
  const double out = output(p, e).real();
  return out + batteryLoss(p, e, out) <= (1.0 + kBeyondBattery) * batteryLimit(p, e);
}

bool Ups::storeChanged(const Instance& p, const Evaluation& e) {
  return !p.stores.empty() && is(p, e, Info::kStoreReady) != (batteryLimit(p, e) > 0.0);
}

double Ups::forgetMargin(const Instance& p, const Evaluation& e) {
  const double used = e.y[p.columns[0]];
  if (overloadTime(p, e) < kUnbounded) return kNothing;
  return is(p, e, Info::kForgets) ? -used : (used > 0.0 ? kDueNow : kNothing);
}

double Ups::ecoMargin(const Instance& p, const Evaluation& e) {
  const Mode mode = present(p, e);
  if (mode == Mode::eco && !mayBeEco(p, e)) return kDueNow;
  const bool may = mode == Mode::double_conversion && wantsEco(p, e) && !walks(p, e) && mayBeEco(p, e) &&
                   e.energised[p.from] != 0 && is(p, e, Info::kInputGood);
  return may ? kDueNow : kNothing;
}

double Ups::reliefMargin(const Instance& p, const Evaluation& e) {
  if (!onBypass(present(p, e)) || !is(p, e, Info::kReturnsByItself)) return kNothing;
  const bool good = is(p, e, Info::kInputGood);
  const double most =
      std::max(loading(p, e), p.phased ? greatestCurrent(p, e) / (p.rated_current * kCurrentOverPower) : 0.0);
  if (held(p, e, Info::kRetransferAt) == kNotDue) return good ? 1.0 - most : kNothing;
  return good ? most - kReliefHysteresis : kDueNow;
}

bool Ups::watching(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
  if (e.y[p.columns[0]] > 0.0) return true;
  if (!set.available(e, i)) return false;
  const bool varies = p.phased || sourceOf(p, e) == SourceKind::generator;
  return (varies && !p.stores.empty()) || draws(p, e) || is(p, e, Info::kCharges) || is(p, e, Info::kReturnsByItself) ||
         loading(p, e) > kNearlyOverload * p.overload_from;
}

double Ups::watch(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
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

double Ups::nextMoment(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
  double soonest = kUnbounded;
  if (!set.available(e, i)) return soonest;
  for (const auto k : {Info::kReturnAt, Info::kRetransferAt, Info::kLockedUntil})
    if (const double at = held(p, e, k); at != kNotDue) soonest = std::min(soonest, at);
  if (walks(p, e)) soonest = std::min(soonest, walkMoment(p, e));
  return soonest;
}

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

}  // namespace podtwin::ups
