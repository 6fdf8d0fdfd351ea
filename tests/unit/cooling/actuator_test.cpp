// Valves and the commands of their actuators.
#include <cmath>

#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

PlantBuilder valve(const std::string& characteristic, const std::string& on_loss = "hold") {
  PlantBuilder b;
  b.circuit("c", "a");
  b.boundary("b", 0.0);
  b.add("valve", "V", {{"from", {"a"}}, {"to", {"b"}}},
        {{"kv", 0.02}, {"leakage", 1e-3}, {"rangeability", 50.0}, {"stroke_time", 120.0}, {"start_position", 0.4}},
        {{"characteristic", characteristic}, {"on_power_loss", on_loss}});
  return b;
}

double flowAt(const std::string& characteristic, double position) {
  Bench bench(valve(characteristic));
  bench.state.y[bench.index("V")] = position;
  bench.evaluate();
  return bench.value("V.flow");
}

TEST(Valve, PassesItsKvAtOneBarWhenOpenAndItsLeakageWhenShut) {
  for (const char* characteristic : {"linear", "equal_percentage"}) {
    EXPECT_NEAR(flowAt(characteristic, 1.0), 0.02, 1e-8);
    EXPECT_NEAR(flowAt(characteristic, 0.0), 0.02e-3, 1e-11);
  }
}

TEST(Valve, FollowsItsCharacteristicBetween) {
  EXPECT_NEAR(flowAt("linear", 0.5), 0.02 * (1e-3 + 0.999 * 0.5), 1e-8);
  EXPECT_NEAR(flowAt("equal_percentage", 0.5), 0.02 * (1e-3 + 0.999 * (std::pow(50.0, -0.5) - 0.01)), 1e-8);
}

TEST(Valve, MovesAtItsStrokeTime) {
  Bench bench(valve("linear"));
  ASSERT_TRUE(bench.command("V", "open"));
  bench.evaluate();
  EXPECT_DOUBLE_EQ(bench.ydot[bench.index("V")], 1.0 / 120.0);
  ASSERT_TRUE(bench.command("V", "close"));
  bench.evaluate();
  EXPECT_DOUBLE_EQ(bench.ydot[bench.index("V")], -1.0 / 120.0);
}

TEST(Valve, DoesWithoutPowerWhatItsClassDeclares) {
  for (const auto& [on_loss, sign] : {std::pair{"hold", 0.0}, {"open", 1.0}, {"close", -1.0}}) {
    Bench bench(valve("linear", on_loss));
    ASSERT_TRUE(bench.command("V", "trip"));
    bench.evaluate();
    EXPECT_DOUBLE_EQ(bench.ydot[bench.index("V")], sign / 120.0) << on_loss;
  }
}

TEST(Valve, SticksWhereItIsOrWhereStatedAndIsFreeWhenRestored) {
  Bench bench(valve("linear"));
  bench.state.y[bench.index("V")] = 0.33;
  ASSERT_TRUE(bench.command("V", "stick"));
  bench.evaluate();
  EXPECT_NEAR(bench.ydot[bench.index("V")], 0.0, 1e-12);
  ASSERT_TRUE(bench.command("V", "stick", 0.1));
  bench.evaluate();
  EXPECT_LT(bench.ydot[bench.index("V")], 0.0);
  ASSERT_TRUE(bench.command("V", "restore"));
  ASSERT_TRUE(bench.command("V", "open"));
  bench.evaluate();
  EXPECT_GT(bench.ydot[bench.index("V")], 0.0);
}

TEST(Valve, ThatIsStuckTakesOrdersAndFollowsTheLastOneWhenFree) {
  Bench bench(valve("linear"));
  bench.state.y[bench.index("V")] = 0.6;
  ASSERT_TRUE(bench.command("V", "stick", 0.6));
  for (const auto& [verb, value] : {std::pair{"close", kRequired}, {"open", kRequired}, {"set", 0.2}}) {
    ASSERT_TRUE(bench.command("V", verb, value));
    bench.evaluate();
    EXPECT_NEAR(bench.ydot[bench.index("V")], 0.0, 1e-12) << verb;
  }
  ASSERT_TRUE(bench.command("V", "restore"));
  bench.state.y[bench.index("V")] = 0.2;
  bench.evaluate();
  EXPECT_NEAR(bench.ydot[bench.index("V")], 0.0, 1e-12);
}

TEST(Valve, RefusesAPositionBeyondItsEndStops) {
  Bench bench(valve("linear"));
  EXPECT_FALSE(bench.command("V", "set", 1.2));
  EXPECT_NE(bench.reason.find("from 0 to 1"), std::string::npos);
  EXPECT_FALSE(bench.command("V", "set"));
  EXPECT_FALSE(bench.command("V", "stick", -0.1));
  EXPECT_FALSE(bench.command("V", "fly"));
}

TEST(ThreeWayValve, SharesItsFlowBetweenBranchAndBypass) {
  PlantBuilder b;
  b.circuit("c", "in");
  b.boundary("end", 0.0);
  b.add("three_way_valve", "V", {{"from", {"in"}}, {"to", {"branch"}}, {"through", {"end"}}},
        {{"kv", 36.9e-3}, {"kv_bypass", 18.4e-3}, {"leakage", 2e-3}});
  // Branch and open way take 60 + 20 kPa together, as much as the bypass at the same flow.
  b.add("resistance", "hx", {{"from", {"branch"}}, {"to", {"end"}}},
        {{"dp", 60e3}, {"flow", 36.9e-3 * std::sqrt(0.2)}});
  Bench bench(b);
  double total[3];
  std::size_t k = 0;
  for (const double position : {0.0, 0.5, 1.0}) {
    bench.state.y[bench.index("V")] = position;
    bench.evaluate();
    total[k++] = bench.value("V.flow") + bench.value("V.flow_bypass");
    EXPECT_NEAR(bench.value("V.flow"), bench.value("hx.flow"), 1e-9);
    if (position == 0.0) {
      EXPECT_LT(bench.value("V.flow"), 0.01 * total[0]);
    }
    if (position == 1.0) {
      EXPECT_LT(bench.value("V.flow_bypass"), 0.01 * total[2]);
    }
  }
  EXPECT_NEAR(total[2] / total[0], 1.0, 0.01);
  EXPECT_NEAR(total[1] / total[0], 1.0, 0.35);  // linear ways in series with a branch: more in the middle
}

}  // namespace
}  // namespace podtwin
