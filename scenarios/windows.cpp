#include "scenarios/windows.hpp"

#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/system/metered.hpp"

namespace podtwin::scenarios {

namespace {

constexpr double kPeriodTolerance = 1e-9;  // of a period

void checkSampling(const ComponentSet& set, std::size_t i, double longest,
                   const std::vector<data::WindowDescription>& windows, Diagnostics& problems) {
  for (const auto& window : windows)
    if (window.period > longest * (1.0 + kPeriodTolerance))
      problems.error(window.period_where,
                     "'" + set.ids()[i] + "' takes a sample each " + data::timeText(window.period) +
                         ", fewer than two in a period at the top of its band",
                     "give a period of at most " + data::timeText(longest) + ", or the meter a lower `band_high`");
  if (windows.empty() && std::isfinite(longest))
    problems.warning(set.description(i).where,
                     "'" + set.ids()[i] + "' measures no oscillation: the scenario has no `windows`",
                     "give it one, such as `windows: [{from: 60 s, for: 20 s, period: 5 ms}]`");
}

}  // namespace

std::vector<Window> windowsOf(const System& system, const data::ScenarioDescription& scenario, Diagnostics& problems) {
  std::vector<Window> windows;
  for (const auto& window : scenario.windows) {
    const double end = window.from + window.duration;
    if (end > scenario.duration && scenario.duration > 0.0)
      problems.error(
          window.where,
          "the window ends at " + data::timeText(end) + ", after the run (" + data::timeText(scenario.duration) + ")",
          "move or shorten it, or make the run longer");
    windows.push_back({window.from, end, window.period});
  }
  for (const auto& set : system.sets())
    if (const auto* meter = dynamic_cast<const Metered*>(set.get()))
      for (std::size_t i = 0; i < set->size(); ++i)
        checkSampling(*set, i, meter->longestPeriod(i), scenario.windows, problems);
  return windows;
}

}  // namespace podtwin::scenarios
