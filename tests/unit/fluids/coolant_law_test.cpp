// The polynomials that the solution uses against the properties they stand for, over the whole range of the data.
#include "model/fluids/coolant_law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/fluids/water.hpp"

namespace podtwin::fluids {
namespace {

constexpr double kAtmosphere = 101325.0;

class CoolantLawTest : public testing::TestWithParam<const char*> {};

TEST_P(CoolantLawTest, FollowsTheDataFromEndToEnd) {
  const CoolantLaw law = coolantLaw(GetParam(), 313.15, kAtmosphere);
  ASSERT_LT(law.t_low, 274.0);
  ASSERT_GT(law.t_high, 372.0);
  for (double T = law.t_low; T <= law.t_high; T += 0.5) {
    const Coolant c = coolantAt(GetParam(), T, kAtmosphere);
    EXPECT_NEAR(law.heat.specificHeat(T), c.specific_heat, 5e-5 * c.specific_heat) << T;
    EXPECT_NEAR(law.density(T), c.density, 2e-5 * c.density) << T;
    EXPECT_NEAR(law.viscosity(T), c.viscosity, 2e-3 * c.viscosity) << T;
  }
}

TEST_P(CoolantLawTest, EnthalpyIsTheIntegralOfSpecificHeat) {
  const CoolantHeat heat = coolantLaw(GetParam(), 313.15, kAtmosphere).heat;
  EXPECT_NEAR(heat.enthalpy(kReferenceTemperature), 0.0, 1e-9);
  for (double T = 275.0; T < 370.0; T += 5.0) {
    const double h = 1e-3, slope = (heat.enthalpy(T + h) - heat.enthalpy(T - h)) / (2.0 * h);
    EXPECT_NEAR(slope, heat.specificHeat(T), 1e-6 * slope) << T;
    EXPECT_NEAR(heat.carriedSlope(T), slope / heat.nominal(), 1e-6) << T;
    EXPECT_NEAR(heat.temperature(heat.enthalpy(T)), T, 1e-9);
    EXPECT_NEAR(heat.fromCarried(heat.carried(T)), T, 1e-9);
    EXPECT_NEAR(heat.nominal() * (heat.carried(T) - heat.carried(290.0)), heat.enthalpy(T) - heat.enthalpy(290.0),
                1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Coolants, CoolantLawTest, testing::Values("water", "PG25", "PG50", "PG60", "EG30", "EG50"));

TEST(CoolantLaw, WaterHasTheEnthalpyDifferencesOfIf97) {
  const CoolantHeat heat = coolantLaw("water", 313.15, kAtmosphere).heat;
  for (double T = 283.15; T < 368.0; T += 10.0) {
    const double table = waterEnthalpy(T, kAtmosphere) - waterEnthalpy(283.15, kAtmosphere);
    EXPECT_NEAR(heat.enthalpy(T) - heat.enthalpy(283.15), table, 2e-5 * table + 1e-6) << T;
  }
}

// pod-design section 6: 2.04 m3 of PG25 swell by 24 L from 20 to 45 degC (practice.md section 3).
TEST(CoolantLaw, GivesTheExpansionOfPracticeAndTheDensitiesOfPodDesign) {
  constexpr double kZero = 273.15;  // K
  const CoolantLaw pg25 = coolantLaw("PG25", 313.15, kAtmosphere);
  for (const auto& [t, density] : {std::pair{10.0, 1027.8}, {20.0, 1023.9}, {40.0, 1014.5}, {60.0, 1003.0}})
    EXPECT_NEAR(pg25.density(kZero + t), density, 0.06) << t;
  const double by_difference = (pg25.density(kZero + 29.0) / pg25.density(kZero + 31.0) - 1.0) / 2.0;
  EXPECT_NEAR(pg25.expansion(kZero + 30.0), by_difference, 1e-3 * by_difference);
  EXPECT_NEAR(2.04 * (1.0 - pg25.density(kZero + 45.0) / pg25.density(kZero + 20.0)), 24e-3, 0.3e-3);
}

// 250 L of propylene glycol are 259.0 kg, 3.404 kmol; 750 L of water 748.7 kg, 41.56 kmol.
TEST(WaterMoleFraction, OfPg25IsThatOfItsMoles) {
  EXPECT_NEAR(waterMoleFraction("PG25"), 41.56 / (41.56 + 3.404), 1e-4);
  EXPECT_EQ(waterMoleFraction("water"), 1.0);
  EXPECT_LT(waterMoleFraction("EG50"), waterMoleFraction("EG40"));
}

TEST(CoolantLaw, GoesOnBeyondTheDataAsAtTheirEnds) {
  const CoolantLaw law = coolantLaw("water", 313.15, kAtmosphere);
  for (const double end : {law.t_low, law.t_high}) {
    const double out = end == law.t_low ? end - 200.0 : end + 300.0;
    EXPECT_DOUBLE_EQ(law.heat.specificHeat(out), law.heat.specificHeat(end));
    EXPECT_NEAR(law.heat.enthalpy(out) - law.heat.enthalpy(end), law.heat.specificHeat(end) * (out - end), 1e-3);
    EXPECT_NEAR(law.heat.fromCarried(law.heat.carried(out)), out, 1e-6);
    EXPECT_DOUBLE_EQ(law.density(out), law.density(end));
    EXPECT_DOUBLE_EQ(law.viscosity(out), law.viscosity(end));
  }
}

TEST(CoolantLaw, StatedFluidDoesNotVary) {
  const CoolantLaw law = constantCoolantLaw({"oil", 900.0, 2000.0, 0.05, 0.13});
  EXPECT_FALSE(law.heat.varies());
  EXPECT_DOUBLE_EQ(law.heat.specificHeat(300.0), 2000.0);
  EXPECT_DOUBLE_EQ(law.heat.enthalpy(283.15), 20000.0);
  EXPECT_DOUBLE_EQ(law.density(400.0), 900.0);
  EXPECT_NEAR(law.viscosity(250.0), 0.05, 1e-15);
}

}  // namespace
}  // namespace podtwin::fluids
