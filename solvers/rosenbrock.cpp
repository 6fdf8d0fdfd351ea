#include "solvers/rosenbrock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "solvers/failure_report.hpp"
#include "solvers/vectorised.hpp"

namespace podtwin::solvers {

namespace {

constexpr std::size_t kStages = 4;
constexpr double kGamma = 4.3586652150845900e-01;  // root of g^3 - 3 g^2 + 3/2 g - 1/6

/// The method in the form that needs no product with the Jacobian: with u = Gamma k,
/// (I - h gamma J) u_i = h gamma f(y + sum a_ij u_j) + gamma sum c_ij u_j;  y1 = y + sum m_i u_i.
struct Tableau {
  std::array<std::array<double, kStages>, kStages> a{}, c{};
  std::array<double, kStages> m{}, error{}, alpha{};
};

Tableau makeTableau() {
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
  for (std::size_t i = 0; i < kStages; ++i)
    for (std::size_t j = 0; j < kStages; ++j) {
      t.alpha[i] += A[i][j];
      for (std::size_t k = 0; k < kStages; ++k) t.a[i][j] += A[i][k] * inverse[k][j];
      t.c[i][j] = (i == j ? 1.0 / kGamma : 0.0) - inverse[i][j];
      t.m[j] += B[i] * inverse[i][j];
      t.error[j] += (B[i] - B2[i]) * inverse[i][j];
    }
  return t;
}

const Tableau kTableau = makeTableau();

/// out = y + sum a[j] u[j] over the stages before `stages`.
PODTWIN_VECTORISED void combine(std::size_t n, std::size_t stages, const double* __restrict y, const double* const* u, const double* a,
                                double* __restrict out) {
  const double a0 = a[0], a1 = stages > 1 ? a[1] : 0.0, a2 = stages > 2 ? a[2] : 0.0;
  const double* __restrict u0 = u[0];
  const double* __restrict u1 = stages > 1 ? u[1] : u[0];
  const double* __restrict u2 = stages > 2 ? u[2] : u[0];
  for (std::size_t i = 0; i < n; ++i) out[i] = y[i] + a0 * u0[i] + a1 * u1[i] + a2 * u2[i];
}

/// out = hg f + sum c[j] u[j] over the stages before `stages`; out may be f.
PODTWIN_VECTORISED void rightSide(std::size_t n, std::size_t stages, double hg, const double* f, const double* const* u, const double* c,
                                  double* out) {
  const double c0 = stages > 0 ? c[0] : 0.0, c1 = stages > 1 ? c[1] : 0.0, c2 = stages > 2 ? c[2] : 0.0;
  const double* u0 = u[0];
  const double* u1 = u[1];
  const double* u2 = u[2];
  if (stages == 0)
    for (std::size_t i = 0; i < n; ++i) out[i] = hg * f[i];
  else if (stages == 1)
    for (std::size_t i = 0; i < n; ++i) out[i] = hg * f[i] + c0 * u0[i];
  else if (stages == 2)
    for (std::size_t i = 0; i < n; ++i) out[i] = hg * f[i] + c0 * u0[i] + c1 * u1[i];
  else
    for (std::size_t i = 0; i < n; ++i) out[i] = hg * f[i] + c0 * u0[i] + c1 * u1[i] + c2 * u2[i];
}

/// New state and the largest weighted error.
PODTWIN_VECTORISED double finish(std::size_t n, const double* __restrict y, const double* const* u, const double* m, const double* e,
                                 const double* __restrict weight, double* __restrict out) {
  const double* __restrict u0 = u[0];
  const double* __restrict u1 = u[1];
  const double* __restrict u2 = u[2];
  const double* __restrict u3 = u[3];
  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = y[i] + (m[0] * u0[i] + m[1] * u1[i] + m[2] * u2[i] + m[3] * u3[i]);
    const double error = std::abs((e[0] * u0[i] + e[1] * u1[i] + e[2] * u2[i] + e[3] * u3[i]) * weight[i]);
    worst = error > worst ? error : worst;
  }
  return worst;
}

}  // namespace

RosenbrockIntegrator::RosenbrockIntegrator(OdeProblem& problem, const IntegratorOptions& options)
    : problem_(problem), options_(options), linear_(problem.structure()), jacobian_(problem.structure()) {
  const std::size_t n = problem.structure().size;
  for (auto* vector : {&y_, &y_before_, &y_new_, &f0_, &f0_before_, &stage_, &work_, &error_weight_}) vector->assign(n, 0.0);
  for (auto& k : k_) k.assign(n, 0.0);
}

void RosenbrockIntegrator::reset(double t, std::span<const double> y) {
  t_ = t_before_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  std::copy(y.begin(), y.end(), y_before_.begin());
  have_rates_ = false;
  if (wish_ == 0.0) wish_ = options_.first_step > 0.0 ? options_.first_step : std::numeric_limits<double>::infinity();
}

