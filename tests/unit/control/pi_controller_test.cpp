// PI controller, sampled: holding, anti-windup, manual and automatic, failures, input errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

// A mass at outdoor temperature that a controller heats to a set point; at full power it would reach +100 K.
constexpr double kSpan = 10.0;  // K, default of the class
std::vector<InstanceDescription> heater(double set_point, const Build& controller) {
  Build c = controller;
  c.set("set_point_temperature", set_point).port("sensor", {"TT"}).port("drives", {"M"});
  return {Build("thermal_mass", "M"), Build("sensor", "TT").set("measures", "M.t").set("lag", 2.0), c};
}
Build pi(double gain = 1.0, double integral_time = 100.0) {
  return Build("pi_controller", "C").set("gain", gain).set("integral_time", integral_time).set("start_output", 0.0);
}
double command(const Plant& plant) {
  const auto [set, i] = plant.system().find("M");
  return set->z(plant.e, kCommand, i);
}

TEST(SampledPi, HoldsItsOutputBetweenSamplesAndRampsItsIntegralWithTheHeldError) {
  Plant plant(heater(305.0, pi().set("sample_period", 4.0)));
  plant.sample();
  const double output = plant.value("C.output");
  EXPECT_NEAR(output, 1.0 * 5.0 / kSpan, 1e-12);  // gain error / span, integral still 0
  EXPECT_EQ(command(plant), output);
  const std::size_t integral = plant.system().find("C").first->yIndex(0, 0);
  const double rate = output / 100.0;
  for (int k = 1; k <= 3; ++k) {
    plant.run(1);
    EXPECT_EQ(plant.value("C.output"), output) << "at " << plant.state.t;
    EXPECT_NEAR(plant.state.y[integral], rate * k, 1e-12);
  }
  plant.run(1);
  EXPECT_NEAR(plant.state.y[integral], rate * 4, 1e-12);
  const double error = plant.value("C.setpoint") - plant.value("C.measured");
  plant.sample();
  EXPECT_NEAR(plant.value("C.output"), error / kSpan + rate * 4, 1e-12);
}

TEST(SampledPi, BringsTheMeasuredValueToItsSetPoint) {
  Plant plant(heater(320.0, pi(2.0, 60.0)));
  plant.run(1500, 2);
  EXPECT_NEAR(plant.value("TT.value"), 320.0, 1e-3);
  EXPECT_NEAR(plant.value("C.output"), 0.2, 1e-3);  // 20 K of 100 K
  ASSERT_EQ(plant.command("C", "set_temperature", 330.0), "");
  plant.run(1500, 2);
  EXPECT_NEAR(plant.value("TT.value"), 330.0, 1e-3);
}

TEST(SampledPi, DirectActionOpensWhenTheValueIsAbove) {
  Plant plant(heater(295.0, pi().set("action", "direct")));
  plant.sample();
  EXPECT_NEAR(plant.value("C.output"), 5.0 / kSpan, 1e-12);
}

TEST(SampledPi, DoesNotWindUpWhileItsOutputIsBounded) {
  Plant plant(heater(420.0, pi(1.0, 20.0)));  // out of reach: 120 K
  plant.run(600, 2);
  EXPECT_EQ(plant.value("C.output"), 1.0);
  EXPECT_EQ(plant.value("C.saturated"), 1.0);
  const std::size_t integral = plant.system().find("C").first->yIndex(0, 0);
  EXPECT_LE(plant.state.y[integral], 1.0);
  // With a wound-up integral (600 s of 6 to 12 spans over 20 s: above 200) it would stay open for more than 20 minutes.
  ASSERT_EQ(plant.command("C", "set_temperature", 300.0), "");
  plant.run(2, 2);
  EXPECT_EQ(plant.value("C.output"), 0.0);
  EXPECT_EQ(plant.value("C.saturated"), -1.0);
}

TEST(SampledPi, ChangesNoFasterThanItsRateLimit) {
  Plant plant(heater(350.0, pi().set("rate_limit", 0.02)));
  double before = plant.value("C.output");
  for (int k = 0; k < 20; ++k) {
    plant.run(1, 2);
    EXPECT_NEAR(plant.value("C.output") - before, 0.02, 1e-12);
    before = plant.value("C.output");
  }
}

