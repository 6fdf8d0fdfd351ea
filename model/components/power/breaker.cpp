// Circuit breaker as a switch without protection. Equations: breaker.md.
#include <array>

#include "model/components/power/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"from", PortKind::bus, PortCount::one, "bus it draws from"},
    {"to", PortKind::bus, PortCount::one, "bus it feeds"},
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
};
constexpr SignalInfo kSignals[] = {
    {"closed", Quantity::none, SignalType::integer, "1 while closed."},
    {"power", Quantity::power, SignalType::real, "Power delivered."},
};
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
                          .commands = kCommands};

// An open breaker is one whose mode is off: that makes its link unavailable to the power tree.
constexpr double kClosedMode = 0.0, kOpenMode = 2.0;

struct Breaker {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::size_t link;
    bool closed;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Breaker>&, Binder& b) {
    Instance p{};
    p.link = b.link(b.bus(i, "from"), b.bus(i, "to"), i, d.number("rating"));
    p.closed = d.flag("closed");
    if (!d.supply.empty())
      b.problems().error(d.where, "'" + d.id + "' has a supply, but a latched breaker needs none to stay where it is",
                         "leave `supply` out");
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Breaker>& set, State& s, double) {
    if (!p.closed) set.z(s, kMode, i) = kOpenMode;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Breaker>& set,
                       const Evaluation& e) {
    return k == 0 ? (set.available(e, i) ? 1.0 : 0.0) : e.link_out[p.link];
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
