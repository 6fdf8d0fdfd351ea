// Self-acting valves, strainer, quick disconnect, balancing valve and tabulated resistance, against hand calculations.
#include <cmath>

#include "model/network/flow_table.hpp"
#include "tests/unit/cooling/march.hpp"
#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

constexpr double kGravity = 9.80665;

/// 400 kPa - 10 kPa at 1 kg/s - b - valve - c - outlet at 0 over `outlet` at 1 kg/s; density 1000 kg/m3.
PlantBuilder line(const std::string& valve, const PlantBuilder::Numbers& numbers, double outlet = 90e3,
                  double source = 400e3) {
  PlantBuilder b;
  b.circuit("w").boundary("a", source, 300.0).boundary("d", 0.0, 300.0);
  b.add("resistance", "IN", {{"from", {"a"}}, {"to", {"b"}}}, {{"dp", 10e3}, {"flow", 1e-3}});
  b.add(valve, "V", {{"from", {"b"}}, {"to", {"c"}}}, numbers);
  b.add("resistance", "OUT", {{"from", {"c"}}, {"to", {"d"}}}, {{"dp", outlet}, {"flow", 1e-3}});
  return b;
}

TEST(PressureReducingValve, HoldsItsOutletExactlyAndIsWideOpenWhereThePressureIsBelow) {
  // 90 kPa at the outlet push 1 kg/s through 90 kPa/(kg/s)^2.
  for (const auto method : {solvers::Method::rosenbrock, solvers::Method::cvode}) {
    Bench bench(line("pressure_reducing_valve", {{"pressure", 90e3}, {"kv", 5e-3}}));
    march(bench, 200.0, {.method = method});
    EXPECT_NEAR(bench.value("c.p"), 90e3, 1e-3);
    EXPECT_NEAR(bench.value("V.flow"), 1e-3, 1e-11);
    EXPECT_NEAR(bench.value("V.dp"), 300e3, 1e-2);
    // 5 L/s at 1 bar fully open, 1 L/s at 3 bar now: 0.2 / sqrt(3) of it.
    EXPECT_NEAR(bench.value("V.opening"), 0.2 / std::sqrt(3.0), 1e-8);
    EXPECT_EQ(bench.value("V.holding"), 1.0);
    ASSERT_TRUE(bench.command("V", "set", 22.5e3));
    march(bench, 400.0, {.method = method});
    EXPECT_NEAR(bench.value("c.p"), 22.5e3, 1e-3);
    EXPECT_NEAR(bench.value("V.flow"), 0.5e-3, 1e-11);
  }
  // 40 kPa never reach 90 kPa: in series 10, 4 (1 bar at 5 kg/s) and 90 kPa/(kg/s)^2.
  Bench wide(line("pressure_reducing_valve", {{"pressure", 90e3}, {"kv", 5e-3}}, 90e3, 40e3));
  march(wide, 200.0);
  EXPECT_NEAR(wide.value("V.flow"), std::sqrt(40.0 / 104.0) * 1e-3, 1e-10);
  EXPECT_EQ(wide.value("V.opening"), 1.0);
  EXPECT_EQ(wide.value("V.holding"), 0.0);
}

TEST(PressureReducingValve, LocksUpBehindADeadEndAndLetsNothingBack) {
  PlantBuilder b;
  b.circuit("w").boundary("a", 400e3, 300.0).boundary("far", 250e3, 300.0);
  b.add("pressure_reducing_valve", "V", {{"from", {"a"}}, {"to", {"c"}}}, {{"pressure", 90e3}, {"kv", 5e-3}});
  b.add("resistance", "END", {{"from", {"c"}}, {"to", {"end"}}}, {{"dp", 1e4}, {"flow", 1e-3}});
  b.add("pressure_reducing_valve", "W", {{"from", {"a"}}, {"to", {"e"}}}, {{"pressure", 90e3}, {"kv", 5e-3}});
  b.add("resistance", "FED", {{"from", {"far"}}, {"to", {"e"}}}, {{"dp", 1e4}, {"flow", 1e-3}});
  Bench bench(b);
  march(bench, 200.0);
  EXPECT_NEAR(bench.value("c.p"), 90e3, 1e-2);
  EXPECT_NEAR(bench.value("V.flow"), 0.0, 1e-12);
  // Held at 250 kPa by another source it is shut but for its seat, which holds 160 kPa more than there are: 1e-6 of 5
  // kg/s a bar.
  EXPECT_NEAR(bench.value("e.p"), 250e3, 1.0);
  EXPECT_NEAR(bench.value("W.flow"), -1.6 * 5e-9, 1e-12);
  EXPECT_EQ(bench.value("W.opening"), 0.0);
  // The source gone, nothing comes back but the leak.
  PlantBuilder back = line("pressure_reducing_valve", {{"pressure", 90e3}, {"kv", 5e-3}}, 90e3, -50e3);
  Bench reverse(back);
  march(reverse, 60.0);
  EXPECT_NEAR(reverse.value("V.flow"), -0.5 * 5e-9, 1e-12);
}

