// Vessel open to the air whose level makes the pressure at its connection. Equations: open_tank.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/components/cooling/classes.hpp"
#include "model/fluids/range.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kFree = 1e-6;       // Pa s/kg of its connection, so that its law rises; equipment states the rest
constexpr double kBarred = 1e12;     // Pa s/kg against outflow at level zero: 1e-7 kg/s at 1 bar
constexpr double kMostBarred = 1.2;  // of the logarithm of both; below zero it goes on rising up to this
constexpr double kDeadShare = 1e-3;  // of the height; content below the connection, so that no temperature is 0/0
constexpr PortInfo kPorts[] = {
    {"node", PortKind::fluid, PortCount::one, "node at its bottom, whose pressure the level holds", true},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "area",
     .quantity = Quantity::area,
     .low = 1e-6,
     .high = 1e6,
     .meaning = "Horizontal cross-section.",
     .source = ""},
    {.name = "height",
     .quantity = Quantity::length,
     .low = 1e-3,
     .high = 1e3,
     .meaning = "From the bottom to the rim.",
     .source = ""},
    {.name = "start_level",
     .quantity = Quantity::length,
     .low = 0.0,
     .high = 1e3,
     .meaning = "Level above the bottom at a cold start.",
     .source = ""},
    {.name = "elevation",
     .quantity = Quantity::length,
     .fallback = 0.0,
     .low = -1e4,
     .high = 1e4,
     .meaning = "Of the bottom, as of nodes.",
     .source = "0: as nodes have it"},
    {.name = "least_level",
     .quantity = Quantity::length,
     .fallback = 0.01,
     .low = 1e-15,
     .high = 10.0,
     .meaning = "Level below which outflow is throttled until none is left at zero.",
     .source = "engineering estimate: air is drawn in over the last centimetre"},
};
constexpr StateInfo kStates[] = {
    {"level", Quantity::length, 0.01, "Level above the bottom [m]."},
    {"heat_share", Quantity::temperature_difference, 1.0,
     "Heat stored relative to 273.15 K over the heat capacity of the full tank [K]."},
};
constexpr SignalInfo kSignals[] = {
    {"level", Quantity::length, SignalType::real, "Level above the bottom."},
    {"t", Quantity::temperature, SignalType::real, "Temperature of the mixed content."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow into the tank."},
};
constexpr LimitInfo kLimits[] = {
    {"level", true, 0.0, 0.0, "alarm", "validity: above its rim the tank overflows, which is not modelled", "height"},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; isolate shuts its connection"},
};
constexpr ClassInfo kInfo{.name = "open_tank",
                          .group = "open_tank",
                          .title = "Open tank with level",
                          .page = "cooling/open_tank.md",
                          .symbol = "tank",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .signals = kSignals,
                          .limits = kLimits,
                          .refusals = kRefusals};

struct OpenTank {
  static constexpr int kColumns = 3, kRows = 3;
  static constexpr std::size_t kLevel = 0, kHeat = 1;  // states
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // level, heat share, node
    std::array<std::size_t, kRows> rows;
    std::size_t edge;
    double density, cp, area, height, dead, weight, start, least;
    const fluids::CoolantHeat* coolant;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<OpenTank>& set, Binder& b) {
    Instance p{};
    const std::size_t node = b.fluidNode(i, "node");
    p.edge = b.openEdge(node, d.number("elevation"), d.id);
    const ThermalPort port = b.nodePort(node);
    p.density = b.density(node);
    p.cp = b.specificHeat(node);
    p.coolant = &b.coolantHeat(node);
    p.area = d.number("area");
    p.height = d.number("height");
    p.dead = kDeadShare * p.height;
    p.weight = p.density * b.system().plant().gravity;
    p.start = d.number("start_level");
    p.least = d.number("least_level");
    if (p.start > p.height)
      b.problems().error(d.parameters.at("start_level").given ? d.parameters.at("start_level").where : d.where,
                         "'" + d.id + "' starts above its rim (" + fluids::inWords(p.start) + " m of " +
                             fluids::inWords(p.height) + " m)",
                         "give a start_level of at most the height");
    p.columns = {set.yIndex(kLevel, i), set.yIndex(kHeat, i), port.column};
    p.rows = {set.yIndex(kLevel, i), set.yIndex(kHeat, i), port.row};
    b.capacity(set.yIndex(kLevel, i), p.density * p.area);
    b.capacity(set.yIndex(kHeat, i), p.density * p.cp * p.area * p.height);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<OpenTank>& set, State& s,
                         double temperature) {
    s.y[set.yIndex(kLevel, i)] = p.start;
    s.y[set.yIndex(kHeat, i)] = p.coolant->enthalpy(temperature) / p.cp * (p.start + p.dead) / p.height;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<OpenTank>& set, Evaluation& e) {
    const double level = std::max(e.y[set.yIndex(kLevel, i)], 0.0);
    EdgeLaw& law = e.laws[p.edge];
    law.linear = kFree;
    law.head_0 = -p.weight * level;
    law.check = level < p.least;
    // From the free connection's resistance to that of a shut one, in equal steps of its logarithm.
    const double shut = std::min(1.0 - e.y[set.yIndex(kLevel, i)] / p.least, kMostBarred);
    law.reverse_linear = law.check ? kFree * std::pow(kBarred / kFree, shut) : kBarred;
    law.open = set.z(e, kInService, i) != 0.0;
  }
  template <class S>
  static S enthalpy(const Instance& p, const S& level, const S& heat) {
    const S content = level > S(0.0) ? level : S(0.0);
    return heat * S(p.cp * p.height) / (content + S(p.dead));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double m = e.m[p.edge];
    const S own = enthalpy<S>(p, x[0], x[1]), node = p.coolant->enthalpy(x[2]);
    if (e.steady_search) {  // the level is held, as that of a boundary
      r[0] = S(0.0);
      r[1] = m > 0.0 ? S(m) * (node - own) : S(0.0);
    } else {
      r[0] = S(m);
      r[1] = S(m) * (m > 0.0 ? node : own);
    }
    r[2] = m < 0.0 ? S(-m) * (own - node) : S(0.0);
  }
  static double storedEnergy(std::size_t i, const Instance& p, const KernelSet<OpenTank>& set, const Evaluation& e) {
    return p.density * p.cp * p.area * p.height * e.y[set.yIndex(kHeat, i)];
  }
  static CoolantLedger coolantLedger(std::size_t i, const Instance& p, const KernelSet<OpenTank>& set,
                                     const Evaluation& e) {
    return {p.density * p.area * e.y[set.yIndex(kLevel, i)], 0.0, 0.0};
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<OpenTank>& set,
                       const Evaluation& e) {
    const double level = e.y[set.yIndex(kLevel, i)];
    switch (k) {
      case 0:
        return level;
      case 1:
        return p.coolant->temperature(enthalpy<double>(p, level, e.y[set.yIndex(kHeat, i)]));
      default:
        return e.m[p.edge] / p.density;
    }
  }
};

}  // namespace

RegisteredClass openTankClass() { return {&kInfo, makeKernelSetInto<OpenTank, SetList>}; }

}  // namespace podtwin
