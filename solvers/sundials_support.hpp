// What ARKODE and CVODE share: vectors with vectorised operations and a greatest-error norm, the condensed linear
// solver as a SUNLinearSolver, exceptions carried over the C boundary. Only solvers/ includes SUNDIALS.
#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <exception>
#include <string>

#include "solvers/condensed_solver.hpp"
#include "solvers/integrator.hpp"

namespace podtwin::solvers {

/// Owns a SUNContext, a state vector over our operations, and the callbacks' data.
class SundialsSupport {
 public:
  SundialsSupport(OdeProblem& problem, const IntegratorOptions& options);
  ~SundialsSupport();
  SundialsSupport(const SundialsSupport&) = delete;
  SundialsSupport& operator=(const SundialsSupport&) = delete;

  SUNContext context = nullptr;
  N_Vector y = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;

  /// f(t, y) for SUNDIALS: 0, 1 (recoverable: a SimulationError, parked) or -1 (anything else, parked).
  int rates(double t, N_Vector y, N_Vector ydot);
  /// Forms and factorises I - gamma J; a Jacobian that still fits is not formed again.
  int linearSystem(double t, N_Vector y, bool jacobian_ok, bool& jacobian_current, double gamma);
  int errorWeights(N_Vector y, N_Vector weights) const;
  /// Rethrows a parked exception that is no SimulationError; otherwise throws SimulationError with names.
  [[noreturn]] void fail(const std::string& method, double t, double h, int flag, const std::string& flag_name);
  /// Throws for a negative flag of a set-up call.
  static void check(int flag, const char* what);

  OdeProblem& problem;
  IntegratorOptions options;
  IntegratorStatistics statistics;
  CondensedSolver solver;
  Jacobian jacobian;
  bool have_jacobian = false;
  double factored_gamma = 0.0, last_setup_time = -1.0;  ///< of the factorisation in force; time of the last call
  std::exception_ptr parked;
};

}  // namespace podtwin::solvers
