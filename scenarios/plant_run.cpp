#include "scenarios/plant_run.hpp"

#include <algorithm>
#include <cmath>

#include "data/readers/units.hpp"
#include "model/base/diagnostics.hpp"
#include "model/components/it/rack.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/system/registry.hpp"
#include "model/system/seeded.hpp"
#include "scenarios/addresses.hpp"
#include "scenarios/checkpoints.hpp"
#include "scenarios/conditions.hpp"
#include "scenarios/inputs.hpp"
#include "scenarios/windows.hpp"

namespace podtwin::scenarios {

namespace {

constexpr double kColdStart = 293.15;    // K; a plant that has stood at room temperature
constexpr double kDesignHumidity = 0.4;  // 1; used where a pod gives no design weather

/// [rack] 1 where the training job of a scenario runs.
std::vector<char> racksInJob(const System& system, const data::ScenarioDescription& scenario, Diagnostics& problems) {
  const ComponentSet* racks = system.setOfGroup("rack");
  const auto& named = scenario.workload.training.racks;
  if (racks == nullptr) return {};
  std::vector<char> in_job(racks->size(), named.empty() ? 1 : 0);
  for (const auto& address : named)
    for (const auto& [set, i] : resolveTargets(system, address, problems)) {
      if (set == racks)
        in_job[i] = 1;
      else
        problems.error(address.where, "'" + set->ids()[i] + "' is no rack with GPUs", "name racks");
    }
  return in_job;
}

/// True of a bare number that is none as a share and one as per cent: `position: 30`.
bool perCent(const std::string& written, double value) {
  return value > 1.0 && value <= 100.0 && data::parseNumber(written).has_value();
}

std::vector<Action> actionsOf(const System& system, const data::EventDescription& event, Diagnostics& problems) {
  std::vector<Action> actions;
  static const std::vector<std::string> kEveryClass{"trip", "restore", "isolate", "stick",
                                                    "set",  "open",    "close",   "automatic"};
  for (const auto& target : event.targets) {
    for (const auto& [set, i] : resolveTargets(system, target, problems)) {
      Action action;
      action.set = set;
      action.instance = i;
      action.verb = event.verb;
      action.value = std::nan("");
      action.text = event.note.empty() ? "scenario" : event.note;
      action.where = event.where;
      const CommandInfo* command = nullptr;
      std::vector<std::string> verbs = kEveryClass;
      for (const auto& c : set->info().commands) {
        verbs.emplace_back(c.verb);
        if (c.verb == event.verb) command = &c;
      }
      if (command == nullptr && std::find(kEveryClass.begin(), kEveryClass.end(), event.verb) == kEveryClass.end()) {
        std::erase_if(verbs, [&](const std::string& verb) { return !set->refusal(verb).empty(); });
        problems.error(
            event.verb_where, "a " + std::string(set->info().name) + " cannot be asked to '" + event.verb + "'",
            suggestion(event.verb, verbs, "`podtwin schema " + std::string(set->info().name) + "` lists its verbs"));
        return actions;
      }
      const bool takes = command != nullptr && !command->argument.empty();
      std::string written;  // the value as the user wrote it
      for (const auto& [name, value] : event.arguments) {
        if (!takes || name != command->argument) {
          problems.error(value.where,
                         "'" + event.verb + "' of a " + std::string(set->info().name) + " takes no '" + name + "'",
                         takes ? "write with: {" + std::string(command->argument) + ": ...}" : "leave `with:` out");
          return actions;
        }
        if (const auto v = data::parseQuantity(value.text, set->commandQuantity(*command, i), value.where, problems,
                                               "'" + name + "'"))
          action.value = *v;
        written = value.text;
      }
      if (takes && event.arguments.empty() && event.verb != "stick") {
        problems.error(event.where,
                       "'" + event.verb + "' of a " + std::string(set->info().name) + " needs '" +
                           std::string(command->argument) + "'",
                       "write with: {" + std::string(command->argument) + ": ...}");
        return actions;
      }
      if (!problems.hasErrors()) {
        // Tried on a throw-away state, so that a verb an instance refuses is found before the run.
        State trial = system.initialState(kColdStart, {});
        std::string reason;
        if (!set->command(trial, i, action.verb, action.value, reason))
          problems.error(event.verb_where, reason + (written.empty() ? "" : " (asked for `" + written + "`)"),
                         written.empty() ? "choose another verb or another target"
                         : set->commandQuantity(*command, i) == Quantity::ratio && perCent(written, action.value)
                             ? "write `" + written + " %` if per cent is meant, or give another value"
                             : "give another value");
      }
      actions.push_back(std::move(action));
    }
  }
  return actions;
}

/// `--set ID.speed=0.8` of what is driven: asks for the same as an event `set` at the start.
void applyStartSettings(const System& system, State& start, Diagnostics& problems) {
  for (const auto& setting : system.plant().start_settings) {
    const auto [set, i] = system.find(setting.id);
    const auto& commands = set->info().commands;
    const auto command = std::find_if(commands.begin(), commands.end(), [&](const CommandInfo& c) {
      return c.verb == "set" && c.argument == setting.argument;
    });
    const Quantity kind = set->commandQuantity(*command, i);
    // On the command line a ratio needs no unit.
    auto value = kind == Quantity::ratio ? data::parseNumber(setting.text) : std::nullopt;
    if (!value) value = data::parseQuantity(setting.text, kind, setting.where, problems, "`" + setting.written + "`");
    if (!value) continue;
    std::string reason;
    if (!set->command(start, i, "set", *value, reason))
      problems.error(
          setting.where, "`" + setting.written + "`: " + reason + " (asked for `" + setting.text + "`)",
          perCent(setting.text, *value) ? "write `" + setting.text + " %` if per cent is meant" : "give another value");
  }
}

void addAll(const std::vector<Diagnostic>& list, Diagnostics& problems) {
  for (const auto& p : list)
    p.severity == Diagnostic::Severity::error ? problems.error(p.where, p.what, p.remedy)
                                              : problems.warning(p.where, p.what, p.remedy);
}

void refuseContradictions(const std::vector<TimedEvent>& events, Diagnostics& problems) {
  for (std::size_t a = 0; a < events.size(); ++a)
    for (std::size_t b = a + 1; b < events.size(); ++b) {
      if (events[a].at != events[b].at) continue;
      for (const auto& x : events[a].actions)
        for (const auto& y : events[b].actions)
          if (x.set == y.set && x.instance == y.instance &&
              (x.verb != y.verb || (x.value != y.value && !(std::isnan(x.value) && std::isnan(y.value)))))
            problems.error(y.where,
                           "'" + y.set->ids()[y.instance] + "' is asked to '" + x.verb + "' and to '" + y.verb +
                               "' at the same time",
                           "give them different times");
    }
}

}  // namespace

std::vector<const ClassInfo*> classList() {
  std::vector<const ClassInfo*> list;
  for (const auto& registered : registeredClasses()) list.push_back(registered.info);
  return list;
}

ItInventory inventoryOf(const System& system) {
  ItInventory inventory;
  const auto* racks = dynamic_cast<const RackSet*>(system.setOfGroup("rack"));
  if (racks == nullptr) return inventory;
  inventory.racks = racks->size();
  const auto& trays = racks->trays();
  const auto& gpus = racks->gpus();
  std::size_t tray = 0;
  for (std::size_t r = 0; r < racks->size(); ++r) {
    const auto& d = racks->description(r);
    const auto count = static_cast<std::size_t>(d.number("trays")),
               each = static_cast<std::size_t>(d.number("gpus_per_tray"));
    for (std::size_t t = 0; t < count; ++t, ++tray) {
      inventory.tray_rack.push_back(static_cast<std::uint32_t>(r));
      for (std::size_t g = 0; g < each; ++g) inventory.gpu_tray.push_back(static_cast<std::uint32_t>(tray));
    }
  }
  if (inventory.tray_rack.size() != trays.size() || inventory.gpu_tray.size() != gpus.size())
    throw Error("the inventory of racks does not add up");
  return inventory;
}

namespace {
/// What the plant has no flow through by how it is built, and by what is shut at the start.
void tellDeadBranches(const System& system, const State& start, Diagnostics& problems) {
  std::string names;
  for (const auto& name : system.blockedEdges(start)) names += (names.empty() ? "'" : ", '") + name + "'";
  if (!names.empty())
    problems.warning({system.plant().file, 0, 0}, "at the start coolant has no way through " + names,
                     "open what shuts them off, or leave them: coolant stands still in them and keeps its heat");
}
}  // namespace

PreparedRun prepareScenario(const std::string& path, const std::vector<std::string>& overrides,
                            const std::string& from) {
  PreparedRun run;
  Diagnostics problems;
  data::ReadOptions options;
  options.set_overrides = overrides;
  options.search_paths = assetPaths();
  run.scenario = data::readScenario(path, options, problems);
  if (run.scenario.pod.empty()) problems.throwIfErrors();
  const auto classes = classList();
  Diagnostics of_pod;
  PlantDescription plant = data::readPod(run.scenario.pod, options, classes, of_pod);
  addAll(of_pod.list(), problems);
  // A sound pod is needed to look at what the scenario asks of it; whatever is wrong with both is then told at once.
  if (of_pod.hasErrors()) problems.throwIfErrors();
  const DesignPoint design = plant.design;
  const double site_pressure = fluids::standardPressure(plant.elevation);
  try {
    run.system = std::make_unique<System>(std::move(plant), registeredClasses());
  } catch (const InputError& error) {
    addAll(error.problems(), problems);
    problems.throwIfErrors();
  }
  const System& system = *run.system;
  addAll(system.warnings(), problems);

  run.setup.duration = run.scenario.duration;
  run.setup.integrator.method = solvers::methodFromName(run.scenario.solver.method);
  run.setup.integrator.rtol =
      run.scenario.solver.rtol.value_or(run.setup.integrator.method == solvers::Method::cvode ? 1e-6 : 5e-2);
  run.setup.integrator.max_step = run.scenario.solver.max_step.value_or(0.0);

  Weather first{design.given ? design.dry_bulb : 298.15, design.given ? design.relative_humidity : kDesignHumidity,
                site_pressure};
  if (run.scenario.weather) run.setup.weather = weatherOf(*run.scenario.weather, run.scenario, site_pressure, problems);
  if (run.setup.weather)
    first = run.setup.weather(0.0);
  else
    run.setup.weather = [first](double) { return first; };
  run.setup.workload =
      workloadOf(run.scenario, inventoryOf(system), racksInJob(system, run.scenario, problems), problems);
  run.setup.windows = windowsOf(system, run.scenario, problems);
  checkSeries(system, run.scenario, problems);

  for (const auto& event : run.scenario.events) {
    if (event.verb.empty()) continue;  // the reader has told it
    auto actions = actionsOf(system, event, problems);
    if (event.at) {
      if (*event.at > run.scenario.duration && run.scenario.duration > 0.0)
        problems.error(event.where,
                       "the event at " + data::readableText(*event.at, Quantity::time) +
                           " is after the end of the run (" +
                           data::readableText(run.scenario.duration, Quantity::time) + ")",
                       "move it, or make the run longer");
      run.setup.events.push_back({*event.at, std::move(actions)});
    } else if (event.condition) {
      const auto observable = observableOf(system, event.condition->left, problems);
      if (!observable) continue;
      ConditionalEvent conditional;
      conditional.condition.observable = *observable;
      conditional.condition.above = event.condition->op == data::Comparison::Operator::above ||
                                    event.condition->op == data::Comparison::Operator::at_least;
      if (const auto v = data::parseQuantity(event.condition->limit, observable->quantity(),
                                             event.condition->limit_where, problems, "the limit"))
        conditional.condition.threshold = *v;
      conditional.delay = event.hold;
      conditional.text = event.condition->text;
      for (auto& action : actions) action.text = event.condition->text;
      conditional.actions = std::move(actions);
      run.setup.conditional_events.push_back(std::move(conditional));
    }
  }
  refuseContradictions(run.setup.events, problems);

  run.setup.limits = limitsOf(system, problems);
  for (const auto& limit : run.scenario.limits) {
    if (limit.signal.text.empty() || limit.value.text.empty()) continue;
    const ResolvedSignal signal = resolveSignal(system, limit.signal.text, limit.where, problems);
    if (signal.set == nullptr) continue;
    MonitoredLimit monitored;
    monitored.set = signal.set;
    monitored.signal = signal.signal;
    monitored.instances = signal.instances;
    monitored.above = limit.above;
    if (const auto v =
            data::parseQuantity(limit.value.text, signal.quantity(), limit.value.where, problems, "the limit"))
      monitored.value = *v;
    monitored.delay = limit.delay;
    monitored.kind = limit.kind;
    monitored.source = limit.source;
    monitored.id = limit.id;
    run.setup.limits.push_back(std::move(monitored));
  }

  run.recording =
      std::make_unique<Recording>(system, recordOf(system, run.scenario.record, problems), run.setup.windows, problems);

  for (const auto& expect : run.scenario.expect) {
    if (expect.signal.text.empty()) continue;
    const auto observable = observableOf(system, expect.signal, problems);
    if (!observable) continue;
    Expectation expectation;
    expectation.observable = *observable;
    expectation.where = expect.where;
    const auto take = [&](const std::optional<data::TextValue>& text, std::optional<double>& into) {
      if (text)
        into = data::parseQuantity(text->text, observable->quantity(), text->where, problems, "the expectation");
    };
    take(expect.below, expectation.below);
    take(expect.above, expectation.above);
    take(expect.equals, expectation.equals);
    if (expect.tolerance) {
      const Quantity kind =
          observable->quantity() == Quantity::temperature ? Quantity::temperature_difference : observable->quantity();
      if (const auto v =
              data::parseQuantity(expect.tolerance->text, kind, expect.tolerance->where, problems, "the tolerance"))
        expectation.tolerance = *v;
    }
    run.expectations.push_back(std::move(expectation));
  }
  std::vector<std::pair<ComponentSet*, std::size_t>> out_of_service;
  for (const auto& address : run.scenario.out_of_service)
    for (const auto& [set, i] : resolveTargets(system, address, problems)) {
      State trial = system.initialState(kColdStart, first);
      std::string reason;
      if (set->command(trial, i, "isolate", std::nan(""), reason))
        out_of_service.emplace_back(set, i);
      else
        problems.error(address.where, "'" + set->ids()[i] + "' cannot be out of service: " + reason,
                       "list equipment that `isolate` can be asked of");
    }
  problems.throwIfErrors();

  run.start = system.initialState(kColdStart, first);
  for (const auto& [set, i] : out_of_service) {
    std::string reason;
    set->command(run.start, i, "isolate", std::nan(""), reason);
  }
  if (!from.empty()) {
    run.scenario.from = {};
    run.scenario.from.kind = data::StartDescription::Kind::checkpoint;
    run.scenario.from.file = from;
  }
  run.start_is_steady = run.scenario.from.kind == data::StartDescription::Kind::steady;
  if (run.scenario.from.kind == data::StartDescription::Kind::checkpoint)
    restoreCheckpoint(run.scenario.from.file, system, run.start);
  if (run.scenario.from.kind == data::StartDescription::Kind::result)
    restoreFromResult(run.scenario.from, system, run.start);
  for (const auto& set : system.sets())
    if (const auto* seeded = dynamic_cast<const Seeded*>(set.get()); seeded != nullptr)
      seeded->seed(run.start, run.scenario.seed);
  applyStartSettings(system, run.start, problems);
  problems.throwIfErrors();
  // The steady start is that of the first inputs.
  if (run.setup.workload) {
    const ComponentSet* gpus = system.setOfGroup("gpu");
    const ComponentSet* racks = system.setOfGroup("rack");
    if (gpus != nullptr && racks != nullptr) {
      ItDemand demand;
      run.setup.workload->meanDemand(run.start.t, run.setup.base_period, demand);
      std::copy(demand.gpu_utilisation.begin(), demand.gpu_utilisation.end(),
                run.start.z.begin() + static_cast<std::ptrdiff_t>(gpus->zIndex(RackSet::kUtilisation, 0)));
      std::copy(demand.rack_power.begin(), demand.rack_power.end(),
                run.start.z.begin() + static_cast<std::ptrdiff_t>(racks->zIndex(RackSet::kPowerSetting, 0)));
    }
  }
  tellDeadBranches(*run.system, run.start, problems);
  run.warnings = std::move(problems);
  return run;
}

PreparedRun preparePod(const std::string& path, const std::vector<std::string>& overrides) {
  PreparedRun run;
  Diagnostics problems;
  for (const auto& text : overrides)
    if (text.starts_with("scenario."))
      problems.error({"--set", 0, 0}, "`" + text + "`: a pod alone has no scenario",
                     "give the scenario file instead of the pod, or leave this out");
  data::ReadOptions options;
  options.set_overrides = overrides;
  options.search_paths = assetPaths();
  const auto classes = classList();
  PlantDescription plant = data::readPod(path, options, classes, problems);
  problems.throwIfErrors();
  const DesignPoint design = plant.design;
  const double pressure = fluids::standardPressure(plant.elevation);
  run.system = std::make_unique<System>(std::move(plant), registeredClasses());
  addAll(run.system->warnings(), problems);
  run.setup.limits = limitsOf(*run.system, problems);
  problems.throwIfErrors();
  const Weather weather{design.given && design.dry_bulb > 0.0 ? design.dry_bulb : 298.15,
                        design.given && design.relative_humidity > 0.0 ? design.relative_humidity : kDesignHumidity,
                        pressure};
  run.start = run.system->initialState(kColdStart, weather);
  if (const ComponentSet* racks = run.system->setOfGroup("rack"); racks != nullptr)
    for (std::size_t i = 0; i < racks->size(); ++i) racks->z(run.start, RackSet::kPowerSetting, i) = design.rack_power;
  applyStartSettings(*run.system, run.start, problems);
  problems.throwIfErrors();
  tellDeadBranches(*run.system, run.start, problems);
  run.warnings = std::move(problems);
  return run;
}

solvers::SteadyReport startSteady(PreparedRun& run, const std::atomic<bool>& stop) {
  Evaluation e = run.system->makeEvaluation();
  solvers::SteadyOptions options;
  options.stop = &stop;
  const auto report = solvers::findSteadyState(*run.system, run.start, e, options);
  if (report.stopped) throw SimulationError("stopped by a signal while the steady start was looked for");
  if (!report.converged) {
    std::string text = "no steady state was found in " + std::to_string(static_cast<int>(report.compressed_time)) +
                       " s of compressed time; what still moves most:";
    for (const auto& worst : report.worst) text += "\n  " + worst;
    if (report.runaway) text += "\nheat has no way out: temperatures had passed 1000 degC;";
    text += "\na plant whose controls hunt or whose heat has no way out has none; `from: cold` starts without";
    throw SimulationError(text);
  }
  return report;
}

}  // namespace podtwin::scenarios
