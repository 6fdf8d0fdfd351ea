#include "scenarios/workload/request_workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "scenarios/workload/four_part_noise.hpp"

namespace podtwin::scenarios {
namespace {

constexpr double kHour = 3600.0;  // s
constexpr std::size_t kHoursPerDay = 24;

// Streams of the seed: different uses draw from different ones.
constexpr std::uint64_t kShiftStream = 1;
constexpr std::uint64_t kDispersionStream = 2;
constexpr std::uint64_t kImbalanceStream = 3;

// Requests in a replica below which the square-root form of the dispersion would turn negative.
constexpr double kFewRequests = 0.25;
// A GPU is at most 2 x 3.47 standard deviations below the mean of its replica; within this its factor stays above 0.
constexpr double kLargestImbalance = 0.14;

}  // namespace

RequestWorkload::RequestWorkload(ItInventory inventory, RequestOptions options)
    : inventory_(std::move(inventory)), options_(std::move(options)), shift_(options_.seed, kShiftStream) {
  checkOptions();
  inventory_.check();
  const std::size_t gpus = inventory_.gpu_tray.size();
  if (gpus == 0) throw Error("workload: requests need at least one GPU, and the pod has none");

  const std::size_t trays = inventory_.tray_rack.size();
  std::vector<double> tray_gpus(trays, 0.0);
  for (const std::uint32_t tray : inventory_.gpu_tray) tray_gpus[tray] += 1.0;
  std::vector<std::uint32_t> order;  // trays with GPUs, by rack
  for (std::uint32_t tray = 0; tray < trays; ++tray) {
    if (tray_gpus[tray] > 0.0) order.push_back(tray);
  }
  std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return inventory_.tray_rack[a] < inventory_.tray_rack[b];
  });

  const RandomStream dispersion(options_.seed, kDispersionStream);
  std::vector<std::uint32_t> tray_replica(trays, 0);
  rack_first_.assign(inventory_.racks + 1, 0);
  rack_gpus_.assign(inventory_.racks, 0.0);
  for (const std::uint32_t tray : order) {
    tray_replica[tray] = static_cast<std::uint32_t>(replica_size_.size());
    replica_noise_.emplace_back(dispersion.bits(tray), kDispersionStream);
    replica_size_.push_back(tray_gpus[tray]);
    ++rack_first_[inventory_.tray_rack[tray] + 1];
    rack_gpus_[inventory_.tray_rack[tray]] += tray_gpus[tray];
  }
  std::partial_sum(rack_first_.begin(), rack_first_.end(), rack_first_.begin());

  const RandomStream imbalance(options_.seed, kImbalanceStream);
  gpu_replica_.resize(gpus);
  gpu_imbalance_.resize(gpus);
  std::vector<double> replica_mean(replica_size_.size(), 0.0);
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    gpu_replica_[gpu] = tray_replica[inventory_.gpu_tray[gpu]];
    gpu_imbalance_[gpu] = options_.imbalance * fourPartNoise(imbalance.bits(gpu));
    replica_mean[gpu_replica_[gpu]] += gpu_imbalance_[gpu] / replica_size_[gpu_replica_[gpu]];
  }
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) gpu_imbalance_[gpu] += 1.0 - replica_mean[gpu_replica_[gpu]];

  const RequestSeries& series = options_.series;
  window_work_.resize(series.size());
  window_weight_.resize(series.size());
  for (std::size_t w = 0; w < series.size(); ++w) {
    const double prefill = series.context_tokens[w] / series.window / options_.prefill_rate;
    const double decode = series.generated_tokens[w] / series.window / options_.decode_rate;
    window_work_[w] = prefill + decode;
    window_weight_[w] = window_work_[w] > 0.0
                            ? (prefill * options_.prefill_weight + decode * options_.decode_weight) / window_work_[w]
                            : 0.0;
  }
  const double requests = std::accumulate(series.requests.begin(), series.requests.end(), 0.0);
  const double generated = std::accumulate(series.generated_tokens.begin(), series.generated_tokens.end(), 0.0);
  residency_ = std::max(generated / requests / options_.generation_rate, options_.input_step);
}

