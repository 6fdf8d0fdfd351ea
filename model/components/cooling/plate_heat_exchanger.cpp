// Counterflow plate heat exchanger, static and dynamic. Equations: plate_heat_exchanger.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/counterflow_cells.hpp"
#include "model/components/cooling/effectiveness.hpp"
#include "model/components/cooling/exchanger_films.hpp"
#include "model/components/cooling/exchanger_rating.hpp"
#include "model/components/cooling/plate_heat_exchanger_info.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;
constexpr double kReferenceTemperature = 273.15;  // K; zero of stored heat
constexpr std::size_t kFouling = kCommonCount;
enum Signal : std::size_t {
  kHeat,
  kUa,
  kEffectiveness,
  kApproach,
  kFlowHot,
  kFlowCold,
  kDpHot,
  kDpCold,
  kTHotOut,
  kTColdOut,
  kFoulingSignal
};

struct PlateHeatExchanger {
  static constexpr int kColumns = 4, kRows = 4;  // hot in, hot out, cold in, cold out
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t node[4], hot_edge, cold_edge, self;
    const fluids::CoolantHeat *hot_coolant, *cold_coolant;
    double cp_hot, cp_cold, density_hot, density_cold;
    ExchangerFilm hot, cold;
    double k_hot, k_cold, dp_exponent;
    bool dynamic;
    const KernelSet<PlateHeatExchanger>* set;
  };
  static const ClassInfo& info() { return kPlateHeatExchangerInfo; }
  static bool isDynamic(const InstanceDescription& d) { return d.text("model") == "dynamic"; }
  static ExchangerFilm film(const InstanceDescription& d, const std::string& side, double nominal, double flow,
                            double viscosity) {
    const ParameterValue& rated = d.parameters.at(side + "_viscosity");
    return {.nominal = nominal,
            .flow = flow,
            .exponent = d.number(side + "_exponent"),
            .reynolds = d.number(side + "_reynolds"),
            .thinness = rated.given ? rated.number / viscosity : 1.0};
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<PlateHeatExchanger>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
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
    p.hot_coolant = &b.coolantHeat(p.node[0]);
    p.cold_coolant = &b.coolantHeat(p.node[2]);
    p.density_hot = b.density(p.node[0]);
    p.density_cold = b.density(p.node[2]);
    p.dynamic = isDynamic(d);
    const ExchangerRating rating = exchangerRating(d, p.cp_hot, p.cp_cold, b.problems());
    const double ratio = d.number("film_ratio"), cold = rating.ua * (1.0 + 1.0 / ratio);
    p.hot = film(d, "hot", ratio * cold, rating.hot_flow, b.viscosity(p.node[0]));
    p.cold = film(d, "cold", cold, rating.cold_flow, b.viscosity(p.node[2]));
    p.dp_exponent = d.number("dp_exponent");
    p.k_hot = d.number("hot_dp") / std::pow(rating.hot_flow, p.dp_exponent);
    p.k_cold = d.number("cold_dp") / std::pow(rating.cold_flow, p.dp_exponent);
    return p;
  }
  static void initialise(std::size_t i, const Instance&, const KernelSet<PlateHeatExchanger>& set, State& s, double) {
    set.z(s, kFouling, i) = set.description(i).number("fouling");
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<PlateHeatExchanger>& set, Evaluation& e) {
    const bool open = set.z(e, kInService, i) != 0.0;  // out of service: both sides are shut off
    const auto law = [&](std::size_t edge, double k, double m) {
      e.laws[edge].k = k;
      e.laws[edge].exponent = p.dp_exponent;
      e.laws[edge].m_linear = kLinearShare * m;
      e.laws[edge].open = open;
    };
    law(p.hot_edge, p.k_hot, p.hot.flow);
    law(p.cold_edge, p.k_cold, p.cold.flow);
  }
  static double fouling(const Instance& p, const Evaluation& e) { return p.set->z(e, kFouling, p.self); }
  static double conductance(const Instance& p, const Evaluation& e) {
    return seriesConductance(p.hot.at(e.m[p.hot_edge]), p.cold.at(e.m[p.cold_edge]), fouling(p, e));
  }
  /// Effectiveness times the smaller capacity rate [W/K].
  static double exchange(const Instance& p, const Evaluation& e, double& eps) {
    const double hot = e.m[p.hot_edge] * p.cp_hot, cold = e.m[p.cold_edge] * p.cp_cold;
    const double least = std::min(std::abs(hot), std::abs(cold)), most = std::max(std::abs(hot), std::abs(cold));
    eps = 0.0;
    if (least <= 0.0) return 0.0;
    // With one side reversed both coolants pass the plates in the same direction.
    const Arrangement arrangement = (hot > 0.0) == (cold > 0.0) ? Arrangement::counterflow : Arrangement::parallel;
    eps = effectiveness(arrangement, conductance(p, e) / least, least / most);
    return eps * least;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    if (p.dynamic) return;  // by the set
    const double hot = e.m[p.hot_edge] * p.cp_hot, cold = e.m[p.cold_edge] * p.cp_cold;
    // With reversed flow the other node is the inlet; the heat then enters the node that is downstream.
    const std::size_t hi = hot >= 0.0 ? 0 : 1, ho = 1 - hi, ci = cold >= 0.0 ? 2 : 3, co = 5 - ci;
    double eps = 0.0;
    const S heat = S(exchange(p, e, eps)) * (x[hi] - x[ci]);
    r[ho] += S(std::abs(hot)) * (p.hot_coolant->carried(x[hi]) - p.hot_coolant->carried(x[ho])) - heat;
    r[co] += S(std::abs(cold)) * (p.cold_coolant->carried(x[ci]) - p.cold_coolant->carried(x[co])) + heat;
  }
  /// A coolant where it leaves, from its heat [W]; at rest what stands in its outlet node.
  static double leaving(const fluids::CoolantHeat& coolant, double rate, double in, double out_node, double heat) {
    return rate != 0.0 ? coolant.fromCarried(coolant.carried(in) + heat / std::abs(rate)) : out_node;
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<PlateHeatExchanger>&,
                       const Evaluation& e) {
    double eps = 0.0;
    const double g = exchange(p, e, eps), hot = e.m[p.hot_edge] * p.cp_hot, cold = e.m[p.cold_edge] * p.cp_cold;
    const std::size_t hi = hot >= 0.0 ? 0 : 1, ci = cold >= 0.0 ? 2 : 3;
    const auto t = [&](std::size_t n) { return e.y[p.columns[n]]; };
    const double heat = g * (t(hi) - t(ci));
    switch (k) {
      case kHeat:
        return heat;
      case kUa:
        return conductance(p, e);
      case kEffectiveness:
        return eps;
      case kApproach:
        return t(1 - hi) - t(ci);
      case kFlowHot:
        return e.m[p.hot_edge] / p.density_hot;
      case kFlowCold:
        return e.m[p.cold_edge] / p.density_cold;
      case kDpHot:
        return e.p[p.node[0]] - e.p[p.node[1]];
      case kDpCold:
        return e.p[p.node[2]] - e.p[p.node[3]];
      case kTHotOut:
        return leaving(*p.hot_coolant, hot, t(hi), t(1 - hi), -heat);
      case kTColdOut:
        return leaving(*p.cold_coolant, cold, t(ci), t(5 - ci), heat);
      default:
        return fouling(p, e);
    }
  }
};

