#include "data/readers/yaml_helpers.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "data/readers/units.hpp"

namespace podtwin::data {

namespace {
constexpr int kFormatVersion = 1;        // of every file kind that this program reads
constexpr std::size_t kMostListed = 12;  // names in a message; more help nobody
}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& what_they_are) {
  if (const std::string near = nearestName(word, known); !near.empty()) return "did you mean `" + near + "`?";
  if (known.empty()) return "there are no " + what_they_are;
  std::string list;
  for (std::size_t i = 0; i < std::min(known.size(), kMostListed); ++i) list += (i == 0 ? "" : ", ") + known[i];
  if (known.size() > kMostListed) list += ", ...";
  return "known " + what_they_are + ": " + list;
}

std::optional<std::string> substitute(const std::string& text, const Scope& scope, const SourceMark& where,
                                      Diagnostics& diagnostics) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == '$') {
      out += '$';
      ++i;
    } else if (next >= '1' && next <= '9') {
      const auto index = static_cast<std::size_t>(next - '1');
      const std::size_t count = scope.captures == nullptr ? 0 : scope.captures->size();
      if (index >= count) {
        diagnostics.error(
            where,
            "`$" + std::string(1, next) + "` in `" + text + "`, but the id has " + std::to_string(count) + " range(s)",
            "use $1 for the first range of the id, and so on");
        return std::nullopt;
      }
      out += (*scope.captures)[index];
      ++i;
    } else if (next == '{') {
      const std::size_t end = text.find('}', i);
      if (end == std::string::npos) {
        diagnostics.error(where, "`${` in `" + text + "` is not closed", "write ${name}");
        return std::nullopt;
      }
      const std::string name = text.substr(i + 2, end - i - 2);
      if (scope.parameters == nullptr || !scope.parameters->contains(name)) {
        std::vector<std::string> known;
        if (scope.parameters != nullptr)
          for (const auto& [key, value] : *scope.parameters) known.push_back(key);
        diagnostics.error(where, "`${" + name + "}` is no parameter here",
                          suggestion(name, known, "template parameters"));
        return std::nullopt;
      }
      out += scope.parameters->at(name);
      i = end;
    } else {
      diagnostics.error(where, "a lone `$` in `" + text + "`",
                        "write $1 for a range, ${name} for a template parameter, $$ for $");
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> scalarText(const YamlNode& node, const std::string& label, Diagnostics& diagnostics,
                                      const Scope& scope) {
  if (!node.isScalar()) {
    diagnostics.error(node.where, label + ": " + node.kindName() + " is given where one value is due",
                      "write one value");
    return std::nullopt;
  }
  if (node.text.find('$') == std::string::npos) return node.text;
  return substitute(node.text, scope, node.where, diagnostics);
}

std::optional<bool> parseFlag(const std::string& text, const std::string& label, const SourceMark& where,
                              Diagnostics& diagnostics) {
  if (text == "true") return true;
  if (text == "false") return false;
  diagnostics.error(where, label + ": `" + text + "` is neither true nor false", "write true or false");
  return std::nullopt;
}

std::optional<long long> parseInteger(const std::string& text, const std::string& label, const SourceMark& where,
                                      Diagnostics& diagnostics) {
  long long value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) {
    diagnostics.error(where, label + ": `" + text + "` is no whole number",
                      "write a whole number without unit, such as 3");
    return std::nullopt;
  }
  return value;
}

Fields::Fields(const YamlNode& node, std::string subject, Diagnostics& diagnostics, Scope scope)
    : node_(node),
      map_(node.isMap() ? &node : nullptr),
      subject_(std::move(subject)),
      diagnostics_(diagnostics),
      scope_(scope) {
  if (map_ == nullptr)
    diagnostics_.error(node.where, subject_ + ": " + node.kindName() + " is given where a map is due",
                       "write `key: value` pairs");
}

const YamlEntry* Fields::take(std::string_view key) {
  known_.emplace_back(key);
  return map_ == nullptr ? nullptr : map_->find(key);
}

std::optional<std::string> Fields::text(std::string_view key) {
  const YamlEntry* entry = take(key);
  if (entry == nullptr) return std::nullopt;
  return scalarText(*entry->value, label(key), diagnostics_, scope_);
}

std::optional<double> Fields::quantity(std::string_view key, Quantity kind) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  return parseQuantity(*value, kind, map_->find(key)->value->where, diagnostics_, label(key));
}

std::optional<double> Fields::duration(std::string_view key) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  return parseDuration(*value, map_->find(key)->value->where, diagnostics_, label(key));
}

std::optional<bool> Fields::flag(std::string_view key) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  return parseFlag(*value, label(key), map_->find(key)->value->where, diagnostics_);
}

std::optional<long long> Fields::integer(std::string_view key, long long low, long long high) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  const SourceMark where = map_->find(key)->value->where;
  const auto number = parseInteger(*value, label(key), where, diagnostics_);
  if (number && (*number < low || *number > high)) {
    diagnostics_.error(
        where, label(key) + ": " + *value + " is outside " + std::to_string(low) + " to " + std::to_string(high),
        "give a number inside");
    return std::nullopt;
  }
  return number;
}

