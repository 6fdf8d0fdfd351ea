#include "model/components/power/selectivity.hpp"

#include <gtest/gtest.h>

#include "model/base/diagnostics.hpp"
#include "model/components/power/trip_devices.hpp"

namespace podtwin::test {
namespace {

constexpr RelayTolerance kExact{0.0, 0.0, 0.0};
TripCurve definite(double pickup, double time) {
  return TripCurve({definiteElement("definite", Band::exactly(pickup), Band::exactly(time))});
}

TEST(Selectivity, FindsWhereTwoCurvesCross) {
  const auto downstream = definite(100.0, 0.5);
  const TripCurve upstream(
      {relayElement(relayCurve("IEC very inverse"), 200.0, 0.1, RelayReset::instantaneous, 0.0, kExact)});
  const auto found = selectivity(downstream, upstream, {.prospective = 20e3});
  EXPECT_FALSE(found.full);
  EXPECT_NEAR(found.up_to, 740.0, 1e-5);  // 1.35/(M - 1) = 0.5: M = 3.7
  EXPECT_NEAR(found.fails_at, 740.0, 1e-5);
  EXPECT_GE(found.fails_at, found.up_to);
  EXPECT_NEAR(found.downstream, 0.5, 1e-12);
  EXPECT_NEAR(found.upstream, 0.5, 1e-6);
  EXPECT_TRUE(selectivity(downstream, upstream, {.prospective = 700.0}).full);
}

TEST(Selectivity, TakesTheMarginTheTurnsRatioAndOtherLoadIntoAccount) {
  const auto downstream = definite(100.0, 0.5);
  const TripCurve upstream(
      {relayElement(relayCurve("IEC very inverse"), 200.0, 0.1, RelayReset::instantaneous, 0.0, kExact)});
  const double M = 1.0 + 1.35 / 0.8;
  EXPECT_NEAR(selectivity(downstream, upstream, {.prospective = 2e4, .margin = 0.3}).up_to, 200.0 * M, 1e-5);
  EXPECT_NEAR(selectivity(downstream, upstream, {.prospective = 2e4, .upstream_share = 0.25}).up_to, 4 * 740.0, 1e-5);
  EXPECT_NEAR(selectivity(downstream, upstream, {.prospective = 2e4, .upstream_other_load = 50.0}).up_to, 690.0, 1e-5);
}

TEST(Selectivity, EndsWhereTheInstantaneousRangesOfTwoMiniatureBreakersOverlap) {
  const auto found = selectivity(miniatureBreaker(6.0, MagneticType::B), miniatureBreaker(63.0, MagneticType::C),
                                 {.prospective = 6e3});
  EXPECT_FALSE(found.full);
  EXPECT_NEAR(found.up_to, 5.0 * 63.0, 1e-6);
  EXPECT_GT(found.fails_at, 5.0 * 63.0);
  EXPECT_NEAR(found.downstream, kMagneticTime.high, 1e-12);
  EXPECT_NEAR(found.upstream, kMagneticTime.low, 1e-12);
}

TEST(Selectivity, IsFullWhereAShortTimeDelayOutwaitsTheBreakerBelow) {
  TripUnit unit{.long_time = 1600.0, .long_time_delay = 8.0, .short_time = 8000.0, .short_time_delay = 0.1};
  const auto below = miniatureBreaker(63.0, MagneticType::C);
  EXPECT_TRUE(selectivity(below, electronicBreaker(unit), {.prospective = 50e3}).full);
  unit.instantaneous = 24e3;
  const auto found = selectivity(below, electronicBreaker(unit), {.prospective = 50e3});
  EXPECT_FALSE(found.full);
  EXPECT_NEAR(found.up_to, 0.9 * 24e3, 1e-6);
}

TEST(Selectivity, FailsForAnEarthFaultWhereOnlyTheUpstreamDeviceWatchesIt) {
  const TripUnit unit{.long_time = 1600.0, .long_time_delay = 8.0, .ground = 400.0, .ground_delay = 0.1};
  const auto below = miniatureBreaker(125.0, MagneticType::C);
  const auto above = electronicBreaker(unit);
  EXPECT_TRUE(selectivity(below, above, {.prospective = 30e3}).full);
  const auto found = selectivity(below, above, {.prospective = 30e3, .path = FaultPath::earth});
  EXPECT_FALSE(found.full);
  EXPECT_NEAR(found.up_to, 0.9 * 400.0, 1e-6);  // the thermal element below takes longer than the ground delay
}

TEST(Selectivity, LeavesOverloadsOutAndTakesUsualDevicesWhereAsked) {
  const auto below = miniatureBreaker(16.0, MagneticType::B), above = miniatureBreaker(63.0, MagneticType::C);
  // The bands of IEC 60898 overlap: the latest 16 A breaker against the soonest of 63 A.
  EXPECT_LT(selectivity(below, above, {.prospective = 6e3}).up_to, 80.0);
  EXPECT_NEAR(selectivity(below, above, {.prospective = 6e3, .least = 81.0}).up_to, 5.0 * 63.0, 1e-6);
  const auto usual =
      selectivity(below, above, {.prospective = 6e3, .downstream_edge = Edge::middle, .upstream_edge = Edge::middle});
  EXPECT_NEAR(usual.up_to, 6e3, 1e-6);
  const auto none = selectivity(below, above, {.prospective = 6e3, .least = 400.0});
  EXPECT_EQ(none.up_to, 0.0);
  EXPECT_EQ(none.fails_at, 400.0);
}

TEST(Selectivity, IsFullForShortCircuitsBetweenGgFusesOfRatioSixteenToTen) {
  const auto gates = fuseGatesGg();
  for (std::size_t k = 0; k + 2 < gates.size(); ++k) {
    const auto below = fuseGg(gates[k].rated), above = fuseGg(gates[k + 2].rated);
    const SelectivityCase at{.prospective = 100e3, .least = gates[k].greatest_01s};
    const auto found = selectivity(below, above, at);
    EXPECT_TRUE(found.full) << gates[k].rated << " A behind " << gates[k + 2].rated << " A fails at " << found.fails_at
                            << " A: " << found.downstream << " s against " << found.upstream << " s";
    EXPECT_FALSE(selectivity(below, fuseGg(gates[k + 1].rated), at).full);
  }
}

TEST(Selectivity, RefusesANegativeProspectiveCurrent) {
  EXPECT_THROW(selectivity({}, {}, {.prospective = -1.0}), Error);
  EXPECT_TRUE(selectivity({}, {}, {.prospective = 1.0}).full);
  EXPECT_FALSE(selectivity({}, definite(10.0, 1.0), {.prospective = 20.0}).full);
}

}  // namespace
}  // namespace podtwin::test
