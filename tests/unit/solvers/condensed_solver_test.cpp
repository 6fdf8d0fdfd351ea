#include "solvers/condensed_solver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "model/base/diagnostics.hpp"
#include "tests/performance/solvers/pod_like_problem.hpp"

namespace podtwin::solvers {
namespace {

struct Shape {
  std::size_t count, interior, ports;
};

/// Random exposed couplings and groups with random ports; every pair of ports is among the couplings.
JacobianStructure randomStructure(std::size_t exposed, const std::vector<Shape>& shapes, std::mt19937& random) {
  JacobianStructure s;
  s.exposed = s.size = exposed;
  const auto pick = [&] { return static_cast<std::int64_t>(random() % exposed); };
  for (std::size_t i = 0; i < exposed; ++i) {
    s.couplings.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)});
    s.couplings.push_back({static_cast<std::int64_t>(i), pick()});
  }
  for (const auto& shape : shapes) {
    InteriorGroup group{.name = "group" + std::to_string(s.groups.size()),
                        .count = shape.count,
                        .interior = shape.interior,
                        .ports = shape.ports,
                        .first = s.size,
                        .port = {}};
    group.port.resize(shape.ports * shape.count);
    for (std::size_t i = 0; i < shape.count; ++i)
      for (std::size_t p = 0; p < shape.ports; ++p)
        group.port[p * shape.count + i] =
            i % 3 == 0 || i == 0 ? pick() : group.port[p * shape.count + i - 1];  // runs of three
    for (std::size_t i = 0; i < shape.count; ++i)
      for (std::size_t p = 0; p < shape.ports; ++p)
        for (std::size_t q = 0; q < shape.ports; ++q)
          s.couplings.push_back({group.port[p * shape.count + i], group.port[q * shape.count + i]});
    s.size += shape.count * shape.interior;
    s.groups.push_back(std::move(group));
  }
  std::sort(s.couplings.begin(), s.couplings.end());
  s.couplings.erase(std::unique(s.couplings.begin(), s.couplings.end()), s.couplings.end());
  return s;
}

void fillRandom(Jacobian& jacobian, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  for (auto& v : jacobian.exposed) v = value(random);
  for (auto& group : jacobian.groups)
    for (auto* entries : {&group.ii, &group.ip, &group.pi})
      for (auto& v : *entries) v = value(random);
}

Eigen::MatrixXd dense(const JacobianStructure& s, const Jacobian& jacobian) {
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(s.size), static_cast<Eigen::Index>(s.size));
  for (std::size_t c = 0; c < s.couplings.size(); ++c)
    j(s.couplings[c].row, s.couplings[c].column) += jacobian.exposed[c];
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    const auto& group = s.groups[g];
    const auto& v = jacobian.groups[g];
    for (std::size_t i = 0; i < group.count; ++i) {
      const auto inside = [&](std::size_t k) { return static_cast<Eigen::Index>(group.first + k * group.count + i); };
      const auto port = [&](std::size_t p) { return static_cast<Eigen::Index>(group.port[p * group.count + i]); };
      for (std::size_t r = 0; r < group.interior; ++r) {
        for (std::size_t c = 0; c < group.interior; ++c)
          j(inside(r), inside(c)) += v.ii[(r * group.interior + c) * group.count + i];
        for (std::size_t p = 0; p < group.ports; ++p) {
          j(inside(r), port(p)) += v.ip[(r * group.ports + p) * group.count + i];
          j(port(p), inside(r)) += v.pi[(p * group.interior + r) * group.count + i];
        }
      }
    }
  }
  return j;
}

double worstError(CondensedSolver& solver, const JacobianStructure& s, const Jacobian& jacobian, double gamma,
                  std::mt19937& random) {
  solver.factorise(gamma, jacobian);
  const auto n = static_cast<Eigen::Index>(s.size);
  const Eigen::MatrixXd m = Eigen::MatrixXd::Identity(n, n) - gamma * dense(s, jacobian);
  std::uniform_real_distribution<double> value(-10.0, 10.0);
  Eigen::VectorXd x(n);
  for (Eigen::Index i = 0; i < n; ++i) x(i) = value(random);
  Eigen::VectorXd b = m * x;
  solver.solve({b.data(), s.size});
  return (b - x).cwiseAbs().maxCoeff();
}

