// Flow through branches in parallel between two manifolds whose segments have resistance, every law dp = r q^n of one
// exponent: shares of the branches and resistance of the whole do not depend on the flow. Equations: rack.md.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace podtwin {

enum class ManifoldReturn { direct, reverse };

struct RackLadder {
  double exponent = 2.0;
  double segment = 0.0;  ///< resistance of one segment of one manifold, between two neighbouring branches
  ManifoldReturn back = ManifoldReturn::direct;

  /// Shares of a whole flow that pass `branch` (resistances from the supply connection on, infinite where shut), and
  /// the resistance of the whole; infinite, with all shares 0, when every branch is shut.
  double split(std::span<const double> branch, std::span<double> share) const;
  /// The resistance of a segment with which the manifolds take `dp` of a whole flow 1 on the way to the last branch,
  /// supply and return together, while the branches carry `share`.
  static double segmentFor(double dp, double exponent, std::span<const double> share);

 private:
  double splitDirect(std::span<const double> branch, std::span<double> share) const;
  double splitReverse(std::span<const double> branch, std::span<double> share) const;
};

}  // namespace podtwin
