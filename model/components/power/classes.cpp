#include "model/components/power/classes.hpp"

#include <vector>

namespace podtwin {

std::span<const RegisteredClass> powerClasses() {
  static const std::vector<RegisteredClass> classes{
      utilityClass(),         transformerClass(),   upsClass(),       buswayClass(),           breakerClass(),
      electricalLoadClass(),  airCooledRackClass(), lineClass(),      voltageRegulatorClass(), capacitorBankClass(),
      neutralEarthingClass(), batteryClass(),       generatorClass(), powerConverterClass(),   faultClass()};
  return classes;
}

}  // namespace podtwin
