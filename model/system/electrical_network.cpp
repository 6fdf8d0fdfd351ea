#include "model/system/electrical_network.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numbers>
#include <numeric>

#include "model/base/diagnostics.hpp"
#include "model/system/component_set.hpp"

namespace podtwin {

namespace {
constexpr std::size_t kPhases = 3, kNeutral = 3;
constexpr double kThird = 2.0 * std::numbers::pi / 3.0;  // rad between phases
constexpr double kHour = std::numbers::pi / 6.0;         // rad of a vector group
constexpr int kMostPasses = 60;                          // over converters that feed each other
constexpr double kSettled = 1e-11;                       // of a converter's input, between two passes
constexpr double kLimitSettled = 1e-7;                   // of a limit of current, above which voltages sink further
constexpr double kLowestShare = 0.5;  // of nominal voltage, below which drives no longer hold their power; estimate
}  // namespace

void ElectricalNetwork::addBus(std::size_t bus, const std::string& name, double nominal) {
  if (bus_.size() <= bus) bus_.resize(bus + 1);
  BusEntry& entry = bus_[bus];
  entry.nominal = nominal;
  entry.name = name;
  phased_buses_.push_back(bus);
  for (std::size_t k = 0; k < kConductors; ++k) entry.conductor[k] = addNode(name + "." + kConductorNames[k]);
  for (std::size_t k = 0; k < kPhases; ++k)
    entry.load[k] = addLoad({.name = name,
                             .from = entry.conductor[k],
                             .to = static_cast<std::ptrdiff_t>(entry.conductor[(k + 1) % kPhases]),
                             .rated_voltage = nominal,
                             .lowest_share = kLowestShare});
}

std::size_t ElectricalNetwork::addNode(std::string name) {
  nodes_.push_back(std::move(name));
  return nodes_.size() - 1;
}

std::size_t ElectricalNetwork::addStarPoint(std::string name) {
  neutrals_.push_back({addNode(std::move(name)), {}});
  return neutrals_.back().node;
}

std::size_t ElectricalNetwork::addElement(const ComponentSet* set, std::size_t instance, PhasorElement element,
                                          std::size_t part) {
  elements_.push_back(std::move(element));
  element_owner_.push_back({set, instance, part});
  return elements_.size() - 1;
}

std::size_t ElectricalNetwork::addLoad(PhasorLoad load) {
  loads_.push_back(std::move(load));
  return loads_.size() - 1;
}

std::array<std::size_t, 3> ElectricalNetwork::starLoads(std::size_t bus, double lowest_share) {
  if (!bus_[bus].has_star) {
    for (std::size_t k = 0; k < kPhases; ++k)
      bus_[bus].star[k] = addLoad({.name = bus_[bus].name,
                                   .from = bus_[bus].conductor[k],
                                   .to = static_cast<std::ptrdiff_t>(bus_[bus].conductor[kNeutral]),
                                   .rated_voltage = bus_[bus].nominal / std::numbers::sqrt3,
                                   .lowest_share = lowest_share});
    bus_[bus].has_star = true;
  }
  return bus_[bus].star;
}

double ElectricalNetwork::starPower(const Evaluation& e, std::size_t bus) const {
  if (!phased(bus) || !bus_[bus].has_star) return 0.0;
  double sum = 0.0;
  for (const auto l : bus_[bus].star) sum += e.phasor.state.power[l].real();
  return sum;
}

std::size_t ElectricalNetwork::addSource(const ComponentSet* set, std::size_t instance, PhasorSource source,
                                         std::ptrdiff_t upstream_bus) {
  sources_.push_back(std::move(source));
  source_entry_.push_back({{set, instance, 0}, upstream_bus});
  return sources_.size() - 1;
}

// A neutral that no source, transformer or earthing is joined to is not there: such a network is one with its neutral
// earthed at many places and reduced to its phases, whose star-connected loads return to earth.
void ElectricalNetwork::returnToEarth() {
  std::vector<std::size_t> group(nodes_.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto of = [&](std::size_t i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
  };
  std::vector<char> neutral(nodes_.size(), 0), real(nodes_.size(), 0);
  for (const auto b : phased_buses_) neutral[bus_[b].conductor[kNeutral]] = 1;
  for (const auto& element : elements_) {
    std::vector<char> along(element.terminals.size(), 0);  // joined to another neutral alone
    for (const auto& [k, j] : element.joined)
      if (neutral[element.terminals[k]] != 0 && neutral[element.terminals[j]] != 0) {
        group[of(element.terminals[k])] = of(element.terminals[j]);
        along[k] = along[j] = 1;
      }
    for (std::size_t k = 0; k < along.size(); ++k)
      if (neutral[element.terminals[k]] != 0 && along[k] == 0) real[element.terminals[k]] = 1;
  }
  for (const auto& source : sources_)
    if (source.from != kEarth) real[static_cast<std::size_t>(source.from)] = 1;
  std::vector<char> joined(nodes_.size(), 0);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (real[n] != 0) joined[of(n)] = 1;
  for (auto& load : loads_)
    if (load.to != kEarth && neutral[static_cast<std::size_t>(load.to)] != 0 &&
        joined[of(static_cast<std::size_t>(load.to))] == 0)
      load.to = kEarth;
  for (const auto b : phased_buses_) {
    const auto& c = bus_[b].conductor;
    neutrals_.push_back({c[kNeutral], {}});
    if (joined[of(c[kNeutral])] != 0) neutrals_.back().phases.assign(c.begin(), c.begin() + kPhases);
  }
}

void ElectricalNetwork::finish(std::size_t buses) {
  bus_.resize(buses);
  returnToEarth();
  network_ = std::make_unique<PhasorNetwork>(nodes_, elements_, loads_, sources_, neutrals_);
  findNominalAngles();
}

/// Whether the element is a way past converters of its own owner, as the bypass of a UPS.
bool ElectricalNetwork::byPasses(std::size_t element) const {
  const Owner& owner = element_owner_[element];
  return owner.set != nullptr && owner.set->info().electrical == ElectricalRole::converter;
}

// With every element closed (bypasses apart) and nothing drawn, from one source after the other in the order of the
// file: the first that reaches a bus says what phase it has. A source of its own starts at angle 0 unless another one's
// angle reaches it.
void ElectricalNetwork::findNominalAngles() {
  angle_.assign(bus_.size(), 0.0);
  std::vector<char> known(bus_.size(), 0);
  const auto spreadFrom = [&](std::size_t s) {
    // Three sources of one instance stand for its phases.
    PhasorConnection all{std::vector<char>(elements_.size(), 1), std::vector<char>(sources_.size(), 0)};
    for (std::size_t k = 0; k < elements_.size(); ++k)
      if (elements_[k].is_fault || byPasses(k)) all.closed[k] = 0;
    for (std::size_t k = 0; k < sources_.size(); ++k)
      if (source_entry_[k].owner.set == source_entry_[s].owner.set &&
          source_entry_[k].owner.instance == source_entry_[s].owner.instance)
        all.on[k] = 1;
    const auto topology = network_->connect(all);
    PhasorState state = network_->makeState();
    double angle = 0.0;
    for (const auto b : phased_buses_)
      for (std::size_t k = 0; k < kPhases; ++k)
        if (bus_[b].conductor[k] == sources_[s].to) {
          if (known[b] != 0)
            angle = angle_[b];
          else if (source_entry_[s].upstream >= 0)
            angle = angle_[static_cast<std::size_t>(source_entry_[s].upstream)];
        }
    std::size_t phase = 0;
    double nominal = 1.0;
    for (const auto b : phased_buses_)
      for (std::size_t k = 0; k < kPhases; ++k)
        if (bus_[b].conductor[k] == sources_[s].to) nominal = bus_[b].nominal;
    for (std::size_t k = 0; k < sources_.size(); ++k)
      if (all.on[k] != 0) state.emf[k] = std::polar(nominal, angle - kThird * static_cast<double>(phase++ % kPhases));
    network_->enter(*topology, state, false);
    for (std::size_t p = 0; p < topology->parts().size(); ++p) network_->solve(*topology, p, state);
    for (const auto b : phased_buses_) {
      const auto& c = bus_[b].conductor;
      if (known[b] != 0 || partOf(*topology, b) < 0) continue;
      // The positive sequence, so that a bus with one or two phases has an angle, too.
      Complex positive{};
      for (std::size_t k = 0; k < kPhases; ++k)
        positive += state.voltage[c[k]] * std::polar(1.0, kThird * static_cast<double>(k));
      // What turns phases is vector groups; the little that cables do without load is not meant.
      angle_[b] = std::abs(positive) > 0.0 ? kHour * std::round(std::arg(positive) / kHour) : 0.0;
      known[b] = 1;
    }
  };
  std::vector<char> done(sources_.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      const auto upstream = source_entry_[s].upstream;
      if (done[s] != 0 || (upstream >= 0 && phased(static_cast<std::size_t>(upstream)) &&
                           known[static_cast<std::size_t>(upstream)] == 0))
        continue;
      for (std::size_t k = 0; k < sources_.size(); ++k)
        if (source_entry_[k].owner.set == source_entry_[s].owner.set &&
            source_entry_[k].owner.instance == source_entry_[s].owner.instance)
          done[k] = 1;
      spreadFrom(s);
      changed = true;
    }
  }
}

void ElectricalNetwork::refuseTwoHolders(Diagnostics& problems) const {
  std::map<std::size_t, const InstanceDescription*> holder;  // of a node
  const InstanceDescription* told = nullptr;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    if (sources_[k].impedance != Complex{}) continue;
    const Owner& owner = source_entry_[k].owner;
    const InstanceDescription& d = owner.set->description(owner.instance);
    const auto [place, fresh] = holder.emplace(sources_[k].to, &d);
    if (fresh || place->second == &d || told == &d) continue;
    told = &d;
    problems.error(d.where,
                   "'" + place->second->id + "' and '" + d.id +
                       "' both hold the voltage of one bus: a loop of sources without impedance",
                   "give one of them its short_circuit_power, or put an element between them");
  }
}

