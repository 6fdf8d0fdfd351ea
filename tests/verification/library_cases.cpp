// Evaluates the public library for run_case: one request a line on standard input, one answer a line on standard
// output, numbers to 17 digits, or "error MESSAGE". SI units, kelvin. The requests stand in answer() below.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/components/cooling/effectiveness.hpp"
#include "model/fluids/glycol.hpp"
#include "model/fluids/water.hpp"
#include "model/network/friction.hpp"
#include "scenarios/plant_run.hpp"
#include "solvers/integrator.hpp"
#include "solvers/nonlinear.hpp"

namespace {

using namespace podtwin;

/// The next word of a request; throws where there is none or it is not of the type.
template <class T>
T next(std::istream& in, const char* what) {
  T value{};
  if (!(in >> value)) throw Error(std::string("request lacks ") + what);
  return value;
}
template <class T>
T named(const std::map<std::string, T>& names, const std::string& name) {
  const auto found = names.find(name);
  if (found == names.end()) throw Error("unknown name '" + name + "'");
  return found->second;
}

/// Polynomials in n unknowns: rows are sums of coefficient times powers. Request form: n, number of terms, then for
/// each term its row, coefficient and n exponents.
struct Polynomials {
  struct Term {
    std::size_t row;
    double coefficient;
    std::vector<int> exponents;
  };
  std::size_t n;
  std::vector<Term> terms;

  explicit Polynomials(std::istream& in) : n(next<std::size_t>(in, "number of unknowns")) {
    terms.resize(next<std::size_t>(in, "number of terms"));
    for (auto& term : terms) {
      term.row = next<std::size_t>(in, "row");
      if (term.row >= n) throw Error("row of a term is outside the system");
      term.coefficient = next<double>(in, "coefficient");
      for (std::size_t j = 0; j < n; ++j) term.exponents.push_back(next<int>(in, "exponent"));
    }
  }
  void values(std::span<const double> y, std::span<double> f) const {
    for (double& v : f) v = 0.0;
    for (const auto& term : terms) {
      double product = term.coefficient;
      for (std::size_t j = 0; j < n; ++j)
        for (int k = 0; k < term.exponents[j]; ++k) product *= y[j];
      f[term.row] += product;
    }
  }
  /// Adds every derivative df_row/dy_column through add(row, column, value).
  template <class Add>
  void derivatives(std::span<const double> y, Add add) const {
    for (const auto& term : terms)
      for (std::size_t c = 0; c < n; ++c) {
        if (term.exponents[c] == 0) continue;
        double product = term.coefficient * term.exponents[c];
        for (std::size_t j = 0; j < n; ++j)
          for (int k = 0; k < term.exponents[j] - (j == c ? 1 : 0); ++k) product *= y[j];
        add(term.row, c, product);
      }
  }
};

class PolynomialOde final : public solvers::OdeProblem {
 public:
  PolynomialOde(Polynomials polynomials, double scale)
      : polynomials_(std::move(polynomials)), scale_(polynomials_.n, scale) {
    const std::size_t n = polynomials_.n;
    structure_.size = structure_.exposed = n;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c)
        structure_.couplings.push_back({static_cast<std::int64_t>(r), static_cast<std::int64_t>(c)});
  }
  const JacobianStructure& structure() const override { return structure_; }
  void rates(double, std::span<const double> y, std::span<double> ydot) override { polynomials_.values(y, ydot); }
  void jacobian(double, std::span<const double> y, Jacobian& jacobian) override {
    polynomials_.derivatives(
        y, [&](std::size_t r, std::size_t c, double v) { jacobian.exposed[r * polynomials_.n + c] += v; });
  }
  std::span<const double> errorScale() const override { return scale_; }
  double jacobianDrift() const override { return std::numeric_limits<double>::infinity(); }
  std::string nameOf(std::size_t row) const override { return "y" + std::to_string(row + 1); }
  bool relativeError() const override { return true; }

 private:
  Polynomials polynomials_;
  JacobianStructure structure_;
  std::vector<double> scale_;
};

/// Error scale of an unknown besides its own size: small against any number that a problem reports.
constexpr double kScale = 1e-14;

std::unique_ptr<solvers::Integrator> integratorOf(std::istream& in, std::unique_ptr<PolynomialOde>& problem) {
  solvers::IntegratorOptions options;
  options.method = solvers::methodFromName(next<std::string>(in, "method"));
  options.rtol = next<double>(in, "rtol");
  options.first_step = 1e-10;
  options.min_step = 1e-22;
  Polynomials polynomials(in);
  std::vector<double> start(polynomials.n);
  for (double& v : start) v = next<double>(in, "start value");
  problem = std::make_unique<PolynomialOde>(std::move(polynomials), kScale);
  auto integrator = solvers::makeIntegrator(*problem, options);
  integrator->reset(0.0, start);
  return integrator;
}

