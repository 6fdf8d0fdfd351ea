// What coils with fans have in common: parameters, the coil's rating, fans, the coolant's edge.
// Equations: liquid_to_air_exchanger.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/components/cooling/air_coil.hpp"
#include "model/components/cooling/dew_point.hpp"
#include "model/system/binder.hpp"

namespace podtwin {

namespace air_exchanger {

inline constexpr ParameterInfo kUa{
    .name = "ua",
    .quantity = Quantity::thermal_conductance,
    .fallback = 0.0,
    .low = 0.0,
    .high = 1e8,
    .meaning = "Conductance of the coil at air_flow and flow; 0: from rated_heat and rated_difference.",
    .source = "0: from the rating"};
inline constexpr ParameterInfo kRatedHeat{
    .name = "rated_heat",
    .quantity = Quantity::power,
    .fallback = 0.0,
    .low = 0.0,
    .high = 1e8,
    .meaning = "Heat that the coil passes at air_flow and flow with rated_difference at its inlets.",
    .source = "0: not stated"};
inline constexpr ParameterInfo kRatedDifference{
    .name = "rated_difference",
    .quantity = Quantity::temperature_difference,
    .fallback = 0.0,
    .low = 0.0,
    .high = 200.0,
    .meaning = "Difference of the entering coolant and the entering air at the rating, without sign.",
    .source = "0: not stated"};
inline constexpr ParameterInfo kAirFlow{.name = "air_flow",
                                        .quantity = Quantity::mass_flow,
                                        .low = 1e-3,
                                        .high = 1e5,
                                        .meaning = "Air mass flow at full speed of all fans.",
                                        .source = ""};
inline constexpr ParameterInfo kFlow{.name = "flow",
                                     .quantity = Quantity::mass_flow,
                                     .low = 1e-6,
                                     .high = 1e5,
                                     .meaning = "Nominal coolant mass flow.",
                                     .source = ""};
inline constexpr ParameterInfo kAirExponent{.name = "air_exponent",
                                            .quantity = Quantity::ratio,
                                            .fallback = 0.8,
                                            .low = 0.0,
                                            .high = 1.0,
                                            .meaning = "Exponent of air flow in the air-side film.",
                                            .source = "UA ~ air^0.8, pod-design 5.3"};
inline constexpr ParameterInfo kCoolantExponent{.name = "coolant_exponent",
                                                .quantity = Quantity::ratio,
                                                .fallback = 0.8,
                                                .low = 0.0,
                                                .high = 1.0,
                                                .meaning = "Exponent of coolant flow in the coolant-side film.",
                                                .source = "turbulent tubes, Dittus-Boelter"};
inline constexpr ParameterInfo kAirShare{.name = "air_share",
                                         .quantity = Quantity::ratio,
                                         .fallback = 0.7,
                                         .low = 0.0,
                                         .high = 1.0,
                                         .meaning = "Share of the air side in the thermal resistance at nominal flows.",
                                         .source = "engineering estimate: finned coils are limited by air, 0.6-0.8"};
inline constexpr ParameterInfo kArrangement{
    .name = "arrangement",
    .kind = ParameterKind::choice,
    .fallback = 0.0,
    .meaning = "Flow arrangement.",
    .source = "crossflow coil of several passes comes close to counterflow; of one pass: crossflow",
    .choices = "counterflow|crossflow_unmixed"};
inline constexpr ParameterInfo kDp{.name = "dp",
                                   .quantity = Quantity::pressure_difference,
                                   .fallback = 60e3,
                                   .low = 0.0,
                                   .high = 1e7,
                                   .meaning = "Coolant pressure drop at nominal flow.",
                                   .source = "engineering estimate, as fan walls"};
inline constexpr ParameterInfo kFanExponent{
    .name = "fan_exponent",
    .quantity = Quantity::ratio,
    .fallback = 3.0,
    .low = 1.0,
    .high = 3.0,
    .meaning = "Exponent of speed in fan power: 3 free delivery, 1 into a plenum held at constant pressure.",
    .source = "fan laws; power = flow times constant pressure"};
inline constexpr ParameterInfo kFans{.name = "fans",
                                     .kind = ParameterKind::integer,
                                     .fallback = 1,
                                     .low = 1,
                                     .high = 1000,
                                     .meaning = "Fans, each with its share of the air flow.",
                                     .source = "1: all as one"};
inline constexpr ParameterInfo kRampTime{.name = "ramp_time",
                                         .quantity = Quantity::time,
                                         .fallback = 20.0,
                                         .low = 0.01,
                                         .high = 3600.0,
                                         .meaning = "Full speed range at the fastest.",
                                         .source = "engineering estimate, as fan walls"};
inline constexpr ParameterInfo kLag{.name = "lag",
                                    .quantity = Quantity::time,
                                    .fallback = 2.0,
                                    .low = 0.01,
                                    .high = 600.0,
                                    .meaning = "First-order lag of the fans.",
                                    .source = "engineering estimate, as fan walls"};
inline constexpr ParameterInfo kStartSpeed{.name = "start_speed",
                                           .quantity = Quantity::ratio,
                                           .fallback = 0.7,
                                           .low = 0.0,
                                           .high = 1.0,
                                           .meaning = "Speed command before a controller acts.",
                                           .source = "engineering estimate, as fan walls"};

inline constexpr DiscreteInfo kFansOutInfo{"fans_out", Quantity::none, 0.0, "Fans that failed."};
enum Discrete : std::size_t { kFansOut = kCommonCount };

inline constexpr CommandInfo kTrip{"trip", "", Quantity::none, "Fans stop."};
inline constexpr CommandInfo kRestore{"restore", "", Quantity::none, "Fans are available again, failed ones too."};
inline constexpr CommandInfo kSet{"set", "speed", Quantity::ratio, "Manual fan speed."};
inline constexpr CommandInfo kStick{"stick", "speed", Quantity::ratio,
                                    "Stays at the stated place, or where it is, whatever it is asked."};
inline constexpr CommandInfo kAutomatic{"automatic", "", Quantity::none, "Fans back to their controller."};
inline constexpr CommandInfo kFailFans{
    "fail_fans", "share", Quantity::ratio,
    "That share of the fans, in whole fans, stops; the rest follow their command and blow through the whole coil."};

}  // namespace air_exchanger

/// One coil with its fans.
struct AirExchanger {
  AirCoil coil;
  double air_flow, fan_power, fan_exponent, fans, ramp, lag, start;
  double density, cp, k, m_linear;
  std::size_t self, edge, from, to, speed;  ///< speed: its unknown
  const fluids::CoolantHeat* coolant;
  DewPoint dew_point;
  const ComponentSet* set;

