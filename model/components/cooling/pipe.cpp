// Pipe with friction, coolant and wall in cells, loss to its surroundings. Equations: pipe.md.
#include "model/components/cooling/pipe.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/pipe_inertia.hpp"
#include "model/components/cooling/pipe_plug.hpp"
#include "model/components/cooling/pipe_walled.hpp"
#include "model/fluids/range.hpp"
#include "model/system/binder.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K
constexpr double kCreeping = 1.0;       // Reynolds number below which fittings without a pipe are linear; estimate
constexpr double kMostRoughness = 0.1;  // of the diameter; twice what Moody's chart and the formulas were made for

}  // namespace

PipeSet::PipeSet(std::vector<const InstanceDescription*> instances) : ComponentSet(pipeInfo(), std::move(instances)) {
  pipes_.resize(size());
  std::ptrdiff_t plugs = 0, walled = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const InstanceDescription& d = description(i);
    Pipe& p = pipes_[i];
    p.first = unknowns_;
    if (d.text("model") == "plug") {
      const bool has_wall = d.number("wall_thickness") > 0.0 && d.number("length") > 0.0;
      (has_wall ? p.walled : p.plug) = has_wall ? walled++ : plugs++;
      continue;
    }
    p.cells = static_cast<std::size_t>(d.number("cells"));
    unknowns_ += (d.number("wall_thickness") > 0.0 ? 2 : 1) * p.cells;
  }
}

std::string PipeSet::unknownName(std::size_t k) const {
  std::size_t i = size() - 1;  // of pipes without cells, which begin where the next does, none is meant
  while (i > 0 && (pipes_[i].cells == 0 || pipes_[i].first > k)) --i;
  const std::size_t c = k - pipes_[i].first, cells = pipes_[i].cells;
  return ids()[i] + (c < cells ? ".cell " + std::to_string(c) : ".wall " + std::to_string(c - cells));
}

void PipeSet::bind(Binder& b) {
  for (std::size_t i = 0; i < size(); ++i) {
    Pipe& p = pipes_[i];
    const InstanceDescription& d = description(i);
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    p.in = b.nodePort(p.from);
    p.out = b.nodePort(p.to);
    p.air = b.hasPort(i, "air") ? b.heatPort(i, "air") : b.ambient();
    p.heat = pipeHeatOf(d, b.coolant(p.from), b.problems());
    bindFlow(p, d, b);
    bindCells(p, b);
  }
}

void PipeSet::bindFlow(Pipe& p, const InstanceDescription& d, Binder& b) const {
  p.density = b.density(p.from);
  p.cp = b.specificHeat(p.from);
  p.coolant = &b.coolantHeat(p.from);
  p.viscosity = b.viscosity(p.from);
  p.t_flow_from = b.flowTemperature(p.from);
  p.t_flow_to = b.flowTemperature(p.to);
  if (p.coolant->varies()) p.properties = &b.coolantLaw(p.from);
  const double diameter = d.number("diameter"), length = d.number("length"), count = d.number("count");
  p.area = count * 0.25 * std::numbers::pi * diameter * diameter;
  constexpr double kLeastVolume = 1e-6;  // m3; a pipe of no length still mixes a thimble, so that no volume is zero
  p.volume = std::max(p.area * length, kLeastVolume);
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
        "'" + d.id + "' is rougher than a tenth of its diameter (" + fluids::inWords(p.friction.relative_roughness) +
            " of it)",
        "give a roughness within Moody's chart, up to 0.05 of the diameter, or a narrower diameter and minor_loss");
}

