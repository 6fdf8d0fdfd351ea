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

/// One side at the nominal point.
struct NominalSide {
  double flow = 1.0;  ///< kg/s
  double in = 0.0;    ///< K
};

class Record {
 public:
  Record(const InstanceDescription& d, Diagnostics& problems) : d_(d), problems_(problems) {}
  bool given(const std::string& name) const { return d_.parameters.at(name).given; }
  void refuse(const std::string& what, const std::string& remedy) {
    problems_.error(d_.where, "'" + d_.id + "' " + what, remedy);
  }

  /// Flow of a side that states nothing but that.
  std::optional<double> flow(const std::string& side) {
    const std::string name = side + "_flow";
    for (const char* end : {"_in", "_out"})
      if (given("nominal_" + side + end))
        refuse("gives nominal_" + side + end + " without nominal_heat", "give nominal_heat, or leave it out");
    if (given(name)) return d_.number(name);
    refuse("has no " + name, "give " + name + ", as in `" + name + ": 20 kg/s`");
    return std::nullopt;
  }

  /// A side from two of its flow and its two temperatures; `change` is what the heat does to outlet less inlet, 1 or
  /// -1.
  std::optional<NominalSide> side(const std::string& side, double heat, double cp, double change) {
    const std::string flow = side + "_flow", in = "nominal_" + side + "_in", out = "nominal_" + side + "_out";
    if (given(flow) + given(in) + given(out) != 2) {
      refuse("gives " + std::string(given(flow) + given(in) + given(out) > 2 ? "all" : "less than two") + " of " +
                 flow + ", " + in + " and " + out,
             "give two of them: with the heat the third follows");
      return std::nullopt;
    }
    if (given(flow)) {
      const double m = d_.number(flow), rise = change * heat / (m * cp);
      return NominalSide{m, given(in) ? d_.number(in) : d_.number(out) - rise};
    }
    const double t_in = d_.number(in), t_out = d_.number(out), rise = change * (t_out - t_in);
    if (!(rise > 0.0)) {
      refuse("would " + std::string(change < 0.0 ? "warm" : "cool") + " its " + side + " side, " + celsius(t_in) +
                 " to " + celsius(t_out),
             "give an outlet temperature " + std::string(change < 0.0 ? "below" : "above") + " the inlet's");
      return std::nullopt;
    }
    return NominalSide{heat / (cp * rise), t_in};
  }

 private:
  const InstanceDescription& d_;
  Diagnostics& problems_;
};

double conductance(double effectiveness, double hot_rate, double cold_rate) {
  const double least = std::min(hot_rate, cold_rate);
  return least * counterflowNtu(effectiveness, least / std::max(hot_rate, cold_rate));
}

}  // namespace

ExchangerRating exchangerRating(const InstanceDescription& d, double cp_hot, double cp_cold, Diagnostics& problems) {
  Record record(d, problems);
  ExchangerRating rating;
  const int ways = record.given("ua") + record.given("nominal_effectiveness") + record.given("nominal_heat");
  if (ways != 1) {
    record.refuse(
        ways == 0 ? "has no conductance" : "states its conductance in more than one way",
        "give one of ua, nominal_effectiveness (both with the two flows) or nominal_heat (with temperatures), "
        "as in `ua: 317 kW/K`");
    return rating;
  }
  if (!record.given("nominal_heat")) {
    const auto hot = record.flow("hot"), cold = record.flow("cold");
    if (!hot || !cold) return rating;
    const double ua = record.given("ua")
                          ? d.number("ua")
                          : conductance(d.number("nominal_effectiveness"), *hot * cp_hot, *cold * cp_cold);
    return {ua, *hot, *cold};
  }
  const double heat = d.number("nominal_heat");
  const auto hot = record.side("hot", heat, cp_hot, -1.0), cold = record.side("cold", heat, cp_cold, 1.0);
  if (!hot || !cold) return rating;
  rating.hot_flow = hot->flow;
  rating.cold_flow = cold->flow;
  if (!(hot->in > cold->in)) {
    record.refuse("has its hot inlet, " + celsius(hot->in) + ", no warmer than its cold inlet, " + celsius(cold->in),
                  "give a nominal point at which it can pass heat");
    return rating;
  }
  const double hot_rate = hot->flow * cp_hot, cold_rate = cold->flow * cp_cold;
  const double most = std::min(hot_rate, cold_rate) * (hot->in - cold->in);
  if (!(heat < most)) {
    record.refuse(
        "is to pass " + kilowatt(heat) + " at its nominal point, where no exchanger passes more than " + kilowatt(most),
        "give less nominal_heat, more flow, or inlet temperatures further apart");
    return rating;
  }
  rating.ua = conductance(heat / most, hot_rate, cold_rate);
  return rating;
}

}  // namespace podtwin
