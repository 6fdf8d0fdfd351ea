#include "model/components/power/renewable_source_info.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {{.name = "to", .kind = PortKind::bus, .count = PortCount::one, .meaning = "its bus"}};
constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .low = 1.0,
     .high = 1e11,
     .meaning = "Greatest power at its bus.",
     .source = ""},
    {.name = "power",
     .kind = ParameterKind::curve,
     .quantity = Quantity::time,
     .meaning = "Power that sun or wind give at its bus, by time since the start of the run; straight between rows.",
     .source = "",
     .ordinate = Quantity::power,
     .optional = true},
    {.name = "share",
     .kind = ParameterKind::curve,
     .quantity = Quantity::time,
     .meaning = "The same over its rating, in place of `power`.",
     .source = "",
     .ordinate = Quantity::ratio,
     .optional = true},
    {.name = "scale",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "By which the series is multiplied.",
     .source = "1: as it stands"},
    {.name = "limit",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e11,
     .meaning = "Greatest power that it may give at the start and after `release`; 0: its rating.",
     .source = "0: nothing is curtailed"},
    {.name = "reactive_power",
     .quantity = Quantity::reactive_power,
     .fallback = 0.0,
     .low = -1e11,
     .high = 1e11,
     .meaning = "Given at its bus while it is connected; of buses with voltages.",
     .source = "0: unity power factor"},
    {.name = "return_delay",
     .quantity = Quantity::time,
     .fallback = 300.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "From the return of its bus's voltage until it gives power again.",
     .source = "300 s: enter-service delay of IEEE 1547-2018 (recalled, to verify)"},
};
constexpr StateInfo kStates[] = {
    {"delivered", Quantity::energy, kUnbounded, "Energy given since the start [J]."},
    {"withheld", Quantity::energy, kUnbounded, "Energy that sun or wind would have given besides [J]."},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"limit", Quantity::power, 0.0, "Greatest power that it may give [W]."},
    {"connected", Quantity::none, 1.0,
     "1 while it is at its bus; 0 from the loss of voltage until return_delay is over."},
    {"live_since", Quantity::time, -1.0, "Since when its bus is live again [s]; -1: it is dead, or it is connected."},
};
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power given at its bus."},
    {"q", Quantity::reactive_power, SignalType::real, "Reactive power given at its bus."},
    {"power_available", Quantity::power, SignalType::real, "Power that sun or wind give."},
    {"curtailed", Quantity::power, SignalType::real, "Of that, what it does not give."},
    {"loading", Quantity::ratio, SignalType::real, "Power over rating."},
    {"limit", Quantity::power, SignalType::real, "Greatest power that it may give."},
    {"connected", Quantity::none, SignalType::integer, "1 while it may give power to its bus."},
    {"energy_out", Quantity::energy, SignalType::integral, "Given since the start."},
    {"energy_curtailed", Quantity::energy, SignalType::integral, "Not given since the start."},
    kTrippedSignal,
};
constexpr CommandInfo kCommands[] = {
    {"curtail", "power", Quantity::power, "Gives this power at the most."},
    {"release", "", Quantity::none, "Gives up to its `limit` again."},
    {"trip", "", Quantity::none, "Off until restored."},
    {"restore", "", Quantity::none, "On again."},
};
constexpr LimitInfo kLimits[] = {kTrippedLimit};
constexpr RefusalInfo kRefusals[] = {
    {"set", "its power is that of sun or wind: ask it to `curtail`"},
};
constexpr ClassInfo kInfo{.name = "renewable_source",
                          .group = "renewable_source",
                          .title = "Solar or wind power by a series",
                          .page = "power/renewable_source.md",
                          .symbol = "generator",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .refusals = kRefusals};

}  // namespace

const ClassInfo& RenewableSourceInfo::table() { return kInfo; }

}  // namespace podtwin
