#include "model/network/sequence_components.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace podtwin {

namespace {

constexpr double kPhases = 3.0;
const std::complex<double> kTurn{-0.5, 0.5 * std::numbers::sqrt3};  // a third of a turn

double share(double part, double whole) {
  if (part == 0.0) return 0.0;
  return whole > 0.0 ? part / whole : std::numeric_limits<double>::infinity();
}

}  // namespace

SequenceComponents sequenceComponents(std::span<const std::complex<double>, 3> p) {
  const auto back = std::conj(kTurn);
  return {(p[0] + p[1] + p[2]) / kPhases, (p[0] + kTurn * p[1] + back * p[2]) / kPhases,
          (p[0] + back * p[1] + kTurn * p[2]) / kPhases};
}

std::array<std::complex<double>, 3> phasesOf(const SequenceComponents& s) {
  const auto back = std::conj(kTurn);
  return {s.zero + s.positive + s.negative, s.zero + back * s.positive + kTurn * s.negative,
          s.zero + kTurn * s.positive + back * s.negative};
}

Unbalance unbalance(std::span<const std::complex<double>, 3> phases) {
  const auto s = sequenceComponents(phases);
  double mean = 0.0, deviation = 0.0;
  for (const auto& phase : phases) mean += std::abs(phase) / kPhases;
  for (const auto& phase : phases) deviation = std::max(deviation, std::abs(std::abs(phase) - mean));
  Unbalance u{};
  u.neutral = std::abs(phases[0] + phases[1] + phases[2]);
  u.zero = std::abs(s.zero);
  u.positive = std::abs(s.positive);
  u.negative = std::abs(s.negative);
  u.negative_share = share(u.negative, u.positive);
  u.zero_share = share(u.zero, u.positive);
  u.greatest_deviation = share(deviation, mean);
  return u;
}

}  // namespace podtwin
