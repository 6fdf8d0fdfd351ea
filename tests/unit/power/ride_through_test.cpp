// The ride-through of a load and the inrush of a transformer, stepped by hand: what stands in
// docs/theory/ride_through.md and transformer.md.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

constexpr double kTick = 1e-6;  // s, what a trip is later than the duration allowed

Build grid() { return Build("utility", "GRID").set("rating", 20e6).set("voltage", 480.0).port("to", {"B"}); }
Build load() { return Build("electrical_load", "L").set("power", 100e3).on("B"); }

/// Lets what is due at this moment happen.
void settle(Plant& plant) {
  plant.evaluate();
  for (int k = 0;
       k < 10 && (plant.system().watch(plant.e) >= 0.0 || plant.system().nextMoment(plant.e) <= plant.state.t); ++k) {
    plant.system().act(plant.state, plant.e, plant.occurrences);
    plant.evaluate();
  }
}
void moveTo(Plant& plant, double t) {
  plant.state.t = t;
  settle(plant);
}
void voltage(Plant& plant, double share) {
  EXPECT_EQ(plant.command("GRID", share > 1.0 ? "swell" : "sag", share), "");
  settle(plant);
}

TEST(RideThroughOfALoad, KnowsTheMomentOfItsTripAndTellsItsVoltage) {
  Plant plant({grid(), load().set("ride_through", "semi_f47")});
  moveTo(plant, 5.0);
  voltage(plant, 0.75);
  // 70 to 80 %: 0.5 s.
  EXPECT_NEAR(plant.system().nextMoment(plant.e), 5.5 + kTick, 1e-12);
  moveTo(plant, 5.3);
  EXPECT_EQ(plant.value("L.energised"), 1.0);
  voltage(plant, 0.6);
  // From here on the clock of 50 to 70 % runs, 0.2 s; that of 80 % has 0.2 s left, too.
  EXPECT_NEAR(plant.system().nextMoment(plant.e), 5.5 + kTick, 1e-12);
  moveTo(plant, 5.5 + kTick);
  EXPECT_EQ(plant.value("L.energised"), 0.0);
  ASSERT_EQ(plant.occurrences.size(), 1U);
  EXPECT_EQ(plant.occurrences[0].cause, "under-voltage 0.60 for 0.50 s");
  EXPECT_EQ(plant.occurrences[0].text, "dropped out");
  EXPECT_TRUE(std::isinf(plant.system().nextMoment(plant.e)));
}

TEST(RideThroughOfALoad, TripsOnASwellOfITIC) {
  Plant plant({grid(), load().set("ride_through", "itic")});
  voltage(plant, 1.15);
  EXPECT_NEAR(plant.value("L.supply_voltage"), 1.15, 1e-9);
  // 110 to 120 %: 0.5 s.
  EXPECT_NEAR(plant.system().nextMoment(plant.e), 0.5 + kTick, 1e-12);
  moveTo(plant, 0.4);
  voltage(plant, 1.05);
  EXPECT_EQ(plant.value("L.dips_ridden"), 1.0);
  moveTo(plant, 10.0);
  voltage(plant, 1.3);
  // 120 to 140 %: 3 ms.
  EXPECT_NEAR(plant.system().nextMoment(plant.e), 10.003 + kTick, 1e-12);
  moveTo(plant, 10.003 + kTick);
  ASSERT_EQ(plant.occurrences.size(), 1U);
  EXPECT_EQ(plant.occurrences[0].cause, "over-voltage 1.30 for 0.00 s");
}

TEST(RideThroughOfALoad, RestartsItsDelayAfterTheLastOfSeveralDips) {
  Plant plant({grid(), load().set("ride_through", "contactor").set("restart_delay", 3.0)});
  voltage(plant, 0.3);
  moveTo(plant, 0.5);
  voltage(plant, 1.0);
  moveTo(plant, 2.0);
  voltage(plant, 0.3);
  moveTo(plant, 2.5);
  voltage(plant, 1.0);
  for (const auto& [t, on] : {std::pair{4.0, 0.0}, {5.0, 0.0}, {6.0, 1.0}}) {
    moveTo(plant, t);
    plant.sample();
    EXPECT_EQ(plant.value("L.energised"), on) << t;
  }
}

TEST(RideThroughOfALoad, OfNoneBearsAnythingAndWatchesNothing) {
  Plant plant({grid(), load()});
  voltage(plant, 0.1);
  EXPECT_TRUE(std::isinf(plant.system().nextMoment(plant.e)));
  EXPECT_FALSE(plant.system().watching(plant.e));
  EXPECT_EQ(plant.value("L.energised"), 1.0);
}

TEST(RideThroughOfALoad, WatchesAGeneratorsVoltageThatMovesByItself) {
  Plant plant(
      {Build("generator", "GS").set("rating", 1e6).set("voltage", 480.0).set("initially", "on_line").port("to", {"B"}),
       load().set("ride_through", "semi_f47")});
  EXPECT_TRUE(plant.system().watching(plant.e));
  EXPECT_LT(plant.system().watch(plant.e), 0.0);
}

TEST(InrushOfATransformer, IsItsShareOfRatedCurrentThatDecays) {
  Plant plant({grid(),
               Build("transformer", "T")
                   .set("rating", 1e6)
                   .set("second_voltage", 400.0)
                   .set("inrush", 8.0)
                   .set("inrush_time", 0.5)
                   .port("from", {"B"})
                   .port("to", {"LV"}),
               Build("electrical_load", "L").set("power", 10e3).on("LV")});
  EXPECT_EQ(plant.value("T.inrush_current"), 0.0);
  EXPECT_EQ(plant.command("GRID", "trip"), "");
  moveTo(plant, 1.0);
  EXPECT_EQ(plant.command("GRID", "restore"), "");
  moveTo(plant, 2.0);
  // 1 MVA at 480 V: 1,202.8 A, eightfold 9,622.5 A.
  EXPECT_NEAR(plant.value("T.inrush_current"), 9622.5, 0.1);
  EXPECT_NEAR(plant.value("GRID.q"), 8e6, 5e3);
  plant.state.t = 2.5;
  settle(plant);
  EXPECT_NEAR(plant.value("T.inrush_current"), 9622.5 / std::exp(1.0), 0.1);
  plant.state.t = 13.0;
  settle(plant);
  EXPECT_EQ(plant.value("T.inrush_current"), 0.0);
}

}  // namespace
}  // namespace podtwin::test
