// Constant electrical load: lighting, controls, offices, load banks. Equations: electrical_load.md.
#include <array>
#include <cmath>

#include "model/components/power/classes.hpp"
#include "model/components/power/link.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"air", PortKind::heat, PortCount::optional, "zone that takes its heat; outdoor air when left out"}};
constexpr double kHighestPower = 1e10;  // W; beyond any load of a campus
constexpr ParameterInfo kParameters[] = {
    {.name = "power",
     .quantity = Quantity::power,
     .low = 0.0,
     .high = kHighestPower,
     .meaning = "Power while its supply is live.",
     .source = ""},
    {.name = "it",
     .kind = ParameterKind::flag,
     .fallback = 0.0,
     .meaning = "Counts as IT power in PUE.",
     .source = "0: lighting, controls, load banks are facility load (product.md section 4)"},
};
constexpr DiscreteInfo kDiscretes[] = {{"power_setting", Quantity::power, 0.0, "Power while its supply is live [W]."}};
constexpr std::size_t kPowerSetting = kCommonCount;
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Power taken."},
    {"energised", Quantity::none, SignalType::integer, "1 while it is on and its supply is live."},
};
constexpr CommandInfo kCommands[] = {
    {"set", "power", Quantity::power, "Another power."},
    {"trip", "", Quantity::none, "Off."},
    {"restore", "", Quantity::none, "On."},
};
constexpr ClassInfo kInfo{.name = "electrical_load",
                          .group = "electrical_load",
                          .title = "Constant electrical load",
                          .page = "power/electrical_load.md",
                          .symbol = "load",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct ElectricalLoad {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t self;
    double power;
    bool it;
    const KernelSet<ElectricalLoad>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<ElectricalLoad>& set, Binder& b) {
    return {{}, {lossRow(i, b)}, i, d.number("power"), d.flag("it"), &set};
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<ElectricalLoad>& set, State& s, double) {
    set.z(s, kPowerSetting, i) = p.power;
  }
  static double power(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) ? p.set->z(e, kPowerSetting, p.self) : 0.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<ElectricalLoad>& set, Evaluation& e) {
    set.load(e, i, power(p, e));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(power(p, e));
  }
  static double itPower(std::size_t, const Instance& p, const KernelSet<ElectricalLoad>&, const Evaluation& e) {
    return p.it ? power(p, e) : 0.0;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<ElectricalLoad>& set,
                       const Evaluation& e) {
    return k == 0 ? power(p, e) : (set.available(e, i) ? 1.0 : 0.0);
  }
};

class ElectricalLoadSet final : public KernelSet<ElectricalLoad> {
 public:
  using KernelSet<ElectricalLoad>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "set") return KernelSet<ElectricalLoad>::command(s, i, verb, value, reason);
    if (!(value >= 0.0 && value <= kHighestPower)) {
      reason = "its power must be from 0 to 10 GW";
      return false;
    }
    z(s, kPowerSetting, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass electricalLoadClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<ElectricalLoadSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
