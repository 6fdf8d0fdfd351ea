// Emergency power off of a zone. Equations: emergency_power_off.md.
#include <array>

#include "model/components/control/classes.hpp"
#include "model/components/control/held_members.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kNever = -1.0;  // value of next_restore

constexpr PortInfo kPorts[] = {commandedMembers(
    "members",
    "what it switches off: breakers, UPS, racks, drives; pumps stop when they, or what feeds them, are named")};
constexpr ParameterInfo kParameters[] = {
    {.name = "restore_group",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 1,
     .high = 400,
     .meaning = "Members that come back together after its reset, in the order of `members`.",
     .source = "1: one by one"},
    {.name = "restore_interval",
     .quantity = Quantity::time,
     .fallback = 5.0,
     .low = 0.001,
     .high = 3600.0,
     .meaning = "From one group to the next.",
     .source = "engineering estimate: inrush and walk-in of one are over before the next"},
};
constexpr DiscreteInfo kOwnDiscretes[] = {
    {"next_restore", Quantity::time, kNever, "Time of the next group's return [s]; -1: none is under way."},
    {"carried_out", Quantity::none, 0.0, "1: what was pressed has been carried out."},
};
constexpr auto kDiscretes = withHeldMembers(kOwnDiscretes);
enum Discrete : std::size_t { kNextRestore = kCommonCount, kCarriedOut, kFirstHeld };
constexpr SignalInfo kSignals[] = {
    {"pressed", Quantity::none, SignalType::integer, "1 while it is pressed and not reset."},
    {"held_off", Quantity::none, SignalType::integer,
     "Members that it tripped and that are not back: the restart list."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Pressed: every member trips at once."},
    {"restore", "", Quantity::none, "Reset: what it tripped comes back, group by group."},
};
constexpr RefusalInfo kRefusals[] = {{"isolate", "it is a latch; name fewer members instead"}};
constexpr ClassInfo kInfo{.name = "emergency_power_off",
                          .group = "emergency_power_off",
                          .title = "Emergency power off of a zone",
                          .page = "control/emergency_power_off.md",
                          .symbol = "controller",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .refusals = kRefusals};

struct EmergencyPowerOff {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    HeldMembers members;
    std::size_t group;
    double interval;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<EmergencyPowerOff>& set, Binder& b) {
    return {{},
            {},
            HeldMembers::bind(set, i, kFirstHeld, b),
            static_cast<std::size_t>(d.number("restore_group")),
            d.number("restore_interval")};
  }
  static bool pressed(std::size_t i, const KernelSet<EmergencyPowerOff>& set, const Evaluation& e) {
    return set.z(e, kTripped, i) != 0.0;
  }
  /// What it is to do now or next.
  static double nextMoment(std::size_t i, const Instance& p, const KernelSet<EmergencyPowerOff>& set,
                           const Evaluation& e) {
    const bool carried_out = set.z(e, kCarriedOut, i) != 0.0;
    if (e.steady_search) return kUnbounded;
    if (pressed(i, set, e)) return carried_out ? kUnbounded : e.t;
    if (carried_out) return e.t;
    const double next = set.z(e, kNextRestore, i);
    return next != kNever && p.members.any(e) ? next : kUnbounded;
  }
  static void act(std::size_t i, const Instance& p, const KernelSet<EmergencyPowerOff>& set, const Evaluation& e,
                  State& s, std::vector<Occurrence>& events) {
    constexpr double kTolerance = 1e-9;  // s
    if (nextMoment(i, p, set, e) > e.t + kTolerance) return;
    double &carried_out = set.z(s, kCarriedOut, i), &next = set.z(s, kNextRestore, i);
    if (pressed(i, set, e)) {
      carried_out = 1.0;
      next = kNever;
      p.members.trip(s, "emergency power off", events);
      return;
    }
    carried_out = 0.0;
    p.members.release(s, p.group, "emergency power off is reset", events);
    next = p.members.any(e) ? e.t + p.interval : kNever;
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<EmergencyPowerOff>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>& events) {
    if (pressed(i, set, e) && !e.steady_search) p.members.keep(s, "emergency power off is latched", events);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<EmergencyPowerOff>& set,
                       const Evaluation& e) {
    return k == 0 ? (pressed(i, set, e) ? 1.0 : 0.0) : static_cast<double>(p.members.held(e));
  }
};

}  // namespace

RegisteredClass emergencyPowerOffClass() { return {&kInfo, makeKernelSetInto<EmergencyPowerOff, SetList>}; }

}  // namespace podtwin
