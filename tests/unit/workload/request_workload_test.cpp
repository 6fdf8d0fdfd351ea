#include "scenarios/workload/request_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/unit/workload/tables.hpp"

namespace podtwin::scenarios {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr double kHour = 3600.0;  // s
constexpr int kDay = 86400;       // s
constexpr double kShippedScale = 4500.0;

/// Racks of `trays` trays of 4 GPUs, numbered through.
ItInventory pod(std::uint32_t racks, std::uint32_t trays) {
  ItInventory out;
  out.racks = racks;
  for (std::uint32_t tray = 0; tray < racks * trays; ++tray) {
    out.tray_rack.push_back(tray / trays);
    for (int gpu = 0; gpu < 4; ++gpu) out.gpu_tray.push_back(tray);
  }
  return out;
}

/// The shipped day at the same load per GPU whatever the number of racks; the scale is that of 64.
RequestOptions shipped(std::size_t racks = 64) {
  RequestOptions out;
  out.series = testing::shippedSeries();
  out.hourly_factors = testing::shippedFactors();
  out.scale = kShippedScale * static_cast<double>(racks) / 64.0;
  out.seed = 7;
  return out;
}

/// The same rates all day: `offered` GPU-seconds per second by prefill alone, from `requests` arrivals per second.
RequestOptions steady(double offered, double requests) {
  RequestOptions out;
  const double window = 10.0;
  out.series.window = window;
  for (int i = 0; i < 360; ++i) {
    out.series.time.push_back(i * window);
    out.series.requests.push_back(requests * window);
    out.series.context_tokens.push_back(offered * out.prefill_rate * window);
    out.series.generated_tokens.push_back(0.0);
  }
  out.imbalance = 0.0;
  out.seed = 3;
  return out;
}

double overload(const Workload& workload, double time) {
  ItDemand demand;
  workload.demand(time, demand);
  return demand.overload;
}

std::vector<double> utilisation(const Workload& workload, double time) {
  ItDemand demand;
  workload.demand(time, demand);
  return demand.gpu_utilisation;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> rackMeans(const std::vector<double>& gpus, std::size_t racks) {
  std::vector<double> out(racks, 0.0);
  const std::size_t per_rack = gpus.size() / racks;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) out[gpu / per_rack] += gpus[gpu] / static_cast<double>(per_rack);
  return out;
}

TEST(RequestWorkload, TokensOfADayAreScaleTimesTraceTimesFactors) {
  const RequestOptions options = shipped();
  const RequestWorkload workload(pod(64, 18), options);
  double requests = 0.0;
  double context = 0.0;
  double generated = 0.0;
  for (int second = 0; second < kDay; ++second) {
    const TokenRates rates = workload.tokenRates(second);
    requests += rates.requests;
    context += rates.context_tokens;
    generated += rates.generated_tokens;
  }
  const double factors = std::accumulate(options.hourly_factors.begin(), options.hourly_factors.end(), 0.0);
  EXPECT_NEAR(requests / (kShippedScale * factors * 19366.0), 1.0, 1e-10);
  EXPECT_NEAR(context / (kShippedScale * factors * 22361870.0), 1.0, 1e-10);
  EXPECT_NEAR(generated / (kShippedScale * factors * 4088665.0), 1.0, 1e-10);
}

TEST(RequestWorkload, EveryHourHasTheTokensOfItsFactorInAnOrderOfItsOwn) {
  const RequestOptions options = shipped();
  const RequestWorkload workload(pod(1, 1), options);
  std::vector<std::vector<double>> hours;
  for (std::size_t hour = 0; hour < 24; ++hour) {
    std::vector<double> windows;
    for (int window = 0; window < 360; ++window) {
      windows.push_back(workload.tokenRates(static_cast<double>(hour) * kHour + 10.0 * window).context_tokens /
                        options.hourly_factors[hour]);
    }
    hours.push_back(windows);
  }
  for (std::size_t hour = 1; hour < 24; ++hour) {
    EXPECT_GT(std::abs(hours[hour][0] - hours[0][0]) + std::abs(hours[hour][1] - hours[0][1]), 0.0) << hour;
    std::vector<double> first = hours[0];
    std::vector<double> other = hours[hour];
    std::sort(first.begin(), first.end());
    std::sort(other.begin(), other.end());
    for (std::size_t i = 0; i < first.size(); ++i) ASSERT_NEAR(other[i] / first[i], 1.0, 1e-12);
  }
}

TEST(RequestWorkload, SameSeedGivesTheSameBits) {
  const RequestWorkload one(pod(8, 18), shipped(8));
  const RequestWorkload two(pod(8, 18), shipped(8));
  for (const double time : {0.0, 17.0, 5000.0, 80000.0}) EXPECT_EQ(utilisation(one, time), utilisation(two, time));
}

TEST(RequestWorkload, AnotherSeedGivesOtherValues) {
  RequestOptions options = shipped(8);
  const RequestWorkload one(pod(8, 18), options);
  options.seed = 8;
  const RequestWorkload two(pod(8, 18), options);
  const std::vector<double> a = utilisation(one, 100.0);
  const std::vector<double> b = utilisation(two, 100.0);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1u : 0u;
  EXPECT_LT(equal, a.size() / 100);
  bool shifts_differ = false;
  for (int hour = 0; hour < 24; ++hour) {
    shifts_differ |= one.tokenRates(hour * kHour).context_tokens != two.tokenRates(hour * kHour).context_tokens;
  }
  EXPECT_TRUE(shifts_differ);
}

TEST(RequestWorkload, RandomAccessEqualsSequentialAccess) {
  const RequestWorkload workload(pod(4, 18), shipped(4));
  std::vector<std::vector<double>> sequential;
  // Across the change of the hour.
  for (int second = 3500; second < 3700; ++second) sequential.push_back(utilisation(workload, second));
  for (int i = 0; i < 200; ++i) {
    const int at = i * 67 % 200;  // every one once, in another order
    ASSERT_EQ(utilisation(workload, 3500 + at), sequential[static_cast<std::size_t>(at)]) << at;
  }
}

TEST(RequestWorkload, DemandHoldsOverTheInputStep) {
  const RequestWorkload workload(pod(2, 18), shipped(2));
  EXPECT_EQ(utilisation(workload, 41.0), utilisation(workload, 41.999));
  EXPECT_NE(utilisation(workload, 41.0), utilisation(workload, 42.0));
  EXPECT_EQ(workload.nextChange(41.0), 42.0);
  EXPECT_EQ(workload.nextChange(41.5), 42.0);
  double clock = 0.0;
  for (int i = 0; i < 420; ++i) clock += 0.1;
  ASSERT_NE(clock, 42.0);
  EXPECT_EQ(utilisation(workload, clock), utilisation(workload, 42.0));
  EXPECT_EQ(workload.nextChange(clock), 43.0);
}

TEST(RequestWorkload, SpreadLoadsAllRacksAlike) {
  const double gpus = 4.0 * 10 * 18;
  const RequestWorkload workload(pod(10, 18), steady(0.4 * gpus, 1e6 * gpus));
  EXPECT_THAT(utilisation(workload, 0.0), Each(::testing::DoubleNear(0.4, 0.01)));
}

TEST(RequestWorkload, PackedFillsRacksInOrder) {
  const double gpus = 4.0 * 10 * 18;
  RequestOptions options = steady(0.4 * gpus, 1e6 * gpus);
  options.placement = Placement::packed;
  const RequestWorkload workload(pod(10, 18), options);
  const std::vector<double> racks = rackMeans(utilisation(workload, 0.0), 10);
  for (std::size_t rack = 0; rack < 4; ++rack) EXPECT_NEAR(racks[rack], options.full_load, 1e-3);
  EXPECT_NEAR(racks[4], 4.0 - 4 * options.full_load, 1e-3);
  for (std::size_t rack = 5; rack < 10; ++rack) EXPECT_EQ(racks[rack], 0.0);
}

TEST(RequestWorkload, PackedSpreadsWhatNoRackHasRoomFor) {
  const double gpus = 4.0 * 10 * 18;
  RequestOptions options = steady(0.96 * gpus, 1e6 * gpus);
  options.placement = Placement::packed;
  const RequestWorkload workload(pod(10, 18), options);
  EXPECT_THAT(rackMeans(utilisation(workload, 0.0), 10), Each(::testing::DoubleNear(0.96, 1e-3)));
}

TEST(RequestWorkload, PackedFollowsRacksWhateverTheOrderOfTrays) {
  // Rack 0 holds trays 1 and 3, rack 1 trays 0 and 2; the GPUs come mixed.
  const ItInventory mixed{{3, 0, 1, 2, 0, 1, 2, 3}, {1, 0, 1, 0}, 2};
  RequestOptions options = steady(0.5 * 0.9 * 8.0, 1e8);
  options.placement = Placement::packed;
  const std::vector<double> gpus = utilisation(RequestWorkload(mixed, options), 0.0);
  for (const std::size_t gpu : {0, 2, 5, 7}) EXPECT_NEAR(gpus[gpu], 0.9, 1e-3);
  for (const std::size_t gpu : {1, 3, 4, 6}) EXPECT_EQ(gpus[gpu], 0.0);
}

TEST(RequestWorkload, DispersionHasTheVarianceOfPoissonArrivals) {
  const std::uint32_t trays = 1000;
  for (const double in_replica : {20.0, 100.0}) {
    // Prefill alone: the residency is one input step, so arrivals per second equal requests in the replica.
    const RequestWorkload workload(pod(1, trays), steady(0.3 * 4.0 * trays, in_replica * trays));
    ASSERT_EQ(workload.residencyTime(), 1.0);
    double square = 0.0;
    int samples = 0;
    for (int time = 0; time < 300; ++time) {
      const std::vector<double> gpus = utilisation(workload, time);
      for (std::uint32_t tray = 0; tray < trays; ++tray) {
        const double deviation = gpus[tray * 4] / 0.3 - 1.0;
        square += deviation * deviation;
        ++samples;
      }
    }
    EXPECT_NEAR(square / samples * in_replica, 1.0, 0.02) << in_replica;
  }
}

TEST(RequestWorkload, DispersionKeepsItsVarianceBetweenKnots) {
  const std::uint32_t trays = 2000;
  RequestOptions options = steady(0.3 * 4.0 * trays, 10.0 * trays);
  // Decode for 10 s a request at 10 requests/s: 100 requests in a replica, knots 10 s apart.
  for (std::size_t i = 0; i < options.series.size(); ++i) {
    options.series.generated_tokens[i] = options.series.requests[i] * options.generation_rate * 10.0;
    options.series.context_tokens[i] = 0.0;
  }
  const double work = 10.0 * options.generation_rate * 10.0 / options.decode_rate / 4.0;  // busy share
  options.decode_weight = 1.0;
  const RequestWorkload workload(pod(1, trays), options);
  ASSERT_NEAR(workload.residencyTime(), 10.0, 1e-12);
  ASSERT_LT(work, 0.7);
  for (int phase = 0; phase < 10; ++phase) {
    double square = 0.0;
    for (int knot = 0; knot < 20; ++knot) {
      const std::vector<double> gpus = utilisation(workload, knot * 10 + phase);
      for (std::uint32_t tray = 0; tray < trays; ++tray) square += std::pow(gpus[tray * 4] / work - 1.0, 2);
    }
    EXPECT_NEAR(square / (20.0 * trays) * 100.0, 1.0, 0.05) << phase;
  }
}

TEST(RequestWorkload, DispersionIsContinuousFromStepToStep) {
  const std::uint32_t trays = 500;
  RequestOptions options = steady(0.3 * 4.0 * trays, 100.0 * trays);
  const double residency = 50.0;  // s
  for (std::size_t i = 0; i < options.series.size(); ++i) {
    options.series.generated_tokens[i] = options.series.requests[i] * residency * options.generation_rate;
    options.series.context_tokens[i] = 0.0;
  }
  options.decode_rate = 100.0 * residency * options.generation_rate / 4.0 / 0.5;  // busy share 0.5
  options.decode_weight = 1.0;
  const RequestWorkload workload(pod(1, trays), options);
  const double deviation = 0.5 / std::sqrt(100.0 * residency);
  std::vector<double> before = utilisation(workload, 0.0);
  double largest = 0.0;
  for (int time = 1; time < 400; ++time) {
    const std::vector<double> now = utilisation(workload, time);
    for (std::size_t gpu = 0; gpu < now.size(); ++gpu) largest = std::max(largest, std::abs(now[gpu] - before[gpu]));
    before = now;
  }
  // A knot apart the largest of the differences is about 6 standard deviations; a step is a fiftieth of that way,
  // and the scaling to constant variance at most doubles the slope.
  EXPECT_LT(largest, 2.0 * 7.0 * deviation / residency * std::sqrt(2.0));
  EXPECT_GT(largest, 0.0);
}

TEST(RequestWorkload, DispersionOfFewRequestsIsNeverNegativeAndKeepsTheTotal) {
  for (const double in_replica : {0.01, 0.2, 0.3, 2.0}) {
    const RequestWorkload workload(pod(2, 500), steady(0.05 * 4000.0, in_replica * 1000.0));
    for (int time = 0; time < 50; ++time) {
      const std::vector<double> gpus = utilisation(workload, time);
      EXPECT_GE(*std::min_element(gpus.begin(), gpus.end()), 0.0);
      EXPECT_NEAR(mean(gpus), 0.05 * (1.0 - overload(workload, time)), 1e-12);
    }
  }
}

TEST(RequestWorkload, GpusOfAReplicaDifferByTheImbalanceAroundTheSameMean) {
  const std::uint32_t trays = 1000;
  RequestOptions options = steady(0.5 * 4.0 * trays, 1e9);
  options.imbalance = 0.03;
  const std::vector<double> gpus = utilisation(RequestWorkload(pod(1, trays), options), 0.0);
  options.imbalance = 0.0;
  const std::vector<double> even = utilisation(RequestWorkload(pod(1, trays), options), 0.0);
  double square = 0.0;
  for (std::uint32_t tray = 0; tray < trays; ++tray) {
    double replica = 0.0;
    for (std::uint32_t gpu = tray * 4; gpu < tray * 4 + 4; ++gpu) {
      replica += gpus[gpu] / 4.0;
      square += std::pow(gpus[gpu] / even[gpu] - 1.0, 2);
    }
    EXPECT_NEAR(replica, even[tray * 4], 1e-12);
  }
  EXPECT_NEAR(std::sqrt(square / (3.0 * trays)), 0.03, 0.001);  // three degrees of freedom of four
}

TEST(RequestWorkload, WorkBeyondCapacityIsCounted) {
  const double gpus = 4.0 * 4 * 18;
  const RequestWorkload workload(pod(4, 18), steady(1.5 * gpus, 1e9));
  EXPECT_NEAR(overload(workload, 0.0), 1.0 / 3.0, 1e-9);
  EXPECT_THAT(utilisation(workload, 0.0), Each(1.0));
  const PodLoad load = workload.podLoad(0.0);
  EXPECT_NEAR(load.offered, 1.5, 1e-12);
  EXPECT_NEAR(load.served, 1.0, 1e-12);
}

TEST(RequestWorkload, OverloadOfSingleReplicasIsCountedBelowFullLoadOfThePod) {
  const double replicas = 1000.0;
  const RequestWorkload workload(pod(1, 1000), steady(0.95 * 4.0 * replicas, 25.0 * replicas));  // deviation 0.2
  const double lost = overload(workload, 0.0);
  EXPECT_GT(lost, 0.03);
  EXPECT_LT(lost, 0.12);
  EXPECT_NEAR(mean(utilisation(workload, 0.0)), 0.95 * (1.0 - lost), 1e-12);
}

TEST(RequestWorkload, PhasesWeighPowerByTheirKind) {
  RequestOptions options = steady(0.4 * 8.0, 1e9);
  options.imbalance = 0.0;
  EXPECT_NEAR(mean(utilisation(RequestWorkload(pod(1, 2), options), 0.0)), 0.4, 1e-12);
  for (std::size_t i = 0; i < options.series.size(); ++i) {
    options.series.generated_tokens[i] = 0.4 * 8.0 * options.decode_rate * options.series.window;
    options.series.context_tokens[i] = 0.0;
  }
  EXPECT_NEAR(mean(utilisation(RequestWorkload(pod(1, 2), options), 0.0)), 0.4 * options.decode_weight, 1e-12);
}

TEST(RequestWorkload, StartOfDayPicksTheHourlyFactor) {
  RequestOptions options = steady(1.0, 100.0);
  options.hourly_factors.fill(0.0);
  options.hourly_factors[13] = 24.0;
  options.start_of_day = 12.5 * kHour;
  const RequestWorkload workload(pod(1, 8), options);
  EXPECT_EQ(workload.tokenRates(0.5 * kHour - 1.0).requests, 0.0);
  EXPECT_NEAR(workload.tokenRates(0.5 * kHour).requests, 2400.0, 1e-9);
  EXPECT_EQ(workload.tokenRates(1.5 * kHour).requests, 0.0);
  EXPECT_THAT(utilisation(workload, 0.0), Each(0.0));
  EXPECT_EQ(overload(workload, 0.0), 0.0);
}

TEST(RequestWorkload, ShippedDayHasItsStatedMeanAndPeak) {
  const RequestWorkload workload(pod(64, 18), shipped());
  double day = 0.0;
  std::vector<double> served(24, 0.0);
  std::vector<double> offered(24, 0.0);
  for (int second = 0; second < kDay; second += 10) {
    const PodLoad load = workload.podLoad(second);
    served[static_cast<std::size_t>(second / 3600)] += load.served / 360.0;
    offered[static_cast<std::size_t>(second / 3600)] += load.offered / 360.0;
    day += load.served * 10.0 / kDay;
  }
  EXPECT_NEAR(day, 0.60, 0.01);
  EXPECT_NEAR(*std::max_element(offered.begin(), offered.end()), 0.895, 0.005);
  EXPECT_NEAR(*std::max_element(served.begin(), served.end()), 0.854, 0.005);
}

TEST(RequestWorkload, ProvenanceHoldsMethodFactorsScaleAndSeed) {
  RequestOptions options = shipped();
  options.series_name = "azure-2023-conversation-10s.csv";
  const auto provenance = RequestWorkload(pod(1, 1), options).provenance();
  EXPECT_EQ(provenance.at("kind"), "requests");
  EXPECT_THAT(provenance.at("method"), HasSubstr("shifted"));
  EXPECT_EQ(provenance.at("scale"), "4500");
  EXPECT_EQ(provenance.at("seed"), "7");
  EXPECT_EQ(provenance.at("series.requests [1]"), "19366");
  EXPECT_THAT(provenance.at("hourly_factors"), HasSubstr("0.836241, 0.666084"));
  EXPECT_EQ(provenance.at("series"), "azure-2023-conversation-10s.csv");
}

TEST(RequestWorkload, BadOptionsAreRefusedByNameAndPlace) {
  const auto refusal = [](auto change) -> std::string {
    RequestOptions options = steady(1.0, 1.0);
    options.where = {"day.yaml", 6, 1};
    change(options);
    try {
      RequestWorkload workload(pod(1, 1), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([](RequestOptions&) {}), "accepted");
  EXPECT_THAT(refusal([](RequestOptions& o) { o.scale = -1.0; }), HasSubstr("day.yaml:6:1: error: scale is -1"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.scale = std::numeric_limits<double>::infinity(); }),
              HasSubstr("scale is inf"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.prefill_rate = 0.0; }), HasSubstr("prefill_rate is 0"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.decode_rate = -2.0; }), HasSubstr("decode_rate is -2"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.decode_weight = 1.5; }), HasSubstr("decode_weight is 1.5"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.full_load = 0.0; }), HasSubstr("full_load is 0"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.imbalance = 0.15; }), HasSubstr("imbalance is 0.15"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.start_of_day = 86400.0; }), HasSubstr("start_of_day is 86400"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.hourly_factors[5] = -0.1; }), HasSubstr("hourly factor is -0.1"));
  EXPECT_THAT(refusal([](RequestOptions& o) { o.series.time[3] = 31.0; }), HasSubstr("row 4"));
  EXPECT_THROW(RequestWorkload(ItInventory{{}, {}, 1}, steady(1.0, 1.0)), Error);
}

TEST(RequestWorkload, TimeBeforeTheStartIsRefused) {
  const RequestWorkload workload(pod(1, 1), steady(1.0, 1.0));
  ItDemand demand;
  EXPECT_THROW(workload.demand(-1.0, demand), Error);
  EXPECT_THROW(workload.demand(std::nan(""), demand), Error);
}

}  // namespace
}  // namespace podtwin::scenarios
