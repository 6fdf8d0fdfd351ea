// A plant, assembled: component sets, networks, layout of the unknowns. Immutable; see State for what changes.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/fluids/coolant_law.hpp"
#include "model/network/fluid_network.hpp"
#include "model/system/binder.hpp"
#include "model/system/component_set.hpp"
#include "model/system/electrical_network.hpp"
#include "model/system/evaluation.hpp"
#include "model/system/inventory.hpp"
#include "model/system/jacobian.hpp"
#include "model/system/plant_description.hpp"
#include "model/system/registry.hpp"
#include "model/system/state.hpp"

namespace podtwin {

/// Weather at one moment.
struct Weather {
  double dry_bulb = 298.15;        ///< K
  double relative_humidity = 0.5;  ///< 1
  double pressure = 101325.0;      ///< Pa
};

/// Energy in, out and stored since a start, from independent terms [J].
struct EnergyLedger {
  double sources = 0.0;        ///< delivered by utility and unmetered supplies
  double to_ambient = 0.0;     ///< heat given to outdoor air
  double to_boundaries = 0.0;  ///< carried out by coolant and heat at boundary nodes
  double stored = 0.0;         ///< in capacities, from parameters and temperatures
};

class System {
 public:
  /// Assembles `plant` from the registered classes. Throws InputError with every problem found.
  System(PlantDescription plant, std::span<const RegisteredClass> classes);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  const PlantDescription& plant() const { return plant_; }
  /// What was found doubtful, not wrong, while the plant was assembled.
  const std::vector<Diagnostic>& warnings() const { return warnings_; }
  std::size_t size() const { return structure_.size; }
  const JacobianStructure& structure() const { return structure_; }
  std::span<const double> errorScale() const { return error_scale_; }
  std::string nameOf(std::size_t unknown) const;
  const std::vector<std::unique_ptr<ComponentSet>>& sets() const { return sets_; }

  // -- states
  /// Coolant, metal and air at `temperature` [K], flows at rest, commands at their start values.
  State initialState(double temperature, const Weather& weather) const;
  /// A new held value of the weather.
  void setWeather(State& state, const Weather& weather) const;
  Weather weather(const State& state) const;
  Evaluation makeEvaluation() const;

  // -- evaluation
  /// Rates at (t, y) with the discrete values of `state`; `e` keeps warm starts between calls.
  void evaluate(const State& state, double t, std::span<const double> y, Evaluation& e, std::span<double> ydot) const;
  /// Jacobian at the last evaluate(); capacities as used there.
  void jacobian(Evaluation& e, Jacobian& jacobian) const;
  /// Largest relative change of an edge's flow since the last jacobian(); infinite when a drive has come to move at
  /// full speed since, or no longer does.
  double jacobianDrift(const Evaluation& e) const;
  /// One pass over the controllers and protections; `e` must be of this state.
  void sample(State& state, const Evaluation& e, std::vector<Occurrence>& occurrences) const;
  /// After events between samples; `e` must be of this state.
  void supplyChanged(State& state, const Evaluation& e, std::vector<Occurrence>& occurrences) const;
  void endSteadySearch(State& state) const;
  /// Soonest ComponentSet::nextFront of all sets.
  double nextFront(const Evaluation& e, const State& state, double horizon) const;
  void advance(State& state, const Evaluation& e, double h) const;
  /// Events of the equipment's own, between samples: see ComponentSet.
  bool watching(const Evaluation& e) const;
  double watch(const Evaluation& e) const;
  double nextMoment(const Evaluation& e) const;
  void act(State& state, const Evaluation& e, std::vector<Occurrence>& occurrences) const;
  /// Inverse heat capacities [K/J] of the exposed unknowns; 0 for boundaries, 1 for unknowns of another kind.
  std::span<const double> inverseCapacity() const { return inverse_capacity_; }
  /// Of a state's unknown that is a temperature [K]: coolant's may be kept as what it carries.
  double temperature(const State& state, std::size_t unknown) const;
  /// What an unknown is carried by, when the state keeps it so; null: it is what it is called.
  const fluids::CoolantHeat* carriedBy(std::size_t unknown) const;

  /// By how much the pressure from node `at_from` to `at_to` grows with a stated flow from `flow_from` to `flow_to` of
  /// the same circuit, Pa s/kg, by the slopes of its last flow solve.
  double pressureResponse(const Evaluation& e, std::size_t flow_from, std::size_t flow_to, std::size_t at_from,
                          std::size_t at_to) const;

