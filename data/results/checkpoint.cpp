#include "data/results/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "data/results/format.hpp"
#include "data/results/state_group.hpp"
#include "model/base/diagnostics.hpp"

namespace podtwin::data {

namespace {

constexpr std::int32_t kVersion = 1;
constexpr std::size_t kGrowth = 1 << 20;  // byte; of the file in memory

/// The bytes of the file. Made in memory: the library cannot close a file that a full disk refuses, and complains of it
/// to the end of the program.
std::vector<char> imageOf(const Checkpoint& checkpoint) {
  const h5::Properties creation(h5::check(H5Pcreate(H5P_FILE_CREATE), "create file properties"));
  h5::check(H5Pset_obj_track_times(creation, false), "switch object times off");
  const h5::Properties access(h5::check(H5Pcreate(H5P_FILE_ACCESS), "create access properties"));
  h5::check(H5Pset_fapl_core(access, kGrowth, false), "make the file in memory");
  const h5::File file(h5::check(H5Fcreate("checkpoint", H5F_ACC_TRUNC, creation, access), "create the file"));
  h5::writeAttribute(file, kCheckpointAttribute, kVersion);
  ChunkCodec codec;
  writeState(file, checkpoint, codec);
  h5::check(H5Fflush(file, H5F_SCOPE_GLOBAL), "flush the file");
  std::vector<char> image(static_cast<std::size_t>(h5::check(H5Fget_file_image(file, nullptr, 0), "size the file")));
  h5::check(H5Fget_file_image(file, image.data(), image.size()), "take the file out of memory");
  return image;
}

/// Why the bytes are not on the disk; 0: they are.
int writeWhole(const std::string& path, const std::vector<char>& bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  int why = 0;
  for (std::size_t done = 0; done < bytes.size() && why == 0;) {
    const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) why = errno;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  if (why == 0 && ::fsync(descriptor) != 0) why = errno;
  if (::close(descriptor) != 0 && why == 0) why = errno;
  return why;
}

}  // namespace

void writeCheckpoint(const std::string& path, const Checkpoint& checkpoint) {
  const std::string part = fmt::format("{}.{}.part", path, ::getpid());
  const h5::Quiet quiet;
  const auto failed = [&](const std::string& why) {
    ::unlink(part.c_str());
    throw SimulationError(fmt::format("{}: the checkpoint cannot be written: {}", path, why));
  };
  std::vector<char> image;
  try {
    image = imageOf(checkpoint);
  } catch (const h5::Failure& failure) {
    failed(failure.what());
  }
  // On the disk before the name points at it, so that a crash of the host leaves the old one or the new one.
  if (const int why = writeWhole(part, image); why != 0) failed(std::strerror(why));
  if (::rename(part.c_str(), path.c_str()) != 0) failed(std::strerror(errno));
}

Checkpoint readCheckpoint(const std::string& path) {
  const SourceMark where{path};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(where, "there is no such checkpoint", "check the name");
  if (!std::filesystem::is_regular_file(status)) throw InputError(where, "is no file", "give a checkpoint, *.h5");
  const h5::Quiet quiet;
  try {
    const h5::File file(h5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open it"));
    if (h5::hasAttribute(file, kFormatAttribute))
      throw InputError(where, "is a result file, but no checkpoint of PodTwin",
                       "start from a state in it with `from: {result: FILE, at: TIME}` in the scenario");
    if (!h5::hasAttribute(file, kCheckpointAttribute))
      throw InputError(where, "is an HDF5 file, but no checkpoint of PodTwin", "give a file named *.checkpoint.h5");
    const double version = h5::readNumberAttribute(file, kCheckpointAttribute);
    if (version > kVersion)
      throw InputError(where, fmt::format("is a checkpoint of version {}, newer than {}", version, kVersion),
                       "update PodTwin to read it");
    if (auto checkpoint = readState(file)) return std::move(*checkpoint);
    throw InputError(where, "the checkpoint is damaged: its checksum does not fit its values",
                     "use another checkpoint or start from the steady state");
  } catch (const h5::Failure& failure) {
    throw InputError(where, fmt::format("is no checkpoint, or cut off or damaged: {}", failure.what()),
                     "use another checkpoint or start from the steady state");
  }
}

}  // namespace podtwin::data
