// Currents of faults against sequence components and IEC 60909-0 by hand.
#include "model/network/fault_currents.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/network/phasor_elements.hpp"

namespace {

using namespace podtwin;

constexpr double kEmf = 277.0;  // V
const Complex kPositive(1.0e-3, 5.0e-3), kZero(2.0e-3, 9.0e-3);

/// Phases of these sequence impedances, and a neutral joined to earth by nothing else than a resistance.
BusImpedance balanced(bool earthed) {
  BusImpedance seen;
  const Complex self = (kZero + 2.0 * kPositive) / 3.0, mutual = (kZero - kPositive) / 3.0;
  for (Eigen::Index i = 0; i < 3; ++i)
    for (Eigen::Index j = 0; j < 3; ++j) seen.impedance(i, j) = i == j ? self : mutual;
  seen.live = {true, true, true, false};
  seen.earthed = earthed;
  return seen;
}

TEST(FaultCurrents, AreThoseOfSequenceComponents) {
  const FaultCurrents i = faultCurrents(balanced(true), kEmf, Extreme::greatest);
  const double root3 = std::numbers::sqrt3;
  EXPECT_NEAR(i.three_phase, kEmf / std::abs(kPositive), 1e-9 * i.three_phase);
  EXPECT_NEAR(i.line_line, root3 * kEmf / std::abs(2.0 * kPositive), 1e-9 * i.line_line);
  EXPECT_NEAR(i.line_ground, 3.0 * kEmf / std::abs(2.0 * kPositive + kZero), 1e-9 * i.line_ground);
  // IEC 60909-0: I_kE2E = sqrt(3) c U / |Z1 + 2 Z0|, with U between phases.
  EXPECT_NEAR(i.earth, 3.0 * kEmf / std::abs(kPositive + 2.0 * kZero), 1e-9 * i.earth);
  EXPECT_EQ(i.line_neutral, 0.0);
  const SequenceImpedances z = sequenceImpedances(balanced(true));
  EXPECT_NEAR(std::abs(z.positive - kPositive), 0.0, 1e-15);
  EXPECT_NEAR(std::abs(z.zero - kZero), 0.0, 1e-15);
}

TEST(FaultCurrents, AreNoneIntoEarthWhereNothingLeadsThere) {
  const FaultCurrents i = faultCurrents(balanced(false), kEmf, Extreme::greatest);
  EXPECT_EQ(i.line_ground, 0.0);
  EXPECT_EQ(i.earth, 0.0);
  EXPECT_DOUBLE_EQ(i.line_line_ground, i.line_line);
}

TEST(FaultCurrents, TakeTheGreatestOrTheLeastPhase) {
  BusImpedance seen = balanced(true);
  seen.impedance(1, 1) *= 2.0;
  EXPECT_GT(faultCurrents(seen, kEmf, Extreme::greatest).line_ground,
            1.5 * faultCurrents(seen, kEmf, Extreme::least).line_ground);
}

TEST(PeakCurrent, IsThatOfMethodC) {
  // R/X = 0.1 at 50 Hz: at 20 Hz X is 0.4 of it. kappa = 1.02 + 0.98 exp(-0.3).
  EXPECT_NEAR(peakOverInitial({0.1, 0.4}), std::numbers::sqrt2 * (1.02 + 0.98 * std::exp(-0.3)), 1e-12);
}

TEST(FaultForms, HaveReactancesInProportionToFrequencyAndNoChargingOrMagnetising) {
  const Complex z(0.1, 0.2);
  const PhasorElement line = lineElement("line", {0}, {1}, Eigen::MatrixXcd::Constant(1, 1, z),
                                         Eigen::MatrixXcd::Constant(1, 1, Complex(0.0, 1e-3)));
  const Eigen::MatrixXcd y = faultAdmittance(line.fault_form, 0.4);
  EXPECT_NEAR(std::abs(y(0, 0) - 1.0 / Complex(0.1, 0.08)), 0.0, 1e-12);
  EXPECT_NEAR(std::abs(y(0, 1) + y(0, 0)), 0.0, 1e-12);
  const PhasorElement windings =
      windingsElement("pair", {{0, kEarth, 1, kEarth, 10.0, z, Complex(1e-4, -1e-3)}}, MagnetisingPlace::middle);
  const Eigen::MatrixXcd w = faultAdmittance(windings.fault_form, 1.0, 1.0, 2.0);
  EXPECT_NEAR(std::abs(w(1, 1) - 1.0 / (2.0 * z)), 0.0, 1e-6);
  EXPECT_NEAR(std::abs(w(0, 0) - 0.01 / (2.0 * z)), 0.0, 1e-8);
}

TEST(NetworkImpedances, AreSourceAndTransformerAndCableInSeries) {
  // Three feeders, Dyn11 of 20 kV to 400 V, a cable: nodes 0-2, 3-5 and the star point 6, 7-9.
  const Complex grid(0.1, 1.0), cable(2e-3, 1e-3);
  const ThreePhaseTransformer data{.power = 1e6,
                                   .first_voltage = 20e3,
                                   .second_voltage = 400.0,
                                   .impedance = {0.01, 0.06},
                                   .magnetising = {},
                                   .group = vectorGroup("Dyn11"),
                                   .place = MagnetisingPlace::ends};
  std::vector<PhasorElement> elements{
      transformerElement("T", data, {0, 1, 2, kEarth}, {3, 4, 5, 6}), impedanceElement("earthing", 6, kEarth, 1e-3),
      lineElement("cable", {3, 4, 5}, {7, 8, 9}, Eigen::MatrixXcd(cable * Eigen::Matrix3cd::Identity()), {})};
  for (auto& element : elements) element.admittance = faultAdmittance(element.fault_form, 1.0);
  std::vector<PhasorSource> sources;
  for (std::size_t k = 0; k < 3; ++k) sources.push_back({.name = "grid", .to = k, .impedance = grid});
  const PhasorNetwork network(std::vector<std::string>(10, "node"), elements, {}, sources);
  NetworkImpedances impedances(network, network.connect({{1, 1, 1}, {1, 1, 1}}));
  const std::vector<std::size_t> nodes{7, 8, 9};
  const Eigen::MatrixXcd all = impedances.from(nodes);
  BusImpedance seen;
  seen.live = {true, true, true, false};
  for (Eigen::Index r = 0; r < 3; ++r)
    for (Eigen::Index c = 0; c < 3; ++c) seen.impedance(r, c) = all(7 + r, c);
  const double turns = 400.0 / 20e3;
  const Complex transformer = data.impedance * 400.0 * 400.0 / 1e6;
  const SequenceImpedances z = sequenceImpedances(seen);
  EXPECT_NEAR(std::abs(z.positive - (grid * turns * turns + transformer + cable)), 0.0, 1e-8);
  // The delta keeps the grid out of the zero sequence; the star point's resistance carries three currents.
  EXPECT_NEAR(std::abs(z.zero - (transformer + cable + 3.0 * 1e-3)), 0.0, 1e-8);
}

}  // namespace
