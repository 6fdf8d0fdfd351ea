// The files a run reads and writes: none is both, and no two outputs are one.
#pragma once

#include <string>
#include <vector>

#include "scenarios/plant_run.hpp"

namespace podtwin::scenarios {

/// Every file a prepared run was made of: scenario, pod, catalogues, weather, workload, start state.
std::vector<std::string> filesRead(const PreparedRun& run);

/// Refuses a result or checkpoint (empty: none) that is one of `inputs`, or the other, or cannot be put there. Links
/// and other names of one file count as that file.
void checkOutputs(const std::vector<std::string>& inputs, const std::string& result, const std::string& checkpoint,
                  bool overwrite);

/// Where a failed run leaves its state: OUT.checkpoint.h5 for OUT.h5, or OUT.checkpoint-2.h5 when it was read.
std::string failureCheckpoint(const std::string& result, const std::vector<std::string>& inputs);

}  // namespace podtwin::scenarios
