// A component set that measures and acts faster than controllers do: shown the plant whenever a run looks at it, once a
// second outside of windows and far more often inside one.
#pragma once

#include <cstddef>

#include "model/system/evaluation.hpp"
#include "model/system/state.hpp"

namespace podtwin {

class Metered {
 public:
  virtual ~Metered() = default;
  /// Takes a sample at e.t. `period` [s]: between samples of the window this moment is in; 0: in none. May change z
  /// only; a second sample of one moment changes nothing.
  virtual void measure(const Evaluation& e, State& state, double period) const = 0;
  /// Longest period [s] of a window at which instance i sees what it is to measure; infinite: any will do.
  virtual double longestPeriod(std::size_t i) const = 0;
};

}  // namespace podtwin
