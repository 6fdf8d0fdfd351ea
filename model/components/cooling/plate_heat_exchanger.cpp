// Counterflow plate heat exchanger, static. Equations: plate_heat_exchanger.md.
#include <array>
#include <cmath>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/effectiveness.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;
constexpr PortInfo kPorts[] = {
    {"hot", PortKind::fluid, PortCount::many, "[inlet, outlet] of the side that gives heat"},
    {"cold", PortKind::fluid, PortCount::many, "[inlet, outlet] of the side that takes heat"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "ua",
     .quantity = Quantity::thermal_conductance,
     .low = 1e-3,
     .high = 1e9,
     .meaning = "Conductance at nominal flows, clean.",
     .source = ""},
    {.name = "hot_flow",
     .quantity = Quantity::mass_flow,
     .low = 1e-9,
     .high = 1e6,
     .meaning = "Nominal mass flow of the hot side.",
     .source = ""},
    {.name = "cold_flow",
     .quantity = Quantity::mass_flow,
     .low = 1e-9,
     .high = 1e6,
     .meaning = "Nominal mass flow of the cold side.",
     .source = ""},
    {.name = "film_ratio",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 1e-3,
     .high = 1e3,
     .meaning = "Film conductance hot over cold at nominal flows.",
     .source = "estimate: alike"},
    {.name = "hot_exponent",
     .quantity = Quantity::ratio,
     .fallback = 0.8,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Exponent of flow of the hot film.",
     .source = "0.8 for records fitted with it (LBNL Buildings); 0.667 Martin at Re >= 200, practice.md section 3"},
    {.name = "cold_exponent",
     .quantity = Quantity::ratio,
     .fallback = 0.8,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Exponent of flow of the cold film.",
     .source = "as hot_exponent"},
    {.name = "fouling",
     .quantity = Quantity::thermal_resistance,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Resistance added by fouling and wall.",
     .source = "0: clean"},
    {.name = "hot_dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Pressure drop of the hot side at nominal flow.",
     .source = "0: counted in the pump's external head"},
    {.name = "cold_dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Pressure drop of the cold side at nominal flow.",
     .source = "0: none"},
    {.name = "dp_exponent",
     .quantity = Quantity::ratio,
     .fallback = 1.76,
     .low = 1.0,
     .high = 2.2,
     .meaning = "Exponent of flow in both pressure drops.",
     .source = "XDU1350 exponent 1.76, pod-design 5.1 (published)"},
};
constexpr SignalInfo kSignals[] = {
    {"heat", Quantity::power, SignalType::real, "Heat from the hot to the cold side."},
    {"ua", Quantity::thermal_conductance, SignalType::real, "Conductance at the present flows."},
    {"effectiveness", Quantity::ratio, SignalType::real, "Effectiveness at the present flows."},
    {"approach", Quantity::temperature_difference, SignalType::real, "Hot outlet less cold inlet."},
    {"flow_hot", Quantity::volume_flow, SignalType::real, "Flow of the hot side."},
    {"flow_cold", Quantity::volume_flow, SignalType::real, "Flow of the cold side."},
    {"dp_hot", Quantity::pressure_difference, SignalType::real, "Pressure drop of the hot side."},
    {"dp_cold", Quantity::pressure_difference, SignalType::real, "Pressure drop of the cold side."},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; isolate shuts off both sides"},
};
constexpr ClassInfo kInfo{.name = "plate_heat_exchanger",
                          .group = "heat_exchanger",
                          .title = "Counterflow plate heat exchanger",
                          .page = "cooling/plate_heat_exchanger.md",
                          .symbol = "exchanger",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .refusals = kRefusals};

