#include "model/system/system.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/system/builtin_sets.hpp"
#include "model/system/sources_in_step.hpp"

namespace podtwin {

namespace {
constexpr double kDefaultNodeVolume = 0.005;     // m3; estimate: a metre of DN80 pipe mixed at a junction
constexpr double kAtmosphere = 101325.0;         // Pa; standard atmosphere
constexpr double kAssemblyTemperature = 293.15;  // K; of a state that is looked at for its structure alone
constexpr double kDriest = 173.15;               // K; dew points below are not told apart

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
                     "use a class of `podtwin schema pod`; `podtwin schema CLASS` tells what one has");
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
  findBusVoltages(classes, problems);
  problems.throwIfErrors();
  placeInstances(classes, problems);
  problems.throwIfErrors();
  electrical_.refuseTwoHolders(problems);
  problems.throwIfErrors();
  electrical_.finish(buses_.size());
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
  refreshTopology(state, e);
  refuseSourcesOutOfStep(*this, e, problems);
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
  e.bus_reactive.assign(buses_.size(), 0.0);
  e.bus_source.assign(buses_.size(), 0);
  e.served.assign(buses_.size(), 1.0);
  electrical_.prepare(e);
  e.link_out.assign(links_.size(), 0.0);
  e.link_loss.assign(links_.size(), 0.0);
  e.command.assign(drives_, 0.0);
  e.heat.assign(structure_.exposed, 0.0);
  e.flow_scratch.resize(circuits_.size());
  e.set_scratch.assign(scratch_count_, 0.0);
  e.inverse_capacity = inverse_capacity_;
  return e;
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
  for (const auto& set : sets_) set->drawStores(e);
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

bool System::watching(const Evaluation& e) const {
  return std::any_of(sets_.begin(), sets_.end(), [&](const auto& set) { return set->watching(e); });
}

double System::watch(const Evaluation& e) const {
  double greatest = -std::numeric_limits<double>::infinity();
  for (const auto& set : sets_) greatest = std::max(greatest, set->watch(e));
  return greatest;
}

double System::nextMoment(const Evaluation& e) const {
  double soonest = std::numeric_limits<double>::infinity();
  for (const auto& set : sets_) soonest = std::min(soonest, set->nextMoment(e));
  return soonest;
}

void System::act(State& state, const Evaluation& e, std::vector<Occurrence>& occurrences) const {
  for (const auto& set : sets_) set->act(e, state, occurrences);
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

double System::storeOutput(const Evaluation& e) const {
  double sum = 0.0;
  for (const auto& set : sets_) sum += set->storeOutput(e);
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

}  // namespace podtwin
