#include "model/base/curve.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "model/base/diagnostics.hpp"

namespace podtwin {

Curve::Curve(std::span<const std::pair<double, double>> points) {
  std::ostringstream problem;
  if (points.size() < 2) {
    problem << "a curve needs at least two points, it has " << points.size();
    throw Error(problem.str());
  }
  x_.reserve(points.size());
  y_.reserve(points.size());
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
      problem << "point " << x_.size() + 1 << " of a curve is not finite: (" << x << ", " << y << ")";
      throw Error(problem.str());
    }
    if (!x_.empty() && !(x > x_.back())) {
      problem << "the abscissae of a curve must rise: " << x << " follows " << x_.back();
      throw Error(problem.str());
    }
    x_.push_back(x);
    y_.push_back(y);
  }
}

void Curve::checkNotEmpty() const {
  if (x_.empty()) throw Error("a curve without points has no value");
}

double Curve::low() const {
  checkNotEmpty();
  return x_.front();
}

double Curve::high() const {
  checkNotEmpty();
  return x_.back();
}

std::size_t Curve::pieceEnd(double x) const {
  const auto after = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
  return std::min(after, x_.size() - 1);
}

double Curve::value(double x) const {
  checkNotEmpty();
  if (std::isnan(x)) return x;
  if (x <= x_.front()) return y_.front();
  if (x >= x_.back()) return y_.back();
  const std::size_t i = pieceEnd(x);
  return y_[i - 1] + (y_[i] - y_[i - 1]) * (x - x_[i - 1]) / (x_[i] - x_[i - 1]);
}

double Curve::slope(double x) const {
  checkNotEmpty();
  if (!inRange(x)) return 0.0;
  const std::size_t i = pieceEnd(x);
  return (y_[i] - y_[i - 1]) / (x_[i] - x_[i - 1]);
}

}  // namespace podtwin
