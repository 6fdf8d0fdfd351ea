// `podtwin balance POD --transfers`: which equipment picks up which load after each single failure.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace podtwin::scenarios {

struct TransfersOptions {
  std::string file;                    ///< pod
  std::string csv_folder;              ///< empty: print only
  std::vector<std::string> overrides;  ///< ADDRESS=VALUE
  double settle = 120.0;               ///< s from the failure to the look at it
};

/// Prints a paragraph a failure; with a folder also transfers.csv and transfer_loadings.csv.
int runTransfers(const TransfersOptions& options, const std::atomic<bool>& stop);

}  // namespace podtwin::scenarios
