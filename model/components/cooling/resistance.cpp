// Lumped flow resistance: piping, filter, strainer. Equations: resistance.md.
#include <array>
#include <cmath>
#include <numbers>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;  // of the stated flow; below it the law is linear
constexpr double kCreeping = 1.0;      // Reynolds number in a stated bore below which the law is linear; estimate
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Pressure drop at the stated flow; with flow, in place of loss_coefficient and diameter.",
     .source = "",
     .optional = true},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .low = 1e-9,
     .high = 100.0,
     .meaning = "Flow at which dp is stated.",
     .source = "",
     .optional = true},
    {.name = "loss_coefficient",
     .quantity = Quantity::ratio,
     .low = 0.0,
     .high = 1e9,
     .meaning = "Pressure drop over the dynamic pressure in a bore of the stated diameter; 1/Cd^2 of an orifice.",
     .source = "",
     .optional = true},
    {.name = "diameter",
     .quantity = Quantity::length,
     .low = 1e-5,
     .high = 10.0,
     .meaning = "Bore that loss_coefficient is stated for.",
     .source = "",
     .optional = true},
    {.name = "dp_curve",
     .kind = ParameterKind::curve,
     .quantity = Quantity::volume_flow,
     .low = 0.0,
     .high = 100.0,
     .meaning = "Pressure drop against flow, in place of the others; both rise from point to point.",
     .source = "",
     .ordinate = Quantity::pressure_difference,
     .optional = true},
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
    {"extrapolated", Quantity::none, SignalType::integer, "1 while the flow is beyond the last point of dp_curve."},
};
constexpr LimitInfo kLimits[] = {
    {"extrapolated", true, 0.5, 0.0, "alarm",
     "validity: beyond the table of its drop, where the last exponent is taken on"},
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
                          .limits = kLimits,
                          .refusals = kRefusals};

struct Resistance {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 0> rows;
    std::size_t edge, from, to;
    double density, k, exponent, m_linear, clogging;
    FlowTable table;
  };
  static const ClassInfo& info() { return kInfo; }
  static void bindPoint(Instance& p, const InstanceDescription& d) {
    const double m = d.number("flow") * p.density;
    p.k = d.number("dp") / std::pow(m, p.exponent);
    p.m_linear = kLinearShare * m;
  }
  static void bindBore(Instance& p, const InstanceDescription& d, Binder& b) {
    const double diameter = d.number("diameter"), area = 0.25 * std::numbers::pi * diameter * diameter;
    p.exponent = 2.0;
    p.k = 0.5 * d.number("loss_coefficient") / (p.density * area * area);
    p.m_linear = kCreeping * area * b.viscosity(p.from) / diameter;
  }
  static void bindTable(Instance& p, const InstanceDescription& d, Binder& b) {
    const auto& curve = d.parameters.at("dp_curve");
    std::vector<std::pair<double, double>> points;
    for (const auto& [flow, dp] : curve.points)
      if (flow != 0.0 || dp != 0.0) points.emplace_back(flow * p.density, dp);
    try {
      p.table = FlowTable(points);
      p.k = 1.0;
    } catch (const Error& error) {
      b.problems().error(curve.where, "'" + d.id + "': " + error.what(),
                         "give points as in `dp_curve: [[2 L/s, 5 kPa], [5 L/s, 28 kPa]]`; the drop at rest is 0");
    }
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Resistance>&, Binder& b) {
    Instance p{};
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.density = b.density(p.from);
    p.exponent = d.number("exponent");
    const auto given = [&](const char* name) { return d.parameters.at(name).given; };
    const bool point = given("dp") && given("flow"), bore = given("loss_coefficient") && given("diameter");
    const bool table = given("dp_curve");
    if (point + bore + table != 1 || given("dp") != given("flow") || given("loss_coefficient") != given("diameter")) {
      b.problems().error(
          d.where,
          "'" + d.id + "' states " + (point || bore || table ? "more than one pressure drop" : "no pressure drop"),
          "give dp and flow, or loss_coefficient and diameter, or dp_curve, as in `dp: 20 kPa, flow: 5 L/s`");
      p.exponent = 2.0;
      return p;
    }
    if (given("exponent") && !point)
      b.problems().error(d.parameters.at("exponent").where,
                         "'" + d.id + "' has a " + (bore ? "loss_coefficient" : "dp_curve") +
                             ", which leaves no exponent of flow to choose",
                         "leave `exponent` out, or state dp and flow");
    if (point)
      bindPoint(p, d);
    else if (bore)
      bindBore(p, d, b);
    else
      bindTable(p, d, b);
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
    law.table = p.table.empty() ? nullptr : &p.table;
    law.open = set.z(e, kInService, i) != 0.0;
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Resistance>&,
                       const Evaluation& e) {
    if (k == 2) return !p.table.empty() && std::abs(e.m[p.edge]) > p.table.last() ? 1.0 : 0.0;
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
