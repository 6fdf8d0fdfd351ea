#include "model/network/flow_table.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {
constexpr double kAlone = 2.0;  // exponent of flow of a table of one point: the square law
constexpr double kMost = 2.9;   // exponent at the first point: with 3 the law would be flat at rest

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
    log_m_.push_back(std::log(m));
    log_dp_.push_back(std::log(dp));
  }
  if (log_m_.empty()) throw Error("a table of the pressure drop needs a point above rest");
  first_ = points[points.size() - log_m_.size()].first;
  last_ = m;
  const std::size_t n = log_m_.size();
  exponent_.assign(n, kAlone);
  if (n == 1) return;
  const auto width = [&](std::size_t k) { return log_m_[k + 1] - log_m_[k]; };
  const auto secant = [&](std::size_t k) { return (log_dp_[k + 1] - log_dp_[k]) / width(k); };
  exponent_[0] = std::min(secant(0), kMost);
  for (std::size_t k = 1; k + 1 < n; ++k) exponent_[k] = between(width(k - 1), secant(k - 1), width(k), secant(k));
  exponent_[n - 1] = secant(n - 2);
}

double FlowTable::drop(double m, double& slope) const {
  const double a = std::abs(m);
  if (a <= first_) {
    const double secant = std::exp(log_dp_.front()) / first_, r = a / first_, n = exponent_.front();
    const double c1 = 0.5 * (3.0 - n), c3 = 0.5 * (n - 1.0);
    slope = secant * (c1 + 3.0 * c3 * r * r);
    return secant * m * (c1 + c3 * r * r);
  }
  const double x = std::log(a);
  double log_drop = 0.0, exponent = exponent_.back();
  if (a >= last_) {
    log_drop = log_dp_.back() + exponent * (x - log_m_.back());
  } else {
    const auto k = static_cast<std::size_t>(std::upper_bound(log_m_.begin() + 1, log_m_.end() - 1, x) - log_m_.begin());
    const double h = log_m_[k] - log_m_[k - 1], t = (x - log_m_[k - 1]) / h, u = 1.0 - t;
    const double rise = log_dp_[k] - log_dp_[k - 1];
    log_drop = log_dp_[k - 1] + t * t * (3.0 - 2.0 * t) * rise + h * t * u * (u * exponent_[k - 1] - t * exponent_[k]);
    exponent = 6.0 * t * u * rise / h + u * (1.0 - 3.0 * t) * exponent_[k - 1] + t * (3.0 * t - 2.0) * exponent_[k];
  }
  const double value = std::exp(log_drop);
  slope = exponent * value / a;
  return m < 0.0 ? -value : value;
}

}  // namespace podtwin
