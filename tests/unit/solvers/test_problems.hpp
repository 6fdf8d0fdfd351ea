// Problems with known solutions, and reference cases read from their folder, for the tests of solvers/.
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/integrator.hpp"
#include "solvers/ode_problem.hpp"

namespace podtwin::solvers::test {

/// A problem from functions, all unknowns exposed and coupled with all.
class SmallProblem : public OdeProblem {
 public:
  using Rates = std::function<void(double, std::span<const double>, std::span<double>)>;
  SmallProblem(std::size_t n, Rates rates, Rates dense_jacobian);
  const JacobianStructure& structure() const override { return structure_; }
  void rates(double t, std::span<const double> y, std::span<double> ydot) override { rates_(t, y, ydot); }
  void jacobian(double t, std::span<const double> y, Jacobian& jacobian) override { jacobian_(t, y, jacobian.exposed); }
  std::span<const double> errorScale() const override { return scale; }
  double jacobianDrift() const override { return drift; }
  std::string nameOf(std::size_t row) const override { return "small.y" + std::to_string(row); }
  bool relativeError() const override { return relative; }

  std::vector<double> scale;
  double drift = std::numeric_limits<double>::infinity();
  bool relative = false;

 private:
  JacobianStructure structure_;
  Rates rates_, jacobian_;
};

/// y' = rate (y - input): rate and input may be changed between resets.
struct Relaxation : SmallProblem {
  explicit Relaxation(double the_rate);
  double rate, input = 0.0;
};

/// Heat between a hot body, `blocks` pairs of small bodies and a cold body: closed, so that sum C_i T_i is constant.
/// The pairs are interior blocks; conductances depend on temperature, the Jacobian leaves that out.
class ClosedHeat final : public OdeProblem {
 public:
  explicit ClosedHeat(std::size_t blocks);
  const JacobianStructure& structure() const override { return structure_; }
  void rates(double t, std::span<const double> y, std::span<double> ydot) override;
  void jacobian(double t, std::span<const double> y, Jacobian& jacobian) override;
  std::span<const double> errorScale() const override { return scale_; }
  double jacobianDrift() const override { return 0.0; }
  std::string nameOf(std::size_t row) const override { return "body-" + std::to_string(row); }
  std::vector<double> start() const;
  double heat(std::span<const double> y) const;

 private:
  std::size_t blocks_;
  JacobianStructure structure_;
  std::vector<double> scale_, capacity_;
};

/// From (t, y) to `end` in as many steps as it takes.
std::vector<double> march(Integrator& integrator, double t, std::span<const double> y, double end);

/// A row of a case's expected.csv.
struct ExpectedRow {
  std::string scenario, object, quantity;
  std::optional<double> time;
  double value = 0.0, tol_abs = 0.0, tol_rel = 0.0;
  bool holds(double x) const { return std::abs(x - value) <= std::max(tol_abs, tol_rel * std::abs(value)); }
};

/// The folder with the reference cases: environment PODTWIN_CASES, else shared/reference/cases beside the repository.
std::filesystem::path casesFolder();
/// Rows of a case; empty where the folder is not there.
std::vector<ExpectedRow> readExpected(const std::string& case_name);

}  // namespace podtwin::solvers::test
