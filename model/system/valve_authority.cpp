// Authority of control valves: docs/theory/element_laws.md.
#include <algorithm>

#include "model/system/system.hpp"

namespace podtwin {

namespace {

/// The flows of one circuit with one law replaced.
class Replaced {
 public:
  Replaced(const System::Circuit& circuit, const Evaluation& e) : circuit_(circuit) {
    for (const auto k : circuit.edges) {
      laws_.push_back(e.laws[k]);
      m_.push_back(e.m[k]);
    }
    p_.assign(circuit.network->nodes().size(), 0.0);
    inflow_.assign(p_.size(), 0.0);
    for (std::size_t n = 0; n < circuit.nodes.size(); ++n) {
      p_[n] = e.p[circuit.nodes[n]];
      inflow_[n] = e.inflow[circuit.nodes[n]];
    }
  }
  /// Pressure difference across edge `k` of the circuit, the coolant's weight included [Pa]; 0 where there is none.
  double across(std::size_t k, const EdgeLaw& law, double weight) {
    const EdgeLaw own = laws_[k];
    laws_[k] = law;
    FluidNetwork::Workspace ws;
    std::vector<double> m = m_, p = p_;
    circuit_.network->solve(laws_, inflow_, m, p, ws);
    laws_[k] = own;
    const FluidEdge& edge = circuit_.network->edges()[k];
    if (ws.live[edge.from] == 0 || ws.live[edge.to] == 0) return 0.0;
    return p[edge.from] - p[edge.to] +
           weight * (circuit_.network->nodes()[edge.from].elevation - circuit_.network->nodes()[edge.to].elevation);
  }

 private:
  const System::Circuit& circuit_;
  std::vector<EdgeLaw> laws_;
  std::vector<double> m_, p_, inflow_;
};

}  // namespace

std::vector<System::Authority> System::authorities(const Evaluation& e) const {
  std::vector<Authority> found;
  for (const auto& set : sets_)
    for (std::size_t i = 0; i < set->size(); ++i) {
      std::size_t edge = 0;
      EdgeLaw open, shut;
      if (!set->fullyOpen(i, edge, open)) continue;
      shut.open = false;
      const Circuit& circuit = circuits_[fluid_nodes_[edges_[edge].from].circuit];
      const auto k =
          static_cast<std::size_t>(std::find(circuit.edges.begin(), circuit.edges.end(), edge) - circuit.edges.begin());
      Replaced flows(circuit, e);
      const double weight = circuit.coolant.density * plant_.gravity;
      found.push_back({set->ids()[i], flows.across(k, open, weight), flows.across(k, shut, weight)});
    }
  return found;
}

}  // namespace podtwin
