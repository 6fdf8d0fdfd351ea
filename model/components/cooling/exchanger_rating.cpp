#include "model/components/cooling/exchanger_rating.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "model/components/cooling/effectiveness.hpp"

namespace podtwin {

namespace {

constexpr double kZeroCelsius = 273.15;  // K

std::string celsius(double kelvin) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g degC", kelvin - kZeroCelsius);
  return text;
}
std::string kilowatt(double watt) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g kW", watt / 1e3);
  return text;
}

class Record {
 public:
  Record(const InstanceDescription& d, Diagnostics& problems) : d_(d), problems_(problems) {}
  bool given(const char* name) const { return d_.parameters.at(name).given; }
  std::optional<double> number(const char* name) const {
    return given(name) ? std::optional<double>(d_.number(name)) : std::nullopt;
  }
  void refuse(const std::string& what, const std::string& remedy) {
    problems_.error(d_.where, "'" + d_.id + "' " + what, remedy);
  }

  /// Nominal flow of a side [kg/s]: stated, or from the heat and what it does to the side's temperature.
  std::optional<double> flow(const char* flow_name, const char* out_name, double cp, std::optional<double> heat,
                             double in, double sign) {
    const auto stated = number(flow_name);
    if (given(out_name) && !heat) {
      refuse(std::string("gives ") + out_name + " without nominal_heat",
             "give nominal_heat and both inlet temperatures too");
      return stated;
    }
    if (stated && given(out_name)) {
      refuse(std::string("gives both ") + flow_name + " and " + out_name,
             "leave one out: with the heat and the inlet temperature either follows from the other");
      return stated;
    }
    if (stated) return stated;
    const auto out = number(out_name);
    if (!out) {
      refuse(std::string("has no ") + flow_name, std::string("give ") + flow_name + ", as in `" + flow_name +
                                                     ": 20 kg/s`" + (heat ? std::string(", or ") + out_name : ""));
      return std::nullopt;
    }
    const double change = sign * (*out - in);
    if (!(change > 0.0)) {
      refuse(std::string(sign < 0.0 ? "would warm its hot side, " : "would cool its cold side, ") + celsius(in) +
                 " to " + celsius(*out),
             "give an outlet temperature " + std::string(sign < 0.0 ? "below" : "above") + " the inlet's");
      return std::nullopt;
    }
    return *heat / (cp * change);
  }

 private:
  const InstanceDescription& d_;
  Diagnostics& problems_;
};

}  // namespace

ExchangerRating exchangerRating(const InstanceDescription& d, double cp_hot, double cp_cold, Diagnostics& problems) {
  Record record(d, problems);
  ExchangerRating rating;
  const auto heat = record.number("nominal_heat"), hot_in = record.number("nominal_hot_in"),
             cold_in = record.number("nominal_cold_in");
  const int ways = record.given("ua") + record.given("nominal_effectiveness") + record.given("nominal_heat");
  if (ways != 1) {
    record.refuse(
        ways == 0 ? "has no conductance" : "states its conductance in more than one way",
        "give one of ua, nominal_effectiveness (with both flows) or nominal_heat (with both inlet temperatures), as in "
        "`ua: 317 kW/K`");
    return rating;
  }
  if (heat && !(hot_in && cold_in)) {
    record.refuse("gives nominal_heat without both inlet temperatures", "give nominal_hot_in and nominal_cold_in");
    return rating;
  }
  if (!heat && (hot_in || cold_in))
    record.refuse("gives nominal inlet temperatures without nominal_heat", "give nominal_heat, or leave them out");
  const auto hot = record.flow("hot_flow", "nominal_hot_out", cp_hot, heat, hot_in.value_or(0.0), -1.0);
  const auto cold = record.flow("cold_flow", "nominal_cold_out", cp_cold, heat, cold_in.value_or(0.0), 1.0);
  if (!hot || !cold) return rating;
  rating.hot_flow = *hot;
  rating.cold_flow = *cold;
  if (record.given("ua")) {
    rating.ua = d.number("ua");
    return rating;
  }
  const double hot_rate = *hot * cp_hot, cold_rate = *cold * cp_cold, least = std::min(hot_rate, cold_rate);
  const double effectiveness = heat ? *heat / (least * (*hot_in - *cold_in)) : d.number("nominal_effectiveness");
  if (heat && !(*hot_in > *cold_in)) {
    record.refuse("has its hot inlet, " + celsius(*hot_in) + ", no warmer than its cold inlet, " + celsius(*cold_in),
                  "give nominal_hot_in above nominal_cold_in");
    return rating;
  }
  if (!(effectiveness < 1.0)) {
    record.refuse("is to pass " + kilowatt(*heat) + " at its nominal point, where no exchanger passes more than " +
                      kilowatt(least * (*hot_in - *cold_in)),
                  "give less nominal_heat, more flow, or inlet temperatures further apart");
    return rating;
  }
  rating.ua = least * counterflowNtu(effectiveness, least / std::max(hot_rate, cold_rate));
  return rating;
}

}  // namespace podtwin
