// Carries out what is due of equipment's own events at a moment, as the simulation does between steps.
#pragma once

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {

inline void settle(Plant& plant) {
  constexpr int kMostRounds = 50;
  constexpr double kNow = 1e-9;  // s
  for (int round = 0; round < kMostRounds; ++round) {
    plant.evaluate();
    bool acted = false;
    for (const auto& set : plant.system().sets())
      if (set->watch(plant.e) >= 0.0 || set->nextMoment(plant.e) <= plant.e.t + kNow) {
        set->act(plant.e, plant.state, plant.occurrences);
        ++plant.state.topology;
        acted = true;
      }
    if (!acted) return;
  }
  FAIL() << "events do not come to rest";
}

/// The next moment that any equipment knows of.
inline double nextMoment(const Plant& plant) {
  double soonest = kUnbounded;
  for (const auto& set : plant.system().sets()) soonest = std::min(soonest, set->nextMoment(plant.e));
  return soonest;
}

/// Goes there, without anything moving on the way, and carries out what is due.
inline void goTo(Plant& plant, double time) {
  plant.state.t = time;
  settle(plant);
}

}  // namespace podtwin::test
