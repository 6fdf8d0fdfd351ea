// Friction factors against reference case H01-friction-factor, and the pressure drop of a pipe over all flows.
#include "model/network/friction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

#include "model/base/diagnostics.hpp"

namespace podtwin {
namespace {

constexpr FrictionLaw kLaws[] = {FrictionLaw::colebrook, FrictionLaw::colebrook_371, FrictionLaw::swamee_jain,
                                 FrictionLaw::haaland,   FrictionLaw::nikuradse,     FrictionLaw::epanet};
constexpr double kRoughness[] = {0.0, 1e-6, 1e-4, 1e-2, 0.05, 0.1};

double factor(FrictionLaw law, double reynolds, double relative) {
  double slope = 0.0;
  return frictionFactor(law, reynolds, relative, slope);
}

TEST(Friction, HasTheFactorsOfTheReference) {
  using Row = std::tuple<const char*, double, double, double, double>;  // law, Re, roughness, factor, tolerance
  for (const auto& [law, reynolds, relative, expected, tolerance] :
       {Row{"colebrook", 100, 0.0, 0.64, 1e-12}, Row{"haaland", 1900, 0.01, 0.0336842105263, 1e-11},
        Row{"colebrook", 4100, 0.0, 0.0396171200533, 1e-9}, Row{"swamee_jain", 4100, 0.0, 0.0402380628765, 1e-9},
        Row{"haaland", 4100, 0.0, 0.0401109088476, 1e-9}, Row{"colebrook", 1e5, 0.0, 0.0179897730843, 1e-9},
        Row{"epanet", 2300, 1e-6, 0.029173382949, 1e-4}, Row{"epanet", 3500, 1e-6, 0.0386133723588, 1e-4}})
    EXPECT_NEAR(factor(frictionLawOf(law), reynolds, relative), expected, tolerance * expected)
        << law << ' ' << reynolds;
}

TEST(Friction, OfColebrookSatisfiesItsEquation) {
  for (const double relative : kRoughness)
    for (const auto& [law, constant] : {std::pair{FrictionLaw::colebrook, 3.7}, {FrictionLaw::colebrook_371, 3.71}})
      for (const double reynolds : {4e3, 1e5, 1e8}) {
        const double x = 1.0 / std::sqrt(factor(law, reynolds, relative));
        EXPECT_NEAR(x, -2.0 * std::log10(relative / constant + 2.51 * x / reynolds), 1e-12 * x);
      }
}

TEST(Friction, HasTheSlopeOfItsFactorAndNoJumpWhereItChangesRegime) {
  for (const FrictionLaw law : kLaws)
    for (const double relative : kRoughness) {
      for (const double reynolds : {10.0, 1500.0, 2100.0, 3000.0, 3900.0, 4100.0, 1e5, 1e7}) {
        double slope = 0.0;
        frictionFactor(law, reynolds, relative, slope);
        const double h = 1e-5 * reynolds;
        const double measured = (factor(law, reynolds + h, relative) - factor(law, reynolds - h, relative)) / (2.0 * h);
        EXPECT_NEAR(slope, measured, 1e-6 * factor(law, reynolds, relative) / reynolds) << reynolds;
      }
      for (const double join : {2000.0, 4000.0}) {
        double below = 0.0, above = 0.0;
        const double f = frictionFactor(law, join * (1.0 - 1e-9), relative, below);
        EXPECT_NEAR(f, frictionFactor(law, join * (1.0 + 1e-9), relative, above), 1e-7 * f);
        EXPECT_NEAR(below, above, 1e-6 * f / join) << join;
      }
    }
}

TEST(Friction, OfAPipeRisesWithFlowFromCreepToAHundredMillionAndIsTheSameBackwards) {
  for (const FrictionLaw law : kLaws)
    for (const double relative : kRoughness) {
      const PipeFriction pipe{law, relative, 1e3, 1e4};
      double before = 0.0;
      for (double reynolds = 1.0; reynolds <= 1e8; reynolds *= 1.002) {
        double slope = 0.0, back = 0.0;
        const double m = reynolds / pipe.reynolds, drop = pipe.drop(m, slope);
        EXPECT_GT(drop, before) << reynolds;
        EXPECT_GT(slope, 0.0) << reynolds;
        EXPECT_EQ(pipe.drop(-m, back), -drop);
        EXPECT_EQ(back, slope);
        before = drop;
      }
      double slope = 0.0;
      EXPECT_EQ(pipe.drop(0.0, slope), 0.0);
      EXPECT_EQ(slope, 64.0 * pipe.scale / pipe.reynolds);
    }
}

TEST(Friction, OfAnUnknownLawIsRefused) { EXPECT_THROW(frictionLawOf("blasius"), Error); }

}  // namespace
}  // namespace podtwin
