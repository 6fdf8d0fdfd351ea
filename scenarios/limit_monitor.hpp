// Watches limits (quantity, value, delay, kind, source): raises alarms, keeps first times and least margins.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "model/system/system.hpp"

namespace podtwin::scenarios {

/// One limit on one signal of several instances of a set.
struct MonitoredLimit {
  const ComponentSet* set = nullptr;
  std::size_t signal = 0;
  std::vector<std::size_t> instances;
  bool above = true;   ///< violated above (true) or below the value
  double value = 0.0;  ///< SI
  double delay = 0.0;  ///< s the violation must last before the alarm
  std::string kind, source;
  std::string id;  ///< of a limit the pod file states; empty for a class default
};

/// What a limit on a signal of 0 or 1 says while it is violated, "its flow over speed is beyond ..."; "" of another.
std::string stateText(const MonitoredLimit& limit);

struct AlarmOccurrence {
  double time = 0.0;
  std::string equipment, signal, kind, text;
  double value = 0.0, limit = 0.0;
  std::string units;
  bool active = true;
};

/// What a limit saw over a run.
struct LimitRecord {
  double least_margin = std::numeric_limits<double>::infinity();  ///< signal unit; negative when violated
  std::size_t least_instance = 0;
  double least_time = 0.0;
  double first_time = std::numeric_limits<double>::quiet_NaN();  ///< s of the first violation that outlasted its delay
  std::size_t first_instance = 0;
};

class LimitMonitor {
 public:
  explicit LimitMonitor(std::vector<MonitoredLimit> limits);
  /// Looks at all limits at time t and adds alarms in the order of their times. Crossings since the last look are
  /// placed by linear interpolation; where values jump at t, `before_jump` gives the plant just before, up to which it
  /// goes: a limit that only the jump took is crossed at t. A second look at the same time needs none.
  void look(double t, const Evaluation& e, std::vector<AlarmOccurrence>& alarms,
            const std::function<const Evaluation&()>& before_jump = {});
  const std::vector<MonitoredLimit>& limits() const { return limits_; }
  const std::vector<LimitRecord>& records() const { return records_; }

 private:
  struct Watch {
    std::vector<double> previous;        ///< [instance of the limit] last value
    std::vector<double> violated_since;  ///< [instance] s, NaN while within the limit
    std::vector<char> alarmed;           ///< [instance]
    std::size_t active = 0;              ///< instances that are violated or alarmed
  };
  std::vector<MonitoredLimit> limits_;
  std::vector<LimitRecord> records_;
  std::vector<Watch> watches_;
  std::vector<double> column_;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();
};

/// Default limits of every class of the system, and those of the pod file. Problems: unknown signals.
std::vector<MonitoredLimit> limitsOf(const System& system, Diagnostics& problems);

}  // namespace podtwin::scenarios
