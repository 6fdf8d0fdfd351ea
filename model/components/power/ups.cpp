// UPS: double conversion, battery, eco and bypasses; their powers, overload, signals and commands. Equations: ups.md.
#include <cmath>

#include "model/components/power/classes.hpp"
#include "model/components/power/ups_kernel.hpp"

namespace podtwin {

namespace ups {

namespace {
constexpr double kInputPowerFactor = 0.99;  // of an active rectifier; hardware.csv (published)
constexpr double kLongestAutonomy = 1e6;    // s; longer is not told apart
constexpr double kAtLimit = 1e-6;           // of its current limit, below which it does not limit
}  // namespace

double Ups::conversionLoss(const Instance& p, const Evaluation& e, double out) {
  const double rating = ratingIn(p, e);
  return p.polynomial ? p.loss.loss(rating, out) : p.efficiency.loss(rating, out);
}

double Ups::batteryLoss(const Instance& p, const Evaluation& e, double out) {
  return p.battery_as_input ? conversionLoss(p, e, out) : p.battery.loss(ratingIn(p, e), out);
}

double Ups::inputShare(const Instance& p, const Evaluation& e) {
  if (!walks(p, e)) return 1.0;
  const double since = e.t - held(p, e, Info::kWalkFrom), n = std::max(framesIn(p, e), 1.0);
  double sum = 0.0;
  for (double k = 0.0; k < n; k += 1.0) {
    const double own = since - k * p.stagger;
    sum += p.walk_time > 0.0 ? std::clamp(own / p.walk_time, 0.0, 1.0) : (own >= 0.0 ? 1.0 : 0.0);
  }
  return sum / n;
}

double Ups::charge(const Instance& p, const Evaluation& e, Mode mode) {
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

Ups::Flows Ups::flows(const Instance& p, const Evaluation& e, double out) {
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

Complex Ups::output(const Instance& p, const Evaluation& e) {
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

double Ups::currentOf(const Instance& p, const Evaluation& e, std::size_t phase) {
  double sum = 0.0;
  for (std::size_t s = phase; s < p.sources.size(); s += kPhases)
    sum += std::abs(e.phasor.network->sourceCurrent(p.sources[s], *e.phasor.topology, e.phasor.state));
  for (const auto& way : p.ways) sum += branches::currentOut(way, phase, e);
  return sum;
}

double Ups::greatestCurrent(const Instance& p, const Evaluation& e) {
  double greatest = 0.0;
  for (std::size_t k = 0; p.phased && k < kPhases; ++k) greatest = std::max(greatest, currentOf(p, e, k));
  return greatest;
}

bool Ups::limitsCurrent(const Instance& p, const Evaluation& e) {
  return p.phased && inverterCarries(effective(p, e)) && greatestCurrent(p, e) >= (1.0 - kAtLimit) * p.current_limit;
}

void Ups::demand(std::size_t, const Instance& p, const KernelSet<Ups>&, Evaluation& e) {
  for (std::size_t k = 0; k < p.sources.size(); ++k)
    e.phasor.state.emf[p.sources[k]] = e.phasor.electrical->emf(e, p.to, k % kPhases, p.voltage);
}

std::complex<double> Ups::converterInput(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation& e,
                                         double power) {
  const double in = flows(p, e, power).input;
  return {in, in * std::tan(std::acos(kInputPowerFactor))};
}

double Ups::beyondOutput(const Instance& p, const Evaluation& e, double out) { return flows(p, e, out).input - out; }

void Ups::drawStores(std::size_t, const Instance& p, const KernelSet<Ups>&, Evaluation& e) {
  if (p.stores.empty()) return;
  const double power = flows(p, e, output(p, e).real()).battery;
  if (power == 0.0) return;
  const std::vector<double> share = shares(p, e, power);
  for (std::size_t k = 0; k < p.stores.size(); ++k)
    p.stores[k].set->drawStorage(e, p.stores[k].instance, share[k] * power);
}

std::vector<double> Ups::shares(const Instance& p, const Evaluation& e, double power) {
  std::vector<double> all;
  double sum = 0.0;
  for (const auto& store : p.stores) {
    all.push_back(std::min(store.set->storageLimit(e, store.instance, power < 0.0), std::abs(power)));
    sum += all.back();
  }
  for (double& share : all) share = sum > 0.0 ? share / sum : 1.0 / static_cast<double>(all.size());
  return all;
}

double Ups::batteryLimit(const Instance& p, const Evaluation& e) {
  double sum = 0.0;
  for (const auto& store : p.stores) sum += store.set->storageLimit(e, store.instance, false);
  return sum;
}

double Ups::autonomy(const Instance& p, const Evaluation& e) {
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

double Ups::overloadTime(const Instance& p, double load) {
  if (load <= p.overload_from) return kUnbounded;
  for (const auto& [up_to, time] : p.overload)
    if (load <= up_to) return time;
  return p.overload_beyond;
}

double Ups::overloadTime(const Instance& p, const Evaluation& e) {
  if (!inverterCarries(effective(p, e))) return kUnbounded;
  const double longest = overloadTime(p, loading(p, e));
  return limitsCurrent(p, e) ? std::min(longest, p.current_limit_time) : longest;
}

template <class S>
void Ups::balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
  const double out = output(p, e).real();
  r[0] = S(flows(p, e, out).loss);
  const double longest = overloadTime(p, e);
  // No derivative: the rates are constants between events, and integrated without error.
  r[1] = S(longest < kUnbounded ? 1.0 / longest : is(p, e, Info::kForgets) ? -1.0 / p.recovery : 0.0);
}

double Ups::dips(const Instance& p, const Evaluation& e) {
  double n = 0.0;
  for (std::size_t k = 0; k < Info::kMostDips; ++k)
    if (const double at = held(p, e, Info::kFirstDip + k); at != kNotDue && at > e.t - p.dip_time) n += 1.0;
  return n;
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

}  // namespace ups

namespace {

using ups::kNotDue;
using ups::Ups;
using Info = UpsInfo;
using Mode = UpsMode;

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
