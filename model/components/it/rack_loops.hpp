// The loops over the chips of one rack, written so that they fill vector units. Equations: rack.md.
#pragma once

#include <cstddef>

#include "model/fluids/coolant_law.hpp"

namespace podtwin::rack_loops {

/// What the GPUs of a rack share in finding their power.
struct GpuPowerLaw {
  double idle, dynamic;        ///< W; dynamic: power limit less idle
  double leakage, leakage_at;  ///< W/K, K
  double limit, throttled;     ///< W
};

struct GpuPowerSums {
  double power = 0.0;        ///< W
  double utilisation = 0.0;  ///< 1, summed over the GPUs
};

/// Power [W] of n GPUs from utilisation [1], die temperature [K] and their discrete values (`throttled` as a share of
/// time from 0 to 1, the others 0 or not; a cap of 0 W is none). A die that is not a number has a power that is not a
/// number.
GpuPowerSums gpuPowers(std::size_t n, const GpuPowerLaw& law, const double* utilisation, const double* throttled,
                       const double* shut_down, const double* tripped, const double* cap, const double* t_die,
                       double* power);

/// Gives n chips the power `each` [W], for the share of time they are `throttled` not more than `throttle_power`, those
/// shut down none; returns what that takes away [W], 0 when nothing is held.
double heldPowers(std::size_t n, double each, double throttle_power, const double* throttled, const double* shut_down,
                  double* power);

/// Two capacities in a row, the die and the plate it sits on, with the conductance [W/K] between them.
struct ChipLaw {
  double plate_share;  ///< of the power, the share that leaves through the plate
  double junction_to_plate;
  double inverse_die, inverse_plate;  ///< K/J
};

/// Rates [K/s] of n dies and plates from power [W] and, a plate, the conductance [W/K] to the temperature `t_in` [K]
/// at the coolant's inlet; `taken` is the heat [W] each plate gives to the coolant.
void chipRates(std::size_t n, const ChipLaw& law, const double* power, const double* t_die, const double* t_plate,
               const double* plate_to_inlet, double t_in, double* d_die, double* d_plate, double* taken);

/// The values that belong to n flows on a straight line through two of them.
void straight(std::size_t n, const double* flow, double at, double value, double slope, double* out);

/// Enthalpies [J/kg] of n coolant volumes from the temperatures [K] that they carry at the nominal specific heat.
void enthalpies(std::size_t n, double specific_heat, const double* carried, double* enthalpy);

/// heat += taken + extra + flow * share * (enthalpy_in - enthalpy) for n coolant volumes with shares of a mass flow
/// [kg/s]; returns the sum of their shares times enthalpies [J/kg].
double coolantHeat(std::size_t n, double extra, double flow, const double* share, double enthalpy_in,
                   const double* enthalpy, const double* taken, double* heat);

}  // namespace podtwin::rack_loops
