// Marches a bench through time with an integrator, delay lines included.
#pragma once

#include <functional>

#include "solvers/integrator.hpp"
#include "solvers/system_problem.hpp"
#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {

struct MarchOptions {
  solvers::Method method = solvers::Method::rosenbrock;
  double rtol = 1e-8;
  double max_step = 0.0;  ///< s
};

/// Moves `bench` to t_end; `seen` is called after each accepted step with the plant evaluated at its end.
inline void march(Bench& bench, double t_end, const MarchOptions& options = {},
                  const std::function<void()>& seen = {}) {
  solvers::SystemProblem problem(*bench.system, bench.state, bench.e);
  solvers::IntegratorOptions chosen;
  chosen.method = options.method;
  chosen.rtol = options.rtol;
  chosen.max_step = options.max_step;
  chosen.first_step = 1e-3;
  chosen.min_step = 1e-13;
  const auto integrator = solvers::makeIntegrator(problem, chosen);
  integrator->reset(bench.state.t, bench.state.y);
  while (bench.state.t < t_end) {
    const double before = bench.state.t;
    bench.state.t = integrator->step(t_end);
    bench.state.y.assign(integrator->state().begin(), integrator->state().end());
    bench.evaluate();
    bench.system->advance(bench.state, bench.e, bench.state.t - before);
    bench.evaluate();
    if (seen) seen();
  }
}

}  // namespace podtwin
