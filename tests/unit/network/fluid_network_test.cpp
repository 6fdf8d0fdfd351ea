// Flow solves of random circuits from random starts: every equation of every answer is checked, and answers from
// different starts are the same.
#include "model/network/fluid_network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>
#include <utility>

namespace podtwin {
namespace {

constexpr double kDensity = 1000.0, kGravity = 9.81;

/// A connected circuit of pumps with non-return valves, valves nearly shut and wide open, flow limiters, stated flows
/// and pipes of every friction law.
struct RandomCircuit {
  std::vector<FluidNode> nodes;
  std::vector<FluidEdge> edges;
  std::vector<EdgeLaw> laws;
  std::vector<double> inflow;
  std::deque<PipeFriction> pipes;
  std::mt19937 random;

  RandomCircuit(std::size_t node_count, std::size_t edge_count, unsigned seed) : random(seed) {
    for (std::size_t n = 0; n < node_count; ++n) nodes.push_back({"n" + std::to_string(n), between(0.0, 20.0), n == 0});
    for (std::size_t e = 0; e < edge_count; ++e) {
      const std::size_t to = e + 1 < node_count ? e + 1 : pick(node_count);
      const std::size_t from = e + 1 < node_count ? pick(e + 1) : pick(node_count);
      edges.push_back({from, to, "e" + std::to_string(e)});
      laws.push_back(law());
      laws.back().fixed = laws.back().fixed && e + 1 >= node_count;  // the tree of the first edges carries pressure
    }
    inflow.assign(node_count, 0.0);
    for (std::size_t n = 1; n < node_count; ++n)
      if (pick(5) == 0) inflow[n] = between(-5.0, 5.0);
  }
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(random); }
  double decades(double low, double high) { return std::pow(10.0, between(low, high)); }
  std::size_t pick(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); }
  EdgeLaw law() {
    EdgeLaw law;
    law.k = decades(0.0, 6.0);
    law.m_linear = decades(-4.0, -1.0);
    switch (pick(8)) {
      case 0:  // pump with a non-return valve, its curve rising near shut-off now and then
        law.head_0 = decades(3.0, 5.7);
        law.head_1 = pick(3) == 0 ? between(0.0, 2.0) * std::sqrt(law.head_0 * law.k) : 0.0;
        law.check = true;
        break;
      case 1:  // pump without
        law.head_0 = decades(3.0, 5.7);
        break;
      case 2:  // valve shut but for its leakage
        law.k = decades(8.0, 11.0);
        break;
      case 3:
        law.exponent = between(1.6, 2.0);
        break;
      case 4:
        law.fixed = true;
        law.m_fixed = between(-5.0, 5.0);
        break;
      case 5:  // anything from a capillary to a main, with fittings or without
        pipes.push_back(
            {static_cast<FrictionLaw>(pick(6)), decades(-6.0, -1.5), decades(2.0, 6.0), decades(-2.0, 7.0)});
        law.pipe = &pipes.back();
        law.m_linear = 0.0;
        if (pick(2) == 0) law.k = 0.0;
        break;
      case 6:
        law.m_limit = decades(-2.0, 1.0);
        break;
      default:
        law.check = pick(2) == 0;
    }
    return law;
  }
  void scatter(std::vector<double>& values, double low, double high) {
    for (double& value : values) value = (pick(2) == 0 ? -1.0 : 1.0) * decades(low, high);
  }
};

/// Returns the largest flow and pressure drop.
std::pair<double, double> expectSolved(const RandomCircuit& c, const std::vector<double>& m,
                                       const std::vector<double>& p) {
  double most_flow = 1e-6, most_pressure = 1e3;
  std::vector<double> sum = c.inflow;
  for (std::size_t e = 0; e < c.edges.size(); ++e) {
    sum[c.edges[e].from] -= m[e];
    sum[c.edges[e].to] += m[e];
    most_flow = std::max(most_flow, std::abs(m[e]));
    if (c.laws[e].fixed) {
      EXPECT_EQ(m[e], c.laws[e].m_fixed);
      continue;
    }
    double slope = 0.0;
    most_pressure = std::max(most_pressure, std::abs(c.laws[e].drop(m[e], slope)));
  }
  for (std::size_t n = 1; n < c.nodes.size(); ++n) EXPECT_NEAR(sum[n], 0.0, 1e-7 * most_flow) << c.nodes[n].name;
  for (std::size_t e = 0; e < c.edges.size(); ++e) {
    if (c.laws[e].fixed) continue;
    const FluidEdge& edge = c.edges[e];
    double slope = 0.0;
    const double weight = kDensity * kGravity * (c.nodes[edge.from].elevation - c.nodes[edge.to].elevation);
    EXPECT_NEAR(c.laws[e].drop(m[e], slope), p[edge.from] - p[edge.to] + weight, 1e-7 * most_pressure) << edge.name;
  }
  return {most_flow, most_pressure};
}

