#include "model/system/system.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <set>

#include "model/base/diagnostics.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/system/builtin_sets.hpp"

namespace podtwin {

namespace {
constexpr double kDefaultNodeVolume = 0.005;     // m3; estimate: a metre of DN80 pipe mixed at a junction
constexpr double kAtmosphere = 101325.0;         // Pa; standard atmosphere
constexpr double kAssemblyTemperature = 293.15;  // K; of a state that is looked at for its structure alone
constexpr double kDriest = 173.15;               // K; dew points below are not told apart
constexpr const char* kAmbientName = "ambient";

const ClassInfo* classOf(std::span<const RegisteredClass> classes, const std::string& name) {
  for (const auto& c : classes)
    if (c.info->name == name) return c.info;
  return nullptr;
}
}  // namespace

System::~System() = default;

System::System(PlantDescription plant, std::span<const RegisteredClass> classes) : plant_(std::move(plant)) {
  Diagnostics problems;
  // Fluid nodes and buses exist by being used at a port of that kind.
  std::map<std::string, const NodeDescription*> described;
  for (const auto& node : plant_.nodes) described[node.name] = &node;
  for (const auto& instance : plant_.instances) {
    const ClassInfo* info = classOf(classes, instance.class_name);
    if (info == nullptr) {
      problems.error(instance.where, "'" + instance.id + "' has the unknown class '" + instance.class_name + "'",
                     "use a class of `podtwin schema pod`");
      continue;
    }
    for (const auto& port : info->ports) {
      const auto found = instance.ports.find(std::string(port.name));
      if (found == instance.ports.end() || found->second.empty()) {
        if (port.count == PortCount::one)
          problems.error(instance.where, "'" + instance.id + "' leaves its port '" + std::string(port.name) + "' open",
                         "name what it connects to: " + std::string(port.meaning));
        continue;
      }
      for (const auto& name : found->second) {
        if (port.kind == PortKind::fluid && !fluid_node_index_.contains(name)) {
          fluid_node_index_[name] = fluid_nodes_.size();
          FluidNodeEntry node;
          node.name = name;
          node.volume = kDefaultNodeVolume;
          if (const auto d = described.find(name); d != described.end()) {
            const NodeDescription& n = *d->second;
            node.elevation = n.elevation.value_or(0.0);
            node.volume = n.volume.value_or(kDefaultNodeVolume);
            node.fixed_pressure = n.fixed_pressure.has_value();
            node.pressure = n.fixed_pressure.value_or(0.0);
            node.fixed_temperature = n.fixed_temperature.has_value();
            node.temperature = n.fixed_temperature ? n.fixed_temperature : n.initial_temperature;
            node.inflow = n.inflow.value_or(0.0);
            node.external = n.fixed_pressure.has_value() || n.inflow.has_value();
          }
          fluid_nodes_.push_back(std::move(node));
        }
        if (port.kind == PortKind::fluid) {
          FluidNodeEntry& node = fluid_nodes_[fluid_node_index_[name]];
          node.held_by_equipment = node.held_by_equipment || port.holds_pressure;
          if (port.holds_pressure) node.holder = instance.id;
          node.crossed = node.crossed || port.crosses;
        } else if (port.kind == PortKind::bus && !bus_index_.contains(name)) {
          bus_index_[name] = buses_.size();
          buses_.push_back({name, {}});
        }
      }
    }
    if (!instance.supply.empty() && !bus_index_.contains(instance.supply)) {
      bus_index_[instance.supply] = buses_.size();
      buses_.push_back({instance.supply, {}});
    }
  }
  problems.throwIfErrors();
  discoverNodes(problems);
  assignCircuits(problems);
  problems.throwIfErrors();
  placeInstances(classes, problems);
  problems.throwIfErrors();
  refuseSecondHolders(problems);
  makeNetworks(problems);
  orderLinks(problems);
  problems.throwIfErrors();
  finishStructure();
  const State state = initialState(kAssemblyTemperature, {kAssemblyTemperature, 0.5, kAtmosphere});
  Evaluation e = makeEvaluation();
  e.y = temperatures(state.y, e);
  e.z = state.z;
  e.lines = &state;
  for (const auto& set : sets_) set->edgeLaws(e);
  refuseLonelyFlows(e.laws, problems);
  problems.throwIfErrors();
  judgeFlowPaths(e.laws, problems);
  problems.throwIfErrors();
  warnings_ = problems.list();
}

void System::discoverNodes(Diagnostics&) {
  // Descriptions of the built-in sets' members, so that they are ordinary instances.
  synthetic_.reserve(1 + fluid_nodes_.size() + buses_.size());
  synthetic_.push_back({});
  synthetic_.back().id = "facility";
  for (const auto& node : fluid_nodes_) {
    synthetic_.push_back({});
    synthetic_.back().id = node.name;
  }
  for (const auto& bus : buses_) {
    synthetic_.push_back({});
    synthetic_.back().id = bus.name;
  }
}

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
                     "the node '" + node.name + "' is held at " + std::to_string(*node.fixed_pressure / 1e3) +
                         " kPa, which is below absolute vacuum (" + std::to_string(vacuum / 1e3) +
                         " kPa gauge at this site)",
                     "give a gauge pressure above that");
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
            "circuit '" + description.name + "' holds " + std::to_string(description.reference_pressure / 1e3) +
                " kPa, which is below absolute vacuum (" + std::to_string(vacuum / 1e3) + " kPa gauge at this site)",
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
  std::set<std::size_t> told;
  for (std::size_t n = 0; n < count; ++n)
    if (!held.contains(root(n)) && told.insert(root(n)).second)
      problems.error(whereNamed(fluid_nodes_[n].name),
                     "the coolant around node '" + fluid_nodes_[n].name + "'" + usersOf(fluid_nodes_[n].name) +
                         " has no pressure reference",
                     "add `reference: {node: ..., pressure: ...}` to its circuit, or a node with a fixed pressure");
}

