// A plant as the text of a pod file.
#pragma once

#include <string>

#include "data/readers/pod_reader.hpp"

namespace podtwin::data {

/// The plant as a pod file without catalogues, templates, ranges and `like`: reads back to the same plant.
std::string expandPod(const PlantDescription& plant, ClassList classes);

}  // namespace podtwin::data
