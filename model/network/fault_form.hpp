// What elements and sources are in a study of fault levels by IEC 60909-0: impedances in series alone, at a share of
// the frequency. Equations: fault_levels.md.
#pragma once

#include <Eigen/Core>
#include <complex>

namespace podtwin {

using Complex = std::complex<double>;

/// Branches between the terminals of an element. Voltages across them are `across` times those of the terminals; its
/// admittance is across^T impedance^-1 across + rest.
struct FaultForm {
  Eigen::MatrixXd across;      ///< [branch, terminal]
  Eigen::MatrixXcd impedance;  ///< ohm, of the branches; at a share s of the frequency R + j s X
  Eigen::MatrixXcd rest;       ///< S; what holds star points that are joined to nothing; may be empty
  bool conductor = false;      ///< its resistance is higher in the study of least currents, where it is hot
  /// Short-circuit reactance of a transformer of its rating, for its correction factor; 0: not a transformer.
  double transformer_reactance = 0.0;
  bool empty() const { return impedance.size() == 0; }
};

/// What a source drives into a fault.
struct Infeed {
  enum class Kind {
    none,      ///< nothing is known of it
    infinite,  ///< it holds its voltage whatever is drawn
    feeder,    ///< the grid, behind the impedance of its short-circuit power
    machine,   ///< a generator behind its subtransient impedance
    limited,   ///< a converter that limits its current
  };
  Kind kind = Kind::none;
  Complex impedance{};          ///< ohm a phase, without voltage or correction factor; of the greatest currents
  Complex highest_impedance{};  ///< likewise, of the least currents
  double rated_voltage = 0.0;   ///< V between phases, of a machine
  double reactance = 0.0;       ///< of a machine, subtransient, of its rating
  double sine = 0.0;            ///< of the angle between its rated current and voltage
  double greatest_current = 0.0, least_current = 0.0;  ///< A, of a converter
};

}  // namespace podtwin
