#include "data/results/commit_driver.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

namespace podtwin::data {

namespace {

/// Existing headers closer than this go out in one write; the bytes between are read and written back unchanged.
constexpr std::uint64_t kLargestGap = 256 << 10;

/// The list entry that carries our object through the library to open().
struct DriverInfo {
  CommitDriver* driver = nullptr;
};

/// First bytes of the parts of a file (HDF5 file format specification, version 3).
constexpr char kTreeSignature[] = "TREE";
constexpr char kHeapSignature[] = "GCOL";
constexpr std::size_t kTreeLevelOffset = 5;

struct Write {
  std::uint64_t address;
  const unsigned char* data;
  std::size_t size;
};

/// Writes in order; 0, or the error number. Runs in the helper process too: system calls only.
int writeAll(int descriptor, std::span<const Write> writes) {
  for (const Write& write : writes) {
    std::size_t done = 0;
    while (done < write.size) {
      const ssize_t count =
          ::pwrite(descriptor, write.data + done, write.size - done, static_cast<off_t>(write.address + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return count < 0 ? errno : EIO;
      done += static_cast<std::size_t>(count);
    }
  }
  return 0;
}

#ifndef __SANITIZE_THREAD__
constexpr std::size_t kHelperStack = 64 << 10;  // byte; writeAll() needs a fraction of it

struct HelperWork {
  int descriptor;
  std::span<const Write> writes;
  int error;
};

int helperMain(void* argument) {
  auto& work = *static_cast<HelperWork*>(argument);
  ::setpgid(0, 0);  // a kill of the whole group is not for us either
  work.error = writeAll(work.descriptor, work.writes);
  return 0;
}
#endif

/// Writes in a helper process that shares our memory and outlives a SIGKILL of ours: the kernel ends a pwrite() between
/// two pages when its process is killed, and then some headers would be new and some old. We wait for it, as in
/// vfork().
int writeUninterrupted(int descriptor, std::span<const Write> writes) {
  if (writes.empty()) return 0;
#ifdef __SANITIZE_THREAD__
  return writeAll(descriptor, writes);  // the thread sanitizer takes the helper's steps for races of ours
#else
  HelperWork work{descriptor, writes, EIO};
  std::vector<unsigned char> stack(kHelperStack);
  constexpr std::uintptr_t kAlignment = 64;
  const auto end = reinterpret_cast<std::uintptr_t>(stack.data()) + stack.size();
  void* top = reinterpret_cast<void*>(end & ~(kAlignment - 1));
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);  // the helper must not run our signal handlers
  const pid_t helper = ::clone(helperMain, top, CLONE_VM | CLONE_VFORK, &work);  // no signal to us when it ends
  if (helper >= 0) {
    int status = 0;
    while (::waitpid(helper, &status, __WALL) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // Without a helper (limit of processes), or when it was killed itself, the writes are as good as a single process
  // can.
  return helper >= 0 && work.error == 0 ? 0 : writeAll(descriptor, writes);
#endif
}

bool startsWith(std::span<const unsigned char> bytes, const char* signature) {
  const std::size_t length = std::strlen(signature);
  return bytes.size() > kTreeLevelOffset && std::memcmp(bytes.data(), signature, length) == 0;
}

}  // namespace

/// What the library sees of an open file; the base must come first.
struct CommitDriver::OpenFile {
  H5FD_t base{};
  CommitDriver* driver = nullptr;
  dev_t device = 0;
  ino_t inode = 0;

  static OpenFile* of(H5FD_t* file) { return reinterpret_cast<OpenFile*>(file); }
  static const OpenFile* of(const H5FD_t* file) { return reinterpret_cast<const OpenFile*>(file); }

  static H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t) {
    const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
    if (info == nullptr || info->driver == nullptr) return nullptr;
    CommitDriver& driver = *info->driver;
    int how = (flags & H5F_ACC_RDWR) != 0U ? O_RDWR : O_RDONLY;
    if ((flags & H5F_ACC_TRUNC) != 0U) how |= O_TRUNC;
    if ((flags & H5F_ACC_CREAT) != 0U) how |= O_CREAT;
    if ((flags & H5F_ACC_EXCL) != 0U) how |= O_EXCL;
    const int descriptor = ::open(name, how | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      driver.error_ = std::strerror(errno);
      return nullptr;
    }
    // Ours whatever HDF5_USE_FILE_LOCKING says: other writers must see it (output_target.hpp). The library asks for
    // the same lock again, which then changes nothing. Some file systems know no locks.
    if ((flags & H5F_ACC_RDWR) != 0U && ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      driver.error_ = "another process writes it";
      ::close(descriptor);
      return nullptr;
    }
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
      driver.error_ = std::strerror(errno);
      ::close(descriptor);
      return nullptr;
    }
    auto file = std::make_unique<OpenFile>();
    file->driver = &driver;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    driver.descriptor_ = descriptor;
    driver.end_of_space_ = 0;
    driver.end_of_file_ = static_cast<std::uint64_t>(status.st_size);
    driver.end_committed_ = driver.end_of_file_;
    driver.error_.clear();
    return &file.release()->base;
  }

  static herr_t close(H5FD_t* handle) {
    const std::unique_ptr<OpenFile> file(of(handle));
    CommitDriver& driver = *file->driver;
    bool good = driver.abandoned_ || driver.commit();
    // What follows the last commit belongs to nothing.
    if (::ftruncate(driver.descriptor_, static_cast<off_t>(driver.end_committed_)) != 0) {
      driver.error_ = std::strerror(errno);
      good = false;
    }
    if (::close(std::exchange(driver.descriptor_, -1)) != 0) {
      driver.error_ = std::strerror(errno);
      good = false;
    }
    return good ? 0 : -1;
  }

  static int compare(const H5FD_t* a, const H5FD_t* b) {
    const auto key = [](const OpenFile* file) { return std::pair(file->device, file->inode); };
    const auto left = key(of(a));
    const auto right = key(of(b));
    return left < right ? -1 : (right < left ? 1 : 0);
  }

  static herr_t query(const H5FD_t*, unsigned long* flags) {
    // No metadata accumulator: the driver orders nodes by what they are, so each must arrive by itself.
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
  }

  static haddr_t getEndOfSpace(const H5FD_t* file, H5FD_mem_t) { return of(file)->driver->end_of_space_; }
  static herr_t setEndOfSpace(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    of(file)->driver->end_of_space_ = address;
    return 0;
  }
  static haddr_t getEndOfFile(const H5FD_t* file, H5FD_mem_t) { return of(file)->driver->end_of_file_; }
  static herr_t getHandle(H5FD_t* file, hid_t, void** handle) {
    *handle = &of(file)->driver->descriptor_;
    return 0;
  }

  static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* data) {
    return of(file)->driver->readAt(address, data, size) ? 0 : -1;
  }