TEST(PressureSustainingValve, HoldsItsInletAndShutsWhereThatStaysBelow) {
  // 360 kPa at the inlet: 40 kPa over 10 kPa/(kg/s)^2 are 2 kg/s, which take 20 kPa/(kg/s)^2 x 4 behind the valve.
  Bench bench(line("pressure_sustaining_valve", {{"pressure", 360e3}, {"kv", 5e-3}}, 20e3));
  march(bench, 600.0);  // 10 of the line's 34 kPa/(kg/s)^2 are before the valve: 17 s of time constant
  EXPECT_NEAR(bench.value("b.p"), 360e3, 1e-3);
  EXPECT_NEAR(bench.value("V.flow"), 2e-3, 1e-10);
  EXPECT_NEAR(bench.value("c.p"), 80e3, 1e-2);
  Bench shut(line("pressure_sustaining_valve", {{"pressure", 450e3}, {"kv", 5e-3}}, 20e3));
  march(shut, 200.0);
  EXPECT_NEAR(shut.value("V.flow"), -0.5 * 5e-9, 1e-12);
  Bench wide(line("pressure_sustaining_valve", {{"pressure", 10e3}, {"kv", 5e-3}}, 20e3));
  march(wide, 200.0);
  EXPECT_NEAR(wide.value("V.flow"), std::sqrt(400.0 / 34.0) * 1e-3, 1e-9);
}

TEST(PressureReducingValve, StuckIsAThrottleAndObeysTheSetPressureOnceItIsFree) {
  Bench bench(line("pressure_reducing_valve", {{"pressure", 90e3}, {"kv", 5e-3}}));
  EXPECT_FALSE(bench.command("V", "stick"));
  EXPECT_FALSE(bench.command("V", "trip"));
  ASSERT_TRUE(bench.command("V", "stick", 0.2));  // 1 kg/s at 1 bar: 100 kPa/(kg/s)^2
  march(bench, 50.0);
  EXPECT_NEAR(bench.value("V.flow"), std::sqrt(400.0 / 200.0) * 1e-3, 1e-10);
  ASSERT_TRUE(bench.command("V", "restore"));
  march(bench, 300.0);
  EXPECT_NEAR(bench.value("c.p"), 90e3, 1e-2);
}

TEST(CheckValve, OpensBeyondItsSpringAndLeaksAsStatedBeforeAndBehind) {
  const auto flow = [](double source) {
    Bench bench(line("check_valve", {{"dp", 30e3}, {"flow", 1e-3}, {"cracking_pressure", 20e3}}, 90e3, source));
    return bench.value("V.flow") * 1000.0;
  };
  EXPECT_NEAR(flow(150e3), std::sqrt(130.0 / 130.0), 1e-9);
  EXPECT_NEAR(flow(540e3), std::sqrt(520.0 / 130.0), 1e-9);
  const double leak = 1e-6 * std::sqrt(100.0 / 30.0) / 100e3;  // kg/s a Pa
  EXPECT_NEAR(flow(19e3), 19e3 * leak, 1e-4 * 19e3 * leak);
  EXPECT_NEAR(flow(-50e3), -50e3 * leak, 1e-4 * 50e3 * leak);
  Bench stuck(line("check_valve", {{"dp", 30e3}, {"flow", 1e-3}}, 90e3, -65e3));
  EXPECT_EQ(stuck.value("V.is_open"), 0.0);
  ASSERT_TRUE(stuck.command("V", "stick", 1.0));
  stuck.evaluate();
  EXPECT_NEAR(stuck.value("V.flow"), -std::sqrt(0.5) * 1e-3, 1e-9);
  EXPECT_EQ(stuck.value("V.is_open"), 1.0);
}

TEST(CheckValve, CountsTheHeightBetweenItsEnds) {
  PlantBuilder b;
  b.circuit("w");
  NodeDescription high;
  high.name = "high";
  high.elevation = 10.0;
  b.node(high).boundary("low", 0.0, 300.0).boundary("top", 0.0, 300.0);
  b.add("check_valve", "V", {{"from", {"low"}}, {"to", {"high"}}}, {{"kv", 1e-3}});
  b.add("resistance", "R", {{"from", {"high"}}, {"to", {"top"}}}, {{"dp", 1e4}, {"flow", 1e-3}});
  Bench bench(b);
  // The top boundary stands at no height: the column behind the valve balances itself.
  EXPECT_NEAR(bench.value("V.dp"), 0.0, 1e-6);
  EXPECT_NEAR(bench.value("high.p"), -1000.0 * kGravity * 10.0, 1e-6);
}