/// All unknowns at each of the rising times asked for.
std::vector<double> solutionAt(std::istream& in) {
  std::unique_ptr<PolynomialOde> problem;
  const auto integrator = integratorOf(in, problem);
  std::vector<double> out;
  double t = 0.0;
  while (in >> t) {
    while (integrator->time() < t) integrator->step(t);
    out.insert(out.end(), integrator->state().begin(), integrator->state().end());
  }
  return out;
}

/// First time at which unknown `index` passes `level`; the search ends with an error at `t_max`.
double eventTime(std::istream& in) {
  std::unique_ptr<PolynomialOde> problem;
  const auto integrator = integratorOf(in, problem);
  const auto index = next<std::size_t>(in, "index");
  const auto level = next<double>(in, "level");
  const auto t_max = next<double>(in, "t_max");
  if (index >= integrator->state().size()) throw Error("no unknown of that index");
  std::vector<double> y(integrator->state().begin(), integrator->state().end());
  const bool above = y[index] > level;
  while (integrator->time() < t_max) {
    double low = integrator->time();
    integrator->step(t_max);
    if ((integrator->state()[index] > level) == above) continue;
    double high = integrator->time();
    for (int k = 0; k < 100 && high > low; ++k) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      integrator->interpolate(middle, y);
      ((y[index] > level) == above ? low : high) = middle;
    }
    return high;
  }
  throw Error("the level is not passed");
}

class PolynomialSystem final : public solvers::NonlinearProblem {
 public:
  PolynomialSystem(Polynomials polynomials, double low, double high)
      : polynomials_(std::move(polynomials)), lower_(polynomials_.n, low), upper_(polynomials_.n, high) {}
  std::size_t size() const override { return polynomials_.n; }
  void residual(std::span<const double> x, std::span<double> f) override { polynomials_.values(x, f); }
  void jacobian(std::span<const double> x, std::span<double> values) override {
    polynomials_.derivatives(x, [&](std::size_t r, std::size_t c, double v) { values[r * polynomials_.n + c] += v; });
  }
  std::span<const double> lower() const override { return lower_; }
  std::span<const double> upper() const override { return upper_; }

 private:
  Polynomials polynomials_;
  std::vector<double> lower_, upper_;
};

/// 0.5 sin(x1 x2) - 0.25 x2/pi - 0.5 x1 = 0; (1 - 0.25/pi)(exp(2 x1) - e) + e x2/pi - 2 e x1 = 0 on 0.25 <= x1 <= 1,
/// 1.5 <= x2 <= 2 pi (Ferraris and Tronconi, 1986).
class FerrarisTronconi final : public solvers::NonlinearProblem {
 public:
  std::size_t size() const override { return 2; }
  void residual(std::span<const double> x, std::span<double> f) override {
    using std::numbers::e, std::numbers::pi;
    f[0] = 0.5 * std::sin(x[0] * x[1]) - 0.25 * x[1] / pi - 0.5 * x[0];
    f[1] = (1.0 - 0.25 / pi) * (std::exp(2.0 * x[0]) - e) + e * x[1] / pi - 2.0 * e * x[0];
  }
  void jacobian(std::span<const double> x, std::span<double> values) override {
    using std::numbers::e, std::numbers::pi;
    values[0] = 0.5 * x[1] * std::cos(x[0] * x[1]) - 0.5;
    values[1] = 0.5 * x[0] * std::cos(x[0] * x[1]) - 0.25 / pi;
    values[2] = 2.0 * (1.0 - 0.25 / pi) * std::exp(2.0 * x[0]) - 2.0 * e;
    values[3] = e / pi;
  }
  std::span<const double> lower() const override { return lower_; }
  std::span<const double> upper() const override { return upper_; }

 private:
  std::vector<double> lower_{0.25, 1.5}, upper_{1.0, 2.0 * std::numbers::pi};
};

std::vector<double> root(solvers::NonlinearProblem& problem, std::istream& in) {
  std::vector<double> x(problem.size());
  for (double& v : x) v = next<double>(in, "start value");
  solvers::solveNonlinear(problem, x);
  return x;
}

double water(std::istream& in) {
  const auto property = next<std::string>(in, "property");
  const auto T = next<double>(in, "T");
  if (property == "saturation_pressure") return fluids::waterSaturationPressure(T);
  const auto p = next<double>(in, "p");
  if (property == "density") return fluids::waterDensity(T, p);
  if (property == "cp") return fluids::waterSpecificHeat(T, p);
  if (property == "enthalpy") return fluids::waterEnthalpy(T, p);
  if (property == "prandtl") return fluids::waterPrandtl(T, p);
  if (property == "viscosity") return fluids::waterViscosity(T, fluids::waterDensity(T, p));
  if (property == "conductivity") return fluids::waterConductivity(T, fluids::waterDensity(T, p));
  throw Error("unknown property '" + property + "'");
}

