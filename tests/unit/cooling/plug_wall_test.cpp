// Coolant in plug flow along a wall that stores heat, marched without a plant.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "model/components/cooling/plug_wall.hpp"

namespace podtwin::plug {
namespace {

constexpr double kCold = 293.15, kStep = 20.0;   // K
constexpr double kVolume = 0.1, kRhoCp = 4.1e6;  // m3, J/(m3 K)
constexpr double kFlow = 2e-3;                   // m3/s; the content turns over in 50 s
constexpr double kTransit = kVolume / kFlow;     // s
constexpr Exchange kExchange{0.03, 0.2, 0.0, kCold};

/// exp(-x) I0(x)
double besselScaled(double x) { return std::exp(-x) * std::cyl_bessel_i(0.0, x); }

/// Coolant over the step by Anzelius and Schumann, 1 - exp(-eta) int_0^xi exp(-s) I0(2 sqrt(eta s)) ds, by Simpson's
/// rule over the root of s.
double coolantShare(double xi, double eta) {
  constexpr int kParts = 2000;
  const double width = std::sqrt(xi) / kParts;
  double sum = 0.0;
  for (int k = 0; k <= kParts; ++k) {
    const double r = width * k, x = 2.0 * r * std::sqrt(eta);
    sum += (k == 0 || k == kParts ? 1.0
            : k % 2 == 1          ? 4.0
                                  : 2.0) *
           2.0 * r * std::exp(x - r * r - eta) * besselScaled(x);
  }
  return 1.0 - sum * width / 3.0;
}

double wallShare(double xi, double eta) {
  const double x = 2.0 * std::sqrt(xi * eta);
  return coolantShare(xi, eta) - std::exp(x - xi - eta) * besselScaled(x);
}

struct Pipe {
  explicit Pipe(std::size_t pieces, Exchange x = kExchange) : bore{kVolume, pieces}, exchange(x) {
    settle(coolant, wall, bore, true, kCold, 0.0, 0.0, 0.0);
  }
  void flow(double volume, double time, double t_in, bool forward = true) {
    march(coolant, wall, {volume, time, forward}, {volume, kRhoCp * volume * (t_in - kReferenceTemperature), t_in},
          exchange, bore, kRhoCp);
  }
  void flowFor(double time, double t_in, double longest, bool forward = true) {
    const double steps = std::ceil(time / longest - 1e-9);
    for (double k = 0.0; k < steps; k += 1.0) flow(kFlow * time / steps, time / steps, t_in, forward);
  }
  double leaving() const { return coolant.temperature.front(); }
  double heat() const {  // over rho cp, m3 K
    return contentOf(coolant, kCold) + exchange.film / exchange.wall * contentOf(wall, kCold);
  }
  DelayLine coolant, wall;
  Bore bore;
  Exchange exchange;
};

double worstOfStep(std::size_t pieces) {
  Pipe pipe(pieces);
  pipe.flowFor(kTransit, kCold + kStep, 0.7);
  const double xi = kExchange.film * kTransit;
  double worst = 0.0, passed = 0.0;
  for (const double later : {0.02, 0.3, 2.0, 9.0, 30.0, 70.0}) {
    pipe.flowFor(later - passed, kCold + kStep, 0.7);
    passed = later;
    const double eta = kExchange.wall * later;
    worst = std::max({worst, std::abs(pipe.leaving() - kCold - kStep * coolantShare(xi, eta)),
                      std::abs(pipe.wall.temperature.front() - kCold - kStep * wallShare(xi, eta))});
  }
  return worst;
}

TEST(PlugWall, AStepFollowsAnzeliusAndSchumannAndNearsThemWithTheSquareOfThePieces) {
  constexpr double kOfPieces = 20.0;  // K; error times pieces squared, whatever the phase of fronts to pieces
  for (const std::size_t pieces : {50U, 100U, 200U, 400U, 800U}) {
    const double worst = worstOfStep(pieces), count = static_cast<double>(pieces);
    RecordProperty("worst_" + std::to_string(pieces), std::to_string(worst));
    EXPECT_LT(worst * count * count, kOfPieces) << pieces;
  }
}

TEST(PlugWall, HeatOfAStepIsKept) {
  Pipe pipe(200);
  pipe.flowFor(0.6 * kTransit, kCold + kStep, 0.5);
  EXPECT_NEAR(pipe.heat(), 0.6 * kVolume * kStep, 2e-6 * kVolume * kStep);
}

TEST(PlugWall, CoolantThatStandsMeetsTheWallInPlaceAndTheFrontStaysSharp) {
  Pipe pipe(100);
  pipe.flowFor(0.5 * kTransit, kCold + kStep, 0.5);
  pipe.flow(0.0, 60.0, kCold);
  pipe.flow(0.0, 60.0, kCold);
  const Profile coolant = profileOf(pipe.coolant), wall = profileOf(pipe.wall);
  std::vector<double> bulge, wall_bulge;
  findBulges(coolant.at, coolant.value, bulge);
  findBulges(wall.at, wall.value, wall_bulge);
  ProfileReader read(coolant.at, coolant.value, bulge), of_wall(wall.at, wall.value, wall_bulge);
  constexpr double kBeside = 1e-6;  // of the volume
  EXPECT_NEAR(read((0.5 - kBeside) * kVolume), kCold, 1e-9);
  EXPECT_NEAR(of_wall((0.5 - kBeside) * kVolume), kCold, 1e-9);
  // Just behind it coolant and the wall, as yet cold, have met: capacities as wall to film.
  const double xi = 0.5 * kExchange.film * kTransit, share = kExchange.wall / (kExchange.wall + kExchange.film);
  const double common = kCold + kStep * std::exp(-xi) * share;
  EXPECT_NEAR(read((0.5 + kBeside) * kVolume), common, 2e-3);
  EXPECT_NEAR(of_wall((0.5 + kBeside) * kVolume), common, 2e-3);
  EXPECT_NEAR(pipe.heat(), 0.5 * kVolume * kStep, 1e-5 * kVolume * kStep);
  pipe.flowFor(0.3 * kTransit, kCold + kStep, 0.5);  // and goes on
  EXPECT_NEAR(pipe.heat(), 0.8 * kVolume * kStep, 1e-5 * kVolume * kStep);
  EXPECT_EQ(pipe.leaving(), kCold);
}

TEST(PlugWall, BackwardsIsTheMirrorImage) {
  Pipe on(100), back(100);
  on.flowFor(1.2 * kTransit, kCold + kStep, 0.4);
  back.flowFor(1.2 * kTransit, kCold + kStep, 0.4, false);
  EXPECT_NEAR(back.coolant.temperature.back(), on.coolant.temperature.front(), 1e-7);
  EXPECT_NEAR(back.wall.temperature.back(), on.wall.temperature.front(), 1e-7);
}

TEST(PlugWall, WhatWentInComesBackOutOfTheInletWhenTheFlowReverses) {
  Pipe pipe(200);
  pipe.flowFor(0.7 * kTransit, kCold + kStep, 0.3);
  double left = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const double before = pipe.coolant.temperature.back();
    pipe.flow(kFlow * 0.15, 0.15, kCold, false);
    left += kFlow * 0.15 * (0.5 * (before + pipe.coolant.temperature.back()) - kCold);
  }
  EXPECT_NEAR(pipe.heat(), 0.0, 1e-4 * kVolume * kStep);
  EXPECT_NEAR(left, 0.7 * kVolume * kStep, 3e-3 * kVolume * kStep);  // its front is taken at the step's ends here
}

TEST(PlugWall, WhatIsLookedAtWithinAStepIsWhatTheMarchFinds) {
  for (const double step : {0.05, 0.5, 2.0}) {
    Pipe pipe(200);
    pipe.flowFor(1.1 * kTransit, kCold + kStep, 0.3);
    const Passage passage{kFlow * step, step, true};
    const Leaving seen = leavingAfter(pipe.coolant, pipe.wall, passage, kExchange, pipe.bore, kCold + kStep,
                                      std::max<std::size_t>(4, partsOf(passage, kExchange, pipe.bore)));
    pipe.flow(passage.volume, passage.time, kCold + kStep);
    EXPECT_NEAR(seen.coolant, pipe.leaving(), 1e-5 * kStep) << step;
    EXPECT_NEAR(seen.wall, pipe.wall.temperature.front(), 1e-5 * kStep) << step;
  }
}

TEST(PlugWall, SteadyFlowThatLosesHeatStands) {
  constexpr Exchange kLossy{0.03, 0.2, 0.05, 273.15};
  Pipe pipe(100, kLossy);
  const double share = kLossy.wall / (kLossy.wall + kLossy.loss), units = kLossy.film * (1.0 - share) * kTransit;
  settle(pipe.coolant, pipe.wall, pipe.bore, true, kLossy.t_air, 40.0, units, share);
  const double leaving = pipe.leaving(), wall = pipe.wall.temperature.front();
  EXPECT_NEAR(leaving, kLossy.t_air + 40.0 * std::exp(-units), 1e-12);
  pipe.flowFor(10.0 * kTransit, kLossy.t_air + 40.0, 0.8);
  EXPECT_NEAR(pipe.leaving(), leaving, 1e-4);
  EXPECT_NEAR(pipe.wall.temperature.front(), wall, 1e-4);
}

TEST(PlugWall, NothingLeavesTheRangeOfWhatIsThereHoweverStrongTheExchangeAndHoweverLongTheStep) {
  for (const double film : {1e-9, 1e-3, 1.0, 1e4})
    for (const double wall : {1e-9, 1e-2, 10.0, 1e5})
      for (const double loss : {0.0, 1e-2, 1e3})
        for (const double step : {1e-9, 0.1, 7.0, 400.0}) {
          Pipe pipe(50, {film, wall, loss, kCold - 10.0});
          for (int k = 0; k < 12; ++k) {
            const bool forward = k % 5 != 3;
            const double volume = k % 4 == 2 ? 0.0 : kFlow * step;
            const Leaving seen = leavingAfter(pipe.coolant, pipe.wall, {volume, step, forward}, pipe.exchange,
                                              pipe.bore, kCold + kStep, 4);
            if (volume > 0.0)
              pipe.flow(volume, step, kCold + (k % 2 == 0 ? kStep : 0.0), forward);
            else
              pipe.flow(0.0, step, kCold, forward);
            std::vector<double> all = pipe.coolant.temperature;
            all.insert(all.end(), pipe.wall.temperature.begin(), pipe.wall.temperature.end());
            all.insert(all.end(), {seen.coolant, seen.wall});
            for (const double t : all) {
              ASSERT_TRUE(std::isfinite(t));
              ASSERT_GE(t, kCold - 10.0 - 1e-9) << film << " " << wall << " " << loss << " " << step << " " << k;
              ASSERT_LE(t, kCold + kStep + 1e-9) << film << " " << wall << " " << loss << " " << step << " " << k;
            }
          }
        }
}

TEST(PlugWall, ManySmallStepsLeaveNoMoreThanAFewNodesForEachPiece) {
  Pipe pipe(50);
  for (int k = 0; k < 20000; ++k) pipe.flow(kFlow * 4e-3, 4e-3, kCold + kStep * std::sin(0.02 * k));
  EXPECT_LT(pipe.coolant.volume.size(), 8U * 50U);
}

}  // namespace
}  // namespace podtwin::plug
