// Grid connection. Equations: utility.md.
#include <algorithm>

#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {.name = "to", .kind = PortKind::bus, .count = PortCount::one, .meaning = "bus it feeds", .voltage = "voltage"}};
constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .low = 1.0,
     .high = 1e11,
     .meaning = "Power that the connection's equipment can carry.",
     .source = ""},
    {.name = "import_limit",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e11,
     .meaning = "Power that the grid operator allows to draw; 0: the rating.",
     .source = "0: no agreement stated"},
    {.name = "voltage",
     .quantity = Quantity::voltage,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Voltage between phases that it holds without load; 0: the nominal one of its bus.",
     .source = "0: nominal"},
    {.name = "short_circuit_power",
     .quantity = Quantity::apparent_power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e12,
     .meaning = "Of the grid behind it, three-phase; 0: it holds its voltage whatever is drawn.",
     .source = "0: infinite bus; grids of 13.8 to 34.5 kV have 100 MVA to 1 GVA (estimate)"},
    {.name = "resistance_over_reactance",
     .quantity = Quantity::ratio,
     .fallback = 0.1,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Of the grid's impedance.",
     .source = "0.1: IEC 60909-0, where it is not known"},
    {.name = "earthed",
     .kind = ParameterKind::flag,
     .fallback = 1.0,
     .meaning = "Whether the grid's star point is earthed.",
     .source = "1: solid earthing, usual of medium voltage in North America"},
};
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loading", Quantity::ratio, SignalType::real, "Power over the import limit or the rating, whichever is less."},
    {"available", Quantity::none, SignalType::integer, "1 while the grid is there."},
    {"q", Quantity::reactive_power, SignalType::real, "Reactive power delivered."},
    {"i_a", Quantity::current, SignalType::real, "Current of phase a."},
    {"i_b", Quantity::current, SignalType::real, "Current of phase b."},
    {"i_c", Quantity::current, SignalType::real, "Current of phase c."},
};
constexpr std::size_t kReactiveSignal = 3;
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Outage: the grid is gone."},
    {"restore", "", Quantity::none, "The grid returns."},
};
constexpr LimitInfo kLimits[] = {
    {"loading", true, 1.0, 0.0, "rating", "import limit or rating of the pod file (practice.md section 5)"}};
constexpr ClassInfo kInfo{.name = "utility",
                          .group = "utility",
                          .title = "Grid connection",
                          .page = "power/utility.md",
                          .symbol = "utility",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .electrical = ElectricalRole::source};

struct Utility {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::size_t link;
    double limit;
    bool phased;
    std::size_t bus;
    double voltage;
    std::array<std::size_t, 3> source;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Utility>&, Binder& b) {
    Instance p{};
    const double rating = d.number("rating"), import_limit = d.number("import_limit");
    p.limit = import_limit > 0.0 ? std::min(rating, import_limit) : rating;
    if (const auto bus = b.bus(i, "to"); b.phased(bus)) {
      bindPhases(i, d, b, bus, p);
      return p;
    }
    constexpr std::ptrdiff_t kSource = -1;
    p.link = b.link(kSource, b.bus(i, "to"), i, rating);
    return p;
  }
  static void bindPhases(std::size_t i, const InstanceDescription& d, Binder& b, std::ptrdiff_t bus, Instance& p) {
    p.phased = true;
    p.bus = static_cast<std::size_t>(bus);
    p.voltage = d.number("voltage") > 0.0 ? d.number("voltage") : b.nominalVoltage(bus);
    const double power = d.number("short_circuit_power"), ratio = d.number("resistance_over_reactance");
    Complex z{};
    if (power > 0.0) {
      const double size = b.nominalVoltage(bus) * b.nominalVoltage(bus) / power,
                   x = size / std::sqrt(1.0 + ratio * ratio);
      z = {ratio * x, x};
    }
    std::ptrdiff_t star = kEarth;
    if (!d.flag("earthed")) {
      star = static_cast<std::ptrdiff_t>(b.starPoint(d.id + ".star point"));
      if (power == 0.0) {
        b.problems().error(d.where, "'" + d.id + "' has no short-circuit power and a star point that is not earthed",
                           "give its short_circuit_power");
        return;
      }
    }
    for (std::size_t k = 0; k < p.source.size(); ++k)
      p.source[k] = b.source(i, {.name = d.id, .from = star, .to = b.conductor(bus, k), .impedance = z}, -1);
  }
  static void demand(std::size_t, const Instance& p, const KernelSet<Utility>&, Evaluation& e) {
    if (!p.phased) return;
    for (std::size_t k = 0; k < p.source.size(); ++k)
      e.phasor.state.emf[p.source[k]] = e.phasor.electrical->emf(e, p.bus, k, p.voltage);
  }
  static Complex power(const Instance& p, const Evaluation& e) {
    if (!p.phased) return e.link_out[p.link];
    Complex sum{};
    for (const auto s : p.source) sum += e.phasor.network->sourcePower(s, *e.phasor.topology, e.phasor.state);
    return sum;
  }
  static bool solves(std::size_t k, const Instance& p) { return k < kReactiveSignal || p.phased; }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Utility>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return power(p, e).real();
      case 1:
        return power(p, e).real() / p.limit;
      case 2:
        return set.available(e, i) ? 1.0 : 0.0;
      case kReactiveSignal:
        return power(p, e).imag();
      default:
        return p.phased ? std::abs(e.phasor.network->sourceCurrent(p.source[k - kReactiveSignal - 1],
                                                                   *e.phasor.topology, e.phasor.state))
                        : 0.0;
    }
  }
};

}  // namespace

RegisteredClass utilityClass() { return {&kInfo, makeKernelSetInto<Utility, SetList>}; }

}  // namespace podtwin
