// Moist air by the ASHRAE Handbook of Fundamentals (2017), chapter 1: ideal-gas mixture of dry air and water vapour.
//
//   T          dry bulb [K]                              p       absolute pressure [Pa]
//   ratio      humidity ratio [kg water / kg dry air]    relative_humidity  vapour over saturation pressure [1], 0 to 1
//
// Below the triple point saturation is over ice; a wet bulb below 0 degC is an iced one. The handbook's two wet-bulb
// equations do not meet at 0 degC: for a band of humidity ratios both have a solution and the one over water is taken,
// so the wet bulb steps by some tenths of a kelvin as air dries through freezing.
// Every function throws Error, naming the value and the range, outside its range; nothing is clamped.
#pragma once

namespace podtwin::fluids {

/// Saturation pressure of water vapour over ice (below 273.16 K) or water [Pa]; 173.15 K to 473.15 K.
double vapourSaturationPressure(double T);

/// Humidity ratio of saturated air; the humidity ratio of air with dew point T.
double saturationHumidityRatio(double T, double p);
double humidityRatio(double T, double relative_humidity, double p);
double humidityRatioFromWetBulb(double T, double wet_bulb, double p);
double humidityRatioFromDewPoint(double dew_point, double p);
/// Relative humidity [1]; above 1 for a supersaturated ratio.
double relativeHumidityFromRatio(double T, double ratio, double p);

/// Pressure of the vapour in air of a humidity ratio [Pa].
double vapourPressure(double ratio, double p);

/// Thermodynamic (adiabatic saturation) wet bulb [K].
double wetBulb(double T, double relative_humidity, double p);
double wetBulbFromRatio(double T, double ratio, double p);
/// Dew point [K], the frost point below freezing; there is none (Error) for air drier than at 173.15 K.
double dewPoint(double T, double relative_humidity);
double dewPointFromRatio(double ratio, double p);
double dewPointOfVapour(double vapour_pressure);

/// Enthalpy [J/kg dry air], zero for dry air at 0 degC.
double moistAirEnthalpy(double T, double ratio);
/// Enthalpy of saturated air [J/kg dry air] and its slope by temperature [J/(kg K)].
struct ValueAndSlope {
  double value, slope;
};
ValueAndSlope saturatedAirEnthalpy(double T, double p);
/// Temperature [K] at which saturated air has an enthalpy; throws Error where there is none.
double saturatedAirTemperature(double enthalpy, double p);
/// Volume [m3/kg dry air].
double moistAirVolume(double T, double ratio, double p);

/// Pressure of the standard atmosphere [Pa] at an elevation [m], -5000 m to 11000 m.
double standardPressure(double elevation);
/// Temperature of the standard atmosphere [K] at an elevation [m], -5000 m to 11000 m.
double standardTemperature(double elevation);

/// Wet bulb [K] by the fit of Stull (2011) at sea-level pressure; -20 to 50 degC, 5 to 99 % relative humidity. The fit
/// departs by -1 to +0.65 K from the thermodynamic wet bulb.
double stullWetBulb(double T, double relative_humidity);

}  // namespace podtwin::fluids
