// What a grid connection declares about itself; the order of held values and signals as the kernel reads them.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct UtilityInfo {
  enum Discrete : std::size_t {
    kVoltageShare = kCommonCount,
    kFrequencyFrom,
    kFrequencyTo,
    kRampUntil,
    kOverSince,
    kExceeded
  };
  enum Signal : std::size_t {
    kPower,
    kLoading,
    kAvailable,
    kReactive,
    kCurrentA,
    kCurrentB,
    kCurrentC,
    kFrequency,
    kImportMargin,
    kImportExceeded
  };
  static const ClassInfo& table();
};

}  // namespace podtwin
