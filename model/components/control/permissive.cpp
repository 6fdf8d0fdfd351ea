// Interlock: members may only be on while conditions hold. Equations: permissive.md.
#include <array>

#include "model/base/diagnostics.hpp"
#include "model/components/control/called_unit.hpp"
#include "model/components/control/classes.hpp"
#include "model/components/control/held_members.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kTrue = 0.5;  // a signal of 0 or 1 above it is 1

constexpr PortInfo kPorts[] = {
    commandedMembers("members", "what may only be on while all conditions hold, in the order of its return"),
    {"needs", PortKind::signal, PortCount::many, "conditions: signals that are 1 while they hold, ID.signal"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "trip_delay",
     .quantity = Quantity::time,
     .fallback = 0.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "For how long a condition may be missing.",
     .source = "0: at the next second"},
    {.name = "prove_time",
     .quantity = Quantity::time,
     .fallback = 10.0,
     .low = 0.0,
     .high = 36000.0,
     .meaning = "For how long all conditions must hold before members may be on again.",
     .source = "engineering estimate: flow and pressure have settled"},
    {.name = "release",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Whether members come back by themselves or wait for `restore`.",
     .source = "automatic: an energisation order without operators",
     .choices = "automatic|manual"},
    {.name = "restore_group",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 1,
     .high = 400,
     .meaning = "Members that come back together.",
     .source = "1: one by one"},
    {.name = "restore_interval",
     .quantity = Quantity::time,
     .fallback = 5.0,
     .low = 1.0,
     .high = 3600.0,
     .meaning = "From one group to the next.",
     .source = "engineering estimate: inrush of one is over before the next"},
};
constexpr DiscreteInfo kOwnDiscretes[] = {
    {"permitted", Quantity::none, 1.0, "1: members may be on."},
    {"missing_since", Quantity::time, kNotLasting, "Time since which a condition is missing [s]; -1: none is."},
    {"proven_since", Quantity::time, kNotLasting, "Time since which all conditions hold [s]; -1: they do not."},
    {"first_out", Quantity::none, 0.0, "Number of the condition that was missing first; 0: none."},
    {"released", Quantity::none, 0.0, "1: restored by hand since its trip."},
    {"next_restore", Quantity::time, 0.0, "Time of the next group's return [s]."},
    {"off_since", Quantity::time, kNotLasting, "Time of its last trip [s]; -1: none."},
    {"back_at", Quantity::time, kNotLasting, "Time at which its last member came back after that [s]; -1: not yet."},
};
constexpr auto kDiscretes = withHeldMembers(kOwnDiscretes);
enum Discrete : std::size_t {
  kPermitted = kCommonCount,
  kMissingSince,
  kProvenSince,
  kFirstOut,
  kReleased,
  kNextRestore,
  kOffSince,
  kBackAt,
  kFirstHeld
};
constexpr SignalInfo kSignals[] = {
    {"permitted", Quantity::none, SignalType::integer, "1 while members may be on."},
    {"missing", Quantity::none, SignalType::integer, "Conditions that do not hold."},
    {"first_out", Quantity::none, SignalType::integer,
     "Number of the condition, in the order of `needs`, that was missing first at its last trip; 0: none."},
    {"held_off", Quantity::none, SignalType::integer, "Members that it tripped and that are not back."},
    {"time_off", Quantity::time, SignalType::real, "From its last trip until all members are back, or until now."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Out of action: it neither trips nor restores."},
    {"restore", "", Quantity::none, "In action; with `release: manual` members may come back."},
};
constexpr ClassInfo kInfo{.name = "permissive",
                          .group = "permissive",
                          .title = "Interlock of an energisation order",
                          .page = "control/permissive.md",
                          .symbol = "controller",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct Permissive {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    HeldMembers members;
    std::vector<SignalAddress> needs;
    std::vector<std::string> names;
    double trip_delay, prove_time, interval;
    std::size_t group;
    bool automatic;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Permissive>& set, Binder& b) {
    Instance p{};
    p.members = HeldMembers::bind(set, i, kFirstHeld, b);
    p.trip_delay = d.number("trip_delay");
    p.prove_time = d.number("prove_time");
    p.interval = d.number("restore_interval");
    p.group = static_cast<std::size_t>(d.number("restore_group"));
    p.automatic = d.text("release") == "automatic";
    for (const auto& name : d.ports.at("needs")) {
      const SignalAddress address = b.signal(i, name);
      if (address.set == nullptr) continue;
      if (address.set->info().signals[address.signal].type != SignalType::integer)
        b.problems().error(d.port_marks.at("needs"),
                           "'" + d.id + "' needs '" + name + "', which is a value and not a 0 or 1",
                           "let a process_switch judge it and need that one's `closed`");
      p.needs.push_back(address);
      p.names.push_back(name);
    }
    return p;
  }
  static bool holds(const SignalAddress& a, const Evaluation& e) {
    return a.set->signalOf(e, a.signal, a.instance) > kTrue;
  }
  static std::size_t missing(const Instance& p, const Evaluation& e) {
    std::size_t count = 0;
    for (const auto& need : p.needs)
      if (!holds(need, e)) ++count;
    return count;
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<Permissive>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>& events) {
    if (e.steady_search || !set.available(e, i)) return;
    const auto held = [&](Discrete k) -> double& { return set.z(s, k, i); };
    if (missing(p, e) > 0) {
      held(kProvenSince) = kNotLasting;
      guard(i, p, set, e, s, events);
      return;
    }
    held(kMissingSince) = kNotLasting;
    if (held(kPermitted) == 0.0) prove(i, p, set, e, s, events);
    if (held(kPermitted) != 0.0) bringBack(i, p, set, e, s, events);
  }
  static void guard(std::size_t i, const Instance& p, const KernelSet<Permissive>& set, const Evaluation& e, State& s,
                    std::vector<Occurrence>& events) {
    const auto held = [&](Discrete k) -> double& { return set.z(s, k, i); };
    if (held(kPermitted) == 0.0) {
      p.members.keep(s, "refused: " + firstMissing(p, e) + " is missing", events);
      return;
    }
    if (held(kMissingSince) == kNotLasting) {
      std::size_t first = 0;
      while (holds(p.needs[first], e)) ++first;
      held(kFirstOut) = static_cast<double>(first + 1);
    }
    if (!lasted(held(kMissingSince), e.t, p.trip_delay)) return;
    held(kPermitted) = held(kReleased) = 0.0;
    held(kOffSince) = e.t;
    held(kBackAt) = kNotLasting;
    const std::string cause = p.names[static_cast<std::size_t>(held(kFirstOut)) - 1] + " is missing";
    events.push_back({set.ids()[i], set.ids()[i], cause, "permission withdrawn"});
    p.members.trip(s, cause, events);
  }
  static std::string firstMissing(const Instance& p, const Evaluation& e) {
    for (std::size_t k = 0; k < p.needs.size(); ++k)
      if (!holds(p.needs[k], e)) return p.names[k];
    return {};
  }
  static void prove(std::size_t i, const Instance& p, const KernelSet<Permissive>& set, const Evaluation& e, State& s,
                    std::vector<Occurrence>& events) {
    const bool proven = lasted(set.z(s, kProvenSince, i), e.t, p.prove_time);
    if (!proven || (!p.automatic && set.z(s, kReleased, i) == 0.0)) {
      p.members.keep(s, proven ? "refused: it waits for `restore`" : "refused: conditions are not proven yet", events);
      return;
    }
    set.z(s, kPermitted, i) = 1.0;
    set.z(s, kNextRestore, i) = e.t;
    events.push_back({set.ids()[i], set.ids()[i], "all conditions are proven", "permission given"});
  }
  static void bringBack(std::size_t i, const Instance& p, const KernelSet<Permissive>& set, const Evaluation& e,
                        State& s, std::vector<Occurrence>& events) {
    constexpr double kTolerance = 1e-9;  // s
    double &back = set.z(s, kBackAt, i), &next = set.z(s, kNextRestore, i);
    if (set.z(s, kOffSince, i) == kNotLasting || back != kNotLasting || e.t < next - kTolerance) return;
    p.members.release(s, p.group, "all conditions are proven", events);
    next = e.t + p.interval;
    if (!p.members.any(e)) {
      back = e.t;
      events.push_back({set.ids()[i], set.ids()[i], "last group", "all members may be on"});
    }
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Permissive>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return set.z(e, kPermitted, i);
      case 1:
        return static_cast<double>(missing(p, e));
      case 2:
        return set.z(e, kFirstOut, i);
      case 3:
        return static_cast<double>(p.members.held(e));
      default: {
        const double since = set.z(e, kOffSince, i), back = set.z(e, kBackAt, i);
        return since == kNotLasting ? 0.0 : (back == kNotLasting ? e.t : back) - since;
      }
    }
  }
};

class PermissiveSet final : public KernelSet<Permissive> {
 public:
  using KernelSet<Permissive>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "restore") z(s, kReleased, i) = 1.0;
    return KernelSet<Permissive>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass permissiveClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<PermissiveSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
