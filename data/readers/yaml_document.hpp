// A YAML file as an immutable tree that knows the line and column of every key and value.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/diagnostics.hpp"

namespace podtwin::data {

/// Deepest nesting of lists and maps that a file may have; people write fewer than ten levels.
inline constexpr int kDeepestNesting = 200;
/// Most values a document may hold once its aliases are followed: stops an alias bomb before it costs memory.
inline constexpr std::size_t kMostNodes = 1'000'000;

class YamlNode;
using YamlPointer = std::shared_ptr<const YamlNode>;

struct YamlEntry {
  std::string key;
  SourceMark where;  ///< of the key
  YamlPointer value;
};

/// One value: null, scalar text, list or map. Anchored values are shared by their aliases.
class YamlNode {
 public:
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  SourceMark where;
  bool quoted = false;             ///< the scalar stood in quotes or is a block text
  std::string text;                ///< of a scalar
  std::vector<YamlPointer> items;  ///< of a sequence
  std::vector<YamlEntry> entries;  ///< of a map, in file order

  bool isNull() const { return kind == Kind::null; }
  bool isScalar() const { return kind == Kind::scalar; }
  bool isSequence() const { return kind == Kind::sequence; }
  bool isMap() const { return kind == Kind::map; }
  /// The entry with this key, or nullptr.
  const YamlEntry* find(std::string_view key) const;
  /// Place of the character `offset` of a scalar that stands on one line.
  SourceMark markAt(std::size_t offset) const;
  /// "an empty value", "`text`", "a list", "a map": for messages.
  std::string kindName() const;
};

/// Loads and checks the whole file, or throws InputError: everything of readTextFile, and YAML that is malformed,
/// nested too deeply or too large, more than one document, duplicate keys, merge keys (`<<`), explicit tags, keys that
/// are no text.
class YamlDocument {
 public:
  static YamlDocument load(const std::string& path);
  static YamlDocument parse(std::string text, const std::string& name);
  /// A value given on the command line: every mark is `where`.
  static YamlDocument parseAt(std::string text, const SourceMark& where);

  const YamlNode& root() const { return *root_; }
  const YamlPointer& rootPointer() const { return root_; }
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::string text_;
  YamlPointer root_;
};

/// The tree as JSON text; scalars stay text, so nothing is lost by a number's spelling.
std::string toJsonText(const YamlNode& node);

}  // namespace podtwin::data
