// Starts the next unit of a group when a duty unit is lost (N+1). Equations: standby_sequencer.md.
#include <array>

#include "model/components/control/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {{"units", PortKind::member, PortCount::many, "units in the order they are called; the first `duty` run"}};
constexpr ParameterInfo kParameters[] = {
    {.name = "duty", .kind = ParameterKind::integer, .low = 1, .high = 1000, .meaning = "Units that are to run.", .source = ""},
    {.name = "changeover_time", .quantity = Quantity::time, .fallback = 5.0, .low = 0.0, .high = 3600.0, .meaning = "From the loss of a unit to the start of the next.", .source = "pump fail-over within 5 s, NVIDIA CDU guide through hardware.csv (estimate)"},
};
constexpr DiscreteInfo kDiscretes[] = {{"short_since", Quantity::time, -1.0, "Time since which a unit is missing [s]; -1: none is."}};
constexpr SignalInfo kSignals[] = {
    {"running", Quantity::none, SignalType::integer, "Units called to run that are available."},
    {"available", Quantity::none, SignalType::integer, "Units that could run."},
};
constexpr ClassInfo kInfo{.name = "standby_sequencer", .group = "sequencer", .title = "Duty and standby sequencer", .page = "control/standby_sequencer.md", .symbol = "controller",
                          .ports = kPorts, .parameters = kParameters, .discretes = kDiscretes, .signals = kSignals};

struct StandbySequencer {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::vector<std::pair<const ComponentSet*, std::size_t>> units;
    std::size_t duty;
    double changeover;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<StandbySequencer>&, Binder& b) {
    Instance p{};
    p.duty = static_cast<std::size_t>(d.number("duty"));
    p.changeover = d.number("changeover_time");
    for (std::size_t n = 0; n < b.portCount(i, "units"); ++n) {
      const auto [set, k] = b.member(i, "units", n);
      if (set != nullptr) p.units.emplace_back(set, k);
    }
    if (p.duty > p.units.size())
      b.problems().error(d.where, "'" + d.id + "' wants " + std::to_string(p.duty) + " of " + std::to_string(p.units.size()) + " units to run", "name more units or a smaller duty");
    return p;
  }
  /// A unit in standby is switched off (mode off) until it is called.
  static bool called(const std::pair<const ComponentSet*, std::size_t>& unit, const Evaluation& e) { return unit.first->z(e, kMode, unit.second) != 2.0; }
  static bool healthy(const std::pair<const ComponentSet*, std::size_t>& unit, const Evaluation& e) {
    const auto& [set, k] = unit;
    return set->z(e, kInService, k) != 0.0 && set->z(e, kTripped, k) == 0.0 &&
           (set->supply_bus[k] < 0 || e.energised[static_cast<std::size_t>(set->supply_bus[k])] != 0);
  }
  static void initialise(std::size_t, const Instance& p, const KernelSet<StandbySequencer>&, State& s, double) {
    for (std::size_t n = p.duty; n < p.units.size(); ++n) p.units[n].first->z(s, kMode, p.units[n].second) = 2.0;
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<StandbySequencer>& set, const Evaluation& e, State& s, std::vector<Occurrence>& events) {
    if (!set.available(e, i)) return;
    std::size_t running = 0;
    for (const auto& unit : p.units) running += called(unit, e) && healthy(unit, e) ? 1U : 0U;
    double& since = set.z(s, kCommonCount, i);
    if (running >= p.duty) {
      since = -1.0;
      return;
    }
    if (since < 0.0) since = e.t;
    if (e.t - since < p.changeover) return;
    for (const auto& unit : p.units)
      if (!called(unit, e) && healthy(unit, e)) {
        unit.first->z(s, kMode, unit.second) = 0.0;
        ++s.topology;
        since = -1.0;
        events.push_back({unit.first->ids()[unit.second], "controller", set.ids()[i] + ": a duty unit is missing", "standby unit started"});
        return;
      }
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<StandbySequencer>&, const Evaluation& e) {
    double count = 0.0;
    for (const auto& unit : p.units)
      if (healthy(unit, e) && (k == 1 || called(unit, e))) count += 1.0;
    return count;
  }
};

}  // namespace

RegisteredClass standbySequencerClass() { return {&kInfo, makeKernelSetInto<StandbySequencer, SetList>}; }

}  // namespace podtwin
