// Writes one run to one HDF5 file that survives a kill (product.md section 3).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/results/checkpoint.hpp"
#include "model/system/class_info.hpp"

namespace podtwin::data {

struct RecordedSignal {
  std::string name;   ///< dataset name
  std::string units;  ///< udunits text; of a signal whose ids differ, "1"
  std::string long_name;
  SignalType type = SignalType::real;  ///< real: float32, integer: int32, integral: float64
  double precision = 0.0;  ///< values are rounded to a power of two at or below this, so that they compress; 0: exact
  /// [id] unit of each, for a signal whose ids may differ (what a sensor measures): dataset NAME_units beside NAME.
  std::vector<std::string> units_by_id = {};
};

/// One group of the file: a class, or "facility" whose datasets have no id axis and use the root's /time.
struct RecordedTable {
  std::string group;                                       ///< "gpu", "rack", ..., or "facility"
  double period = 1.0;                                     ///< s
  std::vector<std::string> ids;                            ///< empty for "facility"
  std::map<std::string, std::vector<std::string>> labels;  ///< e.g. {"rack": parent of each id}; [id]
  std::vector<RecordedSignal> signals;
};

struct RunHeader {
  std::string title;
  std::string simulated_start;                         ///< ISO 8601, UTC, "2026-07-15T00:00:00Z"
  std::string created;                                 ///< ISO 8601, wall clock
  std::map<std::string, std::string> provenance;       ///< dataset name under /provenance -> text
  std::map<std::string, std::string> provenance_wall;  ///< what depends on the wall clock
};

struct EventRecord {
  double time = 0.0;                          ///< s from the start, to 1 ms in the file
  std::string equipment, actor, cause, text;  ///< actor: scenario, protection, controller, operator
};

struct AlarmRecord {
  double time = 0.0;
  std::string equipment, signal, kind, text;
  double value = 0.0, limit = 0.0;
  std::string units;
  bool active = true;  ///< false: returned to normal
};

struct SummaryScalar {
  std::string name;  ///< dataset under /summary or /balance
  double value = 0.0;
  std::string units, long_name;
};

struct RecorderOptions {
  bool overwrite = false;
  double flush_wall = 30.0;       ///< s of wall time
  double flush_simulated = 60.0;  ///< s of simulated time; flushed at the later of the two
  /// Compress and write on a thread of its own; it also flushes while the simulation pauses. False: inside append().
  bool writer_thread = true;
};

/// Throws InputError (exists without overwrite, no permission, a directory) before anything is written,
/// SimulationError when writing fails later (full disk): what was flushed stays valid, complete = 0.
///
/// The file is begun as PATH.PID.part and takes its name with its first row. Until then whatever has that name stays as
/// it is, and without a row (a plant without a steady start) nothing is left, unless close(true) says that the run was
/// to have none. From then on the file on disk is at every instant the one of the last flush (commit_driver.hpp).
///
/// Chunks: about 60 rows of a wide table (at most about 1 MB), more rows of a narrow one. A full chunk is compressed
/// and written once. A chunk that is not full at a flush is written uncompressed and at full size, into a place it
/// keeps: the next flush adds rows in place, so nothing on disk moves and nothing is lost to a kill. It stays
/// uncompressed. Flushes are at least 24 s of wall time apart, so few chunks of a fast run are met half full; they
/// prefer moments when no wide chunk is.
///
/// append() and the others may be called from one thread at a time.
class Recorder {
 public:
  Recorder(const std::string& path, const RunHeader& header, std::vector<RecordedTable> tables,
           const RecorderOptions& options);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Appends one row of a table at time t [s]: values signal-major, [signal][id]; NaN is refused.
  void append(std::size_t table, double t, std::span<const double> values);
  void append(const EventRecord& event);
  void append(const AlarmRecord& alarm);
  /// Stores a whole state, later than the one before; it is safe from a kill with the rows of its time.
  void append(Checkpoint state);
  void summary(std::span<const SummaryScalar> scalars);
  void balance(std::span<const SummaryScalar> scalars);
  /// Texts that may change at the end of a run, e.g. {"hottest_gpu", "A01-T03-G2"} under /summary.
  void summaryText(const std::string& name, const std::string& text);
  /// Flushes everything and sets `complete`. Without it the destructor closes with complete = 0.
  void close(bool complete);
  /// Simulated time [s] of the newest row that a kill cannot take any more; minus infinity before the first flush.
  double flushedTime() const;
  /// True once the file has its name.
  bool begun() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podtwin::data
