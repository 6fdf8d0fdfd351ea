// What a transfer switch declares about itself; the order of held values as the kernel reads them.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct TransferSwitchInfo {
  static constexpr double kNone = -1.0;  ///< value of a moment that is not set
  static constexpr std::size_t kSources = 2;
  enum Discrete : std::size_t {
    kPosition = kCommonCount,
    kTarget,
    kDue,
    kUnsoundSince,
    kSoundSince,
    kTransfers = kSoundSince + kSources,
    kAngle,
    kKnownLoad,
    kInhibited
  };
  static const ClassInfo& table();
};

}  // namespace podtwin
