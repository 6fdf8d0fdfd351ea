// Starts the next unit of a group when a duty unit is lost (N+1). Equations: standby_sequencer.md.
#include <algorithm>
#include <array>

#include "model/components/control/called_unit.hpp"
#include "model/components/control/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kNotShort = kNotLasting;  // value of short_since while enough units run

constexpr PortInfo kPorts[] = {commandedMembers("units", "units in the order they are called; the first `duty` run")};
constexpr ParameterInfo kParameters[] = {
    {.name = "duty",
     .kind = ParameterKind::integer,
     .low = 1,
     .high = 1000,
     .meaning = "Units that are to run.",
     .source = ""},
    {.name = "changeover_time",
     .quantity = Quantity::time,
     .fallback = 5.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "From the loss of a unit to the start of the next.",
     .source = "pump fail-over within 5 s, NVIDIA CDU guide through hardware.csv (estimate)"},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"short_since", Quantity::time, kNotShort, "Time since which a unit is missing [s]; -1: none is."}};
constexpr std::size_t kShortSince = kCommonCount;
constexpr SignalInfo kSignals[] = {
    {"running", Quantity::none, SignalType::integer, "Units called to run that are available."},
    {"available", Quantity::none, SignalType::integer, "Units that could run."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "It fails: no unit is started or exchanged."},
    {"restore", "", Quantity::none, "Works again."},
};
constexpr ClassInfo kInfo{.name = "standby_sequencer",
                          .group = "sequencer",
                          .title = "Duty and standby sequencer",
                          .page = "control/standby_sequencer.md",
                          .symbol = "controller",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct StandbySequencer {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::vector<StandbyUnit> units;
    std::size_t duty;
    double changeover;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<StandbySequencer>& set, Binder& b) {
    Instance p{};
    p.duty = static_cast<std::size_t>(d.number("duty"));
    p.changeover = d.number("changeover_time");
    for (std::size_t n = 0; n < b.portCount(i, "units"); ++n) {
      const auto [unit, k] = b.member(i, "units", n);
      if (unit == nullptr) continue;
      p.units.push_back({unit, k});
      for (std::size_t other = 0; other < i; ++other)
        if (const auto& taken = set.instance(other).units;
            std::find(taken.begin(), taken.end(), p.units.back()) != taken.end())
          b.problems().error(
              d.where, "'" + unit->ids()[k] + "' is sequenced by '" + set.ids()[other] + "' and by '" + d.id + "'",
              "leave it to one sequencer");
    }
    if (p.duty > b.portCount(i, "units"))
      b.problems().error(
          d.where,
          "'" + d.id + "' wants " + std::to_string(p.duty) + " of " + std::to_string(p.units.size()) + " units to run",
          "name more units or a smaller duty");
    return p;
  }
  static std::size_t running(const Instance& p, const Evaluation& e) {
    return static_cast<std::size_t>(
        std::count_if(p.units.begin(), p.units.end(), [&](const StandbyUnit& unit) { return unit.running(e); }));
  }
  static void initialise(std::size_t, const Instance& p, const KernelSet<StandbySequencer>&, State& s, double) {
    // The first `duty` units that are in service start; units in manual are the operator's.
    std::size_t wanted = p.duty;
    for (const auto& unit : p.units) {
      if (wanted > 0 && unit.called(s) && unit.sound(s))
        --wanted;
      else
        unit.call(s, false);
    }
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<StandbySequencer>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>& events) {
    double& since = set.z(s, kShortSince, i);
    if (!set.available(e, i) || running(p, e) >= p.duty) {
      since = kNotShort;
      return;
    }
    if (!lasted(since, e.t, p.changeover)) return;
    const auto next = std::find_if(p.units.begin(), p.units.end(),
                                   [&](const StandbyUnit& unit) { return !unit.called(e) && unit.healthy(e); });
    if (next == p.units.end()) return;
    next->call(s, true);
    // The unit it stands in for becomes the standby once it is well again.
    const auto lost = std::find_if(p.units.begin(), p.units.end(), [&](const StandbyUnit& unit) {
      return unit.set->z(e, kMode, unit.instance) == kCalledMode && !unit.healthy(e) && !(unit == *next);
    });
    if (lost != p.units.end()) lost->call(s, false);
    since = kNotShort;
    events.push_back({next->id(), set.ids()[i],
                      lost == p.units.end() ? "a duty unit is missing" : "'" + lost->id() + "' is lost",
                      "standby unit started"});
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<StandbySequencer>&,
                       const Evaluation& e) {
    if (k == 0) return static_cast<double>(running(p, e));
    return static_cast<double>(
        std::count_if(p.units.begin(), p.units.end(), [&](const StandbyUnit& unit) { return unit.healthy(e); }));
  }
};

}  // namespace

RegisteredClass standbySequencerClass() { return {&kInfo, makeKernelSetInto<StandbySequencer, SetList>}; }

}  // namespace podtwin
