// Moist air by the ASHRAE Handbook of Fundamentals (2017), chapter 1: ideal-gas mixture of dry air and water vapour.
#pragma once

namespace podtwin::fluids {

/// Saturation pressure of water vapour over ice (below 0.01 degC) or water [Pa] at T [K]; 173.15 K to 473.15 K.
double vapourSaturationPressure(double T);
/// Humidity ratio [kg/kg dry air] at dry bulb T [K], relative humidity [1], pressure p [Pa].
double humidityRatio(double T, double relative_humidity, double p);
/// Humidity ratio of saturated air.
double saturationHumidityRatio(double T, double p);
double humidityRatioFromWetBulb(double T, double wet_bulb, double p);
double relativeHumidityFromRatio(double T, double ratio, double p);
/// Thermodynamic wet bulb [K].
double wetBulb(double T, double relative_humidity, double p);
/// Dew point (frost point below freezing) [K].
double dewPoint(double T, double relative_humidity, double p);
/// Enthalpy [J/kg dry air], zero at 0 degC dry.
double moistAirEnthalpy(double T, double ratio);
/// Volume [m3/kg dry air].
double moistAirVolume(double T, double ratio, double p);
/// Standard pressure [Pa] at an elevation [m].
double standardPressure(double elevation);
/// Approximation of Stull (2011), at sea-level pressure [K]; relative humidity [1].
double stullWetBulb(double T, double relative_humidity);

}  // namespace podtwin::fluids
