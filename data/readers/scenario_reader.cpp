#include "data/readers/scenario_reader.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>
#include <limits>
#include <set>

#include "data/readers/units.hpp"
#include "data/readers/yaml_document.hpp"
#include "data/readers/yaml_helpers.hpp"

namespace podtwin::data {

namespace {

/// The tree with the value at `path` replaced or added; untouched parts are shared. Nothing when the path cannot exist.
YamlPointer replaced(const YamlPointer& node, const std::vector<std::string>& path, std::size_t level,
                     const YamlPointer& value, const SourceMark& where) {
  if (level == path.size()) return value;
  auto copy = std::make_shared<YamlNode>(*node);
  const std::string& key = path[level];
  if (node->isSequence()) {
    std::size_t index = 0;
    const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (code != std::errc{} || end != key.data() + key.size() || index >= node->items.size()) return nullptr;
    copy->items[index] = replaced(node->items[index], path, level + 1, value, where);
    return copy->items[index] ? copy : nullptr;
  }
  if (!node->isMap()) return nullptr;
  for (auto& entry : copy->entries)
    if (entry.key == key) {
      entry.value = replaced(entry.value, path, level + 1, value, where);
      if (level + 1 == path.size()) entry.where = where;
      return entry.value ? copy : nullptr;
    }
  YamlPointer inner = value;
  if (level + 1 < path.size()) {
    auto empty = std::make_shared<YamlNode>();
    empty->kind = YamlNode::Kind::map;
    empty->where = where;
    inner = replaced(empty, path, level + 1, value, where);
    if (!inner) return nullptr;
  }
  copy->entries.push_back({key, where, inner});
  return copy;
}

/// In `record:` beside the classes of the plant.
constexpr std::string_view kRestartClass = "restart";
constexpr double kShortestRecord = 1e-3;  // s; shorter is another kind of simulation

class ScenarioReader {
 public:
  ScenarioReader(const ReadOptions& options, Diagnostics& diagnostics) : options_(options), problems_(diagnostics) {}

  ScenarioDescription read(const std::string& path) {
    scenario_.file = path;
    file(path, SourceMark{path, 0, 0}, true);
    return std::move(scenario_);
  }

 private:
  void file(const std::string& path, const SourceMark& from, bool is_top) {
    std::error_code code;
    const std::string key = std::filesystem::weakly_canonical(path, code).string();
    if (std::find(stack_.begin(), stack_.end(), key) != stack_.end()) {
      problems_.error(
          from, "`include` goes in a circle: " + std::filesystem::path(path).filename().string() + " includes itself",
          "remove one of the includes");
      return;
    }
    if (!loaded_.insert(key).second) return;  // included by two files: once is enough
    YamlPointer root;
    try {
      documents_.push_back(YamlDocument::load(path));
      root = documents_.back().rootPointer();
    } catch (const InputError& problem) {
      for (const auto& one : problem.problems()) problems_.error(one.where, one.what, one.remedy);
      return;
    }
    scenario_.files.push_back(path);
    scenario_.source_text += "# ---- " + path + "\n" + documents_.back().text();
    if (!scenario_.source_text.ends_with('\n')) scenario_.source_text += '\n';
    if (!checkHeader(*root, "scenario", problems_)) return;
    if (is_top) root = overridden(root);
    roots_.push_back(root);
    stack_.push_back(key);
    Fields top(*root, "scenario", problems_);
    top.take("podtwin");
    for (const auto& [include, where] : top.texts("include"))
      if (const auto found = resolvePath(include, path, options_.search_paths, where, problems_))
        file(*found, where, false);
    // Lists of included files come first; single values of the including file win, because they are read last.
    scalars(top, path);
    if (const YamlNode* list = top.list("events"))
      for (const auto& item : list->items) event(*item);
    if (const YamlNode* list = top.list("windows")) scenario_.windows = readWindows(*list, problems_);
    if (const YamlNode* list = top.list("record"))
      for (const auto& item : list->items) record(*item);
    if (const YamlNode* list = top.list("expect"))
      for (const auto& item : list->items) expectation(*item);
    if (const YamlNode* map = top.map("limits"))
      for (const auto& entry : map->entries) limit(entry);
    for (const auto& [text, where] : top.texts("out_of_service"))
      if (auto address = parseAddress(text, SignalPart::forbidden, where, problems_))
        scenario_.out_of_service.push_back(std::move(*address));
    if (is_top) required(top);
    top.finish();
    stack_.pop_back();
  }

