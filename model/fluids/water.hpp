// Liquid water: IAPWS-IF97 region 1 and saturation line, IAPWS viscosity (2008) and conductivity (2011, without
// critical enhancement), surface tension (1976, 2014). Liquid: 273.15 K <= T <= 623.15 K at pressures from saturation
// to 100 MPa.
#pragma once

namespace podtwin::fluids {

/// T [K], p absolute [Pa]. Throw Error outside the region, boiling water included; nothing is clamped.
double waterDensity(double T, double p);         ///< kg/m3
double waterSpecificHeat(double T, double p);    ///< J/(kg K), isobaric
double waterEnthalpy(double T, double p);        ///< J/kg
double waterEntropy(double T, double p);         ///< J/(kg K)
double waterInternalEnergy(double T, double p);  ///< J/kg
double waterSoundSpeed(double T, double p);      ///< m/s
double waterSaturationPressure(double T);        ///< Pa
double waterSaturationTemperature(double p);     ///< K
double waterPrandtl(double T, double p);         ///< 1
double waterSurfaceTension(double T);            ///< N/m, against its vapour

/// Transport properties at T [K] and density [kg/m3], gas included: 273.15 to 1173.15 K, 0 to 1250 kg/m3.
double waterViscosity(double T, double density);     ///< Pa s, dynamic
double waterConductivity(double T, double density);  ///< W/(m K)

}  // namespace podtwin::fluids
