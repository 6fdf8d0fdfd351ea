// Speed and accuracy of every integrator on the pod-like problem, and of the linear solver alone.
//
//   solvers_pod_like [seconds [repetitions]]
//
// Figures in microseconds depend on the machine and on what else it does; errors and counts do not. The program ends
// with 1 when a method misses the error goal for dies against CVODE at tight tolerance in the same run.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "solvers/condensed_solver.hpp"
#include "solvers/integrator.hpp"
#include "tests/performance/solvers/pod_like_problem.hpp"

namespace {

using podtwin::Jacobian;
using podtwin::performance::PodLikeProblem;
using podtwin::solvers::Integrator;
using podtwin::solvers::IntegratorOptions;
using podtwin::solvers::IntegratorStatistics;
using podtwin::solvers::Method;

constexpr double kErrorGoal = 0.05;  // K, worst die at any second
constexpr int kWarmUp = 60;          // s before errors and times count

double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Run {
  std::vector<std::vector<float>> dies;  // each second
  double cpu = 0.0;
  IntegratorStatistics work;
};

Run run(const IntegratorOptions& options, const std::vector<double>& start, int seconds, bool keep) {
  PodLikeProblem problem;
  const auto integrator = podtwin::solvers::makeIntegrator(problem, options);
  std::vector<double> y = start;
  Run result;
  for (int second = kWarmUp; second < kWarmUp + seconds; ++second) {
    problem.setInputs(second);  // not timed: making the inputs is no part of the integration
    const double began = cpuSeconds();
    integrator->reset(second, y);
    for (double t = second; t < second + 1.0;) t = integrator->step(second + 1.0);
    std::copy(integrator->state().begin(), integrator->state().end(), y.begin());
    result.cpu += cpuSeconds() - began;
    if (keep) {
      const auto first = y.begin() + static_cast<std::ptrdiff_t>(problem.firstDie());
      result.dies.emplace_back(first, first + static_cast<std::ptrdiff_t>(problem.dies()));
    }
  }
  result.work = integrator->statistics();
  return result;
}

template <typename Work>
double best(int repetitions, int inner, Work&& work) {
  double least = HUGE_VAL;
  for (int k = 0; k < repetitions; ++k) {
    const double began = cpuSeconds();
    for (int i = 0; i < inner; ++i) work();
    least = std::min(least, (cpuSeconds() - began) / inner);
  }
  return least * 1e6;
}

void parts(const std::vector<double>& y) {
  PodLikeProblem problem;
  problem.setInputs(kWarmUp);
  const auto& structure = problem.structure();
  Jacobian jacobian(structure);
  problem.jacobian(0.0, y, jacobian);
  podtwin::solvers::CondensedSolver solver(structure);
  std::vector<double> b(y), rates(y.size());
  double gamma = 0.43;
  solver.factorise(gamma, jacobian);
  const double factor = best(20, 20, [&] { solver.factorise(gamma *= 1.0001, jacobian); });
  const double solve = best(20, 100, [&] {
    std::copy(y.begin(), y.end(), b.begin());
    solver.solve(b);
  });
  const double copy = best(20, 100, [&] { std::copy(y.begin(), y.end(), b.begin()); });
  const double rate = best(20, 100, [&] { problem.rates(0.0, y, rates); });
  const double fill = best(5, 10, [&] {
    jacobian.zero();
    problem.jacobian(0.0, y, jacobian);
  });
  std::printf("unknowns %zu, exposed %zu, couplings %zu\n", structure.size, structure.exposed,
              structure.couplings.size());
  std::printf("factorise %.1f us, solve %.1f us, rates %.1f us, jacobian %.1f us (best of 20)\n\n", factor,
              solve - copy, rate, fill);
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 120;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 3;

  std::vector<double> start;
  {
    PodLikeProblem problem;
    start = problem.start();
    const auto integrator = podtwin::solvers::makeIntegrator(problem, {.method = Method::arkode, .rtol = 1e-2});
    for (int second = 0; second < kWarmUp; ++second) {
      problem.setInputs(second);
      integrator->reset(second, start);
      for (double t = second; t < second + 1.0;) t = integrator->step(second + 1.0);
      std::copy(integrator->state().begin(), integrator->state().end(), start.begin());
    }
  }
  parts(start);

  const Run reference = run({.method = Method::cvode, .rtol = 1e-7, .min_step = 1e-12}, start, seconds, true);
  float hottest = 0.0F, coolest = 1000.0F;
  for (const auto& row : reference.dies)
    for (const float die : row) hottest = std::max(hottest, die), coolest = std::min(coolest, die);
  std::printf("reference: cvode 1e-7, %.1f steps/s, %.0f simulated s per CPU s, dies %.1f to %.1f degC\n\n",
              static_cast<double>(reference.work.steps) / seconds, seconds / reference.cpu,
              static_cast<double>(coolest), static_cast<double>(hottest));

  struct Candidate {
    std::string name;
    IntegratorOptions options;
  };
  std::vector<Candidate> candidates;
  for (const double rtol : {1e-1, 3e-2, 1e-2, 1e-3}) {
    char text[64];
    std::snprintf(text, sizeof text, "%.0e", rtol);
    for (const auto& [name, method] :
         {std::pair{"rosenbrock", Method::rosenbrock}, {"arkode", Method::arkode}, {"cvode", Method::cvode}})
      candidates.push_back({std::string(name) + " " + text, {.method = method, .rtol = rtol}});
  }
  std::printf("%-18s %9s %9s %8s %8s %8s %8s %8s %8s %10s\n", "method", "x real", "(worst)", "steps/s", "reject/s",
              "rates/s", "jac/s", "fact/s", "solve/s", "error [K]");
  bool met = true;
  for (const auto& candidate : candidates) {
    double fastest = HUGE_VAL, slowest = 0.0, error = 0.0;
    IntegratorStatistics work;
    for (int k = 0; k < repetitions; ++k) {
      const Run result = run(candidate.options, start, seconds, k == 0);
      fastest = std::min(fastest, result.cpu);
      slowest = std::max(slowest, result.cpu);
      work = result.work;
      for (std::size_t row = 0; row < result.dies.size(); ++row)
        for (std::size_t i = 0; i < result.dies[row].size(); ++i)
          error = std::max(error, static_cast<double>(std::abs(result.dies[row][i] - reference.dies[row][i])));
    }
    const auto each = [&](std::int64_t count) { return static_cast<double>(count) / seconds; };
    std::printf("%-18s %9.0f %9.0f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %10.2e\n", candidate.name.c_str(),
                seconds / fastest, seconds / slowest, each(work.steps), each(work.rejected), each(work.rate_calls),
                each(work.jacobian_calls), each(work.factorisations), each(work.solves), error);
    // The goal binds the tolerance that runs use by default and everything tighter.
    if (candidate.options.rtol <= IntegratorOptions{}.rtol && !(error <= kErrorGoal)) met = false;
  }
  return met ? 0 : 1;
}
