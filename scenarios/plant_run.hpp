// From files to a run: a pod and a scenario assembled into a System, a start state and a SimulationSetup.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "data/readers/scenario_reader.hpp"
#include "model/base/diagnostics.hpp"
#include "scenarios/expectations.hpp"
#include "scenarios/recording.hpp"
#include "scenarios/simulation.hpp"
#include "solvers/steady_state.hpp"

namespace podtwin::scenarios {

/// The classes of the product as the readers want them.
std::vector<const ClassInfo*> classList();

/// Everything a run needs, resolved on the plant.
struct PreparedRun {
  data::ScenarioDescription scenario;
  std::unique_ptr<System> system;
  SimulationSetup setup;
  std::unique_ptr<Recording> recording;
  std::vector<Expectation> expectations;
  State start;
  bool start_is_steady = true;  ///< false: `from: cold`, a checkpoint or a result
  Diagnostics warnings;         ///< of both files and of their meeting, for the user
};

/// Reads a scenario and its pod. `from`: a checkpoint in place of the scenario's own start; empty: none. Throws
/// InputError with every problem of both files and of their meeting.
PreparedRun prepareScenario(const std::string& path, const std::vector<std::string>& overrides,
                            const std::string& from = {});

/// A pod alone at its design point, for `podtwin steady POD`.
PreparedRun preparePod(const std::string& path, const std::vector<std::string>& overrides);

/// Moves the start of a prepared run to its steady state. Throws SimulationError with the worst unknowns when none is
/// found.
solvers::SteadyReport startSteady(PreparedRun& run, const std::atomic<bool>& stop);

/// Which GPU sits where, from the plant.
ItInventory inventoryOf(const System& system);

}  // namespace podtwin::scenarios