void System::placeInstances(std::span<const RegisteredClass> classes, Diagnostics& problems) {
  inventory_ = std::make_unique<Inventory>(*this);
  inventory_->prepare();
  std::size_t s = 0;
  sets_.push_back(std::make_unique<FacilitySet>(*this, std::vector<const InstanceDescription*>{&synthetic_[s++]}));
  std::vector<const InstanceDescription*> nodes, buses;
  for (std::size_t n = 0; n < fluid_nodes_.size(); ++n) nodes.push_back(&synthetic_[s++]);
  for (std::size_t b = 0; b < buses_.size(); ++b) buses.push_back(&synthetic_[s++]);
  sets_.push_back(std::make_unique<FluidNodeSet>(*this, std::move(nodes)));
  sets_.push_back(std::make_unique<BusSet>(*this, std::move(buses)));
  facility_ = sets_[0].get();
  node_set_ = sets_[1].get();
  bus_set_ = sets_[2].get();
  for (const auto& registered : classes) {
    std::vector<const InstanceDescription*> members;
    for (const auto& instance : plant_.instances)
      if (instance.class_name == registered.info->name) members.push_back(&instance);
    if (!members.empty()) registered.make(std::move(members), sets_);
  }
  // Layout: exposed unknowns of all sets, then the interior groups.
  std::size_t exposed = 0;
  for (const auto& set : sets_) {
    set->exposed_first = exposed;
    exposed += set->exposedCount();
    set->z_first = z_count_;
    z_count_ += set->discreteCount() * set->size();
    set->line_first = line_count_;
    line_count_ += set->lineCount();
    set->scratch_first = scratch_count_;
    scratch_count_ += set->scratchCount();
  }
  std::size_t interior = exposed;
  for (const auto& set : sets_) {
    set->interior_first = interior;
    interior += set->interiorCount();
  }
  structure_.exposed = exposed;
  structure_.size = interior;
  inverse_capacity_.assign(exposed, 1.0);
  error_scale_.assign(interior, 1.0);
  // Nodes and buses last, so that an id of an instance wins over a node of the same name.
  for (auto set = sets_.rbegin(); set != sets_.rend(); ++set)
    for (std::size_t i = 0; i < (*set)->size(); ++i) by_id_[(*set)->ids()[i]] = {set->get(), i};
  for (const auto& set : sets_) {
    if (set.get() == node_set_ || set.get() == bus_set_ || set.get() == facility_) continue;
    for (std::size_t i = 0; i < set->size(); ++i) {
      by_id_[set->ids()[i]] = {set.get(), i};
      const auto& d = set->description(i);
      if (!d.in_service && set->info().user_visible && !set->refusal("isolate").empty())
        problems.error(d.where,
                       "'" + d.id + "' is to be out of service, but a " + std::string(set->info().name) +
                           " cannot: " + std::string(set->refusal("isolate")),
                       "leave `in_service` out");
      if (d.id == set->ids()[i]) {
        if (!d.tag.empty()) by_id_.try_emplace(d.tag, set.get(), i);
        if (!d.supply.empty()) set->supply_bus[i] = static_cast<std::ptrdiff_t>(bus_index_.at(d.supply));
      }
    }
    for (std::size_t k = 0; k < set->info().states.size(); ++k)
      for (std::size_t i = 0; i < set->size(); ++i)
        if (set->exposedCount() >= (k + 1) * set->size())
          error_scale_[set->yIndex(k, i)] = set->info().states[k].abs_tol;
  }
  for (std::size_t k = 0; k < facility_->info().states.size(); ++k) error_scale_[facility_->yIndex(k, 0)] = kUnbounded;
  for (const auto& set : sets_) {
    Binder binder(*this, *set, problems);
    set->bind(binder);
  }
  for (const auto& taker : heat_takers_)
    if (inverse_capacity_[taker.unknown] == 0.0)
      problems.error(taker.where,
                     "'" + taker.giver + "' gives its heat to '" + taker.name +
                         "', whose content has no one temperature: the heat would be lost",
                     "name the fluid node beside it, or make it one mixed volume (`model: mixed`)");
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

void System::orderLinks(Diagnostics& problems) {
  for (std::size_t l = 0; l < links_.size(); ++l) buses_[static_cast<std::size_t>(links_[l].to)].incoming.push_back(l);
  // Downstream first: a link comes after every link that draws from the bus it feeds.
  std::vector<std::size_t> outgoing(buses_.size(), 0);
  for (const auto& link : links_)
    if (link.from >= 0) ++outgoing[static_cast<std::size_t>(link.from)];
  std::deque<std::size_t> ready;
  for (std::size_t b = 0; b < buses_.size(); ++b)
    if (outgoing[b] == 0) ready.push_back(b);
  while (!ready.empty()) {
    const std::size_t b = ready.front();
    ready.pop_front();
    for (const auto l : buses_[b].incoming) {
      link_order_.push_back(l);
      if (links_[l].from >= 0 && --outgoing[static_cast<std::size_t>(links_[l].from)] == 0)
        ready.push_back(static_cast<std::size_t>(links_[l].from));
    }
  }
  if (link_order_.size() != links_.size()) {
    std::string names;
    for (std::size_t b = 0; b < buses_.size(); ++b)
      if (outgoing[b] > 0) names += (names.empty() ? "" : ", ") + buses_[b].name;
    problems.error({plant_.file, 0, 0}, "the electrical tree has a loop through: " + names,
                   "power must flow from sources to loads without a ring; open one tie");
  }
  for (std::size_t b = 0; b < buses_.size(); ++b)
    if (buses_[b].incoming.empty())
      problems.error(whereNamed(buses_[b].name), "nothing feeds the bus '" + buses_[b].name + "'",
                     "connect a utility, transformer, UPS or busway to it, or leave `supply` out");
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

void System::finishStructure() {
  auto& couplings = structure_.couplings;
  couplings = requested_;
  for (std::size_t i = 0; i < structure_.exposed; ++i)
    couplings.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)});
  for (const auto& group : structure_.groups)
    for (std::size_t i = 0; i < group.count; ++i)
      for (std::size_t a = 0; a < group.ports; ++a)
        for (std::size_t b = 0; b < group.ports; ++b)
          couplings.push_back({group.port[a * group.count + i], group.port[b * group.count + i]});
  std::sort(couplings.begin(), couplings.end());
  couplings.erase(std::unique(couplings.begin(), couplings.end()), couplings.end());
  const auto positionOf = [&](const Coupling& coupling) {
    return static_cast<std::size_t>(std::lower_bound(couplings.begin(), couplings.end(), coupling) - couplings.begin());
  };
  slot_position_.resize(requested_.size());
  for (std::size_t s = 0; s < requested_.size(); ++s) slot_position_[s] = positionOf(requested_[s]);
  std::sort(carried_.begin(), carried_.end(),
            [](const CarriedUnknown& a, const CarriedUnknown& b) { return a.unknown < b.unknown; });
  for (const auto& c : carried_) {
    if (carried_runs_.empty() || carried_runs_.back().heat != c.heat ||
        carried_runs_.back().first + carried_runs_.back().count != c.unknown)
      carried_runs_.push_back({c.unknown, 0, c.heat});
    ++carried_runs_.back().count;
  }
}

