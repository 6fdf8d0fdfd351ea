// From what a scenario asks to record to the tables of a result file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/readers/scenario_reader.hpp"
#include "data/results/recorder.hpp"
#include "scenarios/simulation.hpp"

namespace podtwin::scenarios {

/// What is recorded when the scenario does not say: every GPU at 10 s, racks at 1 s, the rest at 10 s.
std::vector<data::RecordDescription> defaultRecord(const System& system);

/// The default with the entries of a scenario in place of those of their classes. Problems: a class that is unknown or
/// named twice.
std::vector<data::RecordDescription> recordOf(const System& system, const std::vector<data::RecordDescription>& wanted,
                                              Diagnostics& problems);

/// Writes requested values into a Recorder as the run goes on.
class Recording final : public Observer {
 public:
  /// Problems: unknown classes, signals, reductions.
  Recording(const System& system, const std::vector<data::RecordDescription>& requests, std::vector<Window> windows,
            Diagnostics& problems);
  const std::vector<data::RecordedTable>& tables() const { return tables_; }
  /// Where rows go from now on.
  void attach(data::Recorder& recorder) { recorder_ = &recorder; }

  void observe(double t, const State& state, const Evaluation& e) override;
  double nextLook() const override;
  void event(const EventOccurrence& event) override;
  void alarm(const AlarmOccurrence& alarm) override;

 private:
  struct Column {
    const ComponentSet* set;
    std::size_t signal;
    std::string reduction;                          ///< empty: the signal itself
    std::vector<std::vector<std::size_t>> members;  ///< [parent] children of a reduction
  };
  struct Table {
    std::vector<std::vector<Column>> columns;  ///< [signal][set of the group]
    std::size_t rows = 0;                      ///< ids
    double period = 1.0, next = 0.0;
    double window_period = 0.0;  ///< 0: `period` there, too
  };
  double nextRow(const Table& plan, double t) const;
  const System& system_;
  std::vector<Window> windows_;
  std::vector<data::RecordedTable> tables_;
  std::vector<Table> plans_;
  data::Recorder* recorder_ = nullptr;
  std::vector<double> row_, column_;
};

}  // namespace podtwin::scenarios
