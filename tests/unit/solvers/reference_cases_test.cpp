// Cases S01 to S04: textbook problems to the tolerance of every row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "solvers/events.hpp"
#include "solvers/integrator.hpp"
#include "solvers/textbook.hpp"
#include "tests/unit/solvers/test_problems.hpp"

namespace podtwin::solvers {
namespace {

class ReferenceCase : public testing::TestWithParam<Method> {
 protected:
  /// Tolerances that reach the rows: BDF of order up to 5, ESDIRK and Rosenbrock of order 3.
  double rtol() const { return GetParam() == Method::cvode ? 1e-10 : 1e-9; }
  std::unique_ptr<Integrator> make(OdeProblem& problem) const {
    return makeIntegrator(problem, {.method = GetParam(), .rtol = rtol(), .first_step = 1e-8, .min_step = 1e-18});
  }

  /// Compares every row of a scenario, at the times the rows name, in one run.
  void compare(const std::string& case_name, const std::string& scenario, TextbookOde ode) {
    const auto rows = test::readExpected(case_name);
    if (rows.empty()) GTEST_SKIP() << "no reference cases in " << test::casesFolder();
    std::vector<double> times;
    for (const auto& row : rows)
      if (row.scenario == scenario && row.time) times.push_back(*row.time);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    ASSERT_FALSE(times.empty());
    // The leading unknown as an interior block: the textbooks go through condensation too.
    TextbookProblem problem(std::move(ode), 1, 1);
    const auto integrator = make(problem);
    integrator->reset(0.0, problem.start());
    for (const double time : times) {
      while (integrator->time() < time) integrator->step(time);
      for (const auto& row : rows) {
        if (row.scenario != scenario || row.time != time) continue;
        const std::size_t unknown =
            row.object == "x" ? 0 : static_cast<std::size_t>(std::stoi(row.object.substr(1)) - 1);
        const double value = integrator->state()[problem.place(0, unknown)];
        EXPECT_TRUE(row.holds(value)) << row.object << " at " << time << ": " << value << " instead of " << row.value
                                      << ", relative " << value / row.value - 1.0;
      }
    }
    RecordProperty("steps", static_cast<int>(integrator->statistics().steps));
  }
};

std::string nameOf(const testing::TestParamInfo<Method>& info) {
  return info.param == Method::arkode ? "arkode" : info.param == Method::cvode ? "cvode" : "rosenbrock";
}
INSTANTIATE_TEST_SUITE_P(Methods, ReferenceCase, testing::Values(Method::arkode, Method::cvode, Method::rosenbrock),
                         nameOf);

TEST_P(ReferenceCase, S01RobertsonIsMetAtEveryTime) {
  compare("S01-robertson", "solution", robertson());
  compare("S01-robertson", "sundials", robertson());
}

TEST_P(ReferenceCase, S01RobertsonEventsAreFound) {
  const auto rows = test::readExpected("S01-robertson");
  if (rows.empty()) GTEST_SKIP() << "no reference cases in " << test::casesFolder();
  const std::map<std::string, std::pair<std::size_t, double>> events{{"root_time_y1=1e-4", {0, 1e-4}},
                                                                     {"root_time_y3=0.01", {2, 0.01}}};
  std::size_t found_events = 0;
  std::map<std::string, double> place;
  for (const auto& row : rows) {
    const auto event = events.find(row.quantity);
    if (event == events.end()) continue;
    const auto [unknown, level] = event->second;
    TextbookProblem problem(robertson());
    const auto integrator = make(problem);
    integrator->reset(0.0, problem.start());
    std::optional<double> found;
    while (!found && integrator->time() < 1e9) {
      const double t = integrator->time();
      const std::vector<double> y(integrator->state().begin(), integrator->state().end());
      integrator->step(1e9);
      found =
          locate(*integrator, t, y,
                 [unknown = unknown, level = level](double, std::span<const double> at) { return at[unknown] - level; },
                 Crossing::either, {.absolute = 1e-9, .relative = 1e-8});
    }
    ASSERT_TRUE(found) << row.quantity;
    EXPECT_TRUE(row.holds(*found)) << row.quantity << " at " << *found;
    EXPECT_NEAR(integrator->state()[unknown] / level, 1.0, 1e-6);
    place[row.quantity] = *found;
    ++found_events;
  }
  EXPECT_EQ(found_events, events.size());
}

TEST_P(ReferenceCase, S02OregonatorIsMetAtEveryTime) { compare("S02-oregonator", "solution", oregonator()); }

TEST_P(ReferenceCase, S03VanDerPolIsMetAtEveryTime) {
  compare("S03-van-der-pol", "solution", vanDerPol(1e-6));
  compare("S03-van-der-pol", "sundials", vanDerPolWithMu(3.0));
}

TEST_P(ReferenceCase, S04HiresIsMetAtEveryTime) { compare("S04-hires", "solution", hires()); }

}  // namespace
}  // namespace podtwin::solvers
