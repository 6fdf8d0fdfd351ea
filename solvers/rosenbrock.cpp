#include "solvers/rosenbrock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "model/base/vectorised.hpp"
#include "solvers/failure_report.hpp"

namespace podtwin::solvers {

namespace {

constexpr std::size_t kStageCount = 4;
constexpr double kGamma = 4.3586652150845900e-01;  // root of g^3 - 3 g^2 + 3/2 g - 1/6

// Step control. With e the error over its goal, a step would have to be e^(-1/3) as long to meet it exactly.
constexpr double kOrder = 3.0;  // of the local error of the embedded method
constexpr double kSafety = 0.9;
constexpr double kGrowMost = 5.0;
constexpr double kShrinkMost = 0.1;
constexpr double kPresent = 0.7, kPast = 0.4;  // weights of a PI controller (Hairer and Wanner, Solving ODEs II, IV.2)
constexpr double kKeepBelow = 1.3, kKeepAbove = 0.8;  // a wish in this range of the factored step keeps that step
constexpr double kAfterThrow = 0.25;
constexpr double kSameStep = 1e-9;  // relative difference of steps that share a factorisation
constexpr double kManySteps = 8.0;  // to the stop time: from here on they need not divide it evenly

/// The method in the form that needs no product with the Jacobian: with u = Gamma k,
/// (I - h gamma J) u_i = h gamma f(y + sum a_ij u_j) + gamma sum c_ij u_j;  y1 = y + sum m_i u_i.
struct Tableau {
  std::array<std::array<double, kStageCount>, kStageCount> a{}, c{};
  std::array<double, kStageCount> m{}, error{}, alpha{};
};

constexpr Tableau makeTableau() {
  // ROS34PW2, Rang and Angermann, BIT 45 (2005), table 4.2.
  constexpr double A[4][4] = {{0, 0, 0, 0},
                              {8.7173304301691801e-01, 0, 0, 0},
                              {8.4457060015369423e-01, -1.1299064236484185e-01, 0, 0},
                              {0, 0, 1.0, 0}};
  constexpr double G[4][4] = {{kGamma, 0, 0, 0},
                              {-8.7173304301691801e-01, kGamma, 0, 0},
                              {-9.0338057013044082e-01, 5.4180672388095326e-02, kGamma, 0},
                              {2.4212380706095346e-01, -1.2232505839045147e+00, 5.4526025533510214e-01, kGamma}};
  constexpr double B[4] = {2.4212380706095346e-01, -1.2232505839045147e+00, 1.5452602553351020e+00, kGamma};
  constexpr double B2[4] = {3.7810903145819369e-01, -9.6042292212423178e-02, 0.5, 2.1793326075422950e-01};
  double inverse[4][4] = {};
  for (int j = 0; j < 4; ++j) {
    inverse[j][j] = 1.0 / G[j][j];
    for (int i = j + 1; i < 4; ++i) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum += G[i][k] * inverse[k][j];
      inverse[i][j] = -sum / G[i][i];
    }
  }
  Tableau t;
  for (std::size_t i = 0; i < kStageCount; ++i)
    for (std::size_t j = 0; j < kStageCount; ++j) {
      t.alpha[i] += A[i][j];
      for (std::size_t k = 0; k < kStageCount; ++k) t.a[i][j] += A[i][k] * inverse[k][j];
      t.c[i][j] = kGamma * ((i == j ? 1.0 / kGamma : 0.0) - inverse[i][j]);
      t.m[j] += B[i] * inverse[i][j];
      t.error[j] += (B[i] - B2[i]) * inverse[i][j];
    }
  return t;
}

constexpr Tableau kTableau = makeTableau();

// --- One pass over memory each. ------------------------------------------------------------------------------------

PODTWIN_VECTORISED void combine1(std::size_t n, const double* __restrict y, double a0, const double* __restrict u0,
                                 double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = y[i] + a0 * u0[i];
}
PODTWIN_VECTORISED void combine2(std::size_t n, const double* __restrict y, double a0, const double* __restrict u0,
                                 double a1, const double* __restrict u1, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = y[i] + (a0 * u0[i] + a1 * u1[i]);
}
PODTWIN_VECTORISED void combine3(std::size_t n, const double* __restrict y, double a0, const double* __restrict u0,
                                 double a1, const double* __restrict u1, double a2, const double* __restrict u2,
                                 double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = y[i] + (a0 * u0[i] + a1 * u1[i] + a2 * u2[i]);
}
PODTWIN_VECTORISED void right0(std::size_t n, double hg, const double* __restrict f, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = hg * f[i];
}
PODTWIN_VECTORISED void right1(std::size_t n, double hg, double c0, const double* __restrict u0, double* __restrict f) {
  for (std::size_t i = 0; i < n; ++i) f[i] = hg * f[i] + c0 * u0[i];
}
PODTWIN_VECTORISED void right2(std::size_t n, double hg, double c0, const double* __restrict u0, double c1,
                               const double* __restrict u1, double* __restrict f) {
  for (std::size_t i = 0; i < n; ++i) f[i] = hg * f[i] + (c0 * u0[i] + c1 * u1[i]);
}
PODTWIN_VECTORISED void right3(std::size_t n, double hg, double c0, const double* __restrict u0, double c1,
                               const double* __restrict u1, double c2, const double* __restrict u2,
                               double* __restrict f) {
  for (std::size_t i = 0; i < n; ++i) f[i] = hg * f[i] + (c0 * u0[i] + c1 * u1[i] + c2 * u2[i]);
}

/// New state and the largest weighted error; NaN when anything is not finite.
PODTWIN_VECTORISED double finish(std::size_t n, const double* __restrict y, const double* __restrict u0,
                                 const double* __restrict u1, const double* __restrict u2, const double* __restrict u3,
                                 const double* __restrict weight, double* __restrict out) {
  constexpr const auto& m = kTableau.m;
  constexpr const auto& e = kTableau.error;
  double worst[PODTWIN_LANES], sum[PODTWIN_LANES];
  for (std::size_t k = 0; k < PODTWIN_LANES; ++k) worst[k] = sum[k] = 0.0;
  const auto one = [&](std::size_t i, std::size_t k) {
    const double v0 = u0[i], v1 = u1[i], v2 = u2[i], v3 = u3[i];
    out[i] = y[i] + (m[0] * v0 + m[1] * v1 + m[2] * v2 + m[3] * v3);
    const double error = std::abs((e[0] * v0 + e[1] * v1 + e[2] * v2 + e[3] * v3) * weight[i]);
    worst[k] = error > worst[k] ? error : worst[k];
    sum[k] += error;
  };
  std::size_t i = 0;
  for (; i + PODTWIN_LANES <= n; i += PODTWIN_LANES)
    for (std::size_t k = 0; k < PODTWIN_LANES; ++k) one(i + k, k);
  for (; i < n; ++i) one(i, 0);
  double greatest = 0.0, all = 0.0;
  for (std::size_t k = 0; k < PODTWIN_LANES; ++k) greatest = worst[k] > greatest ? worst[k] : greatest, all += sum[k];
  return all - all == 0.0 ? greatest
                          : std::numeric_limits<double>::quiet_NaN();  // a comparison skips a NaN, a sum does not
}

}  // namespace

