// Whole states into the result as the run goes on, for runs that start from it.
#pragma once

#include <optional>

#include "data/readers/scenario_reader.hpp"
#include "data/results/recorder.hpp"
#include "scenarios/simulation.hpp"

namespace podtwin::scenarios {

class RestartRecording final : public Observer {
 public:
  /// One state an hour unless `wanted` says otherwise, and that of the start. Problems: a period that is no multiple of
  /// the base period (inputs change at its ends, so a run that began in between would see others); so many states that
  /// the file would be of no use.
  RestartRecording(const System& system, const std::optional<data::RestartDescription>& wanted,
                   const SimulationSetup& setup, Diagnostics& problems);
  /// Where states go from now on.
  void attach(data::Recorder& recorder) { recorder_ = &recorder; }

  void observe(double t, const State& state, const Evaluation& e) override;
  /// The state a run ends in; nothing when it has just been stored.
  void end(const State& state);

 private:
  void store(const State& state);

  const System& system_;
  double period_;
  double next_ = 0.0;           ///< s
  std::optional<double> last_;  ///< s
  data::Recorder* recorder_ = nullptr;
};

}  // namespace podtwin::scenarios
