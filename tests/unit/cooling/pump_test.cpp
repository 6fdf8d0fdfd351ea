#include <cmath>

#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

// Two pumps beside each other drive a loop of one resistance.
PlantBuilder loop(double start_speed = 1.0, double loss_to_coolant = 1.0) {
  PlantBuilder b;
  b.circuit("c", "suction");
  for (const char* id : {"P1", "P2"}) {
    auto& pump = b.add("pump", id, {{"from", {"suction"}}, {"to", {"discharge"}}},
                       {{"efficiency", 0.65},
                        {"start_speed", start_speed},
                        {"loss_to_coolant", loss_to_coolant},
                        {"idle_power", 50.0}});
    pump.parameters.at("head_curve").points = {{0.0, 476.46e3}, {5e-3, 447.45e3}, {10e-3, 249.97e3}};
  }
  b.add("resistance", "load", {{"from", {"discharge"}}, {"to", {"suction"}}}, {{"dp", 100e3}, {"flow", 15e-3}});
  return b;
}

Bench running(double speed, double loss_to_coolant = 1.0) {
  Bench bench(loop(1.0, loss_to_coolant));
  bench.state.y[bench.index("P1")] = bench.state.y[bench.index("P2")] = speed;
  bench.evaluate();
  return bench;
}

TEST(Pump, WorksOnTheQuadraticThroughItsHeadCurve) {
  Bench bench = running(1.0);
  const double q = bench.value("P1.flow");
  // Quadratic through the three points, by Lagrange.
  const auto head = [](double x) {
    return 476.46e3 * (x - 5e-3) * (x - 10e-3) / (5e-3 * 10e-3) + 447.45e3 * x * (x - 10e-3) / (5e-3 * -5e-3) +
           249.97e3 * x * (x - 5e-3) / (10e-3 * 5e-3);
  };
  EXPECT_NEAR(bench.value("P1.dp"), head(q), 1.0);
  EXPECT_NEAR(bench.value("load.flow"), 2.0 * q, 1e-9);
}

TEST(Pump, FollowsTheAffinityLaws) {
  Bench full = running(1.0), half = running(0.5);
  EXPECT_NEAR(half.value("P1.flow") / full.value("P1.flow"), 0.5, 1e-7);
  EXPECT_NEAR(half.value("P1.dp") / full.value("P1.dp"), 0.25, 1e-7);
  EXPECT_NEAR((half.value("P1.power") - 50.0) / (full.value("P1.power") - 50.0), 0.125, 1e-7);
}

TEST(Pump, PutsAllItsPowerIntoTheCoolantUnlessItsMotorIsInTheAir) {
  Bench wet = running(0.8);
  EXPECT_NEAR(wet.e.heat[wet.index("discharge")], wet.value("P1.power") + wet.value("P2.power"), 1e-6);
  EXPECT_NEAR(wet.value("P1.power"), 50.0 + wet.value("P1.dp") * wet.value("P1.flow") / 0.65, 1e-6);
  EXPECT_NEAR(wet.e.source_power, 2.0 * wet.value("P1.power"), 1e-6);
  Bench dry = running(0.8, 0.0);
  EXPECT_NEAR(dry.e.heat[dry.index("discharge")], 2.0 * dry.value("P1.dp") * dry.value("P1.flow"), 1e-6);
  EXPECT_NEAR(dry.e.heat[dry.index("discharge")] + dry.system->heatToAmbient(dry.e), dry.e.source_power, 1e-6);
}

TEST(Pump, CoastsDownWithoutPowerAfterATripAndItsValveStopsReturnFlow) {
  Bench bench = running(1.0);
  ASSERT_TRUE(bench.command("P1", "trip"));
  bench.evaluate();
  EXPECT_EQ(bench.value("P1.power"), 0.0);
  EXPECT_EQ(bench.value("P1.running"), 0.0);
  EXPECT_DOUBLE_EQ(bench.ydot[bench.index("P1")], -1.0);  // speed over coast_down of 1 s
  bench.state.y[bench.index("P1")] = 0.0;
  bench.evaluate();
  EXPECT_LE(bench.value("P1.flow"), 0.0);
  EXPECT_GT(bench.value("P1.flow"), -1e-6 * bench.value("P2.flow") - 1e-6);
  EXPECT_GT(bench.value("P2.flow"), 0.0);
}

TEST(Pump, ShutsItsWayWhenOutOfService) {
  Bench bench = running(1.0);
  ASSERT_TRUE(bench.command("P1", "isolate"));
  bench.evaluate();
  EXPECT_EQ(bench.value("P1.flow"), 0.0);
}

TEST(Pump, RampsNoFasterThanItsDriveAndNotBelowItsLowestSpeed) {
  Bench bench = running(0.2);
  ASSERT_TRUE(bench.command("P1", "set", 1.0));
  bench.evaluate();
  EXPECT_DOUBLE_EQ(bench.ydot[bench.index("P1")], 1.0 / 30.0);
  ASSERT_TRUE(bench.command("P1", "set", 0.01));
  bench.state.y[bench.index("P1")] = 0.15;
  bench.evaluate();
  EXPECT_DOUBLE_EQ(bench.ydot[bench.index("P1")], 0.0);
  ASSERT_TRUE(bench.command("P1", "set", 0.0));
  bench.evaluate();
  EXPECT_LT(bench.ydot[bench.index("P1")], 0.0);
}

TEST(Pump, TakesTwoPointsAsACurveWithZeroSlopeAtShutOff) {
  PlantBuilder b;
  b.circuit("c", "a");
  b.add("pump", "P", {{"from", {"a"}}, {"to", {"b"}}}).parameters.at("head_curve").points = {{0.0, 340e3},
                                                                                             {0.1, 255e3}};
  b.add("fixed_flow", "F", {{"from", {"b"}}, {"to", {"a"}}}, {{"flow", 50.0}});
  Bench bench(b);
  bench.state.y[bench.index("P")] = 1.0;
  bench.evaluate();
  EXPECT_NEAR(bench.value("P.dp"), 340e3 - 85e3 * 0.25, 1.0);
}

TEST(Pump, RefusesAHeadCurveThatRises) {
  PlantBuilder b;
  b.circuit("c", "a");
  b.add("pump", "P", {{"from", {"a"}}, {"to", {"b"}}}).parameters.at("head_curve").points = {{0.0, 100e3},
                                                                                             {0.1, 200e3}};
  b.add("resistance", "R", {{"from", {"b"}}, {"to", {"a"}}}, {{"dp", 1e5}, {"flow", 0.1}});
  EXPECT_THROW(b.build(), InputError);
}

}  // namespace
}  // namespace podtwin
