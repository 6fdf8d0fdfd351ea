#include "model/fluids/moist_air.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/base/dual.hpp"
#include "model/fluids/range.hpp"

namespace podtwin::fluids {

namespace {

constexpr double kFreezing = 273.15;                   // K, 0 degC
constexpr double kTriple = 273.16;                     // K
constexpr double kLowest = 173.15, kHighest = 473.15;  // K, range of the saturation equations
constexpr double kMassRatio = 0.621945;                // molar mass of water over that of dry air
constexpr double kDryAirGas = 287.042;                 // J/(kg K)
constexpr double kVolumeFactor = 1.607858;             // 1 / kMassRatio as the handbook prints it

// Heats of the handbook's equations, in kJ/kg and kJ/(kg K) with temperatures in degC.
constexpr double kDryAirHeat = 1.006;        // specific heat of dry air
constexpr double kVapourHeat = 1.86;         // specific heat of water vapour
constexpr double kEvaporation = 2501.0;      // heat of evaporation at 0 degC
constexpr double kSublimation = 2830.0;      // heat of sublimation at 0 degC
constexpr double kEvaporationSlope = 2.326;  // kLiquidHeat less kVapourHeat
constexpr double kSublimationSlope = 0.24;   // kIceHeat less kVapourHeat
constexpr double kLiquidHeat = 4.186;
constexpr double kIceHeat = 2.1;

enum class Bulb { ice, water };

/// Logarithm of the saturation pressure [Pa]: Hyland and Wexler (1983), equations 5 (ice) and 6 (water).
template <class S>
S logSaturation(const S& T, Bulb over) {
  using std::log;
  constexpr std::array<double, 7> kIce{-5.6745359e3, 6.3925247,      -9.6778430e-3, 6.2215701e-7,
                                       2.0747825e-9, -9.4840240e-13, 4.1635019};
  constexpr std::array<double, 7> kWater{-5.8002206e3,  1.3914993, -4.8640239e-2, 4.1764768e-5,
                                         -1.4452093e-8, 0.0,       6.5459673};
  const auto& c = over == Bulb::ice ? kIce : kWater;
  return c[0] / T + (c[1] + T * (c[2] + T * (c[3] + T * (c[4] + T * c[5])))) + c[6] * log(T);
}

void checkTemperature(double T) { requireRange("moist air", "temperature", T, kLowest, kHighest, "K"); }
void checkHumidity(double relative_humidity) {
  requireRange("moist air", "relative humidity", relative_humidity, 0.0, 1.0, "");
}
void checkPressure(double p) {
  constexpr double kLow = 1e3,
                   kHigh = 1e7;  // Pa; wide limits against a wrong unit, the ideal-gas error is the caller's
  requireRange("moist air", "pressure", p, kLow, kHigh, "Pa");
}
void checkRatio(double ratio) {
  constexpr double kMost = 10.0;  // kg/kg; nearly pure vapour, against a wrong unit
  requireRange("moist air", "humidity ratio", ratio, 0.0, kMost, "kg/kg");
}
void checkElevation(double elevation) {
  constexpr double kLow = -5000.0, kHigh = 11000.0;  // m, range of the handbook's standard atmosphere
  requireRange("standard atmosphere", "elevation", elevation, kLow, kHigh, "m");
}

double ratioOfVapour(double vapour, double T, double p) {
  if (!(vapour < p))
    throw Error("moist air: at " + inWords(T) + " K the vapour pressure " + inWords(vapour) +
                " Pa reaches the pressure " + inWords(p) + " Pa; there is no dry air");
  return kMassRatio * vapour / (p - vapour);
}

/// Handbook equations 33 and 35 solved for the humidity ratio. Temperatures in K.
double ratioAtWetBulb(double T, double wet, double p, Bulb bulb) {
  const double t = T - kFreezing, w = wet - kFreezing;
  const double saturated = ratioOfVapour(std::exp(logSaturation(wet, bulb)), wet, p);
  if (bulb == Bulb::water)
    return ((kEvaporation - kEvaporationSlope * w) * saturated - kDryAirHeat * (t - w)) /
           (kEvaporation + kVapourHeat * t - kLiquidHeat * w);
  return ((kSublimation - kSublimationSlope * w) * saturated - kDryAirHeat * (t - w)) /
         (kSublimation + kVapourHeat * t - kIceHeat * w);
}

constexpr int kMostSteps = 100;       // Newton takes 4 to 10
constexpr double kConverged = 1e-11;  // K

/// The wet bulb where the balance of equation 33 or 35, multiplied by (p - vapour pressure), vanishes. Written so the
/// balance is smooth, rising and convex in the wet bulb: Newton from the right end never overshoots.
double solveWetBulb(double T, double ratio, double p, double start, Bulb bulb) {
  const double latent = bulb == Bulb::water ? kEvaporation : kSublimation;
  const double latent_slope = bulb == Bulb::water ? kEvaporationSlope : kSublimationSlope;
  const double bulb_heat = bulb == Bulb::water ? kLiquidHeat : kIceHeat;
  const double t = T - kFreezing;
  double wet = start;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto x = Dual<1>::unknown(wet, 0);
    const auto w = x - kFreezing;
    const auto vapour = exp(logSaturation(x, bulb));
    const auto balance = (latent - latent_slope * w) * (kMassRatio * vapour) -
                         (p - vapour) * (kDryAirHeat * (t - w) + ratio * (latent + kVapourHeat * t - bulb_heat * w));
    const double change = balance.value / balance.d[0];
    wet -= change;
    if (std::fabs(change) < kConverged) return wet;
  }
  throw Error("moist air: the wet bulb at " + inWords(T) + " K, " + inWords(ratio) + " kg/kg, " + inWords(p) +
              " Pa was not found");
}

/// Newton in 1/T, in which the logarithm of the saturation pressure is nearly straight.
double solveDewPoint(double vapour) {
  constexpr double kStart = 280.0;  // K, any would do
  if (!(vapour >= vapourSaturationPressure(kLowest) && vapour <= vapourSaturationPressure(kHighest)))
    throw Error("moist air: a vapour pressure of " + inWords(vapour) + " Pa has no dew point from " + inWords(kLowest) +
                " to " + inWords(kHighest) + " K");
  const double target = std::log(vapour);
  const Bulb over = target >= logSaturation(kTriple, Bulb::water) ? Bulb::water : Bulb::ice;
  double T = kStart;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto f = logSaturation(Dual<1>::unknown(T, 0), over);
    const double next = 1.0 / (1.0 / T + (f.value - target) / (f.d[0] * T * T));
    const double change = next - T;
    T = next;
    if (std::fabs(change) < kConverged) return T;
  }
  throw Error("moist air: the dew point at a vapour pressure of " + inWords(vapour) + " Pa was not found");
}

}  // namespace

