#include "scenarios/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "data/readers/table_reader.hpp"
#include "data/readers/units.hpp"
#include "data/readers/wet_bulb.hpp"
#include "model/base/diagnostics.hpp"
#include "scenarios/workload/held_workload.hpp"
#include "scenarios/workload/request_workload.hpp"
#include "scenarios/workload/training_workload.hpp"

namespace podtwin::scenarios {

namespace {

constexpr double kDay = 86400.0;  // s

/// Interpolates between rows; before the first and after the last row their values hold.
double at(const std::vector<double>& time, const std::vector<double>& value, double t) {
  if (t <= time.front()) return value.front();
  if (t >= time.back()) return value.back();
  const auto next = static_cast<std::size_t>(std::upper_bound(time.begin(), time.end(), t) - time.begin());
  const double share = (t - time[next - 1]) / (time[next] - time[next - 1]);
  return value[next - 1] + share * (value[next] - value[next - 1]);
}

TrainingPattern patternOf(const data::WorkloadDescription& w) {
  const data::TrainingDescription& t = w.training;
  TrainingPattern pattern;
  pattern.kind = t.high.is_power ? LevelKind::rack_power : LevelKind::utilisation;
  pattern.period = t.period;
  pattern.compute_share = t.compute_share;
  pattern.rise_time = t.rise_time;
  pattern.fall_time = t.fall_time;
  pattern.high = t.high.value;
  pattern.low = t.low.value;
  pattern.phase_spread = t.phase_spread;
  if (t.checkpoints) pattern.checkpoint = {t.checkpoints->every, t.checkpoints->duration, t.checkpoints->level.value};
  if (t.drop) pattern.drop = {t.drop->at, t.drop->over, t.drop->level.value};
  pattern.seed = w.seed;
  return pattern;
}

/// Seconds since 1 January of the year of a time since 1970.
double secondsIntoYear(double since_1970) {
  const auto stamp = data::timestampText(since_1970);
  Diagnostics ignored;
  const auto year = data::parseTimestamp(stamp.substr(0, 4) + "-01-01T00:00:00Z", {}, ignored);
  return since_1970 - year.value_or(0.0);
}

}  // namespace

std::vector<std::string> assetPaths() {
  std::vector<std::string> paths;
  if (const char* given = std::getenv("PODTWIN_DATA"); given != nullptr && *given != '\0') paths.emplace_back(given);
  char program[PATH_MAX];
  if (const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1); length > 0) {
    const std::filesystem::path folder =
        std::filesystem::path(std::string(program, static_cast<std::size_t>(length))).parent_path();
    paths.push_back((folder / "../share/podtwin").lexically_normal().string());
    paths.push_back(folder.string());
  }
  paths.emplace_back(PODTWIN_INSTALL_DATADIR);
  paths.emplace_back(PODTWIN_SOURCE_ROOT);
  return paths;
}

std::string findAsset(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty() || path.front() == '/' || fs::exists(path)) return path;
  for (const auto& folder : assetPaths())
    for (const char* below : {"", "data", "scenarios"})
      if (const fs::path candidate = fs::path(folder) / below / path; fs::is_regular_file(candidate))
        return candidate.lexically_normal().string();
  return path;
}

