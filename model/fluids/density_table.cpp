#include "model/fluids/density_table.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/fluids/coolant.hpp"

namespace podtwin::fluids {

namespace {
constexpr double kSpacing = 0.25;    // K; the straight line misses water's density by 1e-4 kg/m3 at most
constexpr double kColdest = 223.15;  // K; below the freezing points of all the data
constexpr double kHottest = 372.9;   // K; water at 1 atm is liquid there
}  // namespace

DensityTable::DensityTable(const std::string& name, double p) {
  density_ = coolantAt(name, 303.15, p).density;  // an unknown name is told here
  for (double T = kColdest; T <= kHottest; T += kSpacing) {
    try {
      values_.push_back(coolantAt(name, T, p).density);
      if (values_.size() == 1) low_ = T;
      high_ = T;
    } catch (const Error&) {
      if (!values_.empty()) break;  // frozen below, at its end above
    }
  }
}

std::size_t DensityTable::segment(double T) const {
  const double place = (T - low_) / kSpacing;
  const auto last = static_cast<double>(values_.size() - 2);
  return static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, last));
}

double DensityTable::at(double T) const {
  if (values_.empty()) return density_;
  const std::size_t k = segment(T);
  return values_[k] + (T - low_ - kSpacing * static_cast<double>(k)) / kSpacing * (values_[k + 1] - values_[k]);
}

double DensityTable::slope(double T) const {
  if (values_.empty()) return 0.0;
  const std::size_t k = segment(T);
  return (values_[k + 1] - values_[k]) / kSpacing;
}

}  // namespace podtwin::fluids
