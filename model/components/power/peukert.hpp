// Peukert's law: a battery gives less charge at a higher current. Equations: battery.md.
#pragma once

#include <cmath>

namespace podtwin {

/// Rate at which charge is used up, over the current drawn: (I / I_rated)^(k-1), never below 1.
template <class S>
S peukertFactor(const S& current, double rated_current, double exponent) {
  using std::pow;
  if (!(current > rated_current)) return S(1.0);
  return pow(current / rated_current, exponent - 1.0);
}

/// Current that uses charge up at the rate `drain`.
inline double currentOfDrain(double drain, double rated_current, double exponent) {
  return drain > rated_current ? rated_current * std::pow(drain / rated_current, 1.0 / exponent) : drain;
}

}  // namespace podtwin
