// Oil and hot spot of a transformer against closed forms of IEC 60076-7 and the standard's table of ageing.
#include <gtest/gtest.h>

#include <cmath>

#include "model/components/power/transformer_thermal.hpp"
#include "solvers/steady_state.hpp"
#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

constexpr double kOutdoors = 300.0;  // K, of Plant
constexpr double kRating = 1e6;      // VA

Build utility() { return Build("utility", "GRID").set("rating", 20e6).port("to", {"MV"}); }
Build load(double over_rating) { return Build("electrical_load", "L").set("power", over_rating * kRating).on("LV"); }
Build transformer() {
  return Build("transformer", "T")
      .set("rating", kRating)
      .set("power_factor", 1.0)
      .set("thermal_model", "iec_60076_7")
      .port("from", {"MV"})
      .port("to", {"LV"});
}
void steady(Plant& plant) {
  const auto report = solvers::findSteadyState(plant.system(), plant.state, plant.e, {});
  EXPECT_TRUE(report.converged);
  plant.evaluate();
}

TEST(TransformerThermal, TellsTheTimeToItsHotSpotLimit) {
  // Oil that stays at 130 degC, hot spot 139.5 degC, 1.5 of rating: towards 23.1 * 1.5^1.6 = 44.194 K over oil with 480
  // s; 10 K over it, 140 degC, after 480 s * ln((44.194 - 9.5) / (44.194 - 10)) = 6.97 s.
  const auto hot = [](double over_rating) {
    return Plant({utility(),
                  transformer()
                      .set("oil_time_constant", 1e6)
                      .set("initial_top_oil_temperature", 403.15)
                      .set("initial_hot_spot_rise", 9.5),
                  load(over_rating)});
  };
  const double end = 23.1 * std::pow(1.5, 1.6);
  EXPECT_NEAR(hot(1.5).value("T.overload_time_left"), 480.0 * std::log((end - 9.5) / (end - 10.0)), 1e-2);
  // At half of rating it cools.
  EXPECT_EQ(hot(0.5).value("T.overload_time_left"), 1e6);
}

TEST(TransformerThermal, StandsAtItsRatedRisesAtRatingAndAtLessBelow) {
  // K = 0.5, R = 5: (1 + 0.25 * 5) / 6 = 0.375; 0.375^0.8 = 0.456273; 0.5^1.6 = 0.329877. K = 0: (1/6)^0.8 = 0.238495.
  struct Point {
    double load, oil, hot_spot_over_oil;
  };
  for (const auto& [k, oil, over] :
       {Point{1.0, 55.0, 23.1}, Point{0.5, 0.456273 * 55.0, 0.329877 * 23.1}, Point{0.0, 0.238495 * 55.0, 0.0}}) {
    Plant plant({utility(), transformer().set("k21", 2.0), load(k)});
    steady(plant);
    EXPECT_NEAR(plant.value("T.t_top_oil"), kOutdoors + oil, 1e-3) << k;
    EXPECT_NEAR(plant.value("T.t_hot_spot"), kOutdoors + oil + over, 1e-3) << k;
    EXPECT_EQ(plant.value("T.loss_of_life"), 0.0);
  }
}

TEST(TransformerThermal, FollowsAStepOfLoadAsTheClosedFormDoes) {
  constexpr double kTauO = 9000.0, kTauW = 420.0, kK11 = 0.5, kK21 = 2.0, kK22 = 2.0, kHg = 1.4 * 14.5, kRise = 38.3;
  Plant plant({utility(),
               transformer()
                   .set("rated_top_oil_rise", kRise)
                   .set("hot_spot_gradient", 14.5)
                   .set("hot_spot_factor", 1.4)
                   .set("loss_ratio", 1000.0)
                   .set("winding_exponent", 1.3)
                   .set("oil_time_constant", kTauO)
                   .set("winding_time_constant", kTauW)
                   .set("k11", kK11)
                   .set("k21", kK21)
                   .set("k22", kK22)
                   .set("initial_top_oil_temperature", kOutdoors + 12.7),
               load(1.0)});
  for (int k = 0; k < 1200; ++k) plant.step(1.0);
  const double t = plant.state.t;
  const double oil = kOutdoors + kRise + (12.7 - kRise) * std::exp(-t / (kK11 * kTauO));
  const double winding =
      kK21 * kHg * (1.0 - std::exp(-t / (kK22 * kTauW))) - (kK21 - 1.0) * kHg * (1.0 - std::exp(-t * kK22 / kTauO));
  EXPECT_NEAR(plant.value("T.t_top_oil"), oil, 1e-6);
  EXPECT_NEAR(plant.value("T.t_hot_spot"), oil + winding, 1e-6);
  EXPECT_GT(winding, kHg);  // overshoots what it comes to
}

