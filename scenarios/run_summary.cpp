#include "scenarios/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/readers/units.hpp"
#include "model/system/builtin_sets.hpp"
#include "scenarios/engineering_text.hpp"

namespace podtwin::scenarios {

namespace {

struct Wanted {
  const char *group, *signal, *name, *long_name;
  bool greatest;
};
constexpr Wanted kWanted[] = {
    {"facility", "it_power", "it_power_max", "Greatest IT power", true},
    {"facility", "facility_power", "facility_power_max", "Greatest facility power", true},
    {"gpu", "t_junction", "gpu_t_junction_max", "Hottest junction", true},
    {"cpu", "t_junction", "cpu_t_junction_max", "Hottest CPU junction", true},
    {"nvlink_tray", "t_junction", "nvlink_tray_t_junction_max", "Hottest NVLink tray junction", true},
    {"tray", "t_coolant", "tray_t_coolant_max", "Warmest coolant in a compute tray", true},
    {"rack", "power", "rack_power_max", "Greatest rack power", true},
    {"rack", "flow_margin", "rack_flow_margin_min", "Least margin over the required rack flow", false},
    {"rack", "t_supply", "rack_t_supply_max", "Warmest rack supply", true},
    {"rack", "t_return", "rack_t_return_max", "Warmest rack return", true},
    {"rack", "throttled", "rack_throttled_max", "Most throttled GPUs in a rack", true},
    {"cdu", "loading", "cdu_loading_max", "Greatest CDU loading", true},
    {"ups", "loading", "ups_loading_max", "Greatest UPS loading", true},
    {"transformer", "loading", "transformer_loading_max", "Greatest transformer loading", true},
    {"busway", "loading", "busway_loading_max", "Greatest busway loading", true},
    {"zone", "t_air", "zone_t_air_max", "Warmest room air", true},
};

constexpr double kLeastThroughput = 1e3;     // J
constexpr double kGreatestImbalance = 1e-6;  // of throughput; sound books close to 1e-9 and better

double energyStores(const Simulation& simulation) {
  return simulation.state().y[simulation.system().sets().front()->yIndex(kEnergyStores, 0)];
}

double energyIt(const Simulation& simulation) {
  const ComponentSet& facility = *simulation.system().sets().front();
  return simulation.state().y[facility.yIndex(4, 0)];
}

}  // namespace

std::string clockText(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  const long long days = whole / 86400, rest = whole % 86400;
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
  return days > 0 && whole != 86400 ? fmt::format("{} d {}", days, clock) : (whole == 86400 ? "24:00:00" : clock);
}

SummaryObserver::SummaryObserver(const System& system) : system_(system) {
  for (const auto& wanted : kWanted) {
    const ComponentSet* set = system.setOfGroup(wanted.group);
    if (set == nullptr || set->size() == 0) continue;
    for (std::size_t k = 0; k < set->info().signals.size(); ++k)
      if (set->info().signals[k].name == wanted.signal)
        extremes_.push_back({wanted.name, wanted.long_name, set, k, wanted.greatest, std::nan(""), 0.0, 0});
  }
}

void SummaryObserver::observe(double t, const State&, const Evaluation& e) {
  for (auto& extreme : extremes_) {
    column_.resize(extreme.set->size());
    extreme.set->signal(e, extreme.signal, column_);
    const auto place = extreme.greatest ? std::max_element(column_.begin(), column_.end())
                                        : std::min_element(column_.begin(), column_.end());
    if (std::isnan(extreme.value) || (extreme.greatest ? *place > extreme.value : *place < extreme.value)) {
      extreme.value = *place;
      extreme.time = t;
      extreme.instance = static_cast<std::size_t>(place - column_.begin());
    }
  }
}

std::vector<data::SummaryScalar> SummaryObserver::scalars(const Simulation& simulation) const {
  std::vector<data::SummaryScalar> out;
  for (const auto& extreme : extremes_) {
    if (std::isnan(extreme.value)) continue;
    const auto& info = extreme.set->info().signals[extreme.signal];
    out.push_back({extreme.name, extreme.value, std::string(siUnit(info.quantity)), extreme.long_name});
    out.push_back({extreme.name + "_time", extreme.time, "s", extreme.long_name + ": time since the start"});
  }
  const EnergyLedger ledger = simulation.ledger();
  const double it = energyIt(simulation);
  out.push_back({"energy_sources", ledger.sources, "J", "Energy delivered by all sources over this file's rows"});
  out.push_back({"energy_it", it, "J", "Energy taken by IT equipment over this file's rows"});
  out.push_back({"energy_to_ambient", ledger.to_ambient, "J", "Heat given to outdoor air over this file's rows"});
  if (it > 0.0)
    out.push_back({"pue", (ledger.sources + energyStores(simulation)) / it, "1",
                   "Energy of all sources, and of batteries less what charged them, over energy of IT"});
  out.push_back(
      {"duration", simulation.time() - simulation.start(), "s", "Simulated time, first to last row of this file"});
  out.push_back({"overload_fraction_max", simulation.overloadFraction(), "1",
                 "Largest share of offered work that the GPUs could not take"});
  const auto& limits = simulation.limits();
  for (std::size_t k = 0; k < limits.limits().size(); ++k) {
    const auto& limit = limits.limits()[k];
    const auto& record = limits.records()[k];
    if (std::isnan(record.first_time)) continue;
    const auto& info = limit.set->info().signals[limit.signal];
    const std::string name = fmt::format(
        "first_{}_{}_{}", limit.id.empty() ? std::string(limit.set->info().group) : limit.id, info.name, limit.kind);
    // A class limit stands once for each value that instances state: the first violation of all counts.
    const data::SummaryScalar scalar{name, record.first_time, "s",
                                     "Time of the first violation: " + limit.set->ids()[record.first_instance]};
    const auto same = std::find_if(out.begin(), out.end(), [&](const auto& s) { return s.name == name; });
    if (same == out.end())
      out.push_back(scalar);
    else if (scalar.value < same->value)
      *same = scalar;
  }
  return out;
}

std::map<std::string, std::string> SummaryObserver::texts(const Simulation& simulation) const {
  std::map<std::string, std::string> out;
  for (const auto& extreme : extremes_)
    if (!std::isnan(extreme.value)) out[extreme.name + "_equipment"] = extreme.set->ids()[extreme.instance];
  (void)simulation;
  return out;
}

std::vector<data::SummaryScalar> SummaryObserver::balance(const Simulation& simulation) const {
  const EnergyLedger ledger = simulation.ledger();
  const CoolantBalance coolant = simulation.coolantBalance();
  const double change = ledger.stored;
  const double error = ledger.sources - ledger.to_ambient - ledger.to_boundaries - change;
  // Where next to nothing goes through, the round-off of the stored heat is no error of the books.
  const double throughput = std::max(
      {std::abs(ledger.sources), std::abs(ledger.to_ambient), std::abs(ledger.to_boundaries), kLeastThroughput});
  return {
      {"energy_in", ledger.sources, "J", "Delivered by all sources"},
      {"energy_to_ambient", ledger.to_ambient, "J", "Heat given to outdoor air"},
      {"energy_to_boundaries", ledger.to_boundaries, "J", "Carried out by coolant at boundary nodes"},
      {"energy_stored", change, "J", "Change of heat stored in all capacities"},
      {"energy_error", error, "J", "In less out less stored"},
      {"energy_error_relative", error / throughput, "1", "Error over throughput, or over 1 kJ where less went through"},
      {"coolant_start", coolant.start, "kg", "Coolant in all circuits at the start"},
      {"coolant_in", coolant.in, "kg", "Coolant that came in: make-up, boundaries (less what left there)"},
      {"coolant_out", coolant.out, "kg", "Coolant that left: leaks, relief valves"},
      {"coolant_end", coolant.end, "kg", "Coolant in all circuits at the end"},
      {"coolant_error", coolant.error(), "kg", "Start and in less out less end"},
      {"coolant_error_relative", coolant.start > 0.0 ? coolant.error() / coolant.start : 0.0, "1",
       "Error over the coolant at the start"}};
}

void printExpectations(const ExpectationObserver& observer, const std::vector<Expectation>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto& result = observer.results()[k];
    const Quantity quantity = expected[k].observable.quantity();
    const auto text = [&](double v) { return data::readableText(v, quantity); };
    std::string wanted;
    if (expected[k].below) wanted += " below " + text(*expected[k].below);
    if (expected[k].above) wanted += " above " + text(*expected[k].above);
    if (expected[k].equals) wanted += " equals " + text(*expected[k].equals);
    fmt::print("  {} {}{}: {} ({} at {})\n", result.holds ? "holds " : "MISSED", expected[k].observable.text, wanted,
               text(result.worst), result.equipment, clockText(result.worst_time));
  }
}