  /// Share of the fans that have not failed.
  double running(const Evaluation& e) const { return 1.0 - set->z(e, air_exchanger::kFansOut, self) / fans; }
  /// Air that its fans move over the nominal flow.
  double driven(const Evaluation& e) const { return running(e) * std::max(e.y[speed], 0.0); }
  double power(const Evaluation& e) const {
    if (!set->available(e, self)) return 0.0;
    return set->served(e, self) * fan_power * running(e) * std::pow(std::max(e.y[speed], 0.0), fan_exponent);
  }
  void apply(Evaluation& e) const {
    EdgeLaw& law = e.laws[edge];
    law.k = k;
    law.m_linear = m_linear;
    law.open = set->z(e, kInService, self) != 0.0;
  }
  double dewPointMargin(const Evaluation& e, double in, double out) const {
    return podtwin::dewPointMargin(dew_point, e, in, out);
  }
};

/// Reads it and declares its edge and its drive; `speed_state` is the state that holds the speed.
AirExchanger bindAirExchanger(std::size_t i, const InstanceDescription& d, const ComponentSet& set,
                              std::size_t speed_state, Binder& b);

/// Failing fans and bringing them back; all other verbs by `otherwise`.
template <class Otherwise>
bool commandAirExchanger(const AirExchanger& x, std::string_view verb, double value, State& state, std::string& reason,
                         const Otherwise& otherwise) {
  double& fans_out = x.set->z(state, air_exchanger::kFansOut, x.self);
  if (verb == "restore") fans_out = 0.0;
  if (verb != "fail_fans") return otherwise();
  if (!(value >= 0.0 && value <= 1.0)) {
    reason = "'fail_fans' takes the share of the fans that stops, from 0 to 1";
    return false;
  }
  constexpr double kRoundOff = 1e-9;
  fans_out = std::ceil(value * x.fans - kRoundOff);
  return true;
}

}  // namespace podtwin
