// Cold plate between a warm body and coolant. Equations: cold_plate.md.
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/cold_plate_law.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of stored heat
constexpr double kLinearShare = 1e-3;
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
    {"body", PortKind::heat, PortCount::one, "heat_capacity whose case it cools"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "modules",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 1,
     .high = 1e6,
     .meaning = "Like plates side by side; flow, resistance and volume are stated of one.",
     .source = "1: a plate"},
    {.name = "law",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning =
         "How resistance goes with flow: table (through resistance_curve), quadratic (R V a least-squares parabola "
         "of V through it), fit (resistance + resistance_slope / V).",
     .source = "table: nothing is fitted",
     .choices = "table|quadratic|fit"},
    {.name = "resistance_curve",
     .kind = ParameterKind::curve,
     .quantity = Quantity::volume_flow,
     .low = 1e-12,
     .high = 10.0,
     .meaning = "Resistance from case to inlet against flow.",
     .source = "",
     .ordinate = Quantity::thermal_resistance,
     .optional = true},
    {.name = "resistance",
     .quantity = Quantity::thermal_resistance,
     .low = 0.0,
     .high = 1e3,
     .meaning = "Resistance at high flow, of the law fit.",
     .source = "",
     .optional = true},
    {.name = "resistance_slope",
     .quantity = Quantity::conductance_per_flow,
     .low = 1e-15,
     .high = 1e3,
     .meaning = "What 1/V is multiplied by in the law fit.",
     .source = "",
     .optional = true},
    {.name = "flow_low",
     .quantity = Quantity::volume_flow,
     .low = 1e-12,
     .high = 10.0,
     .meaning = "Least flow of the law fit; below it the conductance is held.",
     .source = "",
     .optional = true},
    {.name = "flow_high",
     .quantity = Quantity::volume_flow,
     .low = 1e-12,
     .high = 10.0,
     .meaning = "Greatest flow of the law fit; above it the conductance is held.",
     .source = "",
     .optional = true},
    {.name = "volume",
     .quantity = Quantity::volume,
     .fallback = 4e-5,
     .low = 1e-9,
     .high = 10.0,
     .meaning = "Coolant in one plate.",
     .source = "estimate: 100-200 J/K of coolant in a GPU's plate, pod-design 2.2"},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 50e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Pressure drop of one plate at `flow`.",
     .source = "OCP 8x1 loop: 50 kPa at 10 L/min, pod-design 2.2 (published); of the loop, taken for one plate as an "
               "estimate"},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .fallback = 1.25e-3 / 60.0,
     .low = 1e-12,
     .high = 10.0,
     .meaning = "Flow of one plate at which dp is stated.",
     .source = "OCP 8x1 loop: an eighth of 10 L/min, pod-design 2.2 (published)"},
    {.name = "dp_exponent",
     .quantity = Quantity::ratio,
     .fallback = 1.85,
     .low = 1.0,
     .high = 2.2,
     .meaning = "Exponent of flow in the pressure drop.",
     .source = "OCP 8x1 loop, pod-design 2.2 (published)"},
};
constexpr StateInfo kStates[] = {{"t_coolant", Quantity::temperature, 1.0, "Coolant in the plate, as it leaves [K]."}};
constexpr SignalInfo kSignals[] = {
    {"t_case", Quantity::temperature, SignalType::real, "Temperature of the case."},
    {"t_coolant", Quantity::temperature, SignalType::real, "Coolant as it leaves the plate."},
    {"heat", Quantity::power, SignalType::real, "Heat from the case to the coolant, all plates."},
    {"conductance", Quantity::thermal_conductance, SignalType::real,
     "Conductance from the case of one plate to its coolant."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow of all plates."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop."},
    {"outside", Quantity::none, SignalType::integer, "1 while the flow of a plate is outside what was measured."},
};
constexpr LimitInfo kLimits[] = {
    {"outside", true, 0.5, 60.0, "alarm", "validity: range of the plate's own record; 60 s is an estimate"}};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; isolate shuts off its coolant"},
};
constexpr ClassInfo kInfo{.name = "cold_plate",
                          .group = "cold_plate",
                          .title = "Cold plate",
                          .page = "cooling/cold_plate.md",
                          .symbol = "exchanger",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .signals = kSignals,
                          .limits = kLimits,
                          .refusals = kRefusals};

/// The law that a plate states, if it is whole.
std::optional<ColdPlateResistance> statedLaw(const InstanceDescription& d, Diagnostics& problems) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    problems.error(d.where, "'" + d.id + "' " + what, remedy);
    return std::nullopt;
  };
  const auto given = [&](const char* name) { return d.parameters.at(name).given; };
  const bool fit = d.text("law") == "fit";
  for (const char* name : {"resistance", "resistance_slope", "flow_low", "flow_high"})
    if (given(name) != fit)
      return refuse(
          fit ? "has the law fit but no " + std::string(name) : "has " + std::string(name) + ", of the law fit alone",
          fit ? "give resistance, resistance_slope, flow_low and flow_high" : "leave it out, or say `law: fit`");
  if (given("resistance_curve") == fit)
    return refuse(fit ? "has the law fit and a resistance_curve besides" : "has no resistance_curve",
                  fit ? "leave the curve out, or say `law: table`"
                      : "give one, as in `resistance_curve: [[1 L/min, 0.0245 K/W], [2 L/min, 0.0204 K/W]]`");
  if (fit) {
    const double low = d.number("flow_low"), high = d.number("flow_high");
    if (!(high > low))
      return refuse("has a flow_high that is not above its flow_low", "give the range of flow measured");
    return ColdPlateResistance::fit(d.number("resistance"), d.number("resistance_slope"), low, high);
  }
  const auto& curve = d.parameters.at("resistance_curve");
  try {
    return d.text("law") == "quadratic" ? ColdPlateResistance::quadratic(curve.points)
                                        : ColdPlateResistance::table(curve.points);
  } catch (const Error& error) {
    problems.error(curve.where, "'" + d.id + "': " + error.what(),
                   "give more points of resistance_curve, in rising order of flow");
    return std::nullopt;
  }
}

