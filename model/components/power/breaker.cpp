// Circuit breaker as a switch without protection. Equations: breaker.md.
#include <array>

#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {.name = "from",
     .kind = PortKind::bus,
     .count = PortCount::one,
     .meaning = "bus it draws from",
     .same_voltage = true},
    {.name = "to", .kind = PortKind::bus, .count = PortCount::one, .meaning = "bus it feeds", .same_voltage = true},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .fallback = 1e9,
     .low = 1.0,
     .high = 1e11,
     .meaning = "Breakers in parallel share their bus's load by ratings; no limit follows from it.",
     .source = "estimate: more than any load; limits come with protection curves"},
    {.name = "closed",
     .kind = ParameterKind::flag,
     .fallback = 1.0,
     .meaning = "Position at the start.",
     .source = "1: closed"},
    {.name = "resistance",
     .quantity = Quantity::resistance,
     .fallback = 20e-6,
     .low = 0.1e-6,
     .high = 1.0,
     .meaning = "Of one closed pole; between buses with voltages.",
     .source = "estimate: an air circuit-breaker of 1,600 A loses some 50 W a pole at rated current"},
    {.name = "poles",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Three poles leave the neutral joined when open, four part it, too.",
     .source = "3: without change of the neutral's earthing (practice.md section 4: neutral switching)",
     .choices = "3|4"},
};
constexpr SignalInfo kSignals[] = {
    {"closed", Quantity::none, SignalType::integer, "1 while closed."},
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    kCurrentA,
    kCurrentB,
    kCurrentC,
    kCurrentN,
    kReactive,
    kPowerIn,
    kReactiveIn,
    kPowerFactor,
    kPowerA,
    kPowerB,
    kPowerC,
    kReactiveA,
    kReactiveB,
    kReactiveC,
};
constexpr std::size_t kFirstBranchSignal = 2;
constexpr CommandInfo kCommands[] = {
    {"open", "", Quantity::none, "Opens."},
    {"close", "", Quantity::none, "Closes; refused after a trip until restored."},
    {"trip", "", Quantity::none, "Opens and stays open until restored."},
    {"restore", "", Quantity::none, "Reset after a trip and closed; a stuck mechanism is freed."},
    {"stick", "", Quantity::none, "The mechanism holds its position and ignores open, close and trip."},
};
constexpr ClassInfo kInfo{.name = "breaker",
                          .group = "breaker",
                          .title = "Circuit breaker",
                          .page = "power/breaker.md",
                          .symbol = "breaker",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .electrical = ElectricalRole::branch};

// An open breaker is one whose mode is off: that makes its link unavailable to the power tree.
constexpr double kClosedMode = 0.0, kOpenMode = 2.0;

struct Breaker {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance : Branch {
    bool closed;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Breaker>&, Binder& b) {
    Instance p{};
    if (branches::isPhased(i, b))
      bindPoles(i, d, b, p);
    else
      static_cast<LinkInstance&>(p) = bindLink(i, b, d.number("rating"));
    p.closed = d.flag("closed");
    if (!d.supply.empty())
      b.problems().error(d.where, "'" + d.id + "' has a supply, but a latched breaker needs none to stay where it is",
                         "leave `supply` out");
    return p;
  }
  static void bindPoles(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
    const auto from = b.bus(i, "from"), to = b.bus(i, "to");
    const bool neutral_too = d.text("poles") == "4";
    std::vector<std::size_t> begin, end;
    for (std::size_t k = 0; k < kConductors; ++k) {
      const std::size_t at = b.conductor(from, k), beyond = b.conductor(to, k);
      if (k + 1 < kConductors || neutral_too) {
        begin.push_back(at);
        end.push_back(beyond);
      } else {
        b.element(i,
                  impedanceElement(d.id + " neutral", at, static_cast<std::ptrdiff_t>(beyond), d.number("resistance")),
                  true);
      }
    }
    const auto n = static_cast<Eigen::Index>(begin.size());
    const Eigen::MatrixXcd z = d.number("resistance") * Eigen::MatrixXcd::Identity(n, n);
    branches::bindElement(i, b, lineElement(d.id, begin, end, z, {}), p);
  }
  static bool solves(std::size_t k, const Instance& p) { return k < kFirstBranchSignal || p.phased; }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(branches::loss(p, e));
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Breaker>& set, State& s, double) {
    if (!p.closed) set.z(s, kMode, i) = kOpenMode;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Breaker>& set,
                       const Evaluation& e) {
    if (k >= kFirstBranchSignal) return branchSignal(k - kFirstBranchSignal, p, e);
    return k == 0 ? (set.available(e, i) ? 1.0 : 0.0) : branches::delivered(p, e).real();
  }
};

class BreakerSet final : public KernelSet<Breaker> {
 public:
  using KernelSet<Breaker>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    const bool stuck = z(s, kStuck, i) != 0.0;
    if (verb == "open" || verb == "close") {
      if (stuck) return true;  // the order is given and nothing moves: that is the failure
      if (verb == "close" && z(s, kTripped, i) != 0.0) {
        reason = "it has tripped: restore it";
        return false;
      }
      z(s, kMode, i) = verb == "open" ? kOpenMode : kClosedMode;
      ++s.topology;
      return true;
    }
    if (verb == "stick") {
      z(s, kStuck, i) = 1.0;
      return true;
    }
    if (verb == "trip" && stuck) return true;
    if (verb == "restore") z(s, kMode, i) = kClosedMode;
    return KernelSet<Breaker>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass breakerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<BreakerSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
