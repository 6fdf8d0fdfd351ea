#include "scenarios/workload/training_workload.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace podtwin::scenarios {
namespace {

/// Racks of one tray with two GPUs.
ItInventory inventoryOfRacks(std::size_t racks) {
  ItInventory inventory;
  inventory.racks = racks;
  for (std::size_t r = 0; r < racks; ++r) {
    inventory.tray_rack.push_back(static_cast<std::uint32_t>(r));
    for (int k = 0; k < 2; ++k) inventory.gpu_tray.push_back(static_cast<std::uint32_t>(r));
  }
  return inventory;
}

/// 100 kW for 0.4 s of each second, 0.2 s up, 0.2 s down, 20 kW for 0.2 s.
TrainingPattern trapezoid() {
  TrainingPattern p;
  p.period = 1.0;
  p.compute_share = 0.6;
  p.rise_time = p.fall_time = 0.2;
  p.high = 100e3;
  p.low = 20e3;
  return p;
}

TEST(TrainingWorkload, IsATrapezoidOfItsPeriod) {
  const TrainingWorkload work(inventoryOfRacks(1), {1}, trapezoid());
  EXPECT_NEAR(work.level(0.1), 60e3, 1e-6);
  EXPECT_EQ(work.level(0.4), 100e3);
  EXPECT_NEAR(work.level(0.75), 40e3, 1e-6);
  EXPECT_EQ(work.level(0.9), 20e3);
  EXPECT_NEAR(work.level(7.1), work.level(0.1), 1e-6);
}

TEST(TrainingWorkload, ItsMeanIsExactOverAnySpan) {
  const TrainingWorkload work(inventoryOfRacks(1), {1}, trapezoid());
  // 0.6 s of a full swing: 20 + 80 (0.4 + 0.2/2 + 0.2/2) = 68 kW.
  EXPECT_NEAR(work.meanLevel(0.0, 1.0), 68e3, 1e-6);
  EXPECT_NEAR(work.meanLevel(0.37, 5.0), 68e3, 1e-6);
  EXPECT_NEAR(work.meanLevel(0.0, 0.1), 40e3, 1e-6);  // 20 to 60 kW
  EXPECT_NEAR(work.meanLevel(0.5, 0.2), 0.5 * (100e3 + 0.5 * (100e3 + 60e3)), 1e-6);
}

TEST(TrainingWorkload, CheckpointsHoldTheirLevelAndComeBack) {
  TrainingPattern p = trapezoid();
  p.checkpoint = TrainingPattern::Checkpoint{10.0, 2.0, 30e3};
  const TrainingWorkload work(inventoryOfRacks(1), {1}, p);
  EXPECT_EQ(work.level(0.9), 20e3);  // none at the start
  EXPECT_EQ(work.level(10.5), 30e3);
  EXPECT_EQ(work.level(12.4), 100e3);
  EXPECT_EQ(work.level(21.9), 30e3);
  EXPECT_NEAR(work.meanLevel(10.0, 10.0), (2.0 * 30e3 + 8.0 * 68e3) / 10.0, 1e-6);
}

TEST(TrainingWorkload, AJobDropsOverItsTime) {
  TrainingPattern p = trapezoid();
  p.high = p.low = 100e3;
  p.drop = TrainingPattern::Drop{5.0, 2.0, 10e3};
  const TrainingWorkload work(inventoryOfRacks(1), {1}, p);
  EXPECT_EQ(work.level(4.9), 100e3);
  EXPECT_NEAR(work.level(6.0), 55e3, 1e-6);
  EXPECT_NEAR(work.level(7.5), 10e3, 1e-6);
  EXPECT_NEAR(work.meanLevel(4.0, 4.0), (100e3 + 2.0 * 55e3 + 10e3) / 4.0, 1e-6);
}

TEST(TrainingWorkload, TheMeanOfADropInTheSwingIsThatOfManySamples) {
  TrainingPattern p = trapezoid();
  p.drop = TrainingPattern::Drop{5.3, 1.7, 10e3};
  const TrainingWorkload work(inventoryOfRacks(1), {1}, p);
  constexpr int kSamples = 200000;
  double sum = 0.0;
  for (int k = 0; k < kSamples; ++k) sum += work.level(5.0 + 2.5 * (k + 0.5) / kSamples);
  EXPECT_NEAR(work.meanLevel(5.0, 2.5), sum / kSamples, 1.0);
}

TEST(TrainingWorkload, RacksOutsideTheJobAreIdleAndLagsFollowTheSeed) {
  TrainingPattern p = trapezoid();
  p.kind = LevelKind::utilisation;
  p.high = 1.0;
  p.low = 0.2;
  p.phase_spread = 0.05;
  p.seed = 3;
  const TrainingWorkload work(inventoryOfRacks(3), {1, 0, 1}, p), same(inventoryOfRacks(3), {1, 0, 1}, p);
  ItDemand demand;
  work.demand(0.1, demand);
  EXPECT_NEAR(demand.gpu_utilisation[0], 0.2 + 0.8 * (0.1 - work.lag(0)) / 0.2, 1e-12);
  EXPECT_EQ(demand.gpu_utilisation[2], 0.0);
  EXPECT_NE(work.lag(0), work.lag(2));
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(work.lag(r), same.lag(r));
    EXPECT_GE(work.lag(r), 0.0);
    EXPECT_LT(work.lag(r), 0.05);
  }
  p.seed = 4;
  EXPECT_NE(work.lag(0), TrainingWorkload(inventoryOfRacks(3), {1, 0, 1}, p).lag(0));
}

TEST(TrainingWorkload, ATrapezoidThatDoesNotFitIsRefused) {
  TrainingPattern p = trapezoid();
  p.rise_time = 0.7;
  EXPECT_THROW(TrainingWorkload(inventoryOfRacks(1), {1}, p), InputError);
  p = trapezoid();
  p.fall_time = 0.5;
  EXPECT_THROW(TrainingWorkload(inventoryOfRacks(1), {1}, p), InputError);
}

}  // namespace
}  // namespace podtwin::scenarios
