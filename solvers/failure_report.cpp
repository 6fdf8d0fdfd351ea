#include "solvers/failure_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

namespace podtwin::solvers {

namespace {
std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}
}  // namespace

std::string failureReport(const OdeProblem& problem, std::string_view method, double t, double h, std::string_view why,
                          std::span<const double> y, std::span<const double> badness, std::string_view label) {
  constexpr std::size_t kNamed = 5;
  const auto scale = problem.errorScale();
  std::vector<std::pair<double, std::size_t>> worst;
  for (std::size_t i = 0; i < badness.size(); ++i) {
    if (!std::isfinite(badness[i]))
      worst.emplace_back(std::numeric_limits<double>::infinity(), i);
    else if (std::isfinite(scale[i]) && badness[i] != 0.0)
      worst.emplace_back(std::abs(badness[i]), i);
  }
  const std::size_t keep = std::min(kNamed, worst.size());
  std::partial_sort(worst.begin(), worst.begin() + static_cast<std::ptrdiff_t>(keep), worst.end(), std::greater<>());
  std::string out(method);
  out += " stopped at t = " + number("%.9g", t) + " s with a step of " + number("%.3g", h) + " s: ";
  out += why;
  for (std::size_t k = 0; k < keep; ++k) {
    const std::size_t i = worst[k].second;
    out += k == 0 ? "; worst unknowns: " : ", ";
    out += problem.nameOf(i) + " = " + number("%.6g", y[i]) + " (";
    out += label;
    out += " " + number("%.3g", badness[i]) + ")";
  }
  return out;
}

}  // namespace podtwin::solvers
