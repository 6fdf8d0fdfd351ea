// What every integrator has to do, whatever its method.
#include "solvers/integrator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "model/base/diagnostics.hpp"
#include "solvers/textbook.hpp"
#include "tests/unit/solvers/test_problems.hpp"

namespace podtwin::solvers {
namespace {

using test::ClosedHeat;
using test::Relaxation;
using test::SmallProblem;

class EveryIntegrator : public testing::TestWithParam<Method> {
 protected:
  IntegratorOptions options(double rtol) const { return {.method = GetParam(), .rtol = rtol, .min_step = 1e-14}; }
  std::unique_ptr<Integrator> make(OdeProblem& problem, double rtol) const {
    return makeIntegrator(problem, options(rtol));
  }
};

std::string nameOf(const testing::TestParamInfo<Method>& info) {
  return info.param == Method::arkode ? "arkode" : info.param == Method::cvode ? "cvode" : "rosenbrock";
}
INSTANTIATE_TEST_SUITE_P(Methods, EveryIntegrator, testing::Values(Method::arkode, Method::cvode, Method::rosenbrock),
                         nameOf);

std::string messageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "no SimulationError";
}

TEST_P(EveryIntegrator, StaysWithinItsToleranceOnAnExponential) {
  for (const double rtol : {1e-3, 1e-5, 1e-7}) {
    Relaxation problem(-1.3);
    problem.input = 2.0;
    const auto integrator = make(problem, rtol);
    const auto y = test::march(*integrator, 0.0, std::vector<double>{10.0}, 3.0);
    EXPECT_NEAR(y[0], 2.0 + 8.0 * std::exp(-1.3 * 3.0), 20.0 * rtol) << rtol;
  }
}

TEST_P(EveryIntegrator, EndsExactlyAtTheStopTimeAndNeverBeyond) {
  Relaxation problem(-0.5);
  const auto integrator = make(problem, 1e-4);
  integrator->reset(0.1, std::vector<double>{1.0});
  double before = 0.1;
  for (const double stop : {0.4, 1.0 / 3.0 + 1.0, 7.77, 7.770001, 100.0}) {
    while (integrator->time() < stop) {
      const double t = integrator->step(stop);
      EXPECT_GT(t, before);
      EXPECT_LE(t, stop);
      EXPECT_EQ(t, integrator->time());
      before = t;
    }
    EXPECT_EQ(integrator->time(), stop);
  }
  EXPECT_THROW(integrator->step(100.0), Error) << "a stop time that is not ahead";
}

TEST_P(EveryIntegrator, FollowsAnInputThatStepsEverySecond) {
  Relaxation problem(-0.7);
  const auto integrator = make(problem, 1e-5);
  std::vector<double> y{0.0};
  double exact = 0.0;
  for (int second = 0; second < 40; ++second) {
    problem.input = second % 3 == 0 ? 10.0 : -5.0 + second;
    exact = problem.input + (exact - problem.input) * std::exp(problem.rate);
    y = test::march(*integrator, second, y, second + 1.0);
    ASSERT_NEAR(y[0], exact, 1e-3) << second;
  }
}

TEST_P(EveryIntegrator, StartsAgainFromAnotherStateAndTimeAfterAReset) {
  Relaxation problem(-1.0);
  const auto integrator = make(problem, 1e-6);
  test::march(*integrator, 0.0, std::vector<double>{1.0}, 5.0);
  const auto y = test::march(*integrator, -2.0, std::vector<double>{100.0}, -1.0);
  EXPECT_NEAR(y[0], 100.0 * std::exp(-1.0), 1e-3);
  EXPECT_EQ(integrator->time(), -1.0);
}

TEST_P(EveryIntegrator, GivesTheSameWithAndWithoutInteriorBlocks) {
  for (const auto& [ode, end] : {std::pair{hires(), 30.0}, {robertson(), 40.0}}) {
    for (const std::size_t interior : {1U, 2U, 3U}) {
      TextbookProblem exposed(ode, 3, 0), blocks(ode, 3, interior);
      const auto integrate = [&](TextbookProblem& problem) {
        auto start = problem.start();
        for (std::size_t c = 0; c < 3; ++c)
          start[problem.place(c, 0)] -= 0.1 * static_cast<double>(c);  // no two copies alike
        const auto integrator = make(problem, 1e-6);
        return test::march(*integrator, 0.0, start, end);
      };
      const auto a = integrate(exposed), b = integrate(blocks);
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < ode.start.size(); ++i) {
          const double x = a[exposed.place(c, i)], y = b[blocks.place(c, i)];
          EXPECT_NEAR(x, y, 1e-9 + 1e-5 * std::abs(x))
              << ode.name << " interior " << interior << " copy " << c << " y" << i + 1;
        }
    }
  }
}

