#include "solvers/sundials_support.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "solvers/failure_report.hpp"
#include "solvers/vectorised.hpp"

namespace podtwin::solvers {

namespace {

// The serial vectors of Debian's SUNDIALS loop one number at a time; these are the operations the integrators spend
// their time in. Clones inherit them.
PODTWIN_VECTORISED void linearSum(std::size_t n, double a, const double* x, double b, const double* y, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}
PODTWIN_VECTORISED void scaled(std::size_t n, double a, const double* x, double* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = a * x[i];
}
PODTWIN_VECTORISED void addScaled(std::size_t n, double a, const double* __restrict x, double* __restrict z) {
  for (std::size_t i = 0; i < n; ++i) z[i] += a * x[i];
}
PODTWIN_VECTORISED double greatest(std::size_t n, const double* __restrict x, const double* __restrict w) {
  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = std::abs(x[i] * w[i]);
    worst = v > worst ? v : worst;
  }
  return worst;
}
/// Sum, to find a NaN that a comparison would skip.
PODTWIN_VECTORISED double total(std::size_t n, const double* __restrict x) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

std::size_t length(N_Vector v) { return static_cast<std::size_t>(NV_LENGTH_S(v)); }

void opLinearSum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z) {
  linearSum(length(x), a, NV_DATA_S(x), b, NV_DATA_S(y), NV_DATA_S(z));
}
void opScale(realtype a, N_Vector x, N_Vector z) { scaled(length(x), a, NV_DATA_S(x), NV_DATA_S(z)); }
int opLinearCombination(int count, realtype* c, N_Vector* x, N_Vector z) {
  const std::size_t n = length(z);
  if (NV_DATA_S(x[0]) == NV_DATA_S(z)) {
    if (c[0] != 1.0) scaled(n, c[0], NV_DATA_S(z), NV_DATA_S(z));
  } else {
    scaled(n, c[0], NV_DATA_S(x[0]), NV_DATA_S(z));
  }
  for (int k = 1; k < count; ++k) addScaled(n, c[k], NV_DATA_S(x[k]), NV_DATA_S(z));
  return 0;
}
// In place of the root-mean-square norm, which lets one bad die hide among 14,000 unknowns: the greatest.
realtype opGreatestNorm(N_Vector x, N_Vector w) {
  const double worst = greatest(length(x), NV_DATA_S(x), NV_DATA_S(w));
  const double sum = total(length(x), NV_DATA_S(x));
  return sum == sum ? worst : sum;
}

constexpr double kUncontrolled = 1e-30;  // weight of an unknown without error control; SUNDIALS wants it positive

SUNMatrix_ID matrixId(SUNMatrix) { return SUNMATRIX_CUSTOM; }
int matrixZero(SUNMatrix) { return 0; }
SUNMatrix newMatrix(SUNContext context);
SUNMatrix matrixClone(SUNMatrix a) { return newMatrix(a->sunctx); }
void matrixDestroy(SUNMatrix a) { SUNMatFreeEmpty(a); }
int matrixCopy(SUNMatrix, SUNMatrix) { return 0; }
SUNMatrix newMatrix(SUNContext context) {
  SUNMatrix a = SUNMatNewEmpty(context);
  a->ops->getid = matrixId;
  a->ops->zero = matrixZero;
  a->ops->clone = matrixClone;
  a->ops->destroy = matrixDestroy;
  a->ops->copy = matrixCopy;
  return a;
}
SUNLinearSolver_Type solverType(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }
SUNLinearSolver_ID solverId(SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; }
int solverInitialise(SUNLinearSolver) { return 0; }
int solverSetup(SUNLinearSolver, SUNMatrix) { return 0; }  // done where the system is formed
int solverSolve(SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, realtype) {
  auto& support = *static_cast<SundialsSupport*>(s->content);
  if (NV_DATA_S(x) != NV_DATA_S(b)) std::copy(NV_DATA_S(b), NV_DATA_S(b) + length(b), NV_DATA_S(x));
  support.solver.solve({NV_DATA_S(x), length(x)});
  ++support.statistics.solves;
  return 0;
}
int solverFree(SUNLinearSolver s) {
  SUNLinSolFreeEmpty(s);
  return 0;
}

}  // namespace

