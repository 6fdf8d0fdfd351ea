#include "model/components/cooling/plug_profile.hpp"

#include <algorithm>
#include <cmath>

namespace podtwin::plug {

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

void coarsen(Profile& profile, const Steepness& steep, std::size_t most) {
  const bool too_many = profile.size() > most;
  Profile coarse;
  coarse.add(profile.at.front(), profile.value.front());
  for (std::size_t k = 1; k + 1 < profile.size(); ++k) {
    const double ahead = profile.at[k] - coarse.at.back(), behind = profile.at[k + 1] - profile.at[k];
    if (ahead + behind <= steep.piece &&
        (too_many || steep(ahead, profile.value[k] - coarse.value.back()) ==
                         steep(behind, profile.value[k + 1] - profile.value[k])))
      continue;
    coarse.add(profile.at[k], profile.value[k]);
  }
  coarse.add(profile.at.back(), profile.value.back());
  profile = std::move(coarse);
}

}  // namespace podtwin::plug