/// Adds the dynamic model's unknowns behind those of the class.
class PlateHeatExchangerSet final : public KernelSet<PlateHeatExchanger> {
 public:
  explicit PlateHeatExchangerSet(std::vector<const InstanceDescription*> instances)
      : KernelSet<PlateHeatExchanger>(std::move(instances)) {
    for (std::size_t i = 0; i < size(); ++i) {
      first_.push_back(unknowns_);
      if (PlateHeatExchanger::isDynamic(description(i))) unknowns_ += CounterflowCells::unknowns(elements(i));
    }
  }
  std::size_t exposedCount() const override { return unknowns_; }
  std::string unknownName(std::size_t k) const override {
    const auto behind = std::upper_bound(first_.begin(), first_.end(), k);  // of equal ones the last has the unknowns
    const auto i = static_cast<std::size_t>(behind - first_.begin()) - 1;
    return ids()[i] + ".point " + std::to_string(k - first_[i]);
  }

  void bind(Binder& b) override {
    KernelSet<PlateHeatExchanger>::bind(b);
    for (std::size_t i = 0; i < size(); ++i) {
      const PlateHeatExchanger::Instance& p = instance(i);
      if (!p.dynamic) continue;
      const auto stated = [&](const char* name) { return statedContent(i, name, b); };
      const CounterflowCells::Contents contents{stated("hot_volume") * p.density_hot,
                                                stated("wall_capacity"),
                                                stated("cold_volume") * p.density_cold,
                                                p.node[0],
                                                p.node[2],
                                                p.hot_coolant,
                                                p.cold_coolant};
      const auto port = [&](std::size_t k) { return ThermalPort{p.columns[k], p.rows[k]}; };
      cells_.push_back({i, CounterflowCells(exposed_first + first_[i], elements(i), contents,
                                            {port(0), port(1), port(2), port(3)})});
      cells_.back().cells.bind(b);
    }
  }
  void initialise(State& state, double temperature) const override {
    KernelSet<PlateHeatExchanger>::initialise(state, temperature);
    for (std::size_t k = 0; k < unknowns_; ++k) state.y[exposed_first + k] = temperature;
  }
  void rates(Evaluation& e) const override {
    KernelSet<PlateHeatExchanger>::rates(e);
    for (const auto& c : cells_) c.cells.rates(exchange(c.instance, e), e);
  }
  void jacobian(const Evaluation& e, JacobianWriter& w) const override {
    KernelSet<PlateHeatExchanger>::jacobian(e, w);
    for (const auto& c : cells_) c.cells.jacobian(exchange(c.instance, e), e, w);
  }
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "foul") return KernelSet<PlateHeatExchanger>::command(state, i, verb, value, reason);
    if (!(value >= 0.0 && value <= 1.0)) {
      reason = "the fouling resistance must be from 0 (clean) to 1 K/W";
      return false;
    }
    z(state, kFouling, i) = value;
    return true;
  }
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
  }
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override {
    const PlateHeatExchanger::Instance& p = instance(i);
    if (p.dynamic && (k == kHeat || k == kTHotOut || k == kTColdOut))
      for (const auto& c : cells_) {
        if (c.instance != i) continue;
        const auto x = exchange(i, e);
        if (k == kHeat) return c.cells.heatToCold(x, e);
        return k == kTHotOut ? c.cells.leaving(CounterflowCells::hot, x.hot_rate, e)
                             : c.cells.leaving(CounterflowCells::cold, x.cold_rate, e);
      }
    return KernelSet<PlateHeatExchanger>::signalOf(e, k, i);
  }
  double storedEnergy(const Evaluation& e) const override {
    double sum = 0.0;
    for (const auto& c : cells_) sum += c.cells.stored(e);
    return sum;
  }

 private:
  struct Cells {
    std::size_t instance;
    CounterflowCells cells;
  };
  std::size_t elements(std::size_t i) const { return static_cast<std::size_t>(description(i).number("cells")); }
  double statedContent(std::size_t i, const char* name, Binder& b) const {
    const InstanceDescription& d = description(i);
    if (d.parameters.at(name).given) return d.number(name);
    b.problems().error(d.where, "'" + d.id + "' is dynamic but has no " + name,
                       std::string("give ") + name + " from its data sheet, or `model: static`");
    return 1.0;
  }
  /// Films and flows as they are; what fouling and wall resist is shared by the two sides.
  CounterflowCells::Exchange exchange(std::size_t i, const Evaluation& e) const {
    const PlateHeatExchanger::Instance& p = instance(i);
    const double half = 0.5 * PlateHeatExchanger::fouling(p, e);
    const auto behind = [&](double film) { return film > 0.0 ? film / (1.0 + half * film) : 0.0; };
    const double hot = e.m[p.hot_edge], cold = e.m[p.cold_edge];
    return {hot * p.cp_hot, cold * p.cp_cold, behind(p.hot.at(hot)), behind(p.cold.at(cold))};
  }

  std::vector<std::size_t> first_;
  std::size_t unknowns_ = 0;
  std::vector<Cells> cells_;
};

}  // namespace

RegisteredClass plateHeatExchangerClass() {
  return {&kPlateHeatExchangerInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<PlateHeatExchangerSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
