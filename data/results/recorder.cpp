#include "data/results/recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5_hl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "data/results/chunk_codec.hpp"
#include "data/results/commit_driver.hpp"
#include "data/results/format.hpp"
#include "data/results/hdf5_handle.hpp"
#include "data/results/output_target.hpp"
#include "data/results/restart_states.hpp"
#include "model/base/diagnostics.hpp"

namespace podtwin::data {

namespace {

using Clock = std::chrono::steady_clock;
using Lock = std::unique_lock<std::mutex>;

constexpr std::size_t kRowsPerChunk = 60;         // of a wide table: a minute at 1 s, so that flushes meet full chunks
constexpr std::size_t kLargestChunk = 1'200'000;  // byte; 60 rows of the 4,608 GPUs of a pod
constexpr std::size_t kNarrowChunk = 64 << 10;    // byte a narrow table's chunk grows to
constexpr std::size_t kLargestChunkMinutes = 64;  // ... but no more rows than 64 x 60
constexpr std::size_t kWideChunks = 256 << 10;    // byte of a signal's chunks from which a half full one is avoided
constexpr std::size_t kQueueBytes = 64 << 20;     // byte waiting for the writer thread before append() waits
constexpr hsize_t kEventRows = 64;                // rows of a chunk of /events and /alarms
constexpr hsize_t kMetadataBlock = 32 << 10;      // byte; keeps headers together, so that a commit is few writes
constexpr double kWallShare = 0.8;                // of flush_wall after which a flush is due; the rest is its duration
constexpr double kEarlyShare = 0.5;               // of both bounds after which a flush takes place at a good moment
constexpr auto kIdlePoll = std::chrono::milliseconds(250);
constexpr double kEventResolution = 1000.0;  // 1/s: times of events to 1 ms
constexpr unsigned kSkipAllFilters = 0x3;    // shuffle is filter 0, deflate filter 1

enum class Element { float32, int32, float64 };

hid_t fileType(Element element) {
  switch (element) {
    case Element::float32:
      return H5T_IEEE_F32LE;
    case Element::int32:
      return H5T_STD_I32LE;
    case Element::float64:
      break;
  }
  return H5T_IEEE_F64LE;
}

Element elementOf(SignalType type) {
  switch (type) {
    case SignalType::real:
      return Element::float32;
    case SignalType::integer:
      return Element::int32;
    case SignalType::integral:
      break;
  }
  return Element::float64;
}

std::size_t sizeOf(Element element) { return element == Element::float64 ? 8 : 4; }

/// One dataset that grows with time: a signal, or the time of a table itself.
struct Column {
  std::string path;
  Element element = Element::float32;
  std::size_t ids = 1;
  std::size_t ids_per_chunk = 1;
  std::size_t blocks = 1;  ///< chunks beside each other
  std::size_t chunk_rows = 1;
  bool per_id = true;    ///< two axes
  double quantum = 0.0;  ///< values are rounded to multiples of it; 0: not
  h5::Dataset dataset;   ///< touched by the writer only

  // The chunks being filled, [block][row][id of the block], padded to whole chunks.
  std::vector<std::byte> buffer;
  std::size_t buffered = 0;      ///< rows in it
  std::uint64_t first_row = 0;   ///< of the buffer
  std::size_t tail_flushed = 0;  ///< rows of it that are on disk, uncompressed
  std::vector<std::vector<std::byte>> spare;

  std::size_t chunkBytes() const { return chunk_rows * ids_per_chunk * sizeOf(element); }
  std::size_t bufferBytes() const { return blocks * chunkBytes(); }
};

struct ChunkJob {
  std::size_t column = 0;
  std::uint64_t first_row = 0;
  std::size_t rows = 0;  ///< that count
  bool raw = false;      ///< uncompressed, in its place
  std::vector<std::byte> data;
};

struct FlushJob {
  std::vector<ChunkJob> tails;
  std::vector<EventRecord> events;
  std::vector<AlarmRecord> alarms;
  double time = 0.0;
};

struct Job {
  ChunkJob chunk;
  std::optional<FlushJob> flush = {};
  std::optional<Checkpoint> state = {};

  std::size_t bytes() const {
    std::size_t sum = chunk.data.size();
    if (flush)
      for (const auto& tail : flush->tails) sum += tail.data.size();
    if (state) {
      sum += (state->y.size() + state->z.size()) * sizeof(double);
      for (const auto& [key, values] : state->extra) sum += values.size() * sizeof(double);
    }
    return sum;
  }
};

struct Table {
  RecordedTable description;
  std::size_t ids = 1;
  std::size_t time_column = 0;
  std::size_t first_signal = 0;
  double last_time = -std::numeric_limits<double>::infinity();
};

double toMilliseconds(double t) { return std::round(t * kEventResolution) / kEventResolution; }

/// A value that fits its type on disk. Infinity may be meant (autonomy without load); NaN never is.
bool fits(double value, SignalType type) {
  switch (type) {
    case SignalType::real:
      return std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()) || std::isinf(value);
    case SignalType::integer:
      return value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max() &&
             value == std::nearbyint(value);
    case SignalType::integral:
      break;
  }
  return !std::isnan(value);
}

template <class T>
void fillWith(std::vector<std::byte>& buffer, T value) {
  for (std::size_t i = 0; i + sizeof(T) <= buffer.size(); i += sizeof(T))
    std::memcpy(buffer.data() + i, &value, sizeof(T));
}

void fillMissing(std::vector<std::byte>& buffer, Element element) {
  switch (element) {
    case Element::float32:
      fillWith(buffer, kMissingFloat);
      return;
    case Element::int32:
      fillWith(buffer, kMissingInteger);
      return;
    case Element::float64:
      fillWith(buffer, kMissingDouble);
      return;
  }
}

std::string system(int code) { return std::strerror(code); }

void checkName(Diagnostics& problems, const std::string& path, const std::string& name, const std::string& what) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos)
    problems.error({path}, fmt::format("{} '{}' cannot be a name in a result file", what, name),
                   "use a name that is not empty and has no slash");
}