  static herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size, const void* data) {
    CommitDriver& driver = *of(file)->driver;
    driver.end_of_file_ = std::max<std::uint64_t>(driver.end_of_file_, address + size);
    if (driver.abandoned_) return 0;
    // The library hands text heaps over as raw data. A committed one is overwritten, and longer than the committed
    // length of the file if it has grown, so it has to wait for the commit. A chunk that happens to begin like one may
    // as well.
    const bool heap = startsWith({static_cast<const unsigned char*>(data), size}, kHeapSignature);
    if (type == H5FD_MEM_DRAW && !heap) return driver.writeAt(address, data, size) ? 0 : -1;
    driver.hold(address, data, size);
    return 0;
  }

  static herr_t flush(H5FD_t*, hid_t, hbool_t) { return 0; }

  static herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
    // Cutting the file now could make it shorter than its superblock on disk says; close() does it after the commit.
    of(file)->driver->end_of_file_ = of(file)->driver->end_of_space_;
    return 0;
  }

  static herr_t lock(H5FD_t* file, hbool_t exclusive) {
    const int how = (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB;
    if (::flock(of(file)->driver->descriptor_, how) == 0 || errno == ENOSYS) return 0;
    of(file)->driver->error_ = std::strerror(errno);
    return -1;
  }
  static herr_t unlock(H5FD_t* file) {
    return ::flock(of(file)->driver->descriptor_, LOCK_UN) == 0 || errno == ENOSYS ? 0 : -1;
  }

  static hid_t registered() {
    static const H5FD_class_t driver_class = {
        .name = "podtwin_commit",
        .maxaddr = static_cast<haddr_t>(INT64_MAX),
        .fc_degree = H5F_CLOSE_WEAK,
        .terminate = nullptr,
        .sb_size = nullptr,
        .sb_encode = nullptr,
        .sb_decode = nullptr,
        .fapl_size = sizeof(DriverInfo),
        .fapl_get = nullptr,
        .fapl_copy = nullptr,
        .fapl_free = nullptr,
        .dxpl_size = 0,
        .dxpl_copy = nullptr,
        .dxpl_free = nullptr,
        .open = open,
        .close = close,
        .cmp = compare,
        .query = query,
        .get_type_map = nullptr,
        .alloc = nullptr,
        .free = nullptr,
        .get_eoa = getEndOfSpace,
        .set_eoa = setEndOfSpace,
        .get_eof = getEndOfFile,
        .get_handle = getHandle,
        .read = read,
        .write = write,
        .flush = flush,
        .truncate = truncate,
        .lock = lock,
        .unlock = unlock,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    static const hid_t id = H5FDregister(&driver_class);
    return id;
  }
};

void CommitDriver::use(hid_t access_properties) {
  const DriverInfo info{this};
  h5::check(H5Pset_driver(access_properties, h5::check(OpenFile::registered(), "register the file driver"), &info),
            "set the file driver");
}

bool CommitDriver::writeAt(std::uint64_t address, const void* data, std::size_t size) {
  const Write write{address, static_cast<const unsigned char*>(data), size};
  return succeeded(writeAll(descriptor_, {&write, 1}));
}

bool CommitDriver::succeeded(int status) {
  if (status != 0) error_ = std::strerror(status);
  return status == 0;
}

bool CommitDriver::readAt(std::uint64_t address, void* data, std::size_t size) {
  auto* to = static_cast<unsigned char*>(data);
  std::size_t have = 0;
  while (have < size) {
    const ssize_t done = ::pread(descriptor_, to + have, size - have, static_cast<off_t>(address + have));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      error_ = std::strerror(errno);
      return false;
    }
    if (done == 0) break;  // beyond the end: HDF5 expects zeros
    have += static_cast<std::size_t>(done);
  }
  std::memset(to + have, 0, size - have);
  auto block = pending_.upper_bound(address);
  if (block != pending_.begin()) --block;
  for (; block != pending_.end() && block->first < address + size; ++block) {
    const std::uint64_t start = std::max(address, block->first);
    const std::uint64_t end = std::min(address + size, block->first + block->second.size());
    if (start < end) std::memcpy(to + (start - address), block->second.data() + (start - block->first), end - start);
  }
  return true;
}

