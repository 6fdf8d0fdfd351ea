// The component classes of electrical distribution: here a tree of losses and ratings. One file each.
#pragma once

#include <span>

#include "model/system/registry.hpp"

namespace podtwin {

RegisteredClass utilityClass();
RegisteredClass transformerClass();
RegisteredClass upsClass();
RegisteredClass buswayClass();
RegisteredClass breakerClass();
RegisteredClass electricalLoadClass();
RegisteredClass airCooledRackClass();
RegisteredClass powerConverterClass();

std::span<const RegisteredClass> powerClasses();

}  // namespace podtwin
