// What a generator declares about itself; the order of states, held values and signals as the kernel reads them.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct GeneratorInfo {
  enum State : std::size_t { kSpeed, kActuator, kEngine, kIntegral, kFuelUsed, kRunning, kExcitation, kStateCount };
  enum Discrete : std::size_t {
    kPhase = kCommonCount,
    kDue,
    kAttempts,
    kStarts,
    kResting,
    kFires,
    kFailing,
    kBefore,
    kWillClose,
    kReference,
    kDeadSince,
    kOverloadSince,
    kReverseSince,
    kUnderSince,
    kOverSince,
    kOutSince,
    kSeedHigh,
    kSeedLow
  };
  enum Signal : std::size_t {
    kFrequency,
    kPower,
    kStateSignal,
    kLoading,
    kDeviation,
    kEnginePower,
    kActuatorSignal,
    kFuelLimited,
    kFuelLevel,
    kFuelRate,
    kFuelUsedSignal,
    kRunningSignal,
    kStartsSignal,
    kAttemptsSignal,
    kDip,
    kRise,
    kRecovery,
    kLowLoad,
    kFailed,
    kReactive,
    kCurrent,
    kExcitationSignal,
    kVoltage
  };
  enum Limit : std::size_t { kDipLimit, kRiseLimit, kRecoveryLimit };
  static const ClassInfo& table();
};

/// Values of `state`.
enum class GeneratorPhase { stopped, cranking, warming_up, ready, on_line, cooling_down, failed_to_start, tripped };

}  // namespace podtwin
