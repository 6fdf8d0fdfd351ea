// Busway: three-phase resistance with a current rating. Equations: busway.md.
#include <numbers>

#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"

namespace podtwin {

namespace {

constexpr double kPhases = 3.0;
constexpr double kSqrt3 = std::numbers::sqrt3;  // three-phase power = sqrt(3) U I cos phi

constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::current,
     .low = 1.0,
     .high = 1e5,
     .meaning = "Rated phase current.",
     .source = ""},
    {.name = "voltage",
     .quantity = Quantity::voltage,
     .fallback = 480.0,
     .low = 50.0,
     .high = 1e5,
     .meaning = "Nominal voltage, line to line.",
     .source = "480 V busways, pod-design section 4"},
    {.name = "resistance",
     .quantity = Quantity::resistance,
     .fallback = 0.4e-3,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Resistance of one phase, end to end.",
     .source = "estimate: 20 m of 1,600 A copper busway at 20 uohm/m"},
    {.name = "power_factor",
     .quantity = Quantity::ratio,
     .fallback = 0.99,
     .low = 0.1,
     .high = 1.0,
     .meaning = "Power factor of the load.",
     .source = "power supplies 0.99, estimate"},
};
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"i", Quantity::current, SignalType::real, "Phase current, balanced."},
    {"loading", Quantity::ratio, SignalType::real, "Current over rating."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
};
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Opened at its head."},
                                     {"restore", "", Quantity::none, "Closed."}};
constexpr LimitInfo kLimits[] = {
    {"loading", true, 1.0, 60.0, "rating", "name plate, 100 %-rated gear (practice.md 1.8); 60 s is an estimate"}};
constexpr ClassInfo kInfo{.name = "busway",
                          .group = "busway",
                          .title = "Busway",
                          .page = "power/busway.md",
                          .symbol = "busway",
                          .ports = kLinkPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct Busway {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : LinkInstance {
    double watt_per_ampere;  // sqrt(3) U cos phi
    double ampacity, resistance;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Busway>&, Binder& b) {
    Instance p{};
    p.watt_per_ampere = kSqrt3 * d.number("voltage") * d.number("power_factor");
    p.ampacity = d.number("rating");
    // Parallel busways share by the power each can carry, as the other links do.
    static_cast<LinkInstance&>(p) = bindLink(i, b, p.ampacity * p.watt_per_ampere);
    p.resistance = d.number("resistance");
    return p;
  }
  static double linkLoss(std::size_t, const Instance& p, const KernelSet<Busway>&, const Evaluation&, double power) {
    const double current = power / p.watt_per_ampere;
    return kPhases * p.resistance * current * current;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(e.link_loss[p.link]);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Busway>&, const Evaluation& e) {
    switch (k) {
      case 0:
        return e.link_out[p.link];
      case 1:
        return e.link_out[p.link] / p.watt_per_ampere;
      case 2:
        return e.link_out[p.link] / p.watt_per_ampere / p.ampacity;
      default:
        return e.link_loss[p.link];
    }
  }
};

}  // namespace

RegisteredClass buswayClass() { return {&kInfo, makeKernelSetInto<Busway, SetList>}; }

}  // namespace podtwin
