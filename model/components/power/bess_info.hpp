// What a battery energy storage system declares about itself; the order of states, held values and signals.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct BessInfo {
  enum State : std::size_t { kCharge, kStored, kDelivered, kStateCount };
  enum Discrete : std::size_t {
    kDispatch = kCommonCount,
    kSetPoint,
    kTarget,
    kFrom,
    kOrderedAt,
    kMean,
    kSampledAt,
    kForms,
    kDeadSince,
    kEmpty,
    kFull,
    kOverloaded,
    kEndedAt
  };
  enum Signal : std::size_t {
    kPower,
    kReactive,
    kSoc,
    kEnergy,
    kLoss,
    kLoading,
    kTargetSignal,
    kDispatchSignal,
    kGridForming,
    kAutonomy,
    kEmptySignal,
    kEnergyOut,
    kEndedAtSignal
  };
  static const ClassInfo& table();
};

/// Values of `dispatch`.
enum class BessDispatch : int { idle, set_point, peak_shaving, smoothing, ramp_limit, backup };

}  // namespace podtwin
