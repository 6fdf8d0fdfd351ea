// A scenario file as plain data: what happens to a pod, when, and what to record. Names of equipment, signals and verbs
// are checked in form only; the plant resolves them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/readers/expression.hpp"
#include "data/readers/load_swings.hpp"
#include "data/readers/pod_reader.hpp"
#include "data/readers/ranges.hpp"
#include "model/base/diagnostics.hpp"

namespace podtwin::data {

/// A value whose kind only the plant knows, with its place.
struct TextValue {
  std::string text;
  SourceMark where;
};

struct WeatherDescription {
  std::string file;                ///< resolved path; empty: constant
  bool interpolate_gaps = false;   ///< `gaps: interpolate`
  double dry_bulb = 288.15;        ///< K, constant weather
  double relative_humidity = 0.5;  ///< 1
  std::optional<double> wet_bulb;  ///< K, in place of the humidity
  SourceMark wet_bulb_where;
  double pressure = 101325.0;   ///< Pa absolute
  bool pressure_given = false;  ///< else the site's elevation may tell it
  SourceMark where;
};

struct WorkloadDescription {
  enum class Kind { idle, constant, step, series, requests, training };
  Kind kind = Kind::idle;
  std::string file;                  ///< resolved path; requests, series
  double scale = 1.0;                ///< requests: factor on the rate; series: factor on the value
  std::string placement = "packed";  ///< requests: packed | spread
  std::uint64_t seed = 0;
  std::string hourly_factors;  ///< resolved path of a series of factors by hour, or empty
  std::string column;          ///< series: name of the column, without its unit
  WorkloadLevel level;         ///< constant
  std::vector<std::pair<double, WorkloadLevel>>
      steps;  ///< step: s from the start, level from then on; idle before the first
  TrainingDescription training;
  SourceMark where;
};

struct SolverDescription {
  std::string method = "arkode";   ///< arkode | cvode | rosenbrock
  std::optional<double> rtol;      ///< 1
  std::optional<double> max_step;  ///< s
};

struct StartDescription {
  enum class Kind { steady, cold, checkpoint, result };
  Kind kind = Kind::steady;
  std::string file;          ///< resolved path of a checkpoint or result
  std::optional<double> at;  ///< s from the start of the result's run; none: its last stored state
  SourceMark where;
  SourceMark at_where;
};

struct EventDescription {
  std::optional<double> at;             ///< s from the start
  std::optional<Comparison> condition;  ///< `when`
  double hold = 0.0;                    ///< s that the condition must last (`for`)
  std::vector<Address> targets;
  std::string verb;                                          ///< `do`
  std::vector<std::pair<std::string, TextValue>> arguments;  ///< `with`
  std::string note;
  SourceMark where;
  SourceMark verb_where;
};

/// "gpu.t_junction: [max, mean]" of a record entry.
struct ReduceDescription {
  std::string class_name, signal;
  std::vector<TextValue> kinds;  ///< min, max, mean, sum
  SourceMark where;
};

struct RecordDescription {
  std::string class_name;
  std::vector<TextValue> signals;  ///< names, or "*"
  double period = 0.0;             ///< s; 0 after an error
  double window_period = 0.0;      ///< s, within a window; 0: `period` there, too
  std::vector<ReduceDescription> reduce;
  SourceMark where;
  SourceMark class_where;
};

/// `record:` entry of class `restart`: how often the whole state is stored.
struct RestartDescription {
  double period = 0.0;  ///< s
  SourceMark where;
};

struct ExpectationDescription {
  Expression signal;
  std::optional<TextValue> below, above, equals, tolerance;
  SourceMark where;
};

struct ScenarioLimit {
  std::string id;
  Address signal;
  bool above = true;
  TextValue value;
  double delay = 0.0;  ///< s
  std::string kind;    ///< alarm | trip | warranty | rating
  std::string source;
  SourceMark where;
};

struct ScenarioDescription {
  std::string file;
  std::string title;
  std::string pod;  ///< resolved path
  SourceMark pod_where;
  double start = 0.0;  ///< s since 1970, UTC
  bool start_given = false;
  double duration = 0.0;                      ///< s
  std::optional<WeatherDescription> weather;  ///< none: the pod's design weather
  WorkloadDescription workload;
  SolverDescription solver;
  StartDescription from;
  std::uint64_t seed = 0;
  std::vector<WindowDescription> windows;  ///< in the order of time, apart from each other
  std::vector<Address> out_of_service;
  std::vector<EventDescription> events;  ///< in file order
  std::vector<RecordDescription> record;
  std::optional<RestartDescription> restart;  ///< none: the default period
  std::vector<ExpectationDescription> expect;
  std::vector<ScenarioLimit> limits;
  std::vector<std::string> files;  ///< the scenario and what it includes, as they were found
  std::string source_text;         ///< of the scenario and what it includes, for provenance
};

/// A key of a scenario's first level: what `--set` takes behind `scenario.`.
bool isScenarioKey(std::string_view word);

/// Reads a scenario with what it includes. `set_overrides` of `scenario.KEY=VALUE` apply here (nested keys by dots,
/// list items by number: `scenario.workload.scale=2`, `scenario.events.0.at=1 h`); the others belong to the pod. All
/// problems are added to `diagnostics`; the pod file itself is not read.
ScenarioDescription readScenario(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics);

}  // namespace podtwin::data
