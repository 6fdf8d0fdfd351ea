// Power converters: losses and staging against cases E10 and F01 and arithmetic by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

Build utility() { return Build("utility", "GRID").set("rating", 20e6).port("to", {"MV"}); }
Build load(const std::string& id, const std::string& bus, double power) {
  return Build("electrical_load", id).set("power", power).on(bus);
}
Build converter(const std::string& id, const std::string& from, const std::string& to, double rating, double units) {
  return Build("power_converter", id).set("rating", rating).set("units", units).port("from", {from}).port("to", {to});
}
/// Rectifiers of a chassis of case F01.
Build rectifiers() {
  return converter("R", "MV", "DC", 15e3, 4)
      .set("standing_loss", 17.0)
      .set("conversion_efficiency", 0.96)
      .set("staging", "by_load")
      .set("unit_threshold", 13670.0);
}

TEST(PowerConverter, ThreeHundredRectifiersLoseWhatCaseE10Says) {
  // expected.csv of E10: losses and efficiency of the shelf at four IT powers, tolerance 1e-10.
  Plant plant({utility(), converter("S", "MV", "DC", 5500.0, 300).numbers("loss_polynomial", {0.004, 0.012, 0.011}),
               load("IT", "DC", 0.0)});
  struct Row {
    double power, loss, efficiency;
  };
  for (const auto& [power, loss, efficiency] :
       {Row{300e3, 10800.0, 0.965250965251}, Row{750e3, 19350.0, 0.974848898421}, Row{1200e3, 30600.0, 0.975134080936},
        Row{1500e3, 39600.0, 0.974279033515}}) {
    ASSERT_EQ(plant.command("IT", "set", power), "");
    EXPECT_NEAR(plant.value("S.loss"), loss, 1e-10 * loss);
    EXPECT_NEAR(plant.value("S.efficiency"), efficiency, 1e-10);
    EXPECT_NEAR(plant.value("S.input"), power + loss, 1e-10 * power);
    EXPECT_NEAR(plant.value("S.loading"), power / 1.65e6, 1e-12);
    EXPECT_EQ(plant.value("S.units_active"), 300.0);
  }
}

TEST(PowerConverter, AChassisOfCaseF01TakesAnEighthOfItsRackWithAndWithoutStaging) {
  // Case F01, idle: a node takes 652.306122449 W, a rack of 8 chassis 95,874.1496599 W with all four rectifiers of each
  // and 95,449.1496599 W with as many as the load asks for.
  for (const auto& [staging, rack, running] :
       {std::tuple{"all", 95874.1496599, 4.0}, std::tuple{"by_load", 95449.1496599, 1.0}}) {
    Build r = converter("R", "MV", "DC", 15e3, 4).set("standing_loss", 17.0).set("conversion_efficiency", 0.96);
    r.set("staging", staging);
    if (running == 1.0) r.set("unit_threshold", 13670.0);
    Plant plant({utility(), r,
                 converter("N", "DC", "BOARD", 3e3, 16).set("standing_loss", 13.0).set("conversion_efficiency", 0.98),
                 load("NODES", "BOARD", 16 * 626.26), load("SWITCHES", "DC", 1000.0)});
    EXPECT_NEAR(plant.value("N.input"), 16 * 652.306122449, 1e-7);
    EXPECT_NEAR(plant.value("R.input"), rack / 8.0, 1e-9 * rack);
    EXPECT_EQ(plant.value("R.units_active"), running);
    EXPECT_NEAR(plant.value("facility.facility_power"), rack / 8.0, 1e-9 * rack);
  }
}

TEST(PowerConverter, AFurtherUnitRunsForEachFullThresholdAndAWatt) {
  Plant plant({utility(), rectifiers(), load("L", "DC", 0.0)});
  struct Row {
    double power, units;
  };
  for (const auto& [power, units] : {Row{0.0, 1.0}, Row{13670.0, 1.0}, Row{13670.9, 1.0}, Row{13671.0, 2.0},
                                     Row{27340.0, 2.0}, Row{27341.0, 3.0}, Row{41011.0, 4.0}, Row{60e3, 4.0}}) {
    ASSERT_EQ(plant.command("L", "set", power), "");
    EXPECT_EQ(plant.value("R.units_active"), units) << power;
    EXPECT_NEAR(plant.value("R.input"), (power + units * 17.0) / 0.96, 1e-9 * (power + 1.0)) << power;
    EXPECT_NEAR(plant.value("R.loading"), power / (units * 15e3), 1e-12) << power;
  }
}

