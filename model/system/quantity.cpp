#include "model/system/quantity.hpp"

namespace podtwin {

// Tokens have no udunits2 name, so files carry them as a pure number; var and USD are written as such
// because product.md names them (udunits2 alone cannot tell var from W).
std::string_view siUnit(Quantity quantity) {
  switch (quantity) {
    case Quantity::none:
      return "1";
    case Quantity::ratio:
      return "1";
    case Quantity::temperature:
      return "K";
    case Quantity::temperature_difference:
      return "K";
    case Quantity::time:
      return "s";
    case Quantity::length:
      return "m";
    case Quantity::area:
      return "m2";
    case Quantity::volume:
      return "m3";
    case Quantity::mass:
      return "kg";
    case Quantity::density:
      return "kg m-3";
    case Quantity::specific_heat:
      return "J kg-1 K-1";
    case Quantity::heat_capacity:
      return "J K-1";
    case Quantity::conductivity:
      return "W m-1 K-1";
    case Quantity::thermal_conductance:
      return "W K-1";
    case Quantity::thermal_resistance:
      return "K W-1";
    case Quantity::heat_transfer_coefficient:
      return "W m-2 K-1";
    case Quantity::dynamic_viscosity:
      return "Pa s";
    case Quantity::mass_flow:
      return "kg s-1";
    case Quantity::volume_flow:
      return "m3 s-1";
    case Quantity::velocity:
      return "m s-1";
    case Quantity::pressure_gauge:
      return "Pa";
    case Quantity::pressure_absolute:
      return "Pa";
    case Quantity::pressure_difference:
      return "Pa";
    case Quantity::acceleration:
      return "m s-2";
    case Quantity::power:
      return "W";
    case Quantity::apparent_power:
      return "VA";
    case Quantity::reactive_power:
      return "var";
    case Quantity::energy:
      return "J";
    case Quantity::charge:
      return "C";
    case Quantity::voltage:
      return "V";
    case Quantity::current:
      return "A";
    case Quantity::resistance:
      return "ohm";
    case Quantity::resistance_per_length:
      return "ohm m-1";
    case Quantity::capacitance_per_length:
      return "F m-1";
    case Quantity::frequency:
      return "Hz";
    case Quantity::rotational_speed:
      return "rad s-1";
    case Quantity::angle:
      return "rad";
    case Quantity::power_rate:
      return "W s-1";
    case Quantity::power_per_kelvin:
      return "W K-1";
    case Quantity::pressure_per_kelvin:
      return "Pa K-1";
    case Quantity::temperature_rate:
      return "K s-1";
    case Quantity::rate:
      return "s-1";
    case Quantity::conductance_per_flow:
      return "K m3 W-1 s-1";
    case Quantity::token:
      return "1";
    case Quantity::token_rate:
      return "s-1";
    case Quantity::radiance:
      return "W m-2";
    case Quantity::money:
      return "USD";
    case Quantity::carbon_mass:
      return "kg";
    case Quantity::energy_price:
      return "USD J-1";
    case Quantity::carbon_intensity:
      return "kg J-1";
  }
  return "1";
}

std::string_view quantityName(Quantity quantity) {
  switch (quantity) {
    case Quantity::none:
      return "pure number";
    case Quantity::ratio:
      return "ratio";
    case Quantity::temperature:
      return "temperature";
    case Quantity::temperature_difference:
      return "temperature difference";
    case Quantity::time:
      return "time";
    case Quantity::length:
      return "length";
    case Quantity::area:
      return "area";
    case Quantity::volume:
      return "volume";
    case Quantity::mass:
      return "mass";
    case Quantity::density:
      return "density";
    case Quantity::specific_heat:
      return "specific heat";
    case Quantity::heat_capacity:
      return "heat capacity";
    case Quantity::conductivity:
      return "thermal conductivity";
    case Quantity::thermal_conductance:
      return "thermal conductance";
    case Quantity::thermal_resistance:
      return "thermal resistance";
    case Quantity::heat_transfer_coefficient:
      return "heat transfer coefficient";
    case Quantity::dynamic_viscosity:
      return "dynamic viscosity";
    case Quantity::mass_flow:
      return "mass flow";
    case Quantity::volume_flow:
      return "volume flow";
    case Quantity::velocity:
      return "velocity";
    case Quantity::pressure_gauge:
      return "gauge pressure";
    case Quantity::pressure_absolute:
      return "absolute pressure";
    case Quantity::pressure_difference:
      return "pressure difference";
    case Quantity::acceleration:
      return "acceleration";
    case Quantity::power:
      return "active power or heat";
    case Quantity::apparent_power:
      return "apparent power";
    case Quantity::reactive_power:
      return "reactive power";
    case Quantity::energy:
      return "energy";
    case Quantity::charge:
      return "electric charge";
    case Quantity::voltage:
      return "voltage";
    case Quantity::current:
      return "electric current";
    case Quantity::resistance:
      return "electric resistance";
    case Quantity::resistance_per_length:
      return "electric resistance per length";
    case Quantity::capacitance_per_length:
      return "capacitance per length";
    case Quantity::frequency:
      return "frequency";
    case Quantity::rotational_speed:
      return "rotational speed";
    case Quantity::angle:
      return "angle";
    case Quantity::power_rate:
      return "rate of change of power";
    case Quantity::power_per_kelvin:
      return "power per kelvin";
    case Quantity::pressure_per_kelvin:
      return "pressure per kelvin";
    case Quantity::temperature_rate:
      return "rate of change of temperature";
    case Quantity::rate:
      return "rate";
    case Quantity::conductance_per_flow:
      return "thermal resistance times flow";
    case Quantity::token:
      return "number of tokens";
    case Quantity::token_rate:
      return "rate of tokens";
    case Quantity::radiance:
      return "power per area";
    case Quantity::money:
      return "sum of money";
    case Quantity::carbon_mass:
      return "mass of carbon dioxide";
    case Quantity::energy_price:
      return "price of energy";
    case Quantity::carbon_intensity:
      return "carbon intensity";
  }
  return "quantity";
}

}  // namespace podtwin
