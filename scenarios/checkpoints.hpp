// States of a simulation in files and back: checkpoints, and the moments a result has stored.
#pragma once

#include <string>

#include "data/readers/scenario_reader.hpp"
#include "data/results/checkpoint.hpp"
#include "model/system/system.hpp"

namespace podtwin::scenarios {

/// A state as files hold it, with what tells the plant it belongs to.
data::Checkpoint storedState(const System& system, const State& state);

/// Writes a checkpoint file.
void saveCheckpoint(const std::string& path, const System& system, const State& state);
/// Puts a checkpoint's y, z, lines and time into `state`. Throws InputError when it is of another plant.
void restoreCheckpoint(const std::string& path, const System& system, State& state);
/// The same from a moment of a result: the one that `from` names, or the last. Throws InputError also when the result
/// holds no state of that moment.
void restoreFromResult(const data::StartDescription& from, const System& system, State& state);

}  // namespace podtwin::scenarios