  // -- addresses
  /// Instance by id or tag; set null when unknown.
  std::pair<ComponentSet*, std::size_t> find(const std::string& id) const;
  std::pair<ComponentSet*, std::size_t> findInClass(const std::string& group, const std::string& id) const;
  /// Signal of an instance or node: "tcs1-supply.t"; set null when unknown.
  SignalAddress findSignal(const std::string& address) const;
  double value(const SignalAddress& address, const Evaluation& e) const;
  std::vector<std::string> allIds() const;
  ComponentSet* setOfGroup(const std::string& group) const;

  // -- totals
  double itPower(const Evaluation& e) const;
  double storeOutput(const Evaluation& e) const;  ///< W; see ComponentSet
  /// Of each control valve of a set: its drop fully open over the pressure difference that stands across it when it is
  /// shut, at the laws of everything else as they are in `e`. A three-way valve's bypass is shut in the one and open in
  /// the other.
  struct Authority {
    std::string id;
    double dp_open = 0.0, dp_shut = 0.0;  ///< Pa
    double flow = 0.0;                    ///< kg/s through it as it stands
    bool controlled = false;              ///< a controller moves it
  };
  std::vector<Authority> authorities(const Evaluation& e) const;
  /// Ids of what controllers command, and of the members of such equipment (a CDU's valve).
  std::set<std::string> commanded() const;
  /// Names of the edges that are open but have no way for coolant to flow, because others are shut.
  std::vector<std::string> blockedEdges(const State& state) const;

  double heatToAmbient(const Evaluation& e) const;  ///< W, at this evaluation
  EnergyLedger ledger(const State& state, const Evaluation& e) const;
  CoolantLedger coolantLedger(const State& state, const Evaluation& e) const;
  const Inventory& inventory() const { return *inventory_; }

  struct Circuit {
    std::string name;
    fluids::Coolant coolant;                ///< at the property temperature
    fluids::CoolantLaw law;                 ///< at any temperature
    std::vector<std::size_t> nodes, edges;  ///< global indices
    std::unique_ptr<FluidNetwork> network;
    std::vector<std::size_t> open_air;  ///< edges, of all, that end in the open air
    std::ptrdiff_t vessel = -1;         ///< edge of the expansion vessel that closes it; -1: none
    ComponentSet* vessel_set = nullptr;
    std::size_t vessel_instance = 0;
    double trapped_stiffness = 0.0;  ///< Pa/K
    bool fed = false;                ///< coolant crosses the plant's boundary at one of its nodes
  };
  /// Expansion vessel of a circuit; set null when it has none, or none is bound yet.
  std::pair<ComponentSet*, std::size_t> vesselOf(std::size_t circuit) const;
  /// Nothing but its vessel joins the circuit to the outside at this evaluation.
  bool sealed(const Circuit& circuit, const Evaluation& e) const;
  /// Slope [kg/(s Pa)] at which an edge to the open air lets more out at more pressure; 0 of one that is shut or
  /// stated.
  double ventSlope(std::size_t edge, const Evaluation& e) const;
  /// Likewise of all of them in a circuit, its vessel apart.
  double ventSlopes(const Circuit& circuit, const Evaluation& e) const;
  const std::vector<Circuit>& circuits() const { return circuits_; }
  struct FluidNodeEntry {
    std::string name;
    std::size_t circuit = 0;
    bool fixed_pressure = false, fixed_temperature = false, external = false;
    bool held_by_equipment = false;  ///< a vessel on it holds its pressure
    std::string holder;              ///< its id
    bool crossed = false;            ///< equipment on it lets coolant out or in
    double pressure = 0.0, volume = 0.0, elevation = 0.0, inflow = 0.0;
    std::optional<double> temperature;  ///< K, held or at the start; none: as the rest of the plant at the start
    std::size_t slot_boundary = 0;
  };
  const std::vector<FluidNodeEntry>& fluidNodes() const { return fluid_nodes_; }
  struct Bus {
    std::string name;
    std::vector<std::size_t> incoming;  ///< links
  };
  const std::vector<Bus>& buses() const { return buses_; }
  struct Link {
    ComponentSet* set;
    std::size_t index;  ///< of this link in its set
    std::size_t instance;
    std::ptrdiff_t from, to;
    double rating;
    double tangent = 0.0;  ///< of reactive over active power drawn
    std::size_t part = 0;  ///< of the ways through its instance
  };
  const std::vector<Link>& links() const { return links_; }
  const ElectricalNetwork& electrical() const { return electrical_; }