  YamlPointer overridden(YamlPointer root) {
    constexpr std::string_view kPrefix = "scenario.";
    for (const auto& text : options_.set_overrides) {
      if (!text.starts_with(kPrefix)) continue;
      const SourceMark where{"--set", 0, 0};
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) {
        problems_.error(where, "`" + text + "` has no `=`", "write 'ADDRESS=VALUE', as in 'scenario.duration=2 h'");
        continue;
      }
      std::vector<std::string> path(1);
      for (const char c : text.substr(kPrefix.size(), equals - kPrefix.size())) {
        if (c == '.')
          path.emplace_back();
        else
          path.back() += c;
      }
      if (std::any_of(path.begin(), path.end(), [](const std::string& part) { return part.empty(); }) ||
          path.size() > 8) {
        problems_.error(where, "`" + text + "` names no key",
                        "write 'scenario.KEY=VALUE', as in 'scenario.duration=2 h'");
        continue;
      }
      try {
        overrides_.push_back(YamlDocument::parseAt(text.substr(equals + 1), where));
      } catch (const InputError& problem) {
        for (const auto& one : problem.problems())
          problems_.error(one.where, "`" + text + "`: " + one.what, one.remedy);
        continue;
      }
      YamlPointer next = replaced(root, path, 0, overrides_.back().rootPointer(), where);
      if (next)
        root = std::move(next);
      else
        problems_.error(where, "`" + text + "`: the scenario has no such place",
                        "check the key; list items are numbered from 0");
    }
    return root;
  }

  SourceMark valueMark(Fields& fields, std::string_view key) const { return fields.node().find(key)->value->where; }

  void scalars(Fields& top, const std::string& path) {
    if (const auto title = top.text("title")) scenario_.title = *title;
    if (const auto pod = top.text("pod")) {
      scenario_.pod_where = valueMark(top, "pod");
      if (const auto found = resolvePath(*pod, path, options_.search_paths, scenario_.pod_where, problems_))
        scenario_.pod = *found;
      pod_named_ = true;
    }
    if (const auto start = top.text("start"))
      if (const auto time = parseTimestamp(*start, valueMark(top, "start"), problems_, top.label("start"))) {
        scenario_.start = *time;
        scenario_.start_given = true;
      }
    if (top.has("duration")) duration_named_ = true;
    if (const auto duration = top.duration("duration")) {
      if (*duration > 0.0)
        scenario_.duration = *duration;
      else
        problems_.error(valueMark(top, "duration"), top.label("duration") + ": 0 s is no duration",
                        "write `duration: 24 h`, for instance");
    }
    if (const auto seed = top.integer("seed", 0, std::numeric_limits<long long>::max()))
      scenario_.seed = static_cast<std::uint64_t>(*seed);
    if (const YamlNode* node = top.map("weather")) weather(*node, path);
    if (const YamlNode* node = top.map("workload")) workload(*node, path);
    if (const YamlNode* node = top.map("solver")) solver(*node);
    if (const YamlEntry* entry = top.take("from")) start(*entry->value, path);
  }

  void required(Fields& top) {
    if (!pod_named_ && !top.has("pod")) top.missing("pod", "name the pod file, relative to this file");
    if (!duration_named_) top.missing("duration", "write `duration: 24 h`, for instance");
  }

  std::string path(Fields& fields, std::string_view key, const std::string& from) {
    const auto text = fields.text(key);
    if (!text) return "";
    return resolvePath(*text, from, options_.search_paths, valueMark(fields, key), problems_).value_or("");
  }