/// Everything that can be wrong with what shall be recorded, before a file is touched.
void checkTables(const std::string& path, const std::vector<RecordedTable>& tables, Diagnostics& problems) {
  std::set<std::string> groups = {"time",       "events",  "alarms",  "race",       "margins",
                                  "excursions", "summary", "balance", "provenance", kRestartGroup};
  for (const auto& table : tables) {
    checkName(problems, path, table.group, "group");
    if (!groups.insert(table.group).second)
      problems.error({path}, fmt::format("group '{}' is recorded twice or its name is reserved", table.group),
                     "give each class one table");
    if (!(table.period > 0.0) || !std::isfinite(table.period))
      problems.error({path}, fmt::format("group '{}' has period {} s", table.group, table.period),
                     "give a period above 0 s");
    if (table.group == kFacilityGroup && (!table.ids.empty() || !table.labels.empty()))
      problems.error({path}, "the facility has ids", "record equipment under its class");
    if (std::set<std::string>(table.ids.begin(), table.ids.end()).size() != table.ids.size())
      problems.error({path}, fmt::format("group '{}' has an id twice", table.group), "make ids unique");
    std::set<std::string> names = {"time", "id"};
    for (const auto& [name, labels] : table.labels) {
      checkName(problems, path, name, "label");
      names.insert(name);
      if (labels.size() != table.ids.size())
        problems.error(
            {path},
            fmt::format("label '{}/{}' has {} entries for {} ids", table.group, name, labels.size(), table.ids.size()),
            "give one label for each id");
    }
    for (const auto& signal : table.signals) {
      checkName(problems, path, signal.name, "signal");
      if (!names.insert(signal.name).second)
        problems.error({path},
                       fmt::format("signal '{}/{}' is recorded twice or its name is taken", table.group, signal.name),
                       "name each signal once");
      if (!signal.units_by_id.empty()) {
        if (!names.insert(signal.name + kUnitsEnding).second)
          problems.error({path}, fmt::format("'{}/{}{}' is taken", table.group, signal.name, kUnitsEnding),
                         "name each signal once");
        if (signal.units_by_id.size() != table.ids.size())
          problems.error({path},
                         fmt::format("signal '{}/{}' has {} units for {} ids", table.group, signal.name,
                                     signal.units_by_id.size(), table.ids.size()),
                         "give one unit for each id");
      }
      if (!(signal.precision >= 0.0) || !std::isfinite(signal.precision))
        problems.error({path},
                       fmt::format("signal '{}/{}' has precision {}", table.group, signal.name, signal.precision),
                       "give 0 (exact) or a step in the signal's unit");
    }
  }
}

}  // namespace

class Recorder::Impl {
 public:
  Impl(const std::string& path, const RunHeader& header, std::vector<RecordedTable> tables,
       const RecorderOptions& options);
  ~Impl();

  void append(std::size_t table, double t, std::span<const double> values);
  void append(const EventRecord& event);
  void append(const AlarmRecord& alarm);
  void append(Checkpoint state);
  void scalars(const std::string& group, std::span<const SummaryScalar> scalars);
  void text(const std::string& name, const std::string& text);
  void close(bool complete);
  double flushedTime() const { return flushed_time_.load(); }
  bool begun() const { return named_; }

 private:
  // Creation
  void create(const RunHeader& header);
  void createTable(Table& table);
  void createTime(hid_t parent, Column& column);
  void createSignal(hid_t group, const RecordedSignal& signal, Column& column, hid_t time, hid_t id);
  h5::Dataset createGrowing(hid_t parent, const std::string& name, Column& column);
  void createLog(const std::string& group, const std::string& scale, const std::vector<std::string>& numbers,
                 const std::vector<std::string>& texts, std::map<std::string, h5::Dataset>& columns);
  // On the simulation's thread; the mutex is held
  void checkValues(const Table& table, double t, std::span<const double> values) const;
  void fill(Column& column, const double* values);
  void handOver(std::size_t column, std::vector<ChunkJob>& full);
  bool flushDue(double next_time) const;
  FlushJob gatherFlush(double next_time, bool last);
  void put(Lock& lock, Job job);
  void throwIfFailed();
  void mustBeOpen();
  void takeName();
  // On the writer's thread
  void writerLoop();
  std::string process(Job& job);  ///< why it failed; empty: it did not
  void writeChunk(ChunkJob& job);
  void writeLogs(const FlushJob& job);
  void commit();
  std::string abandon(const std::exception& failure);
  void finish(bool complete);

  std::string path_;
  std::string target_;  ///< path_, links followed
  std::string part_;    ///< what the file is called until its first row
  std::string units_of_time_;
  RecorderOptions options_;
  std::vector<Table> tables_;
  std::vector<Column> columns_;
  std::vector<std::size_t> wide_;  ///< columns whose half full chunks a flush avoids

  CommitDriver driver_;
  h5::File file_;
  std::map<std::string, h5::Dataset> event_columns_;
  std::map<std::string, h5::Dataset> alarm_columns_;
  std::uint64_t events_written_ = 0;
  std::uint64_t alarms_written_ = 0;
  RestartWriter restart_;
  ChunkCodec codec_;
  bool abandoned_ = false;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable room_;
  std::deque<Job> queue_;
  std::size_t queued_bytes_ = 0;
  bool stop_ = false;
  bool appending_ = false;  ///< rows are half handed over: the writer must not gather a flush
  std::string failure_;     ///< why writing failed; empty: it did not
  bool told_ = false;       ///< the caller has heard of the failure
  std::thread writer_;
  bool closed_ = false;

  std::vector<EventRecord> events_;
  std::vector<AlarmRecord> alarms_;
  double last_state_ = -std::numeric_limits<double>::infinity();  ///< time of the newest restart state
  std::map<std::string, std::map<std::string, SummaryScalar>> scalars_;
  std::map<std::string, std::string> texts_;
  double newest_time_ = -std::numeric_limits<double>::infinity();
  double flush_time_ = 0.0;  ///< simulated time from which rows are not on disk
  bool any_row_ = false;
  bool named_ = false;  ///< the file is called target_
  bool unflushed_ = false;
  Clock::time_point flush_wall_ = Clock::now();
  std::atomic<double> flushed_time_ = -std::numeric_limits<double>::infinity();
};

