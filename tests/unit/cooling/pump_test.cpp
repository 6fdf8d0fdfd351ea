#include <cmath>

#include "tests/unit/cooling/march.hpp"
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

/// One pump, 300 kPa at no flow, against a resistance that takes `dp` at 10 L/s.
PlantBuilder single(const PlantBuilder::Numbers& numbers, const PlantBuilder::Texts& texts = {}, double dp = 100e3,
                    const std::vector<std::pair<double, double>>& efficiency = {}) {
  PlantBuilder b;
  b.circuit("c", "suction");
  PlantBuilder::Numbers all = numbers;
  all.try_emplace("start_speed", 1.0);
  auto& pump = b.add("pump", "P", {{"from", {"suction"}}, {"to", {"discharge"}}}, all, texts);
  pump.parameters.at("head_curve").points = {{0.0, 300e3}, {5e-3, 260e3}, {10e-3, 100e3}, {12e-3, 20e3}};
  if (!efficiency.empty()) {
    pump.parameters.at("efficiency_curve").points = efficiency;
    pump.parameters.at("efficiency_curve").given = true;
  }
  b.add("resistance", "load", {{"from", {"discharge"}}, {"to", {"suction"}}}, {{"dp", dp}, {"flow", 10e-3}});
  return b;
}

Bench at(const PlantBuilder& builder, double speed) {
  Bench bench(builder);
  bench.state.y[bench.index("P")] = speed;
  bench.evaluate();
  return bench;
}

TEST(Pump, AsATableGoesThroughEveryPointAndFollowsTheAffinityLaws) {
  // 100 kPa at 10 L/s is a point of the curve and of the load.
  Bench full = at(single({}, {{"head_form", "table"}}), 1.0), half = at(single({}, {{"head_form", "table"}}), 0.5);
  EXPECT_NEAR(full.value("P.flow"), 10e-3, 1e-10);
  EXPECT_NEAR(full.value("P.dp"), 100e3, 1e-3);
  EXPECT_NEAR(half.value("P.flow"), 5e-3, 1e-10);
  EXPECT_NEAR(half.value("P.dp"), 25e3, 1e-3);
  // 260 kPa at 5 L/s are 1,040 kPa at 10 L/s of a load with the square of flow.
  EXPECT_NEAR(at(single({}, {{"head_form", "table"}}, 1040e3), 1.0).value("P.flow"), 5e-3, 1e-10);
  // The quadratic meets them by least squares alone.
  EXPECT_GT(std::abs(at(single({}), 1.0).value("P.flow") - 10e-3), 1e-6);
}

TEST(Pump, AsATableIsRefusedUnlessItFallsFromItsShutOffHead) {
  for (const std::vector<std::pair<double, double>>& points :
       {std::vector<std::pair<double, double>>{{1e-3, 300e3}, {5e-3, 260e3}},
        {{0.0, 300e3}, {5e-3, 310e3}, {10e-3, 100e3}},
        {{0.0, 300e3}, {5e-3, 250e3}, {10e-3, 250e3}},
        {}}) {
    PlantBuilder b;
    b.circuit("c", "suction");
    auto& pump = b.add("pump", "P", {{"from", {"suction"}}, {"to", {"discharge"}}}, {}, {{"head_form", "table"}});
    pump.parameters.at("head_curve").points = points;
    b.add("resistance", "load", {{"from", {"discharge"}}, {"to", {"suction"}}}, {{"dp", 1e4}, {"flow", 10e-3}});
    EXPECT_THROW(b.build(), Error);
  }
}

const std::vector<std::pair<double, double>> kEfficiency{{2e-3, 0.4}, {8e-3, 0.7}, {10e-3, 0.6}};

TEST(Pump, TakesPowerByItsEfficiencyCurveAndThoseOfMotorAndDrive) {
  const PlantBuilder::Numbers drive{{"motor_efficiency", 0.9}, {"drive_efficiency", 0.95}};
  Bench full = at(single(drive, {{"head_form", "table"}}, 100e3, kEfficiency), 1.0);
  EXPECT_NEAR(full.value("P.power"), 100e3 * 10e-3 / (0.6 * 0.9 * 0.95), 1e-5);
  EXPECT_NEAR(full.value("P.efficiency"), 0.6 * 0.9 * 0.95, 1e-9);
  // Affinity: the same point of the curve at half speed, an eighth of the power.
  Bench half = at(single(drive, {{"head_form", "table"}}, 100e3, kEfficiency), 0.5);
  EXPECT_NEAR(half.value("P.power"), full.value("P.power") / 8.0, 1e-5);
  // At 5 L/s between the points: 0.55.
  EXPECT_NEAR(at(single({}, {{"head_form", "table"}}, 1040e3, kEfficiency), 1.0).value("P.power"), 260e3 * 5e-3 / 0.55,
              1e-4);
}

