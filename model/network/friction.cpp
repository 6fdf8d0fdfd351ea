#include "model/network/friction.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {
constexpr double kLaminarEnd = 2000.0;                                    // Reynolds number up to which flow is laminar
constexpr double kTurbulentStart = 4000.0;                                // and from which the turbulent formula holds
constexpr double kLaminar = 64.0;                                         // f Re of a round pipe, Hagen-Poiseuille
constexpr double kRoughness = 3.7, kRoughness371 = 3.71, kSmooth = 2.51;  // of Colebrook and White, 1939
constexpr double kSwameeJain = 5.74, kSwameeJainPower = 0.9;              // Swamee and Jain, 1976
constexpr double kHaaland = 6.9, kHaalandPower = 1.11, kHaalandFactor = 1.8;  // Haaland, 1983
constexpr double kTwoOverLn10 = 2.0 / std::numbers::ln10;
constexpr double kConverged = 1e-13;  // relative, of 1/sqrt(f)
constexpr int kMostIterations = 50;   // three are usual

struct Factor {
  double f, slope;
};

/// From x = 1/sqrt(f) and its derivative by the Reynolds number.
Factor fromRoot(double x, double x_slope) { return {1.0 / (x * x), -2.0 * x_slope / (x * x * x)}; }

Factor swameeJain(double reynolds, double relative) {
  const double smooth = kSwameeJain / std::pow(reynolds, kSwameeJainPower), sum = relative / kRoughness + smooth;
  return fromRoot(-kTwoOverLn10 * std::log(sum), kTwoOverLn10 * kSwameeJainPower * smooth / (sum * reynolds));
}

Factor haaland(double reynolds, double relative, double& x) {
  const double smooth = kHaaland / reynolds, sum = std::pow(relative / kRoughness, kHaalandPower) + smooth;
  x = -kHaalandFactor * std::log10(sum);
  return fromRoot(x, kHaalandFactor / std::numbers::ln10 * smooth / (sum * reynolds));
}

/// x + 2 log10(relative / constant + 2.51 x / Re) = 0 by Newton from Haaland's x.
Factor colebrook(double reynolds, double relative, double constant) {
  const double rough = relative / constant, smooth = kSmooth / reynolds;
  double x = 0.0, x_slope = 0.0;
  haaland(reynolds, relative, x);
  for (int k = 0; k < kMostIterations; ++k) {
    const double sum = rough + smooth * x, by_x = 1.0 + kTwoOverLn10 * smooth / sum;
    const double step = (x + kTwoOverLn10 * std::log(sum)) / by_x;
    x -= step;
    x_slope = kTwoOverLn10 * smooth * x / (reynolds * sum * by_x);
    if (std::abs(step) <= kConverged * x) break;
  }
  return fromRoot(x, x_slope);
}

Factor turbulent(FrictionLaw law, double reynolds, double relative) {
  switch (law) {
    case FrictionLaw::colebrook:
      return colebrook(reynolds, relative, kRoughness);
    case FrictionLaw::colebrook_371:
      return colebrook(reynolds, relative, kRoughness371);
    case FrictionLaw::haaland: {
      double x = 0.0;
      return haaland(reynolds, relative, x);
    }
    default:
      return swameeJain(reynolds, relative);
  }
}

/// Cubic of f in Re / 2,000 with value and slope of 64/Re at its start and of Swamee-Jain at its end (Dunlop, 1991, as
/// EPANET documents it).
Factor dunlop(double reynolds, double relative) {
  const Factor end = swameeJain(kTurbulentStart, relative);
  const double fa = end.f, fb = 2.0 * end.f + kTurbulentStart * end.slope;
  const double x1 = 7.0 * fa - fb, x2 = 0.128 - 17.0 * fa + 2.5 * fb, x3 = -0.128 + 13.0 * fa - 2.0 * fb,
               x4 = 0.032 - 3.0 * fa + 0.5 * fb;
  const double r = reynolds / kLaminarEnd;
  return {x1 + r * (x2 + r * (x3 + r * x4)), (x2 + r * (2.0 * x3 + r * 3.0 * x4)) / kLaminarEnd};
}

/// 64/Re and the factor of full roughness, at every Reynolds number; without roughness the first alone.
Factor nikuradse(double reynolds, double relative) {
  const double x = -2.0 * std::log10(relative / kRoughness371), laminar = kLaminar / reynolds;
  return {laminar + (relative > 0.0 ? 1.0 / (x * x) : 0.0), -laminar / reynolds};
}

/// f Re^2, to which the pressure drop is in proportion, as a cubic of Re with the values and slopes of its two sides.
Factor joined(FrictionLaw law, double reynolds, double relative) {
  const Factor end = turbulent(law, kTurbulentStart, relative);
  const double width = kTurbulentStart - kLaminarEnd, s = (reynolds - kLaminarEnd) / width;
  const double a = kLaminar * kLaminarEnd, a_slope = kLaminar * width;
  const double b = end.f * kTurbulentStart * kTurbulentStart,
               b_slope = (2.0 * end.f + kTurbulentStart * end.slope) * kTurbulentStart * width;
  // a + a_slope s + c s^2 + d s^3
  const double c = 3.0 * (b - a) - 2.0 * a_slope - b_slope, d = a_slope + b_slope - 2.0 * (b - a);
  const double value = a + s * (a_slope + s * (c + s * d)), slope = (a_slope + s * (2.0 * c + s * 3.0 * d)) / width;
  const double square = reynolds * reynolds;
  return {value / square, (slope - 2.0 * value / reynolds) / square};
}
}  // namespace

FrictionLaw frictionLawOf(std::string_view name) {
  if (name == "colebrook") return FrictionLaw::colebrook;
  if (name == "colebrook_371") return FrictionLaw::colebrook_371;
  if (name == "swamee_jain") return FrictionLaw::swamee_jain;
  if (name == "haaland") return FrictionLaw::haaland;
  if (name == "nikuradse") return FrictionLaw::nikuradse;
  if (name == "epanet") return FrictionLaw::epanet;
  throw Error("unknown friction law '" + std::string(name) +
              "'; use colebrook, colebrook_371, swamee_jain, haaland, nikuradse or epanet");
}

double frictionFactor(FrictionLaw law, double reynolds, double relative_roughness, double& slope) {
  Factor factor{};
  if (law == FrictionLaw::nikuradse)
    factor = nikuradse(reynolds, relative_roughness);
  else if (reynolds < kLaminarEnd)
    factor = {kLaminar / reynolds, -kLaminar / (reynolds * reynolds)};
  else if (reynolds >= kTurbulentStart)
    factor = turbulent(law, reynolds, relative_roughness);
  else
    factor =
        law == FrictionLaw::epanet ? dunlop(reynolds, relative_roughness) : joined(law, reynolds, relative_roughness);
  slope = factor.slope;
  return factor.f;
}

double PipeFriction::drop(double m, double& slope) const {
  const double a = std::abs(m), re = a * reynolds;
  if (law != FrictionLaw::nikuradse ? re < kLaminarEnd : re == 0.0) {
    slope = kLaminar * scale / reynolds;
    return slope * m;
  }
  double f_slope = 0.0;
  const double f = frictionFactor(law, re, relative_roughness, f_slope);
  slope = scale * a * (2.0 * f + re * f_slope);
  return f * scale * a * m;
}

}  // namespace podtwin
