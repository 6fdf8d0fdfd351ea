// Pressure drop against flow as a table of measured points: a law that rises without kink at every flow.
// Equations: fluid_network.md.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace podtwin {

/// Through the origin and the points a monotone piecewise cubic (Fritsch and Carlson 1980); below the first point odd
/// in the flow, beyond the last a power of the flow with the value and the slope that it has there.
class FlowTable {
 public:
  FlowTable() = default;
  /// Points [kg/s, Pa], the origin left out. Throws Error unless both rise from above zero.
  explicit FlowTable(std::span<const std::pair<double, double>> points);

  /// Pressure drop [Pa] at m [kg/s] and its slope [Pa s/kg].
  double drop(double m, double& slope) const;
  bool empty() const { return m_.empty(); }
  double last() const { return m_.back(); }      ///< kg/s; beyond it is extrapolated
  double exponent() const { return exponent_; }  ///< of the flow, beyond the last point
  bool operator==(const FlowTable&) const = default;

 private:
  std::vector<double> m_, dp_, slope_;
  double exponent_ = 0.0;
};

}  // namespace podtwin