TEST(TransformerThermal, AgesAsTheStandardsTableSays) {
  // IEC 60076-7, relative ageing rates at 80, 98, 110 and 140 degC.
  struct Row {
    double celsius, normal, upgraded;
  };
  TransformerThermal normal, upgraded;
  upgraded.upgraded = true;
  for (const auto& [celsius, v, v_upgraded] :
       {Row{80.0, 0.125, 0.036}, Row{98.0, 1.0, 0.282}, Row{110.0, 4.0, 1.0}, Row{140.0, 128.0, 17.2}}) {
    EXPECT_NEAR(normal.ageing(celsius + 273.15), v, 0.005 * v) << celsius;
    EXPECT_NEAR(upgraded.ageing(celsius + 273.15), v_upgraded, 0.01 * v_upgraded) << celsius;
  }
  EXPECT_TRUE(std::isfinite(normal.ageing(1e5)));
}

TEST(TransformerThermal, UsesUpAnHourInAnHourAtTheRatedHotSpot) {
  // 98 degC held: surroundings of 26.85 degC, oil 50.00 K and hot spot 21.15 K above.
  Plant plant({utility(),
               transformer()
                   .set("rated_top_oil_rise", 50.0)
                   .set("hot_spot_factor", 1.0)
                   .set("hot_spot_gradient", 21.15)
                   .set("initial_top_oil_temperature", 350.0)
                   .set("initial_hot_spot_rise", 21.15),
               load(1.0)});
  EXPECT_NEAR(plant.value("T.ageing_rate"), 1.0, 1e-9);
  for (int k = 0; k < 360; ++k) plant.step(10.0);
  EXPECT_NEAR(plant.value("T.loss_of_life"), 3600.0, 1e-3);
}

TEST(TransformerThermal, CoolsToItsSurroundingsWithoutVoltage) {
  Plant plant({utility(), transformer(), load(1.0)});
  ASSERT_EQ(plant.command("T", "trip"), "");
  steady(plant);
  EXPECT_NEAR(plant.value("T.t_hot_spot"), kOutdoors, 1e-3);
  ASSERT_EQ(plant.command("T", "restore"), "");
  ASSERT_EQ(plant.command("GRID", "trip"), "");
  steady(plant);
  EXPECT_NEAR(plant.value("T.t_top_oil"), kOutdoors, 1e-3);
}

TEST(TransformerThermal, StandsInTheRoomThatTakesItsLoss) {
  Plant plant({utility(), transformer().port("air", {"hall"}), load(1.0), Build("thermal_mass", "hall")});
  steady(plant);
  const double room = plant.value("hall.t");
  EXPECT_GT(room, kOutdoors + 50.0);
  EXPECT_NEAR(plant.value("T.t_top_oil"), room + 55.0, 1e-3);
}

TEST(TransformerThermal, IsNotThereUnlessAskedFor) {
  Plant plant({utility(), transformer().set("thermal_model", "none"), load(1.5)});
  plant.run(5);
  EXPECT_EQ(plant.value("T.t_top_oil"), kOutdoors);
  EXPECT_EQ(plant.value("T.t_hot_spot"), kOutdoors);
  EXPECT_EQ(plant.value("T.ageing_rate"), 0.0);
  EXPECT_EQ(plant.value("T.loss_of_life"), 0.0);
  const auto [set, i] = plant.system().find("T");
  for (std::size_t l = 0; l < set->info().limits.size(); ++l)
    EXPECT_EQ(std::isfinite(set->limitValue(l, i)), set->info().limits[l].signal == "loading");
}

TEST(TransformerThermal, IsAskedForWhenItsConstantsAreGiven) {
  InstanceDescription silent = transformer().set("oil_exponent", 0.9);
  silent.parameters.at("thermal_model") = {};
  silent.parameters.at("thermal_model").text = "none";
  EXPECT_NE(problemsOf({utility(), silent, load(1.0)}).find("gives oil_exponent and has no thermal model"),
            std::string::npos);
  EXPECT_EQ(problemsOf({utility(), transformer().set("oil_exponent", 0.9), load(1.0)}), "");
  EXPECT_EQ(problemsOf({utility(), transformer().set("oil_exponent", 0.9).set("thermal_model", "none"), load(1.0)}),
            "");
}

}  // namespace
}  // namespace podtwin::test
