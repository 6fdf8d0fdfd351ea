#include "model/components/power/classes.hpp"

#include <vector>

namespace podtwin {

std::span<const RegisteredClass> powerClasses() {
  static const std::vector<RegisteredClass> classes{utilityClass(),
                                                    transformerClass(),
                                                    upsClass(),
                                                    buswayClass(),
                                                    breakerClass(),
                                                    fuseClass(),
                                                    electricalLoadClass(),
                                                    airCooledRackClass(),
                                                    transferSwitchClass(),
                                                    lineClass(),
                                                    voltageRegulatorClass(),
                                                    capacitorBankClass(),
                                                    neutralEarthingClass(),
                                                    faultClass(),
                                                    batteryClass(),
                                                    bessClass(),
                                                    renewableSourceClass(),
                                                    generatorClass(),
                                                    powerConverterClass(),
                                                    powerQualityMeterClass()};
  return classes;
}

}  // namespace podtwin
