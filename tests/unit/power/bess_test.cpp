// Battery energy storage by hand: powers, losses, charge, dispatch.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/power/equipment_events.hpp"

namespace podtwin::test {
namespace {

Build grid() { return Build("utility", "GRID").set("rating", 10e6).port("to", {"M"}); }
Build load(double power) { return Build("electrical_load", "L").set("power", power).on("M"); }
Build bess() {
  return Build("bess", "B")
      .set("rating", 1e6)
      .set("energy", 3.6e9)
      .set("converter_efficiency", 0.95)
      .set("discharge_efficiency", 0.90)
      .set("charge_efficiency", 0.80)
      .set("initial_soc", 0.5)
      .port("to", {"M"});
}

TEST(Bess, LosesByBothEfficienciesEitherWay) {
  Plant plant({grid(), load(2e6), bess().set("dispatch", "set_point").set("power", 400e3)});
  plant.run(20);
  // 400 kW at the bus: 400/(0.95 * 0.90) = 467.8 kW out of the store.
  EXPECT_NEAR(plant.value("B.power"), 400e3, 1e-3);
  EXPECT_NEAR(plant.value("B.loss"), 400e3 / 0.855 - 400e3, 1e-3);
  EXPECT_NEAR(plant.value("GRID.power"), 1.6e6, 1e-3);
  ASSERT_EQ(plant.command("B", "set", -300e3), "");
  plant.run(20);
  // 300 kW from the bus: 300 * 0.95 * 0.80 = 228 kW into the store.
  EXPECT_NEAR(plant.value("B.loss"), 72e3, 1e-3);
  EXPECT_NEAR(plant.ydot[plant.system().find("B").first->yIndex(0, 0)], 228e3 / 3.6e9, 1e-15);
}

TEST(Bess, FollowsAnOrderWithItsTimeConstantOrItsRamp) {
  Plant first({grid(), load(2e6), bess().set("dispatch", "set_point").set("power", 1e6).set("response_time", 0.5)});
  first.run(1);
  EXPECT_NEAR(first.value("B.power"), 1e6 * (1.0 - std::exp(-2.0)), 1e-3);
  Plant ramp({grid(), load(2e6), bess().set("dispatch", "set_point").set("power", 1e6).set("ramp", 100e3)});
  ramp.run(4);
  EXPECT_NEAR(ramp.value("B.power"), 400e3, 1e-3);
}

TEST(Bess, StopsAtItsReserveAndTellsWhen) {
  // 36 MJ of 3.6 GJ above soc_min and reserve of 49 %: at 1 MW / 0.855 it lasts 30.78 s.
  Plant plant({grid(), load(2e6),
               bess().set("soc_min", 0.09).set("reserve", 0.4).set("dispatch", "set_point").set("power", 1e6)});
  EXPECT_EQ(plant.value("B.ended_at"), -1.0);
  for (int s = 0; s < 40; ++s) {
    plant.run(1);
    settle(plant);
  }
  EXPECT_EQ(plant.value("B.empty"), 1.0);
  EXPECT_EQ(plant.value("B.power"), 0.0);
  // Looked at once a second here; the first second it was on its way.
  EXPECT_NEAR(plant.value("B.ended_at"), 31.0, 1.0);
  ASSERT_FALSE(plant.occurrences.empty());
  EXPECT_EQ(plant.occurrences.back().text, "gives nothing more");
}

TEST(Bess, RefusesWhatIsNoPower) {
  const auto measuring = [](const char* what) {
    return problemsOf({grid(), load(2e6), bess().port("measures", {what})});
  };
  EXPECT_EQ(measuring("GRID.power"), "");
  EXPECT_NE(measuring("GRID.loading").find("which is no power"), std::string::npos);
  EXPECT_NE(measuring("B.soc").find("which is no power"), std::string::npos);
}

}  // namespace
}  // namespace podtwin::test
