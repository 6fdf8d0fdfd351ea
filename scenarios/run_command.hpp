// `podtwin run`: from a scenario file to a result file, with progress, summary and exit status.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace podtwin::scenarios {

/// Exit statuses of product.md section 1.
enum ExitStatus : int { kDone = 0, kFailed = 1, kBadInput = 2, kStopped = 3, kExpectationMissed = 4 };

struct RunOptions {
  std::string scenario;
  std::string output;  ///< empty: SCENARIO's name with .h5 in the working folder
  std::vector<std::string> overrides;
  std::optional<double> until;  ///< s; ends the run earlier
  std::string from;             ///< checkpoint to start from; empty: as the scenario says
  bool force = false, quiet = false;
  std::string save_checkpoint;  ///< written at the end; empty: none
};

/// Runs to the end, to `stop` becoming true, or to a failure. Throws InputError before anything is written.
int runScenario(const RunOptions& options, const std::atomic<bool>& stop);

}  // namespace podtwin::scenarios
