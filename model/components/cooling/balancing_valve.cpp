// Balancing valve: a throttle set by hand. Equations: balancing_valve.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/curve.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/throttle_body.hpp"
#include "model/fluids/range.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "kv",
     .quantity = Quantity::volume_flow,
     .low = 1e-9,
     .high = 100.0,
     .meaning = "Flow of water at 1 bar fully open, in proportion to the setting (0 to 1); in place of kv_curve.",
     .source = "",
     .optional = true},
    {.name = "kv_curve",
     .kind = ParameterKind::curve,
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 1e3,
     .meaning = "Kv against the hand wheel's setting (turns or scale), linear between the points.",
     .source = "",
     .ordinate = Quantity::volume_flow,
     .optional = true},
    {.name = "setting",
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 1e3,
     .meaning = "Setting of the hand wheel at the start, in the scale of kv_curve; fully open when left out.",
     .source = "",
     .optional = true},
    {.name = "locked",
     .kind = ParameterKind::flag,
     .fallback = 0.0,
     .meaning = "The hand wheel is locked at the start.",
     .source = "free: commissioning"},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"setting", Quantity::ratio, 0.0, "Setting of the hand wheel."},
    {"lock", Quantity::none, 0.0, "1 while the hand wheel is locked."},
};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop, without the weight of the coolant."},
    {"setting", Quantity::ratio, SignalType::real, "Setting of the hand wheel."},
    {"kv", Quantity::volume_flow, SignalType::real, "Kv at the present setting."},
    {"locked", Quantity::none, SignalType::integer, "1 while the hand wheel is locked."},
};
constexpr CommandInfo kCommands[] = {
    {"set", "setting", Quantity::ratio, "Another setting, in the scale of kv_curve."},
    {"open", "", Quantity::none, "To the highest setting."},
    {"close", "", Quantity::none, "To the lowest setting."},
    {"lock", "", Quantity::none, "Locks the hand wheel: set, open and close are refused."},
    {"unlock", "", Quantity::none, "Frees the hand wheel."},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; isolate shuts it off"},
    {"stick", "it moves by hand alone; lock keeps it where it is"},
};
constexpr ClassInfo kInfo{.name = "balancing_valve",
                          .group = "balancing_valve",
                          .title = "Balancing valve",
                          .page = "cooling/balancing_valve.md",
                          .symbol = "valve",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .refusals = kRefusals};

constexpr std::size_t kSetting = kCommonCount, kLock = kCommonCount + 1;

struct BalancingValve {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 0> rows;
    std::size_t edge, from, to;
    double density, weight, setting;
    bool locked;
    Curve kv;
  };
  static const ClassInfo& info() { return kInfo; }
  static Curve curveOf(const InstanceDescription& d, Diagnostics& problems) {
    const auto& table = d.parameters.at("kv_curve");
    const bool single = d.parameters.at("kv").given;
    std::vector<std::pair<double, double>> points{{0.0, 0.0}, {1.0, single ? d.number("kv") : 1.0}};
    if (single == table.given) {
      problems.error(d.where, "'" + d.id + "' states " + (single ? "two sizes" : "no size"),
                     "give kv, or kv_curve as in `kv_curve: [[0.5, 0.2 L/s], [2, 1.4 L/s], [4, 3.1 L/s]]`");
    } else if (table.given) {
      bool rises = table.points.size() >= 2 && table.points.front().second >= 0.0;
      for (std::size_t k = 1; rises && k < table.points.size(); ++k)
        rises =
            table.points[k].first > table.points[k - 1].first && table.points[k].second > table.points[k - 1].second;
      if (rises)
        points = table.points;
      else
        problems.error(table.where, "'" + d.id + "': Kv does not rise with the setting from point to point",
                       "give two or more points with rising settings and rising Kv");
    }
    return Curve(points);
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<BalancingValve>&, Binder& b) {
    Instance p{};
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.density = b.density(p.from);
    p.weight = b.weight(p.from, p.to);
    p.kv = curveOf(d, b.problems());
    p.locked = d.flag("locked");
    const auto& setting = d.parameters.at("setting");
    p.setting = setting.given ? setting.number : p.kv.high();
    if (!p.kv.inRange(p.setting))
      b.problems().error(setting.where, "'" + d.id + "': " + outside(p, p.setting), "choose a setting of its scale");
    return p;
  }
  static std::string outside(const Instance& p, double setting) {
    return "the setting " + fluids::inWords(setting) + " is not between " + fluids::inWords(p.kv.low()) + " and " +
           fluids::inWords(p.kv.high());
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<BalancingValve>& set, State& s, double) {
    set.z(s, kSetting, i) = p.setting;
    set.z(s, kLock, i) = p.locked ? 1.0 : 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<BalancingValve>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    const double m = p.kv.value(set.z(e, kSetting, i)) * std::sqrt(p.density * kKvDensity);
    law.open = set.z(e, kInService, i) != 0.0 && m > 0.0;
    if (!law.open) return;
    law.k = kKvDrop / (m * m);
    law.exponent = 2.0;
    law.m_linear = kBodyLinear * m;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<BalancingValve>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.m[p.edge] / p.density;
      case 1:
        return e.p[p.from] - e.p[p.to] + p.weight;
      case 2:
        return set.z(e, kSetting, i);
      case 3:
        return p.kv.value(set.z(e, kSetting, i));
      default:
        return set.z(e, kLock, i);
    }
  }
};

class BalancingValveSet final : public KernelSet<BalancingValve> {
 public:
  using KernelSet<BalancingValve>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "lock" || verb == "unlock") {
      z(state, kLock, i) = verb == "lock" ? 1.0 : 0.0;
      return true;
    }
    if (verb != "set" && verb != "open" && verb != "close")
      return KernelSet<BalancingValve>::command(state, i, verb, value, reason);
    if (z(state, kLock, i) != 0.0) {
      reason = "its hand wheel is locked; unlock it first";
      return false;
    }
    const Curve& kv = instance(i).kv;
    if (verb != "set") value = verb == "open" ? kv.high() : kv.low();
    if (!kv.inRange(value)) {
      reason = BalancingValve::outside(instance(i), value);
      return false;
    }
    z(state, kSetting, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass balancingValveClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<BalancingValveSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
