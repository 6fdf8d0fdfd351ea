// Thermal buffer tank: plug flow, mixed or a row of cells. Equations: tank.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of stored heat
constexpr double kLinearShare = 1e-3;
constexpr double kParcelShare = 1.0 / 4000.0;  // of the volume; smaller parcels are joined to the one before
constexpr double kCarryShare = 1.0 / 1000.0;   // of the volume over which a carry is given back at the fastest
constexpr double kEmptyShare = 1e-12;          // of the volume; a parcel below it is joined to the next
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "volume", .quantity = Quantity::volume, .low = 1e-6, .high = 1e6, .meaning = "Coolant in the tank.", .source = ""},
    {.name = "model", .kind = ParameterKind::choice, .fallback = 0.0, .meaning = "plug: coolant leaves in the order it came; mixed: one temperature; cells: mixed cells in a row.", .source = "practice.md section 6 incident 2 compares mixed and stratified", .choices = "plug|mixed|cells"},
    {.name = "cells", .kind = ParameterKind::integer, .fallback = 20, .low = 1, .high = 1000, .meaning = "Number of cells of the model cells.", .source = "estimate: the front is spread over a fifth of the tank"},
    {.name = "dp", .quantity = Quantity::pressure_difference, .fallback = 2e3, .low = 0.0, .high = 1e7, .meaning = "Pressure drop at the stated flow.", .source = "estimate: inlet and outlet nozzles"},
    {.name = "flow", .quantity = Quantity::volume_flow, .fallback = 0.2, .low = 1e-9, .high = 100.0, .meaning = "Flow at which dp is stated.", .source = "estimate: reference pod"},
};
constexpr StateInfo kStates[] = {
    {"t", Quantity::temperature, 1.0, "Temperature of a mixed tank [K]; constant in the other models."},
    {"heat_forward", Quantity::energy, kUnbounded, "Heat that came in at the inlet since the start [J], relative to 273.15 K; plug only."},
    {"volume_forward", Quantity::volume, kUnbounded, "Coolant that came in at the inlet since the start [m3]; plug only."},
    {"heat_back", Quantity::energy, kUnbounded, "Heat that came in at the outlet by reversed flow [J]; plug only."},
    {"volume_back", Quantity::volume, kUnbounded, "Coolant that came in at the outlet by reversed flow [m3]; plug only."},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"t_out_held", Quantity::temperature, 293.15, "Temperature of what leaves a plug tank at its outlet, held over a step [K]."},
    {"t_back_held", Quantity::temperature, 293.15, "Temperature of what leaves at its inlet when the flow is reversed [K]."},
    {"carry", Quantity::energy, 0.0, "Heat of parcels that left, not yet delivered because the temperature was held [J]."},
    {"heat_forward_seen", Quantity::energy, 0.0, "heat_forward at the last step [J]."},
    {"volume_forward_seen", Quantity::volume, 0.0, "volume_forward at the last step [m3]."},
    {"heat_back_seen", Quantity::energy, 0.0, "heat_back at the last step [J]."},
    {"volume_back_seen", Quantity::volume, 0.0, "volume_back at the last step [m3]."},
};
enum Discrete : std::size_t { kOut = kCommonCount, kBack, kCarry, kSeen };
constexpr SignalInfo kSignals[] = {
    {"t_out", Quantity::temperature, SignalType::real, "Temperature at the outlet."},
    {"t_mean", Quantity::temperature, SignalType::real, "Mean temperature of the content."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop."},
};
constexpr ClassInfo kInfo{.name = "tank", .group = "tank", .title = "Thermal buffer tank", .page = "cooling/tank.md", .symbol = "tank",
                          .ports = kPorts, .parameters = kParameters, .states = kStates, .discretes = kDiscretes, .signals = kSignals};

enum class TankModel { plug, mixed, cells };

/// Heat in the parcels [J] over heat capacity a volume, relative to the reference temperature [m3 K].
double content(const DelayLine& line) {
  double sum = 0.0;
  for (std::size_t k = line.head; k < line.volume.size(); ++k) sum += line.volume[k] * (line.temperature[k] - kReferenceTemperature);
  return sum;
}

struct Tank {
  static constexpr int kColumns = 3, kRows = 7;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // t, inlet node, outlet node
    std::array<std::size_t, kRows> rows;        // t, the four ledgers, inlet node, outlet node
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
    p.rows = {set.yIndex(0, i), set.yIndex(1, i), set.yIndex(2, i), set.yIndex(3, i), set.yIndex(4, i), in.row, out.row};
    b.capacity(set.yIndex(0, i), p.model == TankModel::mixed ? p.volume * p.density * p.cp : kUnbounded);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Tank>& set, State& s, double temperature) {
    for (const auto k : {1U, 2U, 3U, 4U}) s.y[set.yIndex(k, i)] = 0.0;
    set.z(s, kOut, i) = set.z(s, kBack, i) = temperature;
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
      // A delay has no effect on a steady state: its search sees what comes in.
      out = e.steady_search ? in : S(p.set->z(e, forward ? kOut : kBack, p.self));
      r[forward ? 1 : 3] = S(rate) * (in - S(kReferenceTemperature));
      r[forward ? 2 : 4] = S(std::abs(m) / p.density);
    }
    r[forward ? 6 : 5] = S(rate) * (out - out_node);
  }
  static double meanTemperature(std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    if (p.model == TankModel::mixed) return e.y[set.yIndex(0, i)];
    return kReferenceTemperature + content(e.lines->lines[set.line_first + i]) / p.volume;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    switch (k) {
      case 0: return p.model == TankModel::plug ? set.z(e, kOut, i) : e.y[set.yIndex(0, i)];
      case 1: return meanTemperature(i, p, set, e);
      case 2: return e.m[p.edge] / p.density;
      default: return e.p[p.from] - e.p[p.to];
    }
  }
  static double storedEnergy(std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    if (p.model == TankModel::cells) return 0.0;  // by the set
    if (p.model == TankModel::mixed) return p.volume * p.density * p.cp * (e.y[set.yIndex(0, i)] - kReferenceTemperature);
    return p.density * p.cp * content(e.lines->lines[set.line_first + i]) + set.z(e, kCarry, i);
  }
};

