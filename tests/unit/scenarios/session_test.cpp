// The thread that runs a simulation: pause, step, act, stop at any time, nothing lost.
#include "scenarios/session.hpp"

#include <gtest/gtest.h>

#include "scenarios/plant_run.hpp"

namespace podtwin::scenarios {
namespace {

PreparedRun smallRun() {
  const std::string folder =  // tests run side by side
      ::testing::TempDir() + "session_test_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string pod = folder + "_pod.yaml", scenario = folder + "_scenario.yaml";
  const auto write = [](const std::string& path, const char* text) {
    FILE* file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fputs(text, file);
    std::fclose(file);
  };
  write(pod,
        "podtwin: pod/1\n"
        "title: One rack between a warm supply and a return\n"
        "circuits: {main: {fluid: water}}\n"
        "nodes:\n"
        "  in: {pressure: 200 kPa, temperature: 40 degC}\n"
        "  out: {pressure: 130 kPa}\n"
        "equipment:\n"
        "  A01: {class: rack, from: in, to: out}\n");
  write(scenario, ("podtwin: scenario/1\ntitle: small\npod: " + pod +
                   "\nduration: 60 s\nweather: {dry_bulb: 20 degC, relative_humidity: 50 %}\n"
                   "workload: {kind: constant, rack_power: 120 kW}\nsolver: {method: rosenbrock}\nfrom: cold\n")
                      .c_str());
  return prepareScenario(scenario, {});
}

TEST(Session, StepsOnePeriodAndStandsStill) {
  PreparedRun run = smallRun();
  Session session(*run.system, run.setup, run.start);
  session.stepOnce();
  session.wait();
  session.stepOnce();
  session.wait();
  const Snapshot* snapshot = session.newest();
  ASSERT_NE(snapshot, nullptr);
  EXPECT_DOUBLE_EQ(snapshot->time, 1.0);
  EXPECT_EQ(session.newest(), nullptr) << "nothing newer was published";
  EXPECT_EQ(session.state(), SessionState::paused);
}

TEST(Session, RunsToTheEndAndLosesNoEvent) {
  PreparedRun run = smallRun();
  Session session(*run.system, run.setup, run.start);
  const auto [set, instance] = run.system->find("A01");
  for (int k = 0; k < 20; ++k) session.act({set, instance, k % 2 == 0 ? "trip" : "restore", 0.0, "test", {}});
  session.run();
  while (session.state() == SessionState::running) session.newest();
  session.wait();
  EXPECT_EQ(session.state(), SessionState::finished);
  EXPECT_EQ(session.takeEvents().size(), 20U);
}

TEST(Session, EndsCleanlyInTheMiddleOfARun) {
  PreparedRun run = smallRun();
  for (int k = 0; k < 5; ++k) {
    Session session(*run.system, run.setup, run.start);
    session.setSpeed(10.0);
    session.run();
    EXPECT_NE(session.state(), SessionState::finished) << "60 s at ten times real time take six";
  }
}

TEST(Session, GivesTheStateOfAPlainSimulation) {
  PreparedRun run = smallRun();
  Simulation plain(*run.system, run.setup, run.start, {});
  while (plain.step()) {
  }
  Session session(*run.system, run.setup, run.start);
  session.run();
  session.wait();
  const Snapshot* snapshot = session.newest();
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->state.y, plain.state().y);
}

TEST(Session, NamesAFailedAction) {
  PreparedRun run = smallRun();
  Session session(*run.system, run.setup, run.start);
  const auto [set, instance] = run.system->find("A01");
  session.act({set, instance, "dance", 0.0, "test", {}});
  session.run();
  session.wait();
  EXPECT_EQ(session.state(), SessionState::failed);
  EXPECT_NE(session.failure().find("dance"), std::string::npos);
}

}  // namespace
}  // namespace podtwin::scenarios
