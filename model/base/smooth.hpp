// Odd functions of a flow or a pressure difference with a continuous derivative and a finite, positive slope at zero:
// what makes solvers converge through zero flow. All are templated on the scalar (double or Dual).
//
//   signedSquareRoot   x / (x^2 + e^2)^(1/4)          -> sign(x) sqrt|x|    relative departure (e/x)^2 / 4 for |x| >> e
//   signedPower        x (x^2 + e^2)^((n-1)/2)        -> sign(x) |x|^n      relative departure (n-1)/2 (e/x)^2
//   joinedThroughZero  the caller's law exactly at and above a threshold; below it the odd cubic a x + b x^3 that takes
//                      over the law's value and slope there: linear at zero, no bias where it counts
#pragma once

#include <cmath>

#include "model/base/dual.hpp"

namespace podtwin {

/// Regularised signed square root; `width` > 0 in the unit of x. Slope 1/sqrt(width) at zero.
template <class S>
S signedSquareRoot(const S& x, double width) {
  using std::sqrt;
  return x / sqrt(sqrt(x * x + width * width));
}

/// Regularised signed power, n > 0; `width` > 0 in the unit of x. Slope width^(n-1) at zero.
template <class S>
S signedPower(const S& x, double n, double width) {
  using std::pow;
  return x * pow(x * x + width * width, (n - 1.0) / 2.0);
}

/// The odd cubic a x + b x^3 through zero that meets a law at x = threshold with its value and its slope.
struct OddJoin {
  double a = 0.0;  ///< slope at zero
  double b = 0.0;
  /// `threshold` > 0. The slope is positive from zero on when 0 < slope < 3 value / threshold, which holds for every
  /// power law |x|^n with n < 3.
  OddJoin(double threshold, double value, double slope)
      : a((3.0 * value / threshold - slope) / 2.0), b((slope - value / threshold) / (2.0 * threshold * threshold)) {}
  template <class S>
  S operator()(const S& x) const {
    return x * (a + b * x * x);
  }
};

/// sign(x) law(|x|) at and beyond the threshold, the cubic of OddJoin inside it; continuous value and slope.
/// `law` takes a scalar of type S (positive) and is called with a Dual<1> at the threshold for its slope.
template <class S, class Law>
S joinedThroughZero(const S& x, double threshold, const Law& law) {
  if (valueOf(x) >= threshold) return law(x);
  if (valueOf(x) <= -threshold) return -law(-x);
  const Dual<1> at = law(Dual<1>::unknown(threshold, 0));
  return OddJoin(threshold, at.value, at.d[0])(x);
}

}  // namespace podtwin
