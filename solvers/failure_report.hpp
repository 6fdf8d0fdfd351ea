// Says where an integration stopped, in the names of the plant.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "solvers/ode_problem.hpp"

namespace podtwin::solvers {

/// "METHOD stopped at t = ... s with a step of ... s: WHY; worst unknowns: A = 81.2 (LABEL 3.1), B = ..."; the five
/// of greatest |badness|, not-a-number before all. Unknowns without error control (infinite scale) are named only when
/// their badness is not finite.
std::string failureReport(const OdeProblem& problem, std::string_view method, double t, double h, std::string_view why,
                          std::span<const double> y, std::span<const double> badness, std::string_view label);

}  // namespace podtwin::solvers
