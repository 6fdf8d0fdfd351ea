// Air-cooled rack with one or two feeds: network, storage, management. Equations: air_cooled_rack.md.
#include <array>

#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"feeds", PortKind::bus, PortCount::many, "buses that feed it, in equal shares; not modelled when left out"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its heat; outdoor air when left out"},
};
constexpr ParameterInfo kParameters[] = {{.name = "power",
                                          .quantity = Quantity::power,
                                          .low = 0.0,
                                          .high = 1e8,
                                          .meaning = "AC input while a feed is live.",
                                          .source = ""}};
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "AC input, all feeds."},
    {"feeds_live", Quantity::none, SignalType::integer, "Feeds that are energised."},
    {"energised", Quantity::none, SignalType::integer, "1 while it runs."},
};
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Off."}, {"restore", "", Quantity::none, "On."}};
constexpr ClassInfo kInfo{.name = "air_cooled_rack",
                          .group = "air_rack",
                          .title = "Air-cooled rack: network, storage, management",
                          .page = "power/air_cooled_rack.md",
                          .symbol = "rack",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .commands = kCommands};

struct AirCooledRack {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t self;
    double rated;
    std::vector<std::size_t> feeds;
    const KernelSet<AirCooledRack>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<AirCooledRack>& set, Binder& b) {
    Instance p{};
    p.rows = {lossRow(i, b)};
    p.self = i;
    p.rated = d.number("power");
    for (std::size_t f = 0; f < b.portCount(i, "feeds"); ++f)
      p.feeds.push_back(static_cast<std::size_t>(b.bus(i, "feeds", f)));
    if (!d.supply.empty())
      b.problems().error(d.where, "'" + d.id + "' gives `supply`, which a rack does not use",
                         "name its buses at `feeds`");
    p.set = &set;
    return p;
  }
  static std::size_t live(const Instance& p, const Evaluation& e) {
    std::size_t count = 0;
    for (const auto feed : p.feeds) count += e.energised[feed] != 0 ? 1U : 0U;
    return count;
  }
  static bool runs(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) && (p.feeds.empty() || live(p, e) > 0);
  }
  static double power(const Instance& p, const Evaluation& e) { return runs(p, e) ? p.rated : 0.0; }
  static void demand(std::size_t, const Instance& p, const KernelSet<AirCooledRack>&, Evaluation& e) {
    if (!runs(p, e)) return;
    if (p.feeds.empty()) {
      e.unmetered_load += p.rated;
      return;
    }
    const double each = p.rated / static_cast<double>(live(p, e));
    for (const auto feed : p.feeds)
      if (e.energised[feed] != 0) e.bus_load[feed] += each;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(power(p, e));
  }
  static double itPower(std::size_t, const Instance& p, const KernelSet<AirCooledRack>&, const Evaluation& e) {
    return power(p, e);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<AirCooledRack>&,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return power(p, e);
      case 1:
        return static_cast<double>(live(p, e));
      default:
        return runs(p, e) ? 1.0 : 0.0;
    }
  }
};

}  // namespace

RegisteredClass airCooledRackClass() { return {&kInfo, makeKernelSetInto<AirCooledRack, SetList>}; }

}  // namespace podtwin
