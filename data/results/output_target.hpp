// The place of an output file: what speaks against writing there, found before anything is run.
#pragma once

#include <string>

namespace podtwin::data {

/// How messages name an output.
struct OutputKind {
  std::string what;     ///< "the result file"
  std::string option;   ///< that names it: "-o"
  std::string example;  ///< "run.h5"
};

/// Throws InputError when a file cannot be made at `path`, when one is there and `overwrite` is false, or when another
/// process writes it.
void checkTarget(const std::string& path, const OutputKind& kind, bool overwrite);

/// True when a process holds the file as its writer does for its life: with an exclusive flock on the file itself,
/// which goes with it through a rename and ends with the process however that ends. HDF5 readers see the same lock.
bool beingWritten(const std::string& path);

}  // namespace podtwin::data
