#include "model/fluids/coolant_law.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "model/base/vectorised.hpp"

namespace podtwin::fluids {

namespace {

/// Least-squares polynomial at Chebyshev points of a range: near the best in the greatest error.
template <class Polynomial>
Polynomial fitted(double low, double high, const std::function<double(double)>& property) {
  constexpr int kPoints = 48, kTerms = Polynomial::kDegree + 1;
  Polynomial p;
  p.middle = 0.5 * (low + high);
  p.half_width = 0.5 * (high - low);
  Eigen::Matrix<double, kPoints, kTerms> powers;
  Eigen::Matrix<double, kPoints, 1> values;
  for (int i = 0; i < kPoints; ++i) {
    const double s = std::cos(std::numbers::pi * (i + 0.5) / kPoints);
    values[i] = property(p.middle + p.half_width * s);
    double power = 1.0;
    for (int k = 0; k < kTerms; ++k, power *= s) powers(i, k) = power;
  }
  const Eigen::Matrix<double, kTerms, 1> c = powers.colPivHouseholderQr().solve(values);
  for (int k = 0; k < kTerms; ++k) p.c[static_cast<std::size_t>(k)] = c[k];
  return p;
}

constexpr double kNoEnd = 1e9;  // K

TemperaturePolynomial constant(double value) {
  TemperaturePolynomial p;
  p.c[0] = value;
  return p;
}

}  // namespace

CoolantHeat::CoolantHeat(double specific_heat) : CoolantHeat(constant(specific_heat), specific_heat, 0.0, kNoEnd) {}

CoolantHeat::CoolantHeat(const TemperaturePolynomial& specific_heat, double nominal, double t_low, double t_high)
    : specific_heat_(specific_heat),
      t_low_(t_low),
      t_high_(t_high),
      beyond_low_(specific_heat.value(t_low)),
      beyond_high_(specific_heat.value(t_high)),
      nominal_(nominal) {
  for (std::size_t k = 0; k < specific_heat_.c.size(); ++k) {
    integral_[k + 1] = specific_heat_.half_width * specific_heat_.c[k] / static_cast<double>(k + 1);
    varies_ = varies_ || (k > 0 && specific_heat_.c[k] != 0.0);
  }
  integral_[0] = -enthalpy(kReferenceTemperature);
  u_low_ = carried(t_low);
  u_high_ = carried(t_high);
  if (varies_)
    back_ = fitted<decltype(back_)>(u_low_, u_high_, [&](double u) {
      constexpr int kSteps = 6;  // each doubles the digits of a nearly straight curve
      double T = u;
      for (int i = 0; i < kSteps; ++i) T -= (carried(T) - u) / carriedSlope(T);
      return T - u;
    });
}

// Inside the range all of them are found alike, so that the loop fills vector units; outside is seldom and looked at
// again.
PODTWIN_VECTORISED void CoolantHeat::fromCarried(std::span<const double> u, double* T) const {
  constexpr int kDegree = decltype(back_)::kDegree;
  const std::size_t n = u.size();
  const double middle = back_.middle, inverse = 1.0 / back_.half_width, low = u_low_, high = u_high_;
  std::array<double, kDegree + 1> c = back_.c;
  bool outside = false;
  for (std::size_t i = 0; i < n; ++i) {
    const double s = (u[i] - middle) * inverse;
    double sum = c[kDegree];
    for (int k = kDegree; k-- > 0;) sum = sum * s + c[static_cast<std::size_t>(k)];
    T[i] = u[i] + sum;
  }
  for (std::size_t i = 0; i < n; ++i) outside |= !(u[i] >= low && u[i] <= high);
  if (!outside) return;
  for (std::size_t i = 0; i < n; ++i) T[i] = fromCarried(u[i]);
}

double CoolantLaw::density(double T) const { return density_of.value(std::clamp(T, t_low, t_high)); }

double CoolantLaw::expansion(double T) const {
  const double inside = std::clamp(T, t_low, t_high);
  return -density_of.slope(inside) / density_of.value(inside);
}

double CoolantLaw::viscosity(double T) const { return std::exp(log_viscosity_of.value(std::clamp(T, t_low, t_high))); }

CoolantLaw coolantLaw(const std::string& name, double T_nominal, double p) {
  const CoolantRange range = coolantRange(name, p);
  const auto of = [&](const auto& property) {
    return fitted<TemperaturePolynomial>(range.t_low, range.t_high,
                                         [&](double T) { return property(coolantAt(name, T, p)); });
  };
  CoolantLaw law;
  law.heat = CoolantHeat(of([](const Coolant& c) { return c.specific_heat; }),
                         coolantAt(name, T_nominal, p).specific_heat, range.t_low, range.t_high);
  law.density_of = of([](const Coolant& c) { return c.density; });
  law.log_viscosity_of = of([](const Coolant& c) { return std::log(c.viscosity); });
  law.t_low = range.t_low;
  law.t_high = range.t_high;
  return law;
}

CoolantLaw constantCoolantLaw(const Coolant& coolant) {
  CoolantLaw law;
  law.heat = CoolantHeat(coolant.specific_heat);
  law.density_of = constant(coolant.density);
  law.log_viscosity_of = constant(std::log(coolant.viscosity));
  law.t_low = 0.0;
  law.t_high = std::numeric_limits<double>::infinity();
  law.stated = true;
  return law;
}

}  // namespace podtwin::fluids
