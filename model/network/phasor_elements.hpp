// Admittances of lines, transformers and shunts between conductors. Equations: phasor_network.md.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "model/network/phasor_network.hpp"

namespace podtwin {

/// Conductors in parallel from one bus to another: conductor k joins from[k] and to[k]. `series` is the matrix of their
/// self and mutual impedances [ohm] over the whole length, `shunt` that of the admittances to earth and to each other
/// [S], half of it at each end; an empty one is none.
PhasorElement lineElement(std::string name, const std::vector<std::size_t>& from, const std::vector<std::size_t>& to,
                          const Eigen::MatrixXcd& series, const Eigen::MatrixXcd& shunt);

/// An impedance [ohm] between a node and another one, or earth.
PhasorElement impedanceElement(std::string name, std::size_t from, std::ptrdiff_t to, Complex impedance);

/// Admittance [S] of a form at a share of the frequency, with its resistances, and then its whole impedance,
/// multiplied.
Eigen::MatrixXcd faultAdmittance(const FaultForm& form, double frequency_share, double resistance_factor = 1.0,
                                 double correction = 1.0);

/// A pair of coupled windings: `ratio` is turns of the first over those of the second, `impedance` [ohm] theirs in
/// series seen from the second, `magnetising` [S] seen from the first. Each winding lies between two nodes, or a node
/// and earth.
struct WindingPair {
  std::ptrdiff_t first_begin, first_end, second_begin, second_end;
  double ratio;
  Complex impedance, magnetising;
};
/// Where the magnetising admittance lies: half on each side, or between the halves of the impedance.
enum class MagnetisingPlace { ends, middle };

PhasorElement windingsElement(std::string name, const std::vector<WindingPair>& pairs, MagnetisingPlace place);

/// Connection of a three-phase transformer: "Dyn11" is delta, star with its star point brought out, the second side
/// behind the first by 11 x 30 degrees.
struct VectorGroup {
  bool first_delta, second_delta;
  bool first_neutral, second_neutral;  ///< star points brought out
  int hour;
};
/// Throws Error for one that does not exist: "Dyn2".
VectorGroup vectorGroup(const std::string& text);

/// Data of a three-phase transformer; values a unit are on its rating.
struct ThreePhaseTransformer {
  double power;                    ///< VA
  double first_voltage;            ///< V between phases, at the tap that is taken
  double second_voltage;           ///< V between phases
  Complex impedance, magnetising;  ///< 1
  VectorGroup group;
  MagnetisingPlace place;
};
/// Sides as nodes of a, b, c and, of a star, its star point: a node, or earth. A delta's fourth is not looked at.
PhasorElement transformerElement(std::string name, const ThreePhaseTransformer& data,
                                 const std::array<std::ptrdiff_t, 4>& first,
                                 const std::array<std::ptrdiff_t, 4>& second);

}  // namespace podtwin
