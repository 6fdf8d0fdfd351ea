// Tables of numbers from files of other people: CSV with unit-bearing headers, EPW weather, published request traces.
#pragma once

#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/system/quantity.hpp"

namespace podtwin::data {

/// One column in SI.
struct TableColumn {
  std::string name;  ///< header without its unit
  Quantity quantity = Quantity::none;
  std::vector<double> values;
};

struct Table {
  std::string file;
  std::vector<TableColumn> columns;
  std::vector<int> lines;  ///< [row] line in the file
  const TableColumn* find(const std::string& name) const;
};

/// What a column of a table has to be.
struct WantedColumn {
  std::string name;
  Quantity quantity = Quantity::none;
  double low = 0.0, high = 0.0;  ///< SI; inclusive
  bool optional = false;
};

/// Reads a CSV whose header carries units ("dry_bulb [degC]"); `#` begins a comment line; CRLF, a byte-order mark and a
/// last line without end are fine. The first wanted column must rise. Problems name line and column of the file.
Table readTable(const std::string& path, const std::vector<WantedColumn>& wanted, Diagnostics& problems);

/// Weather by time.
struct WeatherTable {
  std::vector<double> time;               ///< s; of a CSV as in the file, of an EPW from 1 January 00:00 UTC
  std::vector<double> dry_bulb;           ///< K
  std::vector<double> relative_humidity;  ///< 1
  std::vector<double> pressure;           ///< Pa; empty when the file has none
  bool of_a_year = false;                 ///< EPW: repeats every year
};

/// EPW (by its first word LOCATION) or CSV with time [s], dry_bulb, relative_humidity and optionally pressure.
/// Missing codes and gaps of an EPW are errors unless `interpolate_gaps`.
WeatherTable readWeather(const std::string& path, bool interpolate_gaps, Diagnostics& problems);

/// Requests in order of arrival.
struct RequestTrace {
  std::vector<double> arrival;  ///< s from the first request
  std::vector<double> context_tokens, generated_tokens;
};

/// TIMESTAMP,ContextTokens,GeneratedTokens as the Azure LLM trace 2023 is published.
RequestTrace readRequestTrace(const std::string& path, Diagnostics& problems);
/// True when a file has the header of such a trace.
bool isRequestTrace(const std::string& path);

}  // namespace podtwin::data