TEST_P(EveryIntegrator, InterpolatesWithinTheLastStepToThirdOrder) {
  // Error of the middle of one step from exact data, for halved steps.
  const auto error = [&](double h) {
    SmallProblem problem(
        1, [](double t, std::span<const double> y, std::span<double> f) { f[0] = -y[0] + std::cos(2.0 * t); },
        [](double, std::span<const double>, std::span<double> j) { j[0] = -1.0; });
    auto wanted = options(GetParam() == Method::cvode ? 1e-9 : 1e-2);
    wanted.max_step = h;
    const auto integrator = makeIntegrator(problem, wanted);
    const auto exact = [](double t) { return 0.2 * std::cos(2.0 * t) + 0.4 * std::sin(2.0 * t) + 0.8 * std::exp(-t); };
    integrator->reset(0.0, std::vector<double>{1.0});
    double worst = 0.0;
    std::vector<double> y(1);
    for (double t = 0.0; t < 2.0;) {
      const double before = t;
      t = integrator->step(2.0);
      for (const double share : {0.0, 0.3, 0.5, 0.9, 1.0}) {
        const double at = before + share * (t - before);
        integrator->interpolate(at, y);
        worst = std::max(worst, std::abs(y[0] - exact(at)));
      }
    }
    return worst;
  };
  EXPECT_LT(error(0.02), 1e-6);
  if (GetParam() == Method::cvode) return;  // its steps and its order are its own
  EXPECT_LT(error(0.02), error(0.04) / 6.0);
}

TEST_P(EveryIntegrator, InterpolatesTheEndsOfTheStepAndTheStateAfterAReset) {
  Relaxation problem(-1.0);
  const auto integrator = make(problem, 1e-4);
  integrator->reset(2.0, std::vector<double>{5.0});
  std::vector<double> y(1);
  integrator->interpolate(2.0, y);
  EXPECT_EQ(y[0], 5.0);
  const double t = integrator->step(3.0);
  integrator->interpolate(2.0, y);
  EXPECT_NEAR(y[0], 5.0, 1e-12);
  integrator->interpolate(t, y);
  EXPECT_NEAR(y[0], integrator->state()[0], 1e-12);
}

TEST_P(EveryIntegrator, LeavesAnUnknownOfInfiniteScaleOutOfTheError) {
  // A ledger with a violent rate would force short steps were it controlled.
  SmallProblem problem(
      2,
      [](double t, std::span<const double> y, std::span<double> f) {
        f[0] = -y[0];
        f[1] = 1e6 * std::sin(40.0 * t);
      },
      [](double, std::span<const double>, std::span<double> j) { j[0] = -1.0; });
  const auto steps = [&](double ledger_scale) {
    problem.scale = {1.0, ledger_scale};
    const auto integrator = make(problem, 1e-3);
    test::march(*integrator, 0.0, std::vector<double>{1.0, 0.0}, 4.0);
    return integrator->statistics().steps;
  };
  EXPECT_LT(10 * steps(std::numeric_limits<double>::infinity()), steps(1.0));
}

TEST_P(EveryIntegrator, OneBadUnknownAmongManyCountsInFull) {
  // One fast unknown between 9,999 at rest: a root-mean-square norm would divide its error by 100.
  constexpr std::size_t n = 10000;
  class Sparse final : public OdeProblem {
   public:
    Sparse() : scale_(n, 1.0) {
      structure_.size = structure_.exposed = n;
      for (std::size_t i = 0; i < n; ++i)
        structure_.couplings.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)});
    }
    const JacobianStructure& structure() const override { return structure_; }
    void rates(double, std::span<const double> y, std::span<double> f) override {
      std::fill(f.begin(), f.end(), 0.0);
      f[77] = -y[77] * y[77] * y[77];
    }
    void jacobian(double, std::span<const double> y, Jacobian& j) override { j.exposed[77] = -3.0 * y[77] * y[77]; }
    std::span<const double> errorScale() const override { return scale_; }
    double jacobianDrift() const override { return HUGE_VAL; }
    std::string nameOf(std::size_t row) const override { return std::to_string(row); }

   private:
    JacobianStructure structure_;
    std::vector<double> scale_;
  } problem;
  const auto integrator = make(problem, 1e-4);
  std::vector<double> y(n, 0.0);
  y[77] = 10.0;
  y = test::march(*integrator, 0.0, y, 1.0);
  EXPECT_NEAR(y[77], 10.0 / std::sqrt(1.0 + 2.0 * 100.0), 1e-3);
}