double vapourSaturationPressure(double T) {
  checkTemperature(T);
  return std::exp(logSaturation(T, T < kTriple ? Bulb::ice : Bulb::water));
}

double saturationHumidityRatio(double T, double p) {
  checkPressure(p);
  return ratioOfVapour(vapourSaturationPressure(T), T, p);
}

double humidityRatio(double T, double relative_humidity, double p) {
  checkHumidity(relative_humidity);
  checkPressure(p);
  return ratioOfVapour(relative_humidity * vapourSaturationPressure(T), T, p);
}

double humidityRatioFromWetBulb(double T, double wet_bulb, double p) {
  checkTemperature(T);
  checkPressure(p);
  requireRange("moist air", "wet bulb", wet_bulb, kLowest, T, "K");
  const double ratio = ratioAtWetBulb(T, wet_bulb, p, wet_bulb < kFreezing ? Bulb::ice : Bulb::water);
  if (ratio < 0.0)
    throw Error("moist air: a wet bulb of " + inWords(wet_bulb) + " K is below that of dry air at " + inWords(T) +
                " K");
  return ratio;
}

double humidityRatioFromDewPoint(double dew_point, double p) { return saturationHumidityRatio(dew_point, p); }

double vapourPressure(double ratio, double p) {
  checkRatio(ratio);
  checkPressure(p);
  return p * ratio / (kMassRatio + ratio);
}

double relativeHumidityFromRatio(double T, double ratio, double p) {
  return vapourPressure(ratio, p) / vapourSaturationPressure(T);
}

double wetBulbFromRatio(double T, double ratio, double p) {
  constexpr double kRounding =
      1e-9;  // relative; saturated air computed by the functions above may exceed 1 by rounding
  const double relative_humidity = relativeHumidityFromRatio(T, ratio, p);
  if (relative_humidity > 1.0 + kRounding)
    throw Error("moist air: " + inWords(ratio) + " kg/kg at " + inWords(T) + " K and " + inWords(p) +
                " Pa is supersaturated (relative humidity " + inWords(relative_humidity) + ")");
  const bool over_water = T >= kFreezing && ratio >= ratioAtWetBulb(T, kFreezing, p, Bulb::water);
  const double wet = over_water ? solveWetBulb(T, ratio, p, T, Bulb::water)
                                : solveWetBulb(T, ratio, p, T < kFreezing ? T : kFreezing, Bulb::ice);
  requireRange("moist air", "wet bulb", wet, kLowest, kHighest, "K");
  return wet;
}

