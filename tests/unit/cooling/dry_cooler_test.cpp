// Adiabatic assist, fans out of service and frost of a dry cooler.
#include <cmath>

#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

constexpr double kZero = 273.15;

/// The catalogue's cooler at full speed, outdoors at `dry_bulb` [degC] and 40 % (the weather of a bench says 50 %).
std::unique_ptr<Bench> cooler(double dry_bulb, const PlantBuilder::Numbers& numbers, double flow = 127.0) {
  PlantBuilder b;
  b.circuit("c", "in", 4150.0).boundary("in", 2e5, kZero + 46.1).boundary("end", 1e5);
  b.add("dry_cooler", "X", {{"from", {"in"}}, {"to", {"out"}}}, numbers);
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", flow}});
  auto bench = std::make_unique<Bench>(b, 300.0, kZero + dry_bulb);
  bench->system->setWeather(bench->state, {kZero + dry_bulb, 0.4, 101325.0});
  bench->state.y[bench->index("X")] = 1.0;
  bench->evaluate();
  bench->sample();
  bench->evaluate();
  return bench;
}

TEST(AdiabaticAssist, TakesAirTowardsTheWetBulbAndTheHeatOfThatFromWater) {
  // 35 degC, 40 %: wet bulb 24.0 degC by any psychrometric chart.
  const auto wet = cooler(35.0, {{"pad_effectiveness", 0.8}}), dry = cooler(35.0, {});
  EXPECT_EQ(wet->value("X.pads_wet"), 1.0);
  EXPECT_NEAR(wet->value("X.t_air"), kZero + 35.0 - 0.8 * 11.0, 0.1);
  EXPECT_GT(wet->value("X.heat"), 1.5 * dry->value("X.heat"));
  // First law along the pads: what the air loses evaporates the water (2.43 MJ/kg near 30 degC), to some per cent.
  const double air = 0.95 * 527e3 / 1006.0, cooled = air * 1030.0 * (kZero + 35.0 - wet->value("X.t_air"));
  EXPECT_NEAR(wet->value("X.evaporation"), cooled / 2.43e6, 0.03 * cooled / 2.43e6);
  EXPECT_NEAR(wet->value("X.bleed"), 0.5 * wet->value("X.evaporation"), 1e-12);  // three cycles of concentration
  EXPECT_NEAR(wet->value("facility.water_use"), wet->value("X.water_use"), 1e-12);
  EXPECT_NEAR(wet->value("X.water_use"), wet->value("X.evaporation") + wet->value("X.bleed"), 1e-12);
  EXPECT_EQ(dry->value("facility.water_use"), 0.0);
  EXPECT_EQ(wet->value("X.power"), dry->value("X.power"));
}

TEST(AdiabaticAssist, WorksByTheOutdoorTemperatureByHandAndOnlyWithSupply) {
  const auto bench = cooler(24.0, {{"pad_effectiveness", 0.8}});
  const auto wetAt = [&](double dry_bulb) {
    bench->system->setWeather(bench->state, {kZero + dry_bulb, 0.4, 101325.0});
    bench->evaluate();
    bench->sample();
    bench->evaluate();
    return bench->value("X.pads_wet");
  };
  EXPECT_EQ(wetAt(24.0), 0.0);
  EXPECT_EQ(wetAt(25.5), 1.0);
  EXPECT_EQ(wetAt(24.0), 1.0);  // differential of 2 K
  EXPECT_EQ(wetAt(22.5), 0.0);
  ASSERT_TRUE(bench->command("X", "wet"));
  EXPECT_EQ(wetAt(22.5), 1.0);
  ASSERT_TRUE(bench->command("X", "dry"));
  EXPECT_EQ(wetAt(35.0), 0.0);
  ASSERT_TRUE(bench->command("X", "automatic"));
  EXPECT_EQ(wetAt(35.0), 1.0);
  ASSERT_TRUE(bench->command("X", "trip"));
  EXPECT_EQ(wetAt(35.0), 0.0);
  EXPECT_NEAR(bench->value("X.t_air"), kZero + 35.0, 1e-9);
  const auto bare = cooler(35.0, {});
  EXPECT_FALSE(bare->command("X", "wet"));
}

TEST(DryCoolerFans, ThatAreOutLeaveTheirShareOfTheCoilToNaturalDraft) {
  const auto all = cooler(35.0, {{"fans", 10.0}}), none = cooler(35.0, {{"fans", 10.0}}),
             some = cooler(35.0, {{"fans", 10.0}, {"fans_out", 3.0}});
  none->state.y[none->index("X")] = 0.0;
  none->evaluate();
  EXPECT_NEAR(some->value("X.power"), 0.7 * all->value("X.power"), 1e-6);
  EXPECT_NEAR(some->value("X.heat"), 0.7 * all->value("X.heat") + 0.3 * none->value("X.heat"), 1e-3);
  EXPECT_EQ(some->value("X.fans_running"), 7.0);
  ASSERT_TRUE(some->command("X", "fail_fans", 0.45));  // whole fans
  EXPECT_EQ(some->value("X.fans_running"), 5.0);
  ASSERT_TRUE(some->command("X", "restore"));
  EXPECT_EQ(some->value("X.fans_running"), 7.0);
  EXPECT_FALSE(some->command("X", "fail_fans", 1.2));
}

TEST(DryCoolerFrost, IsToldOfStandingWaterByTheColdOutdoors) {
  const auto bench = cooler(-10.0, {}, 1e-6);
  bench->state.t = 1.0;
  bench->evaluate();
  bench->sample();
  const double start = bench->value("X.freeze_margin");
  bench->state.t = 1.0 + 1200.0;
  bench->evaluate();
  bench->sample();
  EXPECT_NEAR(bench->value("X.freeze_margin") + 10.0, (start + 10.0) * std::exp(-1.0), 1e-9);
  bench->state.t += 6000.0;
  bench->evaluate();
  bench->sample();
  EXPECT_LT(bench->value("X.freeze_margin"), 0.0);
  const auto moving = cooler(-10.0, {});
  EXPECT_NEAR(moving->value("X.freeze_margin"), moving->value("X.t_out") - kZero, 1e-9);
}

}  // namespace
}  // namespace podtwin
