#include "data/results/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "data/results/format.hpp"
#include "data/results/hdf5_handle.hpp"
#include "data/results/restart_states.hpp"
#include "model/base/diagnostics.hpp"

namespace podtwin::data {

namespace {

const std::set<std::string> kOwnGroups = {"events",  "alarms",  "race",       "margins",    "excursions",
                                          "summary", "balance", "provenance", kRestartGroup};

bool isText(hid_t dataset) {
  const h5::Type type(h5::check(H5Dget_type(dataset), "read the type of a dataset"));
  return H5Tget_class(type) == H5T_STRING;
}

bool isDataset(hid_t parent, const std::string& name) {
  const h5::Object object(h5::check(H5Oopen(parent, name.c_str(), H5P_DEFAULT), "open " + name));
  return H5Iget_type(object) == H5I_DATASET;
}

SignalType signalType(hid_t dataset) {
  const h5::Type type(h5::check(H5Dget_type(dataset), "read the type of a dataset"));
  if (H5Tget_class(type) == H5T_INTEGER) return SignalType::integer;
  return H5Tget_size(type) == sizeof(double) ? SignalType::integral : SignalType::real;
}

/// Attributes are for people: shown as they are, numbers as the shortest text.
std::string attributeText(hid_t object, const char* name) {
  const h5::Attribute attribute(h5::check(H5Aopen(object, name, H5P_DEFAULT), std::string("open attribute ") + name));
  const h5::Type type(h5::check(H5Aget_type(attribute), std::string("read attribute ") + name));
  if (H5Tget_class(type) == H5T_STRING) return h5::readTextAttribute(object, name);
  return fmt::format("{}", h5::readNumberAttribute(object, name));
}

std::vector<SummaryScalar> readScalars(hid_t file, const std::string& group_name) {
  std::vector<SummaryScalar> scalars;
  const h5::Group group = h5::openGroup(file, group_name);
  for (const auto& name : h5::linkNames(group)) {
    const h5::Dataset dataset = h5::openDataset(group, name);
    if (isText(dataset)) continue;
    const auto values = h5::readNumbers(group, name);
    if (values.size() != 1) throw h5::Failure(fmt::format("{}/{} is no single number", group_name, name));
    scalars.push_back({.name = name,
                       .value = values.front(),
                       .units = h5::readTextAttribute(dataset, "units"),
                       .long_name = h5::readTextAttribute(dataset, "long_name")});
  }
  return scalars;
}

std::map<std::string, std::string> readTextsOf(hid_t file, const std::string& group_name) {
  std::map<std::string, std::string> texts;
  const h5::Group group = h5::openGroup(file, group_name);
  for (const auto& name : h5::linkNames(group)) {
    if (!isDataset(group, name)) continue;
    if (isText(h5::openDataset(group, name))) texts[name] = h5::readText(group, name);
  }
  return texts;
}

}  // namespace

class ResultFile::Impl {
 public:
  explicit Impl(const std::string& path);

  /// Runs `read`; turns a failure of the library into an InputError that names the file.
  template <class Read>
  auto reading(Read read) const {
    const h5::Quiet quiet;
    try {
      return read();
    } catch (const h5::Failure& failure) {
      throw InputError({path}, fmt::format("the result file is damaged: {}", failure.what()),
                       "run the scenario again, or use an intact copy");
    }
  }
  const ResultTable& tableOf(const std::string& group) const;
  const ResultTable& tableOf(const std::string& group, const std::string& signal) const;
  std::vector<double> read(const std::string& group, const std::string& name, std::uint64_t first_row,
                           std::uint64_t rows, std::uint64_t first_id, std::uint64_t ids) const;
  void readTable(const std::string& name);

