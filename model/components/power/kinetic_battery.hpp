// Kinetic battery (Manwell and McGowan 1993): charge in an available and a bound well that level through a valve.
// Charges are shares of the capacity, currents capacities a second (positive on discharge). Equations: battery.md.
#pragma once

#include <cmath>
#include <optional>

namespace podtwin {

struct KineticWells {
  double share = 1.0;  ///< c: of the available well at rest
  double rate = 0.0;   ///< k, 1/s

  /// Flow [1/s] from the bound into the available well.
  template <class S>
  S levelling(const S& available, const S& bound) const {
    return rate * (share * bound - (1.0 - share) * available);
  }

  /// Available charge after `time` [s] of a constant current.
  double availableAfter(double available, double bound, double current, double time) const {
    const Reach r = reach(available, bound, time);
    return r.at_rest - r.by_current * current;
  }

  /// Constant current after whose `time` [s] the available charge is just `target`.
  double currentTo(double target, double available, double bound, double time) const {
    const Reach r = reach(available, bound, time);
    return (r.at_rest - target) / r.by_current;
  }

 private:
  struct Reach {
    double at_rest, by_current;
  };
  Reach reach(double available, double bound, double time) const {
    if (rate == 0.0) return {available, time};
    const double kt = rate * time, decay = std::exp(-kt), gone = -std::expm1(-kt);
    return {available * decay + (available + bound) * share * gone, (gone + share * (kt - gone)) / rate};
  }
};

/// Wells that give the capacities at discharge over 1 h, 10 h and 20 h.
struct KineticFit {
  KineticWells wells;
  double capacity = 0.0;  ///< of both wells, in the unit of the given ones
};

/// k is looked for on a grid, the smallest of the best, c is the mean of what two pairs of capacities give: as in NREL
/// SSC. Nothing where no c between 0 and 1 comes of it.
inline std::optional<KineticFit> fitKineticWells(double in_1h, double in_10h, double in_20h) {
  constexpr double kHour = 3600.0;   // s
  constexpr double kShort = 1.0;     // h
  constexpr double kMiddle = 10.0;   // h
  constexpr double kLong = 20.0;     // h
  constexpr double kGrid = 0.001;    // 1/h; NREL SSC, lib_battery_capacity
  constexpr int kGridPoints = 5000;  // likewise
  const auto shareOf = [](double ratio, double short_time, double long_time, double k) {
    const double level = -ratio * std::expm1(-k * short_time) * long_time + std::expm1(-k * long_time) * short_time;
    return level / (level + k * short_time * long_time * (1.0 - ratio));
  };
  double least = INFINITY;
  KineticFit fit;
  for (int i = 1; i < kGridPoints; ++i) {
    const double k = i * kGrid;
    const double one = shareOf(in_1h / in_20h, kShort, kLong, k), other = shareOf(in_1h / in_10h, kShort, kMiddle, k);
    if (!(std::abs(one - other) < least)) continue;
    least = std::abs(one - other);
    fit.wells = {0.5 * (one + other), k / kHour};
    const double level = -std::expm1(-k * kLong) * (1.0 - fit.wells.share);
    fit.capacity = in_20h * (1.0 + level / (k * fit.wells.share * kLong));
  }
  if (!(fit.wells.share > 0.0 && fit.wells.share < 1.0 && fit.capacity > 0.0)) return std::nullopt;
  return fit;
}

}  // namespace podtwin
