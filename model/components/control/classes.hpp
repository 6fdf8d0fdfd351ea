// The component classes of measurement and control. One file each; equations in the page of the same name.
#pragma once

#include <span>

#include "model/system/registry.hpp"

namespace podtwin {

RegisteredClass sensorClass();
RegisteredClass piControllerClass();
RegisteredClass standbySequencerClass();
RegisteredClass powerManagerClass();
RegisteredClass cduGroupClass();
RegisteredClass pumpStagingClass();
RegisteredClass firstOrderProcessClass();
RegisteredClass economiserControlClass();
RegisteredClass fanSequencerClass();
RegisteredClass emergencyPowerOffClass();
RegisteredClass permissiveClass();
RegisteredClass processSwitchClass();

std::span<const RegisteredClass> controlClasses();

}  // namespace podtwin
