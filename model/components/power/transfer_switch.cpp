// Transfer switch: static (STS) or with contacts (ATS), between two sources. Equations: transfer_switch.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/transfer_switch_info.hpp"

namespace podtwin {

namespace {

constexpr double kTimeTolerance = 1e-9;  // s

struct TransferSwitch : TransferSwitchInfo {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t self = 0;
    const KernelSet<TransferSwitch>* set = nullptr;
    std::array<Branch, kSources> way;  // from each source
    std::array<std::size_t, kSources> bus{};
    double rating = 1.0, ampere_per_watt = 0.0;
    double undervoltage = 0.0, sense = 0.0, accept = 0.0, retransfer = 0.0, gap = 0.0, window = 0.0, break_time = 0.0;
    const ComponentSet* reserve = nullptr;  ///< null: none is looked at
    std::size_t reserve_instance = 0, reserve_loading = 0;
    double reserve_rating = 0.0, transfer_limit = 1.0, priority = 1.0;
    bool returns = true, joins = false;
    double initially = 1.0;
  };
  static const ClassInfo& info() { return table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<TransferSwitch>& set, Binder& b) {
    Instance p{};
    p.self = i;
    p.set = &set;
    p.rows = {lossRow(i, b)};
    p.rating = d.number("rating");
    p.ampere_per_watt = 1.0 / (std::numbers::sqrt3 * d.number("voltage"));
    const bool is_static = d.text("kind") == "static";
    constexpr double kStaticTransfer = 4e-3, kContactTransfer = 0.1,
                     kContactSense = 0.5;  // s; sources at the parameters
    p.gap = d.number("transfer_time") > 0.0 ? d.number("transfer_time")
            : is_static                     ? kStaticTransfer
                                            : kContactTransfer;
    p.sense = d.number("sense_time") >= 0.0 ? d.number("sense_time") : is_static ? 0.0 : kContactSense;
    p.undervoltage = d.number("undervoltage");
    p.accept = d.number("accept_time");
    p.retransfer = d.number("retransfer_time");
    p.returns = d.text("retransfer") == "automatic";
    p.joins = d.text("transition") == "closed";
    p.window = d.number("phase_window");
    p.break_time = d.number("break_time");
    const std::string& initially = d.text("initially");
    p.initially = initially == "alternate" ? 2.0 : initially == "open" ? 0.0 : 1.0;
    bindReserve(i, d, b, p);
    const auto to = b.bus(i, "to");
    const std::array<const char*, kSources> names{"preferred", "alternate"};
    for (std::size_t k = 0; k < kSources; ++k) {
      const auto from = b.bus(i, names[k]);
      p.bus[k] = static_cast<std::size_t>(from);
      if (from == to)
        b.problems().error(d.where, "'" + d.id + "' has the bus it feeds as its " + names[k] + " source",
                           "name a bus above it");
      if (b.phased(from) && b.phased(to))
        bindPoles(i, d, b, from, to, k, p.way[k]);
      else
        p.way[k].link = b.link(from, to, i, p.rating / p.ampere_per_watt, 0.0, k);
    }
    if (p.bus[0] == p.bus[1])
      b.problems().error(d.where, "'" + d.id + "' has one bus as both of its sources", "name two buses");
    return p;
  }
  static void bindReserve(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
    p.transfer_limit = d.number("transfer_limit");
    p.priority = d.number("priority");
    if (b.portCount(i, "reserve") == 0) {
      for (const char* name : {"transfer_limit", "priority"})
        if (const auto& given = d.parameters.at(name); given.given)
          b.problems().error(given.where, "'" + d.id + "' has " + name + " and no reserve",
                             "name the equipment that its alternate source has, `reserve: UPS-C`, or leave it out");
      return;
    }
    const auto [set, k] = b.member(i, "reserve", 0);
    if (set == nullptr) return;
    const auto& signals = set->info().signals;
    const auto found =
        std::find_if(signals.begin(), signals.end(), [](const SignalInfo& s) { return s.name == "loading"; });
    const InstanceDescription& reserve = set->description(k);
    const auto rating = reserve.parameters.find("rating");
    const auto& parameters = set->info().parameters;
    const auto declared = std::find_if(parameters.begin(), parameters.end(),
                                       [](const ParameterInfo& one) { return one.name == "rating"; });
    const bool in_watts = declared != parameters.end() && declared->quantity == Quantity::power;
    if (found == signals.end() || rating == reserve.parameters.end() || !in_watts) {
      b.problems().error(
          d.where, "'" + d.id + "' has '" + reserve.id + "' as its reserve, which has no loading of a rating in W",
          "name a ups, generator or transformer");
      return;
    }
    p.reserve = set;
    p.reserve_instance = k;
    p.reserve_loading = static_cast<std::size_t>(found - signals.begin());
    p.reserve_rating = reserve.number("rating");
  }
  static void bindPoles(std::size_t i, const InstanceDescription& d, Binder& b, std::ptrdiff_t from, std::ptrdiff_t to,
                        std::size_t part, Branch& way) {
    std::vector<std::size_t> begin, end;
    for (std::size_t k = 0; k < kConductors; ++k) {
      begin.push_back(b.conductor(from, k));
      end.push_back(b.conductor(to, k));
      way.from_place[k] = static_cast<std::ptrdiff_t>(k);
      way.to_place[k] = static_cast<std::ptrdiff_t>(kConductors + k);
    }
    const Eigen::MatrixXcd z =
        d.number("resistance") *
        Eigen::MatrixXcd::Identity(static_cast<Eigen::Index>(kConductors), static_cast<Eigen::Index>(kConductors));
    way.phased = true;
    way.element = b.element(i, lineElement(d.id, begin, end, z, {}), false, part);
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<TransferSwitch>& set, State& s, double) {
    set.z(s, kPosition, i) = p.initially;
  }
  static double held(const Instance& p, const Evaluation& e, std::size_t discrete) {
    return p.set->z(e, discrete, p.self);
  }
  static bool closes(std::size_t i, const Instance& p, const KernelSet<TransferSwitch>& set, const Evaluation& e,
                     std::size_t part) {
    return set.available(e, i) && held(p, e, kPosition) == static_cast<double>(part + 1);
  }
  static bool sound(const Instance& p, const Evaluation& e, std::size_t k) {
    const std::size_t bus = p.bus[k];
    if (e.energised[bus] == 0) return false;
    if (!p.way[k].phased) return true;
    return e.phasor.electrical->leastVoltage(e, bus) >= p.undervoltage;
  }
  static bool inPhase(const Instance& p, const Evaluation& e) {
    return std::abs(std::remainder(held(p, e, kAngle), 2.0 * std::numbers::pi)) <= p.window;
  }
  static bool acts(const Instance& p, const Evaluation& e) {
    return !e.steady_search && held(p, e, kInService) != 0.0 && held(p, e, kTripped) == 0.0 &&
           held(p, e, kStuck) == 0.0 && p.set->available(e, p.self);
  }
  /// Soundness that its clocks do not know of yet.
  static bool news(const Instance& p, const Evaluation& e) {
    const auto position = static_cast<std::size_t>(held(p, e, kPosition));
    for (std::size_t k = 0; k < kSources; ++k)
      if (sound(p, e, k) != (held(p, e, kSoundSince + k) != kNone)) return true;
    const bool lost = position > 0 && !sound(p, e, position - 1);
    return lost != (held(p, e, kUnsoundSince) != kNone);
  }
  /// Moment [s] at which it starts to change over, and where to; kUnbounded: not by what is known now.
  static std::pair<double, std::size_t> wish(const Instance& p, const Evaluation& e) {
    const auto position = static_cast<std::size_t>(held(p, e, kPosition));
    const bool by_hand = held(p, e, kMode) == 1.0;
    const auto since = [&](std::size_t k) { return held(p, e, kSoundSince + k); };
    if (position == 0) {
      for (std::size_t k = 0; k < kSources; ++k)
        if (since(k) != kNone) return {since(k) + p.accept, k + 1};
      return {kUnbounded, 0};
    }
    const std::size_t other = kSources - position;  // index of the other source
    if (held(p, e, kUnsoundSince) != kNone && since(other) != kNone)
      return {std::max(held(p, e, kUnsoundSince) + p.sense, since(other) + p.accept), other + 1};
    if (position == kSources && p.returns && !by_hand && since(0) != kNone) return {since(0) + p.retransfer, 1};
    return {kUnbounded, 0};
  }
  static bool inhibited(const Instance& p, const Evaluation& e) { return held(p, e, kInhibited) != 0.0; }
  /// Whether it wants its alternate source now, because its own is not sound.
  static bool asks(const Instance& p, const Evaluation& e) {
    const auto [moment, where] = wish(p, e);
    return acts(p, e) && p.reserve != nullptr && held(p, e, kTarget) == 0.0 && held(p, e, kPosition) != 2.0 &&
           where == kSources && moment <= e.t + kTimeTolerance;
  }
  static bool sameReserve(const Instance& p, const Instance& q) {
    return q.reserve == p.reserve && q.reserve_instance == p.reserve_instance;
  }
  /// Loading of the reserve with what has been given to it, with switches that go before it, and with its own load.
  /// `now`: the state or evaluation that says what others have decided by now.
  template <class Held>
  static double loadingWithIt(const Instance& p, const Evaluation& e, const Held& now) {
    const double limit = p.transfer_limit * p.reserve_rating;
    double load = p.reserve->signalOf(e, p.reserve_loading, p.reserve_instance) * p.reserve_rating;
    std::vector<const Instance*> asking;
    for (std::size_t j = 0; j < p.set->size(); ++j) {
      const Instance& q = p.set->instance(j);
      if (!sameReserve(p, q)) continue;
      const bool going = now.z[p.set->zIndex(kTarget, j)] == 2.0, there = now.z[p.set->zIndex(kPosition, j)] == 2.0;
      const bool counted = held(q, e, kPosition) == 2.0 && sound(q, e, 1);
      if (counted) load -= power(q, e);
      if (going || there) load += now.z[p.set->zIndex(kKnownLoad, j)];
      if (j != p.self && !going && !there && asks(q, e) &&
          (q.priority < p.priority || (q.priority == p.priority && j < p.self)))
        asking.push_back(&q);
    }
    std::stable_sort(asking.begin(), asking.end(),
                     [](const Instance* a, const Instance* b) { return a->priority < b->priority; });
    for (const Instance* q : asking)
      if (load + held(*q, e, kKnownLoad) <= limit) load += held(*q, e, kKnownLoad);
    return (load + held(p, e, kKnownLoad)) / p.reserve_rating;
  }
  static double watch(std::size_t, const Instance& p, const KernelSet<TransferSwitch>&, const Evaluation& e) {
    constexpr double kDueNow = 1.0, kNothing = -1.0;
    if (!acts(p, e)) return kNothing;
    if (news(p, e)) return kDueNow;
    if (!inhibited(p, e)) return kNothing;
    return !asks(p, e) ? kDueNow : p.transfer_limit - loadingWithIt(p, e, e);
  }
  /// What it delivers while its source is sound is what it would bring to the other one.
  static void sample(std::size_t i, const Instance& p, const KernelSet<TransferSwitch>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>&) {
    const auto position = static_cast<std::size_t>(held(p, e, kPosition));
    if (p.reserve != nullptr && position > 0 && sound(p, e, position - 1)) set.z(s, kKnownLoad, i) = power(p, e);
  }
  static bool watching(std::size_t, const Instance& p, const KernelSet<TransferSwitch>&, const Evaluation& e) {
    // A voltage that sinks slowly, as a generator's, is looked at within steps as well.
    return acts(p, e) && p.way[0].phased && held(p, e, kTarget) != 0.0;
  }
  static double nextMoment(std::size_t, const Instance& p, const KernelSet<TransferSwitch>&, const Evaluation& e) {
    if (!acts(p, e)) return kUnbounded;
    if (held(p, e, kTarget) != 0.0) return held(p, e, kDue);
    return inhibited(p, e) ? kUnbounded : wish(p, e).first;
  }
  static void act(std::size_t i, const Instance& p, const KernelSet<TransferSwitch>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events) {
    if (!acts(p, e)) return;
    const std::string& id = set.ids()[i];
    const auto tell = [&](const std::string& cause, const std::string& text) {
      events.push_back({id, id, cause, text});
    };
    const auto nameOf = [](double position) {
      return std::string(position == 1.0 ? "preferred source" : "alternate source");
    };
    if (news(p, e)) {
      const auto position = static_cast<std::size_t>(held(p, e, kPosition));
      for (std::size_t k = 0; k < kSources; ++k) {
        double& since = set.z(s, kSoundSince + k, i);
        if (const bool now = sound(p, e, k); now != (since != kNone)) since = now ? e.t : kNone;
      }
      double& since = set.z(s, kUnsoundSince, i);
      const bool lost = position > 0 && !sound(p, e, position - 1);
      if (lost != (since != kNone)) since = lost ? e.t : kNone;
      return;
    }
    double& position = set.z(s, kPosition, i);
    double &target = set.z(s, kTarget, i), &due = set.z(s, kDue, i);
    const auto arrive = [&](const std::string& cause) {
      position = target;
      target = 0.0;
      due = kNone;
      set.z(s, kUnsoundSince, i) = kNone;
      set.z(s, kTransfers, i) += 1.0;
      ++s.topology;
      tell(cause, "on the " + nameOf(position));
    };
    if (target != 0.0) {
      if (due > e.t + kTimeTolerance) return;
      if (sound(p, e, static_cast<std::size_t>(target) - 1)) {
        arrive("transfer");
      } else {
        target = 0.0;
        due = kNone;
        tell("the other source is not sound any more", "stays open");
      }
      return;
    }
    if (!admitted(i, p, set, e, s, tell)) return;
    const auto [moment, where] = wish(p, e);
    if (where == 0 || moment > e.t + kTimeTolerance) return;
    const std::string cause = position == 0.0                       ? "a source is sound"
                              : set.z(s, kUnsoundSince, i) != kNone ? nameOf(position) + " is not sound"
                                                                    : "the preferred source is back";
    leave(i, p, set, e.t, where, inPhase(p, e), cause, s, events);
  }
  /// Whether its reserve takes its load; tells when it begins to stay because it does not, and when that is over.
  template <class Tell>
  static bool admitted(std::size_t i, const Instance& p, const KernelSet<TransferSwitch>& set, const Evaluation& e,
                       State& s, const Tell& tell) {
    double& stays = set.z(s, kInhibited, i);
    if (!asks(p, e)) {
      stays = 0.0;
      return true;
    }
    const double loading = loadingWithIt(p, e, s);
    if (loading <= p.transfer_limit) {
      stays = 0.0;
      return true;
    }
    if (stays == 0.0) {
      constexpr double kPerCent = 100.0;
      char cause[160];
      std::snprintf(cause, sizeof cause, "'%s' would be at %.1f %%, above %.1f %%",
                    p.reserve->ids()[p.reserve_instance].c_str(), kPerCent * loading, kPerCent * p.transfer_limit);
      tell(cause, "transfer inhibited: stays without a source");
    }
    stays = 1.0;
    return false;
  }
  /// Opens, to close on source `where` after the gap; without one where it may join both.
  static void leave(std::size_t i, const Instance& p, const KernelSet<TransferSwitch>& set, double t, std::size_t where,
                    bool in_phase, const std::string& cause, State& s, std::vector<Occurrence>& events) {
    const std::string& id = set.ids()[i];
    double& position = set.z(s, kPosition, i);
    const bool from_sound = set.z(s, kUnsoundSince, i) == kNone && position != 0.0;
    if (p.joins && in_phase && from_sound && set.z(s, kSoundSince + where - 1, i) != kNone) {
      position = static_cast<double>(where);
      set.z(s, kTransfers, i) += 1.0;
      ++s.topology;
      events.push_back(
          {id, id, cause,
           where == 1 ? "on the preferred source, without a gap" : "on the alternate source, without a gap"});
      return;
    }
    if (position != 0.0) events.push_back({id, id, cause, "opens"});
    position = 0.0;
    set.z(s, kTarget, i) = static_cast<double>(where);
    set.z(s, kDue, i) = t + (in_phase ? p.gap : std::max(p.gap, p.break_time));
    ++s.topology;
  }
  static double loss(const Instance& p, const Evaluation& e) {
    return branches::loss(p.way[0], e) + branches::loss(p.way[1], e);
  }
  static double power(const Instance& p, const Evaluation& e) {
    return (branches::delivered(p.way[0], e) + branches::delivered(p.way[1], e)).real();
  }
  static double current(const Instance& p, const Evaluation& e) {
    if (!p.way[0].phased) return power(p, e) * p.ampere_per_watt;
    return std::max(branches::greatestCurrent(p.way[0], e), branches::greatestCurrent(p.way[1], e));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(loss(p, e));
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<TransferSwitch>&,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return p.set->available(e, p.self) ? held(p, e, kPosition) : 0.0;
      case 1:
        return power(p, e);
      case 2:
        return loss(p, e);
      case 3:
        return current(p, e);
      case 4:
        return current(p, e) / p.rating;
      case 5:
      case 6:
        return sound(p, e, k - 5) ? 1.0 : 0.0;
      case 7:
        return held(p, e, kTransfers);
      default:
        return held(p, e, kInhibited);
    }
  }
};

