#include "scenarios/balance_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "scenarios/csv_tables.hpp"
#include "scenarios/csv_text.hpp"
#include "scenarios/inputs.hpp"
#include "scenarios/inspect_commands.hpp"
#include "scenarios/phase_balance.hpp"
#include "scenarios/plant_run.hpp"
#include "scenarios/run_command.hpp"

namespace podtwin::scenarios {

namespace {

constexpr std::size_t kPhases = 3;
constexpr double kThird = 2.0 * std::numbers::pi / 3.0;  // rad between phases
constexpr double kKilo = 1e3, kPerCent = 100.0;

int maskOf(const std::string& phases) {
  int mask = 0;
  for (const char phase : phases) mask |= 1 << (phase - 'a');
  return mask;
}
std::string phasesText(int mask) {
  std::string text;
  for (int k = 0; k < static_cast<int>(kPhases); ++k)
    if ((mask >> k & 1) != 0) text += static_cast<char>('a' + k);
  return text;
}

/// Sum of the phase currents at nominal voltage [A].
double neutralCurrent(const std::array<double, kPhases>& p, const std::array<double, kPhases>& q, double line_to_line) {
  std::complex<double> sum;
  for (std::size_t k = 0; k < p.size(); ++k)
    sum += std::complex<double>(p[k], -q[k]) * std::polar(1.0, -kThird * static_cast<double>(k));
  return std::abs(sum) * std::numbers::sqrt3 / line_to_line;
}

}  // namespace

int runBalance(const BalanceOptions& options) {
  const std::string path = findAsset(options.file);
  if (kindOfFile(path) == "scenario")
    throw InputError({path}, "this is a scenario; phases are a matter of the pod", "name its pod file");
  const PreparedRun run = preparePod(path, {});
  for (const auto& warning : run.warnings.list()) fmt::print(stderr, "{}\n", warning.text());
  std::map<std::string, BusToBalance> buses;
  std::vector<std::string> between_phases;
  for (const auto& d : run.system->plant().instances) {
    if (d.class_name != "electrical_load" || d.supply.empty() || !d.in_service) continue;
    auto& bus = buses[d.supply];
    bus.id = d.supply;
    const std::string& phases = d.text("phases");
    const double power = d.number("power"), reactive = d.number("reactive_power");
    if (d.text("connection") == "star" && !phases.empty() && phases.size() < kPhases)
      bus.loads.push_back({d.id, power, reactive, maskOf(phases)});
    else if (d.text("connection") == "star" || phases.empty() || phases.size() == kPhases)
      for (std::size_t k = 0; k < kPhases; ++k) {
        bus.fixed_power[k] += power / static_cast<double>(kPhases);
        bus.fixed_reactive[k] += reactive / static_cast<double>(kPhases);
      }
    else
      between_phases.push_back(d.id);
  }
  std::erase_if(buses, [](const auto& entry) { return entry.second.loads.empty(); });
  if (buses.empty()) fmt::print("no star load on one or two phases: there is nothing to balance\n");
  if (!buses.empty())
    fmt::print(
        "loads of the pod's own classes that draw on all phases alike, and what hangs behind transformers, are left "
        "out: "
        "they shift every phase by as much\n");
  if (!between_phases.empty())
    fmt::print("not looked at, as they stand between two phases: {}\n", fmt::join(between_phases, ", "));
  CsvTables tables(options.csv_folder, ".podtwin-balance");
  std::string csv = "bus,load,power [W],present,advised\r\n";
  std::string totals =
      "bus,loads,moves,greatest_before [W],greatest_after [W],bound [W],proved,neutral_before [A],"
      "neutral_after [A]\r\n";
  for (const auto& [id, bus] : buses) {
    const BalancedBus found = balancePhases(bus);
    double voltage = 0.0;
    for (std::size_t k = 0; k < run.system->buses().size(); ++k)
      if (run.system->buses()[k].name == id) voltage = run.system->electrical().nominalVoltage(k);
    const double mean =
        (found.power_after[0] + found.power_after[1] + found.power_after[2]) / static_cast<double>(kPhases);
    const auto tell = [&](const char* when, const std::array<double, kPhases>& p,
                          const std::array<double, kPhases>& q) {
      fmt::print("  {:<8} a {:.3f} kW, b {:.3f} kW, c {:.3f} kW; imbalance {:.3f} kW; neutral {:.3f} A\n", when,
                 p[0] / kKilo, p[1] / kKilo, p[2] / kKilo, (greatestPhase(p) - mean) / kKilo,
                 neutralCurrent(p, q, voltage));
    };
    fmt::print("{}: {} loads on one or two phases, {} moves\n", id, bus.loads.size(), found.moves);
    tell("present", found.power_before, found.reactive_before);
    for (std::size_t k = 0; k < bus.loads.size(); ++k) {
      const auto& load = bus.loads[k];
      csv += fmt::format("{},{},{:.12g},{},{}\r\n", quoted(id), quoted(load.id), load.power, phasesText(load.phases),
                         phasesText(found.phases[k]));
      if (found.phases[k] != load.phases)
        fmt::print("    {} from {} to {}\n", load.id, phasesText(load.phases), phasesText(found.phases[k]));
    }
    tell("advised", found.power_after, found.reactive_after);
    fmt::print("  greatest phase {:.3f} kW, bound {:.3f} kW, gap {:.4f} %{}\n",
               greatestPhase(found.power_after) / kKilo, found.bound / kKilo,
               found.bound > 0.0 ? kPerCent * (greatestPhase(found.power_after) / found.bound - 1.0) : 0.0,
               found.proved ? ", proved optimal" : "");
    totals += fmt::format("{},{},{},{:.12g},{:.12g},{:.12g},{:d},{:.12g},{:.12g}\r\n", quoted(id), bus.loads.size(),
                          found.moves, greatestPhase(found.power_before), greatestPhase(found.power_after), found.bound,
                          found.proved, neutralCurrent(found.power_before, found.reactive_before, voltage),
                          neutralCurrent(found.power_after, found.reactive_after, voltage));
  }
  tables.write("balance.csv", csv);
  tables.write("balance_buses.csv", totals);
  tables.finish();
  return kDone;
}

}  // namespace podtwin::scenarios