// ---------------------------------------------------------------------------------------------------------- creation

Recorder::Impl::Impl(const std::string& path, const RunHeader& header, std::vector<RecordedTable> tables,
                     const RecorderOptions& options)
    : path_(path), units_of_time_("seconds since " + header.simulated_start), options_(options) {
  Diagnostics problems;
  checkTables(path, tables, problems);
  for (const auto* texts : {&header.provenance, &header.provenance_wall})
    for (const auto& [name, text] : *texts) checkName(problems, path, name, "provenance");
  if (header.provenance.contains(kWallGroup))
    problems.error({path}, "provenance 'wall' is reserved", "give what depends on the wall clock separately");
  if (!(options.flush_wall >= 0.0) || !(options.flush_simulated >= 0.0))
    problems.error({path}, "the time between flushes is negative", "give 0 s or more");
  problems.throwIfErrors();
  checkTarget(path, {"the result file", "-o", "run.h5"}, options.overwrite);

  for (auto& table : tables) tables_.push_back({.description = std::move(table)});
  // A link is followed, so that the file it names is replaced and not the link.
  std::error_code ignored;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
  target_ = resolved.empty() ? path : resolved.string();
  part_ = fmt::format("{}.{}.part", target_, ::getpid());
  ::unlink(part_.c_str());  // of a dead process that had our number
  const h5::Quiet quiet;
  try {
    {
      const h5::Properties creation(h5::check(H5Pcreate(H5P_FILE_CREATE), "create file properties"));
      h5::check(H5Pset_obj_track_times(creation, false), "switch object times off");
      const h5::Properties access(h5::check(H5Pcreate(H5P_FILE_ACCESS), "create access properties"));
      h5::check(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), "choose the file format");
      h5::check(H5Pset_meta_block_size(access, kMetadataBlock), "set the size of metadata blocks");
      H5AC_cache_config_t cache{};
      cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
      h5::check(H5Pget_mdc_config(access, &cache), "read the cache's configuration");
      cache.evictions_enabled = false;
      cache.incr_mode = H5C_incr__off;
      cache.flash_incr_mode = H5C_flash_incr__off;
      cache.decr_mode = H5C_decr__off;
      h5::check(H5Pset_mdc_config(access, &cache), "switch cache evictions off");
      // A state is closed for good once it is written, so its metadata, 150 kB of cache, need not stay until the end.
      // The driver keeps what of it is not on the disk yet.
      h5::check(H5Pset_evict_on_close(access, true), "let go of closed objects");
      driver_.use(access);
      file_ = h5::File(h5::check(H5Fcreate(part_.c_str(), H5F_ACC_EXCL, creation, access), "create the file"));
    }
    create(header);
    commit();
  } catch (const h5::Failure& failure) {
    const std::string why = driver_.error().empty() ? failure.what() : driver_.error();
    driver_.abandon();
    for (auto& column : columns_) column.dataset.reset();
    event_columns_.clear();
    alarm_columns_.clear();
    restart_.close();
    file_.reset();
    ::unlink(part_.c_str());
    throw InputError({path}, "the result file cannot be begun: " + why,
                     "check the folder, the space on its disk and the permissions, or give another name with -o");
  }
  flush_wall_ = Clock::now();
  if (options_.writer_thread) writer_ = std::thread([this] { writerLoop(); });
}

/// Until its first row a run has not begun: whatever has the file's name, nothing or an older result, stays as it is.
/// Of two runs that come to this at once one gets the name: a free one is taken or not, in one step; a file that has it
/// is looked at once more when it no longer does, and put back when it turns out to be another run's.
void Recorder::Impl::takeName() {
  const InputError other_writes({path_}, "another process writes the result file of this name",
                                "wait for its end or give another name with -o");
  const auto move = [&](unsigned how) {
    return ::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, target_.c_str(), how) == 0;
  };
  named_ = move(RENAME_NOREPLACE);
  if (named_) return;
  if (!options_.overwrite && errno == EEXIST)  // the name was free at the start; who took it since keeps it
    throw InputError({path_}, "a result file of this name was made meanwhile",
                     "give another name with -o, or --force to replace it");
  if (beingWritten(target_)) throw other_writes;  // since the start of this run, or the other began its rows first
  named_ = move(RENAME_EXCHANGE);
  if (named_) {
    if (beingWritten(part_)) {
      named_ = !move(RENAME_EXCHANGE);
      if (!named_) throw other_writes;
    }
    ::unlink(part_.c_str());
    return;
  }
  // A file system that can do neither.
  if (::rename(part_.c_str(), target_.c_str()) != 0)
    throw InputError({path_}, "the result file cannot be put in its place: " + system(errno),
                     "give another name with -o");
  named_ = true;
}

void Recorder::Impl::create(const RunHeader& header) {
  h5::writeAttribute(file_, "Conventions", "CF-1.8");
  h5::writeAttribute(file_, "podtwin_version", std::string(PODTWIN_VERSION));
  h5::writeAttribute(file_, kFormatAttribute, kFormatVersion);
  h5::writeAttribute(file_, "title", header.title);
  h5::writeAttribute(file_, "created", header.created);
  h5::writeAttribute(file_, "complete", std::int32_t{0});
  h5::writeAttribute(file_, "simulated_start", header.simulated_start);

  // Columns stay where they are: their count is known before the first.
  bool facility = false;
  std::size_t count = 0;
  for (const auto& table : tables_) {
    count += 1 + table.description.signals.size();
    facility = facility || table.description.group == kFacilityGroup;
  }
  columns_.reserve(count);
  if (!facility) {
    Column none;
    none.path = "/time";
    none.chunk_rows = kRowsPerChunk * kLargestChunkMinutes;
    createTime(file_, none);
  }
  for (auto& table : tables_) createTable(table);

  createLog("events", "event", {"time"}, {"equipment", "actor", "cause", "text"}, event_columns_);
  createLog("alarms", "alarm", {"time", "value", "limit", "active"}, {"equipment", "signal", "kind", "text", "units"},
            alarm_columns_);
  restart_.create(file_);
  h5::createGroup(file_, "summary");
  h5::createGroup(file_, "balance");
  const h5::Group provenance = h5::createGroup(file_, "provenance");
  for (const auto& [name, text] : header.provenance) h5::writeText(provenance, name, text, name);
  const h5::Group wall = h5::createGroup(provenance, kWallGroup);
  for (const auto& [name, text] : header.provenance_wall) h5::writeText(wall, name, text, name);
}

