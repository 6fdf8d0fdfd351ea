// What stands between a bus and earth: capacitor banks and earthing of a neutral. Equations: shunts.md.
#include <numbers>

#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"

namespace podtwin {

namespace {

constexpr std::size_t kPhases = 3, kNeutral = 3;

constexpr PortInfo kBankPorts[] = {
    {"at", PortKind::bus, PortCount::one, "bus it is connected to"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};
constexpr ParameterInfo kBankParameters[] = {
    {.name = "reactive_power",
     .quantity = Quantity::reactive_power,
     .low = 1e-3,
     .high = 1e10,
     .meaning = "Delivered at rated voltage, all phases together.",
     .source = ""},
    {.name = "rated_voltage",
     .quantity = Quantity::voltage,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Between phases; 0: the nominal one of its bus.",
     .source = "0: nominal"},
    {.name = "connection",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "From each phase to earth, or between phases.",
     .source = "star: earthed banks",
     .choices = "star|delta"},
    {.name = "phases",
     .kind = ParameterKind::text,
     .meaning = "Which phases of a star share it equally: abc, a, bc, ...; left out: abc.",
     .source = "abc: three-phase",
     .optional = true},
    {.name = "loss_factor",
     .quantity = Quantity::ratio,
     .fallback = 2e-4,
     .low = 0.0,
     .high = 0.1,
     .meaning = "Active over reactive power.",
     .source = "estimate: film capacitors lose 0.2 W/kvar"},
};
constexpr SignalInfo kBankSignals[] = {
    {"q", Quantity::reactive_power, SignalType::real, "Reactive power delivered."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
};
constexpr CommandInfo kSwitchCommands[] = {{"trip", "", Quantity::none, "Switched off."},
                                           {"restore", "", Quantity::none, "Switched on."}};
constexpr ClassInfo kBankInfo{.name = "capacitor_bank",
                              .group = "capacitor_bank",
                              .title = "Shunt capacitors",
                              .page = "power/shunts.md",
                              .symbol = "capacitor",
                              .ports = kBankPorts,
                              .parameters = kBankParameters,
                              .signals = kBankSignals,
                              .commands = kSwitchCommands};

struct Shunt {
  std::array<std::size_t, 0> columns;
  std::array<std::size_t, 1> rows;
  std::size_t element;
};

bool refuseWithoutVoltage(std::size_t i, const InstanceDescription& d, Binder& b) {
  if (b.phased(b.bus(i, "at"))) return false;
  b.problems().error(d.where, "'" + d.id + "' is at a bus without a nominal voltage",
                     "give it one in `nodes:`, or a voltage at the source");
  return true;
}

struct CapacitorBank {
  static constexpr int kColumns = 0, kRows = 1;
  using Instance = Shunt;
  static const ClassInfo& info() { return kBankInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<CapacitorBank>&, Binder& b) {
    Instance p{};
    p.rows = {lossRow(i, b)};
    if (refuseWithoutVoltage(i, d, b)) return p;
    const auto bus = b.bus(i, "at");
    const auto& given = d.parameters.at("phases");
    const std::string phases = given.text.empty() ? "abc" : given.text;
    const bool star = d.text("connection") == "star";
    const double between = d.number("rated_voltage") > 0.0 ? d.number("rated_voltage") : b.nominalVoltage(bus);
    const double u = star ? between / std::numbers::sqrt3 : between;
    bool sound = phases.size() <= kPhases && (star || phases == "abc");
    for (std::size_t k = 0; k < phases.size(); ++k)
      sound = sound && phases[k] >= 'a' && phases[k] <= 'c' && phases.find(phases[k]) == k;
    if (!sound) {
      b.problems().error(given.where, "'" + d.id + "' is on the phases '" + phases + "'",
                         "of a star write some of a, b and c, each once; a delta is on all three");
      return p;
    }
    const double q = d.number("reactive_power") / static_cast<double>(phases.size());
    const Complex y = Complex(d.number("loss_factor"), 1.0) * q / (u * u);
    PhasorElement element{.name = d.id, .terminals = {}, .admittance = {}, .joined = {}};
    const auto n = static_cast<Eigen::Index>(phases.size());
    for (const char phase : phases)
      element.terminals.push_back(b.conductor(bus, static_cast<std::size_t>(phase - 'a')));
    element.admittance = Eigen::MatrixXcd::Zero(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      element.admittance(k, k) += y;
      if (star) continue;
      const Eigen::Index next = (k + 1) % n;
      element.admittance(next, next) += y;
      element.admittance(k, next) -= y;
      element.admittance(next, k) -= y;
    }
    p.element = b.element(i, std::move(element));
    return p;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(e.phasor.absorbed(p.element).real());
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<CapacitorBank>&,
                       const Evaluation& e) {
    const Complex absorbed = e.phasor.absorbed(p.element);
    return k == 0 ? -absorbed.imag() : absorbed.real();
  }
};

constexpr PortInfo kEarthingPorts[] = {
    {"at", PortKind::bus, PortCount::one, "bus whose neutral it earths"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};
constexpr ParameterInfo kEarthingParameters[] = {
    {.name = "resistance",
     .quantity = Quantity::resistance,
     .fallback = kSolidEarthing,
     .low = kSolidEarthing,
     .high = 1e6,
     .meaning = "From the neutral to earth.",
     .source = "10 uohm: solid"},
    {.name = "reactance",
     .quantity = Quantity::resistance,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Of a coil in series.",
     .source = "0: none"},
};
constexpr SignalInfo kEarthingSignals[] = {
    {"i", Quantity::current, SignalType::real, "Current to earth."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
};
constexpr ClassInfo kEarthingInfo{.name = "neutral_earthing",
                                  .group = "neutral_earthing",
                                  .title = "Earthing of a neutral",
                                  .page = "power/shunts.md",
                                  .symbol = "earth",
                                  .ports = kEarthingPorts,
                                  .parameters = kEarthingParameters,
                                  .signals = kEarthingSignals,
                                  .commands = kSwitchCommands};

struct NeutralEarthing {
  static constexpr int kColumns = 0, kRows = 1;
  using Instance = Shunt;
  static const ClassInfo& info() { return kEarthingInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<NeutralEarthing>&, Binder& b) {
    Instance p{};
    p.rows = {lossRow(i, b)};
    if (refuseWithoutVoltage(i, d, b)) return p;
    p.element = b.element(i, impedanceElement(d.id, b.conductor(b.bus(i, "at"), kNeutral), kEarth,
                                              {d.number("resistance"), d.number("reactance")}));
    return p;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(e.phasor.absorbed(p.element).real());
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<NeutralEarthing>&,
                       const Evaluation& e) {
    return k == 0 ? std::abs(e.phasor.currents(p.element)[0]) : e.phasor.absorbed(p.element).real();
  }
};

}  // namespace

RegisteredClass capacitorBankClass() { return {&kBankInfo, makeKernelSetInto<CapacitorBank, SetList>}; }
RegisteredClass neutralEarthingClass() { return {&kEarthingInfo, makeKernelSetInto<NeutralEarthing, SetList>}; }

}  // namespace podtwin
