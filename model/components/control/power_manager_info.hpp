// What a power manager and the loads it manages declare; the order of held values and signals as they are read.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct PowerManagerInfo {
  enum Discrete : std::size_t { kStateOf = kCommonCount, kLookAt, kRoomSince, kActions, kShort, kGaveAt };
  enum Signal : std::size_t { kStateSignal, kWorst, kWithheld, kCapped, kActionCount, kShortCount, kGiven, kShedCount };
  static const ClassInfo& table();
};

struct ManagedLoadInfo {
  enum Discrete : std::size_t {
    kCap = kCommonCount,
    kAsked,
    kDue,
    kBrakeDue,
    kDemand,
    kUnheard,
    kReleaseDue,
    kShed,
    kCalled,
    kDispatchBefore,
    kLeaving
  };
  enum Signal : std::size_t { kCapSignal, kWithheld, kSpare, kGiven, kShedSignal };
  static const ClassInfo& table();
};

/// Written as `state`.
enum class ManagerState : int { normal = 0, acting = 1, holding = 2, restoring = 3, cannot_keep = 4 };

/// Before which capping step BESS are called; past the last: after all of them.
enum class BessUse : std::size_t { before_first, before_second, before_third, after_caps };

inline constexpr std::size_t kManagerSteps = 3;
inline constexpr const char* kManagerStepPorts[kManagerSteps] = {"first", "second", "third"};

}  // namespace podtwin