  void band(Fields& fields, std::string_view key, const std::optional<double>& value, double low, double high,
            Quantity kind) {
    if (value && (*value < low || *value > high)) {
      const std::string& written = fields.node().find(key)->value->text;
      const bool above = *value > high;
      problems_.error(valueMark(fields, key),
                      fields.label(key) + ": " + written + " is " + (above ? "above " : "below ") +
                          textInUnitOf(written, above ? high : low, kind),
                      (kind == Quantity::ratio && above && *value <= 100.0 && parseNumber(written)
                           ? "write `" + written + " %` if per cent is meant, or "
                           : std::string()) +
                          "give a value from " + textInUnitOf(written, low, kind) + " to " +
                          textInUnitOf(written, high, kind));
    }
  }

  void weather(const YamlNode& node, const std::string& from) {
    constexpr double kColdest = 180.0;  // K; below the coldest air measured on Earth (184 K, Vostok)
    constexpr double kHottest = 335.0;  // K; above the hottest air measured on Earth (330 K, Death Valley)
    constexpr double kThinnest = 3e4;   // Pa; the summit of Everest has 33 kPa
    constexpr double kDensest = 1.1e5;  // Pa; the highest sea-level pressure measured is 108.5 kPa
    WeatherDescription weather;
    weather.where = node.where;
    Fields fields(node, "`weather`", problems_);
    if (fields.has("file")) {
      weather.file = path(fields, "file", from);
      if (const auto gaps = fields.choice("gaps", {"error", "interpolate"}))
        weather.interpolate_gaps = *gaps == "interpolate";
    } else {
      fields.take("file");
      const auto dry_bulb = fields.quantity("dry_bulb", Quantity::temperature);
      const auto humidity = fields.quantity("relative_humidity", Quantity::ratio);
      const auto pressure = fields.quantity("pressure", Quantity::pressure_absolute);
      band(fields, "dry_bulb", dry_bulb, kColdest, kHottest, Quantity::temperature);
      band(fields, "relative_humidity", humidity, 0.0, 1.0, Quantity::ratio);
      band(fields, "pressure", pressure, kThinnest, kDensest, Quantity::pressure_absolute);
      if (!fields.has("dry_bulb"))
        fields.missing("dry_bulb", "write `{dry_bulb: 35 degC, relative_humidity: 40 %}` or `{file: FILE}`");
      weather.wet_bulb = fields.quantity("wet_bulb", Quantity::temperature);
      band(fields, "wet_bulb", weather.wet_bulb, kColdest, kHottest, Quantity::temperature);
      if (fields.has("wet_bulb")) {
        weather.wet_bulb_where = valueMark(fields, "wet_bulb");
        if (fields.has("relative_humidity"))
          problems_.error(valueMark(fields, "relative_humidity"),
                          "`weather` has both wet_bulb and relative_humidity: one follows from the other",
                          "leave one of them out");
      } else if (!fields.has("relative_humidity"))
        fields.missing("relative_humidity", "write `{dry_bulb: 35 degC, relative_humidity: 40 %}` or `{file: FILE}`");
      weather.dry_bulb = dry_bulb.value_or(weather.dry_bulb);
      weather.relative_humidity = humidity.value_or(weather.relative_humidity);
      weather.pressure = pressure.value_or(weather.pressure);
      weather.pressure_given = pressure.has_value();
    }
    fields.finish();
    scenario_.weather = weather;
  }

