// The two films of a plate heat exchanger: conductance by flow, and the conductance that a rated point implies.
// Equations: plate_heat_exchanger.md.
#pragma once

#include <algorithm>
#include <cmath>

namespace podtwin {

/// How Martin's film conductance between chevron plates goes with the Reynolds number: Re^0.667 from 200 up, Re^0.40
/// down to 10, Re^0.30 below, joined where they meet (practice.md section 3). 0 at rest.
inline double martinShape(double reynolds) {
  constexpr double kTurbulent = 200.0, kCreeping = 10.0;
  if (reynolds >= kTurbulent) return std::pow(reynolds, 0.667);
  const double at_turbulent = std::pow(kTurbulent, 0.667 - 0.40);
  if (reynolds >= kCreeping) return at_turbulent * std::pow(reynolds, 0.40);
  return at_turbulent * std::pow(kCreeping, 0.40 - 0.30) * std::pow(std::max(reynolds, 0.0), 0.30);
}

/// One film: its conductance at nominal flow and how it goes with flow.
struct ExchangerFilm {
  double nominal = 0.0;   ///< W/K
  double flow = 1.0;      ///< kg/s, nominal
  double exponent = 0.8;  ///< of flow; not used where a Reynolds number is stated
  double reynolds = 0.0;  ///< at nominal flow of the coolant that the rating is stated for; 0: a power of flow
  double thinness = 1.0;  ///< viscosity of that coolant over that of the circuit's

  /// Conductance [W/K] at mass flow m [kg/s], either way; 0 at rest.
  double at(double m) const {
    const double share = std::abs(m) / flow;
    if (reynolds > 0.0) return nominal * martinShape(reynolds * thinness * share) / martinShape(reynolds);
    return nominal * std::pow(share, exponent);
  }
};

/// Two films in series with what lies between them.
inline double seriesConductance(double hot, double cold, double fouling) {
  if (hot <= 0.0 || cold <= 0.0) return 0.0;  // a film at rest passes nothing
  return 1.0 / (1.0 / hot + 1.0 / cold + fouling);
}

}  // namespace podtwin
