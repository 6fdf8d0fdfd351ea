// Forward-mode derivatives: a value and its derivatives by N unknowns, propagated exactly through a kernel.
//
// A kernel templated on its scalar writes `using std::sqrt; sqrt(x)`: the functions below are found by their argument,
// those of <cmath> and <algorithm> otherwise. Mixed operands (Dual and double) do no arithmetic on the zero derivatives
// of the constant. Where a derivative is infinite (sqrt, log and fractional powers at zero) it stays infinite for the
// unknowns that the argument depends on and is zero for all others.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace podtwin {

template <int N>
struct Dual {
  double value = 0.0;
  std::array<double, static_cast<std::size_t>(N)> d{};

  constexpr Dual() = default;
  constexpr Dual(double v) : value(v) {}  // NOLINT: a constant is a Dual without derivative
  /// The unknown of a column: derivative 1 by itself.
  static constexpr Dual unknown(double v, std::size_t column) {
    Dual r(v);
    r.d[column] = 1.0;
    return r;
  }

  friend constexpr Dual operator-(Dual a) {
    a.value = -a.value;
    for (auto& x : a.d) x = -x;
    return a;
  }
  friend constexpr Dual operator+(Dual a, const Dual& b) {
    a.value += b.value;
    for (std::size_t i = 0; i < a.d.size(); ++i) a.d[i] += b.d[i];
    return a;
  }
  friend constexpr Dual operator-(Dual a, const Dual& b) {
    a.value -= b.value;
    for (std::size_t i = 0; i < a.d.size(); ++i) a.d[i] -= b.d[i];
    return a;
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    for (std::size_t i = 0; i < r.d.size(); ++i) r.d[i] = a.d[i] * b.value + a.value * b.d[i];
    return r;
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const double inverse = 1.0 / b.value;
    Dual r(a.value / b.value);
    for (std::size_t i = 0; i < r.d.size(); ++i) r.d[i] = (a.d[i] - r.value * b.d[i]) * inverse;
    return r;
  }

  friend constexpr Dual operator+(Dual a, double b) {
    a.value += b;
    return a;
  }
  friend constexpr Dual operator+(double a, Dual b) {
    b.value += a;
    return b;
  }
  friend constexpr Dual operator-(Dual a, double b) {
    a.value -= b;
    return a;
  }
  friend constexpr Dual operator-(double a, const Dual& b) { return chain(b, a - b.value, -1.0); }
  friend constexpr Dual operator*(const Dual& a, double b) { return chain(a, a.value * b, b); }
  friend constexpr Dual operator*(double a, const Dual& b) { return chain(b, a * b.value, a); }
  friend constexpr Dual operator/(const Dual& a, double b) { return chain(a, a.value / b, 1.0 / b); }
  friend constexpr Dual operator/(double a, const Dual& b) {
    const double quotient = a / b.value;
    return chain(b, quotient, -quotient / b.value);
  }

  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }

  /// Comparisons are of the values: which branch a kernel takes does not depend on derivatives.
  friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend constexpr bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend constexpr bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }

  /// f(a) with f'(a) = slope.
  static constexpr Dual chain(const Dual& a, double f, double slope) {
    Dual r(f);
    for (std::size_t i = 0; i < r.d.size(); ++i) r.d[i] = slope * a.d[i];
    return r;
  }
  /// As chain, for a slope that may be infinite: an unknown that a does not depend on keeps derivative 0, not NaN.
  static constexpr Dual steepChain(const Dual& a, double f, double slope) {
    Dual r(f);
    for (std::size_t i = 0; i < r.d.size(); ++i) r.d[i] = a.d[i] == 0.0 ? 0.0 : slope * a.d[i];
    return r;
  }

  friend Dual sqrt(const Dual& a) {
    const double s = std::sqrt(a.value);
    return steepChain(a, s, 0.5 / s);
  }
  friend Dual exp(const Dual& a) {
    const double v = std::exp(a.value);
    return chain(a, v, v);
  }
  friend Dual expm1(const Dual& a) { return chain(a, std::expm1(a.value), std::exp(a.value)); }
  friend Dual log(const Dual& a) { return steepChain(a, std::log(a.value), 1.0 / a.value); }
  friend Dual log1p(const Dual& a) { return steepChain(a, std::log1p(a.value), 1.0 / (1.0 + a.value)); }
  friend Dual sin(const Dual& a) { return chain(a, std::sin(a.value), std::cos(a.value)); }
  friend Dual cos(const Dual& a) { return chain(a, std::cos(a.value), -std::sin(a.value)); }
  friend Dual tanh(const Dual& a) {
    const double t = std::tanh(a.value);
    return chain(a, t, 1.0 - t * t);
  }
  friend Dual pow(const Dual& a, double n) {
    return steepChain(a, std::pow(a.value, n), n == 0.0 ? 0.0 : n * std::pow(a.value, n - 1.0));
  }
  /// At zero the derivative from the right.
  friend constexpr Dual abs(const Dual& a) { return a.value < 0.0 ? -a : a; }
  /// At equality the first argument, as std::min and std::max.
  friend constexpr Dual min(const Dual& a, const Dual& b) { return b.value < a.value ? b : a; }
  friend constexpr Dual max(const Dual& a, const Dual& b) { return b.value > a.value ? b : a; }
};

/// The value without its derivatives, for a decision or a loop bound in a kernel.
constexpr double valueOf(double x) { return x; }
template <int N>
constexpr double valueOf(const Dual<N>& x) {
  return x.value;
}

}  // namespace podtwin