TEST(CondensedSolver, GivesTheSolutionOfTheWholeMatrixForEveryShapeOfBlock) {
  std::mt19937 random(1);
  const std::vector<std::vector<Shape>> plants{{},
                                               {{1, 1, 1}},
                                               {{5, 2, 1}},
                                               {{7, 2, 2}},
                                               {{6, 3, 2}},
                                               {{4, 5, 3}},
                                               {{3, 2, 0}},
                                               {{19, 2, 2}, {11, 3, 1}, {9, 1, 3}},
                                               {{300, 2, 2}, {261, 3, 2}}};
  for (const auto& shapes : plants) {
    const auto structure = randomStructure(12, shapes, random);
    CondensedSolver solver(structure);
    Jacobian jacobian(structure);
    for (const double gamma : {0.05, 0.1, 0.02}) {
      fillRandom(jacobian, random);
      EXPECT_LT(worstError(solver, structure, jacobian, gamma, random), 1e-10)
          << shapes.size() << " groups, gamma " << gamma;
    }
  }
}

TEST(CondensedSolver, SolvesWithoutExposedUnknownsAndWithoutBlocks) {
  std::mt19937 random(2);
  JacobianStructure only_blocks;
  only_blocks.size = 15;
  only_blocks.groups.push_back({.name = "alone", .count = 5, .interior = 3, .ports = 0, .first = 0, .port = {}});
  CondensedSolver solver(only_blocks);
  Jacobian jacobian(only_blocks);
  fillRandom(jacobian, random);
  EXPECT_LT(worstError(solver, only_blocks, jacobian, 0.3, random), 1e-11);
}

TEST(CondensedSolver, NoticesEntriesThatAppearAndVanishBetweenFactorisations) {
  std::mt19937 random(3);
  const auto structure = randomStructure(8, {{10, 2, 2}, {10, 3, 2}}, random);
  CondensedSolver solver(structure);
  Jacobian jacobian(structure);
  EXPECT_EQ(worstError(solver, structure, jacobian, 0.1, random), 0.0) << "a zero Jacobian leaves the identity";
  fillRandom(jacobian, random);
  EXPECT_LT(worstError(solver, structure, jacobian, 0.1, random), 1e-11);
  std::fill(jacobian.groups[0].pi.begin(), jacobian.groups[0].pi.end(), 0.0);
  std::fill(jacobian.groups[1].ip.begin(), jacobian.groups[1].ip.end(), 0.0);
  jacobian.groups[1].pi.back() = 0.0;
  EXPECT_LT(worstError(solver, structure, jacobian, 0.1, random), 1e-11);
}

TEST(CondensedSolver, ChoosesNewPivotsWhenTheOldOnesHaveBecomeUseless) {
  JacobianStructure s;
  s.size = s.exposed = 2;
  s.couplings = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  CondensedSolver solver(s);
  Jacobian jacobian(s);
  solver.factorise(1.0, jacobian);          // the identity: diagonal pivots
  jacobian.exposed = {1.0, 2.0, 3.0, 1.0};  // I - J has a zero diagonal
  std::mt19937 random(4);
  EXPECT_LT(worstError(solver, s, jacobian, 1.0, random), 1e-12);
}

TEST(CondensedSolver, ChoosesNewPivotsWhenTheOldOnesOnlyLoseDigits) {
  JacobianStructure s;
  s.size = s.exposed = 2;
  s.couplings = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  CondensedSolver solver(s);
  Jacobian jacobian(s);
  solver.factorise(1.0, jacobian);
  constexpr double tiny = 0x1p-52;  // left on the diagonal of I - J: a pivot that works, and loses every digit
  jacobian.exposed = {1.0 - tiny, 2.0, 3.0, 1.0 - tiny};
  std::mt19937 random(7);
  EXPECT_LT(worstError(solver, s, jacobian, 1.0, random), 1e-12);
}

