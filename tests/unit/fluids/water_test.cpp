#include "model/fluids/water.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/fluids/expect_error.hpp"

namespace {

using namespace podtwin::fluids;
using podtwin::testing_support::expectError;

constexpr double kPrinted = 1e-8;  // relative; all digits the IAPWS releases print

void expectClose(double x, double expected, double relative = kPrinted) {
  EXPECT_NEAR(x, expected, relative * expected);
}

TEST(Water, Region1GivesThePrintedFiguresOfIf97Table5) {
  expectClose(1.0 / waterDensity(300.0, 3e6), 0.00100215168);
  expectClose(waterEnthalpy(300.0, 3e6), 115331.273);
  expectClose(waterInternalEnergy(300.0, 3e6), 112324.818);
  expectClose(waterEntropy(300.0, 3e6), 392.294792);
  expectClose(waterSpecificHeat(300.0, 3e6), 4173.01218);
  expectClose(waterSoundSpeed(300.0, 3e6), 1507.73921);
  expectClose(1.0 / waterDensity(500.0, 3e6), 0.001202418);
  expectClose(waterSpecificHeat(300.0, 80e6), 4010.08987);
}

TEST(Water, SaturationLineGivesThePrintedFiguresAndInverts) {
  expectClose(waterSaturationPressure(300.0), 3536.58941);
  expectClose(waterSaturationPressure(500.0), 2638897.76);
  expectClose(waterSaturationTemperature(1e5), 372.755919);
  for (double T = 275.0; T < 645.0; T += 10.0) expectClose(waterSaturationTemperature(waterSaturationPressure(T)), T);
}

TEST(Water, TransportPropertiesGiveThePrintedFigures) {
  expectClose(waterViscosity(298.15, 998.0), 889.735100e-6);
  expectClose(waterViscosity(373.15, 1000.0), 307.883622e-6);
  // Printed 14.538324e-6: eight digits, so the equation in 40-digit arithmetic stands here instead.
  expectClose(waterViscosity(433.15, 1.0), 14.538324485778e-6);
  expectClose(waterConductivity(298.15, 998.0), 0.607712868);
  expectClose(waterConductivity(873.15, 0.0), 0.0791034659);
  EXPECT_NEAR(waterSurfaceTension(293.15), 0.07274, 1e-5);
}

TEST(Water, GridPointOfP02IsMet) {
  constexpr double kGrid = 1e-7;
  expectClose(waterDensity(278.15, 1.5e5), 999.990852706, kGrid);
  expectClose(waterSpecificHeat(278.15, 1.5e5), 4204.73794619, kGrid);
  expectClose(waterPrandtl(278.15, 1.5e5), 11.2414659228, kGrid);
}

TEST(Water, SpecificHeatIsTheSlopeOfEnthalpyAndVolumeThatOfGibbs) {
  constexpr double kStep = 0.01;  // K
  for (double T = 280.0; T < 370.0; T += 10.0) {
    const double p = 3e5;
    const double slope = (waterEnthalpy(T + kStep, p) - waterEnthalpy(T - kStep, p)) / (2.0 * kStep);
    expectClose(waterSpecificHeat(T, p), slope, 1e-7);
    expectClose(waterEnthalpy(T, p) - p / waterDensity(T, p), waterInternalEnergy(T, p), 1e-10);
  }
}

TEST(Water, OutsideTheLiquidRegionIsAnErrorThatNamesValueAndRange) {
  expectError([] { waterDensity(270.0, 1e5); }, {"temperature 270 K", "273.15 to 623.15 K"});
  expectError([] { waterEnthalpy(400.0, 101325.0); }, {"pressure 101325 Pa", "below the saturation pressure", "400 K"});
  expectError([] { waterDensity(300.0, 2e8); }, {"pressure 2e+08 Pa"});
  expectError([] { waterDensity(std::numeric_limits<double>::quiet_NaN(), 1e5); }, {"temperature nan"});
  expectError([] { waterDensity(300.0, std::numeric_limits<double>::quiet_NaN()); }, {"pressure nan"});
  expectError([] { waterSaturationPressure(700.0); }, {"700 K", "647.096 K"});
  expectError([] { waterSaturationTemperature(100.0); }, {"100 Pa", "611.213"});
  expectError([] { waterViscosity(300.0, -1.0); }, {"density -1"});
  expectError([] { waterConductivity(200.0, 1.0); }, {"temperature 200 K"});
  expectError([] { waterSurfaceTension(650.0); }, {"temperature 650 K"});
}

}  // namespace