void printSummary(const Simulation& simulation, const SummaryObserver& summary, const ExpectationObserver& expectations,
                  const std::vector<Expectation>& expected) {
  fmt::print("\n{:<44} {:>18}  {:<16} {}\n", "", "value", "where", "when");
  for (const auto& extreme : summary.extremes()) {
    if (std::isnan(extreme.value)) continue;
    const auto quantity = extreme.set->info().signals[extreme.signal].quantity;
    fmt::print("{:<44} {:>18}  {:<16} {}\n", extreme.long_name, engineeringText(extreme.value, quantity),
               extreme.set->ids()[extreme.instance], clockText(extreme.time));
  }
  const EnergyLedger ledger = simulation.ledger();
  const double it = energyIt(simulation);
  constexpr double kMegawattHour = 3.6e9;  // J
  fmt::print("{:<44} {:>14.3f} MWh\n{:<44} {:>14.3f} MWh\n", "Energy of all sources", ledger.sources / kMegawattHour,
             "Energy of IT", it / kMegawattHour);
  if (it > 0.0) fmt::print("{:<44} {:>14.4f}\n", "PUE", (ledger.sources + energyStores(simulation)) / it);
  for (const auto& scalar : summary.balance(simulation))
    if (scalar.name == "energy_error_relative")
      fmt::print("{:<44} {:>14.2e}{}\n", "Energy balance, error over throughput", scalar.value,
                 std::abs(scalar.value) > kGreatestImbalance ? "  the books do not close: please report it" : "");
  fmt::print("{:<44} {:>14}\n{:<44} {:>14}\n", "Events", summary.events(), "Alarms raised", summary.alarms());
  const auto& limits = simulation.limits();
  bool any = false;
  for (std::size_t k = 0; k < limits.limits().size(); ++k) {
    const auto& record = limits.records()[k];
    if (std::isnan(record.first_time)) continue;
    const auto& limit = limits.limits()[k];
    if (!any) fmt::print("\nLimits reached (first of each):\n");
    any = true;
    const auto& info = limit.set->info().signals[limit.signal];
    if (const std::string state = stateText(limit); !state.empty()) {
      fmt::print("  {}  {}: {} ({}, {}){}\n", clockText(record.first_time), limit.set->ids()[record.first_instance],
                 state, info.name, limit.kind, limit.source.empty() ? "" : ": " + limit.source);
      continue;
    }
    fmt::print("  {}  {}.{} {} {} ({}){}\n", clockText(record.first_time), limit.set->ids()[record.first_instance],
               info.name, limit.above ? "above" : "below",
               engineeringText(limit.value, limit.set->signalQuantity(limit.signal, record.first_instance)), limit.kind,
               limit.source.empty() ? "" : ": " + limit.source);
  }
  if (!expected.empty()) {
    fmt::print("\nExpectations:\n");
    printExpectations(expectations, expected);
  }
}

}  // namespace podtwin::scenarios
