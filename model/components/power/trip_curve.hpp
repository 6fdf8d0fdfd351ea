// Time-current characteristic of a breaker, relay or fuse, as data. Equations: docs/theory/protection.md.
//
// A device watches its current with several elements at once (thermal, short-time, instantaneous, ground); the first
// to finish trips it. Every element has one memory m: 0 cold, 1 trips. Currents are effective values [A] at the device;
// they are refused when negative or not a number. Times in s, infinity where it never trips. No element depends on
// ambient temperature, frequency or waveform.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace podtwin {

/// Where in the band that its standard or maker leaves a device lies: low trips soonest, high latest.
enum class Edge { low, middle, high };

/// A value at each edge, in the unit of what it is a band of.
struct Band {
  double low = 0.0, middle = 0.0, high = 0.0;
  constexpr double at(Edge edge) const { return edge == Edge::low ? low : edge == Edge::middle ? middle : high; }
  static constexpr Band exactly(double value) { return {value, value, value}; }
  /// `share` of the value to either side.
  static constexpr Band around(double value, double share) {
    return {value * (1.0 - share), value, value * (1.0 + share)};
  }
  constexpr Band operator*(double factor) const { return {low * factor, middle * factor, high * factor}; }
};

/// What a device carries [A]: the greatest phase current, and the residual one (sum of the phases and the neutral).
struct WatchedCurrent {
  double phase = 0.0, ground = 0.0;
  constexpr WatchedCurrent(double phase_current, double ground_current = 0.0)  // NOLINT: mostly a phase current alone
      : phase(phase_current), ground(ground_current) {}
};
enum class Watched { phase, ground };

/// How the memory of a timed element falls while its current is not above the pickup.
struct Reset {
  enum class Law {
    decay,    ///< dm/dt = -m/time
    linear,   ///< dm/dt = -1/time: definite time for the whole way
    inverse,  ///< dm/dt = -(1 - M^exponent)/(multiplier time)
  };
  Law law = Law::decay;
  double time = 0.0;  ///< s
  double exponent = 2.0;
  /// At once: a decay so quick that nothing is left at the next current.
  static Reset instantaneous();
};

/// Element whose memory rises by 1/t while the current is above its pickup, with M = current/base:
/// t = multiplier max(k/(M^a - offset) + c, least) + added, M no greater than `definite_above`.
/// Inverse-time relays have base = pickup and offset 1; I2t elements offset 0; definite-time ones k = 0 and c = 1.
struct TimedElement {
  std::string name;
  Watched watched = Watched::phase;
  Band pickup{};                         ///< A
  Band base{};                           ///< A
  double k = 0.0, a = 2.0, c = 0.0;      ///< s, 1, s
  double offset = 1.0;                   ///< 1
  double least = 0.0;                    ///< s
  Band multiplier = Band::exactly(1.0);  ///< time multiplier setting with its tolerance
  Band added = Band::exactly(0.0);       ///< s, absolute tolerance of the time
  double definite_above = std::numeric_limits<double>::infinity();
  Reset reset = Reset::instantaneous();
};

/// First-order thermal image of the phase current: theta' = (M^2 - theta)/tau, M = current/rated, trips at theta_trip;
/// its memory is theta/theta_trip. It keeps what it has warmed up: a hot device trips sooner.
struct ThermalElement {
  std::string name;
  double rated = 0.0;  ///< A
  Band tau{};          ///< s
  Band theta_trip{};   ///< square of the least M that ever trips it
  Band least{};        ///< s, soonest trip from cold: no mechanism follows an image that warms faster
};

/// Points (current [A], time [s]): rising currents, falling times; straight between them in logarithms. Below the first
/// current it never melts, beyond the last one I2t is constant.
using TimeCurrentPoints = std::vector<std::pair<double, double>>;

/// A fuse: its memory rises by 1/t of the pre-arcing time, falls with `cooling` below the first point.
struct FuseElement {
  std::string name;
  std::array<TimeCurrentPoints, 3> pre_arcing;  ///< by Edge
  Band arcing_i2t = Band::exactly(0.0);         ///< A2s between melting and clearing
  double longest_arc = 0.0;                     ///< s; an arc ends with its half wave
  double cooling = 0.0;                         ///< s, time constant
};

using TripElement = std::variant<TimedElement, ThermalElement, FuseElement>;

/// Which element trips first, and when.
struct Trip {
  double time = std::numeric_limits<double>::infinity();  ///< s
  std::size_t element = 0;                                ///< without meaning when it never trips
};

class TripCurve {
 public:
  /// A device without elements never trips.
  TripCurve() = default;
  /// `breaking`: from the decision to no current [s], opening and arc. Throws Error naming the element and what is
  /// wrong with it.
  explicit TripCurve(std::vector<TripElement> elements, Band breaking = Band::exactly(0.0));

  /// Number of memories: one an element.
  std::size_t memories() const { return elements_.size(); }
  const std::string& name(std::size_t element) const;
  Watched watched(std::size_t element) const;
  const std::vector<TripElement>& elements() const { return elements_; }

  /// Time [s] at a constant current, from cold, to the decision to trip (of a fuse: melting).
  double tripTime(WatchedCurrent current, Edge edge = Edge::middle) const;
  /// The same to no current: with opening and arc.
  double clearingTime(WatchedCurrent current, Edge edge = Edge::middle) const;
  /// Time [s] from the decision of an element to no current.
  double clearingDelay(WatchedCurrent current, std::size_t element, Edge edge = Edge::middle) const;
  /// Time [s] to the decision from present memories at a constant current, and by which element; 0 when one is full.
  Trip nextTrip(WatchedCurrent current, std::span<const double> memory, Edge edge = Edge::middle) const;
  double timeToTrip(WatchedCurrent current, std::span<const double> memory, Edge edge = Edge::middle) const {
    return nextTrip(current, memory, edge).time;
  }

  /// dm/dt [1/s] of an element; jumps where its current passes tripsAbove().
  double memoryRate(WatchedCurrent current, double memory, std::size_t element, Edge edge = Edge::middle) const;
  /// Its derivative by the memory [1/s].
  double memorySlope(WatchedCurrent current, std::size_t element, Edge edge = Edge::middle) const;
  /// Memory after `duration` [s] of a constant current: the exact integral of memoryRate. Above 1 when it has tripped.
  double memoryAfter(WatchedCurrent current, double memory, std::size_t element, double duration,
                     Edge edge = Edge::middle) const;

  /// Current [A] of an element above which its memory goes to 1 at last.
  double tripsAbove(std::size_t element, Edge edge = Edge::middle) const;
  /// Least of these among the elements that watch this current; infinity without any.
  double tripsAbove(Watched by, Edge edge = Edge::middle) const;
  /// Current [A] that an element counts in multiples of: its setting, the rated current of a thermal one. Of a fuse the
  /// least current that melts it.
  double multiplesOf(std::size_t element) const;
  /// Currents [A] where the time jumps or bends, in rising order.
  std::vector<double> corners(Edge edge) const;

 private:
  std::vector<TripElement> elements_;
  Band breaking_;
};

}  // namespace podtwin
