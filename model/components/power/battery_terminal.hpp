// Current of a source of voltage behind a resistance. Equations: battery.md.
#pragma once

#include <cmath>

#include "model/base/dual.hpp"

namespace podtwin {

template <class S>
struct Terminal {
  S current{}, voltage{};  ///< A positive out of the source; V
  bool reached = true;     ///< false: the power is more than the source can give, the current that of the greatest
};

/// A current [A] that is asked for, and besides the smaller of the two that give a power [W]: P = (E' - R I) I with
/// E' = E - R current.
template <class S>
Terminal<S> terminalOf(const S& source, double resistance, double power, double current) {
  using std::sqrt;
  Terminal<S> out;
  const S half = 0.5 * (source - resistance * current);
  S drawn{};
  if (power != 0.0 && half > S(0.0)) {
    const S left = half * half - S(resistance * power);
    out.reached = left >= S(0.0);
    drawn = out.reached ? S(power) / (half + (left > S(0.0) ? sqrt(left) : S(0.0))) : half / resistance;
  }
  out.current = drawn + S(current);
  out.voltage = source - resistance * out.current;
  return out;
}

}  // namespace podtwin
