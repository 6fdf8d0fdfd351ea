// Import limit of a utility by hand.
#include <gtest/gtest.h>

#include "tests/unit/power/equipment_events.hpp"

namespace podtwin::test {
namespace {

Build grid(const char* action) {
  return Build("utility", "GRID")
      .set("rating", 10e6)
      .set("import_limit", 1e6)
      .set("import_limit_delay", 5.0)
      .set("import_limit_action", action)
      .port("to", {"M"});
}
Build load(double power) { return Build("electrical_load", "L").set("power", power).on("M"); }

TEST(ImportLimit, IsExceededAfterItsDelayAndNotByAShorterPeak) {
  Plant plant({grid("alarm"), load(0.8e6)});
  settle(plant);
  EXPECT_NEAR(plant.value("GRID.import_margin"), 0.2e6, 1e-6);
  ASSERT_EQ(plant.command("L", "set", 1.5e6), "");
  settle(plant);
  EXPECT_NEAR(nextMoment(plant), 5.0, 1e-9);
  goTo(plant, 4.0);
  EXPECT_EQ(plant.value("GRID.import_exceeded"), 0.0);
  ASSERT_EQ(plant.command("L", "set", 0.9e6), "");
  settle(plant);
  goTo(plant, 6.0);
  EXPECT_EQ(plant.value("GRID.import_exceeded"), 0.0);
  ASSERT_EQ(plant.command("L", "set", 1.5e6), "");
  settle(plant);
  goTo(plant, 11.0);
  EXPECT_EQ(plant.value("GRID.import_exceeded"), 1.0);
  EXPECT_NEAR(plant.value("GRID.import_margin"), -0.5e6, 1e-6);
  EXPECT_NEAR(plant.value("L.power"), 1.5e6, 1e-6);
}

TEST(ImportLimit, TripsTheConnectionWhereItIsToldTo) {
  Plant plant({grid("trip"), load(1.5e6)});
  settle(plant);
  goTo(plant, 5.0);
  EXPECT_EQ(plant.value("GRID.available"), 0.0);
  EXPECT_EQ(plant.value("GRID.power"), 0.0);
}

}  // namespace
}  // namespace podtwin::test
