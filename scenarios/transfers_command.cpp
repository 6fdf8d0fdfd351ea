#include "scenarios/transfers_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "scenarios/csv_tables.hpp"
#include "scenarios/csv_text.hpp"
#include "scenarios/engineering_text.hpp"
#include "scenarios/failure_transfers.hpp"
#include "scenarios/inputs.hpp"
#include "scenarios/inspect_commands.hpp"
#include "scenarios/run_command.hpp"

namespace podtwin::scenarios {

namespace {

constexpr std::size_t kMostListed = 8;
constexpr double kPerCent = 100.0;

std::string listOf(const std::vector<std::string>& names) {
  const auto listed = static_cast<std::ptrdiff_t>(std::min(names.size(), kMostListed));
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + listed, ", "));
  if (names.size() > kMostListed) text += fmt::format(" and {} more", names.size() - kMostListed);
  return text;
}

std::string finite(double value) { return std::isfinite(value) ? fmt::format("{:.12g}", value) : std::string(); }

void print(const FailureTransfer& f) {
  fmt::print("{}: {}\n", f.failed, nameOf(f.verdict));
  if (!f.dead_buses.empty()) fmt::print("  dead: {}\n", listOf(f.dead_buses));
  if (!f.without_power.empty())
    fmt::print("  without power: {}; IT from {:.1f} to {:.1f} kW\n", listOf(f.without_power), f.it_power_before / 1e3,
               f.it_power_after / 1e3);
  if (std::isfinite(f.autonomy)) fmt::print("  on battery for {} more\n", engineeringText(f.autonomy, Quantity::time));
  std::vector<std::string> moved;
  for (const auto& m : f.changed)
    moved.push_back(fmt::format("{} {:.1f} to {:.1f} %", m.id, kPerCent * m.before, kPerCent * m.after));
  if (!moved.empty()) fmt::print("  changed: {}\n", listOf(moved));
  for (const auto& o : f.over)
    fmt::print(
        "  over: {} {:.1f} %{}\n", o.id, kPerCent * o.after,
        std::isfinite(o.time_left) ? ", trips in " + engineeringText(o.time_left, Quantity::time) : std::string());
  if (!f.worst.id.empty())
    fmt::print("  worst: {} {:.1f} %, margin {:.1f} %\n", f.worst.id, kPerCent * f.worst.after,
               kPerCent * (1.0 - f.worst.after));
}

void writeTables(const std::vector<FailureTransfer>& all, CsvTables& tables) {
  std::string csv =
      "failed,verdict,dead_buses,without_power,worst,worst_loading [1],worst_margin [1],trips_in [s],autonomy [s],"
      "it_before [W],it_after [W]\r\n";
  std::string loadings = "failed,element,before [1],after [1],margin [1],trips_in [s]\r\n";
  for (const auto& f : all) {
    double trips_in = kUnbounded;
    for (const auto& o : f.over) trips_in = std::min(trips_in, o.time_left);
    csv += fmt::format("{},{},{},{},{},{:.12g},{:.12g},{},{},{:.12g},{:.12g}\r\n", quoted(f.failed), nameOf(f.verdict),
                       quoted(fmt::format("{}", fmt::join(f.dead_buses, " "))),
                       quoted(fmt::format("{}", fmt::join(f.without_power, " "))), quoted(f.worst.id), f.worst.after,
                       1.0 - f.worst.after, finite(trips_in), finite(f.autonomy), f.it_power_before, f.it_power_after);
    for (const auto& m : f.changed)
      loadings += fmt::format("{},{},{:.12g},{:.12g},{:.12g},{}\r\n", quoted(f.failed), quoted(m.id), m.before, m.after,
                              1.0 - m.after, finite(m.time_left));
  }
  tables.write("transfers.csv", csv);
  tables.write("transfer_loadings.csv", loadings);
  tables.finish();
}

}  // namespace

int runTransfers(const TransfersOptions& options, const std::atomic<bool>& stop) {
  const std::string path = findAsset(options.file);
  if (kindOfFile(path) == "scenario")
    throw InputError({path}, "this is a scenario; transfers are looked at from the pod's design point",
                     "name its pod file");
  PreparedRun run = preparePod(path, options.overrides);
  for (const auto& warning : run.warnings.list()) fmt::print(stderr, "{}\n", warning.text());
  run.setup.integrator.method = solvers::methodFromName(run.scenario.solver.method);
  run.setup.integrator.rtol = run.setup.integrator.method == solvers::Method::cvode ? 1e-6 : 5e-2;
  CsvTables tables(options.csv_folder, ".podtwin-transfers");
  startSteady(run, stop);
  const std::vector<FailureTransfer> all = failureTransfers(run, options.settle, stop);
  if (all.empty()) fmt::print("no equipment with a rating carries power: nothing can be transferred\n");
  for (const auto& f : all) print(f);
  if (!all.empty()) {
    const auto count = [&](TransferVerdict v) {
      return std::count_if(all.begin(), all.end(), [&](const FailureTransfer& f) { return f.verdict == v; });
    };
    fmt::print("\n{} single failures, each seen {} after it: {} hold, {} on battery, {} over, {} lost\n", all.size(),
               engineeringText(options.settle, Quantity::time), count(TransferVerdict::holds),
               count(TransferVerdict::on_battery), count(TransferVerdict::over), count(TransferVerdict::lost));
    fmt::print("shelves and trays of racks are not looked at here: `podtwin run` shows them\n");
  }
  writeTables(all, tables);
  return kDone;
}

}  // namespace podtwin::scenarios
