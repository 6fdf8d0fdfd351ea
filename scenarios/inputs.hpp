// Weather and workload of a scenario as functions of time, and where shipped assets are found.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/readers/scenario_reader.hpp"
#include "model/system/system.hpp"
#include "scenarios/workload/workload.hpp"

namespace podtwin::scenarios {

/// Folders in which assets (catalogue/, pods/, workloads/, weather/ below data/, scenarios/library) are looked for:
/// PODTWIN_DATA, beside the program, the installed data folder.
std::vector<std::string> assetPaths();
/// An existing file for a path: as it is, or below one of the asset folders; the path itself when there is none.
std::string findAsset(const std::string& path);

/// Weather at s from the start of the scenario. Problems are added (then the function is empty).
std::function<Weather(double)> weatherOf(const data::WeatherDescription& description,
                                         const data::ScenarioDescription& scenario, double site_pressure,
                                         Diagnostics& problems);

/// Series by time that equipment follows have to reach over the run.
void checkSeries(const System& system, const data::ScenarioDescription& scenario, Diagnostics& problems);
/// "ID.parameter: file and hash" of each that comes from a file, a line each.
std::string seriesProvenance(const System& system);

/// The workload of a scenario; null when the plant has no GPUs. `in_job` [rack]: takes part in training.
std::shared_ptr<const Workload> workloadOf(const data::ScenarioDescription& scenario, ItInventory inventory,
                                           std::vector<char> in_job, Diagnostics& problems);

}  // namespace podtwin::scenarios
