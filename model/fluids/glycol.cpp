#include "model/fluids/glycol.hpp"

#include <cmath>
#include <string>

#include "model/base/diagnostics.hpp"
#include "model/fluids/glycol_coefficients.hpp"

namespace podtwin::fluids {

namespace {

const GlycolCoefficients& coefficients(Glycol glycol) {
  switch (glycol) {
    case Glycol::propylene_by_mass: return kPropyleneByMass;
    case Glycol::propylene_by_volume: return kPropyleneByVolume;
    case Glycol::ethylene_by_mass: return kEthyleneByMass;
    case Glycol::ethylene_by_volume: break;
  }
  return kEthyleneByVolume;
}

double series(const std::array<double, 6>& c, double x) {
  double sum = 0.0;
  for (std::size_t j = c.size(); j-- > 0;) sum = sum * x + c[j];
  return sum;
}

double polynomial(const GlycolCoefficients& c, const GlycolCoefficients::Table& table, double T, double x) {
  if (!(T >= c.t_low && T <= c.t_high))
    throw Error("glycol properties: temperature " + std::to_string(T) + " K is outside " + std::to_string(c.t_low) + " to " + std::to_string(c.t_high) + " K");
  if (!(x >= c.x_low && x <= c.x_high))
    throw Error("glycol properties: fraction " + std::to_string(x) + " is outside " + std::to_string(c.x_low) + " to " + std::to_string(c.x_high));
  double sum = 0.0;
  for (std::size_t i = table.size(); i-- > 0;) sum = sum * (T - c.t_base) + series(table[i], x - c.x_base);
  return sum;
}

}  // namespace

double glycolDensity(Glycol g, double T, double x) { return polynomial(coefficients(g), coefficients(g).density, T, x); }
double glycolSpecificHeat(Glycol g, double T, double x) { return polynomial(coefficients(g), coefficients(g).specific_heat, T, x); }
double glycolConductivity(Glycol g, double T, double x) { return polynomial(coefficients(g), coefficients(g).conductivity, T, x); }
double glycolViscosity(Glycol g, double T, double x) { return std::exp(polynomial(coefficients(g), coefficients(g).viscosity, T, x)); }

double glycolFreezingPoint(Glycol g, double x) {
  const GlycolCoefficients& c = coefficients(g);
  if (!(x >= c.x_low && x <= c.x_high))
    throw Error("glycol properties: fraction " + std::to_string(x) + " is outside " + std::to_string(c.x_low) + " to " + std::to_string(c.x_high));
  const double value = series(c.freezing, x - c.x_base);
  return c.freezing_exponential ? std::exp(value) : value;
}

}  // namespace podtwin::fluids
