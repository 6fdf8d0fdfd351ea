// Lumped flow resistance: piping, filter, strainer. Equations: resistance.md.
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
     .meaning = "Pressure drop at the stated flow.",
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
     .meaning = "Exponent of flow: 2 fully turbulent, 1 laminar, about 1.75-1.9 between.",
     .source = "fluid mechanics: Darcy-Weisbach limits"},
    {.name = "clogging",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 1.0,
     .high = 1e6,
     .meaning = "Factor on the pressure drop of the clean element.",
     .source = "1: clean"},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"clogging_factor", Quantity::ratio, 1.0, "Present factor on the pressure drop."}};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop."},
};
constexpr CommandInfo kCommands[] = {{"clog", "factor", Quantity::ratio, "Multiplies the clean pressure drop."}};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; isolate shuts it off"},
};
constexpr ClassInfo kInfo{.name = "resistance",
                          .group = "resistance",
                          .title = "Lumped flow resistance",
                          .page = "cooling/resistance.md",
                          .symbol = "resistance",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .refusals = kRefusals};

struct Resistance {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 0> rows;
    std::size_t edge, from, to;
    double density, k, exponent, m_linear, clogging;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Resistance>&, Binder& b) {
    Instance p{};
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.density = b.density(p.from);
    const double m = d.number("flow") * p.density;
    p.exponent = d.number("exponent");
    p.k = d.number("dp") / std::pow(m, p.exponent);
    p.m_linear = kLinearShare * m;
    p.clogging = d.number("clogging");
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Resistance>& set, State& s, double) {
    set.z(s, kCommonCount, i) = p.clogging;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Resistance>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.k = p.k * set.z(e, kCommonCount, i);
    law.exponent = p.exponent;
    law.m_linear = p.m_linear;
    law.open = set.z(e, kInService, i) != 0.0;
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Resistance>&,
                       const Evaluation& e) {
    return k == 0 ? e.m[p.edge] / p.density : e.p[p.from] - e.p[p.to];
  }
};

class ResistanceSet final : public KernelSet<Resistance> {
 public:
  using KernelSet<Resistance>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "clog") return KernelSet<Resistance>::command(state, i, verb, value, reason);
    if (!(value >= 1.0)) {
      reason = "the clogging factor must be 1 or more";
      return false;
    }
    z(state, kCommonCount, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass resistanceClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<ResistanceSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
