// Pipes: their flow law and, of those in cells, their coolant and wall. Parts in files of their own: the content of
// those in plug flow (pipe_plug.cpp, with a wall
// pipe_walled.cpp) and the momentum of those with inertance (pipe_inertia.cpp). Equations: pipe.md.
#pragma once

#include <vector>

#include "model/components/cooling/pipe_heat.hpp"
#include "model/components/cooling/pipe_info.hpp"
#include "model/fluids/coolant_law.hpp"
#include "model/network/friction.hpp"
#include "model/system/component_set.hpp"

namespace podtwin {

class PipePlugSet;
class PipeWalledSet;

struct Pipe {
  std::size_t cells = 0, first = 0, edge = 0, from = 0, to = 0;  ///< no cells: plug flow
  std::ptrdiff_t plug = -1;                                      ///< instance of the PipePlugSet; -1: none
  std::ptrdiff_t walled = -1;                                    ///< instance of the PipeWalledSet; -1: none
  ThermalPort in, out, air;
  const fluids::CoolantHeat* coolant = nullptr;
  const fluids::CoolantLaw* properties = nullptr;  ///< none: they do not vary
  std::size_t t_flow_from = 0, t_flow_to = 0;      ///< of z: temperatures of the ends for the friction
  double viscosity = 0;                            ///< Pa s, at the property temperature
  double density = 0, cp = 0, area = 0, volume = 0, k = 0, m_linear = 0;
  double mass = 0, wall_capacity = 0, loss = 0;  ///< of a cell: kg, J/K, W/K
  PipeHeat heat;
  PipeFriction friction;
  std::vector<std::size_t> slots;

  bool hasWall() const { return wall_capacity > 0.0; }
};

class PipeSet final : public ComponentSet {
 public:
  explicit PipeSet(std::vector<const InstanceDescription*> instances);
  void setContents(const PipePlugSet* plug, const PipeWalledSet* walled) {
    plug_ = plug;
    walled_ = walled;
  }
  const Pipe& pipe(std::size_t i) const { return pipes_[i]; }

  std::size_t exposedCount() const override { return unknowns_; }
  std::string unknownName(std::size_t k) const override;
  void bind(Binder& b) override;
  void initialise(State& state, double temperature) const override;
  void edgeLaws(Evaluation& e) const override;
  void rates(Evaluation& e) const override;
  void jacobian(const Evaluation& e, JacobianWriter& w) const override;
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override;
  double storedEnergy(const Evaluation& e) const override;

 private:
  std::size_t cell(const Pipe& p, std::size_t c) const { return exposed_first + p.first + c; }
  /// Column of what flows into a cell at m.
  std::size_t donorOf(const Pipe& p, std::size_t c, double m) const {
    if (m >= 0.0) return c == 0 ? p.in.column : cell(p, c - 1);
    return c + 1 == p.cells ? p.out.column : cell(p, c + 1);
  }
  std::size_t wall(const Pipe& p, std::size_t c) const { return exposed_first + p.first + p.cells + c; }
  void bindFlow(Pipe& p, const InstanceDescription& d, Binder& b) const;
  void bindCells(Pipe& p, Binder& b) const;
  double lossOf(const Evaluation& e, const Pipe& p) const;

  std::vector<Pipe> pipes_;
  std::size_t unknowns_ = 0;
  const PipePlugSet* plug_ = nullptr;
  const PipeWalledSet* walled_ = nullptr;
};

}  // namespace podtwin
