#include "model/network/flow_paths.hpp"

#include <gtest/gtest.h>

#include <random>

namespace podtwin {
namespace {

std::vector<int> paths(std::size_t nodes, const std::vector<PathEdge>& edges,
                       const std::vector<std::size_t>& stores = {}) {
  const auto found = edgesWithAPath(nodes, edges, stores);
  return {found.begin(), found.end()};
}

TEST(FlowPaths, AreThoseOnAWayRound) {
  // A ring of three with a branch of two that leads nowhere, and an edge from a node to itself (outside to outside).
  EXPECT_EQ(paths(5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {0, 0}}), (std::vector<int>{1, 1, 1, 0, 0, 1}));
  // Two edges beside each other make a way round, one alone does not.
  EXPECT_EQ(paths(3, {{0, 1}, {0, 1}, {1, 2}}), (std::vector<int>{1, 1, 0}));
  // Two rings that one edge joins: nothing comes back through it.
  EXPECT_EQ(paths(6, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 5}, {5, 3}}),
            (std::vector<int>{1, 1, 1, 0, 1, 1, 1}));
}

TEST(FlowPaths, GoThroughNonReturnValvesOneWay) {
  EXPECT_EQ(paths(3, {{0, 1, true}, {1, 2, true}, {2, 0}}), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(paths(3, {{0, 1, true}, {2, 1, true}, {2, 0}}), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(paths(2, {{0, 1, true}, {0, 1}}), (std::vector<int>{1, 1}));
  EXPECT_EQ(paths(2, {{0, 1, true}, {0, 1, true}}), (std::vector<int>{0, 0}));
}

TEST(FlowPaths, BlocksAreTheWaysRoundThatShareAnEdge) {
  const auto blocks = [](std::size_t nodes, const std::vector<PathEdge>& edges) { return blocksOf(nodes, edges); };
  // Two rings that share node 2 alone, and a branch from it.
  const auto two = blocks(6, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}, {2, 5}});
  EXPECT_TRUE(two[0] == two[1] && two[1] == two[2]);
  EXPECT_TRUE(two[3] == two[4] && two[4] == two[5]);
  EXPECT_TRUE(two[0] != two[3] && two[6] != two[0] && two[6] != two[3]);
  // A ladder is one block; edges beside each other are; an edge from a node to itself stands alone.
  const auto ladder = blocks(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 3}, {0, 1}, {2, 2}});
  for (std::size_t k = 1; k < 6; ++k) EXPECT_EQ(ladder[k], ladder[0]);
  EXPECT_NE(ladder[6], ladder[0]);
}

TEST(FlowPaths, LetAVesselBreatheThroughItsBranch) {
  EXPECT_EQ(paths(4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}}, {3}), (std::vector<int>{1, 1, 1, 1}));
  // A branch without the vessel stays dead, and so does a vessel with nothing to breathe with.
  EXPECT_EQ(paths(4, {{0, 1}, {1, 0}, {1, 2}, {0, 3}}, {3}), (std::vector<int>{1, 1, 0, 1}));
  EXPECT_EQ(paths(2, {{0, 1}}, {1}), (std::vector<int>{0}));
}

/// Whether a simple closed way leads through edge k, by trying every way out from its end.
bool byTrying(const std::vector<PathEdge>& edges, std::size_t k, std::size_t at, std::size_t goal,
              std::vector<char>& seen) {
  if (at == goal) return true;
  seen[at] = 1;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (e == k) continue;
    if (edges[e].from == at && seen[edges[e].to] == 0 && byTrying(edges, k, edges[e].to, goal, seen)) return true;
    if (!edges[e].one_way && edges[e].to == at && seen[edges[e].from] == 0 &&
        byTrying(edges, k, edges[e].from, goal, seen))
      return true;
  }
  return false;
}

TEST(FlowPaths, OfRandomNetworksAreThoseThatTryingEveryWayFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const std::size_t nodes = 2 + random() % 9, count = 1 + random() % 14;
    std::vector<PathEdge> edges;
    for (std::size_t e = 0; e < count; ++e) edges.push_back({random() % nodes, random() % nodes, random() % 3 == 0});
    const auto found = paths(nodes, edges);
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<char> forward(nodes, 0), backward(nodes, 0);
      const bool any = byTrying(edges, k, edges[k].to, edges[k].from, forward) ||
                       (!edges[k].one_way && byTrying(edges, k, edges[k].from, edges[k].to, backward));
      ASSERT_EQ(found[k] != 0, any) << "round " << round << ", edge " << k;
    }
  }
}

}  // namespace
}  // namespace podtwin
