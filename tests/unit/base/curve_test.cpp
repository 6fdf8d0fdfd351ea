#include "model/base/curve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "model/base/diagnostics.hpp"

namespace {

using podtwin::Curve;
using podtwin::Dual;
using podtwin::Error;
using Points = std::vector<std::pair<double, double>>;

const Points kPoints{{0.0, 1.0}, {2.0, 5.0}, {3.0, 4.0}};

TEST(Curve, PassesThroughItsPointsAndIsLinearBetween) {
  const Curve curve(kPoints);
  for (const auto& [x, y] : kPoints) EXPECT_EQ(curve.value(x), y);
  EXPECT_DOUBLE_EQ(curve.value(0.5), 2.0);
  EXPECT_DOUBLE_EQ(curve.value(2.25), 4.75);
  EXPECT_EQ(curve.low(), 0.0);
  EXPECT_EQ(curve.high(), 3.0);
}

TEST(Curve, SlopeIsThatOfThePiece) {
  const Curve curve(kPoints);
  EXPECT_DOUBLE_EQ(curve.slope(0.0), 2.0);
  EXPECT_DOUBLE_EQ(curve.slope(1.9), 2.0);
  EXPECT_DOUBLE_EQ(curve.slope(2.0), -1.0);
  EXPECT_DOUBLE_EQ(curve.slope(3.0), -1.0);
}

TEST(Curve, HoldsTheEndValuesOutsideAndSaysSo) {
  const Curve curve(kPoints);
  EXPECT_EQ(curve.value(-1.0), 1.0);
  EXPECT_EQ(curve.value(10.0), 4.0);
  EXPECT_EQ(curve.slope(-1.0), 0.0);
  EXPECT_EQ(curve.slope(10.0), 0.0);
  EXPECT_FALSE(curve.inRange(-1e-12));
  EXPECT_FALSE(curve.inRange(3.0 + 1e-12));
  EXPECT_TRUE(curve.inRange(0.0));
  EXPECT_TRUE(curve.inRange(3.0));
}

TEST(Curve, DualArgumentCarriesTheSlope) {
  const Curve curve(kPoints);
  const Dual<2> y = curve.value(3.0 * Dual<2>::unknown(0.5, 1));
  EXPECT_DOUBLE_EQ(y.value, 4.0);
  EXPECT_DOUBLE_EQ(y.d[1], 6.0);
  EXPECT_EQ(y.d[0], 0.0);
}

TEST(Curve, NaNComesBackAsNaNAndIsOutOfRange) {
  const Curve curve(kPoints);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(curve.value(nan)));
  EXPECT_FALSE(curve.inRange(nan));
}

void expectRejected(const Points& points, const char* text) {
  try {
    const Curve curve{points};
    FAIL() << "accepted; expected: " << text;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

TEST(Curve, RejectsPointsThatMakeNoCurve) {
  expectRejected({}, "it has 0");
  expectRejected({{1.0, 2.0}}, "it has 1");
  expectRejected({{1.0, 2.0}, {1.0, 3.0}}, "1 follows 1");
  expectRejected({{1.0, 2.0}, {0.5, 3.0}}, "0.5 follows 1");
  expectRejected({{1.0, 2.0}, {2.0, std::numeric_limits<double>::infinity()}}, "point 2");
}

TEST(Curve, WithoutPointsHasNoValue) {
  const Curve curve;
  EXPECT_TRUE(curve.empty());
  EXPECT_FALSE(curve.inRange(0.0));
  EXPECT_THROW(curve.value(0.0), Error);
  EXPECT_THROW(curve.slope(0.0), Error);
  EXPECT_THROW(curve.low(), Error);
}

}  // namespace
