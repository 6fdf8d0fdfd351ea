// Thermal buffer tank: plug flow, mixed or a row of cells. Equations: tank.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/plug_content.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

using plug::kReferenceTemperature;

constexpr double kLinearShare = 1e-3;
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "volume",
     .quantity = Quantity::volume,
     .low = 1e-6,
     .high = 1e6,
     .meaning = "Coolant in the tank.",
     .source = ""},
    {.name = "model",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "plug: coolant leaves in the order it came; mixed: one temperature; cells: mixed cells in a row; "
                "stratified: layers one upon the other, with conduction and buoyancy between them.",
     .source = "practice.md section 6 incident 2 compares mixed and stratified",
     .choices = "plug|mixed|cells|stratified"},
    {.name = "cells",
     .kind = ParameterKind::integer,
     .fallback = 20,
     .low = 1,
     .high = 1000,
     .meaning = "Number of cells, or of layers of the model stratified.",
     .source = "estimate: the front is spread over a fifth of the tank"},
    {.name = "inlet_at",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "End of a stratified tank at which `from` is; `to` is at the other.",
     .source = "top: the warm return of a chilled-water store enters there",
     .choices = "top|bottom"},
    {.name = "height",
     .quantity = Quantity::length,
     .fallback = 3.0,
     .low = 0.01,
     .high = 100.0,
     .meaning = "Height of the coolant in a stratified tank, of one cross-section.",
     .source = "estimate: fits below a hall's ceiling"},
    {.name = "conductivity",
     .quantity = Quantity::conductivity,
     .fallback = 0.6,
     .low = 0.0,
     .high = 1e3,
     .meaning = "Effective conductivity from layer to layer, of coolant, wall and small eddies together.",
     .source = "water at rest 0.60 W/(m K) at 20 degC, IAPWS; steel walls and diffusers add to it"},
    {.name = "mixing_time",
     .quantity = Quantity::time,
     .fallback = 10.0,
     .low = 0.01,
     .high = 1e6,
     .meaning = "Time in which a layer warmer than that above it changes its content with it.",
     .source = "engineering estimate: plumes rise through a layer within seconds"},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 2e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Pressure drop at the stated flow.",
     .source = "estimate: inlet and outlet nozzles"},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .fallback = 0.2,
     .low = 1e-9,
     .high = 100.0,
     .meaning = "Flow at which dp is stated.",
     .source = "estimate: reference pod"},
};
constexpr StateInfo kStates[] = {
    {"t", Quantity::temperature, 1.0, "Temperature of a mixed tank [K]; constant in the other models."},
    {"heat_in", Quantity::energy, kUnbounded,
     "Heat that came in at the inlet since the start [J], relative to 273.15 K; plug only."},
    {"volume_in", Quantity::volume, kUnbounded, "Coolant that came in at the inlet since the start [m3]; plug only."},
    {"heat_out", Quantity::energy, kUnbounded, "Heat that left at the outlet since the start [J]; plug only."},
    {"heat_in_back", Quantity::energy, kUnbounded, "Heat that came in at the outlet by reversed flow [J]; plug only."},
    {"volume_in_back", Quantity::volume, kUnbounded,
     "Coolant that came in at the outlet by reversed flow [m3]; plug only."},
    {"heat_out_back", Quantity::energy, kUnbounded, "Heat that left at the inlet by reversed flow [J]; plug only."},
};
constexpr std::size_t kLedgers = 6;
constexpr DiscreteInfo kDiscretes[] = {
    {"t_head", Quantity::temperature, 293.15,
     "Temperature of the content at the outlet when the content was last moved on [K]."},
    {"carry", Quantity::energy, 0.0,
     "Heat that left the content but was not delivered, by the error of integration [J]."},
    {"t_carry", Quantity::temperature_difference, 0.0, "Addition to the outflow that gives the carry back [K]."},
    {"heat_in_seen", Quantity::energy, 0.0, "heat_in when the content was last moved on [J]."},
    {"volume_in_seen", Quantity::volume, 0.0, "volume_in then [m3]."},
    {"heat_out_seen", Quantity::energy, 0.0, "heat_out then [J]."},
    {"heat_in_back_seen", Quantity::energy, 0.0, "heat_in_back then [J]."},
    {"volume_in_back_seen", Quantity::volume, 0.0, "volume_in_back then [m3]."},
    {"heat_out_back_seen", Quantity::energy, 0.0, "heat_out_back then [J]."},
    {"open_volume", Quantity::volume, 0.0,
     "Length of the stretch put down last, while further inflow may still be joined to it [m3]."},
    {"open_heat", Quantity::energy, 0.0, "Heat in it [J], relative to 273.15 K."},
    {"open_t_start", Quantity::temperature, 293.15, "Temperature where it starts [K]."},
};
enum Discrete : std::size_t {
  kHead = kCommonCount,
  kCarry,
  kCarryOffset,
  kSeen,
  kOpenVolume = kSeen + kLedgers,
  kOpenHeat,
  kOpenStart
};
constexpr SignalInfo kSignals[] = {
    {"t_out", Quantity::temperature, SignalType::real, "Temperature at the outlet."},
    {"t_mean", Quantity::temperature, SignalType::real, "Mean temperature of the content."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop."},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; isolate shuts it off"},
};
constexpr ClassInfo kInfo{.name = "tank",
                          .group = "tank",
                          .title = "Thermal buffer tank",
                          .page = "cooling/tank.md",
                          .symbol = "tank",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .refusals = kRefusals};

