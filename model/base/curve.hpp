// A tabulated function of one variable, linear between its points.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace podtwin {

/// Points in strictly rising order of the abscissa. Beyond the ends the end value holds and inRange() says false:
/// who evaluates outside reports it.
class Curve {
 public:
  Curve() = default;
  /// Throws Error when there are fewer than two points, or when they do not rise.
  explicit Curve(std::span<const std::pair<double, double>> points);
  double value(double x) const;
  double slope(double x) const;  ///< of the piece that x is in; 0 beyond the ends
  bool inRange(double x) const { return x >= x_.front() && x <= x_.back(); }
  bool empty() const { return x_.empty(); }

 private:
  std::vector<double> x_, y_;
};

}  // namespace podtwin
