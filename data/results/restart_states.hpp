// /restart of a result: states a later run can start from, one sub-group a stored moment (000000, 000001, ...).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/results/state_group.hpp"

namespace podtwin::data {

/// Adds states to a file that is being written; the owner of the file commits it. Throws h5::Failure.
class RestartWriter {
 public:
  /// Makes the group, without states.
  void create(hid_t file);
  void append(const Checkpoint& state, ChunkCodec& codec);
  void close() { group_.reset(); }

 private:
  h5::Group group_;
  std::size_t written_ = 0;
};

/// Moments [s] of the states of a result, ascending; empty also for a file from before there were any. Throws
/// h5::Failure.
std::vector<double> restartTimes(hid_t file);

/// Where the file has the state of a moment of restartTimes(): "restart/000003".
std::string restartPath(std::size_t index);

/// The state of a moment of restartTimes(); nothing when its checksum does not fit. Throws h5::Failure.
std::optional<Checkpoint> restartState(hid_t file, std::size_t index);

}  // namespace podtwin::data
