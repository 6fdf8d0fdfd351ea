// Two-winding transformer as a loss and a rating. Equations: transformer.md.
#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"

namespace podtwin {

namespace {

// The unit that the default losses belong to; those of another rating scale with it.
constexpr double kReferenceRating = 2.5e6;      // VA; transformer_2.5mva_mv_lv, hardware.csv (estimate)
constexpr double kReferenceNoLoadLoss = 3.5e3;  // W; same source
constexpr double kReferenceLoadLoss = 18e3;     // W; same source

constexpr ParameterInfo kParameters[] = {
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
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"loading", Quantity::ratio, SignalType::real, "Apparent power over rating."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Switched off on both sides."},
    {"restore", "", Quantity::none, "Switched on."},
};
constexpr LimitInfo kLimits[] = {
    {"loading", true, 1.0, 60.0, "rating", "name plate; 60 s is an estimate, oil takes hours"}};
constexpr ClassInfo kInfo{.name = "transformer",
                          .group = "transformer",
                          .title = "Transformer",
                          .page = "power/transformer.md",
                          .symbol = "transformer",
                          .ports = kLinkPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct Transformer {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : LinkInstance {
    double no_load, load, power_factor;
    bool polynomial;
    LossPolynomial loss;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Transformer>&, Binder& b) {
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
    return p;
  }
  static double linkLoss(std::size_t, const Instance& p, const KernelSet<Transformer>&, const Evaluation&,
                         double power) {
    if (p.polynomial) return p.loss.loss(p.rating, power);
    const double x = power / (p.power_factor * p.rating);
    return p.no_load + p.load * x * x;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(e.link_loss[p.link]);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Transformer>&,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.link_out[p.link];
      case 1:
        return e.link_loss[p.link];
      default:
        return e.link_out[p.link] / (p.power_factor * p.rating);
    }
  }
};

}  // namespace

RegisteredClass transformerClass() { return {&kInfo, makeKernelSetInto<Transformer, SetList>}; }

}  // namespace podtwin