void RequestWorkload::checkOptions() const {
  const SourceMark& where = options_.where;
  options_.series.check(where);
  const auto require = [&where](bool holds, const char* name, double value, const char* remedy) {
    if (!holds || !std::isfinite(value)) throw InputError(where, fmt::format("{} is {}", name, value), remedy);
  };
  const auto share = [](double value) { return value >= 0.0 && value <= 1.0; };
  require(options_.scale >= 0.0, "scale", options_.scale, "give the number of copies of the trace, not negative");
  require(options_.prefill_rate > 0.0, "prefill_rate", options_.prefill_rate, "give token/s per GPU, above 0");
  require(options_.decode_rate > 0.0, "decode_rate", options_.decode_rate, "give token/s per GPU, above 0");
  require(share(options_.prefill_weight), "prefill_weight", options_.prefill_weight, "give a share from 0 to 1");
  require(share(options_.decode_weight), "decode_weight", options_.decode_weight, "give a share from 0 to 1");
  require(options_.generation_rate > 0.0, "generation_rate", options_.generation_rate,
          "give token/s per request, above 0");
  require(options_.imbalance >= 0.0 && options_.imbalance <= kLargestImbalance, "imbalance", options_.imbalance,
          "give a standard deviation from 0 to 0.14");
  require(options_.full_load > 0.0 && options_.full_load <= 1.0, "full_load", options_.full_load,
          "give a busy share above 0, at most 1");
  require(options_.input_step > 0.0, "input_step", options_.input_step, "give seconds, above 0");
  require(options_.start_of_day >= 0.0 && options_.start_of_day < kHour * kHoursPerDay, "start_of_day",
          options_.start_of_day, "give a time of day from 0 to 24 h");
  for (const double factor : options_.hourly_factors) {
    require(factor >= 0.0, "an hourly factor", factor, "give factors that are not negative, with mean 1");
  }
}

RequestWorkload::Instant RequestWorkload::instantOf(double time) const {
  if (!(time >= -kSameInstant))
    throw Error(fmt::format("workload: asked for the demand at {} s, before the start", time));
  Instant out;
  out.sample = std::floor((time + kSameInstant) / options_.input_step) * options_.input_step;
  const double day_time = options_.start_of_day + out.sample + kSameInstant;
  const RequestSeries& series = options_.series;
  const double repetition = std::floor(day_time / series.period());
  const auto in_period = static_cast<std::size_t>((day_time - repetition * series.period()) / series.window);
  const std::uint64_t shift = shift_.below(static_cast<std::uint64_t>(repetition), series.size());
  out.window = (std::min(in_period, series.size() - 1) + shift) % series.size();
  out.factor = options_.scale * options_.hourly_factors[static_cast<std::size_t>(day_time / kHour) % kHoursPerDay];
  return out;
}

std::vector<double> RequestWorkload::rackLevels(double offered) const {
  const double gpus = static_cast<double>(inventory_.gpu_tray.size());
  std::vector<double> level(inventory_.racks, offered / gpus);
  if (options_.placement == Placement::spread || offered >= options_.full_load * gpus) return level;
  double rest = offered;
  for (std::size_t rack = 0; rack < level.size(); ++rack) {
    const double taken = std::min(rest, options_.full_load * rack_gpus_[rack]);
    level[rack] = rack_gpus_[rack] > 0.0 ? taken / rack_gpus_[rack] : 0.0;
    rest -= taken;
  }
  return level;
}

PodLoad RequestWorkload::evaluate(double time, std::vector<double>& replica_utilisation) const {
  const Instant now = instantOf(time);
  const std::size_t count = replica_size_.size();
  replica_utilisation.assign(count, 0.0);
  const double offered = window_work_[now.window] * now.factor;  // GPU-seconds per second
  PodLoad out;
  if (!(offered > 0.0)) return out;

  // Noise of each replica, between the knots before and after.
  const double knot = std::floor(now.sample / residency_);
  const double after = now.sample / residency_ - knot;
  const double unit = 1.0 / (std::sqrt((1.0 - after) * (1.0 - after) + after * after) * kFourPartDeviation);
  const double weight_0 = (1.0 - after) * unit;
  const double weight_1 = after * unit;
  const double mean = kFourPartMean * (weight_0 + weight_1);
  const auto draw = static_cast<std::uint64_t>(knot);
  double* const value = replica_utilisation.data();
  const RandomStream* const noise = replica_noise_.data();
  for (std::size_t r = 0; r < count; ++r) {
    value[r] = weight_0 * fourPartSum(noise[r].bits(draw)) + weight_1 * fourPartSum(noise[r].bits(draw + 1)) - mean;
  }

  // Noise to busy share. With x = (a + c z)^2 / N: mean 1 and variance 1/N for z of mean 0 and variance 1.
  const std::vector<double> level = rackLevels(offered);
  const double requests_per_work = options_.series.requests[now.window] / options_.series.window * now.factor / offered;
  double drawn = 0.0;
  for (std::size_t rack = 0; rack + 1 < rack_first_.size(); ++rack) {
    double size = 0.0;  // of the replica that a, c and part were computed for; mostly all have the same
    double a = 0.0;
    double c = 0.0;
    double part = 0.0;
    for (std::size_t r = rack_first_[rack]; r < rack_first_[rack + 1]; ++r) {
      if (replica_size_[r] != size) {
        size = replica_size_[r];
        const double n = level[rack] * size * requests_per_work * residency_;
        // No request: a window with only tokens that are still being made for requests of earlier ones; no noise.
        a = n > 0.0 ? std::sqrt(std::max(n - kFewRequests, 0.0)) : 1.0;
        c = n > 0.0 ? std::sqrt(std::min(n, kFewRequests)) : 0.0;
        part = level[rack] / (n > 0.0 ? n : 1.0);
      }
      const double root = a + c * value[r];
      value[r] = part * root * root;
      drawn += value[r] * size;
    }
  }

  // Keep the pod's total, then capacity and power.
  const double keep = drawn > 0.0 ? offered / drawn : 0.0;
  const double weight = window_weight_[now.window];
  double served = 0.0;
  for (std::size_t r = 0; r < count; ++r) {
    const double busy = std::min(value[r] * keep, 1.0);
    served += busy * replica_size_[r];
    value[r] = busy * weight;
  }
  const double gpus = static_cast<double>(inventory_.gpu_tray.size());
  out.offered = offered / gpus;
  out.served = served / gpus;
  out.utilisation = out.served * weight;
  return out;
}