h5::Dataset Recorder::Impl::createGrowing(hid_t parent, const std::string& name, Column& column) {
  const h5::Properties properties(h5::check(H5Pcreate(H5P_DATASET_CREATE), "create dataset properties"));
  h5::check(H5Pset_obj_track_times(properties, false), "switch object times off");
  const hsize_t chunk[2] = {column.chunk_rows, column.ids_per_chunk};
  const hsize_t now[2] = {0, column.ids};
  // An axis without ids may grow: HDF5 refuses chunks larger than a fixed extent.
  const hsize_t most[2] = {H5S_UNLIMITED, column.ids > 0 ? column.ids : H5S_UNLIMITED};
  const int rank = column.per_id ? 2 : 1;
  h5::check(H5Pset_chunk(properties, rank, chunk), "set chunks of " + column.path);
  h5::check(H5Pset_shuffle(properties), "set the shuffle filter of " + column.path);
  h5::check(H5Pset_deflate(properties, 1), "set the deflate filter of " + column.path);
  switch (column.element) {
    case Element::float32:
      H5Pset_fill_value(properties, H5T_NATIVE_FLOAT, &kMissingFloat);
      break;
    case Element::int32:
      H5Pset_fill_value(properties, H5T_NATIVE_INT32, &kMissingInteger);
      break;
    case Element::float64:
      H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &kMissingDouble);
      break;
  }
  const h5::Properties access(h5::check(H5Pcreate(H5P_DATASET_ACCESS), "create dataset access properties"));
  h5::check(H5Pset_chunk_cache(access, 0, 0, 0.0), "switch the chunk cache off");
  const h5::Space space(h5::check(H5Screate_simple(rank, now, most), "create a space"));
  return h5::Dataset(
      h5::check(H5Dcreate2(parent, name.c_str(), fileType(column.element), space, H5P_DEFAULT, properties, access),
                "create dataset " + column.path));
}

void Recorder::Impl::createTime(hid_t parent, Column& column) {
  column.element = Element::float64;
  column.per_id = false;
  column.dataset = createGrowing(parent, "time", column);
  h5::check(H5DSset_scale(column.dataset, "time"), "make time a scale");
  h5::writeAttribute(column.dataset, "units", units_of_time_);
  h5::writeAttribute(column.dataset, "long_name", "simulated time");
  h5::writeAttribute(column.dataset, "standard_name", "time");
  h5::writeAttribute(column.dataset, "calendar", "proleptic_gregorian");
}

void Recorder::Impl::createTable(Table& table) {
  const auto& description = table.description;
  const bool facility = description.group == kFacilityGroup;
  table.ids = facility ? 1 : description.ids.size();
  const h5::Group group = h5::createGroup(file_, description.group);
  h5::writeAttribute(group, "period", description.period);

  table.time_column = columns_.size();
  Column& time = columns_.emplace_back();
  time.path = facility ? "/time" : "/" + description.group + "/time";
  time.chunk_rows = kRowsPerChunk * kLargestChunkMinutes;
  createTime(facility ? static_cast<hid_t>(file_) : static_cast<hid_t>(group), time);

  h5::Dataset ids;
  if (!facility) {
    ids = h5::writeTexts(group, "id", description.ids, "equipment");
    h5::check(H5DSset_scale(ids, "id"), "make id a scale");
    for (const auto& [name, labels] : description.labels) {
      const h5::Dataset label = h5::writeTexts(group, name, labels, name + " of each id");
      h5::check(H5DSattach_scale(label, ids, 0), "attach the scale of " + name);
    }
    for (const auto& signal : description.signals) {
      if (signal.units_by_id.empty()) continue;
      const std::string name = signal.name + kUnitsEnding;
      const h5::Dataset units =
          h5::writeTexts(group, name, signal.units_by_id, "unit of " + signal.name + " of each id");
      h5::check(H5DSattach_scale(units, ids, 0), "attach the scale of " + name);
    }
  }
  table.first_signal = columns_.size();
  for (const auto& signal : description.signals) {
    Column& column = columns_.emplace_back();
    column.path = "/" + description.group + "/" + signal.name;
    column.element = elementOf(signal.type);
    column.ids = table.ids;
    column.per_id = !facility;
    const std::size_t row = std::max<std::size_t>(1, table.ids) * sizeOf(column.element);
    column.blocks = (row * kRowsPerChunk + kLargestChunk - 1) / kLargestChunk;
    column.ids_per_chunk = std::max<std::size_t>(1, (table.ids + column.blocks - 1) / column.blocks);
    column.blocks = table.ids == 0 ? 0 : (table.ids + column.ids_per_chunk - 1) / column.ids_per_chunk;
    column.chunk_rows =
        kRowsPerChunk * std::clamp<std::size_t>(kNarrowChunk / (row * kRowsPerChunk), 1, kLargestChunkMinutes);
    if (signal.precision > 0.0 && column.element == Element::float32)
      column.quantum = std::exp2(std::floor(std::log2(signal.precision)));
    if (column.bufferBytes() >= kWideChunks) wide_.push_back(columns_.size() - 1);
    createSignal(group, signal, column, time.dataset, ids);
  }
  for (std::size_t i = table.time_column; i < columns_.size(); ++i) {
    auto& column = columns_[i];
    column.buffer.resize(column.bufferBytes());
    fillMissing(column.buffer, column.element);
  }
}

