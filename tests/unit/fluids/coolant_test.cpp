#include "model/fluids/coolant.hpp"

#include <gtest/gtest.h>

#include "model/fluids/glycol.hpp"
#include "model/fluids/water.hpp"
#include "tests/unit/fluids/expect_error.hpp"

namespace {

using namespace podtwin::fluids;
using podtwin::testing_support::expectError;

constexpr double kT = 303.15, kPressure = 2e5;

TEST(Coolant, WaterCarriesThePropertiesOfWaterAtItsPressure) {
  const Coolant c = coolantAt("water", kT, kPressure);
  EXPECT_EQ(c.name, "water");
  EXPECT_EQ(c.density, waterDensity(kT, kPressure));
  EXPECT_EQ(c.specific_heat, waterSpecificHeat(kT, kPressure));
  EXPECT_EQ(c.viscosity, waterViscosity(kT, c.density));
  EXPECT_EQ(c.conductivity, waterConductivity(kT, c.density));
}

TEST(Coolant, PG25IsPropyleneGlycolOf25PerCentByVolume) {
  const Coolant c = coolantAt("PG25", kT, kPressure);
  EXPECT_EQ(c.density, glycolDensity(Glycol::propylene_by_volume, kT, 0.25));
  EXPECT_EQ(c.specific_heat, glycolSpecificHeat(Glycol::propylene_by_volume, kT, 0.25));
  EXPECT_EQ(c.viscosity, glycolViscosity(Glycol::propylene_by_volume, kT, 0.25));
  EXPECT_EQ(c.conductivity, glycolConductivity(Glycol::propylene_by_volume, kT, 0.25));
}

TEST(Coolant, AnyPercentageOfEitherGlycolIsAName) {
  EXPECT_EQ(coolantAt("EG42", kT, kPressure).density, glycolDensity(Glycol::ethylene_by_volume, kT, 0.42));
  EXPECT_EQ(coolantAt("PG10", kT, kPressure).density, glycolDensity(Glycol::propylene_by_volume, kT, 0.10));
}

TEST(Coolant, EveryNameOfferedIsKnown) {
  for (const auto& name : coolantNames()) EXPECT_GT(coolantAt(name, kT, kPressure).density, 900.0) << name;
}

TEST(Coolant, UnknownNameIsAnErrorThatNamesTheNearest) {
  expectError([] { coolantAt("watr", kT, kPressure); }, {"'watr'", "did you mean 'water'"});
  expectError([] { coolantAt("pG25", kT, kPressure); }, {"'pG25'", "did you mean 'PG25'"});
  expectError([] { coolantAt("PG2x", kT, kPressure); }, {"'PG2x'", "did you mean 'PG25'"});
  expectError([] { coolantAt("PG025", kT, kPressure); }, {"'PG025'"});
  expectError([] { coolantAt("liquid sodium", kT, kPressure); }, {"'liquid sodium'", "use water, PGnn or EGnn"});
  expectError([] { coolantAt("", kT, kPressure); }, {"use water, PGnn or EGnn"});
}

TEST(Coolant, PercentageOutsideTheDataIsAnErrorThatNamesTheRange) {
  expectError([] { coolantAt("PG61", kT, kPressure); }, {"fraction 0.61", "0 to 0.6"});
  expectError([] { coolantAt("EG100", kT, kPressure); }, {"fraction 1 ", "0 to 0.6"});
}

TEST(Coolant, WeakMixturesGoFromWaterToTheFirstOfTheData) {
  const Coolant water = coolantAt("water", kT, kPressure);
  for (const char* kind : {"PG", "EG"}) {
    const auto of = [&](int percent) { return coolantAt(kind + std::to_string(percent), kT, kPressure); };
    EXPECT_DOUBLE_EQ(of(0).density, water.density);
    EXPECT_DOUBLE_EQ(of(0).viscosity, water.viscosity);
    EXPECT_NEAR(of(5).density, 0.5 * (water.density + of(10).density), 1e-9);
    EXPECT_NEAR(of(5).specific_heat, 0.5 * (water.specific_heat + of(10).specific_heat), 1e-9);
    EXPECT_NEAR(of(5).conductivity, 0.5 * (water.conductivity + of(10).conductivity), 1e-12);
    EXPECT_NEAR(of(5).viscosity, std::sqrt(water.viscosity * of(10).viscosity), 1e-12);
    // The gap is small and has the sense of the data behind it: 9 % is within a tenth of a step from 10 to 19 %.
    EXPECT_NEAR(of(9).specific_heat, 2.0 * of(10).specific_heat - of(11).specific_heat, 6.0);
    EXPECT_GT(of(9).viscosity, 2.0 * of(10).viscosity - of(11).viscosity - 3e-5);
    EXPECT_NEAR(*freezingPoint(kind + std::string("5")), 0.5 * (273.15 + *freezingPoint(kind + std::string("10"))),
                1e-9);
    EXPECT_EQ(coolantRange(kind + std::string("5"), kPressure).t_low, 273.15);
  }
}

}  // namespace
