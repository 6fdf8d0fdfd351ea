#include "model/components/control/classes.hpp"

#include <vector>

namespace podtwin {

std::span<const RegisteredClass> controlClasses() {
  static const std::vector<RegisteredClass> classes{
      firstOrderProcessClass(), sensorClass(),     piControllerClass(),      standbySequencerClass(),
      economiserControlClass(), cduGroupClass(),   fanSequencerClass(),      pumpStagingClass(),
      processSwitchClass(),     permissiveClass(), emergencyPowerOffClass(), powerManagerClass()};
  return classes;
}

}  // namespace podtwin
