// The program `podtwin`: command line in, exit status out. What the commands do stands in scenarios/.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "data/readers/units.hpp"
#include "model/base/diagnostics.hpp"
#include "model/version.hpp"
#include "scenarios/inspect_commands.hpp"
#include "scenarios/run_command.hpp"
#include "scenarios/steady_command.hpp"

namespace {

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void requestStop(int) { stop_requested = true; }

int print(const podtwin::InputError& error) {
  for (const auto& problem : error.problems()) fmt::print(stderr, "{}\n", problem.text());
  return podtwin::scenarios::kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace podtwin;
  using namespace podtwin::scenarios;
  spdlog::set_default_logger(spdlog::stderr_logger_mt("podtwin"));
  spdlog::set_level(spdlog::level::warn);

  CLI::App app{"PodTwin: a digital twin of the facility around GPU pods.", "podtwin"};
  app.set_version_flag("--version", std::string("podtwin ") + kVersion);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done; 1 the simulation failed; 2 bad command line or input; 3 stopped by a signal;\n4 ran, but "
      "an expectation does not hold.");

  RunOptions run;
  std::string until;
  auto* run_command = app.add_subcommand("run", "Runs a scenario and writes its result to an HDF5 file.");
  run_command->add_option("scenario", run.scenario, "Scenario file (YAML)")->required();
  run_command->add_option("-o,--output", run.output,
                          "Result file; default: the scenario's name with .h5 in this folder");
  run_command->add_option("--set", run.overrides, "ADDRESS=VALUE: another parameter, or scenario.KEY=VALUE");
  run_command->add_option("--until", until, "End earlier, e.g. '1 h'");
  run_command->add_option("--from", run.from, "Start from a checkpoint file");
  run_command->add_option("--checkpoint", run.save_checkpoint, "Write a checkpoint of the end state to this file");
  run_command->add_flag("--force", run.force, "Overwrite an existing result file");
  run_command->add_flag("--quiet", run.quiet, "No progress, no table");

  SteadyOptions steady;
  auto* steady_command =
      app.add_subcommand("steady", "Finds the steady state of a pod or scenario and prints it as tables.");
  steady_command->add_option("file", steady.file, "Pod file (its design point) or scenario file (its start)")
      ->required();
  steady_command->add_option("--csv", steady.csv_folder, "Write one table a class to this folder");
  steady_command->add_option("--set", steady.overrides, "ADDRESS=VALUE: another parameter, or scenario.KEY=VALUE");

  CheckOptions check;
  auto* check_command =
      app.add_subcommand("check", "Checks pod, scenario, catalogue, trace and weather files; reports all problems.");
  check_command->add_option("files", check.files, "Files")->required();
  check_command->add_option("--as", check.kind,
                            "Read the files as this kind: pod, scenario, catalogue, weather, trace, series");
  check_command->add_flag("--expand", check.expand, "Print the pod with ranges, templates and types written out");

  std::string result;
  auto* info_command = app.add_subcommand("info", "Says what a result file holds.");
  info_command->add_option("file", result, "Result file (HDF5)")->required();

  std::string kind;
  auto* schema_command = app.add_subcommand("schema", "Prints the JSON Schema of a file type, for editors.");
  schema_command->add_option("kind", kind, "pod, scenario, study or catalogue")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? kDone : kBadInput;
  }
  std::signal(SIGINT, requestStop);
  std::signal(SIGTERM, requestStop);
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then a write error like a full disk
  try {
    if (*run_command) {
      if (!until.empty()) {
        Diagnostics problems;
        run.until = data::parseDuration(until, {"--until", 0, 0}, problems, "--until");
        problems.throwIfErrors();
      }
      return runScenario(run, stop_requested);
    }
    if (*steady_command) return runSteady(steady);
    if (*check_command) return runCheck(check);
    if (*info_command) return runInfo(result);
    return runSchema(kind);
  } catch (const InputError& error) {
    return print(error);
  } catch (const SimulationError& error) {
    fmt::print(stderr, "podtwin: error: {}\n", error.what());
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "podtwin: error: {}; this is a fault of the program, please report it\n", error.what());
    return kFailed;
  }
}
