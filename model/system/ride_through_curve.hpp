// Voltage tolerance of a load, as data: how long it bears which voltage. Equations: docs/theory/ride_through.md.
//
// A staircase, as standards draw it. Voltages are shares of the rated one, effective values of the worst phase; times
// in s. What follows a trip (restart, by hand or by itself) is the load's. Exact for a sag of any one depth; of a
// varying voltage, every depth has a clock of its own that runs while the voltage is below it.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace podtwin {

class RideThroughCurve {
 public:
  /// (voltage share, longest duration [s]).
  using Points = std::span<const std::pair<double, double>>;
  /// Bears anything.
  RideThroughCurve() = default;
  /// `sags`: from 0 V on with rising voltages and durations; a duration holds from its voltage up to the next. The last
  /// may be infinity; otherwise the voltage after which no limit holds is missing, and that is refused. `swells`:
  /// rising voltages and falling durations; a duration holds up to its voltage from the one before, the first is
  /// infinity, the last one holds for all above. `recovery` [s]: time constant at which a clock falls back. Throws
  /// Error.
  explicit RideThroughCurve(Points sags, Points swells = {}, double recovery = kRecovery);

  /// Longest duration [s] of a constant voltage; infinity within what it bears for ever.
  double timeAllowed(double voltage) const;
  /// A sag of just the duration allowed is ridden through.
  bool rides(double voltage, double duration) const { return duration <= timeAllowed(voltage); }

  /// Number of clocks: one a finite duration.
  std::size_t memories() const { return clocks_.size(); }
  /// Voltage of a clock: it runs below it (of a sag) or above it (of a swell).
  double threshold(std::size_t clock) const { return clocks_.at(clock).threshold; }
  /// How far a voltage is on the side of the clock's threshold on which it runs; negative: it falls back.
  double excess(double voltage, std::size_t clock) const;
  /// Share of its duration after `time` [s] in which the clock ran or fell back all along.
  double memoryAfter(bool running, double memory, std::size_t clock, double time) const;
  double duration(std::size_t clock) const { return clocks_.at(clock).duration; }  ///< s
  bool ofSwell(std::size_t clock) const { return clocks_.at(clock).swell; }
  /// dm/dt [1/s] of a clock's share of its duration: 1/duration while it runs, else -m/recovery. The load trips when
  /// one of them reaches 1.
  double rate(double voltage, double memory, std::size_t clock) const;
  /// The same after `duration` [s] of a constant voltage.
  double memoryAfter(double voltage, double memory, std::size_t clock, double duration) const;
  /// Time [s] to the trip from present memories at a constant voltage.
  double timeToTrip(double voltage, std::span<const double> memory) const;

  static constexpr double kRecovery = 0.1;  ///< s: estimate, supplies refill their capacitor within some cycles

 private:
  struct Clock {
    double threshold, duration;
    bool swell;
    bool runs(double voltage) const { return swell ? voltage > threshold : voltage < threshold; }
  };
  const Clock& clock(double voltage, std::size_t k) const;
  std::vector<Clock> clocks_;
  double recovery_ = kRecovery;
};

/// A curve of a standard or of a usual kind of load.
struct ShippedRideThrough {
  std::string_view name, meaning, source;
  RideThroughCurve::Points sags, swells;
  RideThroughCurve curve() const { return RideThroughCurve(sags, swells); }
};
std::span<const ShippedRideThrough> shippedRideThrough();
/// Throws Error that lists the names.
const ShippedRideThrough& shippedRideThrough(std::string_view name);

}  // namespace podtwin
