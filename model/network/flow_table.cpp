#include "model/network/flow_table.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {
constexpr double kSteepest = 2.9;  // of the secant from the origin: with 3 the law would be flat at rest

/// Slope at a point between two secants: their harmonic mean, weighted by the lengths (Fritsch and Butland 1984).
double between(double h0, double s0, double h1, double s1) {
  const double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
  return (w0 + w1) / (w0 / s0 + w1 / s1);
}
}  // namespace

FlowTable::FlowTable(std::span<const std::pair<double, double>> points) {
  double m = 0.0, dp = 0.0;
  for (const auto& point : points) {
    if (!(point.first > m && point.second > dp && std::isfinite(point.first) && std::isfinite(point.second)))
      throw Error("the pressure drop does not rise with flow from point to point");
    m = point.first;
    dp = point.second;
    m_.push_back(m);
    dp_.push_back(dp);
  }
  if (m_.empty()) throw Error("a table of the pressure drop needs a point");
  const std::size_t n = m_.size();
  slope_.resize(n);
  const auto width = [&](std::size_t k) { return m_[k] - (k == 0 ? 0.0 : m_[k - 1]); };
  const auto secant = [&](std::size_t k) { return (dp_[k] - (k == 0 ? 0.0 : dp_[k - 1])) / width(k); };
  for (std::size_t k = 0; k + 1 < n; ++k) slope_[k] = between(width(k), secant(k), width(k + 1), secant(k + 1));
  slope_[0] = std::min(slope_[0], kSteepest * secant(0));
  if (n == 1) {
    slope_[0] = 2.0 * secant(0);  // one point alone: the square law through it
  } else {
    // At the end the power of flow through the last two points.
    const double power = std::log(dp_[n - 1] / dp_[n - 2]) / std::log(m_[n - 1] / m_[n - 2]);
    slope_[n - 1] = std::min(power * dp_[n - 1] / m_[n - 1], 3.0 * secant(n - 1));
  }
  exponent_ = slope_[n - 1] * m_[n - 1] / dp_[n - 1];
}

double FlowTable::drop(double m, double& slope) const {
  const double a = std::abs(m), sign = m < 0.0 ? -1.0 : 1.0;
  if (a <= m_.front()) {
    const double secant = dp_.front() / m_.front(), r = a / m_.front(), n = slope_.front() / secant;
    const double c1 = 0.5 * (3.0 - n), c3 = 0.5 * (n - 1.0);
    slope = secant * (c1 + 3.0 * c3 * r * r);
    return secant * m * (c1 + c3 * r * r);
  }
  if (a > m_.back()) {
    const double value = dp_.back() * std::pow(a / m_.back(), exponent_);
    slope = exponent_ * value / a;
    return sign * value;
  }
  const auto k = static_cast<std::size_t>(std::lower_bound(m_.begin(), m_.end(), a) - m_.begin());
  const double h = m_[k] - m_[k - 1], t = (a - m_[k - 1]) / h, u = 1.0 - t;
  const double rise = dp_[k] - dp_[k - 1];
  slope = 6.0 * t * u * rise / h + u * (1.0 - 3.0 * t) * slope_[k - 1] + t * (3.0 * t - 2.0) * slope_[k];
  return sign * (dp_[k - 1] + t * t * (3.0 - 2.0 * t) * rise + h * t * u * (u * slope_[k - 1] - t * slope_[k]));
}

}  // namespace podtwin
