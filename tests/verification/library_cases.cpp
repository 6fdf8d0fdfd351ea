// Evaluates the public library for run_case: one request a line on standard input, one answer a line on standard
// output, numbers to 17 digits, or "error MESSAGE". SI units, kelvin. The requests stand in answer() below.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
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
#include "model/components/cooling/tower_laws.hpp"
#include "model/fluids/glycol.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/fluids/water.hpp"
#include "model/network/friction.hpp"
#include "model/network/sequence_components.hpp"
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
  if (property == "saturation_temperature") return fluids::waterSaturationTemperature(next<double>(in, "p"));
  const auto T = next<double>(in, "T");
  if (property == "saturation_pressure") return fluids::waterSaturationPressure(T);
  if (property == "surface_tension") return fluids::waterSurfaceTension(T);
  if (property == "viscosity_at_density") return fluids::waterViscosity(T, next<double>(in, "density"));
  if (property == "conductivity_at_density") return fluids::waterConductivity(T, next<double>(in, "density"));
  const auto p = next<double>(in, "p");
  if (property == "density") return fluids::waterDensity(T, p);
  if (property == "specific_volume") return 1.0 / fluids::waterDensity(T, p);
  if (property == "cp") return fluids::waterSpecificHeat(T, p);
  if (property == "enthalpy") return fluids::waterEnthalpy(T, p);
  if (property == "entropy") return fluids::waterEntropy(T, p);
  if (property == "internal_energy") return fluids::waterInternalEnergy(T, p);
  if (property == "sound_speed") return fluids::waterSoundSpeed(T, p);
  if (property == "prandtl") return fluids::waterPrandtl(T, p);
  if (property == "viscosity") return fluids::waterViscosity(T, fluids::waterDensity(T, p));
  if (property == "conductivity") return fluids::waterConductivity(T, fluids::waterDensity(T, p));
  throw Error("unknown property '" + property + "'");
}

/// Humidity ratio of air at T [K] and p [Pa] from the word that says which humidity is given, and its value.
double humidityRatioOf(std::istream& in, double T, double p) {
  const auto given = next<std::string>(in, "kind of humidity");
  if (given == "saturated") return fluids::saturationHumidityRatio(T, p);
  if (given == "dry") return 0.0;
  const auto value = next<double>(in, "humidity");
  if (given == "humidity_ratio") return value;
  if (given == "relative_humidity") return fluids::humidityRatio(T, value, p);
  if (given == "wet_bulb") return fluids::humidityRatioFromWetBulb(T, value, p);
  if (given == "dew_point") return fluids::humidityRatioFromDewPoint(value, p);
  throw Error("unknown kind of humidity '" + given + "'");
}

double moistAir(std::istream& in) {
  const auto property = next<std::string>(in, "property");
  const auto T = next<double>(in, "T");
  if (property == "saturation_pressure") return fluids::vapourSaturationPressure(T);
  const auto p = next<double>(in, "p");
  const double ratio = humidityRatioOf(in, T, p);
  if (property == "humidity_ratio") return ratio;
  if (property == "relative_humidity") return fluids::relativeHumidityFromRatio(T, ratio, p);
  if (property == "wet_bulb") return fluids::wetBulbFromRatio(T, ratio, p);
  if (property == "dew_point") return fluids::dewPointFromRatio(ratio, p);
  if (property == "vapour_pressure") return fluids::vapourPressure(ratio, p);
  if (property == "enthalpy") return fluids::moistAirEnthalpy(T, ratio);
  if (property == "specific_volume") return fluids::moistAirVolume(T, ratio, p);
  if (property == "density") return (1.0 + ratio) / fluids::moistAirVolume(T, ratio, p);
  throw Error("unknown property '" + property + "'");
}