enum class TankModel { plug, mixed, cells, stratified };

bool inCells(TankModel model) { return model == TankModel::cells || model == TankModel::stratified; }

struct Tank {
  static constexpr int kColumns = 3, kRows = 9;
  static constexpr std::size_t kInletRow = 1 + kLedgers, kOutletRow = 2 + kLedgers;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // t, inlet node, outlet node
    std::array<std::size_t, kRows> rows;        // t, the ledgers, inlet node, outlet node
    std::size_t self, edge, from, to;
    const fluids::CoolantHeat* coolant;
    const System* system;
    double volume, density, cp, k, m_linear;
    TankModel model;
    const KernelSet<Tank>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static TankModel modelOf(const InstanceDescription& d) {
    const std::string& name = d.text("model");
    if (name == "stratified") return TankModel::stratified;
    return name == "mixed" ? TankModel::mixed : (name == "cells" ? TankModel::cells : TankModel::plug);
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Tank>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    p.volume = d.number("volume");
    p.density = b.density(p.from);
    p.cp = b.specificHeat(p.from);
    p.coolant = &b.coolantHeat(p.from);
    p.system = &b.system();
    p.model = modelOf(d);
    const double m = d.number("flow") * p.density;
    p.k = d.number("dp") / (m * m);
    p.m_linear = kLinearShare * m;
    const ThermalPort in = b.nodePort(p.from), out = b.nodePort(p.to);
    p.columns = {set.yIndex(0, i), in.column, out.column};
    for (std::size_t k = 0; k <= kLedgers; ++k) p.rows[k] = set.yIndex(k, i);
    p.rows[kInletRow] = in.row;
    p.rows[kOutletRow] = out.row;
    if (p.model == TankModel::mixed)
      b.coolantCapacity(set.yIndex(0, i), p.from, p.volume * p.density);
    else
      b.capacity(set.yIndex(0, i), kUnbounded);
    if (p.model == TankModel::plug) b.coolantVolumeOf(i, p.from, p.volume);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Tank>& set, State& s, double temperature) {
    for (std::size_t k = 1; k <= kLedgers; ++k) s.y[set.yIndex(k, i)] = 0.0;
    const double carried = p.coolant->carried(temperature);
    set.z(s, kHead, i) = carried;
    if (p.model == TankModel::plug) s.lines[set.line_first + i] = {{p.volume}, {carried}, 0};
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Tank>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.k = p.k;
    law.m_linear = p.m_linear;
    law.open = set.z(e, kInService, i) != 0.0;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    if (inCells(p.model)) return;  // by the set
    const double m = e.m[p.edge], rate = std::abs(m) * p.cp;
    const bool forward = m >= 0.0;
    const S in = p.coolant->carried(forward ? x[1] : x[2]), out_node = p.coolant->carried(forward ? x[2] : x[1]);
    S out = in;
    if (p.model == TankModel::mixed) {
      out = p.coolant->carried(x[0]);
      r[0] = S(rate) * (in - out);
    } else {
      const std::size_t ledger = forward ? 0 : 3;
      r[1 + ledger] = S(rate) * (in - S(kReferenceTemperature));
      r[2 + ledger] = S(std::abs(m) / p.density);
      out = leaving(p, e, forward, in);
      r[3 + ledger] = S(rate) * (out - S(kReferenceTemperature));
    }
    r[forward ? kOutletRow : kInletRow] = S(rate) * (out - out_node);
  }
  // The content of a plug is kept, and leaves, as the temperature that it carries (CoolantHeat::carried).
  /// What leaves now: the content as far behind its end as coolant has come in since it was last moved on.
  template <class S>
  static S leaving(const Instance& p, const Evaluation& e, bool forward, const S& in) {
    if (e.steady_search) return in;  // a delay has no effect on a steady state: its search sees what comes in
    const std::size_t ledger = forward ? 1 : 4;
    const double depth = e.y[p.set->yIndex(1 + ledger, p.self)] - p.set->z(e, kSeen + ledger, p.self);
    if (depth >= p.volume) return in;  // the step has turned the content over
    const DelayLine& line = e.lines->lines[p.set->line_first + p.self];
    const double t_head = p.set->z(e, kHead, p.self);
    return S((forward ? plug::behindOutlet(line, t_head, depth) : plug::aheadOfInlet(line, t_head, depth)) +
             p.set->z(e, kCarryOffset, p.self));
  }
  static double meanTemperature(std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    if (p.model == TankModel::mixed) return e.y[set.yIndex(0, i)];
    return p.coolant->fromCarried(kReferenceTemperature +
                                  plug::content(e.lines->lines[set.line_first + i], set.z(e, kHead, i)) / p.volume);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Tank>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        if (p.model != TankModel::plug) return e.y[set.yIndex(0, i)];
        // Under reversed flow the outlet has what stands there; the content has not been moved on since the step began.
        return p.coolant->fromCarried(e.m[p.edge] >= 0.0 ? leaving(p, e, true, p.coolant->carried(e.y[p.columns[1]]))
                                                         : set.z(e, kHead, i) + set.z(e, kCarryOffset, i));
      case 1:
        return meanTemperature(i, p, set, e);
      case 2:
        return e.m[p.edge] / p.density;
      default:
        return e.p[p.from] - e.p[p.to];
    }
  }
  static double storedEnergy(std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    if (inCells(p.model)) return 0.0;  // by the set
    if (p.model == TankModel::mixed) return p.volume * p.density * p.coolant->enthalpy(e.y[set.yIndex(0, i)]);
    return p.density * p.cp * plug::content(e.lines->lines[set.line_first + i], set.z(e, kHead, i)) +
           set.z(e, kCarry, i) + sinceMovedOn(i, set, e);
  }
  /// Heat that came in less what left since the content was last moved on: 0 but inside a step.
  static double sinceMovedOn(std::size_t i, const KernelSet<Tank>& set, const Evaluation& e) {
    constexpr std::pair<std::size_t, double> kHeats[] = {{0, 1.0}, {2, -1.0}, {3, 1.0}, {5, -1.0}};  // of the ledgers
    double heat = 0.0;
    for (const auto& [ledger, sign] : kHeats)
      heat += sign * (e.y[set.yIndex(1 + ledger, i)] - set.z(e, kSeen + ledger, i));
    return heat;
  }
};

