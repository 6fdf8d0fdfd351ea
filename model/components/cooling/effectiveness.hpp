// Effectiveness of heat exchangers by number of transfer units (NTU) and capacity ratio Cr = C_min / C_max.
// Formulas as tabulated by Kays and London and by Incropera; exact series of crossflow by Mason (1954).
// Finite and smooth down to NTU = 0 and Cr = 0, where every arrangement is 1 - exp(-NTU).
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
  using std::expm1;
  const S one(1.0);
  const S d = ntu * (one - cr);
  // e = (1 - exp(-d)) / (1 - Cr): by its series where both vanish together.
  constexpr double kSeries = 1e-4;  // the next term is below 1e-14 of the sum
  const S e =
      valueOf(d) < kSeries ? ntu * (one - d / 2.0 * (one - d / 3.0 * (one - d / 4.0))) : -expm1(-d) / (one - cr);
  return e / (one + cr * e);
}

/// Both fluids unmixed, exact: 1/(Cr NTU) sum_k Q(k; NTU) Q(k; Cr NTU), with Q(k; x) the chance that a Poisson count of
/// mean x exceeds k. Summed from the far end, so that nothing cancels.
template <class S>
S crossUnmixedEffectiveness(const S& n, const S& c) {
  using std::exp;
  using std::log;
  const S m = c * n, log_n = log(n), log_m = log(m);
  // Beyond this count the chances are below 1e-18 for any mean.
  const int last = static_cast<int>(valueOf(n) + 9.0 * std::sqrt(valueOf(n)) + 40.0);
  S tail_n(0.0), tail_m(0.0), total(0.0);
  for (int k = last; k >= 0; --k) {
    total += tail_n * tail_m;
    const double factorial = std::lgamma(k + 1.0);
    tail_n += exp(log_n * S(k) - n - S(factorial));
    tail_m += exp(log_m * S(k) - m - S(factorial));
  }
  return total / m;
}

/// Effectiveness of any arrangement for NTU >= 0 and 0 <= Cr <= 1.
template <class S>
S effectiveness(Arrangement arrangement, const S& n, const S& c) {
  using std::exp;
  using std::expm1;
  using std::pow;
  using std::sqrt;
  constexpr double kNoTransfer = 1e-12;  // the effectiveness is NTU itself to as many digits
  constexpr double kOneSided = 1e-12;    // Cr changes the effectiveness by less than this
  if (valueOf(n) < kNoTransfer) return n;
  if (valueOf(c) < kOneSided) return -expm1(-n);
  const S one(1.0);
  switch (arrangement) {
    case Arrangement::counterflow:
      return counterflowEffectiveness(n, c);
    case Arrangement::parallel:
      return -expm1(-n * (one + c)) / (one + c);
    case Arrangement::cross_cmax_mixed:
      return -expm1(c * expm1(-n)) / c;
    case Arrangement::cross_cmin_mixed:
      return -expm1(expm1(-n * c) / c);
    case Arrangement::cross_both_mixed:
      return one / (-one / expm1(-n) - c / expm1(-n * c) - one / n);
    case Arrangement::cross_unmixed_approximate:
      return -expm1(pow(n, 0.22) / c * expm1(-c * pow(n, 0.78)));
    case Arrangement::cross_unmixed:
      return crossUnmixedEffectiveness(n, c);
    case Arrangement::shell_tube_1_2:
      break;
  }
  const S root = sqrt(one + c * c), d = n * root;
  return S(2.0) / (one + c - root * (one + exp(-d)) / expm1(-d));
}

/// Throws Error unless NTU >= 0 and 0 <= Cr <= 1.
double checkedEffectiveness(Arrangement arrangement, double ntu, double cr);

/// NTU that a counterflow exchanger needs for an effectiveness below its limit; throws Error above it.
double counterflowNtu(double effectiveness, double cr);

}  // namespace podtwin
