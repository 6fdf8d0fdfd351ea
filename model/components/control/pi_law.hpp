// The proportional-integral law that controllers share, and the clock of a sampled one. Equations: pi_controller.md.
#pragma once

namespace podtwin {

/// Output per error, integral time [s] and bounds of the output.
struct PiLaw {
  double gain, integral_time, low, high;
};

/// Rate of the integral part [1/s]; 0 where it would drive a bounded or otherwise limited output further out
/// (conditional anti-windup). `wanted` is what the law asks, `output` what it gets.
inline double piIntegralRate(const PiLaw& law, double error, double wanted, double output) {
  const double rate = law.gain * error / law.integral_time;
  const bool held_down = output < wanted || output >= law.high, held_up = output > wanted || output <= law.low;
  return (held_down && rate > 0.0) || (held_up && rate < 0.0) ? 0.0 : rate;
}

/// A sample is due, and the next one is set; times are taken anew after a rewind or a steady search, whose clock ran
/// ahead.
inline bool sampleDue(double& next, double t, double period, bool steady_search) {
  constexpr double kTolerance = 1e-9;  // s
  const double wait = next - t;
  if (!steady_search && wait > kTolerance && wait <= period + kTolerance) return false;
  next = t + period;
  return true;
}

}  // namespace podtwin
