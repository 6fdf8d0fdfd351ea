#include "model/base/curve.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/base/diagnostics.hpp"

namespace podtwin {

Curve::Curve(std::span<const std::pair<double, double>> points) {
  if (points.size() < 2) throw Error("a curve needs at least two points, it has " + std::to_string(points.size()));
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) throw Error("a curve has a point that is not finite");
    if (!x_.empty() && !(x > x_.back()))
      throw Error("a curve's abscissae must rise: " + std::to_string(x) + " follows " + std::to_string(x_.back()));
    x_.push_back(x);
    y_.push_back(y);
  }
}

double Curve::value(double x) const {
  if (x <= x_.front()) return y_.front();
  if (x >= x_.back()) return y_.back();
  const auto i = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
  return y_[i - 1] + (y_[i] - y_[i - 1]) * (x - x_[i - 1]) / (x_[i] - x_[i - 1]);
}

double Curve::slope(double x) const {
  if (x < x_.front() || x > x_.back()) return 0.0;
  const auto place = std::upper_bound(x_.begin(), x_.end(), x) - x_.begin();
  const auto i = std::min(static_cast<std::size_t>(place), x_.size() - 1);
  return (y_[i] - y_[i - 1]) / (x_[i] - x_[i - 1]);
}

}  // namespace podtwin