struct PlateHeatExchanger {
  static constexpr int kColumns = 4, kRows = 4;  // hot in, hot out, cold in, cold out
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t node[4], hot_edge, cold_edge;
    double cp_hot, cp_cold, density_hot, density_cold;
    double h_hot, h_cold, m_hot, m_cold, n_hot, n_cold, fouling;
    double k_hot, k_cold, dp_exponent;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<PlateHeatExchanger>&, Binder& b) {
    Instance p{};
    const char* names[4] = {"hot", "hot", "cold", "cold"};
    for (std::size_t k = 0; k < 4; ++k) {
      p.node[k] = b.fluidNode(i, names[k], k % 2);
      const ThermalPort port = b.nodePort(p.node[k]);
      p.columns[k] = port.column;
      p.rows[k] = port.row;
    }
    p.hot_edge = b.edge(p.node[0], p.node[1], d.id + " (hot side)");
    p.cold_edge = b.edge(p.node[2], p.node[3], d.id + " (cold side)");
    p.cp_hot = b.specificHeat(p.node[0]);
    p.cp_cold = b.specificHeat(p.node[2]);
    p.density_hot = b.density(p.node[0]);
    p.density_cold = b.density(p.node[2]);
    p.m_hot = d.number("hot_flow");
    p.m_cold = d.number("cold_flow");
    const double ratio = d.number("film_ratio");
    p.h_cold = d.number("ua") * (1.0 + 1.0 / ratio);
    p.h_hot = ratio * p.h_cold;
    p.n_hot = d.number("hot_exponent");
    p.n_cold = d.number("cold_exponent");
    p.fouling = d.number("fouling");
    p.dp_exponent = d.number("dp_exponent");
    p.k_hot = d.number("hot_dp") / std::pow(p.m_hot, p.dp_exponent);
    p.k_cold = d.number("cold_dp") / std::pow(p.m_cold, p.dp_exponent);
    return p;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<PlateHeatExchanger>& set, Evaluation& e) {
    const bool open = set.z(e, kInService, i) != 0.0;  // out of service: both sides are shut off
    const auto law = [&](std::size_t edge, double k, double m) {
      e.laws[edge].k = k;
      e.laws[edge].exponent = p.dp_exponent;
      e.laws[edge].m_linear = kLinearShare * m;
      e.laws[edge].open = open;
    };
    law(p.hot_edge, p.k_hot, p.m_hot);
    law(p.cold_edge, p.k_cold, p.m_cold);
  }
  static double conductance(const Instance& p, const Evaluation& e) {
    const double hot = p.h_hot * std::pow(std::abs(e.m[p.hot_edge]) / p.m_hot, p.n_hot);
    const double cold = p.h_cold * std::pow(std::abs(e.m[p.cold_edge]) / p.m_cold, p.n_cold);
    if (hot <= 0.0 || cold <= 0.0) return 0.0;  // a film at rest passes nothing
    return 1.0 / (1.0 / hot + 1.0 / cold + p.fouling);
  }
  /// Effectiveness times the smaller capacity rate [W/K].
  static double exchange(const Instance& p, const Evaluation& e, double& eps) {
    const double hot = std::abs(e.m[p.hot_edge]) * p.cp_hot, cold = std::abs(e.m[p.cold_edge]) * p.cp_cold;
    const double least = std::min(hot, cold), most = std::max(hot, cold);
    eps = 0.0;
    if (least <= 0.0) return 0.0;
    eps = counterflowEffectiveness(conductance(p, e) / least, least / most);
    return eps * least;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double hot = e.m[p.hot_edge] * p.cp_hot, cold = e.m[p.cold_edge] * p.cp_cold;
    // With reversed flow the other node is the inlet; the heat then enters the node that is downstream.
    const std::size_t hi = hot >= 0.0 ? 0 : 1, ho = 1 - hi, ci = cold >= 0.0 ? 2 : 3, co = 5 - ci;
    double eps = 0.0;
    const S heat = S(exchange(p, e, eps)) * (x[hi] - x[ci]);
    r[ho] += S(std::abs(hot)) * (x[hi] - x[ho]) - heat;
    r[co] += S(std::abs(cold)) * (x[ci] - x[co]) + heat;
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<PlateHeatExchanger>&,
                       const Evaluation& e) {
    double eps = 0.0;
    const double g = exchange(p, e, eps);
    const std::size_t hi = e.m[p.hot_edge] >= 0.0 ? 0 : 1, ci = e.m[p.cold_edge] >= 0.0 ? 2 : 3;
    switch (k) {
      case 0:
        return g * (e.y[p.columns[hi]] - e.y[p.columns[ci]]);
      case 1:
        return conductance(p, e);
      case 2:
        return eps;
      case 3:
        return e.y[p.columns[1 - hi]] - e.y[p.columns[ci]];
      case 4:
        return e.m[p.hot_edge] / p.density_hot;
      case 5:
        return e.m[p.cold_edge] / p.density_cold;
      case 6:
        return e.p[p.node[0]] - e.p[p.node[1]];
      default:
        return e.p[p.node[2]] - e.p[p.node[3]];
    }
  }
};

}  // namespace

RegisteredClass plateHeatExchangerClass() { return {&kInfo, makeKernelSetInto<PlateHeatExchanger, SetList>}; }

}  // namespace podtwin
