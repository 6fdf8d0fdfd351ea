#include "scenarios/workload/training_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

namespace podtwin::scenarios {

namespace {

constexpr double kSameCorner = 1e-9;  // s; corners closer than this are one

/// Even draw from 0 to 1 for an item: SplitMix64 of the seed and the item's number.
double evenDraw(std::uint64_t seed, std::uint64_t item) {
  std::uint64_t x = seed + (item + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  x ^= x >> 31U;
  return static_cast<double>(x >> 11U) * 0x1.0p-53;
}

/// First time after `time` that is `offset` into a repetition of `period`.
double nextRepetition(double time, double period, double offset) {
  const double n = std::floor((time + kSameCorner - offset) / period) + 1.0;
  return n * period + offset;
}

}  // namespace

TrainingWorkload::TrainingWorkload(ItInventory inventory, std::vector<char> in_job, const TrainingPattern& pattern,
                                   const SourceMark& where)
    : inventory_(std::move(inventory)), in_job_(std::move(in_job)), pattern_(pattern) {
  inventory_.check();
  if (in_job_.size() != inventory_.racks) throw Error("training workload: a job needs a word on every rack");
  const double computing = pattern_.compute_share * pattern_.period;
  if (pattern_.rise_time > computing || pattern_.fall_time > pattern_.period - computing)
    throw InputError(where,
                     fmt::format("a rise of {} s and a fall of {} s do not fit into {} s of computing and {} s of "
                                 "communication a step",
                                 pattern_.rise_time, pattern_.fall_time, computing, pattern_.period - computing),
                     "shorten them, or change `compute_share` or `period`");
  for (std::size_t rack = 0; rack < inventory_.racks; ++rack)
    lags_.push_back(pattern_.phase_spread > 0.0 ? pattern_.phase_spread * evenDraw(pattern_.seed, rack) : 0.0);
}

double TrainingWorkload::stepLevel(double time) const {
  const double into = time - std::floor(time / pattern_.period) * pattern_.period;
  const double computing = pattern_.compute_share * pattern_.period, swing = pattern_.high - pattern_.low;
  if (into < pattern_.rise_time) return pattern_.low + swing * into / pattern_.rise_time;
  if (into < computing) return pattern_.high;
  if (into < computing + pattern_.fall_time) return pattern_.high - swing * (into - computing) / pattern_.fall_time;
  return pattern_.low;
}

double TrainingWorkload::level(double time) const {
  double level = stepLevel(time);
  if (const auto& checkpoint = pattern_.checkpoint; checkpoint && time >= checkpoint->every) {
    const double into = time - std::floor(time / checkpoint->every) * checkpoint->every;
    if (into < checkpoint->duration) level = checkpoint->level;
  }
  if (const auto& drop = pattern_.drop; drop && time >= drop->at) {
    const double gone = drop->over > 0.0 ? std::min((time - drop->at) / drop->over, 1.0) : 1.0;
    level += gone * (drop->level - level);
  }
  return level;
}

double TrainingWorkload::nextCorner(double time) const {
  const double computing = pattern_.compute_share * pattern_.period;
  double next = std::numeric_limits<double>::infinity();
  for (const double offset : {0.0, pattern_.rise_time, computing, computing + pattern_.fall_time})
    next = std::min(next, nextRepetition(time, pattern_.period, offset));
  if (const auto& checkpoint = pattern_.checkpoint)
    for (const double offset : {0.0, checkpoint->duration})
      next = std::min(next, nextRepetition(time, checkpoint->every, offset));
  if (const auto& drop = pattern_.drop)
    for (const double corner : {drop->at, drop->at + drop->over})
      if (corner > time + kSameCorner) next = std::min(next, corner);
  return next;
}

// Between corners the level is a polynomial of the second degree at most, for which two points of Gauss are exact.
double TrainingWorkload::meanLevel(double from, double span) const {
  const double end = from + span, place = 0.5 / std::sqrt(3.0);
  double sum = 0.0;
  for (double low = from; low < end;) {
    const double high = std::min(nextCorner(low), end), middle = 0.5 * (low + high), width = high - low;
    sum += 0.5 * width * (level(middle - place * width) + level(middle + place * width));
    low = high;
  }
  return sum / span;
}

template <class Level>
void TrainingWorkload::fill(const Level& level, ItDemand& out) const {
  const bool power = pattern_.kind == LevelKind::rack_power;
  std::vector<double> of_rack(inventory_.racks, 0.0);
  double of_last = 0.0, last_lag = -1.0;
  for (std::size_t rack = 0; rack < inventory_.racks; ++rack) {
    if (in_job_[rack] == 0) continue;
    if (lags_[rack] != last_lag) of_last = level(last_lag = lags_[rack]);
    of_rack[rack] = of_last;
  }
  out.overload = 0.0;
  out.rack_power.assign(inventory_.racks, 0.0);
  out.gpu_utilisation.assign(inventory_.gpu_tray.size(), 0.0);
  if (power) {
    out.rack_power = std::move(of_rack);
    return;
  }
  for (std::size_t gpu = 0; gpu < inventory_.gpu_tray.size(); ++gpu)
    out.gpu_utilisation[gpu] = of_rack[inventory_.tray_rack[inventory_.gpu_tray[gpu]]];
}

void TrainingWorkload::demand(double time, ItDemand& out) const {
  fill([&](double lag) { return level(time - lag); }, out);
}

void TrainingWorkload::meanDemand(double from, double span, ItDemand& out) const {
  fill([&](double lag) { return meanLevel(from - lag, span); }, out);
}

std::map<std::string, std::string> TrainingWorkload::provenance() const {
  const bool power = pattern_.kind == LevelKind::rack_power;
  std::map<std::string, std::string> out{{"kind", "training"}};
  out["level"] = power ? "rack_power [W]" : "utilisation [1]";
  out["step"] =
      fmt::format("{} s, compute share {}, rise {} s, fall {} s, {} to {}", pattern_.period, pattern_.compute_share,
                  pattern_.rise_time, pattern_.fall_time, pattern_.low, pattern_.high);
  out["racks"] = std::to_string(std::count(in_job_.begin(), in_job_.end(), 1));
  out["phase_spread"] = fmt::format("{} s, seed {}", pattern_.phase_spread, pattern_.seed);
  if (const auto& c = pattern_.checkpoint)
    out["checkpoint"] = fmt::format("every {} s for {} s at {}", c->every, c->duration, c->level);
  if (const auto& d = pattern_.drop) out["drop"] = fmt::format("at {} s over {} s to {}", d->at, d->over, d->level);
  return out;
}

}  // namespace podtwin::scenarios
