// Kills writers with SIGKILL and looks at what they leave, with plain h5py.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <new>
#include <random>
#include <thread>

#include "data/results/recorder.hpp"
#include "tests/unit/results/support.hpp"

namespace podtwin::data {
namespace {

using testing::TempFolder;

/// Seen by both processes.
struct Shared {
  std::atomic<bool> begun{false};
  std::atomic<double> flushed{-1.0};
  std::atomic<double> appended{-1.0};
};

class SharedPage {
 public:
  SharedPage() : page_(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (page_ == MAP_FAILED) throw std::bad_alloc();
    shared_ = new (page_) Shared;
  }
  ~SharedPage() { ::munmap(page_, sizeof(Shared)); }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  Shared* operator->() { return shared_; }

 private:
  void* page_;
  Shared* shared_;
};

[[noreturn]] void recordUntilKilled(const std::string& path, const RecorderOptions& options, Shared* shared,
                                    std::chrono::microseconds pause) {
  Recorder recorder(path, testing::exampleHeader(), testing::exampleTables(), options);
  for (std::size_t row = 0;; ++row) {
    testing::appendExampleRow(recorder, row);
    shared->begun = true;  // the file has its name since the first row
    shared->appended = static_cast<double>(row);
    shared->flushed = recorder.flushedTime();
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

struct Killed {
  bool begun = false;
  double flushed = -1.0;
  double appended = -1.0;
};

Killed killOne(const std::string& path, const RecorderOptions& options, std::chrono::microseconds after,
               std::chrono::microseconds pause, bool wait_until_begun) {
  SharedPage shared;
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      recordUntilKilled(path, options, shared.operator->(), pause);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "writer: %s\n", error.what());
    }
    ::_exit(1);
  }
  while (wait_until_begun && !shared->begun) std::this_thread::sleep_for(std::chrono::microseconds(100));
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the writer ended by itself";
  return {shared->begun, shared->flushed, shared->appended};
}

TEST(Crash, EveryKilledWriterLeavesAllRowsUpToItsLastFlush) {
  PODTWIN_SKIP_FORKS();
  const TempFolder folder;
  std::mt19937 random(20260715);
  std::string files;
  int with_rows = 0;
  constexpr int kKills = 45;
  for (int kill = 0; kill < kKills; ++kill) {
    const std::string path = folder / ("run" + std::to_string(kill) + ".h5");
    // From a flush at every simulated second (the disk changes nearly all the time) to one in 50 ms.
    const RecorderOptions options{.overwrite = false,
                                  .flush_wall = (kill % 3) * 0.025,
                                  .flush_simulated = kill % 2 == 0 ? 0.0 : 31.0,
                                  .writer_thread = kill % 5 != 0};
    const std::chrono::microseconds after(5'000 + random() % 300'000);
    const Killed killed = killOne(path, options, after, std::chrono::microseconds(kill % 4 == 0 ? 0 : 200), true);
    if (killed.flushed > 0.0) ++with_rows;
    files += " " + path + ":" + (std::isfinite(killed.flushed) ? std::to_string(killed.flushed) : "-1");
  }
  EXPECT_GT(with_rows, kKills / 2);
  testing::python("rows" + files);
}

TEST(Crash, AWriterKilledWhileItBeginsLeavesAValidFileOrTheOldOne) {
  PODTWIN_SKIP_FORKS();
  const TempFolder folder;
  std::mt19937 random(7);
  std::string files;
  for (int kill = 0; kill < 30; ++kill) {
    const std::string path = folder / ("run" + std::to_string(kill) + ".h5");
    std::ofstream(path) << "old";
    const RecorderOptions options{.overwrite = true, .flush_wall = 0.0, .flush_simulated = 0.0, .writer_thread = true};
    killOne(path, options, std::chrono::microseconds(random() % 20'000), std::chrono::microseconds(0), false);
    std::string text;
    std::ifstream(path) >> text;
    if (text != "old") files += " " + path + ":-1";
  }
  testing::python("rows" + files);
}

TEST(Crash, TheLossIsWithinTheFlushBound) {
  PODTWIN_SKIP_FORKS();
  const TempFolder folder;
  // 500 rows a second of wall time; bound: 0.4 s of wall time, which is 200 s of simulated time here.
  const RecorderOptions options{.overwrite = false, .flush_wall = 0.4, .flush_simulated = 60.0, .writer_thread = true};
  std::string files;
  std::mt19937 random(11);
  for (int kill = 0; kill < 5; ++kill) {
    const std::string path = folder / ("run" + std::to_string(kill) + ".h5");
    const auto start = std::chrono::steady_clock::now();
    const Killed killed = killOne(path, options, std::chrono::microseconds(1'200'000 + random() % 600'000),
                                  std::chrono::microseconds(2000), true);
    const double lasted = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    // Rows came evenly, so the bound in wall time is this much in rows; a busy machine slows rows and flushes alike.
    const double rows_a_second = killed.appended / lasted;
    EXPECT_LT(killed.appended - killed.flushed, std::max(60.0, 0.6 * rows_a_second))
        << killed.appended << " rows in " << lasted << " s";
    files += " " + path + ":" + std::to_string(killed.flushed);
  }
  testing::python("rows" + files);
}

}  // namespace
}  // namespace podtwin::data
