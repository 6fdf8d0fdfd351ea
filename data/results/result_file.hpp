// Reads a result file of Recorder: `podtwin info`, start states taken from a run, reports and tests.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/results/recorder.hpp"

namespace podtwin::data {

struct ResultTable {
  std::string group;    ///< "gpu", ..., "facility"
  double period = 0.0;  ///< s between rows, as asked for
  std::uint64_t rows = 0;
  double first_time = 0.0;  ///< s from the start; 0 without rows
  double last_time = 0.0;
  std::vector<std::string> ids;  ///< empty for "facility"
  std::map<std::string, std::vector<std::string>> labels;
  std::vector<RecordedSignal> signals;  ///< in alphabetical order

  std::size_t width() const { return group == "facility" ? 1 : ids.size(); }  ///< values of a signal in a row
};

/// Throws InputError, always with the file's name, when a file is missing, no PodTwin result, damaged, cut off, of a
/// newer format, or being written by another process; and when a group, signal, id or row is asked for that it does not
/// hold.
class ResultFile {
 public:
  explicit ResultFile(const std::string& path);
  ~ResultFile();
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) noexcept;

  const std::string& path() const;
  /// Root attributes as texts: Conventions, podtwin_version, format_version, title, created, complete, simulated_start.
  const std::map<std::string, std::string>& attributes() const;
  bool complete() const;
  const std::string& simulatedStart() const;

  const std::vector<ResultTable>& tables() const;
  /// The table of a group; nullptr when there is none.
  const ResultTable* table(const std::string& group) const;

  std::vector<double> times(const std::string& group) const;
  /// All values, row-major [time][id].
  std::vector<double> signal(const std::string& group, const std::string& name) const;
  /// One id over time.
  std::vector<double> column(const std::string& group, const std::string& name, const std::string& id) const;
  /// All ids at one row; row 0 is the oldest.
  std::vector<double> row(const std::string& group, const std::string& name, std::uint64_t row) const;

  std::vector<SummaryScalar> summary() const;
  std::map<std::string, std::string> summaryTexts() const;
  std::vector<SummaryScalar> balance() const;
  std::map<std::string, std::string> provenance() const;
  std::map<std::string, std::string> provenanceWall() const;
  std::vector<EventRecord> events() const;
  std::vector<AlarmRecord> alarms() const;

  /// Moments [s] whose whole state is stored, ascending.
  std::vector<double> restartTimes() const;
  /// The state of restartTimes()[index].
  Checkpoint restartState(std::size_t index) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podtwin::data
