// Values and conditions as scenarios write them: `max(gpu[*].t_junction) > 85 degC`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/ranges.hpp"
#include "model/base/diagnostics.hpp"

namespace podtwin::data {

/// A signal, or the extreme, mean or sum over signals.
///   value := address | function '(' value { ',' value } ')'      function := min | max | mean | sum
struct Expression {
  enum class Kind { address, minimum, maximum, mean, sum };
  Kind kind = Kind::address;
  Address address;                    ///< kind address only
  std::vector<Expression> arguments;  ///< of a function, at least one
  std::string text;                   ///< as written
  SourceMark where;
};

/// `value OP quantity`. The quantity stays text: its kind is that of the signal, which only the plant knows.
struct Comparison {
  enum class Operator { above, at_least, below, at_most };
  Expression left;
  Operator op = Operator::above;
  std::string limit;  ///< "85 degC"
  SourceMark limit_where;
  std::string text;
  SourceMark where;
};

/// Deepest nesting of functions.
inline constexpr int kDeepestExpression = 16;

std::optional<Expression> parseExpression(std::string_view text, const SourceMark& where, Diagnostics& diagnostics);
std::optional<Comparison> parseComparison(std::string_view text, const SourceMark& where, Diagnostics& diagnostics);

}  // namespace podtwin::data