class TransferSwitchSet final : public KernelSet<TransferSwitch> {
 public:
  using KernelSet<TransferSwitch>::KernelSet;
  bool closes(const Evaluation& e, std::size_t i, std::size_t part) const override {
    return TransferSwitch::closes(i, instance(i), *this, e, part);
  }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    const TransferSwitch::Instance& p = instance(i);
    if (verb == "transfer") {
      if (!(value == 1.0 || value == 2.0)) {
        reason = "its source is 1, the preferred one, or 2";
        return false;
      }
      z(s, kMode, i) = 1.0;
      if (z(s, kStuck, i) != 0.0 || z(s, kTripped, i) != 0.0 || z(s, TransferSwitch::kPosition, i) == value)
        return true;
      std::vector<Occurrence> events;
      const bool in_phase =
          std::abs(std::remainder(z(s, TransferSwitch::kAngle, i), 2.0 * std::numbers::pi)) <= p.window;
      TransferSwitch::leave(i, p, *this, s.t, static_cast<std::size_t>(value), in_phase, "order", s, events);
      return true;
    }
    if (verb == "shift") {
      if (!std::isfinite(value)) {
        reason = "its angle must be a number";
        return false;
      }
      z(s, TransferSwitch::kAngle, i) = value;
      return true;
    }
    if (verb == "automatic") {
      z(s, kMode, i) = 0.0;
      return true;
    }
    if (verb == "stick") {
      z(s, kStuck, i) = 1.0;
      return true;
    }
    if (verb == "restore") z(s, kMode, i) = 0.0;
    return KernelSet<TransferSwitch>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass transferSwitchClass() {
  return {&TransferSwitchInfo::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<TransferSwitchSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
