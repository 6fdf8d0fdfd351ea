// Rosenbrock-W method ROS34PW2 of Rang and Angermann (2005): four linear stages, order 3(2), stiffly accurate,
// correct for any Jacobian (so that it may be held while flows hardly move), with step rejection.
#pragma once

#include "solvers/condensed_solver.hpp"
#include "solvers/integrator.hpp"

namespace podtwin::solvers {

class RosenbrockIntegrator final : public Integrator {
 public:
  RosenbrockIntegrator(OdeProblem& problem, const IntegratorOptions& options);
  void reset(double t, std::span<const double> y) override;
  double step(double t_stop) override;
  double time() const override { return t_; }
  std::span<const double> state() const override { return y_; }
  void interpolate(double t, std::span<double> y) const override;
  const IntegratorStatistics& statistics() const override { return statistics_; }

 private:
  double tryStep(double h);
  [[noreturn]] void giveUp(double h, const std::string& why) const;

  OdeProblem& problem_;
  IntegratorOptions options_;
  CondensedSolver linear_;
  Jacobian jacobian_;
  IntegratorStatistics statistics_;
  std::vector<double> error_weight_;
  double t_ = 0.0, t_before_ = 0.0, wish_ = 0.0, factored_ = 0.0;
  bool fresh_jacobian_ = false, have_jacobian_ = false, have_rates_ = false;
  std::vector<double> y_, y_before_, y_new_, f0_, f0_before_, stage_, work_, error_;
  std::vector<double> k_[4];
};

}  // namespace podtwin::solvers
