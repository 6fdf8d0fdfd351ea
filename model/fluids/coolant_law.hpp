// Properties of a coolant at any temperature, as polynomials that the solution can evaluate and differentiate cheaply.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "model/fluids/coolant.hpp"

namespace podtwin::fluids {

/// Zero of the enthalpy and of stored heat [K].
inline constexpr double kReferenceTemperature = 273.15;

/// Polynomial of temperature, in s = (T - middle) / half_width so that its coefficients are well scaled.
template <int Degree>
struct PolynomialOf {
  static constexpr int kDegree = Degree;
  double middle = kReferenceTemperature, half_width = 1.0;  ///< K
  std::array<double, kDegree + 1> c{};

  double slope(double T) const {  ///< 1/K
    const double s = (T - middle) / half_width;
    double sum = kDegree * c[kDegree];
    for (int k = kDegree; k-- > 1;) sum = sum * s + k * c[static_cast<std::size_t>(k)];
    return sum / half_width;
  }
  double value(double T) const {
    const double s = (T - middle) / half_width;
    double sum = c[kDegree];
    for (int k = kDegree; k-- > 0;) sum = sum * s + c[static_cast<std::size_t>(k)];
    return sum;
  }
};

using TemperaturePolynomial = PolynomialOf<7>;

/// Heat that coolant carries and stores: its specific heat and the integral of it.
class CoolantHeat {
 public:
  CoolantHeat() = default;
  /// The same specific heat [J/(kg K)] at every temperature.
  explicit CoolantHeat(double specific_heat);
  /// Specific heat over a range of temperatures [K], and `nominal` [J/(kg K)]: that of the circuit's property
  /// temperature.
  CoolantHeat(const TemperaturePolynomial& specific_heat, double nominal, double t_low, double t_high);

  /// J/(kg K); beyond the ends of the data as at them.
  double specificHeat(double T) const { return specific_heat_.value(std::clamp(T, t_low_, t_high_)); }
  /// Enthalpy [J/kg], 0 at 273.15 K. T in K, a double or a dual number.
  template <class S>
  S enthalpy(const S& T) const {
    using std::max;
    using std::min;
    const S inside = min(max(T, S(t_low_)), S(t_high_));
    const S s = (inside - S(specific_heat_.middle)) * S(1.0 / specific_heat_.half_width);
    S sum = S(integral_[kTerms - 1]);
    for (int k = kTerms - 1; k-- > 0;) sum = sum * s + S(integral_[static_cast<std::size_t>(k)]);
    // Zero first: at an end itself the derivative is that of the inside alone.
    return sum + S(beyond_low_) * min(S(0.0), T - S(t_low_)) + S(beyond_high_) * max(S(0.0), T - S(t_high_));
  }
  /// Temperature [K] at an enthalpy [J/kg].
  double temperature(double enthalpy) const { return fromCarried(kReferenceTemperature + enthalpy / nominal_); }
  bool varies() const { return varies_; }

  /// Temperature [K] at which coolant of the nominal specific heat all over would carry as much as at T: heat carried
  /// is nominal m cp times differences of it.
  template <class S>
  S carried(const S& T) const {
    return S(kReferenceTemperature) + enthalpy(T) * S(1.0 / nominal_);
  }
  double carriedSlope(double T) const { return specificHeat(T) / nominal_; }  ///< d carried / d T
  /// The inverse, by a polynomial of its own: to 1e-9 K over the range of the data.
  double fromCarried(double u) const {
    if (!varies_) return u;
    if (u < u_low_) return t_low_ + (u - u_low_) * nominal_ / beyond_low_;
    if (u > u_high_) return t_high_ + (u - u_high_) * nominal_ / beyond_high_;
    return u + back_.value(u);
  }
  /// Of many at once.
  void fromCarried(std::span<const double> u, double* T) const;
  double nominal() const { return nominal_; }  ///< J/(kg K)

 private:
  static constexpr int kTerms = TemperaturePolynomial::kDegree + 2;
  TemperaturePolynomial specific_heat_;
  std::array<double, kTerms> integral_{};                           // of s
  PolynomialOf<14> back_;                                           // of u: temperature less u
  double t_low_ = 0.0, t_high_ = 0.0, u_low_ = 0.0, u_high_ = 0.0;  // K, ends of the data, and what is carried there
  double beyond_low_ = 0.0, beyond_high_ = 0.0;                     // J/(kg K)
  double nominal_ = 1.0;
  bool varies_ = false;
};

/// A coolant over the temperatures of its data.
struct CoolantLaw {
  CoolantHeat heat;
  TemperaturePolynomial density_of;        ///< kg/m3
  TemperaturePolynomial log_viscosity_of;  ///< ln(Pa s)
  double t_low = 0.0, t_high = 0.0;        ///< K; where the data end, below at the freezing point
  bool stated = false;                     ///< a fluid given by constants, whose data end nowhere

  /// Beyond the data's ends as at them.
  double density(double T) const;    ///< kg/m3
  double expansion(double T) const;  ///< 1/K of volume
  double viscosity(double T) const;  ///< Pa s
};

/// Law of a coolant named as for coolantAt(), at p [Pa absolute]; nominal at T [K]. Throws Error for an unknown name or
/// a T outside its data.
CoolantLaw coolantLaw(const std::string& name, double T, double p);
/// Law of a fluid whose properties do not change.
CoolantLaw constantCoolantLaw(const Coolant& coolant);

}  // namespace podtwin::fluids
