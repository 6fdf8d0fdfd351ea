#include "model/components/cooling/effectiveness.hpp"

#include <algorithm>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

/// Both fluids unmixed, exact: double series of incomplete exponentials, summed until terms vanish.
double crossUnmixed(double n, double c) {
  const double m = c * n;
  // p(k; x) = exp(-x) sum_{j<=k} x^j/j!
  double term_n = std::exp(-n), term_m = std::exp(-m), sum_n = term_n, sum_m = term_m, total = 0.0;
  for (int k = 0; k < 500; ++k) {
    const double add = (1.0 - sum_n) * (1.0 - sum_m);
    total += add;
    if (add < 1e-17 && k > n) break;
    term_n *= n / (k + 1);
    term_m *= m / (k + 1);
    sum_n += term_n;
    sum_m += term_m;
  }
  return total / m;
}

}  // namespace

double effectiveness(Arrangement arrangement, double n, double c) {
  if (!(n >= 0.0) || !(c >= 0.0 && c <= 1.0)) throw Error("effectiveness needs NTU >= 0 and 0 <= Cr <= 1");
  if (n == 0.0) return 0.0;
  if (c == 0.0) return -std::expm1(-n);
  switch (arrangement) {
    case Arrangement::counterflow: return counterflowEffectiveness(n, c);
    case Arrangement::parallel: return -std::expm1(-n * (1.0 + c)) / (1.0 + c);
    case Arrangement::cross_cmax_mixed: return -std::expm1(c * std::expm1(-n)) / c;
    case Arrangement::cross_cmin_mixed: return -std::expm1(std::expm1(-n * c) / c);
    case Arrangement::cross_both_mixed: return 1.0 / (-1.0 / std::expm1(-n) - c / std::expm1(-n * c) - 1.0 / n);
    case Arrangement::cross_unmixed_approximate: return -std::expm1(std::pow(n, 0.22) / c * std::expm1(-c * std::pow(n, 0.78)));
    case Arrangement::cross_unmixed: return crossUnmixed(n, c);
    case Arrangement::shell_tube_1_2: break;
  }
  const double root = std::sqrt(1.0 + c * c), f = std::exp(-n * root);
  return 2.0 / (1.0 + c + root * (1.0 + f) / (1.0 - f));
}

double counterflowNtu(double eps, double c) {
  if (!(eps >= 0.0 && eps < 1.0)) throw Error("no finite exchanger reaches that effectiveness");
  if (std::abs(1.0 - c) < 1e-12) return eps / (1.0 - eps);
  return std::log((1.0 - eps * c) / (1.0 - eps)) / (1.0 - c);
}

}  // namespace podtwin
