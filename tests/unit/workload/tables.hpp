// Plain reading of the tables these tests use; the product's own reader is tested elsewhere.
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenarios/workload/request_series.hpp"

namespace podtwin::scenarios::testing {

struct Table {
  std::string header;
  std::vector<std::vector<std::string>> rows;
};

inline Table readTable(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  Table out;
  std::string line;
  std::getline(file, out.header);
  if (!out.header.empty() && out.header.back() == '\r') out.header.pop_back();
  while (std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> fields;
    std::stringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    out.rows.push_back(fields);
  }
  return out;
}

inline std::filesystem::path assets() { return std::filesystem::path(PODTWIN_SOURCE_DIR) / "data"; }

inline RequestSeries shippedSeries() {
  RequestSeries out;
  for (const auto& row : readTable(assets() / "workloads" / "azure-2023-conversation-10s.csv").rows) {
    out.time.push_back(std::stod(row.at(0)));
    out.requests.push_back(std::stod(row.at(1)));
    out.context_tokens.push_back(std::stod(row.at(2)));
    out.generated_tokens.push_back(std::stod(row.at(3)));
  }
  out.window = out.time.at(1) - out.time.at(0);
  return out;
}

inline std::array<double, 24> shippedFactors() {
  std::array<double, 24> out{};
  const Table table = readTable(assets() / "workloads" / "servegen-m-small-hourly.csv");
  if (table.rows.size() != out.size()) throw std::runtime_error("expected 24 hourly factors");
  for (const auto& row : table.rows) out.at(static_cast<std::size_t>(std::stoul(row.at(0)))) = std::stod(row.at(1));
  return out;
}

}  // namespace podtwin::scenarios::testing
