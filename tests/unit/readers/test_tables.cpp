#include <gtest/gtest.h>

#include <filesystem>

#include "data/readers/table_reader.hpp"
#include "tests/unit/readers/small_plant.hpp"

namespace podtwin::data {
namespace {

using testing::Folder;
const std::string kShared = PODTWIN_SHARED_DATA "/";

std::string textOf(const Diagnostics& problems) {
  std::string out;
  for (const auto& problem : problems.list()) out += problem.text() + "\n";
  return out;
}

TEST(Tables, thePublishedRequestTraceIsRead) {
  const Folder folder;
  Diagnostics problems;
  const std::string file = folder.write("t.csv", testing::kTrace);
  EXPECT_TRUE(isRequestTrace(file));
  const auto trace = readRequestTrace(file, problems);
  ASSERT_EQ(textOf(problems), "");
  ASSERT_EQ(trace.arrival.size(), 3U);
  EXPECT_EQ(trace.arrival[0], 0.0);
  EXPECT_NEAR(trace.arrival[1], 4.314579, 1e-6);
  EXPECT_EQ(trace.generated_tokens[2], 55.0);
}

TEST(Tables, theWholeAzureTraceHasItsDocumentedRequestsAndSpan) {
  const std::string file = kShared + "workload/azure_llm_2023_conv.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared data are not on this machine";
  Diagnostics problems;
  const auto trace = readRequestTrace(file, problems);
  ASSERT_EQ(textOf(problems), "");
  EXPECT_EQ(trace.arrival.size(), 19366U);               // shared/data/workload/README.md
  EXPECT_NEAR(trace.arrival.back(), 3501.721937, 1e-5);  // 18:15:46.6805900 to 19:14:08.4025270
}

TEST(Tables, theAggregatedRequestTableTakesComments) {
  const Folder folder;
  Diagnostics problems;
  const auto table = readTable(folder.write("r.csv",
                                            "# from azure\ntime [s],requests [1],context_tokens "
                                            "[token],generated_tokens [token]\n0,3,100,20\n# gap\n10,4,120,30\n"),
                               {{"time", Quantity::time, 0.0, 1e12},
                                {"requests", Quantity::ratio, 0.0, 1e15},
                                {"context_tokens", Quantity::token, 0.0, 1e15}},
                               problems);
  ASSERT_EQ(textOf(problems), "");
  EXPECT_EQ(table.find("context_tokens")->values, (std::vector<double>{100.0, 120.0}));
  EXPECT_EQ(table.lines, (std::vector<int>{3, 5}));
}

TEST(Tables, csvTakesQuotesCarriageReturnsAndAByteOrderMark) {
  const Folder folder;
  Diagnostics problems;
  const auto table =
      readTable(folder.write("q.csv",
                             "\xEF\xBB\xBF"
                             "\"time [min]\",note [1],\"power [kW]\"\r\n0,\"a, \"\"b\"\"\",\"1.5\"\r\n1,c,2"),
                {{"time", Quantity::time, 0.0, 1e12}, {"power", Quantity::power, 0.0, 1e8}}, problems);
  ASSERT_EQ(textOf(problems), "");
  EXPECT_EQ(table.columns.at(0).values, (std::vector<double>{0.0, 60.0}));
  EXPECT_EQ(table.columns.at(1).values, (std::vector<double>{1500.0, 2000.0}));
}

TEST(Tables, weatherCsvIsReadToSi) {
  const Folder folder;
  Diagnostics problems;
  const auto weather = readWeather(folder.write("w.csv", testing::kWeatherCsv), false, problems);
  ASSERT_EQ(textOf(problems), "");
  EXPECT_EQ(weather.time, (std::vector<double>{0.0, 3600.0}));
  EXPECT_DOUBLE_EQ(weather.dry_bulb[1], 294.15);
  EXPECT_DOUBLE_EQ(weather.relative_humidity[0], 0.5);
  EXPECT_DOUBLE_EQ(weather.pressure[1], 100100.0);
}

TEST(Tables, epwHoursAreLocalStandardTimeMappedToUtcWhateverTheYearColumnSays) {
  const Folder folder;
  Diagnostics problems;
  const auto weather = readWeather(folder.write("w.epw", testing::epw()), false, problems);
  ASSERT_EQ(textOf(problems), "");
  ASSERT_EQ(weather.time.size(), 48U);
  EXPECT_TRUE(weather.of_a_year);
  EXPECT_EQ(weather.time[0], 6.5 * 3600.0);  // the middle of the first hour, six hours west of Greenwich
  EXPECT_EQ(weather.time[47] - weather.time[0], 47.0 * 3600.0);
  EXPECT_DOUBLE_EQ(weather.dry_bulb[11], 273.15 + 11.1);
  EXPECT_DOUBLE_EQ(weather.pressure[0], 99000.0);
}

TEST(Tables, aMissingCodeOfAnEpwIsAGapThatMayBeInterpolatedOnRequest) {
  const Folder folder;
  std::string text = testing::epw();
  const std::string hour3 = "1990,1,1,3,0,?9,10.2,";
  text.replace(text.find(hour3), hour3.size(), "1990,1,1,3,0,?9,99.9,");
  const std::string file = folder.write("w.epw", text);
  Diagnostics refused;
  readWeather(file, false, refused);
  EXPECT_NE(textOf(refused).find(":11:17: error: the dry bulb is missing"), std::string::npos) << textOf(refused);
  Diagnostics allowed;
  const auto weather = readWeather(file, true, allowed);
  EXPECT_EQ(textOf(allowed), "");
  EXPECT_EQ(weather.time.size(), 47U);
  EXPECT_EQ(weather.time[2] - weather.time[1], 7200.0);
}

TEST(Tables, aMissingRowOfAnEpwKeepsTheTimesOfTheOthers) {
  const Folder folder;
  std::string text = testing::epw();
  const auto at = text.find("1990,1,1,3,");
  text.erase(at, text.find('\n', at) + 1 - at);
  Diagnostics problems;
  const auto weather = readWeather(folder.write("w.epw", text), true, problems);
  EXPECT_EQ(textOf(problems), "");
  ASSERT_EQ(weather.time.size(), 47U);
  EXPECT_EQ(weather.time[2] - weather.time[1], 7200.0);
  EXPECT_EQ(weather.time.back(), (47.5 + 6.0) * 3600.0);
}

TEST(Tables, theSharedWeatherFilesAreReadWhole) {
  if (!std::filesystem::exists(kShared + "weather")) GTEST_SKIP() << "the shared data are not on this machine";
  const std::pair<const char*, std::size_t> files[] = {{"USA_AZ_Phoenix-Sky.Harbor_TMYx.epw", 8760},
                                                       {"USA_GA_Atlanta-Hartsfield-Jackson_TMYx.epw", 8760},
                                                       {"USA_IL_Chicago-OHare.Intl.AP.725300_TMY3.epw", 8760},
                                                       {"USA_CA_San.Francisco.Intl.AP.724940_TMY3.epw", 8760},
                                                       {"USA_WA_Clallam_NSRDB_AMY2012_leapyear.epw", 8784}};
  for (const auto& [name, hours] : files) {
    Diagnostics problems;
    const auto weather = readWeather(kShared + "weather/" + name, false, problems);
    EXPECT_EQ(textOf(problems), "") << name;
    EXPECT_EQ(weather.time.size(), hours) << name;
  }
}

}  // namespace
}  // namespace podtwin::data
