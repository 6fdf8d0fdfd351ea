// Double-conversion UPS as an efficiency curve and a rating. Equations: ups.md.
#include "model/base/curve.hpp"
#include "model/base/diagnostics.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"
#include "model/fluids/range.hpp"

namespace podtwin {

namespace {

// Eaton 9395XR in double conversion, hardware.csv (published).
constexpr std::array<std::pair<double, double>, 4> kEfficiency{
    {{0.25, 0.970}, {0.50, 0.973}, {0.75, 0.970}, {1.00, 0.964}}};
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
};
constexpr SignalInfo kSignals[] = {
    {"load", Quantity::power, SignalType::real, "Output."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"efficiency", Quantity::ratio, SignalType::real, "Output over input; 0 without output."},
    {"loading", Quantity::ratio, SignalType::real, "Output over rating."},
    {"mode", Quantity::none, SignalType::integer, "0 off, 1 double conversion."},
};
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Output off."},
                                     {"restore", "", Quantity::none, "Output on."}};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 0.0, "rating", "name plate of all frames"}};
constexpr ClassInfo kInfo{.name = "ups",
                          .group = "ups",
                          .title = "Uninterruptible power supply",
                          .page = "power/ups.md",
                          .symbol = "ups",
                          .ports = kLinkPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct Ups {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : LinkInstance {
    Curve efficiency;
    double first_load, first_loss;
    bool polynomial;
    LossPolynomial loss;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Ups>&, Binder& b) {
    Instance p{};
    static_cast<LinkInstance&>(p) = bindLink(i, b, d.number("rating"));
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
  static double linkLoss(std::size_t, const Instance& p, const KernelSet<Ups>&, const Evaluation&, double power) {
    if (p.polynomial) return p.loss.loss(p.rating, power);
    const double x = power / p.rating;
    return x <= p.first_load ? p.rating * p.first_loss : power * (1.0 / p.efficiency.value(x) - 1.0);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(e.link_loss[p.link]);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Ups>& set,
                       const Evaluation& e) {
    const double out = e.link_out[p.link], loss = e.link_loss[p.link];
    switch (k) {
      case 0:
        return out;
      case 1:
        return loss;
      case 2:
        return out > 0.0 ? out / (out + loss) : 0.0;
      case 3:
        return out / p.rating;
      default:
        return set.available(e, i) && e.energised[p.from] != 0 ? 1.0 : 0.0;
    }
  }
};

}  // namespace

RegisteredClass upsClass() { return {&kInfo, makeKernelSetInto<Ups, SetList>}; }

}  // namespace podtwin