std::vector<ElectricalNetwork::Feeder> ElectricalNetwork::feeders(const Evaluation& e, std::size_t part) const {
  std::vector<Feeder> out;
  for (const auto& list : {e.phasor.topology->parts()[part].held, e.phasor.topology->parts()[part].sources})
    for (const auto k : list) {
      const SourceEntry& entry = source_entry_[k];
      const Feeder feeder{entry.owner.set, entry.owner.instance, entry.upstream};
      const bool known = std::any_of(out.begin(), out.end(), [&](const Feeder& other) {
        return other.set == feeder.set && other.instance == feeder.instance;
      });
      if (!known) out.push_back(feeder);
    }
  return out;
}

void ElectricalNetwork::prepare(Evaluation& e) const {
  if (empty()) return;
  e.phasor.network = network_.get();
  e.phasor.electrical = this;
  e.phasor.state = network_->makeState();
  e.phasor.conductor_live.assign(nodes_.size(), 0);
}

void ElectricalNetwork::connection(const Evaluation& e, PhasorConnection& out) const {
  out.closed.resize(elements_.size());
  out.on.resize(sources_.size());
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const Owner& owner = element_owner_[k];
    out.closed[k] = owner.set == nullptr || owner.set->closes(e, owner.instance, owner.part) ? 1 : 0;
  }
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const SourceEntry& entry = source_entry_[k];
    const bool fed = entry.upstream < 0 || e.energised[static_cast<std::size_t>(entry.upstream)] != 0 ||
                     entry.owner.set->selfFed(e, entry.owner.instance);
    const bool joined = entry.owner.set->connects(e, entry.owner.instance) &&
                        (entry.upstream < 0 || entry.owner.set->drawsFrom(e, entry.owner.instance, entry.upstream));
    out.on[k] = fed && joined ? 1 : 0;
  }
}

