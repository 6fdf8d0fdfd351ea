#include "model/components/cooling/plug_content.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace podtwin::plug {

namespace {

constexpr std::size_t kManyPieces = 4096;  // from here on inflow is joined whatever its temperature
constexpr double kFrontPassed = 1e-7;      // s; what leaves within this time counts as gone

/// Depth [m3] behind the end where coolant leaves, greater than `passed`, at which the next front begins or ends: where
/// the profile changes by more than `height` [K] faster than by `slope` [K/m3]. Infinite when none begins before
/// `deepest`.
double nextFrontDepth(const DelayLine& line, double t_head, bool forward, double slope, double height, double passed,
                      double deepest) {
  const std::size_t count = line.volume.size() - line.head;
  const auto last = [&](std::size_t k) { return k > line.head ? line.temperature[k - 1] : t_head; };
  double depth = 0.0, begin = 0.0, t_begin = 0.0;
  bool steep = false;
  for (std::size_t n = 0; n <= count; ++n) {
    const std::size_t k = forward ? line.head + n : line.volume.size() - 1 - n;
    const double t = n == count ? 0.0 : (forward ? last(k) : line.temperature[k]);
    const double t_next = n == count ? 0.0 : (forward ? line.temperature[k] : last(k));
    const bool steep_here = n < count && std::abs(t_next - t) > slope * line.volume[k];
    if (steep && !steep_here) {
      const double t_end = n == count ? (forward ? line.temperature.back() : t_head) : t;
      if (std::abs(t_end - t_begin) > height) {
        if (begin > passed) return begin;
        if (depth > passed) return depth;
      }
    }
    if (n == count || (!steep_here && depth > deepest)) break;
    if (steep_here && !steep) {
      begin = depth;
      t_begin = t;
    }
    steep = steep_here;
    depth += line.volume[k];
  }
  return std::numeric_limits<double>::infinity();
}

void trim(DelayLine& line) {
  const auto head = static_cast<std::ptrdiff_t>(line.head);
  line.volume.erase(line.volume.begin(), line.volume.begin() + head);
  line.temperature.erase(line.temperature.begin(), line.temperature.begin() + head);
  line.head = 0;
}

/// Puts the inflow down behind the tail, joined to the last stretch where that was short.
void enter(DelayLine& line, Stretch& open, Inflow in, const Vessel& vessel) {
  double start = line.temperature.back();
  const double mean_here = kReferenceTemperature + in.heat / (vessel.rho_cp * in.volume);
  const bool gentle = std::max(std::abs(mean_here - open.start), std::abs(start - open.start)) < kFrontHeight;
  const std::size_t pieces = line.volume.size() - line.head;
  if (open.volume > 0.0 && open.volume < kStepShare * vessel.volume && pieces >= 4 &&
      (gentle || pieces > kManyPieces)) {
    // The last stretch was short, and no front is in it or here: this one and it are put down as one.
    line.volume.resize(line.volume.size() - 2);
    line.temperature.resize(line.temperature.size() - 2);
    in.volume += open.volume;
    in.heat += open.heat;
    start = open.start;
  }
  open = {in.volume, in.heat, start};
  layDown(line, in, start, vessel.rho_cp);
}

}  // namespace

double content(const DelayLine& line, double t_head) {
  double sum = 0.0, t = t_head;
  for (std::size_t k = line.head; k < line.volume.size(); ++k) {
    sum += line.volume[k] * (0.5 * (t + line.temperature[k]) - kReferenceTemperature);
    t = line.temperature[k];
  }
  return sum;
}

double behindOutlet(const DelayLine& line, double t_head, double depth) {
  double t = t_head;
  for (std::size_t k = line.head; k < line.volume.size(); ++k) {
    if (depth < line.volume[k]) return t + (line.temperature[k] - t) * std::max(depth, 0.0) / line.volume[k];
    depth -= line.volume[k];
    t = line.temperature[k];
  }
  return t;
}

double aheadOfInlet(const DelayLine& line, double t_head, double depth) {
  for (std::size_t k = line.volume.size(); k-- > line.head;) {
    const double t = line.temperature[k], next = k > line.head ? line.temperature[k - 1] : t_head;
    if (depth < line.volume[k]) return t + (next - t) * std::max(depth, 0.0) / line.volume[k];
    depth -= line.volume[k];
  }
  return t_head;
}

double nextFront(const DelayLine& line, double t_head, double flow, double volume, double horizon) {
  const double depth = nextFrontDepth(line, t_head, flow > 0.0, kFrontHeight / (kStepShare * volume), kFrontHeight,
                                      kFrontPassed * std::abs(flow), horizon * std::abs(flow));
  return depth / std::abs(flow);
}

void layDown(DelayLine& line, const Inflow& in, double start, double rho_cp) {
  const double mean = kReferenceTemperature + in.heat / (rho_cp * in.volume),
               end = in.t_end == in.t_end ? in.t_end : mean;
  const auto put = [&](double part, double temperature) {
    line.volume.push_back(part);
    line.temperature.push_back(temperature);
  };
  const double from_start = std::abs(mean - start), from_end = std::abs(end - mean), whole = std::abs(end - start);
  constexpr double kFlat = 1e-9;  // K; a stretch that changes less has no ramp to place
  if (whole <= kFlat || from_start > whole || from_end > whole) {
    put(0.5 * in.volume, 2.0 * mean - 0.5 * (start + end));
    put(0.5 * in.volume, end);
  } else if (from_end <= from_start) {
    const double ramp = 2.0 * from_end / whole * in.volume;
    put(ramp, end);
    put(in.volume - ramp, end);
  } else {
    const double ramp = 2.0 * from_start / whole * in.volume;
    put(in.volume - ramp, start);
    put(ramp, end);
  }
}

double move(DelayLine& line, double& t_head, Stretch& open, const Inflow& in, const Vessel& vessel) {
  enter(line, open, in, vessel);
  double left = in.volume, taken = 0.0, t = t_head;
  for (;;) {
    double& piece = line.volume[line.head];
    const double end = line.temperature[line.head];
    const bool whole = left >= piece && line.head + 1 < line.volume.size();
    const double part = whole ? piece : std::min(left, piece);
    const double cut = whole || piece <= 0.0 ? end : t + (end - t) * part / piece;
    taken += part * (0.5 * (t + cut) - kReferenceTemperature);
    t = cut;
    left -= part;
    piece -= part;
    if (!whole) break;
    ++line.head;
  }
  t_head = t;
  constexpr std::size_t kUnusedPieces = 1024;  // kept in front of the head before the line is moved down
  if (line.head > kUnusedPieces) trim(line);
  return taken;
}

double reverse(DelayLine& line, double t_head) {
  trim(line);
  const double tail = line.temperature.back();
  line.temperature.pop_back();
  line.temperature.insert(line.temperature.begin(), t_head);
  std::reverse(line.volume.begin(), line.volume.end());
  std::reverse(line.temperature.begin(), line.temperature.end());
  return tail;
}

}  // namespace podtwin::plug
