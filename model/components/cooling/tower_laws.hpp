// Laws of wet counterflow cooling towers. Equations and sources: docs/theory/cooling_towers.md.
//
// Merkel's theory: water at T gives heat to air in proportion to h_s(T) - h_a, the enthalpy of saturated air at the
// water's temperature over that of the air. Water lost by evaporation is left out of the heat balance, Lewis factor 1.
// Temperatures in K unless a name says otherwise, flows in kg/s, pressure absolute in Pa, enthalpies in J per kg of dry
// air. Errors name the value and its limit; nothing is clamped.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>

namespace podtwin {

/// Water cooled from `hot` to `cold` by air that enters saturated at `wet_bulb`.
struct MerkelProcess {
  double hot, cold, wet_bulb;
  double liquid_to_gas;  ///< water flow over air flow
  double water_heat;     ///< specific heat of water [J/(kg K)]
  double p;
};

/// Merkel number that the process needs: integral of water_heat dT / (h_s - h_a) from cold to hot, to 1e-10 relative.
/// Throws Error where the driving difference vanishes between the ends.
double merkelNumber(const MerkelProcess& process);
/// The same by Chebyshev's four points, at 0.1, 0.4, 0.6 and 0.9 of the range.
double merkelNumberChebyshev(const MerkelProcess& process);

/// A fill whose Merkel number is c (L/G)^-n.
struct Fill {
  double c, n;
};
struct FillResult {
  double cold;                  ///< cold water [K]
  double heat;                  ///< given to the air [W]
  double leaving_air_enthalpy;  ///< J/kg dry air
};
/// Cold water that a fill reaches with `water` and `air` [kg/s].
FillResult coolWithFill(const Fill& fill, double water, double air, double hot, double wet_bulb, double water_heat,
                        double p);

/// YorkCalc: approach [K] as a polynomial of powers 0 to 2 in liquid-to-gas ratio (slowest), range [K] and wet bulb
/// [degC] (fastest). Flows are ratios to those of the design.
using YorkCalcCoefficients = std::array<double, 27>;
extern const YorkCalcCoefficients kYorkCalc;  ///< those published with EnergyPlus
double yorkCalcApproach(double liquid_to_gas, double range, double wet_bulb_celsius,
                        std::span<const double, 27> coefficients = kYorkCalc);

/// What YorkCalc was fitted for.
struct YorkCalcValidity {
  double wet_bulb_low = -34.4, wet_bulb_high = 26.7;  // degC
  double range_low = 1.1, range_high = 22.2;          // K
  double water_low = 0.75, water_high = 1.25;         // water flow over design
  double liquid_to_gas_high = 8.0;
};
/// Empty within the validity; else which value is outside of what.
std::string outsideYorkCalc(double water_ratio, double air_ratio, double range, double wet_bulb_celsius,
                            const YorkCalcValidity& validity = {});

/// Range [K] that YorkCalc leads to for water entering at `water_in`, and its slope by water_in. Finite for every
/// state: beyond what was fitted it goes on as docs/theory/cooling_towers.md says, and outsideYorkCalc() tells.
struct YorkCalcRange {
  double range, slope;
};
YorkCalcRange yorkCalcRange(double water_in, double wet_bulb, double water_ratio, double air_ratio);

/// A pass of water through a tower in which air is an equivalent gas: specific heat dh/dT of saturated air between the
/// wet bulbs at which it enters and leaves, conductance in proportion to it, effectiveness of counterflow.
struct TowerPass {
  double water_in, wet_bulb;
  double water_rate;  ///< capacity rate of the water [W/K]
  double air;         ///< dry air [kg/s]
  double p;
};
struct TowerPassResult {
  double heat;          ///< given to the air [W]; negative where the water is colder than the wet bulb
  double slope;         ///< derivative of heat by water_in [W/K]
  double wet_bulb_out;  ///< of the leaving air
};
/// `ua` is the conductance for air of the specific heat kTowerAirHeat. No flow of water or air: no heat.
TowerPassResult passTower(const TowerPass& pass, double ua);
constexpr double kTowerAirHeat = 1006.0;  // J/(kg K), dry air

/// Conductance at which a pass gives `heat`. Throws Error where no finite tower does.
double towerConductance(const TowerPass& pass, double heat);

/// Conductance over that of the design: polynomials of EnergyPlus's variable-speed Merkel tower. `below_design` is the
/// design's wet bulb less the present one [K]; flows are ratios to the design's.
double towerConductanceRatio(double below_design, double air_ratio, double water_ratio);
/// Water flow over design at which the polynomial of water flow is greatest; beyond it falls, which no tower does.
double towerMostWaterRatio();

/// Mass of dry air in a cubic metre [kg/m3] that enters at a dry and a wet bulb.
double towerAirDensity(double dry_bulb, double wet_bulb, double p);

/// Value of a table at x: piecewise cubic that rises and falls with the table only (Fritsch and Butland). Throws Error
/// outside the table.
double monotoneTable(std::span<const std::pair<double, double>> table, double x);

}  // namespace podtwin
