#include "model/fluids/moist_air.hpp"

#include <cmath>
#include <string>

#include "model/base/diagnostics.hpp"

namespace podtwin::fluids {

namespace {
constexpr double kZero = 273.15;            // K
constexpr double kTriple = 273.16;          // K
constexpr double kMassRatio = 0.621945;     // water to dry air
constexpr double kDryAirGas = 287.042;      // J/(kg K)
}  // namespace

double vapourSaturationPressure(double T) {
  constexpr double kLow = 173.15, kHigh = 473.15;
  if (!(T >= kLow && T <= kHigh)) throw Error("moist air: temperature " + std::to_string(T) + " K is outside 173.15 to 473.15 K");
  if (T < kTriple)  // Hyland and Wexler 1983, over ice
    return std::exp(-5.6745359e3 / T + 6.3925247 - 9.677843e-3 * T + 6.2215701e-7 * T * T + 2.0747825e-9 * T * T * T -
                    9.484024e-13 * T * T * T * T + 4.1635019 * std::log(T));
  return std::exp(-5.8002206e3 / T + 1.3914993 - 4.8640239e-2 * T + 4.1764768e-5 * T * T - 1.4452093e-8 * T * T * T + 6.5459673 * std::log(T));
}

double saturationHumidityRatio(double T, double p) {
  const double vapour = vapourSaturationPressure(T);
  if (!(vapour < p)) throw Error("moist air: water boils at " + std::to_string(T) + " K and " + std::to_string(p) + " Pa");
  return kMassRatio * vapour / (p - vapour);
}

double humidityRatio(double T, double relative_humidity, double p) {
  if (!(relative_humidity >= 0.0 && relative_humidity <= 1.0))
    throw Error("moist air: relative humidity " + std::to_string(relative_humidity) + " is outside 0 to 1");
  const double vapour = relative_humidity * vapourSaturationPressure(T);
  return kMassRatio * vapour / (p - vapour);
}

double humidityRatioFromWetBulb(double T, double wet, double p) {
  const double t = T - kZero, w = wet - kZero;
  const double saturated = saturationHumidityRatio(wet, p);
  if (wet >= kTriple) return ((2501.0 - 2.326 * w) * saturated - 1.006 * (t - w)) / (2501.0 + 1.86 * t - 4.186 * w);
  return ((2830.0 - 0.24 * w) * saturated - 1.006 * (t - w)) / (2830.0 + 1.86 * t - 2.1 * w);
}

double relativeHumidityFromRatio(double T, double ratio, double p) {
  return p * ratio / (kMassRatio + ratio) / vapourSaturationPressure(T);
}

double dewPoint(double T, double relative_humidity, double p) {
  (void)p;
  const double vapour = relative_humidity * vapourSaturationPressure(T);
  if (!(vapour > vapourSaturationPressure(173.15))) throw Error("moist air: the dew point of air this dry is below 173.15 K");
  double low = 173.15, high = T;
  for (int i = 0; i < 200 && high - low > 1e-10; ++i) {
    const double middle = 0.5 * (low + high);
    (vapourSaturationPressure(middle) > vapour ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

double wetBulb(double T, double relative_humidity, double p) {
  const double ratio = humidityRatio(T, relative_humidity, p);
  constexpr double kSpan = 70.0;  // K; the wet bulb is never further below a dry bulb under 90 degC
  double low = T - kSpan < 173.15 ? 173.15 : T - kSpan, high = T;
  for (int i = 0; i < 200 && high - low > 1e-10; ++i) {
    const double middle = 0.5 * (low + high);
    (humidityRatioFromWetBulb(T, middle, p) > ratio ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

double moistAirEnthalpy(double T, double ratio) {
  const double t = T - kZero;
  return 1000.0 * (1.006 * t + ratio * (2501.0 + 1.86 * t));
}

double moistAirVolume(double T, double ratio, double p) { return kDryAirGas * T * (1.0 + 1.607858 * ratio) / p; }

double standardPressure(double elevation) { return 101325.0 * std::pow(1.0 - 2.25577e-5 * elevation, 5.2559); }

double stullWetBulb(double T, double relative_humidity) {
  const double t = T - kZero, rh = 100.0 * relative_humidity;
  return kZero + t * std::atan(0.151977 * std::sqrt(rh + 8.313659)) + std::atan(t + rh) - std::atan(rh - 1.676331) +
         0.00391838 * std::pow(rh, 1.5) * std::atan(0.023101 * rh) - 4.686035;
}

}  // namespace podtwin::fluids
