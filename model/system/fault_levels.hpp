// Fault levels of a plant: the currents of short circuits at each of its buses, as what is switched on stands.
// Equations: model/network/fault_levels.md.
#pragma once

#include <string>
#include <vector>

#include "model/network/fault_currents.hpp"
#include "model/system/system.hpp"

namespace podtwin {

enum class FaultMethod {
  iec_60909,            ///< IEC 60909-0, low voltage of a tolerance of +-10 %
  iec_60909_6_percent,  ///< likewise of +-6 %
  nominal,              ///< nominal voltage over impedance, no correction: a hand calculation
};

/// What a source drives into a three-phase fault at a bus.
struct FaultInfeed {
  std::string source;
  double current = 0.0;  ///< A at the bus's voltage, of the greatest current
};

struct FaultLevel {
  std::string bus;
  double nominal_voltage = 0.0;               ///< V between phases
  double factor_max = 1.0, factor_min = 1.0;  ///< of the voltage, c
  FaultCurrents greatest, least;
  double peak = 0.0;                       ///< A, of the greatest three-phase current
  double reactance_over_resistance = 0.0;  ///< of the positive sequence; 0 where converters alone feed it
  Complex positive, zero;                  ///< ohm, of the greatest currents; 0 likewise
  bool limited = false;                    ///< converters alone feed it
  std::vector<FaultInfeed> infeeds;        ///< from the greatest
};

struct FaultStudy {
  std::vector<FaultLevel> levels;            ///< of energised buses with voltages, in the plant's order
  std::vector<std::string> without_voltage;  ///< energised buses that carry power alone
  std::vector<std::string> unknown_sources;  ///< that feed a bus and have no data of fault currents
};

/// Throws InputError naming a source that holds its voltage whatever is drawn. `e` must be of a state, evaluated.
FaultStudy faultLevels(const System& system, const Evaluation& e, FaultMethod method);

}  // namespace podtwin
