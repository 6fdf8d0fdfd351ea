// What a class declares about itself in the words of a pod file: defaults, bands, and its page as text.
#pragma once

#include <optional>
#include <string>

#include "model/system/class_info.hpp"

namespace podtwin::data {

/// True when an instance must state the parameter.
bool isRequired(const ParameterInfo& info);
/// The default as a pod file would state it ("80 %", "true", "3"); nothing where there is none.
std::optional<std::string> defaultText(const ParameterInfo& info);
/// "0 % to 100 %", "at least 0 m", or nothing where every value is taken.
std::string bandText(const ParameterInfo& info);
/// Unit in which values of the kind are recorded, "" for a number without one.
std::string unitText(Quantity quantity);
/// "above 85 degC for 10 s".
std::string limitText(const ClassInfo& info, const LimitInfo& limit);
/// Everything about a class as tables to read.
std::string classText(const ClassInfo& info);

}  // namespace podtwin::data
