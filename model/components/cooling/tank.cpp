// Thermal buffer tank, mixed or plug flow. Equations: tank.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of stored heat
constexpr double kLinearShare = 1e-3;
constexpr double kParcelShare = 1.0 / 4000.0;  // of the volume; smaller parcels are joined to the one before
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "volume", .quantity = Quantity::volume, .low = 1e-6, .high = 1e6, .meaning = "Coolant in the tank.", .source = ""},
    {.name = "model", .kind = ParameterKind::choice, .fallback = 0.0, .meaning = "plug: coolant leaves in the order it came; mixed: one temperature.", .source = "practice.md section 6 incident 2 compares both", .choices = "plug|mixed"},
    {.name = "dp", .quantity = Quantity::pressure_difference, .fallback = 2e3, .low = 0.0, .high = 1e7, .meaning = "Pressure drop at the stated flow.", .source = "estimate: inlet and outlet nozzles"},
    {.name = "flow", .quantity = Quantity::volume_flow, .fallback = 0.2, .low = 1e-9, .high = 100.0, .meaning = "Flow at which dp is stated.", .source = "estimate: reference pod"},
};
constexpr StateInfo kStates[] = {
    {"t", Quantity::temperature, 1.0, "Temperature of a mixed tank; follows the inlet of a plug tank for the record only [K]."},
    {"heat_in", Quantity::energy, kUnbounded, "Heat that came in since the start [J], relative to 273.15 K."},
    {"volume_in", Quantity::volume, kUnbounded, "Coolant that came in since the start, inlet to outlet positive [m3]."},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"t_out", Quantity::temperature, 293.15, "Temperature of what leaves at the outlet, held over a step [K]."},
    {"t_back", Quantity::temperature, 293.15, "Temperature of what leaves at the inlet when the flow is reversed [K]."},
    {"carry", Quantity::energy, 0.0, "Heat owed to the outlet by rounding the outflow to a held temperature [J]."},
    {"heat_seen", Quantity::energy, 0.0, "heat_in at the last step [J]."},
    {"volume_seen", Quantity::volume, 0.0, "volume_in at the last step [m3]."},
};
enum Discrete : std::size_t { kOut = kCommonCount, kBack, kCarry, kHeatSeen, kVolumeSeen };
constexpr SignalInfo kSignals[] = {
    {"t_out", Quantity::temperature, SignalType::real, "Temperature at the outlet."},
    {"t_mean", Quantity::temperature, SignalType::real, "Mean temperature of the content."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
};
constexpr ClassInfo kInfo{.name = "tank", .group = "tank", .title = "Thermal buffer tank", .page = "cooling/tank.md", .symbol = "tank",
                          .ports = kPorts, .parameters = kParameters, .states = kStates, .discretes = kDiscretes, .signals = kSignals};

struct Tank {
  static constexpr int kColumns = 3, kRows = 5;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // t, inlet node, outlet node
    std::array<std::size_t, kRows> rows;        // t, heat_in, volume_in, inlet node, outlet node
    std::size_t self, edge;
    double volume, density, cp, k, m_linear;
    bool plug;
    const KernelSet<Tank>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Tank>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    const std::size_t from = b.fluidNode(i, "from"), to = b.fluidNode(i, "to");
    p.edge = b.edge(from, to, d.id);
    p.volume = d.number("volume");
    p.density = b.density(from);
    p.cp = b.specificHeat(from);
    p.plug = d.text("model") != "mixed";
    const double m = d.number("flow") * p.density;
    p.k = d.number("dp") / (m * m);
    p.m_linear = kLinearShare * m;
    p.columns = {set.yIndex(0, i), b.nodePort(from).column, b.nodePort(to).column};
    p.rows = {set.yIndex(0, i), set.yIndex(1, i), set.yIndex(2, i), b.nodePort(from).row, b.nodePort(to).row};
    b.capacity(set.yIndex(0, i), p.plug ? kUnbounded : p.volume * p.density * p.cp);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Tank>& set, State& s, double temperature) {
    for (const auto k : {1U, 2U}) s.y[set.yIndex(k, i)] = 0.0;
    set.z(s, kOut, i) = set.z(s, kBack, i) = temperature;
    if (p.plug) s.lines[set.line_first + i] = {{p.volume}, {temperature}, 0};
  }
  static void edgeLaws(std::size_t, const Instance& p, const KernelSet<Tank>&, Evaluation& e) {
    e.laws[p.edge].k = p.k;
    e.laws[p.edge].m_linear = p.m_linear;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double m = e.m[p.edge], rate = std::abs(m) * p.cp;
    const bool forward = m >= 0.0;
    const S& in = forward ? x[1] : x[2];
    const std::size_t out_row = forward ? 4 : 3;
    const S& out_node = forward ? x[2] : x[1];
    S out = p.plug ? S(p.set->z(e, forward ? kOut : kBack, p.self)) : x[0];
    if (p.plug && e.steady_search) out = in;  // a delay has no steady effect
    if (!p.plug) r[0] = S(rate) * (in - x[0]);
    r[1] = S(rate) * (in - S(kReferenceTemperature));
    r[2] = S(m / p.density);
    r[out_row] = S(rate) * (out - out_node);
  }
  static double meanTemperature(std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    if (!p.plug) return e.y[set.yIndex(0, i)];
    const DelayLine& line = e.lines->lines[set.line_first + i];
    double volume = 0.0, sum = 0.0;
    for (std::size_t k = line.head; k < line.volume.size(); ++k) {
      volume += line.volume[k];
      sum += line.volume[k] * line.temperature[k];
    }
    return sum / volume;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    switch (k) {
      case 0: return p.plug ? set.z(e, kOut, i) : e.y[set.yIndex(0, i)];
      case 1: return meanTemperature(i, p, set, e);
      default: return e.m[p.edge] / p.density;
    }
  }
  static double storedEnergy(std::size_t i, const Instance& p, const KernelSet<Tank>& set, const Evaluation& e) {
    const double content = p.volume * p.density * p.cp * (meanTemperature(i, p, set, e) - kReferenceTemperature);
    if (!p.plug) return content;
    // What came in since the line was last moved on is not in it yet, nor has what left been taken out.
    return content + set.z(e, kCarry, i);
  }
};

