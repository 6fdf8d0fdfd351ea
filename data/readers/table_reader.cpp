#include "data/readers/table_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "data/readers/text_file.hpp"
#include "data/readers/units.hpp"

namespace podtwin::data {

namespace {

constexpr std::size_t kMostProblems = 20;  // of one file; after that the file is of another kind
constexpr double kZeroCelsius = 273.15;    // K

/// Lines of a text without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  bool next(std::string_view& line) {
    if (at_ >= text_.size()) return false;
    std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    line = text_.substr(at_, end - at_);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    at_ = end + 1;
    ++number_;
    return true;
  }
  int number() const { return number_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int number_ = 0;
};

struct Field {
  std::string text;
  int column;
};

/// Fields of one line; quotes as in RFC 4180.
std::vector<Field> split(std::string_view line) {
  std::vector<Field> fields;
  std::size_t i = 0;
  for (;;) {
    Field field{{}, static_cast<int>(i) + 1};
    if (i < line.size() && line[i] == '"') {
      for (++i; i < line.size(); ++i) {
        if (line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"')
          field.text += line[i++];
        else if (line[i] == '"')
          break;
        else
          field.text += line[i];
      }
      while (i < line.size() && line[i] != ',') ++i;
    } else {
      while (i < line.size() && line[i] != ',') field.text += line[i++];
    }
    const auto first = field.text.find_first_not_of(" \t"), last = field.text.find_last_not_of(" \t");
    field.text = first == std::string::npos ? std::string() : field.text.substr(first, last - first + 1);
    fields.push_back(std::move(field));
    if (i >= line.size()) return fields;
    ++i;
  }
}

/// The number of a field, or a problem.
bool number(const Field& field, const SourceMark& where, const std::string& name, Diagnostics& problems, double& out) {
  const auto value = parseNumber(field.text);
  if (!value) {
    problems.error(
        where, field.text.empty() ? "`" + name + "` is empty" : "`" + name + "` is '" + field.text + "', not a number",
        "mend or remove the row");
    return false;
  }
  out = *value;
  return true;
}

/// Whole number of a field, or -1.
int wholeOf(const Field& field) {
  int value = -1;
  const auto [end, code] = std::from_chars(field.text.data(), field.text.data() + field.text.size(), value);
  return code == std::errc{} && end == field.text.data() + field.text.size() ? value : -1;
}

/// True when an EPW has a row of 29 February.
bool hasLeapDay(std::string_view text) {
  Lines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const std::size_t comma = line.find(',');
    if (comma != std::string_view::npos && line.substr(comma).starts_with(",2,29,")) return true;
  }
  return false;
}

/// Hours since 1 January 00:00 at the start of an EPW row's hour (year, month, day, hour 1 to 24); nothing when there
/// is none.
std::optional<int> hourOfYear(const std::vector<Field>& fields, bool leap) {
  const int days_of[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int month = wholeOf(fields[1]), day = wholeOf(fields[2]), hour = wholeOf(fields[3]);
  if (month < 1 || month > 12 || day < 1 || day > days_of[month - 1] || hour < 1 || hour > 24) return std::nullopt;
  int days = day - 1;
  for (int m = 1; m < month; ++m) days += days_of[m - 1];
  return days * 24 + hour - 1;
}

}  // namespace

const TableColumn* Table::find(const std::string& name) const {
  for (const auto& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

Table readTable(const std::string& path, const std::vector<WantedColumn>& wanted, Diagnostics& problems) {
  Table table;
  table.file = path;
  const std::string text = readTextFile(path, kLargestTableFile);
  const std::size_t before = problems.list().size();
  Lines lines(text);
  std::string_view line;
  std::vector<Field> header;
  int header_line = 0;
  while (header.empty() && lines.next(line)) {
    if (line.empty() || line.front() == '#') continue;
    header = split(line);
    header_line = lines.number();
  }
  if (header.empty()) {
    problems.error({path, 0, 0}, "has no header", "begin with the names and units of its columns");
    return table;
  }
  std::vector<std::string> names;
  std::vector<std::string> units;
  for (const auto& field : header) {
    const auto open = field.text.find('['), close = field.text.rfind(']');
    std::string name = field.text.substr(0, open);
    while (!name.empty() && name.back() == ' ') name.pop_back();
    names.push_back(name);
    units.push_back(open != std::string::npos && close != std::string::npos && close > open
                        ? field.text.substr(open + 1, close - open - 1)
                        : std::string());
  }
  struct Source {
    std::size_t field;
    UnitScale scale;
    const WantedColumn* wanted;
  };
  std::vector<Source> sources;
  for (const auto& column : wanted) {
    const auto found = std::find(names.begin(), names.end(), column.name);
    if (found == names.end()) {
      if (column.optional) continue;
      const std::string near = nearestName(column.name, names);
      problems.error({path, header_line, 1}, "has no column `" + column.name + "`",
                     near.empty() ? "add it, with its unit in brackets" : "rename `" + near + "`");
      continue;
    }
    const auto at = static_cast<std::size_t>(found - names.begin());
    const SourceMark where{path, header_line, header[at].column};
    if (units[at].empty()) {
      problems.error(
          where, "the column `" + column.name + "` states no unit",
          "write `" + column.name + " [" +
              std::string(exampleOf(column.quantity)).substr(std::string(exampleOf(column.quantity)).find(' ') + 1) +
              "]`");
      continue;
    }
    if (const auto scale = parseUnit(units[at], column.quantity, where, problems, "the column `" + column.name + "`")) {
      sources.push_back({at, *scale, &column});
      table.columns.push_back({column.name, column.quantity, {}});
    }
  }
  if (problems.list().size() > before) return table;
  while (lines.next(line)) {
    if (line.empty() || line.front() == '#') continue;
    const auto fields = split(line);
    if (fields.size() != header.size()) {
      problems.error(
          {path, lines.number(), 1},
          "has " + std::to_string(fields.size()) + " fields where the header has " + std::to_string(header.size()),
          "complete or remove the line (was the file cut off?)");
    } else {
      std::vector<double> row;
      for (const auto& source : sources) {
        const SourceMark where{path, lines.number(), fields[source.field].column};
        double value = 0.0;
        if (!number(fields[source.field], where, source.wanted->name, problems, value)) break;
        value = source.scale.scale * value + source.scale.offset;
        if (value < source.wanted->low || value > source.wanted->high) {
          problems.error(where,
                         "`" + source.wanted->name + "` is " + readableText(value, source.wanted->quantity) +
                             ", outside " + readableText(source.wanted->low, source.wanted->quantity) + " to " +
                             readableText(source.wanted->high, source.wanted->quantity),
                         "mend or remove the row");
          break;
        }
        if (row.empty() && !table.lines.empty() && !(value > table.columns.front().values.back())) {
          problems.error(where,
                         "`" + source.wanted->name +
                             "` does not rise: " + readableText(value, source.wanted->quantity) + " follows " +
                             readableText(table.columns.front().values.back(), source.wanted->quantity),
                         "sort the rows");
          break;
        }
        row.push_back(value);
      }
      if (row.size() == sources.size()) {
        for (std::size_t k = 0; k < row.size(); ++k) table.columns[k].values.push_back(row[k]);
        table.lines.push_back(lines.number());
      }
    }
    if (problems.list().size() > before + kMostProblems) return table;
  }
  if (table.lines.empty() && problems.list().size() == before)
    problems.error({path, header_line, 1}, "has no rows", "use a table with values");
  return table;
}

WeatherTable readWeather(const std::string& path, bool interpolate_gaps, Diagnostics& problems) {
  WeatherTable weather;
  const std::string text = readTextFile(path, kLargestTableFile);
  constexpr double kColdest = 180.0, kHottest = 340.0, kLowest = 30e3,
                   kHighest = 120e3;  // K, Pa; outside lies no place on earth
  if (text.rfind("LOCATION", 0) != 0) {
    const Table table = readTable(path,
                                  {{"time", Quantity::time, 0.0, 1e12},
                                   {"dry_bulb", Quantity::temperature, kColdest, kHottest},
                                   {"relative_humidity", Quantity::ratio, 0.0, 1.0},
                                   {"pressure", Quantity::pressure_absolute, kLowest, kHighest, true}},
                                  problems);
    if (const auto* c = table.find("time")) weather.time = c->values;
    if (const auto* c = table.find("dry_bulb")) weather.dry_bulb = c->values;
    if (const auto* c = table.find("relative_humidity")) weather.relative_humidity = c->values;
    if (const auto* c = table.find("pressure")) weather.pressure = c->values;
    return weather;
  }
  // EPW: eight header lines, then hours of local standard time; the years of a typical year differ and mean nothing.
  constexpr int kHeaderLines = 8;
  constexpr std::size_t kFewestFields = 10;
  constexpr double kHour = 3600.0;
  constexpr double kMissingTemperature = 99.9, kMissingHumidity = 999.0, kMissingPressure = 999999.0;
  Lines lines(text);
  std::string_view line;
  double zone = 0.0;
  weather.of_a_year = true;
  // The header's own leap flag is not to be relied on; the rows tell.
  const bool leap = hasLeapDay(text);
  int previous = 0;  // hour of the year of the row before
  std::string previous_name;
  const std::size_t before = problems.list().size();
  while (lines.next(line)) {
    const auto fields = split(line);
    if (lines.number() == 1) {
      constexpr std::size_t kZoneField = 8;
      if (fields.size() <= kZoneField ||
          !number(fields[kZoneField], {path, 1, fields.back().column}, "time zone", problems, zone)) {
        problems.error({path, 1, 1}, "the LOCATION line gives no time zone", "use a complete EPW file");
        return weather;
      }
      continue;
    }
    if (lines.number() == kHeaderLines) {
      if (fields.size() < 3 || fields[0].text != "DATA PERIODS" || fields[2].text != "1") {
        problems.error({path, kHeaderLines, 1}, "the DATA PERIODS line does not say one row an hour",
                       "use an hourly EPW file");
        return weather;
      }
      continue;
    }
    if (lines.number() < kHeaderLines || line.empty()) continue;
    if (fields.size() < kFewestFields) {
      problems.error({path, lines.number(), 1},
                     "has " + std::to_string(fields.size()) + " fields, an hour of an EPW has 35",
                     "use a complete file (was it cut off?)");
      return weather;
    }
    double dry = 0.0, humidity = 0.0, pressure = 0.0;
    const auto at = [&](std::size_t k) { return SourceMark{path, lines.number(), fields[k].column}; };
    if (problems.list().size() > before + kMostProblems) return weather;
    const auto hour = hourOfYear(fields, leap);
    const std::string hour_name = "hour " + fields[3].text + " of " + fields[1].text + "/" + fields[2].text;
    if (!hour) {
      problems.error(at(1), hour_name + " is no hour of a year",
                     "months are 1 to 12, hours 1 to 24; 29 February needs a whole leap year");
      continue;
    }
    if (!previous_name.empty() && (*hour <= previous || (*hour != previous + 1 && !interpolate_gaps)))
      problems.error(at(1), hour_name + " does not follow " + previous_name,
                     *hour > previous ? "allow `gaps: interpolate`, or use a complete file" : "sort the rows");
    previous = *hour;
    previous_name = hour_name;
    constexpr std::size_t kDry = 6, kHumidity = 8, kPressure = 9;
    if (!number(fields[kDry], at(kDry), "dry bulb", problems, dry) ||
        !number(fields[kHumidity], at(kHumidity), "relative humidity", problems, humidity) ||
        !number(fields[kPressure], at(kPressure), "pressure", problems, pressure)) {
      if (problems.list().size() > before + kMostProblems) return weather;
      continue;
    }
    const auto missing = [&](std::size_t k, bool is, const char* name) {
      if (is && !interpolate_gaps)
        problems.error(at(k), std::string("the ") + name + " is missing (" + fields[k].text + ")",
                       "allow `gaps: interpolate`, or use a complete file");
      return is;
    };
    const bool gap = missing(kDry, dry == kMissingTemperature, "dry bulb") |
                     missing(kHumidity, humidity == kMissingHumidity, "relative humidity");
    const bool no_pressure = missing(kPressure, pressure == kMissingPressure, "pressure");
    const double time =
        (static_cast<double>(*hour) + 0.5) * kHour - zone * kHour;  // an hour's value stands in its middle
    if (gap || no_pressure) continue;
    // What EPW itself allows, and no more: a unit mix-up or a lost decimal point shows here.
    const auto within = [&](std::size_t k, double value, double low, double high, const char* what) {
      if (value >= low && value <= high) return true;
      problems.error(at(k), std::string("the ") + what + " " + fields[k].text + " is outside the range of an EPW",
                     "mend the row, or use another file");
      return false;
    };
    constexpr double kColdestEpw = -70.0, kHottestEpw = 70.0, kWettestEpw = 110.0, kThinnestEpw = 31e3,
                     kDensestEpw = 120e3;  // EnergyPlus, Auxiliary Programs
    if (!within(kDry, dry, kColdestEpw, kHottestEpw, "dry bulb") ||
        !within(kHumidity, humidity, 0.0, kWettestEpw, "relative humidity") ||
        !within(kPressure, pressure, kThinnestEpw, kDensestEpw, "pressure"))
      continue;
    weather.time.push_back(time);
    weather.dry_bulb.push_back(dry + kZeroCelsius);
    weather.relative_humidity.push_back(std::min(humidity / 100.0, 1.0));  // EPW allows 110 % of a wet sensor
    weather.pressure.push_back(pressure);
  }
  if (weather.time.empty() && problems.list().size() == before)
    problems.error({path, 0, 0}, "has no hours", "use a complete EPW file");
  return weather;
}

bool isRequestTrace(const std::string& path) {
  const std::string text = readTextFile(path, kLargestTableFile);
  return text.rfind("TIMESTAMP,ContextTokens,GeneratedTokens", 0) == 0;
}

RequestTrace readRequestTrace(const std::string& path, Diagnostics& problems) {
  RequestTrace trace;
  const std::string text = readTextFile(path, kLargestTableFile);
  const std::size_t before = problems.list().size();
  Lines lines(text);
  std::string_view line;
  double first = 0.0, previous = 0.0;
  while (lines.next(line)) {
    const int n = lines.number();
    if (n == 1) {
      if (line != "TIMESTAMP,ContextTokens,GeneratedTokens") {
        problems.error({path, 1, 1}, "has the header '" + std::string(line.substr(0, 60)) + "'",
                       "the published form begins TIMESTAMP,ContextTokens,GeneratedTokens");
        return trace;
      }
      continue;
    }
    if (line.empty()) continue;
    if (problems.list().size() > before + kMostProblems) return trace;
    const auto fields = split(line);
    if (fields.size() != 3) {
      problems.error({path, n, 1}, "has " + std::to_string(fields.size()) + " fields, a request has 3",
                     "complete or remove the line (was the file cut off?)");
      continue;
    }
    const auto stamp = parseTimestampWithoutZone(fields[0].text);
    if (!stamp) {
      problems.error({path, n, 1}, "'" + fields[0].text + "' is no time", "write 2023-11-16 18:15:46.6805900");
      continue;
    }
    double context = 0.0, generated = 0.0;
    if (!number(fields[1], {path, n, fields[1].column}, "ContextTokens", problems, context) ||
        !number(fields[2], {path, n, fields[2].column}, "GeneratedTokens", problems, generated))
      continue;
    if (context < 0.0 || generated < 0.0) {
      problems.error({path, n, fields[context < 0.0 ? 1 : 2].column},
                     "a request of " + fields[context < 0.0 ? 1 : 2].text + " tokens",
                     "token counts are 0 or more; mend or remove the row");
      continue;
    }
    if (!trace.arrival.empty() && *stamp < previous) {
      problems.error({path, n, 1}, "arrives before the request above it", "sort the rows by time");
      continue;
    }
    if (trace.arrival.empty()) first = *stamp;
    previous = *stamp;
    trace.arrival.push_back(*stamp - first);
    trace.context_tokens.push_back(context);
    trace.generated_tokens.push_back(generated);
  }
  if (trace.arrival.empty() && problems.list().size() == before)
    problems.error({path, 0, 0}, "has no requests", "use a trace with rows");
  return trace;
}

}  // namespace podtwin::data
