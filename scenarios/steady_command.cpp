#include "scenarios/steady_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>

#include "data/readers/yaml_document.hpp"
#include "model/base/diagnostics.hpp"
#include "model/components/power/selectivity_of_plant.hpp"
#include "scenarios/csv_tables.hpp"
#include "scenarios/csv_text.hpp"
#include "scenarios/engineering_text.hpp"
#include "scenarios/fault_level_table.hpp"
#include "scenarios/inputs.hpp"
#include "scenarios/inspect_commands.hpp"
#include "scenarios/plant_run.hpp"
#include "scenarios/run_command.hpp"
#include "scenarios/signal_units.hpp"

namespace podtwin::scenarios {

namespace {

/// A column of a CSV table: one of the listed signals, for the members that have it in this unit.
struct CsvColumn {
  std::size_t signal;
  std::string unit;
};

/// A column a signal; where members differ in unit, one a unit, and a member leaves the others' empty.
std::vector<CsvColumn> csvColumns(const std::vector<const ComponentSet*>& sets, const std::vector<std::string>& names) {
  std::vector<CsvColumn> columns;
  for (std::size_t n = 0; n < names.size(); ++n) {
    std::vector<SetSignal> of_sets;
    for (const auto* set : sets)
      for (std::size_t k = 0; k < set->info().signals.size(); ++k)
        if (set->info().signals[k].name == names[n]) of_sets.push_back({set, k});
    const SignalUnits units = unitsOf(of_sets);
    std::vector<std::string> each = units.by_member.empty() ? std::vector{units.common} : units.by_member;
    for (auto& unit : each)
      if (std::none_of(columns.begin(), columns.end(),
                       [&](const CsvColumn& column) { return column.signal == n && column.unit == unit; }))
        columns.push_back({n, std::move(unit)});
  }
  return columns;
}

/// Names of the signals that all of the sets have, or any of them.
std::vector<std::string> signalNames(const std::vector<const ComponentSet*>& sets, bool of_all) {
  std::vector<std::string> names;
  const auto has = [](const ComponentSet* set, std::string_view name) {
    const auto signals = set->info().signals;
    for (std::size_t k = 0; k < signals.size(); ++k)
      if (signals[k].name == name) return set->solvesAny(k);
    return false;
  };
  for (const auto* set : sets)
    for (const auto& signal : set->info().signals)
      if (has(set, signal.name) && std::find(names.begin(), names.end(), signal.name) == names.end() &&
          (!of_all ||
           std::all_of(sets.begin(), sets.end(), [&](const auto* other) { return has(other, signal.name); })))
        names.emplace_back(signal.name);
  return names;
}

constexpr std::size_t kMostNamed = 12;

std::string named(const std::string& id) { return "'" + id + "'"; }

/// "'A', 'B' and 11 more"; empty for none.
std::string namesOf(const std::vector<std::string>& ids) {
  std::string text;
  for (std::size_t k = 0; k < std::min(ids.size(), kMostNamed); ++k) text += (k == 0 ? "" : ", ") + ids[k];
  if (ids.size() > kMostNamed) text += fmt::format(" and {} more", ids.size() - kMostNamed);
  return text;
}

void warnOf(const std::string& what, const std::vector<std::string>& ids, const std::string& remedy) {
  if (!ids.empty()) fmt::print(stderr, "warning: at the operating point {} {}{}\n", what, namesOf(ids), remedy);
}

constexpr double kGoodAuthority = 0.3;  // docs/theory/element_laws.md

/// Table of the authority of control valves, with a word on those that have little.
void tellAuthorities(const System& system, const Evaluation& e, CsvTables& tables) {
  const auto all = system.authorities(e);
  if (all.empty()) return;
  std::string csv = "id,dp_open [Pa],dp_shut [Pa],authority [1]\r\n";
  std::vector<std::string> little;
  fmt::print("\nAuthority of control valves ({})\n", all.size());
  for (const auto& valve : all) {
    const bool backwards = valve.flow < 0.0 && valve.dp_shut < 0.0, none = !(valve.dp_shut > 0.0);
    const double authority = none ? 0.0 : valve.dp_open / valve.dp_shut;
    csv += fmt::format("{},{:.12g},{:.12g},{}\r\n", quoted(valve.id), valve.dp_open, valve.dp_shut,
                       none ? std::string() : fmt::format("{:.12g}", authority));
    fmt::print("  {:<16} dp_open {}; dp_shut {}; authority {}\n", valve.id,
               engineeringText(valve.dp_open, Quantity::pressure_difference),
               engineeringText(valve.dp_shut, Quantity::pressure_difference),
               backwards ? std::string("none: coolant flows backwards through it")
               : none    ? std::string("none: nothing drives coolant through it")
                         : fmt::format("{:.3f}", authority));
    if (valve.controlled && !none && authority < kGoodAuthority) little.push_back(named(valve.id));
  }
  if (!little.empty())
    fmt::print(
        stderr,
        "warning: the authority of {} is below {}: most of the control is in the first part of the stroke; choose a "
        "smaller Kv, or lower the pressure difference of the circuit\n",
        namesOf(little), kGoodAuthority);
  tables.write("valve_authority.csv", csv);
}

/// Table of protective devices in series, with a word on those that are not selective.
void tellSelectivity(const System& system, CsvTables& tables) {
  const auto findings = selectivityOfPlant(system);
  if (findings.empty()) return;
  std::string csv =
      "downstream,upstream,fault,selective,up_to [A],fails_at [A],downstream_clears [s],upstream_trips [s],"
      "prospective [A],upstream_share [1]\r\n";
  std::size_t full = 0;
  for (const auto& f : findings) {
    const auto time = [&](double value) {
      return f.found.full || !std::isfinite(value) ? std::string() : fmt::format("{:.12g}", value);
    };
    csv += fmt::format("{},{},{},{},{:.12g},{},{},{},{:.12g},{:.12g}\r\n", quoted(f.downstream), quoted(f.upstream),
                       f.path == FaultPath::earth ? "earth" : "phases", f.found.full ? 1 : 0, f.found.up_to,
                       time(f.found.fails_at), time(f.found.downstream), time(f.found.upstream), f.prospective,
                       f.upstream_share);
    full += f.found.full ? 1 : 0;
  }
  fmt::print("\nSelectivity of protection: {} of {} pairs up to the prospective current\n", full, findings.size());
  for (const auto& w : selectivityWarnings(findings)) fmt::print(stderr, "warning: {}; {}\n", w.what, w.remedy);
  tables.write("selectivity.csv", csv);
}

std::ptrdiff_t signalNamed(const ComponentSet& set, std::string_view name) {
  for (std::size_t k = 0; k < set.info().signals.size(); ++k)
    if (set.info().signals[k].name == name) return static_cast<std::ptrdiff_t>(k);
  return -1;
}

bool hasPort(const ComponentSet& set, std::string_view name) {
  return std::any_of(set.info().ports.begin(), set.info().ports.end(),
                     [&](const PortInfo& p) { return p.name == name; });
}

/// Warns of what found its operating point in a state that no one can have meant.
void tellDoubtfulStates(const System& system, const Evaluation& e) {
  constexpr double kLeak = 1e-3;   // of the greatest flow of the class: what a shut non-return valve lets through
  constexpr double kNoHeat = 1.0;  // W
  std::vector<std::string> tripped, reversed, reversed_heat;
  for (const auto& set : system.sets()) {
    const auto saturated = signalNamed(*set, "saturated"), flow = signalNamed(*set, "flow"),
               heat = signalNamed(*set, "heat");
    std::vector<std::string> full;
    ControlledWay way;
    // What has a direction: what drives coolant, controls it, or warms or cools it from an inlet to an outlet.
    const bool directed = set->drivesFlow() || set->needsFlow() || (heat >= 0 && signalNamed(*set, "t_out") >= 0);
    std::vector<double> flows(set->size());
    double greatest = 0.0;
    if (flow >= 0) set->signal(e, static_cast<std::size_t>(flow), flows);
    for (const double q : flows) greatest = std::max(greatest, std::abs(q));
    for (std::size_t i = 0; i < set->size(); ++i) {
      const auto value = [&](std::ptrdiff_t k) { return set->signalOf(e, static_cast<std::size_t>(k), i); };
      if (set->z(e, kTripped, i) != 0.0) tripped.push_back(named(set->ids()[i]));
      if (saturated >= 0 && value(saturated) != 0.0)
        full.push_back(fmt::format("{} ({:+.0f})", named(set->ids()[i]), value(saturated)));
      if (flows[i] < -kLeak * greatest && (directed || set->controlledWay(i, way)))
        reversed.push_back(named(set->ids()[i]));
      if (heat >= 0 && hasPort(*set, "hot") && hasPort(*set, "cold") && value(heat) < -kNoHeat)
        reversed_heat.push_back(named(set->ids()[i]));
    }
    if (saturated >= 0)
      warnOf("`saturated` is not 0 of", full,
             ": " + std::string(set->info().signals[static_cast<std::size_t>(saturated)].meaning));
  }
  warnOf("these have tripped:", tripped, "; without their trip the state would be another");
  warnOf("coolant flows backwards, `to` to `from`, through", reversed, "; turn them round, or find what drives it so");
  warnOf("heat goes from `cold` to `hot` in", reversed_heat,
         "; exchange the two sides, or find what heats the cold one");
}

/// Warns of every limit that does not hold at the operating point. Trips have been told.
void tellViolatedLimits(const PreparedRun& run, const Evaluation& e) {
  for (const auto& limit : run.setup.limits) {
    if (limit.set->info().signals[limit.signal].name == kTrippedSignal.name && limit.id.empty()) continue;
    for (const std::size_t i : limit.instances) {
      const double value = limit.set->signalOf(e, limit.signal, i);
      if (limit.above ? !(value > limit.value) : !(value < limit.value)) continue;
      if (const std::string state = stateText(limit); !state.empty()) {
        fmt::print(stderr, "warning: at the operating point {}: {} ({}, {}; {})\n", limit.set->ids()[i], state,
                   limit.set->info().signals[limit.signal].name, limit.kind, limit.source);
        continue;
      }
      const Quantity quantity = limit.set->signalQuantity(limit.signal, i);
      fmt::print(stderr, "warning: at the operating point {}.{} is {}, {} {} ({}; {})\n", limit.set->ids()[i],
                 limit.set->info().signals[limit.signal].name, engineeringText(value, quantity),
                 limit.above ? "above" : "below", engineeringText(limit.value, quantity), limit.kind, limit.source);
    }
  }
}

}  // namespace

int runSteady(const SteadyOptions& options, const std::atomic<bool>& stop) {
  const std::string path = findAsset(options.file);
  const FaultMethod method =
      options.short_circuit.empty() ? FaultMethod::iec_60909 : faultMethod(options.short_circuit);
  PreparedRun run =
      kindOfFile(path) == "scenario" ? prepareScenario(path, options.overrides) : preparePod(path, options.overrides);
  for (const auto& warning : run.warnings.list()) fmt::print(stderr, "{}\n", warning.text());
  CsvTables tables(options.csv_folder, ".podtwin-tables");
  const auto began = std::chrono::steady_clock::now();
  const auto report = startSteady(run, stop);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  Evaluation e = run.system->makeEvaluation();
  std::vector<double> ydot(run.system->size());
  run.system->evaluate(run.start, run.start.t, run.start.y, e, ydot);
  // What can not be studied is told before anything is written.
  const FaultStudy faults = options.short_circuit.empty() ? FaultStudy{} : studyFaultLevels(*run.system, e, method);

  // Classes that share a group share a table with the signals all of them have.
  std::map<std::string, std::vector<const ComponentSet*>> groups;
  std::vector<std::string> order;
  for (const auto& set : run.system->sets()) {
    if (set->size() == 0 || set->info().signals.empty()) continue;
    auto& list = groups[std::string(set->info().group)];
    if (list.empty()) order.emplace_back(set->info().group);
    list.push_back(set.get());
  }
  constexpr std::size_t kMostPrinted = 24;
  for (const auto& group : order) {
    const auto& sets = groups[group];
    // The tables list what all classes of the group have; the files what any of them has, empty for the others.
    const std::vector<std::string> shared = signalNames(sets, true), names = signalNames(sets, false);
    const std::vector<CsvColumn> csv_columns = csvColumns(sets, names);
    std::string csv = "id";
    for (const auto& column : csv_columns) csv += fmt::format(",{} [{}]", names[column.signal], column.unit);
    csv += "\r\n";
    std::size_t printed = 0, total = 0;
    for (const auto* set : sets) total += set->size();
    if (group != "gpu" && group != "cpu" && group != "tray" && group != "nvlink_tray" && group != "power_shelf")
      fmt::print("\n{} ({})\n", sets.front()->info().title, total);
    for (const auto* set : sets) {
      std::map<std::string, std::size_t> signals;
      for (std::size_t k = 0; k < set->info().signals.size(); ++k)
        signals[std::string(set->info().signals[k].name)] = k;
      for (std::size_t i = 0; i < set->size(); ++i) {
        csv += quoted(set->ids()[i]);
        for (const auto& column : csv_columns) {
          const auto own = signals.find(names[column.signal]);
          const bool has = own != signals.end() && set->solves(own->second, i) &&
                           column.unit == siUnit(set->signalQuantity(own->second, i));
          csv += has ? fmt::format(",{:.12g}", set->signalOf(e, own->second, i)) : ",";
        }
        csv += "\r\n";
        if (group == "gpu" || group == "cpu" || group == "tray" || group == "nvlink_tray" || group == "power_shelf" ||
            ++printed > kMostPrinted)
          continue;
        std::string line = fmt::format("  {:<16}", set->ids()[i]);
        for (const auto& name : shared) {
          const std::size_t k = signals.at(name);
          if (!set->solves(k, i)) continue;
          line += fmt::format(" {} {};", name, engineeringText(set->signalOf(e, k, i), set->signalQuantity(k, i)));
        }
        line.back() = '\n';
        fmt::print("{}", line);
      }
    }
    if (printed > kMostPrinted) fmt::print("  ... {} more (--csv DIR writes all)\n", printed - kMostPrinted);
    tables.write(group + ".csv", csv);
  }
  tellAuthorities(*run.system, e, tables);
  tellSelectivity(*run.system, tables);
  if (!options.short_circuit.empty()) {
    const FaultLevelTables levels = tellFaultLevels(faults, method);
    tables.write("short_circuit.csv", levels.levels);
    tables.write("short_circuit_infeeds.csv", levels.infeeds);
  }
  std::string summary = "quantity,value,unit\r\n";
  const ComponentSet& facility = *run.system->sets().front();
  for (std::size_t k = 0; k < facility.info().signals.size(); ++k) {
    const auto& signal = facility.info().signals[k];
    if (signal.type != SignalType::integral)
      summary += fmt::format("{},{:.12g},{}\r\n", signal.name, facility.signalOf(e, k, 0), siUnit(signal.quantity));
  }
  const double in = e.source_power, out = run.system->heatToAmbient(e);
  summary += fmt::format("heat_balance_error,{:.12g},1\r\n", in > 0.0 ? (in - out) / in : 0.0);
  tables.write("summary.csv", summary);
  tables.finish();
  tellDoubtfulStates(*run.system, e);
  tellViolatedLimits(run, e);
  fmt::print("\nsteady state of {} unknowns found in {:.2f} s\n", run.system->size(), took);
  (void)report;
  return kDone;
}

}  // namespace podtwin::scenarios
