// Ranges in ids ("[A-B][01-08]"), what they captured ("$1"), and addresses of values ("gpu[A01-*].t_junction").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/diagnostics.hpp"

namespace podtwin::data {

/// Most names that one text may expand to; a pod of 110,000 GPUs stays far below.
inline constexpr std::size_t kMostExpanded = 1'000'000;

struct ExpandedName {
  std::string name;
  std::vector<std::string> captures;  ///< what the first, second, ... range gave
};

/// Every name that `text` stands for, rightmost range fastest, numbers zero-padded as the first is: `[01-64]`, `[A-H]`,
/// `[a,c]`, `[1-3,7]`. A text without brackets gives itself. Empty after an error, which is added to `diagnostics`.
std::vector<ExpandedName> expandRanges(std::string_view text, const SourceMark& where, Diagnostics& diagnostics);

/// Letters, digits, `_` and `-`, at least one.
bool isIdentifier(std::string_view text);
/// `pattern` with `*` for any run of characters.
bool matchesPattern(std::string_view pattern, std::string_view text);

/// Address of a value or of equipment: `ID.signal`, `class[pattern].signal`, `group:NAME.signal`; the signal may be
/// left out where equipment is meant.
struct Address {
  enum class Kind { instance, pattern, group };
  Kind kind = Kind::instance;
  std::string name;                   ///< instance id, class or group
  std::vector<std::string> patterns;  ///< of a pattern, ranges expanded; `*` stands for anything
  std::string signal;                 ///< may be empty, or hold `*`
  std::string text;                   ///< as written
  SourceMark where;

  /// Whether an instance of the addressed class is meant; kind pattern only.
  bool matches(std::string_view id) const;
};

enum class SignalPart { required, optional, forbidden };

std::optional<Address> parseAddress(std::string_view text, SignalPart signal, const SourceMark& where,
                                    Diagnostics& diagnostics);

}  // namespace podtwin::data
