// Plug flow along a wall that stores heat: coolant as a profile that moves, the wall as one that stands. Along the flow
// dT/dt = -film (T - w), at a place of the wall dw/dt = wall (T - w) - loss (w - t_air). Method and its order: pipe.md.
#pragma once

#include <cstddef>

#include "model/components/cooling/plug_content.hpp"
#include "model/components/cooling/plug_profile.hpp"

namespace podtwin::plug {

struct Exchange {
  double film;   ///< 1/s, conductance of the film over the heat capacity of the coolant
  double wall;   ///< 1/s, the same over that of the wall
  double loss;   ///< 1/s, conductance to the surroundings over the heat capacity of the wall
  double t_air;  ///< K
};

struct Bore {
  double volume;       ///< m3
  std::size_t pieces;  ///< of the wall

  double piece() const { return volume / static_cast<double>(pieces); }
};

/// What moved since the profiles were as they are.
struct Passage {
  double volume;  ///< m3 displaced
  double time;    ///< s
  bool forward;   ///< towards depth 0
};

/// Parts in which a passage is marched.
std::size_t partsOf(const Passage& passage, const Exchange& exchange, const Bore& bore);

/// Ahead of the march: what stands at the end where coolant leaves.
struct Leaving {
  double coolant, wall;    ///< K
  double by_inflow = 0.0;  ///< derivative of `coolant` by the temperature that enters
};

/// At the end of a passage in which no front leaves, marched in `parts` from profiles as they were at its begin; a
/// smooth function of the passage. `t_in` [K] counts where the content has turned over within it.
Leaving leavingAfter(const DelayLine& coolant, const DelayLine& wall, const Passage& passage, const Exchange& exchange,
                     const Bore& bore, double t_in, std::size_t parts);

/// Moves the coolant on by a passage and lets coolant and wall exchange heat. What enters, if anything, is `in`;
/// `rho_cp` [J/(m3 K)].
void march(DelayLine& coolant, DelayLine& wall, const Passage& passage, const Inflow& in, const Exchange& exchange,
           const Bore& bore, double rho_cp);

/// Profiles of steady flow that decays over `units` of length from `excess` [K] over t_air, with `wall_share` of the
/// coolant's excess in the wall.
void settle(DelayLine& coolant, DelayLine& wall, const Bore& bore, bool forward, double t_air, double excess,
            double units, double wall_share);

}  // namespace podtwin::plug