void Recorder::Impl::createSignal(hid_t group, const RecordedSignal& signal, Column& column, hid_t time, hid_t id) {
  column.dataset = createGrowing(group, signal.name, column);
  h5::check(H5DSattach_scale(column.dataset, time, 0), "attach time to " + column.path);
  if (column.per_id) h5::check(H5DSattach_scale(column.dataset, id, 1), "attach id to " + column.path);
  h5::writeAttribute(column.dataset, "units", signal.units);
  h5::writeAttribute(column.dataset, "long_name", signal.long_name);
  // The way of CF to say that a text on one axis belongs to the values; xarray makes it a coordinate of them.
  if (!signal.units_by_id.empty()) h5::writeAttribute(column.dataset, "coordinates", signal.name + kUnitsEnding);
  // Integers go without: readers turn a masked integer into a float. All rows within the extents are written anyway.
  if (column.element == Element::float32) h5::writeAttribute(column.dataset, "_FillValue", kMissingFloat);
  if (column.element == Element::float64) h5::writeAttribute(column.dataset, "_FillValue", kMissingDouble);
  if (column.quantum > 0.0) {
    h5::writeAttribute(column.dataset, "precision", signal.precision);
    h5::writeAttribute(column.dataset, "quantization",
                       fmt::format("rounded to multiples of {} {}, error at most {} {}", column.quantum, signal.units,
                                   column.quantum / 2, signal.units));
  }
}

void Recorder::Impl::createLog(const std::string& name, const std::string& scale,
                               const std::vector<std::string>& numbers, const std::vector<std::string>& texts,
                               std::map<std::string, h5::Dataset>& columns) {
  const h5::Group group = h5::createGroup(file_, name);
  const h5::Properties properties(h5::check(H5Pcreate(H5P_DATASET_CREATE), "create dataset properties"));
  h5::check(H5Pset_obj_track_times(properties, false), "switch object times off");
  h5::check(H5Pset_chunk(properties, 1, &kEventRows), "set chunks of " + name);
  const h5::Properties access(h5::check(H5Pcreate(H5P_DATASET_ACCESS), "create dataset access properties"));
  h5::check(H5Pset_chunk_cache(access, 0, 0, 0.0), "switch the chunk cache off");
  const hsize_t none = 0;
  const hsize_t most = H5S_UNLIMITED;
  const h5::Space space(h5::check(H5Screate_simple(1, &none, &most), "create a space"));
  const h5::Type text = h5::textType();
  const auto add = [&](const std::string& column, hid_t type, const std::string& units, const std::string& meaning) {
    h5::Dataset dataset(h5::check(H5Dcreate2(group, column.c_str(), type, space, H5P_DEFAULT, properties, access),
                                  fmt::format("create dataset {}/{}", name, column)));
    h5::writeAttribute(dataset, "units", units);
    h5::writeAttribute(dataset, "long_name", meaning);
    if (column == scale)
      h5::check(H5DSset_scale(dataset, scale.c_str()), "make " + scale + " a scale");
    else
      h5::check(H5DSattach_scale(dataset, columns.at(scale), 0), "attach the scale of " + column);
    columns.emplace(column, std::move(dataset));
  };
  add(scale, H5T_STD_I32LE, "1", "sequence number of the " + scale);
  for (const auto& column : numbers) {
    if (column == "time")
      add(column, H5T_IEEE_F64LE, units_of_time_, "simulated time, to 1 ms");
    else if (column == "active")
      add(column, H5T_STD_I32LE, "1", "1: raised, 0: returned to normal");
    else
      add(column, H5T_IEEE_F64LE, "1", column + " in the row's units");
  }
  for (const auto& column : texts) add(column, text, "1", column);
}

// --------------------------------------------------------------------------------------------- the simulation's thread

void Recorder::Impl::throwIfFailed() {
  if (failure_.empty()) return;
  told_ = true;
  throw SimulationError(fmt::format(
      "{}: the result could not be written: {}; free some space or give another place with -o", path_, failure_));
}

void Recorder::Impl::mustBeOpen() {
  throwIfFailed();
  if (closed_) throw SimulationError(path_ + ": the result file is closed already");
}

void Recorder::Impl::checkValues(const Table& table, double t, std::span<const double> values) const {
  const auto& description = table.description;
  if (!std::isfinite(t) || t <= table.last_time)
    throw SimulationError(fmt::format("{}: a row of '{}' at {} s does not follow the one at {} s", path_,
                                      description.group, t, table.last_time));
  if (values.size() != description.signals.size() * table.ids)
    throw SimulationError(fmt::format("{}: a row of '{}' has {} values, not {} signals x {} ids", path_,
                                      description.group, values.size(), description.signals.size(), table.ids));
  for (std::size_t s = 0; s < description.signals.size(); ++s) {
    const SignalType type = description.signals[s].type;
    const double* row = values.data() + s * table.ids;
    unsigned bad = 0;
    if (type == SignalType::real) {  // without a branch a value, so that the compiler vectorises it
      constexpr double kMost = std::numeric_limits<float>::max();
      for (std::size_t i = 0; i < table.ids; ++i) bad |= static_cast<unsigned>(!(std::abs(row[i]) <= kMost));
      if (bad == 0) continue;
    }
    for (std::size_t i = 0; i < table.ids; ++i) {
      if (fits(row[i], type)) continue;
      const std::string id = description.ids.empty() ? std::string() : "[" + description.ids[i] + "]";
      throw SimulationError(fmt::format("{}{}.{} is {} at {} s and cannot be recorded", description.group, id,
                                        description.signals[s].name, row[i], t));
    }
  }
}

