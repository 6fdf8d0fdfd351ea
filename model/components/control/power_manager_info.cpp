// The tables of power_manager and of the loads it manages.
#include "model/components/control/power_manager_info.hpp"

#include "model/components/control/called_unit.hpp"

namespace podtwin {

namespace {

constexpr std::string_view kPaths = "practice.md section 4 (practice, to verify)";
constexpr ParameterInfo kParameters[] = {
    {.name = "least",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::power,
     .low = 1.0,
     .high = 1e9,
     .meaning = "Power a load is left with at the least: one value a step, of `first`, `second`, `third`.",
     .source = ""},
    {.name = "target",
     .quantity = Quantity::ratio,
     .fallback = 0.98,
     .low = 0.5,
     .high = 1.0,
     .meaning = "Of rating, to which equipment above its rating is brought.",
     .source = "engineering estimate: losses and the next sample stay below 100 %"},
    {.name = "hysteresis",
     .quantity = Quantity::ratio,
     .fallback = 0.01,
     .low = 0.001,
     .high = 0.2,
     .meaning = "Of rating below `target`, up to which power is given back.",
     .source = "engineering estimate"},
    {.name = "network_time",
     .quantity = Quantity::time,
     .fallback = 10.0,
     .low = 0.0,
     .high = 600.0,
     .meaning = "Until a cap that goes over the network is in force.",
     .source = kPaths},
    {.name = "limit_time",
     .quantity = Quantity::time,
     .fallback = 0.5,
     .low = 0.0,
     .high = 60.0,
     .meaning = "Until a cap by the on-GPU limit is in force.",
     .source = kPaths},
    {.name = "brake_time",
     .quantity = Quantity::time,
     .fallback = 0.03,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Until the hardware brake is in force.",
     .source = kPaths},
    {.name = "brake_share",
     .quantity = Quantity::ratio,
     .fallback = 0.5,
     .low = 0.05,
     .high = 1.0,
     .meaning = "Of its power, to which the brake holds a load that has no verb `brake` of its own.",
     .source = "practice.md section 4: clocks at least halved"},
    {.name = "overload_time",
     .quantity = Quantity::time,
     .fallback = 60.0,
     .low = 0.01,
     .high = 86400.0,
     .meaning = "How long equipment that tells no time to trip may stay above its rating.",
     .source = "60 s as of the ratings of busways and lines (estimate)"},
    {.name = "settle_time",
     .quantity = Quantity::time,
     .fallback = 2.0,
     .low = 0.001,
     .high = 600.0,
     .meaning = "From a cap in force to the next look at loadings.",
     .source = "two samples (engineering estimate)"},
    {.name = "restore_delay",
     .quantity = Quantity::time,
     .fallback = 60.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "How long there must be room before power is given back.",
     .source = "engineering estimate"},
    {.name = "restore_ramp",
     .quantity = Quantity::power_rate,
     .fallback = 1000.0,
     .low = 1.0,
     .high = 1e9,
     .meaning = "Power a load is given back a second.",
     .source = "engineering estimate"},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"state", Quantity::none, 0.0, "0 normal, 1 acting, 2 holding, 3 restoring, 4 cannot keep."},
    {"look_at", Quantity::time, kNotLasting, "When it looks at loadings again [s]; -1: at the next sample."},
    {"room_since", Quantity::time, kNotLasting, "Since when power could be given back [s]; -1: it could not."},
    {"actions", Quantity::none, 0.0, "How often it has sent caps."},
    {"short", Quantity::none, 0.0, "Equipment that it cannot keep."},
};
constexpr SignalInfo kSignals[] = {
    {"state", Quantity::none, SignalType::integer, "0 normal, 1 acting, 2 holding, 3 restoring, 4 cannot keep."},
    {"worst_loading", Quantity::ratio, SignalType::real, "Greatest loading over rating of what feeds its loads."},
    {"withheld", Quantity::power, SignalType::real, "Power that its loads would take and may not."},
    {"capped", Quantity::none, SignalType::integer, "Loads under a cap of its."},
    {"actions", Quantity::none, SignalType::integer, "How often it has sent caps."},
    {"cannot_keep", Quantity::none, SignalType::integer, "Equipment above its rating with every load at its least."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "It fails: caps stay as they are."},
    {"restore", "", Quantity::none, "Works again."},
};
constexpr PortInfo kManagerPorts[] = {
    commandedMembers("first", "loads that are capped first, down to the first value of `least`"),
    commandedMembers("second", "loads capped once every one of `first` is at its least"),
    commandedMembers("third", "loads capped once every one of `second` is at its least"),
    {.name = "deaf",
     .kind = PortKind::member,
     .count = PortCount::many,
     .meaning = "loads of these that the network path does not reach"},
};
constexpr ClassInfo kManager{.name = "power_manager",
                             .group = "power_manager",
                             .title = "Power manager: caps loads to keep what feeds them within rating",
                             .page = "control/power_manager.md",
                             .symbol = "controller",
                             .ports = kManagerPorts,
                             .parameters = kParameters,
                             .discretes = kDiscretes,
                             .signals = kSignals,
                             .commands = kCommands};

constexpr DiscreteInfo kLoadDiscretes[] = {
    {"cap", Quantity::power, 0.0, "Cap in force [W]; 0: none."},
    {"asked", Quantity::power, 0.0, "Cap on its way [W]."},
    {"due", Quantity::time, kNotLasting, "When that comes into force [s]; -1: none is on its way."},
    {"brake_due", Quantity::time, kNotLasting, "When the brake comes into force [s]; -1: none is on its way."},
    {"demand", Quantity::power, 0.0, "Power before it was capped [W]."},
    {"unheard", Quantity::none, 0.0, "1: a cap over the network has not reached it."},
};
constexpr SignalInfo kLoadSignals[] = {
    {"cap", Quantity::power, SignalType::real, "Cap in force; 0: none."},
    {"withheld", Quantity::power, SignalType::real, "Power that it took before it was capped, less what it takes."},
    {"spare", Quantity::power, SignalType::real, "What it could take more with all that feeds it within `target`."},
};
constexpr RefusalInfo kLoadRefusals[] = {
    {"trip", "it is a row in its manager's list: ask the load, or the manager"},
    {"isolate", "it is a row in its manager's list: ask the load, or the manager"},
    {"restore", "it is a row in its manager's list: ask the load, or the manager"},
    {"stick", "it is a row in its manager's list: ask the load, or the manager"},
    {"open", "it is a row in its manager's list: ask the load, or the manager"},
    {"close", "it is a row in its manager's list: ask the load, or the manager"},
    {"set", "it is a row in its manager's list: ask the load, or the manager"},
    {"automatic", "it is a row in its manager's list: ask the load, or the manager"},
};
constexpr ClassInfo kLoad{.name = "managed_load",
                          .group = "managed_load",
                          .title = "Load of a power manager",
                          .page = "control/power_manager.md",
                          .symbol = "load",
                          .discretes = kLoadDiscretes,
                          .signals = kLoadSignals,
                          .refusals = kLoadRefusals,
                          .user_visible = false};

}  // namespace

const ClassInfo& PowerManagerInfo::table() { return kManager; }
const ClassInfo& ManagedLoadInfo::table() { return kLoad; }

}  // namespace podtwin
