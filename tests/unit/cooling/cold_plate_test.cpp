// Cold plate against its own records (OCP OAI guidelines, 2023, PG25) and by hand.
#include <cmath>

#include "model/components/cooling/cold_plate_law.hpp"
#include "tests/unit/cooling/march.hpp"
#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

constexpr double kRhoCp = 1000.0 * 4000.0, kLitreAMinute = 1e-3 / 60.0;
const std::vector<std::pair<double, double>> kRecord{{0.6 * kLitreAMinute, 0.0300},
                                                     {1.0 * kLitreAMinute, 0.0245},
                                                     {1.6 * kLitreAMinute, 0.0214},
                                                     {2.4 * kLitreAMinute, 0.0197}};

PlantBuilder plate(double flow, double power, double modules = 1.0, double t_in = 303.15) {
  PlantBuilder b;
  b.circuit("w", "in").boundary("in", 100e3, t_in).boundary("end", 50e3, t_in);
  b.add("heat_capacity", "chip", {}, {{"capacity", 500.0}});
  b.add("heat_source", "power", {{"to", {"chip"}}}, {{"power", power}});
  InstanceDescription& d =
      b.add("cold_plate", "plate", {{"from", {"in"}}, {"to", {"out"}}, {"body", {"chip"}}}, {{"modules", modules}});
  d.parameters.at("resistance_curve").points = kRecord;
  d.parameters.at("resistance_curve").given = true;
  b.add("fixed_flow", "flow", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", flow * 1000.0}});
  return b;
}

TEST(ColdPlate, HoldsTheCaseAtInletPlusResistanceTimesPower) {
  Bench bench(plate(1.0 * kLitreAMinute, 1000.0));
  march(bench, 600.0);
  EXPECT_NEAR(bench.value("plate.t_case"), 303.15 + 24.5, 1e-4);
  EXPECT_NEAR(bench.value("plate.t_coolant"), 303.15 + 1000.0 / (kLitreAMinute * kRhoCp), 1e-4);
  EXPECT_EQ(bench.value("plate.outside"), 0.0);
}

TEST(ColdPlate, IsTheSameInModulesSideBySideAndBackwards) {
  Bench bench(plate(8.0 * kLitreAMinute, 8000.0, 8.0));
  march(bench, 4000.0);
  EXPECT_NEAR(bench.value("plate.t_case"), 303.15 + 24.5, 1e-3);
  Bench back(plate(-1.0 * kLitreAMinute, 1000.0));
  march(back, 6000.0);
  EXPECT_NEAR(back.value("plate.t_case"), 303.15 + 24.5, 1e-4);
}

TEST(ColdPlate, WarmsWithTheCoolantThatStandsInIt) {
  Bench bench(plate(0.0, 1000.0));
  march(bench, 20.0);
  // 500 J/K of case and 160 J/K of coolant in 40 mL, all of the 20 kJ kept.
  const double stored =
      500.0 * (bench.value("plate.t_case") - 293.15) + 160.0 * (bench.value("plate.t_coolant") - 293.15);
  EXPECT_NEAR(stored, 20e3, 1.0);
  EXPECT_EQ(bench.value("plate.outside"), 1.0);
  // UA of 0.6 L/min: eps = 1/(0.03 40) = 0.8333, NTU 1.7918, UA 71.67 W/K.
  EXPECT_NEAR(bench.value("plate.conductance"), 40.0 * std::log(6.0), 1e-9 * 72.0);
}

TEST(ColdPlateResistance, GoesThroughItsPointsAndFallsBetweenThem) {
  const auto law = ColdPlateResistance::table(kRecord);
  for (const auto& [flow, r] : kRecord) EXPECT_NEAR(law.resistance(flow), r, 1e-15);
  double last = 1.0;
  for (double flow = kRecord.front().first; flow <= kRecord.back().first; flow += 1e-7) {
    EXPECT_LT(law.resistance(flow), last);
    last = law.resistance(flow);
  }
}

TEST(ColdPlateResistance, FitsAParabolaOfResistanceTimesFlowExactlyWhereItIsOne) {
  std::vector<std::pair<double, double>> points;
  for (const double v : {1e-4, 1.5e-4, 2e-4, 2.5e-4}) points.emplace_back(v, (3e-7 + 0.015 * v + 2.0 * v * v) / v);
  const auto law = ColdPlateResistance::quadratic(points);
  EXPECT_NEAR(law.resistance(1.7e-4), 3e-7 / 1.7e-4 + 0.015 + 2.0 * 1.7e-4, 1e-12);
}

TEST(ColdPlateResistance, HoldsItsConductanceBeyondTheRecordAndIsContinuousThere) {
  const auto law = ColdPlateResistance::table(kRecord);
  for (const double end : {law.low(), law.high()}) {
    const double at = law.conductance(end, kRhoCp);
    EXPECT_EQ(law.conductance(end == law.low() ? 0.0 : 2.0 * end, kRhoCp), at);
    EXPECT_NEAR(law.conductance(end * (end == law.low() ? 1.0 + 1e-9 : 1.0 - 1e-9), kRhoCp), at, 1e-6 * at);
  }
}

TEST(ColdPlateResistance, IsInfinitelyConductingWhereTheCaseWouldBeCoolerThanItsCoolant) {
  const auto law = ColdPlateResistance::fit(0.001, 0.1 / kRhoCp, 1e-6, 1e-5);
  EXPECT_TRUE(std::isinf(law.conductance(1e-6, kRhoCp)));
}

TEST(ColdPlate, ShareOfTheInletGoesFromHalfToNone) {
  EXPECT_NEAR(inletWeight(0.0), 0.5, 1e-15);
  EXPECT_NEAR(inletWeight(2.0), 1.0 - 1.0 / (1.0 - std::exp(-2.0)) + 0.5, 1e-14);
  EXPECT_NEAR(inletWeight(1e-3 * (1.0 + 1e-12)), inletWeight(1e-3 * (1.0 - 1e-12)), 1e-10);
  EXPECT_EQ(inletWeight(1e3), 0.0);
}

}  // namespace
}  // namespace podtwin
