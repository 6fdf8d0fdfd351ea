#include "data/results/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include "data/results/chunk_codec.hpp"
#include "data/results/hdf5_handle.hpp"
#include "model/base/diagnostics.hpp"

namespace podtwin::data {

namespace {

constexpr std::int32_t kVersion = 1;
constexpr char kVersionAttribute[] = "podtwin_checkpoint";

/// Covers every value with its name and length, in the order of the maps.
class Checksum {
 public:
  void add(const std::string& text) {
    addSize(text.size());
    crc_ = crc32(crc_, std::as_bytes(std::span(text.data(), text.size())));
  }
  void add(const std::vector<double>& values) {
    addSize(values.size());
    crc_ = crc32(crc_, std::as_bytes(std::span(values)));
  }
  std::string text() const { return fmt::format("{:08x}", crc_); }

 private:
  void addSize(std::uint64_t size) { crc_ = crc32(crc_, std::as_bytes(std::span(&size, 1))); }
  unsigned crc_ = 0;
};

std::string checksumOf(const Checkpoint& checkpoint) {
  Checksum sum;
  sum.add(checkpoint.pod_text_hash);
  sum.add(std::vector<double>{checkpoint.time});
  sum.add(checkpoint.y);
  sum.add(checkpoint.z);
  for (const auto& [name, values] : checkpoint.extra) {
    sum.add(name);
    sum.add(values);
  }
  for (const auto& [name, text] : checkpoint.texts) {
    sum.add(name);
    sum.add(text);
  }
  return sum.text();
}

void writeVector(hid_t parent, const std::string& name, const std::vector<double>& values, const std::string& key) {
  const h5::Properties properties(h5::check(H5Pcreate(H5P_DATASET_CREATE), "create dataset properties"));
  h5::check(H5Pset_obj_track_times(properties, false), "switch object times off");
  const hsize_t size = values.size();
  const h5::Space space(h5::check(H5Screate_simple(1, &size, nullptr), "create a space"));
  const h5::Dataset dataset(h5::check(
      H5Dcreate2(parent, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT), "create " + name));
  if (!values.empty())
    h5::check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write " + name);
  h5::writeAttribute(dataset, "key", key);
}

/// Keys may hold any character, so entries are numbered and carry their key.
std::string numbered(std::size_t number) { return fmt::format("{:06d}", number); }

std::string keyOf(hid_t group, const std::string& name) {
  return h5::readTextAttribute(h5::openDataset(group, name), "key");
}

}  // namespace

void writeCheckpoint(const std::string& path, const Checkpoint& checkpoint) {
  const std::string part = fmt::format("{}.{}.part", path, ::getpid());
  const h5::Quiet quiet;
  const auto failed = [&](const std::string& why) {
    ::unlink(part.c_str());
    throw SimulationError(fmt::format("{}: the checkpoint cannot be written: {}", path, why));
  };
  try {
    const h5::Properties creation(h5::check(H5Pcreate(H5P_FILE_CREATE), "create file properties"));
    h5::check(H5Pset_obj_track_times(creation, false), "switch object times off");
    h5::File file(h5::check(H5Fcreate(part.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT), "create the file"));
    h5::writeAttribute(file, kVersionAttribute, kVersion);
    h5::writeAttribute(file, "pod_text_hash", checkpoint.pod_text_hash);
    h5::writeAttribute(file, "time", checkpoint.time);
    h5::writeAttribute(file, "checksum", checksumOf(checkpoint));
    writeVector(file, "y", checkpoint.y, "y");
    writeVector(file, "z", checkpoint.z, "z");
    {
      const h5::Group group = h5::createGroup(file, "extra");
      std::size_t number = 0;
      for (const auto& [key, values] : checkpoint.extra) writeVector(group, numbered(number++), values, key);
    }
    {
      const h5::Group group = h5::createGroup(file, "texts");
      std::size_t number = 0;
      for (const auto& [key, text] : checkpoint.texts) {
        const std::string name = numbered(number++);
        h5::writeText(group, name, text, "text");
        h5::writeAttribute(h5::openDataset(group, name), "key", key);
      }
    }
    h5::check(H5Fflush(file, H5F_SCOPE_GLOBAL), "flush the file");
    if (!file.reset()) h5::fail("close the file");
  } catch (const h5::Failure& failure) {
    failed(failure.what());
  }
  // On the disk before the name points at it, so that a crash of the host leaves the old one or the new one.
  const int descriptor = ::open(part.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) failed(std::strerror(errno));
  const int synced = ::fsync(descriptor);
  const int sync_error = errno;
  ::close(descriptor);
  if (synced != 0) failed(std::strerror(sync_error));
  if (::rename(part.c_str(), path.c_str()) != 0) failed(std::strerror(errno));
}

Checkpoint readCheckpoint(const std::string& path) {
  const SourceMark where{path};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(where, "there is no such checkpoint", "check the name");
  if (!std::filesystem::is_regular_file(status)) throw InputError(where, "is no file", "give a checkpoint, *.h5");
  const h5::Quiet quiet;
  Checkpoint checkpoint;
  try {
    const h5::File file(h5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open it"));
    if (!h5::hasAttribute(file, kVersionAttribute))
      throw InputError(where, "is an HDF5 file, but no checkpoint of PodTwin", "give a file named *.checkpoint.h5");
    const double version = h5::readNumberAttribute(file, kVersionAttribute);
    if (version > kVersion)
      throw InputError(where, fmt::format("is a checkpoint of version {}, newer than {}", version, kVersion),
                       "update PodTwin to read it");
    checkpoint.pod_text_hash = h5::readTextAttribute(file, "pod_text_hash");
    checkpoint.time = h5::readNumberAttribute(file, "time");
    checkpoint.y = h5::readNumbers(file, "y");
    checkpoint.z = h5::readNumbers(file, "z");
    const h5::Group extra = h5::openGroup(file, "extra");
    for (const auto& name : h5::linkNames(extra)) checkpoint.extra[keyOf(extra, name)] = h5::readNumbers(extra, name);
    const h5::Group texts = h5::openGroup(file, "texts");
    for (const auto& name : h5::linkNames(texts)) checkpoint.texts[keyOf(texts, name)] = h5::readText(texts, name);
    if (h5::readTextAttribute(file, "checksum") != checksumOf(checkpoint))
      throw InputError(where, "the checkpoint is damaged: its checksum does not fit its values",
                       "use another checkpoint or start from the steady state");
  } catch (const h5::Failure& failure) {
    throw InputError(where, fmt::format("is no checkpoint, or cut off or damaged: {}", failure.what()),
                     "use another checkpoint or start from the steady state");
  }
  return checkpoint;
}

}  // namespace podtwin::data
