#include "model/components/it/rack_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace podtwin {

namespace {

constexpr double kShut = std::numeric_limits<double>::infinity();

/// r |q|^n with the sign of q, and its inverse.
double drop(double r, double q, double n) { return r * std::copysign(std::pow(std::abs(q), n), q); }
double flowAt(double dp, double r, double n) {
  return std::isinf(r) ? 0.0 : std::copysign(std::pow(std::abs(dp) / r, 1.0 / n), dp);
}

}  // namespace

// From the last branch back to the connection: all that a segment carries is known when its loss is asked for.
double RackLadder::splitDirect(std::span<const double> branch, std::span<double> share) const {
  double dp = 0.0, carried = 0.0;
  for (std::size_t i = branch.size(); i-- > 0;) {
    if (carried > 0.0) {
      dp += 2.0 * segment * std::pow(carried, exponent);
      share[i] = flowAt(dp, branch[i], exponent);
    } else {
      share[i] = std::isinf(branch[i]) ? 0.0 : 1.0;
      dp = std::isinf(branch[i]) ? 0.0 : branch[i];
    }
    carried += share[i];
  }
  for (double& s : share) s /= carried;
  return dp / std::pow(carried, exponent);
}

// From the connection on with a whole flow of 1: the pressure difference of the first branch is the one unknown, and
// the sum of the flows rises with it.
double RackLadder::splitReverse(std::span<const double> branch, std::span<double> share) const {
  double return_loss = 0.0;
  const auto sumAt = [&](double first) {
    double dp = first, sum = 0.0;
    return_loss = 0.0;
    for (std::size_t i = 0; i < branch.size(); ++i) {
      share[i] = flowAt(dp, branch[i], exponent);
      sum += share[i];
      if (i + 1 == branch.size()) break;
      const double loss = drop(segment, sum, exponent);
      dp += loss - drop(segment, 1.0 - sum, exponent);
      return_loss += loss;
    }
    return sum;
  };
  double least = kShut;
  for (const double r : branch) least = std::min(least, r);
  // With less than this at the first branch no branch would take a whole flow, with more than that one alone would.
  double low = 0.0, high = least + 2.0 * segment * static_cast<double>(branch.size());
  while (sumAt(high) < 1.0) high *= 2.0;
  while (sumAt(low) > 1.0) low -= high;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (sumAt(middle) < 1.0 ? low : high) = middle;
  }
  const double sum = sumAt(high);
  for (double& s : share) s /= sum;
  return high + return_loss;
}

double RackLadder::split(std::span<const double> branch, std::span<double> share) const {
  std::fill(share.begin(), share.end(), 0.0);
  if (std::all_of(branch.begin(), branch.end(), [](double r) { return std::isinf(r); })) return kShut;
  return back == ManifoldReturn::direct || segment == 0.0 ? splitDirect(branch, share) : splitReverse(branch, share);
}

double RackLadder::segmentFor(double dp, double exponent, std::span<const double> share) {
  double carried = 0.0, sum = 0.0;
  for (std::size_t i = share.size(); i-- > 1;) {
    carried += share[i];
    sum += std::pow(carried, exponent);
  }
  return sum > 0.0 ? dp / (2.0 * sum) : 0.0;
}

}  // namespace podtwin
