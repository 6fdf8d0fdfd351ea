#include "scenarios/phase_balance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

namespace podtwin::scenarios {
namespace {

BusToBalance randomBus(unsigned seed, std::size_t loads, bool all_on_a) {
  std::mt19937 random(seed);
  const auto watt = [&] { return static_cast<double>(random() % 9000); };
  BusToBalance bus{"B", {watt(), watt(), watt()}, {}, {}};
  for (std::size_t k = 0; k < loads; ++k) {
    const bool two = random() % 4 == 0;
    const int place = static_cast<int>(all_on_a ? 0 : random() % 3);
    constexpr int kOne[]{1, 2, 4}, kTwo[]{3, 6, 5};
    bus.loads.push_back({"L" + std::to_string(k), 1000.0 + watt(), 100.0, two ? kTwo[place] : kOne[place]});
  }
  return bus;
}

TEST(PhaseBalance, IsWhatBruteForceFindsInPowerAndMoves) {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    const std::size_t n = 1 + seed % 9 + (seed == 24 ? 5 : 0);  // the last one of 12
    const BusToBalance bus = randomBus(seed, n, false);
    double best = 1e300;
    std::size_t fewest = 0, all = 1;
    for (std::size_t k = 0; k < n; ++k) all *= 3;
    for (std::size_t code = 0; code < all; ++code) {
      auto sum = bus.fixed_power;
      std::size_t moves = 0, rest = code;
      for (const auto& load : bus.loads) {
        const bool two = load.phases == 3 || load.phases == 5 || load.phases == 6;
        const std::size_t at = rest % 3;
        rest /= 3;
        const int mask = two ? (7 & ~(1 << at)) : (1 << at);
        for (std::size_t p = 0; p < 3; ++p)
          if ((mask >> p & 1) != 0) sum[p] += load.power / (two ? 2.0 : 1.0);
        moves += mask != load.phases ? 1 : 0;
      }
      const double greatest = *std::max_element(sum.begin(), sum.end());
      if (greatest < best - 1e-4 || (greatest < best + 1e-4 && moves < fewest)) best = greatest, fewest = moves;
    }
    const BalancedBus found = balancePhases(bus);
    EXPECT_NEAR(greatestPhase(found.power_after), best, 1e-4) << seed;
    EXPECT_EQ(found.moves, fewest) << seed;
    EXPECT_TRUE(found.proved);
    EXPECT_LE(found.bound, best + 1e-4);
  }
}

TEST(PhaseBalance, EightyLoadsOnOnePhaseComeWithinOnePercentOfTheBoundInUnderASecond) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const BusToBalance bus = randomBus(seed, 80, true);
    const auto began = std::chrono::steady_clock::now();
    const BalancedBus found = balancePhases(bus);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 1.0);
    EXPECT_LE(greatestPhase(found.power_after), 1.01 * found.bound);
    EXPECT_GE(greatestPhase(found.power_after), found.bound * (1.0 - 1e-9));
    EXPECT_EQ(found.phases, balancePhases(bus).phases);
    RecordProperty("gap_ppm_" + std::to_string(seed),
                   std::to_string(1e6 * (greatestPhase(found.power_after) / found.bound - 1.0)));
  }
}

}  // namespace
}  // namespace podtwin::scenarios
