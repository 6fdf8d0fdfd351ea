#include "model/components/power/breaker_info.hpp"

#include "model/components/power/trip_devices.hpp"

namespace podtwin {

namespace {

constexpr double kGreatestCurrent = 1e6;  // A; beyond any switchgear
constexpr double kLongest = 1e5;          // s

/// A current that leaves its element out when 0.
constexpr ParameterInfo pickup(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .quantity = Quantity::current,
          .fallback = 0.0,
          .low = 0.0,
          .high = kGreatestCurrent,
          .meaning = meaning,
          .source = "0: without"};
}
constexpr ParameterInfo delay(std::string_view name, double fallback, std::string_view meaning,
                              std::string_view source) {
  return {.name = name,
          .quantity = Quantity::time,
          .fallback = fallback,
          .low = 0.0,
          .high = kLongest,
          .meaning = meaning,
          .source = source};
}

constexpr PortInfo kRestraint[] = {{"restraint", PortKind::member, PortCount::many,
                                    "transformers whose inrush its second-harmonic restraint keeps it from counting"}};
constexpr auto kPorts = joined(kSameVoltagePorts, kRestraint);
constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .fallback = 1e9,
     .low = 1.0,
     .high = 1e11,
     .meaning = "Breakers in parallel share their bus's load by ratings where it has no voltage; no limit follows.",
     .source = "estimate: more than any load"},
    {.name = "closed",
     .kind = ParameterKind::flag,
     .fallback = 1.0,
     .meaning = "Position at the start.",
     .source = "1: closed"},
    {.name = "resistance",
     .quantity = Quantity::resistance,
     .fallback = 20e-6,
     .low = 0.1e-6,
     .high = 1.0,
     .meaning = "Of one closed pole; between buses with voltages.",
     .source = "estimate: an air circuit-breaker of 1,600 A loses some 50 W a pole at rated current"},
    {.name = "poles",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Three poles leave the neutral joined when open, four part it, too.",
     .source = "3: without change of the neutral's earthing (practice.md section 4: neutral switching)",
     .choices = "3|4"},
    {.name = "protection",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "What opens it by itself; other than none between buses with voltages.",
     .source = "none: a switch",
     .choices = "none|miniature|moulded_case|electronic|relay"},
    pickup("rated_current", "Rated current; of a miniature breaker In, of a moulded-case one the setting Ir."),
    {.name = "curve",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Magnetic type of a miniature breaker.",
     .source = "C: distribution (IEC 60898-1)",
     .choices = "C|B|D"},
    {.name = "edge",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Where in its band the device lies: low trips soonest.",
     .source = "middle: a usual device",
     .choices = "middle|low|high"},
    pickup("long_time_pickup", "Ir of an electronic unit: it trips above 1.05 to 1.20 of it."),
    delay("long_time_delay", 0.0, "At 6 Ir.", "0: without"),
    pickup("short_time_pickup", "Of an electronic unit."),
    delay("short_time_delay", 0.1, "From that pickup on.",
          "estimate: the usual first step above instantaneous devices"),
    {.name = "short_time_ramp",
     .kind = ParameterKind::flag,
     .fallback = 0.0,
     .meaning = "With constant I2t up to 10 Ir.",
     .source = "0: definite time"},
    pickup("instantaneous_pickup", "Of a moulded-case breaker, electronic unit or relay."),
    pickup("ground_fault_pickup", "Of an electronic unit or relay: residual current."),
    delay("ground_fault_delay", 0.1, "From that pickup on.", "estimate: the usual first step"),
    {.name = "ground_fault_ramp",
     .kind = ParameterKind::flag,
     .fallback = 0.0,
     .meaning = "With constant I2t up to Ir; of an electronic unit.",
     .source = "0: definite time"},
    {.name = "relay_curve",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Inverse-time curve of a relay.",
     .source = "IEC standard inverse",
     .choices = "IEC standard inverse|IEC very inverse|IEC extremely inverse|IEC long-time inverse|IEC short-time "
                "inverse|IEEE moderately inverse|IEEE very inverse|IEEE extremely inverse"},
    pickup("pickup", "Of a relay's inverse-time element."),
    {.name = "time_multiplier",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.001,
     .high = 100.0,
     .meaning = "TMS or time dial of it.",
     .source = "1: the curve as it is printed"},
    {.name = "reset",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "How it forgets while the current is not above its pickup.",
     .source = "instantaneous: IEC relays",
     .choices = "instantaneous|definite|inverse"},
    {.name = "reset_time",
     .quantity = Quantity::time,
     .fallback = 1.0,
     .low = 1e-3,
     .high = kLongest,
     .meaning = "Of a definite reset from full.",
     .source = "estimate"},
    delay("opening_time", kBreakingTime.middle,
          "From the decision to no current, opening and arc; of miniature and moulded-case breakers it is part of the "
          "trip time.",
          "estimate: air and moulded-case breakers 20 to 50 ms"),
    {.name = "undervoltage_release",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 0.99,
     .meaning = "Share of nominal voltage at `from`, least of the three between phases, below which it opens.",
     .source = "0: without"},
    delay("undervoltage_delay", 0.0, "For which it is below.", "0: at once"),
    {.name = "prospective_current",
     .quantity = Quantity::current,
     .fallback = 50e3,
     .low = 1.0,
     .high = kGreatestCurrent,
     .meaning = "Greatest current of a fault behind it, up to which selectivity is looked at.",
     .source = "practice.md section 4: 2.5 MVA of 6 % give 50.1 kA at 480 V"},
};

