#include "data/results/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "model/base/diagnostics.hpp"

namespace podtwin::data {

namespace {

/// Some folders let nobody make a file though their permissions do not say so (/proc): trying tells.
void tryFolder(const std::string& path, const std::string& other) {
  const std::string part = fmt::format("{}.{}.part", path, ::getpid());
  ::unlink(part.c_str());  // of a dead process that had our number
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    throw InputError({path}, fmt::format("no file can be made there: {}", std::strerror(errno)), "give " + other);
  ::close(descriptor);
  ::unlink(part.c_str());
}

}  // namespace

bool beingWritten(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  // A shared lock: readers of an old result hold one too and keep nobody from replacing it.
  const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return held;
}

void checkTarget(const std::string& path, const OutputKind& kind, bool overwrite) {
  namespace fs = std::filesystem;
  const SourceMark where{path};
  const std::string other = "another name with " + kind.option;
  std::error_code error;
  if (path.empty()) throw InputError(where, kind.what + " has no name", "give " + kind.option + " FILE.h5");
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status))
    throw InputError(where, "is a directory, not a file", "give the name of a file in it, such as " + kind.example);
  if (fs::exists(status)) {
    if (fs::is_regular_file(status) && beingWritten(path))
      throw InputError(where, "another process writes " + kind.what + " of this name",
                       "wait for its end or give " + other);
    if (!overwrite)
      throw InputError(where, kind.what + " exists already", "give " + other + ", or --force to replace it");
    if (!fs::is_regular_file(status))
      throw InputError(where, "is no regular file", "give the name of a file, such as " + kind.example);
    if (::access(path.c_str(), W_OK) != 0)
      throw InputError(where, fmt::format("the existing file cannot be replaced: {}", std::strerror(errno)),
                       "make it writable or give " + other);
  }
  fs::path parent = fs::path(path).parent_path();
  if (parent.empty()) parent = ".";
  if (!fs::exists(parent, error))
    throw InputError(where, "its folder " + parent.string() + " does not exist or cannot be entered",
                     "make the folder or give " + other);
  if (!fs::is_directory(parent, error))
    throw InputError(where, parent.string() + " is no folder", "give a name in an existing folder with " + kind.option);
  if (::access(parent.c_str(), W_OK | X_OK) != 0)
    throw InputError(where, fmt::format("its folder cannot be written: {}", std::strerror(errno)),
                     "make the folder writable or give " + other);
  tryFolder(path, other);
}

}  // namespace podtwin::data