class TankSet final : public KernelSet<Tank> {
 public:
  explicit TankSet(std::vector<const InstanceDescription*> instances) : KernelSet<Tank>(std::move(instances)), rows_(size()) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (Tank::modelOf(description(i)) != TankModel::cells) continue;
      rows_[i].first = cells_;
      rows_[i].count = static_cast<std::size_t>(description(i).number("cells"));
      cells_ += rows_[i].count;
    }
  }
  std::size_t lineCount() const override { return size(); }
  std::size_t exposedCount() const override { return info().states.size() * size() + cells_; }

  void bind(Binder& b) override {
    KernelSet<Tank>::bind(b);
    for (std::size_t i = 0; i < size(); ++i) {
      CellRow& row = rows_[i];
      const Tank::Instance& p = instance(i);
      row.capacity = p.volume * p.density * p.cp / static_cast<double>(std::max<std::size_t>(row.count, 1));
      for (std::size_t c = 0; c < row.count; ++c) {
        b.capacity(cell(i, c), row.capacity);
        row.slots.push_back(b.couple(cell(i, c), cell(i, c)));
        row.slots.push_back(b.couple(cell(i, c), c == 0 ? p.columns[1] : cell(i, c - 1)));
        row.slots.push_back(b.couple(cell(i, c), c + 1 == row.count ? p.columns[2] : cell(i, c + 1)));
      }
      if (row.count == 0) continue;
      row.slots.push_back(b.couple(p.rows[6], cell(i, row.count - 1)));
      row.slots.push_back(b.couple(p.rows[6], p.columns[2]));
      row.slots.push_back(b.couple(p.rows[5], cell(i, 0)));
      row.slots.push_back(b.couple(p.rows[5], p.columns[1]));
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
      e.heat[p.rows[m >= 0.0 ? 6 : 5]] += rate * (donor - e.y[p.columns[m >= 0.0 ? 2 : 1]]);
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
      w.add(end[0], p.rows[m >= 0.0 ? 6 : 5], rate);
      w.add(end[1], p.rows[m >= 0.0 ? 6 : 5], -rate);
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
      for (std::size_t c = 0; c < rows_[i].count; ++c) sum += rows_[i].capacity * (e.y[cell(i, c)] - kReferenceTemperature);
    return sum;
  }

  // Moves the parcels on by what came in over the step, as the integrator itself accumulated it.
  void advance(const Evaluation& e, State& s, double) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      const Tank::Instance& p = instance(i);
      if (p.model != TankModel::plug) continue;
      DelayLine& line = s.lines[line_first + i];
      double gained[4];
      for (std::size_t k = 0; k < 4; ++k) {
        const double now = s.y[yIndex(1 + k, i)];
        gained[k] = now - z(s, kSeen + k, i);
        z(s, kSeen + k, i) = now;
      }
      if (e.steady_search) {
        const double t = s.y[p.columns[e.m[p.edge] >= 0.0 ? 1 : 2]];
        line = {{p.volume}, {t}, 0};
        z(s, kOut, i) = z(s, kBack, i) = t;
        z(s, kCarry, i) = 0.0;
        continue;
      }
      double& carry = z(s, kCarry, i);
      if (gained[1] > 0.0) z(s, kOut, i) = move(p, line, gained[1], gained[0], z(s, kOut, i), carry);
      if (gained[3] > 0.0) {
        reverse(line);
        z(s, kBack, i) = move(p, line, gained[3], gained[2], z(s, kBack, i), carry);
        reverse(line);
      }
      // The end that nothing left at holds its own parcel's temperature.
      if (!(gained[3] > 0.0)) z(s, kBack, i) = line.temperature.back();
      if (!(gained[1] > 0.0)) z(s, kOut, i) = line.temperature[line.head];
    }
  }

 private:
  struct CellRow {
    std::size_t first = 0, count = 0;
    double capacity = 0.0;
    std::vector<std::size_t> slots;
  };
  std::size_t cell(std::size_t i, std::size_t c) const { return exposed_first + info().states.size() * size() + rows_[i].first + c; }

  /// `volume` with `heat` enters at the tail and as much leaves at the head. It was delivered at the `held` temperature;
  /// what the leaving parcels held besides is added to `carry`. Returns the temperature to hold over the next step:
  /// that of what will leave if it moves as much, with the carry given back.
  static double move(const Tank::Instance& p, DelayLine& line, double volume, double heat, double held, double& carry) {
    const double rho_cp = p.density * p.cp, entering = kReferenceTemperature + heat / (rho_cp * volume);
    if (line.volume.size() > line.head + 1 && line.volume.back() < kParcelShare * p.volume) {
      join(line, line.volume.size() - 1, volume, entering);
    } else {
      line.volume.push_back(volume);
      line.temperature.push_back(entering);
    }
    double left = volume, taken = 0.0;
    for (;;) {
      double& parcel = line.volume[line.head];
      const double part = std::min(parcel, left);
      taken += part * (line.temperature[line.head] - kReferenceTemperature);
      parcel -= part;
      left -= part;
      if (line.head + 1 == line.volume.size() || parcel > kEmptyShare * p.volume) break;
      join(line, line.head + 1, parcel, line.temperature[line.head]);
      ++line.head;
    }
    carry += rho_cp * (taken - volume * (held - kReferenceTemperature));
    constexpr std::size_t kUnusedParcels = 1024;  // kept in front of the head before the line is moved down
    if (line.head > kUnusedParcels) trim(line);

    double ahead = volume, sum = 0.0;
    for (std::size_t k = line.head; k < line.volume.size() && ahead > 0.0; ++k) {
      const double part = std::min(line.volume[k], ahead);
      sum += part * line.temperature[k];
      ahead -= part;
    }
    return (sum + ahead * line.temperature.back()) / volume + carry / (rho_cp * std::max(volume, kCarryShare * p.volume));
  }
  static void join(DelayLine& line, std::size_t k, double volume, double temperature) {
    const double both = line.volume[k] + volume;
    line.temperature[k] += volume / both * (temperature - line.temperature[k]);
    line.volume[k] = both;
  }
  static void trim(DelayLine& line) {
    const auto head = static_cast<std::ptrdiff_t>(line.head);
    line.volume.erase(line.volume.begin(), line.volume.begin() + head);
    line.temperature.erase(line.temperature.begin(), line.temperature.begin() + head);
    line.head = 0;
  }
  static void reverse(DelayLine& line) {
    trim(line);
    std::reverse(line.volume.begin(), line.volume.end());
    std::reverse(line.temperature.begin(), line.temperature.end());
  }
  std::vector<CellRow> rows_;
  std::size_t cells_ = 0;
};

}  // namespace

RegisteredClass tankClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) { out.push_back(std::make_unique<TankSet>(std::move(instances))); }};
}

}  // namespace podtwin
