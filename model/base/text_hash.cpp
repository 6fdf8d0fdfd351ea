#include "model/base/text_hash.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace podtwin {

std::string fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, hash);
  return digits;
}

}  // namespace podtwin