TEST(SampledPi, GoesToManualAndBackWithoutABump) {
  Plant plant(heater(320.0, pi(2.0, 60.0)));
  plant.run(100, 2);
  ASSERT_EQ(plant.command("C", "manual", 0.37), "");
  EXPECT_EQ(command(plant), 0.37);
  plant.run(50, 2);
  EXPECT_EQ(plant.value("C.output"), 0.37);
  EXPECT_EQ(plant.value("C.mode"), 1.0);
  ASSERT_EQ(plant.command("C", "automatic"), "");
  plant.sample();
  EXPECT_NEAR(plant.value("C.output"), 0.37, 1e-12);
  EXPECT_EQ(plant.value("C.mode"), 0.0);
  plant.run(1500, 2);
  EXPECT_NEAR(plant.value("TT.value"), 320.0, 1e-3);
  EXPECT_NE(plant.command("C", "manual", 1.5), "");
}

TEST(SampledPi, LeavesADriveInManualAloneAndTakesItOverWithoutABump) {
  Plant plant(heater(320.0, pi(2.0, 60.0)));
  plant.run(100, 2);
  ASSERT_EQ(plant.command("M", "set", 0.9), "");
  plant.run(30, 2);
  EXPECT_EQ(command(plant), 0.9);
  EXPECT_NEAR(plant.value("C.output"), 0.9, 1e-12);
  ASSERT_EQ(plant.command("M", "automatic"), "");
  plant.sample();
  EXPECT_NEAR(command(plant), 0.9, 1e-12);
}

TEST(SampledPi, HoldsItsOutputOnABadMeasurementAndWithoutSupply) {
  auto description = heater(320.0, pi(2.0, 60.0));
  description.back().supply = "B";
  description.push_back(Build("utility", "GRID").set("rating", 1e6).port("to", {"B"}));
  Plant plant(description);
  plant.run(200, 2);
  for (const auto& [id, failure] : {std::pair{"TT", "fail"}, {"GRID", "trip"}, {"C", "trip"}}) {
    const double output = plant.value("C.output");
    ASSERT_GT(output, 0.0);
    ASSERT_EQ(plant.command(id, failure), "");
    plant.run(60, 2);
    EXPECT_EQ(plant.value("C.output"), output) << failure;
    EXPECT_EQ(command(plant), output) << failure;
    ASSERT_EQ(plant.command(id, "restore"), "");
    plant.sample();
    EXPECT_NEAR(plant.value("C.output"), output, 1e-12) << failure;
  }
}

TEST(SampledPi, DoesNotMoveAStuckDrive) {
  Plant plant(heater(320.0, pi(2.0, 60.0)));
  plant.run(100, 2);
  ASSERT_EQ(plant.command("M", "stick"), "");
  const double stuck = command(plant);
  plant.run(60, 2);
  EXPECT_EQ(command(plant), stuck);
}

TEST(SampledPi, SamplesAgainAfterTheClockWasSetBack) {
  // A steady search advances a clock of its own and hands the state back at the start time.
  Plant plant(heater(320.0, pi(2.0, 60.0).set("sample_period", 2.0)));
  plant.run(100, 2);
  plant.state.t = 0.0;
  const double output = plant.value("C.output");
  ASSERT_EQ(plant.command("C", "set_temperature", 300.0), "");
  plant.sample();
  EXPECT_NE(plant.value("C.output"), output);
}

TEST(ContinuousPi, HasNoJumpInItsIntegrationAtABound) {
  Plant plant(heater(320.0, pi(1.0, 60.0).set("sample_period", 0.0)));
  const std::size_t integral = plant.system().find("C").first->yIndex(0, 0);
  const double proportional = plant.value("C.setpoint") - plant.value("C.measured");
  const auto rateAt = [&](double wanted) {
    plant.state.y[integral] = wanted - proportional / kSpan;
    plant.system().evaluate(plant.state, 0.0, plant.state.y, plant.e, plant.ydot);
    return plant.ydot[integral];
  };
  const double within = rateAt(0.9);
  EXPECT_NEAR(within, proportional / kSpan / 60.0, 1e-12);
  double before = within;
  for (double wanted = 0.999; wanted < 1.02; wanted += 1e-4) {
    const double rate = rateAt(wanted);
    EXPECT_LE(rate, before);
    EXPECT_GT(rate, before - 0.011 * within) << "jumps at " << wanted;  // 1e-4 of a fade over 0.01
    before = rate;
  }
  EXPECT_EQ(before, 0.0);
}

TEST(ContinuousPi, ReturnsFromManualWithoutABump) {
  Plant plant(heater(320.0, pi(2.0, 60.0).set("sample_period", 0.0)));
  plant.run(100, 10);
  ASSERT_EQ(plant.command("C", "manual", 0.8), "");
  plant.run(20, 10);
  EXPECT_EQ(plant.value("M.power"), 0.8 * kMassPower);
  ASSERT_EQ(plant.command("C", "automatic"), "");
  plant.sample();
  EXPECT_NEAR(plant.value("M.power"), 0.8 * kMassPower, 1e-6 * kMassPower);
  plant.run(1500, 4);
  EXPECT_NEAR(plant.value("TT.value"), 320.0, 1e-3);
}

