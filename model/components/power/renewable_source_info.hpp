// What a renewable source declares about itself; the order of states, held values and signals.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct RenewableSourceInfo {
  enum State : std::size_t { kDelivered, kWithheld, kStateCount };
  enum Discrete : std::size_t { kLimit = kCommonCount, kConnected, kLiveSince };
  enum Signal : std::size_t {
    kPower,
    kReactive,
    kAvailable,
    kCurtailed,
    kLoading,
    kLimitSignal,
    kConnectedSignal,
    kEnergyOut,
    kEnergyCurtailed
  };
  static const ClassInfo& table();
};

}  // namespace podtwin
