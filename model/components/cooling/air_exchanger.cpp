#include "model/components/cooling/air_exchanger.hpp"

#include <string>

#include "model/base/diagnostics.hpp"
#include "model/fluids/range.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;
constexpr double kMostUnits = 100.0;  // transfer units; more change no effectiveness of a coil

/// Transfer units at which the arrangement has an effectiveness that it has below kMostUnits.
double transferUnits(Arrangement arrangement, double eps, double cr) {
  double low = 0.0, high = kMostUnits;
  constexpr int kHalvings = 80;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (effectiveness(arrangement, middle, cr) < eps ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double ratedConductance(const AirCoil& coil, double cp, const InstanceDescription& d, Diagnostics& problems) {
  const double heat = d.number("rated_heat"), difference = d.number("rated_difference"), ua = d.number("ua");
  const bool rated = heat > 0.0 && difference > 0.0;
  if ((ua > 0.0) == rated || (heat > 0.0) != (difference > 0.0)) {
    problems.error(d.where, "'" + d.id + "' states its coil " + (ua > 0.0 ? "twice" : "not at all or by half"),
                   "give ua, or rated_heat and rated_difference, as in `rated_heat: 240 kW, rated_difference: 21 K`");
    return 1.0;
  }
  if (!rated) return ua;
  const double air = coil.air_flow * kAirSpecificHeat, wet = coil.flow * cp;
  const double least = std::min(air, wet), cr = least / std::max(air, wet), eps = heat / (least * difference);
  if (const double most = effectiveness(coil.arrangement, kMostUnits, cr); eps >= most) {
    problems.error(d.parameters.at("rated_heat").where,
                   "'" + d.id + "': its rating asks for " + fluids::inWords(eps) +
                       " of what the smaller stream could give, and no coil of this arrangement has more than " +
                       fluids::inWords(most),
                   "give more air_flow or flow, more rated_difference or less rated_heat");
    return 1.0;
  }
  return least * transferUnits(coil.arrangement, eps, cr);
}

}  // namespace

AirExchanger bindAirExchanger(std::size_t i, const InstanceDescription& d, const ComponentSet& set,
                              std::size_t speed_state, Binder& b) {
  AirExchanger x{};
  x.set = &set;
  x.self = i;
  x.speed = set.yIndex(speed_state, i);
  x.from = b.fluidNode(i, "from");
  x.to = b.fluidNode(i, "to");
  x.edge = b.edge(x.from, x.to, d.id);
  b.makeDrive(i);
  x.density = b.density(x.from);
  x.cp = b.specificHeat(x.from);
  x.coolant = &b.coolantHeat(x.from);
  x.air_flow = d.number("air_flow");
  x.fan_power = d.number("fan_power");
  x.fan_exponent = d.number("fan_exponent");
  x.fans = d.number("fans");
  x.ramp = d.number("ramp_time");
  x.lag = d.number("lag");
  x.start = d.number("start_speed");
  const double m = d.number("flow");
  x.k = d.number("dp") / (m * m);
  x.m_linear = kLinearShare * m;
  x.coil = {.air_flow = x.air_flow,
            .flow = m,
            .air_share = d.number("air_share"),
            .n_air = d.number("air_exponent"),
            .n_coolant = d.number("coolant_exponent"),
            .arrangement = d.text("arrangement") == "crossflow_unmixed" ? Arrangement::cross_unmixed_approximate
                                                                        : Arrangement::counterflow};
  x.coil.ua = ratedConductance(x.coil, x.cp, d, b.problems());
  x.dew_point = dewPoint(b, d, "air");
  return x;
}

}  // namespace podtwin
