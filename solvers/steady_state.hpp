// The operating point of a plant from a cold start: time marching on a plant with compressed storage.
//
// A steady state does not depend on heat capacities. The search shortens every exposed unknown's own time constant to
// a few seconds (capacity = time constant times the derivative of its balance by itself), skips transport delays, and
// integrates with the controllers sampled as in a run until rates, commands and flows stand still. It never needs a
// starting guess, follows the same path as a real start-up and so cannot end at a state the plant cannot reach.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "model/system/system.hpp"

namespace podtwin::solvers {

struct SteadyOptions {
  /// Steps of the integrator: half a minute for a pod. The search is bounded by work, not by the clock, so that what it
  /// finds does not depend on how busy the machine is.
  long most_steps = 60000;
  double time_constant = 3.0;               ///< s that an exposed unknown's own time constant is shortened to
  double sample_period = 1.0;               ///< s between controller samples
  double tolerance = 2e-8;                  ///< 1/s: largest rate over error scale at which an unknown counts as steady
  double longest = 40000.0;                 ///< s of compressed time
  double hottest = 1300.0;                  ///< K; a plant that gets there has no way out for its heat
  const std::atomic<bool>* stop = nullptr;  ///< ends the search early when it turns true
};

struct SteadyReport {
  bool converged = false;
  bool stopped = false;            ///< by SteadyOptions::stop
  bool runaway = false;            ///< something passed SteadyOptions::hottest
  double compressed_time = 0.0;    ///< s
  double worst_rate = 0.0;         ///< 1/s, over error scale
  std::vector<std::string> worst;  ///< names and rates of the five worst unknowns
};

/// Moves `state` (in: any start, e.g. cold; out: the steady state, or the nearest found) at its present inputs.
/// Ledgers are set to zero. `e` is left evaluated at the state with the true capacities.
SteadyReport findSteadyState(const System& system, State& state, Evaluation& e, const SteadyOptions& options = {});

}  // namespace podtwin::solvers
