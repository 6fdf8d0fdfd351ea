#include "model/fluids/inlet_weight.hpp"

#include <cmath>

namespace podtwin {

double inletWeight(double ntu) {
  constexpr double kSmall = 1e-3;  // the next term is below 1e-12
  if (ntu < kSmall) return 0.5 - ntu / 12.0;
  if (!(ntu < 700.0)) return 0.0;
  return 1.0 + 1.0 / std::expm1(-ntu) + 1.0 / ntu;
}

}  // namespace podtwin
