// Problems found in what a user wrote: where, what, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace podtwin {

/// A place in a file, 1-based; line 0 means the file as a whole, an empty file the command line.
struct SourceMark {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One problem, printed as `FILE:LINE:COLUMN: error: WHAT; REMEDY`.
struct Diagnostic {
  enum class Severity { error, warning, note };
  SourceMark where;
  Severity severity = Severity::error;
  std::string what;    ///< what is wrong, with the value and the limit
  std::string remedy;  ///< what to do; may be empty for a note
  std::string text() const;
};

/// Base of every error that PodTwin throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One or more problems in input files or on the command line; exit status 2.
class InputError : public Error {
 public:
  explicit InputError(std::vector<Diagnostic> problems);
  InputError(SourceMark where, std::string what, std::string remedy);
  const std::vector<Diagnostic>& problems() const { return problems_; }

 private:
  std::vector<Diagnostic> problems_;
};

/// The simulation cannot go on; names equipment; exit status 1.
class SimulationError : public Error {
 public:
  using Error::Error;
};

/// Collects problems so that a reader can report all of them at once.
class Diagnostics {
 public:
  void error(SourceMark where, std::string what, std::string remedy);
  void warning(SourceMark where, std::string what, std::string remedy);
  bool hasErrors() const { return errors_ > 0; }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// Throws InputError with everything collected, in file order, when there is at least one error.
  void throwIfErrors() const;

 private:
  std::vector<Diagnostic> list_;
  std::size_t errors_ = 0;
};

/// The candidate nearest to `word` by edit distance, or empty when none is near enough to suggest.
std::string nearestName(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace podtwin
