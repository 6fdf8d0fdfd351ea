// A finned coil between a coolant and air: conductance by both flows. Equations: liquid_to_air_exchanger.md.
#pragma once

#include <algorithm>
#include <cmath>

#include "model/components/cooling/effectiveness.hpp"

namespace podtwin {

inline constexpr double kAirSpecificHeat = 1006.0;  // J/(kg K), dry air near 300 K

/// Two films in series, each with its share of the resistance at nominal flows and its power of flow.
struct AirCoil {
  double ua = 0.0;                      ///< W/K, at nominal flows
  double air_flow = 1.0, flow = 1.0;    ///< kg/s, nominal
  double air_share = 0.5;               ///< of the air side in the resistance
  double n_air = 0.8, n_coolant = 0.8;  ///< exponents of the films
  Arrangement arrangement = Arrangement::counterflow;

  double conductance(double air_ratio, double m) const {
    const double film = (1.0 - air_share) * std::pow(std::abs(m) / flow, -n_coolant);
    return ua / (air_share * std::pow(air_ratio, -n_air) + film);
  }
  /// Effectiveness times the smaller capacity rate [W/K] at an air flow over nominal and a coolant flow m [kg/s] of
  /// specific heat cp. 0 where either stands.
  double exchange(double air_ratio, double m, double cp) const {
    const double coolant = std::abs(m) * cp, air = air_ratio * air_flow * kAirSpecificHeat;
    const double least = std::min(coolant, air);
    if (least <= 0.0) return 0.0;
    return least * effectiveness(arrangement, conductance(air_ratio, m) / least, least / std::max(coolant, air));
  }
};

}  // namespace podtwin