  std::string path;
  h5::File file;
  std::map<std::string, std::string> attributes;
  std::vector<ResultTable> tables;
};

ResultFile::Impl::Impl(const std::string& path_in) : path(path_in) {
  const SourceMark where{path};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(where, "there is no such result file", "check the name");
  if (!std::filesystem::is_regular_file(status)) throw InputError(where, "is no file", "give a result file, *.h5");
  const h5::Quiet quiet;
  try {
    file = h5::File(h5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open it"));
  } catch (const h5::Failure& failure) {
    const std::string why = failure.what();
    if (why.find("unable to lock") != std::string::npos || why.find("temporarily unavailable") != std::string::npos)
      throw InputError(where, "is being written by another program",
                       "wait for its end, or set HDF5_USE_FILE_LOCKING=FALSE to read what it flushed");
    const htri_t hdf5 = H5Fis_hdf5(path.c_str());
    H5Eclear2(H5E_DEFAULT);
    if (hdf5 == 0)
      throw InputError(where, "is no HDF5 file, or its beginning is lost", "give a result file of `podtwin run`");
    throw InputError(where, "the result file is cut off or damaged: " + why,
                     "run the scenario again, or use an intact copy");
  }
  try {
    if (h5::hasAttribute(file, kCheckpointAttribute))
      throw InputError(where, "is a checkpoint, but no result of PodTwin",
                       "give a result file of `podtwin run`; to start from a checkpoint write `from: FILE`");
    if (!h5::hasAttribute(file, "podtwin_version") || !h5::hasAttribute(file, kFormatAttribute))
      throw InputError(where, "is an HDF5 file, but no result of PodTwin", "give a result file of `podtwin run`");
    const double version = h5::readNumberAttribute(file, kFormatAttribute);
    if (version > kFormatVersion)
      throw InputError(
          where, fmt::format("has format {}, newer than {}, the newest this program knows", version, kFormatVersion),
          "update PodTwin to read it");
    for (const char* name :
         {"Conventions", "podtwin_version", "format_version", "title", "created", "complete", "simulated_start"})
      attributes[name] = attributeText(file, name);
    for (const auto& name : h5::linkNames(file))
      if (!kOwnGroups.contains(name) && !isDataset(file, name)) readTable(name);
  } catch (const h5::Failure& failure) {
    throw InputError(where, fmt::format("the result file is damaged: {}", failure.what()),
                     "run the scenario again, or use an intact copy");
  }
}

void ResultFile::Impl::readTable(const std::string& name) {
  ResultTable table;
  table.group = name;
  const bool facility = name == kFacilityGroup;
  const h5::Group group = h5::openGroup(file, name);
  table.period = h5::readNumberAttribute(group, "period");
  const auto times = h5::readNumbers(facility ? static_cast<hid_t>(file) : static_cast<hid_t>(group), "time");
  table.rows = times.size();
  if (!times.empty()) {
    table.first_time = times.front();
    table.last_time = times.back();
  }
  if (!facility) table.ids = h5::readTexts(group, "id");
  for (const auto& link : h5::linkNames(group)) {
    if (link == "time" || link == "id") continue;
    const h5::Dataset dataset = h5::openDataset(group, link);
    const auto sizes = h5::extents(dataset);
    if (isText(dataset)) {
      table.labels[link] = h5::readTexts(group, link);
      if (table.labels[link].size() != table.ids.size())
        throw h5::Failure(
            fmt::format("{}/{} has {} entries for {} ids", name, link, table.labels[link].size(), table.ids.size()));
      continue;
    }
    const bool fits = facility ? sizes == std::vector<hsize_t>{table.rows}
                               : sizes == std::vector<hsize_t>{table.rows, table.ids.size()};
    if (!fits) throw h5::Failure(fmt::format("{}/{} does not have the extents of its axes", name, link));
    table.signals.push_back(
        {.name = link,
         .units = h5::readTextAttribute(dataset, "units"),
         .long_name = h5::readTextAttribute(dataset, "long_name"),
         .type = signalType(dataset),
         .precision = h5::hasAttribute(dataset, "precision") ? h5::readNumberAttribute(dataset, "precision") : 0.0});
  }
  for (auto& signal : table.signals)
    if (auto units = table.labels.extract(signal.name + kUnitsEnding)) signal.units_by_id = std::move(units.mapped());
  tables.push_back(std::move(table));
}

const ResultTable& ResultFile::Impl::tableOf(const std::string& group) const {
  std::vector<std::string> names;
  for (const auto& table : tables) {
    if (table.group == group) return table;
    names.push_back(table.group);
  }
  const std::string nearest = nearestName(group, names);
  throw InputError({path}, fmt::format("holds no group '{}'", group),
                   nearest.empty() ? "see `podtwin info` for what it holds" : "did you mean '" + nearest + "'?");
}

const ResultTable& ResultFile::Impl::tableOf(const std::string& group, const std::string& signal) const {
  const ResultTable& table = tableOf(group);
  std::vector<std::string> names;
  for (const auto& known : table.signals) {
    if (known.name == signal) return table;
    names.push_back(known.name);
  }
  const std::string nearest = nearestName(signal, names);
  throw InputError({path}, fmt::format("'{}' holds no signal '{}'", group, signal),
                   nearest.empty() ? "see `podtwin info` for what it holds" : "did you mean '" + nearest + "'?");
}

std::vector<double> ResultFile::Impl::read(const std::string& group, const std::string& name, std::uint64_t first_row,
                                           std::uint64_t rows, std::uint64_t first_id, std::uint64_t ids) const {
  return reading([&] {
    std::vector<double> values(rows * ids);
    if (values.empty()) return values;
    const std::string dataset_name = group + "/" + name;
    const h5::Dataset dataset = h5::openDataset(file, dataset_name);
    const h5::Space stored(h5::check(H5Dget_space(dataset), "read " + dataset_name));
    const hsize_t start[2] = {first_row, first_id};
    const hsize_t count[2] = {rows, ids};
    h5::check(H5Sselect_hyperslab(stored, H5S_SELECT_SET, start, nullptr, count, nullptr), "read " + dataset_name);
    const hsize_t size = values.size();
    const h5::Space memory(h5::check(H5Screate_simple(1, &size, nullptr), "read " + dataset_name));
    h5::check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, stored, H5P_DEFAULT, values.data()), "read " + dataset_name);
    return values;
  });
}

