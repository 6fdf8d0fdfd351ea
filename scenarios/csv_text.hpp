// Fields of CSV tables, RFC 4180.
#pragma once

#include <string>

namespace podtwin::scenarios {

/// The text as a field: in quotes where it holds a comma, a quote or a line's end.
std::string quoted(const std::string& text);

}  // namespace podtwin::scenarios
