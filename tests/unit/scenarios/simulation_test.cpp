// Going on from a state, at a base period and in the middle of one: no pass of a controller is lost or made twice.
#include "scenarios/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "scenarios/plant_run.hpp"

namespace podtwin::scenarios {
namespace {

/// A valve whose controller is far from its set point, so that every pass of it moves its held command.
PreparedRun controlledRun(const std::string& duration) {
  const std::string folder = ::testing::TempDir() + "simulation_test";
  const std::string pod = folder + "_pod.yaml", scenario = folder + "_scenario.yaml";
  std::ofstream(pod) << "podtwin: pod/1\n"
                        "circuits: {main: {fluid: water}}\n"
                        "nodes:\n"
                        "  in: {pressure: 100 kPa, temperature: 30 degC}\n"
                        "  out: {pressure: 0 kPa}\n"
                        "equipment:\n"
                        "  V: {class: valve, from: in, to: out, kv: 6 L/s, start_position: 60 %}\n"
                        "controls:\n"
                        "  FT: {class: sensor, measures: V.flow, lag: 1 s}\n"
                        "  FC: {class: pi_controller, sensor: FT, drives: [V], set_point_flow: 1 L/s, gain: 0.2, "
                        "integral_time: 30 s, start_output: 0.6}\n";
  std::ofstream(scenario) << "podtwin: scenario/1\ntitle: small\npod: " << pod << "\nduration: " << duration
                          << "\nweather: {dry_bulb: 20 degC, relative_humidity: 50 %}\n"
                             "solver: {method: cvode}\nfrom: cold\n";
  return prepareScenario(scenario, {});
}

State endOf(const std::string& duration, const State* from = nullptr) {
  PreparedRun run = controlledRun(duration);
  Simulation simulation(*run.system, run.setup, from != nullptr ? *from : run.start, {});
  while (simulation.step()) {
  }
  return simulation.state();
}

double greatestDifference(const std::vector<double>& a, const std::vector<double>& b) {
  double greatest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, std::abs(a[i] - b[i]));
  return greatest;
}

TEST(Simulation, GoesOnAsIfItHadNotStopped) {
  const State whole = endOf("8 s");
  ASSERT_GT(greatestDifference(whole.z, endOf("7 s").z), 1e-3) << "every pass of the controller must show";
  for (const char* stop : {"5 s", "5.5 s"}) {
    const State first = endOf(stop);
    EXPECT_LT(greatestDifference(whole.z, endOf("8 s", &first).z), 1e-4) << "stopped at " << stop;
  }
}

}  // namespace
}  // namespace podtwin::scenarios