/// What passes between neighbouring layers [W/K]: conduction, and mixing where the lower one is not the colder by
/// kEqual. A sharp switch at equality would be a ratchet: what an integrator errs by would only ever pass upward.
struct Layers {
  bool given = false;
  double conduction = 0.0, mixing = 0.0;
  bool top_first = true;                   ///< cell 0 is the uppermost
  static constexpr double kEqual = 0.002;  // K; layers less stratified count as equal, an estimate
  /// Heat [W] from the first to the next layer, and its derivative by the difference of their temperatures [W/K]. In a
  /// search for a steady state layers only conduct: at rest all are as warm as what flows in, by any conductance, and
  /// mixing that comes and goes at capacities compressed for less would take steps without end.
  double heat(double first, double next, bool steady_search, double& slope) const {
    slope = conduction;
    if (steady_search) return conduction * (first - next);
    const double warmer_below = top_first ? next - first : first - next;
    const double x = std::clamp(1.0 + warmer_below / kEqual, 0.0, 1.0);
    const double mixed = mixing * x * x * (3.0 - 2.0 * x);
    slope = conduction + mixed + warmer_below * mixing * 6.0 * x * (1.0 - x) / kEqual;
    return (conduction + mixed) * (first - next);
  }
};

/// `heat_capacity` [J/K] is that of a layer.
Layers layersOf(const InstanceDescription& d, double heat_capacity) {
  const double height = d.number("height"), area = d.number("volume") / height, thickness = height / d.number("cells");
  return {.given = true,
          .conduction = d.number("conductivity") * area / thickness,
          .mixing = heat_capacity / d.number("mixing_time"),
          .top_first = d.text("inlet_at") == "top"};
}

