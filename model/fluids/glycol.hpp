// Glycol-water coolants: properties of the base fluids (inhibitors are not in the data), pressure neglected.
// By mass: Melinder (2010), 0 to 0.6, 173.15 to 373.15 K. By volume: ASHRAE handbook (2001), 0.1 to 0.6, 238.15 to
// 373.15 K. Polynomials fitted by CoolProp (MIT licence; see glycol_coefficients.hpp).
#pragma once

#include <utility>

namespace podtwin::fluids {

enum class Glycol { propylene_by_mass, propylene_by_volume, ethylene_by_mass, ethylene_by_volume };

/// Properties at temperature T [K] and glycol fraction x [1] of mass or volume as the name says.
/// Outside the data's range, or below the freezing point, they throw Error naming the value and the range; nothing is
/// clamped.
double glycolDensity(Glycol glycol, double T, double x);       ///< kg/m3
double glycolSpecificHeat(Glycol glycol, double T, double x);  ///< J/(kg K)
double glycolConductivity(Glycol glycol, double T, double x);  ///< W/(m K)
double glycolViscosity(Glycol glycol, double T, double x);     ///< Pa s, dynamic
double glycolFreezingPoint(Glycol glycol, double x);           ///< K
/// Temperatures [K] of the data at fraction x: lowest, not below the freezing point, and highest.
std::pair<double, double> glycolRange(Glycol glycol, double x);

}  // namespace podtwin::fluids