std::string System::nameOf(std::size_t unknown) const {
  for (const auto& set : sets_) {
    if (set->exposedCount() > 0 && unknown >= set->exposed_first && unknown < set->exposed_first + set->exposedCount())
      return set->unknownName(unknown - set->exposed_first);
    if (set->interiorCount() > 0 && unknown >= set->interior_first &&
        unknown < set->interior_first + set->interiorCount()) {
      // The states of a class are listed with those that others see first.
      const std::size_t k = set->exposedCount() / set->size() + (unknown - set->interior_first) / set->size();
      const std::string state =
          k < set->info().states.size() ? std::string(set->info().states[k].name) : "cell " + std::to_string(k);
      return set->ids()[(unknown - set->interior_first) % set->size()] + "." + state;
    }
  }
  return "unknown " + std::to_string(unknown);
}

State System::initialState(double temperature, const Weather& outdoors) const {
  State state;
  state.y.assign(structure_.size, temperature);
  state.z.assign(z_count_, 0.0);
  state.lines.resize(line_count_);
  for (const auto& set : sets_) set->initialise(state, temperature);
  for (const auto& c : carried_) state.y[c.unknown] = c.heat->carried(state.y[c.unknown]);
  setWeather(state, outdoors);
  return state;
}

void System::setWeather(State& state, const Weather& outdoors) const {
  state.y[facility_->yIndex(kDryBulb, 0)] = outdoors.dry_bulb;
  facility_->z(state, FacilitySet::kRelativeHumidity, 0) = outdoors.relative_humidity;
  facility_->z(state, FacilitySet::kPressure, 0) = outdoors.pressure;
  facility_->z(state, FacilitySet::kWetBulb, 0) =
      fluids::wetBulb(outdoors.dry_bulb, outdoors.relative_humidity, outdoors.pressure);
  const double vapour = outdoors.relative_humidity * fluids::vapourSaturationPressure(outdoors.dry_bulb);
  facility_->z(state, FacilitySet::kDewPoint, 0) =
      vapour > fluids::vapourSaturationPressure(kDriest) ? fluids::dewPointOfVapour(vapour) : kDriest;
}

