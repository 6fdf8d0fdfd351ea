// Resistance, pipe and stated flow.
#include <cmath>
#include <numbers>

#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

TEST(Resistance, HasTheStatedDropAtTheStatedFlowAndItsExponentElsewhere) {
  for (const double exponent : {1.0, 1.76, 2.0}) {
    PlantBuilder b;
    b.circuit("c", "a");
    b.add("fixed_flow", "F", {{"from", {"b"}}, {"to", {"a"}}}, {{"flow", 10.0}});
    b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}}, {{"dp", 50e3}, {"flow", 0.02}, {"exponent", exponent}});
    Bench bench(b);
    EXPECT_NEAR(bench.value("R.dp"), 50e3 * std::pow(0.5, exponent), 1e-3);
    ASSERT_TRUE(bench.command("R", "clog", 3.0));
    bench.evaluate();
    EXPECT_NEAR(bench.value("R.dp"), 150e3 * std::pow(0.5, exponent), 1e-3);
    EXPECT_FALSE(bench.command("R", "clog", 0.5));
  }
}

TEST(Resistance, OfALossCoefficientHasItsShareOfTheDynamicPressureInItsBore) {
  PlantBuilder b;
  b.circuit("c", "a");
  b.add("fixed_flow", "F", {{"from", {"b"}}, {"to", {"a"}}}, {{"flow", 10.0}});
  b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}}, {{"loss_coefficient", 8.0}, {"diameter", 0.1}});
  const double velocity = 10.0 / 1000.0 / (0.25 * std::numbers::pi * 0.01);
  EXPECT_NEAR(Bench(b).value("R.dp"), 8.0 * 500.0 * velocity * velocity, 1e-7);
}

TEST(Resistance, IsRefusedWithoutOrWithTwoStatementsOfItsDrop) {
  for (const PlantBuilder::Numbers& numbers :
       {PlantBuilder::Numbers{},
        {{"dp", 1e4}},
        {{"loss_coefficient", 8.0}},
        {{"dp", 1e4}, {"flow", 0.01}, {"diameter", 0.1}},
        {{"dp", 1e4}, {"flow", 0.01}, {"loss_coefficient", 8.0}, {"diameter", 0.1}},
        {{"exponent", 1.8}, {"loss_coefficient", 8.0}, {"diameter", 0.1}}}) {
    PlantBuilder b;
    b.circuit("c", "a");
    b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}}, numbers);
    EXPECT_THROW(b.build(), Error);
  }
}

TEST(FlowLimitingValve, HoldsItsFlowWhileThePressureSufficesAndIsWideOpenBelow) {
  const auto valve = [](double pressure) {
    PlantBuilder b;
    b.circuit("c").boundary("a", pressure, 300.0).boundary("b", 0.0, 300.0);
    b.add("flow_limiting_valve", "V", {{"from", {"a"}}, {"to", {"b"}}},
          {{"flow", 0.01}, {"loss_coefficient", 10.0}, {"diameter", 0.1}});
    return b;
  };
  const double area = 0.25 * std::numbers::pi * 0.01, open = 10.0 * 500.0 * std::pow(0.01 / area, 2.0);  // Pa at 10 L/s
  for (const double times : {1.5, 10.0, 100.0}) {
    Bench bench(valve(times * open));
    EXPECT_NEAR(bench.value("V.flow"), 0.01, 1.1e-11 * times * open * 0.01);  // 1e-6 at 1 bar
    EXPECT_EQ(bench.value("V.holding"), 1.0);
  }
  Bench wide(valve(0.25 * open));
  EXPECT_NEAR(wide.value("V.flow"), 0.005, 1e-9);
  EXPECT_EQ(wide.value("V.holding"), 0.0);
  EXPECT_NEAR(Bench(valve(-0.25 * open)).value("V.flow"), -0.005, 1e-9);
  ASSERT_TRUE(wide.command("V", "set", 0.002));
  wide.evaluate();
  EXPECT_NEAR(wide.value("V.flow"), 0.002, 1e-8);
  ASSERT_TRUE(wide.command("V", "set", 0.0));
  wide.evaluate();
  EXPECT_EQ(wide.value("V.flow"), 0.0);
}

PlantBuilder pipe(double flow, double loss = 0.0, double cells = 4, double length = 100.0, double count = 1.0) {
  PlantBuilder b;
  b.circuit("c", "a").friction("swamee_jain");
  b.boundary("a", 100e3, 323.15).boundary("end", 100e3);
  b.add("pipe", "P", {{"from", {"a"}}, {"to", {"b"}}},
        {{"length", length},
         {"diameter", 0.1},
         {"roughness", 45e-6},
         {"minor_loss", 5.0},
         {"count", count},
         {"loss", loss},
         {"cells", cells}});
  b.add("fixed_flow", "F", {{"from", {"b"}}, {"to", {"end"}}}, {{"flow", flow}});
  return b;
}

