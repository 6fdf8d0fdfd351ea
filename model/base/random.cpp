#include "model/base/random.hpp"

#include <array>
#include <cmath>
#include <string>

#include "model/base/diagnostics.hpp"

// Only operations that IEEE 754 rounds correctly are used here (and frexp, ldexp, floor, sqrt, which are exact or
// rounded correctly), so that a draw has the same bits on every machine; the C library's log and exp do not promise
// that.

namespace podtwin {

namespace {

constexpr double kLn2 = 0.693147180559945309417;
constexpr double kHalfRoot = 0.707106781186547524401;  // sqrt(1/2)

/// Natural logarithm of x > 0: exponent apart, then 2 artanh((m-1)/(m+1)) as a series; relative error about 1e-16.
double portableLog(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // 0.5 <= m < 1
  if (m < kHalfRoot) {
    m *= 2.0;
    --exponent;
  }
  constexpr int kTerms = 12;  // |s| <= 0.1716: the next term is below 1e-19
  const double s = (m - 1.0) / (m + 1.0), s2 = s * s;
  double sum = 0.0;
  for (int k = kTerms; k >= 0; --k) sum = sum * s2 + 1.0 / (2.0 * k + 1.0);
  return exponent * kLn2 + 2.0 * s * sum;
}

/// Exponential of x in [-32, 0]: halves apart, then the Taylor series.
double portableExp(double x) {
  constexpr int kTerms = 18;  // |r| <= 0.35: the next term is below 1e-25
  const double n = std::floor(x / kLn2 + 0.5);
  const double r = x - n * kLn2;
  double sum = 1.0;
  for (int k = kTerms; k >= 1; --k) sum = 1.0 + sum * r / k;
  return std::ldexp(sum, static_cast<int>(n));
}

double ratio(const std::array<double, 8>& top, const std::array<double, 8>& bottom, double r) {
  double a = 0.0, b = 0.0;
  for (std::size_t i = top.size(); i-- > 0;) {
    a = a * r + top[i];
    b = b * r + bottom[i];
  }
  return a / b;
}

/// Inverse of the standard normal distribution for 0 < p < 1: Wichura, algorithm AS 241 (PPND16), Applied Statistics 37
/// (1988) 477; relative error about 1e-16.
double inverseNormal(double p) {
  constexpr std::array<double, 8> kTop{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr std::array<double, 8> kBottom{1.0,
                                          4.2313330701600911252e+1,
                                          6.8718700749205790830e+2,
                                          5.3941960214247511077e+3,
                                          2.1213794301586595867e+4,
                                          3.9307895800092710610e+4,
                                          2.8729085735721942674e+4,
                                          5.2264952788528545610e+3};
  constexpr std::array<double, 8> kNearTop{
      1.42343711074968357734e0, 4.63033784615654529590e0,  5.76949722146069140550e0,  3.64784832476320460504e0,
      1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array<double, 8> kNearBottom{1.0,
                                              2.05319162663775882187e0,
                                              1.67638483018380384940e0,
                                              6.89767334985100004550e-1,
                                              1.48103976427480074590e-1,
                                              1.51986665636164571966e-2,
                                              5.47593808499534494600e-4,
                                              1.05075007164441684324e-9};
  constexpr std::array<double, 8> kFarTop{
      6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,  2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array<double, 8> kFarBottom{1.0,
                                             5.99832206555887937690e-1,
                                             1.36929880922735805310e-1,
                                             1.48753612908506148525e-2,
                                             7.86869131145613259100e-4,
                                             1.84631831751005468180e-5,
                                             1.42151175831644588870e-7,
                                             2.04426310338993978564e-15};
  constexpr double kCentre = 0.425, kCentreSquare = 0.180625, kFar = 5.0, kNearShift = 1.6;  // AS 241's split points
  const double q = p - 0.5;
  if (std::fabs(q) <= kCentre) return q * ratio(kTop, kBottom, kCentreSquare - q * q);
  const double r = std::sqrt(-portableLog(q < 0.0 ? p : 1.0 - p));
  const double x = r <= kFar ? ratio(kNearTop, kNearBottom, r - kNearShift) : ratio(kFarTop, kFarBottom, r - kFar);
  return q < 0.0 ? -x : x;
}

}  // namespace

double RandomStream::normal(std::uint64_t index) const { return inverseNormal(uniform(index)); }

std::uint64_t RandomStream::poisson(std::uint64_t index, double mean) const {
  constexpr double kInversionLimit = 32.0, kLargest = 1e15;  // above 1e15 a count is no longer exact in a double
  if (!(mean >= 0.0 && mean <= kLargest))
    throw Error("the mean of a Poisson draw must be from 0 to 1e15, it is " + std::to_string(mean));
  if (mean > kInversionLimit) {
    const double z = normal(index);
    const double quantile = std::floor(mean + std::sqrt(mean) * z + (z * z - 1.0) / 6.0 + 0.5);
    return quantile > 0.0 ? static_cast<std::uint64_t>(quantile) : 0;
  }
  const double u = uniform(index);
  double term = portableExp(-mean), sum = term;
  std::uint64_t count = 0;
  // The terms fall to nothing beyond the mean: when the next no longer adds, the draw is in the last bit of the tail.
  while (u > sum) {
    ++count;
    term *= mean / static_cast<double>(count);
    const double next = sum + term;
    if (next == sum && static_cast<double>(count) > mean) break;
    sum = next;
  }
  return count;
}

}  // namespace podtwin
