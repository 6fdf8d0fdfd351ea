// A window of time that slides over a held value, kept as a ring of spans among an instance's discrete values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace podtwin {

/// Mean, greatest and least of a value over a window, to a twentieth of its length. `Cell` gives access to value k of
/// the ring: a reference to write, a number to read. The value between two samples is that of the earlier one.
class SlidingWindow {
 public:
  static constexpr std::size_t kShare = 20;          ///< spans a window
  static constexpr std::size_t kSpans = kShare + 2;  ///< the window, the span before it and the one under way
  enum Field : std::size_t { kTime, kIntegral, kGreatest, kLeast, kFields };
  static constexpr std::size_t kCells = kFields * kSpans + 1;

  explicit SlidingWindow(double length) : span_(length / static_cast<double>(kShare)) {}

  /// Begins at t with nothing known.
  template <class Cell>
  void clear(double t, const Cell& cell) const {
    for (std::size_t k = 0; k < kSpans; ++k) empty(k, cell);
    cell(kCells - 1) = std::floor(t / span_);
  }
  /// Begins at t as if the value had been there all the time before.
  template <class Cell>
  void fill(double t, double value, const Cell& cell) const {
    clear(t, cell);
    for (std::size_t k = 0; k < kSpans; ++k) add(k, span_, value, cell);
  }
  /// The value was held from t0 to t1.
  template <class Cell>
  void hold(double t0, double t1, double value, const Cell& cell) const {
    for (double t = t0; t1 - t > kSameTime;) {
      double& number = cell(kCells - 1);
      const double end = (number + 1.0) * span_, until = std::min(end, t1);
      if (until > t) add(slot(number), until - t, value, cell);
      t = std::max(t, until);
      if (t1 - end < -kSameTime) break;
      number += 1.0;
      empty(slot(number), cell);
    }
  }
  /// The value jumped to this one now.
  template <class Cell>
  void touch(double value, const Cell& cell) const {
    add(slot(cell(kCells - 1)), 0.0, value, cell);
  }

  /// Mean over the whole spans of the window; 0 where nothing is known.
  template <class Cell>
  double mean(const Cell& cell) const {
    double time = 0.0, integral = 0.0;
    for (std::size_t back = 1; back <= kShare; ++back) {
      const std::size_t k = slot(cell(kCells - 1) - static_cast<double>(back));
      time += cell(place(kTime, k));
      integral += cell(place(kIntegral, k));
    }
    return time > 0.0 ? integral / time : 0.0;
  }
  /// Greatest less least, the span under way included.
  template <class Cell>
  double range(const Cell& cell) const {
    double greatest = -kNone, least = kNone;
    for (std::size_t back = 0; back <= kShare; ++back) {
      const std::size_t k = slot(cell(kCells - 1) - static_cast<double>(back));
      greatest = std::max(greatest, cell(place(kGreatest, k)));
      least = std::min(least, cell(place(kLeast, k)));
    }
    return std::max(greatest - least, 0.0);
  }
  /// Mean of the last whole span less that of the one a window before, over the window: a rate.
  template <class Cell>
  double rate(const Cell& cell) const {
    const double number = cell(kCells - 1);
    const std::size_t now = slot(number - 1.0), then = slot(number - 1.0 - static_cast<double>(kShare));
    const double time_now = cell(place(kTime, now)), time_then = cell(place(kTime, then));
    if (time_now <= 0.0 || time_then <= 0.0) return 0.0;
    return (cell(place(kIntegral, now)) / time_now - cell(place(kIntegral, then)) / time_then) /
           (span_ * static_cast<double>(kShare));
  }

 private:
  static constexpr double kSameTime = 1e-9;  // s
  static constexpr double kNone = std::numeric_limits<double>::max();

  static std::size_t place(std::size_t field, std::size_t k) { return field * kSpans + k; }
  static std::size_t slot(double number) {
    constexpr double kModulus = static_cast<double>(kSpans);
    return static_cast<std::size_t>(number - std::floor(number / kModulus) * kModulus);
  }
  template <class Cell>
  static void empty(std::size_t k, const Cell& cell) {
    cell(place(kTime, k)) = cell(place(kIntegral, k)) = 0.0;
    cell(place(kGreatest, k)) = -kNone;
    cell(place(kLeast, k)) = kNone;
  }
  template <class Cell>
  static void add(std::size_t k, double time, double value, const Cell& cell) {
    cell(place(kTime, k)) += time;
    cell(place(kIntegral, k)) += time * value;
    double &greatest = cell(place(kGreatest, k)), &least = cell(place(kLeast, k));
    greatest = std::max(greatest, value);
    least = std::min(least, value);
  }

  double span_;  ///< s
};

}  // namespace podtwin
