// Which phases of a bus its single- and two-phase loads belong on. Loads add up as powers at nominal voltage.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace podtwin::scenarios {

struct MovableLoad {
  std::string id;
  double power;           ///< W, not negative
  double reactive_power;  ///< var
  int phases;             ///< bit 0: a, 1: b, 2: c; one or two of them, which share it equally
};
struct BusToBalance {
  std::string id;
  std::array<double, 3> fixed_power;     ///< W a phase of what stays
  std::array<double, 3> fixed_reactive;  ///< var
  std::vector<MovableLoad> loads;
};
struct BalancedBus {
  std::vector<int> phases;  ///< of each load, as in MovableLoad
  std::array<double, 3> power_before, power_after, reactive_before, reactive_after;
  std::size_t moves;
  double bound;  ///< W; no assignment has a greatest phase power below it
  bool proved;   ///< no assignment has a lower greatest phase power
};

/// Up to this many loads a bus the search is complete, also in the number of moves.
inline constexpr std::size_t kMostProvedLoads = 12;

/// Least greatest phase power, with fewest moves among equals: complete to kMostProvedLoads, else a local search.
BalancedBus balancePhases(const BusToBalance& bus);
double greatestPhase(const std::array<double, 3>& phases);

}  // namespace podtwin::scenarios
