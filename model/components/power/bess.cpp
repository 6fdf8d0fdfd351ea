// Battery energy storage at a bus: dispatch beside a grid, and forming one. Equations: bess.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "model/components/power/bess_info.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/system/metered.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

using Info = BessInfo;
using Dispatch = BessDispatch;

constexpr double kNotDue = -1.0, kDueNow = 1.0, kNothing = -1.0;
constexpr double kTimeTolerance = 1e-9;   // s
constexpr double kBeyondRating = 1e-6;    // of rating
constexpr double kHysteresis = 0.01;      // of charge, before an end of energy or of charging is forgotten; estimate
constexpr double kLongestAutonomy = 1e6;  // s; longer is not told apart
constexpr double kRechargeShare = 0.1;    // of rating; practice.md section 1
constexpr std::size_t kPhases = 3;

struct Bess {
  static constexpr int kColumns = 0, kRows = 4;
  static constexpr SourceKind kSourceKind = SourceKind::battery;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self = 0;
    const KernelSet<Bess>* set = nullptr;
    const System* system = nullptr;
    bool phased = false;
    std::size_t bus = 0, link = 0;
    std::array<std::size_t, kPhases> source{};
    double rating = 1.0, energy = 1.0, voltage = 0.0;
    double discharge = 1.0, charge = 1.0;  ///< efficiencies from bus to store
    double soc_min = 0.0, soc_max = 1.0, reserve = 0.0, initial_soc = 1.0, soc_target = 1.0, return_time = 1.0;
    double response = 1.0, ramp = 0.0, set_point = 0.0, reactive = 0.0, limit = 0.0, smoothing = 1.0, grid_ramp = 0.0;
    double recharge = 0.0, transfer = 0.0, standing = 0.0;
    Dispatch dispatch = Dispatch::idle;
    SignalAddress measured;
  };
  static const ClassInfo& info() { return Info::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Bess>& set, Binder& b);
  static void bindMeasured(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p);
  static void bindForming(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p);
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Bess>& set, State& s, double) {
    s.y[set.yIndex(Info::kCharge, i)] = p.initial_soc;
    set.z(s, Info::kDispatch, i) = static_cast<double>(p.dispatch);
    set.z(s, Info::kSetPoint, i) = p.set_point;
  }

  // -- where it stands
  static double held(const Instance& p, const Evaluation& e, std::size_t discrete) {
    return p.set->z(e, discrete, p.self);
  }
  static bool is(const Instance& p, const Evaluation& e, std::size_t discrete) { return held(p, e, discrete) != 0.0; }
  static Dispatch dispatch(const Instance& p, const Evaluation& e) {
    return static_cast<Dispatch>(static_cast<int>(held(p, e, Info::kDispatch)));
  }
  static double soc(const Instance& p, const Evaluation& e) { return e.y[p.rows[1]]; }
  static double floor(const Instance& p, const Evaluation& e) {
    return p.soc_min + (dispatch(p, e) == Dispatch::backup ? 0.0 : p.reserve);
  }
  static bool forms(const Instance& p, const Evaluation& e) {
    return is(p, e, Info::kForms) && p.set->available(e, p.self);
  }
  static bool connects(std::size_t, const Instance& p, const KernelSet<Bess>&, const Evaluation& e) {
    return forms(p, e);
  }
  static bool follows(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) && !is(p, e, Info::kForms) && e.energised[p.bus] != 0 && !e.steady_search;
  }
  /// Whether something else than this one feeds its bus.
  static bool otherSource(const Instance& p, const Evaluation& e) {
    if (e.energised[p.bus] == 0) return false;
    if (!forms(p, e)) return true;
    if (p.phased) {
      const auto part = e.phasor.topology->partOf(e.phasor.electrical->conductor(p.bus, 0));
      if (part < 0) return false;
      const auto& of = e.phasor.topology->parts()[static_cast<std::size_t>(part)];
      return of.held.size() + of.sources.size() > kPhases;
    }
    for (const auto l : p.system->buses()[p.bus].incoming) {
      const System::Link& link = p.system->links()[l];
      if (l == p.link || !link.set->closes(e, link.instance, link.part)) continue;
      if (link.from < 0 || link.set->selfFed(e, link.instance) ||
          (e.energised[static_cast<std::size_t>(link.from)] != 0 && link.set->drawsFrom(e, link.instance, link.from)))
        return true;
    }
    return false;
  }

  // -- powers
  static Complex formed(const Instance& p, const Evaluation& e) {
    if (!forms(p, e)) return {};
    if (!p.phased) return e.link_out[p.link];
    Complex sum{};
    for (const auto s : p.source) sum += e.phasor.network->sourcePower(s, *e.phasor.topology, e.phasor.state);
    return sum;
  }
  /// Power [W] at its bus, of what its converter is at.
  static double power(const Instance& p, const Evaluation& e) {
    if (!follows(p, e)) return formed(p, e).real();
    const double ordered = Bess::ordered(p, e);
    const bool ended = (is(p, e, Info::kEmpty) && ordered > 0.0) || (is(p, e, Info::kFull) && ordered < 0.0);
    return (ended ? 0.0 : ordered) - p.standing;
  }
  /// Power [W] of its converter: what it gives and what it takes for itself.
  static double converted(const Instance& p, const Evaluation& e) {
    return power(p, e) + (follows(p, e) || forms(p, e) ? p.standing : 0.0);
  }
  /// Power [W] that its converter is at on the way to its target: a course in time, so that all books take the same.
  static double ordered(const Instance& p, const Evaluation& e) {
    const double from = held(p, e, Info::kFrom), way = held(p, e, Info::kTarget) - from,
                 since = std::max(e.t - held(p, e, Info::kOrderedAt), 0.0);
    if (p.ramp > 0.0) return from + std::clamp(way, -p.ramp * since, p.ramp * since);
    return from - way * std::expm1(-since / p.response);
  }
  static Complex given(const Instance& p, const Evaluation& e) {
    if (!follows(p, e)) return formed(p, e);
    return {power(p, e), p.phased ? p.reactive : 0.0};
  }
  /// Power [W] out of the store for a power at the bus.
  static double drawn(const Instance& p, double power) { return power > 0.0 ? power / p.discharge : power * p.charge; }
  static void demand(std::size_t, const Instance& p, const KernelSet<Bess>&, Evaluation& e) {
    if (p.phased)
      for (std::size_t k = 0; k < kPhases; ++k)
        e.phasor.state.emf[p.source[k]] = e.phasor.electrical->emf(e, p.bus, k, p.voltage);
    if (!follows(p, e)) return;
    e.bus_load[p.bus] -= power(p, e);
    if (p.phased) e.bus_reactive[p.bus] -= p.reactive;
  }
  /// What it forms the grid with comes out of a store: it is no source of the energy books.
  static void drawStores(std::size_t, const Instance& p, const KernelSet<Bess>&, Evaluation& e) {
    e.source_power -= formed(p, e).real();
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    const double out = power(p, e), from_store = drawn(p, converted(p, e));
    r[0] = S(from_store - out);
    if (e.steady_search) return;
    r[1] = S(-from_store / p.energy);
    r[2] = S(-from_store);
    r[3] = S(out);
  }
  static double storedEnergy(std::size_t i, const Instance&, const KernelSet<Bess>& set, const Evaluation& e) {
    return e.y[set.yIndex(Info::kStored, i)];
  }
  /// Power [W] that it has to give, or would have to if every other source went.
  static double burden(const Instance& p, const Evaluation& e) {
    if (forms(p, e) || dispatch(p, e) != Dispatch::backup) return power(p, e);
    return std::max(power(p, e), p.measured.set != nullptr ? measured(p, e) : e.bus_load[p.bus] + power(p, e));
  }
  static double autonomy(const Instance& p, const Evaluation& e) {
    const double out = burden(p, e), left = soc(p, e) - floor(p, e);
    if (!p.set->available(e, p.self) || is(p, e, Info::kEmpty) || left <= 0.0 || out > (1.0 + kBeyondRating) * p.rating)
      return 0.0;
    return out > 0.0 ? std::min(left * p.energy / drawn(p, out + p.standing), kLongestAutonomy) : kLongestAutonomy;
  }

  // -- decisions, once a second; on what is measured at each sample of a window
  /// Power [W] that would be measured without it.
  static double measured(const Instance& p, const Evaluation& e) {
    return p.measured.set->signalOf(e, p.measured.signal, p.measured.instance) + converted(p, e);
  }
  static bool actsOnMeasured(const Instance& p, const Evaluation& e) {
    const Dispatch now = dispatch(p, e);
    return now == Dispatch::peak_shaving || now == Dispatch::smoothing || now == Dispatch::ramp_limit;
  }
  static double recharging(const Instance& p, const Evaluation& e, double room) {
    return soc(p, e) < p.soc_target ? -std::clamp(room, 0.0, p.recharge) : 0.0;
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<Bess>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>&) {
    const double last = set.z(s, Info::kSampledAt, i), since = last == kNotDue ? 0.0 : e.t - last;
    double& mean = set.z(s, Info::kMean, i);
    const double back = (soc(p, e) - p.soc_target) * p.energy / p.return_time;
    double target = 0.0;
    switch (dispatch(p, e)) {
      case Dispatch::idle:
        break;
      case Dispatch::set_point:
        target = set.z(s, Info::kSetPoint, i);
        break;
      case Dispatch::peak_shaving: {
        const double above = measured(p, e) - p.limit;
        target = above > 0.0 ? above : recharging(p, e, -above);
        break;
      }
      case Dispatch::smoothing: {
        const double now = measured(p, e);
        mean = last == kNotDue ? now : mean + (now - mean) * -std::expm1(-since / p.smoothing);
        target = now - mean + back;
        break;
      }
      case Dispatch::ramp_limit: {
        const double now = measured(p, e), most = p.grid_ramp * since;
        mean = last == kNotDue ? now : mean + std::clamp(now - back - mean, -most, most);
        target = now - mean;
        break;
      }
      case Dispatch::backup:
        target = recharging(p, e, p.recharge);
        break;
    }
    set.z(s, Info::kSampledAt, i) = e.t;
    set.z(s, Info::kFrom, i) = follows(p, e) ? ordered(p, e) : 0.0;
    set.z(s, Info::kOrderedAt, i) = e.t;
    set.z(s, Info::kTarget, i) = follows(p, e) ? std::clamp(target, -p.rating, p.rating) : 0.0;
  }

  // -- events of its own
  static bool mayForm(const Instance& p, const Evaluation& e) {
    return dispatch(p, e) == Dispatch::backup && p.set->available(e, p.self) && !is(p, e, Info::kEmpty) &&
           !is(p, e, Info::kOverloaded);
  }
  static bool waits(const Instance& p, const Evaluation& e) { return mayForm(p, e) && e.energised[p.bus] == 0; }
  static bool watching(std::size_t i, const Instance& p, const KernelSet<Bess>& set, const Evaluation& e) {
    return set.available(e, i) && power(p, e) != 0.0;
  }
  static double emptyMargin(const Instance& p, const Evaluation& e) {
    if (is(p, e, Info::kEmpty)) return soc(p, e) - floor(p, e) - kHysteresis;
    return converted(p, e) > 0.0 ? floor(p, e) - soc(p, e) : kNothing;
  }
  static double fullMargin(const Instance& p, const Evaluation& e) {
    if (is(p, e, Info::kFull)) return p.soc_max - kHysteresis - soc(p, e);
    return converted(p, e) < 0.0 ? soc(p, e) - p.soc_max : kNothing;
  }
  static double overloadMargin(const Instance& p, const Evaluation& e) {
    return forms(p, e) ? std::abs(formed(p, e)) / p.rating - 1.0 - kBeyondRating : kNothing;
  }
  static double watch(std::size_t, const Instance& p, const KernelSet<Bess>&, const Evaluation& e) {
    if (waits(p, e) != (held(p, e, Info::kDeadSince) != kNotDue)) return kDueNow;
    if (is(p, e, Info::kForms) && (!mayForm(p, e) || otherSource(p, e))) return kDueNow;
    if (is(p, e, Info::kOverloaded) && otherSource(p, e)) return kDueNow;
    return std::max({emptyMargin(p, e), fullMargin(p, e), overloadMargin(p, e)});
  }
  static double nextMoment(std::size_t, const Instance& p, const KernelSet<Bess>&, const Evaluation& e) {
    const double since = held(p, e, Info::kDeadSince);
    return since == kNotDue ? kUnbounded : since + p.transfer;
  }
  static void act(std::size_t i, const Instance& p, const KernelSet<Bess>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events);
  static bool solves(std::size_t k, const Instance& p) { return k != Info::kReactive || p.phased; }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Bess>& set,
                       const Evaluation& e);
};