RosenbrockIntegrator::RosenbrockIntegrator(OdeProblem& problem, const IntegratorOptions& options)
    : problem_(problem),
      options_(options),
      linear_(problem.structure(), [&problem](std::size_t row) { return problem.nameOf(row); }),
      jacobian_(problem.structure()) {
  const std::size_t n = problem.structure().size;
  for (auto* vector : {&y_, &y_before_, &y_new_, &f0_, &f0_before_, &stage_, &error_weight_}) vector->assign(n, 0.0);
  for (auto& k : k_) k.assign(n, 0.0);
  updateWeights();
}

void RosenbrockIntegrator::updateWeights() {
  const auto scale = problem_.errorScale();
  const bool relative = problem_.relativeError();
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double unit = relative ? scale[i] + std::abs(y_[i]) : scale[i];
    error_weight_[i] = std::isfinite(unit) ? 1.0 / (options_.rtol * unit) : 0.0;
  }
}

void RosenbrockIntegrator::reset(double t, std::span<const double> y) {
  t_ = t_before_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  have_rates_ = false;
  jacobian_current_ = false;
  error_before_ = 0.0;
  // The first steps behind discontinuities resemble each other more than the last step before one: start with what the
  // first step behind the last reset taught.
  if (options_.first_step > 0.0)
    wish_ = options_.first_step;
  else
    wish_ = wish_after_reset_ > 0.0 ? wish_after_reset_ : std::numeric_limits<double>::infinity();
  wish_after_reset_ = 0.0;
  if (problem_.relativeError()) updateWeights();
}

