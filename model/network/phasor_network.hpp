// Steady phasor solution of an electrical network in phase coordinates: every conductor of every bus is a node of its
// own, with a complex voltage to earth [V, effective value]. Equations: phasor_network.md.
//
// Linear elements (cables, transformers, capacitors, earthing resistances) are admittance matrices between nodes; loads
// draw constant power, current or impedance between two nodes or a node and earth; sources hold the voltage of a node.
// Newton on the currents of all nodes at once, in real and imaginary parts, with the exact derivative; constant-power
// and constant-current loads become impedances below a lowest voltage, so that there is a solution however low it
// sinks.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace podtwin {

using Complex = std::complex<double>;

inline constexpr std::ptrdiff_t kEarth = -1;  ///< in place of a node: earth, 0 V

/// Linear element: the current [A] into it at terminal k is sum_j admittance(k, j) V_j.
struct PhasorElement {
  std::string name;
  std::vector<std::size_t> terminals;  ///< nodes
  Eigen::MatrixXcd admittance;         ///< S
  /// Terminals (by their place in the list) that conductors join, as the two ends of a line's phase or the windings of
  /// a delta; what is coupled by a magnetic field alone is not joined.
  std::vector<std::pair<std::size_t, std::size_t>> joined;
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

/// The current [A] that a load draws at a voltage [V] across it when it draws `power` [VA] at its rated voltage, and
/// its derivative by the real and imaginary part of the voltage.
struct LoadCurrent {
  Complex current;
  Eigen::Matrix2d slope;
};
LoadCurrent loadCurrent(const PhasorLoad& load, Complex power, Complex voltage);

/// Immutable; what changes is in the arguments.
class PhasorNetwork {
 public:
  PhasorNetwork(std::vector<std::string> nodes, std::vector<PhasorElement> elements, std::vector<PhasorLoad> loads);

  /// What an evaluation gives: an element that is not closed takes no part in it.
  struct Input {
    std::vector<char> closed;                              ///< [element]
    std::vector<Complex> power;                            ///< [load] VA at rated voltage; 0: switched off
    std::vector<std::pair<std::size_t, Complex>> sources;  ///< nodes whose voltage is held, and it
  };
  struct Solution {
    std::vector<Complex> voltage;  ///< [node] V to earth; 0 of a dead one
    std::vector<char> live;        ///< [node] joined by closed elements to a source
    int iterations = 0;
    double worst_current = 0.0;  ///< A, greatest imbalance of a node
  };
  /// Starts from `solution.voltage` where the same nodes are live, else from the network without constant power.
  /// Throws SimulationError naming the worst nodes when it does not converge, and Error where two sources hold one node
  /// at different voltages.
  void solve(const Input& input, Solution& solution) const;

  /// Currents [A] into a closed element at its terminals.
  Eigen::VectorXcd currents(std::size_t element, const Solution& solution) const;
  /// Current [A] that a load draws from its first node.
  Complex current(std::size_t load, const Input& input, const Solution& solution) const;

  const std::vector<std::string>& nodes() const { return nodes_; }
  const std::vector<PhasorElement>& elements() const { return elements_; }
  const std::vector<PhasorLoad>& loads() const { return loads_; }

 private:
  class Solve;
  std::vector<std::string> nodes_;
  std::vector<PhasorElement> elements_;
  std::vector<PhasorLoad> loads_;
};

}  // namespace podtwin
