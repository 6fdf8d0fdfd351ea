#include "model/base/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace podtwin {

std::string Diagnostic::text() const {
  std::string out = where.file.empty() ? std::string("podtwin") : where.file;
  if (where.line > 0) {
    // One append at a time: GCC 12 at -O3 warns falsely (-Wrestrict) of `":" + std::to_string(...)`.
    out += ':';
    out += std::to_string(where.line);
    if (where.column > 0) {
      out += ':';
      out += std::to_string(where.column);
    }
  }
  switch (severity) {
    case Severity::error:
      out += ": error: ";
      break;
    case Severity::warning:
      out += ": warning: ";
      break;
    case Severity::note:
      out += ": note: ";
      break;
  }
  out += what;
  if (!remedy.empty()) out += "; " + remedy;
  return out;
}

namespace {
std::string joined(const std::vector<Diagnostic>& problems) {
  std::string out;
  for (const auto& problem : problems) {
    if (!out.empty()) out += '\n';
    out += problem.text();
  }
  return out;
}
}  // namespace

InputError::InputError(std::vector<Diagnostic> problems) : Error(joined(problems)), problems_(std::move(problems)) {}

InputError::InputError(SourceMark where, std::string what, std::string remedy)
    : InputError(std::vector<Diagnostic>{
          {std::move(where), Diagnostic::Severity::error, std::move(what), std::move(remedy)}}) {}

void Diagnostics::error(SourceMark where, std::string what, std::string remedy) {
  list_.push_back({std::move(where), Diagnostic::Severity::error, std::move(what), std::move(remedy)});
  ++errors_;
}

void Diagnostics::warning(SourceMark where, std::string what, std::string remedy) {
  list_.push_back({std::move(where), Diagnostic::Severity::warning, std::move(what), std::move(remedy)});
}

void Diagnostics::throwIfErrors() const {
  if (!hasErrors()) return;
  std::vector<Diagnostic> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    if (a.where.file != b.where.file) return a.where.file < b.where.file;
    if (a.where.line != b.where.line) return a.where.line < b.where.line;
    return a.where.column < b.where.column;
  });
  throw InputError(std::move(sorted));
}

namespace {
std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}
}  // namespace

std::string nearestName(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 2 + 1;  // further than half the word is no misspelling
  for (const auto& candidate : candidates) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  // "load_bank" for "heat_load_bank": a whole part of the name.
  constexpr std::size_t kShortest = 4;  // characters; shorter words are part of too much
  if (word.size() < kShortest) return best;
  for (const auto& candidate : candidates)
    if (("_" + candidate + "_").find("_" + word + "_") != std::string::npos &&
        (best.empty() || candidate.size() < best.size()))
      best = candidate;
  return best;
}

}  // namespace podtwin
