// The scratch of one evaluation of a plant: what component sets read and add to. One a thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/network/fluid_network.hpp"
#include "model/network/phasor_network.hpp"
#include "model/system/jacobian.hpp"
#include "model/system/state.hpp"

namespace podtwin {

/// Where a temperature is read (`column` of y) and where heat into it is added (`row` of Evaluation::heat).
/// They differ at a boundary only: its temperature is a constant of y, its heat goes to a ledger.
struct ThermalPort {
  std::size_t column = 0;
  std::size_t row = 0;
};

/// Where Evaluation::z holds what the weather says besides the dry bulb.
struct OutdoorAir {
  std::size_t relative_humidity = 0;  ///< 1
  std::size_t pressure = 0;           ///< Pa
  std::size_t wet_bulb = 0;           ///< K
  std::size_t dew_point = 0;          ///< K
};

class ElectricalNetwork;

/// Voltages and currents of the buses that have a nominal voltage.
struct PhasorEvaluation {
  const PhasorNetwork* network = nullptr;  ///< null: the plant has none
  const ElectricalNetwork* electrical = nullptr;
  std::shared_ptr<const PhasorTopology> topology;
  PhasorState state;
  PhasorConnection connection;
  std::vector<char> conductor_live;      ///< [node]
  std::vector<std::size_t> order;        ///< of parts, downstream first
  bool cyclic = false;                   ///< converters feed each other
  std::vector<Complex> converter_input;  ///< [source] VA that it draws from the bus above it

  Eigen::VectorXcd currents(std::size_t element) const { return network->currents(element, *topology, state); }
  Complex absorbed(std::size_t element) const { return network->absorbed(element, *topology, state); }
  Complex voltage(std::size_t node) const { return state.voltage[node]; }
};

class Evaluation {
 public:
  // -- inputs of this evaluation
  double t = 0.0;                            ///< s
  std::span<const double> y;                 ///< unknowns; of coolant its temperature, whatever the state keeps
  std::span<const double> kept;              ///< unknowns as the state keeps them: of coolant what it carries
  std::span<const double> z;                 ///< discrete values
  const State* lines = nullptr;              ///< owner of the plug-flow volumes
  bool steady_search = false;                ///< capacities are compressed and delays skipped (steady initialisation)
  std::span<const double> inverse_capacity;  ///< [exposed unknown] K/J; the system's own unless a steady search

  std::vector<double> temperatures;  ///< what y looks at where coolant's specific heat varies

  // -- algebraic results
  std::vector<EdgeLaw> laws;         ///< [edge]
  std::vector<double> m;             ///< [edge] mass flow, kg/s, from -> to
  std::vector<double> p;             ///< [fluid node] gauge pressure, Pa
  std::vector<double> inflow;        ///< [fluid node] kg/s into the circuit from outside
  std::vector<char> fluid_live;      ///< [fluid node] joined to a held pressure
  std::vector<std::int32_t> part;    ///< [fluid node] number of the shut-in part it is in; -1: none
  std::vector<std::int32_t> parts;   ///< [circuit] how many parts are shut in
  std::vector<char> energised;       ///< [bus]
  std::vector<double> bus_load;      ///< [bus] W taken from the bus by loads and links below it
  std::vector<double> bus_reactive;  ///< [bus] var, likewise
  std::vector<int> bus_source;       ///< [bus] SourceKind
  std::vector<double> served;        ///< [bus] share that `supply:` loads get of what they ask: below 1 in a deep sag
  PhasorEvaluation phasor;
  std::vector<double> link_out;   ///< [link] W delivered downstream
  std::vector<double> link_loss;  ///< [link] W
  std::vector<double> command;    ///< [drive] what the drive is asked to do, 1
  double unmetered_load = 0.0;    ///< W of loads whose supply the pod file does not model
  double source_power = 0.0;      ///< W delivered by all sources, unmetered included

  // -- sums
  std::vector<double> heat;  ///< [exposed unknown] W (or unit/s where the capacity is 1)
  std::span<double> ydot;    ///< all unknowns; sets write the rows of their interior states here

  // -- book-keeping
  std::uint64_t topology_seen = 0;
  std::vector<FluidNetwork::Workspace> flow_scratch;
  std::chrono::steady_clock::duration flow_time{};  ///< spent on flow laws and flows so far
  std::vector<EdgeLaw> circuit_laws;                ///< of the circuit being solved
  std::vector<double> circuit_m, circuit_p, circuit_inflow;
  std::vector<EdgeLaw> laws_solved;      ///< [edge] laws of the flows that stand, to skip solves that change nothing
  std::vector<double> flow_at_jacobian;  ///< m when the Jacobian was last formed
  std::vector<char> full_speed_at_jacobian;  ///< [drive] moved at full speed then
  std::vector<double> set_scratch;           ///< for sets: see ComponentSet::scratchSize
};

/// Adds entries of the Jacobian. Rows are in the unit of Evaluation::heat: the writer divides by capacities.
class JacobianWriter {
 public:
  JacobianWriter(Jacobian& jacobian, std::span<const std::size_t> position, std::span<const double> inverse_capacity)
      : jacobian_(jacobian), position_(position), inverse_capacity_(inverse_capacity) {}
  /// d heat[row] / d y[column] += value; `slot` comes from Binder::couple(row, column).
  void add(std::size_t slot, std::size_t row, double value) {
    jacobian_.exposed[position_[slot]] += value * inverse_capacity_[row];
  }
  Jacobian::GroupValues& group(std::size_t handle) { return jacobian_.groups[handle]; }
  double inverseCapacity(std::size_t row) const { return inverse_capacity_[row]; }

 private:
  Jacobian& jacobian_;
  std::span<const std::size_t> position_;
  std::span<const double> inverse_capacity_;
};

}  // namespace podtwin
