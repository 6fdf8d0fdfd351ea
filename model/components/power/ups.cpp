// Double-conversion UPS as an efficiency curve and a rating. Equations: ups.md.
#include <numbers>

#include "model/base/curve.hpp"
#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/fluids/range.hpp"

namespace podtwin {

namespace {

// Eaton 9395XR in double conversion, hardware.csv (published).
constexpr std::array<std::pair<double, double>, 4> kEfficiency{
    {{0.25, 0.970}, {0.50, 0.973}, {0.75, 0.970}, {1.00, 0.964}}};
// Of rated current, on inverter: 150 to 200 % (practice.md section 4). What the static bypass adds is not modelled.
constexpr double kLeastFaultCurrent = 1.5, kGreatestFaultCurrent = 2.0;
constexpr double kInputPowerFactor = 0.99;  // of an active rectifier; hardware.csv (published)

constexpr PortInfo kPorts[] = {
    {.name = "from",
     .kind = PortKind::bus,
     .count = PortCount::one,
     .meaning = "bus it draws from",
     .voltage = "voltage",
     .same_voltage = true},
    {.name = "to", .kind = PortKind::bus, .count = PortCount::one, .meaning = "bus it feeds", .same_voltage = true},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .low = 1.0,
     .high = 1e10,
     .meaning = "Rated output of all frames.",
     .source = ""},
    {.name = "frames",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 1,
     .high = 100,
     .meaning = "Frames in parallel, for the record.",
     .source = "pod-design 9.1: two a block"},
    {.name = "efficiency",
     .kind = ParameterKind::curve,
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 2.0,
     .meaning = "Efficiency against output over rating; default 97.0/97.3/97.0/96.4 % at 25/50/75/100 %. Below the "
                "first point the loss of that point holds.",
     .source = "Eaton 9395XR double conversion, hardware.csv (published)",
     .ordinate = Quantity::ratio,
     .optional = true},
    {.name = "loss_polynomial",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 1.0,
     .meaning = "[a0, a1, a2]: loss = rating (a0 + a1 x + a2 x^2), x = output over rating; instead of the curve.",
     .source = "",
     .optional = true},
    {.name = "voltage",
     .quantity = Quantity::voltage,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Output voltage between phases; 0: the nominal one of its bus.",
     .source = "0: nominal"},
    {.name = "output_impedance",
     .quantity = Quantity::ratio,
     .fallback = 0.02,
     .low = 1e-6,
     .high = 1.0,
     .meaning = "By which frames in parallel share, of rating.",
     .source = "estimate: load-sharing droop of 1 to 3 %"},
};
constexpr SignalInfo kSignals[] = {
    {"load", Quantity::power, SignalType::real, "Output."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"efficiency", Quantity::ratio, SignalType::real, "Output over input; 0 without output."},
    {"loading", Quantity::ratio, SignalType::real, "Output over rating."},
    {"mode", Quantity::none, SignalType::integer, "0 off, 1 double conversion."},
    {"q", Quantity::reactive_power, SignalType::real, "Reactive power of the output."},
    {"i_a", Quantity::current, SignalType::real, "Output current of phase a."},
    {"i_b", Quantity::current, SignalType::real, "Output current of phase b."},
    {"i_c", Quantity::current, SignalType::real, "Output current of phase c."},
};
constexpr std::size_t kReactiveSignal = 5;
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Output off."},
                                     {"restore", "", Quantity::none, "Output on."}};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 0.0, "rating", "name plate of all frames"}};
constexpr ClassInfo kInfo{.name = "ups",
                          .group = "ups",
                          .title = "Uninterruptible power supply",
                          .page = "power/ups.md",
                          .symbol = "ups",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .electrical = ElectricalRole::converter};