bool ElectricalNetwork::spread(Evaluation& e) const {
  if (empty()) return false;
  connection(e, e.phasor.connection);
  const std::vector<char> live = network_->live(e.phasor.connection);
  bool changed = false;
  for (const auto b : phased_buses_) {
    const auto& c = bus_[b].conductor;
    if (e.energised[b] != 0 || (live[c[0]] == 0 && live[c[1]] == 0 && live[c[2]] == 0)) continue;
    e.energised[b] = 1;
    changed = true;
  }
  return changed;
}

/// Part of a bus's phases; -1: dead. Loads between phases join all of them that are live.
std::ptrdiff_t ElectricalNetwork::partOf(const PhasorTopology& topology, std::size_t bus) const {
  for (std::size_t k = 0; k < kPhases; ++k)
    if (const auto part = topology.partOf(bus_[bus].conductor[k]); part >= 0) return part;
  return -1;
}

/// Parts in an order in which whatever a converter feeds comes before what it draws from.
std::vector<std::size_t> ElectricalNetwork::order(const PhasorTopology& topology, bool& cyclic) const {
  const std::size_t parts = topology.parts().size();
  std::vector<std::vector<std::size_t>> upstream(parts);
  std::vector<std::size_t> waits(parts, 0);
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const auto bus = source_entry_[k].upstream;
    if (topology.connection().on[k] == 0 || bus < 0 || !phased(static_cast<std::size_t>(bus))) continue;
    const auto up = partOf(topology, static_cast<std::size_t>(bus));
    const auto down = topology.partOf(sources_[k].to);
    if (up < 0) continue;
    upstream[static_cast<std::size_t>(down)].push_back(static_cast<std::size_t>(up));
    ++waits[static_cast<std::size_t>(up)];
  }
  std::vector<std::size_t> order;
  std::deque<std::size_t> ready;
  for (std::size_t p = 0; p < parts; ++p)
    if (waits[p] == 0) ready.push_back(p);
  std::vector<char> placed(parts, 0);
  while (!ready.empty()) {
    const std::size_t p = ready.front();
    ready.pop_front();
    order.push_back(p);
    placed[p] = 1;
    for (const auto up : upstream[p])
      if (--waits[up] == 0) ready.push_back(up);
  }
  cyclic = order.size() < parts;
  for (std::size_t p = 0; p < parts; ++p)
    if (placed[p] == 0) order.push_back(p);
  return order;
}