TEST_P(EveryIntegrator, TakesShorterStepsWhereRatesCannotBeEvaluated) {
  // Torricelli's law: the level cannot be evaluated below zero, and a long step tries to.
  SmallProblem problem(
      1,
      [](double, std::span<const double> y, std::span<double> f) {
        if (y[0] < 0.0) throw SimulationError("tank 'T1' is empty");
        f[0] = -2.0 * std::sqrt(y[0]);
      },
      [](double, std::span<const double> y, std::span<double> j) { j[0] = -1.0 / std::sqrt(std::max(y[0], 1e-30)); });
  const auto integrator = make(problem, 1e-2);
  const auto y = test::march(*integrator, 0.0, std::vector<double>{1.0}, 0.95);
  EXPECT_NEAR(y[0], 0.05 * 0.05, 5e-2 * 1.0);
}

TEST_P(EveryIntegrator, GivesUpWithTimeStepReasonAndNames) {
  Relaxation problem(-1.0);
  SmallProblem broken(
      2,
      [](double t, std::span<const double> y, std::span<double> f) {
        if (t > 1.0 || y[0] > 1e3) throw SimulationError("valve 'V-7' has no curve");
        f[0] = 1.0;
        f[1] = -3.0;
      },
      [](double, std::span<const double>, std::span<double>) {});
  auto wanted = options(1e-3);
  wanted.min_step = 1e-9;
  const auto integrator = makeIntegrator(broken, wanted);
  const std::string message = messageOf([&] { test::march(*integrator, 0.0, std::vector<double>{0.0, 0.0}, 2.0); });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr(nameOf({GetParam(), 0})), testing::HasSubstr("t = "),
                                      testing::HasSubstr("step of"), testing::HasSubstr("valve 'V-7' has no curve"),
                                      testing::HasSubstr("small.y1"), testing::HasSubstr("small.y0")));
}

TEST_P(EveryIntegrator, GivesUpOnANumberThatIsNone) {
  SmallProblem broken(
      1, [](double t, std::span<const double> y, std::span<double> f) { f[0] = t > 1.0 ? std::nan("") : -y[0]; },
      [](double, std::span<const double>, std::span<double> j) { j[0] = -1.0; });
  broken.scale = {std::numeric_limits<double>::infinity()};  // not even where errors do not count
  auto wanted = options(1e-3);
  wanted.min_step = 1e-9;
  const auto integrator = makeIntegrator(broken, wanted);
  EXPECT_THROW(test::march(*integrator, 0.0, std::vector<double>{1.0}, 2.0), SimulationError);
  EXPECT_TRUE(std::isfinite(integrator->state()[0]));
}

TEST_P(EveryIntegrator, GivesUpInFiniteWorkWhereTheSolutionEnds) {
  SmallProblem explosion(
      1, [](double, std::span<const double> y, std::span<double> f) { f[0] = y[0] * y[0]; },
      [](double, std::span<const double> y, std::span<double> j) { j[0] = 2.0 * y[0]; });  // infinite at t = 1
  explosion.relative = true;
  auto wanted = options(1e-4);
  wanted.min_step = 1e-9;
  const auto integrator = makeIntegrator(explosion, wanted);
  EXPECT_THAT(messageOf([&] { test::march(*integrator, 0.0, std::vector<double>{1.0}, 2.0); }),
              testing::HasSubstr("small.y0"));
  EXPECT_LT(integrator->statistics().rate_calls, 100000);
}

TEST_P(EveryIntegrator, LetsOtherExceptionsPassAsTheyAre) {
  SmallProblem broken(
      1,
      [](double t, std::span<const double>, std::span<double> f) {
        if (t > 0.5) throw std::out_of_range("a defect");
        f[0] = 1.0;
      },
      [](double, std::span<const double>, std::span<double>) {});
  const auto integrator = make(broken, 1e-3);
  EXPECT_THROW(test::march(*integrator, 0.0, std::vector<double>{0.0}, 2.0), std::out_of_range);
}