std::vector<std::pair<std::string, SourceMark>> Fields::texts(std::string_view key) {
  std::vector<std::pair<std::string, SourceMark>> out;
  const YamlEntry* entry = take(key);
  if (entry == nullptr) return out;
  const auto add = [&](const YamlNode& node) {
    if (auto value = scalarText(node, label(key), diagnostics_, scope_))
      out.emplace_back(std::move(*value), node.where);
  };
  if (entry->value->isSequence())
    for (const auto& item : entry->value->items) add(*item);
  else
    add(*entry->value);
  return out;
}

std::optional<std::string> Fields::choice(std::string_view key, const std::vector<std::string>& choices) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  if (std::find(choices.begin(), choices.end(), *value) != choices.end()) return value;
  diagnostics_.error(map_->find(key)->value->where, label(key) + ": `" + *value + "` is not known",
                     suggestion(*value, choices, "values"));
  return std::nullopt;
}

const YamlNode* Fields::map(std::string_view key) {
  const YamlEntry* entry = take(key);
  if (entry == nullptr) return nullptr;
  if (entry->value->isMap()) return entry->value.get();
  diagnostics_.error(entry->value->where, label(key) + ": " + entry->value->kindName() + " is given where a map is due",
                     "write `key: value` pairs");
  return nullptr;
}

const YamlNode* Fields::list(std::string_view key) {
  const YamlEntry* entry = take(key);
  if (entry == nullptr) return nullptr;
  if (entry->value->isSequence()) return entry->value.get();
  diagnostics_.error(entry->value->where,
                     label(key) + ": " + entry->value->kindName() + " is given where a list is due",
                     "write `[a, b]` or lines that begin with `- `");
  return nullptr;
}

void Fields::missing(std::string_view key, const std::string& remedy) {
  if (map_ != nullptr) diagnostics_.error(node_.where, subject_ + ": `" + std::string(key) + "` is missing", remedy);
}

void Fields::finish() {
  if (map_ == nullptr) return;
  for (const auto& entry : map_->entries)
    if (std::find(known_.begin(), known_.end(), entry.key) == known_.end())
      diagnostics_.error(entry.where, subject_ + ": unknown key `" + entry.key + "`",
                         suggestion(entry.key, known_, "keys"));
}

std::string headerKind(const YamlNode& root) {
  if (!root.isMap() || root.entries.empty() || root.entries.front().key != "podtwin") return "";
  const std::string& text = root.entries.front().value->text;
  return text.substr(0, text.find('/'));
}

bool checkHeader(const YamlNode& root, const std::string& kind, Diagnostics& diagnostics) {
  const std::string due = "`podtwin: " + kind + "/" + std::to_string(kFormatVersion) + "`";
  if (!root.isMap()) {
    diagnostics.error(root.where, root.kindName() + " is given where a map is due", "begin the file with " + due);
    return false;
  }
  if (root.entries.empty()) {
    diagnostics.error(root.where, "the file is an empty map", "begin the file with " + due);
    return false;
  }
  const auto& first = root.entries.front();
  if (first.key != "podtwin") {
    diagnostics.error(first.where, "the first key is `" + first.key + "`, not `podtwin`", "begin the file with " + due);
    return false;
  }
  const std::string& text = first.value->text;
  const std::size_t slash = text.find('/');
  const std::string given = text.substr(0, slash);
  if (given != kind) {
    diagnostics.error(first.value->where, "this file is of kind `" + text + "`, but a " + kind + " is due here",
                      "begin the file with " + due + ", or name another file");
    return false;
  }
  long long version = 0;
  const std::string digits = slash == std::string::npos ? "" : text.substr(slash + 1);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (digits.empty() || code != std::errc{} || end != digits.data() + digits.size() || version < 1) {
    diagnostics.error(first.value->where, "`" + text + "` states no version", "begin the file with " + due);
    return false;
  }
  if (version > kFormatVersion) {
    diagnostics.error(
        first.value->where,
        "`" + text + "` is newer than this program, which reads " + kind + "/" + std::to_string(kFormatVersion),
        "update PodTwin, or write the file in form " + kind + "/" + std::to_string(kFormatVersion));
    return false;
  }
  return true;
}

std::optional<std::string> resolvePath(const std::string& path, const std::string& from,
                                       const std::vector<std::string>& search_paths, const SourceMark& where,
                                       Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (path.empty()) {
    diagnostics.error(where, "an empty path", "name a file");
    return std::nullopt;
  }
  std::vector<fs::path> candidates;
  if (fs::path(path).is_absolute()) {
    candidates.emplace_back(path);
  } else {
    candidates.push_back(fs::path(from).parent_path() / path);
    for (const auto& folder : search_paths) candidates.push_back(fs::path(folder) / path);
  }
  for (const auto& candidate : candidates)
    if (fs::exists(candidate, code)) return candidate.lexically_normal().string();
  std::string tried;
  for (const auto& candidate : candidates) tried += (tried.empty() ? "" : ", ") + candidate.lexically_normal().string();
  diagnostics.error(where, "there is no file `" + path + "` (looked at " + tried + ")",
                    "check the path; it starts from the folder of the file that names it");
  return std::nullopt;
}

}  // namespace podtwin::data