ResultFile::ResultFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
ResultFile::~ResultFile() = default;
ResultFile::ResultFile(ResultFile&&) noexcept = default;
ResultFile& ResultFile::operator=(ResultFile&&) noexcept = default;

const std::string& ResultFile::path() const { return impl_->path; }
const std::map<std::string, std::string>& ResultFile::attributes() const { return impl_->attributes; }
bool ResultFile::complete() const { return impl_->attributes.at("complete") == "1"; }
const std::string& ResultFile::simulatedStart() const { return impl_->attributes.at("simulated_start"); }
const std::vector<ResultTable>& ResultFile::tables() const { return impl_->tables; }

const ResultTable* ResultFile::table(const std::string& group) const {
  const auto found = std::find_if(impl_->tables.begin(), impl_->tables.end(),
                                  [&](const ResultTable& table) { return table.group == group; });
  return found == impl_->tables.end() ? nullptr : &*found;
}

std::vector<double> ResultFile::times(const std::string& group) const {
  impl_->tableOf(group);
  return impl_->reading(
      [&] { return h5::readNumbers(impl_->file, group == kFacilityGroup ? "time" : group + "/time"); });
}

std::vector<double> ResultFile::signal(const std::string& group, const std::string& name) const {
  const ResultTable& table = impl_->tableOf(group, name);
  return impl_->read(group, name, 0, table.rows, 0, table.width());
}

std::vector<double> ResultFile::column(const std::string& group, const std::string& name, const std::string& id) const {
  const ResultTable& table = impl_->tableOf(group, name);
  std::uint64_t index = 0;
  if (group != kFacilityGroup) {
    const auto found = std::find(table.ids.begin(), table.ids.end(), id);
    if (found == table.ids.end()) {
      const std::string nearest = nearestName(id, table.ids);
      throw InputError({impl_->path}, fmt::format("'{}' holds no '{}'", group, id),
                       nearest.empty() ? "see `podtwin info` for what it holds" : "did you mean '" + nearest + "'?");
    }
    index = static_cast<std::uint64_t>(found - table.ids.begin());
  }
  return impl_->read(group, name, 0, table.rows, index, 1);
}

std::vector<double> ResultFile::row(const std::string& group, const std::string& name, std::uint64_t row) const {
  const ResultTable& table = impl_->tableOf(group, name);
  if (row >= table.rows)
    throw InputError({impl_->path}, fmt::format("'{}' has {} rows, there is no row {}", group, table.rows, row),
                     "ask for a time within the run");
  return impl_->read(group, name, row, 1, 0, table.width());
}