std::function<Weather(double)> weatherOf(const data::WeatherDescription& description,
                                         const data::ScenarioDescription& scenario, double site_pressure,
                                         Diagnostics& problems) {
  if (description.file.empty()) {
    Weather held{description.dry_bulb, description.relative_humidity,
                 description.pressure_given ? description.pressure : site_pressure};
    if (description.wet_bulb) {
      const auto humidity = data::humidityOfWetBulb(held.dry_bulb, *description.wet_bulb, held.pressure,
                                                    description.wet_bulb_where, "`wet_bulb` of `weather`", problems);
      if (!humidity) return {};
      held.relative_humidity = *humidity;
    }
    return [held](double) { return held; };
  }
  data::WeatherTable table;
  try {
    table = data::readWeather(findAsset(description.file), description.interpolate_gaps, problems);
  } catch (const InputError& error) {
    for (const auto& p : error.problems()) problems.error(p.where, p.what, p.remedy);
  }
  if (problems.hasErrors() || table.time.empty()) return {};
  double offset = 0.0;
  if (table.of_a_year) {
    offset = secondsIntoYear(scenario.start);
    // The year goes round, so that a run across its end and a file in another time zone find their hours.
    const double year = 3600.0 * std::round((table.time.back() - table.time.front()) / 3600.0 + 1.0);
    const std::size_t n = table.time.size();
    for (auto* column : {&table.dry_bulb, &table.relative_humidity, &table.pressure}) {
      std::vector<double> three = *column;
      three.insert(three.end(), column->begin(), column->end());
      three.insert(three.end(), column->begin(), column->end());
      *column = std::move(three);
    }
    std::vector<double> time;
    for (const double shift : {-year, 0.0, year})
      for (std::size_t k = 0; k < n; ++k) time.push_back(table.time[k] + shift);
    table.time = std::move(time);
  } else if (table.time.front() > 1e-6) {
    problems.error(description.where,
                   "the weather begins at " + data::readableText(table.time.front(), Quantity::time) +
                       ", after the start of the run",
                   "give rows from 0 s on; a table's time counts from the start of the scenario");
    return {};
  } else if (scenario.duration > table.time.back() + 1e-6) {
    problems.error(description.where,
                   "the weather ends at " + data::readableText(table.time.back(), Quantity::time) + ", the run at " +
                       data::readableText(scenario.duration, Quantity::time),
                   "use a longer file or a shorter run");
    return {};
  }
  return [table = std::move(table), offset, site_pressure](double t) {
    Weather weather;
    weather.dry_bulb = at(table.time, table.dry_bulb, t + offset);
    weather.relative_humidity = at(table.time, table.relative_humidity, t + offset);
    weather.pressure = table.pressure.empty() ? site_pressure : at(table.time, table.pressure, t + offset);
    return weather;
  };
}

void checkSeries(const System& system, const data::ScenarioDescription& scenario, Diagnostics& problems) {
  for (const auto& set : system.sets())
    for (std::size_t i = 0; i < set->size() && set->info().user_visible; ++i)
      for (const auto& info : set->info().parameters) {
        if (info.kind != ParameterKind::curve || info.quantity != Quantity::time) continue;
        const ParameterValue& given = set->description(i).parameters.at(std::string(info.name));
        if (given.points.empty() || given.source.empty()) continue;  // what is written in the pod file holds its ends
        const double first = given.points.front().first, last = given.points.back().first;
        const std::string of = "`" + std::string(info.name) + "` of '" + set->ids()[i] + "' ";
        if (first > 0.0)
          problems.error(given.where,
                         of + "begins at " + data::readableText(first, Quantity::time) + ", after the start of the run",
                         "give rows from 0 s on; its time counts from the start of the run");
        if (last < scenario.duration)
          problems.error(given.where,
                         of + "ends at " + data::readableText(last, Quantity::time) + ", the run at " +
                             data::readableText(scenario.duration, Quantity::time),
                         "give a longer series, or make the run shorter");
      }
}

std::string seriesProvenance(const System& system) {
  std::string out;
  for (const auto& set : system.sets())
    for (std::size_t i = 0; i < set->size() && set->info().user_visible; ++i)
      for (const auto& info : set->info().parameters) {
        if (info.kind != ParameterKind::curve || info.quantity != Quantity::time) continue;
        const ParameterValue& given = set->description(i).parameters.at(std::string(info.name));
        if (!given.source.empty()) out += set->ids()[i] + "." + std::string(info.name) + ": " + given.source + "\n";
      }
  return out;
}

