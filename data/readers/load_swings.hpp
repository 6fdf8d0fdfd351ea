// What a scenario says of fast load: the workload kind `training`, and windows that are simulated at a high rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/readers/expression.hpp"
#include "data/readers/yaml_helpers.hpp"
#include "model/base/diagnostics.hpp"

namespace podtwin::data {

/// Level of a workload: power of each rack, or utilisation of its GPUs.
struct WorkloadLevel {
  bool is_power = true;
  double value = 0.0;  ///< W or 1
};

/// "142 kW" or "80 %".
std::optional<WorkloadLevel> readLevel(const std::string& text, const SourceMark& where, const std::string& subject,
                                       Diagnostics& problems);

struct TrainingDescription {
  std::vector<Address> racks;                                   ///< empty: all
  double period = 0.0;                                          ///< s
  double compute_share = 0.5;                                   ///< 1
  double rise_time = 0.0, fall_time = 0.0, phase_spread = 0.0;  ///< s
  WorkloadLevel high, low;
  struct Checkpoints {
    double every = 0.0, duration = 0.0;  ///< s
    WorkloadLevel level;
  };
  std::optional<Checkpoints> checkpoints;
  struct Drop {
    double at = 0.0, over = 0.0;  ///< s
    WorkloadLevel level;
  };
  std::optional<Drop> drop;
};

/// "5 ms", "20 s".
std::string timeText(double seconds);

/// The keys of `workload: {kind: training}` but kind and seed.
TrainingDescription readTraining(Fields& fields, Diagnostics& problems);

/// A span in which inputs are applied and the plant is looked at with a short period.
struct WindowDescription {
  double from = 0.0, duration = 0.0, period = 0.0;  ///< s
  SourceMark where, period_where;
};

/// `windows:` in the order of time; those with an error are left out.
std::vector<WindowDescription> readWindows(const YamlNode& list, Diagnostics& problems);

}  // namespace podtwin::data
