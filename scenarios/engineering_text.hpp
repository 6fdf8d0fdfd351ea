// Values as an engineer reads them on a screen: degC, kW, L/min, kPa, per cent.
#pragma once

#include <string>

#include "model/system/quantity.hpp"

namespace podtwin::scenarios {

/// `value` [SI] with its unit, to the digits that a table shows. Files and inputs keep SI and the user's own units.
std::string engineeringText(double value, Quantity quantity);

}  // namespace podtwin::scenarios
