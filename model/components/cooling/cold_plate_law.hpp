// How a cold plate passes heat to coolant that flows through it or stands in it, from its case-to-inlet resistance.
// Equations: cold_plate.md.
#pragma once

#include <span>
#include <utility>

#include "model/base/monotone_curve.hpp"
#include "model/fluids/inlet_weight.hpp"

namespace podtwin {

/// Resistance from case to inlet [K/W] against flow [m3/s] of one plate, over the range of flow that it was measured
/// in.
class ColdPlateResistance {
 public:
  using Points = std::span<const std::pair<double, double>>;
  static ColdPlateResistance table(Points points);      ///< through the points, monotone cubic
  static ColdPlateResistance quadratic(Points points);  ///< R V a least-squares parabola of V; three points or more
  static ColdPlateResistance fit(double r, double r_flow, double low, double high);  ///< R = r + r_flow/V

  double low() const { return low_; }
  double high() const { return high_; }
  bool inRange(double flow) const { return flow >= low_ && flow <= high_; }
  /// Conductance [W/K] between case and the coolant that passes, for coolant of density times specific heat rho_cp
  /// [J/(m3 K)]; held beyond the range. A resistance no greater than what the coolant's own warming is gives infinity.
  double conductance(double flow, double rho_cp) const;
  double resistance(double flow) const;  ///< within the range

 private:
  MonotoneCurve curve_;
  double a_[3] = {0.0, 0.0, 0.0};  ///< of R V = a0 + a1 V + a2 V^2
  double low_ = 0.0, high_ = 0.0;
  bool tabulated_ = false;
};

}  // namespace podtwin
