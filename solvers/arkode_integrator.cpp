#include "solvers/arkode_integrator.hpp"

#include <arkode/arkode_arkstep.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/base/diagnostics.hpp"
#include "solvers/sundials_support.hpp"

namespace podtwin::solvers {

namespace {

class ArkodeIntegrator final : public SundialsIntegrator {
 public:
  ArkodeIntegrator(OdeProblem& problem, const IntegratorOptions& options)
      : SundialsIntegrator(problem, options, "arkode") {}
  ~ArkodeIntegrator() override {
    if (memory_ != nullptr) ARKStepFree(&memory_);
  }
  ArkodeIntegrator(const ArkodeIntegrator&) = delete;
  ArkodeIntegrator& operator=(const ArkodeIntegrator&) = delete;

 private:
  static int ratesCallback(realtype t, N_Vector y, N_Vector ydot, void* data) {
    return static_cast<ArkodeIntegrator*>(data)->rates(t, y, ydot);
  }
  static int weightsCallback(N_Vector y, N_Vector w, void* data) {
    return static_cast<ArkodeIntegrator*>(data)->errorWeights(y, w);
  }
  static int systemCallback(realtype t, N_Vector y, N_Vector, SUNMatrix, SUNMatrix, booleantype ok,
                            booleantype* current, realtype gamma, void* data, N_Vector, N_Vector, N_Vector) {
    bool fresh = false;
    const int flag = static_cast<ArkodeIntegrator*>(data)->linearSystem(t, y, ok != 0, fresh, gamma);
    *current = fresh ? SUNTRUE : SUNFALSE;
    return flag;
  }

  void create() override {
    memory_ = ARKStepCreate(nullptr, ratesCallback, t_, y_, context_);
    if (memory_ == nullptr) throw Error("SUNDIALS: no memory for ARKODE");
    check(ARKStepSetErrHandlerFn(memory_, keepMessage, static_cast<SundialsIntegrator*>(this)),
          "ARKStepSetErrHandlerFn");
    check(ARKStepSetUserData(memory_, this), "ARKStepSetUserData");
    check(ARKStepWFtolerances(memory_, weightsCallback), "ARKStepWFtolerances");
    check(ARKStepSetTableName(memory_, kTable, "ARKODE_ERK_NONE"), "ARKStepSetTableName");
    check(ARKStepSetLinearSolver(memory_, linear_, matrix_), "ARKStepSetLinearSolver");
    check(ARKStepSetLinSysFn(memory_, systemCallback), "ARKStepSetLinSysFn");
    check(ARKStepSetMaxNumSteps(memory_, kManySteps), "ARKStepSetMaxNumSteps");
    check(ARKStepSetMaxErrTestFails(memory_, kFailures), "ARKStepSetMaxErrTestFails");
    check(ARKStepSetMaxConvFails(memory_, kFailures), "ARKStepSetMaxConvFails");
    if (options_.max_step > 0.0) check(ARKStepSetMaxStep(memory_, options_.max_step), "ARKStepSetMaxStep");
    // Rates of a stage are deduced from its solution instead of evaluated once more: a rate call a stage less, and what
    // an unfinished iteration leaves in a stiff unknown does not come back h lambda times as large. The start of the
    // iteration extrapolates the step before where there is one.
    check(ARKStepSetDeduceImplicitRhs(memory_, 1), "ARKStepSetDeduceImplicitRhs");
    check(ARKStepSetPredictorMethod(memory_, 1), "ARKStepSetPredictorMethod");
    if (problem_.relativeError()) {
      check(ARKStepSetNonlinConvCoef(memory_, kTightIteration), "ARKStepSetNonlinConvCoef");
    } else {
      // Heat is almost linear between flow changes: one or two iterations a stage with a matrix formed when flows move.
      check(ARKStepSetNonlinConvCoef(memory_, kLooseIteration), "ARKStepSetNonlinConvCoef");
      check(ARKStepSetLSetupFrequency(memory_, kSetupEvery), "ARKStepSetLSetupFrequency");
      check(ARKStepSetJacEvalFrequency(memory_, kManySteps), "ARKStepSetJacEvalFrequency");
    }
  }
  void restart() override { check(ARKStepReset(memory_, t_, y_), "ARKStepReset"); }
  void setFirstStep(double h) override { check(ARKStepSetInitStep(memory_, h), "ARKStepSetInitStep"); }
  void setStopTime(double t) override { check(ARKStepSetStopTime(memory_, t), "ARKStepSetStopTime"); }
  int advance(double t_stop, double& t) override { return ARKStepEvolve(memory_, t_stop, y_, &t, ARK_ONE_STEP); }
  int dense(double t, N_Vector y) const override { return ARKStepGetDky(memory_, t, 0, y); }
  double lastStep() const override {
    realtype h = 0.0;
    check(ARKStepGetLastStep(memory_, &h), "ARKStepGetLastStep");
    return h;
  }
  double nextStep() const override {
    realtype h = 0.0;
    check(ARKStepGetCurrentStep(memory_, &h), "ARKStepGetCurrentStep");
    return h;
  }
  long failures() const override {
    long int steps = 0, attempts = 0;
    check(ARKStepGetNumSteps(memory_, &steps), "ARKStepGetNumSteps");
    check(ARKStepGetNumStepAttempts(memory_, &attempts), "ARKStepGetNumStepAttempts");
    return attempts - steps;
  }
  std::string flagName(int flag) const override {
    char* name = ARKStepGetReturnFlagName(flag);
    std::string text = name != nullptr ? name : "flag " + std::to_string(flag);
    std::free(name);
    return text;
  }
  /// The whole way, in equal parts when the first step behind the last restart asked for shorter ones.
  double firstStep(double whole) const override {
    return whole / std::ceil(std::max(1.0, whole / wish_ * (1.0 - 1e-9)));
  }
  void learn(double, bool) override { wish_ = nextStep(); }

  // Measured on a synthetic pod (tests/performance/solvers/pod_like.cpp) at rtol 0.02 with inputs each second, this set
  // of options: ESDIRK324 1,310 simulated s per CPU s and 0.019 K at the worst die, ESDIRK325 1,150 and 0.0007 K;
  // TRBDF2, 480 and 0.011 K.
  static constexpr const char* kTable = "ARKODE_ESDIRK324L2SA_4_2_3";
  static constexpr int kFailures = 40;
  static constexpr int kSetupEvery = 20;  // steps, when nothing else asks for it
  static constexpr long kManySteps = 1000000000;
  static constexpr double kTightIteration = 1e-3, kLooseIteration = 0.3;  // of the error goal
  void* memory_ = nullptr;
  double wish_ = HUGE_VAL;  ///< s
};

}  // namespace

std::unique_ptr<Integrator> makeArkode(OdeProblem& problem, const IntegratorOptions& options) {
  return std::make_unique<ArkodeIntegrator>(problem, options);
}

}  // namespace podtwin::solvers
