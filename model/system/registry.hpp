// The component classes that exist. Adding one is adding a line to components/registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/system/component_set.hpp"

namespace podtwin {

using SetList = std::vector<std::unique_ptr<ComponentSet>>;

struct RegisteredClass {
  const ClassInfo* info;
  /// Makes the set of these instances, and the sets of their parts.
  void (*make)(std::vector<const InstanceDescription*> instances, SetList& out);
};

/// Defined in model/components/registry.cpp.
std::span<const RegisteredClass> registeredClasses();

}  // namespace podtwin
