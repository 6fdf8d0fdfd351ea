#include "scenarios/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "data/results/result_file.hpp"
#include "model/base/diagnostics.hpp"
#include "model/base/text_hash.hpp"
#include "scenarios/moments.hpp"

namespace podtwin::scenarios {

namespace {

/// Identifies the plant a state belongs to: its texts and the size of its layout.
std::string plantHash(const System& system) {
  return fnv1a(system.plant().source_text) + "-" + std::to_string(system.size());
}

/// `what` the file is: "checkpoint".
void restore(const data::Checkpoint& checkpoint, const std::string& path, const std::string& what, const System& system,
             State& state) {
  if (checkpoint.pod_text_hash != plantHash(system))
    throw InputError({path, 0, 0}, "is a " + what + " of another pod, or of an earlier text of this one",
                     "start from steady, or use the pod file the " + what + " was made with");
  if (checkpoint.y.size() != state.y.size() || checkpoint.z.size() != state.z.size())
    throw InputError({path, 0, 0}, "is a " + what + " of another version of the program",
                     "make it again with this version");
  state.t = checkpoint.time;
  state.y = checkpoint.y;
  state.z = checkpoint.z;
  for (std::size_t k = 0; k < state.lines.size(); ++k) {
    const auto volume = checkpoint.extra.find(fmt::format("line_{}_volume", k));
    const auto temperature = checkpoint.extra.find(fmt::format("line_{}_temperature", k));
    if (volume == checkpoint.extra.end() || temperature == checkpoint.extra.end())
      throw InputError({path, 0, 0}, "lacks a delay line", "make the " + what + " again");
    state.lines[k] = {volume->second, temperature->second, 0};
  }
  ++state.topology;
}

/// The stored moment that `from` asks for.
std::size_t momentOf(const data::StartDescription& from, const std::vector<double>& moments) {
  if (!from.at) return moments.size() - 1;
  const auto after = std::lower_bound(moments.begin(), moments.end(), *from.at - kMomentResolution);
  if (after != moments.end() && std::abs(*after - *from.at) <= kMomentResolution)
    return static_cast<std::size_t>(after - moments.begin());
  std::string nearest;
  if (after != moments.begin()) nearest = momentText(*(after - 1));
  if (after != moments.end()) nearest += (nearest.empty() ? "" : " and ") + momentText(*after);
  throw InputError(
      from.at_where,
      fmt::format("'{}' holds no state of {}; the nearest it holds: {}", from.file, momentText(*from.at), nearest),
      "start from one of these, or run the first part again with restart states stored more often "
      "(`record: - {class: restart, period: 10 min}`) or with --checkpoint FILE");
}

}  // namespace

data::Checkpoint storedState(const System& system, const State& state) {
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
  return checkpoint;
}

void saveCheckpoint(const std::string& path, const System& system, const State& state) {
  data::writeCheckpoint(path, storedState(system, state));
}

void restoreCheckpoint(const std::string& path, const System& system, State& state) {
  restore(data::readCheckpoint(path), path, "checkpoint", system, state);
}

void restoreFromResult(const data::StartDescription& from, const System& system, State& state) {
  const data::ResultFile file(from.file);
  const auto moments = file.restartTimes();
  if (moments.empty())
    throw InputError({from.file, 0, 0}, "holds no restart states",
                     "make it again with `podtwin run`, which stores one an hour and the end state, or start from a "
                     "checkpoint");
  restore(file.restartState(momentOf(from, moments)), from.file, "result", system, state);
}

}  // namespace podtwin::scenarios
