// Identifies a text: an input in the provenance of a result, the plant that a stored state belongs to.
#pragma once

#include <string>
#include <string_view>

namespace podtwin {

/// FNV-1a of 64 bits (Fowler, Noll, Vo) as 16 hexadecimal digits. No protection against somebody who wants two alike.
std::string fnv1a(std::string_view text);

}  // namespace podtwin