void Recorder::Impl::fill(Column& column, const double* values) {
  const std::size_t size = sizeOf(column.element);
  for (std::size_t block = 0; block < column.blocks; ++block) {
    const std::size_t from = block * column.ids_per_chunk;
    const std::size_t count = std::min(column.ids_per_chunk, column.ids - from);
    std::byte* raw = column.buffer.data() + (block * column.chunk_rows + column.buffered) * column.ids_per_chunk * size;
    const double* in = values + from;
    switch (column.element) {
      case Element::float32: {
        auto* out = reinterpret_cast<float*>(raw);
        if (column.quantum > 0.0) {
          const double steps = 1.0 / column.quantum;  // a power of two: exact
          for (std::size_t i = 0; i < count; ++i)
            out[i] = static_cast<float>(std::nearbyint(in[i] * steps) * column.quantum);
        } else {
          for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]);
        }
        break;
      }
      case Element::int32: {
        auto* out = reinterpret_cast<std::int32_t*>(raw);
        for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::int32_t>(in[i]);
        break;
      }
      case Element::float64:
        std::memcpy(raw, in, count * size);
        break;
    }
  }
  ++column.buffered;
}

void Recorder::Impl::handOver(std::size_t index, std::vector<ChunkJob>& full) {
  Column& column = columns_[index];
  ChunkJob job{.column = index,
               .first_row = column.first_row,
               .rows = column.buffered,
               .raw = column.tail_flushed > 0,
               .data = std::move(column.buffer)};
  if (!column.spare.empty()) {
    column.buffer = std::move(column.spare.back());
    column.spare.pop_back();
  } else {
    column.buffer.assign(column.bufferBytes(), std::byte{0});
    fillMissing(column.buffer, column.element);  // the padding; rows are filled before they count
  }
  column.first_row += column.buffered;
  column.buffered = 0;
  column.tail_flushed = 0;
  full.push_back(std::move(job));
}

bool Recorder::Impl::flushDue(double next_time) const {
  if (!unflushed_) return false;
  const double simulated = next_time - flush_time_;
  const double wall = std::chrono::duration<double>(Clock::now() - flush_wall_).count();
  if (wall >= kWallShare * options_.flush_wall && simulated >= options_.flush_simulated) return true;
  if (wide_.empty() || wall < kEarlyShare * options_.flush_wall || simulated < kEarlyShare * options_.flush_simulated)
    return false;
  return std::all_of(wide_.begin(), wide_.end(), [&](std::size_t i) { return columns_[i].buffered == 0; });
}

FlushJob Recorder::Impl::gatherFlush(double next_time, bool last) {
  FlushJob flush;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (column.buffered == column.tail_flushed) continue;
    // At the end of the run a chunk that no flush met half full is compressed like any other.
    const bool raw = !last || column.tail_flushed > 0;
    ChunkJob tail{
        .column = i, .first_row = column.first_row, .rows = column.buffered, .raw = raw, .data = column.buffer};
    // Rows of an earlier chunk may still stand behind the ones that count; the file shall not depend on them.
    std::vector<std::byte> missing(column.chunkBytes() / column.chunk_rows);
    fillMissing(missing, column.element);
    for (std::size_t block = 0; block < column.blocks; ++block)
      for (std::size_t row = column.buffered; row < column.chunk_rows; ++row)
        std::copy(missing.begin(), missing.end(),
                  tail.data.begin() + static_cast<std::ptrdiff_t>((block * column.chunk_rows + row) * missing.size()));
    flush.tails.push_back(std::move(tail));
    column.tail_flushed = column.buffered;
  }
  flush.events = std::exchange(events_, {});
  flush.alarms = std::exchange(alarms_, {});
  flush.time = newest_time_;
  flush_time_ = next_time;
  flush_wall_ = Clock::now();
  unflushed_ = false;
  return flush;
}

void Recorder::Impl::put(Lock& lock, Job job) {
  if (!options_.writer_thread) {
    const h5::Quiet quiet;
    failure_ = process(job);
    throwIfFailed();
    return;
  }
  const std::size_t bytes = job.bytes();
  room_.wait(lock, [&] { return queued_bytes_ == 0 || queued_bytes_ + bytes <= kQueueBytes || !failure_.empty(); });
  throwIfFailed();
  queued_bytes_ += bytes;
  queue_.push_back(std::move(job));
  work_.notify_one();
}

void Recorder::Impl::append(std::size_t index, double t, std::span<const double> values) {
  Lock lock(mutex_);
  mustBeOpen();
  if (index >= tables_.size())
    throw SimulationError(fmt::format("{}: there is no table {} among {}", path_, index, tables_.size()));
  Table& table = tables_[index];
  checkValues(table, t, values);
  if (!any_row_) takeName();
  appending_ = true;
  if (!any_row_) {
    any_row_ = true;
    flush_time_ = t;
  }
  if (t > newest_time_) {  // all rows of earlier times are here: the moment at which tables agree
    if (flushDue(t)) put(lock, {.chunk = {}, .flush = gatherFlush(t, false)});
    newest_time_ = t;
  }
  table.last_time = t;
  std::vector<ChunkJob> full;
  fill(columns_[table.time_column], &t);
  if (columns_[table.time_column].buffered == columns_[table.time_column].chunk_rows) handOver(table.time_column, full);
  for (std::size_t s = 0; s < table.description.signals.size(); ++s) {
    const std::size_t c = table.first_signal + s;
    fill(columns_[c], values.data() + s * table.ids);
    if (columns_[c].buffered == columns_[c].chunk_rows) handOver(c, full);
  }
  unflushed_ = true;
  for (auto& job : full) put(lock, {.chunk = std::move(job), .flush = {}});
  appending_ = false;
}

void Recorder::Impl::append(const EventRecord& event) {
  const Lock lock(mutex_);
  mustBeOpen();
  if (!std::isfinite(event.time))
    throw SimulationError(fmt::format("{}: an event of '{}' has time {}", path_, event.equipment, event.time));
  events_.push_back(event);
  unflushed_ = true;
}

void Recorder::Impl::append(const AlarmRecord& alarm) {
  const Lock lock(mutex_);
  mustBeOpen();
  if (!std::isfinite(alarm.time) || std::isnan(alarm.value) || std::isnan(alarm.limit))
    throw SimulationError(fmt::format("{}: the alarm {}.{} at {} s has value {} and limit {}", path_, alarm.equipment,
                                      alarm.signal, alarm.time, alarm.value, alarm.limit));
  alarms_.push_back(alarm);
  unflushed_ = true;
}

