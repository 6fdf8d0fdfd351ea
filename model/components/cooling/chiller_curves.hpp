// Performance of a chiller by energy-input-ratio curves (Electric EIR form of DOE-2 and EnergyPlus).
// Equations: docs/theory/chillers.md. Temperatures in K; coefficients are for degC.
#pragma once

#include <array>
#include <span>
#include <string>

namespace podtwin {

/// Temperatures a curve was fitted for, and how far outside its polynomial is still followed.
struct CurveRange {
  double low, high;                // K
  double margin;                   // K
  double held(double T) const;     ///< T, or the end of the range with its margin
  double outside(double T) const;  ///< K beyond the range; 0 inside
};

/// a0 + a1 x + a2 x^2 + a3 y + a4 y^2 + a5 x y with x leaving chilled water, y entering condenser fluid [degC].
struct Biquadratic {
  std::array<double, 6> a;
  double value(double x, double y) const;
  double slopeByX(double x, double y) const;
  double slopeByY(double x, double y) const;
};

struct EirCurves {
  Biquadratic capacity;             ///< available over reference capacity
  Biquadratic input;                ///< input over cooling at full load, over its reference value
  std::array<double, 4> part_load;  ///< cubic in the part-load ratio: input over that of full load
  CurveRange evaporator, condenser;

  struct Share {
    double value;                     ///< 1
    double by_leaving, by_condenser;  ///< 1/K
  };
  Share capacityShare(double leaving, double condenser_entering) const;
  double inputRatio(double leaving, double condenser_entering) const;
  double partLoad(double ratio) const;
  /// Kelvin outside the ranges, the greater of both; 0 inside.
  double outside(double leaving, double condenser_entering) const;
  /// Why the curves cannot be used with loads up to `most_load`: where one is not positive; empty when they can.
  std::string fault(double least_load, double most_load) const;
};

/// Six coefficients of a list, four of a list of three or four.
Biquadratic biquadraticOf(std::span<const double> list);
std::array<double, 4> cubicOf(std::span<const double> list);

/// What a chiller takes from its coolant with all compressors loaded, and the slopes.
struct ChillerDuty {
  double heat;                       // W
  double by_entering, by_condenser;  // W/K
};
/// Heat that brings `rate` [W/K] from `entering` to `set_point`, or what `capacity` [W] x share x `most_load` allows at
/// the leaving temperature that then results.
ChillerDuty eirDuty(const EirCurves& curves, double capacity, double most_load, double rate, double entering,
                    double set_point, double condenser_entering);

}  // namespace podtwin