SundialsSupport::SundialsSupport(OdeProblem& p, const IntegratorOptions& o)
    : problem(p), options(o), solver(p.structure()), jacobian(p.structure()) {
  if (SUNContext_Create(nullptr, &context) != 0) throw Error("SUNDIALS: no context");
  y = N_VNew_Serial(static_cast<sunindextype>(p.structure().size), context);
  if (y == nullptr) throw Error("SUNDIALS: no memory for a vector");
  y->ops->nvlinearsum = opLinearSum;
  y->ops->nvscale = opScale;
  y->ops->nvlinearcombination = opLinearCombination;
  y->ops->nvwrmsnorm = opGreatestNorm;
  matrix = newMatrix(context);
  linear = SUNLinSolNewEmpty(context);
  linear->ops->gettype = solverType;
  linear->ops->getid = solverId;
  linear->ops->initialize = solverInitialise;
  linear->ops->setup = solverSetup;
  linear->ops->solve = solverSolve;
  linear->ops->free = solverFree;
  linear->content = this;
}

SundialsSupport::~SundialsSupport() {
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  SUNContext_Free(&context);
}

int SundialsSupport::rates(double t, N_Vector at, N_Vector ydot) {
  ++statistics.rate_calls;
  try {
    problem.rates(t, {NV_DATA_S(at), length(at)}, {NV_DATA_S(ydot), length(ydot)});
    return 0;
  } catch (const SimulationError&) {
    parked = std::current_exception();
    return 1;
  } catch (...) {
    parked = std::current_exception();
    return -1;
  }
}

int SundialsSupport::linearSystem(double t, N_Vector at, bool jacobian_ok, bool& jacobian_current, double gamma) {
  try {
    jacobian_current = false;
    // A reset asks for a new Jacobian too; one whose coefficients have not moved still fits. After a failed iteration
    // within one step it is formed again whatever the drift says.
    const bool failed_before = !jacobian_ok && t == last_setup_time;
    last_setup_time = t;
    if (!have_jacobian || failed_before || problem.jacobianDrift() > options.jacobian_drift) {
      jacobian.zero();
      problem.jacobian(t, {NV_DATA_S(at), length(at)}, jacobian);
      ++statistics.jacobian_calls;
      have_jacobian = true;
      jacobian_current = true;
      factored_gamma = 0.0;
    }
    if (factored_gamma != gamma) {
      solver.factorise(gamma, jacobian);
      ++statistics.factorisations;
      factored_gamma = gamma;
    }
    return 0;
  } catch (const SimulationError&) {
    parked = std::current_exception();
    return 1;
  } catch (...) {
    parked = std::current_exception();
    return -1;
  }
}

int SundialsSupport::errorWeights(N_Vector at, N_Vector weights) const {
  const auto scale = problem.errorScale();
  const bool relative = problem.relativeError();
  const double* value = NV_DATA_S(at);
  double* w = NV_DATA_S(weights);
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const double unit = relative ? scale[i] + std::abs(value[i]) : scale[i];
    w[i] = std::isfinite(unit) ? 1.0 / (options.rtol * unit) : kUncontrolled;
  }
  return 0;
}

void SundialsSupport::fail(const std::string& method, double t, double h, int flag, const std::string& flag_name) {
  std::string why = flag_name + " (" + std::to_string(flag) + ")";
  if (parked) {
    const auto carried = parked;
    parked = nullptr;
    try {
      std::rethrow_exception(carried);
    } catch (const SimulationError& error) {
      why += ": " + std::string(error.what());
    }  // anything else goes on its way
  }
  std::vector<double> rates_now(length(y), 0.0);
  try {
    problem.rates(t, {NV_DATA_S(y), length(y)}, rates_now);
  } catch (const SimulationError& error) {
    why += "; rates: " + std::string(error.what());
  }
  throw SimulationError(failureReport(problem, method, t, h, why, {NV_DATA_S(y), length(y)}, rates_now, "rate"));
}

void SundialsSupport::check(int flag, const char* what) {
  if (flag < 0) throw Error("SUNDIALS: " + std::string(what) + " failed with " + std::to_string(flag));
}

}  // namespace podtwin::solvers
