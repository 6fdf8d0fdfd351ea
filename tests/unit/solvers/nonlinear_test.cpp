#include "solvers/nonlinear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "model/base/diagnostics.hpp"
#include "solvers/textbook.hpp"
#include "tests/unit/solvers/test_problems.hpp"

namespace podtwin::solvers {
namespace {

class OneEquation final : public NonlinearProblem {
 public:
  using Function = std::function<double(double)>;
  OneEquation(Function f, Function slope, double lower, double upper)
      : f_(std::move(f)), slope_(std::move(slope)), lower_{lower}, upper_{upper} {}
  std::size_t size() const override { return 1; }
  void residual(std::span<const double> x, std::span<double> f) override { f[0] = f_(x[0]); }
  void jacobian(std::span<const double> x, std::span<double> values) override { values[0] = slope_(x[0]); }
  std::span<const double> lower() const override { return lower_; }
  std::span<const double> upper() const override { return upper_; }

 private:
  Function f_, slope_;
  std::vector<double> lower_, upper_;
};

TEST(Nonlinear, FindsTheRootWithinTheBounds) {
  OneEquation problem([](double x) { return x * x - 2.0; }, [](double x) { return 2.0 * x; }, 0.0, 10.0);
  std::vector<double> x{9.0};
  const auto report = solveNonlinear(problem, x);
  EXPECT_NEAR(x[0], std::sqrt(2.0), 1e-12);
  EXPECT_LE(report.worst_residual, 1e-12);
  EXPECT_GT(report.iterations, 1);
}

TEST(Nonlinear, NeverEvaluatesFarFromTheBoundsAndSaysWhenThereIsNoRoot) {
  OneEquation problem([](double x) { return x * x + 1.0; }, [](double x) { return 2.0 * x; }, -3.0, 3.0);
  std::vector<double> x{2.0};
  EXPECT_THROW(solveNonlinear(problem, x), SimulationError);
}

TEST(Nonlinear, RefusesAStartOutsideTheBounds) {
  OneEquation problem([](double x) { return x; }, [](double) { return 1.0; }, -1.0, 1.0);
  std::vector<double> x{2.0};
  EXPECT_THROW(solveNonlinear(problem, x), InputError);
}

TEST(Nonlinear, LetsExceptionsOfTheProblemPass) {
  OneEquation problem([](double) -> double { throw std::out_of_range("a defect"); }, [](double) { return 1.0; }, -1.0,
                      1.0);
  std::vector<double> x{0.5};
  EXPECT_THROW(solveNonlinear(problem, x), std::out_of_range);
}

template <typename Problem>
void jacobianAgreesWithDifferences(Problem&& problem, std::vector<double> x) {
  const std::size_t n = problem.size();
  std::vector<double> values(n * n, 0.0), a(n), b(n);
  problem.jacobian(x, values);
  for (std::size_t j = 0; j < n; ++j) {
    constexpr double step = 1e-6;
    const double middle = x[j];
    x[j] = middle + step;
    problem.residual(x, a);
    x[j] = middle - step;
    problem.residual(x, b);
    x[j] = middle;
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(values[i * n + j], (a[i] - b[i]) / (2.0 * step), 1e-8) << i << "," << j;
  }
}

TEST(Textbook, JacobiansAgreeWithDifferencesOfResiduals) {
  jacobianAgreesWithDifferences(FerrarisTronconi(), {0.4, 2.0});
  jacobianAgreesWithDifferences(RobotKinematics(), {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8});
}

TEST(Textbook, JacobiansAgreeWithDifferencesOfRates) {
  for (const auto& ode : {robertson(), oregonator(), vanDerPol(0.5), vanDerPolWithMu(3.0), hires()}) {
    const std::size_t n = ode.start.size();
    std::vector<double> y(n), values(n * n, 0.0), a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = 0.2 + 0.1 * static_cast<double>(i);
    ode.jacobian(y, values);
    for (std::size_t j = 0; j < n; ++j) {
      constexpr double step = 1e-5;
      const double middle = y[j];
      y[j] = middle + step;
      ode.rates(y, a);
      y[j] = middle - step;
      ode.rates(y, b);
      y[j] = middle;
      for (std::size_t i = 0; i < n; ++i) {
        const double slope = (a[i] - b[i]) / (2.0 * step);
        EXPECT_NEAR(values[i * n + j], slope, 1e-6 * (1.0 + std::abs(slope))) << ode.name << " " << i << "," << j;
      }
    }
  }
}

/// Case S05: every printed and refined root.
TEST(ReferenceCase, S05NonlinearSystemsReachEveryPublishedRoot) {
  const auto rows = test::readExpected("S05-nonlinear-systems");
  if (rows.empty()) GTEST_SKIP() << "no reference cases in " << test::casesFolder();
  const auto check = [&](const std::string& scenario, const std::vector<double>& x) {
    std::size_t checked = 0;
    for (const auto& row : rows)
      if (row.scenario == scenario) {
        EXPECT_TRUE(row.holds(x.at(static_cast<std::size_t>(std::stoi(row.object.substr(1)) - 1))))
            << scenario << " " << row.object << " " << row.quantity;
        ++checked;
      }
    EXPECT_EQ(checked, 2 * x.size()) << scenario;
  };
  std::vector<double> x{0.25, 1.5};
  FerrarisTronconi ferraris_tronconi;
  solveNonlinear(ferraris_tronconi, x);
  check("ferraris_tronconi:root1", x);
  x = {0.625, 3.89159};
  solveNonlinear(ferraris_tronconi, x);
  check("ferraris_tronconi:root2", x);
  x.assign(8, std::sqrt(2.0) / 2.0);
  RobotKinematics robot;
  solveNonlinear(robot, x);
  check("robot_kinematics", x);
}

}  // namespace
}  // namespace podtwin::solvers
