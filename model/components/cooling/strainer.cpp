// Strainer or filter that clogs. Equations: strainer.md.
#include <array>
#include <cmath>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;  // of the stated flow; below it the law is linear
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Pressure drop of the clean element at the stated flow.",
     .source = ""},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .low = 1e-9,
     .high = 100.0,
     .meaning = "Flow at which dp is stated.",
     .source = ""},
    {.name = "exponent",
     .quantity = Quantity::ratio,
     .fallback = 2.0,
     .low = 1.0,
     .high = 2.5,
     .meaning = "Exponent of flow; a data sheet's own, 1.76 of the XDU1350's filter.",
     .source = "2: orifices of a screen at high Reynolds number, Idelchik"},
    {.name = "clogging",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Share of the open area that is blocked; 1 lets nothing through.",
     .source = "0: clean"},
    {.name = "dp_limit",
     .quantity = Quantity::pressure_difference,
     .fallback = 150e3,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Pressure drop above which the element is to be cleaned.",
     .source = "65 kPa clean to 150 kPa, practice.md section 6 scenario 35"},
};
constexpr DiscreteInfo kDiscretes[] = {{"clogging", Quantity::ratio, 0.0, "Share of the open area that is blocked."}};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop, without the weight of the coolant."},
    {"clogging", Quantity::ratio, SignalType::real, "Share of the open area that is blocked."},
};
constexpr CommandInfo kCommands[] = {
    {"clog", "share", Quantity::ratio, "Blocks the stated share of the open area."},
    {"set", "share", Quantity::ratio, "The same."},
    {"clean", "", Quantity::none, "Nothing blocked."},
};
constexpr LimitInfo kLimits[] = {
    {"dp", true, 150e3, 0.0, "alarm", "the element is to be cleaned: dp_limit of its data", "dp_limit"},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; isolate shuts it off"},
};
constexpr ClassInfo kInfo{.name = "strainer",
                          .group = "strainer",
                          .title = "Strainer or filter",
                          .page = "cooling/strainer.md",
                          .symbol = "resistance",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .refusals = kRefusals};

struct Strainer {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 0> rows;
    std::size_t edge, from, to;
    double density, k, exponent, m_linear, clogging, weight;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Strainer>&, Binder& b) {
    Instance p{};
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.density = b.density(p.from);
    p.weight = b.weight(p.from, p.to);
    p.exponent = d.number("exponent");
    const double m = d.number("flow") * p.density;
    p.k = d.number("dp") / std::pow(m, p.exponent);
    p.m_linear = kLinearShare * m;
    p.clogging = d.number("clogging");
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Strainer>& set, State& s, double) {
    set.z(s, kCommonCount, i) = p.clogging;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Strainer>& set, Evaluation& e) {
    const double free = 1.0 - set.z(e, kCommonCount, i);
    EdgeLaw& law = e.laws[p.edge];
    law.open = set.z(e, kInService, i) != 0.0 && free > 0.0;
    if (!law.open) return;
    law.k = p.k / (free * free);
    law.exponent = p.exponent;
    law.m_linear = p.m_linear;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Strainer>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.m[p.edge] / p.density;
      case 1:
        return e.p[p.from] - e.p[p.to] + p.weight;
      default:
        return set.z(e, kCommonCount, i);
    }
  }
};

class StrainerSet final : public KernelSet<Strainer> {
 public:
  using KernelSet<Strainer>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "clog" && verb != "set" && verb != "clean")
      return KernelSet<Strainer>::command(state, i, verb, value, reason);
    if (verb == "clean") value = 0.0;
    if (!(value >= 0.0 && value <= 1.0)) {
      reason = "the blocked share of a strainer is from 0 to 1";
      return false;
    }
    z(state, kCommonCount, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass strainerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<StrainerSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
