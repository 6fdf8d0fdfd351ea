#include "model/system/inventory.hpp"

#include <algorithm>
#include <cmath>

#include "model/fluids/moist_air.hpp"
#include "model/system/builtin_sets.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {
constexpr double kAtmosphere = 101325.0;  // Pa; densities are taken there, 2 bar more is 1e-4 of it
constexpr double kSamePressure = 1.0;     // Pa; nodes of one part that differ by less are at rest together
constexpr std::size_t kMostNames = 8;     // of nodes in a message

const ComponentSet& nodesOf(const System& system) { return *system.sets()[1]; }
}  // namespace

double CoolantContent::temperature(const Evaluation& e) const {
  return owner == nullptr ? e.y[column] : owner->contentTemperature(e, instance);
}

void Inventory::prepare() {
  contents_.resize(system_.circuits().size());
  reliefs_.resize(system_.circuits().size());
  coolants_.resize(system_.circuits().size());
}

void Inventory::add(CoolantContent content) {
  contents_[system_.fluidNodes()[content.node].circuit].push_back(content);
}

void Inventory::addRelief(std::size_t node, const ComponentSet* set, std::size_t instance) {
  reliefs_[system_.fluidNodes()[node].circuit].push_back({node, set, instance});
}

void Inventory::useDensity(std::size_t circuit) {
  const CircuitDescription& described = system_.plant().circuits[circuit];
  coolants_[circuit] = described.fluid.density
                           ? system_.circuits()[circuit].law
                           : fluids::coolantLaw(described.fluid.name, described.property_temperature, kAtmosphere);
}

double Inventory::volume(std::size_t circuit) const {
  double sum = 0.0;
  for (const auto& content : contents_[circuit]) sum += content.volume;
  return sum;
}

double Inventory::gasShare(std::size_t circuit, const Evaluation& e) const {
  const auto [vessel, i] = system_.vesselOf(circuit);
  if (vessel == nullptr) return 0.0;
  const double gas = vessel->gasVolume(e, i);
  return gas > 0.0 ? gas / volume(circuit) : 0.0;
}

std::vector<Inventory::Part> Inventory::parts(std::size_t circuit, const Evaluation& e) const {
  std::vector<Part> parts(static_cast<std::size_t>(e.parts[circuit]));
  for (const auto& content : contents_[circuit]) {
    const std::int32_t part = e.part[content.node];
    if (part < 0) continue;
    Part& whole = parts[static_cast<std::size_t>(part)];
    whole.volume += content.volume;
    whole.mean += content.volume * content.temperature(e);
  }
  for (auto& whole : parts) whole.mean /= whole.volume;  // every node holds some coolant
  return parts;
}

double Inventory::mass(std::size_t circuit, const Evaluation& e) const {
  const auto& coolant = coolants_[circuit];
  double sum = 0.0;
  if (e.parts[circuit] == 0) {
    for (const auto& content : contents_[circuit]) sum += content.volume * coolant.density(content.temperature(e));
    return sum;
  }
  const ComponentSet& nodes = nodesOf(system_);
  const std::vector<Part> whole = parts(circuit, e);
  for (const auto& content : contents_[circuit]) {
    double t = content.temperature(e);
    const std::int32_t part = e.part[content.node];
    if (part >= 0 && nodes.z(e, FluidNodeSet::kTrapped, content.node) != 0.0)
      t -= whole[static_cast<std::size_t>(part)].mean - nodes.z(e, FluidNodeSet::kTrappedTemperature, content.node);
    sum += content.volume * coolant.density(t);
  }
  return sum;
}

double Inventory::beyondData(std::size_t circuit, const Evaluation& e) const {
  const auto& coolant = coolants_[circuit];
  double most = 0.0;
  for (const auto& content : contents_[circuit]) {
    const double t = content.temperature(e);
    most = std::max({most, t - coolant.t_high, coolant.t_low - t});
  }
  return most;
}