struct Ups {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : LinkInstance {
    std::size_t self;
    const KernelSet<Ups>* set;
    bool phased;  // its output has voltages
    std::size_t to;
    double voltage;
    std::array<std::size_t, 3> source;
    Curve efficiency;
    double first_load, first_loss;
    bool polynomial;
    LossPolynomial loss;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b) {
    Instance p{};
    p.self = i;
    p.set = &set;
    if (const auto to = b.bus(i, "to"); b.phased(to)) {
      bindPhases(i, d, b, to, p);
    } else {
      static_cast<LinkInstance&>(p) = bindLink(i, b, d.number("rating"));
    }
    const auto& curve = d.parameters.at("efficiency");
    std::vector<std::pair<double, double>> points(kEfficiency.begin(), kEfficiency.end());
    if (!curve.points.empty()) {
      try {
        p.efficiency = Curve(curve.points);
        points = curve.points;
        for (const auto& [x, eta] : points)
          if (!(eta > 0.0 && eta <= 1.0))
            b.problems().error(
                curve.where,
                "'" + d.id + "': an efficiency of " + fluids::inWords(eta) + " at load " + fluids::inWords(x),
                "give efficiencies above 0 and not above 100 %");
      } catch (const Error& error) {
        b.problems().error(curve.where, "'" + d.id + "': " + error.what(),
                           "give rising loads, [[25 %, 97 %], [100 %, 96 %]]");
      }
    }
    if (p.efficiency.empty()) p.efficiency = Curve(points);
    p.first_load = points.front().first;
    p.first_loss = p.first_load * (1.0 / points.front().second - 1.0);
    p.polynomial = readLossPolynomial(d, b, p.loss);
    if (p.polynomial && !curve.points.empty())
      b.problems().error(curve.where, "'" + d.id + "' gives its loss twice: efficiency and loss_polynomial",
                         "give one of the two");
    return p;
  }
  static void bindPhases(std::size_t i, const InstanceDescription& d, Binder& b, std::ptrdiff_t to, Instance& p) {
    const auto from = b.bus(i, "from");
    p.phased = true;
    p.rows = {lossRow(i, b)};
    p.from = static_cast<std::size_t>(from);
    p.to = static_cast<std::size_t>(to);
    p.rating = d.number("rating");
    p.voltage = d.number("voltage") > 0.0 ? d.number("voltage") : b.nominalVoltage(to);
    const Complex z = {0.0, d.number("output_impedance") * p.voltage * p.voltage / p.rating};
    if (!b.phased(from)) {
      b.problems().error(
          d.where, "'" + d.id + "' feeds a bus with voltages from one without, '" + d.ports.at("from").at(0) + "'",
          "give the buses above it voltages, too: nominal_voltage in `nodes:`, or a transformer's");
      return;
    }
    const double rated_current = p.rating / (std::numbers::sqrt3 * p.voltage);
    const Infeed infeed{.kind = Infeed::Kind::limited,
                        .greatest_current = kGreatestFaultCurrent * rated_current,
                        .least_current = kLeastFaultCurrent * rated_current};
    for (std::size_t k = 0; k < p.source.size(); ++k)
      p.source[k] =
          b.source(i, {.name = d.id, .from = kEarth, .to = b.conductor(to, k), .impedance = z, .infeed = infeed}, from);
    const std::size_t n = b.conductor(to, p.source.size());
    b.element(i, impedanceElement(d.id + " earthing", n, kEarth, kSolidEarthing), true);
  }
  static void demand(std::size_t, const Instance& p, const KernelSet<Ups>&, Evaluation& e) {
    if (!p.phased) return;
    for (std::size_t k = 0; k < p.source.size(); ++k)
      e.phasor.state.emf[p.source[k]] = e.phasor.electrical->emf(e, p.to, k, p.voltage);
  }
  static std::complex<double> converterInput(std::size_t i, const Instance& p, const KernelSet<Ups>& set,
                                             const Evaluation& e, double power) {
    const double in = power + linkLoss(i, p, set, e, power);
    return {in, in * std::tan(std::acos(kInputPowerFactor))};
  }
  static Complex output(const Instance& p, const Evaluation& e) {
    if (!p.phased) return e.link_out[p.link];
    Complex sum{};
    for (const auto s : p.source) sum += e.phasor.network->sourcePower(s, *e.phasor.topology, e.phasor.state);
    return sum;
  }
  static bool on(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
    return set.available(e, i) && e.energised[p.from] != 0;
  }
  static double loss(std::size_t i, const Instance& p, const KernelSet<Ups>& set, const Evaluation& e) {
    if (!p.phased) return e.link_loss[p.link];
    return on(i, p, set, e) ? linkLoss(i, p, set, e, output(p, e).real()) : 0.0;
  }
  static bool solves(std::size_t k, const Instance& p) { return k < kReactiveSignal || p.phased; }
  static double linkLoss(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation&, double power) {
    if (p.polynomial) return p.loss.loss(p.rating, power);
    const double x = power / p.rating;
    return x <= p.first_load ? p.rating * p.first_loss : power * (1.0 / p.efficiency.value(x) - 1.0);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(loss(p.self, p, *p.set, e));
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Ups>& set,
                       const Evaluation& e) {
    const double out = output(p, e).real(), lost = loss(i, p, set, e);
    switch (k) {
      case 0:
        return out;
      case 1:
        return lost;
      case 2:
        return out > 0.0 ? out / (out + lost) : 0.0;
      case 3:
        return out / p.rating;
      case 4:
        return on(i, p, set, e) ? 1.0 : 0.0;
      case kReactiveSignal:
        return output(p, e).imag();
      default:
        return p.phased ? std::abs(e.phasor.network->sourceCurrent(p.source[k - kReactiveSignal - 1],
                                                                   *e.phasor.topology, e.phasor.state))
                        : 0.0;
    }
  }
};

}  // namespace

RegisteredClass upsClass() { return {&kInfo, makeKernelSetInto<Ups, SetList>}; }

}  // namespace podtwin
