// Which circuits a plant has: what is connected, what holds their pressure, and what is refused.
#include <algorithm>
#include <map>
#include <set>

#include "model/base/diagnostics.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/fluids/range.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {
constexpr double kAtmosphere = 101325.0;  // Pa; where nominal properties are taken
}  // namespace

// A circuit is named in the pod file by its fluid and a reference node; which nodes belong to it follows from
// what is connected to that node. Parts that hold no reference of a named circuit take the one circuit
// that names no reference node (their boundaries hold the pressure).
void System::assignCircuits(Diagnostics& problems) {
  const std::size_t count = fluid_nodes_.size();
  std::vector<std::size_t> parent(count);
  for (std::size_t n = 0; n < count; ++n) parent[n] = n;
  const auto root = [&](std::size_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  for (const auto& instance : plant_.instances) {
    // Two-port and n-port fluid classes join the nodes of one port list (hot: [a, b]) or of from and to.
    const auto join = [&](const std::vector<std::string>& names) {
      for (std::size_t k = 1; k < names.size(); ++k) {
        const auto a = fluid_node_index_.find(names[0]), b = fluid_node_index_.find(names[k]);
        if (a != fluid_node_index_.end() && b != fluid_node_index_.end()) parent[root(a->second)] = root(b->second);
      }
    };
    std::vector<std::string> between;
    for (const auto& [port, names] : instance.ports) {
      if (port == "from" || port == "to" || port == "through")
        between.insert(between.end(), names.begin(), names.end());
      else if (names.size() > 1)
        join(names);
    }
    join(between);
  }
  const double vacuum = -fluids::standardPressure(plant_.elevation);  // Pa gauge
  for (const auto& node : plant_.nodes)
    if (node.fixed_pressure && !(*node.fixed_pressure > vacuum))
      problems.error(node.where,
                     "the node '" + node.name + "' is held at " + fluids::inWords(*node.fixed_pressure / 1e3) +
                         " kPa, which is below absolute vacuum (" + fluids::inWords(vacuum / 1e3) +
                         " kPa gauge at this site)",
                     "give a gauge pressure above that");
  const std::size_t told_before = problems.list().size();
  std::map<std::size_t, std::size_t> circuit_of_root;
  std::vector<std::size_t> unreferenced;
  for (std::size_t c = 0; c < plant_.circuits.size(); ++c) {
    const auto& description = plant_.circuits[c];
    Circuit circuit;
    circuit.name = description.name;
    try {
      if (description.fluid.density) {
        circuit.coolant.name = description.fluid.name;
        circuit.coolant.density = *description.fluid.density;
        circuit.coolant.specific_heat = description.fluid.specific_heat.value_or(0.0);
        circuit.coolant.viscosity = description.fluid.viscosity.value_or(1e-3);
        circuit.coolant.conductivity = description.fluid.conductivity.value_or(0.6);
        if (!(circuit.coolant.specific_heat > 0.0))
          problems.error(description.where, "circuit '" + description.name + "' gives a density but no specific_heat",
                         "give both, or a fluid by name");
      } else {
        circuit.coolant = fluids::coolantAt(description.fluid.name, description.property_temperature, kAtmosphere);
        circuit.law = fluids::coolantLaw(description.fluid.name, description.property_temperature, kAtmosphere);
      }
      if (description.constant_properties || description.fluid.density) {
        const double low = circuit.law.t_low, high = circuit.law.t_high;
        circuit.law = fluids::constantCoolantLaw(circuit.coolant);
        if (!description.fluid.density) {
          circuit.law.t_low = low;
          circuit.law.t_high = high;
          circuit.law.stated = false;
        }
      }
    } catch (const Error& error) {
      problems.error(description.where,
                     "circuit '" + description.name + "', fluid '" + description.fluid.name + "': " + error.what(),
                     "choose another fluid or property temperature");
    }
    circuit.trapped_stiffness = description.trapped_stiffness;
    if (!description.held_by.empty()) {
      const auto held = std::find_if(fluid_nodes_.begin(), fluid_nodes_.end(),
                                     [&](const auto& node) { return node.holder == description.held_by; });
      const auto node = static_cast<std::size_t>(held - fluid_nodes_.begin());
      if (held == fluid_nodes_.end()) {
        problems.error(description.held_by_where,
                       "circuit '" + description.name + "' is to be held by '" + description.held_by +
                           "', which holds no pressure",
                       "name an expansion_vessel or open_tank of the circuit");
      } else if (!description.reference_node.empty()) {
        problems.error(description.held_by_where,
                       "circuit '" + description.name +
                           "' has a reference and `held_by`: two things would set one "
                           "pressure",
                       "leave one of them out");
      } else if (const auto [place, fresh] = circuit_of_root.try_emplace(root(node), c); !fresh && place->second != c) {
        problems.error(
            description.held_by_where,
            "circuit '" + description.name + "' is connected to circuit '" + plant_.circuits[place->second].name + "'",
            "separate them with a heat exchanger, or describe one circuit");
      }
    } else if (description.reference_node.empty()) {
      unreferenced.push_back(c);
    } else if (const auto found = fluid_node_index_.find(description.reference_node);
               found != fluid_node_index_.end()) {
      FluidNodeEntry& node = fluid_nodes_[found->second];
      if (!(description.reference_pressure > vacuum))
        problems.error(
            description.where,
            "circuit '" + description.name + "' holds " + fluids::inWords(description.reference_pressure / 1e3) +
                " kPa, which is below absolute vacuum (" + fluids::inWords(vacuum / 1e3) + " kPa gauge at this site)",
            "give a gauge pressure above that; usual are 100 to 300 kPa");
      node.pressure = description.reference_pressure;
      node.fixed_pressure = true;
      const auto [place, fresh] = circuit_of_root.try_emplace(root(found->second), c);
      if (!fresh && place->second != c)
        problems.error(
            description.where,
            "circuit '" + description.name + "' is connected to circuit '" + plant_.circuits[place->second].name + "'",
            "separate them with a heat exchanger, or describe one circuit");
    } else {
      std::vector<std::string> names;
      for (const auto& node : fluid_nodes_) names.push_back(node.name);
      const std::string near = nearestName(description.reference_node, names);
      problems.error(description.where,
                     "circuit '" + description.name + "' holds the pressure of '" + description.reference_node +
                         "', which nothing is connected to",
                     near.empty() ? "name a node that equipment uses" : "did you mean '" + near + "'?");
    }
    circuits_.push_back(std::move(circuit));
  }
  const bool holders_wrong = problems.list().size() > told_before;
  for (std::size_t n = 0; n < count; ++n) {
    const auto found = circuit_of_root.find(root(n));
    if (found != circuit_of_root.end()) {
      fluid_nodes_[n].circuit = found->second;
    } else if (unreferenced.size() == 1) {
      fluid_nodes_[n].circuit = unreferenced.front();
    } else if (unreferenced.size() > 1) {
      std::string names;
      for (const auto c : unreferenced) names += (names.empty() ? "'" : ", '") + circuits_[c].name + "'";
      for (const auto c : unreferenced)
        problems.error(plant_.circuits[c].where,
                       "circuit '" + circuits_[c].name + "' is one of several without a pressure reference (" + names +
                           "): which coolant belongs to which cannot be told",
                       "add `reference: {node: ..., pressure: ...}` or `held_by:` to all of them but one");
      return;
    } else {
      // Where a circuit's own word on its pressure is wrong, that is told, and what follows from it is not.
      if (holders_wrong) return;
      problems.error(
          whereNamed(fluid_nodes_[n].name),
          "the fluid node '" + fluid_nodes_[n].name + "'" + usersOf(fluid_nodes_[n].name) + " belongs to no circuit",
          "connect it to a circuit with a pressure reference, or describe its circuit under `circuits:`");
      return;
    }
    circuits_[fluid_nodes_[n].circuit].nodes.push_back(n);
  }
  if (unreferenced.size() == 1 && count > 0 && circuits_[unreferenced.front()].nodes.empty())
    problems.error(plant_.circuits[unreferenced.front()].where,
                   "circuit '" + circuits_[unreferenced.front()].name +
                       "' has no coolant: all equipment is joined to the other circuits",
                   "find what joins it to another circuit and put a heat exchanger there, or leave the circuit out");
  // Where coolant enters or leaves a circuit at one node, the node whose pressure is held makes up the difference: what
  // it carries across the boundary counts. In a closed circuit it carries nothing, and is spared the round-off.
  for (const auto& circuit : circuits_) {
    const auto& members = circuit.nodes;
    if (std::none_of(members.begin(), members.end(), [&](std::size_t n) {
          const auto& node = fluid_nodes_[n];
          return node.external || node.held_by_equipment || node.crossed;
        }))
      continue;
    for (const auto n : members) fluid_nodes_[n].external = fluid_nodes_[n].external || fluid_nodes_[n].fixed_pressure;
  }
  for (auto& circuit : circuits_)
    circuit.fed = std::any_of(circuit.nodes.begin(), circuit.nodes.end(),
                              [&](std::size_t n) { return fluid_nodes_[n].external; });
  // Every connected part needs a held pressure.
  std::set<std::size_t> held;
  for (std::size_t n = 0; n < count; ++n)
    if (fluid_nodes_[n].fixed_pressure || fluid_nodes_[n].held_by_equipment) held.insert(root(n));
  std::set<std::size_t> told, with_pressure;
  for (std::size_t n = 0; n < count; ++n)
    if (held.contains(root(n))) with_pressure.insert(fluid_nodes_[n].circuit);
  for (std::size_t n = 0; n < count; ++n) {
    if (held.contains(root(n)) || !told.insert(root(n)).second) continue;
    const std::string around = "around the node '" + fluid_nodes_[n].name + "'" + usersOf(fluid_nodes_[n].name);
    const auto& circuit = plant_.circuits[fluid_nodes_[n].circuit];
    if (with_pressure.contains(fluid_nodes_[n].circuit))
      problems.error(whereNamed(fluid_nodes_[n].name), "the coolant " + around + " has no pressure reference",
                     "join it to the rest of circuit '" + circuit.name +
                         "', or describe a circuit of its own with "
                         "`reference: {node: ..., pressure: ...}`");
    else
      problems.error(circuit.where,
                     "circuit '" + circuit.name +
                         "' has no pressure reference: nothing holds the pressure of its coolant " + around,
                     "add `reference: {node: " + fluid_nodes_[n].name +
                         ", pressure: 150 kPa}` to it (any of its nodes "
                         "does), or a vessel that holds it");
  }
}

void System::makeNetworks(Diagnostics& problems) {
  std::vector<std::size_t> local(fluid_nodes_.size());
  for (auto& circuit : circuits_) {
    std::vector<FluidNode> nodes;
    for (const auto n : circuit.nodes) {
      local[n] = nodes.size();
      nodes.push_back({fluid_nodes_[n].name, fluid_nodes_[n].elevation, fluid_nodes_[n].fixed_pressure});
    }
    std::vector<FluidEdge> edges;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (fluid_nodes_[edges_[e].from].circuit != static_cast<std::size_t>(&circuit - circuits_.data())) continue;
      if (edges_[e].to == kOpenAir) {
        circuit.open_air.push_back(e);
        circuit.edges.push_back(e);
        edges.push_back({local[edges_[e].from], nodes.size(), edges_[e].name});
        nodes.push_back({edges_[e].name, edges_[e].elevation, true});
        continue;
      }
      if (fluid_nodes_[edges_[e].to].circuit != fluid_nodes_[edges_[e].from].circuit) {
        problems.error({plant_.file, 0, 0}, "'" + edges_[e].name + "' joins two circuits",
                       "join them by a heat exchanger");
        continue;
      }
      circuit.edges.push_back(e);
      edges.push_back({local[edges_[e].from], local[edges_[e].to], edges_[e].name});
    }
    circuit.network =
        std::make_unique<FluidNetwork>(std::move(nodes), std::move(edges),
                                       circuit.coolant.density > 0.0 ? circuit.coolant.density : 1.0, plant_.gravity);
  }
}

