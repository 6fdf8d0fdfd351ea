// One-token mutations of accepted files: every one is refused with its place and with the name that is wrong.
#include <gtest/gtest.h>

#include "data/readers/pod_reader.hpp"
#include "data/readers/scenario_reader.hpp"
#include "data/readers/table_reader.hpp"
#include "tests/unit/readers/small_plant.hpp"

namespace podtwin::data {
namespace {

using testing::Folder;

enum class File { pod, catalogue, scenario, trace, weather, epw };

struct Spoiled {
  File file;
  const char* from;
  const char* to;
  int line;
  int column;
  const char* says;
};

constexpr Spoiled kSpoiled[] = {
    // the head of a file
    {File::pod, "podtwin: pod/1", "podtwin: pod/2", 1, 10, "newer than this program"},
    {File::pod, "podtwin: pod/1", "podtwin: pod", 1, 10, "states no version"},
    {File::pod, "podtwin: pod/1", "podtwin: scenario/1", 1, 10, "`scenario/1`"},
    {File::pod, "podtwin: pod/1", "podtwyn: pod/1", 1, 1, "`podtwyn`"},
    // keys
    {File::pod, "title:", "titel:", 2, 1, "did you mean `title`?"},
    {File::pod, "equipment:", "equipement:", 10, 1, "did you mean `equipment`?"},
    {File::pod, "latitude: 43", "lattitude: 43", 3, 8, "did you mean `latitude`?"},
    {File::pod, "elevation: 3 m", "elevaton: 3 m", 9, 17, "did you mean `elevation`?"},
    {File::pod, "length: 25 m", "lenght: 25 m", 12, 28, "did you mean `length`?"},
    {File::pod, "speed: 80 %", "spede: 80 %", 14, 28, "did you mean `speed`?"},
    {File::pod, "to: tcs1-discharge, supply", "too: tcs1-discharge, supply", 11, 49, "did you mean `to`?"},
    {File::pod, "drives:", "drive:", 16, 27, "did you mean `drives`?"},
    {File::pod, "delay: 5 s", "dealy: 5 s", 20, 53, "did you mean `delay`?"},
    {File::pod, "title: Two", "<<: Two", 2, 1, "merge keys"},
    {File::pod, "groups:", "nodes:", 17, 1, "duplicate key `nodes`, first in line 8"},
    // units and values
    {File::pod, "length: 25 m", "length: 25", 12, 36, "`25` has no unit"},
    {File::pod, "length: 25 m", "length: 25 kW", 12, 36, "`kW` is of another kind than a length"},
    {File::pod, "length: 25 m", "length: 1e999 m", 12, 36, "beyond the range"},
    {File::pod, "length: 25 m", "length: long", 12, 36, "does not begin with a number"},
    {File::pod, "length: 25 m", "length: -25 m", 12, 36, "-25 m is below the lowest value 0 m"},
    {File::pod, "length: 25 m", "length: [25 m]", 12, 36, "a list is given"},
    {File::pod, "speed: 80 %", "speed: 180 %", 14, 35, "180 % is above the highest value 100 %"},
    {File::pod, "speed: 80 %", "speed: 80 rpm", 14, 35, "`rpm` is of another kind than a ratio"},
    {File::pod, "speed: 80 %", "warm_up: 5 degC", 14, 37, "a temperature difference takes K"},
    {File::pod, "speed: 80 %", "stages: 2.5", 14, 36, "`2.5` is no whole number"},
    {File::pod, "speed: 80 %", "stages: 21", 14, 36, "21 is above the highest value 20"},
    {File::pod, "speed: 80 %", "coasts: yes", 14, 36, "`yes` is neither true nor false"},
    {File::pod, "speed: 80 %", "seal: tripple", 14, 34, "known values: single, double"},
    {File::pod, "speed: 80 %", "seal: duble", 14, 34, "did you mean `double`?"},
    {File::pod, "speed: 80 %", "mode: atuo", 14, 34, "did you mean `auto`?"},
    {File::pod, "speed: 80 %", "curve: [[0 L/s, 3 kPa], [0 L/s, 2 kPa]]", 14, 53, "does not rise"},
    {File::pod, "speed: 80 %", "curve: [[0 L/s, 3 kPa]]", 14, 35, "at least two pairs"},
    {File::pod, "speed: 80 %", "curve: [[0 L/s, 3 kPa], [1 L/s]]", 14, 52, "a pair is due"},
    {File::pod, "latitude: 43 deg", "latitude: 43 degC", 3, 18, "`degC` is of another kind than an angle"},
    {File::pod, "pressure: 200 kPa", "pressure: 200 kPaa", 7, 64,
     "absolute pressure is given where gauge pressure is due"},
    {File::pod, "friction: haaland", "friction: halland", 5, 41, "did you mean `haaland`?"},
    {File::pod, "above: 46 degC", "above: 46 kW", 20, 44, "`kW` is of another kind than a temperature"},
    {File::pod, "relative_humidity: 40 %", "relative_humidity: 140 %", 21, 78, "140 % is above 100 %"},
    // names and references
    {File::pod, "use: [cat.yaml]", "use: [cta.yaml]", 4, 7, "`cta.yaml`"},
    {File::pod, "type: p1200", "type: p1020", 11, 23, "did you mean `p1200`?"},
    {File::pod, "class: pipe", "class: pip", 12, 22, "did you mean `pipe`?"},
    {File::pod, "class: pipe", "class: gpu", 12, 22, "there is no class `gpu`"},
    {File::pod, "like: tcs1-P1", "like: tcs1-P7", 14, 19, "`tcs1-P7`"},
    {File::pod, "like: tcs1-P1", "like: tcs1-P3", 14, 19, "goes in a circle"},
    {File::pod, "like: tcs1-P1", "like: tcs1-P1, type: p1200", 14, 3, "more than one"},
    {File::pod, "{like: tcs1-P1, speed: 80 %}", "{speed: 80 %}", 14, 3, "none of `type`, `class` and `like`"},
    {File::pod, "tcs1-P3:", "tcs1-P2:", 14, 3, "id `tcs1-P2` is already taken in"},
    {File::pod, "tcs1-pipe:", "tcs1 pipe:", 12, 3, "`tcs1 pipe`"},
    {File::pod, "tcs1-P[1-2]", "tcs1-P[2-1]", 11, 9, "expands to nothing"},
    {File::pod, "tcs1-P[1-2]", "tcs1-P[1-2", 11, 9, "`[` that is not closed"},
    {File::pod, "tcs1-P[1-2]", "tcs1-P[1-9999999]", 11, 9, "more than 1000000 names"},
    {File::pod, "supply: BW-A-$1", "supply: BW-A-$2", 11, 77, "`$2`"},
    {File::pod, "supply: BW-A-$1", "supply: BV-A-$1", 11, 77, "nothing else is connected to the bus `BV-A-1`"},
    {File::pod, "drives: [tcs1-P1,", "drives: [tcs1-P0,", 16, 35, "there is no equipment `tcs1-P0`"},
    {File::pod, "measured: tcs1-P1.flow", "measured: tcs1-P1.flwo", 16, 65, "did you mean `flow`?"},
    {File::pod, "node: tcs1-return", "node: tcs1-retrun", 7, 41, "did you mean `tcs1-return`?"},
    {File::pod, "A[01-02]\"]", "A[01-03]\"]", 18, 11, "there is no equipment `A03`"},
    {File::pod, "rack[*].t_supply", "rakc[*].t_supply", 20, 18, "did you mean `rack`?"},
    {File::pod, "rack[*].t_supply", "rack[*].t_suply", 20, 18, "did you mean `t_supply`?"},
    {File::pod, "rack[*].t_supply", "rack[*]", 20, 25, "names no signal"},
    {File::pod, "kind: alarm", "kind: alrm", 20, 71, "did you mean `alarm`?"},
    {File::pod, "from: tcs1-discharge, to: tcs1-supply}", "to: tcs1-supply}", 12, 3, "port `from` is not connected"},
    {File::pod, "to: tcs1-supply}", "to: [tcs1-supply, b]}", 12, 68, "2 names are given, but the port takes one"},
    {File::pod, "length: 25 m, from", "from", 12, 3, "parameter `length` is missing"},
    // YAML itself
    {File::pod, "title: Two", "title: [Two", 3, 5, "no valid YAML"},
    {File::pod, "title: Two", "title: \xff", 2, 8, "byte 0xFF is no valid UTF-8"},
    {File::pod, "title: Two", "title: !text Two", 2, 8, "the tag"},
    {File::pod, "title: Two pumps", "title: *pumps", 2, 8, "no valid YAML"},
    // catalogue
    {File::catalogue, "catalogue/1", "catalogue/7", 1, 10, "newer than this program"},
    {File::catalogue, "class: pump", "class: pmup", 3, 18, "did you mean `pump`?"},
    {File::catalogue, "head: {", "haed: {", 3, 24, "did you mean `head`?"},
    {File::catalogue, "value: 476 kPa", "value: 476", 3, 38, "`476` has no unit"},
    {File::catalogue, "value: 476 kPa", "vlaue: 476 kPa", 3, 31, "did you mean `value`?"},
    {File::catalogue, "seal: double", "seal: dubble", 3, 69, "did you mean `double`?"},
    {File::catalogue, "nvl72:", "p1200:", 4, 3, "duplicate key `p1200`"},
    {File::catalogue, "rated_power: 135 kW", "rated_power: 135 kVA", 4, 52, "`kVA` is of another kind"},
    {File::catalogue, "types:", "typs:", 2, 1, "did you mean `types`?"},
    // scenario
    {File::scenario, "scenario/1", "scenario/2", 1, 10, "newer than this program"},
    {File::scenario, "pod: pod.yaml", "pod: pdo.yaml", 3, 6, "`pdo.yaml`"},
    {File::scenario, "duration: 24 h", "duration: 24", 5, 11, "`24` has no unit"},
    {File::scenario, "duration: 24 h", "duration: 24 m", 5, 11, "minutes are min"},
    {File::scenario, "duration: 24 h", "duration: 0 s", 5, 11, "0 s is no duration"},
    {File::scenario, "00:00:00Z", "00:00:00", 4, 8, "no time zone"},
    {File::scenario, "2026-07-15T", "2026-07-35T", 4, 8, "no date and time"},
    {File::scenario, "dry_bulb: 35 degC", "dry_bulb: 35", 6, 21, "`35` has no unit"},
    {File::scenario, "dry_bulb: 35 degC", "dry_bulb: 350 degC", 6, 21, "350 degC is above"},
    {File::scenario, "relative_humidity: 40 %", "relative_humidity: 40", 6, 49, "40 is above 1"},
    {File::scenario, "kind: constant", "kind: constnat", 7, 18, "did you mean `constant`?"},
    {File::scenario, "rack_power: 142 kW", "rack_power: 142 kVA", 7, 40, "`kVA` is of another kind"},
    {File::scenario, "rack_power: 142 kW", "rack_pwer: 142 kW", 7, 28, "did you mean `rack_power`?"},
    {File::scenario, "method: arkode", "method: arcode", 8, 18, "did you mean `arkode`?"},
    {File::scenario, "from: steady", "from: stedy", 9, 7, "did you mean `steady`?"},
    {File::scenario, "at: 12 h", "at: 12", 12, 10, "`12` has no unit"},
    {File::scenario, "at: 12 h, ", "", 12, 5, "one of `at` and `when`"},
    {File::scenario, "do: trip", "doo: trip", 12, 33, "did you mean `do`?"},
    {File::scenario, "target: tcs1-P1,", "target: tcs1-P1.speed,", 12, 32, "names a signal where equipment is due"},
    {File::scenario, "max(gpu[*].t_junction) >", "mxa(gpu[*].t_junction) >", 13, 13, "there is no function `mxa`"},
    {File::scenario, "t_junction) > 85 degC", "t_junction) 85 degC", 13, 36, "a comparison"},
    {File::scenario, "> 85 degC", "> hot", 13, 38, "`hot` is no number with a unit"},
    {File::scenario, "period: 10 s", "period: 0 s", 15, 56, "0 s is no period"},
    {File::scenario, "[max, mean]", "[max, maen]", 16, 79, "no reduction `maen`"},
    {File::scenario, "below: 87 degC", "bellow: 87 degC", 18, 40, "did you mean `below`?"},
    {File::scenario, "below: 87 degC", "equals: 87 degC", 18, 40, "needs a `tolerance`"},
    // traces
    {File::trace, "TIMESTAMP,Context", "TIME,Context", 1, 1, "TIMESTAMP,ContextTokens,GeneratedTokens"},
    {File::trace, "396,109", "-396,109", 3, 29, "-396"},
    {File::trace, "396,109", "396,many", 3, 33, "many"},
    {File::trace, "396,109", "396", 3, 1, "2 fields"},
    {File::trace, "18:15:50", "18:15:40", 3, 1, "before the request above it"},
    {File::trace, "2023-11-16 18:15:50", "2023-11-46 18:15:50", 3, 1, "2023-11-46"},
    // weather
    {File::weather, "dry_bulb [degC]", "dry_blub [degC]", 2, 1, "dry_bulb"},
    {File::weather, "dry_bulb [degC]", "dry_bulb", 2, 10, "dry_bulb"},
    {File::weather, "dry_bulb [degC]", "dry_bulb [kW]", 2, 10, "`kW`"},
    {File::weather, "3600,21", "0,21", 4, 1, "does not rise"},
    {File::weather, "21,45", "21,145", 4, 9, "relative_humidity"},
    {File::weather, "21,45", ",45", 4, 6, "dry_bulb"},
    {File::weather, "21,45", "warm,45", 4, 6, "warm"},
    {File::weather, "3600,21,45,100.1", "3600,21,45", 4, 1, "3 fields"},
    {File::epw, ",-6.0,220", ",west,220", 1, 0, "west"},
    {File::epw, "1990,1,1,3,0,?9,10.2,2.0,60", "1990,1,1,3,0,?9,99.9,2.0,60", 11, 17, "99.9"},
    {File::epw, "1990,1,1,3,0,?9,10.2,2.0,60", "1990,1,1,3,0,?9,10.2,2.0,999", 11, 26, "999"},
    {File::epw, "1990,1,1,3,0,?9,10.2,2.0,60,99000,0,0\n", "", 11, 6, "hour 4 of 1/1 does not follow hour 2 of 1/1"},
    {File::epw, "1990,1,1,3,0,?9,10.2", "1990,1,32,3,0,?9,10.2", 11, 6, "hour 3 of 1/32 is no hour of a year"},
    {File::epw, "1990,1,1,3,0,?9,10.2", "1990,1,1,3,0,?9,102", 11, 17, "the dry bulb 102 is outside"},
    {File::epw, "DATA PERIODS,1,1", "DATA PERIODS,1,4", 8, 1, "one row an hour"},
    {File::epw, "1990,1,1,3,0,?9,10.2,2.0,60,99000,0,0", "1990,1,1,3", 11, 1, "4 fields"},
};

std::string read(const Folder& folder, File kind, const std::string& text, std::string& path) {
  Diagnostics problems;
  folder.write("cat.yaml", kind == File::catalogue ? std::string_view(text) : testing::kCatalogue);
  folder.write("pod.yaml", kind == File::pod ? std::string_view(text) : testing::kPod);
  try {
    switch (kind) {
      case File::pod:
        readPod(path = folder.path("pod.yaml"), {}, testing::smallClasses(), problems);
        break;
      case File::catalogue:
        checkCatalogue(path = folder.path("cat.yaml"), testing::smallClasses(), problems);
        break;
      case File::scenario:
        readScenario(path = folder.write("s.yaml", text), {}, problems);
        break;
      case File::trace:
        readRequestTrace(path = folder.write("t.csv", text), problems);
        break;
      case File::weather:
        readWeather(path = folder.write("w.csv", text), false, problems);
        break;
      case File::epw:
        readWeather(path = folder.write("w.epw", text), false, problems);
        break;
    }
  } catch (const InputError& problem) {
    return problem.what();
  }
  std::string out;
  for (const auto& problem : problems.list()) out += problem.text() + "\n";
  return out;
}

std::string accepted(File kind) {
  switch (kind) {
    case File::pod:
      return std::string(testing::kPod);
    case File::catalogue:
      return std::string(testing::kCatalogue);
    case File::scenario:
      return std::string(testing::kScenario);
    case File::trace:
      return std::string(testing::kTrace);
    case File::weather:
      return std::string(testing::kWeatherCsv);
    case File::epw:
      return testing::epw();
  }
  return "";
}

TEST(SpoiledInputs, theUnspoiledFilesAreAccepted) {
  const Folder folder;
  for (const File kind : {File::pod, File::catalogue, File::scenario, File::trace, File::weather, File::epw}) {
    std::string path;
    EXPECT_EQ(read(folder, kind, accepted(kind), path), "");
  }
}

TEST(SpoiledInputs, everyMutationIsRefusedAtItsPlaceByName) {
  static_assert(std::size(kSpoiled) >= 60);
  const Folder folder;
  for (const auto& spoiled : kSpoiled) {
    std::string text = accepted(spoiled.file);
    const auto at = text.find(spoiled.from);
    ASSERT_NE(at, std::string::npos) << spoiled.from;
    text.replace(at, std::string_view(spoiled.from).size(), spoiled.to);
    std::string path;
    const std::string said = read(folder, spoiled.file, text, path);
    std::string place = path + ":" + std::to_string(spoiled.line) + ":";
    if (spoiled.column > 0) place += std::to_string(spoiled.column) + ": error: ";
    // Place and name belong to one and the same message.
    bool found = false;
    std::size_t begin = 0;
    while (begin < said.size()) {
      const std::size_t end = std::min(said.find('\n', begin), said.size());
      const std::string line = said.substr(begin, end - begin);
      found = found || (line.starts_with(place) && line.find(": error: ") != std::string::npos &&
                        line.find(spoiled.says) != std::string::npos);
      begin = end + 1;
    }
    EXPECT_TRUE(found) << "'" << spoiled.from << "' -> '" << spoiled.to << "' should say " << spoiled.line << ":"
                       << spoiled.column << " " << spoiled.says << "\nsaid: " << said;
  }
}

TEST(SpoiledInputs, circlesOfIncludesAndTemplatesEnd) {
  const Folder folder;
  const auto said = [&](std::string_view text) {
    Diagnostics problems;
    readPod(folder.write("pod.yaml", text), {}, testing::smallClasses(), problems);
    std::string out;
    for (const auto& problem : problems.list()) out += problem.text() + "\n";
    return out;
  };
  folder.write("b.yaml", "podtwin: pod/1\ninclude: pod.yaml\n");
  EXPECT_NE(said("podtwin: pod/1\ninclude: b.yaml\n")
                .find("b.yaml:2:10: error: `include` goes in a circle: pod.yaml -> b.yaml -> pod.yaml"),
            std::string::npos);
  EXPECT_NE(said("podtwin: pod/1\ntemplates:\n  a:\n    equipment:\n      x: {template: b}\n  b:\n    equipment:\n     "
                 " y: {template: a}\nequipment:\n  z: {template: a}\n")
                .find("templates go in a circle"),
            std::string::npos);
  EXPECT_NE(said("podtwin: pod/1\nequipment:\n  a: {like: b}\n  b: {like: c}\n  c: {like: a}\n")
                .find("`like` goes in a circle"),
            std::string::npos);
  std::string bomb = "podtwin: pod/1\ntemplates:\n  t0: {equipment: {}}\n";
  for (int i = 1; i < 8; ++i)
    bomb += "  t" + std::to_string(i) + ":\n    equipment:\n      \"x[1-100]\": {template: t" + std::to_string(i - 1) +
            "}\n";
  EXPECT_NE(said(bomb + "equipment:\n  z: {template: t7}\n").find("more than 100000 templates"), std::string::npos);
  folder.write("s.yaml", "podtwin: scenario/1\ninclude: s.yaml\npod: b.yaml\nduration: 1 h\n");
  Diagnostics problems;
  readScenario(folder.path("s.yaml"), {}, problems);
  EXPECT_NE(problems.list().at(0).text().find("s.yaml:2:10: error: `include` goes in a circle"), std::string::npos);
}

TEST(SpoiledInputs, templateParametersAreCheckedByName) {
  const Folder folder;
  const auto said = [&](const std::string& use, const std::string& value = "${n}") {
    Diagnostics problems;
    readPod(folder.write("pod.yaml",
                         "podtwin: pod/1\ntemplates:\n  t:\n    parameters: [n]\n    equipment:\n      \"x" + value +
                             "\": {class: pipe, length: 1 m, from: a, to: b}\nequipment:\n  " + use + "\n"),
            {}, testing::smallClasses(), problems);
    std::string out;
    for (const auto& problem : problems.list()) out += problem.text() + "\n";
    return out;
  };
  EXPECT_EQ(said("z: {template: t, with: {n: 1}}"), "");
  EXPECT_NE(said("z: {template: t}").find(":8:3: error: `z`: parameter `n` of template `t` is missing"),
            std::string::npos);
  EXPECT_NE(said("z: {template: t, with: {m: 1}}").find(":8:27: error: template `t` has no parameter `m`"),
            std::string::npos);
  EXPECT_NE(said("z: {template: tt, with: {n: 1}}").find(":8:17: error: there is no template `tt`; did you mean `t`?"),
            std::string::npos);
  EXPECT_NE(said("z: {template: t, with: {n: 1}}", "${m}").find(":6:7: error: `${m}` is no parameter here"),
            std::string::npos);
  EXPECT_NE(said("z: {template: t, with: {n: 1}, length: 3 m}").find(":8:34: error: `z`: unknown key `length`"),
            std::string::npos);
}

TEST(SpoiledInputs, tracesAndTablesWithoutRowsAreRefused) {
  const Folder folder;
  Diagnostics problems;
  readRequestTrace(folder.write("t.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"), problems);
  readWeather(folder.write("w.csv", "time [s],dry_bulb [degC],relative_humidity [%]\n"), false, problems);
  ASSERT_EQ(problems.list().size(), 2U);
  EXPECT_NE(problems.list()[0].what.find("no requests"), std::string::npos);
  EXPECT_NE(problems.list()[1].what.find("no rows"), std::string::npos);
  EXPECT_THROW(readRequestTrace(folder.write("e.csv", ""), problems), InputError);
  EXPECT_THROW(readRequestTrace(folder.path(), problems), InputError);
  EXPECT_THROW(readWeather(folder.write("b.csv", std::string_view("time [s]\0", 9)), false, problems), InputError);
}

}  // namespace
}  // namespace podtwin::data