Weather System::weather(const State& state) const {
  return {state.y[facility_->yIndex(kDryBulb, 0)],
          facility_->z(const_cast<State&>(state), FacilitySet::kRelativeHumidity, 0),
          facility_->z(const_cast<State&>(state), FacilitySet::kPressure, 0)};
}

Evaluation System::makeEvaluation() const {
  Evaluation e;
  e.laws.resize(edges_.size());
  e.m.assign(edges_.size(), 0.0);
  e.p.resize(fluid_nodes_.size());
  e.inflow.resize(fluid_nodes_.size());
  e.fluid_live.assign(fluid_nodes_.size(), 0);
  for (std::size_t n = 0; n < fluid_nodes_.size(); ++n) {
    e.p[n] = fluid_nodes_[n].pressure;
    e.inflow[n] = fluid_nodes_[n].inflow * circuits_[fluid_nodes_[n].circuit].coolant.density;
  }
  for (const auto& circuit : circuits_) {
    double reference = 0.0;
    for (const auto n : circuit.nodes)
      if (fluid_nodes_[n].fixed_pressure) reference = fluid_nodes_[n].pressure;
    for (const auto n : circuit.nodes)
      if (!fluid_nodes_[n].fixed_pressure) e.p[n] = reference;
  }
  e.part.assign(fluid_nodes_.size(), -1);
  e.parts.assign(circuits_.size(), 0);
  e.energised.assign(buses_.size(), 0);
  e.bus_load.assign(buses_.size(), 0.0);
  e.link_out.assign(links_.size(), 0.0);
  e.link_loss.assign(links_.size(), 0.0);
  e.command.assign(drives_, 0.0);
  e.heat.assign(structure_.exposed, 0.0);
  e.flow_scratch.resize(circuits_.size());
  e.set_scratch.assign(scratch_count_, 0.0);
  e.inverse_capacity = inverse_capacity_;
  return e;
}

void System::refreshTopology(const State& state, Evaluation& e) const {
  if (e.topology_seen == state.topology) return;
  std::fill(e.energised.begin(), e.energised.end(), char{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& link : links_) {
      char& to = e.energised[static_cast<std::size_t>(link.to)];
      if (to != 0) continue;
      if (link.from >= 0 && e.energised[static_cast<std::size_t>(link.from)] == 0) continue;
      if (!link.set->available(e, link.instance)) continue;
      to = 1;
      changed = true;
    }
  }
  e.topology_seen = state.topology;
}

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

