// Rosenbrock-W method ROS34PW2 of Rang and Angermann (BIT 45, 2005): four linear stages, order 3 with an embedded order
// 2, L-stable, stiffly accurate.
//
// As a W-method it keeps its order with a Jacobian that is only roughly right, so the Jacobian and its factorisation
// are held while flows hardly move. No iteration: a step costs four rates and four solves. A step that misses the error
// goal, or whose rates cannot be evaluated, is taken again shorter. A linear invariant of the rates (w . f = 0) that
// the Jacobian shares (w . J = 0) holds to round-off in every step.
#pragma once

#include <string>
#include <vector>

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
  /// Cubic Hermite; evaluates the rates at the end of the step once, so call it before inputs change.
  void interpolate(double t, std::span<double> y) const override;
  const IntegratorStatistics& statistics() const override { return statistics_; }

 private:
  struct Choice {
    double h;
    bool last;  ///< ends at the stop time
  };
  Choice chooseStep(double remaining, bool shortened) const;
  void evaluateRates() const;
  void updateWeights();
  double tryStep(double h);
  [[noreturn]] void giveUp(double h, const std::string& why, bool have_error) const;

  static constexpr std::size_t kStages = 4;

  OdeProblem& problem_;
  IntegratorOptions options_;
  CondensedSolver linear_;
  Jacobian jacobian_;
  mutable IntegratorStatistics statistics_;
  double t_ = 0.0, t_before_ = 0.0;
  double wish_ = 0.0;              ///< s: step the error control would take next
  double wish_after_reset_ = 0.0;  ///< s: the same after the first step behind the last reset; 0: none yet
  double error_before_ = 0.0;      ///< of the step before, in units of the goal; 0: none since the reset
  double factored_step_ = 0.0;     ///< s: step the factorisation was made for; 0: none
  bool have_jacobian_ = false, jacobian_current_ = false, jacobian_wanted_ = false;
  std::vector<double> y_, y_before_, y_new_, f0_before_, stage_, error_weight_;
  mutable std::vector<double> f0_;  ///< rates at (t_, y_) when have_rates_
  mutable bool have_rates_ = false;
  std::vector<double> k_[kStages];
};

}  // namespace podtwin::solvers
