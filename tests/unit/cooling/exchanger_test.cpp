// Plate heat exchanger against reference case X02-cdu-plate-hx: 40-digit values of the stated equations.
#include <cmath>

#include "model/components/cooling/effectiveness.hpp"
#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

constexpr double kZero = 273.15;
// The case's rated point: 1,350 kW, 31.5 kg/s at 3,900 J/(kg K) and 51 degC, 25 kg/s at 4,180 J/(kg K) and 32 degC.
constexpr double kCpHot = 3900.0, kCpCold = 4180.0, kRatedHot = 31.5, kRatedCold = 25.0;

double ratedConductance() {
  const double hot = kRatedHot * kCpHot, cold = kRatedCold * kCpCold, least = std::min(hot, cold);
  return least * counterflowNtu(1350e3 / (least * (51.0 - 32.0)), least / std::max(hot, cold));
}

PlantBuilder exchanger(double m_hot, double m_cold, double t_hot, double t_cold, double fouling = 0.0) {
  PlantBuilder b;
  b.circuit("hot", "h-in", kCpHot).circuit("cold", "c-in", kCpCold);
  b.boundary("h-in", 100e3, t_hot).boundary("c-in", 100e3, t_cold).boundary("h-end", 50e3).boundary("c-end", 50e3);
  b.add("plate_heat_exchanger", "hx", {{"hot", {"h-in", "h-out"}}, {"cold", {"c-in", "c-out"}}},
        {{"ua", ratedConductance()},
         {"hot_flow", kRatedHot},
         {"cold_flow", kRatedCold},
         {"film_ratio", 0.9},
         {"hot_exponent", 0.7},
         {"cold_exponent", 0.7},
         {"fouling", fouling}});
  b.add("fixed_flow", "h-flow", {{"from", {"h-out"}}, {"to", {"h-end"}}}, {{"flow", m_hot}});
  b.add("fixed_flow", "c-flow", {{"from", {"c-out"}}, {"to", {"c-end"}}}, {{"flow", m_cold}});
  return b;
}

TEST(PlateHeatExchanger, AgreesWithTheReferenceDutiesAtEveryFlow) {
  struct Row {
    double m_hot, m_cold, t_hot, t_cold, ua, eps, duty, t_hot_out, t_cold_out;
  };
  constexpr Row kRows[] = {
      {31.5, 25.0, 50.0, 30.0, 192804.686755, 0.679929488794, 1421052.63158, 38.4326200116, 43.5985897759},
      {20.0, 25.0, 52.0, 32.0, 161069.928625, 0.730735942297, 1139948.06998, 37.3852811541, 42.9085939711},
      {31.5, 10.0, 48.0, 24.0, 135215.13501, 0.918646987579, 921586.657939, 40.4982771027, 46.0475277019},
      {31.5, 29.38995215311005, 50.0, 36.0, 203105.385132, 0.623107929479, 1071683.32791, 41.2764889873, 44.7235110127},
      {5.0, 40.0, 45.0, 20.0, 85698.9808988, 0.981755059138, 478605.59133, 20.4561235215, 22.8624736324},
  };
  for (const auto& row : kRows) {
    Bench bench(exchanger(row.m_hot, row.m_cold, kZero + row.t_hot, kZero + row.t_cold));
    EXPECT_NEAR(bench.value("hx.ua"), row.ua, 1e-8 * row.ua);
    EXPECT_NEAR(bench.value("hx.effectiveness"), row.eps, 1e-8 * row.eps);
    EXPECT_NEAR(bench.value("hx.heat"), row.duty, 1e-8 * row.duty);
    // At the reference's outlet temperatures the outlet nodes stand still.
    bench.state.y[bench.index("h-out")] = kZero + row.t_hot_out;
    bench.state.y[bench.index("c-out")] = kZero + row.t_cold_out;
    bench.evaluate();
    const double within = 1e-6;  // K
    EXPECT_LE(std::abs(bench.e.heat[bench.index("h-out")]), within * row.m_hot * kCpHot);
    EXPECT_LE(std::abs(bench.e.heat[bench.index("c-out")]), within * row.m_cold * kCpCold);
  }
}

TEST(PlateHeatExchanger, HasTheRatedConductanceOfItsReference) {
  EXPECT_NEAR(ratedConductance(), 192804.686755, 1e-9 * 192804.686755);
}

TEST(PlateHeatExchanger, PassesNoHeatWhenEitherSideStandsStillAndLittleWhenItCreeps) {
  // The flow solve leaves less than 1e-8 kg/s where none is stated.
  constexpr double kRest = 1e-8 * kCpCold * 20.0;
  EXPECT_NEAR(Bench(exchanger(0.0, 25.0, 323.15, 303.15)).value("hx.heat"), 0.0, kRest);
  EXPECT_NEAR(Bench(exchanger(31.5, 0.0, 323.15, 303.15)).value("hx.heat"), 0.0, kRest);
  for (const double m : {1e-5, 1e-3}) {
    const double heat = Bench(exchanger(m, 25.0, 323.15, 303.15)).value("hx.heat");
    EXPECT_GT(heat, 0.0);
    EXPECT_LE(heat, m * kCpHot * 20.0 + kRest);
  }
}

TEST(PlateHeatExchanger, TakesTheOtherNodeAsInletWhenAFlowReverses) {
  Bench bench(exchanger(-20.0, 25.0, 303.15, 303.15));
  bench.state.y[bench.index("h-out")] = 323.15;
  bench.evaluate();
  // The warm coolant now enters at h-out and gives its heat to the cold side.
  EXPECT_NEAR(bench.value("hx.heat"), 20.0 * kCpHot * 20.0 * bench.value("hx.effectiveness"), 1e-4);
}

TEST(PlateHeatExchanger, LosesConductanceToFouling) {
  const double clean = Bench(exchanger(31.5, 25.0, 323.15, 303.15)).value("hx.ua");
  const double fouled = Bench(exchanger(31.5, 25.0, 323.15, 303.15, 1e-6)).value("hx.ua");
  EXPECT_NEAR(1.0 / fouled - 1.0 / clean, 1e-6, 1e-15);
}

}  // namespace
}  // namespace podtwin
