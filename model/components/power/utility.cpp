// Grid connection. Equations: utility.md.
#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {{"to", PortKind::bus, PortCount::one, "bus it feeds"}};
constexpr ParameterInfo kParameters[] = {
    {.name = "rating", .quantity = Quantity::power, .low = 1.0, .high = 1e11, .meaning = "Import that the connection allows.", .source = ""},
};
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loading", Quantity::ratio, SignalType::real, "Power over rating."},
    {"available", Quantity::none, SignalType::integer, "1 while the grid is there."},
};
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Outage."}, {"restore", "", Quantity::none, "The grid returns."}};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 0.0, "rating", "import limit of the pod file"}};
constexpr ClassInfo kInfo{.name = "utility", .group = "utility", .title = "Grid connection", .page = "power/utility.md", .symbol = "utility",
                          .ports = kPorts, .parameters = kParameters, .signals = kSignals, .commands = kCommands, .limits = kLimits};

struct Utility {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::size_t link;
    double rating;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Utility>&, Binder& b) {
    Instance p{};
    p.rating = d.number("rating");
    p.link = b.link(-1, b.bus(i, "to"), i, p.rating);
    return p;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Utility>& set, const Evaluation& e) {
    switch (k) {
      case 0: return e.link_out[p.link];
      case 1: return e.link_out[p.link] / p.rating;
      default: return set.available(e, i) ? 1.0 : 0.0;
    }
  }
};

}  // namespace

RegisteredClass utilityClass() { return {&kInfo, makeKernelSetInto<Utility, SetList>}; }

}  // namespace podtwin
