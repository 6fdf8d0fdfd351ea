#include "data/readers/load_swings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/readers/units.hpp"

namespace podtwin::data {

namespace {

constexpr double kShortestStep = 0.1, kLongestStep = 60.0;       // s; 0.2 to 3 Hz are usual (hardware.csv)
constexpr double kLongest = 1e7;                                 // s
constexpr double kShortestPeriod = 1e-3, kLongestPeriod = 0.02;  // s, of a window
constexpr double kBasePeriod = 1.0;                              // s; windows are made of whole ones
constexpr double kTolerance = 1e-9;                              // of a period

SourceMark markOf(const Fields& fields, std::string_view key) { return fields.node().find(key)->value->where; }

bool whole(double value, double of) { return std::abs(value / of - std::round(value / of)) < kTolerance * value / of; }

/// A duration within a band; `fallback` where it is not given.
double durationOf(Fields& fields, std::string_view key, double low, double high, double fallback,
                  Diagnostics& problems) {
  const auto value = fields.duration(key);
  if (!value) return fallback;
  if (*value >= low && *value <= high) return *value;
  problems.error(
      markOf(fields, key),
      fields.label(key) + ": " + timeText(*value) + " is not from " + timeText(low) + " to " + timeText(high),
      "give a time within them");
  return fallback;
}

std::optional<WorkloadLevel> levelOf(Fields& fields, std::string_view key, Diagnostics& problems) {
  const auto text = fields.text(key);
  if (!text) {
    if (!fields.has(key)) fields.missing(key, "write a rack power such as `142 kW`, or a utilisation such as `80 %`");
    return std::nullopt;
  }
  auto level = readLevel(*text, markOf(fields, key), fields.label(key), problems);
  if (level && level->is_power && level->value == 0.0) {
    problems.error(markOf(fields, key), fields.label(key) + ": a rack that is on draws more than 0 W",
                   "give its idle power, or utilisations in place of powers");
    return std::nullopt;
  }
  return level;
}

void readCheckpoints(const YamlNode& node, TrainingDescription& training, Diagnostics& problems) {
  Fields fields(node, "`checkpoints`", problems);
  TrainingDescription::Checkpoints checkpoints;
  for (const char* key : {"every", "for"})
    if (!fields.has(key)) fields.missing(key, "write `{every: 10 min, for: 20 s, level: 30 %}`, for instance");
  checkpoints.every = durationOf(fields, "every", kShortestStep, kLongest, kLongest, problems);
  checkpoints.duration = durationOf(fields, "for", 0.0, kLongest, 0.0, problems);
  if (checkpoints.duration >= checkpoints.every)
    problems.error(node.where, "`checkpoints`: each lasts until the next begins", "make `for` shorter than `every`");
  if (const auto level = levelOf(fields, "level", problems)) checkpoints.level = *level;
  fields.finish();
  training.checkpoints = checkpoints;
}

void readDrop(const YamlNode& node, TrainingDescription& training, Diagnostics& problems) {
  Fields fields(node, "`drop`", problems);
  TrainingDescription::Drop drop;
  if (!fields.has("at")) fields.missing("at", "write `{at: 5 min, over: 1 s, level: 32 kW}`, for instance");
  drop.at = durationOf(fields, "at", 0.0, kLongest, 0.0, problems);
  drop.over = durationOf(fields, "over", 0.0, kLongest, 0.0, problems);
  if (const auto level = levelOf(fields, "level", problems)) drop.level = *level;
  fields.finish();
  training.drop = drop;
}

}  // namespace

std::string timeText(double seconds) {
  constexpr double kMilliseconds = 1e3;
  return seconds > 0.0 && seconds < 1.0 ? fmt::format("{:.4g} ms", kMilliseconds * seconds)
                                        : fmt::format("{:.6g} s", seconds);
}

std::optional<WorkloadLevel> readLevel(const std::string& text, const SourceMark& where, const std::string& subject,
                                       Diagnostics& problems) {
  const auto value = parseAnyKind(text);
  if (value && value->second == Quantity::power && value->first >= 0.0) return WorkloadLevel{true, value->first};
  if (value && value->second == Quantity::ratio && value->first >= 0.0 && value->first <= 1.0)
    return WorkloadLevel{false, value->first};
  problems.error(where, subject + ": `" + text + "` is neither a power of 0 W or more nor a utilisation of 0 to 100 %",
                 "write `142 kW` (each rack) or `80 %`");
  return std::nullopt;
}

TrainingDescription readTraining(Fields& fields, Diagnostics& problems) {
  TrainingDescription training;
  for (const auto& [text, where] : fields.texts("racks"))
    if (auto address = parseAddress(text, SignalPart::forbidden, where, problems))
      training.racks.push_back(std::move(*address));
  if (!fields.has("period")) fields.missing("period", "write `period: 1 s`, the length of a training step");
  training.period = durationOf(fields, "period", kShortestStep, kLongestStep, 1.0, problems);
  if (const auto share = fields.quantity("compute_share", Quantity::ratio)) {
    training.compute_share = *share;
    if (*share <= 0.0 || *share >= 1.0)
      problems.error(markOf(fields, "compute_share"),
                     fields.label("compute_share") + ": `" + fields.node().find("compute_share")->value->text +
                         "` is not between 0 and 100 %",
                     "give the share of a step that computes, such as `60 %`");
  }
  training.rise_time = durationOf(fields, "rise_time", 0.0, kLongestStep, 0.0, problems);
  training.fall_time = durationOf(fields, "fall_time", 0.0, kLongestStep, 0.0, problems);
  const double computing = training.compute_share * training.period;
  const auto fits = [&](const char* key, double time, double room) {
    if (time > room && fields.has(key))
      problems.error(markOf(fields, key),
                     fields.label(key) + ": " + timeText(time) + " is longer than the " + timeText(room) +
                         " of the step in which it falls",
                     "shorten it, or change `compute_share` or `period`");
  };
  fits("rise_time", training.rise_time, computing);
  fits("fall_time", training.fall_time, training.period - computing);
  training.phase_spread = durationOf(fields, "phase_spread", 0.0, kLongestStep, 0.0, problems);
  std::vector<WorkloadLevel> levels;
  const auto take = [&](const char* key, WorkloadLevel& into) {
    if (const auto level = levelOf(fields, key, problems)) levels.push_back(into = *level);
  };
  take("high", training.high);
  take("low", training.low);
  if (const YamlNode* node = fields.map("checkpoints")) {
    readCheckpoints(*node, training, problems);
    levels.push_back(training.checkpoints->level);
  }
  if (const YamlNode* node = fields.map("drop")) {
    readDrop(*node, training, problems);
    levels.push_back(training.drop->level);
  }
  if (!problems.hasErrors()) {
    for (const auto& level : levels)
      if (level.is_power != levels.front().is_power) {
        problems.error(fields.where(), "`workload` of kind training mixes rack power and utilisation",
                       "give all of its levels in one of them");
        break;
      }
    if (training.low.value > training.high.value)
      problems.error(markOf(fields, "low"), fields.label("low") + ": is above `high`", "exchange them");
  }
  return training;
}

std::vector<WindowDescription> readWindows(const YamlNode& list, Diagnostics& problems) {
  std::vector<WindowDescription> windows;
  for (const auto& item : list.items) {
    Fields fields(*item, "window", problems);
    if (!item->isMap()) continue;
    WindowDescription window;
    window.where = item->where;
    bool whole_window = true;
    for (const char* key : {"from", "for", "period"})
      if (!fields.has(key)) {
        fields.missing(key, "write `{from: 60 s, for: 20 s, period: 5 ms}`, for instance");
        whole_window = false;
      }
    window.from = durationOf(fields, "from", 0.0, kLongest, 0.0, problems);
    window.duration = durationOf(fields, "for", kBasePeriod, kLongest, kBasePeriod, problems);
    window.period = durationOf(fields, "period", kShortestPeriod, kLongestPeriod, kLongestPeriod, problems);
    for (const auto& [key, value] : {std::pair{"from", window.from}, std::pair{"for", window.duration}})
      if (fields.has(key) && !whole(value, kBasePeriod)) {
        problems.error(
            markOf(fields, key),
            fields.label(key) + ": " + timeText(value) + " is no whole number of seconds, at which controllers act",
            "give whole seconds");
        whole_window = false;
      }
    if (fields.has("period")) {
      window.period_where = markOf(fields, "period");
      if (!whole(kBasePeriod, window.period)) {
        problems.error(window.period_where,
                       fields.label("period") + ": " + timeText(window.period) +
                           " does not divide a second, at which controllers act",
                       "give 1, 2, 5, 10 or 20 ms");
        whole_window = false;
      }
    }
    fields.finish();
    if (whole_window) windows.push_back(window);
  }
  std::sort(windows.begin(), windows.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  for (std::size_t k = 1; k < windows.size(); ++k)
    if (windows[k].from < windows[k - 1].from + windows[k - 1].duration)
      problems.error(windows[k].where,
                     "window: begins before the one from line " + std::to_string(windows[k - 1].where.line) + " ends",
                     "let windows follow each other, or join them");
  return windows;
}

}  // namespace podtwin::data
