// Sensor: lag, drift, failures, derivative.
#include <gtest/gtest.h>

#include <cmath>

#include "model/components/control/measured_kind.hpp"
#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

constexpr double kLag = 5.0;  // s

Plant plantWithSensor(double temperature = 300.0) {
  return Plant({Build("thermal_mass", "M"), Build("thermal_mass", "N"),
                Build("sensor", "TT").set("measures", "M.t").set("lag", kLag),
                Build("sensor", "PT").set("measures", "M.dp").set("minus", "N.dp").set("lag", kLag)},
               temperature);
}

TEST(Sensor, StartsAtWhatItMeasures) {
  Plant plant = plantWithSensor(320.0);
  EXPECT_EQ(plant.value("TT.value"), 320.0);  // temperatures are known before the first sample
  plant.command("N", "set", 0.5);
  plant.sample();
  EXPECT_NEAR(plant.value("PT.value"), 1e5 - 0.25e5, 1e-9);
  EXPECT_EQ(plant.value("PT.value"), plant.value("PT.true"));
}

TEST(Sensor, FollowsAStepWithItsFirstOrderLag) {
  Plant plant = plantWithSensor();
  plant.sample();
  ASSERT_EQ(plant.command("N", "set", 0.0), "");
  plant.step(0.05);  // one step more, so that the pressure steps at a known time
  const double start = plant.value("PT.value"), from = plant.state.t;
  for (int k = 0; k < 100; ++k) plant.step(0.05);
  const double expected = 1e5 + (start - 1e5) * std::exp(-(plant.state.t - from) / kLag);
  EXPECT_NEAR(plant.value("PT.value"), expected, 1e-4);
  EXPECT_EQ(plant.value("PT.true"), 1e5);
}

TEST(Sensor, LagsARampByItsLagTimesTheRate) {
  Plant plant = plantWithSensor();
  plant.command("M", "set", 1.0);
  plant.run(60);
  const double rate = plant.ydot[plant.system().find("M").first->yIndex(0, 0)];
  EXPECT_GT(rate, 0.05);
  EXPECT_NEAR(plant.value("TT.true") - plant.value("TT.value"), kLag * rate, 0.02 * kLag * rate);
}

TEST(Sensor, ReadsTheLastValueAfterAKnownFailureAndSaysSo) {
  Plant plant = plantWithSensor();
  plant.run(10);
  ASSERT_EQ(plant.command("TT", "fail"), "");
  const double last = plant.value("TT.value");
  plant.run(30);
  EXPECT_EQ(plant.value("TT.value"), last);
  EXPECT_GT(plant.value("TT.true"), last + 1.0);
  EXPECT_EQ(plant.value("TT.quality"), 1.0);
  ASSERT_EQ(plant.command("TT", "restore"), "");
  EXPECT_EQ(plant.value("TT.quality"), 0.0);
  plant.run(60);
  EXPECT_GT(plant.value("TT.value"), last + 1.0);
}

TEST(Sensor, HidesThatItIsStuck) {
  Plant plant = plantWithSensor();
  plant.run(10);
  ASSERT_EQ(plant.command("TT", "stick"), "");
  const double last = plant.value("TT.value");
  plant.run(30);
  EXPECT_EQ(plant.value("TT.value"), last);
  EXPECT_EQ(plant.value("TT.quality"), 0.0);
}

TEST(Sensor, DriftsByAnOffsetOfItsOwnKindOnly) {
  Plant plant = plantWithSensor();
  plant.sample();
  ASSERT_EQ(plant.command("TT", "drift", 2.0), "");
  EXPECT_NEAR(plant.value("TT.value"), plant.value("TT.true") + 2.0, 1e-9);
  EXPECT_NE(plant.command("PT", "drift", 2.0), "");
  ASSERT_EQ(plant.command("PT", "drift_pressure", 500.0), "");
  EXPECT_NEAR(plant.value("PT.value"), plant.value("PT.true") + 500.0, 1e-9);
  ASSERT_EQ(plant.command("TT", "restore"), "");
  EXPECT_NEAR(plant.value("TT.value"), plant.value("TT.true"), 1e-9);
}

TEST(Sensor, WithoutSupplyFreezesWithBadQuality) {
  Plant plant({Build("utility", "GRID").set("rating", 1e6).port("to", {"B"}), Build("thermal_mass", "M"),
               Build("sensor", "TT").set("measures", "M.t").on("B")});
  plant.run(5);
  ASSERT_EQ(plant.command("GRID", "trip"), "");
  const double last = plant.value("TT.value");
  plant.run(20);
  EXPECT_EQ(plant.value("TT.value"), last);
  EXPECT_EQ(plant.value("TT.quality"), 1.0);
}