void Recorder::Impl::append(Checkpoint state) {
  Lock lock(mutex_);
  mustBeOpen();
  if (!std::isfinite(state.time) || state.time <= last_state_)
    throw SimulationError(
        fmt::format("{}: a restart state at {} s does not follow the one at {} s", path_, state.time, last_state_));
  last_state_ = state.time;
  unflushed_ = true;
  put(lock, {.chunk = {}, .state = std::move(state)});
}

void Recorder::Impl::scalars(const std::string& group, std::span<const SummaryScalar> scalars) {
  const Lock lock(mutex_);
  mustBeOpen();
  Diagnostics problems;
  for (const auto& scalar : scalars) {
    checkName(problems, path_, scalar.name, group);
    if (std::isnan(scalar.value) || problems.hasErrors() || (group == "summary" && texts_.contains(scalar.name)))
      throw SimulationError(
          fmt::format("{}: {} '{}' is {} and cannot be recorded", path_, group, scalar.name, scalar.value));
  }
  for (const auto& scalar : scalars) scalars_[group][scalar.name] = scalar;
}

void Recorder::Impl::text(const std::string& name, const std::string& text) {
  const Lock lock(mutex_);
  mustBeOpen();
  Diagnostics problems;
  checkName(problems, path_, name, "summary");
  if (problems.hasErrors() || scalars_["summary"].contains(name))
    throw SimulationError(fmt::format("{}: summary text '{}' cannot be recorded under this name", path_, name));
  texts_[name] = text;
}

void Recorder::Impl::close(bool complete) {
  {
    Lock lock(mutex_);
    if (closed_) return;
    closed_ = true;
    if (failure_.empty()) {
      try {
        put(lock, {.chunk = {}, .flush = gatherFlush(newest_time_, true)});
      } catch (const SimulationError&) {
        // failure_ says it; thrown below, after the thread is gone and the file closed.
      }
    }
    stop_ = true;
    work_.notify_one();
  }
  if (writer_.joinable()) writer_.join();
  const h5::Quiet quiet;
  finish(complete);
  throwIfFailed();
}

Recorder::Impl::~Impl() {
  const bool told = told_;
  try {
    close(false);
  } catch (const std::exception& error) {
    if (!told) std::fprintf(stderr, "podtwin: error: %s\n", error.what());  // a destructor has no other way to say it
  }
}

// ------------------------------------------------------------------------------------------------- the writer's thread

void Recorder::Impl::writerLoop() {
  const h5::Quiet quiet;
  Lock lock(mutex_);
  for (;;) {
    if (queue_.empty()) {
      if (stop_) return;
      work_.wait_for(lock, kIdlePoll);
      // A simulation that pauses appends nothing; its last rows must not wait for it.
      if (queue_.empty() && !stop_ && !appending_ && failure_.empty() && flushDue(newest_time_))
        queue_.push_back({.chunk = {}, .flush = gatherFlush(newest_time_, false)});
      continue;
    }
    Job job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    const std::size_t bytes = job.bytes();
    const std::string why = process(job);
    lock.lock();
    if (failure_.empty()) failure_ = why;
    queued_bytes_ -= std::min(bytes, queued_bytes_);
    if (!job.flush && !job.chunk.data.empty()) columns_[job.chunk.column].spare.push_back(std::move(job.chunk.data));
    room_.notify_one();
  }
}

std::string Recorder::Impl::process(Job& job) {
  if (abandoned_) return {};
  try {
    if (job.flush) {
      for (auto& tail : job.flush->tails) writeChunk(tail);
      writeLogs(*job.flush);
      commit();
      flushed_time_ = job.flush->time;
    } else if (job.state) {
      restart_.append(*job.state, codec_);
    } else {
      writeChunk(job.chunk);
    }
    return {};
  } catch (const std::exception& failure) {
    return abandon(failure);
  }
}

std::string Recorder::Impl::abandon(const std::exception& failure) {
  abandoned_ = true;
  driver_.abandon();  // nothing half done reaches the disk, not even when the file is closed
  return driver_.error().empty() ? failure.what() : driver_.error();
}

void Recorder::Impl::writeChunk(ChunkJob& job) {
  const Column& column = columns_[job.column];
  const std::string doing = "write " + column.path;
  const hsize_t now[2] = {job.first_row + job.rows, column.ids};
  h5::check(H5Dset_extent(column.dataset, now), doing);
  for (std::size_t block = 0; block < column.blocks; ++block) {
    const std::span<const std::byte> chunk =
        std::span<const std::byte>(job.data).subspan(block * column.chunkBytes(), column.chunkBytes());
    const hsize_t at[2] = {job.first_row, block * column.ids_per_chunk};
    std::span<const std::byte> packed;
    if (!job.raw) packed = codec_.encode(chunk, sizeOf(column.element));
    if (packed.empty())
      h5::check(H5Dwrite_chunk(column.dataset, H5P_DEFAULT, kSkipAllFilters, at, chunk.size(), chunk.data()), doing);
    else
      h5::check(H5Dwrite_chunk(column.dataset, H5P_DEFAULT, 0, at, packed.size(), packed.data()), doing);
  }
}

namespace {

void extendColumn(hid_t dataset, std::uint64_t from, std::size_t count, hid_t type, const void* data) {
  const hsize_t rows = from + count;
  h5::check(H5Dset_extent(dataset, &rows), "extend a log");
  const h5::Space file(h5::check(H5Dget_space(dataset), "extend a log"));
  const hsize_t start = from;
  const hsize_t size = count;
  h5::check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, nullptr, &size, nullptr), "extend a log");
  const h5::Space memory(h5::check(H5Screate_simple(1, &size, nullptr), "extend a log"));
  h5::check(H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, data), "write a log");
}

