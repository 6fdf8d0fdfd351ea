#include "data/readers/ranges.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace podtwin::data {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool isIdCharacter(char c) { return isDigit(c) || isLower(c) || isUpper(c) || c == '_' || c == '-'; }
bool allDigits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), isDigit); }

constexpr std::string_view kRangeExamples = "write ranges as [01-64], [A-H] or [a,c]";

SourceMark shifted(SourceMark where, std::size_t offset) {
  if (where.column > 0) where.column += static_cast<int>(offset);
  return where;
}

/// What stands between the brackets, as a list of texts; nothing after an error.
std::optional<std::vector<std::string>> rangeValues(std::string_view inside, std::string_view whole,
                                                    const SourceMark& where, Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& why) {
    diagnostics.error(where, "the range `[" + std::string(inside) + "]` in `" + std::string(whole) + "` " + why,
                      std::string(kRangeExamples));
    return std::nullopt;
  };
  std::vector<std::string> values;
  std::size_t begin = 0;
  while (begin <= inside.size()) {
    std::size_t end = inside.find(',', begin);
    if (end == std::string_view::npos) end = inside.size();
    std::string_view part = inside.substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    begin = end + 1;
    if (part.empty()) return refuse("expands to nothing");
    if (!std::all_of(part.begin(), part.end(), isIdCharacter))
      return refuse("holds characters other than letters, digits, _ and -");
    const std::size_t dash = part.find('-');
    if (dash == std::string_view::npos || dash == 0 || dash + 1 == part.size()) {
      values.emplace_back(part);
      continue;
    }
    const std::string_view low = part.substr(0, dash);
    const std::string_view high = part.substr(dash + 1);
    if (allDigits(low) && allDigits(high)) {
      std::uint64_t first = 0;
      std::uint64_t last = 0;
      const auto a = std::from_chars(low.data(), low.data() + low.size(), first);
      const auto b = std::from_chars(high.data(), high.data() + high.size(), last);
      if (a.ec != std::errc{} || b.ec != std::errc{} || low.size() > 18 || high.size() > 18)
        return refuse("has too many digits");
      if (last < first)
        return refuse("expands to nothing, because " + std::string(high) + " is below " + std::string(low));
      if (last - first >= kMostExpanded - values.size())
        return refuse("expands to more than " + std::to_string(kMostExpanded) + " names");
      for (std::uint64_t n = first; n <= last; ++n) {
        std::string digits = std::to_string(n);
        // Padding is as wide as the first number: [01-64] pads, [1-64] does not.
        if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
        values.push_back(std::move(digits));
      }
    } else if (low.size() == 1 && high.size() == 1 &&
               ((isUpper(low[0]) && isUpper(high[0])) || (isLower(low[0]) && isLower(high[0])))) {
      if (high[0] < low[0])
        return refuse("expands to nothing, because " + std::string(high) + " is before " + std::string(low));
      for (char c = low[0]; c <= high[0]; ++c) values.emplace_back(1, c);
    } else {
      return refuse("mixes letters and numbers");
    }
  }
  return values;
}

}  // namespace

bool isIdentifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), isIdCharacter);
}

std::vector<ExpandedName> expandRanges(std::string_view text, const SourceMark& where, Diagnostics& diagnostics) {
  std::vector<std::string> fixed(1);             // texts around the ranges
  std::vector<std::vector<std::string>> ranges;  // between fixed[i] and fixed[i + 1]
  std::size_t count = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ']') {
      diagnostics.error(shifted(where, i), "`" + std::string(text) + "` has a `]` without `[`",
                        std::string(kRangeExamples));
      return {};
    }
    if (text[i] != '[') {
      fixed.back() += text[i];
      continue;
    }
    const std::size_t end = text.find(']', i);
    const std::size_t inner = text.find('[', i + 1);
    if (end == std::string_view::npos || inner < end) {
      diagnostics.error(shifted(where, i), "`" + std::string(text) + "` has a `[` that is not closed",
                        std::string(kRangeExamples));
      return {};
    }
    auto values = rangeValues(text.substr(i + 1, end - i - 1), text, shifted(where, i), diagnostics);
    if (!values) return {};
    if (values->size() > kMostExpanded / count) {
      diagnostics.error(where,
                        "`" + std::string(text) + "` expands to more than " + std::to_string(kMostExpanded) + " names",
                        "shorten its ranges");
      return {};
    }
    count *= values->size();
    ranges.push_back(std::move(*values));
    fixed.emplace_back();
    i = end;
  }
  std::vector<ExpandedName> names;
  names.reserve(count);
  std::vector<std::size_t> index(ranges.size(), 0);
  for (std::size_t n = 0; n < count; ++n) {
    ExpandedName expanded;
    expanded.name = fixed[0];
    for (std::size_t r = 0; r < ranges.size(); ++r) {
      expanded.captures.push_back(ranges[r][index[r]]);
      expanded.name += expanded.captures.back() + fixed[r + 1];
    }
    names.push_back(std::move(expanded));
    for (std::size_t r = ranges.size(); r-- > 0;) {
      if (++index[r] < ranges[r].size()) break;
      index[r] = 0;
    }
  }
  return names;
}

