// What a component set may ask while the system is assembled.
#pragma once

#include <array>
#include <string>

#include "model/fluids/coolant_law.hpp"
#include "model/system/component_set.hpp"
#include "model/system/jacobian.hpp"

namespace podtwin {

class System;

class Binder {
 public:
  Binder(System& system, ComponentSet& set, Diagnostics& problems) : system_(system), set_(set), problems_(problems) {}

  const System& system() const { return system_; }
  Diagnostics& problems() { return problems_; }

  // -- nodes
  /// Index of the fluid node at entry `which` of a fluid port of instance i (Evaluation::p).
  std::size_t fluidNode(std::size_t i, const std::string& port, std::size_t which = 0) const;
  /// Temperature and heat balance of a fluid node.
  ThermalPort nodePort(std::size_t fluid_node) const;
  /// Density [kg/m3], specific heat [J/(kg K)] and viscosity [Pa s] of the circuit that a fluid node belongs to, at its
  /// property temperature.
  double density(std::size_t fluid_node) const;
  double specificHeat(std::size_t fluid_node) const;
  double viscosity(std::size_t fluid_node) const;
  const fluids::Coolant& coolant(std::size_t fluid_node) const;
  /// Pressure [Pa] of the coolant's weight over the height from one node down to another.
  double weight(std::size_t from_node, std::size_t to_node) const;
  /// Enthalpy and specific heat of that circuit at any temperature; lives as long as the system.
  const fluids::CoolantHeat& coolantHeat(std::size_t fluid_node) const;
  /// All properties of that circuit at any temperature, and where Evaluation::z holds the temperature at which flow
  /// laws take them: as of the last sample, so that flows carry no derivative.
  const fluids::CoolantLaw& coolantLaw(std::size_t fluid_node) const;
  std::size_t flowTemperature(std::size_t fluid_node) const;
  /// A zone, lumped capacity or "ambient" named at a heat port of instance i; `which` for lists.
  ThermalPort heatPort(std::size_t i, const std::string& port, std::size_t which = 0) const;
  bool hasPort(std::size_t i, const std::string& port) const;
  std::size_t portCount(std::size_t i, const std::string& port) const;
  /// The outdoor air: column holds the dry bulb [K], row is the ledger of heat to ambient.
  ThermalPort ambient() const;
  OutdoorAir outdoorAir() const;
  /// Row of the ledger of energy carried out at boundary nodes [J].
  std::size_t boundaryLedger() const;
  /// Index of the bus named at a bus port, or -1 when the port is empty (supply not modelled).
  std::ptrdiff_t bus(std::size_t i, const std::string& port, std::size_t which = 0) const;
  /// A node temperature or a signal of an instance, "tcs1-supply.t" or "tcs1-P1.speed"; adds a problem if there is
  /// none.
  SignalAddress signal(std::size_t i, const std::string& address) const;
  /// The instance named at a member port.
  std::pair<ComponentSet*, std::size_t> member(std::size_t i, const std::string& port, std::size_t which = 0) const;

  // -- declarations
  /// Heat capacity [J/K] of an exposed unknown; 1 for unknowns that are no temperature, 0 rate when infinite.
  void capacity(std::size_t exposed, double value);
  /// Error scale of an unknown that a class table does not list: SI, of one unit of relative tolerance; infinite: none.
  void errorScale(std::size_t unknown, double value);
  /// The exposed unknown is the temperature of a mass [kg] of a node's coolant. Where its specific heat varies the
  /// state keeps the temperature it carries; Evaluation::y has its own. Tells the circuit's inventory of it, too.
  /// `solid` [J/K]: metal as warm as the coolant, taken to store as the coolant carries (within 1 % of C dT).
  void coolantCapacity(std::size_t exposed, std::size_t fluid_node, double mass, double solid = 0.0);
  std::size_t edge(std::size_t from_node, std::size_t to_node, const std::string& name);
  /// An edge from a node to the open air at an elevation [m]: a vessel that holds what flows along it.
  std::size_t openEdge(std::size_t node, double elevation, const std::string& name);
  /// The circuit of a node holds `volume` [m3] there at the temperature y[column].
  void coolantVolume(std::size_t node, std::size_t column, double volume);
  /// Likewise of instance i, at its contentTemperature().
  void coolantVolumeOf(std::size_t i, std::size_t node, double volume);
  /// The edge from a node to the open air is the expansion vessel that closes the node's circuit.
  void closeCircuit(std::size_t i, std::size_t node, std::size_t edge);
  /// Instance i is a relief valve at a node.
  void relief(std::size_t i, std::size_t node);
  /// The edge carries the upstream node's coolant to the downstream node unchanged (no cells of its own);
  /// the system moves its heat.
  void passThrough(std::size_t edge);
  /// Slot for the derivative of heat[row] by y[column].
  std::size_t couple(std::size_t row, std::size_t column);
  /// A group of interior unknowns; `first` is filled in from the set's interior_first plus what it already used.
  std::size_t group(InteriorGroup group);
  /// Makes instance i drivable: controllers may set Evaluation::command[returned].
  std::size_t makeDrive(std::size_t i);
  /// A power link from an upstream bus (-1: a source) to a downstream bus; losses through linkLoss(link of this set).
  /// `tangent`: of reactive over active power that it draws from a bus with voltages.
  std::size_t link(std::ptrdiff_t from_bus, std::ptrdiff_t to_bus, std::size_t instance, double rating,
                   double tangent = 0.0, std::size_t part = 0);

  // -- buses with voltages
  /// Whether the bus is solved with voltages; false for -1.
  bool phased(std::ptrdiff_t bus) const;
  double nominalVoltage(std::ptrdiff_t bus) const;  ///< V between phases
  /// Node of conductor k (a, b, c, n) of such a bus.
  std::size_t conductor(std::ptrdiff_t bus, std::size_t k) const;
  /// Star point that is not brought out to a bus.
  std::size_t starPoint(std::string name);
  /// Element that is closed while instance i closes() this part of it; `always`: at any time.
  std::size_t element(std::size_t i, PhasorElement element, bool always = false, std::size_t part = 0);
  std::size_t phasorLoad(PhasorLoad load);
  /// Three loads from the phases of a bus to its neutral that all equipment on it adds its power to
  /// (PhasorState::power); below `lowest_share` of nominal voltage they are impedances.
  std::array<std::size_t, 3> starLoads(std::ptrdiff_t bus, double lowest_share);
  /// Source that is on while instance i connects(); `upstream_bus`: what it draws from, by converterInput(), -1: none.
  /// The phases of an instance follow each other.
  std::size_t source(std::size_t i, PhasorSource source, std::ptrdiff_t upstream_bus);

 private:
  System& system_;
  ComponentSet& set_;
  Diagnostics& problems_;
};

}  // namespace podtwin
