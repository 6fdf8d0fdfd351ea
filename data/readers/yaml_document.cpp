#include "data/readers/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>
#include <unordered_map>
#include <utility>

#include "data/readers/text_file.hpp"

namespace podtwin::data {

namespace {

/// Turns yaml-cpp's 0-based line and byte column into 1-based line and character column.
class Places {
 public:
  Places(const std::string& text, const std::string& name, std::optional<SourceMark> fixed)
      : text_(text), name_(name), fixed_(std::move(fixed)) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') starts_.push_back(i + 1);
  }

  SourceMark operator()(const YAML::Mark& mark) const {
    if (fixed_) return *fixed_;
    if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= starts_.size()) return {name_, 0, 0};
    const std::size_t start = starts_[static_cast<std::size_t>(mark.line)];
    const std::size_t end = std::min(text_.size(), start + static_cast<std::size_t>(std::max(mark.column, 0)));
    int column = 1;
    for (std::size_t i = start; i < end; ++i)
      if ((static_cast<unsigned char>(text_[i]) & 0xC0U) != 0x80U) ++column;
    return {name_, mark.line + 1, column};
  }

  std::size_t offset(const YAML::Mark& mark) const {
    if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= starts_.size()) return text_.size();
    return starts_[static_cast<std::size_t>(mark.line)] + static_cast<std::size_t>(std::max(mark.column, 0));
  }

 private:
  const std::string& text_;
  const std::string& name_;
  std::optional<SourceMark> fixed_;
  std::vector<std::size_t> starts_;
};

