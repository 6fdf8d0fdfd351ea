// Glycol-water coolants: properties of the base fluids (inhibitors are not in the data), pressure neglected.
#pragma once

namespace podtwin::fluids {

enum class Glycol { propylene_by_mass, propylene_by_volume, ethylene_by_mass, ethylene_by_volume };

/// Properties at temperature T [K] and glycol fraction x [1] of mass or volume as the name says.
/// Throw Error naming the value and the range outside the data's range; nothing is clamped.
double glycolDensity(Glycol glycol, double T, double x);          ///< kg/m3
double glycolSpecificHeat(Glycol glycol, double T, double x);     ///< J/(kg K)
double glycolConductivity(Glycol glycol, double T, double x);     ///< W/(m K)
double glycolViscosity(Glycol glycol, double T, double x);        ///< Pa s, dynamic
double glycolFreezingPoint(Glycol glycol, double x);              ///< K

}  // namespace podtwin::fluids
