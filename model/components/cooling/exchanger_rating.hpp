// What a plate heat exchanger's record says of it, whichever way it is stated: conductance and nominal flows.
#pragma once

#include "model/base/diagnostics.hpp"
#include "model/system/plant_description.hpp"

namespace podtwin {

struct ExchangerRating {
  double ua = 1.0;                         ///< W/K
  double hot_flow = 1.0, cold_flow = 1.0;  ///< kg/s
};

/// From `ua` or `nominal_effectiveness` with flows, or from `nominal_heat` with two of flow, inlet and outlet
/// temperature a side; specific heats in J/(kg K). What contradicts itself or is impossible is reported; the rating is
/// then only fit to go on binding with.
ExchangerRating exchangerRating(const InstanceDescription& d, double cp_hot, double cp_cold, Diagnostics& problems);

}  // namespace podtwin
