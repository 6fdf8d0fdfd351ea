// Table of the PI controller, and the places of what it holds and shows.
#pragma once

#include "model/system/component_set.hpp"

namespace podtwin {

extern const ClassInfo kPiControllerInfo;

enum PiControllerDiscrete : std::size_t {
  kSetPoint = kCommonCount,
  kHeldRate,
  kHeldOutput,
  kNextSample,
  kTracking,
  kInForce,
  kDewLimit,
  kByOperator,
  kLimiter,
  kBackAt,
  kWasDown,
  kTurnDirection,
  kTurnExtreme,
  kTurns
};

/// Values of the signal `override`.
enum PiOverride : int {
  kNoOverride = 0,
  kDewPointOverride,
  kRateOverride,
  kSignalLost,
  kControllerDown,
  kDrivesManual
};

}  // namespace podtwin
