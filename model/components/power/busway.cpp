// Busway: three-phase resistance with a current rating. Equations: busway.md.
#include <numbers>

#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"

namespace podtwin {

namespace {

constexpr double kPhases = 3.0;
constexpr double kSqrt3 = std::numbers::sqrt3;  // three-phase power = sqrt(3) U I cos phi

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
    {.name = "reactance",
     .quantity = Quantity::resistance,
     .fallback = 0.2e-3,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Reactance of one phase, end to end; between buses with voltages.",
     .source = "estimate: 20 m of sandwich busway at 10 uohm/m"},
    {.name = "neutral_resistance",
     .quantity = Quantity::resistance,
     .fallback = 0.4e-3,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Resistance of the neutral, end to end; its reactance is that of a phase.",
     .source = "estimate: a neutral of full section"},
};
constexpr SignalInfo kOwnSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"i", Quantity::current, SignalType::real, "Phase current; the greatest of the four where voltages are solved."},
    {"loading", Quantity::ratio, SignalType::real, "Current over rating."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
};
constexpr auto kSignals = joined(kOwnSignals, kBranchSignals);
constexpr std::size_t kFirstBranchSignal = 4;
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Opened at its head."},
                                     {"restore", "", Quantity::none, "Closed."}};
constexpr LimitInfo kLimits[] = {
    {"loading", true, 1.0, 60.0, "rating", "name plate, 100 %-rated gear (practice.md 1.8); 60 s is an estimate"}};
constexpr ClassInfo kInfo{.name = "busway",
                          .group = "busway",
                          .title = "Busway",
                          .page = "power/busway.md",
                          .symbol = "busway",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .electrical = ElectricalRole::branch};

struct Busway {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : Branch {
    double watt_per_ampere;  // sqrt(3) U cos phi
    double ampacity, resistance;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Busway>&, Binder& b) {
    Instance p{};
    p.watt_per_ampere = kSqrt3 * d.number("voltage") * d.number("power_factor");
    p.ampacity = d.number("rating");
    if (branches::isPhased(i, b)) {
      bindConductors(i, d, b, p);
      return p;
    }
    // Parallel busways share by the power each can carry, as the other links do.
    static_cast<LinkInstance&>(p) = bindLink(i, b, p.ampacity * p.watt_per_ampere);
    p.resistance = d.number("resistance");
    return p;
  }
  static void bindConductors(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
    const auto from = b.bus(i, "from"), to = b.bus(i, "to");
    std::vector<std::size_t> begin, end;
    Eigen::MatrixXcd z = Eigen::MatrixXcd::Zero(kConductors, kConductors);
    for (std::size_t k = 0; k < kConductors; ++k) {
      begin.push_back(b.conductor(from, k));
      end.push_back(b.conductor(to, k));
      const double r = d.number(k + 1 == kConductors ? "neutral_resistance" : "resistance");
      z(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)) = {r, d.number("reactance")};
      if (r == 0.0 && d.number("reactance") == 0.0) {
        b.problems().error(d.where, "'" + d.id + "' has no impedance between buses with voltages",
                           "give a resistance or reactance above 0, or join the buses by a breaker");
        return;
      }
    }
    branches::bindElement(i, b, lineElement(d.id, begin, end, z, {}), p);
  }
  static bool solves(std::size_t k, const Instance& p) { return k < kFirstBranchSignal || p.phased; }
  static double linkLoss(std::size_t, const Instance& p, const KernelSet<Busway>&, const Evaluation&, double power) {
    const double current = power / p.watt_per_ampere;
    return kPhases * p.resistance * current * current;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(branches::loss(p, e));
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Busway>&, const Evaluation& e) {
    if (k >= kFirstBranchSignal) return branchSignal(k - kFirstBranchSignal, p, e);
    const double current = p.phased ? branches::greatestCurrent(p, e) : e.link_out[p.link] / p.watt_per_ampere;
    switch (k) {
      case 0:
        return branches::delivered(p, e).real();
      case 1:
        return current;
      case 2:
        return current / p.ampacity;
      default:
        return branches::loss(p, e);
    }
  }
};

}  // namespace

RegisteredClass buswayClass() { return {&kInfo, makeKernelSetInto<Busway, SetList>}; }

}  // namespace podtwin