  void workload(const YamlNode& node, const std::string& from) {
    WorkloadDescription work;
    work.where = node.where;
    Fields fields(node, "`workload`", problems_);
    const auto kind = fields.choice("kind", {"requests", "constant", "step", "series", "training", "idle"});
    if (!kind) {
      if (!fields.has("kind")) fields.missing("kind", "write one of requests, constant, step, series, training, idle");
      return;
    }
    const auto factor = [&] {
      if (const auto text = fields.text("scale")) {
        const auto value = parseNumber(*text);
        if (value && *value > 0.0)
          work.scale = *value;
        else
          problems_.error(valueMark(fields, "scale"), fields.label("scale") + ": `" + *text + "` is no number above 0",
                          "write a factor without unit, such as 4000");
      }
    };
    const auto needsFile = [&] {
      work.file = path(fields, "file", from);
      if (!fields.has("file")) fields.missing("file", "name the trace, relative to this file");
    };
    if (*kind == "requests") {
      work.kind = WorkloadDescription::Kind::requests;
      needsFile();
      factor();
      if (const auto placement = fields.choice("placement", {"packed", "spread"})) work.placement = *placement;
      if (const auto seed = fields.integer("seed", 0, std::numeric_limits<long long>::max()))
        work.seed = static_cast<std::uint64_t>(*seed);
      work.hourly_factors = path(fields, "hourly_factors", from);
    } else if (*kind == "constant") {
      work.kind = WorkloadDescription::Kind::constant;
      const auto power = fields.text("rack_power");
      const auto utilisation = fields.text("utilisation");
      if (fields.has("rack_power") == fields.has("utilisation")) {
        problems_.error(node.where, "`workload` of kind constant needs one of `rack_power` and `utilisation`",
                        "write `rack_power: 142 kW`, for instance");
      } else if (power) {
        if (const auto value = parseQuantity(*power, Quantity::power, valueMark(fields, "rack_power"), problems_,
                                             fields.label("rack_power"))) {
          work.level = {true, *value};
          band(fields, "rack_power", value, 0.0, 1e8, Quantity::power);  // 100 MW a rack is far beyond any
        }
      } else if (utilisation) {
        if (const auto value = parseQuantity(*utilisation, Quantity::ratio, valueMark(fields, "utilisation"), problems_,
                                             fields.label("utilisation"))) {
          work.level = {false, *value};
          band(fields, "utilisation", value, 0.0, 1.0, Quantity::ratio);
        }
      }
    } else if (*kind == "step") {
      work.kind = WorkloadDescription::Kind::step;
      steps(fields, node, work);
    } else if (*kind == "series") {
      work.kind = WorkloadDescription::Kind::series;
      needsFile();
      factor();
      if (const auto column = fields.text("column"))
        work.column = *column;
      else if (!fields.has("column"))
        fields.missing("column", "name the column, without its unit");
      work.hourly_factors = path(fields, "hourly_factors", from);
    } else if (*kind == "training") {
      work.kind = WorkloadDescription::Kind::training;
      work.training = readTraining(fields, problems_);
      if (const auto seed = fields.integer("seed", 0, std::numeric_limits<long long>::max()))
        work.seed = static_cast<std::uint64_t>(*seed);
    }
    fields.finish();
    scenario_.workload = work;
  }

  void steps(Fields& fields, const YamlNode& node, WorkloadDescription& work) {
    const auto times = fields.texts("at");
    const auto levels = fields.texts("levels");
    if (times.empty() || times.size() != levels.size()) {
      problems_.error(node.where,
                      "`workload` of kind step has " + std::to_string(times.size()) + " times in `at` and " +
                          std::to_string(levels.size()) + " values in `levels`",
                      "give as many levels as times, as in `at: [0 s, 1 h], levels: [20 kW, 142 kW]`");
      return;
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto at = parseDuration(times[i].first, times[i].second, problems_, fields.label("at"));
      const auto value = readLevel(levels[i].first, levels[i].second, fields.label("levels"), problems_);
      if (!at || !value) continue;
      if (!work.steps.empty() && *at <= work.steps.back().first) {
        problems_.error(times[i].second,
                        fields.label("at") + ": " + times[i].first + " is not later than the time before it",
                        "sort the times");
        continue;
      }
      work.steps.emplace_back(*at, *value);
    }
  }