TEST_P(EveryIntegrator, GoesOnAfterAFailureOnceItIsReset) {
  bool broken = true;
  SmallProblem problem(
      1,
      [&](double t, std::span<const double> y, std::span<double> f) {
        if (broken && t > 0.5) throw SimulationError("no power");
        f[0] = -y[0];
      },
      [](double, std::span<const double>, std::span<double> j) { j[0] = -1.0; });
  const auto integrator = make(problem, 1e-5);
  EXPECT_THROW(test::march(*integrator, 0.0, std::vector<double>{1.0}, 1.0), SimulationError);
  broken = false;
  EXPECT_NEAR(test::march(*integrator, 0.0, std::vector<double>{1.0}, 1.0)[0], std::exp(-1.0), 1e-4);
}

TEST_P(EveryIntegrator, TakesNoStepLongerThanTheLongest) {
  Relaxation problem(-1e-3);
  auto wanted = options(1.0);
  wanted.max_step = 0.25;
  const auto integrator = makeIntegrator(problem, wanted);
  integrator->reset(0.0, std::vector<double>{1.0});
  for (double t = 0.0; t < 3.0;) {
    const double next = integrator->step(3.0);
    EXPECT_LE(next - t, 0.25 + 1e-9);
    t = next;
  }
}

TEST_P(EveryIntegrator, TakesTheFirstStepAfterEveryResetAsTold) {
  Relaxation problem(-1e-3);
  auto wanted = options(1.0);
  wanted.first_step = 0.125;
  const auto integrator = makeIntegrator(problem, wanted);
  for (const double from : {0.0, 10.0, 20.0}) {
    integrator->reset(from, std::vector<double>{1.0});
    EXPECT_NEAR(integrator->step(from + 1.0), from + 0.125, 1e-9);
    while (integrator->time() < from + 1.0) integrator->step(from + 1.0);
  }
}

TEST_P(EveryIntegrator, KeepsHeatInAClosedSystem) {
  ClosedHeat problem(30);
  const auto integrator = make(problem, 1e-3);
  const auto start = problem.start();
  const auto y = test::march(*integrator, 0.0, start, 60.0);
  // A Newton iteration stops short of convergence; its corrections conserve all the same, so round-off is what is left.
  EXPECT_NEAR(problem.heat(y) / problem.heat(start), 1.0, 1e-12);
}

TEST_P(EveryIntegrator, CountsItsWork) {
  int calls = 0, jacobians = 0;
  SmallProblem problem(
      1,
      [&](double, std::span<const double> y, std::span<double> f) {
        ++calls;
        f[0] = -y[0];
      },
      [&](double, std::span<const double>, std::span<double> j) {
        ++jacobians;
        j[0] = -1.0;
      });
  const auto integrator = make(problem, 1e-5);
  int steps = 0;
  integrator->reset(0.0, std::vector<double>{1.0});
  while (integrator->time() < 2.0) integrator->step(2.0), ++steps;
  std::vector<double> y(1);
  integrator->interpolate(1.999, y);
  const auto& work = integrator->statistics();
  EXPECT_EQ(work.steps, steps);
  EXPECT_EQ(work.rate_calls, calls);
  EXPECT_EQ(work.jacobian_calls, jacobians);
  EXPECT_GE(work.factorisations, 1);
  EXPECT_GE(work.solves, steps);
}

TEST_P(EveryIntegrator, RejectedStepsAreCountedOverResets) {
  Relaxation problem(-1.0);
  problem.drift = 0.0;
  const auto integrator = make(problem, 1e-6);
  std::int64_t before = 0;
  std::vector<double> y{0.0};
  for (int second = 0; second < 20; ++second) {
    problem.input = 100.0 * (second % 2);
    y = test::march(*integrator, second, y, second + 1.0);
    EXPECT_GE(integrator->statistics().rejected, before);
    before = integrator->statistics().rejected;
  }
}

TEST_P(EveryIntegrator, RunsInSeveralThreadsWithEqualResults) {
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&result, this] {
      TextbookProblem problem(hires(), 2, 2);
      const auto integrator = make(problem, 1e-5);
      result = test::march(*integrator, 0.0, problem.start(), 50.0);
    });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(MethodNames, AreKnownAndANearMissGetsASuggestion) {
  EXPECT_EQ(methodFromName("arkode"), Method::arkode);
  EXPECT_EQ(methodFromName("cvode"), Method::cvode);
  EXPECT_EQ(methodFromName("rosenbrock"), Method::rosenbrock);
  try {
    methodFromName("rosenbrok");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.problems().at(0).remedy, testing::HasSubstr("rosenbrock"));
  }
  EXPECT_THROW(methodFromName(""), InputError);
}

}  // namespace
}  // namespace podtwin::solvers