 private:
  friend class Binder;
  struct PassThrough {
    std::size_t edge, from, to;  ///< edge, fluid nodes
    std::size_t slot_to_from, slot_to_to, slot_from_to, slot_from_from;
  };
  static constexpr std::size_t kOpenAir = static_cast<std::size_t>(-1);  ///< where an edge goes that has one node
  struct EdgeEntry {
    std::size_t from, to;
    std::string name;
    double elevation = 0.0;             ///< m, of the open air at its end
    const ComponentSet* set = nullptr;  ///< whose it is
  };
  enum class PathRule { as_it_stands, all_open, without_checks };
  std::vector<InstanceDescription> synthetic_;  ///< for nodes, buses and the facility
  void discoverNodes(Diagnostics& problems);
  void assignCircuits(Diagnostics& problems);
  void makeNetworks(Diagnostics& problems);
  void placeInstances(std::span<const RegisteredClass> classes, Diagnostics& problems);
  void finishStructure();
  void refuseLonelyFlows(std::span<const EdgeLaw> laws, Diagnostics& problems) const;
  /// [edge] whether coolant can flow through it.
  std::vector<char> flowPaths(std::span<const EdgeLaw> laws, PathRule rule) const;
  void judgeFlowPaths(std::span<const EdgeLaw> laws, Diagnostics& problems);
  void judgeDrive(const Circuit& circuit, std::span<const char> can, std::span<const EdgeLaw> laws,
                  Diagnostics& problems);
  std::string looseEnd(std::size_t edge) const;
  std::string deadEnd(std::size_t edge) const;
  SourceMark whereOfEdge(std::size_t edge) const;
  void orderLinks(Diagnostics& problems);
  void findBusVoltages(std::span<const RegisteredClass> classes, Diagnostics& problems);
  /// Where the pod file first names a node or bus.
  SourceMark whereNamed(const std::string& name) const;
  /// " (of 'A', 'B')": the equipment that names a node.
  std::string usersOf(const std::string& node) const;
  static bool joins(const Evaluation& e, const Link& link);
  void refreshTopology(const State& state, Evaluation& e) const;
  void findSources(Evaluation& e) const;
  void refuseSecondHolders(Diagnostics& problems) const;
  void solveFlows(Evaluation& e) const;
  void settleInventory(std::size_t circuit, Evaluation& e) const;
  void solvePower(Evaluation& e) const;
  void moveHeat(Evaluation& e) const;
  std::span<const double> temperatures(std::span<const double> y, Evaluation& e) const;
  void byUnknowns(const Evaluation& e, Jacobian& jacobian) const;

  PlantDescription plant_;
  std::vector<Diagnostic> warnings_;
  std::vector<std::unique_ptr<ComponentSet>> sets_;
  std::unique_ptr<Inventory> inventory_;
  ComponentSet* facility_ = nullptr;  ///< first set: weather and ledgers
  ComponentSet* node_set_ = nullptr;
  ComponentSet* bus_set_ = nullptr;
  std::unordered_map<std::string, std::pair<ComponentSet*, std::size_t>> by_id_;
  std::vector<FluidNodeEntry> fluid_nodes_;
  std::unordered_map<std::string, std::size_t> fluid_node_index_;
  std::vector<EdgeEntry> edges_;
  std::vector<PassThrough> pass_through_;
  /// An unknown that is the temperature which coolant of varying specific heat carries (CoolantHeat::carried), not its
  /// own: heat stored and carried is then linear in the unknowns, and every integration method keeps it.
  struct CarriedUnknown {
    std::size_t unknown;
    const fluids::CoolantHeat* heat;
  };
  std::vector<CarriedUnknown> carried_;  ///< in order
  /// Neighbours among them of one coolant.
  struct CarriedRun {
    std::size_t first, count;
    const fluids::CoolantHeat* heat;
  };
  std::vector<CarriedRun> carried_runs_;
  std::vector<Circuit> circuits_;
  std::vector<Bus> buses_;
  std::unordered_map<std::string, std::size_t> bus_index_;
  std::vector<Link> links_;
  std::vector<std::size_t> link_order_;  ///< downstream first
  ElectricalNetwork electrical_;
  std::size_t drives_ = 0;
  std::vector<std::pair<ComponentSet*, std::size_t>> drive_owner_;
  std::size_t z_count_ = 0, line_count_ = 0, scratch_count_ = 0;
  JacobianStructure structure_;
  std::vector<Coupling> requested_;         ///< [slot]
  std::vector<std::size_t> slot_position_;  ///< [slot] -> value in Jacobian::exposed
  std::vector<double> inverse_capacity_;
  /// An instance named at a heat port: what it takes must warm something.
  struct HeatTaker {
    std::size_t unknown;
    SourceMark where;
    std::string giver, name;
  };
  std::vector<HeatTaker> heat_takers_;
  std::vector<double> error_scale_;
};

}  // namespace podtwin
