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
  expectError([] { coolantAt("PG5", kT, kPressure); }, {"fraction 0.05", "0.1 to 0.6"});
  expectError([] { coolantAt("EG100", kT, kPressure); }, {"fraction 1 ", "0.1 to 0.6"});
}

}  // namespace
