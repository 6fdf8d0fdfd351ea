// Coils with fans against hand figures: liquid-to-air exchanger, rear door, dew point.
#include <cmath>

#include "tests/unit/cooling/march.hpp"

namespace podtwin {
namespace {

constexpr double kZero = 273.15;
constexpr double kAir = 1006.0;  // J/(kg K)

/// Effectiveness of counterflow, Kays and London.
double counterflow(double ntu, double cr) {
  const double k = std::exp(-ntu * (1.0 - cr));
  return (1.0 - k) / (1.0 - cr * k);
}

PlantBuilder sidecar(const PlantBuilder::Numbers& numbers, double flow = 6.0) {
  PlantBuilder b;
  b.circuit("c", "in", 4000.0).boundary("in", 2e5, kZero + 46.0).boundary("end", 1e5);
  b.add("zone", "hall", {}, {{"volume", 400.0}, {"dew_point", kZero + 12.0}});
  PlantBuilder::Numbers all{{"air_flow", 16.0}, {"flow", 6.0}, {"fan_power", 9600.0}, {"fans", 6}};
  all.insert(numbers.begin(), numbers.end());
  b.add("liquid_to_air_exchanger", "X", {{"air", {"hall"}}, {"from", {"in"}}, {"to", {"out"}}}, all);
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", flow}});
  return b;
}

TEST(LiquidToAir, PassesItsRatedHeatAtItsRatingPoint) {
  Bench bench(sidecar({{"rated_heat", 240e3}, {"rated_difference", 21.0}}), kZero + 25.0);
  bench.state.y[bench.index("X")] = 1.0;
  bench.evaluate();
  EXPECT_NEAR(bench.value("X.heat"), 240e3, 1e-3);
  EXPECT_NEAR(bench.value("X.t_out"), kZero + 46.0 - 240e3 / 24e3, 1e-9);
  EXPECT_NEAR(bench.value("X.approach"), 11.0, 1e-9);
  EXPECT_NEAR(bench.value("X.t_air_out"), kZero + 25.0 + 249.6e3 / (16.0 * kAir), 1e-9);
  // The zone gets the coolant's heat and that of the fans.
  EXPECT_NEAR(bench.e.heat[bench.index("hall")], 249.6e3, 1e-3);
  EXPECT_NEAR(bench.value("X.dew_point_margin"), 36.0 - 12.0, 1e-9);
}

TEST(LiquidToAir, FollowsBothFlowsAsTwoFilmsInSeries) {
  Bench bench(sidecar({{"ua", 30e3}}, 3.0), kZero + 25.0);
  bench.state.y[bench.index("X")] = 0.5;
  ASSERT_TRUE(bench.command("X", "fail_fans", 0.5));
  bench.evaluate();
  EXPECT_EQ(bench.value("X.fans_running"), 3.0);
  const double ua = 30e3 / (0.7 * std::pow(0.25, -0.8) + 0.3 * std::pow(0.5, -0.8));
  const double air = 0.25 * 16.0 * kAir, water = 3.0 * 4000.0;
  EXPECT_NEAR(bench.value("X.heat"), counterflow(ua / air, air / water) * air * 21.0, 1e-6);
  EXPECT_NEAR(bench.value("X.power"), 9600.0 * 0.5 * 0.125, 1e-9);
  ASSERT_TRUE(bench.command("X", "restore"));
  bench.evaluate();
  EXPECT_EQ(bench.value("X.fans_running"), 6.0);
}

TEST(LiquidToAir, HasNaturalDraughtWhenTrippedAndNothingWithoutFlow) {
  Bench bench(sidecar({{"ua", 30e3}}), kZero + 25.0);
  ASSERT_TRUE(bench.command("X", "trip"));
  bench.evaluate();
  const double ua = 30e3 / (0.7 * std::pow(0.02, -0.8) + 0.3), air = 0.02 * 16.0 * kAir;
  EXPECT_NEAR(bench.value("X.heat"), counterflow(ua / air, air / 24e3) * air * 21.0, 1e-6);
  EXPECT_EQ(bench.value("X.power"), 0.0);
  ASSERT_TRUE(bench.command("F", "set", 0.0));
  bench.evaluate();
  EXPECT_EQ(bench.value("X.heat"), 0.0);
}

TEST(LiquidToAir, RefusesARatingThatNoCoilHasAndOneStatedTwice) {
  EXPECT_ANY_THROW(sidecar({{"rated_heat", 400e3}, {"rated_difference", 21.0}}).build());
  EXPECT_ANY_THROW(sidecar({{"rated_heat", 240e3}, {"rated_difference", 21.0}, {"ua", 1e4}}).build());
  EXPECT_ANY_THROW(sidecar({{"rated_heat", 240e3}}).build());
  EXPECT_ANY_THROW(sidecar({}).build());
}

PlantBuilder door(const PlantBuilder::Numbers& numbers, double flow = 1.0) {
  PlantBuilder b;
  b.circuit("c", "in", 4186.0).boundary("in", 2e5, kZero + 18.0).boundary("end", 1e5);
  b.add("zone", "hall", {}, {{"volume", 400.0}, {"dew_point", kZero + 15.0}});
  b.add("heat_resistance", "hold", {{"a", {"hall"}}, {"b", {"ambient"}}}, {{"resistance", 1e-9}});
  PlantBuilder::Numbers all{{"ua", 4e3}, {"air_flow", 2.0}, {"flow", 1.0}};
  all.insert(numbers.begin(), numbers.end());
  b.add("rear_door_exchanger", "D", {{"air", {"hall"}}, {"from", {"in"}}, {"to", {"out"}}}, all);
  b.add("heat_source", "rack", {{"to", {"D"}}}, {{"power", 20e3}});
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", flow}});
  return b;
}

TEST(RearDoor, TakesTheHeatOfTheExhaustAndGivesTheRestToTheRoom) {
  Bench bench(door({}), kZero + 25.0, kZero + 25.0);
  march(bench, 300.0);
  const double air = 2.0 * kAir, exhaust = 25.0 + 20e3 / air;  // Q_rack = C_air (T_exh - T_zone)
  EXPECT_NEAR(bench.value("D.t_exhaust") - kZero, exhaust, 1e-4);
  const double heat = counterflow(4e3 / air, air / 4186.0) * air * (exhaust - 18.0);
  EXPECT_NEAR(bench.value("D.heat"), heat, 1.0);
  EXPECT_NEAR(bench.value("D.heat_to_zone"), 20e3 - heat, 1.0);
  EXPECT_NEAR(bench.value("D.t_leaving") - kZero, exhaust - heat / air, 1e-3);
  EXPECT_NEAR(bench.value("D.dew_point_margin"), 3.0, 1e-9);
}

TEST(RearDoor, LeavesAllHeatToTheRoomWithoutWater) {
  Bench bench(door({}, 0.0), kZero + 25.0, kZero + 25.0);
  march(bench, 300.0);
  EXPECT_EQ(bench.value("D.heat"), 0.0);
  EXPECT_NEAR(bench.value("D.heat_to_zone"), 20e3, 0.5);
}

TEST(RearDoor, WithFansFallsBackToTheAirOfTheRacksAndLetsPastWhatBypasses) {
  Bench bench(door({{"fan_power", 800.0}, {"rack_air", 0.4}, {"bypass", 0.1}, {"start_speed", 1.0}}), kZero + 25.0,
              kZero + 25.0);
  march(bench, 300.0);
  const auto expected = [&](double v) {
    const double air = v * 2.0 * kAir, through = 0.9 * air, exhaust = 25.0 + 20e3 / air;
    const double ua = 4e3 / (0.7 * std::pow(0.9 * v, -0.8) + 0.3);
    return counterflow(ua / through, through / 4186.0) * through * (exhaust - 18.0);
  };
  EXPECT_NEAR(bench.value("D.heat"), expected(1.0), 1.0);
  EXPECT_NEAR(bench.value("D.heat_to_zone"), 20e3 - expected(1.0) + 800.0, 1.0);
  ASSERT_TRUE(bench.command("D", "trip"));
  bench.evaluate();
  march(bench, 900.0);
  EXPECT_NEAR(bench.value("D.heat"), expected(0.4), 1.0);
  EXPECT_EQ(bench.value("D.power"), 0.0);
}

TEST(DewPoint, OfAPlaceWithoutOneIsThatOutdoors) {
  PlantBuilder b;
  b.circuit("c", "in", 4186.0).boundary("in", 2e5, kZero + 6.0).boundary("end", 1e5);
  b.add("heat_capacity", "box", {}, {{"capacity", 1e6}});
  b.add("fan_wall", "FW", {{"air", {"box"}}, {"from", {"in"}}, {"to", {"out"}}});
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", 5.0}});
  Bench bench(b, kZero + 25.0, kZero + 30.0);
  EXPECT_NEAR(bench.value("FW.dew_point_margin"), 6.0 - 18.4, 0.15);  // 30 degC, 50 %: 18.4 degC, psychrometric chart
}

}  // namespace
}  // namespace podtwin
