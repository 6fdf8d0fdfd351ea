// Steady phasor solution of an electrical network in phase coordinates: every conductor of every bus is a node of its
// own, with a complex voltage to earth [V, effective value]. Equations: phasor_network.md.
//
// Linear elements (cables, transformers, capacitors, earthing resistances) are admittance matrices between nodes; loads
// draw constant power, current or impedance between two nodes or a node and earth; sources are electromotive forces
// behind an impedance, or hold the voltage of a node. Newton on the currents of a part's nodes, in real and imaginary
// parts; constant-power and constant-current loads become impedances below a lowest voltage, so that there is a
// solution however low it sinks.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/network/fault_form.hpp"

namespace podtwin {

inline constexpr std::ptrdiff_t kEarth = -1;  ///< in place of a node: earth, 0 V

/// Linear element: the current [A] into it at terminal k is sum_j admittance(k, j) V_j.
struct PhasorElement {
  std::string name;
  std::vector<std::size_t> terminals;  ///< nodes
  Eigen::MatrixXcd admittance;         ///< S
  /// Terminals (by their place in the list) that conductors join, as the two ends of a line's phase or the windings of
  /// a delta; what is coupled by a magnetic field alone is not joined.
  std::vector<std::pair<std::size_t, std::size_t>> joined;
  FaultForm fault_form{};  ///< what it is in a study of fault levels; empty: it is left out
  bool is_fault = false;   ///< a fault itself: no part of the network that is sound
};

enum class LoadModel { power, current, impedance };

struct PhasorLoad {
  std::string name;
  std::size_t from = 0;
  std::ptrdiff_t to = kEarth;  ///< node, or earth
  double rated_voltage = 0.0;  ///< V across it at which it draws its power
  LoadModel model = LoadModel::power;
  double lowest_share = 0.7;  ///< of the rated voltage; below it the load is the impedance that it is there
};

/// Electromotive force from one node to another behind an impedance [ohm]. Without impedance it holds the voltage of
/// `to` against earth.
struct PhasorSource {
  std::string name;
  std::ptrdiff_t from = kEarth;  ///< its star point: a node, or earth
  std::size_t to = 0;
  Complex impedance{};  ///< ohm
  Infeed infeed{};      ///< what it is in a study of fault levels
};

/// The current [A] that a load draws at a voltage [V] across it when it draws `power` [VA] at its rated voltage, and
/// its derivative by the real and imaginary part of the voltage.
struct LoadCurrent {
  Complex current;
  Eigen::Matrix2d slope;
};
LoadCurrent loadCurrent(const PhasorLoad& load, Complex power, Complex voltage);

/// What a node is, besides one with a voltage: a neutral or star point has no life of its own. It is live beside a live
/// phase and gives no life to phases, or a neutral that no breaker parts would make dead phases live.
struct PhasorNeutral {
  std::size_t node = 0;
  std::vector<std::size_t> phases;  ///< of the same bus: one that is live makes it live, as earth closes the circuit
};

class PhasorNetwork;

/// What is closed and what is on.
struct PhasorConnection {
  std::vector<char> closed;  ///< [element]
  std::vector<char> on;      ///< [source]
};

/// What a connection makes of a network: parts that are joined and have a source. Immutable.
class PhasorTopology {
 public:
  struct Part {
    std::vector<std::size_t> nodes;     ///< whose voltage is unknown, in the order of their rows
    std::vector<std::size_t> held;      ///< sources that hold a node
    std::vector<std::size_t> sources;   ///< behind an impedance
    std::vector<std::size_t> loads;     ///< with both ends live
    std::vector<std::size_t> elements;  ///< closed
    std::vector<std::size_t> row_start,
        column;                       ///< compressed rows of admittances between unknown nodes, columns: rows
    std::vector<Complex> admittance;  ///< S
    struct Tie {
      std::size_t row, node;
      Complex admittance;
    };
    std::vector<Tie> ties;                    ///< of rows to held nodes
    std::vector<std::vector<Tie>> held_ties;  ///< [held source] of its node to every node; rows not used
  };
  const std::vector<Part>& parts() const { return parts_; }
  bool live(std::size_t node) const { return part_of_[node] >= 0; }
  std::ptrdiff_t partOf(std::size_t node) const { return part_of_[node]; }  ///< -1: dead
  std::ptrdiff_t rowOf(std::size_t node) const { return row_of_[node]; }    ///< in its part; -1: held or dead
  bool adrift(std::size_t node) const { return adrift_[node] != 0; }        ///< no path to earth but leaks holds it
  const PhasorConnection& connection() const { return connection_; }

