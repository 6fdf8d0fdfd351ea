#include "model/components/cooling/plug_profile.hpp"

#include <algorithm>
#include <cmath>

namespace podtwin::plug {

namespace {

constexpr double kJumpSlope = 1e30;    // K/m3; any that is steeper than all that is real
constexpr double kLeastWidth = 1e-30;  // m3

double flatter(double a, double b) {
  if (a * b <= 0.0) return 0.0;
  return std::abs(a) < std::abs(b) ? a : b;
}

}  // namespace

void findBulges(const std::vector<double>& at, const std::vector<double>& value, std::vector<double>& bulge) {
  const std::size_t pieces = at.size() - 1;
  bulge.assign(pieces, 0.0);
  // Half of the second derivative at the node before a piece and at that behind it; none at the ends.
  double before = 0.0, slope = 0.0;
  bool has_before = false;
  for (std::size_t k = 0; k < pieces; ++k) {
    const double width = at[k + 1] - at[k], change = value[k + 1] - value[k];
    if (k == 0) slope = width > 0.0 ? change / width : 0.0;
    double after = 0.0, next_slope = 0.0;
    const bool has_after = k + 1 < pieces;
    if (has_after) {
      const double next_width = at[k + 2] - at[k + 1], next_change = value[k + 2] - value[k + 1];
      next_slope = next_width > 0.0 ? next_change / next_width : std::copysign(kJumpSlope, next_change);
      after = (next_slope - slope) / std::max(width + next_width, kLeastWidth);
    }
    double half = !has_before ? after : has_after ? flatter(before, after) : before;
    half *= width * width;
    bulge[k] = -std::clamp(half, -std::abs(change), std::abs(change));
    before = after;
    has_before = has_after;
    slope = next_slope;
  }
}

double contentOf(const DelayLine& line, double reference) {
  const Profile profile = profileOf(line);
  std::vector<double> bulge;
  findBulges(profile.at, profile.value, bulge);
  double sum = 0.0;
  constexpr double kOfBulge = 1.0 / 6.0;  // integral of s (1 - s)
  for (std::size_t k = 0; k + 1 < profile.size(); ++k)
    sum += (profile.at[k + 1] - profile.at[k]) *
           (0.5 * (profile.value[k] + profile.value[k + 1]) + kOfBulge * bulge[k] - reference);
  return sum;
}

Profile profileNear(const DelayLine& line, bool forward, double depth) {
  constexpr std::size_t kBeyond = 2;  // nodes
  Profile profile;
  double at = 0.0;
  std::size_t beyond = 0;
  const std::size_t count = line.volume.size();
  for (std::size_t n = 0; n < count - line.head && beyond <= kBeyond; ++n) {
    const std::size_t k = forward ? line.head + n : count - 1 - n;
    if (forward)
      at += line.volume[k];
    else if (n > 0)
      at += line.volume[k + 1];
    profile.add(at, line.temperature[k]);
    if (at > depth) ++beyond;
  }
  return profile;
}

Profile profileOf(const DelayLine& line) {
  Profile profile;
  double depth = 0.0;
  for (std::size_t k = line.head; k < line.volume.size(); ++k) {
    depth += line.volume[k];
    profile.add(depth, line.temperature[k]);
  }
  return profile;
}

DelayLine lineOf(const Profile& profile) {
  DelayLine line{{}, profile.value, 0};
  line.volume.reserve(profile.size());
  double before = 0.0;
  for (const double at : profile.at) {
    line.volume.push_back(std::max(at - before, 0.0));
    before = at;
  }
  return line;
}

void turn(Profile& profile, double whole) {
  std::reverse(profile.at.begin(), profile.at.end());
  std::reverse(profile.value.begin(), profile.value.end());
  for (double& at : profile.at) at = std::max(whole - at, 0.0);
  profile.at.front() = 0.0;
  profile.at.back() = whole;
}

void refine(Profile& profile, double longest) {
  constexpr double kAsLong = 1.0 + 1e-6;
  Profile fine;
  for (std::size_t k = 0; k < profile.size(); ++k) {
    if (k > 0) {
      const double width = profile.at[k] - profile.at[k - 1];
      const double parts = std::ceil(width / (kAsLong * longest));
      for (double part = 1.0; part < parts; part += 1.0)
        fine.add(profile.at[k - 1] + width * part / parts,
                 profile.value[k - 1] + (profile.value[k] - profile.value[k - 1]) * part / parts);
    }
    fine.add(profile.at[k], profile.value[k]);
  }
  profile = std::move(fine);
}

void coarsen(Profile& profile, double longest, std::size_t most) {
  constexpr double kNearly = 0.01;  // K; beside a front a node stands off by the front's height
  const bool too_many = profile.size() > most;
  Profile coarse;
  coarse.add(profile.at.front(), profile.value.front());
  for (std::size_t k = 1; k + 1 < profile.size(); ++k) {
    const double before = coarse.at.back(), width = profile.at[k + 1] - before;
    const double share = width > 0.0 ? (profile.at[k] - before) / width : 0.0;
    const double straight = coarse.value.back() + share * (profile.value[k + 1] - coarse.value.back());
    if (width <= longest && (too_many || std::abs(profile.value[k] - straight) < kNearly)) continue;
    coarse.add(profile.at[k], profile.value[k]);
  }
  coarse.add(profile.at.back(), profile.value.back());
  profile = std::move(coarse);
}

}  // namespace podtwin::plug
