#include "scenarios/workload/held_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace podtwin::scenarios {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kRackPower = 142e3;  // W

ItInventory twoRacks() { return {{0, 0, 1, 2}, {0, 0, 1}, 2}; }

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(HeldWorkload, IdleAsksForNothingForEver) {
  const HeldWorkload workload = HeldWorkload::idle(twoRacks());
  ItDemand demand;
  workload.demand(1e6, demand);
  EXPECT_THAT(demand.gpu_utilisation, SizeIs(4));
  EXPECT_THAT(demand.gpu_utilisation, Each(0.0));
  EXPECT_THAT(demand.rack_power, SizeIs(2));
  EXPECT_THAT(demand.rack_power, Each(0.0));
  EXPECT_EQ(workload.nextChange(0.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(workload.provenance().at("kind"), "idle");
}

TEST(HeldWorkload, ConstantRackPowerLeavesUtilisationAlone) {
  const HeldWorkload workload = HeldWorkload::constant(twoRacks(), LevelKind::rack_power, kRackPower);
  ItDemand demand;
  workload.demand(0.0, demand);
  EXPECT_THAT(demand.rack_power, Each(kRackPower));
  EXPECT_THAT(demand.gpu_utilisation, Each(0.0));
}

TEST(HeldWorkload, ConstantUtilisationHoldsNoRackPower) {
  const HeldWorkload workload = HeldWorkload::constant(twoRacks(), LevelKind::utilisation, 0.7);
  ItDemand demand;
  workload.demand(0.0, demand);
  EXPECT_THAT(demand.gpu_utilisation, Each(0.7));
  EXPECT_THAT(demand.rack_power, Each(0.0));
}

TEST(HeldWorkload, StepChangesExactlyAtItsTimesAndIsIdleBefore) {
  const HeldWorkload workload = HeldWorkload::step(twoRacks(), LevelKind::utilisation, {{10.0, 0.5}, {20.0, 1.0}});
  ItDemand demand;
  workload.demand(9.99, demand);
  EXPECT_THAT(demand.gpu_utilisation, Each(0.0));
  EXPECT_EQ(workload.nextChange(0.0), 10.0);
  workload.demand(10.0, demand);
  EXPECT_THAT(demand.gpu_utilisation, Each(0.5));
  EXPECT_EQ(workload.nextChange(10.0), 20.0);
  workload.demand(20.0, demand);
  EXPECT_THAT(demand.gpu_utilisation, Each(1.0));
  EXPECT_EQ(workload.nextChange(20.0), std::numeric_limits<double>::infinity());
}

TEST(HeldWorkload, ClockThatAddsUpStepsMeetsTheChange) {
  const HeldWorkload workload = HeldWorkload::step(twoRacks(), LevelKind::utilisation, {{0.0, 0.0}, {0.3, 1.0}});
  double clock = 0.0;
  for (int i = 0; i < 3; ++i) clock += 0.1 - 1e-12;
  ASSERT_LT(clock, 0.3);
  ItDemand demand;
  workload.demand(clock, demand);
  EXPECT_THAT(demand.gpu_utilisation, Each(1.0));
  EXPECT_EQ(workload.nextChange(clock), std::numeric_limits<double>::infinity());
}

TEST(HeldWorkload, SeriesHoldsEachRowInAnyOrderOfAsking) {
  const HeldWorkload workload =
      HeldWorkload::series(twoRacks(), LevelKind::rack_power, {{-5.0, 1.0}, {60.0, 2.0}, {90.0, 3.0}});
  ItDemand demand;
  for (const auto& [time, level] : {std::pair{89.0, 2.0}, {0.0, 1.0}, {1e5, 3.0}, {60.0, 2.0}}) {
    workload.demand(time, demand);
    EXPECT_THAT(demand.rack_power, Each(level)) << time;
  }
}

TEST(HeldWorkload, BadLevelsAreRefusedWithTheirPlace) {
  const SourceMark where{"day.yaml", 4, 3};
  const auto step = [&](LevelKind kind, std::vector<LevelAt> levels) {
    return refusal([&] { HeldWorkload::step(twoRacks(), kind, std::move(levels), where); });
  };
  EXPECT_THAT(step(LevelKind::utilisation, {{0.0, 1.1}}), HasSubstr("day.yaml:4:3: error: utilisation 1.1"));
  EXPECT_THAT(step(LevelKind::utilisation, {{0.0, std::nan("")}}), HasSubstr("utilisation nan"));
  EXPECT_THAT(step(LevelKind::rack_power, {{0.0, 0.0}}), HasSubstr("rack power 0 W"));
  EXPECT_THAT(step(LevelKind::rack_power, {{5.0, 1.0}, {5.0, 2.0}}), HasSubstr("do not rise at 5 s"));
  EXPECT_THAT(step(LevelKind::rack_power, {}), HasSubstr("no level"));
  EXPECT_THAT(refusal([&] {
                HeldWorkload::series(twoRacks(), LevelKind::utilisation, {{1.0, 0.5}}, where);
              }),
              HasSubstr("begins at 1 s"));
}

TEST(HeldWorkload, InventoryThatPointsNowhereIsRefused) {
  EXPECT_THAT(refusal([] { HeldWorkload::idle({{3}, {0}, 1}); }), HasSubstr("GPU 0 is in tray 3"));
  EXPECT_THAT(refusal([] { HeldWorkload::idle({{0}, {2}, 1}); }), HasSubstr("tray 0 is in rack 2"));
}

}  // namespace
}  // namespace podtwin::scenarios
