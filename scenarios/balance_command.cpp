#include "scenarios/balance_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>

#include "scenarios/csv_text.hpp"
#include "scenarios/inputs.hpp"
#include "scenarios/phase_balance.hpp"
#include "scenarios/plant_run.hpp"
#include "scenarios/run_command.hpp"

namespace podtwin::scenarios {

namespace {

constexpr double kThird = 2.0 * std::numbers::pi / 3.0;  // rad between phases

int maskOf(const std::string& phases) {
  int mask = 0;
  for (const char phase : phases) mask |= 1 << (phase - 'a');
  return mask;
}
std::string phasesText(int mask) {
  std::string text;
  for (int k = 0; k < 3; ++k)
    if ((mask >> k & 1) != 0) text += static_cast<char>('a' + k);
  return text;
}

/// Sum of the phase currents at nominal voltage [A].
double neutralCurrent(const std::array<double, 3>& p, const std::array<double, 3>& q, double line_to_line) {
  std::complex<double> sum;
  for (std::size_t k = 0; k < p.size(); ++k)
    sum += std::complex<double>(p[k], -q[k]) * std::polar(1.0, -kThird * static_cast<double>(k));
  return std::abs(sum) * std::numbers::sqrt3 / line_to_line;
}

}  // namespace

int runBalance(const BalanceOptions& options) {
  const PreparedRun run = preparePod(findAsset(options.file), {});
  for (const auto& warning : run.warnings.list()) fmt::print(stderr, "{}\n", warning.text());
  std::map<std::string, BusToBalance> buses;
  // Other classes that get `phases` join here.
  for (const auto& d : run.system->plant().instances) {
    if (d.class_name != "electrical_load" || d.supply.empty() || !d.in_service) continue;
    auto& bus = buses[d.supply];
    bus.id = d.supply;
    const std::string& phases = d.text("phases");
    const double power = d.number("power"), reactive = d.number("reactive_power");
    if (d.text("connection") == "star" && !phases.empty() && phases.size() < 3)
      bus.loads.push_back({d.id, power, reactive, maskOf(phases)});
    else if (d.text("connection") == "star" || phases.empty() || phases.size() == 3)
      for (std::size_t k = 0; k < 3; ++k) {
        bus.fixed_power[k] += power / 3.0;
        bus.fixed_reactive[k] += reactive / 3.0;
      }
  }
  std::erase_if(buses, [](const auto& entry) { return entry.second.loads.empty(); });
  if (buses.empty()) fmt::print("no star load on one or two phases: there is nothing to balance\n");
  std::string csv = "bus,load,power [W],present,advised\r\n";
  for (const auto& [id, bus] : buses) {
    const BalancedBus found = balancePhases(bus);
    double voltage = 0.0;
    for (std::size_t k = 0; k < run.system->buses().size(); ++k)
      if (run.system->buses()[k].name == id) voltage = run.system->electrical().nominalVoltage(k);
    const double mean = (found.power_after[0] + found.power_after[1] + found.power_after[2]) / 3.0;
    const auto tell = [&](const char* when, const std::array<double, 3>& p, const std::array<double, 3>& q) {
      fmt::print("  {:<8} a {:.3f} kW, b {:.3f} kW, c {:.3f} kW; imbalance {:.3f} kW; neutral {:.3f} A\n", when,
                 p[0] / 1e3, p[1] / 1e3, p[2] / 1e3, (greatestPhase(p) - mean) / 1e3, neutralCurrent(p, q, voltage));
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
    fmt::print("  greatest phase {:.3f} kW, bound {:.3f} kW, gap {:.4f} %{}\n", greatestPhase(found.power_after) / 1e3,
               found.bound / 1e3,
               found.bound > 0.0 ? 100.0 * (greatestPhase(found.power_after) / found.bound - 1.0) : 0.0,
               found.proved ? ", proved optimal" : "");
  }
  if (options.csv_folder.empty()) return kDone;
  std::error_code error;
  std::filesystem::create_directories(options.csv_folder, error);
  std::ofstream out(options.csv_folder + "/balance.csv", std::ios::binary | std::ios::trunc);
  out << csv;
  out.close();
  if (!out) throw InputError({options.csv_folder}, "no table can be written there", "name another folder with --csv");
  return kDone;
}

}  // namespace podtwin::scenarios
