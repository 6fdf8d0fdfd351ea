// Strict access to the entries of a YAML map: every key that nobody asks for is reported with the nearest one that
// exists.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/yaml_document.hpp"
#include "model/base/diagnostics.hpp"
#include "model/system/quantity.hpp"

namespace podtwin::data {

/// "; did you mean `x`" form of a remedy, or the list of what is known when nothing is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& what_they_are);

/// What `${name}` and `$1` stand for while a template or a range is expanded.
struct Scope {
  const std::map<std::string, std::string>* parameters = nullptr;
  const std::vector<std::string>* captures = nullptr;
};
/// `text` with `${name}` and `$1`..`$9` filled in (`$$` gives `$`); nothing after an error.
std::optional<std::string> substitute(const std::string& text, const Scope& scope, const SourceMark& where,
                                      Diagnostics& diagnostics);

/// The entries of one map. Ask for every key that may be there, then call finish().
class Fields {
 public:
  /// `subject` names the map in messages ("`weather`", "pump `tcs1-P1`"); reports a value that is no map and then acts
  /// as empty.
  Fields(const YamlNode& node, std::string subject, Diagnostics& diagnostics, Scope scope = {});

  /// The entry, or nullptr; from then on the key is known.
  const YamlEntry* take(std::string_view key);
  bool has(std::string_view key) const { return map_ != nullptr && map_->find(key) != nullptr; }

  std::optional<std::string> text(std::string_view key);
  std::optional<double> quantity(std::string_view key, Quantity kind);
  std::optional<double> duration(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<long long> integer(std::string_view key, long long low, long long high);
  /// One text or a list of texts.
  std::vector<std::pair<std::string, SourceMark>> texts(std::string_view key);
  /// One of `choices`.
  std::optional<std::string> choice(std::string_view key, const std::vector<std::string>& choices);
  const YamlNode* map(std::string_view key);
  const YamlNode* list(std::string_view key);

  /// Reports `key` as missing.
  void missing(std::string_view key, const std::string& remedy);
  /// Reports every key that was not asked for.
  void finish();

  std::string label(std::string_view key) const { return "`" + std::string(key) + "` of " + subject_; }
  const YamlNode& node() const { return node_; }
  SourceMark where() const { return node_.where; }

 private:
  const YamlNode& node_;
  const YamlNode* map_;
  std::string subject_;
  Diagnostics& diagnostics_;
  Scope scope_;
  std::vector<std::string> known_;
};

/// Scalar text of a node with substitutions; reports lists, maps and empty values.
std::optional<std::string> scalarText(const YamlNode& node, const std::string& label, Diagnostics& diagnostics,
                                      const Scope& scope = {});
/// `true` or `false`; the other spellings of YAML 1.1 are refused, because readers disagree on them.
std::optional<bool> parseFlag(const std::string& text, const std::string& label, const SourceMark& where,
                              Diagnostics& diagnostics);
std::optional<long long> parseInteger(const std::string& text, const std::string& label, const SourceMark& where,
                                      Diagnostics& diagnostics);

/// Checks the first key `podtwin: KIND/1`; reports another kind or a newer version and returns false.
bool checkHeader(const YamlNode& root, const std::string& kind, Diagnostics& diagnostics);
/// KIND of the first key, or empty: lets `check` choose the reader.
std::string headerKind(const YamlNode& root);

/// `path` relative to the folder of `from`, or to one of `search_paths`; nothing when no such file exists (reported).
std::optional<std::string> resolvePath(const std::string& path, const std::string& from,
                                       const std::vector<std::string>& search_paths, const SourceMark& where,
                                       Diagnostics& diagnostics);

}  // namespace podtwin::data
