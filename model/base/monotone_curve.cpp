#include "model/base/monotone_curve.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

/// Slope at an end by the parabola through three points, held so that the end piece stays monotone.
double endSlope(double h0, double h1, double d0, double d1) {
  const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0.0) return 0.0;
  return d0 * d1 <= 0.0 && std::abs(slope) > 3.0 * std::abs(d0) ? 3.0 * d0 : slope;
}

}  // namespace

MonotoneCurve::MonotoneCurve(std::span<const std::pair<double, double>> points) {
  if (points.size() < 2) throw Error("a curve needs two points or more");
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) throw Error("a point of a curve is not finite");
    if (!x_.empty() && !(x > x_.back())) throw Error("the points of a curve must rise in their first value");
    x_.push_back(x);
    y_.push_back(y);
  }
  const std::size_t n = x_.size();
  std::vector<double> h(n - 1), d(n - 1);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    h[k] = x_[k + 1] - x_[k];
    d[k] = (y_[k + 1] - y_[k]) / h[k];
  }
  slope_.assign(n, 0.0);
  if (n == 2) {
    slope_ = {d[0], d[0]};
    return;
  }
  for (std::size_t k = 1; k + 1 < n; ++k) {
    if (d[k - 1] * d[k] <= 0.0) continue;
    const double w0 = 2.0 * h[k] + h[k - 1], w1 = h[k] + 2.0 * h[k - 1];
    slope_[k] = (w0 + w1) / (w0 / d[k - 1] + w1 / d[k]);
  }
  slope_[0] = endSlope(h[0], h[1], d[0], d[1]);
  slope_[n - 1] = endSlope(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
}

double MonotoneCurve::value(double x) const {
  if (x <= x_.front()) return y_.front();
  if (x >= x_.back()) return y_.back();
  const std::size_t k = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin()) - 1;
  const double h = x_[k + 1] - x_[k], s = (x - x_[k]) / h;
  return (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s) * y_[k] + s * (1.0 - s) * (1.0 - s) * h * slope_[k] +
         s * s * (3.0 - 2.0 * s) * y_[k + 1] + s * s * (s - 1.0) * h * slope_[k + 1];
}

}  // namespace podtwin
