// How the load of a rack divides among its power shelves, and what its stores give when they cannot carry it.
// Equations: rack.md.
#pragma once

#include <span>

namespace podtwin {

/// Stores at the busbar of a rack. Energies in J, powers in W DC, times in s.
struct RackStores {
  double capacitor_energy = 0.0;
  double recharge_time = 0.0, recharge_power = 0.0;  ///< of the capacitors
  double smoothing_time = 0.0;                       ///< 0: capacitors carry no swings
  double bbu_energy = 0.0, bbu_power = 0.0, bbu_recharge_power = 0.0;
};

/// Energy [J] missing from each store.
struct MissingEnergy {
  double capacitors = 0.0, bbu = 0.0;
};

/// Power [W DC] by origin. Capacitors and battery backup: negative while they are charged.
struct BusbarPower {
  double supplies = 0.0, bbu = 0.0, capacitors = 0.0;
};

/// Division of `demand` [W] when the supplies can give `capability` [W]. `smoothed` [W] is the demand as the smoothing
/// filter has it; read with a smoothing time alone. A battery that is at its end (`bbu_ended`) gives nothing.
BusbarPower divideBusbar(const RackStores& stores, const MissingEnergy& missing, bool bbu_ended, double capability,
                         double demand, double smoothed);

/// Shelves share `demand` [W] in proportion to `weights`; one that is full stays so and the others take the rest.
/// Without enough of them all are full. `power` [W] a shelf; all spans of one length.
void shareAmongShelves(double demand, std::span<const double> ratings, std::span<const double> weights,
                       std::span<double> power);

}  // namespace podtwin
