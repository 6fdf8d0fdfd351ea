// Currents of faults at a bus from the impedances that a network shows there. Equations: fault_levels.md.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "model/network/phasor_network.hpp"

namespace podtwin {

/// Impedances that a network shows with its electromotive forces 0 and without its loads. Every part is factorised
/// once.
class NetworkImpedances {
 public:
  NetworkImpedances(const PhasorNetwork& network, std::shared_ptr<const PhasorTopology> topology);
  ~NetworkImpedances();
  NetworkImpedances(const NetworkImpedances&) = delete;
  NetworkImpedances& operator=(const NetworkImpedances&) = delete;

  /// Voltages [V] of all nodes by a current of 1 A from earth into each of `nodes`, which are live and of one part: the
  /// rows of `nodes` are the impedance [ohm] seen from them. [node of the network, column]
  Eigen::MatrixXcd from(std::span<const std::size_t> nodes);
  const PhasorTopology& topology() const { return *topology_; }

 private:
  struct Factor;
  const PhasorNetwork& network_;
  std::shared_ptr<const PhasorTopology> topology_;
  std::vector<std::unique_ptr<Factor>> factors_;  // [part]; null: not asked for yet
};

/// Which of the phases is meant where they differ.
enum class Extreme { greatest, least };

/// Initial currents [A], effective values, of bolted faults; 0 of one that can not happen at the bus.
struct FaultCurrents {
  double three_phase = 0.0;
  double line_line = 0.0;
  double line_line_ground = 0.0;  ///< of the phases of the fault between two phases and earth
  double earth = 0.0;             ///< of the same fault, into earth
  double line_ground = 0.0;       ///< into earth
  double line_neutral = 0.0;
};

/// What is seen at a bus: conductors a, b, c, n.
struct BusImpedance {
  Eigen::Matrix4cd impedance = Eigen::Matrix4cd::Zero();  ///< ohm, rows and columns of dead conductors 0
  std::array<bool, 4> live{};
  bool earthed = false;  ///< there is a path from it to earth
};
/// `electromotive_force`: V from phase to star point.
FaultCurrents faultCurrents(const BusImpedance& seen, double electromotive_force, Extreme extreme);

struct SequenceImpedances {
  Complex positive, zero;  ///< ohm
};
SequenceImpedances sequenceImpedances(const BusImpedance& seen);

/// Of the frequency, at which the peak current's time constant is taken (method C of IEC 60909-0): 20 of 50, 24 of 60
/// Hz.
inline constexpr double kEquivalentFrequency = 0.4;
/// Peak over effective value of the initial current, from the impedance seen at that share of the frequency.
double peakOverInitial(Complex at_equivalent_frequency);

}  // namespace podtwin
