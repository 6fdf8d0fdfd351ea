// Dry cooler and chiller.
#include <cmath>

#include "tests/unit/cooling/plant_builder.hpp"

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

const PlantBuilder::Numbers kTrim = {{"capacity", 2e6}, {"set_point", 309.15}, {"flow", 0.066}};

TEST(Chiller, HoldsItsSetPointWithinItsCapacity) {
  Bench bench(through("chiller", 66.0, 313.15, kTrim), 300.0, 308.15);
  bench.state.y[bench.index("X")] = 1.0;
  bench.evaluate();
  EXPECT_NEAR(bench.value("X.heat"), 66.0 * 4150.0 * 4.0, 1e-3);
  EXPECT_NEAR(bench.value("X.t_leaving"), 309.15, 1e-9);
  EXPECT_EQ(bench.value("X.saturated"), 0.0);
  // 0.55 of Carnot over a lift of 14 K, capped.
  EXPECT_NEAR(bench.value("X.cop"), std::min(12.0, 0.55 * 309.15 / 14.0), 1e-9);
  EXPECT_NEAR(bench.system->heatToAmbient(bench.e), bench.value("X.heat") + bench.value("X.power"), 1e-6);
  // Compressor, and condenser fans of 4 % of the heat rejected.
  const double compressor = bench.value("X.heat") / bench.value("X.cop");
  EXPECT_NEAR(bench.e.source_power, compressor + 0.04 * (bench.value("X.heat") + compressor), 1e-6);
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
