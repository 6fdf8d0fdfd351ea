// Units that run or stand by: a unit in standby is switched off (its mode) until it is called.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

inline constexpr double kCalledMode = 0.0, kStandbyMode = 2.0;

/// Value of a time since which something lasts, while it does not.
inline constexpr double kNotLasting = -1.0;

/// Whether what lasts since `since`, a clock that the first call starts, is `wait` [s] old; a clock that ran ahead
/// (steady search, rewind) starts again.
inline bool lasted(double& since, double now, double wait) {
  constexpr double kTolerance = 1e-9;  // s
  if (since == kNotLasting || since > now) since = now;
  return now - since >= wait - kTolerance;
}

struct StandbyUnit {
  const ComponentSet* set = nullptr;
  std::size_t instance = 0;

  bool operator==(const StandbyUnit&) const = default;
  const std::string& id() const { return set->ids()[instance]; }
  /// Not in standby; also a unit in manual, which is the operator's.
  template <class Values>
  bool called(Values& values) const {
    return set->z(values, kMode, instance) != kStandbyMode;
  }
  /// In service and not tripped.
  template <class Values>
  bool sound(Values& values) const {
    return set->z(values, kInService, instance) != 0.0 && set->z(values, kTripped, instance) == 0.0;
  }
  /// Sound and with a live supply: it could run.
  bool healthy(const Evaluation& e) const {
    const auto bus = set->supply_bus[instance];
    return sound(e) && (bus < 0 || e.energised[static_cast<std::size_t>(bus)] != 0);
  }
  bool running(const Evaluation& e) const { return called(e) && healthy(e); }
  /// Leaves a unit in manual alone.
  void call(State& state, bool run) const {
    double& mode = set->z(state, kMode, instance);
    if (mode == (run ? kStandbyMode : kCalledMode)) mode = run ? kCalledMode : kStandbyMode;
    ++state.topology;
  }
};

}  // namespace podtwin