constexpr double kArea = 0.25 * std::numbers::pi * 0.01;

TEST(Pipe, HasTheDarcyDropOfThePlantsFrictionLawAtEveryVelocity) {
  for (const double velocity : {0.05, 0.5, 2.0, 8.0}) {
    const double reynolds = 1000.0 * velocity * 0.1 / 1e-3;
    const double l = std::log10(45e-5 / 3.7 + 5.74 / std::pow(reynolds, 0.9));
    const double drop = (0.25 / (l * l) * 1000.0 + 5.0) * 500.0 * velocity * velocity;
    Bench bench(pipe(1000.0 * velocity * kArea));
    EXPECT_NEAR(bench.value("P.dp"), drop, 1e-8 * drop) << velocity;
    EXPECT_NEAR(bench.value("P.velocity"), velocity, 1e-12);
    EXPECT_NEAR(bench.value("P.reynolds"), reynolds, 1e-7);
  }
  EXPECT_NE(Bench(pipe(10.0).friction("haaland")).value("P.dp"), Bench(pipe(10.0)).value("P.dp"));
}

TEST(Pipe, IsLaminarBelowReynolds2000AndOfParallelChannelsEachHasItsShare) {
  const double slow = 0.01;  // m/s: Reynolds 1,000
  const double drop = (0.064 * 1000.0 + 5.0) * 500.0 * slow * slow;
  EXPECT_NEAR(Bench(pipe(1000.0 * slow * kArea)).value("P.dp"), drop, 1e-7);
  Bench seven(pipe(7.0 * 1000.0 * slow * kArea, 0.0, 4, 100.0, 7));
  EXPECT_NEAR(seven.value("P.dp"), drop, 1e-7);
  EXPECT_NEAR(seven.value("P.reynolds"), 1000.0, 1e-9);
}

TEST(Pipe, OfNoLengthIsItsFittings) {
  EXPECT_NEAR(Bench(pipe(1000.0 * 2.0 * kArea, 0.0, 1, 0.0)).value("P.dp"), 5.0 * 500.0 * 4.0, 1e-6);
}

TEST(Pipe, LosesHeatCellByCellToItsSurroundings) {
  Bench bench(pipe(2.0, 800.0, 5), 300.0, 283.15);
  // At rest of every cell: T_k - T_air falls by 1/(1 + G/(n m cp)) a cell.
  const double factor = 1.0 / (1.0 + 800.0 / 5.0 / (2.0 * 4000.0));
  double t = 40.0;
  for (std::size_t c = 0; c < 5; ++c) bench.state.y[bench.index("P") + c] = 283.15 + (t *= factor);
  bench.state.y[bench.index("b")] = 283.15 + t;
  bench.evaluate();
  for (std::size_t c = 0; c < 5; ++c) EXPECT_NEAR(bench.e.heat[bench.index("P") + c], 0.0, 1e-7);
  EXPECT_NEAR(bench.e.heat[bench.index("b")], 0.0, 1e-7);
  EXPECT_NEAR(bench.value("P.loss"), 2.0 * 4000.0 * (40.0 - t), 1e-6);
  EXPECT_NEAR(bench.system->heatToAmbient(bench.e), bench.value("P.loss"), 1e-6);
  EXPECT_DOUBLE_EQ(bench.value("P.t_out"), 283.15 + t);
}

TEST(Pipe, MovesHeatTheOtherWayWhenTheFlowReverses) {
  Bench bench(pipe(-2.0, 0.0, 3), 300.0);
  bench.state.y[bench.index("b")] = 320.0;
  bench.evaluate();
  EXPECT_NEAR(bench.e.heat[bench.index("P") + 2], 2.0 * 4000.0 * 20.0, 1e-6);  // the last cell is now the first
  EXPECT_EQ(bench.e.heat[bench.index("P") + 0], 0.0);
  EXPECT_DOUBLE_EQ(bench.value("P.t_out"), 300.0);
}

TEST(FixedFlow, CarriesItsFlowExactlyAndStopsWhenTripped) {
  Bench bench(pipe(3.7, 2.0));
  EXPECT_EQ(bench.value("F.flow"), 3.7e-3);
  EXPECT_NEAR(bench.value("P.flow"), 3.7e-3, 1e-12);
  ASSERT_TRUE(bench.command("F", "set", 1.5));
  bench.evaluate();
  EXPECT_NEAR(bench.value("P.flow"), 1.5e-3, 1e-12);
  ASSERT_TRUE(bench.command("F", "trip"));
  bench.evaluate();
  EXPECT_EQ(bench.value("F.flow"), 0.0);
  EXPECT_NEAR(bench.value("P.flow"), 0.0, 1e-11);
}

}  // namespace
}  // namespace podtwin