double wetBulb(double T, double relative_humidity, double p) {
  return wetBulbFromRatio(T, humidityRatio(T, relative_humidity, p), p);
}

double dewPoint(double T, double relative_humidity) {
  checkHumidity(relative_humidity);
  return solveDewPoint(relative_humidity * vapourSaturationPressure(T));
}

double dewPointOfVapour(double vapour_pressure) { return solveDewPoint(vapour_pressure); }

double dewPointFromRatio(double ratio, double p) { return solveDewPoint(vapourPressure(ratio, p)); }

double moistAirEnthalpy(double T, double ratio) {
  constexpr double kJoule = 1000.0;  // J/kJ
  checkTemperature(T);
  checkRatio(ratio);
  const double t = T - kFreezing;
  return kJoule * (kDryAirHeat * t + ratio * (kEvaporation + kVapourHeat * t));
}

ValueAndSlope saturatedAirEnthalpy(double T, double p) {
  constexpr double kJoule = 1000.0;  // J/kJ
  checkTemperature(T);
  checkPressure(p);
  const auto x = Dual<1>::unknown(T, 0);
  const auto vapour = exp(logSaturation(x, T < kTriple ? Bulb::ice : Bulb::water));
  ratioOfVapour(vapour.value, T, p);  // throws where there is no dry air
  const auto t = x - kFreezing;
  const auto h = kJoule * (kDryAirHeat * t + kMassRatio * vapour / (p - vapour) * (kEvaporation + kVapourHeat * t));
  return {h.value, h.d[0]};
}

double saturatedAirTemperature(double enthalpy, double p) {
  constexpr double kRichest = 0.99999;  // share of vapour in the pressure
  checkPressure(p);
  double low = kLowest, high = dewPointOfVapour(std::min(kRichest * p, vapourSaturationPressure(kHighest)));
  const double least = saturatedAirEnthalpy(low, p).value, most = saturatedAirEnthalpy(high, p).value;
  requireRange("saturated air", "enthalpy", enthalpy, least, most, "J/kg");
  // Newton within its bracket: enthalpy rises and is convex.
  double T = 0.5 * (low + high);
  for (int step = 0; step < kMostSteps; ++step) {
    const auto at = saturatedAirEnthalpy(T, p);
    (at.value < enthalpy ? low : high) = T;
    double next = T - (at.value - enthalpy) / at.slope;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const double change = next - T;
    T = next;
    if (std::fabs(change) < kConverged) return T;
  }
  throw Error("saturated air: the temperature at " + inWords(enthalpy) + " J/kg and " + inWords(p) +
              " Pa was not found");
}

double moistAirVolume(double T, double ratio, double p) {
  checkTemperature(T);
  checkRatio(ratio);
  checkPressure(p);
  return kDryAirGas * T * (1.0 + kVolumeFactor * ratio) / p;
}

double standardPressure(double elevation) {
  // Handbook equation 3.
  constexpr double kSeaLevel = 101325.0, kLapse = 2.25577e-5, kExponent = 5.2559;
  checkElevation(elevation);
  return kSeaLevel * std::pow(1.0 - kLapse * elevation, kExponent);
}

double standardTemperature(double elevation) {
  // Handbook equation 4.
  constexpr double kSeaLevel = 288.15, kLapse = 0.0065;  // K, K/m
  checkElevation(elevation);
  return kSeaLevel - kLapse * elevation;
}

double stullWetBulb(double T, double relative_humidity) {
  // R. Stull, Wet-Bulb Temperature from Relative Humidity and Air Temperature, J. Appl. Meteor. Climatol. 50 (2011)
  // 2267.
  constexpr double kLowT = 253.15, kHighT = 323.15, kLowHumidity = 0.05, kHighHumidity = 0.99, kPercent = 100.0;
  requireRange("Stull's wet bulb", "temperature", T, kLowT, kHighT, "K");
  requireRange("Stull's wet bulb", "relative humidity", relative_humidity, kLowHumidity, kHighHumidity, "");
  const double t = T - kFreezing, rh = kPercent * relative_humidity;
  return kFreezing + t * std::atan(0.151977 * std::sqrt(rh + 8.313659)) + std::atan(t + rh) - std::atan(rh - 1.676331) +
         0.00391838 * std::pow(rh, 1.5) * std::atan(0.023101 * rh) - 4.686035;
}

}  // namespace podtwin::fluids
