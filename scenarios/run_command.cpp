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
#include "model/base/text_hash.hpp"
#include "model/version.hpp"
#include "scenarios/checkpoints.hpp"
#include "scenarios/inputs.hpp"
#include "scenarios/moments.hpp"
#include "scenarios/output_files.hpp"
#include "scenarios/plant_run.hpp"
#include "scenarios/restart_recording.hpp"
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

std::string defaultOutput(const std::string& scenario) {
  const auto slash = scenario.rfind('/');
  std::string name = slash == std::string::npos ? scenario : scenario.substr(slash + 1);
  const auto dot = name.rfind('.');
  return (dot == std::string::npos ? name : name.substr(0, dot)) + ".h5";
}

/// What of the time line cannot be meant: an end that is not after the start, events that lie before it.
void checkSpan(const PreparedRun& run, const std::optional<double>& until, Diagnostics& problems) {
  const double start = run.start.t, end = run.setup.duration;
  if (until && *until > run.scenario.duration)
    problems.error({"--until", 0, 0},
                   momentText(*until) + " is after the end of the scenario at " + momentText(run.scenario.duration),
                   "leave it out, or lengthen the run with --set 'scenario.duration=" + momentText(*until) + "'");
  if (start >= end)
    problems.error({run.scenario.from.file, 0, 0},
                   "is a state of " + momentText(start) + ", and the run ends at " + momentText(end),
                   "end later, or start from an earlier state");
  for (const auto& event : run.scenario.events)
    if (event.at && *event.at < start)
      problems.warning(event.where,
                       "the event at " + momentText(*event.at) + " ('" + event.verb + "') lies before the start at " +
                           momentText(start) + " and does not take place",
                       "what it did is part of the state only if the run that stored it had the same event");
}

}  // namespace

int runScenario(const RunOptions& options, const std::atomic<bool>& stop) {
  const auto began = Clock::now();
  RunOptions wanted = options;
  PreparedRun run = prepareScenario(options.scenario, options.overrides, options.from);
  run.setup.stop = &stop;
  if (wanted.output.empty()) wanted.output = defaultOutput(options.scenario);
  if (options.until) run.setup.duration = std::min(run.setup.duration, *options.until);
  Diagnostics problems = std::move(run.warnings);
  Recording& recording = *run.recording;
  RestartRecording restart(*run.system, run.scenario.restart, run.setup, problems);
  checkSpan(run, options.until, problems);
  problems.throwIfErrors();
  for (const auto& problem : problems.list()) fmt::print(stderr, "{}\n", problem.text());
  const std::vector<std::string> inputs = filesRead(run);
  checkOutputs(inputs, wanted.output, wanted.save_checkpoint, options.force);

  data::RunHeader header;
  header.title = run.scenario.title;
  header.simulated_start = data::timestampText(run.scenario.start);
  const std::time_t now = std::time(nullptr);
  header.created = data::timestampText(static_cast<double>(now));
  header.provenance["version"] = kVersion;
  header.provenance["scenario"] = run.scenario.source_text;
  header.provenance["scenario_hash"] = "fnv1a64:" + fnv1a(run.scenario.source_text);
  header.provenance["pod"] = run.system->plant().source_text;
  header.provenance["pod_hash"] = "fnv1a64:" + fnv1a(run.system->plant().source_text);
  header.provenance["method"] = run.scenario.solver.method;
  header.provenance["rtol"] = fmt::format("{}", run.setup.integrator.rtol);
  std::string overrides;
  for (const auto& o : options.overrides) overrides += o + "\n";
  header.provenance["overrides"] = overrides;
  std::string workload;
  if (run.setup.workload)
    for (const auto& [key, value] : run.setup.workload->provenance()) workload += key + ": " + value + "\n";
  header.provenance["workload"] = workload;
  if (const std::string series = seriesProvenance(*run.system); !series.empty()) header.provenance["series"] = series;
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
  restart.attach(recorder);

  SummaryObserver summary(*run.system);
  ExpectationObserver expectations(run.expectations);
  std::unique_ptr<Simulation> simulation;
  const auto fail = [&](const std::string& what) {
    fmt::print(stderr, "podtwin: error: {}\n", what);
    const bool begun = recorder.begun();
    try {
      recorder.close(false);
    } catch (const SimulationError& error) {
      if (what != error.what()) fmt::print(stderr, "podtwin: error: {}\n", error.what());
    }
    if (begun && std::isfinite(recorder.flushedTime()))
      fmt::print(stderr, "podtwin: note: '{}' holds the run up to {}\n", wanted.output,
                 clockText(recorder.flushedTime()));
    else if (begun)
      fmt::print(stderr, "podtwin: note: '{}' holds no rows\n", wanted.output);
    else
      fmt::print(stderr, "podtwin: note: the run did not begin; no result was written to '{}'\n", wanted.output);
    const std::string checkpoint = failureCheckpoint(wanted.output, inputs);
    try {
      saveCheckpoint(checkpoint, *run.system, simulation != nullptr ? simulation->state() : run.start);
      fmt::print(stderr, "podtwin: note: '{}' holds the {}; a run goes on from it with --from\n", checkpoint,
                 simulation != nullptr ? "state of that moment" : "state that the search for a start had come to");
    } catch (const SimulationError& error) {
      fmt::print(stderr, "podtwin: note: no checkpoint was left: {}\n", error.what());
    }
    return stop ? kStopped : kFailed;  // a signal goes before a failure
  };
  double first_step = 0.0;
  try {
    if (run.start_is_steady) startSteady(run, stop);
    simulation = std::make_unique<Simulation>(*run.system, run.setup, run.start,
                                              std::vector<Observer*>{&restart, &recording, &summary, &expectations});
    first_step = seconds(began);
    Progress progress(simulation->time(), run.setup.duration, options.quiet);
    bool more = simulation->step();
    while (more && !stop) {
      more = simulation->step();
      progress.show(simulation->time(), false);
    }
    progress.show(simulation->time(), true);
    restart.end(simulation->state());
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
          "s\n{}: {} steps, {} rejected, {} rate calls, {} Jacobians, {} factorisations; flows took {:.1f} % of the "
          "time\nresult: {}\n",
          clockText(simulated), wall, cpu, simulated / cpu, first_step, run.scenario.solver.method, statistics.steps,
          statistics.rejected, statistics.rate_calls, statistics.jacobian_calls, statistics.factorisations,
          1e2 * std::chrono::duration<double>(simulation->evaluation().flow_time).count() / wall, wanted.output);
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