std::shared_ptr<const Workload> workloadOf(const data::ScenarioDescription& scenario, ItInventory inventory,
                                           std::vector<char> in_job, Diagnostics& problems) {
  using Kind = data::WorkloadDescription::Kind;
  const data::WorkloadDescription& w = scenario.workload;
  if (inventory.gpu_tray.empty()) {
    if (w.kind != Kind::idle) problems.error(w.where, "the pod has no GPUs for a workload", "leave `workload:` out");
    return nullptr;
  }
  const auto kindOf = [](bool power) { return power ? LevelKind::rack_power : LevelKind::utilisation; };
  const auto heldLevels = [&](std::vector<LevelAt> levels, bool power, bool series) -> std::shared_ptr<const Workload> {
    return std::make_shared<HeldWorkload>(
        series ? HeldWorkload::series(std::move(inventory), kindOf(power), std::move(levels), w.where)
               : HeldWorkload::step(std::move(inventory), kindOf(power), std::move(levels), w.where));
  };
  try {
    switch (w.kind) {
      case Kind::idle:
        return std::make_shared<HeldWorkload>(HeldWorkload::idle(std::move(inventory)));
      case Kind::constant:
        return std::make_shared<HeldWorkload>(
            HeldWorkload::constant(std::move(inventory), kindOf(w.level.is_power), w.level.value, w.where));
      case Kind::step: {
        std::vector<LevelAt> levels;
        bool power = false;
        for (const auto& [time, level] : w.steps) {
          if (!levels.empty() && level.is_power != power)
            problems.error(w.where, "steps mix rack power and utilisation", "use one of them");
          power = level.is_power;
          levels.push_back({time, level.value});
        }
        if (problems.hasErrors()) return nullptr;
        return heldLevels(std::move(levels), power, false);
      }
      case Kind::series: {
        const bool power = w.column.find("power") != std::string::npos;
        const data::Table table =
            data::readTable(findAsset(w.file),
                            {{"time", Quantity::time, 0.0, 1e12},
                             {w.column, power ? Quantity::power : Quantity::ratio, 0.0, power ? 1e8 : 1.0}},
                            problems);
        if (problems.hasErrors()) return nullptr;
        std::vector<LevelAt> levels;
        for (std::size_t k = 0; k < table.lines.size(); ++k)
          levels.push_back({table.columns[0].values[k], table.columns[1].values[k] * w.scale});
        return heldLevels(std::move(levels), power, true);
      }
      case Kind::training:
        if (problems.hasErrors()) return nullptr;
        return std::make_shared<TrainingWorkload>(std::move(inventory), std::move(in_job), patternOf(w), w.where);
      case Kind::requests:
        break;
    }
    RequestOptions options;
    options.scale = w.scale;
    options.placement = w.placement == "packed" ? Placement::packed : Placement::spread;
    options.seed = w.seed;
    options.start_of_day = std::fmod(scenario.start, kDay);
    options.where = w.where;
    const std::string file = findAsset(w.file.empty() ? "workloads/azure-2023-conversation-10s.csv" : w.file);
    options.series_name = std::filesystem::path(file).filename().string();
    constexpr double kMostTokens = 1e15;
    if (data::isRequestTrace(file)) {
      const data::RequestTrace trace = data::readRequestTrace(file, problems);
      if (problems.hasErrors()) return nullptr;
      RequestSeriesOptions series;
      series.where = w.where;
      options.series = makeRequestSeries(trace.arrival, trace.context_tokens, trace.generated_tokens, series);
    } else {
      const data::Table table = data::readTable(file,
                                                {{"time", Quantity::time, 0.0, 1e12},
                                                 {"requests", Quantity::ratio, 0.0, kMostTokens},
                                                 {"context_tokens", Quantity::token, 0.0, kMostTokens},
                                                 {"generated_tokens", Quantity::token, 0.0, kMostTokens}},
                                                problems);
      if (problems.hasErrors()) return nullptr;
      options.series.time = table.columns[0].values;
      options.series.requests = table.columns[1].values;
      options.series.context_tokens = table.columns[2].values;
      options.series.generated_tokens = table.columns[3].values;
      options.series.window = options.series.time.size() > 1 ? options.series.time[1] - options.series.time[0] : 0.0;
    }
    if (!w.hourly_factors.empty()) {
      const std::string factors = findAsset(w.hourly_factors);
      const data::Table table = data::readTable(
          factors, {{"hour", Quantity::ratio, 0.0, 23.0}, {"factor", Quantity::ratio, 0.0, 1e6}}, problems);
      if (problems.hasErrors()) return nullptr;
      if (table.lines.size() != options.hourly_factors.size()) {
        problems.error({factors, 0, 0}, "has " + std::to_string(table.lines.size()) + " hours", "give 24");
        return nullptr;
      }
      std::copy(table.columns[1].values.begin(), table.columns[1].values.end(), options.hourly_factors.begin());
      options.factors_name = std::filesystem::path(factors).filename().string();
    }
    return std::make_shared<RequestWorkload>(std::move(inventory), std::move(options));
  } catch (const InputError& error) {
    for (const auto& p : error.problems()) problems.error(p.where, p.what, p.remedy);
    return nullptr;
  }
}

}  // namespace podtwin::scenarios
