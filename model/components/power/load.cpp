// Constant electrical loads and air-cooled racks. Equations: load.md.
#include <array>

#include "model/components/power/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kLoadPorts[] = {{"air", PortKind::heat, PortCount::optional, "zone that takes its heat; outdoor air when left out"}};
constexpr ParameterInfo kLoadParameters[] = {{.name = "power", .quantity = Quantity::power, .low = 0.0, .high = 1e10, .meaning = "Power while its supply is live.", .source = ""}};
constexpr SignalInfo kLoadSignals[] = {{"power", Quantity::power, SignalType::real, "Power taken."}};
constexpr CommandInfo kLoadCommands[] = {{"trip", "", Quantity::none, "Off."}, {"restore", "", Quantity::none, "On."}};
constexpr ClassInfo kLoadInfo{.name = "electrical_load", .group = "electrical_load", .title = "Constant electrical load", .page = "power/load.md", .symbol = "load",
                              .ports = kLoadPorts, .parameters = kLoadParameters, .signals = kLoadSignals, .commands = kLoadCommands};

struct ElectricalLoad {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t self;
    double rated;
    const KernelSet<ElectricalLoad>* set;
  };
  static const ClassInfo& info() { return kLoadInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<ElectricalLoad>& set, Binder& b) {
    return {{}, {(b.hasPort(i, "air") ? b.heatPort(i, "air") : b.ambient()).row}, i, d.number("power"), &set};
  }
  static double power(const Instance& p, const Evaluation& e) { return p.set->available(e, p.self) ? p.rated : 0.0; }
  static void demand(std::size_t i, const Instance& p, const KernelSet<ElectricalLoad>& set, Evaluation& e) { set.load(e, i, power(p, e)); }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(power(p, e));
  }
  static double signal(std::size_t, std::size_t, const Instance& p, const KernelSet<ElectricalLoad>&, const Evaluation& e) { return power(p, e); }
};

constexpr PortInfo kRackPorts[] = {
    {"feeds", PortKind::bus, PortCount::many, "buses that feed it, in equal shares"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its heat; outdoor air when left out"},
};
constexpr ParameterInfo kRackParameters[] = {{.name = "power", .quantity = Quantity::power, .low = 0.0, .high = 1e8, .meaning = "AC input while a feed is live.", .source = ""}};
constexpr SignalInfo kRackSignals[] = {
    {"power", Quantity::power, SignalType::real, "AC input, all feeds."},
    {"feeds_live", Quantity::none, SignalType::integer, "Feeds that are energised."},
};
constexpr ClassInfo kRackInfo{.name = "air_cooled_rack", .group = "air_cooled_rack", .title = "Air-cooled rack: network, storage, management", .page = "power/load.md", .symbol = "rack",
                              .ports = kRackPorts, .parameters = kRackParameters, .signals = kRackSignals, .commands = kLoadCommands};

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
  static const ClassInfo& info() { return kRackInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<AirCooledRack>& set, Binder& b) {
    Instance p{};
    p.rows = {(b.hasPort(i, "air") ? b.heatPort(i, "air") : b.ambient()).row};
    p.self = i;
    p.rated = d.number("power");
    for (std::size_t f = 0; f < b.portCount(i, "feeds"); ++f) p.feeds.push_back(static_cast<std::size_t>(b.bus(i, "feeds", f)));
    p.set = &set;
    return p;
  }
  static std::size_t live(const Instance& p, const Evaluation& e) {
    std::size_t count = 0;
    for (const auto feed : p.feeds) count += e.energised[feed] != 0 ? 1U : 0U;
    return count;
  }
  static double power(const Instance& p, const Evaluation& e) { return p.set->available(e, p.self) && live(p, e) > 0 ? p.rated : 0.0; }
  static void demand(std::size_t, const Instance& p, const KernelSet<AirCooledRack>&, Evaluation& e) {
    const double total = power(p, e);
    if (total <= 0.0) return;
    const double each = total / static_cast<double>(live(p, e));
    for (const auto feed : p.feeds)
      if (e.energised[feed] != 0) e.bus_load[feed] += each;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(power(p, e));
  }
  static double itPower(std::size_t, const Instance& p, const KernelSet<AirCooledRack>&, const Evaluation& e) { return power(p, e); }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<AirCooledRack>&, const Evaluation& e) {
    return k == 0 ? power(p, e) : static_cast<double>(live(p, e));
  }
};

}  // namespace

RegisteredClass electricalLoadClass() { return {&kLoadInfo, makeKernelSetInto<ElectricalLoad, SetList>}; }
RegisteredClass airCooledRackClass() { return {&kRackInfo, makeKernelSetInto<AirCooledRack, SetList>}; }

}  // namespace podtwin