class TankSet final : public KernelSet<Tank> {
 public:
  explicit TankSet(std::vector<const InstanceDescription*> instances)
      : KernelSet<Tank>(std::move(instances)), rows_(size()) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (!inCells(Tank::modelOf(description(i)))) continue;
      rows_[i].first = cells_;
      rows_[i].count = static_cast<std::size_t>(description(i).number("cells"));
      cells_ += rows_[i].count;
    }
  }
  std::size_t lineCount() const override { return size(); }
  double contentTemperature(const Evaluation& e, std::size_t i) const override {
    return Tank::meanTemperature(i, instance(i), *this, e);
  }
  std::size_t exposedCount() const override { return info().states.size() * size() + cells_; }
  std::string unknownName(std::size_t k) const override {
    if (k < info().states.size() * size()) return KernelSet<Tank>::unknownName(k);
    k -= info().states.size() * size();
    std::size_t i = 0;
    while (k >= rows_[i].first + rows_[i].count) ++i;  // tanks without cells come with a count of 0 before theirs
    return ids()[i] + ".cell " + std::to_string(k - rows_[i].first);
  }

  void bind(Binder& b) override {
    KernelSet<Tank>::bind(b);
    for (std::size_t i = 0; i < size(); ++i) {
      CellRow& row = rows_[i];
      const Tank::Instance& p = instance(i);
      row.mass = p.volume * p.density / static_cast<double>(std::max<std::size_t>(row.count, 1));
      if (p.model == TankModel::stratified) row.layers = layersOf(description(i), row.mass * p.cp);
      for (std::size_t c = 0; c < row.count; ++c) {
        b.coolantCapacity(cell(i, c), p.from, row.mass);
        row.slots.push_back(b.couple(cell(i, c), cell(i, c)));
        row.slots.push_back(b.couple(cell(i, c), c == 0 ? p.columns[1] : cell(i, c - 1)));
        row.slots.push_back(b.couple(cell(i, c), c + 1 == row.count ? p.columns[2] : cell(i, c + 1)));
      }
      if (row.count == 0) continue;
      row.slots.push_back(b.couple(p.rows[Tank::kOutletRow], cell(i, row.count - 1)));
      row.slots.push_back(b.couple(p.rows[Tank::kOutletRow], p.columns[2]));
      row.slots.push_back(b.couple(p.rows[Tank::kInletRow], cell(i, 0)));
      row.slots.push_back(b.couple(p.rows[Tank::kInletRow], p.columns[1]));
    }
  }
  void initialise(State& state, double temperature) const override {
    KernelSet<Tank>::initialise(state, temperature);
    for (std::size_t c = 0; c < cells_; ++c) state.y[exposed_first + info().states.size() * size() + c] = temperature;
  }
  void rates(Evaluation& e) const override {
    KernelSet<Tank>::rates(e);
    for (std::size_t i = 0; i < size(); ++i) {
      const CellRow& row = rows_[i];
      if (row.count == 0) continue;
      const Tank::Instance& p = instance(i);
      const double m = e.m[p.edge], rate = std::abs(m) * p.cp;
      double donor = p.coolant->carried(e.y[p.columns[m >= 0.0 ? 1 : 2]]);
      for (std::size_t n = 0; n < row.count; ++n) {
        const std::size_t own = cell(i, m >= 0.0 ? n : row.count - 1 - n);
        const double carried = p.coolant->carried(e.y[own]);
        e.heat[own] += rate * (donor - carried);
        donor = carried;
      }
      e.heat[p.rows[m >= 0.0 ? Tank::kOutletRow : Tank::kInletRow]] +=
          rate * (donor - p.coolant->carried(e.y[p.columns[m >= 0.0 ? 2 : 1]]));
      for (std::size_t c = 0; row.layers.given && c + 1 < row.count; ++c) {
        double slope = 0.0;
        const double heat = row.layers.heat(e.y[cell(i, c)], e.y[cell(i, c + 1)], e.steady_search, slope);
        e.heat[cell(i, c)] -= heat;
        e.heat[cell(i, c + 1)] += heat;
      }
    }
  }
  void jacobian(const Evaluation& e, JacobianWriter& w) const override {
    KernelSet<Tank>::jacobian(e, w);
    for (std::size_t i = 0; i < size(); ++i) {
      const CellRow& row = rows_[i];
      if (row.count == 0) continue;
      const Tank::Instance& p = instance(i);
      const bool forward = e.m[p.edge] >= 0.0;
      const auto by = [&](std::size_t column) { return std::abs(e.m[p.edge]) * p.coolant->specificHeat(e.y[column]); };
      std::size_t donor = p.columns[forward ? 1 : 2];
      for (std::size_t n = 0; n < row.count; ++n) {
        const std::size_t c = forward ? n : row.count - 1 - n;
        w.add(row.slots[3 * c], cell(i, c), -by(cell(i, c)));
        w.add(row.slots[3 * c + (forward ? 1 : 2)], cell(i, c), by(donor));
        donor = cell(i, c);
      }
      const std::size_t* end = &row.slots[3 * row.count + (forward ? 0 : 2)];
      const std::size_t sink = p.rows[forward ? Tank::kOutletRow : Tank::kInletRow];
      w.add(end[0], sink, by(donor));
      w.add(end[1], sink, -by(p.columns[forward ? 2 : 1]));
      for (std::size_t c = 0; row.layers.given && c + 1 < row.count; ++c) {
        double g = 0.0;
        row.layers.heat(e.y[cell(i, c)], e.y[cell(i, c + 1)], e.steady_search, g);
        w.add(row.slots[3 * c], cell(i, c), -g);
        w.add(row.slots[3 * c + 2], cell(i, c), g);
        w.add(row.slots[3 * (c + 1)], cell(i, c + 1), -g);
        w.add(row.slots[3 * (c + 1) + 1], cell(i, c + 1), g);
      }
    }
  }
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
  }
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override {
    const CellRow& row = rows_[i];
    if (row.count > 0 && k == 0) return e.y[cell(i, row.count - 1)];
    if (row.count > 0 && k == 1) {
      double sum = 0.0;
      for (std::size_t c = 0; c < row.count; ++c) sum += e.y[cell(i, c)];
      return sum / static_cast<double>(row.count);
    }
    return KernelSet<Tank>::signalOf(e, k, i);
  }
  double storedEnergy(const Evaluation& e) const override {
    double sum = KernelSet<Tank>::storedEnergy(e);
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t c = 0; c < rows_[i].count; ++c)
        sum += rows_[i].mass * instance(i).coolant->enthalpy(e.y[cell(i, c)]);
    return sum;
  }

  double nextFront(const Evaluation& e, const State& s, double horizon) const override {
    double soonest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size(); ++i) {
      const Tank::Instance& p = instance(i);
      const double flow = e.m[p.edge] / p.density;
      if (p.model != TankModel::plug || flow == 0.0) continue;
      soonest =
          std::min(soonest, plug::nextFront(s.lines[line_first + i], s.z[zIndex(kHead, i)], flow, p.volume, horizon));
    }
    return soonest;
  }

  // Moves the content on by what came in over the step, as the integrator itself accumulated it. What left is in a
  // ledger of the same integrator; the content lost what stood in its profile. The difference, an error of integration,
  // is carried and given back slowly, so that no heat is lost.
  void advance(const Evaluation& e, State& s, double) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      const Tank::Instance& p = instance(i);
      if (p.model != TankModel::plug) continue;
      DelayLine& line = s.lines[line_first + i];
      double gained[kLedgers];
      for (std::size_t k = 0; k < kLedgers; ++k) {
        const double now = s.y[yIndex(1 + k, i)];
        gained[k] = now - z(s, kSeen + k, i);
        z(s, kSeen + k, i) = now;
      }
      const bool forward = e.m[p.edge] >= 0.0;
      if (e.steady_search) {
        const double t = p.coolant->carried(p.system->temperature(s, p.columns[forward ? 1 : 2]));
        line = {{p.volume}, {t}, 0};
        z(s, kHead, i) = t;
        z(s, kCarry, i) = z(s, kCarryOffset, i) = z(s, kOpenVolume, i) = 0.0;
        continue;
      }
      if (gained[1] > 0.0)
        move(p, s, i, gained[1], gained[0], gained[2],
             forward ? p.coolant->carried(p.system->temperature(s, p.columns[1])) : kRequired);
      if (gained[4] > 0.0) {
        z(s, kHead, i) = plug::reverse(line, z(s, kHead, i));
        z(s, kOpenVolume, i) = 0.0;
        move(p, s, i, gained[4], gained[3], gained[5],
             forward ? kRequired : p.coolant->carried(p.system->temperature(s, p.columns[2])));
        z(s, kHead, i) = plug::reverse(line, z(s, kHead, i));
        z(s, kOpenVolume, i) = 0.0;
      }
    }
  }

 private:
  struct CellRow {
    std::size_t first = 0, count = 0;
    double mass = 0.0;  // kg, of a cell
    Layers layers;
    std::vector<std::size_t> slots;
  };
  std::size_t cell(std::size_t i, std::size_t c) const {
    return exposed_first + info().states.size() * size() + rows_[i].first + c;
  }

  /// `volume` with `heat_in` enters at the tail, its last bit at `t_end` (NaN: unknown); as much leaves at the head, of
  /// which `heat_out` was delivered.
  void move(const Tank::Instance& p, State& s, std::size_t i, double volume, double heat_in, double heat_out,
            double t_end) const {
    const double rho_cp = p.density * p.cp;
    plug::Stretch open{z(s, kOpenVolume, i), z(s, kOpenHeat, i), z(s, kOpenStart, i)};
    const double taken = plug::move(s.lines[line_first + i], z(s, kHead, i), open,
                                    {.volume = volume, .heat = heat_in, .t_end = t_end}, {p.volume, rho_cp});
    z(s, kOpenVolume, i) = open.volume;
    z(s, kOpenHeat, i) = open.heat;
    z(s, kOpenStart, i) = open.start;
    z(s, kCarry, i) += rho_cp * taken - heat_out;
    z(s, kCarryOffset, i) = z(s, kCarry, i) / (rho_cp * std::max(volume, p.volume));
  }
  std::vector<CellRow> rows_;
  std::size_t cells_ = 0;
};

}  // namespace

RegisteredClass tankClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<TankSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
