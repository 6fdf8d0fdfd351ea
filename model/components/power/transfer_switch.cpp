// Transfer switch: static (STS) or with contacts (ATS), between two sources. Equations: transfer_switch.md.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"

namespace podtwin {

namespace {

constexpr double kNone = -1.0;           // value of a moment that is not set
constexpr double kTimeTolerance = 1e-9;  // s
constexpr std::size_t kSources = 2;

constexpr PortInfo kPorts[] = {
    {.name = "preferred",
     .kind = PortKind::bus,
     .count = PortCount::one,
     .meaning = "bus it takes while that is sound",
     .same_voltage = true},
    {.name = "alternate",
     .kind = PortKind::bus,
     .count = PortCount::one,
     .meaning = "bus it takes otherwise",
     .same_voltage = true},
    {.name = "to", .kind = PortKind::bus, .count = PortCount::one, .meaning = "bus it feeds", .same_voltage = true},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "kind",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "With contacts and a motor, or of thyristors.",
     .source = "automatic: of switchboards",
     .choices = "automatic|static"},
    {.name = "rating",
     .quantity = Quantity::current,
     .low = 1.0,
     .high = 1e5,
     .meaning = "Rated phase current.",
     .source = ""},
    {.name = "transfer_time",
     .quantity = Quantity::time,
     .fallback = 0.0,
     .low = 0.0,
     .high = 60.0,
     .meaning = "From opening to closing on the other source; 0: 4 ms of a static one, 100 ms of contacts.",
     .source = "4 ms and 50 to 200 ms, practice.md section 4"},
    {.name = "undervoltage",
     .quantity = Quantity::ratio,
     .fallback = 0.9,
     .low = 0.1,
     .high = 1.0,
     .meaning = "Of nominal voltage between phases, below which a source is not sound; without voltages a live one is.",
     .source = "engineering estimate: 85 to 92 % in sheets"},
    {.name = "sense_time",
     .quantity = Quantity::time,
     .fallback = kNone,
     .low = kNone,
     .high = 60.0,
     .meaning = "How long its source must be unsound; -1 s: 0 of a static one, 0.5 s of contacts.",
     .source = "engineering estimate: contacts ride over a dip; within the 4 ms of a static one"},
    {.name = "accept_time",
     .quantity = Quantity::time,
     .fallback = 0.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "How long the other source must be sound before it is taken.",
     .source = "0: at once"},
    {.name = "retransfer",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Whether it goes back by itself.",
     .source = "automatic: usual",
     .choices = "automatic|manual"},
    {.name = "retransfer_time",
     .quantity = Quantity::time,
     .fallback = 60.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "How long the preferred source must be sound again before it goes back.",
     .source = "engineering estimate: 1 to 30 min are set"},
    {.name = "transition",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Back with a gap, or joining both sources for a moment where they are in phase.",
     .source = "open: two grids must not be joined without agreement",
     .choices = "open|closed"},
    {.name = "phase_window",
     .quantity = Quantity::angle,
     .fallback = 15.0 * std::numbers::pi / 180.0,
     .low = 0.0,
     .high = std::numbers::pi,
     .meaning = "Of the sources' phases, within which it changes at once.",
     .source = "15 degrees, practice.md section 4"},
    {.name = "break_time",
     .quantity = Quantity::time,
     .fallback = 0.05,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Gap when they are further apart, in place of the transfer time if longer.",
     .source = "10 to 100 ms, practice.md section 4"},
    {.name = "initially",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Source at the start.",
     .source = "preferred",
     .choices = "preferred|alternate|open"},
    {.name = "resistance",
     .quantity = Quantity::resistance,
     .fallback = 30e-6,
     .low = 0.1e-6,
     .high = 1.0,
     .meaning = "Of one closed pole; between buses with voltages.",
     .source = "engineering estimate: contacts of 1,600 A"},
    {.name = "voltage",
     .quantity = Quantity::voltage,
     .fallback = 480.0,
     .low = 50.0,
     .high = 1e5,
     .meaning = "Nominal, between phases, for current where buses carry power alone.",
     .source = "480 V, pod-design section 4"},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"position", Quantity::none, 1.0, "0 between, 1 on the preferred source, 2 on the alternate one."},
    {"target", Quantity::none, 0.0, "Where it is going; 0: nowhere."},
    {"due", Quantity::time, kNone, "When it gets there [s]; -1: it goes nowhere."},
    {"unsound_since", Quantity::time, kNone, "Since when its own source is unsound [s]; -1: it is not."},
    {"sound_since_1", Quantity::time, kNone, "Since when the preferred source is sound [s]; -1: it is not."},
    {"sound_since_2", Quantity::time, kNone, "Likewise of the alternate one."},
    {"transfers", Quantity::none, 0.0, "Times it has changed over."},
    {"angle", Quantity::angle, 0.0, "Phase of the alternate source ahead of the preferred one [rad]."},
};
enum Discrete : std::size_t {
  kPosition = kCommonCount,
  kTarget,
  kDue,
  kUnsoundSince,
  kSoundSince,
  kTransfers = kSoundSince + kSources,
  kAngle
};
constexpr SignalInfo kSignals[] = {
    {"position", Quantity::none, SignalType::integer, "0 between, 1 on the preferred source, 2 on the alternate one."},
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"i", Quantity::current, SignalType::real, "Greatest current of a phase or the neutral."},
    {"loading", Quantity::ratio, SignalType::real, "Current over rating."},
    {"sound_preferred", Quantity::none, SignalType::integer, "1 while the preferred source is sound."},
    {"sound_alternate", Quantity::none, SignalType::integer, "1 while the alternate source is sound."},
    {"transfers", Quantity::none, SignalType::integer, "Times it has changed over."},
};
constexpr CommandInfo kCommands[] = {
    {"transfer", "source", Quantity::none,
     "To source 1, the preferred one, or 2; stays there until told or its source fails."},
    {"shift", "angle", Quantity::angle, "Phase of the alternate source ahead of the preferred one."},
    {"automatic", "", Quantity::none, "Chooses by itself again."},
    {"stick", "", Quantity::none, "The mechanism stays where it is."},
    {"trip", "", Quantity::none, "Opens and stays open until restored."},
    {"restore", "", Quantity::none, "Reset and free; chooses by itself again."},
};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 60.0, "rating", "name plate; 60 s is an estimate"},
                                 {"position", false, 0.5, 1.0, "alarm", "it is on no source"}};
