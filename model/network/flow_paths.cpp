#include "model/network/flow_paths.hpp"

#include <algorithm>
#include <utility>

namespace podtwin {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// For each node its neighbours, as (edge, node).
using Neighbours = std::vector<std::vector<std::pair<std::size_t, std::size_t>>>;

/// Nodes in the order in which a walk from all of them leaves them.
std::vector<std::size_t> leavingOrder(const Neighbours& next) {
  std::vector<std::size_t> order, at(next.size(), 0), stack;
  std::vector<char> seen(next.size(), 0);
  for (std::size_t start = 0; start < next.size(); ++start) {
    if (seen[start] != 0) continue;
    seen[start] = 1;
    stack.push_back(start);
    while (!stack.empty()) {
      const std::size_t n = stack.back();
      if (at[n] == next[n].size()) {
        order.push_back(n);
        stack.pop_back();
      } else if (const std::size_t other = next[n][at[n]++].second; seen[other] == 0) {
        seen[other] = 1;
        stack.push_back(other);
      }
    }
  }
  return order;
}

/// [node] number of the part within which every node can be reached from every other (Kosaraju).
std::vector<std::size_t> mutuallyReachable(const Neighbours& next, const Neighbours& before) {
  const auto order = leavingOrder(next);
  std::vector<std::size_t> part(next.size(), kNone), stack;
  std::size_t count = 0;
  for (auto start = order.rbegin(); start != order.rend(); ++start) {
    if (part[*start] != kNone) continue;
    part[*start] = count;
    stack.push_back(*start);
    while (!stack.empty()) {
      const std::size_t n = stack.back();
      stack.pop_back();
      for (const auto& [edge, other] : before[n])
        if (part[other] == kNone) {
          part[other] = count;
          stack.push_back(other);
        }
    }
    ++count;
  }
  return part;
}

/// Finds the edges that alone join two parts, by depth first search (Tarjan 1974).
class Bridges {
 public:
  Bridges(const Neighbours& joined, std::size_t edges, std::span<const std::size_t> stores)
      : joined_(joined),
        bridge_(edges, 0),
        depth_(joined.size(), kNone),
        low_(joined.size()),
        parent_(joined.size()),
        rings_(joined.size(), 0),
        stores_(joined.size(), 0),
        at_(joined.size(), 0) {
    for (const auto n : stores) stores_[n] = 1;
    for (std::size_t n = 0; n < joined.size(); ++n)
      if (depth_[n] == kNone) search(n);
  }
  bool is(std::size_t edge) const { return bridge_[edge] != 0; }

 private:
  struct Branch {
    std::size_t edge, node;
  };
  void search(std::size_t root) {
    std::vector<std::size_t> stack{root};
    std::vector<Branch> branches;
    depth_[root] = low_[root] = 0;
    parent_[root] = kNone;
    while (!stack.empty()) {
      const std::size_t n = stack.back();
      if (at_[n] < joined_[n].size()) {
        const auto [edge, other] = joined_[n][at_[n]++];
        if (edge == parent_[n]) continue;
        if (depth_[other] == kNone) {
          depth_[other] = low_[other] = depth_[n] + 1;
          parent_[other] = edge;
          stack.push_back(other);
        } else if (depth_[other] < depth_[n]) {
          low_[n] = std::min(low_[n], depth_[other]);
          ++rings_[n];
        }
        continue;
      }
      stack.pop_back();
      if (stack.empty()) break;
      const std::size_t above = stack.back();
      if (low_[n] > depth_[above]) branches.push_back({parent_[n], n});
      low_[above] = std::min(low_[above], low_[n]);
      rings_[above] += rings_[n];
      stores_[above] += stores_[n];
    }
    for (const auto& [edge, node] : branches) {
      const std::size_t rings = rings_[root] - rings_[node], stores = stores_[root] - stores_[node];
      // A vessel at the end of a branch breathes through it, if there is something to breathe with.
      const bool breathes = (rings_[node] == 0 && stores_[node] > 0 && rings + stores > 0) ||
                            (rings == 0 && stores > 0 && rings_[node] + stores_[node] > 0);
      bridge_[edge] = breathes ? 0 : 1;
    }
  }

  const Neighbours& joined_;
  std::vector<char> bridge_;
  std::vector<std::size_t> depth_, low_, parent_;
  std::vector<std::size_t> rings_, stores_;  ///< at and below each node of the search
  std::vector<std::size_t> at_;              ///< neighbours looked at
};

}  // namespace

std::vector<char> edgesWithAPath(std::size_t nodes, std::span<const PathEdge> edges,
                                 std::span<const std::size_t> stores) {
  Neighbours next(nodes), before(nodes), joined(nodes);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const PathEdge& edge = edges[k];
    next[edge.from].emplace_back(k, edge.to);
    before[edge.to].emplace_back(k, edge.from);
    if (edge.one_way) continue;
    next[edge.to].emplace_back(k, edge.from);
    before[edge.from].emplace_back(k, edge.to);
  }
  const auto part = mutuallyReachable(next, before);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (part[edges[k].from] != part[edges[k].to] || edges[k].from == edges[k].to) continue;
    joined[edges[k].from].emplace_back(k, edges[k].to);
    joined[edges[k].to].emplace_back(k, edges[k].from);
  }
  const Bridges bridges(joined, edges.size(), stores);
  std::vector<char> can(edges.size(), 0);
  for (std::size_t k = 0; k < edges.size(); ++k)
    can[k] = part[edges[k].from] == part[edges[k].to] && !bridges.is(k) ? 1 : 0;
  return can;
}

std::vector<std::size_t> blocksOf(std::size_t nodes, std::span<const PathEdge> edges) {
  Neighbours joined(nodes);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    joined[edges[k].from].emplace_back(k, edges[k].to);
    joined[edges[k].to].emplace_back(k, edges[k].from);
  }
  std::vector<std::size_t> block(edges.size(), kNone), depth(nodes, kNone), low(nodes), parent(nodes), at(nodes, 0);
  std::vector<std::size_t> open, stack;  // edges of blocks not yet closed; nodes of the search
  std::size_t count = 0;
  const auto close = [&](std::size_t last) {  // of a block: its edges were opened since `last`
    for (bool done = false; !done; open.pop_back()) {
      block[open.back()] = count;
      done = open.back() == last;
    }
    ++count;
  };
  for (std::size_t root = 0; root < nodes; ++root) {
    if (depth[root] != kNone) continue;
    depth[root] = low[root] = 0;
    parent[root] = kNone;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::size_t n = stack.back();
      if (at[n] < joined[n].size()) {
        const auto [edge, other] = joined[n][at[n]++];
        if (edge == parent[n] || other == n) continue;
        if (depth[other] == kNone) {
          open.push_back(edge);
          depth[other] = low[other] = depth[n] + 1;
          parent[other] = edge;
          stack.push_back(other);
        } else if (depth[other] < depth[n]) {
          open.push_back(edge);
          low[n] = std::min(low[n], depth[other]);
        }
        continue;
      }
      stack.pop_back();
      if (stack.empty()) break;
      const std::size_t above = stack.back();
      if (low[n] >= depth[above]) close(parent[n]);
      low[above] = std::min(low[above], low[n]);
    }
  }
  for (auto& b : block)  // an edge from a node to itself
    if (b == kNone) b = count++;
  return block;
}

}  // namespace podtwin
