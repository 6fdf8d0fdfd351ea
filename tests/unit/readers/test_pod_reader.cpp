#include <gtest/gtest.h>

#include <algorithm>

#include "data/readers/pod_reader.hpp"
#include "data/readers/pod_text.hpp"
#include "tests/unit/readers/small_plant.hpp"

namespace podtwin::data {
namespace {

using testing::Folder;
using testing::smallClasses;

struct Read {
  PlantDescription plant;
  Diagnostics problems;
  std::string text() const {
    std::string out;
    for (const auto& problem : problems.list()) out += problem.text() + "\n";
    return out;
  }
  const InstanceDescription& at(const std::string& id) const {
    for (const auto& instance : plant.instances)
      if (instance.id == id) return instance;
    throw Error("no instance " + id);
  }
};

Read read(const Folder& folder, std::string_view pod, std::vector<std::string> overrides = {}) {
  folder.write("cat.yaml", testing::kCatalogue);
  Read out;
  ReadOptions options;
  options.set_overrides = std::move(overrides);
  out.plant = readPod(folder.write("pod.yaml", pod), options, smallClasses(), out.problems);
  return out;
}

TEST(PodReader, readsEverySectionToSi) {
  const Folder folder;
  const Read pod = read(folder, testing::kPod);
  ASSERT_EQ(pod.text(), "");
  const auto& plant = pod.plant;
  EXPECT_EQ(plant.title, "Two pumps and two rows");
  EXPECT_NEAR(plant.latitude, 0.75049157835756164, 1e-15);
  EXPECT_EQ(plant.elevation, 220.0);
  EXPECT_EQ(plant.gravity, 9.81);
  EXPECT_EQ(plant.friction, "haaland");
  ASSERT_EQ(plant.circuits.size(), 1U);
  EXPECT_EQ(plant.circuits[0].reference_node, "tcs1-return");
  EXPECT_EQ(plant.circuits[0].reference_pressure, 200e3);
  EXPECT_EQ(plant.nodes.at(0).volume, 0.75);
  std::vector<std::string> ids;
  for (const auto& instance : plant.instances) ids.push_back(instance.id);
  EXPECT_EQ(ids,
            (std::vector<std::string>{"tcs1-P1", "tcs1-P2", "tcs1-pipe", "A01", "A02", "B01", "B02", "tcs1-P3", "C1"}));
  EXPECT_EQ(pod.at("tcs1-P2").supply, "BW-A-2");
  EXPECT_EQ(pod.at("B01").ports.at("feeds"), (std::vector<std::string>{"BW-B-1", "BW-B-2"}));
  EXPECT_EQ(plant.groups.at("row-A"), (std::vector<std::string>{"A01", "A02"}));
  ASSERT_EQ(plant.limits.size(), 1U);
  EXPECT_DOUBLE_EQ(plant.limits[0].value, 319.15);
  EXPECT_EQ(plant.limits[0].delay, 5.0);
  EXPECT_TRUE(plant.design.given);
  EXPECT_EQ(plant.design.rack_power, 142e3);
  EXPECT_NE(plant.source_text.find("catalogue/1"), std::string::npos);
}

TEST(PodReader, inlineBeatsLikeBeatsTypeBeatsDefault) {
  const Folder folder;
  const Read pod = read(folder, testing::kPod);
  const auto& p1 = pod.at("tcs1-P1");
  EXPECT_EQ(p1.number("head"), 476e3);
  EXPECT_EQ(p1.parameters.at("head").source, "sheet");
  EXPECT_EQ(p1.text("seal"), "double");
  EXPECT_EQ(p1.number("speed"), 1.0);
  EXPECT_FALSE(p1.parameters.at("speed").given);
  EXPECT_EQ(p1.type, "p1200");
  const auto& p3 = pod.at("tcs1-P3");
  EXPECT_EQ(p3.number("speed"), 0.8);
  EXPECT_TRUE(p3.parameters.at("speed").given);
  EXPECT_EQ(p3.number("head"), 476e3);
  EXPECT_EQ(p3.supply, "BW-A-1");
  EXPECT_EQ(p3.ports.at("to"), std::vector<std::string>{"tcs1-discharge"});
  EXPECT_EQ(p3.parameters.at("speed").where.line, 14);
}

TEST(PodReader, everyParameterKindIsRead) {
  const Folder folder;
  const Read pod = read(folder,
                        "podtwin: pod/1\nequipment:\n  P: {class: pump, from: a, to: b, head: 300 kPa, stages: 3, "
                        "seal: double, coasts: false, maker: Acme, tag: AHU-1, in_service: false, mode: manual,\n"
                        "      warm_up: 2 K, curve: [[0 L/s, 300 kPa], [10 L/s, 200 kPa]], presets: [1 kW, 2 kW]}\n");
  ASSERT_EQ(pod.text(), "");
  const auto& p = pod.at("P");
  EXPECT_EQ(p.number("stages"), 3.0);
  EXPECT_FALSE(p.flag("coasts"));
  EXPECT_EQ(p.text("maker"), "Acme");
  EXPECT_EQ(p.tag, "AHU-1");
  EXPECT_FALSE(p.in_service);
  EXPECT_EQ(p.mode, OperatingMode::manual);
  ASSERT_EQ(p.parameters.at("curve").points.size(), 2U);
  EXPECT_NEAR(p.parameters.at("curve").points[1].first, 0.01, 1e-17);
  EXPECT_EQ(p.parameters.at("curve").points[1].second, 200e3);
  EXPECT_EQ(p.parameters.at("presets").numbers, (std::vector<double>{1000.0, 2000.0}));
}

constexpr std::string_view kTemplates =
    "podtwin: pod/1\n"
    "use: [cat.yaml]\n"
    "templates:\n"
    "  unit:\n"
    "    parameters: [loop, n]\n"
    "    equipment:\n"
    "      \"tcs${loop}-P${n}[1-2]\": {type: p1200, from: \"tcs${loop}-return\", to: \"cdu${loop}${n}-$1\", tag: "
    "\"${id}\"}\n"
    "    nodes:\n"
    "      \"cdu${loop}${n}-[1-2]\": {elevation: \"${n} m\"}\n"
    "    groups:\n"
    "      \"pumps-${id}\": [\"tcs${loop}-P${n}[1-2]\"]\n"
    "  loop:\n"
    "    parameters: [k]\n"
    "    equipment:\n"
    "      \"L${k}U[1-2]\": {template: unit, with: {loop: \"${k}\", n: $1}}\n"
    "equipment:\n"
    "  \"LOOP[1-2]\": {template: loop, with: {k: $1}}\n";

TEST(PodReader, templatesNestAndTakeRangesAndParametersInKeysAndValues) {
  const Folder folder;
  const Read pod = read(folder, kTemplates);
  ASSERT_EQ(pod.text(), "");
  ASSERT_EQ(pod.plant.instances.size(), 8U);
  const auto& pump = pod.at("tcs2-P12");
  EXPECT_EQ(pump.ports.at("to"), std::vector<std::string>{"cdu21-2"});
  EXPECT_EQ(pump.tag, "L2U1");
  EXPECT_EQ(pod.plant.groups.at("pumps-L1U2"), (std::vector<std::string>{"tcs1-P21", "tcs1-P22"}));
  ASSERT_EQ(pod.plant.nodes.size(), 8U);
  EXPECT_EQ(pod.plant.nodes.back().elevation, 2.0);
}

TEST(PodReader, includesAreMergedOnceAndTheIncludingFileWins) {
  const Folder folder;
  folder.write("part.yaml",
               "podtwin: pod/1\ntitle: part\nequipment:\n  X: {class: pipe, length: 1 m, from: a, to: b}\n");
  folder.write("more.yaml",
               "podtwin: pod/1\ninclude: part.yaml\nequipment:\n  Y: {class: pipe, length: 1 m, from: b, to: c}\n");
  const Read pod =
      read(folder,
           "podtwin: pod/1\ntitle: whole\ninclude: [part.yaml, more.yaml]\nequipment:\n  Z: {like: X, length: 2 m}\n");
  ASSERT_EQ(pod.text(), "");
  EXPECT_EQ(pod.plant.title, "whole");
  EXPECT_EQ(pod.plant.instances.size(), 3U);
  EXPECT_EQ(pod.at("Z").number("length"), 2.0);
}

TEST(PodReader, setOverridesApplyToOneToManyAndToGroups) {
  const Folder folder;
  const Read pod = read(folder, testing::kPod,
                        {"tcs1-P1.speed=0.8", "rack[A*].rated_power=120 kW", "group:row-A.t_limit=80 degC",
                         "tcs1-P2.in_service=false", "tcs1-P3.mode=off", "scenario.duration=1 h"});
  ASSERT_EQ(pod.text(), "");
  EXPECT_EQ(pod.at("tcs1-P1").number("speed"), 0.8);
  EXPECT_EQ(pod.at("A02").number("rated_power"), 120e3);
  EXPECT_EQ(pod.at("B01").number("rated_power"), 135e3);
  EXPECT_DOUBLE_EQ(pod.at("A01").number("t_limit"), 353.15);
  EXPECT_FALSE(pod.at("tcs1-P2").in_service);
  EXPECT_EQ(pod.at("tcs1-P3").mode, OperatingMode::off);
}

TEST(PodReader, anOverrideMayGiveARequiredParameter) {
  const Folder folder;
  const Read pod = read(folder, "podtwin: pod/1\nequipment:\n  X: {class: pipe, from: a, to: b}\n", {"X.length=3 m"});
  EXPECT_EQ(pod.text(), "");
}

TEST(PodReader, badOverridesAreMarkedAsSuch) {
  const Folder folder;
  const std::pair<const char*, const char*> cases[] = {
      {"tcs1-P1.sped=0.8", "has no parameter `sped`; did you mean `speed`?"},
      {"tcs1-P9.speed=0.8", "no equipment `tcs1-P9`"},
      {"tcs1-P1.speed=1.4", "1.4 is above the highest value 1"},
      {"tcs1-P1.head=200", "has no unit"},
      {"pmp[*].speed=1", "no class `pmp`"},
      {"pump[Z*].speed=1", "matches no equipment"},
      {"group:row-C.t_limit=300 K", "no group `row-C`"},
      {"solver.method=rosenbrock",
       "there is no equipment `solver`; it is a key of the scenario; write `scenario.solver.method`"},
      {"duration=2 h", "write `scenario.duration`"},
      {"events.0.at=1 s", "write `scenario.events.0.at`"},
      {"solvr.method=rosenbrock", "there is no equipment `solvr`"},
      {"tcs1-P1.speed", "has no `=`"},
      {"tcs1-P1.speed=", "no value is given"},
      {"tcs1-P1.mode=of", "did you mean `off`?"}};
  for (const auto& [override, expected] : cases) {
    const Read pod = read(folder, testing::kPod, {override});
    EXPECT_NE(pod.text().find(expected), std::string::npos) << override << ": " << pod.text();
    EXPECT_TRUE(pod.text().starts_with("--set: error: ")) << pod.text();
  }
}

TEST(PodReader, anOverrideReachesEquipmentThatHasTheNameOfAScenarioKey) {
  const Folder folder;
  std::string text(testing::kPod);
  text.replace(text.find("tcs1-P3:"), 8, "solver:");
  const Read pod = read(folder, text, {"solver.speed=0.7"});
  ASSERT_EQ(pod.text(), "");
  const auto solver = std::find_if(pod.plant.instances.begin(), pod.plant.instances.end(),
                                   [](const InstanceDescription& d) { return d.id == "solver"; });
  ASSERT_NE(solver, pod.plant.instances.end());
  EXPECT_EQ(solver->number("speed"), 0.7);
}

TEST(PodReader, theExpandedPodReadsBackToTheSamePlant) {
  const Folder folder;
  for (const std::string_view text : {testing::kPod, kTemplates}) {
    const Read pod = read(folder, text);
    ASSERT_EQ(pod.text(), "");
    const std::string expanded = expandPod(pod.plant, smallClasses());
    EXPECT_EQ(expanded.find("type:"), std::string::npos);
    const Read again = read(folder, expanded);
    ASSERT_EQ(again.text(), "") << expanded;
    ASSERT_EQ(again.plant.instances.size(), pod.plant.instances.size());
    for (std::size_t i = 0; i < pod.plant.instances.size(); ++i) {
      const auto& a = pod.plant.instances[i];
      const auto& b = again.plant.instances[i];
      EXPECT_EQ(a.id, b.id);
      EXPECT_EQ(a.class_name, b.class_name);
      EXPECT_EQ(a.ports, b.ports);
      EXPECT_EQ(a.supply, b.supply);
      ASSERT_EQ(a.parameters.size(), b.parameters.size());
      for (const auto& [name, value] : a.parameters) {
        EXPECT_EQ(value.number, b.parameters.at(name).number) << name;
        EXPECT_EQ(value.text, b.parameters.at(name).text) << name;
        EXPECT_EQ(value.points, b.parameters.at(name).points) << name;
        EXPECT_EQ(value.given, b.parameters.at(name).given) << name;
        EXPECT_EQ(value.source, b.parameters.at(name).source) << name;
      }
    }
    EXPECT_EQ(again.plant.groups, pod.plant.groups);
    ASSERT_EQ(again.plant.limits.size(), pod.plant.limits.size());
    for (std::size_t i = 0; i < pod.plant.limits.size(); ++i)
      EXPECT_EQ(again.plant.limits[i].value, pod.plant.limits[i].value);
    EXPECT_EQ(
        expandPod(again.plant, smallClasses()).size(),
        expandPod(pod.plant, smallClasses()).size() -
            (text == testing::kPod ? std::string("  # type p1200").size() * 3 + std::string("  # type nvl72").size() * 4
                                   : std::string("  # type p1200").size() * 8));
  }
}

TEST(PodReader, theExampleOfTheProductPageIsAValidPod) {
  const Folder folder;
  const Read pod = read(folder,
                        "podtwin: pod/1\ntitle: Two pumps and two rows\nsite: {latitude: 43.0 deg, longitude: -87.9 "
                        "deg, elevation: 220 m}\nuse: [cat.yaml]\ncircuits:\n"
                        "  tcs1: {fluid: PG25, reference: {node: tcs1-return, pressure: 200 kPa}}\nequipment:\n  "
                        "tcs1-P[1-2]: {type: p1200, from: tcs1-return, to: tcs1-discharge, supply: mcc-$1}\n"
                        "  \"[A-B][01-08]\": {type: nvl72, from: tcs1-supply, to: tcs1-return, feeds: [BW-$1-A, "
                        "BW-$1-B]}\nnodes:\n  tcs1-supply: {elevation: 3 m}\n");
  EXPECT_FALSE(pod.problems.hasErrors()) << pod.text();
  EXPECT_EQ(pod.plant.instances.size(), 18U);
}

TEST(PodReader, allProblemsAreToldAtOnceAndEachOfARangeOnce) {
  const Folder folder;
  const Read pod = read(
      folder,
      "podtwin: pod/1\nuse: [cat.yaml]\nequipment:\n  P[1-50]: {type: p1200, from: a, to: b, sped: 1}\n  Q: {class: "
      "pipe, from: a, to: b}\n  R: {class: pump, head: 3, from: a, to: b}\n  S: {type: nvl27, from: a, to: b}\n");
  EXPECT_EQ(pod.problems.list().size(), 4U) << pod.text();
  EXPECT_NE(pod.text().find(":4:42: error: pump `P[1-50]`: unknown key `sped`; did you mean `speed`?"),
            std::string::npos)
      << pod.text();
  EXPECT_NE(pod.text().find("parameter `length` is missing (Length.)"), std::string::npos);
  EXPECT_NE(pod.text().find("did you mean `nvl72`?"), std::string::npos);
  EXPECT_THROW(pod.problems.throwIfErrors(), InputError);
}

TEST(PodReader, aFluidOfOnesOwnGivesItsProperties) {
  const Folder folder;
  const Read pod =
      read(folder,
           "podtwin: pod/1\ncircuits:\n  c: {fluid: {density: 1000 kg/m3, viscosity: 1 mPa s, specific_heat: 4.2 "
           "kJ/kg/K, conductivity: 0.6 W/m/K}}\nequipment:\n  X: {class: pipe, length: 1 m, from: a, to: b}\n");
  ASSERT_EQ(pod.text(), "");
  EXPECT_EQ(pod.plant.circuits[0].fluid.name, "custom");
  EXPECT_EQ(pod.plant.circuits[0].fluid.specific_heat, 4200.0);
}

TEST(PodReader, opaqueSectionsAreKept) {
  const Folder folder;
  const Read pod = read(folder, "podtwin: pod/1\nlayout: {A01: [1, 2]}\ncommon_causes: [{name: flood}]\n");
  ASSERT_EQ(pod.text(), "");
  EXPECT_EQ(pod.plant.opaque_sections.at("layout"), R"({"A01":["1","2"]})");
  EXPECT_EQ(pod.plant.opaque_sections.at("common_causes"), R"([{"name":"flood"}])");
}

}  // namespace
}  // namespace podtwin::data