void Inventory::findTrapped(std::size_t c, Evaluation& e) const {
  const auto& circuit = system_.circuits()[c];
  const auto& edges = circuit.network->edges();
  std::int32_t count = 0;
  for (const auto n : circuit.nodes) e.part[n] = e.fluid_live[n] != 0 ? -1 : count++;
  // The least number goes round each part; then they are counted anew.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const EdgeLaw& law = e.laws[circuit.edges[k]];
      if (!law.open || law.fixed || edges[k].to >= circuit.nodes.size()) continue;
      std::int32_t &a = e.part[circuit.nodes[edges[k].from]], &b = e.part[circuit.nodes[edges[k].to]];
      if (a == b || a < 0 || b < 0) continue;
      a = b = std::min(a, b);
      changed = true;
    }
  }
  std::vector<std::int32_t> renamed(static_cast<std::size_t>(count), -1);
  std::int32_t parts = 0;
  for (const auto n : circuit.nodes) {
    if (e.part[n] < 0) continue;
    std::int32_t& name = renamed[static_cast<std::size_t>(e.part[n])];
    if (name < 0) name = parts++;
    e.part[n] = name;
  }
  e.parts[c] = parts;
}

void Inventory::trappedPressures(std::size_t c, Evaluation& e) const {
  const auto& circuit = system_.circuits()[c];
  const ComponentSet& nodes = nodesOf(system_);
  const std::vector<Part> whole = parts(c, e);
  const double vacuum = -fluids::standardPressure(system_.plant().elevation);
  std::vector<double> above(whole.size(), 0.0);  // Pa by which a relief valve keeps the part lower
  const auto law = [&](std::size_t n) {
    return nodes.z(e, FluidNodeSet::kTrappedPressure, n) +
           circuit.trapped_stiffness *
               (whole[static_cast<std::size_t>(e.part[n])].mean - nodes.z(e, FluidNodeSet::kTrappedTemperature, n));
  };
  const auto known = [&](std::size_t n) { return e.part[n] >= 0 && nodes.z(e, FluidNodeSet::kTrapped, n) != 0.0; };
  for (const auto& relief : reliefs_[c]) {
    if (!known(relief.node)) continue;
    double& most = above[static_cast<std::size_t>(e.part[relief.node])];
    most = std::max(most, law(relief.node) - relief.set->reliefPressures(e, relief.instance).first);
  }
  for (const auto n : circuit.nodes)
    if (known(n)) e.p[n] = std::max(law(n) - above[static_cast<std::size_t>(e.part[n])], vacuum);
}

double Inventory::unrelievedRise(std::size_t node, const Evaluation& e) const {
  const std::int32_t part = e.part[node];
  const ComponentSet& nodes = nodesOf(system_);
  if (part < 0 || nodes.z(e, FluidNodeSet::kTrapped, node) == 0.0) return 0.0;
  if (firstRelief(system_.fluidNodes()[node].circuit, part, e) != nullptr) return 0.0;
  return e.p[node] - nodes.z(e, FluidNodeSet::kTrappedPressure, node);
}

const Inventory::Relief* Inventory::firstRelief(std::size_t circuit, std::int32_t part, const Evaluation& e) const {
  const Relief* first = nullptr;
  double least = 0.0;
  for (const auto& relief : reliefs_[circuit]) {
    if (e.part[relief.node] != part) continue;
    const double lifts = relief.set->reliefPressures(e, relief.instance).first;
    if (!std::isfinite(lifts)) continue;  // out of service
    const double margin = lifts - e.p[relief.node];
    if (first == nullptr || margin < least) {
      first = &relief;
      least = margin;
    }
  }
  return first;
}