void RequestWorkload::demand(double time, ItDemand& out) const {
  std::vector<double> replica_utilisation;
  const PodLoad load = evaluate(time, replica_utilisation);
  out.overload = load.offered > 0.0 ? std::max(1.0 - load.served / load.offered, 0.0) : 0.0;
  const std::size_t gpus = gpu_replica_.size();
  out.gpu_utilisation.resize(gpus);
  out.rack_power.assign(inventory_.racks, 0.0);
  double* const utilisation = out.gpu_utilisation.data();
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    // A GPU has no more than its full range: here the imbalance ends, no work is lost.
    utilisation[gpu] = std::min(replica_utilisation[gpu_replica_[gpu]] * gpu_imbalance_[gpu], 1.0);
  }
}

double RequestWorkload::nextChange(double time) const {
  return (std::floor((time + kSameInstant) / options_.input_step) + 1.0) * options_.input_step;
}

TokenRates RequestWorkload::tokenRates(double time) const {
  const Instant now = instantOf(time);
  const RequestSeries& series = options_.series;
  const double factor = now.factor / series.window;
  return {series.requests[now.window] * factor, series.context_tokens[now.window] * factor,
          series.generated_tokens[now.window] * factor};
}

PodLoad RequestWorkload::podLoad(double time) const {
  std::vector<double> replica_utilisation;
  return evaluate(time, replica_utilisation);
}

std::map<std::string, std::string> RequestWorkload::provenance() const {
  const RequestOptions& o = options_;
  const auto total = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  return {
      {"kind", "requests"},
      {"method",
       "period repeated, each repetition shifted round the circle by a seeded number of windows, rate "
       "multiplied by scale and the factor of the hour; tokens to busy time by phase; Poisson dispersion "
       "between replicas at constant total"},
      {"series", o.series_name},
      {"series.window [s]", fmt::format("{}", o.series.window)},
      {"series.period [s]", fmt::format("{}", o.series.period())},
      {"series.requests [1]", fmt::format("{}", total(o.series.requests))},
      {"series.context_tokens [token]", fmt::format("{}", total(o.series.context_tokens))},
      {"series.generated_tokens [token]", fmt::format("{}", total(o.series.generated_tokens))},
      {"hourly_factors", fmt::format("{}", fmt::join(o.hourly_factors, ", "))},
      {"hourly_factors.source", o.factors_name},
      {"scale", fmt::format("{}", o.scale)},
      {"seed", fmt::format("{}", o.seed)},
      {"placement", o.placement == Placement::packed ? "packed" : "spread"},
      {"start_of_day [s]", fmt::format("{}", o.start_of_day)},
      {"prefill_rate [token/s per GPU]", fmt::format("{}", o.prefill_rate)},
      {"decode_rate [token/s per GPU]", fmt::format("{}", o.decode_rate)},
      {"prefill_weight [1]", fmt::format("{}", o.prefill_weight)},
      {"decode_weight [1]", fmt::format("{}", o.decode_weight)},
      {"generation_rate [token/s per request]", fmt::format("{}", o.generation_rate)},
      {"residency_time [s]", fmt::format("{}", residency_)},
      {"imbalance [1]", fmt::format("{}", o.imbalance)},
      {"full_load [1]", fmt::format("{}", o.full_load)},
      {"input_step [s]", fmt::format("{}", o.input_step)},
  };
}

}  // namespace podtwin::scenarios
