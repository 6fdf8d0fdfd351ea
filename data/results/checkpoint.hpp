// A state of a simulation in a file, bit for bit, from which a run can go on.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace podtwin::data {

struct Checkpoint {
  std::string pod_text_hash;  ///< of the pod it belongs to; the caller compares
  double time = 0.0;          ///< s from the start of the run
  std::vector<double> y;      ///< continuous state
  std::vector<double> z;      ///< discrete state
  std::map<std::string, std::vector<double>> extra;
  std::map<std::string, std::string> texts;
};

/// Replaces `path` by a file that was written whole beside it. Throws SimulationError when that fails; an older
/// checkpoint of that name is then still there.
void writeCheckpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws InputError for a file that is missing, foreign, damaged (a checksum covers every value) or newer.
Checkpoint readCheckpoint(const std::string& path);

}  // namespace podtwin::data
