#include "data/readers/expression.hpp"

#include <utility>

#include "data/readers/units.hpp"
#include "data/readers/yaml_helpers.hpp"

namespace podtwin::data {

namespace {

SourceMark shifted(SourceMark where, std::size_t offset) {
  if (where.column > 0) where.column += static_cast<int>(offset);
  return where;
}

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const SourceMark& where, Diagnostics& diagnostics)
      : text_(text), where_(where), diagnostics_(diagnostics) {}

  std::optional<Expression> value(int depth) {
    skipBlanks();
    const std::size_t begin = at_;
    if (depth > kDeepestExpression)
      return refuse(begin, "functions are nested deeper than " + std::to_string(kDeepestExpression));
    // The word before a bracket or the end decides; brackets of patterns may hold commas and blanks.
    while (at_ < text_.size() && isWord(text_[at_])) ++at_;
    skipBlanks();
    if (at_ < text_.size() && text_[at_] == '(') return function(begin, depth);
    at_ = begin;
    return address();
  }

  bool atEnd() {
    skipBlanks();
    return at_ >= text_.size();
  }
  std::size_t at() const { return at_; }
  std::string_view rest() const { return text_.substr(at_); }
  void advance(std::size_t count) { at_ += count; }

  std::nullopt_t refuse(std::size_t offset, const std::string& why) {
    diagnostics_.error(shifted(where_, offset), "`" + std::string(text_) + "`: " + why,
                       "write ID.signal or max(class[*].signal); the functions are min, max, mean and sum");
    return std::nullopt;
  }

 private:
  static bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  }
  void skipBlanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::optional<Expression> function(std::size_t begin, int depth) {
    static const std::pair<const char*, Expression::Kind> functions[] = {{"min", Expression::Kind::minimum},
                                                                         {"max", Expression::Kind::maximum},
                                                                         {"mean", Expression::Kind::mean},
                                                                         {"sum", Expression::Kind::sum}};
    std::string_view name = text_.substr(begin, at_ - begin);
    while (name.ends_with(' ')) name.remove_suffix(1);
    Expression out;
    out.where = shifted(where_, begin);
    bool known = false;
    for (const auto& [word, kind] : functions)
      if (name == word) {
        out.kind = kind;
        known = true;
      }
    if (!known) {
      diagnostics_.error(out.where, "`" + std::string(text_) + "`: there is no function `" + std::string(name) + "`",
                         suggestion(std::string(name), {"min", "max", "mean", "sum"}, "functions"));
      return std::nullopt;
    }
    ++at_;
    for (;;) {
      auto argument = value(depth + 1);
      if (!argument) return std::nullopt;
      out.arguments.push_back(std::move(*argument));
      skipBlanks();
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      break;
    }
    if (at_ >= text_.size() || text_[at_] != ')') return refuse(at_, "a `)` is missing");
    ++at_;
    out.text = std::string(text_.substr(begin, at_ - begin));
    return out;
  }

  std::optional<Expression> address() {
    const std::size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '[')
        ++depth;
      else if (c == ']')
        --depth;
      else if (depth == 0 && !isWord(c) && c != '.' && c != ':' && c != '*')
        break;
    }
    if (at_ == begin) return refuse(begin, "a signal is due here");
    Expression out;
    out.where = shifted(where_, begin);
    out.text = std::string(text_.substr(begin, at_ - begin));
    auto parsed = parseAddress(out.text, SignalPart::required, out.where, diagnostics_);
    if (!parsed) return std::nullopt;
    out.address = std::move(*parsed);
    return out;
  }

  std::string_view text_;
  SourceMark where_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Expression> parseExpression(std::string_view text, const SourceMark& where, Diagnostics& diagnostics) {
  ExpressionParser parser(text, where, diagnostics);
  auto out = parser.value(1);
  if (!out) return std::nullopt;
  if (!parser.atEnd()) return parser.refuse(parser.at(), "`" + std::string(parser.rest()) + "` is left over");
  return out;
}

std::optional<Comparison> parseComparison(std::string_view text, const SourceMark& where, Diagnostics& diagnostics) {
  ExpressionParser parser(text, where, diagnostics);
  auto left = parser.value(1);
  if (!left) return std::nullopt;
  Comparison out;
  out.left = std::move(*left);
  out.text = std::string(text);
  out.where = where;
  const bool ended = parser.atEnd();
  const std::string_view rest = parser.rest();
  std::size_t length = 1;
  if (!ended && rest.starts_with(">="))
    out.op = Comparison::Operator::at_least, length = 2;
  else if (!ended && rest.starts_with("<="))
    out.op = Comparison::Operator::at_most, length = 2;
  else if (!ended && rest.starts_with(">"))
    out.op = Comparison::Operator::above;
  else if (!ended && rest.starts_with("<"))
    out.op = Comparison::Operator::below;
  else
    return parser.refuse(parser.at(), "a comparison (>, <, >= or <=) is due here");
  parser.advance(length);
  if (parser.atEnd()) return parser.refuse(parser.at(), "a value to compare with is missing");
  out.limit = std::string(parser.rest());
  out.limit_where = shifted(where, parser.at());
  if (!parseAnyKind(out.limit)) return parser.refuse(parser.at(), "`" + out.limit + "` is no number with a unit");
  return out;
}

}  // namespace podtwin::data
