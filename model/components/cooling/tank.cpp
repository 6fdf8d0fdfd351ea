// Thermal buffer tank: plug flow, mixed or a row of cells. Equations: tank.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of stored heat
constexpr double kLinearShare = 1e-3;
constexpr double kStepShare = 1.0 / 1000.0;  // of the volume; inflow is put down in stretches no shorter than this
constexpr std::size_t kManyPieces = 4096;    // from here on inflow is joined whatever its temperature
constexpr double kFrontPassed = 1e-7;        // s; what leaves within this time counts as gone
constexpr double kFrontHeight = 0.1;  // K; steep is more than this over a stretch of kStepShare, a front is steep ...
                                      // ... over more than this
constexpr double kCarryShare = 1.0 / 100.0;  // of the volume over which a carry is given back at the fastest
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
     .meaning = "plug: coolant leaves in the order it came; mixed: one temperature; cells: mixed cells in a row.",
     .source = "practice.md section 6 incident 2 compares mixed and stratified",
     .choices = "plug|mixed|cells"},
    {.name = "cells",
     .kind = ParameterKind::integer,
     .fallback = 20,
     .low = 1,
     .high = 1000,
     .meaning = "Number of cells of the model cells.",
     .source = "estimate: the front is spread over a fifth of the tank"},
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

enum class TankModel { plug, mixed, cells };

// The content as a profile of temperature over volume, linear in pieces and in order of entry: piece k has volume[k],
// and temperature[k] is that of its end on the side where coolant enters. The end where coolant leaves has `t_head`.

/// Heat in the content over heat capacity a volume, relative to the reference temperature [m3 K].
double content(const DelayLine& line, double t_head) {
  double sum = 0.0, t = t_head;
  for (std::size_t k = line.head; k < line.volume.size(); ++k) {
    sum += line.volume[k] * (0.5 * (t + line.temperature[k]) - kReferenceTemperature);
    t = line.temperature[k];
  }
  return sum;
}

/// Temperature `depth` [m3] behind the outlet.
double behindOutlet(const DelayLine& line, double t_head, double depth) {
  double t = t_head;
  for (std::size_t k = line.head; k < line.volume.size(); ++k) {
    if (depth < line.volume[k]) return t + (line.temperature[k] - t) * std::max(depth, 0.0) / line.volume[k];
    depth -= line.volume[k];
    t = line.temperature[k];
  }
  return t;
}

/// Temperature `depth` [m3] ahead of the inlet.
double aheadOfInlet(const DelayLine& line, double t_head, double depth) {
  for (std::size_t k = line.volume.size(); k-- > line.head;) {
    const double t = line.temperature[k], next = k > line.head ? line.temperature[k - 1] : t_head;
    if (depth < line.volume[k]) return t + (next - t) * std::max(depth, 0.0) / line.volume[k];
    depth -= line.volume[k];
  }
  return t_head;
}

/// Depth [m3] behind the end where coolant leaves, greater than `passed`, at which the next front begins or ends: where
/// the profile changes by more than `height` [K] faster than by `slope` [K/m3]. Infinite when none begins before
/// `deepest`.
double nextFrontDepth(const DelayLine& line, double t_head, bool forward, double slope, double height, double passed,
                      double deepest) {
  const std::size_t count = line.volume.size() - line.head;
  const auto last = [&](std::size_t k) { return k > line.head ? line.temperature[k - 1] : t_head; };
  double depth = 0.0, begin = 0.0, t_begin = 0.0;
  bool steep = false;
  for (std::size_t n = 0; n <= count; ++n) {
    const std::size_t k = forward ? line.head + n : line.volume.size() - 1 - n;
    const double t = n == count ? 0.0 : (forward ? last(k) : line.temperature[k]);
    const double t_next = n == count ? 0.0 : (forward ? line.temperature[k] : last(k));
    const bool steep_here = n < count && std::abs(t_next - t) > slope * line.volume[k];
    if (steep && !steep_here) {
      const double t_end = n == count ? (forward ? line.temperature.back() : t_head) : t;
      if (std::abs(t_end - t_begin) > height) {
        if (begin > passed) return begin;
        if (depth > passed) return depth;
      }
    }
    if (n == count || (!steep_here && depth > deepest)) break;
    if (steep_here && !steep) {
      begin = depth;
      t_begin = t;
    }
    steep = steep_here;
    depth += line.volume[k];
  }
  return std::numeric_limits<double>::infinity();
}

