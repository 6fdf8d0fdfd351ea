// Every component class of the product. Adding a class to its folder's list is all it takes.
#include <vector>

#include "model/components/control/classes.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/components/it/rack.hpp"
#include "model/components/power/classes.hpp"
#include "model/system/registry.hpp"

namespace podtwin {

std::span<const RegisteredClass> registeredClasses() {
  // Order of evaluation: equipment first, then sensors and controllers, which read what the others computed.
  static const std::vector<RegisteredClass> all = [] {
    std::vector<RegisteredClass> classes;
    for (const auto part : {itClasses(), coolingClasses(), powerClasses(), controlClasses()})
      classes.insert(classes.end(), part.begin(), part.end());
    return classes;
  }();
  return all;
}

}  // namespace podtwin
