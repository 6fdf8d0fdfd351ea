// JSON Schema of the files people write, made from the classes' own tables.
#pragma once

#include <span>
#include <string>

#include "model/system/class_info.hpp"

namespace podtwin::data {

/// Draft-07 schema of "pod", "scenario", "study" or "catalogue"; for the name of a class, its tables as text. Classes
/// that no file names (parts, nodes) may be among `classes`. Throws InputError for another word.
std::string jsonSchema(const std::string& kind, std::span<const ClassInfo* const> classes);

}  // namespace podtwin::data
