// The electrical part of a plant whose buses have voltages: conductors, elements, loads and sources of its equipment in
// one phasor network, the converters that decouple its parts, and which bus is live and from what.
//
// Buses without a nominal voltage carry active power alone (power_of_plant.cpp).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/network/phasor_network.hpp"
#include "model/system/evaluation.hpp"

namespace podtwin {

class ComponentSet;
class Diagnostics;

inline constexpr std::size_t kConductors = 4;  ///< a, b, c, n
inline constexpr std::array<const char*, kConductors> kConductorNames{"a", "b", "c", "n"};

class ElectricalNetwork {
 public:
  // -- assembly
  /// Gives the bus four conductors; `nominal` [V] between phases.
  void addBus(std::size_t bus, const std::string& name, double nominal);
  std::size_t addNode(std::string name);       ///< a conductor
  std::size_t addStarPoint(std::string name);  ///< that is not brought out to a bus
  std::size_t addElement(const ComponentSet* set, std::size_t instance, PhasorElement element, std::size_t part = 0);
  std::size_t addLoad(PhasorLoad load);
  /// Three loads from the phases of a bus to its neutral that equipment shares: each adds what it draws there.
  std::array<std::size_t, 3> starLoads(std::size_t bus, double lowest_share);
  std::size_t addSource(const ComponentSet* set, std::size_t instance, PhasorSource source,
                        std::ptrdiff_t upstream_bus);
  /// Builds the network; `buses`: how many the plant has. Throws Error.
  void finish(std::size_t buses);

  bool phased(std::size_t bus) const { return bus < bus_.size() && bus_[bus].nominal > 0.0; }
  double nominalVoltage(std::size_t bus) const { return bus_[bus].nominal; }
  std::size_t conductor(std::size_t bus, std::size_t k) const { return bus_[bus].conductor[k]; }
  const std::vector<std::size_t>& phasedBuses() const { return phased_buses_; }
  const std::string& busName(std::size_t bus) const { return bus_[bus].name; }
  bool empty() const { return nodes_.empty(); }
  const PhasorNetwork& network() const { return *network_; }

  /// Two sources without impedance that hold one bus: a loop of sources and nothing else.
  void refuseTwoHolders(Diagnostics& problems) const;
  /// What feeds a part of the network; `upstream`: the bus that it draws from, -1 of a source of its own.
  struct Feeder {
    const ComponentSet* set;
    std::size_t instance;
    std::ptrdiff_t upstream;
  };
  std::vector<Feeder> feeders(const Evaluation& e, std::size_t part) const;
  /// Part of a bus's phases; -1: dead. Loads between phases join all of them that are live.
  std::ptrdiff_t partOf(const PhasorTopology& topology, std::size_t bus) const;

  // -- evaluation
  void prepare(Evaluation& e) const;
  /// One pass of what is live: marks buses of Evaluation::energised; true when it marked one more.
  bool spread(Evaluation& e) const;
  /// After the last pass: parts, order of solution, sources of buses.
  void enter(Evaluation& e) const;
  /// Voltages from Evaluation::bus_load and what sets asked in demand(); adds to source_power, and to bus_load what
  /// converters draw.
  void solve(Evaluation& e) const;

  /// Loss [W] of elements that are joined at any time, earthings and neutral bars: they stand outdoors, as it were,
  /// since no instance that may be off can answer for them.
  double lossOfFixtures(const Evaluation& e) const;
  /// Power [W] that a bus is asked for and its voltage is too low to give. Drives take and turn into heat what they get
  /// of it (Evaluation::served); air-cooled racks and converters that do not know their voltage take it for given.
  double shortfall(const Evaluation& e, std::size_t bus) const;

  /// Least voltage between two phases of a bus over its nominal one, and the greatest.
  double leastVoltage(const Evaluation& e, std::size_t bus) const { return extremeVoltages(e, bus).first; }
  /// Power [W] that equipment asks of the bus by starLoads().
  double starPower(const Evaluation& e, std::size_t bus) const;
  std::pair<double, double> extremeVoltages(const Evaluation& e, std::size_t bus) const;
  /// Electromotive force [V] of phase k (0 to 2) of a source at a bus, of this voltage between phases, in step with
  /// what else feeds the bus.
  Complex emf(const Evaluation& e, std::size_t bus, std::size_t k, double line_to_line) const;

 private:
  struct BusEntry {
    double nominal = 0.0;  // V between phases; 0: none
    std::array<std::size_t, kConductors> conductor{};
    std::array<std::size_t, 3> load{};  // what `supply:` loads take, between phases
    std::array<std::size_t, 3> star{};  // likewise from phase to neutral
    bool has_star = false;
    std::string name;
  };
  struct Owner {
    const ComponentSet* set;
    std::size_t instance;
    std::size_t part = 0;
  };
  struct SourceEntry {
    Owner owner;
    std::ptrdiff_t upstream;  // bus that it draws from; -1: a source of its own
  };
  void returnToEarth();
  void findNominalAngles();
  void connection(const Evaluation& e, PhasorConnection& out) const;
  bool byPasses(std::size_t element) const;
  void limitCurrents(const PhasorTopology& topology, std::size_t part, PhasorState& state) const;
  std::vector<std::size_t> order(const PhasorTopology& topology, bool& cyclic) const;

  std::vector<BusEntry> bus_;  // [bus of the plant]
  std::vector<std::size_t> phased_buses_;
  std::vector<std::string> nodes_;
  std::vector<PhasorElement> elements_;
  std::vector<PhasorLoad> loads_;
  std::vector<PhasorSource> sources_;
  std::vector<PhasorNeutral> neutrals_;
  std::vector<Owner> element_owner_;
  std::vector<SourceEntry> source_entry_;
  std::vector<double> angle_;  // [bus] rad of phase a, of the plant with everything closed and no load
  std::unique_ptr<PhasorNetwork> network_;
};

}  // namespace podtwin
