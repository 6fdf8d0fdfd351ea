// What a component set declares when it is bound to the plant.
#include "model/system/binder.hpp"

#include "model/base/diagnostics.hpp"
#include "model/system/builtin_sets.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {
constexpr const char* kAmbientName = "ambient";  // what outdoor air is called where a zone is
}  // namespace

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

void Binder::closeCircuit(std::size_t i, std::size_t node, std::size_t edge) {
  const std::size_t c = system_.fluid_nodes_[node].circuit;
  System::Circuit& circuit = system_.circuits_[c];
  if (circuit.vessel < 0) {
    circuit.vessel = static_cast<std::ptrdiff_t>(edge);
    circuit.vessel_set = &set_;
    circuit.vessel_instance = i;
  }
  system_.inventory_->useDensity(c);
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

std::size_t Binder::link(std::ptrdiff_t from_bus, std::ptrdiff_t to_bus, std::size_t instance, double rating,
                         double tangent, std::size_t part) {
  if (phased(to_bus)) {
    const auto& d = set_.description(instance);
    problems_.error(d.where,
                    "'" + d.id + "' feeds '" + system_.buses_[static_cast<std::size_t>(to_bus)].name +
                        "', which has a nominal voltage, but a " + d.class_name + " here knows active power alone",
                    "leave the voltage of that bus out, or feed it by a transformer, UPS or line");
  }
  std::size_t index = 0;
  for (const auto& other : system_.links_)
    if (other.set == &set_) ++index;
  system_.links_.push_back({&set_, index, instance, from_bus, to_bus, rating, tangent, part});
  return system_.links_.size() - 1;
}

bool Binder::phased(std::ptrdiff_t bus) const {
  return bus >= 0 && system_.electrical_.phased(static_cast<std::size_t>(bus));
}
double Binder::nominalVoltage(std::ptrdiff_t bus) const {
  return system_.electrical_.nominalVoltage(static_cast<std::size_t>(bus));
}
std::size_t Binder::conductor(std::ptrdiff_t bus, std::size_t k) const {
  return system_.electrical_.conductor(static_cast<std::size_t>(bus), k);
}
std::size_t Binder::starPoint(std::string name) { return system_.electrical_.addStarPoint(std::move(name)); }
std::size_t Binder::element(std::size_t i, PhasorElement element, bool always, std::size_t part) {
  return system_.electrical_.addElement(always ? nullptr : &set_, i, std::move(element), part);
}
std::size_t Binder::phasorLoad(PhasorLoad load) { return system_.electrical_.addLoad(std::move(load)); }
std::array<std::size_t, 3> Binder::starLoads(std::ptrdiff_t bus, double lowest_share) {
  return system_.electrical_.starLoads(static_cast<std::size_t>(bus), lowest_share);
}
std::size_t Binder::source(std::size_t i, PhasorSource source, std::ptrdiff_t upstream_bus) {
  return system_.electrical_.addSource(&set_, i, std::move(source), upstream_bus);
}

}  // namespace podtwin