std::string System::usersOf(const std::string& node) const {
  std::string text;
  for (const auto& instance : plant_.instances)
    for (const auto& [port, names] : instance.ports)
      if (std::find(names.begin(), names.end(), node) != names.end())
        text += (text.empty() ? " (of '" : ", '") + instance.id + "'";
  return text.empty() ? text : text + ")";
}

// Two vessels cannot share a circuit's content between them by its temperatures, and a held pressure beside a vessel
// would feed or drain it.
void System::refuseSecondHolders(Diagnostics& problems) const {
  for (const auto& circuit : circuits_) {
    if (circuit.vessel < 0) continue;
    const std::string& vessel = edges_[static_cast<std::size_t>(circuit.vessel)].name;
    const auto refuse = [&](const SourceMark& where, const std::string& what, const std::string& remedy) {
      problems.error(
          where,
          what + " in the closed circuit '" + circuit.name + "', whose pressure the vessel '" + vessel + "' holds",
          remedy);
    };
    for (const auto n : circuit.nodes)
      if (fluid_nodes_[n].fixed_pressure) {
        const auto reference = std::find_if(plant_.circuits.begin(), plant_.circuits.end(),
                                            [&](const auto& c) { return c.reference_node == fluid_nodes_[n].name; });
        const auto node = std::find_if(plant_.nodes.begin(), plant_.nodes.end(),
                                       [&](const auto& d) { return d.name == fluid_nodes_[n].name; });
        refuse(reference != plant_.circuits.end() ? reference->where
               : node != plant_.nodes.end()       ? node->where
                                                  : whereNamed(fluid_nodes_[n].name),
               "the node '" + fluid_nodes_[n].name + "' has a held pressure",
               "leave the reference or the fixed pressure out (write `held_by: " + vessel + "`), or the vessel");
      }
    for (const auto& edge : edges_) {
      if (edge.to != kOpenAir ||
          fluid_nodes_[edge.from].circuit != static_cast<std::size_t>(&circuit - circuits_.data()))
        continue;
      const auto owner = find(edge.name);
      if (owner.first == nullptr || edge.name == vessel) continue;
      for (const auto& port : owner.first->info().ports)
        if (port.holds_pressure)
          refuse(owner.first->description(owner.second).where, "'" + edge.name + "' holds a second pressure",
                 "make one vessel of their volumes together, or describe two circuits");
    }
  }
}

