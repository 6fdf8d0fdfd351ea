// Checkpoints: a State in a file and back.
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "data/results/checkpoint.hpp"
#include "model/base/diagnostics.hpp"
#include "scenarios/inputs.hpp"

namespace podtwin::scenarios {

namespace {

/// Identifies the plant a state belongs to: its texts and the size of its layout.
std::string plantHash(const System& system) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : system.plant().source_text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}-{}", hash, system.size());
}

}  // namespace

void saveCheckpoint(const std::string& path, const System& system, const State& state) {
  data::Checkpoint checkpoint;
  checkpoint.pod_text_hash = plantHash(system);
  checkpoint.time = state.t;
  checkpoint.y = state.y;
  checkpoint.z = state.z;
  for (std::size_t k = 0; k < state.lines.size(); ++k) {
    const DelayLine& line = state.lines[k];
    const auto head = static_cast<std::ptrdiff_t>(line.head);
    checkpoint.extra[fmt::format("line_{}_volume", k)] = {line.volume.begin() + head, line.volume.end()};
    checkpoint.extra[fmt::format("line_{}_temperature", k)] = {line.temperature.begin() + head, line.temperature.end()};
  }
  data::writeCheckpoint(path, checkpoint);
}

void restoreCheckpoint(const std::string& path, const System& system, State& state) {
  const data::Checkpoint checkpoint = data::readCheckpoint(path);
  if (checkpoint.pod_text_hash != plantHash(system))
    throw InputError({path, 0, 0}, "is a checkpoint of another pod, or of an earlier text of this one",
                     "start from steady, or use the pod file the checkpoint was made with");
  state.t = checkpoint.time;
  state.y = checkpoint.y;
  state.z = checkpoint.z;
  for (std::size_t k = 0; k < state.lines.size(); ++k) {
    const auto volume = checkpoint.extra.find(fmt::format("line_{}_volume", k));
    const auto temperature = checkpoint.extra.find(fmt::format("line_{}_temperature", k));
    if (volume == checkpoint.extra.end() || temperature == checkpoint.extra.end())
      throw InputError({path, 0, 0}, "lacks a delay line", "make the checkpoint again");
    state.lines[k] = {volume->second, temperature->second, 0};
  }
  ++state.topology;
}

}  // namespace podtwin::scenarios
