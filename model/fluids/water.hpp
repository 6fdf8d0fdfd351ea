// Liquid water: IAPWS-IF97 region 1 and saturation line, IAPWS viscosity (2008) and conductivity (2011, without
// critical enhancement). Valid for 273.15 K <= T <= 623.15 K at pressures above saturation up to 100 MPa.
#pragma once

namespace podtwin::fluids {

/// T [K], p absolute [Pa]. Throw Error outside the region; nothing is clamped.
double waterDensity(double T, double p);         ///< kg/m3
double waterSpecificHeat(double T, double p);    ///< J/(kg K), isobaric
double waterEnthalpy(double T, double p);        ///< J/kg
double waterEntropy(double T, double p);         ///< J/(kg K)
double waterInternalEnergy(double T, double p);  ///< J/kg
double waterSoundSpeed(double T, double p);      ///< m/s
double waterSaturationPressure(double T);        ///< Pa
double waterSaturationTemperature(double p);     ///< K

/// Transport properties at T [K] and density [kg/m3].
double waterViscosity(double T, double density);     ///< Pa s, dynamic
double waterConductivity(double T, double density);  ///< W/(m K)

}  // namespace podtwin::fluids