TEST(DifferentialPressureValve, BeginsToOpenAtItsSetDifference) {
  // 10 kPa/(kg/s)^2 before and 4 kPa/(kg/s)^2 of its own; nothing behind.
  const auto bench = [](double source) {
    return Bench(line("differential_pressure_valve", {{"kv", 5e-3}, {"set_dp", 120e3}}, 1e-3, source));
  };
  EXPECT_NEAR(bench(119e3).value("V.flow"), 1.19 * 5e-9, 1e-12);
  Bench open = bench(176e3);
  EXPECT_NEAR(open.value("V.flow"), 2e-3, 1e-9);
  EXPECT_NEAR(open.value("V.dp"), 136e3, 0.1);
  EXPECT_FALSE(open.command("V", "set", -1.0));
  ASSERT_TRUE(open.command("V", "set", 162e3));
  open.evaluate();
  EXPECT_NEAR(open.value("V.flow"), 1e-3, 1e-9);
}

TEST(Strainer, TakesTheSquareOfItsFreeShareMore) {
  PlantBuilder b;
  b.circuit("w", "a");
  b.add("fixed_flow", "F", {{"from", {"b"}}, {"to", {"a"}}}, {{"flow", 10.0}});
  b.add("strainer", "S", {{"from", {"a"}}, {"to", {"b"}}}, {{"dp", 65e3}, {"flow", 0.02}, {"exponent", 1.76}});
  Bench bench(b);
  const double clean = 65e3 * std::pow(0.5, 1.76);
  EXPECT_NEAR(bench.value("S.dp"), clean, 1e-4);
  ASSERT_TRUE(bench.command("S", "clog", 0.4));
  bench.evaluate();
  EXPECT_NEAR(bench.value("S.dp"), clean / 0.36, 1e-3);
  EXPECT_FALSE(bench.command("S", "clog", 1.2));
  EXPECT_FALSE(bench.command("S", "set", -0.1));
  ASSERT_TRUE(bench.command("S", "clean"));
  bench.evaluate();
  EXPECT_NEAR(bench.value("S.dp"), clean, 1e-4);
}

TEST(Strainer, CloggedAltogetherLetsNothingThrough) {
  Bench bench(line("strainer", {{"dp", 65e3}, {"flow", 1e-3}, {"clogging", 1.0}}));
  EXPECT_EQ(bench.value("V.flow"), 0.0);
  ASSERT_TRUE(bench.command("V", "set", 0.0));
  bench.evaluate();
  EXPECT_NEAR(bench.value("V.flow"), std::sqrt(400.0 / 165.0) * 1e-3, 1e-9);
}

TEST(QuickDisconnect, PartedShutsBothSides) {
  Bench bench(line("quick_disconnect", {{"dp", 31e3}, {"flow", 1e-3}}, 59e3));
  ASSERT_TRUE(bench.command("V", "disconnect"));
  bench.evaluate();
  EXPECT_EQ(bench.value("V.flow"), 0.0);
  EXPECT_EQ(bench.value("b.p"), 400e3);
  EXPECT_EQ(bench.value("c.p"), 0.0);
  ASSERT_TRUE(bench.command("V", "connect"));
  bench.evaluate();
  EXPECT_NEAR(bench.value("V.flow"), 2e-3, 1e-10);
  EXPECT_NEAR(bench.value("V.dp"), 124e3, 1e-3);
}

TEST(BalancingValve, HasTheKvOfItsSettingAndKeepsItWhenLocked) {
  PlantBuilder b = line("balancing_valve", {{"kv", 4e-3}, {"setting", 0.25}});  // 100 kPa/(kg/s)^2 at 1 L/s a bar
  Bench bench(b);
  EXPECT_NEAR(bench.value("V.kv"), 1e-3, 1e-12);
  EXPECT_NEAR(bench.value("V.flow"), std::sqrt(2.0) * 1e-3, 1e-10);
  ASSERT_TRUE(bench.command("V", "lock"));
  EXPECT_FALSE(bench.command("V", "set", 0.5));
  EXPECT_FALSE(bench.command("V", "open"));
  ASSERT_TRUE(bench.command("V", "unlock"));
  EXPECT_FALSE(bench.command("V", "set", 1.5));
  ASSERT_TRUE(bench.command("V", "set", 0.5));
  bench.evaluate();
  EXPECT_NEAR(bench.value("V.flow"), std::sqrt(400.0 / 125.0) * 1e-3, 1e-10);
  ASSERT_TRUE(bench.command("V", "close"));
  bench.evaluate();
  EXPECT_EQ(bench.value("V.flow"), 0.0);
}

