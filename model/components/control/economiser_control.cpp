// Changeover of a water-side economiser: free, partial or mechanical cooling. Equations: economiser_control.md.
#include <algorithm>
#include <array>

#include "model/base/diagnostics.hpp"
#include "model/components/control/classes.hpp"
#include "model/components/control/measured_kind.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

enum class Cooling { mechanical = 0, partial = 1, free = 2 };

constexpr PortInfo kPorts[] = {
    {"source", PortKind::member, PortCount::one,
     "sensor of the water that could cool for nothing (tower basin), or of the outdoor wet bulb"},
    {"return", PortKind::member, PortCount::one, "sensor of the warm water that comes back from the load"},
    commandedMembers("valves", "drives at 1 while the exchanger is used, at 0 past it"),
    commandedMembers("chillers", "chillers that rest in free cooling"),
};
constexpr ParameterInfo kParameters[] = {
    {.name = "set_point",
     .quantity = Quantity::temperature,
     .low = 250.0,
     .high = 350.0,
     .meaning = "Supply temperature of the load: the exchanger alone must reach it in free cooling.",
     .source = ""},
    {.name = "approach",
     .quantity = Quantity::temperature_difference,
     .fallback = 2.0,
     .low = 0.0,
     .high = 30.0,
     .meaning = "Water behind the exchanger above the source; with a wet bulb, approach of the tower included.",
     .source = "engineering estimate: 1-3 K of plate exchangers"},
    {.name = "gain",
     .quantity = Quantity::temperature_difference,
     .fallback = 1.0,
     .low = 0.0,
     .high = 30.0,
     .meaning = "How much colder than the return the water behind the exchanger must be to use it.",
     .source = "engineering estimate: what pays for the pumping"},
    {.name = "hysteresis",
     .quantity = Quantity::temperature_difference,
     .fallback = 1.0,
     .low = 0.01,
     .high = 20.0,
     .meaning = "A mode is left this much later than it is entered.",
     .source = "engineering estimate"},
    {.name = "minimum_time",
     .quantity = Quantity::time,
     .fallback = 600.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "Least time in a mode; a return to more mechanical cooling waits no longer than return_time.",
     .source = "engineering estimate: some starts an hour"},
    {.name = "return_time",
     .quantity = Quantity::time,
     .fallback = 60.0,
     .low = 0.0,
     .high = 86400.0,
     .meaning = "Least time in a mode before one with more mechanical cooling.",
     .source = "engineering estimate: the load must not warm"},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"cooling", Quantity::none, 0.0, "Mode, as the signal mode."},
    {"changed_at", Quantity::time, -1.0, "Time of the last change [s]; -1: none yet."},
};
enum Discrete : std::size_t { kCooling = kCommonCount, kChangedAt };
constexpr double kNotYet = -1.0;
constexpr SignalInfo kSignals[] = {
    {"mode", Quantity::none, SignalType::integer, "0 mechanical, 1 partial, 2 free cooling."},
    {"t_reachable", Quantity::temperature, SignalType::real, "Source and approach: what the exchanger could supply."},
    {"t_return", Quantity::temperature, SignalType::real, "Return, as its sensor says."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "It fails: the mode stays."},
    {"restore", "", Quantity::none, "Works again."},
};
constexpr ClassInfo kInfo{.name = "economiser_control",
                          .group = "economiser",
                          .title = "Changeover of a water-side economiser",
                          .page = "control/economiser_control.md",
                          .symbol = "controller",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

constexpr double kAutomatic = 0.0, kOff = 2.0;  // modes of what it commands

struct EconomiserControl {
  static constexpr int kColumns = 0, kRows = 0;
  using Unit = std::pair<const ComponentSet*, std::size_t>;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    Unit source, back;
    std::vector<Unit> valves, chillers;
    double set_point, approach, gain, hysteresis, minimum_time, return_time;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<EconomiserControl>&, Binder& b) {
    Instance p{};
    p.source = sensorAt(i, d, b, "source");
    p.back = sensorAt(i, d, b, "return");
    for (std::size_t n = 0; n < b.portCount(i, "valves"); ++n)
      if (const auto [unit, k] = b.member(i, "valves", n); unit != nullptr) {
        if (unit->drive[k] < 0)
          b.problems().error(d.port_marks.at("valves"), "'" + unit->ids()[k] + "' has no drive to command",
                             "name valves, pumps or dampers");
        p.valves.emplace_back(unit, k);
      }
    for (std::size_t n = 0; n < b.portCount(i, "chillers"); ++n)
      if (const auto [unit, k] = b.member(i, "chillers", n); unit != nullptr) p.chillers.emplace_back(unit, k);
    p.set_point = d.number("set_point");
    p.approach = d.number("approach");
    p.gain = d.number("gain");
    p.hysteresis = d.number("hysteresis");
    p.minimum_time = d.number("minimum_time");
    p.return_time = d.number("return_time");
    return p;
  }
  static Unit sensorAt(std::size_t i, const InstanceDescription& d, Binder& b, const char* port) {
    const auto [unit, k] = b.member(i, port);
    if (unit == nullptr) return {nullptr, 0};
    const auto quantity = quantityBehind(b.system(), {unit, 0, k});
    if (!quantity || kindOf(*quantity) != MeasuredKind::temperature)
      b.problems().error(d.port_marks.at(port), "'" + d.id + "': '" + unit->ids()[k] + "' measures no temperature",
                         "name a sensor of a temperature");
    return {unit, k};
  }
  static double reading(const Unit& unit, const Evaluation& e) { return unit.first->signalOf(e, 0, unit.second); }
  static double reachable(const Instance& p, const Evaluation& e) { return reading(p.source, e) + p.approach; }

  /// Mode that the temperatures ask for; the one in force is left a hysteresis later.
  static Cooling asked(const Instance& p, const Evaluation& e, Cooling now) {
    const double water = reachable(p, e);
    if (water <= p.set_point + (now == Cooling::free ? p.hysteresis : 0.0)) return Cooling::free;
    const double least = now == Cooling::mechanical ? p.gain : p.gain - p.hysteresis;
    return water <= reading(p.back, e) - least ? Cooling::partial : Cooling::mechanical;
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<EconomiserControl>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>& events) {
    if (!set.available(e, i)) return;
    double& mode = set.z(s, kCooling, i);
    double& changed_at = set.z(s, kChangedAt, i);
    if (changed_at > e.t) changed_at = kNotYet;  // of a steady search
    const auto now = static_cast<Cooling>(static_cast<int>(mode));
    const Cooling wanted = asked(p, e, now);
    const double wait = wanted > now ? p.minimum_time : p.return_time;
    const bool may = e.steady_search || changed_at == kNotYet || e.t - changed_at >= wait;
    if (wanted != now && may) {
      mode = static_cast<double>(wanted);
      changed_at = e.steady_search ? kNotYet : e.t;
      events.push_back({set.ids()[i], "controller", "source, return and set point", name(wanted)});
    }
    obey(p, static_cast<Cooling>(static_cast<int>(mode)), s);
  }
  static std::string name(Cooling mode) {
    return mode == Cooling::free      ? "free cooling"
           : mode == Cooling::partial ? "partial free cooling"
                                      : "mechanical cooling";
  }
  static void obey(const Instance& p, Cooling mode, State& s) {
    for (const auto& [valve, k] : p.valves)
      if (valve->z(s, kMode, k) == kAutomatic) valve->z(s, kCommand, k) = mode == Cooling::mechanical ? 0.0 : 1.0;
    const double chillers = mode == Cooling::free ? kOff : kAutomatic;
    for (const auto& [chiller, k] : p.chillers) {
      double& own = chiller->z(s, kMode, k);
      if (own == chillers || (own != kAutomatic && own != kOff)) continue;  // by hand: the operator's
      own = chillers;
      ++s.topology;
    }
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<EconomiserControl>& set,
                       const Evaluation& e) {
    return k == 0 ? set.z(e, kCooling, i) : k == 1 ? reachable(p, e) : reading(p.back, e);
  }
};

}  // namespace

RegisteredClass economiserControlClass() { return {&kInfo, makeKernelSetInto<EconomiserControl, SetList>}; }

}  // namespace podtwin