SourceMark System::whereNamed(const std::string& name) const {
  for (const auto& instance : plant_.instances) {
    if (instance.supply == name) return instance.where;
    for (const auto& [port, names] : instance.ports)
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        const auto mark = instance.port_marks.find(port);
        return mark == instance.port_marks.end() ? instance.where : mark->second;
      }
  }
  return {plant_.file, 0, 0};
}

// Coolant that stated flows alone join to the rest has no pressure, and what they bring must be what they take: neither
// can be solved for, so it is refused before it stands still or is lost.
void System::refuseLonelyFlows(std::span<const EdgeLaw> laws, Diagnostics& problems) const {
  std::vector<std::size_t> part(fluid_nodes_.size());
  for (std::size_t n = 0; n < part.size(); ++n) part[n] = n;
  const auto root = [&](std::size_t n) {
    while (part[n] != n) n = part[n] = part[part[n]];
    return n;
  };
  for (std::size_t k = 0; k < edges_.size(); ++k)
    if (!laws[k].fixed && edges_[k].to != kOpenAir) part[root(edges_[k].from)] = root(edges_[k].to);
  std::set<std::size_t> held;
  for (std::size_t n = 0; n < part.size(); ++n)
    if (fluid_nodes_[n].fixed_pressure || fluid_nodes_[n].held_by_equipment) held.insert(root(n));
  std::set<std::size_t> told;
  for (std::size_t n = 0; n < part.size(); ++n) {
    if (held.contains(root(n)) || !told.insert(root(n)).second) continue;
    std::string flows;
    for (std::size_t k = 0; k < edges_.size(); ++k) {
      if (edges_[k].to == kOpenAir) continue;
      const bool in = root(edges_[k].to) == root(n), out = root(edges_[k].from) == root(n);
      if (!laws[k].fixed || in == out) continue;
      flows += (flows.empty() ? "'" : ", '") + edges_[k].name + "' " + (in ? "into" : "out of") + " it";
    }
    problems.error(whereNamed(fluid_nodes_[n].name),
                   "the coolant at the node '" + fluid_nodes_[n].name +
                       "' is joined to the rest by stated flows alone (" + flows +
                       "): nothing sets its pressure or lets their difference out",
                   "join it by a resistance or pipe to a held pressure, or state one flow where it runs through; a "
                   "pipe with inertance counts as a stated flow, so leave it out of one, or make them one pipe");
  }
}

}  // namespace podtwin
