// `podtwin balance`: advice on the phases of single- and two-phase loads.
#pragma once

#include <string>

namespace podtwin::scenarios {

struct BalanceOptions {
  std::string file;        ///< pod
  std::string csv_folder;  ///< empty: print only
};

/// Prints moves and gain of every bus with such loads; with a folder also balance.csv and balance_buses.csv.
int runBalance(const BalanceOptions& options);

}  // namespace podtwin::scenarios
