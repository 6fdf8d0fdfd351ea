// Synchronous training: every GPU of a job computes and communicates in step, so that the power of all racks swings
// together. A step is a trapezoid; checkpoints interrupt it; a job may end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "scenarios/workload/held_workload.hpp"
#include "scenarios/workload/workload.hpp"

namespace podtwin::scenarios {

/// A step of training and what interrupts it. Levels are utilisation [1] or rack power [W], as `kind` says.
struct TrainingPattern {
  LevelKind kind = LevelKind::rack_power;
  double period = 1.0;         ///< s a step
  double compute_share = 0.5;  ///< of the period, from the start of the rise to the start of the fall
  double rise_time = 0.0;      ///< s
  double fall_time = 0.0;      ///< s
  double high = 0.0, low = 0.0;
  double phase_spread = 0.0;  ///< s; each rack lags by a share of it, drawn from the seed
  struct Checkpoint {
    double every = 0.0, duration = 0.0;  ///< s; the first begins after `every`
    double level = 0.0;
  };
  std::optional<Checkpoint> checkpoint;
  struct Drop {
    double at = 0.0, over = 0.0;  ///< s
    double level = 0.0;
  };
  std::optional<Drop> drop;
  std::uint64_t seed = 0;
};

class TrainingWorkload final : public Workload {
 public:
  /// `in_job` [rack]: 1 takes part, 0 is idle. Throws InputError when the trapezoid does not fit its period.
  TrainingWorkload(ItInventory inventory, std::vector<char> in_job, const TrainingPattern& pattern,
                   const SourceMark& where = {});

  void demand(double time, ItDemand& out) const override;
  void meanDemand(double from, double span, ItDemand& out) const override;
  double nextChange(double time) const override { return time; }
  std::map<std::string, std::string> provenance() const override;

  /// Level of a rack without lag at a time, and its exact mean over a span [s] above 0.
  double level(double time) const;
  double meanLevel(double from, double span) const;
  /// Lag of a rack [s].
  double lag(std::size_t rack) const { return lags_[rack]; }

 private:
  template <class Level>
  void fill(const Level& level, ItDemand& out) const;
  double stepLevel(double time) const;
  double nextCorner(double time) const;

  ItInventory inventory_;
  std::vector<char> in_job_;
  TrainingPattern pattern_;
  std::vector<double> lags_;  ///< [rack] s
};

}  // namespace podtwin::scenarios
