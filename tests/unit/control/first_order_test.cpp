// Case T09-pi-first-order: continuous PI control of a first-order process; tolerances of its expected.csv.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

constexpr double kTau = 45.0, kGain = 0.8, kKp = 2.0, kTi = 15.0;  // inputs.json
constexpr double kTolerance = 1e-6;
struct Row {
  double t, set_point, load;
};
constexpr Row kRows[] = {
    {2, 0.0716099238151, 0.0335251050493},    {5, 0.179725268069, 0.0764422320534},
    {10, 0.356366438363, 0.129789823943},     {20, 0.669962830329, 0.179708222096},
    {30, 0.904198493547, 0.175994933069},     {45, 1.09770183809, 0.121342023292},
    {60, 1.14569315369, 0.0569518217821},     {90, 1.06407378392, -0.0126677624637},
    {150, 0.987057627601, -0.00234460157166},
};

Build process(double disturbance = 0.0) {
  return Build("first_order_process", "G")
      .set("gain", kGain)
      .set("time_constant", kTau)
      .set("disturbance", disturbance);
}
Build controller(double set_point) {
  return Build("pi_controller", "C")
      .set("set_point", set_point)
      .set("gain", kKp)
      .set("integral_time", kTi)
      .set("sample_period", 0.0)
      .set("output_low", -1e9)
      .set("output_high", 1e9)
      .set("start_output", 0.0)
      .port("sensor", {"G"})
      .port("drives", {"G"});
}

double follow(double set_point, double disturbance, double Row::*expected) {
  Plant plant({process(disturbance), controller(set_point)});
  constexpr double kStep = 0.05;  // s; a 900th of the time constant
  double worst = 0.0;
  int step = 0;
  for (const auto& row : kRows) {
    for (; step < std::lround(row.t / kStep); ++step) plant.step(kStep);
    worst = std::max(worst, std::abs(plant.value("G.y") - row.*expected));
  }
  return worst;
}

TEST(ContinuousPi, FollowsCaseT09AfterASetPointStep) { EXPECT_LE(follow(1.0, 0.0, &Row::set_point), kTolerance); }

TEST(ContinuousPi, FollowsCaseT09AfterALoadStep) { EXPECT_LE(follow(0.0, 1.0, &Row::load), kTolerance); }

TEST(ContinuousPi, HasTheNaturalFrequencyAndDampingOfCaseT09) {
  Plant plant({process(), controller(0.0)});
  const std::size_t y = plant.system().find("G").first->yIndex(0, 0),
                    integral = plant.system().find("C").first->yIndex(0, 0);
  double a[2][2];  // the loop is linear: differences over 1 are exact
  for (const std::size_t column : {y, integral}) {
    const auto base = plant.ydot;
    plant.state.y[column] += 1.0;
    plant.evaluate();
    a[0][column == y ? 0 : 1] = plant.ydot[y] - base[y];
    a[1][column == y ? 0 : 1] = plant.ydot[integral] - base[integral];
    plant.state.y[column] -= 1.0;
    plant.evaluate();
  }
  const double frequency = std::sqrt(a[0][0] * a[1][1] - a[0][1] * a[1][0]);
  EXPECT_NEAR(frequency, 0.048686449556, 1e-9 * frequency);
  EXPECT_NEAR(-(a[0][0] + a[1][1]) / (2.0 * frequency), 0.593366103964, 1e-9);
}

TEST(FirstOrderProcess, ApproachesItsGainWithItsTimeConstant) {
  Plant plant({process()});
  ASSERT_EQ(plant.command("G", "set", 1.0), "");
  ASSERT_EQ(plant.command("G", "disturb", 0.5), "");
  for (int k = 0; k < 450; ++k) plant.step(0.1);
  EXPECT_NEAR(plant.value("G.y"), kGain * 1.5 * (1.0 - std::exp(-1.0)), 1e-9);
  EXPECT_EQ(plant.value("G.u"), 1.0);
}

}  // namespace
}  // namespace podtwin::test
