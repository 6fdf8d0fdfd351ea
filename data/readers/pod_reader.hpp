// Pod and catalogue files to a PlantDescription: ranges, templates, includes, types and `like` expanded, everything in
// SI.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/system/class_info.hpp"
#include "model/system/plant_description.hpp"

namespace podtwin::data {

/// The classes that files may name; parts of other classes (user_visible false) may be listed so that addresses know
/// them.
using ClassList = std::span<const ClassInfo* const>;

struct ReadOptions {
  std::vector<std::string>
      set_overrides;  ///< of --set: "ADDRESS=VALUE"; those of `scenario.` are left to the scenario reader
  std::vector<std::string> search_paths;  ///< folders tried when a relative path is not found beside its file
};

/// Reads a pod with all files it names. Adds every problem it finds to `diagnostics`, in all files, and returns what it
/// could make of the rest; who goes on with the plant calls diagnostics.throwIfErrors() first.
PlantDescription readPod(const std::string& path, const ReadOptions& options, ClassList classes,
                         Diagnostics& diagnostics);

/// Checks a catalogue on its own.
void checkCatalogue(const std::string& path, ClassList classes, Diagnostics& diagnostics);

}  // namespace podtwin::data
