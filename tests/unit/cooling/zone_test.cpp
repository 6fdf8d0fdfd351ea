// Room air, lumped capacities, fan walls, room coolers, and reference cases T01 and T02 made of them.
#include <cmath>

#include "tests/unit/cooling/march.hpp"

namespace podtwin {
namespace {

constexpr double kZero = 273.15;

TEST(HeatCapacity, OfOneNodeFollowsStepRampAndPulsesInClosedForm) {
  // Reference case T01-rc-one-node: 450 J/K behind 0.03 K/W, coolant at 32 degC; tau 13.5 s.
  constexpr double kTau = 13.5, kR = 0.03;
  const auto at = [&](const std::vector<std::pair<double, double>>& profile, double t) {
    PlantBuilder b;
    b.add("heat_capacity", "die", {}, {{"capacity", 450.0}});
    b.add("heat_resistance", "R", {{"a", {"die"}}, {"b", {"ambient"}}}, {{"resistance", kR}});
    b.add("heat_source", "P", {{"to", {"die"}}}, {{"power", 1200.0}}).parameters.at("profile").points = profile;
    Bench bench(b, kZero + 32.0, kZero + 32.0);
    for (const auto& [corner, power] : profile)
      if (corner > 0.0 && corner < t) march(bench, corner);
    march(bench, t);
    return bench.value("die.t") - kZero;
  };
  EXPECT_NEAR(at({}, 1.0), 34.5702953878, 1e-5);
  EXPECT_NEAR(at({}, 2.0), 36.957079154, 1e-5);
  EXPECT_NEAR(at({{0.0, 0.0}, {20.0, 1200.0}}, 1.0), 32.0650506132, 1e-5);
  EXPECT_NEAR(at({{0.0, 0.0}, {20.0, 1200.0}}, 2.0), 32.253971571, 1e-5);
  // The ramp's end and after, from C dT/dt = P - (T - Tc)/R.
  const double ramp_end = 1200.0 * kR / 20.0 * (20.0 - kTau * (1.0 - std::exp(-20.0 / kTau)));
  EXPECT_NEAR(at({{0.0, 0.0}, {20.0, 1200.0}}, 40.0), 32.0 + 36.0 + (ramp_end - 36.0) * std::exp(-20.0 / kTau), 1e-5);
}

TEST(HeatCapacity, InAChainWithAFlushedCoolantVolumeAgreesWithTheReference) {
  // Reference case T02-rc-chain: three capacities in series, then a coolant volume of 250 J/K flushed with 140 W/K.
  PlantBuilder b;
  b.circuit("c", "in").boundary("in", 1e5, kZero + 32.0).boundary("end", 1e5, kZero + 32.0).volume("n4", 250.0 / 4e6);
  b.add("heat_capacity", "n1", {}, {{"capacity", 18.0}});
  b.add("heat_capacity", "n2", {}, {{"capacity", 160.0}});
  b.add("heat_capacity", "n3", {}, {{"capacity", 380.0}});
  b.add("heat_resistance", "R1", {{"a", {"n1"}}, {"b", {"n2"}}}, {{"resistance", 0.008}});
  b.add("heat_resistance", "R2", {{"a", {"n2"}}, {"b", {"n3"}}}, {{"resistance", 0.012}});
  b.add("heat_resistance", "R3", {{"a", {"n3"}}, {"b", {"n4"}}}, {{"resistance", 0.015}});
  b.add("heat_source", "P", {{"to", {"n1"}}}, {{"power", 1200.0}});
  b.add("resistance", "way", {{"from", {"in"}}, {"to", {"n4"}}}, {{"dp", 1e3}, {"flow", 35e-6}});
  b.add("fixed_flow", "F", {{"from", {"n4"}}, {"to", {"end"}}}, {{"flow", 140.0 / 4000.0}});
  Bench bench(b, kZero + 32.0);
  march(bench, 0.05);
  EXPECT_NEAR(bench.value("n1.t") - kZero, 34.8224286366, 1e-5);
  EXPECT_NEAR(bench.value("n2.t") - kZero, 32.0569670406, 1e-5);
  EXPECT_NEAR(bench.value("n3.t") - kZero, 32.0002141482, 1e-5);
  EXPECT_NEAR(bench.state.y[bench.index("n4")] - kZero, 32.0000007228, 1e-5);
  march(bench, 0.2);
  EXPECT_NEAR(bench.value("n1.t") - kZero, 39.4436986411, 1e-5);
  EXPECT_NEAR(bench.value("n2.t") - kZero, 32.6379375119, 1e-5);
  march(bench, 400.0);
  EXPECT_NEAR(bench.value("n1.t") - kZero, 82.5714285714, 1e-5);
  EXPECT_NEAR(bench.value("n2.t") - kZero, 72.9714285714, 1e-5);
  EXPECT_NEAR(bench.value("n3.t") - kZero, 58.5714285714, 1e-5);
  EXPECT_NEAR(bench.state.y[bench.index("n4")] - kZero, 40.5714285714, 1e-5);
}

TEST(Zone, HasTheHeatCapacityOfItsAirAndEquipment) {
  PlantBuilder b;
  b.add("zone", "hall", {}, {{"volume", 4000.0}, {"equipment_capacity", 1e6}});
  b.add("heat_source", "Q", {{"to", {"hall"}}}, {{"power", 1497e3}});
  Bench bench(b);
  EXPECT_NEAR(bench.ydot[bench.index("hall")], 1497e3 / (4000.0 * 1.17 * 1006.0 + 1e6), 1e-12);
  EXPECT_EQ(bench.e.source_power, 1497e3);
  ASSERT_TRUE(bench.command("Q", "trip"));
  bench.evaluate();
  EXPECT_EQ(bench.ydot[bench.index("hall")], 0.0);
}

PlantBuilder hall(double water, double exponent = 3.0) {
  PlantBuilder b;
  b.circuit("c", "in", 4186.0).boundary("in", 2e5, 291.15).boundary("end", 1e5);
  b.add("zone", "hall", {}, {{"volume", 1000.0}});
  b.add("fan_wall", "FW", {{"air", {"hall"}}, {"from", {"in"}}, {"to", {"out"}}}, {{"fan_exponent", exponent}});
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", water}});
  return b;
}

TEST(FanWall, HoldsItsSupplyAirAndGivesAirAndFanHeatToTheWater) {
  Bench bench(hall(12.7), 308.15);
  bench.state.y[bench.index("FW")] = 0.8;
  bench.evaluate();
  const double air = 0.8 * 31.4 * 1006.0, fan = 19.5e3 * 0.512;
  EXPECT_NEAR(bench.value("FW.power"), fan, 1e-6);
  EXPECT_NEAR(bench.value("FW.t_supply_air"), 297.15, 1e-9);
  EXPECT_NEAR(bench.value("FW.heat"), air * (308.15 - 297.15) + fan, 1e-6);
  EXPECT_NEAR(bench.e.heat[bench.index("hall")], -air * (308.15 - 297.15), 1e-6);
  EXPECT_EQ(bench.value("FW.saturated"), 0.0);
}

TEST(FanWall, SaturatesWhereItsCoilEnds) {
  Bench bench(hall(2.0), 308.15);
  bench.state.y[bench.index("FW")] = 1.0;
  bench.evaluate();
  EXPECT_NEAR(bench.value("FW.heat"), 0.85 * 2.0 * 4186.0 * (308.15 + 19.5e3 / (31.4 * 1006.0) - 291.15), 1e-6);
  EXPECT_EQ(bench.value("FW.saturated"), 1.0);
  EXPECT_GT(bench.value("FW.t_supply_air"), 297.15);
}

TEST(FanWall, TakesPowerInProportionToFlowAtAConstantPlenumPressureAndNoneWhenTripped) {
  Bench bench(hall(12.7, 1.0), 308.15);
  bench.state.y[bench.index("FW")] = 0.5;
  bench.evaluate();
  EXPECT_NEAR(bench.value("FW.power"), 0.5 * 19.5e3, 1e-6);
  ASSERT_TRUE(bench.command("FW", "trip"));
  bench.state.y[bench.index("FW")] = 0.0;
  bench.evaluate();
  EXPECT_EQ(bench.value("FW.power"), 0.0);
  EXPECT_EQ(bench.value("FW.heat"), 0.0);
  EXPECT_EQ(bench.value("FW.t_supply_air"), 308.15);
}

TEST(RoomCooler, TakesHeatByItsConductance) {
  PlantBuilder b;
  b.circuit("c", "in", 4186.0).boundary("in", 2e5, 291.15).boundary("end", 1e5);
  b.add("zone", "room", {}, {{"volume", 100.0}});
  b.add("room_cooler", "RC", {{"air", {"room"}}, {"from", {"in"}}, {"to", {"out"}}}, {{"ua", 40e3}, {"flow", 3e-3}});
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", 3.0}});
  Bench bench(b, 301.15);
  const double rate = 3.0 * 4186.0;
  EXPECT_NEAR(bench.value("RC.heat"), rate * (1.0 - std::exp(-40e3 / rate)) * 10.0, 1e-6);
  EXPECT_NEAR(bench.e.heat[bench.index("room")], -bench.value("RC.heat"), 1e-9);
}

}  // namespace
}  // namespace podtwin