/// Builds the tree from yaml-cpp's events, so that every limit holds before memory or stack is spent.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Places& places) : places_(places) {}

  YamlPointer root() const { return root_; }
  const YAML::Mark& lastQuoted() const { return last_quoted_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = std::make_shared<YamlNode>();
    node->where = places_(mark);
    remember(anchor, node);
    add(std::move(node), 1, 0, "");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = std::make_shared<YamlNode>();
    node->where = places_(mark);
    node->kind = YamlNode::Kind::scalar;
    node->quoted = tag == "!";
    node->text = value;
    if (node->quoted) last_quoted_ = mark;
    refuseTag(tag, node->where);
    remember(anchor, node);
    add(std::move(node), 1, 0, "");
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || !sizes_.contains(found->second.get()))
      throw InputError(places_(mark), "an alias inside the value that it stands for", "write the inner value out");
    const std::shared_ptr<YamlNode> node = found->second;
    const auto [size, depth] = sizes_.at(node.get());
    add(node, size, depth, "; aliases multiply what they stand for");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::sequence);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    std::shared_ptr<YamlNode> node;
    std::size_t size = 1;  // values below and including the node, aliases followed
    int depth = 1;         // of nesting below and including the node
    std::optional<std::string> key;
    SourceMark key_where;
    std::unordered_map<std::string, int> keys;  // with the line of each
  };

  void refuseTag(const std::string& tag, const SourceMark& where) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw InputError(where, "the tag `" + tag + "` is not understood",
                     "leave tags out; PodTwin knows each value's kind");
  }

  void remember(YAML::anchor_t anchor, const std::shared_ptr<YamlNode>& node) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
  }

  void refuseDepth(int depth, const SourceMark& where) const {
    if (depth > kDeepestNesting)
      throw InputError(where, "lists and maps are nested deeper than " + std::to_string(kDeepestNesting) + " levels",
                       "flatten the file");
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    auto node = std::make_shared<YamlNode>();
    node->where = places_(mark);
    node->kind = kind;
    refuseTag(tag, node->where);
    refuseDepth(static_cast<int>(levels_.size()) + 1, node->where);
    if (!levels_.empty() && levels_.back().node->isMap() && !levels_.back().key)
      throw InputError(node->where, "a list or a map stands where a key is due",
                       "write the key as text; quote it if it has brackets");
    remember(anchor, node);
    Level level;
    level.node = std::move(node);
    levels_.push_back(std::move(level));
  }

  void close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    add(std::move(level.node), level.size, level.depth, "");
  }

  void add(std::shared_ptr<YamlNode> node, std::size_t size, int depth, const std::string& hint) {
    sizes_[node.get()] = {size, depth};
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& parent = levels_.back();
    if (parent.node->isMap() && !parent.key) {
      takeKey(parent, node);
      return;
    }
    const SourceMark where = node->where;
    refuseDepth(static_cast<int>(levels_.size()) + depth, where);
    parent.depth = std::max(parent.depth, depth + 1);
    parent.size += size;
    std::size_t total = 0;
    for (const auto& level : levels_) total += level.size;
    if (total > kMostNodes)
      throw InputError(where, "the file holds more than " + std::to_string(kMostNodes) + " values" + hint,
                       "split it, or use templates instead of repetition");
    if (parent.node->isMap()) {
      refuseDecimalComma(parent, *node);
      parent.node->entries.push_back({std::move(*parent.key), std::move(parent.key_where), std::move(node)});
      parent.key.reset();
    } else {
      parent.node->items.push_back(std::move(node));
    }
  }

  /// `{ua: 60,5 kW/K}` is two entries to YAML, the second a key without value.
  void refuseDecimalComma(const Level& parent, const YamlNode& value) const {
    const auto numeric = [](const std::string& text) {
      return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    };
    if (!value.isNull() || parent.node->entries.empty() || parent.key->empty() || !numeric(parent.key->substr(0, 1)))
      return;
    const YamlNode& before = *parent.node->entries.back().value;
    const std::string digits = before.text.starts_with('-') ? before.text.substr(1) : before.text;
    if (!before.isScalar() || before.quoted || !numeric(digits)) return;
    throw InputError(before.where, "`" + before.text + "," + *parent.key + "` has a comma",
                     "write a decimal point, not a comma: `" + before.text + "." + *parent.key + "`");
  }

  void takeKey(Level& parent, const std::shared_ptr<YamlNode>& key) {
    // Key nodes are kept, so that no later node can be taken for one at the same address.
    keys_.push_back(key);
    if (!key->isScalar())
      throw InputError(key->where, "a key is due and " + key->kindName() + " is given", "write the key as text");
    if (key->text == "<<" && !key->quoted)
      throw InputError(key->where, "merge keys (`<<`) are refused",
                       "use `like:` for an instance, `templates:` or `include:`");
    const auto [earlier, is_new] = parent.keys.emplace(key->text, key->where.line);
    if (!is_new)
      throw InputError(key->where,
                       "duplicate key `" + key->text + "`, first in line " + std::to_string(earlier->second),
                       "keep one of the two");
    parent.key = key->text;
    parent.key_where = key->where;
  }

  const Places& places_;
  YAML::Mark last_quoted_ = YAML::Mark::null_mark();
  YamlPointer root_;
  std::vector<Level> levels_;
  std::vector<YamlPointer> keys_;
  std::unordered_map<YAML::anchor_t, std::shared_ptr<YamlNode>> anchors_;
  std::unordered_map<const YamlNode*, std::pair<std::size_t, int>> sizes_;  // complete nodes: values, nesting
};

/// Reads the text without copying it.
class TextBuffer final : public std::streambuf {
 public:
  explicit TextBuffer(std::string& text) { setg(text.data(), text.data(), text.data() + text.size()); }
};

/// yaml-cpp takes the end of the file for a missing closing quote; only the last quoted text can lack it.
void refuseOpenQuote(const std::string& text, const YAML::Mark& mark, const Places& places) {
  if (mark.is_null()) return;
  std::size_t at = places.offset(mark);
  if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return;  // a block text
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\')
      ++at;
    else if (text[at] == quote && quote == '\'' && at + 1 < text.size() && text[at + 1] == quote)
      ++at;
    else if (text[at] == quote)
      return;
  }
  throw InputError(places(mark), "the quote that begins here is not closed", "close it");
}

