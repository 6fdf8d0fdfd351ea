// Metadata tables of the rack and of the parts it makes.
#pragma once

#include "model/system/class_info.hpp"

namespace podtwin {

std::span<const ParameterInfo> rackParameters();
const ClassInfo& rackInfo();
const ClassInfo& trayInfo();
const ClassInfo& gpuInfo();
const ClassInfo& cpuInfo();
const ClassInfo& switchTrayInfo();
const ClassInfo& powerShelfInfo();

}  // namespace podtwin
