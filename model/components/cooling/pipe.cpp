// Pipe with friction, coolant cells and loss to its surroundings. Equations: pipe.md.
#include <array>
#include <cmath>
#include <numbers>

#include "model/components/cooling/classes.hpp"
#include "model/system/binder.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K
constexpr double kCreeping = 1.0;       // Reynolds number below which fittings without a pipe are linear; estimate
constexpr double kMostRoughness = 0.1;  // of the diameter; twice what Moody's chart and the formulas were made for
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
    {"air", PortKind::heat, PortCount::optional, "surroundings that take its loss; outdoor air when left out"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "length", .quantity = Quantity::length, .low = 0.0, .high = 1e6, .meaning = "Length.", .source = ""},
    {.name = "diameter",
     .quantity = Quantity::length,
     .low = 1e-4,
     .high = 10.0,
     .meaning = "Inner diameter.",
     .source = ""},
    {.name = "roughness",
     .quantity = Quantity::length,
     .fallback = 45e-6,
     .low = 0.0,
     .high = 0.1,
     .meaning = "Absolute roughness.",
     .source = "commercial steel, Moody 1944"},
    {.name = "minor_loss",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Sum of fitting coefficients K.",
     .source = "0: straight"},
    {.name = "count",
     .kind = ParameterKind::integer,
     .fallback = 1,
     .low = 1,
     .high = 1e6,
     .meaning = "Equal pipes or channels side by side.",
     .source = "1: a single pipe"},
    {.name = "cells",
     .kind = ParameterKind::integer,
     .fallback = 4,
     .low = 1,
     .high = 1000,
     .meaning = "Mixed coolant cells in a row.",
     .source = "estimate: four"},
    {.name = "loss",
     .quantity = Quantity::thermal_conductance,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Conductance to the surroundings, whole pipe.",
     .source = "0: insulated"},
};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop, elevation included."},
    {"t_out", Quantity::temperature, SignalType::real, "Coolant in the last cell in flow direction."},
    {"loss", Quantity::power, SignalType::real, "Heat lost to the surroundings."},
    {"velocity", Quantity::velocity, SignalType::real, "Mean velocity over the cross-section."},
    {"reynolds", Quantity::none, SignalType::real, "Reynolds number of each of its channels, without sign."},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; isolate shuts it off"},
};
constexpr ClassInfo kInfo{.name = "pipe",
                          .group = "pipe",
                          .title = "Pipe",
                          .page = "cooling/pipe.md",
                          .symbol = "pipe",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
                          .refusals = kRefusals};

