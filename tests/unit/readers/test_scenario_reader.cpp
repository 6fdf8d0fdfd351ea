#include <gtest/gtest.h>

#include <regex>

#include "data/readers/scenario_reader.hpp"
#include "data/readers/schema.hpp"
#include "tests/unit/readers/small_plant.hpp"

namespace podtwin::data {
namespace {

using testing::Folder;

struct Read {
  ScenarioDescription scenario;
  Diagnostics problems;
  std::string text() const {
    std::string out;
    for (const auto& problem : problems.list()) out += problem.text() + "\n";
    return out;
  }
};

Read read(const Folder& folder, std::string_view text, std::vector<std::string> overrides = {}) {
  folder.write("pod.yaml", testing::kPod);
  folder.write("trace.csv", testing::kTrace);
  Read out;
  ReadOptions options;
  options.set_overrides = std::move(overrides);
  out.scenario = readScenario(folder.write("s.yaml", text), options, out.problems);
  return out;
}

TEST(ScenarioReader, readsTheFormOfTheProductPage) {
  const Folder folder;
  const Read r = read(folder, testing::kScenario);
  ASSERT_EQ(r.text(), "");
  const auto& s = r.scenario;
  EXPECT_EQ(s.pod, folder.path("pod.yaml"));
  EXPECT_EQ(s.start, 1784073600.0);
  EXPECT_EQ(s.duration, 86400.0);
  ASSERT_TRUE(s.weather);
  EXPECT_DOUBLE_EQ(s.weather->dry_bulb, 308.15);
  EXPECT_EQ(s.workload.kind, WorkloadDescription::Kind::constant);
  EXPECT_EQ(s.workload.level.value, 142e3);
  ASSERT_EQ(s.events.size(), 2U);
  EXPECT_EQ(s.events[0].at, 43200.0);
  EXPECT_EQ(s.events[0].verb, "trip");
  ASSERT_TRUE(s.events[1].condition);
  EXPECT_EQ(s.events[1].condition->limit, "85 degC");
  EXPECT_EQ(s.events[1].hold, 3.0);
  EXPECT_EQ(s.events[1].targets.at(0).name, "row-A");
  EXPECT_EQ(s.events[1].arguments.at(0).first, "power");
  EXPECT_EQ(s.events[1].arguments.at(0).second.text, "100 kW");
  ASSERT_EQ(s.record.size(), 2U);
  ASSERT_EQ(s.record[1].signals.size(), 1U);
  EXPECT_EQ(s.record[1].signals[0].text, "*");
  EXPECT_GT(s.record[1].signals[0].where.column, s.record[1].class_where.column);
  const ReduceDescription& reduce = s.record[1].reduce.at(0);
  EXPECT_EQ(reduce.class_name + "." + reduce.signal, "gpu.t_junction");
  ASSERT_EQ(reduce.kinds.size(), 2U);
  EXPECT_EQ(reduce.kinds[0].text + reduce.kinds[1].text, "maxmean");
  ASSERT_EQ(s.expect.size(), 1U);
  EXPECT_EQ(s.expect[0].signal.kind, Expression::Kind::maximum);
  EXPECT_EQ(s.expect[0].below->text, "87 degC");
  EXPECT_EQ(s.out_of_service.at(0).name, "tcs1-P2");
}

TEST(ScenarioReader, readsEveryKindOfWorkload) {
  const Folder folder;
  const std::string head = "podtwin: scenario/1\npod: pod.yaml\nduration: 1 h\nworkload: ";
  const Read requests =
      read(folder, head + "{kind: requests, file: trace.csv, scale: 4000, placement: packed, seed: 7}\n");
  ASSERT_EQ(requests.text(), "");
  EXPECT_EQ(requests.scenario.workload.scale, 4000.0);
  EXPECT_EQ(requests.scenario.workload.seed, 7U);
  EXPECT_EQ(requests.scenario.workload.file, folder.path("trace.csv"));
  const Read step = read(folder, head + "{kind: step, at: [0 s, 10 min], levels: [20 kW, 142 kW]}\n");
  ASSERT_EQ(step.text(), "");
  EXPECT_EQ(step.scenario.workload.steps.at(1).first, 600.0);
  EXPECT_EQ(step.scenario.workload.steps.at(1).second.value, 142e3);
  const Read series = read(folder, head + "{kind: series, file: trace.csv, column: utilisation}\n");
  ASSERT_EQ(series.text(), "");
  EXPECT_EQ(series.scenario.workload.column, "utilisation");
  const Read utilisation = read(folder, head + "{kind: constant, utilisation: 80 %}\n");
  ASSERT_EQ(utilisation.text(), "");
  EXPECT_FALSE(utilisation.scenario.workload.level.is_power);
  EXPECT_EQ(read(folder, head + "{kind: idle}\n").text(), "");
}

TEST(ScenarioReader, refusesAPlacementThatHasNoMeaning) {
  const Folder folder;
  const Read random = read(folder,
                           "podtwin: scenario/1\npod: pod.yaml\nduration: 1 h\n"
                           "workload: {kind: requests, file: trace.csv, placement: random}\n");
  EXPECT_NE(random.text().find(":4:56: error: `placement` of `workload`: `random` is not known; known values: packed, "
                               "spread"),
            std::string::npos)
      << random.text();
}

TEST(ScenarioReader, knowsEveryKeyOfTheSchemaAsOneOfItsOwn) {
  const std::string schema = jsonSchema("scenario", testing::smallClasses());
  // The first level of properties stands at four blanks.
  static const std::regex key("\n    \"([a-z_]+)\": ");
  std::size_t found = 0;
  for (std::sregex_iterator it(schema.begin(), schema.end(), key), end; it != end; ++it, ++found)
    EXPECT_TRUE(isScenarioKey((*it)[1].str()) || (*it)[1] == "podtwin") << (*it)[1];
  EXPECT_GT(found, 10U);
  EXPECT_FALSE(isScenarioKey("tcs1-P1"));
}

TEST(ScenarioReader, setOverridesReachNestedKeysAndListItems) {
  const Folder folder;
  const Read r = read(folder, testing::kScenario,
                      {"scenario.duration=1 h", "scenario.workload.rack_power=100 kW", "scenario.events.0.at=30 min",
                       "scenario.solver.rtol=1e-6", "scenario.seed=9", "tcs1-P1.speed=0.8"});
  ASSERT_EQ(r.text(), "");
  EXPECT_EQ(r.scenario.duration, 3600.0);
  EXPECT_EQ(r.scenario.workload.level.value, 100e3);
  EXPECT_EQ(r.scenario.events[0].at, 1800.0);
  EXPECT_EQ(r.scenario.solver.rtol, 1e-6);
  EXPECT_EQ(r.scenario.seed, 9U);
  EXPECT_NE(read(folder, testing::kScenario, {"scenario.durration=1 h"})
                .text()
                .find("--set: error: scenario: unknown key `durration`; did you mean `duration`?"),
            std::string::npos);
  EXPECT_NE(read(folder, testing::kScenario, {"scenario.events.7.at=1 h"}).text().find("has no such place"),
            std::string::npos);
  EXPECT_NE(read(folder, testing::kScenario, {"scenario.duration=3"})
                .text()
                .find("--set: error: `duration` of scenario: `3` has no unit"),
            std::string::npos);
}

TEST(ScenarioReader, includedListsComeFirstAndTheIncludingFilesValuesWin) {
  const Folder folder;
  folder.write("base.yaml",
               "podtwin: scenario/1\npod: pod.yaml\nduration: 2 h\nevents:\n  - {at: 1 s, target: x, do: trip}\n");
  const Read r = read(
      folder, "podtwin: scenario/1\ninclude: base.yaml\nduration: 3 h\nevents:\n  - {at: 2 s, target: y, do: trip}\n");
  ASSERT_EQ(r.text(), "");
  EXPECT_EQ(r.scenario.duration, 10800.0);
  ASSERT_EQ(r.scenario.events.size(), 2U);
  EXPECT_EQ(r.scenario.events[0].targets[0].name, "x");
  EXPECT_EQ(r.scenario.pod, folder.path("pod.yaml"));
}

TEST(ScenarioReader, aRunMayStartFromColdFromACheckpointOrWithinAResult) {
  const Folder folder;
  folder.write("run.h5", "x");
  const std::string head = "podtwin: scenario/1\npod: pod.yaml\nduration: 1 h\nfrom: ";
  EXPECT_EQ(read(folder, head + "cold\n").scenario.from.kind, StartDescription::Kind::cold);
  const Read checkpoint = read(folder, head + "run.h5\n");
  EXPECT_EQ(checkpoint.scenario.from.kind, StartDescription::Kind::checkpoint);
  EXPECT_EQ(checkpoint.scenario.from.file, folder.path("run.h5"));
  const Read result = read(folder, head + "{result: run.h5, at: 3 h}\n");
  ASSERT_EQ(result.text(), "");
  EXPECT_EQ(result.scenario.from.kind, StartDescription::Kind::result);
  EXPECT_EQ(result.scenario.from.at, 10800.0);
  EXPECT_EQ(result.scenario.from.at_where.line, 4);
  EXPECT_EQ(result.scenario.from.at_where.column, 28);
  const Read last = read(folder, head + "{result: run.h5}\n");
  ASSERT_EQ(last.text(), "");
  EXPECT_FALSE(last.scenario.from.at.has_value());
}

TEST(ScenarioReader, restartStatesAreAskedForAmongTheRecordsAndHaveAPeriodOnly) {
  const Folder folder;
  const std::string head = "podtwin: scenario/1\npod: pod.yaml\nduration: 1 h\nrecord:\n";
  EXPECT_FALSE(read(folder, head + "  - {class: rack, signals: [power], period: 1 s}\n").scenario.restart.has_value());
  const Read good = read(folder, head + "  - {class: restart, period: 10 min}\n");
  ASSERT_EQ(good.text(), "");
  ASSERT_TRUE(good.scenario.restart.has_value());
  EXPECT_EQ(good.scenario.restart->period, 600.0);
  EXPECT_TRUE(good.scenario.record.empty());
  EXPECT_NE(read(folder, head + "  - {class: restart}\n").text().find("`period`"), std::string::npos);
  EXPECT_NE(read(folder, head + "  - {class: restart, period: 1 s, reduce: {gpu.power: [max]}}\n")
                .text()
                .find(":5:35: error: record: `reduce` is not for restart states"),
            std::string::npos);
}

}  // namespace
}  // namespace podtwin::data
