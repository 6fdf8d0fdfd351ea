#include "solvers/cvode_integrator.hpp"

#include <cvode/cvode.h>

#include <algorithm>

#include "model/base/diagnostics.hpp"
#include "solvers/sundials_support.hpp"

namespace podtwin::solvers {

namespace {

int ratesCallback(realtype t, N_Vector y, N_Vector ydot, void* data) {
  return static_cast<SundialsSupport*>(data)->rates(t, y, ydot);
}
int weightsCallback(N_Vector y, N_Vector w, void* data) {
  return static_cast<SundialsSupport*>(data)->errorWeights(y, w);
}
int systemCallback(realtype t, N_Vector y, N_Vector, SUNMatrix, booleantype ok, booleantype* current, realtype gamma,
                   void* data, N_Vector, N_Vector, N_Vector) {
  bool fresh = false;
  const int flag = static_cast<SundialsSupport*>(data)->linearSystem(t, y, ok != 0, fresh, gamma);
  *current = fresh ? SUNTRUE : SUNFALSE;
  return flag;
}
void quiet(int, const char*, const char*, char*, void*) {}

class CvodeIntegrator final : public Integrator {
 public:
  CvodeIntegrator(OdeProblem& problem, const IntegratorOptions& options) : support_(problem, options) {}
  ~CvodeIntegrator() override {
    if (memory_ != nullptr) CVodeFree(&memory_);
  }
  CvodeIntegrator(const CvodeIntegrator&) = delete;
  CvodeIntegrator& operator=(const CvodeIntegrator&) = delete;

  void reset(double t, std::span<const double> y) override {
    std::copy(y.begin(), y.end(), NV_DATA_S(support_.y));
    t_ = t;
    pending_reset_ = true;
  }

  double step(double t_stop) override {
    if (!(t_stop > t_)) throw Error("integrator: the stop time is not ahead of the present time");
    if (memory_ == nullptr) create();
    if (pending_reset_) {
      if (used_) SundialsSupport::check(CVodeReInit(memory_, t_, support_.y), "CVodeReInit");
      if (support_.options.first_step > 0.0)
        SundialsSupport::check(CVodeSetInitStep(memory_, std::min(t_stop - t_, support_.options.first_step)),
                               "CVodeSetInitStep");
      pending_reset_ = false;
    }
    SundialsSupport::check(CVodeSetStopTime(memory_, t_stop), "CVodeSetStopTime");
    realtype reached = t_;
    const int flag = CVode(memory_, t_stop, support_.y, &reached, CV_ONE_STEP);
    used_ = true;
    if (flag < 0) {
      char* name = CVodeGetReturnFlagName(flag);
      const std::string text = name != nullptr ? name : "unknown";
      free(name);
      realtype h = 0.0;
      CVodeGetCurrentStep(memory_, &h);
      support_.fail("cvode", t_, h, flag, text);
    }
    support_.parked = nullptr;
    t_ = reached;
    long int failures = 0;
    CVodeGetNumErrTestFails(memory_, &failures);
    ++support_.statistics.steps;
    support_.statistics.rejected = failures;
    return t_;
  }

  double time() const override { return t_; }
  std::span<const double> state() const override {
    return {NV_DATA_S(support_.y), static_cast<std::size_t>(NV_LENGTH_S(support_.y))};
  }
  void interpolate(double t, std::span<double> y) const override {
    N_Vector out = N_VClone(support_.y);
    const int flag = CVodeGetDky(memory_, t, 0, out);
    if (flag == 0) std::copy(NV_DATA_S(out), NV_DATA_S(out) + y.size(), y.begin());
    N_VDestroy(out);
    SundialsSupport::check(flag, "CVodeGetDky");
  }
  const IntegratorStatistics& statistics() const override { return support_.statistics; }

 private:
  void create() {
    memory_ = CVodeCreate(CV_BDF, support_.context);
    if (memory_ == nullptr) throw Error("SUNDIALS: no memory for CVODE");
    const auto check = SundialsSupport::check;
    check(CVodeInit(memory_, ratesCallback, t_, support_.y), "CVodeInit");
    check(CVodeSetUserData(memory_, &support_), "CVodeSetUserData");
    check(CVodeSetErrHandlerFn(memory_, quiet, nullptr), "CVodeSetErrHandlerFn");
    check(CVodeWFtolerances(memory_, weightsCallback), "CVodeWFtolerances");
    check(CVodeSetLinearSolver(memory_, support_.linear, support_.matrix), "CVodeSetLinearSolver");
    check(CVodeSetLinSysFn(memory_, systemCallback), "CVodeSetLinSysFn");
    check(CVodeSetMaxNumSteps(memory_, 1000000), "CVodeSetMaxNumSteps");
    if (support_.options.max_step > 0.0) check(CVodeSetMaxStep(memory_, support_.options.max_step), "CVodeSetMaxStep");
  }

  mutable SundialsSupport support_;
  void* memory_ = nullptr;
  double t_ = 0.0;
  bool pending_reset_ = true, used_ = false;
};

}  // namespace

std::unique_ptr<Integrator> makeCvode(OdeProblem& problem, const IntegratorOptions& options) {
  return std::make_unique<CvodeIntegrator>(problem, options);
}

}  // namespace podtwin::solvers
