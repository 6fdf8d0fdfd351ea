// Symmetrical components of three phase currents or voltages, and figures of unbalance. Equations: phasor_network.md.
#pragma once

#include <array>
#include <complex>
#include <span>

namespace podtwin {

/// In the unit of the phases, referred to phase a.
struct SequenceComponents {
  std::complex<double> zero, positive, negative;
};
/// Of phases a, b, c; b lags a by 120 degrees in the positive sequence.
SequenceComponents sequenceComponents(std::span<const std::complex<double>, 3> phases);
/// The phases a, b, c of components.
std::array<std::complex<double>, 3> phasesOf(const SequenceComponents& components);

struct Unbalance {
  double neutral;                   ///< size of the sum of the phases: the current of a neutral conductor
  double zero, positive, negative;  ///< sizes of the components
  double negative_share;            ///< negative over positive; of voltages the unbalance factor of IEC 61000-2-2
  double zero_share;                ///< zero over positive
  double greatest_deviation;        ///< of a phase's size from their mean, over the mean (NEMA MG 1)
};
/// Shares are 0 where nothing flows, infinity where only the positive component is missing.
Unbalance unbalance(std::span<const std::complex<double>, 3> phases);

}  // namespace podtwin
