// A tabulated function of one variable that is smooth and rises or falls only where its points do.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace podtwin {

/// Piecewise cubic through the points with the slopes of Fritsch and Butland (1984): no overshoot between points.
/// Beyond the ends the end value holds.
class MonotoneCurve {
 public:
  MonotoneCurve() = default;
  /// Two points or more, in strictly rising order of the abscissa; throws Error otherwise.
  explicit MonotoneCurve(std::span<const std::pair<double, double>> points);
  double value(double x) const;
  double low() const { return x_.front(); }
  double high() const { return x_.back(); }

 private:
  std::vector<double> x_, y_, slope_;
};

}  // namespace podtwin