void RosenbrockIntegrator::evaluateRates() const {
  if (have_rates_) return;
  ++statistics_.rate_calls;
  problem_.rates(t_, y_, f0_);
  have_rates_ = true;
}

RosenbrockIntegrator::Choice RosenbrockIntegrator::chooseStep(double remaining, bool shortened) const {
  double limit = wish_;
  if (options_.max_step > 0.0) limit = std::min(limit, options_.max_step);
  if (remaining <= limit * (1.0 + kSameStep)) return {remaining, true};
  const double held = factored_step_;
  const bool may_hold = held > 0.0 && limit >= (shortened ? 1.0 : kKeepAbove) * held && limit <= kKeepBelow * held &&
                        (options_.max_step <= 0.0 || held <= options_.max_step * (1.0 + kSameStep)) && remaining > held;
  const double count = std::ceil(remaining / limit * (1.0 - kSameStep));
  if (count > kManySteps) return {may_hold ? held : limit, false};
  // Equal steps to the stop time: regular stops then reuse one factorisation, and no short step is left over. Those
  // that are factorised stay while they fit (on the synthetic pod at rtol 1e-3: 0.6 factorisations a second instead
  // of 1.8).
  if (may_hold && std::abs(std::round(remaining / held) * held - remaining) <= kSameStep * remaining)
    return {held, false};
  return {remaining / count, false};
}

double RosenbrockIntegrator::tryStep(double h) {
  if (!have_jacobian_ || (jacobian_wanted_ && !jacobian_current_)) {
    jacobian_.zero();
    problem_.jacobian(t_, y_, jacobian_);
    ++statistics_.jacobian_calls;
    have_jacobian_ = jacobian_current_ = true;
    factored_step_ = 0.0;
  }
  jacobian_wanted_ = false;
  if (std::abs(h - factored_step_) > kSameStep * h) {
    factored_step_ = 0.0;
    linear_.factorise(h * kGamma, jacobian_);
    ++statistics_.factorisations;
    factored_step_ = h;
  }
  const std::size_t n = y_.size();
  const double hg = h * kGamma;
  const auto& a = kTableau.a;
  const auto& c = kTableau.c;
  double* const u0 = k_[0].data();
  double* const u1 = k_[1].data();
  double* const u2 = k_[2].data();
  double* const u3 = k_[3].data();
  const auto rates = [&](std::size_t s) {
    ++statistics_.rate_calls;
    problem_.rates(t_ + kTableau.alpha[s] * h, stage_, k_[s]);
  };
  const auto solve = [&](std::size_t s) {
    ++statistics_.solves;
    linear_.solve(k_[s]);
  };
  right0(n, hg, f0_.data(), u0);
  solve(0);
  combine1(n, y_.data(), a[1][0], u0, stage_.data());
  rates(1);
  right1(n, hg, c[1][0], u0, u1);
  solve(1);
  combine2(n, y_.data(), a[2][0], u0, a[2][1], u1, stage_.data());
  rates(2);
  right2(n, hg, c[2][0], u0, c[2][1], u1, u2);
  solve(2);
  combine3(n, y_.data(), a[3][0], u0, a[3][1], u1, a[3][2], u2, stage_.data());
  rates(3);
  right3(n, hg, c[3][0], u0, c[3][1], u1, c[3][2], u2, u3);
  solve(3);
  return finish(n, y_.data(), u0, u1, u2, u3, error_weight_.data(), y_new_.data());
}

