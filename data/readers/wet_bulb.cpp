#include "data/readers/wet_bulb.hpp"

#include <algorithm>

#include "data/readers/units.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/system/quantity.hpp"

namespace podtwin::data {

std::optional<double> humidityOfWetBulb(double dry_bulb, double wet_bulb, double pressure, const SourceMark& where,
                                        const std::string& subject, Diagnostics& problems) {
  const std::string shown = readableText(wet_bulb, Quantity::temperature);
  if (wet_bulb > dry_bulb) {
    problems.error(where,
                   subject + ": " + shown + " is above the dry bulb, " + readableText(dry_bulb, Quantity::temperature),
                   "give a wet bulb of the dry bulb or less");
    return std::nullopt;
  }
  const auto driest = [&] {
    // Where the humidity is 0: colder wet bulbs belong to no air of this dry bulb.
    try {
      return readableText(fluids::wetBulb(dry_bulb, 0.0, pressure), Quantity::temperature);
    } catch (const Error&) {
      return std::string();
    }
  };
  try {
    const double ratio = fluids::humidityRatioFromWetBulb(dry_bulb, wet_bulb, pressure);
    if (ratio >= 0.0) return std::clamp(fluids::relativeHumidityFromRatio(dry_bulb, ratio, pressure), 0.0, 1.0);
  } catch (const Error&) {
    // told below
  }
  const std::string limit = driest();
  problems.error(
      where, subject + ": no air of " + readableText(dry_bulb, Quantity::temperature) + " has the wet bulb " + shown,
      limit.empty() ? "give relative_humidity" : "that of the driest air is " + limit + "; give a higher one");
  return std::nullopt;
}

}  // namespace podtwin::data