TEST(FlowTable, GoesThroughItsPointsWithoutKinkAndRisesEverywhere) {
  const std::vector<std::pair<double, double>> points{{1.0, 2.0}, {2.0, 9.0}, {3.0, 10.0}, {6.0, 70.0}};
  const FlowTable table(points);
  double slope = 0.0;
  for (const auto& [m, dp] : points) {
    EXPECT_NEAR(table.drop(m, slope), dp, 1e-12);
    EXPECT_NEAR(table.drop(-m, slope), -dp, 1e-12);
    double before = 0.0, behind = 0.0;
    table.drop(m * (1.0 - 1e-9), before);
    table.drop(m * (1.0 + 1e-9), behind);
    EXPECT_NEAR(before, behind, 1e-6 * (1.0 + behind));
  }
  double last = table.drop(-10.0, slope);
  for (double m = -9.99; m < 10.0; m += 0.01) {
    const double value = table.drop(m, slope);
    EXPECT_GT(value, last) << m;
    EXPECT_GT(slope, 0.0) << m;
    double unused = 0.0;
    EXPECT_NEAR(slope, (table.drop(m + 1e-6, unused) - table.drop(m - 1e-6, unused)) / 2e-6, 1e-3) << m;
    last = value;
  }
  // Beyond the end the power through the last two points, log 7 / log 2.
  EXPECT_NEAR(table.exponent(), std::log(7.0) / std::log(2.0), 1e-12);
  EXPECT_NEAR(table.drop(12.0, slope), 70.0 * 7.0, 1e-9);
}

TEST(FlowTable, IsExactForAPowerOfTheFlow) {
  std::vector<std::pair<double, double>> points;
  for (int k = 1; k <= 10; ++k) points.emplace_back(k, 3.0 * std::pow(k, 1.76));
  const FlowTable table(points);
  double slope = 0.0;
  for (double m = 1.0; m < 20.0; m += 0.1) EXPECT_NEAR(table.drop(m, slope), 3.0 * std::pow(m, 1.76), 1e-11) << m;
}

TEST(Resistance, FollowsItsTableAndSaysWhenItLeavesIt) {
  PlantBuilder b;
  b.circuit("w", "a");
  b.add("fixed_flow", "F", {{"from", {"b"}}, {"to", {"a"}}}, {{"flow", 2.0}});
  InstanceDescription& r = b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}});
  r.parameters["dp_curve"].given = true;
  r.parameters["dp_curve"].points = {{0.0, 0.0}, {1e-3, 4e3}, {2e-3, 13e3}, {4e-3, 52e3}};
  b.add("fixed_flow", "G", {{"from", {"d"}}, {"to", {"a"}}}, {{"flow", 8.0}});
  InstanceDescription& s = b.add("resistance", "S", {{"from", {"a"}}, {"to", {"d"}}});
  s.parameters["dp_curve"] = b.parameter("R", "dp_curve");
  Bench bench(b);
  EXPECT_NEAR(bench.value("R.dp"), 13e3, 1e-6);
  EXPECT_EQ(bench.value("R.extrapolated"), 0.0);
  EXPECT_NEAR(bench.value("S.dp"), 4.0 * 52e3, 1e-4);  // 52/13 a doubling of the flow
  EXPECT_EQ(bench.value("S.extrapolated"), 1.0);
  ASSERT_TRUE(bench.command("R", "clog", 2.0));
  bench.evaluate();
  EXPECT_NEAR(bench.value("R.dp"), 26e3, 1e-6);
}

TEST(Resistance, RefusesATableThatDoesNotRise) {
  for (const std::vector<std::pair<double, double>>& points :
       {std::vector<std::pair<double, double>>{{1e-3, 4e3}, {2e-3, 4e3}},
        {{1e-3, 4e3}, {1e-3, 5e3}},
        {{0.0, 1e3}, {1e-3, 5e3}},
        {{0.0, 0.0}}}) {
    PlantBuilder b;
    b.circuit("w", "a");
    b.add("fixed_flow", "F", {{"from", {"b"}}, {"to", {"a"}}}, {{"flow", 2.0}});
    InstanceDescription& r = b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}});
    r.parameters["dp_curve"].given = true;
    r.parameters["dp_curve"].points = points;
    EXPECT_THROW(b.build(), Error);
  }
}

}  // namespace
}  // namespace podtwin
