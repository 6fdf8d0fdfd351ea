// What a battery declares about itself; the order of states, held values and signals as the kernel reads them.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct BatteryInfo {
  enum State : std::size_t { kAvailable, kBound, kRcVoltage, kStored, kDelivered, kStateCount };
  enum Discrete : std::size_t {
    kBenchPower = kCommonCount,
    kBenchCurrent,
    kStringsOut,
    kEnded,
    kEndedAt,
    kEndedCharge,
    kFull
  };
  enum Signal : std::size_t {
    kSoc,
    kVoltage,
    kCurrent,
    kPower,
    kEnergy,
    kEnergyOut,
    kAutonomy,
    kTemperature,
    kStateSignal,
    kQAvailable,
    kQBound,
    kLoss,
    kStringsIn,
    kEndedSignal,
    kEndedAtSignal
  };
  static const ClassInfo& table();
};

}  // namespace podtwin
