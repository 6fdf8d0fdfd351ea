#include "scenarios/inspect_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/readers/pod_reader.hpp"
#include "data/readers/pod_text.hpp"
#include "data/readers/scenario_reader.hpp"
#include "data/readers/schema.hpp"
#include "data/readers/table_reader.hpp"
#include "data/readers/text_file.hpp"
#include "data/readers/yaml_document.hpp"
#include "data/results/result_file.hpp"
#include "model/components/it/rack_info.hpp"
#include "model/components/power/selectivity_of_plant.hpp"
#include "model/system/builtin_sets.hpp"
#include "scenarios/inputs.hpp"
#include "scenarios/moments.hpp"
#include "scenarios/plant_run.hpp"
#include "scenarios/restart_recording.hpp"
#include "scenarios/run_command.hpp"

namespace podtwin::scenarios {

namespace {

void addAll(const InputError& error, Diagnostics& problems) {
  for (const auto& p : error.problems()) problems.error(p.where, p.what, p.remedy);
}

/// "power [W]", "speed"; of a signal whose members differ, every unit there is: "value [K, Pa]".
std::string withUnit(const data::RecordedSignal& signal) {
  std::string units = signal.units;
  if (!signal.units_by_id.empty()) {
    const std::set<std::string> all(signal.units_by_id.begin(), signal.units_by_id.end());
    units = fmt::format("{}", fmt::join(all, ", "));
  }
  return units == "1" ? signal.name : signal.name + " [" + units + "]";
}

/// Which member has which unit, for classes whose members differ: sensors and controllers.
void printUnitsOfMembers(const data::ResultFile& file) {
  bool any = false;
  for (const auto& table : file.tables()) {
    // Signals with the same units, as a controller's set point and measured value, are told together.
    std::map<std::vector<std::string>, std::string> signals;
    for (const auto& signal : table.signals)
      if (!signal.units_by_id.empty()) {
        std::string& names = signals[signal.units_by_id];
        names += (names.empty() ? "" : ", ") + signal.name;
      }
    for (const auto& [units, names] : signals) {
      if (!any) fmt::print("\n  units by member\n");
      any = true;
      std::map<std::string, std::string> members;
      for (std::size_t i = 0; i < units.size(); ++i) {
        std::string& list = members[units[i]];
        list += (list.empty() ? "" : ", ") + table.ids[i];
      }
      for (const auto& [unit, list] : members)
        fmt::print("    {:<34} {:<9} {}\n", table.group + " " + names, "[" + unit + "]", list);
    }
  }
}

}  // namespace

std::string kindOfFile(const std::string& path) {
  const auto dot = path.rfind('.');
  const std::string ending = dot == std::string::npos ? std::string() : path.substr(dot);
  if (ending == ".h5" || ending == ".hdf5")
    throw InputError({path, 0, 0}, "a result file: there is nothing in it to check", "use `podtwin info FILE`");
  if (ending == ".epw") return "weather";
  if (ending == ".csv") {
    const std::string text = data::readTextFile(path, data::kLargestTableFile);
    if (text.rfind("TIMESTAMP,", 0) == 0) return "trace";
    const std::string head = text.substr(0, text.find('\n'));
    if (head.find("dry_bulb") != std::string::npos) return "weather";
    return head.find("tokens") != std::string::npos ? "requests" : "series";
  }
  const auto document = data::YamlDocument::load(path);
  const data::YamlNode& root = document.root();
  if (!root.isMap() || root.entries.empty() || root.entries.front().key != "podtwin")
    throw InputError({path, 1, 1}, "the first key is not `podtwin`",
                     "begin with `podtwin: pod/1`, `scenario/1`, `catalogue/1` or `study/1`");
  const std::string value = root.entries.front().value->text;
  return value.substr(0, value.find('/'));
}

int runCheck(const CheckOptions& options) {
  Diagnostics all;
  const auto classes = classList();
  for (const auto& given : options.files) {
    const std::string path = findAsset(given);
    Diagnostics problems;
    std::string found;  // what the file is, told of one without errors
    try {
      const std::string kind = options.kind.empty() ? kindOfFile(path) : options.kind;
      if (kind == "pod") {
        data::ReadOptions read;
        read.search_paths = assetPaths();
        PlantDescription plant = data::readPod(path, read, classes, problems);
        if (!problems.hasErrors()) {
          if (options.expand) fmt::print("{}", data::expandPod(plant, classes));
          const System system(std::move(plant), registeredClasses());
          for (const auto& p : system.warnings()) problems.warning(p.where, p.what, p.remedy);
          for (const auto& w : selectivityWarnings(selectivityOfPlant(system)))
            problems.warning(w.where, w.what, w.remedy);
          limitsOf(system, problems);
          if (!options.expand)
            found = fmt::format("{}: a pod of {} instances, {} unknowns, {} circuits, {} buses\n", given,
                                system.plant().instances.size(), system.size(), system.circuits().size(),
                                system.buses().size());
        }
      } else if (kind == "scenario") {
        const PreparedRun run = prepareScenario(path, {});
        for (const auto& p : run.warnings.list()) problems.warning(p.where, p.what, p.remedy);
        RestartRecording(*run.system, run.scenario.restart, run.setup, problems);
        found = fmt::format("{}: a scenario of {} s on '{}', {} timed and {} conditional events\n", given,
                            run.setup.duration, run.scenario.pod, run.setup.events.size(),
                            run.setup.conditional_events.size());
      } else if (kind == "catalogue") {
        data::checkCatalogue(path, classes, problems);
        if (problems.list().empty()) found = fmt::format("{}: a catalogue without problems\n", given);
      } else if (kind == "weather") {
        const auto weather = data::readWeather(path, false, problems);
        found = fmt::format("{}: weather, {} rows\n", given, weather.time.size());
      } else if (kind == "trace") {
        const auto trace = data::readRequestTrace(path, problems);
        double context = 0.0, generated = 0.0, silence = 0.0;
        for (std::size_t k = 0; k < trace.arrival.size(); ++k) {
          context += trace.context_tokens[k];
          generated += trace.generated_tokens[k];
          if (k > 0) silence = std::max(silence, trace.arrival[k] - trace.arrival[k - 1]);
        }
        if (!trace.arrival.empty())
          found = fmt::format(
              "{}: a request trace, {} requests over {:.1f} s, {:.0f} context and {:.0f} generated tokens, longest "
              "silence {:.1f} s\n",
              given, trace.arrival.size(), trace.arrival.back(), context, generated, silence);
      } else if (kind == "requests") {
        const auto table = data::readTable(path,
                                           {{"time", Quantity::time, 0.0, 1e12},
                                            {"requests", Quantity::ratio, 0.0, 1e15},
                                            {"context_tokens", Quantity::token, 0.0, 1e15},
                                            {"generated_tokens", Quantity::token, 0.0, 1e15}},
                                           problems);
        found = fmt::format("{}: a table of requests, {} rows\n", given, table.lines.size());
      } else if (kind == "series") {
        const auto table = data::readTable(path, {}, problems);
        found = fmt::format("{}: a series, {} rows\n", given, table.lines.size());
      } else {
        problems.error({given, 0, 0}, "of kind '" + kind + "' cannot be checked",
                       "use --as pod, scenario, catalogue, weather, trace, requests or series");
      }
    } catch (const InputError& error) {
      addAll(error, problems);
    }
    if (!problems.hasErrors()) fmt::print("{}", found);
    for (const auto& p : problems.list())
      p.severity == Diagnostic::Severity::error ? all.error(p.where, p.what, p.remedy)
                                                : all.warning(p.where, p.what, p.remedy);
  }
  for (const auto& problem : all.list()) fmt::print(stderr, "{}\n", problem.text());
  return all.hasErrors() ? kBadInput : kDone;
}

int runInfo(const std::string& path) {
  const data::ResultFile file(path);
  const auto attribute = [&](const char* name) {
    const auto found = file.attributes().find(name);
    return found == file.attributes().end() ? std::string() : found->second;
  };
  fmt::print(
      "{}\n  title       {}\n  simulated   from {}\n  created     {}\n  version     podtwin {}, format {}\n  complete  "
      "  {}\n",
      path, attribute("title"), attribute("simulated_start"), attribute("created"), attribute("podtwin_version"),
      attribute("format_version"), file.complete() ? "yes" : "no");
  fmt::print("\n  {:<18} {:>8} {:>10} {:>10}  signals\n", "class", "members", "rows", "period [s]");
  for (const auto& table : file.tables()) {
    std::string signals;
    for (const auto& signal : table.signals) signals += (signals.empty() ? "" : ", ") + withUnit(signal);
    fmt::print("  {:<18} {:>8} {:>10} {:>10.6g}  {}\n", table.group, table.width(), table.rows, table.period, signals);
  }
  printUnitsOfMembers(file);
  const auto moments = file.restartTimes();
  fmt::print("\n  restart states  {}\n", moments.empty() ? "none" : momentsText(moments));
  const auto provenance = file.provenance();
  if (const auto states = provenance.find("states_by_class"); states != provenance.end())
    fmt::print("\n  states by class\n{}", states->second);
  fmt::print("\n  summary\n");
  for (const auto& scalar : file.summary())
    fmt::print("    {:<34} {:>16.8g} {}\n", scalar.name, scalar.value, scalar.units);
  for (const auto& [name, text] : file.summaryTexts()) fmt::print("    {:<34} {}\n", name, text);
  fmt::print("\n  balance\n");
  for (const auto& scalar : file.balance())
    fmt::print("    {:<34} {:>16.8g} {}\n", scalar.name, scalar.value, scalar.units);
  const auto alarms = file.alarms();
  const auto raised = std::count_if(alarms.begin(), alarms.end(), [](const auto& alarm) { return alarm.active; });
  fmt::print("\n  {} events, {} alarms raised, {} of them back within\n", file.events().size(), raised,
             static_cast<std::ptrdiff_t>(alarms.size()) - raised);
  return kDone;
}

int runSchema(const std::string& kind) {
  auto classes = classList();
  for (const auto* part : {&trayInfo(), &gpuInfo(), &cpuInfo(), &switchTrayInfo(), &powerShelfInfo()})
    classes.push_back(part);
  for (const auto* own : builtinClasses()) classes.push_back(own);
  fmt::print("{}\n", data::jsonSchema(kind, classes));
  return kDone;
}

}  // namespace podtwin::scenarios
