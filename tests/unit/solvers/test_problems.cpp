#include "tests/unit/solvers/test_problems.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace podtwin::solvers::test {

SmallProblem::SmallProblem(std::size_t n, Rates rates, Rates dense_jacobian)
    : scale(n, 1.0), rates_(std::move(rates)), jacobian_(std::move(dense_jacobian)) {
  structure_.size = structure_.exposed = n;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      structure_.couplings.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
}

Relaxation::Relaxation(double the_rate)
    : SmallProblem(
          1, [this](double, std::span<const double> y, std::span<double> f) { f[0] = rate * (y[0] - input); },
          [this](double, std::span<const double>, std::span<double> j) { j[0] = rate; }),
      rate(the_rate) {}

namespace {
constexpr double kSmall = 2.0, kPlate = 3.0, kBig = 50.0;  // J/K
constexpr double kInner = 4.0, kHot = 6.0, kCold = 5.0;    // W/K
double conductance(double base, double a, double b) { return base * (1.0 + 2e-3 * (a + b)); }
}  // namespace

// Unknowns: hot body, cold body, then the first and the second bodies of the pairs. Each pair: hot - first - second -
// cold.
ClosedHeat::ClosedHeat(std::size_t blocks) : blocks_(blocks) {
  structure_.exposed = 2;
  structure_.size = 2 + 2 * blocks;
  structure_.couplings = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  InteriorGroup group{.name = "pairs", .count = blocks, .interior = 2, .ports = 2, .first = 2, .port = {}};
  group.port.assign(2 * blocks, 0);
  std::fill(group.port.begin() + static_cast<std::ptrdiff_t>(blocks), group.port.end(), 1);
  structure_.groups.push_back(std::move(group));
  scale_.assign(structure_.size, 1.0);
  capacity_.assign(structure_.size, kSmall);
  capacity_[0] = capacity_[1] = kBig;
  for (std::size_t i = 0; i < blocks; ++i) capacity_[2 + blocks + i] = kPlate;
}

std::vector<double> ClosedHeat::start() const {
  std::vector<double> y(structure_.size, 40.0);
  y[0] = 90.0;
  y[1] = 20.0;
  for (std::size_t i = 0; i < blocks_; ++i) y[2 + i] = 30.0 + static_cast<double>(i % 7);
  return y;
}

double ClosedHeat::heat(std::span<const double> y) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += capacity_[i] * y[i];
  return sum;
}

void ClosedHeat::rates(double, std::span<const double> y, std::span<double> ydot) {
  double hot = 0.0, cold = 0.0;
  for (std::size_t i = 0; i < blocks_; ++i) {
    const double a = y[2 + i], b = y[2 + blocks_ + i];
    const double in = conductance(kHot, y[0], a) * (y[0] - a);
    const double through = conductance(kInner, a, b) * (a - b);
    const double out = conductance(kCold, b, y[1]) * (b - y[1]);
    hot -= in;
    cold += out;
    ydot[2 + i] = (in - through) / kSmall;
    ydot[2 + blocks_ + i] = (through - out) / kPlate;
  }
  ydot[0] = hot / kBig;
  ydot[1] = cold / kBig;
}

void ClosedHeat::jacobian(double, std::span<const double> y, Jacobian& jacobian) {
  auto& v = jacobian.groups[0];
  const std::size_t n = blocks_;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = y[2 + i], b = y[2 + n + i];
    const double in = conductance(kHot, y[0], a), through = conductance(kInner, a, b),
                 out = conductance(kCold, b, y[1]);
    v.ii[i] = -(in + through) / kSmall;
    v.ii[n + i] = through / kSmall;
    v.ii[2 * n + i] = through / kPlate;
    v.ii[3 * n + i] = -(through + out) / kPlate;
    v.ip[i] = in / kSmall;
    v.ip[3 * n + i] = out / kPlate;
    v.pi[i] = in / kBig;
    v.pi[3 * n + i] = out / kBig;
    jacobian.exposed[0] -= in / kBig;
    jacobian.exposed[3] -= out / kBig;
  }
}

std::vector<double> march(Integrator& integrator, double t, std::span<const double> y, double end) {
  integrator.reset(t, y);
  while (integrator.time() < end) integrator.step(end);
  return {integrator.state().begin(), integrator.state().end()};
}

std::filesystem::path casesFolder() {
  const char* named = std::getenv("PODTWIN_CASES");
  return named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(PODTWIN_SOURCE_DIR) / "../shared/reference/cases";
}

std::vector<ExpectedRow> readExpected(const std::string& case_name) {
  std::vector<ExpectedRow> rows;
  std::ifstream file(casesFolder() / case_name / "expected.csv");
  std::string line;
  std::getline(file, line);  // scenario,object,quantity,time_s,value,unit,tol_abs,tol_rel
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::vector<std::string> cell;
    for (std::string text; std::getline(fields, text, ',');) cell.push_back(text);
    if (cell.size() != 8) throw std::runtime_error(case_name + ": a row of expected.csv has not eight cells: " + line);
    ExpectedRow row{.scenario = cell[0], .object = cell[1], .quantity = cell[2], .time = std::nullopt};
    if (!cell[3].empty()) row.time = std::stod(cell[3]);
    row.value = std::stod(cell[4]);
    row.tol_abs = std::stod(cell[6]);
    row.tol_rel = std::stod(cell[7]);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace podtwin::solvers::test
