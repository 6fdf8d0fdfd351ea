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
  /// Share of the deviation that its integral takes: all of it, but further into a stop less and less, down to none
  /// kWindUp beyond. Without that ramp it would switch on and off at the stop without end.
  template <class S>
  S integrated(const S& wanted, const S& deviation) const {
    using std::max;
    using std::min;
    const S beyond = deviation > S(0.0) ? least - wanted : wanted - greatest;
    return max(S(0.0), min(S(1.0), 1.0 - beyond / kWindUp));
  }
  static constexpr double kWindUp = 0.02;  ///< of rated power; estimate
};

}  // namespace podtwin
