// A value that may stay above its pick-up for a time: protection by a level and a delay. Equations: generator.md.
#pragma once

namespace podtwin {

struct DelayedTrip {
  double pick_up = 0.0;  ///< in the unit of the value; 0: there is none
  double delay = 0.0;    ///< s

  static constexpr double kDropOut = 0.99;  // of the pick-up; engineering estimate, so that it does not chatter
  static constexpr double kIdle = -1.0;     // value of `since` while nothing is timed

  /// Negative until the value crosses the pick-up, or, once it is timed, falls back.
  double watch(double value, double since) const {
    if (pick_up <= 0.0) return -1.0;
    return since == kIdle ? value / pick_up - 1.0 : kDropOut - value / pick_up;
  }
  /// Notes what watch() found at the time t; true when the delay is over.
  bool act(double value, double t, double& since) const {
    constexpr double kTolerance = 1e-9;  // s
    if (pick_up <= 0.0) return false;
    if (watch(value, since) >= 0.0) since = since == kIdle ? t : kIdle;
    return since != kIdle && since + delay <= t + kTolerance;
  }
};

}  // namespace podtwin
