#include "model/fluids/glycol.hpp"

#include <algorithm>
#include <cmath>

#include "model/fluids/glycol_coefficients.hpp"
#include "model/fluids/range.hpp"

namespace podtwin::fluids {

namespace {

const GlycolCoefficients& coefficients(Glycol glycol) {
  switch (glycol) {
    case Glycol::propylene_by_mass:
      return kPropyleneByMass;
    case Glycol::propylene_by_volume:
      return kPropyleneByVolume;
    case Glycol::ethylene_by_mass:
      return kEthyleneByMass;
    case Glycol::ethylene_by_volume:
      break;
  }
  return kEthyleneByVolume;
}

double series(const std::array<double, 6>& c, double x) {
  double sum = 0.0;
  for (std::size_t j = c.size(); j-- > 0;) sum = sum * x + c[j];
  return sum;
}

const char* nameOf(Glycol glycol) {
  switch (glycol) {
    case Glycol::propylene_by_mass:
      return "propylene glycol by mass";
    case Glycol::propylene_by_volume:
      return "propylene glycol by volume";
    case Glycol::ethylene_by_mass:
      return "ethylene glycol by mass";
    case Glycol::ethylene_by_volume:
      break;
  }
  return "ethylene glycol by volume";
}

/// The polynomial of a table after the checks that every property shares.
double polynomial(Glycol glycol, GlycolCoefficients::Table GlycolCoefficients::*table, double T, double x) {
  const GlycolCoefficients& c = coefficients(glycol);
  const double freezing = glycolFreezingPoint(glycol, x);
  requireRange(nameOf(glycol), "temperature", T, c.t_low, c.t_high, "K");
  if (T < freezing)
    throw Error(std::string(nameOf(glycol)) + ": temperature " + inWords(T) + " K is below the freezing point " +
                inWords(freezing) + " K at a fraction of " + inWords(x));
  double sum = 0.0;
  for (std::size_t i = (c.*table).size(); i-- > 0;) sum = sum * (T - c.t_base) + series((c.*table)[i], x - c.x_base);
  return sum;
}

}  // namespace

double glycolDensity(Glycol g, double T, double x) { return polynomial(g, &GlycolCoefficients::density, T, x); }
double glycolSpecificHeat(Glycol g, double T, double x) {
  return polynomial(g, &GlycolCoefficients::specific_heat, T, x);
}
double glycolConductivity(Glycol g, double T, double x) {
  return polynomial(g, &GlycolCoefficients::conductivity, T, x);
}
double glycolViscosity(Glycol g, double T, double x) {
  return std::exp(polynomial(g, &GlycolCoefficients::viscosity, T, x));
}

double glycolFreezingPoint(Glycol g, double x) {
  const GlycolCoefficients& c = coefficients(g);
  requireRange(nameOf(g), "fraction", x, c.x_low, c.x_high, "");
  const double value = series(c.freezing, x - c.x_base);
  return c.freezing_exponential ? std::exp(value) : value;
}

std::pair<double, double> glycolRange(Glycol g, double x) {
  const GlycolCoefficients& c = coefficients(g);
  return {std::max(c.t_low, glycolFreezingPoint(g, x)), c.t_high};
}

}  // namespace podtwin::fluids