bool matchesPattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool Address::matches(std::string_view id) const {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matchesPattern(pattern, id); });
}

std::optional<Address> parseAddress(std::string_view text, SignalPart part, const SourceMark& where,
                                    Diagnostics& diagnostics) {
  const std::string form = part == SignalPart::forbidden
                               ? "write ID, class[pattern] or group:NAME"
                               : "write ID.signal, class[pattern].signal or group:NAME.signal";
  const auto refuse = [&](std::size_t offset, const std::string& why) {
    diagnostics.error(shifted(where, offset), "the address `" + std::string(text) + "` " + why, form);
    return std::nullopt;
  };
  Address address;
  address.text = std::string(text);
  address.where = where;
  constexpr std::string_view kGroup = "group:";
  std::size_t at = 0;
  if (text.starts_with(kGroup)) {
    address.kind = Address::Kind::group;
    at = kGroup.size();
  }
  const std::size_t name_begin = at;
  while (at < text.size() && isIdCharacter(text[at])) ++at;
  address.name = std::string(text.substr(name_begin, at - name_begin));
  if (address.name.empty()) return refuse(at, "does not begin with a name");
  if (at < text.size() && text[at] == '[' && address.kind == Address::Kind::instance) {
    address.kind = Address::Kind::pattern;
    int depth = 1;
    std::size_t begin = ++at;
    for (; at < text.size() && depth > 0; ++at) {
      if (text[at] == '[')
        ++depth;
      else if (text[at] == ']')
        --depth;
      if (!((depth == 1 && text[at] == ',') || depth == 0)) continue;
      std::size_t first = begin;
      std::size_t last = at;
      while (first < last && text[first] == ' ') ++first;
      while (last > first && text[last - 1] == ' ') --last;
      const std::string_view item = text.substr(first, last - first);
      begin = at + 1;
      if (item.empty()) return refuse(first, "has an empty pattern");
      for (auto& expanded : expandRanges(item, shifted(where, first), diagnostics)) {
        for (const char c : expanded.name)
          if (!isIdCharacter(c) && c != '*')
            return refuse(first, "has a pattern with characters other than letters, digits, _, - and *");
        address.patterns.push_back(std::move(expanded.name));
      }
      if (address.patterns.empty() || address.patterns.size() > kMostExpanded) {
        if (address.patterns.empty()) return std::nullopt;  // expandRanges has said why
        return refuse(first, "stands for more than " + std::to_string(kMostExpanded) + " names");
      }
    }
    if (depth > 0) return refuse(text.size(), "has a `[` that is not closed");
  }
  if (at < text.size()) {
    if (text[at] != '.') return refuse(at, "has an unexpected `" + std::string(text.substr(at, 1)) + "`");
    address.signal = std::string(text.substr(at + 1));
    if (address.signal.empty() ||
        !std::all_of(address.signal.begin(), address.signal.end(), [](char c) { return isIdCharacter(c) || c == '*'; }))
      return refuse(at + 1, "has no well-formed name after the dot");
  }
  if (part == SignalPart::required && address.signal.empty()) return refuse(text.size(), "names no signal");
  if (part == SignalPart::forbidden && !address.signal.empty())
    return refuse(text.size() - address.signal.size(), "names a signal where equipment is due");
  return address;
}

}  // namespace podtwin::data
