// Starts and stops pumps by load, keeps N+1, and lets them take turns by run time. Equations: pump_staging.md.
#include <algorithm>
#include <memory>
#include <optional>

#include "model/components/control/called_unit.hpp"
#include "model/components/control/classes.hpp"
#include "model/components/control/measured_kind.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    commandedMembers("units", "units that share the load, in the order in which equal ones are called"),
    {"sensor", PortKind::member, PortCount::optional, "flow of all units, for stages by flow"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "minimum",
     .kind = ParameterKind::integer,
     .fallback = 1.0,
     .low = 1,
     .high = 1000,
     .meaning = "Units that run at least; so many start.",
     .source = "1: the least that runs"},
    {.name = "maximum",
     .kind = ParameterKind::integer,
     .fallback = 0.0,
     .low = 0,
     .high = 1000,
     .meaning = "Units that load may call; 0: all but one, which stands by (N+1).",
     .source = "0: N+1, NVIDIA CDU guide through hardware.csv"},
    {.name = "stage_by",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "What load is measured by: the mean speed asked of the running units, or the flow of one.",
     .source = "usual pump staging",
     .choices = "speed|flow"},
    {.name = "up_speed",
     .quantity = Quantity::ratio,
     .fallback = 0.9,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Another unit is started above it.",
     .source = "engineering estimate: usual 90-95 %"},
    {.name = "down_speed",
     .quantity = Quantity::ratio,
     .fallback = 0.5,
     .low = 0.0,
     .high = 1.0,
     .meaning = "A unit is stopped below it.",
     .source = "engineering estimate: usual 40-60 %"},
    {.name = "up_flow",
     .quantity = Quantity::volume_flow,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e3,
     .meaning = "Flow of one running unit above which another is started; given with stage_by: flow.",
     .source = "0: not stated"},
    {.name = "down_flow",
     .quantity = Quantity::volume_flow,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e3,
     .meaning = "Flow that each of the remaining units would have, below which one is stopped.",
     .source = "0: none is stopped"},
    {.name = "up_delay",
     .quantity = Quantity::time,
     .fallback = 30.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "How long it must be above.",
     .source = "engineering estimate: several times the settling of the header"},
    {.name = "down_delay",
     .quantity = Quantity::time,
     .fallback = 300.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "How long it must be below.",
     .source = "engineering estimate: usual 5-15 min"},
    {.name = "minimum_run",
     .quantity = Quantity::time,
     .fallback = 600.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "A unit that was started runs so long before it is stopped by load or turn.",
     .source = "engineering estimate: at most six starts an hour"},
    {.name = "changeover_time",
     .quantity = Quantity::time,
     .fallback = 1.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "From the loss of a unit to the start of the next.",
     .source = "estimate: pumps fail over within 5 s, NVIDIA CDU guide through hardware.csv"},
    {.name = "turn_after",
     .quantity = Quantity::time,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e9,
     .meaning = "Run time by which a running unit is ahead of a resting one when they change; 0: never.",
     .source = "0: no rotation; usual 168 h"},
    {.name = "turn_overlap",
     .quantity = Quantity::time,
     .fallback = 30.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "How long both run at a change.",
     .source = "one pump ramp of 30 s, pod-design 5.1 (published)"},
    {.name = "run_time",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::time,
     .low = 0.0,
     .high = 1e10,
     .meaning = "Run time of each unit before the start.",
     .source = "",
     .optional = true},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"wanted", Quantity::none, 0.0, "Units that are to run."},
    {"short_since", Quantity::time, kNotLasting, "Time since which one is missing [s]; -1: none is."},
    {"above_since", Quantity::time, kNotLasting, "Time since which load calls for one more [s]; -1: it does not."},
    {"below_since", Quantity::time, kNotLasting, "Time since which load lets one rest [s]; -1: it does not."},
    {"leaving", Quantity::none, 0.0, "1 + place of the unit that stops at the end of a change; 0: none."},
    {"leaving_since", Quantity::time, kNotLasting, "Time since which both run [s]; -1: they do not."},
    {"last_sample", Quantity::time, 0.0, "Time of the last sample [s]."},
};
enum Discrete : std::size_t {
  kWanted = kCommonCount,
  kShortSince,
  kAboveSince,
  kBelowSince,
  kLeaving,
  kLeavingSince,
  kLastSample
};
constexpr SignalInfo kSignals[] = {
    {"wanted", Quantity::none, SignalType::integer, "Units that are to run."},
    {"running", Quantity::none, SignalType::integer, "Units called to run that can."},
    {"available", Quantity::none, SignalType::integer, "Units that could run."},
    {"load", Quantity::ratio, SignalType::real, "Load over the threshold of the next stage."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "It fails: no unit is started, stopped or exchanged."},
    {"restore", "", Quantity::none, "Works again."},
};
constexpr ClassInfo kInfo{.name = "pump_staging",
                          .group = "pump_staging",
                          .title = "Staging of pumps by load",
                          .page = "control/pump_staging.md",
                          .symbol = "controller",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

constexpr DiscreteInfo kUnitDiscretes[] = {
    {"run_time", Quantity::time, 0.0, "Time that it has run [s]."},
    {"started", Quantity::time, 0.0, "Time of its last start [s]."},
    {"starts", Quantity::none, 0.0, "Starts since the beginning."},
    {"ran", Quantity::none, 0.0, "1 when it ran at the last sample."},
};
enum UnitDiscrete : std::size_t { kRunTime = kCommonCount, kStarted, kStarts, kRan };
constexpr SignalInfo kUnitSignals[] = {
    {"run_time", Quantity::time, SignalType::real, "Time that it has run."},
    {"starts", Quantity::none, SignalType::integer, "Starts since the beginning."},
    {"called", Quantity::none, SignalType::integer, "1 unless it stands by."},
};
constexpr RefusalInfo kUnitRefusals[] = {
    {"trip", "it is a place in a list; trip the pump"},
    {"isolate", "it is a place in a list; isolate the pump"},
};
constexpr ClassInfo kUnitInfo{.name = "staged_unit",
                              .group = "staged_unit",
                              .title = "Place of a pump in its staging",
                              .page = "control/pump_staging.md",
                              .symbol = "controller",
                              .discretes = kUnitDiscretes,
                              .signals = kUnitSignals,
                              .refusals = kUnitRefusals,
                              .user_visible = false};

constexpr double kLongAgo = -1e9;  // s; start of what ran before the run began

/// The places of all units: their run time and starts.
class StagedUnitSet final : public ComponentSet {
 public:
  StagedUnitSet(std::vector<const InstanceDescription*> makers, std::vector<std::string> ids,
                std::vector<std::string> parents)
      : ComponentSet(kUnitInfo, std::move(makers), std::move(ids)), parents_(std::move(parents)) {
    places.resize(size());
    run_before.assign(size(), 0.0);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> labels() const override {
    return {{"pump_staging", parents_}};
  }
  void bind(Binder&) override {}
  void initialise(State& s, double) const override {
    initialiseCommon(s);
    for (std::size_t i = 0; i < size(); ++i) z(s, kRunTime, i) = run_before[i];
  }
  /// What ran in the search had run for long; the search itself does not count.
  void endSteadySearch(State& s) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      z(s, kRunTime, i) = run_before[i];
      z(s, kStarted, i) = kLongAgo;
      z(s, kStarts, i) = 0.0;
    }
  }
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
  }
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override {
    if (k == 2) return places[i].called(e) ? 1.0 : 0.0;
    return z(e, k == 0 ? static_cast<std::size_t>(kRunTime) : static_cast<std::size_t>(kStarts), i);
  }
  std::vector<StandbyUnit> places;
  std::vector<double> run_before;  ///< s

 private:
  std::vector<std::string> parents_;
};