  void solver(const YamlNode& node) {
    Fields fields(node, "`solver`", problems_);
    if (const auto method = fields.choice("method", {"arkode", "cvode", "rosenbrock"}))
      scenario_.solver.method = *method;
    if (const auto text = fields.text("rtol")) {
      constexpr double kTightest = 1e-12;  // below it rounding of the temperatures themselves shows
      constexpr double kLoosest = 1e-1;
      const auto value = parseNumber(*text);
      if (value && *value >= kTightest && *value <= kLoosest)
        scenario_.solver.rtol = *value;
      else
        problems_.error(valueMark(fields, "rtol"),
                        fields.label("rtol") + ": `" + *text + "` is no number from 1e-12 to 0.1",
                        "write 1e-5, for instance");
    }
    if (const auto step = fields.duration("max_step")) {
      if (*step > 0.0)
        scenario_.solver.max_step = *step;
      else
        problems_.error(valueMark(fields, "max_step"), fields.label("max_step") + ": 0 s is no step",
                        "leave it out for no limit");
    }
    fields.finish();
  }

  void start(const YamlNode& node, const std::string& from) {
    StartDescription start;
    start.where = node.where;
    if (node.isMap()) {
      Fields fields(node, "`from`", problems_);
      start.kind = StartDescription::Kind::result;
      start.file = path(fields, "result", from);
      if (!fields.has("result")) fields.missing("result", "write `{result: run.h5, at: 3 h}`");
      start.at = fields.duration("at");
      if (fields.has("at")) start.at_where = valueMark(fields, "at");
      fields.finish();
    } else if (const auto text = scalarText(node, "`from`", problems_)) {
      if (*text == "steady")
        start.kind = StartDescription::Kind::steady;
      else if (*text == "cold")
        start.kind = StartDescription::Kind::cold;
      else {
        start.kind = StartDescription::Kind::checkpoint;
        const std::string near = nearestName(*text, {"steady", "cold"});
        if (!near.empty() && text->find('.') == std::string::npos)
          problems_.error(node.where, "`from`: `" + *text + "` is no start state", "did you mean `" + near + "`?");
        else
          start.file = resolvePath(*text, from, options_.search_paths, node.where, problems_).value_or("");
      }
    }
    scenario_.from = start;
  }

  void event(const YamlNode& node) {
    EventDescription event;
    event.where = node.where;
    Fields fields(node, "event", problems_);
    if (!node.isMap()) return;
    event.at = fields.duration("at");
    if (const auto when = fields.text("when"))
      event.condition = parseComparison(*when, node.find("when")->value->markAt(0), problems_);
    if (fields.has("at") == fields.has("when"))
      problems_.error(node.where, "event: one of `at` and `when` is due",
                      "write `at: 12 h`, or `when: \"max(gpu[*].t_junction) > 85 degC\"`");
    if (const auto hold = fields.duration("for")) event.hold = *hold;
    if (fields.has("for") && !fields.has("when"))
      problems_.error(node.find("for")->where, "event: `for` belongs to `when`", "remove it, or give a condition");
    for (const auto& [text, where] : fields.texts("target"))
      if (auto address = parseAddress(text, SignalPart::forbidden, where, problems_))
        event.targets.push_back(std::move(*address));
    if (!fields.has("target")) fields.missing("target", "name the equipment, as in `target: tcs1-P1`");
    if (const auto verb = fields.text("do")) {
      event.verb = *verb;
      event.verb_where = node.find("do")->value->where;
      if (!isIdentifier(*verb))
        problems_.error(event.verb_where, "event: `" + *verb + "` is no verb",
                        "write one word, such as trip, open, close, set");
    } else if (!fields.has("do")) {
      fields.missing("do", "name what happens, as in `do: trip`");
    }
    if (const YamlNode* with = fields.map("with"))
      for (const auto& entry : with->entries)
        if (auto text = scalarText(*entry.value, "`" + entry.key + "` of `with`", problems_))
          event.arguments.push_back({entry.key, {std::move(*text), entry.value->where}});
    if (const auto note = fields.text("note")) event.note = *note;
    fields.finish();
    scenario_.events.push_back(std::move(event));
  }

