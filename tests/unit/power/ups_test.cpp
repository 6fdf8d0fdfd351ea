// UPS: where its power comes from in each mode, how frames walk in, and what it refuses.
#include "model/components/power/ups_info.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

using Info = UpsInfo;

constexpr double kRating = 1e6, kLoad = 5e5;

Build utility() { return Build("utility", "GRID").set("rating", 1e7).port("to", {"M"}); }
Build ups() {
  return Build("ups", "X").set("rating", kRating).port("from", {"M"}).port("to", {"U"}).port("battery", {"B"});
}
Build battery() { return Build("battery", "B").set("energy", 3.6e8).set("initial_soc", 0.5); }
Build load() { return Build("electrical_load", "L").set("power", kLoad).on("U"); }

/// Events that are due at this moment; their texts.
std::string settle(Plant& plant) {
  std::string told;
  plant.evaluate();
  for (int acts = 0;
       acts < 20 && (plant.system().watch(plant.e) >= 0.0 || plant.system().nextMoment(plant.e) <= plant.state.t);
       ++acts) {
    plant.system().act(plant.state, plant.e, plant.occurrences);
    plant.evaluate();
  }
  for (const auto& o : plant.occurrences) told += o.text + "; ";
  plant.occurrences.clear();
  return told;
}

void expectBalance(Plant& plant) {
  EXPECT_NEAR(plant.value("X.input_power") + plant.value("X.battery_power"),
              plant.value("X.load") + plant.value("X.loss"), 1e-9 * kRating);
  EXPECT_NEAR(plant.value("M.load"), plant.value("X.input_power"), 1e-9 * kRating);
  EXPECT_NEAR(plant.value("B.power"), plant.value("X.battery_power"), 1e-9 * kRating);
}

TEST(Ups, TakesWhatItDeliversAndLosesFromInputAndBatteryInEveryMode) {
  // The UPS before its source in the file: what feeds a bus does not depend on the order.
  Plant plant({ups(), utility(), battery(), load()});
  EXPECT_EQ(settle(plant), "");
  EXPECT_EQ(plant.value("X.mode"), 1.0);
  EXPECT_EQ(plant.value("U.source"), 1.0);
  expectBalance(plant);
  const double charge = 0.1 * kRating;
  EXPECT_NEAR(plant.value("X.battery_power"), -0.97 * charge, 1e-6);
  EXPECT_NEAR(plant.value("X.input_power"), kLoad / 0.973 + charge, 1e-6);

  ASSERT_EQ(plant.command("X", "eco"), "");
  EXPECT_EQ(settle(plant), "eco mode; ");
  expectBalance(plant);
  EXPECT_NEAR(plant.value("X.input_power"), kLoad / 0.990 + charge, 1e-6);

  ASSERT_EQ(plant.command("X", "bypass"), "");
  EXPECT_EQ(settle(plant), "on static bypass; ");
  expectBalance(plant);
  EXPECT_NEAR(plant.value("X.input_power"), 1.005 * kLoad, 1e-6);

  ASSERT_EQ(plant.command("X", "maintenance"), "");
  EXPECT_EQ(settle(plant), "on maintenance bypass; ");
  expectBalance(plant);
  EXPECT_NEAR(plant.value("X.loss"), 0.0, 1e-6);

  ASSERT_EQ(plant.command("X", "inverter"), "");
  settle(plant);
  ASSERT_EQ(plant.command("GRID", "trip"), "");
  // Before anything acts the output is live already.
  EXPECT_EQ(plant.value("X.mode"), 2.0);
  EXPECT_EQ(plant.value("L.power"), kLoad);
  EXPECT_EQ(settle(plant), "on battery; ");
  expectBalance(plant);
  EXPECT_EQ(plant.value("U.source"), 3.0);
  EXPECT_NEAR(plant.value("X.battery_power"), kLoad / 0.973, 1e-6);
  // What the facility takes comes from the battery now.
  EXPECT_NEAR(plant.value("facility.facility_power"), kLoad / 0.973, 1e-6);
}