class PumpStagingSet final : public ComponentSet {
 public:
  explicit PumpStagingSet(std::vector<const InstanceDescription*> instances)
      : ComponentSet(kInfo, std::move(instances)) {
    stagings_.resize(size());
  }
  std::unique_ptr<StagedUnitSet> makeUnits();
  void bind(Binder& binder) override;
  void initialise(State& s, double) const override;
  void sample(const Evaluation& e, State& s, std::vector<Occurrence>& events) const override;
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
  }
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override;

 private:
  struct Staging {
    std::size_t first = 0, count = 0, minimum = 1, maximum = 1;
    bool by_flow = false;
    double up = 0.9, down = 0.5, up_delay = 0.0, down_delay = 0.0;
    double minimum_run = 0.0, changeover = 0.0, turn_after = 0.0, overlap = 0.0;  // s
    std::optional<SignalAddress> flow, quality;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Load {
    double to_start = 0.0, to_stop = 0.0;  ///< held against up and down
  };
  void bindUnits(std::size_t i, Staging& staging, Binder& b);
  std::size_t runningCount(std::size_t i, const Evaluation& e) const;
  std::optional<Load> load(std::size_t i, const Evaluation& e) const;
  /// The unit that should start next, and the one that should stop: by run time; kNone when there is none.
  std::size_t freshest(std::size_t i, const Evaluation& e) const;
  std::size_t tiredest(std::size_t i, const Evaluation& e, double least_run) const;
  void count(std::size_t i, const Evaluation& e, State& s) const;
  /// True while a change-over is due: nothing else is decided then.
  bool replaceLost(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  void stage(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  void takeTurns(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  void start(std::size_t i, std::size_t unit, State& s, std::vector<Occurrence>& events, const std::string& why) const {
    units_->places[unit].call(s, true);
    events.push_back({units_->places[unit].id(), ids()[i], why, "started"});
  }
  void stop(std::size_t i, std::size_t unit, State& s, std::vector<Occurrence>& events, const std::string& why) const {
    units_->places[unit].call(s, false);
    events.push_back({units_->places[unit].id(), ids()[i], why, "stopped"});
  }

  StagedUnitSet* units_ = nullptr;
  std::vector<Staging> stagings_;
};

std::unique_ptr<StagedUnitSet> PumpStagingSet::makeUnits() {
  std::vector<const InstanceDescription*> makers;
  std::vector<std::string> ids, parents;
  for (std::size_t i = 0; i < size(); ++i) {
    stagings_[i].first = ids.size();
    const auto port = description(i).ports.find("units");
    if (port == description(i).ports.end()) continue;
    for (const auto& unit : port->second) {
      makers.push_back(&description(i));
      ids.push_back(description(i).id + "-" + unit);
      parents.push_back(description(i).id);
    }
    stagings_[i].count = ids.size() - stagings_[i].first;
  }
  auto units = std::make_unique<StagedUnitSet>(std::move(makers), std::move(ids), std::move(parents));
  units_ = units.get();
  return units;
}

void PumpStagingSet::bindUnits(std::size_t i, Staging& p, Binder& b) {
  const InstanceDescription& d = description(i);
  const auto& before = d.parameters.at("run_time");
  if (before.given && before.numbers.size() != p.count)
    b.problems().error(before.where,
                       "'" + d.id + "' gives " + std::to_string(before.numbers.size()) + " run times for " +
                           std::to_string(p.count) + " units",
                       "give one a unit, in the same order");
  for (std::size_t n = 0; n < p.count; ++n) {
    if (before.given && before.numbers.size() == p.count) units_->run_before[p.first + n] = before.numbers[n];
    const auto [set, k] = b.member(i, "units", n);
    if (set == nullptr) continue;
    if (set->drive[k] < 0)
      b.problems().error(
          d.where,
          "'" + d.id + "' stages '" + set->ids()[k] + "', a " + std::string(set->info().name) + ", which has no drive",
          "name pumps or fans");
    units_->places[p.first + n] = {set, k};
    for (const auto& other : b.system().plant().instances) {
      const auto port = other.ports.find("units");
      if (port == other.ports.end() || (other.class_name != "standby_sequencer" && other.class_name != "pump_staging"))
        continue;
      const auto times = std::count(port->second.begin(), port->second.end(), set->ids()[k]);
      if (times > (other.id == d.id ? 1 : 0))
        b.problems().error(d.where,
                           "'" + set->ids()[k] + "' is started and stopped by '" + d.id + "' and by '" + other.id + "'",
                           "leave it to one of them, named once");
    }
  }
}

void PumpStagingSet::bind(Binder& b) {
  for (std::size_t i = 0; i < size(); ++i) {
    const InstanceDescription& d = description(i);
    Staging& p = stagings_[i];
    const auto refuse = [&](const char* parameter, const std::string& what, const char* remedy) {
      const auto& value = d.parameters.at(parameter);
      b.problems().error(value.given ? value.where : d.where, "'" + d.id + "' " + what, remedy);
    };
    p.minimum = static_cast<std::size_t>(d.number("minimum"));
    p.maximum = static_cast<std::size_t>(d.number("maximum"));
    if (p.maximum == 0) p.maximum = std::max<std::size_t>(p.count, 2) - 1;
    if (p.maximum > p.count)
      refuse("maximum", "wants up to " + std::to_string(p.maximum) + " of " + std::to_string(p.count) + " units to run",
             "name more units or a smaller maximum");
    if (p.minimum > p.maximum)
      refuse("minimum",
             "runs at least " + std::to_string(p.minimum) + " and at most " + std::to_string(p.maximum) + " units",
             "give a minimum not above the maximum; without a maximum one unit stands by");
    p.by_flow = d.text("stage_by") == "flow";
    p.up = d.number(p.by_flow ? "up_flow" : "up_speed");
    p.down = d.number(p.by_flow ? "down_flow" : "down_speed");
    if (!(p.down < p.up))
      refuse(p.by_flow ? "up_flow" : "up_speed", "stops units at or above the load at which it starts them",
             "give a threshold to start (up_speed, up_flow) above the one to stop");
    p.up_delay = d.number("up_delay");
    p.down_delay = d.number("down_delay");
    p.minimum_run = d.number("minimum_run");
    p.changeover = d.number("changeover_time");
    p.turn_after = d.number("turn_after");
    p.overlap = d.number("turn_overlap");
    bindUnits(i, p, b);
    if (p.by_flow && !b.hasPort(i, "sensor"))
      refuse("stage_by", "stages by flow without a sensor", "name a flow sensor at `sensor`, or stage_by: speed");
    if (!b.hasPort(i, "sensor")) continue;
    const auto [sensor, k] = b.member(i, "sensor");
    if (sensor == nullptr) continue;
    p.flow = SignalAddress{sensor, 0, k};
    for (std::size_t s = 0; s < sensor->info().signals.size(); ++s)
      if (sensor->info().signals[s].name == "quality") p.quality = SignalAddress{sensor, s, k};
    const auto quantity = quantityBehind(b.system(), *p.flow);
    if (quantity && kindOf(*quantity) != MeasuredKind::flow)
      b.problems().error(d.where,
                         "'" + d.id + "' needs a flow at `sensor`, not a " + std::string(kindName(kindOf(*quantity))),
                         "name a sensor that measures the flow of all units");
  }
}

void PumpStagingSet::initialise(State& s, double) const {
  initialiseCommon(s);
  for (std::size_t i = 0; i < size(); ++i) {
    const Staging& p = stagings_[i];
    z(s, kWanted, i) = static_cast<double>(p.minimum);
    // Those start that have run least, of equal ones the first.
    std::vector<std::size_t> order;
    for (std::size_t unit = p.first; unit < p.first + p.count; ++unit) order.push_back(unit);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return units_->run_before[a] < units_->run_before[b]; });
    std::size_t missing = p.minimum;
    for (const std::size_t unit : order) {
      const StandbyUnit& place = units_->places[unit];
      if (missing > 0 && place.called(s) && place.sound(s))
        --missing;
      else
        place.call(s, false);
    }
  }
}

std::size_t PumpStagingSet::runningCount(std::size_t i, const Evaluation& e) const {
  const Staging& p = stagings_[i];
  std::size_t running = 0;
  for (std::size_t unit = p.first; unit < p.first + p.count; ++unit) running += units_->places[unit].running(e) ? 1 : 0;
  return running;
}

/// Nothing while it is not known: no unit runs, or the flow sensor has failed.
std::optional<PumpStagingSet::Load> PumpStagingSet::load(std::size_t i, const Evaluation& e) const {
  const Staging& p = stagings_[i];
  const auto running = static_cast<double>(runningCount(i, e));
  if (running == 0.0) return {};
  if (p.by_flow) {
    if (p.quality && p.quality->set->signalOf(e, p.quality->signal, p.quality->instance) != 0.0) return {};
    const double flow = p.flow->set->signalOf(e, p.flow->signal, p.flow->instance);
    return Load{flow / running, running > 1.0 ? flow / (running - 1.0) : flow};
  }
  double sum = 0.0;
  for (std::size_t unit = p.first; unit < p.first + p.count; ++unit)
    if (const StandbyUnit& place = units_->places[unit]; place.running(e))
      sum += place.set->z(e, kCommand, place.instance);
  return Load{sum / running, sum / running};
}

std::size_t PumpStagingSet::freshest(std::size_t i, const Evaluation& e) const {
  const Staging& p = stagings_[i];
  std::size_t best = kNone;
  for (std::size_t unit = p.first; unit < p.first + p.count; ++unit) {
    const StandbyUnit& place = units_->places[unit];
    if (place.called(e) || !place.healthy(e)) continue;
    if (best == kNone || units_->z(e, kRunTime, unit) < units_->z(e, kRunTime, best)) best = unit;
  }
  return best;
}

std::size_t PumpStagingSet::tiredest(std::size_t i, const Evaluation& e, double least_run) const {
  const Staging& p = stagings_[i];
  std::size_t best = kNone;
  for (std::size_t unit = p.first; unit < p.first + p.count; ++unit) {
    const StandbyUnit& place = units_->places[unit];
    const bool automatic = place.set->z(e, kMode, place.instance) == kCalledMode;
    if (!automatic || !place.running(e) || e.t - units_->z(e, kStarted, unit) < least_run) continue;
    // Of equal ones the last, so that the order of the list stays.
    if (best == kNone || units_->z(e, kRunTime, unit) >= units_->z(e, kRunTime, best)) best = unit;
  }
  return best;
}

void PumpStagingSet::count(std::size_t i, const Evaluation& e, State& s) const {
  const Staging& p = stagings_[i];
  double& last = z(s, kLastSample, i);
  const double elapsed = e.t > last ? e.t - last : 0.0;
  last = e.t;
  for (std::size_t unit = p.first; unit < p.first + p.count; ++unit) {
    const bool runs = units_->places[unit].running(e);
    double& ran = units_->z(s, kRan, unit);
    if (runs && ran != 0.0) units_->z(s, kRunTime, unit) += elapsed;
    if (runs && ran == 0.0) {
      units_->z(s, kStarted, unit) = e.t;
      units_->z(s, kStarts, unit) += 1.0;
    }
    ran = runs ? 1.0 : 0.0;
  }
}

bool PumpStagingSet::replaceLost(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Staging& p = stagings_[i];
  double& since = z(s, kShortSince, i);
  if (static_cast<double>(runningCount(i, e)) >= z(e, kWanted, i)) {
    since = kNotLasting;
    return false;
  }
  if (!lasted(since, e.t, p.changeover)) return true;
  const std::size_t next = freshest(i, e);
  if (next == kNone) return false;
  std::size_t lost = kNone;
  for (std::size_t unit = p.first; unit < p.first + p.count && lost == kNone; ++unit) {
    const StandbyUnit& place = units_->places[unit];
    if (place.set->z(e, kMode, place.instance) == kCalledMode && !place.healthy(e)) lost = unit;
  }
  start(i, next, s, events, lost == kNone ? "a unit is missing" : "'" + units_->places[lost].id() + "' is lost");
  if (lost != kNone) units_->places[lost].call(s, false);
  since = kNotLasting;
  return true;
}

void PumpStagingSet::stage(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Staging& p = stagings_[i];
  double &wanted = z(s, kWanted, i), &above = z(s, kAboveSince, i), &below = z(s, kBelowSince, i);
  const auto now = load(i, e);
  if (!now || !(now->to_start > p.up)) above = kNotLasting;
  if (!now || !(now->to_stop < p.down)) below = kNotLasting;
  if (!now) return;
  if (now->to_start > p.up && wanted < static_cast<double>(p.maximum)) {
    const std::size_t next = freshest(i, e);
    if (!lasted(above, e.t, p.up_delay) || next == kNone) return;
    wanted += 1.0;
    above = kNotLasting;
    start(i, next, s, events, "load above the stage");
  } else if (now->to_stop < p.down && wanted > static_cast<double>(p.minimum) && !e.steady_search) {
    const bool short_anyway = static_cast<double>(runningCount(i, e)) < wanted;
    const std::size_t next = tiredest(i, e, p.minimum_run);
    if (!lasted(below, e.t, p.down_delay) || (next == kNone && !short_anyway)) return;
    wanted -= 1.0;
    below = kNotLasting;
    if (!short_anyway) stop(i, next, s, events, "load below the stage");
  }
}

void PumpStagingSet::takeTurns(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Staging& p = stagings_[i];
  double &leaving = z(s, kLeaving, i), &since = z(s, kLeavingSince, i);
  if (leaving != 0.0) {
    const std::size_t unit = p.first + static_cast<std::size_t>(leaving) - 1;
    if (!lasted(since, e.t, p.overlap)) return;
    // One that is missing meanwhile keeps it on.
    if (units_->places[unit].running(e) && static_cast<double>(runningCount(i, e)) > z(e, kWanted, i))
      stop(i, unit, s, events, "its turn is over");
    leaving = 0.0;
    since = kNotLasting;
    return;
  }
  if (p.turn_after <= 0.0 || e.steady_search) return;
  const std::size_t in = freshest(i, e), out = tiredest(i, e, p.minimum_run);
  if (in == kNone || out == kNone || units_->z(e, kRunTime, out) - units_->z(e, kRunTime, in) < p.turn_after) return;
  start(i, in, s, events, "its turn");
  leaving = static_cast<double>(out - p.first + 1);
  since = e.t;
}

void PumpStagingSet::sample(const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  for (std::size_t i = 0; i < size(); ++i) {
    count(i, e, s);
    if (!available(e, i)) continue;
    if (replaceLost(i, e, s, events)) continue;
    if (z(e, kLeaving, i) == 0.0) stage(i, e, s, events);
    takeTurns(i, e, s, events);
  }
}

double PumpStagingSet::signalOf(const Evaluation& e, std::size_t k, std::size_t i) const {
  const Staging& p = stagings_[i];
  if (k == 0) return z(e, kWanted, i);
  if (k == 1) return static_cast<double>(runningCount(i, e));
  if (k == 3) {
    const auto now = load(i, e);
    return now ? now->to_start / p.up : 0.0;
  }
  double healthy = 0.0;
  for (std::size_t unit = p.first; unit < p.first + p.count; ++unit)
    healthy += units_->places[unit].healthy(e) ? 1.0 : 0.0;
  return healthy;
}

}  // namespace

RegisteredClass pumpStagingClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            auto stagings = std::make_unique<PumpStagingSet>(std::move(instances));
            out.push_back(stagings->makeUnits());
            out.push_back(std::move(stagings));
          }};
}

}  // namespace podtwin