  double period(Fields& fields, const std::string& example) {
    const auto period = fields.duration("period");
    if (period && *period <= 0.0)
      problems_.error(valueMark(fields, "period"), fields.label("period") + ": 0 s is no period",
                      "write `period: " + example + "`, for instance");
    if (!fields.has("period")) fields.missing("period", "write `period: " + example + "`, for instance");
    return period.value_or(0.0);
  }

  /// States are whole: there is nothing to choose but the period.
  void restart(Fields& fields, const YamlNode& node) {
    RestartDescription restart{period(fields, "10 min"), node.where};
    for (const char* key : {"signals", "reduce", "window_period"})
      if (fields.take(key) != nullptr)
        problems_.error(node.find(key)->where, "record: `" + std::string(key) + "` is not for restart states",
                        "remove it; a state is stored whole");
    fields.finish();
    if (scenario_.restart) problems_.error(node.where, "record: class `restart` is recorded twice", "give one period");
    scenario_.restart = restart;
  }

  void record(const YamlNode& node) {
    RecordDescription record;
    record.where = node.where;
    Fields fields(node, "record", problems_);
    if (!node.isMap()) return;
    if (const auto name = fields.text("class")) {
      record.class_name = *name;
      record.class_where = valueMark(fields, "class");
    } else if (!fields.has("class")) {
      fields.missing("class", "name the class to record");
    }
    if (record.class_name == kRestartClass) {
      restart(fields, node);
      return;
    }
    for (auto& [text, where] : fields.texts("signals")) {
      if (text != "*" && !isIdentifier(text))
        problems_.error(where, "record: `" + text + "` is no signal name", "write a name, or \"*\" for all");
      else
        record.signals.push_back({std::move(text), where});
    }
    if (!fields.has("signals")) fields.missing("signals", "name the signals, or write [\"*\"]");
    record.period = period(fields, "10 s");
    if (record.period > 0.0 && record.period < kShortestRecord) {
      problems_.error(valueMark(fields, "period"), fields.label("period") + ": is shorter than 1 ms",
                      "write `period: 1 ms` or more");
      record.period = 0.0;
    }
    if (const auto fine = fields.duration("window_period")) {
      record.window_period = *fine;
      if (*fine < kShortestRecord || (record.period > 0.0 && *fine > record.period))
        problems_.error(valueMark(fields, "window_period"),
                        fields.label("window_period") + ": is shorter than 1 ms or longer than `period`",
                        "give the period of the window, or a multiple of it");
    }
    if (const YamlNode* reduce = fields.map("reduce"))
      for (const auto& entry : reduce->entries) {
        ReduceDescription reduction;
        reduction.where = entry.where;
        const std::size_t dot = entry.key.find('.');
        if (dot == std::string::npos || !isIdentifier(entry.key.substr(0, dot)) ||
            !isIdentifier(entry.key.substr(dot + 1)))
          problems_.error(entry.where, "`reduce`: `" + entry.key + "` is no signal of a part",
                          "write `class.signal`, as in `gpu.t_junction: [max, mean]`");
        reduction.class_name = entry.key.substr(0, dot);
        if (dot != std::string::npos) reduction.signal = entry.key.substr(dot + 1);
        const std::vector<std::string> known = {"min", "max", "mean", "sum"};
        Fields one(*reduce, "`reduce`", problems_);
        for (const auto& [text, where] : one.texts(entry.key)) {
          if (std::find(known.begin(), known.end(), text) == known.end())
            problems_.error(where, "`reduce`: there is no reduction `" + text + "`",
                            suggestion(text, known, "reductions"));
          else
            reduction.kinds.push_back({text, where});
        }
        record.reduce.push_back(std::move(reduction));
      }
    fields.finish();
    scenario_.record.push_back(std::move(record));
  }

