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

PlantBuilder pipe(double flow, double velocity, double loss = 0.0, double cells = 4) {
  PlantBuilder b;
  b.circuit("c", "a");
  b.boundary("a", 100e3, 323.15).boundary("end", 100e3);
  b.add("pipe", "P", {{"from", {"a"}}, {"to", {"b"}}},
        {{"length", 100.0},
         {"diameter", 0.1},
         {"roughness", 45e-6},
         {"minor_loss", 5.0},
         {"velocity", velocity},
         {"loss", loss},
         {"cells", cells}});
  b.add("fixed_flow", "F", {{"from", {"b"}}, {"to", {"end"}}}, {{"flow", flow}});
  return b;
}

constexpr double kArea = 0.25 * std::numbers::pi * 0.01;

TEST(Pipe, HasTheDarcyDropAroundItsStatedVelocity) {
  for (const double velocity : {2.0, 1.8, 2.2}) {
    const double reynolds = 1000.0 * velocity * 0.1 / 1e-3;
    const double l = std::log10(45e-5 / 3.7 + 5.74 / std::pow(reynolds, 0.9));
    const double drop = (0.25 / (l * l) * 1000.0 + 5.0) * 500.0 * velocity * velocity;
    EXPECT_NEAR(Bench(pipe(1000.0 * velocity * kArea, 2.0)).value("P.dp"), drop, velocity == 2.0 ? 1e-2 : 2e-3 * drop)
        << velocity;
  }
}

TEST(Pipe, IsLaminarBelowAndAPowerLawOfOneRegimeAtTheTransition) {
  const double slow = 0.01;  // m/s: Reynolds 1,000; with K the exponent is a little above 1
  const double drop = (0.064 * 1000.0 + 5.0) * 500.0 * slow * slow;
  EXPECT_NEAR(Bench(pipe(1000.0 * slow * kArea, slow)).value("P.dp"), drop, 1e-5);
  // Just below and just above Reynolds 2,000 the exponent stays between laminar and fully turbulent.
  for (const double velocity : {0.0199, 0.0201}) {
    const double at = Bench(pipe(1000.0 * velocity * kArea, velocity)).value("P.dp"),
                 twice = Bench(pipe(2000.0 * velocity * kArea, velocity)).value("P.dp");
    EXPECT_GE(std::log2(twice / at), 1.0) << velocity;
    EXPECT_LE(std::log2(twice / at), 2.0) << velocity;
  }
}

TEST(Pipe, LosesHeatCellByCellToItsSurroundings) {
  Bench bench(pipe(2.0, 2.0, 800.0, 5), 300.0, 283.15);
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
  Bench bench(pipe(-2.0, 2.0, 0.0, 3), 300.0);
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
