// Band pass of samples at one period: a Butterworth high pass and low pass of second order, by the bilinear transform.
#pragma once

#include <cmath>
#include <numbers>

namespace podtwin {

/// Memory of one second-order section.
struct SectionMemory {
  double first = 0.0, second = 0.0;
};

class BandPass {
 public:
  /// `low` and `high` [Hz]: where 71 % pass; `period` [s]: at most 1/(2 high).
  BandPass(double low, double high, double period)
      : high_pass_(section(low, period, true)), low_pass_(section(high, period, false)) {}

  double pass(double sample, SectionMemory& high_pass, SectionMemory& low_pass) const {
    return apply(low_pass_, apply(high_pass_, sample, high_pass), low_pass);
  }

 private:
  struct Section {
    double b0, b1, b2, a1, a2;
  };
  static Section section(double corner, double period, bool high) {
    const double k = std::tan(std::numbers::pi * corner * period), norm = 1.0 / (1.0 + std::numbers::sqrt2 * k + k * k);
    const double b0 = (high ? 1.0 : k * k) * norm;
    return {b0, high ? -2.0 * b0 : 2.0 * b0, b0, 2.0 * (k * k - 1.0) * norm,
            (1.0 - std::numbers::sqrt2 * k + k * k) * norm};
  }
  static double apply(const Section& s, double in, SectionMemory& memory) {
    const double out = s.b0 * in + memory.first;
    memory.first = s.b1 * in - s.a1 * out + memory.second;
    memory.second = s.b2 * in - s.a2 * out;
    return out;
  }
  Section high_pass_, low_pass_;
};

}  // namespace podtwin