double RosenbrockIntegrator::tryStep(double h) {
  const std::size_t n = y_.size();
  const double hg = h * kGamma;
  if (!have_jacobian_ || (!fresh_jacobian_ && problem_.jacobianDrift() > options_.jacobian_drift)) {
    jacobian_.zero();
    problem_.jacobian(t_, y_, jacobian_);
    ++statistics_.jacobian_calls;
    have_jacobian_ = fresh_jacobian_ = true;
    factored_ = 0.0;
  }
  if (factored_ != hg) {
    linear_.factorise(hg, jacobian_);
    ++statistics_.factorisations;
    factored_ = hg;
  }
  const double* u[kStages] = {k_[0].data(), k_[1].data(), k_[2].data(), k_[3].data()};
  for (std::size_t s = 0; s < kStages; ++s) {
    const double* f = f0_.data();
    if (s > 0) {
      combine(n, s, y_.data(), u, kTableau.a[s].data(), stage_.data());
      problem_.rates(t_ + kTableau.alpha[s] * h, stage_, work_);
      ++statistics_.rate_calls;
      f = work_.data();
    }
    double c[kStages];
    for (std::size_t j = 0; j < kStages; ++j) c[j] = kGamma * kTableau.c[s][j];
    rightSide(n, s, hg, f, u, c, k_[s].data());
    linear_.solve(k_[s]);
    ++statistics_.solves;
  }
  return finish(n, y_.data(), u, kTableau.m.data(), kTableau.error.data(), error_weight_.data(), y_new_.data());
}

double RosenbrockIntegrator::step(double t_stop) {
  if (!(t_stop > t_)) throw Error("integrator: the stop time is not ahead of the present time");
  const auto scale = problem_.errorScale();
  const bool relative = problem_.relativeError();
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double unit = relative ? scale[i] + std::abs(y_[i]) : scale[i];
    error_weight_[i] = std::isfinite(unit) ? 1.0 / (options_.rtol * unit) : 0.0;
  }
  constexpr double kSafety = 0.9, kGrowMost = 5.0, kShrinkMost = 0.1, kKeepLow = 0.8, kKeepHigh = 1.25, kAfterThrow = 0.25;
  double limit = wish_;
  if (options_.max_step > 0.0) limit = std::min(limit, options_.max_step);
  bool rejected_before = false;
  std::string last_problem = "the error test keeps failing";
  for (;;) {
    double h = t_stop - t_;
    bool last = true;
    if (h > limit * (1.0 + 1e-9)) {
      // Two equal steps rather than one long and one very short.
      h = h < 2.0 * limit ? 0.5 * h : limit;
      last = false;
    }
    if (h < options_.min_step && !last) giveUp(h, "the step shrank below its minimum; " + last_problem);
    double error = 0.0;
    try {
      if (!have_rates_) {
        problem_.rates(t_, y_, f0_);
        ++statistics_.rate_calls;
        have_rates_ = true;
        fresh_jacobian_ = false;
      }
      error = tryStep(h);
    } catch (const SimulationError& problem) {
      if (h <= options_.min_step) giveUp(h, problem.what());
      have_rates_ = false;
      last_problem = problem.what();
      limit = kAfterThrow * h;
      ++statistics_.rejected;
      continue;
    }
    if (!(error <= 1.0)) {  // also when it is not a number
      ++statistics_.rejected;
      if (h <= options_.min_step) giveUp(h, "the error test cannot be met");
      limit = h * (std::isfinite(error) ? std::max(kShrinkMost, kSafety * std::pow(error, -1.0 / 3.0)) : kShrinkMost);
      rejected_before = true;
      continue;
    }
    // Accepted.
    const double factor = error > 0.0 ? std::min(kGrowMost, kSafety * std::pow(error, -1.0 / 3.0)) : kGrowMost;
    double next = factor > kKeepLow && factor < kKeepHigh ? h : h * factor;
    if (rejected_before) next = std::min(next, h);
    wish_ = last && !rejected_before ? std::max(next, std::min(wish_, limit)) : next;
    if (error > 0.8) wish_ = next;
    t_before_ = t_;
    y_before_.swap(y_);
    f0_before_.swap(f0_);
    y_.swap(y_new_);
    t_ = last ? t_stop : t_ + h;
    have_rates_ = false;
    fresh_jacobian_ = false;
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
  // Cubic Hermite; the rates at the end are evaluated for it.
  std::vector<double> f1(y_.size());
  problem_.rates(t_, y_, f1);
  const double s = (t - t_before_) / h;
  const double h00 = (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s), h10 = s * (1.0 - s) * (1.0 - s), h01 = s * s * (3.0 - 2.0 * s), h11 = s * s * (s - 1.0);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = h00 * y_before_[i] + h * h10 * f0_before_[i] + h01 * y_[i] + h * h11 * f1[i];
}

void RosenbrockIntegrator::giveUp(double h, const std::string& why) const {
  throw SimulationError(failureReport(problem_, "rosenbrock", t_, h, why, y_, f0_));
}

}  // namespace podtwin::solvers