double glycol(std::istream& in) {
  using fluids::Glycol;
  const auto kind = named<Glycol>({{"MPG", Glycol::propylene_by_mass},
                                   {"APG", Glycol::propylene_by_volume},
                                   {"MEG", Glycol::ethylene_by_mass},
                                   {"AEG", Glycol::ethylene_by_volume}},
                                  next<std::string>(in, "fluid"));
  const auto property = next<std::string>(in, "property");
  const auto x = next<double>(in, "fraction");
  if (property == "freezing") return fluids::glycolFreezingPoint(kind, x);
  const auto T = next<double>(in, "T");
  if (property == "density") return fluids::glycolDensity(kind, T, x);
  if (property == "cp") return fluids::glycolSpecificHeat(kind, T, x);
  if (property == "conductivity") return fluids::glycolConductivity(kind, T, x);
  if (property == "viscosity") return fluids::glycolViscosity(kind, T, x);
  throw Error("unknown property '" + property + "'");
}

/// Eigenvalues of the rates of a pod at the cold start of its design point: real and imaginary parts in turn [1/s]. The
/// derivatives are central differences, exact to rounding for the linear plants this is meant for.
std::vector<double> modes(const std::string& pod) {
  const auto run = scenarios::preparePod(pod, {});
  const System& system = *run.system;
  const std::size_t n = system.size();
  const double step = 4.0;  // K, or the unit of the unknown; a power of two
  Evaluation e = system.makeEvaluation();
  std::vector<double> y = run.start.y, ahead(n), behind(n);
  Eigen::MatrixXd matrix(n, n);
  for (std::size_t c = 0; c < n; ++c) {
    y[c] = run.start.y[c] + step;
    system.evaluate(run.start, run.start.t, y, e, ahead);
    y[c] = run.start.y[c] - step;
    system.evaluate(run.start, run.start.t, y, e, behind);
    y[c] = run.start.y[c];
    for (std::size_t r = 0; r < n; ++r) matrix(r, c) = (ahead[r] - behind[r]) / (2.0 * step);
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix, false);
  if (solver.info() != Eigen::Success) throw Error("the eigenvalues did not converge");
  std::vector<double> out;
  for (const auto& value : solver.eigenvalues()) {
    out.push_back(value.real());
    out.push_back(value.imag());
  }
  return out;
}

Arrangement arrangementOf(const std::string& name) {
  return named<Arrangement>({{"counterflow", Arrangement::counterflow},
                             {"parallel", Arrangement::parallel},
                             {"cross_cmax_mixed", Arrangement::cross_cmax_mixed},
                             {"cross_cmin_mixed", Arrangement::cross_cmin_mixed},
                             {"cross_both_mixed", Arrangement::cross_both_mixed},
                             {"cross_unmixed_approx", Arrangement::cross_unmixed_approximate},
                             {"cross_unmixed_exact", Arrangement::cross_unmixed},
                             {"shell_tube_1_2", Arrangement::shell_tube_1_2}},
                            name);
}

std::vector<double> answer(std::istream& in) {
  const auto request = next<std::string>(in, "its name");
  if (request == "effectiveness") {  // ARRANGEMENT NTU CR
    const auto arrangement = arrangementOf(next<std::string>(in, "arrangement"));
    const auto ntu = next<double>(in, "NTU");
    return {checkedEffectiveness(arrangement, ntu, next<double>(in, "Cr"))};
  }
  if (request == "counterflow_ntu") {  // EFFECTIVENESS CR
    const auto value = next<double>(in, "effectiveness");
    return {counterflowNtu(value, next<double>(in, "Cr"))};
  }
  if (request == "friction") {  // LAW RE ROUGHNESS_OVER_DIAMETER
    const FrictionLaw law = frictionLawOf(next<std::string>(in, "law"));
    const auto reynolds = next<double>(in, "Reynolds number");
    double slope = 0.0;
    return {frictionFactor(law, reynolds, next<double>(in, "relative roughness"), slope)};
  }
  if (request == "water") return {water(in)};      // PROPERTY T p | saturation_pressure T
  if (request == "glycol") return {glycol(in)};    // FLUID PROPERTY x T | FLUID freezing x
  if (request == "ode") return solutionAt(in);     // METHOD RTOL polynomials y(0)... t...
  if (request == "event") return {eventTime(in)};  // METHOD RTOL polynomials y(0)... INDEX LEVEL T_MAX
  if (request == "polynomial_root") {              // LOW HIGH polynomials start...
    const auto low = next<double>(in, "lower bound");
    const auto high = next<double>(in, "upper bound");
    PolynomialSystem problem(Polynomials(in), low, high);
    return root(problem, in);
  }
  if (request == "modes") return modes(next<std::string>(in, "pod file"));  // POD
  if (request == "ferraris_tronconi") {                                     // x1 x2
    FerrarisTronconi problem;
    return root(problem, in);
  }
  throw Error("unknown request '" + request + "'");
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    try {
      const auto numbers = answer(in);
      for (std::size_t i = 0; i < numbers.size(); ++i) std::printf(i == 0 ? "%.17g" : " %.17g", numbers[i]);
      std::printf("\n");
    } catch (const std::exception& error) {
      std::printf("error %s\n", error.what());
    }
    std::fflush(stdout);
  }
  return 0;
}
