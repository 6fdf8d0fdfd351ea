// What the chiller class declares, and the order of its held values and signals.
#pragma once

#include "model/system/component_set.hpp"

namespace podtwin {

extern const ClassInfo kChillerInfo;

enum ChillerDiscrete : std::size_t {
  kChillerState = kCommonCount,
  kChillerBootedAt,
  kChillerAvailableSince,
  kChillerProvenSince,
  kChillerLostSince,
  kChillerStoppedAt,
  kChillerAveraged,
};

enum ChillerSignal : std::size_t {
  kChillerHeat,
  kChillerPower,
  kChillerCop,
  kChillerLeaving,
  kChillerLoad,
  kChillerRunning,
  kChillerSaturated,
  kChillerAvailable,
  kChillerCycling,
  kChillerHotGas,
  kChillerEntering,
  kChillerCondenserEntering,
  kChillerCondenserLeaving,
  kChillerRejected,
  kChillerLift,
  kChillerExtrapolated,
  kChillerOutsideCurves,
  kChillerStateSignal,
  kChillerTimeToStart,
  kChillerCompressorCop,
};

}  // namespace podtwin
