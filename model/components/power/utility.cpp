// Grid connection. Equations: utility.md.
#include <algorithm>
#include <cmath>

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
     .meaning = "Of the grid behind it, three-phase, the greatest; 0: it holds its voltage whatever is drawn.",
     .source = "0: infinite bus; grids of 13.8 to 34.5 kV have 100 MVA to 1 GVA (estimate)"},
    {.name = "least_short_circuit_power",
     .quantity = Quantity::apparent_power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e12,
     .meaning = "Likewise the least, of the least currents of `steady --short-circuit`; 0: as the greatest.",
     .source = "0: no range stated"},
    {.name = "holds_voltage",
     .kind = ParameterKind::flag,
     .fallback = 0.0,
     .meaning = "The voltage is that at its bus whatever is drawn, and the short-circuit power is that of fault levels "
                "alone.",
     .source = "0: the grid's voltage sinks behind its impedance"},
    {.name = "resistance_over_reactance",
     .quantity = Quantity::ratio,
     .fallback = 0.1,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Of the grid's impedance.",
     .source = "0.1: IEC 60909-0, where it is not known"},
    {.name = "parallel",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Whether it may be joined with another grid; between buses with voltages.",
     .source = "refused: joining two grids needs their operators' agreement (practice.md section 6: interlocks)",
     .choices = "refused|allowed"},
    {.name = "earthed",
     .kind = ParameterKind::flag,
     .fallback = 1.0,
     .meaning = "Whether the grid's star point is earthed.",
     .source = "1: solid earthing, usual of medium voltage in North America"},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"voltage_share", Quantity::ratio, 1.0, "Its voltage over the one that it has in normal service."}};
constexpr std::size_t kVoltageShare = kCommonCount;
constexpr double kHighestSwell = 2.0;  // of the voltage; more is no swell but another network
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
    {"restore", "", Quantity::none, "The grid returns, with its normal voltage."},
    {"sag", "voltage", Quantity::ratio, "Its voltage sinks to this share of the normal one until restored."},
    {"swell", "voltage", Quantity::ratio, "Its voltage rises to this share of the normal one until restored."},
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
                          .discretes = kDiscretes,
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
    const auto impedance = [&](double of) {
      const double size = b.nominalVoltage(bus) * b.nominalVoltage(bus) / of, x = size / std::sqrt(1.0 + ratio * ratio);
      return Complex(ratio * x, x);
    };
    const double least = d.number("least_short_circuit_power") > 0.0 ? d.number("least_short_circuit_power") : power;
    Infeed infeed{.kind = Infeed::Kind::infinite};
    if (power > 0.0)
      infeed = {.kind = Infeed::Kind::feeder, .impedance = impedance(power), .highest_impedance = impedance(least)};
    if (least > power)
      b.problems().error(d.parameters.at("least_short_circuit_power").where,
                         "'" + d.id + "' has a least short-circuit power above its greatest",
                         "give short_circuit_power as the greatest of the two");
    const bool holds = power == 0.0 || d.flag("holds_voltage");
    std::ptrdiff_t star = kEarth;
    if (!d.flag("earthed")) {
      star = static_cast<std::ptrdiff_t>(b.starPoint(d.id + ".star point"));
      if (holds) {
        b.problems().error(d.where, "'" + d.id + "' holds its voltage and has a star point that is not earthed",
                           "give its short_circuit_power, and no `holds_voltage: true`");
        return;
      }
    }
    for (std::size_t k = 0; k < p.source.size(); ++k)
      p.source[k] = b.source(i,
                             {.name = d.id,
                              .from = star,
                              .to = b.conductor(bus, k),
                              .impedance = holds ? Complex{} : infeed.impedance,
                              .infeed = infeed},
                             -1);
  }
  static void initialise(std::size_t i, const Instance&, const KernelSet<Utility>& set, State& s, double) {
    set.z(s, kVoltageShare, i) = 1.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<Utility>& set, Evaluation& e) {
    if (!p.phased) return;
    const double voltage = p.voltage * set.z(e, kVoltageShare, i);
    for (std::size_t k = 0; k < p.source.size(); ++k)
      e.phasor.state.emf[p.source[k]] = e.phasor.electrical->emf(e, p.bus, k, voltage);
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

class UtilitySet final : public KernelSet<Utility> {
 public:
  using KernelSet<Utility>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "sag" || verb == "swell") {
      if (!instance(i).phased) {
        reason = "its bus carries active power alone: give it a nominal voltage";
        return false;
      }
      const bool sag = verb == "sag";
      if (!(sag ? value >= 0.0 && value <= 1.0 : value >= 1.0 && value <= kHighestSwell)) {
        reason = sag ? "the voltage of a sag is from 0 to 100 % of the normal one"
                     : "the voltage of a swell is from 100 to 200 % of the normal one";
        return false;
      }
      z(s, kVoltageShare, i) = value;
      return true;
    }
    if (verb == "restore") z(s, kVoltageShare, i) = 1.0;
    return KernelSet<Utility>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass utilityClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<UtilitySet>(std::move(instances)));
          }};
}

}  // namespace podtwin
