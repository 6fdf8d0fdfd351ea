// Small dense systems of nonlinear equations within bounds, by KINSOL's Newton iteration with line search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace podtwin::solvers {

/// F(x) = 0 with lower <= x <= upper.
class NonlinearProblem {
 public:
  virtual ~NonlinearProblem() = default;
  virtual std::size_t size() const = 0;
  virtual void residual(std::span<const double> x, std::span<double> f) = 0;
  /// dF_i/dx_j at [i * size() + j]; comes zeroed.
  virtual void jacobian(std::span<const double> x, std::span<double> values) = 0;
  /// Bounds of every unknown.
  virtual std::span<const double> lower() const = 0;
  virtual std::span<const double> upper() const = 0;
};

struct NonlinearOptions {
  double tolerance = 1e-13;  ///< largest residual at which the system counts as solved
  int iterations = 200;
};

struct NonlinearReport {
  std::int64_t iterations = 0;
  double worst_residual = 0.0;
};

/// Moves x (in: a start within the bounds; out: a root). Throws SimulationError where none is found, InputError for a
/// start outside the bounds.
NonlinearReport solveNonlinear(NonlinearProblem& problem, std::span<double> x, const NonlinearOptions& options = {});

}  // namespace podtwin::solvers