TEST(CondensedSolver, IsExactToRoundOffAtTheSizeOfAPod) {
  performance::PodLikeProblem pod;
  pod.setInputs(3);
  const auto& s = pod.structure();
  Jacobian jacobian(s);
  const auto y = pod.start();
  pod.jacobian(0.0, y, jacobian);
  CondensedSolver solver(s);
  const double gamma = 0.4;
  solver.factorise(gamma, jacobian);
  std::vector<double> x(y);
  solver.solve(x);
  // Residual with the Jacobian's own arrays.
  std::vector<double> r(s.size);
  for (std::size_t i = 0; i < s.size; ++i) r[i] = y[i] - x[i];
  for (std::size_t c = 0; c < s.couplings.size(); ++c)
    r[static_cast<std::size_t>(s.couplings[c].row)] +=
        gamma * jacobian.exposed[c] * x[static_cast<std::size_t>(s.couplings[c].column)];
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    const auto& group = s.groups[g];
    const auto& v = jacobian.groups[g];
    for (std::size_t i = 0; i < group.count; ++i)
      for (std::size_t k = 0; k < group.interior; ++k) {
        const std::size_t row = group.first + k * group.count + i;
        for (std::size_t c = 0; c < group.interior; ++c)
          r[row] += gamma * v.ii[(k * group.interior + c) * group.count + i] * x[group.first + c * group.count + i];
        for (std::size_t p = 0; p < group.ports; ++p) {
          const auto port = static_cast<std::size_t>(group.port[p * group.count + i]);
          r[row] += gamma * v.ip[(k * group.ports + p) * group.count + i] * x[port];
          r[port] += gamma * v.pi[(p * group.interior + k) * group.count + i] * x[row];
        }
      }
  }
  double worst = 0.0;
  for (const double value : r) worst = std::max(worst, std::abs(value));
  EXPECT_LT(worst, 1e-11);
}

std::string messageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "no SimulationError";
}

TEST(CondensedSolver, NamesTheBlockThatIsSingular) {
  std::mt19937 random(5);
  for (const std::size_t interior : {2U, 3U}) {
    const auto structure = randomStructure(4, {{600, interior, 1}}, random);
    CondensedSolver solver(structure, [](std::size_t row) { return "chip-" + std::to_string(row); });
    Jacobian jacobian(structure);
    // Block 417: M_ii with two equal rows once gamma is 1.
    auto& ii = jacobian.groups[0].ii;
    const auto entry = [&](std::size_t r, std::size_t c) -> double& { return ii[(r * interior + c) * 600 + 417]; };
    entry(0, 0) = -1.0, entry(0, 1) = -2.0;
    entry(1, 0) = -2.0, entry(1, 1) = -1.0;
    entry(1, 0) = -2.0 * 1.0, entry(0, 1) = -2.0;  // I - J = [2 2; 2 2]
    EXPECT_THAT(messageOf([&] { solver.factorise(1.0, jacobian); }),
                testing::AllOf(testing::HasSubstr("block 417 of 'group0'"), testing::HasSubstr("chip-421"),
                               testing::HasSubstr("singular")));
    entry(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(messageOf([&] { solver.factorise(1.0, jacobian); }),
                testing::AllOf(testing::HasSubstr("block 417"), testing::HasSubstr("not finite")));
    entry(0, 0) = -3.0;
    EXPECT_NO_THROW(solver.factorise(1.0, jacobian)) << "and works again afterwards";
  }
}

TEST(CondensedSolver, NamesTheExposedUnknownWithoutAPivotOrWithABadNumber) {
  JacobianStructure s;
  s.size = s.exposed = 3;
  s.couplings = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}};
  CondensedSolver solver(s, [](std::size_t row) { return std::string(1, static_cast<char>('A' + row)); });
  Jacobian jacobian(s);
  jacobian.exposed = {0.0, 0.0, 0.0, 0.0, 1.0};  // I - J has a zero row for C
  EXPECT_THAT(messageOf([&] { solver.factorise(1.0, jacobian); }), testing::HasSubstr("no pivot left for C"));
  jacobian.exposed = {0.0, std::numeric_limits<double>::infinity(), 0.0, 0.0, 0.0};
  EXPECT_THAT(messageOf([&] { solver.factorise(1.0, jacobian); }),
              testing::HasSubstr("coefficient of B in the balance of A is not finite"));
  jacobian.exposed = {0.0, 0.5, 0.0, 0.0, 0.0};
  std::mt19937 random(6);
  EXPECT_LT(worstError(solver, s, jacobian, 1.0, random), 1e-14) << "and works again afterwards";
}

TEST(CondensedSolver, RefusesAStructureThatLacksAPairOfPorts) {
  JacobianStructure s;
  s.exposed = 2;
  s.size = 4;
  s.couplings = {{0, 0}, {0, 1}, {1, 1}};  // (1, 0) is missing
  s.groups.push_back({.name = "gpu", .count = 1, .interior = 2, .ports = 2, .first = 2, .port = {0, 1}});
  EXPECT_THROW(CondensedSolver{s}, Error);
  s.couplings = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_NO_THROW(CondensedSolver{s});
  s.couplings = {{0, 1}, {1, 0}, {1, 1}};  // a diagonal is missing
  EXPECT_THROW(CondensedSolver{s}, Error);
}

}  // namespace
}  // namespace podtwin::solvers
