// HDF5 file driver whose file on disk is, at every instant, a valid HDF5 file: the one of the last commit.
//
// Plain HDF5 overwrites headers and index nodes one after the other during a flush; a process killed in between leaves
// a mixture. Here raw data (chunks) goes to the disk at once, into space nothing on disk refers to yet, and everything
// else waits in memory until commit(), which
//   1. reserves the space of the whole file, so that a full disk is met before anything is overwritten,
//   2. writes new index nodes and headers, to which nothing on disk refers yet,
//   3. overwrites existing ones: the superblock (length of the file), index nodes from the root down, text heaps,
//      and at last the object headers, which hold the extents, neighbours in one write.
// After each of these writes the old extents still describe complete data. Step 3 is done by a helper process, because
// the kernel cuts a write of several pages short when its process is killed: one of 2,700 kills of a writer that did
// nothing but flush found some headers new and some old. So a kill finds either the old file or the new one.
// What it relies on: the metadata cache evicts nothing that is open (Recorder sets that), and a chunk that was
// committed is never moved nor its committed rows changed (Recorder's scheme). It guards against the death of the
// process, not of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/results/hdf5_handle.hpp"

namespace podtwin::data {

class CommitDriver {
 public:
  CommitDriver() = default;
  CommitDriver(const CommitDriver&) = delete;
  CommitDriver& operator=(const CommitDriver&) = delete;

  /// Makes a file access list open its file through this object, which must outlive the file.
  void use(hid_t access_properties);
  /// Puts everything HDF5 has flushed on the disk. False when the system refused; error() says why.
  bool commit();
  /// From now on nothing reaches the disk: closing the file leaves the last commit.
  void abandon() { abandoned_ = true; }
  /// What the system said when a write failed; empty when none did.
  const std::string& error() const { return error_; }

 private:
  struct OpenFile;
  friend struct OpenFile;

  bool writeAt(std::uint64_t address, const void* data, std::size_t size);
  bool readAt(std::uint64_t address, void* data, std::size_t size);
  void hold(std::uint64_t address, const void* data, std::size_t size);
  bool succeeded(int status);
  bool joinNeighbours(const std::vector<std::uint64_t>& addresses,
                      std::map<std::uint64_t, std::vector<unsigned char>>& regions);
  bool wasCommitted(std::uint64_t address, std::size_t size) const;

  int descriptor_ = -1;
  std::uint64_t end_of_space_ = 0;   ///< HDF5's end of allocated space
  std::uint64_t end_of_file_ = 0;    ///< as HDF5 believes it
  std::uint64_t end_committed_ = 0;  ///< end of allocated space at the last commit
  bool abandoned_ = false;
  std::string error_;
  std::map<std::uint64_t, std::vector<unsigned char>> pending_;  ///< address -> bytes not on disk yet; disjoint
  std::map<std::uint64_t, std::size_t> committed_;               ///< address -> size of metadata on disk
};

}  // namespace podtwin::data
