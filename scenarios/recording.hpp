// From what a scenario asks to record to the tables of a result file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/results/recorder.hpp"
#include "scenarios/simulation.hpp"

namespace podtwin::scenarios {

/// "record:" of a scenario: signals of a class at a period; `reduce` adds extremes or means of a child class a parent.
struct RecordRequest {
  std::string group;                 ///< class or HDF5 group
  std::vector<std::string> signals;  ///< names; "*" for all
  double period = 1.0;               ///< s
  struct Reduction {
    std::string child_group, signal;
    std::vector<std::string> kinds;  ///< max, mean, min
  };
  std::vector<Reduction> reductions;
  SourceMark where;
};

/// What is recorded when the scenario does not say: every GPU at 10 s, racks at 1 s, the rest at 10 s.
std::vector<RecordRequest> defaultRecord(const System& system);

/// Writes requested values into a Recorder as the run goes on.
class Recording final : public Observer {
 public:
  /// Problems: unknown classes, signals, reductions.
  Recording(const System& system, const std::vector<RecordRequest>& requests, Diagnostics& problems);
  const std::vector<data::RecordedTable>& tables() const { return tables_; }
  /// Where rows go from now on.
  void attach(data::Recorder& recorder) { recorder_ = &recorder; }

  void observe(double t, const State& state, const Evaluation& e) override;
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
  };
  const System& system_;
  std::vector<data::RecordedTable> tables_;
  std::vector<Table> plans_;
  data::Recorder* recorder_ = nullptr;
  std::vector<double> row_, column_;
};

}  // namespace podtwin::scenarios