double RosenbrockIntegrator::step(double t_stop) {
  if (!(t_stop > t_)) throw Error("integrator: the stop time is not ahead of the present time");
  if (problem_.relativeError()) updateWeights();
  bool shortened = false;
  for (;;) {
    const auto [h, last] = chooseStep(t_stop - t_, shortened);
    const double t_new = last ? t_stop : t_ + h;
    if (!(t_new > t_)) giveUp(h, "the step is lost in the time's round-off", shortened);
    double error = 0.0;
    try {
      if (!have_rates_) {
        evaluateRates();
        if (have_jacobian_ && !jacobian_current_ && problem_.jacobianDrift() > options_.jacobian_drift)
          jacobian_wanted_ = true;
      }
      error = tryStep(h);
    } catch (const SimulationError& problem) {
      ++statistics_.rejected;
      if (h * kAfterThrow < options_.min_step) giveUp(h, problem.what(), false);
      jacobian_wanted_ = true;
      wish_ = kAfterThrow * h;
      shortened = true;
      continue;
    }
    if (!(error <= 1.0)) {  // also when it is not a number
      ++statistics_.rejected;
      const double factor =
          std::isfinite(error) ? std::max(kShrinkMost, kSafety * std::pow(error, -1.0 / kOrder)) : kShrinkMost;
      if (h * factor < options_.min_step) giveUp(h, "the error goal cannot be met", true);
      jacobian_wanted_ = true;  // if it was an old one
      wish_ = factor * h;
      shortened = true;
      continue;
    }
    const double floored = std::max(error, 1e-10);
    double factor = kSafety * (error_before_ > 0.0 && !shortened
                                   ? std::pow(floored, -kPresent / kOrder) * std::pow(error_before_, kPast / kOrder)
                                   : std::pow(floored, -1.0 / kOrder));
    factor = std::clamp(factor, kShrinkMost, shortened ? 1.0 : kGrowMost);
    // A step cut short by the stop time says little about a longer wish that was there before.
    const bool cut = last && !shortened && h < wish_;
    wish_ = cut && factor >= 1.0 ? std::max(h * factor, std::min(wish_, kGrowMost * h)) : h * factor;
    if (wish_after_reset_ == 0.0) wish_after_reset_ = wish_;
    error_before_ = floored;
    t_before_ = t_;
    t_ = t_new;
    y_before_.swap(y_);
    y_.swap(y_new_);
    f0_before_.swap(f0_);
    have_rates_ = false;
    jacobian_current_ = false;
    ++statistics_.steps;
    return t_;
  }
}

void RosenbrockIntegrator::interpolate(double t, std::span<double> y) const {
  const double h = t_ - t_before_;
  if (h <= 0.0) {
    std::copy(y_.begin(), y_.end(), y.begin());
    return;
  }
  evaluateRates();
  const double s = (t - t_before_) / h, r = 1.0 - s;
  const double h00 = (1.0 + 2.0 * s) * r * r, h10 = h * s * r * r, h01 = s * s * (3.0 - 2.0 * s), h11 = -h * s * s * r;
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = h00 * y_before_[i] + h10 * f0_before_[i] + (h01 * y_[i] + h11 * f0_[i]);
}

void RosenbrockIntegrator::giveUp(double h, const std::string& why, bool have_error) const {
  std::vector<double> badness(y_.size(), 0.0);
  if (have_error) {
    for (std::size_t i = 0; i < y_.size(); ++i) {
      for (std::size_t s = 0; s < kStages; ++s) badness[i] += kTableau.error[s] * k_[s][i];
      badness[i] *= error_weight_[i];
    }
  } else if (have_rates_) {
    const auto scale = problem_.errorScale();
    for (std::size_t i = 0; i < y_.size(); ++i) badness[i] = f0_[i] / (std::isfinite(f0_[i]) ? scale[i] : 1.0);
  }
  throw SimulationError(failureReport(problem_, "rosenbrock", t_, h, why, y_, badness,
                                      have_error ? "error over its goal" : "rate over its error scale [1/s]"));
}

}  // namespace podtwin::solvers
