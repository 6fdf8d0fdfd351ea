// The units of one column of a table: a signal of every instance of one or several classes.
#pragma once

#include <string>
#include <vector>

#include "model/system/component_set.hpp"

namespace podtwin::scenarios {

/// A signal of all instances of a set.
struct SetSignal {
  const ComponentSet* set = nullptr;
  std::size_t signal = 0;
};

struct SignalUnits {
  std::string common;                  ///< udunits text; "1" where the members differ
  std::vector<std::string> by_member;  ///< [member of the sets in order]; empty where the classes say the unit
};

/// Sets that share a table have the signal under one name, hence mostly in one unit; sensors and controllers do not.
SignalUnits unitsOf(const std::vector<SetSignal>& columns);

}  // namespace podtwin::scenarios