constexpr StateInfo memory(std::string_view name) {
  return {name, Quantity::none, kMemoryScale, "Memory of a trip element: 0 cold, 1 trips; 0 where there is none."};
}
constexpr StateInfo kStates[] = {memory("memory_1"), memory("memory_2"), memory("memory_3"), memory("memory_4")};

constexpr DiscreteInfo since(std::string_view name) {
  return {name, Quantity::time, kNoMoment, "Since when the element's current is above its pickup [s]; -1: it is not."};
}
constexpr DiscreteInfo kDiscretes[] = {
    {"decided", Quantity::none, 0.0, "1 + number of the element that ordered it to open; 0: none."},
    {"opens_at", Quantity::time, kNoMoment, "Moment at which it opens [s]; -1: it is not about to."},
    {"tripped_at", Quantity::time, kNoMoment, "Moment of the last decision [s]; -1: none."},
    since("above_since_1"),
    since("above_since_2"),
    since("above_since_3"),
    since("above_since_4"),
    {"under_since", Quantity::time, kNoMoment, "Since when the voltage is below the release's [s]; -1: it is not."},
};
constexpr SignalInfo kOwnSignals[] = {
    {"closed", Quantity::none, SignalType::integer, "1 while closed."},
    {"power", Quantity::power, SignalType::real, "Power delivered."},
};
constexpr SignalInfo kResidual[] = {
    {"i_ground", Quantity::current, SignalType::real, "Residual current: sum of the phases and the neutral."},
};
constexpr auto kSignals = joined(joined(kOwnSignals, kBranchSignals, kResidual), kProtectionSignals);
constexpr CommandInfo kCommands[] = {
    {"open", "", Quantity::none, "Opens."},
    {"close", "", Quantity::none, "Closes; refused after a trip until restored."},
    {"trip", "", Quantity::none, "Opens and stays open until restored."},
    {"restore", "", Quantity::none, "Reset after a trip and closed; a stuck mechanism is freed."},
    {"stick", "", Quantity::none, "The mechanism holds its position and ignores open, close and trip."},
};
constexpr LimitInfo kLimits[] = {kLoadingLimit, kTimeToTripLimit, kTrippedLimit};
constexpr ClassInfo kInfo{.name = "breaker",
                          .group = "breaker",
                          .title = "Circuit breaker",
                          .page = "power/breaker.md",
                          .symbol = "breaker",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .electrical = ElectricalRole::branch};

}  // namespace

const ClassInfo& BreakerInfo::table() { return kInfo; }

}  // namespace podtwin
