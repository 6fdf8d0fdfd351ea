#include "scenarios/engineering_text.hpp"

#include <fmt/format.h>

namespace podtwin::scenarios {

std::string engineeringText(double value, Quantity quantity) {
  switch (quantity) {
    case Quantity::temperature:
      return fmt::format("{:.2f} degC", value - 273.15);
    case Quantity::temperature_difference:
      return fmt::format("{:.2f} K", value);
    case Quantity::power:
      return fmt::format("{:.1f} kW", value / 1e3);
    case Quantity::volume_flow:
      return fmt::format("{:.2f} L/min", value * 60000.0);
    case Quantity::pressure_gauge:
    case Quantity::pressure_difference:
      return fmt::format("{:.2f} kPa", value / 1e3);
    case Quantity::ratio:
      return fmt::format("{:.2f} %", value * 100.0);
    case Quantity::thermal_conductance:
      return fmt::format("{:.1f} kW/K", value / 1e3);
    default: {
      const std::string unit(siUnit(quantity));
      return unit == "1" ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit);
    }
  }
}

}  // namespace podtwin::scenarios
