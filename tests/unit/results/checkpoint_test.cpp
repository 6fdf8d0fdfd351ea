#include "data/results/checkpoint.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "tests/unit/results/support.hpp"

namespace podtwin::data {
namespace {

using testing::TempFolder;

Checkpoint example() {
  Checkpoint checkpoint;
  checkpoint.pod_text_hash = "0123abc";
  checkpoint.time = 12345.678901234567;
  for (int i = 0; i < 1000; ++i) checkpoint.y.push_back(std::sin(i) * std::exp2(i - 500));
  checkpoint.z = {0.0, -0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(),
                  std::numeric_limits<double>::infinity()};
  checkpoint.extra = {{"ledger", {0.1, 0.2}}, {"a/b:ü", {}}, {"controller memory", {1.0 / 3.0}}};
  checkpoint.texts = {{"pod", "podtwin: pod/1\n"}, {"empty", ""}};
  return checkpoint;
}

bool sameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

std::string messageOf(const std::string& path) {
  try {
    readCheckpoint(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Checkpoint, EveryBitOfAStateComesBack) {
  const TempFolder folder;
  const std::string path = folder / "out.checkpoint.h5";
  const Checkpoint written = example();
  writeCheckpoint(path, written);
  const Checkpoint read = readCheckpoint(path);
  EXPECT_EQ(read.pod_text_hash, written.pod_text_hash);
  EXPECT_EQ(read.time, written.time);
  EXPECT_TRUE(sameBits(read.y, written.y));
  EXPECT_TRUE(sameBits(read.z, written.z));
  ASSERT_EQ(read.extra.size(), written.extra.size());
  for (const auto& [name, values] : written.extra) EXPECT_TRUE(sameBits(read.extra.at(name), values)) << name;
  EXPECT_EQ(read.texts, written.texts);
}

TEST(Checkpoint, AnOlderOneIsReplacedAndNothingIsLeftBeside) {
  const TempFolder folder;
  const std::string path = folder / "out.checkpoint.h5";
  writeCheckpoint(path, example());
  Checkpoint later = example();
  later.time = 99.0;
  writeCheckpoint(path, later);
  EXPECT_EQ(readCheckpoint(path).time, 99.0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Checkpoint, AFileThatCannotBeWrittenIsASimulationError) {
  const TempFolder folder;
  EXPECT_THROW(writeCheckpoint(folder / "no/such/folder.h5", example()), SimulationError);
}

TEST(Checkpoint, EveryCutOffFileIsRefused) {
  const TempFolder folder;
  const std::string path = folder / "out.checkpoint.h5";
  writeCheckpoint(path, example());
  const auto size = std::filesystem::file_size(path);
  for (std::uintmax_t length = 0; length < size; length += size / 23) {
    const std::string cut = folder / "cut.h5";
    std::filesystem::copy_file(path, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, length);
    EXPECT_NE(messageOf(cut).find("cut.h5: error: is no checkpoint, or cut off or damaged"), std::string::npos)
        << length << " " << messageOf(cut);
  }
}

TEST(Checkpoint, AFlippedBitInACompressedVectorIsNoticed) {
  const TempFolder folder;
  const std::string path = folder / "out.checkpoint.h5";
  Checkpoint checkpoint = example();
  checkpoint.z.assign(100'000, 0.0);
  writeCheckpoint(path, checkpoint);
  EXPECT_LT(std::filesystem::file_size(path), checkpoint.z.size());  // an eighth of the raw values
  const auto [place, output] = testing::shell("/usr/bin/python3 -c \"import h5py; print(h5py.File('" + path +
                                              "')['y'].id.get_chunk_info(0).byte_offset)\"");
  ASSERT_EQ(place, 0) << output;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto at = static_cast<std::streamoff>(std::stoll(output)) + 2000;  // in the middle
  file.seekg(at);
  const char byte = static_cast<char>(file.get());
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 1));
  file.close();
  const std::string message = messageOf(path);
  EXPECT_NE(message.find("damaged"), std::string::npos) << message;
}

TEST(Checkpoint, AFlippedBitInAValueIsNoticed) {
  const TempFolder folder;
  const std::string path = folder / "out.checkpoint.h5";
  const Checkpoint checkpoint = example();
  writeCheckpoint(path, checkpoint);
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const double third = checkpoint.extra.at("controller memory")[0];  // stored as it is, being short
  const std::string value(reinterpret_cast<const char*>(&third), sizeof(double));
  const auto at = bytes.find(value);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
  const std::string message = messageOf(path);
  EXPECT_NE(message.find("its checksum does not fit"), std::string::npos) << message;
}

TEST(Checkpoint, ForeignAndMissingFilesAreNamed) {
  const TempFolder folder;
  EXPECT_NE(messageOf(folder / "missing.h5").find("there is no such checkpoint"), std::string::npos);
  std::ofstream(folder / "text.h5") << "podtwin: pod/1\n";
  EXPECT_NE(messageOf(folder / "text.h5").find("is no checkpoint"), std::string::npos);
  { Recorder(folder / "run.h5", testing::exampleHeader(), testing::exampleTables(), {}).close(true); }
  EXPECT_NE(messageOf(folder / "run.h5").find("no checkpoint of PodTwin"), std::string::npos);
}

}  // namespace
}  // namespace podtwin::data
