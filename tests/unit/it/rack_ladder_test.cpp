// Flow among branches between two manifolds, against splits worked out by hand.
#include "model/components/it/rack_ladder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace podtwin {
namespace {

constexpr double kShut = std::numeric_limits<double>::infinity();
constexpr double kRound = 1e-13;

struct Found {
  std::vector<double> share;
  double whole;
};

Found split(const RackLadder& ladder, const std::vector<double>& branch) {
  Found found{std::vector<double>(branch.size(), -1.0), 0.0};
  found.whole = ladder.split(branch, found.share);
  return found;
}

TEST(RackLadder, ParallelBranchesShareByConductance) {
  // q ~ r^(-1/2): 1, 1/2, 1/3.
  const Found found = split({.exponent = 2.0}, {1.0, 4.0, 9.0});
  EXPECT_NEAR(found.share[0], 6.0 / 11.0, kRound);
  EXPECT_NEAR(found.share[1], 3.0 / 11.0, kRound);
  EXPECT_NEAR(found.share[2], 2.0 / 11.0, kRound);
  EXPECT_NEAR(found.whole, 36.0 / 121.0, kRound);
}

TEST(RackLadder, ExponentOfTheLawGovernsTheShares) {
  // q ~ r^(-1/n): 16 against 1 at n = 4 is half the flow.
  const Found found = split({.exponent = 4.0}, {1.0, 16.0});
  EXPECT_NEAR(found.share[0], 2.0 / 3.0, kRound);
  EXPECT_NEAR(found.whole, 16.0 / 81.0, kRound);
}

TEST(RackLadder, DirectReturnStarvesTheFarBranch) {
  // Last branch 1: dp 1. Both segments before it 2 x 0.5 x 1: dp 2 at the first, which so takes sqrt(2).
  const Found found = split({.exponent = 2.0, .segment = 0.5}, {1.0, 1.0});
  const double root = std::sqrt(2.0);
  EXPECT_NEAR(found.share[0], root / (1.0 + root), kRound);
  EXPECT_NEAR(found.share[1], 1.0 / (1.0 + root), kRound);
  EXPECT_NEAR(found.whole, 2.0 / ((1.0 + root) * (1.0 + root)), kRound);
}

TEST(RackLadder, ReverseReturnStarvesTheMiddle) {
  // Ends alike, x; middle 1 - 2x. First against middle: x^2 - (1-2x)^2 = (1-x)^2 - x^2, so x = 1 - sqrt(1/3).
  const Found found = split({.exponent = 2.0, .segment = 1.0, .back = ManifoldReturn::reverse}, {1.0, 1.0, 1.0});
  const double x = 1.0 - std::sqrt(1.0 / 3.0);
  EXPECT_NEAR(found.share[0], x, 1e-12);
  EXPECT_NEAR(found.share[1], 1.0 - 2.0 * x, 1e-12);
  EXPECT_NEAR(found.share[2], x, 1e-12);
  // Through the first branch and back along both segments of the return.
  EXPECT_NEAR(found.whole, x * x + x * x + (1.0 - x) * (1.0 - x), 1e-12);
}

TEST(RackLadder, ReverseReturnOfTwoAlikeIsEven) {
  const Found found = split({.exponent = 2.0, .segment = 0.5, .back = ManifoldReturn::reverse}, {1.0, 1.0});
  EXPECT_NEAR(found.share[0], 0.5, 1e-12);
  EXPECT_NEAR(found.whole, 0.375, 1e-12);
}

TEST(RackLadder, ShutBranchesCarryNothingWhereverTheyAre) {
  for (const auto back : {ManifoldReturn::direct, ManifoldReturn::reverse})
    for (std::size_t shut = 0; shut < 3; ++shut) {
      std::vector<double> branch{1.0, 1.0, 1.0};
      branch[shut] = kShut;
      const Found found = split({.exponent = 2.0, .segment = 0.1, .back = back}, branch);
      EXPECT_EQ(found.share[shut], 0.0);
      EXPECT_NEAR(std::accumulate(found.share.begin(), found.share.end(), 0.0), 1.0, kRound);
      for (std::size_t i = 0; i < 3; ++i) {
        if (i == shut) continue;
        EXPECT_GT(found.share[i], 0.3);
      }
    }
}

TEST(RackLadder, WithEveryBranchShutNothingPasses) {
  for (const auto back : {ManifoldReturn::direct, ManifoldReturn::reverse}) {
    const Found found = split({.exponent = 1.9, .segment = 0.1, .back = back}, {kShut, kShut});
    EXPECT_TRUE(std::isinf(found.whole));
    EXPECT_EQ(found.share, (std::vector<double>{0.0, 0.0}));
  }
}

// Every branch and segment put back into the laws, with an exponent that no hand would choose.
TEST(RackLadder, EveryWayThroughHasTheSamePressureDrop) {
  const double n = 1.89, s = 0.03;
  const std::vector<double> r{9.0, 5.0, 7.0, 30.0, kShut, 6.0};
  for (const auto back : {ManifoldReturn::direct, ManifoldReturn::reverse}) {
    const Found found = split({.exponent = n, .segment = s, .back = back}, r);
    const auto passes = [&](std::size_t first, std::size_t end) {
      return std::accumulate(found.share.begin() + static_cast<std::ptrdiff_t>(first),
                             found.share.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    };
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (std::isinf(r[i])) continue;
      double dp = r[i] * std::pow(found.share[i], n);
      for (std::size_t j = 1; j <= i; ++j) dp += s * std::pow(passes(j, r.size()), n);
      if (back == ManifoldReturn::direct)
        for (std::size_t j = 1; j <= i; ++j) dp += s * std::pow(passes(j, r.size()), n);
      else
        for (std::size_t j = i + 1; j < r.size(); ++j) dp += s * std::pow(passes(0, j), n);
      EXPECT_NEAR(dp / found.whole, 1.0, 1e-11) << "branch " << i;
    }
  }
}

TEST(RackLadder, SegmentTakesTheStatedLossOnTheWayToTheLastBranch) {
  // Segments carry 0.75 and 0.25 of the flow in two manifolds: 2 s (0.75^2 + 0.25^2) = 1.25 s.
  const std::vector<double> share{0.25, 0.5, 0.25};
  EXPECT_NEAR(RackLadder::segmentFor(2.5, 2.0, share), 2.0, kRound);
  EXPECT_EQ(RackLadder::segmentFor(2.5, 2.0, std::vector<double>{1.0}), 0.0);
}

}  // namespace
}  // namespace podtwin
