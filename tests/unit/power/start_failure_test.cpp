// Attempts of a generating set that do not fire, by hand.
#include <gtest/gtest.h>

#include "tests/unit/power/equipment_events.hpp"

namespace podtwin::test {
namespace {

Build set() {
  return Build("generator", "G")
      .set("rating", 1e6)
      .set("start_delay", 1.0)
      .set("crank_time", 3.0)
      .set("crank_limit", 15.0)
      .set("crank_rest", 15.0)
      .set("crank_attempts", 3.0)
      .set("warm_up", 6.0)
      .port("to", {"B"});
}
Build load() { return Build("electrical_load", "L").set("power", 1e5).on("B"); }

TEST(StartFailure, OneFailedAttemptCostsItsCrankingAndARest) {
  Plant plant({set().set("failing_attempts", 1.0), load()});
  ASSERT_EQ(plant.command("G", "start"), "");
  // 1 s to the crank, 15 s in vain, 15 s of rest, 3 s to fire, 6 s to rated speed.
  for (const double moment : {1.0, 16.0, 31.0, 34.0, 40.0}) {
    settle(plant);
    EXPECT_NEAR(nextMoment(plant), moment, 1e-9);
    // Nothing turns while time is set by hand: at the end it is at rated speed.
    const auto [sets, i] = plant.system().find("G");
    if (moment == 40.0) plant.state.y[sets->yIndex(0, i)] = 0.0;
    goTo(plant, moment);
  }
  EXPECT_EQ(plant.value("G.attempts"), 2.0);
  EXPECT_EQ(plant.value("G.failed_to_start"), 0.0);
  EXPECT_EQ(plant.value("L.power"), 1e5);  // it has closed on the dead bus
}

TEST(StartFailure, AfterItsAttemptsItIsLockedOutUntilRestored) {
  Plant plant({set().set("start_failure_probability", 1.0).set("failing_attempts", 3.0), load()});
  ASSERT_EQ(plant.command("G", "start"), "");
  // 1 + 15 + 15 + 15 + 15 + 15: the third attempt ends at 76 s.
  for (const double moment : {1.0, 16.0, 31.0, 46.0, 61.0, 76.0}) {
    settle(plant);
    EXPECT_NEAR(nextMoment(plant), moment, 1e-9);
    goTo(plant, moment);
  }
  EXPECT_EQ(plant.value("G.failed_to_start"), 1.0);
  EXPECT_EQ(nextMoment(plant), kUnbounded);
  ASSERT_EQ(plant.command("G", "start"), "");
  EXPECT_EQ(nextMoment(plant), kUnbounded);
  ASSERT_EQ(plant.command("G", "restore"), "");
  EXPECT_EQ(plant.value("G.failed_to_start"), 0.0);
}

}  // namespace
}  // namespace podtwin::test