Bess::Instance Bess::bind(std::size_t i, const InstanceDescription& d, KernelSet<Bess>& set, Binder& b) {
  Instance p{};
  p.self = i;
  p.set = &set;
  p.system = &b.system();
  p.rows = {lossRow(i, b), set.yIndex(Info::kCharge, i), set.yIndex(Info::kStored, i), set.yIndex(Info::kDelivered, i)};
  for (std::size_t k = 0; k < Info::kStateCount; ++k) b.capacity(set.yIndex(k, i), 1.0);
  p.rating = d.number("rating");
  p.energy = d.number("energy");
  p.discharge = d.number("converter_efficiency") * d.number("discharge_efficiency");
  p.charge = d.number("converter_efficiency") * d.number("charge_efficiency");
  p.soc_min = d.number("soc_min");
  p.soc_max = d.number("soc_max");
  p.reserve = d.number("reserve");
  p.initial_soc = d.number("initial_soc");
  p.soc_target = d.number("soc_target") > 0.0 ? d.number("soc_target") : p.soc_max;
  p.return_time = d.number("soc_return_time");
  p.response = d.number("response_time");
  p.ramp = d.number("ramp");
  p.set_point = d.number("power");
  p.reactive = d.number("reactive_power");
  p.limit = d.number("limit");
  p.smoothing = d.number("smoothing_time");
  p.grid_ramp = d.number("grid_ramp");
  p.recharge = d.number("recharge_power") > 0.0 ? d.number("recharge_power") : kRechargeShare * p.rating;
  p.transfer = d.number("transfer_time");
  p.standing = d.number("standing_power");
  const std::string& dispatch = d.text("dispatch");
  p.dispatch = dispatch == "set_point"      ? Dispatch::set_point
               : dispatch == "peak_shaving" ? Dispatch::peak_shaving
               : dispatch == "smoothing"    ? Dispatch::smoothing
               : dispatch == "ramp_limit"   ? Dispatch::ramp_limit
               : dispatch == "backup"       ? Dispatch::backup
                                            : Dispatch::idle;
  if (b.hasPort(i, "measures")) bindMeasured(i, d, b, p);
  const auto refuse = [&](const char* name, const std::string& what, const char* remedy) {
    b.problems().error(d.parameters.at(name).where, "'" + d.id + "' " + what, remedy);
  };
  if (p.soc_min + p.reserve >= p.soc_max)
    refuse("soc_max", "has soc_min and reserve up to its soc_max", "leave energy between them");
  if (p.initial_soc > p.soc_max || p.soc_target > p.soc_max)
    refuse("soc_max", "has an initial_soc or soc_target above its soc_max", "give them within soc_min and soc_max");
  if (std::abs(p.set_point) > p.rating) refuse("power", "has a power above its rating", "give at most its rating");
  const bool acts_on =
      p.dispatch == Dispatch::peak_shaving || p.dispatch == Dispatch::smoothing || p.dispatch == Dispatch::ramp_limit;
  if (acts_on && !b.hasPort(i, "measures"))
    refuse("dispatch", "acts on a power and measures none", "write `measures: GRID.power`");
  if (p.dispatch == Dispatch::peak_shaving && p.limit == 0.0)
    refuse("dispatch", "shaves peaks and has no limit", "give `limit`, a power");
  if (p.dispatch == Dispatch::ramp_limit && p.grid_ramp == 0.0)
    refuse("dispatch", "holds a ramp and has none", "give `grid_ramp`, a power over a time");
  bindForming(i, d, b, p);
  return p;
}

