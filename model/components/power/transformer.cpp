// Two-winding transformer: loss and rating, between buses with voltages its windings, and its temperatures by load.
// Equations: transformer.md.
#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/transformer_thermal.hpp"
#include "model/fluids/range.hpp"

namespace podtwin {

namespace {

// The unit that the default losses belong to; those of another rating scale with it.
constexpr double kReferenceRating = 2.5e6;      // VA; transformer_2.5mva_mv_lv, hardware.csv (estimate)
constexpr double kReferenceNoLoadLoss = 3.5e3;  // W; same source
constexpr double kReferenceLoadLoss = 18e3;     // W; same source
constexpr double kPhases = 3.0;

constexpr double kLeastImpedance = 1e-4;  // of rating; less is no transformer

constexpr PortInfo kPorts[] = {
    {.name = "from",
     .kind = PortKind::bus,
     .count = PortCount::one,
     .meaning = "bus it draws from, at its first side",
     .voltage = "first_voltage"},
    {.name = "to",
     .kind = PortKind::bus,
     .count = PortCount::one,
     .meaning = "bus it feeds, at its second side",
     .voltage = "second_voltage"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};
constexpr ParameterInfo kElectricalParameters[] = {
    {.name = "rating",
     .quantity = Quantity::apparent_power,
     .low = 1.0,
     .high = 1e10,
     .meaning = "Rated apparent power.",
     .source = ""},
    {.name = "no_load_loss",
     .quantity = Quantity::power,
     .fallback = kReferenceNoLoadLoss,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Loss of the energised core; the default is that of 2.5 MVA and scales with rating.",
     .source = "transformer_2.5mva_mv_lv, hardware.csv (estimate)"},
    {.name = "load_loss",
     .quantity = Quantity::power,
     .fallback = kReferenceLoadLoss,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Loss of the windings at rating, follows the square of load; the default is that of 2.5 MVA and "
                "scales with rating.",
     .source = "transformer_2.5mva_mv_lv, hardware.csv (estimate)"},
    {.name = "power_factor",
     .quantity = Quantity::ratio,
     .fallback = 0.99,
     .low = 0.1,
     .high = 1.0,
     .meaning = "Power factor of the load, for current and loading.",
     .source = "UPS input 0.99, hardware.csv (published)"},
    {.name = "loss_polynomial",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 1.0,
     .meaning = "[a0, a1, a2]: loss = rating (a0 + a1 x + a2 x^2), x = output [W] over rating; instead of the two "
                "losses.",
     .source = "",
     .optional = true},
    {.name = "first_voltage",
     .quantity = Quantity::voltage,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Rated voltage of the first side between phases at the middle tap; 0: that of its bus.",
     .source = "0: the nominal voltage of the bus"},
    {.name = "second_voltage",
     .quantity = Quantity::voltage,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Likewise of the second side.",
     .source = "0: the nominal voltage of the bus"},
    {.name = "impedance",
     .quantity = Quantity::ratio,
     .fallback = 0.06,
     .low = kLeastImpedance,
     .high = 1.0,
     .meaning = "Short-circuit voltage of rated voltage at rated current; its active part is load_loss over rating.",
     .source = "transformer_2.5mva_mv_lv, hardware.csv (estimate): 6 %"},
    {.name = "no_load_current",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 0.5,
     .meaning = "Magnetising current of rated current, its active part included; 0: that of the no-load loss alone.",
     .source = "0: some 0.2 to 1 % in sheets of makers, without weight for the power flow"},
    {.name = "vector_group",
     .kind = ParameterKind::text,
     .meaning = "Connection of its windings: Dyn11, Dyn1, YNyn0, Yd1, ...; left out: Dyn11.",
     .source = "Dyn11: the usual one of distribution transformers, IEC 60076-1",
     .optional = true},
    {.name = "tap_position",
     .kind = ParameterKind::integer,
     .fallback = 0.0,
     .low = -20.0,
     .high = 20.0,
     .meaning = "Tap of the first side: its voltage is raised by so many steps.",
     .source = "0: middle"},
    {.name = "tap_step",
     .quantity = Quantity::ratio,
     .fallback = 0.025,
     .low = 0.0,
     .high = 0.1,
     .meaning = "One tap, of the first side's rated voltage.",
     .source = "+-2 x 2.5 %: usual of distribution transformers, IEC 60076-1"},
    {.name = "equivalent",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Where the magnetising branch stands: half at each side, or in the middle of the impedance.",
     .source = "pi: as pandapower's; differs in the fourth digit",
     .choices = "pi|t"},
    {.name = "first_earthing",
     .quantity = Quantity::resistance,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "From the star point of the first side (YN) to earth; 0: solid.",
     .source = "0: solidly earthed"},
    {.name = "second_earthing",
     .quantity = Quantity::resistance,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "From the star point of the second side (yn), which is the bus's neutral, to earth; 0: solid.",
     .source = "0: solid, as loads between phase and neutral need it (practice.md section 4)"},
    {.name = "second_earthed",
     .kind = ParameterKind::flag,
     .fallback = 1.0,
     .meaning = "Whether the star point of the second side is earthed here; false: elsewhere, or not at all.",
     .source = "1: usual"},
    {.name = "inrush",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 20.0,
     .meaning = "Magnetising current over the rated one at rated voltage when a dead first side comes alive; 0: none.",
     .source = "0: not stated; 8-12 on a utility, practice.md section 4"},
    {.name = "inrush_time",
     .quantity = Quantity::time,
     .fallback = 0.2,
     .low = 0.01,
     .high = 10.0,
     .meaning = "Time constant of its decay.",
     .source = "0.1-0.5 s on a utility, practice.md section 4"},
};
constexpr auto kParameters = joined(kElectricalParameters, kThermalParameters);
constexpr SignalInfo kOwnSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"loading", Quantity::ratio, SignalType::real,
     "Apparent power over rating; with voltages the greatest phase current over rated current."},
};
constexpr auto kElectricalSignals = joined(kOwnSignals, kBranchSignals);
constexpr std::size_t kFirstBranchSignal = 3, kFirstThermalSignal = std::size(kElectricalSignals);
constexpr auto kSteadySignals = joined(kElectricalSignals, kThermalSignals);
constexpr SignalInfo kInrushSignals[] = {
    {"inrush_current", Quantity::current, SignalType::real, "Magnetising current of its inrush, at `from`."}};
constexpr auto kSignals = joined(kSteadySignals, kInrushSignals);
constexpr std::size_t kInrushSignal = std::size(kSteadySignals);
constexpr double kNotLately = -1.0;  // value of energised_at
constexpr DiscreteInfo kDiscretes[] = {
    {"magnetised", Quantity::none, 1.0, "1 while its first side is live."},
    {"energised_at", Quantity::time, kNotLately, "When its first side last came alive [s]; -1: it was at the start."},
};
enum Discrete : std::size_t { kMagnetised = kCommonCount, kEnergisedAt };
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Switched off on both sides."},
    {"restore", "", Quantity::none, "Switched on."},
};
constexpr LimitInfo kElectricalLimits[] = {
    {"loading", true, 1.0, 60.0, "rating", "name plate; 60 s is an estimate, oil takes hours"}};
