// What a breaker declares about itself; the order of its held values and signals as the kernel reads them.
#pragma once

#include <cstddef>

#include "model/components/power/protected_branch.hpp"

namespace podtwin {

struct BreakerInfo {
  static constexpr std::size_t kMostElements = 4;  ///< L, S, I, G
  static constexpr std::size_t kBranchSignals = 14;
  enum Discrete : std::size_t { kUnderSince = kAboveSince + kMostElements };
  enum Signal : std::size_t {
    kClosed,
    kPower,
    kFirstBranch,
    kNeutral = kFirstBranch + 3,
    kGround = kFirstBranch + kBranchSignals,
    kFirstProtection
  };
  static const ClassInfo& table();
};

}  // namespace podtwin
