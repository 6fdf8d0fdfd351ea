#include "model/components/cooling/effectiveness.hpp"

#include <gtest/gtest.h>

#include "model/base/diagnostics.hpp"
#include "tests/unit/cooling/effectiveness_rows.hpp"

namespace podtwin {
namespace {

constexpr Arrangement kAll[] = {Arrangement::counterflow,      Arrangement::parallel,
                                Arrangement::cross_cmax_mixed, Arrangement::cross_cmin_mixed,
                                Arrangement::cross_both_mixed, Arrangement::cross_unmixed_approximate,
                                Arrangement::cross_unmixed,    Arrangement::shell_tube_1_2};

TEST(Effectiveness, AgreesWithFortyDigitValuesOfEveryArrangement) {
  for (const auto& row : kEffectivenessRows)
    EXPECT_NEAR(effectiveness(row.arrangement, row.ntu, row.cr), row.effectiveness, 1e-9 * row.effectiveness)
        << "arrangement " << static_cast<int>(row.arrangement) << " NTU " << row.ntu << " Cr " << row.cr;
}

TEST(Effectiveness, GoesToNtuWhereNtuVanishes) {
  for (const auto arrangement : kAll) {
    EXPECT_EQ(effectiveness(arrangement, 0.0, 0.6), 0.0);
    for (const double ntu : {1e-14, 1e-11, 1e-8, 1e-6})
      EXPECT_NEAR(effectiveness(arrangement, ntu, 0.6) / ntu, 1.0,
                  2.0 * std::pow(ntu, arrangement == Arrangement::cross_unmixed_approximate ? 0.7 : 1.0) + 1e-9)
          << "arrangement " << static_cast<int>(arrangement) << " NTU " << ntu;
  }
}

TEST(Effectiveness, IsContinuousToOneSidedExchange) {
  for (const auto arrangement : kAll)
    for (const double cr : {1e-13, 1e-11, 1e-9})
      EXPECT_NEAR(effectiveness(arrangement, 2.0, cr), 1.0 - std::exp(-2.0), 2e-9) << static_cast<int>(arrangement);
}

TEST(Effectiveness, OfCounterflowIsContinuousThroughEqualCapacities) {
  const double balanced = effectiveness(Arrangement::counterflow, 3.0, 1.0);
  EXPECT_NEAR(balanced, 0.75, 1e-15);
  for (const double gap : {1e-15, 1e-12, 1e-9, 1e-6, 3.3e-5, 3.4e-5}) {
    // First order in the gap: d eps / d Cr at Cr = 1 is -NTU^2/(2 (1 + NTU)^2).
    const double expected = balanced + gap * 9.0 / 32.0;
    EXPECT_NEAR(effectiveness(Arrangement::counterflow, 3.0, 1.0 - gap), expected, 2.0 * gap * gap + 1e-13) << gap;
  }
}

TEST(Effectiveness, CarriesExactDerivatives) {
  for (const auto arrangement : kAll)
    for (const auto& [ntu, cr] : {std::pair{0.4, 0.3}, {2.0, 0.7}, {5.0, 0.999999}}) {
      Dual<2> n(ntu), c(cr);
      n.d[0] = c.d[1] = 1.0;
      const Dual<2> eps = effectiveness(arrangement, n, c);
      const double h = 1e-6;
      const double by_ntu =
          (effectiveness(arrangement, ntu + h, cr) - effectiveness(arrangement, ntu - h, cr)) / (2.0 * h);
      const double by_cr =
          (effectiveness(arrangement, ntu, cr + h) - effectiveness(arrangement, ntu, cr - h)) / (2.0 * h);
      EXPECT_NEAR(eps.d[0], by_ntu, 1e-8) << static_cast<int>(arrangement) << " " << ntu;
      EXPECT_NEAR(eps.d[1], by_cr, 1e-8) << static_cast<int>(arrangement) << " " << ntu;
    }
}

TEST(Effectiveness, StaysFiniteForAVeryLargeExchanger) {
  for (const auto arrangement : kAll)
    for (const double cr : {0.0, 0.5, 1.0}) {
      const double eps = effectiveness(arrangement, 2000.0, cr);
      EXPECT_GE(eps, 0.4) << static_cast<int>(arrangement);
      EXPECT_LE(eps, 1.0 + 1e-12) << static_cast<int>(arrangement);
    }
}

TEST(Effectiveness, OfCounterflowHasAnInverse) {
  for (const double cr : {0.0, 0.3, 0.999999999, 1.0})
    for (const double ntu : {1e-9, 0.2, 3.0, 8.0})
      EXPECT_NEAR(counterflowNtu(effectiveness(Arrangement::counterflow, ntu, cr), cr), ntu, 1e-9 * ntu + 1e-15)
          << cr << " " << ntu;
}

TEST(Effectiveness, RefusesArgumentsOutsideItsRange) {
  EXPECT_THROW(checkedEffectiveness(Arrangement::parallel, -0.1, 0.5), Error);
  EXPECT_THROW(checkedEffectiveness(Arrangement::parallel, 1.0, 1.01), Error);
  EXPECT_THROW(counterflowNtu(1.0, 0.5), Error);
  EXPECT_THROW(counterflowNtu(0.5, -0.5), Error);
}

}  // namespace
}  // namespace podtwin