template <class Record>
class LogWriter {
 public:
  LogWriter(const std::map<std::string, h5::Dataset>& columns, std::span<const Record> records, std::uint64_t written)
      : columns_(columns), records_(records), written_(written) {}

  void sequence(const std::string& column) const {
    std::vector<std::int32_t> numbers(records_.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(written_ + i + 1);
    extendColumn(columns_.at(column), written_, numbers.size(), H5T_NATIVE_INT32, numbers.data());
  }
  template <class Get>
  void numbers(const std::string& column, Get get) const {
    std::vector<double> values;
    for (const auto& record : records_) values.push_back(get(record));
    extendColumn(columns_.at(column), written_, values.size(), H5T_NATIVE_DOUBLE, values.data());
  }
  void texts(const std::string& column, std::string Record::*member) const {
    std::vector<const char*> values;
    for (const auto& record : records_) values.push_back(h5::wholeText(record.*member, column));
    const h5::Type type = h5::textType();
    extendColumn(columns_.at(column), written_, values.size(), type, values.data());
  }

 private:
  const std::map<std::string, h5::Dataset>& columns_;
  std::span<const Record> records_;
  std::uint64_t written_;
};

}  // namespace

void Recorder::Impl::writeLogs(const FlushJob& job) {
  if (!job.events.empty()) {
    const LogWriter<EventRecord> log(event_columns_, job.events, events_written_);
    log.sequence("event");
    log.numbers("time", [](const EventRecord& event) { return toMilliseconds(event.time); });
    log.texts("equipment", &EventRecord::equipment);
    log.texts("actor", &EventRecord::actor);
    log.texts("cause", &EventRecord::cause);
    log.texts("text", &EventRecord::text);
    events_written_ += job.events.size();
  }
  if (!job.alarms.empty()) {
    const LogWriter<AlarmRecord> log(alarm_columns_, job.alarms, alarms_written_);
    log.sequence("alarm");
    log.numbers("time", [](const AlarmRecord& alarm) { return toMilliseconds(alarm.time); });
    log.numbers("value", [](const AlarmRecord& alarm) { return alarm.value; });
    log.numbers("limit", [](const AlarmRecord& alarm) { return alarm.limit; });
    log.numbers("active", [](const AlarmRecord& alarm) { return alarm.active ? 1.0 : 0.0; });
    log.texts("equipment", &AlarmRecord::equipment);
    log.texts("signal", &AlarmRecord::signal);
    log.texts("kind", &AlarmRecord::kind);
    log.texts("text", &AlarmRecord::text);
    log.texts("units", &AlarmRecord::units);
    alarms_written_ += job.alarms.size();
  }
}

void Recorder::Impl::commit() {
  h5::check(H5Fflush(file_, H5F_SCOPE_LOCAL), "flush the file");
  if (!driver_.commit()) throw h5::Failure("cannot flush the file: " + driver_.error());
}

void Recorder::Impl::finish(bool complete) {
  if (!file_) return;
  if (failure_.empty()) {
    try {
      for (const auto& [name, scalars] : scalars_) {
        const h5::Group group = h5::openGroup(file_, name);
        for (const auto& [key, scalar] : scalars) {
          const h5::Properties properties(h5::check(H5Pcreate(H5P_DATASET_CREATE), "create dataset properties"));
          h5::check(H5Pset_obj_track_times(properties, false), "switch object times off");
          h5::check(H5Pset_layout(properties, H5D_COMPACT), "choose a compact layout");
          const h5::Space space(h5::check(H5Screate(H5S_SCALAR), "create a scalar"));
          const h5::Dataset dataset(
              h5::check(H5Dcreate2(group, key.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                        "create " + name + "/" + key));
          h5::check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &scalar.value),
                    "write " + name + "/" + key);
          h5::writeAttribute(dataset, "units", scalar.units);
          h5::writeAttribute(dataset, "long_name", scalar.long_name);
        }
      }
      const h5::Group summary = h5::openGroup(file_, "summary");
      for (const auto& [name, text] : texts_) h5::writeText(summary, name, text, name);
      commit();
      if (complete) {
        // Only after everything it speaks for is on the disk.
        const h5::Attribute attribute(h5::check(H5Aopen(file_, "complete", H5P_DEFAULT), "mark the file complete"));
        const std::int32_t one = 1;
        h5::check(H5Awrite(attribute, H5T_NATIVE_INT32, &one), "mark the file complete");
        commit();
      }
    } catch (const h5::Failure& failure) {
      failure_ = abandon(failure);
    }
  }
  for (auto& column : columns_) column.dataset.reset();
  event_columns_.clear();
  alarm_columns_.clear();
  restart_.close();
  if (!file_.reset() && failure_.empty())
    failure_ = "the file cannot be closed" + (driver_.error().empty() ? std::string() : ": " + driver_.error());
  if (named_) return;
  if (complete && failure_.empty())
    takeName();
  else
    ::unlink(part_.c_str());
}

// -------------------------------------------------------------------------------------------------------------- public

Recorder::Recorder(const std::string& path, const RunHeader& header, std::vector<RecordedTable> tables,
                   const RecorderOptions& options)
    : impl_(std::make_unique<Impl>(path, header, std::move(tables), options)) {}
Recorder::~Recorder() = default;
void Recorder::append(std::size_t table, double t, std::span<const double> values) { impl_->append(table, t, values); }
void Recorder::append(const EventRecord& event) { impl_->append(event); }
void Recorder::append(const AlarmRecord& alarm) { impl_->append(alarm); }
void Recorder::append(Checkpoint state) { impl_->append(std::move(state)); }
void Recorder::summary(std::span<const SummaryScalar> scalars) { impl_->scalars("summary", scalars); }
void Recorder::balance(std::span<const SummaryScalar> scalars) { impl_->scalars("balance", scalars); }
void Recorder::summaryText(const std::string& name, const std::string& text) { impl_->text(name, text); }
void Recorder::close(bool complete) { impl_->close(complete); }
double Recorder::flushedTime() const { return impl_->flushedTime(); }
bool Recorder::begun() const { return impl_->begun(); }

}  // namespace podtwin::data