void Inventory::sampleTrapped(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const {
  const ComponentSet& nodes = nodesOf(system_);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (e.part[n] < 0) nodes.z(state, FluidNodeSet::kTrapped, n) = 0.0;
  for (std::size_t c = 0; c < contents_.size(); ++c) {
    if (e.parts[c] == 0) continue;
    const std::vector<Part> whole = parts(c, e);
    for (std::int32_t part = 0; part < e.parts[c]; ++part)
      if (!samplePart(c, part, whole[static_cast<std::size_t>(part)], e, state, occurrences))
        relieve(c, part, whole[static_cast<std::size_t>(part)], e, state, occurrences);
  }
}

// A part that was shut in, or joined to another, comes to rest at the mean of its pressures by volume, and keeps the
// mass of each of its members: pressures and what they have warmed by since they were shut are averaged alike.
bool Inventory::samplePart(std::size_t c, std::int32_t part, const Part& whole, const Evaluation& e, State& state,
                           std::vector<Occurrence>& occurrences) const {
  const auto& circuit = system_.circuits()[c];
  const ComponentSet& nodes = nodesOf(system_);
  const double weight = circuit.coolant.density * system_.plant().gravity;
  const auto trapped = [&](std::size_t n) { return nodes.z(e, FluidNodeSet::kTrapped, n) != 0.0; };
  // A steady search warms up what may have been shut at any temperature: it keeps the pressure it had when shut.
  const auto level = [&](std::size_t n) {
    const bool held = e.steady_search && trapped(n);
    return (held ? nodes.z(e, FluidNodeSet::kTrappedPressure, n) : e.p[n]) + weight * system_.fluidNodes()[n].elevation;
  };
  bool fresh = false;
  double low = 0.0, high = 0.0, pressure = 0.0, warmed = 0.0;
  std::size_t count = 0;
  std::string names;
  for (const auto n : circuit.nodes) {
    if (e.part[n] != part) continue;
    fresh = fresh || !trapped(n);
    low = count == 0 ? level(n) : std::min(low, level(n));
    high = count == 0 ? level(n) : std::max(high, level(n));
    if (count < kMostNames) names += (count == 0 ? "'" : ", '") + nodes.ids()[n] + "'";
    ++count;
  }
  if (!fresh && high - low <= kSamePressure && !e.steady_search) return false;
  for (const auto& content : contents_[c]) {
    if (e.part[content.node] != part) continue;
    const double share = content.volume / whole.volume;
    pressure += share * level(content.node);
    if (trapped(content.node) && !e.steady_search)
      warmed += share * (whole.mean - nodes.z(e, FluidNodeSet::kTrappedTemperature, content.node));
  }
  std::string first;
  for (const auto n : circuit.nodes) {
    if (e.part[n] != part) continue;
    if (first.empty()) first = nodes.ids()[n];
    nodes.z(state, FluidNodeSet::kTrapped, n) = 1.0;
    nodes.z(state, FluidNodeSet::kTrappedPressure, n) =
        pressure - weight * system_.fluidNodes()[n].elevation - circuit.trapped_stiffness * warmed;
    nodes.z(state, FluidNodeSet::kTrappedTemperature, n) = whole.mean - warmed;
  }
  if (fresh) {
    const Relief* relief = firstRelief(c, part, e);
    occurrences.push_back({first, "coolant", "every way out is shut",
                           "trapped volume of circuit '" + circuit.name + "' at " + names +
                               (count > kMostNames ? " and others" : "") +
                               (relief == nullptr ? ", without relief"
                                                  : ", relief valve '" + relief->set->ids()[relief->instance] + "'")});
  }
  return true;
}

// A relief valve lets out what brings its node down to where it shuts again.
void Inventory::relieve(std::size_t c, std::int32_t part, const Part& whole, const Evaluation& e, State& state,
                        std::vector<Occurrence>& occurrences) const {
  const Relief* relief = firstRelief(c, part, e);
  const auto& circuit = system_.circuits()[c];
  if (relief == nullptr || circuit.trapped_stiffness <= 0.0) return;
  const ComponentSet& nodes = nodesOf(system_);
  const auto [lifts, shuts] = relief->set->reliefPressures(e, relief->instance);
  const double shut_at = nodes.z(e, FluidNodeSet::kTrappedTemperature, relief->node);
  const double pressure =
      nodes.z(e, FluidNodeSet::kTrappedPressure, relief->node) + circuit.trapped_stiffness * (whole.mean - shut_at);
  if (pressure < lifts) return;
  const double cooled =
      (pressure - shuts) / circuit.trapped_stiffness;  // K of warming that the mass let out stands for
  double mass = 0.0;
  for (const auto& content : contents_[c]) {
    if (e.part[content.node] != part) continue;
    const double t = content.temperature(e) - (whole.mean - shut_at);
    mass += content.volume * (coolants_[c].density(t) - coolants_[c].density(t + cooled));
  }
  for (const auto n : circuit.nodes)
    if (e.part[n] == part) nodes.z(state, FluidNodeSet::kTrappedTemperature, n) += cooled;
  relief->set->relieved(state, relief->instance, mass);
  if (const auto [vessel, i] = system_.vesselOf(c); vessel != nullptr) vessel->relieved(state, i, mass);
  occurrences.push_back(
      {relief->set->ids()[relief->instance], "coolant", "pressure of a trapped volume", "relief valve lifted"});
}

}  // namespace podtwin
