// How a speed or position follows what it is asked to be.
#pragma once

#include <algorithm>

#include "model/system/component_set.hpp"

namespace podtwin {

/// Rate [1/s] of a position in 0..1 towards `target`: first order with `lag` [s], no faster than full range in `stroke` [s].
template <class S>
S followRate(const S& position, double target, double lag, double stroke) {
  using std::max;
  using std::min;
  const double fastest = 1.0 / stroke;
  const S rate = (S(target) - position) / S(lag);
  return max(min(rate, S(fastest)), S(-fastest));
}

/// What the drive of instance i is asked for; a stuck one stays where its last command put it.
inline double asked(const ComponentSet& set, const Evaluation& e, std::size_t i) {
  const double command = set.z(e, kStuck, i) != 0.0 || set.drive[i] < 0 ? set.z(e, kCommand, i) : e.command[static_cast<std::size_t>(set.drive[i])];
  return std::clamp(command, 0.0, 1.0);
}

}  // namespace podtwin