TEST(PowerConverter, CarriesOnWithoutFailedUnitsAndIsGoneWithTheLast) {
  Plant plant({utility(), converter("S", "MV", "DC", 10e3, 4).numbers("loss_polynomial", {0.01, 0.0, 0.02}),
               load("L", "DC", 24e3)});
  EXPECT_NEAR(plant.value("S.loss"), 4 * 10e3 * (0.01 + 0.02 * 0.36), 1e-9);
  ASSERT_EQ(plant.command("S", "fail", 2.0), "");
  EXPECT_EQ(plant.value("S.units_active"), 2.0);
  EXPECT_NEAR(plant.value("S.loading"), 1.2, 1e-12);
  EXPECT_NEAR(plant.value("S.loss"), 2 * 10e3 * (0.01 + 0.02 * 1.44), 1e-9);
  EXPECT_NE(plant.command("S", "fail", 5.0), "");
  EXPECT_NE(plant.command("S", "fail", 1.5), "");
  EXPECT_NE(plant.command("S", "fail", -1.0), "");
  ASSERT_EQ(plant.command("S", "fail", 4.0), "");
  EXPECT_EQ(plant.value("S.units_active"), 0.0);
  EXPECT_EQ(plant.value("S.loading"), 0.0);
  EXPECT_EQ(plant.value("L.power"), 0.0);
  EXPECT_EQ(plant.value("facility.facility_power"), 0.0);
  ASSERT_EQ(plant.command("S", "restore"), "");
  EXPECT_EQ(plant.value("S.units_active"), 4.0);
  EXPECT_EQ(plant.value("L.power"), 24e3);
}

TEST(PowerConverter, StagesNoMoreUnitsThanAreLeft) {
  Plant plant({utility(), rectifiers(), load("L", "DC", 45e3)});
  EXPECT_EQ(plant.value("R.units_active"), 4.0);
  ASSERT_EQ(plant.command("R", "fail", 2.0), "");
  EXPECT_EQ(plant.value("R.units_active"), 2.0);
  EXPECT_NEAR(plant.value("R.loading"), 1.5, 1e-12);
}

TEST(PowerConverter, MeetsItsEfficiencyAtEveryPointAndKeepsTheFirstLossBelow) {
  Plant plant({utility(),
               converter("S", "MV", "DC", 10e3, 2).curve("efficiency", {{0.2, 0.95}, {0.5, 0.975}, {1.0, 0.97}}),
               load("L", "DC", 0.0)});
  EXPECT_NEAR(plant.value("S.loss"), 4e3 * (1.0 / 0.95 - 1.0), 1e-9);
  EXPECT_EQ(plant.value("S.efficiency"), 0.0);
  for (const auto& [x, efficiency] : {std::pair{0.2, 0.95}, {0.5, 0.975}, {0.75, 0.9725}, {1.0, 0.97}}) {
    ASSERT_EQ(plant.command("L", "set", x * 20e3), "");
    EXPECT_NEAR(plant.value("S.efficiency"), efficiency, 1e-12) << x;
  }
}

TEST(PowerConverter, IsDeadWithItsInputAndItsLossHeatsItsRoom) {
  Plant plant({utility(), rectifiers().port("air", {"hall"}), load("L", "DC", 40e3), Build("thermal_mass", "hall")});
  const double hall = plant.ydot[plant.system().find("hall").first->yIndex(0, 0)] * kMassCapacity;
  EXPECT_NEAR(hall - kMassPower, (40e3 + 3 * 17.0) / 0.96 - 40e3, 1e-6);
  ASSERT_EQ(plant.command("GRID", "trip"), "");
  for (const char* signal : {"R.power", "R.input", "R.loss", "R.efficiency", "R.loading", "R.units_active"})
    EXPECT_EQ(plant.value(signal), 0.0) << signal;
}

TEST(PowerConverter, NamesWhatIsWrongWithItsLossOrItsStaging) {
  const auto with = [](InstanceDescription d) { return problemsOf({utility(), std::move(d), load("L", "DC", 1.0)}); };
  const auto plain = [] { return converter("X", "MV", "DC", 1e4, 2); };
  EXPECT_NE(with(plain()).find("says nothing of its loss"), std::string::npos);
  EXPECT_NE(with(plain().numbers("loss_polynomial", {0.01, 0.0, 0.0}).set("standing_loss", 5.0))
                .find("more than once: loss_polynomial and standing_loss"),
            std::string::npos);
  EXPECT_NE(with(plain().curve("efficiency", {{0.1, 0.9}, {1.0, 0.95}}).set("conversion_efficiency", 0.9))
                .find("more than once: efficiency and standing_loss"),
            std::string::npos);
  EXPECT_NE(with(plain().numbers("loss_polynomial", {0.01, 0.0})).find("2 coefficients"), std::string::npos);
  EXPECT_NE(with(plain().curve("efficiency", {{0.1, 1.2}, {1.0, 0.95}})).find("an efficiency of 1.2"),
            std::string::npos);
  EXPECT_NE(with(plain().curve("efficiency", {{1.0, 0.9}, {0.5, 0.95}})).find("give rising loads"), std::string::npos);
  EXPECT_NE(with(plain().set("standing_loss", 5.0).set("staging", "by_load")).find("has no threshold"),
            std::string::npos);
  EXPECT_NE(with(plain().set("standing_loss", 5.0).set("unit_threshold", 100.0)).find("all its units run"),
            std::string::npos);
  EXPECT_EQ(with(plain().set("standing_loss", 5.0)), "");
}

}  // namespace
}  // namespace podtwin::test