TEST(ContinuousPi, DoesNotWindUpWhileItsOutputIsBounded) {
  Plant plant(heater(420.0, pi(1.0, 20.0).set("sample_period", 0.0)));
  plant.run(600, 10);
  EXPECT_EQ(plant.value("C.saturated"), 1.0);
  EXPECT_LE(plant.state.y[plant.system().find("C").first->yIndex(0, 0)], 1.0);
  ASSERT_EQ(plant.command("C", "set_temperature", 300.0), "");
  EXPECT_EQ(plant.value("M.power"), 0.0);
}

TEST(PiInput, NamesWhatIsWrong) {
  const auto problems = [](const Build& c) {
    return problemsOf({Build("thermal_mass", "M"), Build("sensor", "TT").set("measures", "M.t"), c});
  };
  const auto wired = [](Build c) { return c.port("sensor", {"TT"}).port("drives", {"M"}); };
  EXPECT_EQ(problems(wired(pi().set("set_point_temperature", 300.0))), "");
  EXPECT_NE(problems(wired(pi())).find("gives 0 set points"), std::string::npos);
  EXPECT_NE(problems(wired(pi().set("set_point", 1.0).set("set_point_flow", 1.0))).find("gives 2 set points"),
            std::string::npos);
  EXPECT_NE(problems(wired(pi().set("set_point_pressure", 1e5))).find("its sensor measures a temperature"),
            std::string::npos);
  EXPECT_NE(problems(wired(pi().set("set_point_temperature", 300.0).set("output_low", 2.0))).find("not below"),
            std::string::npos);
  EXPECT_NE(problems(wired(pi().set("set_point_temperature", 300.0).set("start_output", 2.0))).find("start_output"),
            std::string::npos);
  EXPECT_NE(problems(wired(pi().set("set_point_temperature", 300.0).set("sample_period", 0.0).set("rate_limit", 0.1)))
                .find("rate"),
            std::string::npos);
  EXPECT_NE(problems(pi().set("set_point_temperature", 300.0).port("sensor", {"TT"}).port("drives", {"TT"}))
                .find("nothing to drive"),
            std::string::npos);
  EXPECT_NE(problems(pi().set("set_point_temperature", 300.0).port("sensor", {"TT"})).find("drives nothing"),
            std::string::npos);
  Build second = wired(pi().set("set_point_temperature", 310.0));
  second.id = "C2";
  EXPECT_NE(problemsOf({Build("thermal_mass", "M"), Build("sensor", "TT").set("measures", "M.t"),
                        wired(pi().set("set_point_temperature", 300.0)), second})
                .find("driven by 'C' and by 'C2'"),
            std::string::npos);
}

TEST(PiCommands, TakeASetPointOfTheKindThatIsMeasured) {
  Plant plant({Build("thermal_mass", "M"), Build("thermal_mass", "N"),
               Build("sensor", "TDT").set("measures", "M.t").set("minus", "N.t"),
               pi().set("set_point_temperature", 5.0).port("sensor", {"TDT"}).port("drives", {"M"})});
  const auto [set, i] = plant.system().find("C");
  const auto kind = [&](const std::string& signal) {
    return set->signalQuantity(plant.system().findSignal("C." + signal).signal, i);
  };
  EXPECT_EQ(kind("setpoint"), Quantity::temperature_difference);
  EXPECT_EQ(kind("measured"), Quantity::temperature_difference);
  EXPECT_EQ(kind("output"), Quantity::ratio);
  EXPECT_EQ(kind("mode"), Quantity::none);
  const std::map<std::string, Quantity> taken{{"set", Quantity::temperature_difference},
                                              {"set_temperature", Quantity::temperature_difference},
                                              {"set_pressure", Quantity::pressure_difference},
                                              {"set_flow", Quantity::volume_flow},
                                              {"manual", Quantity::ratio}};
  for (const auto& command : set->info().commands) {
    if (const auto found = taken.find(std::string(command.verb)); found != taken.end()) {
      EXPECT_EQ(set->commandQuantity(command, i), found->second) << command.verb;
    }
  }
}

TEST(PiCommands, RefuseASetPointOfAnotherKind) {
  Plant plant(heater(320.0, pi()));
  EXPECT_NE(plant.command("C", "set_pressure", 1e5), "");
  EXPECT_NE(plant.command("C", "set", std::nan("")), "");
  EXPECT_EQ(plant.value("C.setpoint"), 320.0);
  EXPECT_EQ(plant.command("C", "set", 325.0), "");
  EXPECT_EQ(plant.value("C.setpoint"), 325.0);
}

}  // namespace
}  // namespace podtwin::test
