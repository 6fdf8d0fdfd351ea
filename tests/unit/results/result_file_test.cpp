#include "data/results/result_file.hpp"

#include "model/base/diagnostics.hpp"
#include "tests/unit/results/support.hpp"

namespace podtwin::data {
namespace {

using testing::exampleHeader;
using testing::exampleTables;
using testing::exampleValue;
using testing::TempFolder;

void writeRun(const std::string& path, std::size_t rows, bool complete = true) {
  Recorder recorder(path, exampleHeader(), exampleTables(), {});
  for (std::size_t row = 0; row < rows; ++row) testing::appendExampleRow(recorder, row);
  const std::vector<SummaryScalar> summary = {{"energy", 12.5, "J", "energy taken"}, {"pue", 1.25, "1", "mean PUE"}};
  recorder.summary(summary);
  recorder.summaryText("hottest_gpu", "A01-G7");
  recorder.balance(std::vector<SummaryScalar>{{"thermal_relative", 1e-9, "1", "closure of heat"}});
  recorder.close(complete);
}

std::string messageOf(const std::string& path) {
  try {
    const ResultFile file(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

template <class Call>
std::string messageOfCall(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ResultFile, GivesBackWhatWasRecorded) {
  const TempFolder folder;
  const std::string path = folder / "run.h5";
  writeRun(path, 200);
  const ResultFile file(path);
  EXPECT_TRUE(file.complete());
  EXPECT_EQ(file.attributes().at("title"), exampleHeader().title);
  EXPECT_EQ(file.attributes().at("format_version"), "1");
  EXPECT_EQ(file.simulatedStart(), "2026-07-15T00:00:00Z");
  ASSERT_EQ(file.tables().size(), 4U);
  const ResultTable* pump = file.table("pump");
  ASSERT_NE(pump, nullptr);
  EXPECT_EQ(pump->rows, 20U);
  EXPECT_EQ(pump->period, 10.0);
  EXPECT_EQ(pump->last_time, 190.0);
  EXPECT_EQ(pump->ids, (std::vector<std::string>{"P1", "P2", "Pü"}));
  ASSERT_EQ(pump->signals.size(), 3U);
  EXPECT_EQ(pump->signals[0].name, "energy");
  EXPECT_EQ(pump->signals[0].type, SignalType::integral);
  EXPECT_EQ(pump->signals[0].units, "J");
  EXPECT_EQ(pump->signals[1].type, SignalType::real);
  EXPECT_EQ(pump->signals[2].type, SignalType::integer);
  EXPECT_EQ(file.table("gpu")->labels.at("rack").back(), "A05");
  EXPECT_EQ(file.table("chiller")->rows, 20U);
  EXPECT_TRUE(file.table("chiller")->ids.empty());
  EXPECT_EQ(file.table("nothing"), nullptr);

  EXPECT_EQ(file.times("facility").size(), 200U);
  const auto power = file.signal("gpu", "power");
  ASSERT_EQ(power.size(), 200U * testing::kGpus);
  for (std::size_t row = 0; row < 200; ++row)
    for (std::size_t id = 0; id < testing::kGpus; ++id)
      ASSERT_EQ(power[row * testing::kGpus + id], exampleValue(1, id, row));
  const auto column = file.column("gpu", "t_junction", "A01-G123");
  ASSERT_EQ(column.size(), 200U);
  for (std::size_t row = 0; row < 200; ++row) ASSERT_EQ(column[row], exampleValue(0, 122, row));
  const auto row = file.row("gpu", "t_junction", 77);
  ASSERT_EQ(row.size(), testing::kGpus);
  for (std::size_t id = 0; id < testing::kGpus; ++id) ASSERT_EQ(row[id], exampleValue(0, id, 77));
  EXPECT_EQ(file.column("facility", "pue", "")[199], exampleValue(1, 0, 199));

  ASSERT_EQ(file.summary().size(), 2U);
  EXPECT_EQ(file.summary()[1].value, 1.25);
  EXPECT_EQ(file.summary()[0].long_name, "energy taken");
  EXPECT_EQ(file.summaryTexts().at("hottest_gpu"), "A01-G7");
  EXPECT_EQ(file.balance().at(0).value, 1e-9);
  EXPECT_EQ(file.provenance().at("pod"), "podtwin: pod/1\n");
  EXPECT_EQ(file.provenanceWall().at("duration"), "1.5 s");
  const auto events = file.events();
  ASSERT_EQ(events.size(), 29U);
  EXPECT_EQ(events[2].time, 14.123);
  EXPECT_EQ(events[2].text, "event 2");
  EXPECT_EQ(events[2].actor, "scenario");
  const auto alarms = file.alarms();
  ASSERT_EQ(alarms.size(), 29U);
  EXPECT_FALSE(alarms[1].active);
  EXPECT_TRUE(alarms[2].active);
  EXPECT_EQ(alarms[2].limit, 358.15);
  EXPECT_EQ(alarms[2].units, "K");
}

/// A table of sensors that measure different things.
std::vector<RecordedTable> sensorTables() {
  RecordedTable sensor{.group = "sensor", .period = 10.0, .ids = {"TT", "PT", "FT"}, .labels = {}, .signals = {}};
  sensor.signals = {{.name = "quality", .units = "1", .long_name = "quality", .type = SignalType::integer},
                    {.name = "value",
                     .units = "1",
                     .long_name = "reading, in the unit of what it measures",
                     .units_by_id = {"K", "Pa", "m3 s-1"}}};
  return {sensor};
}

TEST(ResultFile, GivesEachIdItsUnitWhereTheyDiffer) {
  const TempFolder folder;
  const std::string path = folder / "run.h5";
  {
    Recorder recorder(path, exampleHeader(), sensorTables(), {});
    recorder.append(0, 0.0, std::vector<double>{0, 0, 1, 300.0, 2e5, 0.02});
    recorder.close(true);
  }
  const ResultFile file(path);
  const ResultTable& sensor = file.tables().at(0);
  ASSERT_EQ(sensor.signals.size(), 2U);
  EXPECT_TRUE(sensor.signals[0].units_by_id.empty());
  EXPECT_EQ(sensor.signals[1].units_by_id, (std::vector<std::string>{"K", "Pa", "m3 s-1"}));
  EXPECT_TRUE(sensor.labels.empty());
  EXPECT_EQ(file.column("sensor", "value", "PT").at(0), 2e5);
  // The tools people have find it without knowing our program.
  const auto [status, output] =
      testing::shell("/usr/bin/python3 -c \"import xarray; d = xarray.open_dataset('" + path +
                     "', group='sensor', engine='h5netcdf'); v = d['value'].sel(id='FT'); print(v.value_units.item(), "
                     "float(v[0]), d.value_units.attrs['units'])\"");
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output.substr(0, 10), "m3 s-1 0.0") << output;
}

TEST(ResultFile, UnitsOfIdsMustBeWholeAndTheirNameFree) {
  const TempFolder folder;
  const auto refused = [&](auto spoil) {
    auto tables = sensorTables();
    spoil(tables[0]);
    return messageOfCall([&] { const Recorder recorder(folder / "run.h5", exampleHeader(), tables, {}); });
  };
  EXPECT_NE(refused([](RecordedTable& t) { t.signals[1].units_by_id.pop_back(); }).find("has 2 units for 3 ids"),
            std::string::npos);
  EXPECT_NE(refused([](RecordedTable& t) {
              t.labels["value_units"] = {"a", "b", "c"};
            }).find("'sensor/value_units' is taken"),
            std::string::npos);
}

TEST(ResultFile, GivesBackEveryBitOfAStoredState) {
  const TempFolder folder;
  writeRun(folder / "run.h5", 4000);  // more states than find room in the header of their group
  const ResultFile file(folder / "run.h5");
  const auto moments = file.restartTimes();
  ASSERT_EQ(moments.size(), 80U);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const Checkpoint wanted = testing::exampleState(i * testing::kStateRows);
    ASSERT_EQ(moments[i], wanted.time);
    const Checkpoint state = file.restartState(i);
    EXPECT_EQ(state.pod_text_hash, wanted.pod_text_hash);
    EXPECT_EQ(state.time, wanted.time);
    EXPECT_EQ(state.y, wanted.y);
    EXPECT_EQ(state.z, wanted.z);
    EXPECT_EQ(state.extra, wanted.extra);
    EXPECT_EQ(state.texts, wanted.texts);
  }
}

TEST(ResultFile, ADamagedStateIsRefusedAndTheOthersAreGood) {
  const TempFolder folder;
  writeRun(folder / "run.h5", 120);
  const auto spoil = [&](const std::string& statement) {
    const auto [status, output] = testing::shell("/usr/bin/python3 -c \"import h5py; f = h5py.File('" +
                                                 (folder / "run.h5") + "', 'a'); " + statement + "\"");
    ASSERT_EQ(status, 0) << output;
  };
  spoil("f['restart/000000/y'][3] += 1");
  spoil("del f['restart/000002/z']");
  const ResultFile file(folder / "run.h5");
  ASSERT_EQ(file.restartTimes().size(), 3U);
  EXPECT_NE(messageOfCall([&] { file.restartState(0); }).find("restart/000000 is damaged: its checksum"),
            std::string::npos);
  EXPECT_EQ(file.restartState(1).time, 50.0);
  EXPECT_NE(messageOfCall([&] { file.restartState(2); }).find("restart/000002 is damaged: cannot open dataset z"),
            std::string::npos);
}

TEST(ResultFile, AResultOfBeforeRestartStatesHoldsNone) {
  const TempFolder folder;
  writeRun(folder / "run.h5", 10);
  const auto [status, output] = testing::shell("/usr/bin/python3 -c \"import h5py; del h5py.File('" +
                                               (folder / "run.h5") + "', 'a')['restart']\"");
  ASSERT_EQ(status, 0) << output;
  EXPECT_TRUE(ResultFile(folder / "run.h5").restartTimes().empty());
}

TEST(ResultFile, ACheckpointIsNamedAsSuch) {
  const TempFolder folder;
  writeCheckpoint(folder / "saved.h5", testing::exampleState(3));
  EXPECT_NE(messageOf(folder / "saved.h5").find("is a checkpoint, but no result of PodTwin"), std::string::npos);
}

TEST(ResultFile, NamesTheNearestWhenAskedForWhatItDoesNotHold) {
  const TempFolder folder;
  writeRun(folder / "run.h5", 3);
  const ResultFile file(folder / "run.h5");
  EXPECT_NE(messageOfCall([&] { file.times("gpus"); }).find("did you mean 'gpu'?"), std::string::npos);
  EXPECT_NE(messageOfCall([&] { file.signal("gpu", "powr"); }).find("did you mean 'power'?"), std::string::npos);
  EXPECT_NE(messageOfCall([&] { file.column("pump", "speed", "P3x"); }).find("'pump' holds no 'P3x'"),
            std::string::npos);
  EXPECT_NE(messageOfCall([&] { file.row("pump", "speed", 9); }).find("has 1 rows"), std::string::npos);
}

TEST(ResultFile, ForeignMissingAndNewerFilesAreRefusedInWords) {
  const TempFolder folder;
  EXPECT_NE(messageOf(folder / "missing.h5").find("there is no such result file"), std::string::npos);
  EXPECT_NE(messageOf(folder.path()).find("is no file"), std::string::npos);
  std::ofstream(folder / "text.h5") << "id,power\n";
  EXPECT_NE(messageOf(folder / "text.h5").find("is no HDF5 file"), std::string::npos);
  const auto make = [&](const std::string& name, const std::string& statement) {
    const auto [status, output] = testing::shell("/usr/bin/python3 -c \"import h5py; f = h5py.File('" +
                                                 (folder / name) + "', 'a'); " + statement + "\"");
    ASSERT_EQ(status, 0) << output;
  };
  make("foreign.h5", "f['x'] = 1");
  EXPECT_NE(messageOf(folder / "foreign.h5").find("no result of PodTwin"), std::string::npos);
  writeRun(folder / "newer.h5", 3);
  make("newer.h5", "f.attrs['format_version'] = 2");
  EXPECT_NE(messageOf(folder / "newer.h5").find("has format 2, newer than 1"), std::string::npos);
  writeRun(folder / "odd.h5", 3);
  make("odd.h5", "f['gpu/power'].resize(2, axis=0)");
  EXPECT_NE(messageOf(folder / "odd.h5").find("gpu/power does not have the extents of its axes"), std::string::npos);
}

TEST(ResultFile, EveryCutOffFileIsRefused) {
  const TempFolder folder;
  const std::string path = folder / "run.h5";
  writeRun(path, 100);
  const auto size = std::filesystem::file_size(path);
  for (std::uintmax_t length = 0; length < size; length += size / 29) {
    const std::string cut = folder / "cut.h5";
    std::filesystem::copy_file(path, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, length);
    const std::string message = messageOf(cut);
    EXPECT_TRUE(message.find("is cut off or damaged") != std::string::npos ||
                (length < 512 && message.find("its beginning is lost") != std::string::npos))
        << length << " " << message;
  }
}

TEST(ResultFile, AFileBeingWrittenSaysSo) {
  const TempFolder folder;
  Recorder recorder(folder / "run.h5", exampleHeader(), exampleTables(), {});
  testing::appendExampleRow(recorder, 0);
  // Within one process the library shares the open file, so the reader must be another one.
  const auto [status, output] =
      testing::shell("/usr/bin/python3 -c \"import h5py; h5py.File('" + (folder / "run.h5") + "')\"");
  EXPECT_NE(status, 0);
  EXPECT_NE(output.find("unable to lock file"), std::string::npos) << output;
  const auto [free_status, free_output] =
      testing::shell("HDF5_USE_FILE_LOCKING=FALSE /usr/bin/python3 -c \"import h5py; print(h5py.File('" +
                     (folder / "run.h5") + "').attrs['complete'])\"");
  EXPECT_EQ(free_status, 0);
  EXPECT_EQ(free_output, "0\n");
}

TEST(ResultFile, AnUnfinishedRunIsReadAsIncomplete) {
  const TempFolder folder;
  writeRun(folder / "run.h5", 70, false);
  const ResultFile file(folder / "run.h5");
  EXPECT_FALSE(file.complete());
  EXPECT_EQ(file.table("gpu")->rows, 70U);
}

}  // namespace
}  // namespace podtwin::data
