// What a power manager and the loads it manages declare; the order of held values and signals as they are read.
#pragma once

#include <cstddef>

#include "model/system/component_set.hpp"

namespace podtwin {

struct PowerManagerInfo {
  enum Discrete : std::size_t { kStateOf = kCommonCount, kLookAt, kRoomSince, kActions, kShort };
  enum Signal : std::size_t { kStateSignal, kWorst, kWithheld, kCapped, kActionCount, kShortCount };
  static const ClassInfo& table();
};

struct ManagedLoadInfo {
  enum Discrete : std::size_t { kCap = kCommonCount, kAsked, kDue, kBrakeDue, kDemand, kUnheard };
  enum Signal : std::size_t { kCapSignal, kWithheld, kSpare };
  static const ClassInfo& table();
};

/// Written as `state`.
enum class ManagerState : int { normal = 0, acting = 1, holding = 2, restoring = 3, cannot_keep = 4 };

inline constexpr std::size_t kManagerSteps = 3;
inline constexpr const char* kManagerStepPorts[kManagerSteps] = {"first", "second", "third"};

}  // namespace podtwin
