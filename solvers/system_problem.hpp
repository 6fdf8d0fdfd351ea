// A plant as the integrators see it: rates, Jacobian and names of a System with its present discrete values.
#pragma once

#include <limits>
#include <vector>

#include "model/system/system.hpp"
#include "solvers/ode_problem.hpp"

namespace podtwin::solvers {

/// Binds a System to one State (for its discrete values) and one Evaluation (for scratch and warm starts).
/// Both must outlive the problem; the State's discrete values may change between integrator resets.
class SystemProblem final : public OdeProblem {
 public:
  SystemProblem(const System& system, const State& state, Evaluation& evaluation)
      : system_(system), state_(state), evaluation_(evaluation) {}

  const JacobianStructure& structure() const override { return system_.structure(); }
  void rates(double t, std::span<const double> y, std::span<double> ydot) override {
    system_.evaluate(state_, t, y, evaluation_, ydot);
  }
  void jacobian(double t, std::span<const double> y, Jacobian& jacobian) override {
    // The Jacobian is that of the last evaluation; make it one at this point.
    scratch_.resize(y.size());
    system_.evaluate(state_, t, y, evaluation_, scratch_);
    system_.jacobian(evaluation_, jacobian);
    outdated_ = false;
  }
  std::span<const double> errorScale() const override { return system_.errorScale(); }
  double jacobianDrift() const override {
    return outdated_ ? std::numeric_limits<double>::infinity() : system_.jacobianDrift(evaluation_);
  }
  /// The next look at the drift asks for a new Jacobian, e.g. after a change of capacities.
  void outdateJacobian() { outdated_ = true; }
  std::string nameOf(std::size_t row) const override { return system_.nameOf(row); }

 private:
  const System& system_;
  const State& state_;
  Evaluation& evaluation_;
  std::vector<double> scratch_;
  bool outdated_ = false;
};

}  // namespace podtwin::solvers