struct Tank {
  static constexpr int kColumns = 3, kRows = 9;
  static constexpr std::size_t kInletRow = 1 + kLedgers, kOutletRow = 2 + kLedgers;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // t, inlet node, outlet node
    std::array<std::size_t, kRows> rows;        // t, the ledgers, inlet node, outlet node
    std::size_t self, edge, from, to;
    double volume, density, cp, k, m_linear;
    TankModel model;
    const KernelSet<Tank>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static TankModel modelOf(const InstanceDescription& d) {
    const std::string& name = d.text("model");
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
    p.model = modelOf(d);
    const double m = d.number("flow") * p.density;
    p.k = d.number("dp") / (m * m);
    p.m_linear = kLinearShare * m;
    const ThermalPort in = b.nodePort(p.from), out = b.nodePort(p.to);
    p.columns = {set.yIndex(0, i), in.column, out.column};
    for (std::size_t k = 0; k <= kLedgers; ++k) p.rows[k] = set.yIndex(k, i);
    p.rows[kInletRow] = in.row;
    p.rows[kOutletRow] = out.row;
    b.capacity(set.yIndex(0, i), p.model == TankModel::mixed ? p.volume * p.density * p.cp : kUnbounded);
    if (p.model == TankModel::mixed) b.coolantVolume(p.from, set.yIndex(0, i), p.volume);
    if (p.model == TankModel::plug) b.coolantVolumeOf(i, p.from, p.volume);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Tank>& set, State& s, double temperature) {
    for (std::size_t k = 1; k <= kLedgers; ++k) s.y[set.yIndex(k, i)] = 0.0;
    set.z(s, kHead, i) = temperature;
    if (p.model == TankModel::plug) s.lines[set.line_first + i] = {{p.volume}, {temperature}, 0};
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Tank>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.k = p.k;
    law.m_linear = p.m_linear;
    law.open = set.z(e, kInService, i) != 0.0;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    if (p.model == TankModel::cells) return;  // by the set
    const double m = e.m[p.edge], rate = std::abs(m) * p.cp;
    const bool forward = m >= 0.0;
    const S& in = forward ? x[1] : x[2];
    const S& out_node = forward ? x[2] : x[1];
    S out = x[0];
    if (p.model == TankModel::mixed) {
      r[0] = S(rate) * (in - x[0]);
    } else {
      const std::size_t ledger = forward ? 0 : 3;
      r[1 + ledger] = S(rate) * (in - S(kReferenceTemperature));
      r[2 + ledger] = S(std::abs(m) / p.density);
      out = leaving(p, e, forward, in);
      r[3 + ledger] = S(rate) * (out - S(kReferenceTemperature));
    }
    r[forward ? kOutletRow : kInletRow] = S(rate) * (out - out_node);
  }
  /// What leaves now: the content as far behind its end as coolant has come in since it was last moved on.
  template <class S>
  static S leaving(const Instance& p, const Evaluation& e, bool forward, const S& in) {
    if (e.steady_search) return in;  // a delay has no effect on a steady state: its search sees what comes in
    const std::size_t ledger = forward ? 1 : 4;
    const double depth = e.y[p.set->yIndex(1 + ledger, p.self)] - p.set->z(e, kSeen + ledger, p.self);
    if (depth >= p.volume) return in;  // the step has turned the content over
    const DelayLine& line = e.lines->lines[p.set->line_first + p.self];
    const double t_head = p.set->z(e, kHead, p.self);
    return S((forward ? behindOutlet(line, t_head, depth) : aheadOfInlet(line, t_head, depth)) +
             p.set->z(e, kCarryOffset, p.self));
  }
  static double meanTemperature(std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    if (p.model == TankModel::mixed) return e.y[set.yIndex(0, i)];
    return kReferenceTemperature + content(e.lines->lines[set.line_first + i], set.z(e, kHead, i)) / p.volume;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Tank>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        if (p.model != TankModel::plug) return e.y[set.yIndex(0, i)];
        // Under reversed flow the outlet has what stands there; the content has not been moved on since the step began.
        return e.m[p.edge] >= 0.0 ? leaving(p, e, true, e.y[p.columns[1]])
                                  : set.z(e, kHead, i) + set.z(e, kCarryOffset, i);
      case 1:
        return meanTemperature(i, p, set, e);
      case 2:
        return e.m[p.edge] / p.density;
      default:
        return e.p[p.from] - e.p[p.to];
    }
  }
  static double storedEnergy(std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    if (p.model == TankModel::cells) return 0.0;  // by the set
    if (p.model == TankModel::mixed)
      return p.volume * p.density * p.cp * (e.y[set.yIndex(0, i)] - kReferenceTemperature);
    return p.density * p.cp * content(e.lines->lines[set.line_first + i], set.z(e, kHead, i)) + set.z(e, kCarry, i) +
           sinceMovedOn(i, set, e);
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

class TankSet final : public KernelSet<Tank> {
 public:
  explicit TankSet(std::vector<const InstanceDescription*> instances)
      : KernelSet<Tank>(std::move(instances)), rows_(size()) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (Tank::modelOf(description(i)) != TankModel::cells) continue;
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

  void bind(Binder& b) override {
    KernelSet<Tank>::bind(b);
    for (std::size_t i = 0; i < size(); ++i) {
      CellRow& row = rows_[i];
      const Tank::Instance& p = instance(i);
      row.capacity = p.volume * p.density * p.cp / static_cast<double>(std::max<std::size_t>(row.count, 1));
      for (std::size_t c = 0; c < row.count; ++c) {
        b.capacity(cell(i, c), row.capacity);
        b.coolantVolume(p.from, cell(i, c), p.volume / static_cast<double>(row.count));
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
      double donor = e.y[p.columns[m >= 0.0 ? 1 : 2]];
      for (std::size_t n = 0; n < row.count; ++n) {
        const std::size_t own = cell(i, m >= 0.0 ? n : row.count - 1 - n);
        e.heat[own] += rate * (donor - e.y[own]);
        donor = e.y[own];
      }
      e.heat[p.rows[m >= 0.0 ? Tank::kOutletRow : Tank::kInletRow]] +=
          rate * (donor - e.y[p.columns[m >= 0.0 ? 2 : 1]]);
    }
  }
  void jacobian(const Evaluation& e, JacobianWriter& w) const override {
    KernelSet<Tank>::jacobian(e, w);
    for (std::size_t i = 0; i < size(); ++i) {
      const CellRow& row = rows_[i];
      if (row.count == 0) continue;
      const Tank::Instance& p = instance(i);
      const double m = e.m[p.edge], rate = std::abs(m) * p.cp;
      for (std::size_t c = 0; c < row.count; ++c) {
        w.add(row.slots[3 * c], cell(i, c), -rate);
        w.add(row.slots[3 * c + (m >= 0.0 ? 1 : 2)], cell(i, c), rate);
      }
      const std::size_t* end = &row.slots[3 * row.count + (m >= 0.0 ? 0 : 2)];
      w.add(end[0], p.rows[m >= 0.0 ? Tank::kOutletRow : Tank::kInletRow], rate);
      w.add(end[1], p.rows[m >= 0.0 ? Tank::kOutletRow : Tank::kInletRow], -rate);
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
        sum += rows_[i].capacity * (e.y[cell(i, c)] - kReferenceTemperature);
    return sum;
  }

  double nextFront(const Evaluation& e, const State& s, double horizon) const override {
    double soonest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size(); ++i) {
      const Tank::Instance& p = instance(i);
      const double flow = e.m[p.edge] / p.density;
      if (p.model != TankModel::plug || flow == 0.0) continue;
      const double depth = nextFrontDepth(s.lines[line_first + i], s.z[zIndex(kHead, i)], flow > 0.0,
                                          kFrontHeight / (kStepShare * p.volume), kFrontHeight,
                                          kFrontPassed * std::abs(flow), horizon * std::abs(flow));
      soonest = std::min(soonest, depth / std::abs(flow));
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
        const double t = s.y[p.columns[forward ? 1 : 2]];
        line = {{p.volume}, {t}, 0};
        z(s, kHead, i) = t;
        z(s, kCarry, i) = z(s, kCarryOffset, i) = z(s, kOpenVolume, i) = 0.0;
        continue;
      }
      if (gained[1] > 0.0) move(p, s, i, gained[1], gained[0], gained[2], forward ? s.y[p.columns[1]] : kRequired);
      if (gained[4] > 0.0) {
        z(s, kHead, i) = reverse(line, z(s, kHead, i));
        z(s, kOpenVolume, i) = 0.0;
        move(p, s, i, gained[4], gained[3], gained[5], forward ? kRequired : s.y[p.columns[2]]);
        z(s, kHead, i) = reverse(line, z(s, kHead, i));
        z(s, kOpenVolume, i) = 0.0;
      }
    }
  }

 private:
  struct CellRow {
    std::size_t first = 0, count = 0;
    double capacity = 0.0;
    std::vector<std::size_t> slots;
  };
  std::size_t cell(std::size_t i, std::size_t c) const {
    return exposed_first + info().states.size() * size() + rows_[i].first + c;
  }

  /// `volume` with `heat_in` enters at the tail, its last bit at `t_end` (NaN: unknown); as much leaves at the head, of
  /// which `heat_out` was delivered.
  void move(const Tank::Instance& p, State& s, std::size_t i, double volume, double heat_in, double heat_out,
            double t_end) const {
    DelayLine& line = s.lines[line_first + i];
    const double rho_cp = p.density * p.cp;
    enter(p, s, i, volume, heat_in, t_end);
    double left = volume, taken = 0.0, t = z(s, kHead, i);
    for (;;) {
      double& piece = line.volume[line.head];
      const double end = line.temperature[line.head];
      const bool whole = left >= piece && line.head + 1 < line.volume.size();
      const double part = whole ? piece : std::min(left, piece);
      const double cut = whole || piece <= 0.0 ? end : t + (end - t) * part / piece;
      taken += part * (0.5 * (t + cut) - kReferenceTemperature);
      t = cut;
      left -= part;
      piece -= part;
      if (!whole) break;
      ++line.head;
    }
    z(s, kHead, i) = t;
    z(s, kCarry, i) += rho_cp * taken - heat_out;
    z(s, kCarryOffset, i) = z(s, kCarry, i) / (rho_cp * std::max(volume, kCarryShare * p.volume));
    constexpr std::size_t kUnusedPieces = 1024;  // kept in front of the head before the line is moved down
    if (line.head > kUnusedPieces) trim(line);
  }

  /// Puts `volume` with `heat` [J] down behind the tail as two pieces that hold exactly that heat and go from the
  /// tail's temperature to `t_end`: a ramp and a level where the mean lies between them, else a rise and a fall.
  void enter(const Tank::Instance& p, State& s, std::size_t i, double volume, double heat, double t_end) const {
    DelayLine& line = s.lines[line_first + i];
    double start = line.temperature.back();
    double &open_volume = z(s, kOpenVolume, i), &open_heat = z(s, kOpenHeat, i), &open_start = z(s, kOpenStart, i);
    const double mean_here = kReferenceTemperature + heat / (p.density * p.cp * volume);
    const bool gentle = std::max(std::abs(mean_here - open_start), std::abs(start - open_start)) < kFrontHeight;
    const std::size_t pieces = line.volume.size() - line.head;
    if (open_volume > 0.0 && open_volume < kStepShare * p.volume && pieces >= 4 && (gentle || pieces > kManyPieces)) {
      // The last stretch was short, and no front is in it or here: this one and it are put down as one.
      line.volume.resize(line.volume.size() - 2);
      line.temperature.resize(line.temperature.size() - 2);
      volume += open_volume;
      heat += open_heat;
      start = open_start;
    }
    open_volume = volume;
    open_heat = heat;
    open_start = start;
    const double mean = kReferenceTemperature + heat / (p.density * p.cp * volume), end = t_end == t_end ? t_end : mean;
    const auto put = [&](double part, double temperature) {
      line.volume.push_back(part);
      line.temperature.push_back(temperature);
    };
    const double from_start = std::abs(mean - start), from_end = std::abs(end - mean), whole = std::abs(end - start);
    constexpr double kFlat = 1e-9;  // K; a stretch that changes less has no ramp to place
    if (whole <= kFlat || from_start > whole || from_end > whole) {
      put(0.5 * volume, 2.0 * mean - 0.5 * (start + end));
      put(0.5 * volume, end);
    } else if (from_end <= from_start) {
      const double ramp = 2.0 * from_end / whole * volume;
      put(ramp, end);
      put(volume - ramp, end);
    } else {
      const double ramp = 2.0 * from_start / whole * volume;
      put(volume - ramp, start);
      put(ramp, end);
    }
  }
  static void trim(DelayLine& line) {
    const auto head = static_cast<std::ptrdiff_t>(line.head);
    line.volume.erase(line.volume.begin(), line.volume.begin() + head);
    line.temperature.erase(line.temperature.begin(), line.temperature.begin() + head);
    line.head = 0;
  }
  /// Turns the content around; returns the temperature at its new head.
  static double reverse(DelayLine& line, double t_head) {
    trim(line);
    const double tail = line.temperature.back();
    line.temperature.pop_back();
    line.temperature.insert(line.temperature.begin(), t_head);
    std::reverse(line.volume.begin(), line.volume.end());
    std::reverse(line.temperature.begin(), line.temperature.end());
    return tail;
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