std::vector<SummaryScalar> ResultFile::summary() const {
  return impl_->reading([&] { return readScalars(impl_->file, "summary"); });
}
std::map<std::string, std::string> ResultFile::summaryTexts() const {
  return impl_->reading([&] { return readTextsOf(impl_->file, "summary"); });
}
std::vector<SummaryScalar> ResultFile::balance() const {
  return impl_->reading([&] { return readScalars(impl_->file, "balance"); });
}
std::map<std::string, std::string> ResultFile::provenance() const {
  return impl_->reading([&] { return readTextsOf(impl_->file, "provenance"); });
}
std::map<std::string, std::string> ResultFile::provenanceWall() const {
  return impl_->reading([&] { return readTextsOf(impl_->file, std::string("provenance/") + kWallGroup); });
}

std::vector<EventRecord> ResultFile::events() const {
  return impl_->reading([&] {
    const h5::Group group = h5::openGroup(impl_->file, "events");
    const auto time = h5::readNumbers(group, "time");
    std::vector<EventRecord> events(time.size());
    const auto take = [&](const std::string& name, std::string EventRecord::*member) {
      const auto texts = h5::readTexts(group, name);
      if (texts.size() != events.size()) throw h5::Failure("events/" + name + " has another length than events/time");
      for (std::size_t i = 0; i < texts.size(); ++i) events[i].*member = texts[i];
    };
    for (std::size_t i = 0; i < events.size(); ++i) events[i].time = time[i];
    take("equipment", &EventRecord::equipment);
    take("actor", &EventRecord::actor);
    take("cause", &EventRecord::cause);
    take("text", &EventRecord::text);
    return events;
  });
}

std::vector<AlarmRecord> ResultFile::alarms() const {
  return impl_->reading([&] {
    const h5::Group group = h5::openGroup(impl_->file, "alarms");
    const auto time = h5::readNumbers(group, "time");
    std::vector<AlarmRecord> alarms(time.size());
    const auto same = [&](std::size_t size, const std::string& name) {
      if (size != alarms.size()) throw h5::Failure("alarms/" + name + " has another length than alarms/time");
    };
    const auto texts = [&](const std::string& name, std::string AlarmRecord::*member) {
      const auto values = h5::readTexts(group, name);
      same(values.size(), name);
      for (std::size_t i = 0; i < values.size(); ++i) alarms[i].*member = values[i];
    };
    const auto numbers = [&](const std::string& name, auto set) {
      const auto values = h5::readNumbers(group, name);
      same(values.size(), name);
      for (std::size_t i = 0; i < values.size(); ++i) set(alarms[i], values[i]);
    };
    numbers("time", [](AlarmRecord& alarm, double value) { alarm.time = value; });
    numbers("value", [](AlarmRecord& alarm, double value) { alarm.value = value; });
    numbers("limit", [](AlarmRecord& alarm, double value) { alarm.limit = value; });
    numbers("active", [](AlarmRecord& alarm, double value) { alarm.active = value > 0.5; });
    texts("equipment", &AlarmRecord::equipment);
    texts("signal", &AlarmRecord::signal);
    texts("kind", &AlarmRecord::kind);
    texts("text", &AlarmRecord::text);
    texts("units", &AlarmRecord::units);
    return alarms;
  });
}

std::vector<double> ResultFile::restartTimes() const {
  return impl_->reading([&] { return data::restartTimes(impl_->file); });
}

Checkpoint ResultFile::restartState(std::size_t index) const {
  const auto damaged = [&](const std::string& why) {
    return InputError({impl_->path}, fmt::format("the state in {} is damaged: {}", restartPath(index), why),
                      "use another moment, or start from the steady state");
  };
  const h5::Quiet quiet;
  try {
    if (auto state = data::restartState(impl_->file, index)) return std::move(*state);
    throw damaged("its checksum does not fit its values");
  } catch (const h5::Failure& failure) {
    throw damaged(failure.what());
  }
}

}  // namespace podtwin::data
