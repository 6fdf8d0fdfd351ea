// A coolant at one state: what the networks and exchangers need of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace podtwin::fluids {

struct Coolant {
  std::string name;
  double density = 0.0;        ///< kg/m3
  double specific_heat = 0.0;  ///< J/(kg K)
  double viscosity = 0.0;      ///< Pa s
  double conductivity = 0.0;   ///< W/(m K)
};

/// "water", "PG25" (propylene glycol, per cent by volume) or any "PGnn", "EGnn" (ethylene glycol) at T [K], p [Pa
/// absolute]; up to 60 %. Below 10 %, where the data begin, straight between water and 10 %. Throws Error for an
/// unknown name (with the nearest) or a state outside the data.
Coolant coolantAt(const std::string& name, double T, double p);

/// Temperature [K] at which a coolant of such a name begins to freeze; nothing where the name does not tell it.
std::optional<double> freezingPoint(const std::string& name);

/// Mole fraction of water in a named coolant: of its vapour pressure over that of water by Raoult's law, the glycol's
/// own being under a hundredth of it. 1 for water and for a fluid of stated properties.
double waterMoleFraction(const std::string& name);

/// Temperatures [K] for which coolantAt() has data: from the freezing point, or where the data begin, to where they
/// end.
struct CoolantRange {
  double t_low = 0.0, t_high = 0.0;
};
/// At p [Pa absolute]. Throws Error for an unknown name.
CoolantRange coolantRange(const std::string& name, double p);

/// Names to offer when one is misspelt.
std::vector<std::string> coolantNames();

}  // namespace podtwin::fluids
