// Calls fans of towers and coolers one by one by the speed of those that run. Equations: fan_sequencer.md.
#include <algorithm>
#include <array>

#include "model/base/diagnostics.hpp"
#include "model/components/control/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kNever = -1.0;
constexpr double kSearchDelay = 20.0;  // s of a steady search, in place of up_delay and down_delay
constexpr PortInfo kPorts[] = {commandedMembers("units", "towers, dry coolers or fans, in the order they are called")};
constexpr ParameterInfo kParameters[] = {
    {.name = "minimum_units",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 0,
     .high = 1000,
     .meaning = "Units that always run.",
     .source = "1: control needs one"},
    {.name = "start_units",
     .kind = ParameterKind::integer,
     .fallback = 0,
     .low = 0,
     .high = 1000,
     .meaning = "Units that run at the start; fewer than minimum_units: as many as those.",
     .source = "0: minimum_units"},
    {.name = "up_at",
     .quantity = Quantity::ratio,
     .fallback = 0.9,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Speed command above which another unit is called.",
     .source = "engineering estimate"},
    {.name = "down_at",
     .quantity = Quantity::ratio,
     .fallback = 0.4,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Speed command below which a unit is released.",
     .source = "engineering estimate"},
    {.name = "up_delay",
     .quantity = Quantity::time,
     .fallback = 120.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "Time above up_at.",
     .source = "engineering estimate"},
    {.name = "down_delay",
     .quantity = Quantity::time,
     .fallback = 300.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "Time below down_at.",
     .source = "engineering estimate"},
    {.name = "minimum_run_time",
     .quantity = Quantity::time,
     .fallback = 300.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "After a unit was called none is released for this time.",
     .source = "engineering estimate: starts an hour of motors"},
    {.name = "rotation_time",
     .quantity = Quantity::time,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e8,
     .meaning = "The lead moves on to the next unit each time this has passed; 0: never.",
     .source = "0: the order of the list; weekly is usual"},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"count", Quantity::none, 0.0, "Units that are to run."},
    {"lead", Quantity::none, 0.0, "Place of the lead in the list, from 0."},
    {"above_since", Quantity::time, kNever, "Speed above up_at since [s]; -1: it is not."},
    {"below_since", Quantity::time, kNever, "Speed below down_at since [s]; -1: it is not."},
    {"called_at", Quantity::time, kNever, "A unit was called last at [s]; -1: never."},
    {"rotated_at", Quantity::time, 0.0, "The lead was changed last at [s]."},
    {"waits", Quantity::none, 0.0, "Counts while a steady search waits for a change of units."},
};
enum Discrete : std::size_t { kCount = kCommonCount, kLead, kAbove, kBelow, kCalledAt, kRotatedAt, kWaits };
constexpr SignalInfo kSignals[] = {
    {"running", Quantity::none, SignalType::integer, "Units called to run that are available."},
    {"wanted", Quantity::none, SignalType::integer, "Units that are to run."},
    {"available", Quantity::none, SignalType::integer, "Units that could run."},
    {"lead", Quantity::none, SignalType::integer, "Place of the lead in the list, from 1."},
    {"command", Quantity::ratio, SignalType::real, "Greatest speed command of the units called."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "It fails: no unit is called, released or exchanged."},
    {"restore", "", Quantity::none, "Works again."},
    {"rotate", "", Quantity::none, "The next unit becomes the lead."},
};
constexpr ClassInfo kInfo{.name = "fan_sequencer",
                          .group = "sequencer",
                          .title = "Sequencer of tower and cooler fans",
                          .page = "control/fan_sequencer.md",
                          .symbol = "controller",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

// A unit that is not called is switched off: its mode tells.
constexpr double kCalledMode = 0.0, kReleasedMode = 2.0;

struct FanSequencer {
  static constexpr int kColumns = 0, kRows = 0;
  using Unit = std::pair<const ComponentSet*, std::size_t>;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::vector<Unit> units;
    double least, start, up, down, up_delay, down_delay, run_time, rotation;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<FanSequencer>&, Binder& b) {
    Instance p{};
    for (std::size_t n = 0; n < b.portCount(i, "units"); ++n) {
      const auto [unit, k] = b.member(i, "units", n);
      if (unit == nullptr) continue;
      if (unit->drive[k] < 0)
        b.problems().error(d.port_marks.at("units"), "'" + unit->ids()[k] + "' has no speed to command",
                           "name towers, dry coolers, fan walls or pumps");
      p.units.emplace_back(unit, k);
    }
    p.least = d.number("minimum_units");
    p.start = std::max(p.least, d.number("start_units"));
    p.up = d.number("up_at");
    p.down = d.number("down_at");
    p.up_delay = d.number("up_delay");
    p.down_delay = d.number("down_delay");
    p.run_time = d.number("minimum_run_time");
    p.rotation = d.number("rotation_time");
    if (p.start > static_cast<double>(b.portCount(i, "units")))
      b.problems().error(d.where, "'" + d.id + "' wants more units to run than its list has", "name more units");
    if (!(p.down < p.up))
      b.problems().error(d.where, "'" + d.id + "': down_at is not below up_at", "leave a dead band between them");
    return p;
  }
  template <class Values>
  static bool sound(const Unit& unit, Values& values) {
    return unit.first->z(values, kInService, unit.second) != 0.0 && unit.first->z(values, kTripped, unit.second) == 0.0;
  }
  static bool healthy(const Unit& unit, const Evaluation& e) {
    const auto bus = unit.first->supply_bus[unit.second];
    return sound(unit, e) && (bus < 0 || e.energised[static_cast<std::size_t>(bus)] != 0);
  }
  static bool called(const Unit& unit, const Evaluation& e) {
    return unit.first->z(e, kMode, unit.second) != kReleasedMode && healthy(unit, e);
  }
  template <class Predicate>
  static double countOf(const Instance& p, const Predicate& predicate) {
    return static_cast<double>(std::count_if(p.units.begin(), p.units.end(), predicate));
  }
  static double command(const Instance& p, const Evaluation& e) {
    double most = 0.0;
    for (const Unit& unit : p.units)
      if (called(unit, e))
        most =
            std::max(most, std::clamp(e.command[static_cast<std::size_t>(unit.first->drive[unit.second])], 0.0, 1.0));
    return most;
  }
  /// The first `count` fit units from the lead on are called, the others released; those in manual are the operator's.
  template <class Fit>
  static bool place(const Instance& p, double count, double lead, const Fit& fit, State& s) {
    bool changed = false;
    for (std::size_t n = 0; n < p.units.size(); ++n) {
      const Unit& unit = p.units[(n + static_cast<std::size_t>(lead)) % p.units.size()];
      double& mode = unit.first->z(s, kMode, unit.second);
      if (mode != kCalledMode && mode != kReleasedMode) continue;
      const bool runs = count > 0.0 && fit(unit);
      if (runs) count -= 1.0;
      const double wanted = runs ? kCalledMode : kReleasedMode;
      changed = changed || mode != wanted;
      mode = wanted;
    }
    return changed;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<FanSequencer>& set, State& s, double) {
    set.z(s, kCount, i) = p.start;
    place(
        p, p.start, 0.0, [&](const Unit& unit) { return sound(unit, s); }, s);
  }
  /// Time [s] that a condition has lasted; its clock runs while it holds.
  static double lasted(double& since, bool holds, double t) {
    if (!holds) since = kNever;
    if (holds && (since == kNever || since > t)) since = t;
    return holds ? t - since : kNever;
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<FanSequencer>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>& events) {
    if (!set.available(e, i)) return;
    const double most = countOf(p, [&](const Unit& unit) { return healthy(unit, e); });
    double& count = set.z(s, kCount, i);
    double& called_at = set.z(s, kCalledAt, i);
    if (called_at > e.t) called_at = kNever;  // of a steady search
    const double speed = command(p, e), before = count;
    const bool more = speed > p.up && count < most, fewer = speed < p.down && count > p.least;
    const double above = lasted(set.z(s, kAbove, i), more, e.t), below = lasted(set.z(s, kBelow, i), fewer, e.t);
    const double up = e.steady_search ? kSearchDelay : p.up_delay, down = e.steady_search ? kSearchDelay : p.down_delay;
    // A search that has called a unit releases none: bands that hunt have no state of rest.
    const bool rested = called_at == kNever || (!e.steady_search && e.t - called_at >= p.run_time);
    if (more && above >= up) count += 1.0;
    if (fewer && below >= down && rested) count -= 1.0;
    if (count > before) called_at = e.t;
    if (count != before) set.z(s, kAbove, i) = set.z(s, kBelow, i) = kNever;
    if (e.steady_search && (more || (fewer && rested))) set.z(s, kWaits, i) += 1.0;
    rotate(i, p, set, e, s);
    const bool moved = place(
        p, count, set.z(s, kLead, i), [&](const Unit& unit) { return healthy(unit, e); }, s);
    if (!moved) return;
    ++s.topology;
    events.push_back({set.ids()[i], "controller",
                      count > before   ? "speed above up_at"
                      : count < before ? "speed below down_at"
                                       : "a unit is lost, back or the next to lead",
                      std::to_string(static_cast<int>(count)) + " units called"});
  }
  static void rotate(std::size_t i, const Instance& p, const KernelSet<FanSequencer>& set, const Evaluation& e,
                     State& s) {
    double& at = set.z(s, kRotatedAt, i);
    if (at > e.t || e.steady_search) at = e.t;
    if (p.rotation <= 0.0 || e.t - at < p.rotation) return;
    at = e.t;
    next(i, p, set, s);
  }
  static void next(std::size_t i, const Instance& p, const KernelSet<FanSequencer>& set, State& s) {
    double& lead = set.z(s, kLead, i);
    lead = lead + 1.0 < static_cast<double>(p.units.size()) ? lead + 1.0 : 0.0;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<FanSequencer>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return countOf(p, [&](const Unit& unit) { return called(unit, e); });
      case 1:
        return set.z(e, kCount, i);
      case 2:
        return countOf(p, [&](const Unit& unit) { return healthy(unit, e); });
      case 3:
        return set.z(e, kLead, i) + 1.0;
      default:
        return command(p, e);
    }
  }
};

class FanSequencerSet final : public KernelSet<FanSequencer> {
 public:
  using KernelSet<FanSequencer>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "rotate") return KernelSet<FanSequencer>::command(s, i, verb, value, reason);
    FanSequencer::next(i, instance(i), *this, s);
    return true;
  }
};

}  // namespace

RegisteredClass fanSequencerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<FanSequencerSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
