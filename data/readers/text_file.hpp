// A whole text file in memory, with every reason why it cannot be read said in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace podtwin::data {

/// Largest input file that is read [byte]: YAML written by people stays far below, traces may be long.
inline constexpr std::uintmax_t kLargestYamlFile = 64ULL << 20;
inline constexpr std::uintmax_t kLargestTableFile = 1ULL << 30;

/// UTF-8 text of a file without a byte-order mark. Throws InputError for a file that is missing, a directory, no
/// regular file, unreadable, larger than `largest`, empty, binary (NUL byte) or no valid UTF-8.
std::string readTextFile(const std::string& path, std::uintmax_t largest);

/// The same checks on text that is already in memory; drops a byte-order mark. `name` stands for the file in messages.
std::string checkedText(std::string text, const std::string& name);

}  // namespace podtwin::data
