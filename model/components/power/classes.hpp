// The component classes of electrical distribution.
#pragma once

#include <span>

#include "model/system/registry.hpp"

namespace podtwin {

RegisteredClass utilityClass();
RegisteredClass transformerClass();
RegisteredClass upsClass();
RegisteredClass buswayClass();
RegisteredClass breakerClass();
RegisteredClass fuseClass();
RegisteredClass electricalLoadClass();
RegisteredClass airCooledRackClass();
RegisteredClass transferSwitchClass();
RegisteredClass lineClass();
RegisteredClass voltageRegulatorClass();
RegisteredClass capacitorBankClass();
RegisteredClass neutralEarthingClass();
RegisteredClass faultClass();
RegisteredClass batteryClass();
RegisteredClass bessClass();
RegisteredClass renewableSourceClass();
RegisteredClass generatorClass();
RegisteredClass powerConverterClass();
RegisteredClass powerQualityMeterClass();

std::span<const RegisteredClass> powerClasses();

}  // namespace podtwin