TEST(Sensor, HasTheDerivativeThatDifferencesGive) {
  Plant plant = plantWithSensor(310.0);
  Jacobian jacobian(plant.system().structure());
  jacobian.zero();
  plant.system().jacobian(plant.e, jacobian);
  const auto& couplings = plant.system().structure().couplings;
  const std::size_t n = plant.system().size();
  std::vector<std::vector<double>> exact(n, std::vector<double>(n, 0.0));
  for (std::size_t c = 0; c < couplings.size(); ++c)
    exact[static_cast<std::size_t>(couplings[c].row)][static_cast<std::size_t>(couplings[c].column)] =
        jacobian.exposed[c];
  constexpr double kStep = 1e-3;
  for (std::size_t column = 0; column < n; ++column) {
    const double y = plant.state.y[column];
    plant.state.y[column] = y + kStep;
    plant.evaluate();
    const auto up = plant.ydot;
    plant.state.y[column] = y - kStep;
    plant.evaluate();
    for (std::size_t row = 0; row < n; ++row)
      EXPECT_NEAR((up[row] - plant.ydot[row]) / (2.0 * kStep), exact[row][column],
                  1e-6 * (1.0 + std::abs(exact[row][column])))
          << plant.system().nameOf(row) << " by " << plant.system().nameOf(column);
    plant.state.y[column] = y;
    plant.evaluate();
  }
  const std::size_t reading = plant.system().find("TT").first->yIndex(0, 0);
  EXPECT_NEAR(exact[reading][plant.system().find("M").first->yIndex(0, 0)], 1.0 / kLag, 1e-12);
}

TEST(Sensor, HasTheKindOfQuantityOfWhatItMeasures) {
  // The sensor of a sensor stands first: what it measures is not bound yet when it is.
  Plant plant({Build("thermal_mass", "M"), Build("thermal_mass", "N"),
               Build("sensor", "TT2").set("measures", "TT.value"), Build("sensor", "TT").set("measures", "M.t"),
               Build("sensor", "TDT").set("measures", "M.t").set("minus", "N.t"),
               Build("sensor", "PT").set("measures", "M.dp"), Build("sensor", "JT").set("measures", "M.power"),
               Build("sensor", "ST").set("measures", "TT.quality")});
  const auto kind = [&](const std::string& address) {
    const auto found = plant.system().findSignal(address);
    return found.set->signalQuantity(found.signal, found.instance);
  };
  EXPECT_EQ(kind("TT.value"), Quantity::temperature);
  EXPECT_EQ(kind("TT.true"), Quantity::temperature);
  EXPECT_EQ(kind("TT.quality"), Quantity::none);
  EXPECT_EQ(kind("TT2.value"), Quantity::temperature);
  EXPECT_EQ(kind("TDT.value"), Quantity::temperature_difference);
  EXPECT_EQ(kind("PT.value"), Quantity::pressure_difference);
  EXPECT_EQ(kind("JT.value"), Quantity::power);
  EXPECT_EQ(kind("ST.value"), Quantity::none);
}

TEST(Sensor, ADifferenceOfLevelsIsADifferenceAndALevelLessADifferenceALevel) {
  using enum Quantity;
  EXPECT_EQ(differenceOf(temperature, temperature), temperature_difference);
  EXPECT_EQ(differenceOf(temperature, temperature_difference), temperature);
  EXPECT_EQ(differenceOf(temperature_difference, temperature_difference), temperature_difference);
  EXPECT_EQ(differenceOf(temperature_difference, temperature), std::nullopt);
  EXPECT_EQ(differenceOf(pressure_gauge, pressure_gauge), pressure_difference);
  EXPECT_EQ(differenceOf(pressure_absolute, pressure_difference), pressure_absolute);
  EXPECT_EQ(differenceOf(pressure_gauge, pressure_absolute), std::nullopt);
  EXPECT_EQ(differenceOf(ratio, none), ratio);
  EXPECT_EQ(differenceOf(power, power), power);
  EXPECT_EQ(differenceOf(power, energy), std::nullopt);
  EXPECT_EQ(differenceOf(volume_flow, temperature), std::nullopt);
}

TEST(SensorInput, RefusesSensorsThatMeasureEachOther) {
  const std::string circle = "comes from no value of the plant; do not let sensors measure each other in a circle";
  EXPECT_NE(problemsOf({Build("sensor", "S").set("measures", "S.true")}).find("'S' measures 'S.true', which " + circle),
            std::string::npos);
  const std::string both =
      problemsOf({Build("sensor", "A").set("measures", "B.value"), Build("sensor", "B").set("measures", "A.value")});
  EXPECT_NE(both.find("'A' measures 'B.value', which " + circle), std::string::npos) << both;
  EXPECT_NE(both.find("'B' measures 'A.value', which " + circle), std::string::npos) << both;
}

TEST(SensorInput, RefusesUnknownAddressesAndDifferencesOfUnlikeValues) {
  EXPECT_NE(
      problemsOf({Build("thermal_mass", "M"), Build("sensor", "S").set("measures", "M.x")}).find("does not exist"),
      std::string::npos);
  EXPECT_NE(problemsOf({Build("thermal_mass", "M"), Build("sensor", "S").set("measures", "M.t").set("minus", "M.dp")})
                .find("another kind"),
            std::string::npos);
}

}  // namespace
}  // namespace podtwin::test
