#include "model/base/dual.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace {

using podtwin::Dual;
using podtwin::valueOf;

/// Derivatives of f(x, y) by Dual<2> against central differences at random points of [low, high]^2.
template <class F>
void expectDerivatives(const F& f, double low, double high) {
  constexpr int kPoints = 200;
  constexpr double kStep = 1e-5,
                   kTolerance = 1e-7;  // central differences: truncation about step^2, rounding 1e-16/step
  std::mt19937_64 generator(20240607);
  std::uniform_real_distribution<double> pick(low, high);
  for (int i = 0; i < kPoints; ++i) {
    const double x = pick(generator), y = pick(generator);
    const Dual<2> r = f(Dual<2>::unknown(x, 0), Dual<2>::unknown(y, 1));
    EXPECT_DOUBLE_EQ(r.value, f(x, y)) << "at " << x << ", " << y;
    const double by_x = (f(x + kStep, y) - f(x - kStep, y)) / (2.0 * kStep);
    const double by_y = (f(x, y + kStep) - f(x, y - kStep)) / (2.0 * kStep);
    EXPECT_NEAR(r.d[0], by_x, kTolerance * std::max(1.0, std::fabs(by_x))) << "at " << x << ", " << y;
    EXPECT_NEAR(r.d[1], by_y, kTolerance * std::max(1.0, std::fabs(by_y))) << "at " << x << ", " << y;
  }
}

TEST(Dual, DerivativesOfTheFourOperationsAgreeWithDifferences) {
  expectDerivatives([](auto x, auto y) { return x * y - x / y + (x + y) * x - (-y); }, 0.5, 3.0);
}

TEST(Dual, DerivativesWithConstantsOnEitherSideAgreeWithDifferences) {
  expectDerivatives(
      [](auto x, auto y) { return 3.0 / x + x / 4.0 - 2.0 * y + (1.0 - x) * 5.0 + (y - 7.0) + (2.0 + y); }, 0.5, 3.0);
  expectDerivatives([](auto x, auto y) { return 2 * x - y / 2 + (1 - x) * 3; }, 0.5, 3.0);
}

TEST(Dual, DerivativesOfCompoundAssignmentsAgreeWithDifferences) {
  expectDerivatives(
      [](auto x, auto y) {
        auto r = x;
        r += y;
        r *= x;
        r -= y * y;
        r /= y + 1.0;
        r *= 2.0;
        return r;
      },
      0.5, 3.0);
}

TEST(Dual, DerivativesOfTheFunctionsAgreeWithDifferences) {
  using std::abs, std::cos, std::exp, std::expm1, std::log, std::log1p, std::pow, std::sin, std::sqrt, std::tanh;
  expectDerivatives([](auto x, auto y) { return sqrt(x * y); }, 0.5, 3.0);
  expectDerivatives([](auto x, auto y) { return pow(x * y, 1.852) + pow(y, -0.25) + pow(x, 0.0); }, 0.5, 3.0);
  expectDerivatives([](auto x, auto y) { return exp(-x) * log(x + y) + expm1(y) + log1p(x); }, 0.5, 3.0);
  expectDerivatives([](auto x, auto y) { return sin(x) * cos(y) + tanh(x - y); }, -3.0, 3.0);
  expectDerivatives([](auto x, auto y) { return abs(x * y + 20.0) - abs(x - 5.0); }, -3.0, 3.0);
}

TEST(Dual, MinimumAndMaximumCarryTheDerivativeOfTheOneChosen) {
  using std::max, std::min;
  const auto x = Dual<2>::unknown(1.0, 0), y = Dual<2>::unknown(2.0, 1);
  EXPECT_EQ(min(x, y).d[0], 1.0);
  EXPECT_EQ(min(x, y).d[1], 0.0);
  EXPECT_EQ(max(x, y).d[1], 1.0);
  EXPECT_EQ(max(x, y).d[0], 0.0);
  EXPECT_EQ(max(x, 5.0).value, 5.0);
  EXPECT_EQ(max(x, 5.0).d[0], 0.0);
  EXPECT_EQ(min(0.0, x).d[0], 0.0);
}

TEST(Dual, ComparesByValueWithDualAndDouble) {
  const auto x = Dual<1>::unknown(1.0, 0);
  EXPECT_TRUE(x < 2.0 && 2.0 > x && x <= Dual<1>(1.0) && x >= 1.0 && x == 1.0 && x != 1.5);
  EXPECT_FALSE(x < 1.0 || x > 1.0 || x == 2.0);
}

TEST(Dual, InfiniteSlopesLeaveOtherUnknownsAtZeroRatherThanNaN) {
  const auto zero = Dual<2>::unknown(0.0, 0);
  EXPECT_EQ(sqrt(zero).d[1], 0.0);
  EXPECT_TRUE(std::isinf(sqrt(zero).d[0]));
  EXPECT_EQ(pow(zero, 0.5).d[1], 0.0);
  EXPECT_EQ(log(zero).d[1], 0.0);
  EXPECT_EQ(sqrt(Dual<2>(0.0)).d[0], 0.0);
}

TEST(Dual, SecondUseOfAConstantNeedsNoDerivativeAndEvaluatesAtCompileTime) {
  constexpr Dual<2> r = 2.0 * Dual<2>::unknown(3.0, 1) * Dual<2>::unknown(3.0, 1) / 4.0 - 1.0;
  static_assert(r.value == 3.5);
  static_assert(r.d[0] == 0.0 && r.d[1] == 3.0);
  static_assert(valueOf(r) == 3.5 && valueOf(2.5) == 2.5);
}

}  // namespace
