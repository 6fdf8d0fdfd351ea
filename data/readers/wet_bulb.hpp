// A wet bulb that stands in place of the relative humidity.
#pragma once

#include <optional>
#include <string>

#include "model/base/diagnostics.hpp"

namespace podtwin::data {

/// Relative humidity [1] of air of these temperatures [K] at a pressure [Pa]; nothing, with the reason told at `where`,
/// when there is no such air.
std::optional<double> humidityOfWetBulb(double dry_bulb, double wet_bulb, double pressure, const SourceMark& where,
                                        const std::string& subject, Diagnostics& problems);

}  // namespace podtwin::data