constexpr auto kLimits = joined(kElectricalLimits, kThermalLimits);
constexpr ClassInfo kInfo{.name = "transformer",
                          .group = "transformer",
                          .title = "Transformer",
                          .page = "power/transformer.md",
                          .symbol = "transformer",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kThermalStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .electrical = ElectricalRole::branch};

struct Transformer {
  static constexpr int kColumns = 4, kRows = 5;
  struct Instance : Branch {
    std::array<double, 2> rated_current;        // A of each side
    std::array<std::size_t, kColumns> columns;  // surroundings, oil, h1, h2
    std::array<std::size_t, kRows> rows;        // where the loss goes, then the states
    double no_load, load, power_factor;
    bool polynomial;
    LossPolynomial loss;
    TransformerThermal thermal;
    std::size_t self;
    const KernelSet<Transformer>* set;
    double inrush = 0.0, inrush_time = 0.0;                  // of rated current, s
    std::array<std::size_t, kConductors - 1> inrush_load{};  // of the network, where it has an inrush
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Transformer>& set, Binder& b) {
    Instance p{};
    const bool phased = branches::isPhased(i, b);
    if (!phased) static_cast<LinkInstance&>(p) = bindLink(i, b, d.number("rating"));
    p.rating = d.number("rating");
    const auto loss = [&](const char* name, double reference) {
      return d.parameters.at(name).given ? d.number(name) : reference * p.rating / kReferenceRating;
    };
    p.no_load = loss("no_load_loss", kReferenceNoLoadLoss);
    p.load = loss("load_loss", kReferenceLoadLoss);
    p.power_factor = d.number("power_factor");
    p.polynomial = readLossPolynomial(d, b, p.loss);
    if (p.polynomial && (d.parameters.at("no_load_loss").given || d.parameters.at("load_loss").given))
      b.problems().error(d.where, "'" + d.id + "' gives its loss twice: loss_polynomial and no_load_loss or load_loss",
                         "give one of the two forms");
    if (phased) bindWindings(i, d, b, p);
    p.thermal = TransformerThermal::read(d, b);
    p.self = i;
    p.set = &set;
    const ThermalPort surroundings = b.hasPort(i, "air") ? b.heatPort(i, "air") : b.ambient();
    using enum TransformerThermal::State;
    p.columns = {surroundings.column, set.yIndex(kOil, i), set.yIndex(kH1, i), set.yIndex(kH2, i)};
    p.rows = {surroundings.row, set.yIndex(kOil, i), set.yIndex(kH1, i), set.yIndex(kH2, i), set.yIndex(kLife, i)};
    for (std::size_t k = 0; k < kStates; ++k) b.capacity(set.yIndex(k, i), 1.0);
    return p;
  }
  static void bindWindings(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
    const auto from = b.bus(i, "from"), to = b.bus(i, "to");
    const auto rated = [&](const char* name, std::ptrdiff_t bus) {
      return d.number(name) > 0.0 ? d.number(name) : b.nominalVoltage(bus);
    };
    ThreePhaseTransformer data{};
    data.power = p.rating;
    data.first_voltage = rated("first_voltage", from) * (1.0 + d.number("tap_position") * d.number("tap_step"));
    data.second_voltage = rated("second_voltage", to);
    data.place = d.text("equivalent") == "t" ? MagnetisingPlace::middle : MagnetisingPlace::ends;
    const double z = d.number("impedance"), r = p.load / p.rating;
    if (p.polynomial)
      b.problems().error(
          d.where, "'" + d.id + "' stands between buses with voltages and gives its loss as a polynomial of power",
          "give no_load_loss, load_loss and impedance, or leave the voltages out");
    if (r > z)
      b.problems().error(d.where,
                         "'" + d.id + "': its load loss is " + fluids::inWords(r) + " of rating, its impedance only " +
                             fluids::inWords(z),
                         "the impedance holds the loss: give one that is not less");
    data.impedance = {r, std::sqrt(std::max(z * z - r * r, 0.0))};
    const double g = p.no_load / p.rating, y = d.number("no_load_current");
    data.magnetising = {g, -std::sqrt(std::max(y * y - g * g, 0.0))};
    const auto& group = d.parameters.at("vector_group");
    try {
      data.group = vectorGroup(group.text.empty() ? "Dyn11" : group.text);
    } catch (const Error& error) {
      b.problems().error(group.given ? group.where : d.where, "'" + d.id + "': " + error.what(),
                         "the usual one of a data hall is Dyn11");
      return;
    }
    std::array<std::ptrdiff_t, kConductors> first{}, second{};
    for (std::size_t k = 0; k < kConductors; ++k) {
      first[k] = static_cast<std::ptrdiff_t>(b.conductor(from, k));
      second[k] = static_cast<std::ptrdiff_t>(b.conductor(to, k));
    }
    const std::size_t star = kConductors - 1;
    const auto earthed = [&](std::size_t node, double resistance) {
      b.element(i, impedanceElement(d.id + " earthing", node, kEarth, std::max(resistance, kSolidEarthing)), true);
    };
    if (!data.group.first_delta) {
      const double resistance = d.number("first_earthing");
      first[star] = kEarth;
      if (!data.group.first_neutral || resistance > 0.0) {
        const std::size_t inner = b.starPoint(d.id + ".first star point");
        first[star] = static_cast<std::ptrdiff_t>(inner);
        if (data.group.first_neutral) earthed(inner, resistance);
      }
    }
    if (!data.group.second_delta) {
      if (!data.group.second_neutral)
        second[star] = static_cast<std::ptrdiff_t>(b.starPoint(d.id + ".second star point"));
      else if (d.flag("second_earthed"))
        earthed(b.conductor(to, star), d.number("second_earthing"));
    }
    branches::bindElement(i, b, transformerElement(d.id, data, first, second), p);
    p.inrush = d.number("inrush");
    p.inrush_time = d.number("inrush_time");
    for (std::size_t k = 0; k < p.inrush_load.size() && p.inrush > 0.0; ++k)
      p.inrush_load[k] =
          b.phasorLoad({.name = d.id + " inrush",
                        .from = b.conductor(from, k),
                        .to = static_cast<std::ptrdiff_t>(b.conductor(from, (k + 1) % p.inrush_load.size())),
                        .rated_voltage = rated("first_voltage", from),
                        .model = LoadModel::impedance});
    // Of the middle tap, as the name plate has it.
    p.rated_current = {p.rating / (std::sqrt(kPhases) * rated("first_voltage", from)),
                       p.rating / (std::sqrt(kPhases) * data.second_voltage)};
  }
  // -- inrush
  static bool live(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) && e.energised[p.from] != 0;
  }
  /// Share of its first value that is left.
  static double inrushLeft(const Instance& p, const Evaluation& e) {
    constexpr double kOver = 20.0;  // time constants: two parts in a thousand million
    const double at = p.set->z(e, kEnergisedAt, p.self), since = e.t - at;
    const bool on = p.inrush > 0.0 && at != kNotLately && since >= 0.0 && !e.steady_search && live(p, e);
    return on && since < kOver * p.inrush_time ? std::exp(-since / p.inrush_time) : 0.0;
  }
  static void demand(std::size_t, const Instance& p, const KernelSet<Transformer>&, Evaluation& e) {
    const double left = inrushLeft(p, e);
    if (left == 0.0) return;
    const Complex each(0.0, left * p.inrush * p.rating / kPhases);
    for (const auto l : p.inrush_load) e.phasor.state.power[l] = each;
  }
  static double nextMoment(std::size_t i, const Instance& p, const KernelSet<Transformer>& set, const Evaluation& e) {
    const bool changed = p.inrush > 0.0 && !e.steady_search && live(p, e) != (set.z(e, kMagnetised, i) != 0.0);
    return changed ? e.t : kUnbounded;
  }
  static void act(std::size_t i, const Instance& p, const KernelSet<Transformer>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events) {
    if (nextMoment(i, p, set, e) > e.t) return;
    const bool now = live(p, e);
    set.z(s, kMagnetised, i) = now ? 1.0 : 0.0;
    if (!now) return;
    set.z(s, kEnergisedAt, i) = e.t;
    events.push_back({set.ids()[i], set.ids()[i], "its first side is live", "inrush"});
  }
  /// Line current [A] of its inrush: of loads between phases in step, the root of 3 of each.
  static double inrushCurrent(const Instance& p, const Evaluation& e) {
    if (inrushLeft(p, e) == 0.0) return 0.0;
    double greatest = 0.0;
    for (const auto l : p.inrush_load)
      greatest = std::max(greatest, std::abs(e.phasor.network->loadCurrentOf(l, *e.phasor.topology, e.phasor.state)));
    return std::sqrt(kPhases) * greatest;
  }
  static bool solves(std::size_t k, const Instance& p) {
    if (k == kInrushSignal) return p.inrush > 0.0;
    if (k + 1 == kInrushSignal) return p.thermal.modelled;  // the last of the thermal ones
    return k < kFirstBranchSignal || k >= kFirstThermalSignal || p.phased;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Transformer>& set, State& s, double) {
    using enum TransformerThermal::State;
    const TransformerThermal& t = p.thermal;
    if (t.start_oil > 0.0) s.y[set.yIndex(kOil, i)] = t.start_oil;
    s.y[set.yIndex(kH1, i)] = t.k21 * t.start_rise;
    s.y[set.yIndex(kH2, i)] = (t.k21 - 1.0) * t.start_rise;
  }
  static double loading(const Instance& p, const Evaluation& e) {
    return p.phased ? currentShare(p, e) : e.link_out[p.link] / (p.power_factor * p.rating);
  }
  static double linkLoss(std::size_t, const Instance& p, const KernelSet<Transformer>&, const Evaluation&,
                         double power) {
    if (p.polynomial) return p.loss.loss(p.rating, power);
    const double x = power / (p.power_factor * p.rating);
    return p.no_load + p.load * x * x;
  }
  /// Greatest phase current of either side over that side's rated one.
  static double currentShare(const Instance& p, const Evaluation& e) {
    double greatest = 0.0;
    for (std::size_t k = 0; k + 1 < kConductors; ++k)
      greatest = std::max({greatest, branches::currentIn(p, k, e) / p.rated_current[0],
                           branches::currentOut(p, k, e) / p.rated_current[1]});
    return greatest;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = S(branches::loss(p, e));
    const double load = p.thermal.modelled ? loading(p, e) : 0.0;
    const auto rates = p.thermal.rates(load, live(p, e), e.steady_search, x[0], x[1], x[2], x[3]);
    std::copy(rates.begin(), rates.end(), r.begin() + 1);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Transformer>&,
                       const Evaluation& e) {
    if (k == kInrushSignal) return inrushCurrent(p, e);
    if (k >= kFirstThermalSignal) return thermalSignal(k - kFirstThermalSignal, p, e);
    if (k >= kFirstBranchSignal) return branchSignal(k - kFirstBranchSignal, p, e);
    switch (k) {
      case 0:
        return branches::delivered(p, e).real();
      case 1:
        return branches::loss(p, e);
      default:
        return loading(p, e);
    }
  }
  static double thermalSignal(std::size_t k, const Instance& p, const Evaluation& e) {
    const double oil = e.y[p.columns[p.thermal.modelled ? 1 : 0]];
    const double hot_spot = p.thermal.modelled ? oil + e.y[p.columns[2]] - e.y[p.columns[3]] : oil;
    switch (k) {
      case 0:
        return oil;
      case 1:
        return hot_spot;
      case 2:
        return p.thermal.modelled ? p.thermal.ageing(hot_spot) : 0.0;
      case 3:
        return e.y[p.rows.back()];
      default:
        return p.thermal.timeToHotSpotLimit(loading(p, e), e.y[p.columns[0]], oil, e.y[p.columns[2]],
                                            e.y[p.columns[3]]);
    }
  }
};

class TransformerSet final : public KernelSet<Transformer> {
 public:
  using KernelSet<Transformer>::KernelSet;
  double limitValue(std::size_t limit, std::size_t i) const override {
    const bool thermal = limit >= std::size(kElectricalLimits);
    return thermal && !instance(i).thermal.modelled ? kUnbounded : KernelSet<Transformer>::limitValue(limit, i);
  }
};

}  // namespace

RegisteredClass transformerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<TransformerSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
