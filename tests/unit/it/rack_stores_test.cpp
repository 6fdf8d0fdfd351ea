// What a busbar's stores give and how shelves share, against figures by hand.
#include "model/components/it/rack_stores.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace podtwin {
namespace {

constexpr RackStores kStores{.capacitor_energy = 4680.0,
                             .recharge_time = 0.5,
                             .recharge_power = 4000.0,
                             .bbu_energy = 1e6,
                             .bbu_power = 5000.0,
                             .bbu_recharge_power = 1000.0};

void expectPower(const BusbarPower& p, double supplies, double bbu, double capacitors) {
  EXPECT_DOUBLE_EQ(p.supplies, supplies);
  EXPECT_DOUBLE_EQ(p.bbu, bbu);
  EXPECT_DOUBLE_EQ(p.capacitors, capacitors);
}

TEST(RackStores, SuppliesGiveWhatIsAskedWhileTheyCan) {
  expectPower(divideBusbar(kStores, {}, false, 132e3, 130e3, 0.0), 130e3, 0.0, 0.0);
}

TEST(RackStores, BatteryGivesUpToItsPowerAndCapacitorsTheRest) {
  expectPower(divideBusbar(kStores, {}, false, 132e3, 135e3, 0.0), 132e3, 3e3, 0.0);
  expectPower(divideBusbar(kStores, {}, false, 132e3, 138.2e3, 0.0), 132e3, 5e3, 1.2e3);
  expectPower(divideBusbar(kStores, {}, true, 132e3, 138.2e3, 0.0), 132e3, 0.0, 6.2e3);
}

TEST(RackStores, WhatIsMissingComesBackWithinWhatSuppliesCanGive) {
  // 1,000 J at 0.5 s are 2 kW; 3,000 J would be 6 kW and are held to 4 kW; 1 kW is all that is left below 132 kW.
  expectPower(divideBusbar(kStores, {.capacitors = 1000.0}, false, 132e3, 100e3, 0.0), 102e3, 0.0, -2e3);
  expectPower(divideBusbar(kStores, {.capacitors = 3000.0}, false, 132e3, 100e3, 0.0), 104e3, 0.0, -4e3);
  expectPower(divideBusbar(kStores, {.capacitors = 3000.0}, false, 132e3, 131e3, 0.0), 132e3, 0.0, -1e3);
  // The battery after the capacitors.
  expectPower(divideBusbar(kStores, {.capacitors = 1000.0, .bbu = 5e5}, false, 132e3, 100e3, 0.0), 103e3, -1e3, -2e3);
  expectPower(divideBusbar(kStores, {.capacitors = 1000.0, .bbu = 5e5}, false, 132e3, 129.5e3, 0.0), 132e3, -500.0,
              -2e3);
}

TEST(RackStores, SmoothingDrawsTheFilteredDemandAsFarAsCapacitorsReach) {
  RackStores stores = kStores;
  stores.smoothing_time = 0.2;
  expectPower(divideBusbar(stores, {.capacitors = 1000.0}, false, 264e3, 130e3, 100e3), 102e3, 0.0, 28e3);
  expectPower(divideBusbar(stores, {}, false, 264e3, 100e3, 130e3), 100e3, 0.0, 0.0);                      // full
  expectPower(divideBusbar(stores, {.capacitors = 4680.0}, false, 264e3, 200e3, 100e3), 200e3, 0.0, 0.0);  // empty
}

TEST(RackStores, AFullShelfLeavesTheRestToTheOthers) {
  // practice.md 1.7: with 5 % of sharing error the first of four shelves of 33 kW is full at 132 / 1.05 = 125.7 kW.
  const std::vector<double> ratings(4, 33e3), weights{1.05, 1.0 + 0.05 / 3, 1.0 - 0.05 / 3, 0.95};
  std::vector<double> power(4);
  shareAmongShelves(132e3 / 1.05, ratings, weights, power);
  EXPECT_NEAR(power[0], 33e3, 1e-6);
  EXPECT_NEAR(power[3], 0.95 * 132e3 / 1.05 / 4.0, 1e-6);
  shareAmongShelves(130e3, ratings, weights, power);
  EXPECT_DOUBLE_EQ(power[0], 33e3);
  EXPECT_NEAR(power[0] + power[1] + power[2] + power[3], 130e3, 1e-6);
  for (const double p : power) EXPECT_LE(p, 33e3);
  shareAmongShelves(140e3, ratings, weights, power);
  for (const double p : power) EXPECT_DOUBLE_EQ(p, 33e3);
  // One without supplies takes no part.
  shareAmongShelves(60e3, std::vector<double>{33e3, 0.0, 33e3, 33e3}, std::vector<double>{1.0, 0.0, 1.0, 1.0}, power);
  EXPECT_EQ(power, (std::vector<double>{20e3, 0.0, 20e3, 20e3}));
}

}  // namespace
}  // namespace podtwin
