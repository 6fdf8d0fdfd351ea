#include "scenarios/restart_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "scenarios/checkpoints.hpp"
#include "scenarios/moments.hpp"

namespace podtwin::scenarios {

namespace {

constexpr double kPeriod = 3600.0;       // s
constexpr double kMostStates = 10'000;   // of a pod about 3 GB
constexpr double kTimeTolerance = 1e-9;  // s

}  // namespace

RestartRecording::RestartRecording(const System& system, const std::optional<data::RestartDescription>& wanted,
                                   const SimulationSetup& setup, Diagnostics& problems)
    : system_(system), period_(wanted ? wanted->period : kPeriod) {
  if (!wanted) return;
  const double each = period_ / setup.base_period;
  if (std::abs(each - std::max(std::round(each), 1.0)) > kTimeTolerance)
    problems.error(wanted->where,
                   fmt::format("restart states each {} would fall between the samples of the plant, which are {} apart",
                               momentText(period_), momentText(setup.base_period)),
                   "give a multiple of " + momentText(setup.base_period));
  else if (setup.duration / period_ > kMostStates)
    problems.error(wanted->where,
                   fmt::format("a restart state each {} over {} makes more than {:.0f} states", momentText(period_),
                               momentText(setup.duration), kMostStates),
                   "give a longer period");
}

void RestartRecording::observe(double t, const State& state, const Evaluation&) {
  if (recorder_ == nullptr || (last_ && t < next_ - kTimeTolerance)) return;
  next_ = (std::floor(t / period_ + kTimeTolerance) + 1.0) * period_;
  store(state);
}

void RestartRecording::end(const State& state) {
  if (recorder_ != nullptr && (!last_ || state.t > *last_ + kTimeTolerance)) store(state);
}

void RestartRecording::store(const State& state) {
  recorder_->append(storedState(system_, state));
  last_ = state.t;
}

}  // namespace podtwin::scenarios
