#include "solvers/cvode_integrator.hpp"

#include <cvode/cvode.h>

#include <algorithm>
#include <cstdlib>

#include "model/base/diagnostics.hpp"
#include "solvers/sundials_support.hpp"

namespace podtwin::solvers {

namespace {

class CvodeIntegrator final : public SundialsIntegrator {
 public:
  CvodeIntegrator(OdeProblem& problem, const IntegratorOptions& options)
      : SundialsIntegrator(problem, options, "cvode") {}
  ~CvodeIntegrator() override {
    if (memory_ != nullptr) CVodeFree(&memory_);
  }
  CvodeIntegrator(const CvodeIntegrator&) = delete;
  CvodeIntegrator& operator=(const CvodeIntegrator&) = delete;

 private:
  static int ratesCallback(realtype t, N_Vector y, N_Vector ydot, void* data) {
    return static_cast<CvodeIntegrator*>(data)->rates(t, y, ydot);
  }
  static int weightsCallback(N_Vector y, N_Vector w, void* data) {
    return static_cast<CvodeIntegrator*>(data)->errorWeights(y, w);
  }
  static int systemCallback(realtype t, N_Vector y, N_Vector, SUNMatrix, booleantype ok, booleantype* current,
                            realtype gamma, void* data, N_Vector, N_Vector, N_Vector) {
    bool fresh = false;
    const int flag = static_cast<CvodeIntegrator*>(data)->linearSystem(t, y, ok != 0, fresh, gamma);
    *current = fresh ? SUNTRUE : SUNFALSE;
    return flag;
  }

  void create() override {
    memory_ = CVodeCreate(CV_BDF, context_);
    if (memory_ == nullptr) throw Error("SUNDIALS: no memory for CVODE");
    check(CVodeSetErrHandlerFn(memory_, keepMessage, static_cast<SundialsIntegrator*>(this)), "CVodeSetErrHandlerFn");
    check(CVodeInit(memory_, ratesCallback, t_, y_), "CVodeInit");
    check(CVodeSetUserData(memory_, this), "CVodeSetUserData");
    check(CVodeWFtolerances(memory_, weightsCallback), "CVodeWFtolerances");
    check(CVodeSetLinearSolver(memory_, linear_, matrix_), "CVodeSetLinearSolver");
    check(CVodeSetLinSysFn(memory_, systemCallback), "CVodeSetLinSysFn");
    check(CVodeSetMaxNumSteps(memory_, kManySteps), "CVodeSetMaxNumSteps");
    check(CVodeSetMaxErrTestFails(memory_, kFailures), "CVodeSetMaxErrTestFails");
    check(CVodeSetMaxConvFails(memory_, kFailures), "CVodeSetMaxConvFails");
    if (options_.max_step > 0.0) check(CVodeSetMaxStep(memory_, options_.max_step), "CVodeSetMaxStep");
  }
  void restart() override { check(CVodeReInit(memory_, t_, y_), "CVodeReInit"); }
  void setFirstStep(double h) override { check(CVodeSetInitStep(memory_, h), "CVodeSetInitStep"); }
  void setStopTime(double t) override { check(CVodeSetStopTime(memory_, t), "CVodeSetStopTime"); }
  int advance(double t_stop, double& t) override { return CVode(memory_, t_stop, y_, &t, CV_ONE_STEP); }
  int dense(double t, N_Vector y) const override { return CVodeGetDky(memory_, t, 0, y); }
  double lastStep() const override {
    realtype h = 0.0;
    check(CVodeGetLastStep(memory_, &h), "CVodeGetLastStep");
    return h;
  }
  double nextStep() const override {
    realtype h = 0.0;
    check(CVodeGetCurrentStep(memory_, &h), "CVodeGetCurrentStep");
    return h;
  }
  long failures() const override {
    long int error_tests = 0, iterations = 0;
    check(CVodeGetNumErrTestFails(memory_, &error_tests), "CVodeGetNumErrTestFails");
    check(CVodeGetNumStepSolveFails(memory_, &iterations), "CVodeGetNumStepSolveFails");
    return error_tests + iterations;
  }
  std::string flagName(int flag) const override {
    char* name = CVodeGetReturnFlagName(flag);
    std::string text = name != nullptr ? name : "flag " + std::to_string(flag);
    std::free(name);
    return text;
  }
  /// What served last time saves the two rate calls of CVODE's own guess.
  double firstStep(double) const override { return learned_; }
  void learn(double first_step, bool failed_before) override {
    learned_ = failed_before ? first_step : kTryLonger * first_step;
  }

  static constexpr int kFailures = 40;
  static constexpr long kManySteps = 1000000000;
  static constexpr double kTryLonger = 2.0;
  void* memory_ = nullptr;
  double learned_ = 0.0;  ///< s; 0: nothing yet
};

}  // namespace

std::unique_ptr<Integrator> makeCvode(OdeProblem& problem, const IntegratorOptions& options) {
  return std::make_unique<CvodeIntegrator>(problem, options);
}

}  // namespace podtwin::solvers