constexpr ClassInfo kInfo{.name = "transfer_switch",
                          .group = "transfer_switch",
                          .title = "Transfer switch",
                          .page = "power/transfer_switch.md",
                          .symbol = "transfer_switch",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .electrical = ElectricalRole::branch};

struct TransferSwitch {
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
    bool returns = true, joins = false;
    double initially = 1.0;
  };
  static const ClassInfo& info() { return kInfo; }
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
  static double watch(std::size_t, const Instance& p, const KernelSet<TransferSwitch>&, const Evaluation& e) {
    constexpr double kDueNow = 1.0, kNothing = -1.0;
    return acts(p, e) && news(p, e) ? kDueNow : kNothing;
  }
  static bool watching(std::size_t, const Instance& p, const KernelSet<TransferSwitch>&, const Evaluation& e) {
    // A voltage that sinks slowly, as a generator's, is looked at within steps as well.
    return acts(p, e) && p.way[0].phased && held(p, e, kTarget) != 0.0;
  }
  static double nextMoment(std::size_t, const Instance& p, const KernelSet<TransferSwitch>&, const Evaluation& e) {
    if (!acts(p, e)) return kUnbounded;
    if (held(p, e, kTarget) != 0.0) return held(p, e, kDue);
    return wish(p, e).first;
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
    const auto [moment, where] = wish(p, e);
    if (where == 0 || moment > e.t + kTimeTolerance) return;
    const std::string cause = position == 0.0                       ? "a source is sound"
                              : set.z(s, kUnsoundSince, i) != kNone ? nameOf(position) + " is not sound"
                                                                    : "the preferred source is back";
    leave(i, p, set, e.t, where, inPhase(p, e), cause, s, events);
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
      default:
        return held(p, e, kTransfers);
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
      if (z(s, kStuck, i) != 0.0 || z(s, kTripped, i) != 0.0 || z(s, kPosition, i) == value) return true;
      std::vector<Occurrence> events;
      const bool in_phase = std::abs(std::remainder(z(s, kAngle, i), 2.0 * std::numbers::pi)) <= p.window;
      TransferSwitch::leave(i, p, *this, s.t, static_cast<std::size_t>(value), in_phase, "order", s, events);
      return true;
    }
    if (verb == "shift") {
      if (!std::isfinite(value)) {
        reason = "its angle must be a number";
        return false;
      }
      z(s, kAngle, i) = value;
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
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<TransferSwitchSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