/// Of YAML's complaints about a tab none names it.
void refuseTab(const std::string& text, const SourceMark& mark) {
  std::size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = std::min(text.find_first_not_of(" \t", begin), end);
    const std::size_t tab = text.find('\t', begin);
    if ((line == mark.line || line + 1 == mark.line) && tab < first)
      throw InputError({mark.file, line, static_cast<int>(tab - begin) + 1}, "a tab stands in the indentation",
                       "use spaces: YAML takes no tabs there");
    begin = end + 1;
  }
}

YamlPointer build(std::string& text, const std::string& name, const std::optional<SourceMark>& fixed) {
  const Places places(text, name, fixed);
  TreeBuilder builder(places);
  try {
    TextBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || !builder.root() || builder.root()->isNull())
      throw fixed ? InputError(*fixed, "no value is given", "write one")
                  : InputError({name, 1, 1}, "there is nothing in the file but comments or blanks",
                               "begin it with `podtwin: pod/1`, `scenario/1` or `catalogue/1`");
    refuseOpenQuote(text, builder.lastQuoted(), places);
    TreeBuilder rest(places);
    if (parser.HandleNextDocument(rest))
      throw InputError(rest.root() ? rest.root()->where : SourceMark{name, 0, 0}, "a second YAML document begins here",
                       "one file holds one document; remove `---` or split the file");
    return builder.root();
  } catch (const YAML::Exception& problem) {
    refuseTab(text, places(problem.mark));
    throw InputError(places(problem.mark), "this is no valid YAML (" + problem.msg + ")",
                     "check indentation, brackets, quotes and colons here and in the line before");
  }
}

nlohmann::ordered_json toJson(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return nullptr;
    case YamlNode::Kind::scalar:
      return node.text;
    case YamlNode::Kind::sequence: {
      auto list = nlohmann::ordered_json::array();
      for (const auto& item : node.items) list.push_back(toJson(*item));
      return list;
    }
    case YamlNode::Kind::map: {
      auto map = nlohmann::ordered_json::object();
      for (const auto& entry : node.entries) map[entry.key] = toJson(*entry.value);
      return map;
    }
  }
  return nullptr;
}

}  // namespace

const YamlEntry* YamlNode::find(std::string_view key) const {
  for (const auto& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

SourceMark YamlNode::markAt(std::size_t offset) const {
  SourceMark mark = where;
  if (mark.column > 0) mark.column += static_cast<int>(offset) + (quoted ? 1 : 0);
  return mark;
}

std::string YamlNode::kindName() const {
  switch (kind) {
    case Kind::null:
      return "an empty value";
    case Kind::scalar:
      return "`" + text + "`";
    case Kind::sequence:
      return "a list";
    case Kind::map:
      return "a map";
  }
  return "a value";
}

YamlDocument YamlDocument::load(const std::string& path) {
  YamlDocument document;
  document.name_ = path;
  document.text_ = readTextFile(path, kLargestYamlFile);
  document.root_ = build(document.text_, path, std::nullopt);
  return document;
}

YamlDocument YamlDocument::parse(std::string text, const std::string& name) {
  YamlDocument document;
  document.name_ = name;
  document.text_ = checkedText(std::move(text), name);
  document.root_ = build(document.text_, name, std::nullopt);
  return document;
}

YamlDocument YamlDocument::parseAt(std::string text, const SourceMark& where) {
  if (text.empty()) throw InputError(where, "no value is given", "write one");
  YamlDocument document;
  document.name_ = where.file;
  document.text_ = checkedText(std::move(text), where.file);
  document.root_ = build(document.text_, where.file, where);
  return document;
}

std::string toJsonText(const YamlNode& node) { return toJson(node).dump(); }

}  // namespace podtwin::data
