// One interface to every time integrator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/ode_problem.hpp"

namespace podtwin::solvers {

enum class Method { arkode, cvode, rosenbrock };

/// "arkode", "cvode", "rosenbrock"; throws InputError on another name.
Method methodFromName(std::string_view name);

struct IntegratorOptions {
  Method method = Method::arkode;
  double rtol = 1e-3;            ///< local error aimed at, in units of OdeProblem::errorScale
  double max_step = 0.0;         ///< s; 0: none
  double first_step = 0.0;       ///< s after a reset; 0: the whole way to the stop time, controlled by the error
  double min_step = 1e-9;        ///< s; below it the integrator gives up with names
  double jacobian_drift = 0.02;  ///< refresh the Jacobian when a coefficient moved by more than this fraction
};

struct IntegratorStatistics {
  std::int64_t steps = 0, rejected = 0, rate_calls = 0, jacobian_calls = 0, factorisations = 0, solves = 0;
};

class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Starts, or starts again after a discontinuity, at (t, y).
  virtual void reset(double t, std::span<const double> y) = 0;
  /// Takes one accepted step that ends at or before t_stop, exactly at t_stop when it gets there.
  /// Returns the time reached. Throws SimulationError naming time, step, the worst unknowns.
  virtual double step(double t_stop) = 0;
  virtual double time() const = 0;
  virtual std::span<const double> state() const = 0;
  /// State at a time within the last step, to at least third order in the step.
  virtual void interpolate(double t, std::span<double> y) const = 0;
  virtual const IntegratorStatistics& statistics() const = 0;
};

/// `problem` must outlive the integrator. SUNDIALS stays behind this line.
std::unique_ptr<Integrator> makeIntegrator(OdeProblem& problem, const IntegratorOptions& options);

}  // namespace podtwin::solvers
