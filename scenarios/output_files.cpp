#include "scenarios/output_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "data/results/output_target.hpp"
#include "model/base/diagnostics.hpp"
#include "scenarios/inputs.hpp"

namespace podtwin::scenarios {

namespace {

/// By device and inode where both exist, by their full names else.
bool sameFile(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return true;
  return fs::weakly_canonical(fs::absolute(a, error), error) == fs::weakly_canonical(fs::absolute(b, error), error);
}

bool isOneOf(const std::vector<std::string>& files, const std::string& path) {
  return std::any_of(files.begin(), files.end(), [&](const std::string& file) { return sameFile(file, path); });
}

}  // namespace

std::vector<std::string> filesRead(const PreparedRun& run) {
  std::vector<std::string> files = run.scenario.files;
  const auto& pods = run.system->plant().files;
  files.insert(files.end(), pods.begin(), pods.end());
  const auto add = [&](const std::string& path) {
    if (!path.empty()) files.push_back(findAsset(path));
  };
  if (run.scenario.weather) add(run.scenario.weather->file);
  add(run.scenario.workload.file);
  add(run.scenario.workload.hourly_factors);
  add(run.scenario.from.file);
  return files;
}

void checkOutputs(const std::vector<std::string>& inputs, const std::string& result, const std::string& checkpoint,
                  bool overwrite) {
  const data::OutputKind kinds[] = {{"the result file", "-o", "run.h5"},
                                    {"the checkpoint", "--checkpoint", "run.checkpoint.h5"}};
  const std::string* paths[] = {&result, &checkpoint};
  for (const std::size_t k : {0U, 1U})
    if (!paths[k]->empty() && isOneOf(inputs, *paths[k]))
      throw InputError({*paths[k]}, "this run reads it, so that it cannot be " + kinds[k].what,
                       "give another name with " + kinds[k].option);
  if (!checkpoint.empty() && sameFile(result, checkpoint))
    throw InputError({checkpoint}, "the checkpoint would replace the result of the same run",
                     "give different names with -o and --checkpoint");
  for (const std::size_t k : {0U, 1U})
    if (!paths[k]->empty()) data::checkTarget(*paths[k], kinds[k], overwrite);
}

std::string failureCheckpoint(const std::string& result, const std::vector<std::string>& inputs) {
  constexpr std::string_view kEnding = ".h5";
  const std::string stem = result.ends_with(kEnding) ? result.substr(0, result.size() - kEnding.size()) : result;
  std::string name = stem + ".checkpoint.h5";
  for (int n = 2; isOneOf(inputs, name); ++n) name = fmt::format("{}.checkpoint-{}.h5", stem, n);
  return name;
}

}  // namespace podtwin::scenarios
