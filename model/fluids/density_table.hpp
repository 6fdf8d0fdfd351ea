// Density of a coolant against temperature, read from a table: for sums over many volumes in every evaluation.
#pragma once

#include <string>
#include <vector>

namespace podtwin::fluids {

class DensityTable {
 public:
  /// The same at every temperature [kg/m3].
  explicit DensityTable(double density = 1000.0) : density_(density) {}
  /// Of a named coolant (coolantAt) at pressure p [Pa absolute], linear between points a quarter of a kelvin apart over
  /// all its data below 100 degC. Throws Error for an unknown name.
  DensityTable(const std::string& name, double p);

  /// kg/m3 at T [K]; on the last slope beyond the data, see low() and high().
  double at(double T) const;
  double slope(double T) const;        ///< kg/(m3 K)
  double low() const { return low_; }  ///< K, of the data
  double high() const { return high_; }

 private:
  std::size_t segment(double T) const;
  double density_ = 1000.0;
  double low_ = 0.0, high_ = 1e4;
  std::vector<double> values_;  ///< empty: the same at every temperature
};

}  // namespace podtwin::fluids