  std::optional<TextValue> valueText(Fields& fields, std::string_view key) {
    auto text = fields.text(key);
    if (!text) return std::nullopt;
    if (!parseAnyKind(*text)) {
      problems_.error(valueMark(fields, key), fields.label(key) + ": `" + *text + "` is no number with a unit",
                      "write it as `85 degC`, for instance");
      return std::nullopt;
    }
    return TextValue{std::move(*text), valueMark(fields, key)};
  }

  void expectation(const YamlNode& node) {
    ExpectationDescription expect;
    expect.where = node.where;
    Fields fields(node, "expect", problems_);
    if (!node.isMap()) return;
    if (const auto text = fields.text("signal")) {
      if (auto signal = parseExpression(*text, node.find("signal")->value->markAt(0), problems_))
        expect.signal = std::move(*signal);
    } else if (!fields.has("signal")) {
      fields.missing("signal", "write `signal: \"max(gpu[*].t_junction)\"`, for instance");
    }
    expect.below = valueText(fields, "below");
    expect.above = valueText(fields, "above");
    expect.equals = valueText(fields, "equals");
    expect.tolerance = valueText(fields, "tolerance");
    if (!fields.has("below") && !fields.has("above") && !fields.has("equals"))
      problems_.error(node.where, "expect: one of `below`, `above` and `equals` is due",
                      "write `below: 87 degC`, for instance");
    if (fields.has("equals") && !fields.has("tolerance"))
      problems_.error(node.find("equals")->where, "expect: `equals` needs a `tolerance`",
                      "write `tolerance: 0.5 K`, for instance");
    if (fields.has("tolerance") && !fields.has("equals"))
      problems_.error(node.find("tolerance")->where, "expect: `tolerance` belongs to `equals`", "remove it");
    fields.finish();
    scenario_.expect.push_back(std::move(expect));
  }

  void limit(const YamlEntry& entry) {
    ScenarioLimit limit;
    limit.id = entry.key;
    limit.where = entry.where;
    Fields fields(*entry.value, "limit `" + entry.key + "`", problems_);
    if (!entry.value->isMap()) return;
    if (!isIdentifier(entry.key))
      problems_.error(entry.where,
                      "the limit name `" + entry.key + "` has characters other than letters, digits, _ and -",
                      "rename it");
    if (const auto text = fields.text("signal")) {
      if (auto address =
              parseAddress(*text, SignalPart::required, entry.value->find("signal")->value->markAt(0), problems_))
        limit.signal = std::move(*address);
    } else if (!fields.has("signal")) {
      fields.missing("signal", "give the address of the limited value");
    }
    const auto above = valueText(fields, "above");
    const auto below = valueText(fields, "below");
    if (fields.has("above") == fields.has("below"))
      problems_.error(entry.where, "limit `" + entry.key + "` needs one of `above` and `below`",
                      "write `above: 85 degC`, for instance");
    limit.above = fields.has("above");
    if (const auto& value = limit.above ? above : below) limit.value = *value;
    if (const auto delay = fields.duration("delay")) limit.delay = *delay;
    limit.kind = fields.choice("kind", {"alarm", "trip", "warranty", "rating"}).value_or("alarm");
    if (const auto source = fields.text("source")) limit.source = *source;
    fields.finish();
    scenario_.limits.push_back(std::move(limit));
  }

  const ReadOptions& options_;
  Diagnostics& problems_;
  ScenarioDescription scenario_;
  std::deque<YamlDocument> documents_, overrides_;
  std::vector<YamlPointer> roots_;
  std::vector<std::string> stack_;
  std::set<std::string> loaded_;
  bool pod_named_ = false, duration_named_ = false;
};

}  // namespace

bool isScenarioKey(std::string_view word) {
  static constexpr std::string_view kKeys[] = {
      "title",  "include", "pod",    "start",  "duration", "seed",   "weather",        "workload",
      "solver", "from",    "events", "record", "expect",   "limits", "out_of_service", "windows"};
  return std::find(std::begin(kKeys), std::end(kKeys), word) != std::end(kKeys);
}

ScenarioDescription readScenario(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics) {
  return ScenarioReader(options, diagnostics).read(path);
}

}  // namespace podtwin::data
