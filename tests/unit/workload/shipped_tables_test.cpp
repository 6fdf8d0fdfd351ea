#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>

#include "scenarios/workload/request_series.hpp"
#include "tests/unit/workload/tables.hpp"

namespace podtwin::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr double kTraceRequests = 19366.0;
constexpr double kTraceContextTokens = 22361870.0;
constexpr double kTraceGeneratedTokens = 4088665.0;

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

fs::path rawData() {
  const char* const given = std::getenv("PODTWIN_SHARED_DATA");
  return given != nullptr ? fs::path(given) : fs::path(PODTWIN_SOURCE_DIR) / ".." / "shared" / "data";
}

struct RawTrace {
  std::vector<double> arrival, context, generated;
};

RawTrace readRawTrace(const fs::path& path) {
  RawTrace out;
  for (const auto& row : testing::readTable(path).rows) {
    const std::string clock = row.at(0).substr(row.at(0).find(' ') + 1);
    out.arrival.push_back(std::stod(clock.substr(0, 2)) * 3600.0 + std::stod(clock.substr(3, 2)) * 60.0 +
                          std::stod(clock.substr(6)));
    out.context.push_back(std::stod(row.at(1)));
    out.generated.push_back(std::stod(row.at(2)));
  }
  return out;
}

std::string bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ShippedTables, AzureTableHoldsEveryRequestAndTokenOfTheTrace) {
  const auto table = testing::readTable(testing::assets() / "workloads" / "azure-2023-conversation-10s.csv");
  EXPECT_EQ(table.header, "time [s],requests [1],context_tokens [token],generated_tokens [token]");
  const RequestSeries series = testing::shippedSeries();
  EXPECT_NO_THROW(series.check({}));
  EXPECT_EQ(series.period(), 3600.0);
  EXPECT_EQ(sum(series.requests), kTraceRequests);
  EXPECT_EQ(sum(series.context_tokens), kTraceContextTokens);
  EXPECT_EQ(sum(series.generated_tokens), kTraceGeneratedTokens);
}

TEST(ShippedTables, HourlyFactorsHaveMeanOne) {
  const auto factors = testing::shippedFactors();
  EXPECT_NEAR(std::accumulate(factors.begin(), factors.end(), 0.0) / 24.0, 1.0, 1e-6);
  EXPECT_GT(*std::min_element(factors.begin(), factors.end()), 0.0);
  const auto table = testing::readTable(testing::assets() / "workloads" / "servegen-m-small-hourly.csv");
  EXPECT_EQ(table.header, "hour [1],factor [1]");
}

TEST(ShippedTables, SummerDayCovers24HoursAndReachesItsDesignDryBulb) {
  const auto table = testing::readTable(testing::assets() / "weather" / "summer-day.csv");
  EXPECT_EQ(table.header, "time [s],dry_bulb [degC],relative_humidity [%],pressure [Pa]");
  ASSERT_EQ(table.rows.size(), 25u);
  double hottest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(std::stod(table.rows[i].at(0)), 3600.0 * static_cast<double>(i));
    hottest = std::max(hottest, std::stod(table.rows[i].at(1)));
    EXPECT_GT(std::stod(table.rows[i].at(2)), 0.0);
    EXPECT_LE(std::stod(table.rows[i].at(2)), 100.0);
    EXPECT_NEAR(std::stod(table.rows[i].at(3)), 99000.0, 2000.0);  // 201 m above sea level
  }
  EXPECT_EQ(hottest, 32.2);
}

TEST(ShippedTables, RawAzureFileGivesTheShippedTableRowByRow) {
  const fs::path raw = rawData() / "workload" / "azure_llm_2023_conv.csv";
  if (!fs::exists(raw)) GTEST_SKIP() << "raw trace not present: " << raw << " (set PODTWIN_SHARED_DATA)";
  const RawTrace trace = readRawTrace(raw);
  RequestSeriesOptions options;
  options.window = 10.0;
  options.generation_rate = std::numeric_limits<double>::infinity();
  const RequestSeries made = makeRequestSeries(trace.arrival, trace.context, trace.generated, options);
  const RequestSeries table = testing::shippedSeries();
  EXPECT_EQ(made.requests, table.requests);
  EXPECT_EQ(made.context_tokens, table.context_tokens);
  EXPECT_EQ(made.generated_tokens, table.generated_tokens);
}

TEST(ShippedTables, RawAzureFileInOneSecondWindowsHasTheSameTotals) {
  const fs::path raw = rawData() / "workload" / "azure_llm_2023_conv.csv";
  if (!fs::exists(raw)) GTEST_SKIP() << "raw trace not present: " << raw << " (set PODTWIN_SHARED_DATA)";
  const RawTrace trace = readRawTrace(raw);
  const RequestSeries made = makeRequestSeries(trace.arrival, trace.context, trace.generated);
  EXPECT_EQ(made.size(), 3600u);
  EXPECT_EQ(sum(made.requests), kTraceRequests);
  EXPECT_EQ(sum(made.context_tokens), kTraceContextTokens);
  EXPECT_NEAR(sum(made.generated_tokens), kTraceGeneratedTokens, 1e-4);
}

TEST(ShippedTables, DeriveScriptsReproduceTheTablesByteForByte) {
  const fs::path raw = rawData();
  if (!fs::exists(raw / "workload" / "servegen_m-small_week1.csv") || !fs::exists(raw / "weather")) {
    GTEST_SKIP() << "raw data not present: " << raw << " (set PODTWIN_SHARED_DATA)";
  }
  const fs::path out = fs::path(::testing::TempDir()) / "podtwin-derived-tables";
  fs::create_directories(out);
  for (const auto& [folder, source] : {std::pair{"workloads", "workload"}, {"weather", "weather"}}) {
    const std::string command = "python3 '" + (testing::assets() / folder / "derive.py").string() + "' '" +
                                (raw / source).string() + "' '" + out.string() + "' > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  for (const char* const table : {"workloads/azure-2023-conversation-10s.csv", "workloads/servegen-m-small-hourly.csv",
                                  "weather/summer-day.csv"}) {
    const std::string shipped = bytes(testing::assets() / table);
    EXPECT_FALSE(shipped.empty());
    EXPECT_EQ(bytes(out / fs::path(table).filename()), shipped) << table;
  }
  fs::remove_all(out);
}

}  // namespace
}  // namespace podtwin::scenarios
