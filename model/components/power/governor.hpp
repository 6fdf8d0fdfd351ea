// Speed governor, actuator and engine of a generating set, per unit of its rating. Equations: generator.md.
#pragma once

#include <algorithm>

#include "model/base/dual.hpp"

namespace podtwin {

struct Governor {
  double proportional = 0.0, integral = 0.0;      ///< 1; 1/s. Droop: 1/R and 0
  double actuator_time = 1.0, engine_time = 1.0;  ///< s
  double inertia = 1.0;                           ///< H, s
  double damping = 0.0;                           ///< D, of power over speed
  double least = 0.0, greatest = 1.0;             ///< power by the fuel's stops

  /// Power it asks of the actuator, before the stops.
  template <class S>
  S asked(double reference, const S& deviation, const S& sum) const {
    return reference - proportional * deviation - integral * sum;
  }
  template <class S>
  S granted(const S& wanted) const {
    using std::max;
    using std::min;
    return max(S(least), min(S(greatest), wanted));
  }
  /// Whether its integral may go on: not further into a stop.
  bool integrates(double wanted, double deviation) const {
    return !(wanted > greatest && deviation < 0.0) && !(wanted < least && deviation > 0.0);
  }
};

}  // namespace podtwin
