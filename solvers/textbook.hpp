// Problems of the literature on stiff integration and nonlinear systems: what the solvers are checked with, here and on
// the command line.
//
// Sources: Robertson (1966); the Oregonator and HIRES as in the Bari/INdAM test set for IVP solvers; Van der Pol
// (1927); Ferraris and Tronconi (1986) and the robot kinematics problem as in Floudas et al., Handbook of Test Problems
// (1999). All unknowns and times are without unit.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/nonlinear.hpp"
#include "solvers/ode_problem.hpp"

namespace podtwin::solvers {

/// dy/dt = f(y), small and dense.
struct TextbookOde {
  std::string name;
  std::vector<double> start;
  /// The unknowns' error scale; errors are measured against scale + |y|.
  std::vector<double> scale;
  std::function<void(std::span<const double> y, std::span<double> f)> rates;
  /// df_i/dy_j at [i * size + j]; comes zeroed.
  std::function<void(std::span<const double> y, std::span<double> values)> jacobian;
};

TextbookOde robertson();
TextbookOde oregonator();
/// y1' = y2, y2' = ((1 - y1^2) y2 - y1) / eps from (2, 0).
TextbookOde vanDerPol(double eps);
/// x'' - mu (1 - x^2) x' + x = 0 from (2, 0).
TextbookOde vanDerPolWithMu(double mu);
TextbookOde hires();

/// `copies` of a textbook problem side by side. The first `interior` unknowns of every copy form the interior blocks of
/// one group, whose ports are the copy's other unknowns; 0 exposes all. Unknown i of copy c is y[place(c, i)].
class TextbookProblem final : public OdeProblem {
 public:
  explicit TextbookProblem(TextbookOde ode, std::size_t copies = 1, std::size_t interior = 0);
  const JacobianStructure& structure() const override { return structure_; }
  void rates(double t, std::span<const double> y, std::span<double> ydot) override;
  void jacobian(double t, std::span<const double> y, Jacobian& jacobian) override;
  std::span<const double> errorScale() const override { return scale_; }
  /// Infinite: a textbook problem's Jacobian is formed anew for every step.
  double jacobianDrift() const override;
  std::string nameOf(std::size_t row) const override;
  bool relativeError() const override { return true; }

  std::size_t place(std::size_t copy, std::size_t unknown) const;
  std::vector<double> start() const;
  const TextbookOde& ode() const { return ode_; }

 private:
  TextbookOde ode_;
  std::size_t copies_, interior_, n_;
  JacobianStructure structure_;
  std::vector<double> scale_, y_, f_, values_;
};

/// Two equations with two roots within 0.25 <= x1 <= 1, 1.5 <= x2 <= 2 pi.
class FerrarisTronconi final : public NonlinearProblem {
 public:
  FerrarisTronconi();
  std::size_t size() const override { return 2; }
  void residual(std::span<const double> x, std::span<double> f) override;
  void jacobian(std::span<const double> x, std::span<double> values) override;
  std::span<const double> lower() const override { return lower_; }
  std::span<const double> upper() const override { return upper_; }

 private:
  std::vector<double> lower_, upper_;
};

/// Inverse kinematics of an elbow manipulator: eight quadratic equations within -1 <= x <= 1.
class RobotKinematics final : public NonlinearProblem {
 public:
  RobotKinematics();
  std::size_t size() const override { return kSize; }
  void residual(std::span<const double> x, std::span<double> f) override;
  void jacobian(std::span<const double> x, std::span<double> values) override;
  std::span<const double> lower() const override { return lower_; }
  std::span<const double> upper() const override { return upper_; }

 private:
  static constexpr std::size_t kSize = 8;
  std::vector<double> lower_, upper_;
};

}  // namespace podtwin::solvers
