// Dry cooler, cooling tower and chiller.
#include <cmath>

#include "model/components/cooling/tower_laws.hpp"
#include "tests/unit/cooling/plant_builder.hpp"
#include "tests/unit/fluids/expect_error.hpp"

namespace podtwin {
namespace {

PlantBuilder through(const std::string& class_name, double flow, double entering, const PlantBuilder::Numbers& numbers,
                     const PlantBuilder::Texts& texts = {}) {
  PlantBuilder b;
  b.circuit("c", "in", 4150.0).boundary("in", 2e5, entering).boundary("end", 1e5);
  b.add(class_name, "X", {{"from", {"in"}}, {"to", {"out"}}}, numbers, texts);
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", flow}});
  return b;
}

TEST(DryCooler, MeetsTheMakersRating) {
  // BAC TDFS1238N: 2,931 kW, 46.1 to 40.6 degC at 35 degC dry bulb, fans 117.7 kW.
  Bench bench(through("dry_cooler", 127.0, 273.15 + 46.1, {}), 300.0, 308.15);
  bench.state.y[bench.index("X")] = 1.0;
  bench.evaluate();
  EXPECT_NEAR(bench.value("X.heat"), 2931e3, 0.005 * 2931e3);
  EXPECT_NEAR(bench.value("X.t_out"), 273.15 + 40.6, 0.1);
  EXPECT_NEAR(bench.value("X.power"), 117.7e3, 1e-6);
  EXPECT_NEAR(bench.system->heatToAmbient(bench.e), bench.value("X.heat") + bench.value("X.power"), 1e-6);
  EXPECT_NEAR(bench.e.heat[bench.index("out")], 127.0 * 4150.0 * (bench.value("X.t_out") - 300.0), 1e-3);
}

TEST(DryCooler, FollowsItsFansByTheCubeAndKeepsADraftWithoutThem) {
  Bench bench(through("dry_cooler", 127.0, 319.25, {{"air_exponent", 0.6}}, {{"arrangement", "crossflow_unmixed"}}),
              300.0, 308.15);
  bench.state.y[bench.index("X")] = 0.5;
  bench.evaluate();
  EXPECT_NEAR(bench.value("X.power"), 117.7e3 / 8.0, 1e-6);
  const double air = 0.5 * 527e3, water = 127.0 * 4150.0, ua = 528e3 / (0.5 * std::pow(0.5, -0.6) + 0.5), n = ua / air,
               c = air / water;
  const double eps = 1.0 - std::exp(std::pow(n, 0.22) / c * (std::exp(-c * std::pow(n, 0.78)) - 1.0));
  EXPECT_NEAR(bench.value("X.heat"), eps * air * (319.25 - 308.15), 1e-3);
  ASSERT_TRUE(bench.command("X", "trip"));
  bench.state.y[bench.index("X")] = 0.0;
  bench.evaluate();
  EXPECT_EQ(bench.value("X.power"), 0.0);
  EXPECT_GT(bench.value("X.heat"), 0.0);
  EXPECT_LT(bench.value("X.heat"), 0.05 * 2931e3);
}

TEST(DryCooler, RecirculatesWarmAir) {
  const auto heat = [](double recirculation) {
    Bench bench(through("dry_cooler", 127.0, 319.25, {{"recirculation", recirculation}}), 300.0, 308.15);
    bench.state.y[bench.index("X")] = 1.0;
    bench.evaluate();
    return bench.value("X.heat");
  };
  EXPECT_NEAR(heat(2.0) / heat(0.0), (319.25 - 310.15) / (319.25 - 308.15), 1e-12);
}

TEST(DryCooler, GivesNoHeatToStandingCoolantAndWarmsCoolantOnHotDays) {
  EXPECT_EQ(Bench(through("dry_cooler", 0.0, 319.25, {})).value("X.heat"), 0.0);
  EXPECT_LT(Bench(through("dry_cooler", 100.0, 300.0, {}), 300.0, 313.15).value("X.heat"), 0.0);
}

// A tower of 3 MW: EnergyPlus's sizing, fan 0.0105 W a W, air by 190 Pa at 50 %.
const PlantBuilder::Numbers kTower = {{"flow", 129.0}, {"air_flow", 83.0}, {"fan_power", 31.5e3}};
constexpr double kFreezing = 273.15, kTowerCp = 4150.0;

/// Saturated air at `wet_bulb` [degC], fans at `speed`.
Bench tower(double water, double entering, double wet_bulb, double speed, const PlantBuilder::Texts& texts = {}) {
  Bench bench(through("cooling_tower", water, kFreezing + entering, kTower, texts), 300.0, 298.15);
  bench.system->setWeather(bench.state, {kFreezing + wet_bulb, 1.0, 101325.0});
  bench.state.y[bench.index("X")] = speed;
  bench.evaluate();
  return bench;
}

TEST(CoolingTower, MeetsItsDesignPointAndGivesItsHeatToTheAir) {
  const Bench bench = tower(129.0, 25.6 + 3.89 + 5.56, 25.6, 1.0);
  // The conductance polynomials are 1.004 at the design.
  EXPECT_NEAR(bench.value("X.t_out"), kFreezing + 25.6 + 3.89, 0.01);
  EXPECT_NEAR(bench.value("X.approach"), 3.89, 0.01);
  EXPECT_NEAR(bench.value("X.heat"), 129.0 * kTowerCp * 5.56, 0.002 * 129.0 * kTowerCp * 5.56);
  EXPECT_EQ(bench.value("X.power"), 31.5e3);
  EXPECT_EQ(bench.value("X.outside"), 0.0);
  EXPECT_NEAR(bench.system->heatToAmbient(bench.e), bench.value("X.heat") + bench.value("X.power"), 1e-6);
  EXPECT_NEAR(bench.e.heat[bench.index("out")], 129.0 * kTowerCp * (bench.value("X.t_out") - 300.0), 1e-3);
}

TEST(CoolingTower, UsesWaterAsItsHeatEvaporates) {
  constexpr double kLatent = 2.43e6;  // J/kg near 30 degC
  const Bench moist = tower(129.0, 35.05, 25.6, 1.0);
  // Saturated air at 25.6 degC that warms takes 0.7 to 0.9 of its heat as vapour.
  const double all = moist.value("X.heat") / kLatent;
  EXPECT_GT(moist.value("X.evaporation"), 0.7 * all);
  EXPECT_LT(moist.value("X.evaporation"), 0.9 * all);
  EXPECT_NEAR(moist.value("X.drift"), 8e-5 * 129.0, 1e-12);
  EXPECT_NEAR(moist.value("X.make_up"), 1.5 * moist.value("X.evaporation"), 1e-9);  // three cycles of concentration
  EXPECT_NEAR(moist.value("X.blowdown"), 0.5 * moist.value("X.evaporation") - moist.value("X.drift"), 1e-9);
  // Dry air of the same wet bulb takes more: it is cooled by what it takes up.
  Bench dry = tower(129.0, 35.05, 25.6, 1.0);
  dry.system->setWeather(dry.state, {kFreezing + 40.0, 0.3, 101325.0});
  dry.evaluate();
  EXPECT_GT(dry.value("X.evaporation"), dry.value("X.heat") / kLatent);
}

TEST(CoolingTower, KeepsFreeConvectionWithoutItsFansAndGivesNothingToStandingWater) {
  for (const char* model : {"merkel", "yorkcalc"}) {
    SCOPED_TRACE(model);
    const double full = tower(129.0, 35.0, 25.0, 1.0, {{"model", model}}).value("X.heat");
    Bench bench = tower(129.0, 35.0, 25.0, 0.0, {{"model", model}});
    ASSERT_TRUE(bench.command("X", "trip"));
    bench.evaluate();
    EXPECT_EQ(bench.value("X.power"), 0.0);
    EXPECT_GT(bench.value("X.heat"), 0.05 * full);
    EXPECT_LT(bench.value("X.heat"), 0.25 * full);
    const Bench standing = tower(0.0, 35.0, 25.0, 1.0, {{"model", model}});
    for (const char* signal : {"X.heat", "X.evaporation", "X.make_up", "X.drift", "X.outside"})
      EXPECT_EQ(standing.value(signal), 0.0) << signal;
  }
}

TEST(CoolingTower, IsFiniteAndRisesWithTheWaterForEveryStateOfAPlant) {
  for (const char* model : {"merkel", "yorkcalc"})
    for (const double wet_bulb : {-30.0, 0.0, 25.0, 40.0})
      for (const double speed : {0.0, 0.05, 0.1, 1.0})
        for (const double water : {1e-6, 10.0, 129.0, 400.0}) {
          SCOPED_TRACE(std::string(model) + " " + std::to_string(wet_bulb) + " degC, speed " + std::to_string(speed) +
                       ", " + std::to_string(water) + " kg/s");
          double last = -1e12;
          for (const double entering : {2.0, 20.0, 40.0, 90.0, 140.0}) {
            const Bench bench = tower(water, entering, wet_bulb, speed, {{"model", model}});
            const double heat = bench.value("X.heat");
            EXPECT_TRUE(std::isfinite(heat));
            EXPECT_GE(heat, last);
            EXPECT_GE(bench.value("X.evaporation"), 0.0);
            EXPECT_LE(bench.value("X.evaporation"), water);
            if (entering > wet_bulb) {
              EXPECT_GE(bench.value("X.t_out"), kFreezing + wet_bulb - 1e-9);
            }
            last = heat;
          }
        }
}

TEST(CoolingTower, ByYorkCalcComesToItsApproachAndTellsWhenItIsOutside) {
  // P08: approach 3.845 K with the flows of the design, range 5.56 K, wet bulb 25.55 degC (between 3.602 and 4.087 K).
  const Bench bench = tower(129.0, 25.55 + 5.56 + 3.845, 25.55, 1.0, {{"model", "yorkcalc"}});
  EXPECT_NEAR(bench.value("X.approach"), 3.845, 0.002);
  EXPECT_EQ(bench.value("X.outside"), 0.0);
  EXPECT_EQ(tower(129.0, 40.0, 30.0, 1.0, {{"model", "yorkcalc"}}).value("X.outside"), 1.0);
  EXPECT_EQ(tower(60.0, 35.0, 25.0, 1.0, {{"model", "yorkcalc"}}).value("X.outside"), 1.0);
  EXPECT_EQ(tower(150.0, 35.0, 25.0, 1.0, {{"model", "merkel"}}).value("X.outside"), 1.0);
  // No step where free convection begins to count.
  const auto heat = [](double speed) {
    return tower(129.0, 35.0, 20.0, speed, {{"model", "yorkcalc"}}).value("X.heat");
  };
  EXPECT_NEAR(heat(0.1 - 1e-9), heat(0.1), 1e-6 * heat(0.1));
}

TEST(CoolingTower, OfADesignThatCannotBeIsRefusedByName) {
  auto numbers = kTower;
  numbers["air_flow"] = 10.0;
  testing_support::expectError([&] { through("cooling_tower", 129.0, 308.0, numbers).build(); },
                               {"'X': its design point cannot be", "no finite tower"});
  numbers["ua"] = 1e5;
  EXPECT_NO_THROW(through("cooling_tower", 129.0, 308.0, numbers).build());
}

const PlantBuilder::Numbers kTrim = {{"capacity", 2e6}, {"set_point", 309.15}, {"flow", 0.066}};

TEST(Chiller, HoldsItsSetPointWithinItsCapacity) {
  Bench bench(through("chiller", 66.0, 313.15, kTrim), 300.0, 308.15);
  bench.state.y[bench.index("X")] = 1.0;
  bench.evaluate();
  EXPECT_NEAR(bench.value("X.heat"), 66.0 * 4150.0 * 4.0, 1e-3);
  EXPECT_NEAR(bench.value("X.t_leaving"), 309.15, 1e-9);
  EXPECT_EQ(bench.value("X.saturated"), 0.0);
  // 0.55 of Carnot over a lift of 14 K, capped.
  EXPECT_NEAR(bench.value("X.compressor_cop"), std::min(12.0, 0.55 * 309.15 / 14.0), 1e-9);
  EXPECT_NEAR(bench.system->heatToAmbient(bench.e), bench.value("X.heat") + bench.value("X.power"), 1e-6);
  // Compressor, and condenser fans of 4 % of the heat rejected.
  const double compressor = bench.value("X.heat") / bench.value("X.compressor_cop");
  EXPECT_NEAR(bench.e.source_power, compressor + 0.04 * (bench.value("X.heat") + compressor), 1e-6);
  EXPECT_NEAR(bench.value("X.cop"), bench.value("X.heat") / bench.value("X.power"), 1e-9);
}

TEST(Chiller, SaturatesAtItsCapacityAndRestsBelowItsSetPoint) {
  Bench hot(through("chiller", 66.0, 320.15, kTrim));
  hot.state.y[hot.index("X")] = 1.0;
  hot.evaluate();
  EXPECT_NEAR(hot.value("X.heat"), 2e6, 1e-6);
  EXPECT_EQ(hot.value("X.saturated"), 1.0);
  EXPECT_GT(hot.value("X.t_leaving"), 309.15);
  Bench cold(through("chiller", 66.0, 308.15, kTrim));
  cold.state.y[cold.index("X")] = 1.0;
  cold.evaluate();
  EXPECT_EQ(cold.value("X.heat"), 0.0);
  EXPECT_EQ(cold.value("X.power"), 0.0);
}

TEST(Chiller, HasTheStatedCoefficientWhenItIsConstant) {
  auto numbers = kTrim;
  numbers["cop"] = 5.0;
  Bench bench(through("chiller", 66.0, 313.15, numbers, {{"cop_law", "constant"}}));
  bench.state.y[bench.index("X")] = 1.0;
  bench.evaluate();
  EXPECT_NEAR(bench.value("X.power"), bench.value("X.heat") / 5.0, 1e-6);
}

TEST(Chiller, StopsAtATripAndReturnsOnlyAfterItsRestartSequence) {
  Bench bench(through("chiller", 66.0, 313.15, kTrim));
  bench.state.y[bench.index("X")] = 1.0;
  ASSERT_TRUE(bench.command("X", "trip"));
  bench.evaluate();
  EXPECT_EQ(bench.value("X.heat"), 0.0);
  EXPECT_LT(bench.ydot[bench.index("X")], 0.0);
  EXPECT_EQ(bench.sample().size(), 1U);
  ASSERT_TRUE(bench.command("X", "restore"));
  bench.evaluate();
  bench.sample();
  const auto runningAt = [&](double t) {
    bench.state.t = t;
    bench.evaluate();
    bench.sample();
    bench.evaluate();
    return bench.value("X.running");
  };
  EXPECT_EQ(runningAt(69.0), 0.0);
  EXPECT_EQ(runningAt(70.0), 1.0);
}

}  // namespace
}  // namespace podtwin