class RandomCircuits : public testing::TestWithParam<unsigned> {};

TEST_P(RandomCircuits, AreSolvedFromAnyStartAndAlwaysTheSame) {
  RandomCircuit c(4 + 3 * (GetParam() % 10), 8 + 7 * (GetParam() % 10), GetParam());
  const FluidNetwork network(c.nodes, c.edges, kDensity, kGravity);
  std::vector<double> m(c.edges.size(), 0.0), p(c.nodes.size(), 0.0);
  FluidNetwork::Workspace ws;
  network.solve(c.laws, c.inflow, m, p, ws);
  const auto [most_flow, most_pressure] = expectSolved(c, m, p);
  for (int again = 0; again < 3; ++again) {
    std::vector<double> other_m(c.edges.size()), other_p(c.nodes.size(), 0.0);
    c.scatter(other_m, -9.0, 3.0);
    c.scatter(other_p, 0.0, 6.0);
    other_p[0] = p[0];
    network.solve(c.laws, c.inflow, other_m, other_p, ws);
    expectSolved(c, other_m, other_p);
    for (std::size_t e = 0; e < m.size(); ++e) {
      if (std::abs(other_m[e] - m[e]) < 1e-4 * most_flow) continue;
      double slope = 0.0;  // where a law is flat the flow is no better known than the pressure allows
      EXPECT_NEAR(c.laws[e].drop(other_m[e], slope), c.laws[e].drop(m[e], slope), 1e-7 * most_pressure)
          << c.edges[e].name << " carries " << other_m[e] << " and " << m[e];
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomCircuits, testing::Range(1U, 201U));

TEST(FluidNetwork, ACopiedWorkspaceGoesOnByItself) {
  RandomCircuit c(20, 50, 7);
  const FluidNetwork network(c.nodes, c.edges, kDensity, kGravity);
  std::vector<double> m(c.edges.size(), 0.0), p(c.nodes.size(), 0.0);
  FluidNetwork::Workspace ws;
  network.solve(c.laws, c.inflow, m, p, ws);
  FluidNetwork::Workspace copy = ws;
  std::vector<double> other_m(c.edges.size(), 0.0), other_p(c.nodes.size(), 0.0);
  network.solve(c.laws, c.inflow, other_m, other_p, copy);
  EXPECT_EQ(m, other_m);
}

TEST(FluidNetwork, AThousandBranchesBehindOwnValvesAreSolvedInAFewIterations) {
  // Supply and return of 1,000 branches, each with a node of its own between valve and rack.
  constexpr std::size_t kBranches = 1000;
  std::vector<FluidNode> nodes{{"return", 0.0, true}, {"supply", 0.0, false}};
  std::vector<FluidEdge> edges{{0, 1, "pump"}};
  std::vector<EdgeLaw> laws(1);
  laws[0].head_0 = 3e5;
  laws[0].k = 1e-3;
  laws[0].m_linear = 1.0;
  for (std::size_t b = 0; b < kBranches; ++b) {
    nodes.push_back({"b" + std::to_string(b), 0.0, false});
    edges.push_back({1, nodes.size() - 1, "valve" + std::to_string(b)});
    edges.push_back({nodes.size() - 1, 0, "rack" + std::to_string(b)});
    EdgeLaw law;
    law.m_linear = 1e-3;
    law.k = 1e4 * (1.0 + static_cast<double>(b) / kBranches);
    laws.push_back(law);
    law.k = 1.5e4;
    laws.push_back(law);
  }
  const FluidNetwork network(nodes, edges, kDensity, kGravity);
  std::vector<double> m(edges.size(), 0.0), p(nodes.size(), 0.0), inflow(nodes.size(), 0.0);
  FluidNetwork::Workspace ws;
  network.solve(laws, inflow, m, p, ws);
  EXPECT_LT(ws.iterations, 40);
  for (std::size_t b = 0; b < kBranches; ++b) {
    const double expected = std::sqrt(p[1] / (laws[1 + 2 * b].k + laws[2 + 2 * b].k));
    EXPECT_NEAR(m[1 + 2 * b], expected, 1e-8 * expected);
  }
}

}  // namespace
}  // namespace podtwin
