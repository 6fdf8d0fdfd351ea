// A tabulated function of one variable, linear between its points.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "model/base/dual.hpp"

namespace podtwin {

/// Points in strictly rising order of the abscissa. There is no extrapolation: beyond the ends the end value holds, the
/// slope is zero and inRange() says false. Whoever evaluates outside reports it.
class Curve {
 public:
  Curve() = default;
  /// Throws Error when there are fewer than two points, when one is not finite, or when they do not rise.
  explicit Curve(std::span<const std::pair<double, double>> points);

  /// Throws Error when the curve is empty; a NaN comes back as NaN.
  double value(double x) const;
  template <int N>
  Dual<N> value(const Dual<N>& x) const {
    return Dual<N>::chain(x, value(x.value), slope(x.value));
  }
  /// Slope of the piece that x is in; at a point that of the piece to its right, at the last point to its left; 0
  /// beyond the ends.
  double slope(double x) const;
  bool inRange(double x) const { return !empty() && x >= x_.front() && x <= x_.back(); }
  bool empty() const { return x_.empty(); }
  double low() const;   ///< first abscissa
  double high() const;  ///< last abscissa

 private:
  /// Index of the point that ends the piece holding x; x is within the ends.
  std::size_t pieceEnd(double x) const;
  void checkNotEmpty() const;

  std::vector<double> x_, y_;
};

}  // namespace podtwin
