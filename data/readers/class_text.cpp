#include "data/readers/class_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "data/readers/units.hpp"

namespace podtwin::data {

namespace {

using Row = std::vector<std::string>;

/// A heading and rows in columns as wide as their longest entry; the last column is free.
void append(std::string& out, const std::string& title, const std::vector<Row>& rows) {
  if (rows.empty()) return;
  out += "\n" + title + "\n";
  constexpr std::size_t kWidest = 34;  // characters of a column; a longer entry pushes its own line only
  std::vector<std::size_t> width(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::min(kWidest, std::max(width[k], row[k].size()));
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t k = 0; k < row.size(); ++k)
      line += k + 1 < row.size() ? fmt::format(" {:<{}} ", row[k], width[k]) : " " + row[k];
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

std::string withUnit(std::string_view name, Quantity quantity) {
  const std::string unit = unitText(quantity);
  return std::string(name) + (unit.empty() ? "" : " [" + unit + "]");
}

std::string formOf(const ParameterInfo& p) {
  switch (p.kind) {
    case ParameterKind::number:
      return p.quantity == Quantity::none ? "number" : std::string(quantityName(p.quantity));
    case ParameterKind::integer:
      return "whole number";
    case ParameterKind::flag:
      return "true or false";
    case ParameterKind::choice: {
      std::string text(p.choices);
      for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 3))
        text.replace(at, 1, " | ");
      return text;
    }
    case ParameterKind::text:
      return "text";
    case ParameterKind::numbers:
      return "[" + std::string(exampleOf(p.quantity)) + ", ...]";
    case ParameterKind::curve:
      return "[[" + std::string(exampleOf(p.quantity)) + ", " + std::string(exampleOf(p.ordinate)) + "], ...]";
  }
  return "";
}

}  // namespace

bool isRequired(const ParameterInfo& p) {
  if (p.optional || p.kind == ParameterKind::choice) return false;
  const bool scalar =
      p.kind == ParameterKind::number || p.kind == ParameterKind::integer || p.kind == ParameterKind::flag;
  return !scalar || std::isnan(p.fallback);
}

std::optional<std::string> defaultText(const ParameterInfo& p) {
  if (p.kind == ParameterKind::choice) return std::string(p.choices.substr(0, p.choices.find('|')));
  if (std::isnan(p.fallback)) return std::nullopt;
  switch (p.kind) {
    case ParameterKind::number:
      if (!std::isfinite(p.fallback)) return std::nullopt;
      return customaryText(p.fallback, p.quantity);
    case ParameterKind::integer:
      return fmt::format("{:.0f}", p.fallback);
    case ParameterKind::flag:
      return p.fallback != 0.0 ? "true" : "false";
    default:
      return std::nullopt;
  }
}

std::string bandText(const ParameterInfo& p) {
  const bool low = std::isfinite(p.low), high = std::isfinite(p.high);
  const auto text = [&](double value) {
    return p.kind == ParameterKind::integer ? fmt::format("{:.0f}", value) : customaryText(value, p.quantity);
  };
  if (p.kind == ParameterKind::flag || p.kind == ParameterKind::choice || p.kind == ParameterKind::text) return "";
  if (low && high) return text(p.low) + " to " + text(p.high);
  if (low) return "at least " + text(p.low);
  return high ? "at most " + text(p.high) : "";
}

std::string unitText(Quantity quantity) {
  const std::string unit(siUnit(quantity));
  return unit == "1" ? "" : unit;
}

std::string limitText(const ClassInfo& info, const LimitInfo& limit) {
  Quantity quantity = Quantity::none;
  bool yes = false;  // a signal of 0 or 1
  for (const auto& signal : info.signals)
    if (signal.name == limit.signal) {
      quantity = signal.quantity;
      yes = signal.type == SignalType::integer && limit.above && limit.value > 0.0 && limit.value < 1.0;
    }
  std::string text = yes ? "while " : limit.above ? "above " : "below ";
  if (yes)
    text += "1";
  else
    text += limit.parameter.empty() ? customaryText(limit.value, quantity) : "`" + std::string(limit.parameter) + "`";
  if (limit.delay > 0.0) text += " for " + customaryText(limit.delay, Quantity::time);
  return text;
}

std::string classText(const ClassInfo& info) {
  std::string out = std::string(info.name) + ": " + std::string(info.title) + "\n";
  out += "  equations: " +
         std::filesystem::path("model/components/" + std::string(info.page)).lexically_normal().string() + "\n";
  out += "  recorded as /" + std::string(info.group) + "/SIGNAL\n";
  if (!info.user_visible) out += "  a part that other equipment or the plant makes: no pod file names it as a class\n";
  std::vector<Row> rows;
  for (const auto& port : info.ports)
    rows.push_back({std::string(port.name),
                    port.count == PortCount::one    ? "required"
                    : port.count == PortCount::many ? "any number"
                                                    : "optional",
                    std::string(port.meaning)});
  append(out, "ports", rows);
  rows.clear();
  for (const auto& p : info.parameters) {
    const auto standard = defaultText(p);
    rows.push_back({std::string(p.name), formOf(p), isRequired(p) ? "required" : standard.value_or("optional"),
                    bandText(p), std::string(p.meaning)});
  }
  if (!rows.empty()) rows.insert(rows.begin(), {"NAME", "KIND", "DEFAULT", "RANGE", "MEANING"});
  append(out, "parameters", rows);
  rows.clear();
  for (const auto& s : info.signals)
    rows.push_back({s.by_instance ? std::string(s.name) + " [of what it measures]" : withUnit(s.name, s.quantity),
                    std::string(s.meaning)});
  append(out, "signals (unit in the result)", rows);
  rows.clear();
  for (const auto& c : info.commands) {
    std::string with;
    if (!c.argument.empty())
      with = "with: {" + std::string(c.argument) + ": " +
             (c.by_instance ? "VALUE" : std::string(exampleOf(c.quantity))) + "}";
    rows.push_back({std::string(c.verb), with, std::string(c.meaning)});
  }
  append(out, "verbs of events (`do:`)", rows);
  rows.clear();
  for (const auto& r : info.refusals) rows.push_back({std::string(r.verb), std::string(r.reason)});
  append(out, "verbs that it refuses", rows);
  rows.clear();
  for (const auto& l : info.limits)
    rows.push_back({std::string(l.signal), limitText(info, l), std::string(l.kind), std::string(l.source)});
  append(out, "limits that it brings along", rows);
  return out;
}

}  // namespace podtwin::data