void ElectricalNetwork::enter(Evaluation& e) const {
  if (empty()) return;
  connection(e, e.phasor.connection);
  e.phasor.topology = network_->connect(e.phasor.connection);
  e.phasor.order = order(*e.phasor.topology, e.phasor.cyclic);
  network_->enter(*e.phasor.topology, e.phasor.state, false);
  const auto& topology = *e.phasor.topology;
  for (std::size_t n = 0; n < nodes_.size(); ++n) e.phasor.conductor_live[n] = topology.live(n) ? 1 : 0;
  // Sources of buses, from those of their own to those behind converters.
  std::vector<int> kind(topology.parts().size(), 0);
  for (auto p = e.phasor.order.rbegin(); p != e.phasor.order.rend(); ++p) {
    const auto& part = topology.parts()[*p];
    for (const auto& list : {part.held, part.sources})
      for (const auto k : list) {
        const SourceEntry& entry = source_entry_[k];
        SourceKind found = SourceKind::battery;
        if (entry.upstream < 0)
          found = entry.owner.set->sourceKind();
        else if (e.energised[static_cast<std::size_t>(entry.upstream)] != 0 &&
                 !entry.owner.set->fedFromStore(e, entry.owner.instance))
          found = static_cast<SourceKind>(e.bus_source[static_cast<std::size_t>(entry.upstream)]);
        if (kind[*p] == 0 || static_cast<int>(found) < kind[*p]) kind[*p] = static_cast<int>(found);
      }
    for (const auto b : phased_buses_)
      if (partOf(topology, b) == static_cast<std::ptrdiff_t>(*p)) e.bus_source[b] = kind[*p];
  }
}

double ElectricalNetwork::lossOfFixtures(const Evaluation& e) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < elements_.size(); ++k)
    if (element_owner_[k].set == nullptr) sum += e.phasor.absorbed(k).real();
  return sum;
}

double ElectricalNetwork::shortfall(const Evaluation& e, std::size_t bus) const {
  if (!phased(bus)) return 0.0;
  double left = 0.0;
  for (const auto l : bus_[bus].load) {
    const PhasorLoad& load = network_->loads()[l];
    const Complex v = network_->across(l, e.phasor.state);
    const bool live = e.phasor.conductor_live[load.from] != 0 &&
                      (load.to == kEarth || e.phasor.conductor_live[static_cast<std::size_t>(load.to)] != 0);
    if (live && std::abs(v) >= load.lowest_share * load.rated_voltage) continue;  // all that it asks for
    left += e.phasor.state.power[l].real() -
            (v * std::conj(network_->loadCurrentOf(l, *e.phasor.topology, e.phasor.state))).real();
  }
  return left;
}

Complex ElectricalNetwork::emf(const Evaluation&, std::size_t bus, std::size_t k, double line_to_line) const {
  return std::polar(line_to_line / std::numbers::sqrt3, angle_[bus] - kThird * static_cast<double>(k));
}

