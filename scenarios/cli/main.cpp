// The program `podtwin`: command line in, exit status out. What the commands do stands in scenarios/.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "data/readers/units.hpp"
#include "model/base/diagnostics.hpp"
#include "model/version.hpp"
#include "scenarios/balance_command.hpp"
#include "scenarios/inspect_commands.hpp"
#include "scenarios/run_command.hpp"
#include "scenarios/steady_command.hpp"
#include "scenarios/transfers_command.hpp"

namespace {

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

/// The first signal asks for an end in good order, a second one ends the program as it would without us.
void requestStop(int signal) {
  if (stop_requested) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  stop_requested = true;
}

int print(const podtwin::InputError& error) {
  for (const auto& problem : error.problems()) fmt::print(stderr, "{}\n", problem.text());
  return podtwin::scenarios::kBadInput;
}

/// Standard output is a file like another: what could not be written there is told, also at the very end.
int notPrinted(int why) {
  fmt::print(stderr, "podtwin: error: standard output cannot be written: {}\n", std::strerror(why));
  return podtwin::scenarios::kFailed;
}

/// Commands of PodTwin that a later version brings.
bool isOfLaterVersion(std::string_view word) {
  for (const char* command : {"batch", "screen", "capacity", "report", "compare", "calibrate", "export"})
    if (word == command) return true;
  return false;
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
  run_command->add_option("--from", run.from,
                          "Start from a checkpoint file (from a state in a result: `from:` of the scenario)");
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

  steady_command->add_flag("--short-circuit{iec_60909}", steady.short_circuit,
                           "Also the fault levels of all buses with voltages; =iec_60909_6_percent: low voltage of a "
                           "tolerance of 6 in place of 10 %; =nominal: nominal voltage over impedance, no correction");

  CheckOptions check;
  auto* check_command =
      app.add_subcommand("check", "Checks pod, scenario, catalogue, trace and weather files; reports all problems.");
  check_command->add_option("files", check.files, "Files")->required();
  check_command->add_option("--as", check.kind,
                            "Read the files as this kind: pod, scenario, catalogue, weather, trace, series");
  check_command->add_flag("--expand", check.expand, "Print the pod with ranges, templates and types written out");

  BalanceOptions balance;
  auto* balance_command =
      app.add_subcommand("balance",
                         "Advises on which phases the single- and two-phase loads of a pod belong; with "
                         "--transfers: tells which equipment picks up which load after each single failure.");
  balance_command->add_option("pod", balance.file, "Pod file")->required();
  balance_command->add_option("--csv", balance.csv_folder, "Write the tables to this folder");
  bool with_transfers = false;
  TransfersOptions transfers;
  std::string settle;
  auto* transfers_flag = balance_command->add_flag(
      "--transfers", with_transfers, "What survives and what it then carries, after each single failure of a source");
  balance_command
      ->add_option("--settle", settle, "With --transfers: time from a failure to the look at it; default 120 s")
      ->needs(transfers_flag);
  balance_command->add_option("--set", transfers.overrides, "With --transfers: ADDRESS=VALUE, another parameter")
      ->needs(transfers_flag);

  std::string result;
  auto* info_command = app.add_subcommand("info", "Says what a result file holds.");
  info_command->add_option("file", result, "Result file (HDF5)")->required();

  std::string kind;
  auto* schema_command = app.add_subcommand(
      "schema", "Prints the JSON Schema of a file type, or what a class has: parameters, signals, verbs, limits.");
  schema_command->add_option("kind", kind, "pod, scenario, study or catalogue; or a class such as pump, gpu, node")
      ->required();

  if (argc > 1 && isOfLaterVersion(argv[1])) {
    fmt::print(stderr, "podtwin: error: the command '{}' is not part of this version; see podtwin --help\n", argv[1]);
    return kBadInput;
  }
  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> commands;
    for (const auto* command : app.get_subcommands({})) commands.push_back(command->get_name());
    if (std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
      const std::string near = nearestName(argv[1], commands);
      fmt::print(stderr, "podtwin: error: there is no command '{}'; {}\n", argv[1],
                 near.empty() ? "see podtwin --help" : "did you mean '" + near + "'?");
      return kBadInput;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? kDone : kBadInput;
  }
  std::signal(SIGINT, requestStop);
  std::signal(SIGTERM, requestStop);
  std::signal(SIGHUP, requestStop);
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then a write error like a full disk
  const auto execute = [&] {
    if (*run_command) {
      if (!until.empty()) {
        Diagnostics problems;
        run.until = data::parseDuration(until, {"--until", 0, 0}, problems, "--until");
        if (run.until && *run.until <= 0.0)
          problems.error({"--until", 0, 0}, "--until: 0 s is no duration", "write `--until '1 h'`, for instance");
        problems.throwIfErrors();
      }
      return runScenario(run, stop_requested);
    }
    if (*steady_command) return runSteady(steady, stop_requested);
    if (*balance_command && with_transfers) {
      transfers.file = balance.file;
      transfers.csv_folder = balance.csv_folder;
      if (!settle.empty()) {
        Diagnostics problems;
        transfers.settle = data::parseDuration(settle, {"--settle", 0, 0}, problems, "--settle").value_or(0.0);
        if (!problems.hasErrors() && transfers.settle <= 0.0)
          problems.error({"--settle", 0, 0}, "--settle: 0 s is no duration", "write `--settle '2 min'`, for instance");
        problems.throwIfErrors();
      }
      return runTransfers(transfers, stop_requested);
    }
    if (*balance_command) return runBalance(balance);
    if (*check_command) return runCheck(check);
    if (*info_command) return runInfo(result);
    return runSchema(kind);
  };
  try {
    const int status = execute();
    return std::fflush(stdout) == 0 || status != kDone ? status : notPrinted(errno);
  } catch (const InputError& error) {
    return print(error);
  } catch (const SimulationError& error) {
    fmt::print(stderr, "podtwin: error: {}\n", error.what());
    return stop_requested ? kStopped : kFailed;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return notPrinted(error.code().value());
    fmt::print(stderr, "podtwin: error: {}; this is a fault of the program, please report it\n", error.what());
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "podtwin: error: {}; this is a fault of the program, please report it\n", error.what());
    return kFailed;
  }
}
