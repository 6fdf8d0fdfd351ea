#include "scenarios/moments.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace podtwin::scenarios {

namespace {

constexpr std::size_t kFewestTogether = 4;  // shorter stretches are shorter one by one

long long milliseconds(double t) { return std::llround(t / kMomentResolution); }

}  // namespace

std::string momentText(double t) {
  constexpr long long kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute;
  const long long whole = milliseconds(t);
  if (whole != 0 && whole % kHour == 0) return fmt::format("{} h", whole / kHour);
  if (whole != 0 && whole % kMinute == 0) return fmt::format("{} min", whole / kMinute);
  return fmt::format("{} s", static_cast<double>(whole) / static_cast<double>(kSecond));
}

std::string momentsText(const std::vector<double>& moments) {
  std::string text;
  for (std::size_t i = 0; i < moments.size();) {
    std::size_t end = i + 1;  // of the evenly spaced stretch that begins here
    if (end < moments.size()) {
      const long long step = milliseconds(moments[i + 1]) - milliseconds(moments[i]);
      while (end < moments.size() && milliseconds(moments[end]) - milliseconds(moments[end - 1]) == step) ++end;
    }
    if (!text.empty()) text += ", ";
    if (end - i < kFewestTogether) {
      text += momentText(moments[i++]);
      continue;
    }
    text += momentText(moments[i]) + " to " + momentText(moments[end - 1]) + " each " +
            momentText(moments[i + 1] - moments[i]);
    i = end;
  }
  return text;
}

}  // namespace podtwin::scenarios
