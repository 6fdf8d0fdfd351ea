// Cell with an open-circuit voltage by charge, an ohmic resistance and one RC element. Equations: battery.md.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/base/curve.hpp"

namespace podtwin {

/// Open-circuit voltage [V] of a cell over its state of charge, and the energy under it.
class OpenCircuitVoltage {
 public:
  OpenCircuitVoltage() = default;
  /// Throws Error where a Curve does.
  explicit OpenCircuitVoltage(std::span<const std::pair<double, double>> points)
      : curve_(points), points_(points.begin(), points.end()) {}
  template <class S>
  S value(const S& charge) const {
    return curve_.value(charge);
  }
  /// Integral from 0 to `charge` [V]: energy a charge of the whole cell. Exact: the curve is linear between points.
  double integral(double charge) const { return below(charge) - below(0.0); }

 private:
  double below(double x) const {
    double sum = 0.0, from = points_.front().first, v = points_.front().second;
    if (x <= from) return (x - from) * v;
    for (const auto& [to, v_to] : points_) {
      const double end = x < to ? x : to, v_end = curve_.value(end);
      sum += 0.5 * (v + v_end) * (end - from);
      from = end;
      v = v_end;
    }
    return sum + (x - from) * v;
  }
  Curve curve_;
  std::vector<std::pair<double, double>> points_;
};

/// Voltage that resistances may take at rated current, of the open-circuit voltage, for a round trip at that current to
/// return `efficiency` of the energy: (1 - a) / (1 + a) = efficiency.
inline double dropOfRoundTrip(double efficiency) { return (1.0 - efficiency) / (1.0 + efficiency); }

}  // namespace podtwin
