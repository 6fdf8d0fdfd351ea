#include "data/results/recorder.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "data/results/result_file.hpp"
#include "model/base/diagnostics.hpp"
#include "tests/unit/results/support.hpp"

namespace podtwin::data {
namespace {

using testing::appendExampleRow;
using testing::exampleHeader;
using testing::exampleTables;
using testing::TempFolder;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

RecorderOptions flushing(double wall, double simulated, bool thread = true) {
  return {.overwrite = false, .flush_wall = wall, .flush_simulated = simulated, .writer_thread = thread};
}

void writeWholeRun(const std::string& path, std::size_t rows, const RecorderOptions& options) {
  Recorder recorder(path, exampleHeader(), exampleTables(), options);
  for (std::size_t row = 0; row < rows; ++row) appendExampleRow(recorder, row);
  recorder.summary(std::vector<SummaryScalar>{{"energy", 12.5, "J", "energy taken"}});
  recorder.summaryText("hottest_gpu", "A01-G7");
  recorder.balance(std::vector<SummaryScalar>{{"thermal_relative", 1e-9, "1", "closure of heat"}});
  recorder.close(true);
}

template <class Call>
std::string messageOf(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string begin(const std::string& path, bool overwrite = false) {
  try {
    Recorder(path, exampleHeader(), exampleTables(), {.overwrite = overwrite});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Recorder, WritesTheLayoutThatH5pyAndXarrayRead) {
  const TempFolder folder;
  for (const std::size_t rows : {std::size_t{15}, std::size_t{60}, std::size_t{200}, std::size_t{4500}}) {
    const std::string path = folder / ("run" + std::to_string(rows) + ".h5");
    writeWholeRun(path, rows, {});
    testing::python("layout " + path + " " + std::to_string(rows));
  }
}

TEST(Recorder, ChunksFlushedHalfFullReadBackAlike) {
  const TempFolder folder;
  // A flush at every second of the run: each chunk is written in place sixty times.
  writeWholeRun(folder / "often.h5", 200, flushing(0.0, 0.0));
  testing::python("layout " + (folder / "often.h5") + " 200");
  writeWholeRun(folder / "inline.h5", 200, flushing(0.0, 13.0, false));
  testing::python("layout " + (folder / "inline.h5") + " 200");
}

TEST(Recorder, H5dumpReadsEveryDataset) {
  const TempFolder folder;
  writeWholeRun(folder / "run.h5", 130, flushing(0.0, 17.0));
  const auto [status, output] = testing::shell("h5dump " + (folder / "run.h5") + " > " + (folder / "dump.txt"));
  EXPECT_EQ(status, 0) << output;
  EXPECT_TRUE(output.empty()) << output;
  const auto [found, value] = testing::shell("h5dump -d /gpu/power -s 129,299 -c 1,1 " + (folder / "run.h5"));
  EXPECT_NE(value.find("(129,299): 2428\n"), std::string::npos) << value;
}

TEST(Recorder, EqualRunsGiveEqualBytes) {
  const TempFolder folder;
  writeWholeRun(folder / "a.h5", 500, {});
  writeWholeRun(folder / "b.h5", 500, {});
  const auto [status, output] = testing::shell("cmp " + (folder / "a.h5") + " " + (folder / "b.h5"));
  EXPECT_EQ(status, 0) << output;
  // Flushes fall where the wall clock wants; what readers see must not depend on it.
  writeWholeRun(folder / "c.h5", 500, flushing(0.0, 7.0));
  // (h5diff -c calls datasets without rows or ids "not comparable" even between a file and itself.)
  const auto [difference, report] =
      testing::shell("h5diff -c " + (folder / "a.h5") + " " + (folder / "c.h5") + " | grep -v 'is an empty dataset$'");
  EXPECT_NE(difference, 0) << report;  // grep found no other line
  const auto [status_alone, ignored] = testing::shell("h5diff " + (folder / "a.h5") + " " + (folder / "c.h5"));
  EXPECT_EQ(status_alone, 0) << ignored;
  EXPECT_TRUE(report.empty()) << report;
}

TEST(Recorder, RefusesNanWithTheNameOfTheSignal) {
  const TempFolder folder;
  Recorder recorder(folder / "run.h5", exampleHeader(), exampleTables(), {});
  std::vector<double> values(2 * testing::kGpus, 300.0);
  values[testing::kGpus + 6] = kNan;
  EXPECT_NE(messageOf([&] { recorder.append(0, 4.0, values); }).find("gpu[A01-G7].power is nan at 4 s"),
            std::string::npos);
  std::vector<double> pump(9, 1.0);
  pump[4] = 0.5;
  EXPECT_NE(messageOf([&] { recorder.append(1, 0.0, pump); }).find("pump[P2].state is 0.5"), std::string::npos);
  pump[4] = 3e9;
  EXPECT_THROW(recorder.append(1, 0.0, pump), SimulationError);
  pump[4] = 1.0;
  pump[0] = 1e39;  // finite, but not in float32
  EXPECT_THROW(recorder.append(1, 0.0, pump), SimulationError);
  EXPECT_NE(messageOf([&] {
              recorder.append(2, 0.0, std::vector<double>{1.0, kNan});
            }).find("facility.pue is nan"),
            std::string::npos);
  EXPECT_THROW(recorder.summary(std::vector<SummaryScalar>{{"x", kNan, "1", "x"}}), SimulationError);
  EXPECT_THROW(recorder.append(AlarmRecord{0.0, "P1", "speed", "alarm", "", kNan, 1.0, "1", true}), SimulationError);
  // A refused row leaves nothing behind.
  values[testing::kGpus + 6] = 300.0;
  recorder.append(0, 4.0, values);
  recorder.close(true);
  EXPECT_EQ(ResultFile(folder / "run.h5").table("gpu")->rows, 1U);
}

TEST(Recorder, RefusesRowsOutOfOrderOrOfTheWrongSize) {
  const TempFolder folder;
  Recorder recorder(folder / "run.h5", exampleHeader(), exampleTables(), {});
  const std::vector<double> values(9, 1.0);
  recorder.append(1, 10.0, values);
  EXPECT_NE(messageOf([&] { recorder.append(1, 10.0, values); }).find("does not follow"), std::string::npos);
  EXPECT_NE(messageOf([&] { recorder.append(1, 20.0, std::vector<double>(8, 1.0)); }).find("8 values"),
            std::string::npos);
  EXPECT_THROW(recorder.append(9, 20.0, values), SimulationError);
  recorder.close(false);
  EXPECT_NE(messageOf([&] { recorder.append(1, 20.0, values); }).find("closed already"), std::string::npos);
}

TEST(Recorder, RefusesAStateThatIsNotLaterThanTheOneBefore) {
  const TempFolder folder;
  Recorder recorder(folder / "run.h5", exampleHeader(), exampleTables(), {});
  recorder.append(testing::exampleState(7));
  EXPECT_NE(
      messageOf([&] { recorder.append(testing::exampleState(7)); }).find("a restart state at 7 s does not follow"),
      std::string::npos);
  Checkpoint timeless = testing::exampleState(8);
  timeless.time = kNan;
  EXPECT_THROW(recorder.append(timeless), SimulationError);
  recorder.append(testing::exampleState(9));
  recorder.close(true);
  EXPECT_EQ(ResultFile(folder / "run.h5").restartTimes(), (std::vector<double>{7.0, 9.0}));
}

TEST(Recorder, BetweenFlushesNoTextOnTheDiskChanges) {
  const TempFolder folder;
  const std::string path = folder / "run.h5";
  const auto bytes = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  Recorder recorder(path, exampleHeader(), exampleTables(), flushing(0.0, 120.0, false));
  std::string flushed;
  double flushed_time = recorder.flushedTime();
  int heaps = 0;
  for (std::size_t row = 0; row < 1000; ++row) {
    appendExampleRow(recorder, row);  // texts of events, and of states between the flushes
    const std::string now = bytes();
    if (recorder.flushedTime() != flushed_time) {
      flushed_time = recorder.flushedTime();
      flushed = now;
      continue;
    }
    constexpr std::size_t kHeap = 4096;  // byte, the least HDF5 makes
    for (auto at = flushed.find("GCOL"); at != std::string::npos; at = flushed.find("GCOL", at + kHeap)) {
      ++heaps;
      ASSERT_EQ(now.compare(at, kHeap, flushed, at, kHeap), 0) << "at byte " << at << " in row " << row;
    }
  }
  EXPECT_GT(heaps, 1000);
}

TEST(Recorder, KeepsThePrecisionItWasAskedFor) {
  const TempFolder folder;
  auto tables = exampleTables();
  tables[0].signals[0].precision = 0.001;
  Recorder recorder(folder / "run.h5", exampleHeader(), tables, {});
  std::mt19937 random(3);
  std::uniform_real_distribution<double> temperature(280.0, 370.0);
  std::vector<double> values(2 * testing::kGpus);
  for (auto& value : values) value = temperature(random);
  recorder.append(0, 0.0, values);
  recorder.close(true);
  const ResultFile file(folder / "run.h5");
  EXPECT_EQ(file.table("gpu")->signals[1].precision, 0.001);
  const auto rounded = file.signal("gpu", "t_junction");
  const auto exact = file.signal("gpu", "power");
  for (std::size_t i = 0; i < testing::kGpus; ++i) {
    EXPECT_NEAR(rounded[i], values[i], 0.0005);
    EXPECT_EQ(rounded[i] * 1024.0, std::round(rounded[i] * 1024.0));
    EXPECT_EQ(exact[i], static_cast<double>(static_cast<float>(values[testing::kGpus + i])));
  }
}

TEST(Recorder, AWideTableIsSplitIntoChunksOfAboutAMegabyte) {
  const TempFolder folder;
  RecordedTable table{.group = "gpu", .period = 1.0, .ids = {}, .labels = {}, .signals = {}};
  for (int i = 0; i < 20001; ++i) table.ids.push_back("G" + std::to_string(i));
  table.signals = {{.name = "power", .units = "W", .long_name = "power"}};
  Recorder recorder(folder / "run.h5", exampleHeader(), {table}, {});
  std::vector<double> values(table.ids.size());
  for (int row = 0; row < 61; ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + row;
    recorder.append(0, row, values);
  }
  recorder.close(true);
  const ResultFile file(folder / "run.h5");
  const auto power = file.signal("gpu", "power");
  for (std::size_t row = 0; row < 61; ++row)
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(power[row * values.size() + i], static_cast<double>(i + row));
  const auto [status, output] = testing::shell("/usr/bin/python3 -c \"import h5py; print(h5py.File('" +
                                               (folder / "run.h5") + "')['gpu/power'].chunks)\"");
  EXPECT_EQ(output, "(60, 4001)\n");
}

TEST(Recorder, AnExistingFileIsLeftAloneWithoutOverwrite) {
  const TempFolder folder;
  std::ofstream(folder / "run.h5") << "precious";
  EXPECT_NE(begin(folder / "run.h5")
                .find("run.h5: error: the result file exists already; give another name with -o, "
                      "or --force"),
            std::string::npos);
  std::string text;
  std::ifstream(folder / "run.h5") >> text;
  EXPECT_EQ(text, "precious");
  EXPECT_EQ(begin(folder / "run.h5", true), "");
  text.clear();
  std::ifstream(folder / "run.h5") >> text;
  EXPECT_EQ(text, "precious") << "a run without a row has not begun";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Recorder, TheFileTakesItsNameWithItsFirstRow) {
  const TempFolder folder;
  const std::string path = folder / "run.h5";
  std::ofstream(path) << "old";
  {
    Recorder recorder(path, exampleHeader(), exampleTables(), {.overwrite = true});
    recorder.append(EventRecord{0.0, "P1", "scenario", "timeline", "before any row"});
    EXPECT_FALSE(recorder.begun());
    EXPECT_EQ(std::filesystem::file_size(path), 3U);
    appendExampleRow(recorder, 0);
    EXPECT_TRUE(recorder.begun());
    EXPECT_GT(std::filesystem::file_size(path), 3U);
  }
  EXPECT_FALSE(ResultFile(path).complete());
  EXPECT_EQ(ResultFile(path).table("gpu")->rows, 1U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Recorder, ARunThatIsToHaveNoRowsHasAFileWhenItIsClosedAsComplete) {
  const TempFolder folder;
  Recorder recorder(folder / "run.h5", exampleHeader(), exampleTables(), {});
  recorder.close(true);
  EXPECT_TRUE(ResultFile(folder / "run.h5").complete());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Recorder, AFileThatTookTheNameMeanwhileIsLeftAlone) {
  const TempFolder folder;
  const std::string path = folder / "run.h5";
  {
    Recorder recorder(path, exampleHeader(), exampleTables(), {});
    std::ofstream(path) << "precious";
    EXPECT_NE(messageOf([&] { appendExampleRow(recorder, 0); }).find("was made meanwhile"), std::string::npos);
  }
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "precious");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Recorder, FoldersMissingParentsAndBadTablesAreInputErrorsAndTouchNothing) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "sub.h5");
  EXPECT_NE(begin(folder / "sub.h5").find("is a directory"), std::string::npos);
  EXPECT_NE(begin(folder / "sub.h5", true).find("is a directory"), std::string::npos);
  EXPECT_NE(begin(folder / "no/run.h5").find("does not exist"), std::string::npos);
  EXPECT_NE(begin("").find("has no name"), std::string::npos);
  EXPECT_NE(begin("/dev/null", true).find("is no regular file"), std::string::npos);
  std::ofstream(folder / "old.h5") << "precious";
  auto tables = exampleTables();
  tables[1].ids[1] = "P1";
  tables[0].labels["rack"].pop_back();
  tables[2].signals[0].name = "a/b";
  const std::string message =
      messageOf([&] { Recorder(folder / "old.h5", exampleHeader(), tables, {.overwrite = true}); });
  EXPECT_NE(message.find("'pump' has an id twice"), std::string::npos);
  EXPECT_NE(message.find("'gpu/rack' has 299 entries for 300 ids"), std::string::npos);
  EXPECT_NE(message.find("'a/b' cannot be a name"), std::string::npos);
  std::string text;
  std::ifstream(folder / "old.h5") >> text;
  EXPECT_EQ(text, "precious");
}

/// Runs `body` in a process of its own; its exit status.
template <class Body>
int inChild(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Recorder, AFolderWithoutPermissionIsAnInputError) {
  const TempFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const std::string path = folder / "run.h5";
  const int status = inChild([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 98;  // root may write anywhere
    return begin(path).find("its folder cannot be written: Permission denied") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
}

TEST(Recorder, WhenTheDiskIsFullTheFileKeepsWhatWasFlushed) {
  PODTWIN_SKIP_FORKS();
  const TempFolder folder;
  std::mt19937 random(5);
  for (int trial = 0; trial < 12; ++trial) {
    const std::string path = folder / ("run" + std::to_string(trial) + ".h5");
    const rlim_t limit = 300'000 + random() % 1'200'000;
    const bool thread = trial % 3 != 0;
    const std::string note = folder / "flushed";
    const int status = inChild([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      double flushed = -1.0;
      int result = 1;
      {
        Recorder recorder(path, exampleHeader(), exampleTables(), flushing(0.0, 5.0, thread));
        const rlimit bound{limit, limit};
        ::setrlimit(RLIMIT_FSIZE, &bound);
        try {
          for (std::size_t row = 0; row < 200'000; ++row) appendExampleRow(recorder, row);
        } catch (const SimulationError& error) {
          const std::string what = error.what();
          result = what.find("the result could not be written: File too large") != std::string::npos ? 0 : 2;
        }
        flushed = recorder.flushedTime();
        // It stays failed, and says so again.
        if (result == 0 && messageOf([&] { recorder.close(true); }).find("File too large") == std::string::npos)
          result = 3;
      }
      std::ofstream(note) << std::max(flushed, -1.0);
      return result;
    });
    EXPECT_EQ(status, 0);
    double flushed = -1.0;
    std::ifstream(note) >> flushed;
    EXPECT_GT(flushed, limit > 900'000 ? 3.0 : -2.0);
    testing::python("rows " + path + ":" + std::to_string(flushed));
    EXPECT_FALSE(ResultFile(path).complete());
  }
}

TEST(Recorder, ADiskThatIsFullAtTheStartLeavesNoFile) {
  const TempFolder folder;
  const int status = inChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit bound{5000, 5000};
    ::setrlimit(RLIMIT_FSIZE, &bound);
    return begin(folder / "run.h5").find("cannot be begun: File too large") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Recorder, WithoutCloseTheFileIsWholeButIncomplete) {
  const TempFolder folder;
  {
    Recorder recorder(folder / "run.h5", exampleHeader(), exampleTables(), {});
    for (std::size_t row = 0; row < 100; ++row) appendExampleRow(recorder, row);
  }
  testing::python("rows " + (folder / "run.h5") + ":99");
}

TEST(Recorder, APausedSimulationIsFlushedToo) {
  const TempFolder folder;
  Recorder recorder(folder / "run.h5", exampleHeader(), exampleTables(), flushing(0.3, 60.0));
  for (std::size_t row = 0; row < 100; ++row) appendExampleRow(recorder, row);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(recorder.flushedTime(), 99.0);
}

TEST(Recorder, FrequentFlushesDoNotBloatTheFile) {
  const TempFolder folder;
  writeWholeRun(folder / "never.h5", 3000, {});
  writeWholeRun(folder / "often.h5", 3000, flushing(0.0, 1.0));
  const auto raw = 3000 * (2 * testing::kGpus * 4 + 8 + 8) + 300 * (8 + 8 + 4 * 3 * 2 + 8 * 3);
  const auto states = 3000 / testing::kStateRows * 10'000;
  // Chunks met half full stay uncompressed; beyond that, states and some headers nothing may be added.
  EXPECT_LT(std::filesystem::file_size(folder / "often.h5"), raw * 1.15 + states + 250'000);
  EXPECT_LT(std::filesystem::file_size(folder / "never.h5"), raw * 0.5 + states);
}

}  // namespace
}  // namespace podtwin::data
