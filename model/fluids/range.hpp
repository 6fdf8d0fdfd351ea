// Range checks of the property functions: an error that names the value and the range, never a clamped result.
#pragma once

#include <sstream>
#include <string>

#include "model/base/diagnostics.hpp"

namespace podtwin::fluids {

/// A number as a message shows it: up to seven digits, no trailing zeros.
inline std::string inWords(double x) {
  constexpr int kDigits = 7;
  std::ostringstream out;
  out.precision(kDigits);
  out << x;
  return out.str();
}

/// Throws Error unless low <= x <= high; NaN is outside every range. `unit` is empty for a number without one.
inline void requireRange(const char* of, const char* what, double x, double low, double high, const char* unit) {
  if (x >= low && x <= high) return;
  const std::string after = *unit == '\0' ? "" : std::string(" ") + unit;
  throw Error(std::string(of) + ": " + what + " " + inWords(x) + after + " is outside " + inWords(low) + " to " +
              inWords(high) + after);
}

}  // namespace podtwin::fluids
