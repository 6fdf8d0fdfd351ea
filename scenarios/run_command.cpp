#include "scenarios/run_command.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "data/readers/units.hpp"
#include "data/results/recorder.hpp"
#include "model/version.hpp"
#include "scenarios/inputs.hpp"
#include "scenarios/plant_run.hpp"
#include "scenarios/run_summary.hpp"

namespace podtwin::scenarios {

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto time = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return time(usage.ru_utime) + time(usage.ru_stime);
}

/// A bar on a terminal, a line now and then elsewhere.
class Progress {
 public:
  Progress(double start, double end, bool quiet)
      : start_(start), end_(end), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}
  void show(double t, bool last) {
    if (quiet_) return;
    constexpr double kBarPeriod = 0.2, kLinePeriod = 10.0;  // s of wall time
    const double wall = seconds(began_);
    if (!last && wall - shown_ < (terminal_ ? kBarPeriod : kLinePeriod)) return;
    if (last && !terminal_) return;
    shown_ = wall;
    const double done = end_ > start_ ? (t - start_) / (end_ - start_) : 1.0;
    const double speed = wall > 0.0 ? (t - start_) / wall : 0.0;
    const double left = speed > 0.0 ? (end_ - t) / speed : 0.0;
    if (terminal_) {
      constexpr int kWidth = 30;
      const int filled = static_cast<int>(done * kWidth);
      fmt::print(stderr, "\r[{}{}] {} of {}  {:.0f}x real time  {:.0f} s left   {}",
                 std::string(static_cast<std::size_t>(filled), '#'),
                 std::string(static_cast<std::size_t>(kWidth - filled), '.'), clockText(t), clockText(end_), speed,
                 left, last ? "\n" : "");
    } else {
      fmt::print(stderr, "{} of {}, {:.0f}x real time, {:.0f} s left\n", clockText(t), clockText(end_), speed, left);
    }
    std::fflush(stderr);
  }

 private:
  double start_, end_;
  bool quiet_, terminal_;
  Clock::time_point began_ = Clock::now();
  double shown_ = 0.0;
};

/// FNV-1a of a text, as hexadecimal: identifies an input in the provenance.
std::string hashOf(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("fnv1a64:{:016x}", hash);
}

std::string defaultOutput(const std::string& scenario) {
  const auto slash = scenario.rfind('/');
  std::string name = slash == std::string::npos ? scenario : scenario.substr(slash + 1);
  const auto dot = name.rfind('.');
  return (dot == std::string::npos ? name : name.substr(0, dot)) + ".h5";
}

}  // namespace

int runScenario(const RunOptions& options, const std::atomic<bool>& stop) {
  const auto began = Clock::now();
  RunOptions wanted = options;
  PreparedRun run = prepareScenario(options.scenario, options.overrides);
  if (wanted.output.empty()) wanted.output = defaultOutput(options.scenario);
  if (options.until) run.setup.duration = std::min(run.setup.duration, *options.until);
  if (!options.from.empty()) {
    restoreCheckpoint(options.from, *run.system, run.start);
    run.start_is_steady = false;
  }

  Diagnostics problems;
  Recording recording(*run.system, run.record, problems);
  problems.throwIfErrors();

  data::RunHeader header;
  header.title = run.scenario.title;
  header.simulated_start = data::timestampText(run.scenario.start);
  const std::time_t now = std::time(nullptr);
  header.created = data::timestampText(static_cast<double>(now));
  header.provenance["version"] = kVersion;
  header.provenance["scenario"] = run.scenario.source_text;
  header.provenance["scenario_hash"] = hashOf(run.scenario.source_text);
  header.provenance["pod"] = run.system->plant().source_text;
  header.provenance["pod_hash"] = hashOf(run.system->plant().source_text);
  header.provenance["method"] = run.scenario.solver.method;
  header.provenance["rtol"] = fmt::format("{}", run.setup.integrator.rtol);
  std::string overrides;
  for (const auto& o : options.overrides) overrides += o + "\n";
  header.provenance["overrides"] = overrides;
  std::string workload;
  if (run.setup.workload)
    for (const auto& [key, value] : run.setup.workload->provenance()) workload += key + ": " + value + "\n";
  header.provenance["workload"] = workload;
  std::string states;
  for (const auto& set : run.system->sets())
    if (const std::size_t count = set->exposedCount() + set->interiorCount(); count > 0)
      states += fmt::format("    {:<22} {:>7}\n", set->info().name, count);
  states += fmt::format("    {:<22} {:>7}\n", "all", run.system->size());
  header.provenance["states_by_class"] = states;
  header.provenance_wall["created"] = header.created;

  data::RecorderOptions recorder_options;
  recorder_options.overwrite = options.force;
  data::Recorder recorder(wanted.output, header, recording.tables(), recorder_options);
  recording.attach(recorder);

  SummaryObserver summary(*run.system);
  ExpectationObserver expectations(run.expectations);
  std::unique_ptr<Simulation> simulation;
  const auto fail = [&](const std::string& what) {
    if (simulation != nullptr) {
      const std::string checkpoint = wanted.output.substr(0, wanted.output.rfind(".h5")) + ".checkpoint.h5";
      saveCheckpoint(checkpoint, *run.system, simulation->state());
      fmt::print(stderr,
                 "podtwin: error: {}\npodtwin: note: '{}' holds the run up to {}, '{}' the state of that moment\n",
                 what, wanted.output, clockText(simulation->time()), checkpoint);
    } else {
      fmt::print(stderr, "podtwin: error: {}\n", what);
    }
    return kFailed;
  };
  double first_step = 0.0;
  try {
    if (run.start_is_steady) startSteady(run);
    simulation = std::make_unique<Simulation>(*run.system, run.setup, run.start,
                                              std::vector<Observer*>{&recording, &summary, &expectations});
    first_step = seconds(began);
    Progress progress(simulation->time(), run.setup.duration, options.quiet);
    bool more = simulation->step();
    while (more && !stop) {
      more = simulation->step();
      progress.show(simulation->time(), false);
    }
    progress.show(simulation->time(), true);
    const auto scalars = summary.scalars(*simulation);
    recorder.summary(scalars);
    for (const auto& [name, text] : summary.texts(*simulation)) recorder.summaryText(name, text);
    const auto balance = summary.balance(*simulation);
    recorder.balance(balance);
    const bool complete = !stop;
    recorder.close(complete);
    if (!options.save_checkpoint.empty()) saveCheckpoint(options.save_checkpoint, *run.system, simulation->state());
    if (!options.quiet) {
      printSummary(*simulation, summary, expectations, run.expectations);
      const double wall = seconds(began), cpu = cpuSeconds(), simulated = simulation->time() - run.start.t;
      const auto& statistics = simulation->statistics();
      fmt::print(
          "\n{} simulated in {:.2f} s ({:.2f} CPU-s, {:.0f} simulated seconds a CPU-second); first step after {:.2f} "
          "s\n{}: {} steps, {} rejected, {} rate calls, {} Jacobians, {} factorisations\nresult: {}\n",
          clockText(simulated), wall, cpu, simulated / cpu, first_step, run.scenario.solver.method, statistics.steps,
          statistics.rejected, statistics.rate_calls, statistics.jacobian_calls, statistics.factorisations,
          wanted.output);
    }
    if (stop) return kStopped;
    if (!expectations.allHold()) {
      if (options.quiet) printExpectations(expectations, run.expectations);
      return kExpectationMissed;
    }
    return kDone;
  } catch (const SimulationError& error) {
    return fail(error.what());
  }
}

}  // namespace podtwin::scenarios