class TankSet final : public KernelSet<Tank> {
 public:
  using KernelSet<Tank>::KernelSet;
  std::size_t lineCount() const override { return size(); }

  // Moves the parcels on by what came in over the step. What left did so at the held temperature; the difference to
  // what the leaving parcels held is carried over to the next step, so that no heat is lost.
  void advance(const Evaluation& e, State& s, double h) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      const Tank::Instance& p = instance(i);
      if (!p.plug) continue;
      DelayLine& line = s.lines[line_first + i];
      const double rho_cp = p.density * p.cp;
      const double heat = s.y[yIndex(1, i)] - z(s, kHeatSeen, i), moved = s.y[yIndex(2, i)] - z(s, kVolumeSeen, i);
      z(s, kHeatSeen, i) = s.y[yIndex(1, i)];
      z(s, kVolumeSeen, i) = s.y[yIndex(2, i)];
      if (e.steady_search) {
        const double t = s.y[p.columns[1]];
        line = {{p.volume}, {t}, 0};
        z(s, kOut, i) = z(s, kBack, i) = t;
        z(s, kCarry, i) = 0.0;
        continue;
      }
      const double volume = std::abs(moved);
      if (volume <= 0.0) continue;
      const bool forward = moved > 0.0;
      if (!forward) reverse(line);
      // Enter at the tail.
      const double entering = kReferenceTemperature + heat / (rho_cp * volume);
      if (line.volume.size() > line.head + 1 && line.volume.back() < kParcelShare * p.volume) {
        const double both = line.volume.back() + volume;
        line.temperature.back() = (line.temperature.back() * line.volume.back() + entering * volume) / both;
        line.volume.back() = both;
      } else {
        line.volume.push_back(volume);
        line.temperature.push_back(entering);
      }
      // Leave at the head.
      double left = volume, taken = 0.0;
      while (left > 0.0) {
        double& parcel = line.volume[line.head];
        const double part = std::min(parcel, left);
        taken += part * rho_cp * (line.temperature[line.head] - kReferenceTemperature);
        parcel -= part;
        left -= part;
        if (parcel <= 1e-12 * p.volume && line.head + 1 < line.volume.size()) {
          left += -parcel < 0.0 ? 0.0 : -parcel;
          line.volume[line.head + 1] += parcel;
          ++line.head;
        } else if (line.head + 1 == line.volume.size()) {
          break;
        }
      }
      double& held = z(s, forward ? kOut : kBack, i);
      double& carry = z(s, kCarry, i);
      carry += taken - volume * rho_cp * (held - kReferenceTemperature);
      // What will leave over a step like this one.
      double ahead = volume, sum = 0.0;
      for (std::size_t k = line.head; k < line.volume.size() && ahead > 0.0; ++k) {
        const double part = std::min(line.volume[k], ahead);
        sum += part * line.temperature[k];
        ahead -= part;
      }
      held = (ahead > 0.0 ? sum + ahead * line.temperature.back() : sum) / volume + carry / (rho_cp * volume);
      if (!forward) reverse(line);
      z(s, forward ? kBack : kOut, i) = forward ? line.temperature.back() : line.temperature[line.head];
      if (line.head > 1024 && line.head > line.volume.size() / 2) {
        line.volume.erase(line.volume.begin(), line.volume.begin() + static_cast<std::ptrdiff_t>(line.head));
        line.temperature.erase(line.temperature.begin(), line.temperature.begin() + static_cast<std::ptrdiff_t>(line.head));
        line.head = 0;
      }
      (void)h;
    }
  }

 private:
  static void reverse(DelayLine& line) {
    line.volume.erase(line.volume.begin(), line.volume.begin() + static_cast<std::ptrdiff_t>(line.head));
    line.temperature.erase(line.temperature.begin(), line.temperature.begin() + static_cast<std::ptrdiff_t>(line.head));
    line.head = 0;
    std::reverse(line.volume.begin(), line.volume.end());
    std::reverse(line.temperature.begin(), line.temperature.end());
  }
};

}  // namespace

RegisteredClass tankClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) { out.push_back(std::make_unique<TankSet>(std::move(instances))); }};
}

}  // namespace podtwin