// Slots of a cell: 0 to 2 its own row, by itself, the cell before and the cell behind; then what it gives heat to.
// Without wall: 3 own by air, 4 air by own, 5 air by air. With wall: 3 own by wall, 4 wall by own, 5 wall by wall, 6
// wall by air, 7 air by wall, 8 air by air. Behind those of the cells: the nodes.
void PipeSet::bindCells(Pipe& p, Binder& b) const {
  if (p.cells == 0) return;
  const double cells = static_cast<double>(p.cells);
  p.mass = p.volume * p.density / cells;
  p.wall_capacity = p.heat.wall_capacity / cells;
  p.loss = p.heat.loss / cells;
  const auto couple = [&](std::size_t row, std::size_t column) { p.slots.push_back(b.couple(row, column)); };
  for (std::size_t c = 0; c < p.cells; ++c) {
    const std::size_t own = cell(p, c);
    b.coolantCapacity(own, p.from, p.mass);
    couple(own, own);
    couple(own, c == 0 ? p.in.column : cell(p, c - 1));
    couple(own, c + 1 == p.cells ? p.out.column : cell(p, c + 1));
    std::size_t outer = own;
    if (p.hasWall()) {
      outer = wall(p, c);
      b.capacity(outer, p.wall_capacity);
      couple(own, outer);
      couple(outer, own);
      couple(outer, outer);
    }
    couple(outer, p.air.column);
    couple(p.air.row, outer);
    couple(p.air.row, p.air.column);
  }
  const std::size_t first = cell(p, 0), last = cell(p, p.cells - 1);
  couple(p.out.row, last);
  couple(p.out.row, p.out.column);
  couple(p.in.row, first);
  couple(p.in.row, p.in.column);
}

void PipeSet::initialise(State& state, double temperature) const {
  initialiseCommon(state);
  for (std::size_t c = 0; c < unknowns_; ++c) state.y[exposed_first + c] = temperature;
}

void PipeSet::edgeLaws(Evaluation& e) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipes_[i];
    EdgeLaw& law = e.laws[p.edge];
    law.k = p.k;
    law.m_linear = p.m_linear;
    if (p.properties != nullptr) {
      const double t = 0.5 * (e.z[p.t_flow_from] + e.z[p.t_flow_to]);
      law.viscosity = p.properties->viscosity(t) / p.viscosity;
      law.lightness = p.density / p.properties->density(t);
      law.k *= law.lightness;
      law.m_linear *= law.viscosity;
    }
    law.pipe = p.friction.scale > 0.0 ? &p.friction : nullptr;
    law.open = z(e, kInService, i) != 0.0;
  }
}

void PipeSet::rates(Evaluation& e) const {
  for (const Pipe& p : pipes_) {
    if (p.cells == 0) continue;
    const double m = e.m[p.edge], rate = std::abs(m) * p.cp, t_air = e.y[p.air.column];
    const double film = p.hasWall() ? p.heat.film.conductance(m) / static_cast<double>(p.cells) : 0.0;
    for (std::size_t c = 0; c < p.cells; ++c) {
      const double own = e.y[cell(p, c)];
      const double carried = p.coolant->carried(own), donor = p.coolant->carried(e.y[donorOf(p, c, m)]);
      double given = 0.0, lost = 0.0;
      if (p.hasWall()) {
        given = film * (own - e.y[wall(p, c)]);
        lost = p.loss * (e.y[wall(p, c)] - t_air);
        e.heat[wall(p, c)] += given - lost;
      } else {
        given = lost = p.loss * (own - t_air);
      }
      e.heat[cell(p, c)] += rate * (donor - carried) - given;
      e.heat[p.air.row] += lost;
    }
    if (m >= 0.0)
      e.heat[p.out.row] +=
          rate * (p.coolant->carried(e.y[cell(p, p.cells - 1)]) - p.coolant->carried(e.y[p.out.column]));
    else
      e.heat[p.in.row] += rate * (p.coolant->carried(e.y[cell(p, 0)]) - p.coolant->carried(e.y[p.in.column]));
  }
}

