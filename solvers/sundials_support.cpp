#include "solvers/sundials_support.hpp"

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "solvers/failure_report.hpp"
#include "solvers/fast_nvector.hpp"

namespace podtwin::solvers {

namespace {

constexpr double kUncontrolled = 1e-30;  // weight of an unknown without error control; SUNDIALS wants it positive
constexpr int kShortSteps =
    500;  // in a row (BDF begins with short ones behind a jump), below the shortest step: no progress

std::span<double> spanOf(N_Vector v) { return {NV_DATA_S(v), static_cast<std::size_t>(NV_LENGTH_S(v))}; }

// A matrix in name only: coefficients and factors live with the condensed solver.
SUNMatrix newMatrix(SUNContext context);
SUNMatrix newMatrix(SUNContext context) {
  SUNMatrix a = SUNMatNewEmpty(context);
  if (a == nullptr) throw Error("SUNDIALS: no memory for a matrix");
  a->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  a->ops->zero = [](SUNMatrix) { return 0; };
  a->ops->clone = [](SUNMatrix m) { return newMatrix(m->sunctx); };
  a->ops->destroy = [](SUNMatrix m) { SUNMatFreeEmpty(m); };
  a->ops->copy = [](SUNMatrix, SUNMatrix) { return 0; };
  return a;
}

}  // namespace

SundialsIntegrator::SundialsIntegrator(OdeProblem& problem, const IntegratorOptions& options, std::string name)
    : problem_(problem),
      options_(options),
      name_(std::move(name)),
      solver_(problem.structure(), [&problem](std::size_t row) { return problem.nameOf(row); }),
      jacobian_(problem.structure()),
      y_before_(problem.structure().size, 0.0) {
  if (SUNContext_Create(nullptr, &context_) != 0) throw Error("SUNDIALS: no context");
  y_ = newFastVector(problem.structure().size, context_);
  dense_ = N_VClone(y_);
  matrix_ = newMatrix(context_);
  linear_ = SUNLinSolNewEmpty(context_);
  if (linear_ == nullptr || dense_ == nullptr) throw Error("SUNDIALS: no memory for a linear solver");
  linear_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  linear_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  linear_->ops->initialize = [](SUNLinearSolver) { return 0; };
  linear_->ops->setup = [](SUNLinearSolver, SUNMatrix) { return 0; };  // done where the system is formed
  linear_->ops->solve = solve;
  linear_->ops->free = [](SUNLinearSolver s) {
    SUNLinSolFreeEmpty(s);
    return 0;
  };
  linear_->content = this;
}

SundialsIntegrator::~SundialsIntegrator() {
  SUNLinSolFree(linear_);
  SUNMatDestroy(matrix_);
  N_VDestroy(dense_);
  N_VDestroy(y_);
  SUNContext_Free(&context_);
}

void SundialsIntegrator::check(int flag, const char* what) {
  if (flag < 0) throw Error("SUNDIALS: " + std::string(what) + " failed with " + std::to_string(flag));
}

void SundialsIntegrator::keepMessage(int, const char*, const char*, char* message, void* self) {
  static_cast<SundialsIntegrator*>(self)->message_ = message;
}

// --- Callbacks ------------------------------------------------------------------------------------------------------

int SundialsIntegrator::rates(double t, N_Vector at, N_Vector ydot) noexcept {
  ++statistics_.rate_calls;
  try {
    problem_.rates(t, spanOf(at), spanOf(ydot));
    return 0;
  } catch (const SimulationError& error) {
    parked_ = std::current_exception();
    last_problem_ = error.what();
    return 1;
  } catch (...) {
    parked_ = std::current_exception();
    return -1;
  }
}

int SundialsIntegrator::linearSystem(double t, N_Vector at, bool jacobian_ok, bool& jacobian_current,
                                     double gamma) noexcept {
  try {
    jacobian_current = false;
    // A restart asks for a new Jacobian too; one whose coefficients have not moved still fits. After a failed iteration
    // within one step it is formed again whatever the drift says.
    const bool failed_before = !jacobian_ok && t == last_setup_time_;
    last_setup_time_ = t;
    if (!have_jacobian_ || failed_before || problem_.jacobianDrift() > options_.jacobian_drift) {
      factored_gamma_ = 0.0;
      jacobian_.zero();
      problem_.jacobian(t, spanOf(at), jacobian_);
      ++statistics_.jacobian_calls;
      have_jacobian_ = true;
      jacobian_current = true;
    }
    if (factored_gamma_ != gamma) {
      factored_gamma_ = 0.0;
      solver_.factorise(gamma, jacobian_);
      ++statistics_.factorisations;
      factored_gamma_ = gamma;
    }
    return 0;
  } catch (const SimulationError& error) {
    parked_ = std::current_exception();
    last_problem_ = error.what();
    return 1;
  } catch (...) {
    parked_ = std::current_exception();
    return -1;
  }
}

int SundialsIntegrator::errorWeights(N_Vector at, N_Vector weights) const noexcept {
  const auto scale = problem_.errorScale();
  const bool relative = problem_.relativeError();
  const double* value = NV_DATA_S(at);
  double* w = NV_DATA_S(weights);
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const double unit = relative ? scale[i] + std::abs(value[i]) : scale[i];
    w[i] = std::isfinite(unit) ? 1.0 / (options_.rtol * unit) : kUncontrolled;
  }
  return 0;
}