/// A power, or a sensor of one: sensors may not be bound yet, so what they read is followed by name.
void Bess::bindMeasured(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
  constexpr int kMostSensors = 8;  // one behind the other; more is a ring
  const std::string& address = d.ports.at("measures").at(0);
  p.measured = b.signal(i, address);
  SignalAddress at = p.measured;
  for (int k = 0; k < kMostSensors && at.set != nullptr && at.set->info().signals[at.signal].by_instance; ++k) {
    if (at.set->info().name != "sensor") break;
    at = b.signal(i, at.set->description(at.instance).text("measures"));
  }
  if (at.set == nullptr) return;  // told by the binder
  const SignalInfo& info = at.set->info().signals[at.signal];
  if (!info.by_instance && info.quantity == Quantity::power) return;
  const auto mark = d.port_marks.find("measures");
  b.problems().error(mark == d.port_marks.end() ? d.where : mark->second,
                     "'" + d.id + "' measures '" + address + "', which is no power",
                     "name a power, or a sensor of one, as in `measures: GRID.power`");
}

void Bess::bindForming(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
  constexpr std::ptrdiff_t kSource = -1;
  constexpr double kFaultCurrent = 1.2;  // of rated; engineering estimate of converters
  const auto bus = b.bus(i, "to");
  p.bus = static_cast<std::size_t>(bus);
  p.phased = b.phased(bus);
  if (!p.phased) {
    p.link = b.link(kSource, bus, i, p.rating);
    return;
  }
  p.voltage = b.nominalVoltage(bus);
  const Complex z = {0.0, d.number("reactance") * p.voltage * p.voltage / p.rating};
  const double most = kFaultCurrent * p.rating / (std::sqrt(3.0) * p.voltage);
  const Infeed infeed{.kind = Infeed::Kind::limited, .greatest_current = most, .least_current = most};
  for (std::size_t k = 0; k < kPhases; ++k)
    p.source[k] = b.source(
        i, {.name = d.id, .from = kEarth, .to = b.conductor(bus, k), .impedance = z, .infeed = infeed}, kSource);
}

