// Conversion units in parallel between two buses: rectifiers, power shelves, node converters. Equations:
// power_converter.md.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/efficiency_curve.hpp"
#include "model/components/power/link.hpp"

namespace podtwin {

namespace {

constexpr double kMostUnits = 1e6;  // node converters of the largest machines are some 1e4 (case F01: 9,472)
constexpr double kLeastConversionEfficiency = 1e-3;  // 1; below it a converter is a heater
// A unit is filled to its threshold and this much beyond before another one starts, so that whole multiples of the
// threshold need no unit more. Of the rule of RAPS, `(power - 1) // threshold + 1` (case F01).
constexpr double kBeyondThreshold = 1.0;  // W

constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .low = 1e-3,
     .high = 1e10,
     .meaning = "Rated output of one unit.",
     .source = ""},
    {.name = "units",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 1,
     .high = kMostUnits,
     .meaning = "Equal units in parallel.",
     .source = "1: a single unit"},
    {.name = "loss_polynomial",
     .kind = ParameterKind::numbers,
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 1.0,
     .meaning = "[a0, a1, a2] of one unit: loss = rating (a0 + a1 x + a2 x^2), x = output over rating.",
     .source = "",
     .optional = true},
    {.name = "efficiency",
     .kind = ParameterKind::curve,
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 2.0,
     .meaning =
         "Efficiency of one unit against output over rating; below the first point the loss of that point holds.",
     .source = "",
     .ordinate = Quantity::ratio,
     .optional = true},
    {.name = "standing_loss",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e8,
     .meaning =
         "Power that one running unit takes for itself: input = (output + standing_loss) / conversion_efficiency.",
     .source = "0: none stated"},
    {.name = "conversion_efficiency",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = kLeastConversionEfficiency,
     .high = 1.0,
     .meaning = "Efficiency of one unit besides its standing loss.",
     .source = "1: none stated"},
    {.name = "staging",
     .kind = ParameterKind::choice,
     .meaning = "Which units run: all, or as many as the load asks for.",
     .source = "all: power shelves share by default; case F01 has both",
     .choices = "all|by_load"},
    {.name = "unit_threshold",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e10,
     .meaning = "Output of all units together for each further one to run, with staging by_load.",
     .source = "0: to be stated with by_load"},
};
constexpr DiscreteInfo kDiscretes[] = {{"units_failed", Quantity::none, 0.0, "Units that have failed."}};
constexpr std::size_t kUnitsFailed = kCommonCount;
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Output."},
    {"input", Quantity::power, SignalType::real, "Power drawn: output and loss."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"efficiency", Quantity::ratio, SignalType::real, "Output over input; 0 without output."},
    {"loading", Quantity::ratio, SignalType::real, "Output over rating of the units that run."},
    {"units_active", Quantity::none, SignalType::integer, "Units that run."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Output off."},
    {"restore", "", Quantity::none, "Output on, with every unit."},
    {"fail", "units", Quantity::none, "That many units have failed, in all; with the last one the output is gone."},
};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 0.0, "rating", "name plate of the units that run"}};
constexpr ClassInfo kInfo{.name = "power_converter",
                          .group = "power_converter",
                          .title = "Power converter of one or more units",
                          .page = "power/power_converter.md",
                          .symbol = "converter",
                          .ports = kLinkPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

enum class LossForm { polynomial, efficiency, standing };

struct PowerConverter {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : LinkInstance {  // rating: of one unit
    double units, threshold;        // threshold [W] 0: all run
    LossForm form;
    LossPolynomial polynomial;
    EfficiencyCurve efficiency;
    double standing_loss, conversion_efficiency;
  };
  static const ClassInfo& info() { return kInfo; }

  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<PowerConverter>&, Binder& b) {
    Instance p{};
    p.units = d.number("units");
    static_cast<LinkInstance&>(p) = bindLink(i, b, d.number("rating") * p.units);
    p.rating = d.number("rating");
    bindLoss(d, b, p);
    bindStaging(d, b, p);
    return p;
  }

  static void bindLoss(const InstanceDescription& d, Binder& b, Instance& p) {
    p.standing_loss = d.number("standing_loss");
    p.conversion_efficiency = d.number("conversion_efficiency");
    std::vector<std::string> forms;
    if (!d.parameters.at("loss_polynomial").numbers.empty()) {
      forms.emplace_back("loss_polynomial");
      p.form = LossForm::polynomial;
      readLossPolynomial(d, b, p.polynomial);
    }
    if (!d.parameters.at("efficiency").points.empty()) {
      forms.emplace_back("efficiency");
      p.form = LossForm::efficiency;
      readEfficiencyCurve(d, b, p.efficiency);
    }
    if (d.parameters.at("standing_loss").given || d.parameters.at("conversion_efficiency").given) {
      forms.emplace_back("standing_loss with conversion_efficiency");
      p.form = LossForm::standing;
    }
    if (forms.empty()) {
      b.problems().error(d.where, "'" + d.id + "' says nothing of its loss",
                         "give loss_polynomial, efficiency, or standing_loss with conversion_efficiency");
    } else if (forms.size() > 1) {
      std::string all = forms.front();
      for (std::size_t k = 1; k < forms.size(); ++k) all += " and " + forms[k];
      b.problems().error(d.where, "'" + d.id + "' gives its loss more than once: " + all, "give one of them");
    }
  }

  static void bindStaging(const InstanceDescription& d, Binder& b, Instance& p) {
    const bool by_load = d.text("staging") == "by_load";
    const auto& threshold = d.parameters.at("unit_threshold");
    if (by_load && !(threshold.number > 0.0))
      b.problems().error(threshold.given ? threshold.where : d.where,
                         "'" + d.id + "' stages its units by load and has no threshold",
                         "give unit_threshold, the output for each further unit to run");
    if (!by_load && threshold.given)
      b.problems().error(threshold.where, "'" + d.id + "' has a unit_threshold, but all its units run",
                         "write `staging: by_load`, or leave it out");
    p.threshold = by_load ? threshold.number : 0.0;
  }

  /// Units that run at an output of `power` [W].
  static double unitsFor(std::size_t i, const Instance& p, const KernelSet<PowerConverter>& set, const Evaluation& e,
                         double power) {
    const double left = std::max(p.units - set.z(e, kUnitsFailed, i), 1.0);  // without any it has tripped
    if (p.threshold == 0.0) return left;
    return std::clamp(std::floor((power - kBeyondThreshold) / p.threshold) + 1.0, 1.0, left);
  }

  static double linkLoss(std::size_t i, const Instance& p, const KernelSet<PowerConverter>& set, const Evaluation& e,
                         double power) {
    const double n = unitsFor(i, p, set, e, power);
    switch (p.form) {
      case LossForm::polynomial:
        return n * p.polynomial.loss(p.rating, power / n);
      case LossForm::efficiency:
        return n * p.efficiency.loss(p.rating, power / n);
      default:
        return (power * (1.0 - p.conversion_efficiency) + n * p.standing_loss) / p.conversion_efficiency;
    }
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(e.link_loss[p.link]);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<PowerConverter>& set,
                       const Evaluation& e) {
    const double out = e.link_out[p.link], loss = e.link_loss[p.link];
    const bool live = set.available(e, i) && e.energised[p.from] != 0;
    switch (k) {
      case 0:
        return out;
      case 1:
        return out + loss;
      case 2:
        return loss;
      case 3:
        return out > 0.0 ? out / (out + loss) : 0.0;
      case 4:
        return live ? out / (unitsFor(i, p, set, e, out) * p.rating) : 0.0;
      default:
        return live ? unitsFor(i, p, set, e, out) : 0.0;
    }
  }
};

class PowerConverterSet final : public KernelSet<PowerConverter> {
 public:
  using KernelSet<PowerConverter>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "fail") {
      const double units = instance(i).units;
      if (!(value >= 0.0 && value <= units) || value != std::floor(value)) {
        reason = "'fail' takes how many of its units have failed, a whole number from 0 to " + fluids::inWords(units);
        return false;
      }
      z(s, kUnitsFailed, i) = value;
      return value < units || KernelSet<PowerConverter>::command(s, i, "trip", kRequired, reason);
    }
    if (!KernelSet<PowerConverter>::command(s, i, verb, value, reason)) return false;
    if (verb == "restore") z(s, kUnitsFailed, i) = 0.0;
    return true;
  }
};

}  // namespace

RegisteredClass powerConverterClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<PowerConverterSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
