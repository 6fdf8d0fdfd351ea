// What a UPS declares about itself; the order of states, held values and signals as the kernel reads them.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct UpsInfo {
  static constexpr std::size_t kMostDips = 5;  ///< that its counter can count to
  enum State : std::size_t { kOverload, kStateCount };
  enum Discrete : std::size_t {
    kPresent = kCommonCount,
    kWanted,
    kOrder,
    kInputGood,
    kStoreReady,
    kBypassLive,
    kReturnsByItself,
    kLatchedOff,
    kForgets,
    kCharges,
    kReturnAt,
    kRetransferAt,
    kWalkFrom,
    kWalkPoints,
    kLockedUntil,
    kFramesOut,
    kFirstDip,
    kDiscreteEnd = kFirstDip + kMostDips
  };
  enum Signal : std::size_t {
    kLoad,
    kLoss,
    kEfficiency,
    kLoading,
    kModeSignal,
    kReactive,
    kCurrentA,
    kCurrentB,
    kCurrentC,
    kInputPower,
    kBatteryPower,
    kAutonomy,
    kSoc,
    kOverloadTimeLeft,
    kInputShare,
    kDips,
    kFramesIn,
    kOnBattery,
    kOnBypass,
    kLowAutonomy
  };
  static const ClassInfo& table();
};

/// What carries the output; written as `mode`.
enum class UpsMode : int { off = 0, double_conversion = 1, battery = 2, bypass = 3, eco = 4, maintenance = 5 };

}  // namespace podtwin
