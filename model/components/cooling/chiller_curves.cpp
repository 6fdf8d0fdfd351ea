#include "model/components/cooling/chiller_curves.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace podtwin {

namespace {

constexpr double kZeroCelsius = 273.15;  // K

}  // namespace

double CurveRange::held(double T) const { return std::clamp(T, low - margin, high + margin); }
double CurveRange::outside(double T) const { return std::max({low - T, T - high, 0.0}); }

double Biquadratic::value(double x, double y) const {
  return a[0] + (a[1] + a[2] * x) * x + (a[3] + a[4] * y) * y + a[5] * x * y;
}
double Biquadratic::slopeByX(double x, double y) const { return a[1] + 2.0 * a[2] * x + a[5] * y; }
double Biquadratic::slopeByY(double x, double y) const { return a[3] + 2.0 * a[4] * y + a[5] * x; }

EirCurves::Share EirCurves::capacityShare(double leaving, double condenser_entering) const {
  const double x = evaporator.held(leaving), y = condenser.held(condenser_entering);
  const double cx = x - kZeroCelsius, cy = y - kZeroCelsius;
  return {capacity.value(cx, cy), x == leaving ? capacity.slopeByX(cx, cy) : 0.0,
          y == condenser_entering ? capacity.slopeByY(cx, cy) : 0.0};
}

double EirCurves::inputRatio(double leaving, double condenser_entering) const {
  return input.value(evaporator.held(leaving) - kZeroCelsius, condenser.held(condenser_entering) - kZeroCelsius);
}

double EirCurves::partLoad(double ratio) const {
  return part_load[0] + ratio * (part_load[1] + ratio * (part_load[2] + ratio * part_load[3]));
}

double EirCurves::outside(double leaving, double condenser_entering) const {
  return std::max(evaporator.outside(leaving), condenser.outside(condenser_entering));
}

std::string EirCurves::fault(double least_load, double most_load) const {
  constexpr int kSteps = 40;
  char text[200];
  const auto at = [](double low, double high, int step) { return low + (high - low) * step / kSteps; };
  for (int i = 0; i <= kSteps; ++i)
    for (int j = 0; j <= kSteps; ++j) {
      const double x = at(evaporator.low - evaporator.margin, evaporator.high + evaporator.margin, i);
      const double y = at(condenser.low - condenser.margin, condenser.high + condenser.margin, j);
      const double share = capacityShare(x, y).value, ratio = inputRatio(x, y);
      if (share > 0.0 && ratio > 0.0) continue;
      std::snprintf(text, sizeof text, "%s is %.4g at %.2f degC leaving and %.2f degC into the condenser",
                    share > 0.0 ? "input_curve" : "capacity_curve", share > 0.0 ? ratio : share, x - kZeroCelsius,
                    y - kZeroCelsius);
      return text;
    }
  for (int i = 0; i <= kSteps; ++i) {
    const double load = at(least_load, most_load, i);
    if (load <= 0.0 || partLoad(load) > 0.0) continue;
    std::snprintf(text, sizeof text, "part_load_curve is %.4g at a part load of %.3g", partLoad(load), load);
    return text;
  }
  return {};
}

Biquadratic biquadraticOf(std::span<const double> list) {
  Biquadratic curve{};
  std::copy_n(list.begin(), std::min(list.size(), curve.a.size()), curve.a.begin());
  return curve;
}

std::array<double, 4> cubicOf(std::span<const double> list) {
  std::array<double, 4> curve{};
  std::copy_n(list.begin(), std::min(list.size(), curve.size()), curve.begin());
  return curve;
}

ChillerDuty eirDuty(const EirCurves& curves, double capacity, double most_load, double rate, double entering,
                    double set_point, double condenser_entering) {
  const double wanted = rate * (entering - set_point), most = capacity * most_load;
  if (!(wanted > 0.0)) return {0.0, 0.0, 0.0};
  if (wanted <= most * curves.capacityShare(set_point, condenser_entering).value) return {wanted, rate, 0.0};
  // Too little capacity: the leaving temperature lies between set point and entering temperature, where the heat given
  // up by the coolant is what the chiller can take there.
  double low = set_point, high = entering, x = set_point;
  EirCurves::Share share{};
  constexpr int kMostSteps = 60;
  constexpr double kClose = 1e-10;  // K
  for (int step = 0; step < kMostSteps; ++step) {
    share = curves.capacityShare(x, condenser_entering);
    const double excess = rate * (entering - x) - most * share.value;
    (excess > 0.0 ? low : high) = x;
    const double slope = rate + most * share.by_leaving;
    double next = slope > 0.0 ? x + excess / slope : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool close = std::abs(next - x) < kClose;
    x = next;
    if (close) break;
  }
  const double slope = rate + most * share.by_leaving;
  const double factor = slope > 0.0 ? rate / slope : 0.0;
  return {rate * (entering - x), factor * most * share.by_leaving, factor * most * share.by_condenser};
}

}  // namespace podtwin
