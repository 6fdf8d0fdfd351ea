// Workloads given directly as levels that hold: idle, constant, step and series.
#pragma once

#include <vector>

#include "model/base/diagnostics.hpp"
#include "scenarios/workload/workload.hpp"

namespace podtwin::scenarios {

/// What a level means. The whole pod gets the same level.
enum class LevelKind {
  utilisation,  ///< of every GPU [1], 0 to 1
  rack_power    ///< AC input that every compute rack is held to [W], above 0
};

/// A level that holds from a time on.
struct LevelAt {
  double time = 0.0;  ///< s from the start
  double level = 0.0;
};

/// One level for all racks, held between changes; the last one holds for ever.
class HeldWorkload : public Workload {
 public:
  /// Nothing runs: utilisation 0.
  static HeldWorkload idle(ItInventory inventory);
  static HeldWorkload constant(ItInventory inventory, LevelKind kind, double level, const SourceMark& where = {});
  /// Levels at rising times; the GPUs are idle before the first.
  static HeldWorkload step(ItInventory inventory, LevelKind kind, std::vector<LevelAt> levels,
                           const SourceMark& where = {});
  /// A table of rising times and levels. Throws InputError when it begins after the start of the simulation.
  static HeldWorkload series(ItInventory inventory, LevelKind kind, std::vector<LevelAt> levels,
                             const SourceMark& where = {});

  void demand(double time, ItDemand& out) const override;
  double nextChange(double time) const override;
  std::map<std::string, std::string> provenance() const override;

 private:
  HeldWorkload(std::string name, ItInventory inventory, LevelKind kind, std::vector<LevelAt> levels,
               const SourceMark& where);
  /// First level that has not begun at `time`.
  std::vector<LevelAt>::const_iterator firstAfter(double time) const;

  std::string name_;
  ItInventory inventory_;
  LevelKind kind_;
  std::vector<LevelAt> levels_;
};

}  // namespace podtwin::scenarios
