// What ARKODE and CVODE share: the condensed linear solver as a SUNLinearSolver, exceptions carried over the C
// boundary (a SimulationError makes SUNDIALS try a shorter step), restarts, stop times, and an end to steps that get
// nowhere.
// Only solvers/ includes SUNDIALS.
#pragma once

#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

#include <exception>
#include <string>
#include <vector>

#include "solvers/condensed_solver.hpp"
#include "solvers/integrator.hpp"

namespace podtwin::solvers {

/// An Integrator on a SUNDIALS package: everything but the package's own calls. Owns its SUNContext.
class SundialsIntegrator : public Integrator {
 public:
  SundialsIntegrator(const SundialsIntegrator&) = delete;
  SundialsIntegrator& operator=(const SundialsIntegrator&) = delete;
  ~SundialsIntegrator() override;

  void reset(double t, std::span<const double> y) final;
  double step(double t_stop) final;
  double time() const final { return t_; }
  std::span<const double> state() const final;
  void interpolate(double t, std::span<double> y) const final;
  const IntegratorStatistics& statistics() const final { return statistics_; }

 protected:
  SundialsIntegrator(OdeProblem& problem, const IntegratorOptions& options, std::string name);

  // The package's own calls.
  virtual void create() = 0;                ///< memory and options, at (t_, y_)
  virtual void restart() = 0;               ///< at (t_, y_), forgetting the past
  virtual void setFirstStep(double h) = 0;  ///< s
  virtual void setStopTime(double t) = 0;
  virtual int advance(double t_stop, double& t) = 0;  ///< one step; a negative flag is a failure
  virtual int dense(double t, N_Vector y) const = 0;
  virtual double lastStep() const = 0;  ///< s
  virtual double nextStep() const = 0;  ///< s
  virtual long failures() const = 0;    ///< error tests and iterations that failed, since the restart or ever
  virtual std::string flagName(int flag) const = 0;
  /// First step after a restart without IntegratorOptions::first_step; `whole` is the way to the stop time. 0: the
  /// package's own guess.
  virtual double firstStep(double whole) const = 0;
  /// After the first step behind a restart.
  virtual void learn(double first_step, bool failed_before) = 0;

  // Callbacks' bodies: 0, 1 (recoverable: a SimulationError, parked) or -1 (anything else, parked).
  int rates(double t, N_Vector y, N_Vector ydot) noexcept;
  /// Forms and factorises I - gamma J; a Jacobian that still fits is not formed again.
  int linearSystem(double t, N_Vector y, bool jacobian_ok, bool& jacobian_current, double gamma) noexcept;
  int errorWeights(N_Vector y, N_Vector weights) const noexcept;
  /// SUNDIALS' error handler: keeps the text for the failure report.
  static void keepMessage(int code, const char* module, const char* function, char* message, void* self);

  /// Throws for a negative flag of a set-up call.
  static void check(int flag, const char* what);

  OdeProblem& problem_;
  const IntegratorOptions options_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  double t_ = 0.0;

 private:
  void start(double h_wanted, double whole);
  [[noreturn]] void fail(double h, const std::string& why);
  static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance);

  std::string name_, message_, last_problem_;
  IntegratorStatistics statistics_;
  CondensedSolver solver_;
  Jacobian jacobian_;
  bool have_jacobian_ = false;
  double factored_gamma_ = 0.0, last_setup_time_ = 0.0;  ///< of the factorisation in force; s of the last set-up
  std::exception_ptr parked_;
  std::vector<double> y_before_;
  N_Vector dense_ = nullptr;
  bool created_ = false, pending_restart_ = true, first_after_restart_ = true;
  int short_steps_ = 0;
};

}  // namespace podtwin::solvers