 private:
  friend class PhasorNetwork;
  PhasorConnection connection_;
  std::vector<Part> parts_;
  std::vector<std::ptrdiff_t> part_of_, row_of_;  ///< [node]
  std::vector<char> adrift_;                      ///< [node]
};

/// Scratch of the solves of one topology, kept between them: voltages and factors. Copies share factors.
struct PhasorState {
  std::vector<Complex> voltage;  ///< [node] V to earth; 0 of a dead one
  std::vector<Complex> power;    ///< [load] VA at rated voltage; 0: switched off
  std::vector<Complex> emf;      ///< [source] V
  int iterations = 0;            ///< of the last solve
  struct Factor;
  std::vector<Complex> scratch[6];
  std::vector<double> sizes;
  std::vector<std::shared_ptr<const Factor>> factors;  ///< [part] of the slopes at some earlier voltages; null: none
};

/// Immutable; what changes is in the arguments.
class PhasorNetwork {
 public:
  /// Throws Error where a source without impedance has a star point that is not earth.
  PhasorNetwork(std::vector<std::string> nodes, std::vector<PhasorElement> elements, std::vector<PhasorLoad> loads,
                std::vector<PhasorSource> sources, std::vector<PhasorNeutral> neutrals = {});

  /// [node] joined by closed elements, whether by conductors or by a magnetic field, to a source that is on.
  std::vector<char> live(const PhasorConnection& connection) const;
  /// Throws SimulationError where two sources that are on hold one node.
  std::shared_ptr<const PhasorTopology> connect(PhasorConnection connection) const;
  /// Zero powers and voltages, electromotive forces 0.
  PhasorState makeState() const;
  /// Forgets what belongs to another topology: dead nodes have 0 V, the rest starts anew where `keep` is false.
  void enter(const PhasorTopology& topology, PhasorState& state, bool keep) const;

  /// Voltages of one part from powers and electromotive forces. Starts from the voltages that stand unless they are 0,
  /// then from the network in which every load is an impedance. Throws SimulationError naming the worst nodes when it
  /// does not converge.
  void solve(const PhasorTopology& topology, std::size_t part, PhasorState& state) const;

  /// Currents [A] into an element at its terminals; 0 where it is not closed.
  Eigen::VectorXcd currents(std::size_t element, const PhasorTopology& topology, const PhasorState& state) const;
  /// Power [VA] into an element at all its terminals together: its loss and what it stores.
  Complex absorbed(std::size_t element, const PhasorTopology& topology, const PhasorState& state) const;
  /// Current [A] that a load draws from its first node; 0 when an end of it is dead.
  Complex loadCurrentOf(std::size_t load, const PhasorTopology& topology, const PhasorState& state) const;
  /// Voltage [V] across a load.
  Complex across(std::size_t load, const PhasorState& state) const;
  /// Current [A] that a source drives into its node; 0 when it is off.
  Complex sourceCurrent(std::size_t source, const PhasorTopology& topology, const PhasorState& state) const;
  /// Power [VA] it delivers at its terminals, behind its impedance.
  Complex sourcePower(std::size_t source, const PhasorTopology& topology, const PhasorState& state) const;
  /// Greatest current [A] that is left over at a node of a part, over the greatest that loads draw or sources drive.
  double imbalance(const PhasorTopology& topology, std::size_t part, const PhasorState& state) const;

  const std::vector<std::string>& nodes() const { return nodes_; }
  const std::vector<PhasorElement>& elements() const { return elements_; }
  const std::vector<PhasorLoad>& loads() const { return loads_; }
  const std::vector<PhasorSource>& sources() const { return sources_; }

 private:
  class Solve;
  void leaks(PhasorTopology& topology, std::vector<double>& leak) const;
  std::vector<std::string> nodes_;
  std::vector<PhasorElement> elements_;
  std::vector<PhasorLoad> loads_;
  std::vector<PhasorSource> sources_;
  std::vector<PhasorNeutral> neutrals_;
  std::vector<char> is_neutral_;  ///< [node]
};

}  // namespace podtwin
