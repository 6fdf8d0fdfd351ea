// Moments of a run in words that a scenario takes back: "90 min", to 1 ms.
#pragma once

#include <string>
#include <vector>

namespace podtwin::scenarios {

/// Moments closer than this are written alike [s].
inline constexpr double kMomentResolution = 1e-3;

/// One number and one unit, the greatest that divides it: "3 h", "90 min", "3723.5 s".
std::string momentText(double t);

/// Ascending moments as a list; evenly spaced ones together: "0 s to 24 h each 1 h, 90000 s".
std::string momentsText(const std::vector<double>& moments);

}  // namespace podtwin::scenarios
