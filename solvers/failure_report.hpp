// Says where an integration stopped, in the names of the plant.
#pragma once

#include <span>
#include <string>

#include "solvers/ode_problem.hpp"

namespace podtwin::solvers {

/// "rosenbrock stopped at t = ... s, step ... s: WHY; fastest unknowns: A (rate), B (rate), ..."
std::string failureReport(const OdeProblem& problem, const std::string& method, double t, double h, const std::string& why,
                          std::span<const double> y, std::span<const double> rates);

}  // namespace podtwin::solvers
