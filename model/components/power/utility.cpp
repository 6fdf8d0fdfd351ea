// Grid connection. Equations: utility.md.
#include <algorithm>

#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {{"to", PortKind::bus, PortCount::one, "bus it feeds"}};
constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .low = 1.0,
     .high = 1e11,
     .meaning = "Power that the connection's equipment can carry.",
     .source = ""},
    {.name = "import_limit",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e11,
     .meaning = "Power that the grid operator allows to draw; 0: the rating.",
     .source = "0: no agreement stated"},
};
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power delivered."},
    {"loading", Quantity::ratio, SignalType::real, "Power over the import limit or the rating, whichever is less."},
    {"available", Quantity::none, SignalType::integer, "1 while the grid is there."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Outage: the grid is gone."},
    {"restore", "", Quantity::none, "The grid returns."},
};
constexpr LimitInfo kLimits[] = {
    {"loading", true, 1.0, 0.0, "rating", "import limit or rating of the pod file (practice.md section 5)"}};
constexpr ClassInfo kInfo{.name = "utility",
                          .group = "utility",
                          .title = "Grid connection",
                          .page = "power/utility.md",
                          .symbol = "utility",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct Utility {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::size_t link;
    double limit;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Utility>&, Binder& b) {
    Instance p{};
    const double rating = d.number("rating"), import_limit = d.number("import_limit");
    p.limit = import_limit > 0.0 ? std::min(rating, import_limit) : rating;
    constexpr std::ptrdiff_t kSource = -1;
    p.link = b.link(kSource, b.bus(i, "to"), i, rating);
    return p;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Utility>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.link_out[p.link];
      case 1:
        return e.link_out[p.link] / p.limit;
      default:
        return set.available(e, i) ? 1.0 : 0.0;
    }
  }
};

}  // namespace

RegisteredClass utilityClass() { return {&kInfo, makeKernelSetInto<Utility, SetList>}; }

}  // namespace podtwin
