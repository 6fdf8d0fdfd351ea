// The kinds of physical quantity that a parameter, state or signal can be, each with its SI unit.
#pragma once

#include <string_view>

namespace podtwin {

/// A kind is finer than a dimension: a temperature is not a difference, W is not VA, gauge is not
/// absolute. The reader refuses a text unit of another kind although udunits2 would convert it.
enum class Quantity {
  none,                       // a count or a pure text parameter
  ratio,                      // 1; text may use 1, % or pu
  temperature,                // K; text degC, K, degF
  temperature_difference,     // K; text K only
  time,                       // s
  length,                     // m
  area,                       // m2
  volume,                     // m3
  mass,                       // kg
  density,                    // kg/m3
  specific_heat,              // J/kg/K
  heat_capacity,              // J/K
  conductivity,               // W/m/K
  thermal_conductance,        // W/K
  thermal_resistance,         // K/W
  heat_transfer_coefficient,  // W/(m2 K)
  dynamic_viscosity,          // Pa s
  mass_flow,                  // kg/s
  volume_flow,                // m3/s
  velocity,                   // m/s
  pressure_gauge,             // Pa above the surrounding air
  pressure_absolute,          // Pa
  pressure_difference,        // Pa
  acceleration,               // m/s2
  power,                      // W, active power or heat
  apparent_power,             // VA
  reactive_power,             // var
  energy,                     // J; text J, kWh, MWh
  charge,                     // C; text Ah
  voltage,                    // V
  current,                    // A
  resistance,                 // ohm
  resistance_per_length,      // ohm/m
  capacitance_per_length,     // F/m
  frequency,                  // Hz
  rotational_speed,           // rad/s; text rpm
  angle,                      // rad; text deg
  power_rate,                 // W/s
  power_per_kelvin,           // W/K of a power that depends on temperature
  pressure_per_kelvin,        // Pa/K of a shut-in volume
  temperature_rate,           // K/s
  rate,                       // 1/s
  conductance_per_flow,       // K m3/(W s): resistance times flow, the slope of a cold plate's R(1/V)
  token,                      // tokens
  token_rate,                 // tokens/s
  radiance,                   // W/m2
  money,                      // USD
  carbon_mass,                // kg of CO2 equivalent; text gCO2, kgCO2, tCO2
  energy_price,               // USD/J; text USD/MWh
  carbon_intensity,           // kg CO2 equivalent per J; text gCO2/kWh
};

/// SI unit in udunits2 spelling, as written to HDF5 ("K", "W", "m3 s-1", "1", ...).
std::string_view siUnit(Quantity quantity);

/// Name for messages: "temperature difference", "gauge pressure", ...
std::string_view quantityName(Quantity quantity);

}  // namespace podtwin