double standardAtmosphere(std::istream& in) {
  const auto property = next<std::string>(in, "property");
  const auto elevation = next<double>(in, "elevation");
  if (property == "pressure") return fluids::standardPressure(elevation);
  if (property == "temperature") return fluids::standardTemperature(elevation);
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

/// Hot and cold water, wet bulb, water over air, specific heat of water, pressure.
double merkel(std::istream& in) {
  const auto method = next<std::string>(in, "method");
  MerkelProcess m{};
  for (double* x : {&m.hot, &m.cold, &m.wet_bulb, &m.liquid_to_gas, &m.water_heat, &m.p})
    *x = next<double>(in, "number of the process");
  if (method == "integral") return merkelNumber(m);
  if (method == "chebyshev4") return merkelNumberChebyshev(m);
  throw Error("unknown method '" + method + "'");
}

/// Cold water [K], heat [W], enthalpy of the leaving air [J/kg].
std::vector<double> fill(std::istream& in) {
  double c = 0, n = 0, water = 0, air = 0, hot = 0, wet_bulb = 0, heat = 0, p = 0;
  for (double* x : {&c, &n, &water, &air, &hot, &wet_bulb, &heat, &p}) *x = next<double>(in, "number of the tower");
  const auto result = coolWithFill({c, n}, water, air, hot, wet_bulb, heat, p);
  return {result.cold, result.heat, result.leaving_air_enthalpy};
}

/// Approach [K], and 1 within the validity of the published fit.
std::vector<double> yorkCalc(std::istream& in) {
  double water = 0, air = 0, range = 0, wet_bulb = 0;
  for (double* x : {&water, &air, &range, &wet_bulb}) *x = next<double>(in, "number of the tower");
  YorkCalcCoefficients coefficients = kYorkCalc;
  const auto given = next<std::string>(in, "coefficients");
  if (given == "coefficients")
    for (double& x : coefficients) x = next<double>(in, "coefficient");
  else if (given != "published")
    throw Error("coefficients are 'published' or 'coefficients' and 27 numbers");
  const bool valid = outsideYorkCalc(water, air, range, wet_bulb).empty();
  return {yorkCalcApproach(water / air, range, wet_bulb, coefficients), valid ? 1.0 : 0.0};
}

/// A variable-speed Merkel tower. Of the design: volume flows of water and air, dry and wet bulb, range, approach,
/// share of air flow by free convection, pressure. Of the operation: wet bulb, dry bulb, water in, water flow [kg/s],
/// fan speed over full speed. Answer: water out [K], heat [W], conductance of the design [W/K].
std::vector<double> variableTower(std::istream& in) {
  double water0 = 0, air0 = 0, dry0 = 0, wet0 = 0, range = 0, approach = 0, convection = 0, p = 0;
  for (double* x : {&water0, &air0, &dry0, &wet0, &range, &approach, &convection, &p})
    *x = next<double>(in, "number of the design");
  double wet = 0, dry = 0, water_in = 0, water = 0, speed = 0;
  for (double* x : {&wet, &dry, &water_in, &water, &speed}) *x = next<double>(in, "number of the operation");
  const double hot = wet0 + approach + range, cp = fluids::waterSpecificHeat(hot - 0.5 * range, p);
  const double mass0 = water0 * fluids::waterDensity(hot, p);
  const double ua0 =
      towerConductance({hot, wet0, mass0 * cp, air0 * towerAirDensity(dry0, wet0, p), p}, mass0 * cp * range);
  const double ratio = std::max(speed, convection);
  const double ua = ua0 * towerConductanceRatio(wet0 - wet, ratio, water / mass0);
  const auto pass = passTower({water_in, wet, water * cp, ratio * air0 * towerAirDensity(dry, wet, p), p}, ua);
  return {water > 0.0 ? water_in - pass.heat / (water * cp) : water_in, pass.heat, ua0};
}

/// Number of points, abscissas and ordinates in pairs, the abscissa asked for.
double table(std::istream& in) {
  std::vector<std::pair<double, double>> points(next<std::size_t>(in, "number of points"));
  for (auto& [x, y] : points) {
    x = next<double>(in, "abscissa");
    y = next<double>(in, "ordinate");
  }
  return monotoneTable(points, next<double>(in, "abscissa"));
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

/// Size and angle [degrees] of phases a, b, c. Answer: neutral current, sizes of the zero, positive and negative
/// components, negative and zero over positive, greatest deviation of a size from their mean.
std::vector<double> phaseBalance(std::istream& in) {
  std::array<std::complex<double>, 3> phases;
  for (auto& phase : phases) {
    const auto size = next<double>(in, "size");
    phase = std::polar(size, next<double>(in, "angle") * std::numbers::pi / 180.0);
  }
  const auto u = unbalance(phases);
  return {u.neutral, u.zero, u.positive, u.negative, u.negative_share, u.zero_share, u.greatest_deviation};
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
  // PROPERTY T p | saturation_pressure T | surface_tension T | saturation_temperature p |
  // (viscosity|conductivity)_at_density T DENSITY
  if (request == "water") return {water(in)};
  // PROPERTY T p saturated | PROPERTY T p dry | PROPERTY T p KIND_OF_HUMIDITY VALUE | saturation_pressure T
  if (request == "moist_air") return {moistAir(in)};
  if (request == "standard_atmosphere") return {standardAtmosphere(in)};  // PROPERTY ELEVATION
  if (request == "stull_wet_bulb") {                                      // T RELATIVE_HUMIDITY
    const auto T = next<double>(in, "T");
    return {fluids::stullWetBulb(T, next<double>(in, "relative humidity"))};
  }
  if (request == "glycol") return {glycol(in)};    // FLUID PROPERTY x T | FLUID freezing x
  if (request == "merkel") return {merkel(in)};    // METHOD and what merkel() lists
  if (request == "fill_tower") return fill(in);    // c n WATER AIR HOT WET_BULB WATER_HEAT p
  if (request == "yorkcalc") return yorkCalc(in);  // WATER AIR RANGE WET_BULB_C published | coefficients 27 numbers
  if (request == "variable_tower") return variableTower(in);
  if (request == "monotone_table") return {table(in)};
  if (request == "phase_balance") return phaseBalance(in);  // SIZE ANGLE of phases a, b, c
  if (request == "ode") return solutionAt(in);              // METHOD RTOL polynomials y(0)... t...
  if (request == "event") return {eventTime(in)};           // METHOD RTOL polynomials y(0)... INDEX LEVEL T_MAX
  if (request == "polynomial_root") {                       // LOW HIGH polynomials start...
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
