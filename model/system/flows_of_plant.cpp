// Flows and pressures of the circuits at an evaluation.
#include <algorithm>

#include "model/base/diagnostics.hpp"
#include "model/system/system.hpp"

namespace podtwin {

void System::solveFlows(Evaluation& e) const {
  for (const auto& set : sets_) set->edgeLaws(e);
  // Laws that have not moved give the flows that stand.
  std::vector<EdgeLaw>& laws = e.circuit_laws;
  std::vector<double>&m = e.circuit_m, &p = e.circuit_p, &inflow = e.circuit_inflow;
  const bool none_stand = e.laws_solved.size() != edges_.size();
  e.laws_solved.resize(edges_.size());
  for (std::size_t c = 0; c < circuits_.size(); ++c) {
    const auto& circuit = circuits_[c];
    bool moved = none_stand;
    double lift = 0.0;  // Pa, of the vessel's pressure, where nothing else has moved
    for (const auto edge : circuit.edges) {
      if (e.laws_solved[edge] == e.laws[edge]) continue;
      if (static_cast<std::ptrdiff_t>(edge) == circuit.vessel && !none_stand)
        lift = e.laws_solved[edge].head_0 - e.laws[edge].head_0;
      else
        moved = true;
      e.laws_solved[edge] = e.laws[edge];
    }
    if (!moved && (lift == 0.0 || sealed(circuit, e))) {
      // Flows of a sealed circuit do not depend on its pressure level.
      if (lift != 0.0)
        for (const auto n : circuit.nodes)
          if (e.fluid_live[n] != 0) e.p[n] += lift;
      if (e.parts[c] > 0) inventory_->trappedPressures(c, e);
      continue;
    }
    laws.resize(circuit.edges.size());
    m.resize(circuit.edges.size());
    // Behind the circuit's nodes stand the open ends of its vessels, at no gauge pressure.
    p.assign(circuit.network->nodes().size(), 0.0);
    inflow.assign(circuit.network->nodes().size(), 0.0);
    for (std::size_t k = 0; k < circuit.edges.size(); ++k) {
      laws[k] = e.laws[circuit.edges[k]];
      m[k] = e.m[circuit.edges[k]];
    }
    for (std::size_t k = 0; k < circuit.nodes.size(); ++k) {
      p[k] = e.p[circuit.nodes[k]];
      inflow[k] = e.inflow[circuit.nodes[k]];
    }
    try {
      circuit.network->solve(laws, inflow, m, p, e.flow_scratch[c]);
    } catch (const SimulationError& error) {
      e.laws_solved.clear();
      throw SimulationError("circuit '" + circuit.name + "': " + error.what());
    }
    for (std::size_t k = 0; k < circuit.edges.size(); ++k) e.m[circuit.edges[k]] = m[k];
    for (std::size_t k = 0; k < circuit.nodes.size(); ++k) {
      e.p[circuit.nodes[k]] = p[k];
      e.fluid_live[circuit.nodes[k]] = e.flow_scratch[c].live[k];
    }
    settleInventory(c, e);
  }
}

// What the vessel of a sealed circuit takes is the round-off of the flow solve: none. Parts without a way to a held
// pressure are found anew.
void System::settleInventory(std::size_t c, Evaluation& e) const {
  const Circuit& circuit = circuits_[c];
  if (circuit.vessel >= 0 && sealed(circuit, e)) e.m[static_cast<std::size_t>(circuit.vessel)] = 0.0;
  const auto& live = e.flow_scratch[c].live;
  const bool all_live = std::find(live.begin(), live.begin() + static_cast<std::ptrdiff_t>(circuit.nodes.size()),
                                  char{0}) == live.begin() + static_cast<std::ptrdiff_t>(circuit.nodes.size());
  if (all_live && e.parts[c] == 0) return;
  inventory_->findTrapped(c, e);
  if (e.parts[c] > 0) inventory_->trappedPressures(c, e);
}

std::pair<ComponentSet*, std::size_t> System::vesselOf(std::size_t circuit) const {
  return {circuits_[circuit].vessel_set, circuits_[circuit].vessel_instance};
}

bool System::sealed(const Circuit& circuit, const Evaluation& e) const {
  return !circuit.fed && std::none_of(circuit.open_air.begin(), circuit.open_air.end(), [&](std::size_t edge) {
    return static_cast<std::ptrdiff_t>(edge) != circuit.vessel && e.laws[edge].open;
  });
}

double System::ventSlope(std::size_t edge, const Evaluation& e) const {
  const EdgeLaw& law = e.laws[edge];
  if (!law.open || law.fixed) return 0.0;
  double slope = 0.0;
  law.drop(e.m[edge], slope);
  return 1.0 / slope;
}

double System::ventSlopes(const Circuit& circuit, const Evaluation& e) const {
  double sum = 0.0;
  for (const auto edge : circuit.open_air)
    if (static_cast<std::ptrdiff_t>(edge) != circuit.vessel) sum += ventSlope(edge, e);
  return sum;
}

}  // namespace podtwin