void CommitDriver::hold(std::uint64_t address, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t start = address;
  std::uint64_t end = address + size;
  auto first = pending_.upper_bound(address);
  if (first != pending_.begin() && std::prev(first)->first + std::prev(first)->second.size() > address) --first;
  auto last = first;
  for (; last != pending_.end() && last->first < address + size; ++last) {
    start = std::min(start, last->first);
    end = std::max(end, last->first + last->second.size());
  }
  if (start == address && end == address + size) {  // replaces whatever was there, the usual case
    pending_.erase(first, last);
    pending_[address].assign(bytes, bytes + size);
    return;
  }
  std::vector<unsigned char> merged(end - start);
  for (auto block = first; block != last; ++block)
    std::copy(block->second.begin(), block->second.end(),
              merged.begin() + static_cast<std::ptrdiff_t>(block->first - start));
  std::copy(bytes, bytes + size, merged.begin() + static_cast<std::ptrdiff_t>(address - start));
  pending_.erase(first, last);
  pending_[start] = std::move(merged);
}

bool CommitDriver::wasCommitted(std::uint64_t address, std::size_t size) const {
  auto block = committed_.upper_bound(address);
  if (block != committed_.begin() && std::prev(block)->first + std::prev(block)->second > address) return true;
  return block != committed_.end() && block->first < address + size;
}

bool CommitDriver::joinNeighbours(const std::vector<std::uint64_t>& addresses,
                                  std::map<std::uint64_t, std::vector<unsigned char>>& regions) {
  for (std::size_t i = 0; i < addresses.size();) {
    std::size_t j = i;
    std::uint64_t end = addresses[i] + pending_.at(addresses[i]).size();
    while (j + 1 < addresses.size() && addresses[j + 1] - end <= kLargestGap) {
      ++j;
      end = addresses[j] + pending_.at(addresses[j]).size();
    }
    auto& region = regions[addresses[i]];
    region.resize(end - addresses[i]);
    // Lays everything pending over what is on disk; what lies between is there already or written before.
    if (!readAt(addresses[i], region.data(), region.size())) return false;
    i = j + 1;
  }
  return true;
}

bool CommitDriver::commit() {
  if (abandoned_) return false;
  if (end_of_space_ > end_committed_ &&
      !succeeded(::posix_fallocate(descriptor_, static_cast<off_t>(end_committed_),
                                   static_cast<off_t>(end_of_space_ - end_committed_))))
    return false;
  std::vector<std::uint64_t> heaps;
  std::vector<std::uint64_t> headers;
  std::vector<std::pair<int, std::uint64_t>> nodes;  // (minus the level, address): roots first
  for (const auto& [address, bytes] : pending_) {
    if (!wasCommitted(address, bytes.size())) {
      if (!writeAt(address, bytes.data(), bytes.size())) return false;
    } else if (address == 0) {
      continue;
    } else if (startsWith(bytes, kTreeSignature)) {
      nodes.emplace_back(-static_cast<int>(bytes[kTreeLevelOffset]), address);
    } else if (startsWith(bytes, kHeapSignature)) {
      heaps.push_back(address);
    } else {
      headers.push_back(address);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  std::map<std::uint64_t, std::vector<unsigned char>> regions;
  if (!joinNeighbours(headers, regions)) return false;
  std::vector<Write> writes;
  const auto add = [&](std::uint64_t address) {
    const auto& bytes = pending_.at(address);
    writes.push_back({address, bytes.data(), bytes.size()});
  };
  if (pending_.contains(0) && wasCommitted(0, 1)) add(0);
  for (const auto& [level, address] : nodes) add(address);
  for (const auto address : heaps) add(address);
  for (const auto& [address, bytes] : regions) writes.push_back({address, bytes.data(), bytes.size()});
  if (!succeeded(writeUninterrupted(descriptor_, writes))) return false;
  for (const auto& [address, bytes] : pending_) {
    auto& size = committed_[address];
    size = std::max(size, bytes.size());
  }
  pending_.clear();
  end_committed_ = end_of_space_;
  return true;
}

}  // namespace podtwin::data
