#include "solvers/textbook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "model/base/diagnostics.hpp"

namespace podtwin::solvers {

TextbookOde robertson() {
  constexpr double k1 = 0.04, k2 = 1e4, k3 = 3e7;
  return {.name = "robertson",
          .start = {1.0, 0.0, 0.0},
          .scale = {1e-8, 1e-14, 1e-3},  // y1 and y2 fall to 2e-8 and 8e-14
          .rates =
              [](std::span<const double> y, std::span<double> f) {
                f[0] = -k1 * y[0] + k2 * y[1] * y[2];
                f[2] = k3 * y[1] * y[1];
                f[1] = -f[0] - f[2];
              },
          .jacobian =
              [](std::span<const double> y, std::span<double> j) {
                j[0] = -k1, j[1] = k2 * y[2], j[2] = k2 * y[1];
                j[6] = 0.0, j[7] = 2.0 * k3 * y[1], j[8] = 0.0;
                for (std::size_t c = 0; c < 3; ++c) j[3 + c] = -j[c] - j[6 + c];
              }};
}

TextbookOde oregonator() {
  constexpr double s = 77.27, w = 0.161, q = 8.375e-6;
  return {.name = "oregonator",
          .start = {1.0, 2.0, 3.0},
          .scale = {1e-2, 1e-2, 1e-2},
          .rates =
              [](std::span<const double> y, std::span<double> f) {
                f[0] = s * (y[1] - y[0] * y[1] + y[0] - q * y[0] * y[0]);
                f[1] = (-y[1] - y[0] * y[1] + y[2]) / s;
                f[2] = w * (y[0] - y[2]);
              },
          .jacobian =
              [](std::span<const double> y, std::span<double> j) {
                j[0] = s * (1.0 - y[1] - 2.0 * q * y[0]), j[1] = s * (1.0 - y[0]);
                j[3] = -y[1] / s, j[4] = -(1.0 + y[0]) / s, j[5] = 1.0 / s;
                j[6] = w, j[8] = -w;
              }};
}

TextbookOde vanDerPol(double eps) {
  return {.name = "van-der-pol",
          .start = {2.0, 0.0},
          .scale = {1e-3, 1e-3},
          .rates =
              [eps](std::span<const double> y, std::span<double> f) {
                f[0] = y[1];
                f[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / eps;
              },
          .jacobian =
              [eps](std::span<const double> y, std::span<double> j) {
                j[1] = 1.0;
                j[2] = (-2.0 * y[0] * y[1] - 1.0) / eps, j[3] = (1.0 - y[0] * y[0]) / eps;
              }};
}

TextbookOde vanDerPolWithMu(double mu) {
  return {.name = "van-der-pol-mu",
          .start = {2.0, 0.0},
          .scale = {1.0, 1.0},
          .rates =
              [mu](std::span<const double> y, std::span<double> f) {
                f[0] = y[1];
                f[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
              },
          .jacobian =
              [mu](std::span<const double> y, std::span<double> j) {
                j[1] = 1.0;
                j[2] = -2.0 * mu * y[0] * y[1] - 1.0, j[3] = mu * (1.0 - y[0] * y[0]);
              }};
}

TextbookOde hires() {
  return {.name = "hires",
          .start = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057},
          .scale = {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-5},
          .rates =
              [](std::span<const double> y, std::span<double> f) {
                const double bound = 280.0 * y[5] * y[7];
                f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
                f[1] = 1.71 * y[0] - 8.75 * y[1];
                f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
                f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
                f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
                f[5] = -bound + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
                f[6] = bound - 1.81 * y[6];
                f[7] = -bound + 1.81 * y[6];
              },
          .jacobian =
              [](std::span<const double> y, std::span<double> j) {
                constexpr std::size_t n = 8;
                const double d5 = 280.0 * y[7], d7 = 280.0 * y[5];
                j[0] = -1.71, j[1] = 0.43, j[2] = 8.32;
                j[n] = 1.71, j[n + 1] = -8.75;
                j[2 * n + 2] = -10.03, j[2 * n + 3] = 0.43, j[2 * n + 4] = 0.035;
                j[3 * n + 1] = 8.32, j[3 * n + 2] = 1.71, j[3 * n + 3] = -1.12;
                j[4 * n + 4] = -1.745, j[4 * n + 5] = 0.43, j[4 * n + 6] = 0.43;
                j[5 * n + 3] = 0.69, j[5 * n + 4] = 1.71, j[5 * n + 5] = -d5 - 0.43, j[5 * n + 6] = 0.69,
                          j[5 * n + 7] = -d7;
                j[6 * n + 5] = d5, j[6 * n + 6] = -1.81, j[6 * n + 7] = d7;
                j[7 * n + 5] = -d5, j[7 * n + 6] = 1.81, j[7 * n + 7] = -d7;
              }};
}

TextbookProblem::TextbookProblem(TextbookOde ode, std::size_t copies, std::size_t interior)
    : ode_(std::move(ode)), copies_(copies), interior_(interior), n_(ode_.start.size()) {
  if (interior > n_ || copies == 0) throw Error("textbook problem: no such partition");
  const std::size_t outside = n_ - interior;
  structure_.size = copies * n_;
  structure_.exposed = copies * outside;
  for (std::size_t c = 0; c < copies; ++c)
    for (std::size_t i = interior; i < n_; ++i)
      for (std::size_t k = interior; k < n_; ++k)
        structure_.couplings.push_back(
            {static_cast<std::int64_t>(place(c, i)), static_cast<std::int64_t>(place(c, k))});
  std::sort(structure_.couplings.begin(), structure_.couplings.end());
  if (interior > 0) {
    InteriorGroup group{.name = ode_.name,
                        .count = copies,
                        .interior = interior,
                        .ports = outside,
                        .first = structure_.exposed,
                        .port = {}};
    for (std::size_t i = interior; i < n_; ++i)
      for (std::size_t c = 0; c < copies; ++c) group.port.push_back(static_cast<std::int64_t>(place(c, i)));
    structure_.groups.push_back(std::move(group));
  }
  scale_.resize(structure_.size);
  for (std::size_t c = 0; c < copies; ++c)
    for (std::size_t i = 0; i < n_; ++i) scale_[place(c, i)] = ode_.scale[i];
  y_.resize(n_);
  f_.resize(n_);
  values_.resize(n_ * n_);
}

std::size_t TextbookProblem::place(std::size_t copy, std::size_t unknown) const {
  const std::size_t outside = n_ - interior_;
  return unknown < interior_ ? copies_ * outside + unknown * copies_ + copy : copy * outside + unknown - interior_;
}

std::vector<double> TextbookProblem::start() const {
  std::vector<double> y(structure_.size);
  for (std::size_t c = 0; c < copies_; ++c)
    for (std::size_t i = 0; i < n_; ++i) y[place(c, i)] = ode_.start[i];
  return y;
}

void TextbookProblem::rates(double, std::span<const double> y, std::span<double> ydot) {
  for (std::size_t c = 0; c < copies_; ++c) {
    for (std::size_t i = 0; i < n_; ++i) y_[i] = y[place(c, i)];
    ode_.rates(y_, f_);
    for (std::size_t i = 0; i < n_; ++i) ydot[place(c, i)] = f_[i];
  }
}

void TextbookProblem::jacobian(double, std::span<const double> y, Jacobian& jacobian) {
  const std::size_t outside = n_ - interior_;
  for (std::size_t c = 0; c < copies_; ++c) {
    for (std::size_t i = 0; i < n_; ++i) y_[i] = y[place(c, i)];
    std::fill(values_.begin(), values_.end(), 0.0);
    ode_.jacobian(y_, values_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) {
        const double value = values_[i * n_ + k];
        if (i >= interior_ && k >= interior_)
          jacobian.exposed[c * outside * outside + (i - interior_) * outside + k - interior_] = value;
        else if (i < interior_ && k < interior_)
          jacobian.groups[0].ii[(i * interior_ + k) * copies_ + c] = value;
        else if (i < interior_)
          jacobian.groups[0].ip[(i * outside + k - interior_) * copies_ + c] = value;
        else
          jacobian.groups[0].pi[((i - interior_) * interior_ + k) * copies_ + c] = value;
      }
  }
}

double TextbookProblem::jacobianDrift() const { return std::numeric_limits<double>::infinity(); }

std::string TextbookProblem::nameOf(std::size_t row) const {
  for (std::size_t c = 0; c < copies_; ++c)
    for (std::size_t i = 0; i < n_; ++i)
      if (place(c, i) == row)
        return ode_.name + (copies_ > 1 ? "-" + std::to_string(c + 1) : "") + ".y" + std::to_string(i + 1);
  throw Error("textbook problem: no unknown " + std::to_string(row));
}

FerrarisTronconi::FerrarisTronconi() : lower_{0.25, 1.5}, upper_{1.0, 2.0 * std::numbers::pi} {}

void FerrarisTronconi::residual(std::span<const double> x, std::span<double> f) {
  using std::numbers::e, std::numbers::pi;
  f[0] = 0.5 * std::sin(x[0] * x[1]) - 0.25 * x[1] / pi - 0.5 * x[0];
  f[1] = (1.0 - 0.25 / pi) * (std::exp(2.0 * x[0]) - e) + e * x[1] / pi - 2.0 * e * x[0];
}

void FerrarisTronconi::jacobian(std::span<const double> x, std::span<double> values) {
  using std::numbers::e, std::numbers::pi;
  const double slope = 0.5 * std::cos(x[0] * x[1]);
  values[0] = slope * x[1] - 0.5;
  values[1] = slope * x[0] - 0.25 / pi;
  values[2] = 2.0 * (1.0 - 0.25 / pi) * std::exp(2.0 * x[0]) - 2.0 * e;
  values[3] = e / pi;
}

RobotKinematics::RobotKinematics() : lower_(kSize, -1.0), upper_(kSize, 1.0) {}

void RobotKinematics::residual(std::span<const double> x, std::span<double> f) {
  f[0] =
      0.004731 * x[0] * x[2] - 0.3578 * x[1] * x[2] - 0.1238 * x[0] + x[6] - 0.001637 * x[1] - 0.9338 * x[3] - 0.3571;
  f[1] = 0.2238 * x[0] * x[2] + 0.7623 * x[1] * x[2] + 0.2638 * x[0] - x[6] - 0.07745 * x[1] - 0.6734 * x[3] - 0.6022;
  f[2] = x[5] * x[7] + 0.3578 * x[0] + 0.004731 * x[1];
  f[3] = -0.7623 * x[0] + 0.2238 * x[1] + 0.3461;
  for (std::size_t k = 0; k < kSize / 2; ++k) f[4 + k] = x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1] - 1.0;
}

void RobotKinematics::jacobian(std::span<const double> x, std::span<double> values) {
  const auto at = [&](std::size_t row, std::size_t column) -> double& { return values[row * kSize + column]; };
  at(0, 0) = 0.004731 * x[2] - 0.1238;
  at(0, 1) = -0.3578 * x[2] - 0.001637;
  at(0, 2) = 0.004731 * x[0] - 0.3578 * x[1];
  at(0, 3) = -0.9338;
  at(0, 6) = 1.0;
  at(1, 0) = 0.2238 * x[2] + 0.2638;
  at(1, 1) = 0.7623 * x[2] - 0.07745;
  at(1, 2) = 0.2238 * x[0] + 0.7623 * x[1];
  at(1, 3) = -0.6734;
  at(1, 6) = -1.0;
  at(2, 0) = 0.3578;
  at(2, 1) = 0.004731;
  at(2, 5) = x[7];
  at(2, 7) = x[5];
  at(3, 0) = -0.7623;
  at(3, 1) = 0.2238;
  for (std::size_t k = 0; k < kSize / 2; ++k)
    at(4 + k, 2 * k) = 2.0 * x[2 * k], at(4 + k, 2 * k + 1) = 2.0 * x[2 * k + 1];
}

}  // namespace podtwin::solvers