TEST(Ups, WalksInFrameByFrame) {
  Plant plant({utility(), ups().set("frames", 3), battery(), load()});
  plant.state.t = 100.0;
  ComponentSet& set = *plant.system().find("X").first;
  set.z(plant.state, Info::kWalkFrom, 0) = 90.0;
  ++plant.state.topology;
  plant.evaluate();
  // Ramps of 10 s, 2 s apart: 10, 8 and 6 s are past.
  EXPECT_NEAR(plant.value("X.input_share"), (1.0 + 0.8 + 0.6) / 3.0, 1e-12);
  expectBalance(plant);
  EXPECT_NEAR(plant.value("X.battery_power"), 0.2 * kLoad / 0.973, 1e-6);
  // One frame out: the two that are in share.
  ASSERT_EQ(plant.command("X", "fail", 1.0), "");
  EXPECT_NEAR(plant.value("X.input_share"), 0.9, 1e-12);
}

TEST(Ups, SaysForHowLongItCanCarryAnOverload) {
  Plant plant({utility(), ups(), battery(), load()});
  const auto at = [&](double power) {
    EXPECT_EQ(plant.command("L", "set", power), "");
    return plant.value("X.overload_time_left");
  };
  EXPECT_EQ(at(1.05e6), 1e6);
  EXPECT_EQ(at(1.06e6), 600.0);
  EXPECT_EQ(at(1.10e6), 600.0);
  EXPECT_EQ(at(1.11e6), 60.0);
  EXPECT_EQ(at(1.40e6), 30.0);
  EXPECT_EQ(at(1.41e6), 0.1);
}

TEST(Ups, WithoutABatteryIsDeadWithItsInput) {
  Plant plant({utility(), Build("ups", "X").set("rating", kRating).port("from", {"M"}).port("to", {"U"}), load()});
  EXPECT_EQ(plant.value("X.autonomy"), 0.0);
  ASSERT_EQ(plant.command("GRID", "trip"), "");
  EXPECT_EQ(settle(plant), "");
  EXPECT_EQ(plant.value("X.mode"), 0.0);
  EXPECT_EQ(plant.value("L.power"), 0.0);
  ASSERT_EQ(plant.command("GRID", "restore"), "");
  EXPECT_EQ(settle(plant), "");
  EXPECT_EQ(plant.value("X.mode"), 1.0);
  EXPECT_EQ(plant.value("L.power"), kLoad);
}

TEST(Ups, NamesWhatIsWrongWithItsBatteriesAndItsTable) {
  EXPECT_NE(problemsOf({utility(), ups().port("battery", {"L"}), load()}).find("name equipment of class battery"),
            std::string::npos);
  EXPECT_NE(
      problemsOf({utility(), ups(), battery(), load(),
                  Build("ups", "Y").set("rating", 1.0).port("from", {"M"}).port("to", {"V"}).port("battery", {"B"})})
          .find("batteries of its own"),
      std::string::npos);
  EXPECT_NE(problemsOf({utility(), ups().curve("overload", {{1.2, 60.0}, {1.5, 90.0}}), battery(), load()})
                .find("times that fall"),
            std::string::npos);
  EXPECT_NE(problemsOf({utility(),
                        Build("ups", "X").set("rating", 1.0).set("stagger", 1.0).port("from", {"M"}).port("to", {"U"})})
                .find("and no battery"),
            std::string::npos);
  EXPECT_NE(problemsOf({utility(), ups().curve("eco_efficiency", {{0.2, 0.9}, {1.0, 1.2}}), battery()})
                .find("an efficiency of 1.2"),
            std::string::npos);
  Plant plant({utility(), ups().set("frames", 2), battery(), load()});
  EXPECT_NE(plant.command("X", "fail", 3.0).find("from 0 to 2"), std::string::npos);
}

}  // namespace
}  // namespace podtwin::test
