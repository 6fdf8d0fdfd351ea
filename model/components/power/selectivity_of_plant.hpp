// Protective devices in series in a plant, and whether only the lower one trips. Equations: docs/theory/protection.md.
//
// A device is in series with the first ones above it along branches: lines, busways, switches, and transformers, which
// change the current by the ratio of nominal voltages. Converters part them. What else the upper device carries is
// left out, and so is what a vector group does to the current of an unsymmetrical fault.
#pragma once

#include <string>
#include <vector>

#include "model/components/power/selectivity.hpp"
#include "model/system/system.hpp"

namespace podtwin {

struct SelectivityFinding {
  std::string downstream, upstream;
  SourceMark where;  ///< of the downstream device
  FaultPath path = FaultPath::phases;
  double upstream_share = 1.0;
  double prospective = 0.0;  ///< A
  Selectivity found;
};

/// Of every pair: at faults between phases, and at earth faults where the upper one watches them.
std::vector<SelectivityFinding> selectivityOfPlant(const System& system);

/// What to warn of, one sentence for all pairs below one device that fail alike. Empty where all is selective.
struct SelectivityWarning {
  SourceMark where;
  std::string what, remedy;
};
std::vector<SelectivityWarning> selectivityWarnings(const std::vector<SelectivityFinding>& findings);

}  // namespace podtwin
