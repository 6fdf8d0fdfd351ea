// Authority of control valves: docs/theory/element_laws.md.
#include <algorithm>

#include "model/system/system.hpp"

namespace podtwin {

namespace {

/// The flows of one circuit with some laws replaced.
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
  /// Pressure difference across a way with these laws, the coolant's weight included [Pa]; 0 where there is none.
  double across(const ControlledWay& way, const EdgeLaw& law, const EdgeLaw& other, double weight) {
    const std::size_t k = place(way.edge);
    const std::vector<EdgeLaw> own = laws_;
    laws_[k] = law;
    if (way.other >= 0) laws_[place(static_cast<std::size_t>(way.other))] = other;
    FluidNetwork::Workspace ws;
    std::vector<double> m = m_, p = p_;
    circuit_.network->solve(laws_, inflow_, m, p, ws);
    laws_ = own;
    const FluidEdge& edge = circuit_.network->edges()[k];
    if (ws.live[edge.from] == 0 || ws.live[edge.to] == 0) return 0.0;
    return p[edge.from] - p[edge.to] +
           weight * (circuit_.network->nodes()[edge.from].elevation - circuit_.network->nodes()[edge.to].elevation);
  }

 private:
  std::size_t place(std::size_t edge) const {
    return static_cast<std::size_t>(std::find(circuit_.edges.begin(), circuit_.edges.end(), edge) -
                                    circuit_.edges.begin());
  }

  const System::Circuit& circuit_;
  std::vector<EdgeLaw> laws_;
  std::vector<double> m_, p_, inflow_;
};

}  // namespace

std::set<std::string> System::commanded() const {
  std::set<std::string> ids;
  const auto membersOf = [&](const InstanceDescription& d, const ClassInfo& info, bool all) {
    std::vector<std::pair<ComponentSet*, std::size_t>> members;
    for (const auto& port : info.ports)
      if (port.kind == PortKind::member && (all || port.commands))
        if (const auto named = d.ports.find(std::string(port.name)); named != d.ports.end())
          for (const auto& name : named->second)
            if (const auto found = find(name); found.first != nullptr) members.push_back(found);
    return members;
  };
  for (const auto& set : sets_)
    for (std::size_t i = 0; i < set->size(); ++i)
      for (const auto& [unit, k] : membersOf(set->description(i), set->info(), false)) {
        ids.insert(unit->ids()[k]);
        for (const auto& [member, n] : membersOf(unit->description(k), unit->info(), true))
          ids.insert(member->ids()[n]);
      }
  return ids;
}

std::vector<System::Authority> System::authorities(const Evaluation& e) const {
  std::vector<Authority> found;
  const std::set<std::string> moved = commanded();
  for (const auto& set : sets_)
    for (std::size_t i = 0; i < set->size(); ++i) {
      ControlledWay way;
      if (!set->controlledWay(i, way)) continue;
      EdgeLaw shut;
      shut.open = false;
      const Circuit& circuit = circuits_[fluid_nodes_[edges_[way.edge].from].circuit];
      Replaced flows(circuit, e);
      const double weight = circuit.coolant.density * plant_.gravity;
      const std::string& id = set->ids()[i];
      found.push_back({.id = id,
                       .dp_open = flows.across(way, way.open, shut, weight),
                       .dp_shut = flows.across(way, shut, way.other_open, weight),
                       .flow = e.m[way.edge],
                       .controlled = set->z(e, kMode, i) == 0.0 && moved.count(id) > 0});
    }
  return found;
}

}  // namespace podtwin
