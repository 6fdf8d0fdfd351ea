// A profile of temperature along a pipe: values at depths behind the end where coolant leaves, linear between; two
// nodes at one depth are a jump.
#pragma once

#include <cstddef>
#include <vector>

#include "model/system/state.hpp"

namespace podtwin::plug {

struct Profile {
  std::vector<double> at;     ///< m3 behind the outlet, rising
  std::vector<double> value;  ///< K

  std::size_t size() const { return at.size(); }
  void add(double depth, double temperature) {
    at.push_back(depth);
    value.push_back(temperature);
  }
  void clear() {
    at.clear();
    value.clear();
  }
};

/// What a parabola through the nodes around stands above the straight line in the middle of each piece, times 4 [K]: of
/// the two that take in a neighbour on either side the flatter, so that neither a kink nor a jump makes one, and never
/// so much that it leaves the range of the piece's ends.
void findBulges(const std::vector<double>& at, const std::vector<double>& value, std::vector<double>& bulge);

/// Reads a profile at depths that rise from call to call; at a jump what is ahead of it (nearer to the outlet).
class ProfileReader {
 public:
  ProfileReader(const std::vector<double>& at, const std::vector<double>& value, const std::vector<double>& bulge)
      : at_(at), value_(value), bulge_(bulge) {}
  double operator()(double depth) {
    while (k_ + 2 < at_.size() && at_[k_ + 1] < depth) ++k_;
    return between(depth, 0);
  }
  /// At a jump what is behind it.
  double behind(double depth) {
    while (k_ + 2 < at_.size() && at_[k_ + 1] <= depth) ++k_;
    return between(depth, 1);
  }

 private:
  double between(double depth, std::size_t of_jump) const {
    const double width = at_[k_ + 1] - at_[k_];
    if (width <= 0.0) return value_[k_ + of_jump];
    const double share = (depth - at_[k_]) / width;
    if (share <= 0.0) return value_[k_];
    if (share >= 1.0) return value_[k_ + 1];
    return value_[k_] + share * (value_[k_ + 1] - value_[k_] + bulge_[k_] * (1.0 - share));
  }
  const std::vector<double>& at_;
  const std::vector<double>& value_;
  const std::vector<double>& bulge_;
  std::size_t k_ = 0;
};

/// From and to the form of the state: pieces in order of depth, the first of no volume.
Profile profileOf(const DelayLine& line);
DelayLine lineOf(const Profile& profile);

/// Integral of a profile over volume relative to `reference` [K], as it is read [m3 K].
double contentOf(const DelayLine& line, double reference);

/// The part of a profile up to `depth` [m3] from one end, with what a reader needs behind it.
Profile profileNear(const DelayLine& line, bool forward, double depth);

/// The same seen from the other end, `whole` [m3] away.
void turn(Profile& profile, double whole);

/// Cuts pieces longer than `longest` [m3] into equal parts.
void refine(Profile& profile, double longest);

/// Leaves out nodes where the pieces on either side are together no longer than `longest` [m3] and nearly one straight
/// line; where there are more than `most` nodes, bent ones too.
void coarsen(Profile& profile, double longest, std::size_t most);

}  // namespace podtwin::plug
