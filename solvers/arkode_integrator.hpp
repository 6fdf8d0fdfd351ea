// ARKODE's diagonally implicit Runge-Kutta methods: the integrator of record.
#pragma once

#include <memory>

#include "solvers/integrator.hpp"

namespace podtwin::solvers {

std::unique_ptr<Integrator> makeArkode(OdeProblem& problem, const IntegratorOptions& options);

}  // namespace podtwin::solvers
