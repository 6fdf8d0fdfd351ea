// How a speed or position follows what it is asked to be, and the commands every such drive takes.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "model/system/kernel_set.hpp"
#include "model/system/registry.hpp"
#include "model/system/ride_through.hpp"

namespace podtwin {

/// Rate [1/s] of a position in 0..1 towards `target`: first order with `lag` [s], no faster than full range in `stroke`
/// [s].
template <class S>
S followRate(const S& position, double target, double lag, double stroke) {
  using std::max;
  using std::min;
  const double fastest = 1.0 / stroke;
  const S rate = (S(target) - position) / S(lag);
  return max(min(rate, S(fastest)), S(-fastest));
}

inline bool stuck(const ComponentSet& set, const Evaluation& e, std::size_t i) { return set.z(e, kStuck, i) != 0.0; }

/// Where the drive of instance i goes: to its command, or to the place it is stuck at, whatever it is asked.
inline double asked(const ComponentSet& set, const Evaluation& e, std::size_t i) {
  const double command = stuck(set, e, i)   ? set.z(e, kStuck, i) - 1.0
                         : set.drive[i] < 0 ? set.z(e, kCommand, i)
                                            : e.command[static_cast<std::size_t>(set.drive[i])];
  return std::clamp(command, 0.0, 1.0);  // 0 and 1 are the drive's own end stops
}

/// The state of a kernel that holds the speed or position of its drive: Kernel::kDriveState, or 0.
template <class Kernel>
constexpr std::size_t driveState() {
  if constexpr (requires { Kernel::kDriveState; })
    return Kernel::kDriveState;
  else
    return 0;
}

/// Set of a kernel with a drive, see driveState(). A command outside its end stops is refused; what
/// sticks without a stated place sticks where it is.
template <class Kernel>
class DriveSet : public KernelSet<Kernel> {
 public:
  using KernelSet<Kernel>::KernelSet;
  bool atFullSpeed(const Evaluation& e, std::size_t i) const override {
    constexpr double kAlmost = 1.0 - 1e-9;
    return std::abs(e.heat[this->yIndex(driveState<Kernel>(), i)]) * Kernel::fullTravelTime(this->instance(i)) >=
           kAlmost;
  }
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "stick" && value != value) value = std::clamp(state.y[this->yIndex(driveState<Kernel>(), i)], 0.0, 1.0);
    if ((verb == "stick" || verb == "set") && !(value >= 0.0 && value <= 1.0)) {
      reason = "'" + std::string(verb) + "' of a " + std::string(this->info().name) + " takes a value from 0 to 1";
      return false;
    }
    return KernelSet<Kernel>::command(state, i, verb, value, reason);
  }
};

template <class Kernel>
void makeDriveSetInto(std::vector<const InstanceDescription*> instances, SetList& out) {
  out.push_back(std::make_unique<DriveSet<Kernel>>(std::move(instances)));
}

template <class Kernel, const RideThroughKind& kKind = kDriveRideThrough>
void makeRidingDriveSetInto(std::vector<const InstanceDescription*> instances, SetList& out) {
  out.push_back(std::make_unique<RidesThrough<DriveSet<Kernel>, kKind>>(std::move(instances)));
}

}  // namespace podtwin
