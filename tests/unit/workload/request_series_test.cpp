#include "scenarios/workload/request_series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace podtwin::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kAtArrival = std::numeric_limits<double>::infinity();  // token/s: no spreading

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

RequestSeriesOptions options(double period, double window, double rate) {
  RequestSeriesOptions out;
  out.period = period;
  out.window = window;
  out.generation_rate = rate;
  return out;
}

std::string refusal(std::vector<double> arrival, std::vector<double> context, std::vector<double> generated,
                    const RequestSeriesOptions& how = options(10.0, 1.0, 1.0)) {
  try {
    makeRequestSeries(arrival, context, generated, how);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RequestSeries, TraceIsStretchedToFillThePeriodWithOneMeanGapAtTheEnd) {
  const std::vector<double> arrival{100.0, 101.0, 102.0, 103.0};  // spans 4 s with the closing gap
  const std::vector<double> tokens{1.0, 2.0, 3.0, 4.0};
  const RequestSeries series = makeRequestSeries(arrival, tokens, tokens, options(8.0, 2.0, kAtArrival));
  EXPECT_THAT(series.time, ElementsAre(0.0, 2.0, 4.0, 6.0));
  EXPECT_THAT(series.requests, ElementsAre(1.0, 1.0, 1.0, 1.0));
  EXPECT_THAT(series.context_tokens, ElementsAre(1.0, 2.0, 3.0, 4.0));
  EXPECT_THAT(series.generated_tokens, ElementsAre(1.0, 2.0, 3.0, 4.0));
}

TEST(RequestSeries, OutputTokensAreSpreadOverTheirGenerationTimeAndWrapRound) {
  const std::vector<double> arrival{0.0, 2.0};  // period 4 s, no stretch
  const std::vector<double> context{10.0, 20.0};
  const std::vector<double> generated{30.0, 25.0};
  const RequestSeries series = makeRequestSeries(arrival, context, generated, options(4.0, 1.0, 10.0));
  // The first runs from 0 to 3 s, the second from 2 to 4.5 s.
  EXPECT_THAT(series.context_tokens, ElementsAre(10.0, 0.0, 20.0, 0.0));
  ASSERT_EQ(series.size(), 4u);
  EXPECT_NEAR(series.generated_tokens[0], 15.0, 1e-12);
  EXPECT_NEAR(series.generated_tokens[1], 10.0, 1e-12);
  EXPECT_NEAR(series.generated_tokens[2], 20.0, 1e-12);
  EXPECT_NEAR(series.generated_tokens[3], 10.0, 1e-12);
}

TEST(RequestSeries, GenerationLongerThanThePeriodLosesNoToken) {
  const std::vector<double> arrival{0.0, 5.0};
  const std::vector<double> context{1.0, 1.0};
  const std::vector<double> generated{12345.0, 0.0};
  const RequestSeries series = makeRequestSeries(arrival, context, generated, options(10.0, 0.5, 40.0));
  EXPECT_NEAR(sum(series.generated_tokens), 12345.0, 1e-8);
}

TEST(RequestSeries, BadTracesAreRefused) {
  EXPECT_THAT(refusal({0.0, 1.0}, {1.0}, {1.0, 1.0}), HasSubstr("differ in length"));
  EXPECT_THAT(refusal({1.0, 0.0}, {1.0, 1.0}, {1.0, 1.0}), HasSubstr("request 2 arrives at 0 s"));
  EXPECT_THAT(refusal({0.0, 1.0}, {1.0, -1.0}, {1.0, 1.0}), HasSubstr("request 2 has -1 prompt"));
  EXPECT_THAT(refusal({0.0, std::nan("")}, {1.0, 1.0}, {1.0, 1.0}), HasSubstr("request 2 arrives at nan s"));
  EXPECT_THAT(refusal({}, {}, {}), HasSubstr("0 requests"));
  EXPECT_THAT(refusal({3.0, 3.0}, {1.0, 1.0}, {1.0, 1.0}), HasSubstr("spans no time"));
  EXPECT_THAT(refusal({0.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}, options(10.0, 3.0, 1.0)), HasSubstr("not a multiple"));
  EXPECT_THAT(refusal({0.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}, options(10.0, 1.0, 0.0)), HasSubstr("generation rate is 0"));
}

TEST(RequestSeries, CheckRefusesGapsNegativeCountsAndEmptiness) {
  const RequestSeries good{{0.0, 10.0}, {1.0, 1.0}, {5.0, 5.0}, {2.0, 2.0}, 10.0};
  EXPECT_NO_THROW(good.check({}));
  RequestSeries gap = good;
  gap.time[1] = 20.0;
  EXPECT_THROW(gap.check({}), InputError);
  RequestSeries negative = good;
  negative.generated_tokens[0] = -1.0;
  EXPECT_THROW(negative.check({}), InputError);
  RequestSeries idle = good;
  idle.requests = {0.0, 0.0};
  EXPECT_THROW(idle.check({}), InputError);
  EXPECT_THROW(RequestSeries{}.check({}), InputError);
}

}  // namespace
}  // namespace podtwin::scenarios
