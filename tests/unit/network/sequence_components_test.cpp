#include "model/network/sequence_components.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <limits>
#include <numbers>

namespace podtwin::test {
namespace {

using Phases = std::array<std::complex<double>, 3>;
std::complex<double> phasor(double size, double degrees) {
  return std::polar(size, degrees * std::numbers::pi / 180.0);
}

TEST(SequenceComponents, GiveBackThePhasesThatTheyWereMadeFrom) {
  const Phases phases = {phasor(150, -8), phasor(140, -131), phasor(60, 115)};
  const auto again = phasesOf(sequenceComponents(phases));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(std::abs(again[k] - phases[k]), 1e-12);
}

TEST(SequenceComponents, AreOneEachOfAPureSequence) {
  const auto positive = sequenceComponents(Phases{phasor(10, 30), phasor(10, -90), phasor(10, 150)});
  EXPECT_LT(std::abs(positive.positive - phasor(10, 30)), 1e-13);
  EXPECT_LT(std::abs(positive.negative) + std::abs(positive.zero), 1e-13);
  const auto negative = sequenceComponents(Phases{phasor(10, 30), phasor(10, 150), phasor(10, -90)});
  EXPECT_LT(std::abs(negative.negative - phasor(10, 30)), 1e-13);
  const auto zero = sequenceComponents(Phases{phasor(10, 30), phasor(10, 30), phasor(10, 30)});
  EXPECT_LT(std::abs(zero.zero - phasor(10, 30)), 1e-13);
}

TEST(SequenceComponents, MeetRowsOfCaseE09CarriedHere) {
  const auto u = unbalance(Phases{phasor(150, -8), phasor(140, -131), phasor(60, 115)});
  EXPECT_NEAR(u.neutral, 78.6669072446, 1e-9 * u.neutral);
  EXPECT_NEAR(u.positive, 116.583656148, 1e-9 * u.positive);
  EXPECT_NEAR(u.negative, 30.8864907131, 1e-9 * u.negative);
  EXPECT_NEAR(u.zero, 26.2223024149, 1e-9 * u.zero);
  EXPECT_NEAR(u.negative_share, 0.264929851521, 1e-9);
  EXPECT_NEAR(u.zero_share, 0.224922628791, 1e-9);
  EXPECT_NEAR(u.greatest_deviation, 0.485714285714, 1e-9);
}

TEST(SequenceComponents, HaveNoShareOfNothing) {
  const auto nothing = unbalance(Phases{});
  EXPECT_EQ(nothing.negative_share, 0.0);
  EXPECT_EQ(nothing.zero_share, 0.0);
  EXPECT_EQ(nothing.greatest_deviation, 0.0);
  const auto all_zero = unbalance(Phases{1.0, 1.0, 1.0});
  EXPECT_GT(all_zero.zero_share, 1e12);
}

}  // namespace
}  // namespace podtwin::test