void Bess::act(std::size_t i, const Instance& p, const KernelSet<Bess>& set, const Evaluation& e, State& s,
               std::vector<Occurrence>& events) {
  const std::string& id = set.ids()[i];
  const auto put = [&](std::size_t discrete, double value) {
    set.z(s, discrete, i) = value;
    ++s.topology;
  };
  const auto tell = [&](const char* cause, const char* text) { events.push_back({id, id, cause, text}); };
  const double since = set.z(s, Info::kDeadSince, i);
  const bool other = otherSource(p, e);  // of before what follows
  if (emptyMargin(p, e) >= 0.0) {
    const bool ends = !is(p, e, Info::kEmpty);
    put(Info::kEmpty, ends ? 1.0 : 0.0);
    if (ends) {
      set.z(s, Info::kEndedAt, i) = e.t;
      tell("its energy is used", "gives nothing more");
    }
    if (ends && is(p, e, Info::kForms)) put(Info::kForms, 0.0);
  } else if (overloadMargin(p, e) >= 0.0) {
    put(Info::kOverloaded, 1.0);
    put(Info::kForms, 0.0);
    tell("load above its rating", "no longer forms the grid");
  } else if (is(p, e, Info::kForms) && (!mayForm(p, e) || other)) {
    put(Info::kForms, 0.0);
    tell(other ? "another source feeds its bus" : "out of service or another dispatch", "no longer forms the grid");
  } else if (waits(p, e) != (since != kNotDue)) {
    put(Info::kDeadSince, waits(p, e) ? e.t : kNotDue);
  } else if (since != kNotDue && since + p.transfer <= e.t + kTimeTolerance) {
    put(Info::kDeadSince, kNotDue);
    put(Info::kForms, 1.0);
    tell("its bus is dead", "forms the grid");
  } else if (is(p, e, Info::kOverloaded) && other) {
    put(Info::kOverloaded, 0.0);
  }
  if (fullMargin(p, e) >= 0.0) {
    const bool ends = !is(p, e, Info::kFull);
    put(Info::kFull, ends ? 1.0 : 0.0);
    if (ends) tell("it is full", "takes nothing more");
  }
}

