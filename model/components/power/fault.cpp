// A short circuit at a bus, between phases or to earth, while it is applied. Equations: fault.md.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr std::size_t kPhases = 3;
constexpr double kBolted = 1e-5;  // ohm; a bar across the terminals, a hundredth of the impedance of any network here

constexpr PortInfo kPorts[] = {
    {"at", PortKind::bus, PortCount::one, "bus that it is at"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its heat; outdoor air when left out"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "kind",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Between which of the phases and earth it is.",
     .source = "three_phase: the one with the greatest current, as a rule",
     .choices = "three_phase|line_line|line_ground|line_line_ground"},
    {.name = "phases",
     .kind = ParameterKind::text,
     .meaning = "Those it joins, abc, ab, c, ...; left out: abc, ab or a by its kind.",
     .source = "the first",
     .optional = true},
    {.name = "resistance",
     .quantity = Quantity::resistance,
     .fallback = kBolted,
     .low = 1e-7,
     .high = 1e6,
     .meaning = "Between two phases, from a phase to earth, or of three phases from each to the point where they meet.",
     .source = "10 uohm: bolted"},
    {.name = "applied",
     .kind = ParameterKind::flag,
     .fallback = 0.0,
     .meaning = "Whether it is there at the start.",
     .source = "0: it is applied by a command"},
};
constexpr DiscreteInfo kDiscretes[] = {{"applied", Quantity::none, 0.0, "1 while it is there."}};
constexpr std::size_t kApplied = kCommonCount;
constexpr SignalInfo kSignals[] = {
    {"applied", Quantity::none, SignalType::integer, "1 while it is there."},
    {"i_a", Quantity::current, SignalType::real, "Current of phase a into it."},
    {"i_b", Quantity::current, SignalType::real, "Likewise of phase b."},
    {"i_c", Quantity::current, SignalType::real, "Likewise of phase c."},
    {"i_earth", Quantity::current, SignalType::real, "Current into earth."},
    {"i", Quantity::current, SignalType::real, "Greatest of the three phases."},
    {"power", Quantity::power, SignalType::real, "Heat that it makes."},
};
constexpr std::size_t kCurrent = 1;  // index of its first signal of a current
constexpr CommandInfo kCommands[] = {
    {"apply", "", Quantity::none, "The fault is there."},
    {"clear", "", Quantity::none, "It is gone."},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "a fault is no equipment: `clear` it, or trip the breaker before it"},
    {"isolate", "a fault is no equipment: `clear` it, or open the breaker before it"},
};
constexpr ClassInfo kInfo{.name = "fault",
                          .group = "fault",
                          .title = "Short circuit",
                          .page = "power/fault.md",
                          .symbol = "fault",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .refusals = kRefusals};

struct Fault {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t element;
    std::array<std::ptrdiff_t, kPhases> place;  // of phase a, b, c among its terminals; -1: not joined
    bool applied;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Fault>&, Binder& b) {
    Instance p{};
    p.rows = {lossRow(i, b)};
    p.applied = d.flag("applied");
    p.place.fill(-1);
    const auto bus = b.bus(i, "at");
    if (!b.phased(bus)) {
      b.problems().error(d.where, "'" + d.id + "' is at a bus without a nominal voltage",
                         "give it one in `nodes:`, or a voltage at the source");
      return p;
    }
    const std::string& kind = d.text("kind");
    const bool to_earth = kind == "line_ground" || kind == "line_line_ground";
    const std::size_t joined = kind == "three_phase" ? 3 : kind == "line_ground" ? 1 : 2;
    const auto& given = d.parameters.at("phases");
    const std::string phases = given.text.empty() ? std::string("abc").substr(0, joined) : given.text;
    bool sound = phases.size() == joined;
    for (std::size_t k = 0; k < phases.size(); ++k)
      sound = sound && phases[k] >= 'a' && phases[k] <= 'c' && phases.find(phases[k]) == k;
    if (!sound) {
      b.problems().error(given.where, "'" + d.id + "' is " + kind + " and on the phases '" + phases + "'",
                         joined == 3   ? "a three_phase fault joins abc"
                         : joined == 2 ? "it joins two phases: ab, bc or ca"
                                       : "it is on one phase: a, b or c");
      return p;
    }
    warnOfHolders(d, b);
    const auto n = static_cast<Eigen::Index>(joined);
    PhasorElement element{.name = d.id, .terminals = {}, .admittance = {}, .joined = {}, .is_fault = true};
    for (std::size_t k = 0; k < joined; ++k) {
      const auto phase = static_cast<std::size_t>(phases[k] - 'a');
      p.place[phase] = static_cast<std::ptrdiff_t>(k);
      element.terminals.push_back(b.conductor(bus, phase));
      if (k > 0 && !to_earth) element.joined.emplace_back(k - 1, k);
    }
    // Two phases by one resistance, three by a star of them whose middle is eliminated, to earth one each.
    const double g = 1.0 / d.number("resistance");
    element.admittance = Eigen::MatrixXcd::Identity(n, n) * g;
    if (!to_earth) {
      const double middle = 1.0 / static_cast<double>(joined);
      element.admittance -= Eigen::MatrixXcd::Constant(n, n, g * middle);
      if (joined == 2) element.admittance *= 2.0;
    }
    p.element = b.element(i, std::move(element));
    return p;
  }
  /// A source that holds the voltage of the fault's own bus gives it any current.
  static void warnOfHolders(const InstanceDescription& d, Binder& b) {
    for (const auto& other : b.system().plant().instances) {
      if (other.class_name != "utility" || other.ports.at("to") != d.ports.at("at") ||
          (other.number("short_circuit_power") > 0.0 && !other.flag("holds_voltage")))
        continue;
      b.problems().warning(d.where,
                           "'" + d.id + "' is at the bus whose voltage '" + other.id +
                               "' holds whatever is drawn: its resistance alone limits its current",
                           "give '" + other.id + "' a short_circuit_power, and no `holds_voltage: true`");
    }
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Fault>& set, State& s, double) {
    set.z(s, kApplied, i) = p.applied ? 1.0 : 0.0;
  }
  static bool connects(std::size_t i, const Instance&, const KernelSet<Fault>& set, const Evaluation& e) {
    return set.z(e, kInService, i) != 0.0 && set.z(e, kApplied, i) != 0.0;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(e.phasor.absorbed(p.element).real());
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Fault>& set,
                       const Evaluation& e) {
    if (k == 0) return set.z(e, kApplied, i);
    if (k == kCurrent + kPhases + 2) return e.phasor.absorbed(p.element).real();
    const Eigen::VectorXcd current = e.phasor.currents(p.element);
    if (k == kCurrent + kPhases) return std::abs(current.sum());
    if (k == kCurrent + kPhases + 1) return current.cwiseAbs().maxCoeff();
    const auto place = p.place[k - kCurrent];
    return place < 0 ? 0.0 : std::abs(current[place]);
  }
};

class FaultSet final : public KernelSet<Fault> {
 public:
  using KernelSet<Fault>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "apply" && verb != "clear") return KernelSet<Fault>::command(s, i, verb, value, reason);
    z(s, kApplied, i) = verb == "apply" ? 1.0 : 0.0;
    ++s.topology;
    return true;
  }
};

}  // namespace

RegisteredClass faultClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<FaultSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
