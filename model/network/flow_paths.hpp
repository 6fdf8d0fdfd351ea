// Which edges of a circuit coolant can flow through at all: those that lie on a way round, or from one outside to
// another, which no non-return valve stands against.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace podtwin {

struct PathEdge {
  std::size_t from = 0, to = 0;  ///< node indices; what is outside the plant is one node
  bool one_way = false;          ///< lets nothing back from `to`
};

/// [edge] 1 where coolant can flow. Steady flow of an incompressible coolant is made of closed ways; an edge that may
/// be passed either way lies on one unless it alone joins two parts (Boesch and Tindell 1980, Robbins's theorem for
/// mixed graphs). `stores` are nodes of vessels whose content changes: an edge between such a part and the rest can
/// flow.
std::vector<char> edgesWithAPath(std::size_t nodes, std::span<const PathEdge> edges,
                                 std::span<const std::size_t> stores = {});

/// [edge] number of its block: the edges that lie on simple ways round with each other (Hopcroft and Tarjan 1973). A
/// way round stays within one block, so what drives coolant in one moves none in another, even where they share a node.
std::vector<std::size_t> blocksOf(std::size_t nodes, std::span<const PathEdge> edges);

}  // namespace podtwin
