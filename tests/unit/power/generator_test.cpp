// Generating sets against statics and case E08.
#include <gtest/gtest.h>

#include "model/components/power/delayed_trip.hpp"
#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

Build set(const std::string& id, double rating, const char* governor = "isochronous") {
  return Build("generator", id)
      .set("rating", rating)
      .set("governor", governor)
      .set("initially", "on_line")
      .port("to", {"B"});
}
Build load(double power) { return Build("electrical_load", "L").set("power", power).on("B"); }

void runFor(Plant& plant, double seconds, double h = 0.01) {
  for (const double end = plant.state.t + seconds; plant.state.t < end - 0.5 * h;) plant.step(h);
}

TEST(Generator, FallsAsItsInertiaSaysBeforeTheGovernorActs) {
  Plant plant({set("G", 1e6), load(0.5e6)});
  // dw/dt = -Pe / (2 H) with H = 1 s.
  EXPECT_NEAR(plant.ydot[plant.system().find("G").first->yIndex(0, 0)], -0.25, 1e-12);
  EXPECT_NEAR(plant.value("G.power"), 0.5e6, 1e-6);
}

TEST(Generator, DroopSetsShareByTheirDroop) {
  Plant plant({set("A", 2e6, "droop").set("droop", 0.05), set("B1", 1e6, "droop").set("droop", 0.04), load(1.5e6)});
  runFor(plant, 30.0);
  // w = -P / sum(S (1/R + D)), D = 1.
  const double deviation = -1.5e6 / (2e6 * (20.0 + 1.0) + 1e6 * (25.0 + 1.0));
  EXPECT_NEAR(plant.value("A.speed_deviation"), deviation, 1e-6);
  EXPECT_NEAR(plant.value("B1.speed_deviation"), deviation, 1e-6);
  EXPECT_NEAR(plant.value("A.power"), -2e6 * 21.0 * deviation, 10.0);
  EXPECT_NEAR(plant.value("B1.power"), -1e6 * 26.0 * deviation, 10.0);
}

TEST(Generator, IsochronousSetsShareByRatingWhateverTheyBeganWith) {
  Plant plant({set("A", 3e6), set("B1", 1.5e6), load(1.8e6)});
  const auto [sets, second] = plant.system().find("B1");
  plant.state.y[sets->yIndex(3, second)] = -0.1;
  runFor(plant, 40.0);
  EXPECT_NEAR(plant.value("A.frequency"), 60.0, 1e-5);
  EXPECT_NEAR(plant.value("A.loading"), 0.4, 1e-5);
  EXPECT_NEAR(plant.value("B1.loading"), 0.4, 1e-5);
}

TEST(Generator, PowersOfSetsAddUpToTheLoadInTransients) {
  Plant plant({set("A", 3e6), set("B1", 1e6, "droop").set("inertia", 2.0), load(1.8e6)});
  for (int k = 0; k < 100; ++k) {
    plant.step(0.01);
    EXPECT_NEAR(plant.value("A.power") + plant.value("B1.power"), 1.8e6, 1e-3);
  }
}

TEST(Generator, SaysThatItsFuelIsAtTheStopAndDoesNotWindUp) {
  Plant plant({set("A", 1e6), load(1.3e6)});
  runFor(plant, 10.0);
  EXPECT_EQ(plant.value("A.fuel_limited"), 1.0);
  EXPECT_NEAR(plant.value("A.engine_power"), 1.1, 1e-6);
  const double wound = plant.state.y[plant.system().find("A").first->yIndex(3, 0)];
  runFor(plant, 10.0);
  EXPECT_NEAR(plant.state.y[plant.system().find("A").first->yIndex(3, 0)], wound, 1e-9);
  // Statics at the stop: D w = Pm - Pe.
  EXPECT_NEAR(plant.value("A.speed_deviation"), -0.2, 1e-3);
}

TEST(Generator, BurnsTheFuelOfItsDataSheet) {
  // 212.9 gal/h at 3 MW, hardware.csv; a US gallon is 3.785411784e-3 m3.
  Plant plant({set("A", 3e6).set("load_reference", 3e6), load(3e6)});
  EXPECT_NEAR(plant.value("A.fuel_rate"), 212.9 * 3.785411784e-3 / 3600.0, 1e-3 * 2.24e-4);
}

TEST(Generator, ThatStandsStillHasNoRates) {
  Plant plant({Build("generator", "G").set("rating", 1e6).port("to", {"B"}), load(1e5)});
  for (const double rate : plant.ydot) EXPECT_EQ(rate, 0.0);
  EXPECT_EQ(plant.value("G.frequency"), 0.0);
  EXPECT_EQ(plant.value("L.power"), 0.0);
}

TEST(Generator, TakesTheLimitsOfItsClass) {
  Plant plant({set("A", 1e6), set("B1", 1e6).set("performance_class", "G3"),
               set("C", 1e6).set("performance_class", "G1"), load(1e6)});
  const auto* all = plant.system().find("A").first;
  EXPECT_EQ(all->limitValue(0, 0), 0.10);
  EXPECT_EQ(all->limitValue(1, 0), 0.12);
  EXPECT_EQ(all->limitValue(2, 0), 5.0);
  EXPECT_EQ(all->limitValue(0, 1), 0.07);
  EXPECT_EQ(all->limitValue(0, 2), 0.15);
}

TEST(Generator, RefusesASupplyOfItsOwnAndOrdersThatMeanNothing) {
  EXPECT_NE(problemsOf({set("A", 1e6).on("B")}).find("has a supply"), std::string::npos);
  Plant plant({set("A", 1e6), load(1e5)});
  EXPECT_NE(plant.command("A", "set", -1.0), "");
  EXPECT_NE(plant.command("A", "fail_start", 0.5), "");
  EXPECT_EQ(plant.command("A", "trip"), "");
  EXPECT_EQ(plant.command("A", "start"), "");
  EXPECT_EQ(plant.command("A", "close"), "");
  EXPECT_EQ(plant.value("A.state"), 7.0);
  EXPECT_EQ(plant.value("L.power"), 0.0);
}

TEST(DelayedTrip, TripsAfterItsDelayAndForgetsAShortOne) {
  const DelayedTrip trip{1.1, 10.0};
  double since = DelayedTrip::kIdle;
  EXPECT_LT(trip.watch(1.09, since), 0.0);
  EXPECT_FALSE(trip.act(1.2, 5.0, since));
  EXPECT_EQ(since, 5.0);
  EXPECT_FALSE(trip.act(1.095, 14.0, since));  // between drop-out and pick-up
  EXPECT_TRUE(trip.act(1.2, 15.0, since));
  EXPECT_FALSE(trip.act(1.0, 16.0, since));
  EXPECT_EQ(since, DelayedTrip::kIdle);
  EXPECT_LT((DelayedTrip{0.0, 1.0}.watch(5.0, DelayedTrip::kIdle)), 0.0);
}

}  // namespace
}  // namespace podtwin::test
