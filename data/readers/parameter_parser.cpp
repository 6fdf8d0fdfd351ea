#include "data/readers/parameter_parser.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/readers/table_reader.hpp"
#include "data/readers/text_file.hpp"
#include "data/readers/units.hpp"
#include "model/base/text_hash.hpp"

namespace podtwin::data {

namespace {

std::string curveExample(const ParameterInfo& info) {
  return "write [[" + std::string(exampleOf(info.quantity)) + ", " + std::string(exampleOf(info.ordinate)) +
         "], ...] with rising first values, or {file: NAME.csv}";
}

}  // namespace

std::vector<std::string> splitChoices(std::string_view choices) {
  std::vector<std::string> out;
  while (!choices.empty()) {
    const std::size_t bar = choices.find('|');
    out.emplace_back(choices.substr(0, bar));
    choices = bar == std::string_view::npos ? std::string_view{} : choices.substr(bar + 1);
  }
  return out;
}

std::optional<ParameterValue> ParameterParser::parse(const ParameterInfo& info, const YamlNode& given,
                                                     const std::string& label, const Scope& scope) {
  const YamlNode* node = &given;
  ParameterValue value;
  value.where = given.where;
  const bool of_file = info.kind == ParameterKind::curve && given.isMap() && given.find("file") != nullptr;
  if (given.isMap() && !of_file) {  // {value: ..., source: ...}
    Fields fields(given, label, diagnostics_, scope);
    const YamlEntry* inner = fields.take("value");
    if (const auto source = fields.text("source")) value.source = *source;
    fields.take("note");
    fields.finish();
    if (inner == nullptr) {
      fields.missing("value", "write {value: ..., source: ...}");
      return std::nullopt;
    }
    node = inner->value.get();
    value.where = node->where;
  }
  value.given = true;
  switch (info.kind) {
    case ParameterKind::number: {
      const auto number = quantity(info, info.quantity, *node, label, scope, true);
      if (!number) return std::nullopt;
      value.number = *number;
      return value;
    }
    case ParameterKind::integer: {
      const auto text = scalarText(*node, label, diagnostics_, scope);
      if (!text) return std::nullopt;
      const auto number = parseInteger(*text, label, node->where, diagnostics_);
      if (!number || !inBand(info, Quantity::none, static_cast<double>(*number), *text, label, node->where))
        return std::nullopt;
      value.number = static_cast<double>(*number);
      return value;
    }
    case ParameterKind::flag: {
      const auto text = scalarText(*node, label, diagnostics_, scope);
      if (!text) return std::nullopt;
      const auto flag = parseFlag(*text, label, node->where, diagnostics_);
      if (!flag) return std::nullopt;
      value.number = *flag ? 1.0 : 0.0;
      return value;
    }
    case ParameterKind::choice: {
      const auto text = scalarText(*node, label, diagnostics_, scope);
      if (!text) return std::nullopt;
      const auto choices = splitChoices(info.choices);
      if (std::find(choices.begin(), choices.end(), *text) == choices.end()) {
        diagnostics_.error(node->where, label + ": `" + *text + "` is not known", suggestion(*text, choices, "values"));
        return std::nullopt;
      }
      value.text = *text;
      return value;
    }
    case ParameterKind::text: {
      const auto text = scalarText(*node, label, diagnostics_, scope);
      if (!text) return std::nullopt;
      value.text = *text;
      return value;
    }
    case ParameterKind::numbers:
      return numbers(info, *node, label, scope, std::move(value));
    case ParameterKind::curve:
      return curve(info, *node, label, scope, std::move(value));
  }
  return std::nullopt;
}

bool ParameterParser::inBand(const ParameterInfo& info, Quantity kind, double number, const std::string& written,
                             const std::string& label, const SourceMark& where) {
  constexpr double kPerCent = 100.0;
  constexpr double kRoundOff = 1e-12;  // of a limit, that a change of units may lose: 10000 L/s are 10 m3/s
  const bool low = number < info.low - kRoundOff * std::abs(info.low);
  if (!low && number <= info.high + kRoundOff * std::abs(info.high)) return true;
  const double limit = low ? info.low : info.high;
  const bool bare = kind == Quantity::ratio && parseNumber(written) && number <= kPerCent * info.high;
  diagnostics_.error(where,
                     label + ": " + written + " is " + (low ? "below the lowest value " : "above the highest value ") +
                         textInUnitOf(written, limit, kind),
                     bare && !low ? "write `" + written + " %` if per cent is meant, or a value within its band"
                                  : "give a value within its band, or check the unit");
  return false;
}

std::optional<double> ParameterParser::quantity(const ParameterInfo& info, Quantity kind, const YamlNode& node,
                                                const std::string& label, const Scope& scope, bool banded) {
  const auto text = scalarText(node, label, diagnostics_, scope);
  if (!text) return std::nullopt;
  const auto number = parseQuantity(*text, kind, node.where, diagnostics_, label);
  if (number && banded && !inBand(info, kind, *number, *text, label, node.where)) return std::nullopt;
  return number;
}

std::optional<ParameterValue> ParameterParser::numbers(const ParameterInfo& info, const YamlNode& node,
                                                       const std::string& label, const Scope& scope,
                                                       ParameterValue value) {
  bool good = true;
  const auto add = [&](const YamlNode& item) {
    const auto number = quantity(info, info.quantity, item, label, scope, true);
    if (number)
      value.numbers.push_back(*number);
    else
      good = false;
  };
  if (node.isSequence())
    for (const auto& item : node.items) add(*item);
  else
    add(node);
  if (!good) return std::nullopt;
  return value;
}

std::optional<ParameterValue> ParameterParser::curve(const ParameterInfo& info, const YamlNode& node,
                                                     const std::string& label, const Scope& scope,
                                                     ParameterValue value) {
  if (node.isMap()) return curveOfFile(info, node, label, scope, std::move(value));
  if (!node.isSequence() || node.items.size() < 2) {
    diagnostics_.error(node.where, label + ": a curve needs a list of at least two pairs", curveExample(info));
    return std::nullopt;
  }
  bool good = true;
  for (const auto& item : node.items) {
    if (!item->isSequence() || item->items.size() != 2) {
      diagnostics_.error(item->where, label + ": " + item->kindName() + " is given where a pair is due",
                         curveExample(info));
      good = false;
      continue;
    }
    const auto x = quantity(info, info.quantity, *item->items[0], label + ", abscissa", scope, true);
    const auto y = quantity(info, info.ordinate, *item->items[1], label + ", ordinate", scope, false);
    if (!x || !y) {
      good = false;
      continue;
    }
    if (!value.points.empty() && *x <= value.points.back().first) {
      diagnostics_.error(item->items[0]->where,
                         label + ": the abscissa " + readableText(*x, info.quantity) + " does not rise above " +
                             readableText(value.points.back().first, info.quantity) + " before it",
                         "sort the pairs by their first value and leave no two alike");
      good = false;
      continue;
    }
    value.points.emplace_back(*x, *y);
  }
  if (!good) return std::nullopt;
  return value;
}

/// {file: ..., column: ..., gaps: ...}: two columns of a CSV, the first named by the kind of the abscissa.
std::optional<ParameterValue> ParameterParser::curveOfFile(const ParameterInfo& info, const YamlNode& node,
                                                           const std::string& label, const Scope& scope,
                                                           ParameterValue value) {
  constexpr double kGap = 1.5;  // of the usual step between rows
  Fields fields(node, label, diagnostics_, scope);
  const auto name = fields.text("file");
  const std::string column = fields.text("column").value_or(std::string(info.name));
  const bool interpolate = fields.choice("gaps", {"refuse", "interpolate"}).value_or("refuse") == "interpolate";
  fields.finish();
  if (!name) return std::nullopt;
  const auto path = resolvePath(*name, node.where.file, {}, node.find("file")->value->where, diagnostics_);
  if (!path) return std::nullopt;
  const std::size_t before = diagnostics_.list().size();
  const std::string abscissa(quantityName(info.quantity));
  const Table table = readTable(
      *path, {{abscissa, info.quantity, info.low, info.high}, {column, info.ordinate, -kUnbounded, kUnbounded}},
      diagnostics_);
  if (diagnostics_.list().size() > before) return std::nullopt;
  const std::vector<double>&x = table.columns[0].values, &y = table.columns[1].values;
  if (x.size() < 2) {
    diagnostics_.error({*path, 0, 0}, label + ": has " + std::to_string(x.size()) + " row(s)", "give at least two");
    return std::nullopt;
  }
  std::vector<double> steps;
  for (std::size_t k = 1; k < x.size(); ++k) steps.push_back(x[k] - x[k - 1]);
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  const double usual = steps[steps.size() / 2];
  bool good = true;
  for (std::size_t k = 0; k < x.size(); ++k) {
    value.points.emplace_back(x[k], y[k]);
    if (k == 0 || info.quantity != Quantity::time || interpolate || x[k] - x[k - 1] <= kGap * usual) continue;
    good = false;
    diagnostics_.error({*path, table.lines[k], 1},
                       label + ": " + readableText(x[k] - x[k - 1], info.quantity) +
                           " after the row before it, where rows are " + readableText(usual, info.quantity) + " apart",
                       "add the missing rows, or allow `gaps: interpolate`");
  }
  if (!good) return std::nullopt;
  value.source = *path + " fnv1a64:" + fnv1a(readTextFile(*path, kLargestTableFile));
  return value;
}

}  // namespace podtwin::data
