#include "model/fluids/glycol.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/fluids/expect_error.hpp"

namespace {

using namespace podtwin::fluids;
using podtwin::testing_support::expectError;

struct Row {
  Glycol glycol;
  double T, x, density, specific_heat, conductivity, viscosity;
};

// Case P03 (CoolProp coefficients, independent evaluator).
const Row kRows[] = {
    {Glycol::propylene_by_mass, 298.15, 0.25, 1017.17420627, 3932.56427488, 0.472390673742, 0.00207061710642},
    {Glycol::propylene_by_mass, 318.15, 0.5, 1021.73538844, 3626.12253661, 0.372130841509, 0.00248750321524},
    {Glycol::propylene_by_volume, 298.15, 0.25, 1021.71271362, 3925.21004766, 0.472986976629, 0.00209308514685},
    {Glycol::propylene_by_volume, 318.15, 0.5, 1027.68938115, 3628.36863923, 0.373598136973, 0.00258683206379},
    {Glycol::ethylene_by_mass, 298.15, 0.25, 1029.15176522, 3822.52066947, 0.490976474275, 0.00164970206768},
    {Glycol::ethylene_by_mass, 318.15, 0.5, 1050.32732538, 3436.35390302, 0.404620607744, 0.00187154647228},
    {Glycol::ethylene_by_volume, 298.15, 0.25, 1035.76629927, 3743.93054095, 0.480387284625, 0.00165236892604},
    {Glycol::ethylene_by_volume, 318.15, 0.5, 1060.93885235, 3377.12194306, 0.39667205378, 0.00196706745596},
};

TEST(Glycol, PropertiesAgreeWithTheCarriedFiguresOfP03) {
  constexpr double kTolerance = 1e-7;  // relative; same correlation
  for (const Row& row : kRows) {
    EXPECT_NEAR(glycolDensity(row.glycol, row.T, row.x), row.density, kTolerance * row.density);
    EXPECT_NEAR(glycolSpecificHeat(row.glycol, row.T, row.x), row.specific_heat, kTolerance * row.specific_heat);
    EXPECT_NEAR(glycolConductivity(row.glycol, row.T, row.x), row.conductivity, kTolerance * row.conductivity);
    EXPECT_NEAR(glycolViscosity(row.glycol, row.T, row.x), row.viscosity, kTolerance * row.viscosity);
  }
}

TEST(Glycol, FreezingPointsAgreeWithTheCarriedFiguresOfP03) {
  constexpr double kTolerance = 1e-4;  // K
  EXPECT_NEAR(glycolFreezingPoint(Glycol::propylene_by_mass, 0.25), 263.364552104, kTolerance);
  EXPECT_NEAR(glycolFreezingPoint(Glycol::propylene_by_volume, 0.25), 263.184551526, kTolerance);
  EXPECT_NEAR(glycolFreezingPoint(Glycol::ethylene_by_mass, 0.25), 262.183533987, kTolerance);
  EXPECT_NEAR(glycolFreezingPoint(Glycol::ethylene_by_volume, 0.25), 261.030776303, kTolerance);
}

TEST(Glycol, MoreGlycolFreezesLowerAndIsMoreViscous) {
  for (const Glycol glycol :
       {Glycol::propylene_by_mass, Glycol::propylene_by_volume, Glycol::ethylene_by_mass, Glycol::ethylene_by_volume})
    for (double x = 0.1; x < 0.55; x += 0.05) {
      EXPECT_LT(glycolFreezingPoint(glycol, x + 0.05), glycolFreezingPoint(glycol, x));
      EXPECT_GT(glycolViscosity(glycol, 300.0, x + 0.05), glycolViscosity(glycol, 300.0, x));
    }
}

TEST(Glycol, OutsideTheDataIsAnErrorThatNamesValueAndRange) {
  const Glycol glycol = Glycol::propylene_by_volume;
  expectError([=] { glycolDensity(glycol, 380.0, 0.25); },
              {"propylene glycol by volume", "380 K", "238.15 to 373.15 K"});
  expectError([=] { glycolViscosity(glycol, 300.0, 0.7); }, {"fraction 0.7", "0.1 to 0.6"});
  expectError([=] { glycolFreezingPoint(glycol, 0.05); }, {"fraction 0.05", "0.1 to 0.6"});
  expectError([=] { glycolSpecificHeat(glycol, std::nan(""), 0.25); }, {"temperature nan"});
  expectError([=] { glycolConductivity(glycol, 300.0, std::nan("")); }, {"fraction nan"});
}

TEST(Glycol, BelowTheFreezingPointIsAnErrorThatNamesIt) {
  const Glycol glycol = Glycol::ethylene_by_volume;
  const double freezing = glycolFreezingPoint(glycol, 0.3);
  EXPECT_GT(glycolDensity(glycol, freezing, 0.3), 1000.0);
  expectError([=] { glycolDensity(glycol, freezing - 1.0, 0.3); }, {"below the freezing point", "fraction of 0.3"});
}

}  // namespace