double Bess::signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Bess>&, const Evaluation& e) {
  const Complex all = given(p, e);
  const double out = all.real();
  switch (k) {
    case Info::kPower:
      return out;
    case Info::kReactive:
      return all.imag();
    case Info::kSoc:
      return soc(p, e);
    case Info::kEnergy:
      return std::max(soc(p, e) - p.soc_min, 0.0) * p.energy;
    case Info::kLoss:
      return drawn(p, converted(p, e)) - out;
    case Info::kLoading:
      return std::abs(all) / p.rating;
    case Info::kTargetSignal:
      return forms(p, e) ? out : held(p, e, Info::kTarget);
    case Info::kDispatchSignal:
      return held(p, e, Info::kDispatch);
    case Info::kGridForming:
      return forms(p, e) ? 1.0 : 0.0;
    case Info::kAutonomy:
      return autonomy(p, e);
    case Info::kEmptySignal:
      return held(p, e, Info::kEmpty);
    case Info::kEndedAtSignal:
      return held(p, e, Info::kEndedAt);
    default:
      return e.y[p.rows[3]];
  }
}

class BessSet final : public KernelSet<Bess>, public Metered {
 public:
  using KernelSet<Bess>::KernelSet;
  /// Its converter follows what it measures faster than a second: in a window it decides at each sample of that.
  void measure(const Evaluation& e, State& s, double period) const override {
    std::vector<Occurrence> none;
    for (std::size_t i = 0; period > 0.0 && i < size(); ++i)
      if (Bess::actsOnMeasured(instance(i), e)) Bess::sample(i, instance(i), *this, e, s, none);
  }
  double longestPeriod(std::size_t) const override { return kUnbounded; }
  double storeOutput(const Evaluation& e) const override {
    double sum = 0.0;
    if (!e.steady_search)
      for (std::size_t i = 0; i < size(); ++i) sum += Bess::power(instance(i), e);
    return sum;
  }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    const Bess::Instance& p = instance(i);
    if (verb == "set") {
      if (!(std::abs(value) <= p.rating)) {
        reason = "its power must be within its rating, in either direction";
        return false;
      }
      z(s, Info::kSetPoint, i) = value;
      return go(s, i, Dispatch::set_point);
    }
    if (verb == "idle") return go(s, i, Dispatch::idle);
    if (verb == "backup") return go(s, i, Dispatch::backup);
    const bool shaves = verb == "peak_shaving", smooths = verb == "smoothing", ramps = verb == "ramp_limit";
    if (shaves || smooths || ramps) {
      if (p.measured.set == nullptr || (shaves && p.limit == 0.0) || (ramps && p.grid_ramp == 0.0)) {
        reason = p.measured.set == nullptr ? "it measures no power: give `measures`"
                 : shaves                  ? "it has no `limit`"
                                           : "it has no `grid_ramp`";
        return false;
      }
      return go(s, i, shaves ? Dispatch::peak_shaving : smooths ? Dispatch::smoothing : Dispatch::ramp_limit);
    }
    return KernelSet<Bess>::command(s, i, verb, value, reason);
  }

 private:
  bool go(State& s, std::size_t i, Dispatch next) const {
    z(s, Info::kDispatch, i) = static_cast<double>(next);
    z(s, Info::kSampledAt, i) = kNotDue;
    ++s.topology;
    return true;
  }
};

}  // namespace

RegisteredClass bessClass() {
  return {&BessInfo::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<BessSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
