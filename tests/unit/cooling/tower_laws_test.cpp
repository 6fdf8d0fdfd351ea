// Laws of cooling towers against the figures of cases P07 (quadrature of the stated mathematics), P08 (Modelica
// Buildings library) and M02 (EnergyPlus).
#include "model/components/cooling/tower_laws.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "model/fluids/moist_air.hpp"
#include "tests/unit/fluids/expect_error.hpp"

namespace {

using namespace podtwin;
using podtwin::testing_support::expectError;

constexpr double kFreezing = 273.15, kSeaLevel = 101325.0, kWater = 4186.0;

MerkelProcess process(double hot, double cold, double wet_bulb, double ratio) {
  return {hot + kFreezing, cold + kFreezing, wet_bulb + kFreezing, ratio, kWater, kSeaLevel};
}

TEST(TowerLaws, MerkelNumbersAgreeWithTheQuadratureOfP07) {
  constexpr double kRelative = 1e-9;
  struct Row {
    double hot, cold, wet_bulb, ratio, exact, chebyshev;
  };
  constexpr Row kRows[] = {{35.0, 29.5, 25.6, 1.2, 1.1691236804, 1.16881869725},
                           {37.8, 29.4, 25.6, 1.4, 2.01263608365, 2.010905827},
                           {30.0, 25.0, 18.0, 0.8, 0.742259125798, 0.742214273646}};
  for (const Row& row : kRows) {
    const auto m = process(row.hot, row.cold, row.wet_bulb, row.ratio);
    EXPECT_NEAR(merkelNumber(m), row.exact, kRelative * row.exact);
    EXPECT_NEAR(merkelNumberChebyshev(m), row.chebyshev, kRelative * row.chebyshev);
  }
}

TEST(TowerLaws, ColdWaterOfAFillAgreesWithP07) {
  const auto result = coolWithFill({1.35, 0.6}, 100.0, 85.0, 35.0 + kFreezing, 25.0 + kFreezing, kWater, kSeaLevel);
  EXPECT_NEAR(result.cold - kFreezing, 29.0730335421, 1e-8);
  EXPECT_NEAR(result.heat, 2481028.15928, 0.01);
  EXPECT_NEAR(result.leaving_air_enthalpy, 105495.226781, 1e-3);
}

TEST(TowerLaws, AGreatFillComesToThePinchAndNotToTheWetBulb) {
  // With ten times as much water as air the air is saturated by the hot water: heat is what the air can take.
  const double hot = 35.0 + kFreezing, wet_bulb = 25.0 + kFreezing;
  const auto result = coolWithFill({1e4, 0.6}, 1000.0, 100.0, hot, wet_bulb, kWater, kSeaLevel);
  const double most = 100.0 * (fluids::saturatedAirEnthalpy(hot, kSeaLevel).value -
                               fluids::saturatedAirEnthalpy(wet_bulb, kSeaLevel).value);
  EXPECT_NEAR(result.heat, most, 1e-5 * most);
}

TEST(TowerLaws, AProcessBeyondThePinchIsRefusedWithItsFigures) {
  expectError([] { merkelNumber(process(40.0, 26.0, 25.0, 5.0)); }, {"299.15 K", "298.15 K", "raise the air flow"});
  expectError([] { merkelNumberChebyshev(process(40.0, 20.0, 25.0, 1.0)); }, {"no tower"});
  expectError([] { merkelNumber(process(20.0, 30.0, 15.0, 1.0)); }, {"293.15 K", "not above"});
  expectError([] { merkelNumber(process(30.0, 20.0, 15.0, 0.0)); }, {"water over air flow 0"});
  expectError([] { coolWithFill({1.0, 0.6}, 1.0, 1.0, 290.0, 291.0, kWater, kSeaLevel); }, {"290 K", "291 K"});
}

TEST(TowerLaws, YorkCalcAgreesWithTheSeriesOfP08) {
  constexpr double kRange = 5.56, kWetBulb = 25.55;
  EXPECT_NEAR(yorkCalcApproach(0.25, kRange, kWetBulb), 0.210221350193, 1e-6);
  EXPECT_NEAR(yorkCalcApproach(1.0 / 0.25, kRange, kWetBulb), 18.3333358765, 1e-6);
  EXPECT_NEAR(yorkCalcApproach(1.25, kRange, kWetBulb), 5.05487155914, 1e-6);
}

TEST(TowerLaws, TheRangeOfYorkCalcLeadsBackToItsApproachAndHasItsSlope) {
  constexpr double kStep = 1e-4;
  for (const double wet_bulb : {-10.0, 5.0, 20.0, 26.0})
    for (const double air : {0.2, 0.6, 1.0})
      for (const double span : {-2.0, 0.5, 6.0, 12.0, 30.0, 60.0}) {
        SCOPED_TRACE(std::to_string(wet_bulb) + " degC, air " + std::to_string(air) + ", " + std::to_string(span) +
                     " K");
        const double in = wet_bulb + span + kFreezing, wet = wet_bulb + kFreezing;
        const auto at = yorkCalcRange(in, wet, 1.0, air);
        if (outsideYorkCalc(1.0, air, at.range, wet_bulb).empty()) {
          EXPECT_NEAR(at.range + yorkCalcApproach(1.0 / air, at.range, wet_bulb), span, 1e-9);
        }
        EXPECT_GT(at.slope, 0.0);
        EXPECT_NEAR(at.slope,
                    (yorkCalcRange(in + kStep, wet, 1.0, air).range - yorkCalcRange(in - kStep, wet, 1.0, air).range) /
                        (2.0 * kStep),
                    1e-4);
      }
  // P08: water and air as in the design, approach for a range of 5.56 K at 25.55 degC; by the polynomial 3.845 K.
  const double approach = yorkCalcApproach(1.0, 5.56, 25.55);
  EXPECT_NEAR(yorkCalcRange(25.55 + 5.56 + approach + kFreezing, 25.55 + kFreezing, 1.0, 1.0).range, 5.56, 1e-9);
  EXPECT_EQ(yorkCalcRange(300.0, 300.0, 1.0, 1.0).range, 0.0);
}

TEST(TowerLaws, YorkCalcSaysWhichValueIsOutsideItsFit) {
  EXPECT_EQ(outsideYorkCalc(1.0, 1.0, 5.56, 25.55), "");
  EXPECT_EQ(outsideYorkCalc(0.5, 1.0, 5.56, 25.55), "YorkCalc: water flow over design 0.5 is outside 0.75 to 1.25");
  EXPECT_EQ(outsideYorkCalc(1.0, 1.0, 0.5, 25.55), "YorkCalc: range 0.5 K is outside 1.1 to 22.2 K");
  EXPECT_EQ(outsideYorkCalc(1.0, 1.0, 5.56, 30.0), "YorkCalc: wet bulb 30 degC is outside -34.4 to 26.7 degC");
  EXPECT_EQ(outsideYorkCalc(1.0, 0.1, 5.56, 25.55), "YorkCalc: liquid-to-gas ratio 10 is outside 0 to 8");
  EXPECT_NE(outsideYorkCalc(1.0, 0.0, 5.56, 25.55), "");
}

TowerPass pass(double water_in, double wet_bulb, double water_rate = 4560.0, double air = 0.65) {
  return {water_in + kFreezing, wet_bulb + kFreezing, water_rate, air, kSeaLevel};
}

TEST(TowerLaws, HeatOfAPassIsWhatTheAirTakesAndItsSlopeIsItsDerivative) {
  constexpr double kUa = 1900.0, kStep = 1e-3;
  for (const double water_in : {10.0, 24.9999, 25.0, 25.0001, 35.0, 60.0, 95.0, 150.0})
    for (const double water_rate : {1.0, 4560.0, 1e6}) {
      SCOPED_TRACE(std::to_string(water_in) + " degC, " + std::to_string(water_rate) + " W/K");
      const auto at = passTower(pass(water_in, 25.0, water_rate), kUa);
      const double taken = 0.65 * (fluids::saturatedAirEnthalpy(at.wet_bulb_out, kSeaLevel).value -
                                   fluids::saturatedAirEnthalpy(25.0 + kFreezing, kSeaLevel).value);
      EXPECT_NEAR(at.heat, taken, 1e-6 * std::fabs(taken) + 1e-3);
      const double slope = (passTower(pass(water_in + kStep, 25.0, water_rate), kUa).heat -
                            passTower(pass(water_in - kStep, 25.0, water_rate), kUa).heat) /
                           (2.0 * kStep);
      EXPECT_NEAR(at.slope, slope, 1e-4 * std::fabs(slope) + 1e-6);
      EXPECT_GT(at.slope, 0.0);
    }
}

TEST(TowerLaws, APassWithoutWaterAirOrConductanceGivesNoHeat) {
  EXPECT_EQ(passTower(pass(35.0, 25.0, 0.0), 1900.0).heat, 0.0);
  EXPECT_EQ(passTower(pass(35.0, 25.0, 4560.0, 0.0), 1900.0).heat, 0.0);
  EXPECT_EQ(passTower(pass(35.0, 25.0), 0.0).heat, 0.0);
  EXPECT_EQ(passTower(pass(25.0, 25.0), 1900.0).heat, 0.0);
}

TEST(TowerLaws, ConductanceOfADesignGivesItsHeatBack) {
  const double ua = towerConductance(pass(35.0, 25.6), 25e3);
  EXPECT_NEAR(passTower(pass(35.0, 25.6), ua).heat, 25e3, 1e-6);
  expectError([] { towerConductance(pass(35.0, 25.6), 1e6); }, {"1000000 W", "no finite tower", "raise the air flow"});
}

TEST(TowerLaws, OperatingPointsOfEnergyPlusAreMet) {
  // Design of M02: 1.09317e-3 m3/s of water, 0.56124 m3/s of air, wet bulb 25.6, range 5.5, approach 3.9; dry bulb 35
  // degC as EnergyPlus sizes.
  constexpr double kHeat = 4178.0, kMass = 1.0867, kAir = 0.56124;
  const auto density = [](double dry, double wet) {
    return towerAirDensity(dry + kFreezing, wet + kFreezing, kSeaLevel);
  };
  const double ua0 = towerConductance(pass(35.0, 25.6, kMass * kHeat, kAir * density(35.0, 25.6)), kMass * kHeat * 5.5);
  struct Row {
    double dry, wet, in, water, speed, out;
  };
  constexpr Row kRows[] = {{21.11, 19.2, 32.63, 1.089, 0.3218, 30.0},
                           {22.05, 19.04, 31.44, 1.089, 0.2, 29.96},
                           {25.6, 23.62, 35.14, 1.089, 0.7019, 30.0},
                           {27.82, 24.84, 37.39, 1.089, 0.6483, 31.82}};
  for (const Row& row : kRows) {
    const double ua = ua0 * towerConductanceRatio(25.6 - row.wet, row.speed, row.water / kMass);
    const double rate = row.water * kHeat;
    const auto at = passTower(pass(row.in, row.wet, rate, row.speed * kAir * density(row.dry, row.wet)), ua);
    EXPECT_NEAR(row.in - at.heat / rate, row.out, 0.1);
  }
}

TEST(TowerLaws, ConductanceAtDesignIsThatOfTheDesignWithinThePolynomials) {
  EXPECT_NEAR(towerConductanceRatio(0.0, 1.0, 1.0), 1.0, 0.005);
  EXPECT_NEAR(towerMostWaterRatio(), 1.0806, 1e-4);
}

TEST(TowerLaws, AMonotoneTablePassesThroughItsPointsAndNeverBeyondThem) {
  // The fan of M02: EnergyPlus's cubic.
  constexpr std::array<std::pair<double, double>, 11> kFan{{{0.0, 0.0},
                                                            {0.1, 0.020982275},
                                                            {0.2, 0.027843038},
                                                            {0.3, 0.046465108},
                                                            {0.4, 0.082729139},
                                                            {0.5, 0.142515786},
                                                            {0.6, 0.231705701},
                                                            {0.7, 0.356179538},
                                                            {0.8, 0.521817952},
                                                            {0.9, 0.734501596},
                                                            {1.0, 1.0}}};
  for (const auto& [x, y] : kFan) EXPECT_DOUBLE_EQ(monotoneTable(kFan, x), y);
  // Fan power of M02 at speeds between the points, W of 213.27113.
  EXPECT_NEAR(213.27113 * monotoneTable(kFan, 0.3218), 11.23, 0.01 * 11.23);
  EXPECT_NEAR(213.27113 * monotoneTable(kFan, 0.7109), 79.35, 0.005 * 79.35);
  constexpr int kSteps = 1000;
  double last = 0.0;
  for (int k = 1; k <= kSteps; ++k) {
    const double y = monotoneTable(kFan, static_cast<double>(k) / kSteps);
    EXPECT_GE(y, last);
    last = y;
  }
  constexpr std::array<std::pair<double, double>, 4> kRough{{{0.0, 0.0}, {1.0, 0.0}, {1.1, 5.0}, {4.0, 5.0}}};
  for (int k = 0; k <= kSteps; ++k) {
    const double y = monotoneTable(kRough, 4.0 * k / kSteps);
    EXPECT_GE(y, -1e-12);
    EXPECT_LE(y, 5.0 + 1e-12);
  }
  expectError([&] { monotoneTable(kFan, 1.01); }, {"1.01", "0 to 1"});
  expectError([&] { monotoneTable(std::span(kFan).first(1), 0.0); }, {"two points"});
}

}  // namespace
