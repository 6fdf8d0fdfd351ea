#include "model/base/smooth.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using podtwin::Dual;
using podtwin::joinedThroughZero;
using podtwin::OddJoin;
using podtwin::signedPower;
using podtwin::signedSquareRoot;

constexpr double kWidth = 0.01;

double slopeOf(const auto& f, double x) { return f(Dual<1>::unknown(x, 0)).d[0]; }

/// Odd, rising, slope agreeing with differences everywhere, zero included.
void expectOddAndSmooth(const auto& f) {
  constexpr double kStep = 1e-7, kTolerance = 1e-5;
  EXPECT_EQ(f(0.0), 0.0);
  for (double x = -0.05; x <= 0.05; x += 0.00099) {
    EXPECT_DOUBLE_EQ(f(-x), -f(x));
    const double slope = slopeOf(f, x), difference = (f(x + kStep) - f(x - kStep)) / (2.0 * kStep);
    EXPECT_GT(slope, 0.0) << x;
    EXPECT_NEAR(slope, difference, kTolerance * std::fabs(slope)) << x;
  }
}

TEST(Smooth, SignedSquareRootIsOddAndSmoothThroughZero) {
  const auto f = [](const auto& x) { return signedSquareRoot(x, kWidth); };
  expectOddAndSmooth(f);
  EXPECT_DOUBLE_EQ(slopeOf(f, 0.0), 1.0 / std::sqrt(kWidth));
}

TEST(Smooth, SignedSquareRootDepartsFromTheRootAsStated) {
  const double x = 1.0, departure = kWidth * kWidth / (x * x) / 4.0;
  EXPECT_NEAR(signedSquareRoot(x, kWidth) / std::sqrt(x), 1.0 - departure, departure * 1e-3);
  EXPECT_NEAR(signedSquareRoot(-4.0, kWidth), -2.0, 1e-5);
}

TEST(Smooth, SignedPowerIsOddAndSmoothThroughZero) {
  for (const double n : {0.5, 1.75, 1.852, 2.0}) {
    const auto f = [n](const auto& x) { return signedPower(x, n, kWidth); };
    expectOddAndSmooth(f);
    EXPECT_NEAR(slopeOf(f, 0.0), std::pow(kWidth, n - 1.0), 1e-12);
    const double departure = (n - 1.0) / 2.0 * kWidth * kWidth;
    EXPECT_NEAR(f(1.0), 1.0 + departure, std::fabs(departure) * 1e-3);
  }
}

TEST(Smooth, SignedPowerOfOneHalfIsTheSignedSquareRoot) {
  for (const double x : {-3.0, -0.004, 0.02, 1.0})
    EXPECT_DOUBLE_EQ(signedPower(x, 0.5, kWidth), signedSquareRoot(x, kWidth));
}

TEST(Smooth, JoinedLawIsExactBeyondTheThresholdAndSmoothThroughIt) {
  const auto law = [](const auto& x) {
    using std::pow;
    return 7.0 * pow(x, 1.8) + 0.2 * x;
  };
  const auto f = [&law](const auto& x) { return joinedThroughZero(x, kWidth, law); };
  expectOddAndSmooth(f);
  EXPECT_EQ(f(0.02), law(0.02));
  EXPECT_EQ(f(-0.02), -law(0.02));
  // Value and slope from both sides of the threshold.
  const double inside = kWidth * (1.0 - 1e-9);
  EXPECT_NEAR(f(inside) / law(kWidth), 1.0, 1e-8);
  EXPECT_NEAR(slopeOf(f, inside) / slopeOf(law, kWidth), 1.0, 1e-8);
  EXPECT_GT(slopeOf(f, 0.0), 0.0);
}

TEST(Smooth, JoinOfASquareLawStartsWithHalfItsChordSlope) {
  const OddJoin join(0.1, 0.01, 0.2);  // x^2 at 0.1
  EXPECT_DOUBLE_EQ(join.a, 0.05);
  EXPECT_DOUBLE_EQ(join.b, 5.0);
  EXPECT_DOUBLE_EQ(join(0.1), 0.01);
}

}  // namespace
