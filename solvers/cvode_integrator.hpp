// CVODE's BDF: the reference at tight tolerance.
#pragma once

#include <memory>

#include "solvers/integrator.hpp"

namespace podtwin::solvers {

std::unique_ptr<Integrator> makeCvode(OdeProblem& problem, const IntegratorOptions& options);

}  // namespace podtwin::solvers
