#include "model/fluids/moist_air.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/fluids/expect_error.hpp"

namespace {

using namespace podtwin::fluids;
using podtwin::testing_support::expectError;

constexpr double kFreezing = 273.15, kSeaLevel = 101325.0;

struct Row {
  double T, humidity, p, ratio, wet_bulb, dew_point, enthalpy, volume;  // wet bulb and dew point in degC
};

// Case P05 (PsychroLib 2.5.0).
constexpr Row kRows[] = {
    {278.15, 0.1, 101325.0, 0.000536004311665, -2.26984565951, -21.7435647006, 6375.53162357, 0.788645847972},
    {278.15, 0.5, 84556.0, 0.00322539397193, 0.966638058024, -4.03323109252, 13126.7064877, 0.949131751522},
    {298.15, 0.5, 101325.0, 0.00988104369075, 17.8894321486, 13.863973266, 50321.9588022, 0.858043263853},
    {308.15, 0.3, 84556.0, 0.0126715092912, 20.8106186531, 14.8436047264, 67726.3599921, 1.06738861929},
    {318.15, 0.9, 101325.0, 0.0579323099588, 43.2148855772, 42.966111634, 195007.641551, 0.985233796848},
};

TEST(MoistAir, PropertiesAgreeWithTheCarriedFiguresOfP05) {
  constexpr double kRelative = 1e-4, kKelvin = 0.01;
  for (const Row& row : kRows) {
    const double ratio = humidityRatio(row.T, row.humidity, row.p);
    EXPECT_NEAR(ratio, row.ratio, kRelative * row.ratio);
    EXPECT_NEAR(wetBulb(row.T, row.humidity, row.p) - kFreezing, row.wet_bulb, kKelvin);
    EXPECT_NEAR(dewPoint(row.T, row.humidity) - kFreezing, row.dew_point, kKelvin);
    EXPECT_NEAR(moistAirEnthalpy(row.T, ratio), row.enthalpy, kRelative * row.enthalpy);
    EXPECT_NEAR(moistAirVolume(row.T, ratio, row.p), row.volume, kRelative * row.volume);
  }
}

TEST(MoistAir, SaturationAgreesWithTheHandbookTables) {
  constexpr double kTable = 3e-4;  // relative; agreement of the equations with the printed table
  EXPECT_NEAR(vapourSaturationPressure(253.15), 103.24, kTable * 103.24);
  EXPECT_NEAR(vapourSaturationPressure(298.15), 3169.7, kTable * 3169.7);
  EXPECT_NEAR(vapourSaturationPressure(423.15), 476101.4, kTable * 476101.4);
  EXPECT_NEAR(saturationHumidityRatio(298.15, kSeaLevel), 0.020173, 0.005 * 0.020173);
  EXPECT_NEAR(standardPressure(1000.0), 89875.0, 1.0);
  EXPECT_NEAR(standardPressure(-500.0), 107478.0, 1.0);
}

TEST(MoistAir, StandardTemperatureFallsBy6AndAHalfKelvinAKilometre) {
  // Handbook table 1.
  EXPECT_NEAR(standardTemperature(0.0) - kFreezing, 15.0, 1e-9);
  EXPECT_NEAR(standardTemperature(-500.0) - kFreezing, 18.2, 0.06);
  EXPECT_NEAR(standardTemperature(10000.0) - kFreezing, -50.0, 1e-9);
  expectError([] { standardTemperature(11001.0); }, {"elevation", "11001"});
}

TEST(MoistAir, SaturatedEnthalpyIsThatOfItsHumidityRatioAndHasItsSlope) {
  constexpr double kStep = 1e-3;
  for (const double T : {253.15, 280.0, 308.15, 350.0}) {
    const auto at = saturatedAirEnthalpy(T, kSeaLevel);
    EXPECT_NEAR(at.value, moistAirEnthalpy(T, saturationHumidityRatio(T, kSeaLevel)), 1e-9 * std::fabs(at.value));
    const double slope =
        (saturatedAirEnthalpy(T + kStep, kSeaLevel).value - saturatedAirEnthalpy(T - kStep, kSeaLevel).value) /
        (2.0 * kStep);
    EXPECT_NEAR(at.slope, slope, 1e-6 * slope);
  }
  expectError([] { saturatedAirEnthalpy(374.0, kSeaLevel); }, {"374", "there is no dry air"});
}

TEST(MoistAir, VapourPressureLeadsToItsDewPoint) {
  const double ratio = humidityRatioFromDewPoint(285.0, kSeaLevel);
  EXPECT_NEAR(vapourPressure(ratio, kSeaLevel), vapourSaturationPressure(285.0), 1e-6);
  EXPECT_NEAR(dewPointOfVapour(vapourPressure(ratio, kSeaLevel)), 285.0, 1e-9);
}

TEST(MoistAir, HandbookExampleWithA20DegreeWetBulbIsMet) {
  const double ratio = humidityRatioFromWetBulb(313.15, 293.15, kSeaLevel);
  EXPECT_NEAR(ratio, 0.0065, 1e-4);
  EXPECT_NEAR(dewPointFromRatio(ratio, kSeaLevel) - kFreezing, 7.0, 0.5);
  EXPECT_NEAR(relativeHumidityFromRatio(313.15, ratio, kSeaLevel), 0.14, 0.01);
  EXPECT_NEAR(moistAirEnthalpy(313.15, ratio), 56700.0, 100.0);
}

TEST(MoistAir, StullsWetBulbGivesItsPublishedExample) {
  EXPECT_NEAR(stullWetBulb(293.15, 0.5) - kFreezing, 13.699341969, 1e-6);
  EXPECT_NEAR(stullWetBulb(318.15, 0.3) - kFreezing, 29.6946302067, 1e-6);
}

TEST(MoistAir, WetBulbAndDewPointInvertTheRatioEverywhere) {
  constexpr double kRounding = 1e-9;
  for (double T = 233.15; T <= 333.15; T += 3.7)
    for (double humidity = 0.02; humidity <= 1.0; humidity += 0.07)
      for (const double p : {101325.0, 70000.0}) {
        const double ratio = humidityRatio(T, humidity, p), wet = wetBulb(T, humidity, p), dew = dewPoint(T, humidity);
        ASSERT_LE(wet, T + 1e-9);
        ASSERT_NEAR(humidityRatioFromWetBulb(T, std::min(wet, T), p), ratio, kRounding) << T << " " << humidity;
        // The two saturation equations leave a gap of about 1e-5 relative at the triple point.
        ASSERT_NEAR(humidityRatioFromDewPoint(dew, p), ratio, 1e-4 * ratio) << T << " " << humidity;
        ASSERT_NEAR(dewPointFromRatio(ratio, p), dew, 1e-8);
        ASSERT_NEAR(wetBulbFromRatio(T, ratio, p), wet, 1e-8);
        ASSERT_NEAR(relativeHumidityFromRatio(T, ratio, p), humidity, 1e-12);
        ASSERT_LE(dew, wet + 0.02) << T << " " << humidity;
      }
}

TEST(MoistAir, SaturatedAirHasItsDryBulbAsWetBulbAndDewPoint) {
  for (const double T : {250.0, 273.0, 273.155, 280.0, 310.0, 350.0}) {
    EXPECT_NEAR(wetBulb(T, 1.0, kSeaLevel), T, 1e-3);
    EXPECT_NEAR(dewPoint(T, 1.0), T, 1e-3);
  }
}

TEST(MoistAir, HotAirAboveTheBoilingPointHasAWetBulbBelowIt) {
  const double wet = wetBulb(423.15, 0.05, kSeaLevel);
  EXPECT_LT(wet, 373.15);
  EXPECT_NEAR(humidityRatioFromWetBulb(423.15, wet, kSeaLevel), humidityRatio(423.15, 0.05, kSeaLevel), 1e-9);
  EXPECT_GT(wetBulb(423.15, 0.0, kSeaLevel), 273.15);
}

TEST(MoistAir, WetBulbRisesWithHumidityAndStepsOnlyAtFreezing) {
  constexpr double kStep = 1e-3;
  int jumps = 0;
  double before = wetBulb(278.15, 0.0, kSeaLevel);
  for (double humidity = kStep; humidity <= 1.0; humidity += kStep) {
    const double wet = wetBulb(278.15, humidity, kSeaLevel);
    EXPECT_GT(wet, before);
    if (wet - before > 0.05) {
      ++jumps;
      EXPECT_LT(wet - before, 0.5);
      EXPECT_NEAR(wet, kFreezing, 0.02);
    }
    before = wet;
  }
  EXPECT_EQ(jumps, 1);
}

TEST(MoistAir, OutsideTheRangesIsAnErrorThatNamesValueAndRange) {
  expectError([] { vapourSaturationPressure(150.0); }, {"temperature 150 K", "173.15 to 473.15 K"});
  expectError([] { humidityRatio(300.0, 1.2, kSeaLevel); }, {"relative humidity 1.2", "0 to 1"});
  expectError([] { humidityRatio(300.0, 0.5, 101.325); }, {"pressure 101.325 Pa"});
  expectError([] { saturationHumidityRatio(380.0, kSeaLevel); }, {"380 K", "no dry air"});
  expectError([] { wetBulbFromRatio(290.0, 0.05, kSeaLevel); }, {"supersaturated"});
  expectError([] { humidityRatioFromWetBulb(300.0, 301.0, kSeaLevel); }, {"wet bulb 301 K"});
  expectError([] { humidityRatioFromWetBulb(300.0, 260.0, kSeaLevel); }, {"below that of dry air"});
  expectError([] { dewPoint(300.0, 0.0); }, {"vapour pressure of 0 Pa", "no dew point"});
  expectError([] { dewPointFromRatio(-0.001, kSeaLevel); }, {"humidity ratio -0.001"});
  expectError([] { moistAirEnthalpy(25.0, 0.01); }, {"temperature 25 K"});
  expectError([] { standardPressure(20000.0); }, {"elevation 20000 m", "-5000 to 11000 m"});
  expectError([] { stullWetBulb(293.15, 0.01); }, {"relative humidity 0.01", "0.05 to 0.99"});
  expectError([] { wetBulb(std::nan(""), 0.5, kSeaLevel); }, {"temperature nan"});
  expectError([] { wetBulb(300.0, std::nan(""), kSeaLevel); }, {"relative humidity nan"});
}

}  // namespace
