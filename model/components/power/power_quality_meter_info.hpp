// What a power quality meter declares about itself; the order of held values and signals.
#pragma once

#include <cstddef>

#include "model/components/power/sliding_window.hpp"
#include "model/system/component_set.hpp"

namespace podtwin {

struct PowerQualityMeterInfo {
  /// Windows of `ramp`, `range` and `oscillation`, each in a ring of its own.
  enum Ring : std::size_t { kRampRing, kRangeRing, kOscillationRing, kRings };
  enum Discrete : std::size_t {
    kSampledAt = kCommonCount,
    kWindowSince,
    kReference,
    kLast,
    kBand,
    kHighPassFirst,
    kHighPassSecond,
    kLowPassFirst,
    kLowPassSecond,
    kFirstCell
  };
  static constexpr std::size_t cell(std::size_t ring, std::size_t k) {
    return kFirstCell + ring * SlidingWindow::kCells + k;
  }
  enum Signal : std::size_t {
    kPower,
    kRamp,
    kRampMagnitude,
    kRange,
    kRangeShare,
    kOscillation,
    kOscillationShare,
    kMeasures
  };
  enum Limit : std::size_t { kRampLimit, kRangeLimit, kOscillationLimit };
  static const ClassInfo& table();
};

}  // namespace podtwin
