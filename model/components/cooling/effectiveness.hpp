// Effectiveness of heat exchangers by number of transfer units (NTU) and capacity ratio Cr = C_min / C_max.
// Formulas as tabulated by Kays and London and by Incropera; exact series of crossflow by Mason (1954).
#pragma once

#include <cmath>

#include "model/base/dual.hpp"

namespace podtwin {

enum class Arrangement {
  counterflow,
  parallel,
  cross_cmax_mixed,
  cross_cmin_mixed,
  cross_both_mixed,
  cross_unmixed_approximate,
  cross_unmixed,
  shell_tube_1_2
};

/// Counterflow effectiveness; continuous through Cr = 1 and NTU = 0. NTU >= 0, 0 <= Cr <= 1.
template <class S>
S counterflowEffectiveness(const S& ntu, const S& cr) {
  using std::exp;
  const S one(1.0);
  const S d = ntu * (one - cr);
  if (valueOf(d) < 1e-6) {
    // (1 - exp(-d)) / (1 - Cr exp(-d)) with both numerator and denominator divided by 1 - Cr.
    const S series = ntu * (one - d / 2.0 + d * d / 6.0);  // (1 - exp(-d)) / (1 - Cr)
    return series / (one + cr * series);
  }
  const S f = exp(-d);
  return (one - f) / (one - cr * f);
}

/// Effectiveness of any arrangement; Cr = 0 (one side boils or condenses) is 1 - exp(-NTU) for all.
double effectiveness(Arrangement arrangement, double ntu, double cr);

/// NTU that a counterflow exchanger needs for an effectiveness below its limit.
double counterflowNtu(double effectiveness, double cr);

}  // namespace podtwin
