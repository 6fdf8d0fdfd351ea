// `podtwin steady`: the operating point of a plant as tables.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace podtwin::scenarios {

struct SteadyOptions {
  std::string file;        ///< pod or scenario
  std::string csv_folder;  ///< empty: print only
  std::vector<std::string> overrides;
  std::string short_circuit;  ///< method of the fault levels (faultMethod()); empty: none
};

/// Prints the summary tables; with a folder also CLASS.csv, summary.csv and the tables of fault levels (SI, kelvin,
/// %.12g).
int runSteady(const SteadyOptions& options, const std::atomic<bool>& stop);

}  // namespace podtwin::scenarios
