// `podtwin steady --short-circuit`: the fault levels of a plant as tables.
#pragma once

#include <string>

#include "model/system/fault_levels.hpp"

namespace podtwin::scenarios {

/// Of a word of the command line: iec_60909, iec_60909_6_percent, nominal. Throws InputError.
FaultMethod faultMethod(const std::string& word);

/// CSV, SI units.
struct FaultLevelTables {
  std::string levels;   ///< a row a bus
  std::string infeeds;  ///< a row a bus and source
};

/// The study; throws InputError where the plant has no bus with a voltage, or a source that holds its voltage whatever
/// is drawn.
FaultStudy studyFaultLevels(const System& system, const Evaluation& e, FaultMethod method);

/// Prints the tables and what they leave out.
FaultLevelTables tellFaultLevels(const FaultStudy& study, FaultMethod method);

}  // namespace podtwin::scenarios
