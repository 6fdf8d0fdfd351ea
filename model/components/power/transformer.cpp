// Two-winding transformer as a loss and a rating, and its temperatures by load. Equations: transformer.md.
#include <algorithm>

#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"
#include "model/components/power/transformer_thermal.hpp"

namespace podtwin {

namespace {

// The unit that the default losses belong to; those of another rating scale with it.
constexpr double kReferenceRating = 2.5e6;      // VA; transformer_2.5mva_mv_lv, hardware.csv (estimate)
constexpr double kReferenceNoLoadLoss = 3.5e3;  // W; same source
constexpr double kReferenceLoadLoss = 18e3;     // W; same source

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
};
constexpr auto kParameters = joined(kElectricalParameters, kThermalParameters);
constexpr SignalInfo kElectricalSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"loading", Quantity::ratio, SignalType::real, "Apparent power over rating."},
};
constexpr auto kSignals = joined(kElectricalSignals, kThermalSignals);
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
                          .ports = kLinkPorts,
                          .parameters = kParameters,
                          .states = kThermalStates,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct Transformer {
  static constexpr int kColumns = 4, kRows = 5;
  struct Instance : LinkInstance {
    std::array<std::size_t, kColumns> columns;  // surroundings, oil, h1, h2
    std::array<std::size_t, kRows> rows;        // where the loss goes, then the states
    double no_load, load, power_factor;
    bool polynomial;
    LossPolynomial loss;
    TransformerThermal thermal;
    std::size_t self;
    const KernelSet<Transformer>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Transformer>& set, Binder& b) {
    Instance p{};
    static_cast<LinkInstance&>(p) = bindLink(i, b, d.number("rating"));
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
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Transformer>& set, State& s, double) {
    using enum TransformerThermal::State;
    const TransformerThermal& t = p.thermal;
    if (t.start_oil > 0.0) s.y[set.yIndex(kOil, i)] = t.start_oil;
    s.y[set.yIndex(kH1, i)] = t.k21 * t.start_rise;
    s.y[set.yIndex(kH2, i)] = (t.k21 - 1.0) * t.start_rise;
  }
  static double loading(const Instance& p, const Evaluation& e) {
    return e.link_out[p.link] / (p.power_factor * p.rating);
  }
  static double linkLoss(std::size_t, const Instance& p, const KernelSet<Transformer>&, const Evaluation&,
                         double power) {
    if (p.polynomial) return p.loss.loss(p.rating, power);
    const double x = power / (p.power_factor * p.rating);
    return p.no_load + p.load * x * x;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = S(e.link_loss[p.link]);
    const bool live = p.set->available(e, p.self) && e.energised[p.from] != 0;
    const auto rates = p.thermal.rates(loading(p, e), live, e.steady_search, x[0], x[1], x[2], x[3]);
    std::copy(rates.begin(), rates.end(), r.begin() + 1);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Transformer>&,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.link_out[p.link];
      case 1:
        return e.link_loss[p.link];
      case 2:
        return loading(p, e);
      default:
        return thermalSignal(k - std::size(kElectricalSignals), p, e);
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
      default:
        return e.y[p.rows.back()];
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