std::pair<double, double> ElectricalNetwork::extremeVoltages(const Evaluation& e, std::size_t bus) const {
  const auto& c = bus_[bus].conductor;
  double least = std::numeric_limits<double>::infinity(), greatest = 0.0;
  for (std::size_t k = 0; k < kPhases; ++k) {
    const double between = std::abs(e.phasor.voltage(c[k]) - e.phasor.voltage(c[(k + 1) % kPhases]));
    least = std::min(least, between);
    greatest = std::max(greatest, between);
  }
  return {least / bus_[bus].nominal, greatest / bus_[bus].nominal};
}

// An inverter at its limit lets the voltage of its phases sink together, until the greatest of their currents is the
// limit.
void ElectricalNetwork::limitCurrents(const PhasorTopology& topology, std::size_t part, PhasorState& state) const {
  const auto& list = topology.parts()[part].sources;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool beyond = false;
    for (std::size_t n = 0; n + kPhases <= list.size(); n += kPhases) {
      const Infeed& infeed = sources_[list[n]].infeed;
      if (source_entry_[list[n]].upstream < 0 || infeed.kind != Infeed::Kind::limited) continue;
      double greatest = 0.0;
      for (std::size_t k = 0; k < kPhases; ++k)
        greatest = std::max(greatest, std::abs(network_->sourceCurrent(list[n + k], topology, state)));
      if (greatest <= (1.0 + kLimitSettled) * infeed.least_current) continue;
      beyond = true;
      for (std::size_t k = 0; k < kPhases; ++k) state.emf[list[n + k]] *= infeed.least_current / greatest;
    }
    if (!beyond) return;
    network_->solve(topology, part, state);
  }
  throw SimulationError(
      "the currents of inverters at their limits do not come to rest; give them a larger current_limit");
}

void ElectricalNetwork::solve(Evaluation& e) const {
  if (empty()) return;
  const PhasorTopology& topology = *e.phasor.topology;
  PhasorState& state = e.phasor.state;
  std::vector<Complex>& drawn = e.phasor.converter_input;
  drawn.assign(sources_.size(), Complex{});
  for (int pass = 0;; ++pass) {
    double change = 0.0, greatest = 0.0;
    for (const auto p : e.phasor.order) {
      for (const auto b : phased_buses_)
        if (partOf(topology, b) == static_cast<std::ptrdiff_t>(p))
          for (std::size_t k = 0; k < kPhases; ++k)
            state.power[bus_[b].load[k]] = Complex(e.bus_load[b], e.bus_reactive[b]) / static_cast<double>(kPhases);
      network_->solve(topology, p, state);
      limitCurrents(topology, p, state);
      // What converters deliver here they draw elsewhere.
      const auto& part = topology.parts()[p];
      for (const auto& list : {part.held, part.sources})
        for (std::size_t n = 0; n < list.size(); n += kPhases) {
          const std::size_t s = list[n];
          const SourceEntry& entry = source_entry_[s];
          if (entry.upstream < 0) continue;
          const auto up = static_cast<std::size_t>(entry.upstream);
          double out = 0.0;
          for (std::size_t k = 0; k < kPhases && n + k < list.size(); ++k)
            out += network_->sourcePower(list[n + k], topology, state).real();
          const Complex in = entry.owner.set->converterInput(e, entry.owner.instance, out);
          if (e.energised[up] != 0) {
            e.bus_load[up] += (in - drawn[s]).real();
            e.bus_reactive[up] += (in - drawn[s]).imag();
          }
          change = std::max(change, std::abs(in - drawn[s]));
          greatest = std::max(greatest, std::abs(in));
          drawn[s] = in;
        }
    }
    if (!e.phasor.cyclic || change <= kSettled * greatest) break;
    if (pass == kMostPasses)
      throw SimulationError("converters that feed each other do not come to rest: " + std::to_string(change) +
                            " VA of " + std::to_string(greatest) + " VA still change; open the tie around them");
  }
  for (const auto b : phased_buses_)
    if (const double lacking = shortfall(e, b); lacking > 0.0 && e.bus_load[b] > 0.0)
      e.served[b] = 1.0 - lacking / e.bus_load[b];
  for (std::size_t s = 0; s < sources_.size(); ++s)
    if (source_entry_[s].upstream < 0 && topology.connection().on[s] != 0)
      e.source_power += network_->sourcePower(s, topology, state).real();
}

}  // namespace podtwin
