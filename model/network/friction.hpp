// Friction of coolant in round pipes: Darcy friction factors and the pressure drop of a pipe by its flow.
// Equations and sources: fluid_network.md.
#pragma once

#include <string_view>

namespace podtwin {

/// Which formula gives the turbulent friction factor; `physics.friction` of a pod file.
enum class FrictionLaw {
  colebrook,      // Colebrook-White with 3.7 and 2.51
  colebrook_371,  // with 3.71
  swamee_jain,
  haaland,
  nikuradse,  // fully rough, to which laminar friction is added at every Reynolds number
  epanet,     // Swamee-Jain, and Dunlop's cubic between Reynolds 2,000 and 4,000
};

/// The law of that name; throws Error for another.
FrictionLaw frictionLawOf(std::string_view name);

/// Darcy friction factor [1] at a Reynolds number above 0 and a roughness over diameter, with its derivative by the
/// Reynolds number. Laminar below 2,000, the turbulent formula above 4,000; between, joined so that the pressure drop
/// rises with flow and has no kink.
double frictionFactor(FrictionLaw law, double reynolds, double relative_roughness, double& slope);

/// The friction of one pipe, or of equal ones side by side.
struct PipeFriction {
  FrictionLaw law = FrictionLaw::colebrook;
  double relative_roughness = 0.0;
  double reynolds = 0.0;  ///< Reynolds number a kg/s
  double scale = 0.0;     ///< Pa/(kg/s)^2; drop = f scale m |m|

  /// Pressure drop [Pa] at m [kg/s] and its slope [Pa s/kg].
  double drop(double m, double& slope) const;
};

}  // namespace podtwin
