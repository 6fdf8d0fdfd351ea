#include "solvers/nonlinear.hpp"

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>

#include "model/base/diagnostics.hpp"

namespace podtwin::solvers {

namespace {

// Bounds enter as slack unknowns, l = x - lower >= 0 and u = upper - x >= 0, which KINSOL keeps on their side by
// shortening its steps. Unknowns: x, l, u.
class Kinsol {
 public:
  Kinsol(NonlinearProblem& problem, const NonlinearOptions& options) : problem_(problem), n_(problem.size()) {
    check(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
    const auto rows = static_cast<sunindextype>(3 * n_);
    y_ = N_VNew_Serial(rows, context_);
    ones_ = N_VClone(y_);
    sides_ = N_VClone(y_);
    matrix_ = SUNDenseMatrix(rows, rows, context_);
    linear_ = SUNLinSol_Dense(y_, matrix_, context_);
    memory_ = KINCreate(context_);
    values_.resize(n_ * n_);
    N_VConst(1.0, ones_);
    for (std::size_t i = 0; i < 3 * n_; ++i) NV_DATA_S(sides_)[i] = i < n_ ? 0.0 : 1.0;
    check(KINInit(memory_, residual, y_), "KINInit");
    check(KINSetErrHandlerFn(
              memory_, [](int, const char*, const char*, char*, void*) {}, nullptr),
          "KINSetErrHandlerFn");
    check(KINSetUserData(memory_, this), "KINSetUserData");
    check(KINSetConstraints(memory_, sides_), "KINSetConstraints");
    check(KINSetFuncNormTol(memory_, options.tolerance), "KINSetFuncNormTol");
    check(KINSetScaledStepTol(memory_, 1e-15), "KINSetScaledStepTol");
    check(KINSetNumMaxIters(memory_, options.iterations), "KINSetNumMaxIters");
    check(KINSetMaxSetupCalls(memory_, 1), "KINSetMaxSetupCalls");  // a full Newton iteration: the systems are small
    check(KINSetLinearSolver(memory_, linear_, matrix_), "KINSetLinearSolver");
    check(KINSetJacFn(memory_, jacobian), "KINSetJacFn");
  }
  ~Kinsol() {
    if (memory_ != nullptr) KINFree(&memory_);
    if (linear_ != nullptr) SUNLinSolFree(linear_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, ones_, sides_})
      if (v != nullptr) N_VDestroy(v);
    if (context_ != nullptr) SUNContext_Free(&context_);
  }
  Kinsol(const Kinsol&) = delete;
  Kinsol& operator=(const Kinsol&) = delete;

  NonlinearReport solve(std::span<double> x) {
    double* y = NV_DATA_S(y_);
    for (std::size_t i = 0; i < n_; ++i) {
      y[i] = x[i];
      // Slacks begin at half the width wherever x is: the bounds bind only as the search converges, which leaves the
      // first steps room. Consistent slacks stop a search early that starts towards a bound.
      y[n_ + i] = y[2 * n_ + i] = 0.5 * (problem_.upper()[i] - problem_.lower()[i]);
    }
    const int flag = KINSol(memory_, y_, KIN_LINESEARCH, ones_, ones_);
    if (parked_) std::rethrow_exception(parked_);
    if (flag < 0) throw SimulationError("nonlinear system: no root found (KINSOL flag " + std::to_string(flag) + ")");
    std::copy(y, y + n_, x.begin());
    NonlinearReport report;
    long int iterations = 0;
    check(KINGetNumNonlinSolvIters(memory_, &iterations), "KINGetNumNonlinSolvIters");
    report.iterations = iterations;
    std::vector<double> f(n_);
    problem_.residual(x, f);
    for (const double r : f) report.worst_residual = std::max(report.worst_residual, std::abs(r));
    // KINSOL also stops where its step is small; that is a root only if the residual says so.
    constexpr double kSolved = 1e-9;
    if (!(report.worst_residual <= kSolved))
      throw SimulationError("nonlinear system: the search stopped at a residual of " +
                            std::to_string(report.worst_residual));
    return report;
  }

 private:
  static void check(int flag, const char* what) {
    if (flag < 0) throw Error(std::string("SUNDIALS: ") + what + " failed with flag " + std::to_string(flag));
  }
  static int residual(N_Vector y, N_Vector f, void* data) {
    auto& self = *static_cast<Kinsol*>(data);
    const std::size_t n = self.n_;
    const double* at = NV_DATA_S(y);
    double* out = NV_DATA_S(f);
    try {
      self.problem_.residual({at, n}, {out, n});
    } catch (...) {
      self.parked_ = std::current_exception();
      return -1;
    }
    for (std::size_t i = 0; i < n; ++i) {
      out[n + i] = at[n + i] - at[i] + self.problem_.lower()[i];
      out[2 * n + i] = at[2 * n + i] + at[i] - self.problem_.upper()[i];
    }
    return 0;
  }
  static int jacobian(N_Vector y, N_Vector, SUNMatrix matrix, void* data, N_Vector, N_Vector) {
    auto& self = *static_cast<Kinsol*>(data);
    const std::size_t n = self.n_;
    std::fill(self.values_.begin(), self.values_.end(), 0.0);
    try {
      self.problem_.jacobian({NV_DATA_S(y), n}, self.values_);
    } catch (...) {
      self.parked_ = std::current_exception();
      return -1;
    }
    SUNMatZero(matrix);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) SM_ELEMENT_D(matrix, i, j) = self.values_[i * n + j];
      SM_ELEMENT_D(matrix, n + i, i) = -1.0;
      SM_ELEMENT_D(matrix, n + i, n + i) = 1.0;
      SM_ELEMENT_D(matrix, 2 * n + i, i) = 1.0;
      SM_ELEMENT_D(matrix, 2 * n + i, 2 * n + i) = 1.0;
    }
    return 0;
  }

  NonlinearProblem& problem_;
  std::size_t n_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, ones_ = nullptr, sides_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  void* memory_ = nullptr;
  std::vector<double> values_;
  std::exception_ptr parked_;
};

}  // namespace

NonlinearReport solveNonlinear(NonlinearProblem& problem, std::span<double> x, const NonlinearOptions& options) {
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (!(problem.lower()[i] <= x[i] && x[i] <= problem.upper()[i]))
      throw InputError({},
                       "start value " + std::to_string(x[i]) + " of unknown " + std::to_string(i + 1) + " is outside " +
                           std::to_string(problem.lower()[i]) + " to " + std::to_string(problem.upper()[i]),
                       "start within the bounds");
  return Kinsol(problem, options).solve(x);
}

}  // namespace podtwin::solvers
