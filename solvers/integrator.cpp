#include "solvers/integrator.hpp"

#include "model/base/diagnostics.hpp"
#include "solvers/arkode_integrator.hpp"
#include "solvers/cvode_integrator.hpp"
#include "solvers/rosenbrock.hpp"

namespace podtwin::solvers {

Method methodFromName(std::string_view name) {
  if (name == "arkode") return Method::arkode;
  if (name == "cvode") return Method::cvode;
  if (name == "rosenbrock") return Method::rosenbrock;
  const std::string near = nearestName(std::string(name), {"arkode", "cvode", "rosenbrock"});
  throw InputError({}, "unknown solver method '" + std::string(name) + "'",
                   near.empty() ? "use arkode, cvode or rosenbrock" : "did you mean '" + near + "'?");
}

std::unique_ptr<Integrator> makeIntegrator(OdeProblem& problem, const IntegratorOptions& options) {
  switch (options.method) {
    case Method::arkode:
      return makeArkode(problem, options);
    case Method::cvode:
      return makeCvode(problem, options);
    case Method::rosenbrock:
      break;
  }
  return std::make_unique<RosenbrockIntegrator>(problem, options);
}

}  // namespace podtwin::solvers