class PipeSet final : public ComponentSet {
 public:
  explicit PipeSet(std::vector<const InstanceDescription*> instances) : ComponentSet(kInfo, std::move(instances)) {
    pipes_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      pipes_[i].cells = static_cast<std::size_t>(description(i).number("cells"));
      pipes_[i].first = cells_;
      cells_ += pipes_[i].cells;
    }
  }
  std::size_t exposedCount() const override { return cells_; }

  void bind(Binder& b) override {
    for (std::size_t i = 0; i < size(); ++i) {
      Pipe& p = pipes_[i];
      const InstanceDescription& d = description(i);
      p.from = b.fluidNode(i, "from");
      p.to = b.fluidNode(i, "to");
      p.edge = b.edge(p.from, p.to, d.id);
      p.in = b.nodePort(p.from);
      p.out = b.nodePort(p.to);
      p.air = b.hasPort(i, "air") ? b.heatPort(i, "air") : b.ambient();
      p.density = b.density(p.from);
      p.cp = b.specificHeat(p.from);
      const double diameter = d.number("diameter"), length = d.number("length"), count = d.number("count");
      p.area = count * 0.25 * std::numbers::pi * diameter * diameter;
      constexpr double kLeastVolume = 1e-6;  // m3; a pipe of no length still mixes a thimble, so that no volume is zero
      p.capacity = std::max(p.area * length, kLeastVolume) * p.density * p.cp / static_cast<double>(p.cells);
      p.loss = d.number("loss") / static_cast<double>(p.cells);
      const double dynamic = 0.5 / (p.density * p.area * p.area);  // Pa/(kg/s)^2; rho v^2 / 2 over m^2
      p.friction.law = frictionLawOf(b.system().plant().friction);
      p.friction.relative_roughness = d.number("roughness") / diameter;
      p.friction.reynolds = diameter / (p.area * b.viscosity(p.from));
      p.friction.scale = dynamic * length / diameter;
      p.k = dynamic * d.number("minor_loss");
      // Friction has a slope at rest; fittings alone have none.
      p.m_linear = length > 0.0 ? 0.0 : kCreeping / p.friction.reynolds;
      if (p.friction.relative_roughness > kMostRoughness)
        b.problems().error(
            d.parameters.at("roughness").given ? d.parameters.at("roughness").where : d.where,
            "'" + d.id + "' is rougher than a tenth of its diameter (" + std::to_string(p.friction.relative_roughness) +
                " of it)",
            "give a roughness within Moody's chart, up to 0.05 of the diameter, or a narrower diameter and "
            "minor_loss");
      for (std::size_t c = 0; c < p.cells; ++c) {
        const std::size_t own = cell(i, c);
        b.capacity(own, p.capacity);
        b.coolantVolume(p.from, own, p.capacity / (p.density * p.cp));
        const std::size_t before = c == 0 ? p.in.column : cell(i, c - 1),
                          after = c + 1 == p.cells ? p.out.column : cell(i, c + 1);
        for (const auto& [row, column] : {std::pair{own, own},
                                          {own, before},
                                          {own, after},
                                          {own, p.air.column},
                                          {p.air.row, own},
                                          {p.air.row, p.air.column}})
          p.slots.push_back(b.couple(row, column));
      }
      const std::size_t first = cell(i, 0), last = cell(i, p.cells - 1);
      for (const auto& [row, column] :
           {std::pair{p.out.row, last}, {p.out.row, p.out.column}, {p.in.row, first}, {p.in.row, p.in.column}})
        p.slots.push_back(b.couple(row, column));
    }
  }
  void initialise(State& state, double temperature) const override {
    initialiseCommon(state);
    for (std::size_t c = 0; c < cells_; ++c) state.y[exposed_first + c] = temperature;
  }
  void edgeLaws(Evaluation& e) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      const Pipe& p = pipes_[i];
      EdgeLaw& law = e.laws[p.edge];
      law.k = p.k;
      law.m_linear = p.m_linear;
      law.pipe = p.friction.scale > 0.0 ? &p.friction : nullptr;
      law.open = z(e, kInService, i) != 0.0;
    }
  }
  void rates(Evaluation& e) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      const Pipe& p = pipes_[i];
      const double m = e.m[p.edge], rate = std::abs(m) * p.cp, t_air = e.y[p.air.column];
      for (std::size_t c = 0; c < p.cells; ++c) {
        const double own = e.y[cell(i, c)];
        const double donor = m >= 0.0 ? (c == 0 ? e.y[p.in.column] : e.y[cell(i, c - 1)])
                                      : (c + 1 == p.cells ? e.y[p.out.column] : e.y[cell(i, c + 1)]);
        const double lost = p.loss * (own - t_air);
        e.heat[cell(i, c)] += rate * (donor - own) - lost;
        e.heat[p.air.row] += lost;
      }
      if (m >= 0.0)
        e.heat[p.out.row] += rate * (e.y[cell(i, p.cells - 1)] - e.y[p.out.column]);
      else
        e.heat[p.in.row] += rate * (e.y[cell(i, 0)] - e.y[p.in.column]);
    }
  }
  void jacobian(const Evaluation& e, JacobianWriter& w) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      const Pipe& p = pipes_[i];
      const double m = e.m[p.edge], rate = std::abs(m) * p.cp;
      for (std::size_t c = 0; c < p.cells; ++c) {
        const std::size_t* s = &p.slots[6 * c];
        const std::size_t own = cell(i, c);
        w.add(s[0], own, -rate - p.loss);
        w.add(s[m >= 0.0 ? 1 : 2], own, rate);
        w.add(s[3], own, p.loss);
        w.add(s[4], p.air.row, p.loss);
        w.add(s[5], p.air.row, -p.loss);
      }
      const std::size_t* s = &p.slots[6 * p.cells];
      if (m >= 0.0) {
        w.add(s[0], p.out.row, rate);
        w.add(s[1], p.out.row, -rate);
      } else {
        w.add(s[2], p.in.row, rate);
        w.add(s[3], p.in.row, -rate);
      }
    }
  }
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
  }
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override {
    const Pipe& p = pipes_[i];
    switch (k) {
      case 0:
        return e.m[p.edge] / p.density;
      case 1:
        return e.p[p.from] - e.p[p.to];
      case 2:
        return e.y[cell(i, e.m[p.edge] >= 0.0 ? p.cells - 1 : 0)];
      case 3: {
        double sum = 0.0;
        for (std::size_t c = 0; c < p.cells; ++c) sum += p.loss * (e.y[cell(i, c)] - e.y[p.air.column]);
        return sum;
      }
      case 4:
        return e.m[p.edge] / (p.density * p.area);
      default:
        return std::abs(e.m[p.edge]) * p.friction.reynolds;
    }
  }
  double storedEnergy(const Evaluation& e) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t c = 0; c < pipes_[i].cells; ++c)
        sum += pipes_[i].capacity * (e.y[cell(i, c)] - kReferenceTemperature);
    return sum;
  }

 private:
  struct Pipe {
    std::size_t cells = 1, first = 0, edge = 0, from = 0, to = 0;
    ThermalPort in, out, air;
    double density = 0, cp = 0, area = 0, capacity = 0, loss = 0, k = 0, m_linear = 0;
    PipeFriction friction;
    std::vector<std::size_t> slots;
  };
  std::size_t cell(std::size_t i, std::size_t c) const { return exposed_first + pipes_[i].first + c; }
  std::vector<Pipe> pipes_;
  std::size_t cells_ = 0;
};

}  // namespace

RegisteredClass pipeClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<PipeSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
