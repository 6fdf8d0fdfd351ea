// Which equipment picks up which load after each single failure of the electrical plant: found by runs of the plant.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/plant_run.hpp"

namespace podtwin::scenarios {

struct ElementLoading {
  std::string id;
  double before, after;  ///< loading over what the rating allows, 1
  double time_left;      ///< s until its protection acts at this load; infinite: not known, or it does not
};

/// The first that applies, from the last to the first. lost: a rack or an electrical_load has no power.
enum class TransferVerdict { holds, on_battery, over, lost };
std::string_view nameOf(TransferVerdict verdict);

struct FailureTransfer {
  std::string failed;
  TransferVerdict verdict = TransferVerdict::holds;
  std::vector<std::string> dead_buses;                 ///< that were live
  std::vector<std::string> without_power;              ///< equipment that had a live supply and has none
  std::vector<ElementLoading> changed;                 ///< survivors, highest loading first
  std::vector<ElementLoading> over;                    ///< of all survivors
  ElementLoading worst{};                              ///< of all survivors
  double autonomy = 0.0;                               ///< s, shortest of the UPS on battery; infinite: none is
  double it_power_before = 0.0, it_power_after = 0.0;  ///< W
};

/// One for each source element (utility, generator, transformer, ups, transfer_switch, busway, line, breaker, ...) in
/// service. `run` is at its steady state; every failure starts from it and is followed for `settle` [s].
std::vector<FailureTransfer> failureTransfers(const PreparedRun& run, double settle, const std::atomic<bool>& stop);

}  // namespace podtwin::scenarios
