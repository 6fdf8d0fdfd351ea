// What the class plate_heat_exchanger declares.
#pragma once

#include "model/system/class_info.hpp"

namespace podtwin {

extern const ClassInfo kPlateHeatExchangerInfo;

}  // namespace podtwin
