// What is particular to the Rosenbrock-W method: its order conditions, held Jacobians, linear invariants, step choice.
#include "solvers/rosenbrock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/base/diagnostics.hpp"
#include "tests/performance/solvers/pod_like_problem.hpp"
#include "tests/unit/solvers/test_problems.hpp"

namespace podtwin::solvers {
namespace {

using test::ClosedHeat;
using test::SmallProblem;

/// A nonlinear problem with a smooth reference: predator and prey, coupled with time.
SmallProblem predatorAndPrey(double jacobian_factor) {
  return {2,
          [](double t, std::span<const double> y, std::span<double> f) {
            f[0] = y[0] * (1.1 - 0.4 * y[1]) + 0.2 * std::sin(3.0 * t);
            f[1] = y[1] * (0.1 * y[0] - 0.4);
          },
          [jacobian_factor](double, std::span<const double> y, std::span<double> j) {
            j[0] = jacobian_factor * (1.1 - 0.4 * y[1]), j[1] = jacobian_factor * -0.4 * y[0];
            j[2] = jacobian_factor * 0.1 * y[1], j[3] = jacobian_factor * (0.1 * y[0] - 0.4);
          }};
}

/// Error at t = 2 with `steps` equal steps and no error control.
double errorWith(int steps, double jacobian_factor) {
  SmallProblem problem = predatorAndPrey(jacobian_factor);
  const std::vector<double> start{4.0, 2.0};
  static const std::vector<double> exact = [] {
    SmallProblem same = predatorAndPrey(1.0);
    RosenbrockIntegrator fine(same,
                              {.method = Method::rosenbrock, .rtol = 1e9, .max_step = 2.0 / 20000, .min_step = 1e-14});
    return test::march(fine, 0.0, std::vector<double>{4.0, 2.0}, 2.0);
  }();
  RosenbrockIntegrator integrator(
      problem, {.method = Method::rosenbrock, .rtol = 1e9, .max_step = 2.0 / steps, .min_step = 1e-14});
  const auto y = test::march(integrator, 0.0, start, 2.0);
  EXPECT_EQ(integrator.statistics().steps, steps);
  return std::hypot(y[0] - exact[0], y[1] - exact[1]);
}

double observedOrder(double jacobian_factor) {
  return std::log2(errorWith(80, jacobian_factor) / errorWith(160, jacobian_factor));
}

TEST(Rosenbrock, ConvergesWithOrderThreeWithTheExactJacobian) { EXPECT_NEAR(observedOrder(1.0), 3.0, 0.15); }

TEST(Rosenbrock, ConvergesWithOrderThreeWithAWrongJacobianOrNone) {
  for (const double factor : {0.0, 0.5, 1.7})
    EXPECT_NEAR(observedOrder(factor), 3.0, 0.25) << "Jacobian times " << factor;
}

TEST(Rosenbrock, ErrorEstimateHasOrderThreeInTheStep) {
  // Accepted steps grow with the cube root of the tolerance.
  const auto steps = [](double rtol) {
    SmallProblem problem = predatorAndPrey(1.0);
    RosenbrockIntegrator integrator(problem, {.method = Method::rosenbrock, .rtol = rtol, .min_step = 1e-14});
    test::march(integrator, 0.0, std::vector<double>{4.0, 2.0}, 20.0);
    return static_cast<double>(integrator.statistics().steps);
  };
  EXPECT_NEAR(steps(1e-8) / steps(1e-5), 10.0, 2.0);
}

TEST(Rosenbrock, DampsAStiffUnknownInOneStep) {
  SmallProblem problem(
      1, [](double, std::span<const double> y, std::span<double> f) { f[0] = -1e9 * (y[0] - 1.0); },
      [](double, std::span<const double>, std::span<double> j) { j[0] = -1e9; });
  RosenbrockIntegrator integrator(problem, {.method = Method::rosenbrock, .rtol = 1e9});
  integrator.reset(0.0, std::vector<double>{1001.0});
  integrator.step(1.0);
  EXPECT_NEAR(integrator.state()[0], 1.0, 1e-5);
}

TEST(Rosenbrock, KeepsALinearInvariantToRoundOffWithAJacobianThatSharesIt) {
  ClosedHeat problem(57);
  RosenbrockIntegrator integrator(problem, {.method = Method::rosenbrock, .rtol = 1e-3});
  const auto start = problem.start();
  const double before = problem.heat(start);
  const auto y = test::march(integrator, 0.0, start, 60.0);
  EXPECT_GT(std::abs(y[0] - start[0]), 10.0) << "heat did move";
  EXPECT_NEAR(problem.heat(y) / before, 1.0, 1e-13);
}

TEST(Rosenbrock, HoldsJacobianAndFactorisationOverRegularStops) {
  ClosedHeat problem(20);
  RosenbrockIntegrator integrator(problem, {.method = Method::rosenbrock, .rtol = 10.0});
  std::vector<double> y = problem.start();
  for (int second = 0; second < 50; ++second) {
    y = test::march(integrator, second, y, second + 1.0);
  }
  EXPECT_EQ(integrator.statistics().steps, 50);
  EXPECT_EQ(integrator.statistics().jacobian_calls, 1);
  EXPECT_EQ(integrator.statistics().factorisations, 1);
}

TEST(Rosenbrock, DividesTheWayToTheStopTimeIntoEqualStepsThatShareAFactorisation) {
  test::Relaxation problem(-1.0);
  problem.drift = 0.0;
  problem.input = 1.0;
  RosenbrockIntegrator integrator(problem, {.method = Method::rosenbrock, .rtol = 1.0, .max_step = 0.3});
  integrator.reset(0.0, std::vector<double>{0.0});
  for (int second = 1; second <= 10; ++second) {
    EXPECT_NEAR(integrator.step(second), second - 0.75, 1e-12);
    while (integrator.time() < second) integrator.step(second);
  }
  EXPECT_EQ(integrator.statistics().steps, 40);
  EXPECT_EQ(integrator.statistics().factorisations, 1);
}

/// Factorisations a step of y' = -y + slowly modulated wave, with stops every `period` seconds.
double factorisationsPerStep(double period, double rtol) {
  SmallProblem problem(
      1,
      [](double t, std::span<const double> y, std::span<double> f) {
        f[0] = -y[0] + (2.0 + std::sin(0.05 * t)) * std::sin(2.0 * t);
      },
      [](double, std::span<const double>, std::span<double> j) { j[0] = -1.0; });
  problem.drift = 0.0;
  RosenbrockIntegrator integrator(problem, {.method = Method::rosenbrock, .rtol = rtol});
  integrator.reset(0.0, std::vector<double>{0.0});
  for (int k = 1; k * period <= 200.0; ++k)
    while (integrator.time() < k * period) integrator.step(k * period);
  return static_cast<double>(integrator.statistics().factorisations) /
         static_cast<double>(integrator.statistics().steps);
}

TEST(Rosenbrock, KeepsAStepThatStillSuitsRatherThanFactoriseAnew) {
  EXPECT_LT(factorisationsPerStep(200.0, 1e-4), 0.3) << "far stop time";
  EXPECT_LT(factorisationsPerStep(1.0, 3e-4), 0.4) << "regular stop times";
}

TEST(Rosenbrock, SharesAFactorisationAmongManyStepsOfAPodWithInputsEachSecond) {
  performance::PodLikeProblem pod;
  RosenbrockIntegrator integrator(pod, {.method = Method::rosenbrock, .rtol = 1e-3});
  std::vector<double> y = pod.start();
  for (int second = 0; second < 60; ++second) {
    pod.setInputs(second);
    y = test::march(integrator, second, y, second + 1.0);
  }
  const auto& work = integrator.statistics();
  EXPECT_GT(work.steps, 180);
  EXPECT_LT(5 * work.factorisations, work.steps);
}

TEST(Rosenbrock, FormsTheJacobianAnewWhenACoefficientHasDrifted) {
  test::Relaxation problem(-1.0);
  RosenbrockIntegrator integrator(problem, {.method = Method::rosenbrock, .rtol = 1e9, .jacobian_drift = 0.02});
  problem.drift = 0.019;
  std::vector<double> y{1.0};
  for (int second = 0; second < 4; ++second) y = test::march(integrator, second, y, second + 1.0);
  EXPECT_EQ(integrator.statistics().jacobian_calls, 1) << "the first";
  problem.drift = 0.021;
  for (int second = 4; second < 7; ++second) y = test::march(integrator, second, y, second + 1.0);
  EXPECT_EQ(integrator.statistics().jacobian_calls, 4);
}

TEST(Rosenbrock, FormsAnOldJacobianAnewWhenAStepIsRejected) {
  // The rate jumps by four orders of magnitude; the problem does not report it.
  test::Relaxation problem(-1e-3);
  problem.drift = 0.0;
  RosenbrockIntegrator integrator(problem, {.method = Method::rosenbrock, .rtol = 1e-3});
  std::vector<double> y = test::march(integrator, 0.0, std::vector<double>{1.0}, 1.0);
  problem.rate = -10.0;
  problem.input = 5.0;
  const double from = y[0];
  y = test::march(integrator, 1.0, y, 2.0);
  EXPECT_GT(integrator.statistics().rejected, 0);
  EXPECT_GE(integrator.statistics().jacobian_calls, 2);
  EXPECT_NEAR(y[0], 5.0 + (from - 5.0) * std::exp(-10.0), 5e-3);
}

}  // namespace
}  // namespace podtwin::solvers