double System::pressureResponse(const Evaluation& e, std::size_t flow_from, std::size_t flow_to, std::size_t at_from,
                                std::size_t at_to) const {
  const std::size_t c = fluid_nodes_[flow_from].circuit;
  const auto& nodes = circuits_[c].nodes;
  const auto local = [&](std::size_t node) {
    return static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  };
  return circuits_[c].network->pressureResponse(e.flow_scratch[c], {local(flow_from), local(flow_to)},
                                                {local(at_from), local(at_to)});
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
  if (circuits_[circuit].vessel < 0) return {nullptr, 0};
  return find(edges_[static_cast<std::size_t>(circuits_[circuit].vessel)].name);
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

// Loads are summed from the leaves to the sources; every link adds its own loss. A bus with several live links
// shares its load among them by their ratings.
void System::solvePower(Evaluation& e) const {
  std::fill(e.bus_load.begin(), e.bus_load.end(), 0.0);
  e.unmetered_load = 0.0;
  for (const auto& set : sets_) set->demand(e);
  e.source_power = 0.0;
  for (const auto l : link_order_) {
    const Link& link = links_[l];
    const auto to = static_cast<std::size_t>(link.to);
    e.link_out[l] = 0.0;
    e.link_loss[l] = 0.0;
    const auto live = [&](const Link& other) {
      return other.set->available(e, other.instance) &&
             (other.from < 0 || e.energised[static_cast<std::size_t>(other.from)] != 0);
    };
    if (!live(link)) continue;
    double share = 1.0;
    if (buses_[to].incoming.size() > 1) {
      double total = 0.0;
      for (const auto other : buses_[to].incoming)
        if (live(links_[other])) total += links_[other].rating;
      share = link.rating / total;
    }
    e.link_out[l] = share * e.bus_load[to];
    e.link_loss[l] = link.set->linkLoss(e, link.index, e.link_out[l]);
    const double in = e.link_out[l] + e.link_loss[l];
    if (link.from < 0)
      e.source_power += in;
    else
      e.bus_load[static_cast<std::size_t>(link.from)] += in;
  }
  e.source_power += e.unmetered_load;
}

void System::moveHeat(Evaluation& e) const {
  for (const auto& pass : pass_through_) {
    const double m = e.m[pass.edge];
    if (m == 0.0) continue;
    const fluids::CoolantHeat& coolant = circuits_[fluid_nodes_[pass.from].circuit].law.heat;
    const std::size_t from = node_set_->yIndex(0, pass.from), to = node_set_->yIndex(0, pass.to);
    const double heat = m * (coolant.enthalpy(e.y[from]) - coolant.enthalpy(e.y[to]));
    if (m > 0.0)
      e.heat[fluid_nodes_[pass.to].fixed_temperature ? facility_->yIndex(kEnergyToBoundaries, 0) : to] += heat;
    else
      e.heat[fluid_nodes_[pass.from].fixed_temperature ? facility_->yIndex(kEnergyToBoundaries, 0) : from] += heat;
  }
}

void System::evaluate(const State& state, double t, std::span<const double> y, Evaluation& e,
                      std::span<double> ydot) const {
  e.t = t;
  e.kept = y;
  e.y = temperatures(y, e);
  e.z = state.z;
  e.lines = &state;
  e.ydot = ydot;
  refreshTopology(state, e);
  for (std::size_t d = 0; d < drives_; ++d) {
    const auto& [set, i] = drive_owner_[d];
    e.command[d] = set->z(e, kCommand, i);
  }
  for (const auto& set : sets_) set->control(e);
  const auto began = std::chrono::steady_clock::now();
  solveFlows(e);
  e.flow_time += std::chrono::steady_clock::now() - began;
  std::fill(e.heat.begin(), e.heat.end(), 0.0);
  solvePower(e);
  moveHeat(e);
  for (const auto& set : sets_) set->rates(e);
  for (std::size_t i = 0; i < structure_.exposed; ++i) ydot[i] = e.heat[i] * e.inverse_capacity[i];
}

/// The unknowns with coolant's own temperatures in the place of those it carries.
std::span<const double> System::temperatures(std::span<const double> y, Evaluation& e) const {
  if (carried_.empty()) return y;
  e.temperatures.assign(y.begin(), y.end());
  for (const auto& run : carried_runs_)
    run.heat->fromCarried({y.data() + run.first, run.count}, e.temperatures.data() + run.first);
  return e.temperatures;
}

/// Derivatives by coolant's temperatures become those by what it carries.
void System::byUnknowns(const Evaluation& e, Jacobian& jacobian) const {
  if (carried_.empty()) return;
  std::vector<double> slope(structure_.exposed, 1.0);
  for (const auto& c : carried_) slope[c.unknown] = 1.0 / c.heat->carriedSlope(e.y[c.unknown]);
  for (std::size_t k = 0; k < structure_.couplings.size(); ++k)
    jacobian.exposed[k] *= slope[static_cast<std::size_t>(structure_.couplings[k].column)];
  for (std::size_t g = 0; g < structure_.groups.size(); ++g) {
    const InteriorGroup& group = structure_.groups[g];
    for (std::size_t r = 0; r < group.interior; ++r)
      for (std::size_t j = 0; j < group.ports; ++j)
        for (std::size_t i = 0; i < group.count; ++i)
          jacobian.groups[g].ip[(r * group.ports + j) * group.count + i] *=
              slope[static_cast<std::size_t>(group.port[j * group.count + i])];
  }
}

const fluids::CoolantHeat* System::carriedBy(std::size_t unknown) const {
  const auto found = std::lower_bound(carried_.begin(), carried_.end(), unknown,
                                      [](const CarriedUnknown& c, std::size_t n) { return c.unknown < n; });
  return found == carried_.end() || found->unknown != unknown ? nullptr : found->heat;
}

double System::temperature(const State& state, std::size_t unknown) const {
  const fluids::CoolantHeat* heat = carriedBy(unknown);
  return heat == nullptr ? state.y[unknown] : heat->fromCarried(state.y[unknown]);
}

void System::jacobian(Evaluation& e, Jacobian& jacobian) const {
  JacobianWriter writer(jacobian, slot_position_, e.inverse_capacity);
  const std::size_t boundary = facility_->yIndex(kEnergyToBoundaries, 0);
  for (const auto& pass : pass_through_) {
    const double m = e.m[pass.edge];
    const fluids::CoolantHeat& coolant = circuits_[fluid_nodes_[pass.from].circuit].law.heat;
    const double by_from = m * coolant.specificHeat(e.y[node_set_->yIndex(0, pass.from)]);
    const double by_to = m * coolant.specificHeat(e.y[node_set_->yIndex(0, pass.to)]);
    if (m > 0.0) {
      const std::size_t row = fluid_nodes_[pass.to].fixed_temperature ? boundary : node_set_->yIndex(0, pass.to);
      writer.add(pass.slot_to_from, row, by_from);
      writer.add(pass.slot_to_to, row, -by_to);
    } else {
      const std::size_t row = fluid_nodes_[pass.from].fixed_temperature ? boundary : node_set_->yIndex(0, pass.from);
      writer.add(pass.slot_from_from, row, by_from);
      writer.add(pass.slot_from_to, row, -by_to);
    }
  }
  for (const auto& set : sets_) set->jacobian(e, writer);
  byUnknowns(e, jacobian);
  e.flow_at_jacobian = e.m;
  e.full_speed_at_jacobian.resize(drives_);
  for (std::size_t d = 0; d < drives_; ++d)
    e.full_speed_at_jacobian[d] = drive_owner_[d].first->atFullSpeed(e, drive_owner_[d].second) ? 1 : 0;
}

double System::jacobianDrift(const Evaluation& e) const {
  if (e.flow_at_jacobian.size() != e.m.size()) return kUnbounded;
  for (std::size_t d = 0; d < drives_; ++d)
    if (drive_owner_[d].first->atFullSpeed(e, drive_owner_[d].second) != (e.full_speed_at_jacobian[d] != 0))
      return kUnbounded;
  double drift = 0.0;
  for (const auto& circuit : circuits_) {
    double largest = 0.0;
    for (const auto edge : circuit.edges) largest = std::max(largest, std::abs(e.flow_at_jacobian[edge]));
    for (const auto edge : circuit.edges) {
      const double moved = std::abs(e.m[edge] - e.flow_at_jacobian[edge]);
      if (moved > 0.0)
        drift = std::max(drift, moved / std::max(std::abs(e.flow_at_jacobian[edge]), 1e-3 * largest + 1e-12));
    }
  }
  return drift;
}

void System::sample(State& state, const Evaluation& e, std::vector<Occurrence>& occurrences) const {
  for (const auto& set : sets_) set->sample(e, state, occurrences);
}

void System::supplyChanged(State& state, const Evaluation& e, std::vector<Occurrence>& occurrences) const {
  for (const auto& set : sets_) set->supplyChanged(e, state, occurrences);
}

void System::endSteadySearch(State& state) const {
  for (const auto& set : sets_) set->endSteadySearch(state);
}

double System::nextFront(const Evaluation& e, const State& state, double horizon) const {
  double soonest = std::numeric_limits<double>::infinity();
  for (const auto& set : sets_) soonest = std::min(soonest, set->nextFront(e, state, horizon));
  return soonest;
}

void System::advance(State& state, const Evaluation& e, double h) const {
  for (const auto& set : sets_) set->advance(e, state, h);
}

std::pair<ComponentSet*, std::size_t> System::find(const std::string& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? std::pair<ComponentSet*, std::size_t>{nullptr, 0} : found->second;
}

std::pair<ComponentSet*, std::size_t> System::findInClass(const std::string& group, const std::string& id) const {
  for (const auto& set : sets_)
    if (set->info().group == group || set->info().name == group)
      for (std::size_t i = 0; i < set->size(); ++i)
        if (set->ids()[i] == id) return {set.get(), i};
  return {nullptr, 0};
}

SignalAddress System::findSignal(const std::string& address) const {
  const auto dot = address.rfind('.');
  if (dot == std::string::npos) return {};
  const std::string id = address.substr(0, dot), name = address.substr(dot + 1);
  const auto in = [&](ComponentSet* set, std::size_t instance) -> SignalAddress {
    for (std::size_t k = 0; k < set->info().signals.size(); ++k)
      if (set->info().signals[k].name == name) return {set, k, instance};
    return {};
  };
  if (const auto [set, i] = find(id); set != nullptr)
    if (const auto found = in(set, i); found.set != nullptr) return found;
  if (const auto node = fluid_node_index_.find(id); node != fluid_node_index_.end())
    if (const auto found = in(node_set_, node->second); found.set != nullptr) return found;
  if (const auto bus = bus_index_.find(id); bus != bus_index_.end()) return in(bus_set_, bus->second);
  return {};
}

double System::value(const SignalAddress& address, const Evaluation& e) const {
  return address.set->signalOf(e, address.signal, address.instance);
}

std::vector<std::string> System::allIds() const {
  std::vector<std::string> ids;
  for (const auto& [id, place] : by_id_) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

ComponentSet* System::setOfGroup(const std::string& group) const {
  for (const auto& set : sets_)
    if (set->info().group == group || set->info().name == group) return set.get();
  return nullptr;
}

double System::itPower(const Evaluation& e) const {
  double sum = 0.0;
  for (const auto& set : sets_) sum += set->itPower(e);
  return sum;
}

double System::heatToAmbient(const Evaluation& e) const { return e.heat[facility_->yIndex(kEnergyToAmbient, 0)]; }

EnergyLedger System::ledger(const State& state, const Evaluation& e) const {
  EnergyLedger ledger;
  ledger.sources = state.y[facility_->yIndex(kEnergySources, 0)];
  ledger.to_ambient = state.y[facility_->yIndex(kEnergyToAmbient, 0)];
  ledger.to_boundaries = state.y[facility_->yIndex(kEnergyToBoundaries, 0)];
  for (const auto& set : sets_) ledger.stored += set->storedEnergy(e);
  return ledger;
}

CoolantLedger System::coolantLedger(const State& state, const Evaluation& e) const {
  CoolantLedger ledger;
  for (const auto& set : sets_) ledger += set->coolantLedger(e);
  ledger.in += state.y[facility_->yIndex(kCoolantFromBoundaries, 0)];
  return ledger;
}

// -- Binder ---------------------------------------------------------------------------------------------------------

std::size_t Binder::fluidNode(std::size_t i, const std::string& port, std::size_t which) const {
  const auto& d = set_.description(i);
  const auto found = d.ports.find(port);
  if (found == d.ports.end() || found->second.size() <= which) {
    problems_.error(d.where,
                    "'" + d.id + "' needs " + std::to_string(which + 1) + " node(s) at its port '" + port + "'",
                    "list them as " + port + ": [inlet, outlet]");
    return 0;
  }
  return system_.fluid_node_index_.at(found->second[which]);
}

ThermalPort Binder::nodePort(std::size_t fluid_node) const {
  const std::size_t column = system_.node_set_->yIndex(0, fluid_node);
  return {column, system_.fluid_nodes_[fluid_node].fixed_temperature ? system_.facility_->yIndex(kEnergyToBoundaries, 0)
                                                                     : column};
}

double Binder::density(std::size_t fluid_node) const {
  return system_.circuits_[system_.fluid_nodes_[fluid_node].circuit].coolant.density;
}
double Binder::specificHeat(std::size_t fluid_node) const {
  return system_.circuits_[system_.fluid_nodes_[fluid_node].circuit].coolant.specific_heat;
}
double Binder::weight(std::size_t from_node, std::size_t to_node) const {
  const auto &from = system_.fluid_nodes_[from_node], &to = system_.fluid_nodes_[to_node];
  return density(from_node) * system_.plant().gravity * (from.elevation - to.elevation);
}
double Binder::viscosity(std::size_t fluid_node) const {
  return system_.circuits_[system_.fluid_nodes_[fluid_node].circuit].coolant.viscosity;
}

const fluids::Coolant& Binder::coolant(std::size_t fluid_node) const {
  return system_.circuits_[system_.fluid_nodes_[fluid_node].circuit].coolant;
}

const fluids::CoolantLaw& Binder::coolantLaw(std::size_t fluid_node) const {
  return system_.circuits_[system_.fluid_nodes_[fluid_node].circuit].law;
}
std::size_t Binder::flowTemperature(std::size_t fluid_node) const {
  return system_.node_set_->zIndex(FluidNodeSet::kFlowTemperature, fluid_node);
}

const fluids::CoolantHeat& Binder::coolantHeat(std::size_t fluid_node) const {
  return system_.circuits_[system_.fluid_nodes_[fluid_node].circuit].law.heat;
}

bool Binder::hasPort(std::size_t i, const std::string& port) const { return portCount(i, port) > 0; }

std::size_t Binder::portCount(std::size_t i, const std::string& port) const {
  const auto& ports = set_.description(i).ports;
  const auto found = ports.find(port);
  return found == ports.end() ? 0 : found->second.size();
}

ThermalPort Binder::heatPort(std::size_t i, const std::string& port, std::size_t which) const {
  const auto& d = set_.description(i);
  const std::string& name = d.ports.at(port).at(which);
  if (name == kAmbientName) return ambient();
  const auto [set, k] = system_.find(name);
  if (set == nullptr || set->info().states.empty() || set->info().states[0].quantity != Quantity::temperature) {
    if (const auto node = system_.fluid_node_index_.find(name); node != system_.fluid_node_index_.end())
      return nodePort(node->second);
    const std::string near = nearestName(name, system_.allIds());
    const auto mark = d.port_marks.find(port);
    problems_.error(mark == d.port_marks.end() ? d.where : mark->second,
                    "'" + d.id + "' gives its heat at '" + port + "' to '" + name + "', which has no temperature",
                    "name a zone, a heat_capacity or ambient" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    return ambient();
  }
  const auto mark = d.port_marks.find(port);
  system_.heat_takers_.push_back({set->yIndex(0, k), mark == d.port_marks.end() ? d.where : mark->second, d.id, name});
  return {set->yIndex(0, k), set->yIndex(0, k)};
}

ThermalPort Binder::ambient() const {
  return {system_.facility_->yIndex(kDryBulb, 0), system_.facility_->yIndex(kEnergyToAmbient, 0)};
}

OutdoorAir Binder::outdoorAir() const {
  return {system_.facility_->zIndex(FacilitySet::kRelativeHumidity, 0),
          system_.facility_->zIndex(FacilitySet::kPressure, 0), system_.facility_->zIndex(FacilitySet::kWetBulb, 0),
          system_.facility_->zIndex(FacilitySet::kDewPoint, 0)};
}

std::size_t Binder::boundaryLedger() const { return system_.facility_->yIndex(kEnergyToBoundaries, 0); }

std::ptrdiff_t Binder::bus(std::size_t i, const std::string& port, std::size_t which) const {
  const auto& ports = set_.description(i).ports;
  const auto found = ports.find(port);
  if (found == ports.end() || found->second.size() <= which) return -1;
  return static_cast<std::ptrdiff_t>(system_.bus_index_.at(found->second[which]));
}

SignalAddress Binder::signal(std::size_t i, const std::string& address) const {
  const SignalAddress found = system_.findSignal(address);
  if (found.set == nullptr) {
    const auto& d = set_.description(i);
    const auto dot = address.rfind('.');
    const std::string near = nearestName(address.substr(0, dot), system_.allIds());
    problems_.error(d.where, "'" + d.id + "' refers to the value '" + address + "', which does not exist",
                    "write ID.signal" + (near.empty() ? "" : "; nearest id: '" + near + "'"));
  }
  return found;
}

std::pair<ComponentSet*, std::size_t> Binder::member(std::size_t i, const std::string& port, std::size_t which) const {
  const auto& d = set_.description(i);
  const std::string& name = d.ports.at(port).at(which);
  const auto found = system_.find(name);
  if (found.first == nullptr) {
    const std::string near = nearestName(name, system_.allIds());
    const auto mark = d.port_marks.find(port);
    problems_.error(mark == d.port_marks.end() ? d.where : mark->second,
                    "'" + d.id + "' names '" + name + "' at '" + port + "', which does not exist",
                    near.empty() ? "name an instance of the pod" : "did you mean '" + near + "'?");
  }
  return found;
}

void Binder::capacity(std::size_t exposed, double value) {
  system_.inverse_capacity_[exposed] = value == kUnbounded ? 0.0 : 1.0 / value;
}

void Binder::errorScale(std::size_t unknown, double value) { system_.error_scale_[unknown] = value; }
void Binder::coolantCapacity(std::size_t exposed, std::size_t fluid_node, double mass, double solid) {
  const fluids::CoolantHeat& heat = coolantHeat(fluid_node);
  capacity(exposed, mass * specificHeat(fluid_node) + solid);
  coolantVolume(fluid_node, exposed, mass / density(fluid_node));
  if (heat.varies()) system_.carried_.push_back({exposed, &heat});
}

std::size_t Binder::edge(std::size_t from_node, std::size_t to_node, const std::string& name) {
  system_.edges_.push_back({from_node, to_node, name, 0.0, &set_});
  return system_.edges_.size() - 1;
}

std::size_t Binder::openEdge(std::size_t node, double elevation, const std::string& name) {
  system_.edges_.push_back({node, System::kOpenAir, name, elevation, &set_});
  return system_.edges_.size() - 1;
}

void Binder::coolantVolume(std::size_t node, std::size_t column, double volume) {
  system_.inventory_->add({node, column, volume, nullptr, 0});
}
void Binder::coolantVolumeOf(std::size_t i, std::size_t node, double volume) {
  system_.inventory_->add({node, 0, volume, &set_, i});
}

void Binder::closeCircuit(std::size_t node, std::size_t edge) {
  const std::size_t circuit = system_.fluid_nodes_[node].circuit;
  if (system_.circuits_[circuit].vessel < 0) system_.circuits_[circuit].vessel = static_cast<std::ptrdiff_t>(edge);
  system_.inventory_->useDensity(circuit);
}

void Binder::relief(std::size_t i, std::size_t node) {
  system_.inventory_->useDensity(system_.fluid_nodes_[node].circuit);
  system_.inventory_->addRelief(node, &set_, i);
}

void Binder::passThrough(std::size_t edge) {
  System::PassThrough pass{};
  pass.edge = edge;
  pass.from = system_.edges_[edge].from;
  pass.to = system_.edges_[edge].to;
  const ThermalPort from = nodePort(pass.from), to = nodePort(pass.to);
  pass.slot_to_from = couple(to.row, from.column);
  pass.slot_to_to = couple(to.row, to.column);
  pass.slot_from_to = couple(from.row, to.column);
  pass.slot_from_from = couple(from.row, from.column);
  system_.pass_through_.push_back(pass);
}

std::size_t Binder::couple(std::size_t row, std::size_t column) {
  system_.requested_.push_back({static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)});
  return system_.requested_.size() - 1;
}

std::size_t Binder::group(InteriorGroup group) {
  std::size_t used = system_.structure_.exposed;
  for (const auto& other : system_.structure_.groups) used += other.count * other.interior;
  group.first = used;
  system_.structure_.groups.push_back(std::move(group));
  return system_.structure_.groups.size() - 1;
}

std::size_t Binder::makeDrive(std::size_t i) {
  set_.drive[i] = static_cast<std::ptrdiff_t>(system_.drives_);
  system_.drive_owner_.emplace_back(&set_, i);
  return system_.drives_++;
}

std::size_t Binder::link(std::ptrdiff_t from_bus, std::ptrdiff_t to_bus, std::size_t instance, double rating) {
  std::size_t index = 0;
  for (const auto& other : system_.links_)
    if (other.set == &set_) ++index;
  system_.links_.push_back({&set_, index, instance, from_bus, to_bus, rating});
  return system_.links_.size() - 1;
}

}  // namespace podtwin
