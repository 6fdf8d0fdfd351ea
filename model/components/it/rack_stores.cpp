#include "model/components/it/rack_stores.hpp"

#include <algorithm>
#include <cstddef>

namespace podtwin {

BusbarPower divideBusbar(const RackStores& stores, const MissingEnergy& missing, bool bbu_ended, double capability,
                         double demand, double smoothed) {
  BusbarPower p;
  if (demand > capability) {
    p.supplies = capability;
    p.bbu = bbu_ended ? 0.0 : std::min(demand - capability, stores.bbu_power);
    p.capacitors = demand - capability - p.bbu;
    return p;
  }
  const double back = missing.capacitors / stores.recharge_time;  // W that brings the capacitors back
  double asked = demand + std::clamp(back, 0.0, stores.recharge_power);
  if (stores.smoothing_time > 0.0) {
    asked = smoothed + back;
    if (missing.capacitors <= 0.0) asked = std::min(asked, demand);                      // full: takes no more
    if (missing.capacitors >= stores.capacitor_energy) asked = std::max(asked, demand);  // empty: gives no more
  }
  p.supplies = std::clamp(asked, 0.0, capability);
  p.capacitors = demand - p.supplies;
  if (missing.bbu <= 0.0) return p;
  const double recharge =
      std::min({missing.bbu / stores.recharge_time, stores.bbu_recharge_power, capability - p.supplies});
  p.bbu = -recharge;
  p.supplies += recharge;
  return p;
}

void shareAmongShelves(double demand, std::span<const double> ratings, std::span<const double> weights,
                       std::span<double> power) {
  std::fill(power.begin(), power.end(), 0.0);
  double left = demand;
  for (bool filled = true; filled && left > 0.0;) {
    filled = false;
    double sum = 0.0;
    for (std::size_t s = 0; s < power.size(); ++s)
      if (power[s] < ratings[s]) sum += weights[s];
    if (sum == 0.0) return;
    for (std::size_t s = 0; s < power.size(); ++s)
      if (power[s] < ratings[s] && left * weights[s] / sum >= ratings[s]) {
        power[s] = ratings[s];
        filled = true;
      }
    left = demand;
    for (std::size_t s = 0; s < power.size(); ++s)
      if (power[s] >= ratings[s]) left -= power[s];
    if (filled) continue;
    for (std::size_t s = 0; s < power.size(); ++s)
      if (power[s] < ratings[s]) power[s] = left * weights[s] / sum;
    return;
  }
}

}  // namespace podtwin