/// Every flow of the range must leave the case warmer than the coolant that leaves.
void refuseCoolerThanItsCoolant(const ColdPlateResistance& law, double rho_cp, const InstanceDescription& d,
                                Diagnostics& problems) {
  constexpr int kLooks = 200;
  for (int k = 0; k <= kLooks; ++k) {
    const double flow = law.low() + (law.high() - law.low()) * k / kLooks;
    if (std::isfinite(law.conductance(flow, rho_cp))) continue;
    char text[160];
    std::snprintf(text, sizeof text, "%.4g K/W at %.4g L/min, where this coolant alone warms by %.4g K/W",
                  law.resistance(flow), flow * 6e4, 1.0 / (flow * rho_cp));
    problems.error(d.where, "'" + d.id + "' has a resistance from case to inlet of " + text,
                   "give the record of this coolant, or begin it at a higher flow");
    return;
  }
}

struct ColdPlate {
  static constexpr int kColumns = 4, kRows = 4;
  enum Place : std::size_t { kCoolant, kBody, kFrom, kTo };
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t edge, from, to;
    const fluids::CoolantHeat* coolant;
    double density, cp, modules, mass, k, exponent, m_linear;
    ColdPlateResistance law;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<ColdPlate>& set, Binder& b) {
    Instance p{};
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    p.density = b.density(p.from);
    p.cp = b.specificHeat(p.from);
    p.coolant = &b.coolantHeat(p.from);
    p.modules = d.number("modules");
    p.mass = p.modules * d.number("volume") * p.density;
    p.exponent = d.number("dp_exponent");
    const double m = p.modules * d.number("flow") * p.density;
    p.k = d.number("dp") / std::pow(m, p.exponent);
    p.m_linear = kLinearShare * m;
    if (const auto law = statedLaw(d, b.problems())) {
      p.law = *law;
      refuseCoolerThanItsCoolant(p.law, p.density * p.cp, d, b.problems());
    }
    const ThermalPort body = b.heatPort(i, "body"), in = b.nodePort(p.from), out = b.nodePort(p.to);
    p.columns = {set.yIndex(0, i), body.column, in.column, out.column};
    p.rows = {set.yIndex(0, i), body.row, in.row, out.row};
    b.coolantCapacity(set.yIndex(0, i), p.from, p.mass);
    return p;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<ColdPlate>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.k = p.k;
    law.exponent = p.exponent;
    law.m_linear = p.m_linear;
    law.open = set.z(e, kInService, i) != 0.0;
  }
  static double flowOfOne(const Instance& p, const Evaluation& e) {
    return std::abs(e.m[p.edge]) / (p.density * p.modules);
  }
  static double conductance(const Instance& p, const Evaluation& e) {
    return p.law.conductance(flowOfOne(p, e), p.density * p.cp);
  }
  template <class S>
  static S heat(const Instance& p, const Evaluation& e, const S& body, const S& in, const S& coolant) {
    const double ua = p.modules * conductance(p, e), rate = std::abs(e.m[p.edge]) * p.cp;
    const double weight = rate > 0.0 ? inletWeight(ua / rate) : 0.0;
    return S(ua) * (body - S(weight) * in - S(1.0 - weight) * coolant);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double rate = std::abs(e.m[p.edge]) * p.cp;
    const std::size_t in = e.m[p.edge] >= 0.0 ? kFrom : kTo, out = in == kFrom ? kTo : kFrom;
    const S q = heat(p, e, x[kBody], x[in], x[kCoolant]);
    r[kBody] = -q;
    const S own = p.coolant->carried(x[kCoolant]);
    r[kCoolant] = q + S(rate) * (p.coolant->carried(x[in]) - own);
    r[out] = S(rate) * (own - p.coolant->carried(x[out]));
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<ColdPlate>&,
                       const Evaluation& e) {
    const double in = e.y[p.columns[e.m[p.edge] >= 0.0 ? kFrom : kTo]];
    switch (k) {
      case 0:
        return e.y[p.columns[kBody]];
      case 1:
        return e.y[p.columns[kCoolant]];
      case 2:
        return heat(p, e, e.y[p.columns[kBody]], in, e.y[p.columns[kCoolant]]);
      case 3:
        return conductance(p, e);
      case 4:
        return e.m[p.edge] / p.density;
      case 5:
        return e.p[p.from] - e.p[p.to];
      default:
        return p.law.inRange(flowOfOne(p, e)) ? 0.0 : 1.0;
    }
  }
  static double storedEnergy(std::size_t, const Instance& p, const KernelSet<ColdPlate>&, const Evaluation& e) {
    return p.mass * p.coolant->enthalpy(e.y[p.columns[kCoolant]]);
  }
};

}  // namespace

RegisteredClass coldPlateClass() { return {&kInfo, makeKernelSetInto<ColdPlate, SetList>}; }

}  // namespace podtwin
