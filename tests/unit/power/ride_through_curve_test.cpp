#include "model/system/ride_through_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/base/diagnostics.hpp"

namespace podtwin::test {
namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();

TEST(RideThrough, GivesTheDurationsOfItsStandards) {
  const auto itic = shippedRideThrough("itic").curve();
  EXPECT_EQ(itic.timeAllowed(0.0), 0.02);
  EXPECT_EQ(itic.timeAllowed(0.699), 0.02);
  EXPECT_EQ(itic.timeAllowed(0.7), 0.5);
  EXPECT_EQ(itic.timeAllowed(0.85), 10.0);
  EXPECT_EQ(itic.timeAllowed(1.0), kEver);
  EXPECT_EQ(itic.timeAllowed(1.1), kEver);
  EXPECT_EQ(itic.timeAllowed(1.15), 0.5);
  EXPECT_EQ(itic.timeAllowed(3.0), 0.001);
  const auto semi = shippedRideThrough("semi_f47").curve();
  EXPECT_TRUE(semi.rides(0.5, 0.2) && semi.rides(0.7, 0.5) && semi.rides(0.8, 1.0) && semi.rides(0.9, 1e9));
  EXPECT_FALSE(semi.rides(0.49, 0.2) || semi.rides(0.5, 0.21) || semi.rides(0.8, 1.01));
}

TEST(RideThrough, RidesADipOf200MillisecondsAsSupplyAndNotAsContactorOrChiller) {
  EXPECT_TRUE(shippedRideThrough("semi_f47").curve().rides(0.5, 0.2));
  EXPECT_FALSE(shippedRideThrough("contactor").curve().rides(0.5, 0.2));
  EXPECT_FALSE(shippedRideThrough("chiller_control").curve().rides(0.5, 0.2));
  EXPECT_TRUE(shippedRideThrough("supply").curve().rides(0.0, 0.02));
}

TEST(RideThrough, TripsAfterJustTheDurationOfAConstantSag) {
  for (const auto& shipped : shippedRideThrough()) {
    const auto curve = shipped.curve();
    EXPECT_FALSE(shipped.source.empty());
    for (double v = 0.0; v < 2.5; v += 0.01) {
      const double allowed = curve.timeAllowed(v);
      const std::vector<double> fresh(curve.memories());
      EXPECT_EQ(curve.timeToTrip(v, fresh), allowed);
      if (allowed == kEver) continue;
      double fullest = 0.0;
      for (std::size_t k = 0; k < curve.memories(); ++k)
        fullest = std::max(fullest, curve.memoryAfter(v, 0.0, k, allowed));
      EXPECT_NEAR(fullest, 1.0, 1e-12);
    }
  }
}

TEST(RideThrough, CountsEveryDepthOfAVaryingVoltageByItself) {
  const auto curve = shippedRideThrough("semi_f47").curve();
  std::vector<double> m(curve.memories());
  const auto pass = [&](double voltage, double duration) {
    for (std::size_t k = 0; k < m.size(); ++k) m[k] = curve.memoryAfter(voltage, m[k], k, duration);
  };
  pass(0.0, 0.015);
  pass(0.55, 0.1);
  // 0.115 s below 70 % of 0.2, below 80 % of 0.5, below 90 % of 1: it goes on to ride.
  EXPECT_NEAR(curve.timeToTrip(0.55, m), 0.085, 1e-12);
  EXPECT_NEAR(curve.timeToTrip(0.75, m), 0.385, 1e-12);
  EXPECT_NEAR(curve.timeToTrip(0.85, m), 0.885, 1e-12);
  EXPECT_EQ(curve.timeToTrip(1.0, m), kEver);
  // Back at rated voltage every clock falls; a second dip soon after finds less left than the first did.
  pass(1.0, 0.05);
  EXPECT_LT(curve.timeToTrip(0.55, m), 0.2);
  EXPECT_GT(curve.timeToTrip(0.55, m), 0.085);
  pass(1.0, 2.0);
  EXPECT_NEAR(curve.timeToTrip(0.55, m), 0.2, 1e-6);
  // A clock that is full has tripped the load at whatever voltage follows.
  pass(0.0, 1.0);
  EXPECT_EQ(curve.timeToTrip(1.0, m), 0.0);
}

TEST(RideThrough, AdvancesItsClocksByTheIntegralOfTheirRate) {
  const auto curve = shippedRideThrough("itic").curve();
  for (std::size_t k = 0; k < curve.memories(); ++k)
    for (const double v : {0.0, 0.75, 1.0, 1.3, 2.5}) {
      const double h = 1e-7, m = 0.4;
      const double slope = (curve.memoryAfter(v, m, k, h) - curve.memoryAfter(v, m, k, 0.0)) / h;
      EXPECT_NEAR(slope, curve.rate(v, m, k), 1e-5 * std::max(1.0, std::abs(slope)));
    }
}

TEST(RideThrough, RefusesWhatIsNoCurve) {
  using Points = std::vector<std::pair<double, double>>;
  EXPECT_THROW(RideThroughCurve(Points{{0.1, 0.02}, {0.9, kEver}}), Error);
  EXPECT_THROW(RideThroughCurve(Points{{0.0, 0.02}, {0.9, 1.0}}), Error);
  EXPECT_THROW(RideThroughCurve(Points{{0.0, 0.5}, {0.7, 0.2}, {0.9, kEver}}), Error);
  EXPECT_THROW(RideThroughCurve(Points{{0.0, kEver}}, Points{{1.2, 0.5}}), Error);
  EXPECT_THROW(RideThroughCurve(Points{{0.0, 0.02}, {0.9, kEver}}).timeAllowed(-0.1), Error);
  EXPECT_THROW(shippedRideThrough("toaster"), Error);
  EXPECT_EQ(RideThroughCurve().timeAllowed(0.0), kEver);
}

}  // namespace
}  // namespace podtwin::test
