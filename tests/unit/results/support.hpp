// What the tests of results share: a folder of their own, an example run with values known by formula, Python.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "data/results/recorder.hpp"

namespace podtwin::data::testing {

class TempFolder {
 public:
  TempFolder() {
    std::string name = std::filesystem::temp_directory_path() / "podtwin-results-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs a shell command; its output and exit status.
inline std::pair<int, std::string> shell(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  char buffer[4096];
  std::size_t count = 0;
  while ((count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0) output.append(buffer, count);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

/// The thread sanitizer cannot follow the threads of a forked process.
#ifdef __SANITIZE_THREAD__
#define PODTWIN_SKIP_FORKS() GTEST_SKIP() << "forked writers are outside the thread sanitizer"
#else
#define PODTWIN_SKIP_FORKS() static_cast<void>(0)
#endif

/// Debian's Python, which has h5py and xarray; another python3 may come first in PATH.
inline void python(const std::string& arguments) {
  const auto [status, output] =
      shell("/usr/bin/python3 " PODTWIN_SOURCE_DIR "/tests/unit/results/check_result.py " + arguments);
  EXPECT_EQ(status, 0) << output;
}

// The example run: values are exact in float32 and known to check_result.py by the same formula.
inline constexpr std::size_t kGpus = 300;
inline constexpr std::size_t kPumps = 3;
inline constexpr std::size_t kUnknowns = 700;
inline constexpr std::size_t kStateRows = 50;  // between two states

inline double exampleValue(std::size_t signal, std::size_t id, std::size_t row) {
  return 1000.0 * static_cast<double>(signal + 1) + static_cast<double>(id) +
         static_cast<double>(row % 4096) * (signal == 0 ? 0.25 : 1.0);
}

inline RunHeader exampleHeader() {
  return {.title = "Pump trip at noon – Prüfung",
          .simulated_start = "2026-07-15T00:00:00Z",
          .created = "2026-08-01T12:00:00Z",
          .provenance = {{"pod", "podtwin: pod/1\n"}, {"scenario", "podtwin: scenario/1\n"}},
          .provenance_wall = {{"duration", "1.5 s"}}};
}

inline std::vector<RecordedTable> exampleTables() {
  RecordedTable gpu{.group = "gpu", .period = 1.0, .ids = {}, .labels = {}, .signals = {}};
  for (std::size_t i = 0; i < kGpus; ++i) {
    gpu.ids.push_back("A01-G" + std::to_string(i + 1));
    gpu.labels["rack"].push_back("A0" + std::to_string(i / 72 + 1));
  }
  gpu.signals = {{.name = "t_junction", .units = "K", .long_name = "junction temperature"},
                 {.name = "power", .units = "W", .long_name = "electrical power"}};
  RecordedTable pump{.group = "pump", .period = 10.0, .ids = {"P1", "P2", "Pü"}, .labels = {}, .signals = {}};
  pump.signals = {{.name = "speed", .units = "1", .long_name = "relative speed"},
                  {.name = "state", .units = "1", .long_name = "state", .type = SignalType::integer},
                  {.name = "energy", .units = "J", .long_name = "energy taken", .type = SignalType::integral}};
  RecordedTable facility{.group = "facility", .period = 1.0, .ids = {}, .labels = {}, .signals = {}};
  facility.signals = {{.name = "it_power", .units = "W", .long_name = "IT power"},
                      {.name = "pue", .units = "1", .long_name = "power usage effectiveness"}};
  RecordedTable empty{.group = "chiller", .period = 10.0, .ids = {}, .labels = {}, .signals = {}};
  empty.signals = {{.name = "power", .units = "W", .long_name = "electrical power"}};
  return {gpu, pump, facility, empty};
}

/// State of second `row`: one vector that is compressed, one that is not.
inline Checkpoint exampleState(std::size_t row) {
  Checkpoint state;
  state.pod_text_hash = "0123abc";
  state.time = static_cast<double>(row);
  for (std::size_t i = 0; i < kUnknowns; ++i) state.y.push_back(exampleValue(0, i, row));
  state.z = {0.0, state.time};
  state.extra["line"].assign(row % 4, state.time);
  return state;
}

/// Appends second `row` of the example: gpu and facility every second, pump and chiller every ten, an event every
/// seven, a whole state every fifty.
inline void appendExampleRow(Recorder& recorder, std::size_t row) {
  static const std::vector<RecordedTable> tables = exampleTables();
  const double t = static_cast<double>(row);
  if (row % kStateRows == 0) recorder.append(exampleState(row));
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const bool slow = table == 1 || table == 3;
    if (slow && row % 10 != 0) continue;
    const std::size_t ids = table == 2 ? 1 : tables[table].ids.size();
    std::vector<double> values;
    for (std::size_t s = 0; s < tables[table].signals.size(); ++s)
      for (std::size_t i = 0; i < ids; ++i) values.push_back(exampleValue(s, i, slow ? row / 10 : row));
    recorder.append(table, t, values);
  }
  if (row % 7 == 0) {
    const std::string text = "event " + std::to_string(row / 7);
    recorder.append(EventRecord{t + 0.1234, "P1", "scenario", "timeline", text});
    recorder.append(AlarmRecord{t, "A01-G1", "t_junction", "warranty", text, 360.5, 358.15, "K", row % 14 == 0});
  }
}

}  // namespace podtwin::data::testing
