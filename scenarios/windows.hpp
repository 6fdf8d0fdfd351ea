// Spans of a scenario that are simulated at a high rate, held against the run and the meters of the plant.
#pragma once

#include <vector>

#include "data/readers/scenario_reader.hpp"
#include "scenarios/simulation.hpp"

namespace podtwin::scenarios {

/// Problems: a window after the run, or one too coarse for a meter; a meter without a window is warned of.
std::vector<Window> windowsOf(const System& system, const data::ScenarioDescription& scenario, Diagnostics& problems);

}  // namespace podtwin::scenarios
