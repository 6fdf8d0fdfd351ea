#include "solvers/failure_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace podtwin::solvers {

std::string failureReport(const OdeProblem& problem, const std::string& method, double t, double h, const std::string& why,
                          std::span<const double> y, std::span<const double> rates) {
  constexpr std::size_t kNamed = 5;
  const auto scale = problem.errorScale();
  std::vector<std::pair<double, std::size_t>> fastest;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (!std::isfinite(scale[i])) continue;
    const double rate = std::isfinite(rates[i]) ? std::abs(rates[i]) / scale[i] : HUGE_VAL;
    fastest.emplace_back(rate, i);
  }
  const std::size_t keep = std::min(kNamed, fastest.size());
  std::partial_sort(fastest.begin(), fastest.begin() + static_cast<std::ptrdiff_t>(keep), fastest.end(), std::greater<>());
  char text[256];
  std::snprintf(text, sizeof text, "%s stopped at t = %.6f s with a step of %.3g s: %s; fastest unknowns:", method.c_str(), t, h, why.c_str());
  std::string out = text;
  for (std::size_t k = 0; k < keep; ++k) {
    const std::size_t i = fastest[k].second;
    std::snprintf(text, sizeof text, "%s %s = %.6g changing by %.3g per second", k == 0 ? "" : ",", problem.nameOf(i).c_str(), y[i], rates[i]);
    out += text;
  }
  return out;
}

}  // namespace podtwin::solvers
