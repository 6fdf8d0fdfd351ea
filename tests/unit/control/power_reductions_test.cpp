#include "model/components/control/power_reductions.hpp"

#include <gtest/gtest.h>

namespace podtwin {
namespace {

// Two blocks. a hangs on the first alone, b half on each, c on the second alone.
std::vector<ReducibleLoad> threeLoads(double most) {
  return {{most, {1.0, 0.0}}, {most, {0.5, 0.5}}, {most, {0.0, 1.0}}};
}

TEST(PowerReductions, TakesFromTheLoadThatHangsOnTheBlockAlone) {
  std::vector<double> excess{60.0, 0.0};
  const auto taken = powerReductions(threeLoads(100.0), excess);
  EXPECT_DOUBLE_EQ(taken[0], 60.0);
  EXPECT_DOUBLE_EQ(taken[1], 0.0);
  EXPECT_NEAR(excess[0], 0.0, 1e-9);
}

TEST(PowerReductions, GoesOnWithTheNextWhenOneIsAtItsLeast) {
  // 100 of a, and 2 * 20 of b for the 20 that are left.
  std::vector<double> excess{120.0, 0.0};
  const auto taken = powerReductions(threeLoads(100.0), excess);
  EXPECT_DOUBLE_EQ(taken[0], 100.0);
  EXPECT_NEAR(taken[1], 40.0, 1e-9);
  EXPECT_DOUBLE_EQ(taken[2], 0.0);
}

TEST(PowerReductions, TellsWhatNoLoadCanGive) {
  std::vector<double> excess{200.0, 0.0};
  powerReductions(threeLoads(100.0), excess);
  EXPECT_NEAR(excess[0], 50.0, 1e-9);  // 100 of a, 50 of b's 100
}

TEST(PowerReductions, LoadsThatRelieveAsMuchGiveAlike) {
  std::vector<double> excess{60.0};
  const auto taken = powerReductions({{100.0, {1.0}}, {10.0, {1.0}}, {100.0, {1.0}}}, excess);
  EXPECT_NEAR(taken[0], 25.0, 1e-9);
  EXPECT_NEAR(taken[1], 10.0, 1e-9);
  EXPECT_NEAR(taken[2], 25.0, 1e-9);
}

TEST(PowerReturns, GivesAlikeUntilTheHeadroomOfOneIsUsed) {
  // 10 each fill the second block: b and c stop. a goes on to its 50: 70 - 1.5 * 10 - 40 is left.
  std::vector<double> headroom{70.0, 15.0};
  const auto given = powerReturns(threeLoads(50.0), headroom);
  EXPECT_NEAR(given[0], 50.0, 1e-9);
  EXPECT_NEAR(given[1], 10.0, 1e-9);
  EXPECT_NEAR(given[2], 10.0, 1e-9);
  EXPECT_NEAR(headroom[0], 15.0, 1e-9);
  EXPECT_NEAR(headroom[1], 0.0, 1e-9);
}

TEST(PowerReturns, AFullLoadLeavesTheRestToTheOthers) {
  std::vector<double> headroom{30.0};
  const auto given = powerReturns({{100.0, {1.0}}, {4.0, {1.0}}, {100.0, {1.0}}}, headroom);
  EXPECT_NEAR(given[0], 13.0, 1e-9);
  EXPECT_NEAR(given[1], 4.0, 1e-9);
  EXPECT_NEAR(given[2], 13.0, 1e-9);
}

}  // namespace
}  // namespace podtwin