TEST(Pump, DeadHeadedGoesOnTakingPowerWhichHeatsItsOutlet) {
  const auto shut = [](const PlantBuilder& b, double speed) {
    Bench bench(b);
    EXPECT_TRUE(bench.command("load", "isolate"));
    bench.state.y[bench.index("P")] = speed;
    bench.evaluate();
    return bench;
  };
  Bench none = shut(single({}), 1.0);
  EXPECT_EQ(none.value("P.flow"), 0.0);
  EXPECT_NEAR(none.value("P.power"), 0.0, 1e-9);
  Bench churning = shut(single({{"shut_off_power", 800.0}}), 0.5);
  EXPECT_NEAR(churning.value("P.power"), 100.0, 1e-9);
  EXPECT_NEAR(churning.e.heat[churning.index("discharge")], 100.0, 1e-9);
  // The limit of head times flow over an efficiency in proportion to flow: 300 kPa 2 L/s / 0.4.
  Bench curve = shut(single({}, {{"head_form", "table"}}, 100e3, kEfficiency), 1.0);
  EXPECT_NEAR(curve.value("P.power"), 300e3 * 2e-3 / 0.4, 1e-6);
  EXPECT_NEAR(curve.e.heat[curve.index("discharge")], 1500.0, 1e-6);
}

TEST(Pump, TellsWhenItRunsBelowItsMinimumFlow) {
  const PlantBuilder::Numbers numbers{{"minimum_flow", 6e-3}};
  EXPECT_EQ(at(single(numbers, {{"head_form", "table"}}), 1.0).value("P.low_flow"), 0.0);
  EXPECT_EQ(at(single(numbers, {{"head_form", "table"}}, 1040e3), 1.0).value("P.low_flow"), 1.0);
  // In proportion to speed: 5 L/s at half speed are above 3.
  EXPECT_EQ(at(single(numbers, {{"head_form", "table"}}), 0.5).value("P.low_flow"), 0.0);
  Bench tripped = at(single(numbers, {{"head_form", "table"}}, 1040e3), 1.0);
  ASSERT_TRUE(tripped.command("P", "trip"));
  tripped.evaluate();
  EXPECT_EQ(tripped.value("P.low_flow"), 0.0);
}

TEST(Pump, CoastsDownByTheInertiaOfItsRotor) {
  Bench bench = at(single({{"coast_down", 4.0}}, {{"coast_form", "inertia"}}), 0.8);
  ASSERT_TRUE(bench.command("P", "trip"));
  march(bench, 10.0);
  EXPECT_NEAR(bench.state.y[bench.index("P")], 0.8 / (1.0 + 0.8 * 10.0 / 4.0), 1e-6);
}

TEST(Pump, IsCutToItsHighestSpeedAndRefusesOneBelowItsLowest) {
  Bench bench(single({{"speed_max", 0.7}}));
  march(bench, 60.0);
  EXPECT_NEAR(bench.value("P.speed"), 0.7, 1e-6);
  EXPECT_THROW(single({{"speed_max", 0.1}, {"speed_min", 0.2}}).build(), Error);
}

TEST(Pump, UnequalOnesBesideEachOtherShareTheFlowAtOneHead) {
  PlantBuilder b;
  b.circuit("c", "suction");
  // 300 kPa - 2 kPa q^2 and 200 kPa - 1 kPa q^2 (q in L/s), against 1 kPa q^2.
  auto& strong = b.add("pump", "S", {{"from", {"suction"}}, {"to", {"discharge"}}}, {{"start_speed", 1.0}});
  strong.parameters.at("head_curve").points = {{0.0, 300e3}, {10e-3, 100e3}};
  auto& weak = b.add("pump", "W", {{"from", {"suction"}}, {"to", {"discharge"}}}, {{"start_speed", 1.0}});
  weak.parameters.at("head_curve").points = {{0.0, 200e3}, {10e-3, 100e3}};
  b.add("resistance", "load", {{"from", {"discharge"}}, {"to", {"suction"}}}, {{"dp", 100e3}, {"flow", 10e-3}});
  Bench bench(b);
  bench.state.y[bench.index("S")] = bench.state.y[bench.index("W")] = 1.0;
  bench.evaluate();
  const double strong_flow = bench.value("S.flow") * 1e3, weak_flow = bench.value("W.flow") * 1e3;
  const double head = std::pow(strong_flow + weak_flow, 2.0);  // kPa
  EXPECT_NEAR(300.0 - 2.0 * strong_flow * strong_flow, head, 1e-6);
  EXPECT_NEAR(200.0 - weak_flow * weak_flow, head, 1e-6);
  // Slowed to 70 % the weak one makes 98 kPa at most, below the head: its valve shuts, and the strong one is alone.
  bench.state.y[bench.index("W")] = 0.7;
  bench.evaluate();
  EXPECT_NEAR(bench.value("S.flow"), 10e-3, 1e-7);
  EXPECT_NEAR(bench.value("W.flow"), 0.0, 1e-5);
}

}  // namespace
}  // namespace podtwin
