#include "model/base/monotone_curve.hpp"

#include <gtest/gtest.h>

#include "model/base/diagnostics.hpp"

namespace podtwin {
namespace {

using Points = std::vector<std::pair<double, double>>;

TEST(MonotoneCurve, GoesThroughItsPointsAndHoldsTheEndValues) {
  const Points points{{0.0, 1.0}, {1.0, 3.0}, {2.0, 3.5}, {5.0, 3.6}};
  const MonotoneCurve curve(points);
  for (const auto& [x, y] : points) EXPECT_NEAR(curve.value(x), y, 1e-15);
  EXPECT_EQ(curve.value(-1.0), 1.0);
  EXPECT_EQ(curve.value(9.0), 3.6);
}

TEST(MonotoneCurve, IsTheStraightLineThroughPointsOfOne) {
  const MonotoneCurve curve(Points{{0.0, 1.0}, {1.0, 3.0}, {4.0, 9.0}});
  for (double x = 0.0; x <= 4.0; x += 0.125) EXPECT_NEAR(curve.value(x), 1.0 + 2.0 * x, 1e-14);
  EXPECT_NEAR(MonotoneCurve(Points{{0.0, 1.0}, {2.0, 5.0}}).value(0.5), 2.0, 1e-15);
}

TEST(MonotoneCurve, DoesNotOvershootAStepAndIsFlatAtATurn) {
  const MonotoneCurve curve(Points{{0.0, 0.0}, {1.0, 0.0}, {1.1, 1.0}, {2.0, 1.0}, {3.0, 0.0}});
  double last = 0.0;
  for (double x = 0.0; x <= 2.0; x += 0.01) {
    EXPECT_GE(curve.value(x), last - 1e-15);
    last = curve.value(x);
  }
  EXPECT_LE(last, 1.0);
}

TEST(MonotoneCurve, RefusesPointsThatDoNotRise) {
  EXPECT_THROW(MonotoneCurve(Points{{1.0, 0.0}}), Error);
  EXPECT_THROW(MonotoneCurve(Points{{1.0, 0.0}, {1.0, 1.0}}), Error);
}

}  // namespace
}  // namespace podtwin
