// `podtwin check`, `info` and `schema`: look at files without running anything.
#pragma once

#include <string>
#include <vector>

namespace podtwin::scenarios {

struct CheckOptions {
  std::vector<std::string> files;
  std::string kind;  ///< empty: by the file's own first key or form
  bool expand = false;
};

/// pod, scenario, study, catalogue by the first key of a YAML file; weather, trace or series by the form of another;
/// throws InputError when it is none of them.
std::string kindOfFile(const std::string& path);

/// All problems of all files to standard error; 0 when there are none, 2 otherwise.
int runCheck(const CheckOptions& options);
int runInfo(const std::string& path);
int runSchema(const std::string& kind);

}  // namespace podtwin::scenarios
