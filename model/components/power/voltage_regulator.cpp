// Voltage regulator: an autotransformer a phase with a ratio of its own. Equations: voltage_regulator.md.
#include <numbers>

#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"

namespace podtwin {

namespace {

constexpr ParameterInfo ratioOf(std::string_view name) {
  return {.name = name,
          .quantity = Quantity::ratio,
          .fallback = 1.0,
          .low = 0.5,
          .high = 1.5,
          .meaning = "Voltage delivered over voltage drawn of this phase.",
          .source = "1: neutral tap"};
}
constexpr ParameterInfo kParameters[] = {
    ratioOf("ratio_a"),
    ratioOf("ratio_b"),
    ratioOf("ratio_c"),
    {.name = "rating",
     .quantity = Quantity::apparent_power,
     .low = 1.0,
     .high = 1e10,
     .meaning = "Rated power passed, three-phase.",
     .source = ""},
    {.name = "resistance",
     .quantity = Quantity::ratio,
     .fallback = 0.001,
     .low = 0.0,
     .high = 0.1,
     .meaning = "Of the series winding and its leads, of rating.",
     .source = "estimate: a tenth of a transformer's, as a tenth of the power is transformed"},
    {.name = "reactance",
     .quantity = Quantity::ratio,
     .fallback = 0.005,
     .low = 1e-7,
     .high = 0.5,
     .meaning = "Likewise.",
     .source = "estimate: as the resistance"},
};
constexpr SignalInfo kOwnSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
    {"loading", Quantity::ratio, SignalType::real, "Greatest phase current over rated current."},
};
constexpr auto kSignals = joined(kOwnSignals, kBranchSignals);
constexpr std::size_t kFirstBranchSignal = 3;
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Opened at both ends."},
                                     {"restore", "", Quantity::none, "Closed."}};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 60.0, "rating", "name plate; 60 s is an estimate"}};
constexpr ClassInfo kInfo{.name = "voltage_regulator",
                          .group = "voltage_regulator",
                          .title = "Voltage regulator",
                          .page = "power/voltage_regulator.md",
                          .symbol = "transformer",
                          .ports = kSameVoltagePorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .electrical = ElectricalRole::branch};
constexpr std::size_t kPhases = 3, kNeutral = 3;

struct VoltageRegulator {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : Branch {
    double rated_current;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<VoltageRegulator>&, Binder& b) {
    Instance p{};
    if (!branches::isPhased(i, b)) {
      b.problems().error(d.where, "'" + d.id + "' joins buses without a nominal voltage",
                         "give one of them a nominal_voltage in `nodes:`, or a voltage at the source");
      return p;
    }
    const auto from = b.bus(i, "from"), to = b.bus(i, "to");
    const double u = b.nominalVoltage(to), leg = d.number("rating") / static_cast<double>(kPhases);
    const double winding = u / std::numbers::sqrt3;
    p.rated_current = leg / winding;
    std::vector<WindingPair> pairs;
    for (std::size_t k = 0; k < kPhases; ++k) {
      constexpr const char* kNames[] = {"ratio_a", "ratio_b", "ratio_c"};
      WindingPair pair{};
      pair.first_begin = static_cast<std::ptrdiff_t>(b.conductor(from, k));
      pair.second_begin = static_cast<std::ptrdiff_t>(b.conductor(to, k));
      pair.first_end = pair.second_end = kEarth;
      pair.ratio = 1.0 / d.number(kNames[k]);
      pair.impedance = Complex(d.number("resistance"), d.number("reactance")) * winding * winding / leg;
      pairs.push_back(pair);
    }
    b.element(i,
              impedanceElement(d.id + " neutral", b.conductor(from, kNeutral),
                               static_cast<std::ptrdiff_t>(b.conductor(to, kNeutral)), kSolidEarthing),
              true);
    branches::bindElement(i, b, windingsElement(d.id, pairs, MagnetisingPlace::ends), p);
    return p;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(branches::loss(p, e));
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<VoltageRegulator>&,
                       const Evaluation& e) {
    if (k >= kFirstBranchSignal) return branchSignal(k - kFirstBranchSignal, p, e);
    switch (k) {
      case 0:
        return branches::delivered(p, e).real();
      case 1:
        return branches::loss(p, e);
      default:
        return branches::greatestCurrent(p, e, kPhases) / p.rated_current;
    }
  }
};

}  // namespace

RegisteredClass voltageRegulatorClass() { return {&kInfo, makeKernelSetInto<VoltageRegulator, SetList>}; }

}  // namespace podtwin
