// A coolant at one state: what the networks and exchangers need of it.
#pragma once

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
/// absolute]. Throws Error for an unknown name (with the nearest) or a state outside the data.
Coolant coolantAt(const std::string& name, double T, double p);

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
