// Pressure drop against flow as a table of measured points: a law that rises without kink at every flow.
// Equations: fluid_network.md.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace podtwin {

/// Through the points a monotone piecewise cubic of the logarithms (Fritsch and Carlson 1980), which is exact for any
/// power of the flow; below the first point c1 m + c3 m^3, beyond the last the power of the last two points; odd.
class FlowTable {
 public:
  FlowTable() = default;
  /// Points [kg/s, Pa], the origin left out. Throws Error unless both rise from above zero.
  explicit FlowTable(std::span<const std::pair<double, double>> points);

  /// Pressure drop [Pa] at m [kg/s] and its slope [Pa s/kg].
  double drop(double m, double& slope) const;
  bool empty() const { return log_m_.empty(); }
  double last() const { return last_; }                 ///< kg/s; beyond it is extrapolated
  double exponent() const { return exponent_.back(); }  ///< of the flow, beyond the last point

 private:
  std::vector<double> log_m_, log_dp_, exponent_;  ///< [point]; exponent: slope of the logarithms
  double first_ = 0.0, last_ = 0.0;                ///< kg/s
};

}  // namespace podtwin
