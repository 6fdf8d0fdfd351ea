#include "solvers/events.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/base/diagnostics.hpp"
#include "tests/unit/solvers/test_problems.hpp"

namespace podtwin::solvers {
namespace {

using test::Relaxation;

class Events : public testing::TestWithParam<Method> {
 protected:
  IntegratorOptions options(double rtol) const { return {.method = GetParam(), .rtol = rtol, .min_step = 1e-14}; }
};
std::string nameOf(const testing::TestParamInfo<Method>& info) {
  return info.param == Method::arkode ? "arkode" : info.param == Method::cvode ? "cvode" : "rosenbrock";
}
INSTANTIATE_TEST_SUITE_P(Methods, Events, testing::Values(Method::arkode, Method::cvode, Method::rosenbrock), nameOf);

TEST_P(Events, AreFoundWhereTheExactSolutionCrosses) {
  Relaxation problem(-1.0);
  const auto integrator = makeIntegrator(problem, options(1e-8));
  const EventFunction below = [](double, std::span<const double> y) { return y[0] - 0.25; };
  integrator->reset(0.0, std::vector<double>{1.0});
  std::optional<double> found;
  while (!found && integrator->time() < 5.0) {
    const double t = integrator->time();
    const std::vector<double> y(integrator->state().begin(), integrator->state().end());
    integrator->step(5.0);
    found = locate(*integrator, t, y, below);
  }
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, std::log(4.0), 2e-6);
  EXPECT_EQ(integrator->time(), *found) << "the integrator stands at the event";
  EXPECT_LE(integrator->state()[0], 0.25) << "behind the crossing";
  EXPECT_NEAR(integrator->state()[0], 0.25, 1e-6);
  EXPECT_EQ(integrator->step(5.0) > *found, true) << "and goes on from there";
}

TEST_P(Events, LeaveTheIntegratorAloneWithoutACrossingInTheWantedDirection) {
  Relaxation problem(-1.0);
  const auto integrator = makeIntegrator(problem, options(1e-4));
  integrator->reset(0.0, std::vector<double>{1.0});
  const std::vector<double> start{1.0};
  const double t = integrator->step(0.5);
  const double y = integrator->state()[0];
  const EventFunction never = [](double, std::span<const double> at) { return at[0] + 1.0; };
  const double middle = 0.5 * (1.0 + y);
  const EventFunction falls = [middle](double, std::span<const double> at) { return at[0] - middle; };
  EXPECT_FALSE(locate(*integrator, 0.0, start, never));
  EXPECT_FALSE(locate(*integrator, 0.0, start, falls, Crossing::rising));
  EXPECT_EQ(integrator->time(), t);
  EXPECT_EQ(integrator->state()[0], y);
  EXPECT_TRUE(locate(*integrator, 0.0, start, falls, Crossing::falling));
}

TEST_P(Events, AtTheStartOfAStepBelongToTheStepBefore) {
  Relaxation problem(-1.0);
  const auto integrator = makeIntegrator(problem, options(1e-4));
  integrator->reset(0.0, std::vector<double>{1.0});
  integrator->step(0.5);
  EXPECT_FALSE(
      locate(*integrator, 0.0, std::vector<double>{1.0}, [](double, std::span<const double> y) { return y[0] - 1.0; }));
}

TEST_P(Events, OfAFunctionWithAKinkAndASteepSideAreClosedIn) {
  Relaxation problem(0.0);
  problem.scale = {1.0};
  const auto integrator = makeIntegrator(problem, options(1e-3));
  integrator->reset(0.0, std::vector<double>{0.0});
  const double t = integrator->step(1000.0);
  const double place = 0.37 * t;
  const auto found = locate(*integrator, 0.0, std::vector<double>{0.0}, [place](double at, std::span<const double>) {
    return at < place ? -1e-9 : 1e6 * (at - place) + 1e-12;
  });
  ASSERT_TRUE(found);
  EXPECT_GE(*found, place);
  EXPECT_LE(*found - place, 1e-6);
}

TEST_P(Events, WithAFunctionThatIsNoNumberAreAnError) {
  Relaxation problem(-1.0);
  const auto integrator = makeIntegrator(problem, options(1e-4));
  integrator->reset(0.0, std::vector<double>{1.0});
  integrator->step(0.5);
  EXPECT_THROW(
      locate(*integrator, 0.0, std::vector<double>{1.0}, [](double, std::span<const double>) { return std::nan(""); }),
      SimulationError);
}

}  // namespace
}  // namespace podtwin::solvers