void PipeSet::jacobian(const Evaluation& e, JacobianWriter& w) const {
  for (const Pipe& p : pipes_) {
    if (p.cells == 0) continue;
    const double m = e.m[p.edge];
    const auto by = [&](std::size_t column) { return std::abs(m) * p.coolant->specificHeat(e.y[column]); };
    const double film = p.hasWall() ? p.heat.film.conductance(m) / static_cast<double>(p.cells) : 0.0;
    const std::size_t* s = p.slots.data();
    for (std::size_t c = 0; c < p.cells; ++c) {
      const std::size_t own = cell(p, c);
      w.add(s[0], own, -by(own) - (p.hasWall() ? film : p.loss));
      w.add(s[m >= 0.0 ? 1 : 2], own, by(donorOf(p, c, m)));
      std::size_t outer = own;
      s += 3;
      if (p.hasWall()) {
        outer = wall(p, c);
        w.add(s[0], own, film);
        w.add(s[1], outer, film);
        w.add(s[2], outer, -film - p.loss);
        s += 3;
      }
      w.add(s[0], outer, p.loss);
      w.add(s[1], p.air.row, p.loss);
      w.add(s[2], p.air.row, -p.loss);
      s += 3;
    }
    if (m >= 0.0) {
      w.add(s[0], p.out.row, by(cell(p, p.cells - 1)));
      w.add(s[1], p.out.row, -by(p.out.column));
    } else {
      w.add(s[2], p.in.row, by(cell(p, 0)));
      w.add(s[3], p.in.row, -by(p.in.column));
    }
  }
}

void PipeSet::signal(const Evaluation& e, std::size_t k, std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
}

double PipeSet::lossOf(const Evaluation& e, const Pipe& p) const {
  double sum = 0.0;
  for (std::size_t c = 0; c < p.cells; ++c)
    sum += p.loss * (e.y[p.hasWall() ? wall(p, c) : cell(p, c)] - e.y[p.air.column]);
  return sum;
}

double PipeSet::signalOf(const Evaluation& e, std::size_t k, std::size_t i) const {
  const Pipe& p = pipes_[i];
  const double m = e.m[p.edge];
  const std::size_t last = m >= 0.0 ? p.cells - 1 : 0;
  switch (k) {
    case 0:
      return m / p.density;
    case 1:
      return e.p[p.from] - e.p[p.to];
    case 2:
      if (p.plug >= 0) return plug_->leaving(e, static_cast<std::size_t>(p.plug));
      return p.walled >= 0 ? walled_->leaving(e, static_cast<std::size_t>(p.walled)) : e.y[cell(p, last)];
    case 3:
      if (p.plug >= 0) return plug_->loss(e, static_cast<std::size_t>(p.plug));
      return p.walled >= 0 ? walled_->loss(e, static_cast<std::size_t>(p.walled)) : lossOf(e, p);
    case 4:
      return m * e.laws[p.edge].lightness / (p.density * p.area);
    case 5:
      return std::abs(m) * p.friction.reynolds / e.laws[p.edge].viscosity;
    default:
      if (p.walled >= 0) return walled_->wallThere(e, static_cast<std::size_t>(p.walled));
      return p.hasWall() ? e.y[wall(p, last)] : signalOf(e, 2, i);
  }
}

double PipeSet::storedEnergy(const Evaluation& e) const {
  double sum = 0.0;
  for (const Pipe& p : pipes_)
    for (std::size_t c = 0; c < p.cells; ++c) {
      sum += p.mass * p.coolant->enthalpy(e.y[cell(p, c)]);
      if (p.hasWall()) sum += p.wall_capacity * (e.y[wall(p, c)] - kReferenceTemperature);
    }
  return sum;
}

RegisteredClass pipeClass() {
  return {&pipeInfo(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            auto pipes = std::make_unique<PipeSet>(std::move(instances));
            auto plug = makePipePlugSet(*pipes);
            auto walled = makePipeWalledSet(*pipes);
            auto inertia = makePipeInertiaSet(*pipes);
            pipes->setContents(plug.get(), walled.get());
            out.push_back(std::move(pipes));
            if (plug) out.push_back(std::move(plug));
            if (walled) out.push_back(std::move(walled));
            if (inertia) out.push_back(std::move(inertia));
          }};
}

}  // namespace podtwin
