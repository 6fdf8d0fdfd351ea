// Busway and breaker: series elements with a rating. Equations: busway.md.
#include <cmath>

#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"

namespace podtwin {

namespace {

constexpr ParameterInfo kParameters[] = {
    {.name = "rating", .quantity = Quantity::current, .low = 1.0, .high = 1e5, .meaning = "Rated phase current.", .source = ""},
    {.name = "voltage", .quantity = Quantity::voltage, .fallback = 480.0, .low = 50.0, .high = 1e5, .meaning = "Nominal voltage, line to line.", .source = "480 V busways, pod-design section 4"},
    {.name = "resistance", .quantity = Quantity::resistance, .fallback = 0.4e-3, .low = 0.0, .high = 10.0, .meaning = "Resistance of one phase, end to end.", .source = "estimate: 20 m of 1,600 A copper busway at 20 uohm/m"},
    {.name = "power_factor", .quantity = Quantity::ratio, .fallback = 0.99, .low = 0.1, .high = 1.0, .meaning = "Power factor of the load.", .source = "power supplies 0.99, estimate"},
};
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"i", Quantity::current, SignalType::real, "Phase current, balanced."},
    {"loading", Quantity::ratio, SignalType::real, "Current over rating."},
    {"loss", Quantity::power, SignalType::real, "Loss, given to its surroundings."},
};
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Opened at its head."}, {"restore", "", Quantity::none, "Closed."}};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 60.0, "rating", "name plate, 100 %-rated gear (practice.md 1.8); 60 s is an estimate"}};
constexpr ClassInfo kInfo{.name = "busway", .group = "busway", .title = "Busway", .page = "power/busway.md", .symbol = "busway",
                          .ports = kLinkPorts, .parameters = kParameters, .signals = kSignals, .commands = kCommands, .limits = kLimits};

struct Busway {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : LinkInstance {
    double volts, resistance;  // sqrt(3) U cos phi
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Busway>&, Binder& b) {
    Instance p{};
    p.volts = std::sqrt(3.0) * d.number("voltage") * d.number("power_factor");
    static_cast<LinkInstance&>(p) = bindLink(i, d, b, d.number("rating"));
    p.resistance = d.number("resistance");
    return p;
  }
  static double linkLoss(std::size_t, const Instance& p, const KernelSet<Busway>&, const Evaluation&, double power) {
    constexpr double kPhases = 3.0;
    const double current = power / p.volts;
    return kPhases * p.resistance * current * current;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(e.link_loss[p.link]);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Busway>&, const Evaluation& e) {
    switch (k) {
      case 0: return e.link_out[p.link];
      case 1: return e.link_out[p.link] / p.volts;
      case 2: return e.link_out[p.link] / p.volts / p.rating;
      default: return e.link_loss[p.link];
    }
  }
};

constexpr PortInfo kBreakerPorts[] = {
    {"from", PortKind::bus, PortCount::one, "bus it draws from"},
    {"to", PortKind::bus, PortCount::one, "bus it feeds"},
};
constexpr ParameterInfo kBreakerParameters[] = {
    {.name = "rating", .quantity = Quantity::power, .fallback = 1e9, .low = 1.0, .high = 1e11, .meaning = "Share of a load fed twice follows ratings.", .source = "no limit: protection comes with its curves"},
    {.name = "closed", .kind = ParameterKind::flag, .fallback = 1.0, .meaning = "Position at the start.", .source = "1: closed"},
};

constexpr SignalInfo kBreakerSignals[] = {
    {"closed", Quantity::none, SignalType::integer, "1 while closed."},
    {"power", Quantity::power, SignalType::real, "Power delivered."},
};
constexpr CommandInfo kBreakerCommands[] = {
    {"open", "", Quantity::none, "Opens."}, {"close", "", Quantity::none, "Closes."}, {"trip", "", Quantity::none, "Opens on protection."}, {"restore", "", Quantity::none, "Reset and closed."}};
constexpr ClassInfo kBreakerInfo{.name = "breaker", .group = "breaker", .title = "Circuit breaker", .page = "power/busway.md", .symbol = "breaker",
                                 .ports = kBreakerPorts, .parameters = kBreakerParameters, .signals = kBreakerSignals, .commands = kBreakerCommands};

struct Breaker {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::size_t link;
    bool closed;
  };
  static const ClassInfo& info() { return kBreakerInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Breaker>&, Binder& b) {
    Instance p{};
    p.link = b.link(b.bus(i, "from"), b.bus(i, "to"), i, d.number("rating"));
    p.closed = d.flag("closed");
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Breaker>& set, State& s, double) {
    set.z(s, kTripped, i) = p.closed ? 0.0 : 1.0;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Breaker>& set, const Evaluation& e) {
    return k == 0 ? (set.available(e, i) ? 1.0 : 0.0) : e.link_out[p.link];
  }
};

class BreakerSet final : public KernelSet<Breaker> {
 public:
  using KernelSet<Breaker>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "open") return KernelSet<Breaker>::command(state, i, "trip", value, reason);
    if (verb == "close") return KernelSet<Breaker>::command(state, i, "restore", value, reason);
    return KernelSet<Breaker>::command(state, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass buswayClass() { return {&kInfo, makeKernelSetInto<Busway, SetList>}; }
RegisteredClass breakerClass() {
  return {&kBreakerInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) { out.push_back(std::make_unique<BreakerSet>(std::move(instances))); }};
}

}  // namespace podtwin
