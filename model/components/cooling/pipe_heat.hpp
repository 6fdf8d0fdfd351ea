// Heat paths of a pipe: coolant to wall to surroundings. Equations: pipe.md.
#pragma once

#include "model/base/diagnostics.hpp"
#include "model/fluids/coolant.hpp"
#include "model/system/plant_description.hpp"

namespace podtwin {

/// Conductance from coolant to wall by flow; without a stated film that of fully developed flow in a round bore.
struct InnerFilm {
  double area = 0.0;      ///< m2 of bore
  double stated = 0.0;    ///< W/(m2 K); 0: by the flow
  double reynolds = 0.0;  ///< Reynolds number a kg/s
  double prandtl = 0.0;
  double per_nusselt = 0.0;  ///< W/K of a Nusselt number of 1

  double conductance(double m) const;  ///< W/K, whole pipe
};

/// Nusselt number of fully developed flow in a smooth round bore: laminar 3.66, turbulent by Gnielinski, between 2,300
/// and 4,000 linear in the Reynolds number.
double pipeNusselt(double reynolds, double prandtl);

struct PipeHeat {
  double loss = 0.0;           ///< W/K from the wall, or the coolant where no wall is described, to the surroundings
  double wall_capacity = 0.0;  ///< J/K, whole pipe; 0: none
  InnerFilm film;
};

PipeHeat pipeHeatOf(const InstanceDescription& d, const fluids::Coolant& coolant, Diagnostics& problems);

}  // namespace podtwin