int SundialsIntegrator::solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, realtype) {
  auto& self = *static_cast<SundialsIntegrator*>(solver->content);
  if (NV_DATA_S(x) != NV_DATA_S(b)) std::copy_n(NV_DATA_S(b), NV_LENGTH_S(b), NV_DATA_S(x));
  self.solver_.solve(spanOf(x));
  ++self.statistics_.solves;
  return 0;
}

// --- Integrator -----------------------------------------------------------------------------------------------------

void SundialsIntegrator::reset(double t, std::span<const double> y) {
  std::copy(y.begin(), y.end(), NV_DATA_S(y_));
  t_ = t;
  pending_restart_ = true;
  short_steps_ = 0;
  last_problem_.clear();
}

void SundialsIntegrator::start(double h_wanted, double whole) {
  if (created_)
    restart();
  else
    create();
  created_ = true;
  double h = h_wanted > 0.0 ? std::min(h_wanted, whole) : 0.0;
  if (h > 0.0 && options_.max_step > 0.0) h = std::min(h, options_.max_step);
  setFirstStep(h);
  pending_restart_ = false;
  first_after_restart_ = true;
}

double SundialsIntegrator::step(double t_stop) {
  if (!(t_stop > t_)) throw Error("integrator: the stop time is not ahead of the present time");
  const double whole = t_stop - t_;
  if (pending_restart_) start(options_.first_step > 0.0 ? options_.first_step : firstStep(whole), whole);
  std::copy_n(NV_DATA_S(y_), NV_LENGTH_S(y_), y_before_.begin());
  setStopTime(t_stop);  // a restart cancels it
  message_.clear();
  const long failed_before = failures();
  const double planned = nextStep();
  double reached = t_;
  const int flag = advance(t_stop, reached);
  const long failed = failures() - failed_before;
  statistics_.rejected += failed;
  const std::exception_ptr carried = parked_;
  parked_ = nullptr;
  if (flag < 0) {
    // SUNDIALS has taken the step shorter, again and again, where that could help.
    std::copy(y_before_.begin(), y_before_.end(), NV_DATA_S(y_));
    pending_restart_ = true;  // its history is of no use any more
    std::string why = message_.empty() ? flagName(flag) : message_;
    if (carried) {
      try {
        std::rethrow_exception(carried);
      } catch (const SimulationError& error) {
        why = error.what();
      }  // anything else goes on its way
    }
    fail(std::min(whole, planned > 0.0 ? planned : whole), why);
  }
  ++statistics_.steps;
  const double h = reached - t_;
  t_ = reached;
  if (first_after_restart_) learn(lastStep(), failed > 0);
  first_after_restart_ = false;
  if (h >= options_.min_step || t_ >= t_stop) {
    short_steps_ = 0;
    last_problem_.clear();
  } else if (++short_steps_ >= kShortSteps) {
    fail(h, std::to_string(kShortSteps) + " steps in a row were shorter than the shortest step" +
                (last_problem_.empty() ? "" : ": " + last_problem_));
  }
  return t_;
}

std::span<const double> SundialsIntegrator::state() const { return spanOf(y_); }

void SundialsIntegrator::interpolate(double t, std::span<double> y) const {
  if (pending_restart_ || first_after_restart_) {  // no step since the reset
    std::copy_n(NV_DATA_S(y_), y.size(), y.begin());
    return;
  }
  check(dense(t, dense_), "dense output");
  std::copy_n(NV_DATA_S(dense_), y.size(), y.begin());
}

void SundialsIntegrator::fail(double h, const std::string& why) {
  pending_restart_ = true;
  std::string reason = why;
  const auto scale = problem_.errorScale();
  std::vector<double> badness(scale.size(), 0.0);
  try {
    ++statistics_.rate_calls;
    problem_.rates(t_, spanOf(y_), badness);
  } catch (const SimulationError& error) {
    if (reason.find(error.what()) == std::string::npos) reason += "; " + std::string(error.what());
  }
  for (std::size_t i = 0; i < scale.size(); ++i)
    if (std::isfinite(badness[i])) badness[i] /= scale[i];
  throw SimulationError(
      failureReport(problem_, name_, t_, h, reason, spanOf(y_), badness, "rate over its error scale [1/s]"));
}

}  // namespace podtwin::solvers
