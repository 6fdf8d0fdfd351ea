// Where a plant's coolant can flow at all, and what is refused or told when it cannot.
#include <algorithm>
#include <map>
#include <set>

#include "model/base/diagnostics.hpp"
#include "model/network/flow_paths.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {
constexpr std::size_t kMostNamed = 12;

std::string quotedList(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kMostNamed); ++k) text += (k == 0 ? "'" : ", '") + names[k] + "'";
  if (names.size() > kMostNamed) text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return text;
}
}  // namespace

std::vector<char> System::flowPaths(std::span<const EdgeLaw> laws, PathRule rule) const {
  const std::size_t outside = fluid_nodes_.size();
  const auto place = [&](std::size_t node) { return node == kOpenAir || fluid_nodes_[node].external ? outside : node; };
  std::vector<PathEdge> edges;
  std::vector<std::size_t> index, stores;
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    if (rule == PathRule::as_it_stands && !laws[k].open) continue;
    index.push_back(k);
    edges.push_back({place(edges_[k].from), place(edges_[k].to), laws[k].check && rule != PathRule::without_checks});
  }
  for (std::size_t n = 0; n < fluid_nodes_.size(); ++n)
    if (fluid_nodes_[n].held_by_equipment) stores.push_back(place(n));
  const auto found = edgesWithAPath(outside + 1, edges, stores);
  std::vector<char> can(edges_.size(), 0);
  for (std::size_t k = 0; k < index.size(); ++k) can[index[k]] = found[k];
  return can;
}

std::vector<std::string> System::blockedEdges(const State& state) const {
  Evaluation e = makeEvaluation();
  e.y = temperatures(state.y, e);
  e.z = state.z;
  e.lines = &state;
  for (const auto& set : sets_) set->edgeLaws(e);
  const auto now = flowPaths(e.laws, PathRule::as_it_stands), ever = flowPaths(e.laws, PathRule::all_open);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < edges_.size(); ++k)
    if (edges_[k].to != kOpenAir && e.laws[k].open && now[k] == 0 && ever[k] != 0) names.push_back(edges_[k].name);
  return names;
}

SourceMark System::whereOfEdge(std::size_t edge) const {
  const std::string& name = edges_[edge].name;
  for (const auto& instance : plant_.instances)
    if (name == instance.id) return instance.where;
  for (const auto& instance : plant_.instances)
    if (name.starts_with(instance.id)) return instance.where;  // one of its several edges: 'HX hot'
  return whereNamed(fluid_nodes_[edges_[edge].from].name);
}

// Non-return valves that stand against each other let nothing through for good: an error. A branch that leads nowhere
// has no flow either; for a rack that is an error, for piping it is told.
void System::judgeFlowPaths(std::span<const EdgeLaw> laws, Diagnostics& problems) {
  std::map<std::string, std::vector<std::size_t>> loops;  // by place: a range of ids is one mistake
  for (std::size_t k = 0; k < edges_.size(); ++k)
    if (edges_[k].to != kOpenAir && edges_[k].from == edges_[k].to) {
      const SourceMark where = whereOfEdge(k);
      loops[where.file + ":" + std::to_string(where.line)].push_back(k);
    }
  for (const auto& [place, edges] : loops) {
    std::vector<std::string> ids;
    for (const auto k : edges) ids.push_back(edges_[k].name);
    problems.error(whereOfEdge(edges.front()),
                   quotedList(ids) + " from node '" + fluid_nodes_[edges_[edges.front()].from].name +
                       "' to the same node: no coolant would flow there",
                   "name two different nodes");
  }
  if (!loops.empty()) return;
  const auto can = flowPaths(laws, PathRule::all_open), would = flowPaths(laws, PathRule::without_checks);
  const auto names = [&](const Circuit& circuit, const auto& which) {
    std::vector<std::string> found;
    for (const auto k : circuit.edges)
      if (which(k)) found.push_back(edges_[k].name);
    return found;
  };
  for (const auto& circuit : circuits_) {
    const auto against = names(circuit, [&](std::size_t k) { return can[k] == 0 && would[k] != 0 && laws[k].check; });
    if (!against.empty()) {
      const auto first = std::find_if(circuit.edges.begin(), circuit.edges.end(),
                                      [&](std::size_t k) { return edges_[k].name == against.front(); });
      problems.error(whereOfEdge(*first),
                     "the non-return valves of " + quotedList(against) +
                         " let no coolant through: no way round leads " +
                         "through them in their direction, nor through " +
                         quotedList(names(circuit, [&](std::size_t k) { return can[k] == 0 && would[k] != 0; })),
                     "turn one of them around or take it out, so that each has a way from its outlet to its inlet");
    }
    for (const auto k : circuit.edges)
      if (would[k] == 0 && edges_[k].set->needsFlow())
        problems.error(whereOfEdge(k), "no coolant can flow through '" + edges_[k].name + "': " + deadEnd(k),
                       "connect both of its ports to one circuit with a pump or held pressures");
    std::vector<std::size_t> dead;
    for (const auto k : circuit.edges)
      if (would[k] == 0 && !edges_[k].set->needsFlow() && edges_[k].to != kOpenAir) dead.push_back(k);
    if (!dead.empty()) {
      const auto loose = std::find_if(dead.begin(), dead.end(), [&](std::size_t k) { return !looseEnd(k).empty(); });
      problems.warning(
          whereOfEdge(dead.front()),
          "no coolant can flow through " +
              quotedList(
                  names(circuit, [&](std::size_t k) { return std::find(dead.begin(), dead.end(), k) != dead.end(); })) +
              " of the circuit '" + circuit.name + "': " + deadEnd(loose == dead.end() ? dead.front() : *loose),
          "connect its end, or leave it as a dead branch that keeps its heat");
    }
    judgeDrive(circuit, can, laws, problems);
  }
}

/// The node of an edge that nothing else uses; empty where there is none.
std::string System::looseEnd(std::size_t k) const {
  for (const std::size_t n : {edges_[k].from, edges_[k].to}) {
    if (n == kOpenAir || fluid_nodes_[n].external) continue;
    if (std::count_if(edges_.begin(), edges_.end(),
                      [&](const EdgeEntry& edge) { return edge.from == n || edge.to == n; }) == 1)
      return fluid_nodes_[n].name;
  }
  return {};
}

std::string System::deadEnd(std::size_t k) const {
  const std::string node = looseEnd(k);
  return node.empty() ? "it alone joins what is on either side of it, and nothing comes back"
                      : "nothing else uses the node '" + node + "'";
}

/// Every block of ways round needs something that drives it: a pump, a stated flow, or two ways to what holds a
/// pressure.
void System::judgeDrive(const Circuit& circuit, std::span<const char> can, std::span<const EdgeLaw> laws,
                        Diagnostics& problems) {
  std::map<std::size_t, std::size_t> local;
  for (const auto n : circuit.nodes) local.emplace(n, local.size());
  const std::size_t outside = local.size();
  std::vector<PathEdge> paths;
  std::vector<std::size_t> of;  // edge of the plant; kOpenAir: a boundary
  for (const auto k : circuit.edges) {
    if (can[k] == 0) continue;
    paths.push_back({local.at(edges_[k].from), edges_[k].to == kOpenAir ? outside : local.at(edges_[k].to)});
    of.push_back(k);
  }
  for (const auto n : circuit.nodes) {
    if (!fluid_nodes_[n].external) continue;
    paths.push_back({local.at(n), outside});
    of.push_back(kOpenAir);
  }
  const auto block = blocksOf(outside + 1, paths);
  std::map<std::size_t, std::vector<std::size_t>> parts;
  std::set<std::size_t> driven;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].to == outside || laws[of[i]].fixed || edges_[of[i]].set->drivesFlow()) driven.insert(block[i]);
    if (paths[i].to != outside) parts[block[i]].push_back(of[i]);
  }
  for (const auto& [part, edges] : parts) {
    const bool breathing = edges.size() == 1 && edges_[edges.front()].from != edges_[edges.front()].to;  // of a vessel
    if (breathing || driven.contains(part)) continue;
    std::vector<std::string> names;
    bool refused = false;
    for (const auto k : edges) {
      names.push_back(edges_[k].name);
      refused = refused || edges_[k].set->needsFlow() || laws[k].check;
    }
    const std::string what = "nothing drives coolant through " + quotedList(names) + " of the circuit '" +
                             circuit.name +
                             "': no pump, no stated flow and no second held pressure is in a way round with it";
    const std::string remedy = "put a pump into the loop, or join it to one";
    if (refused)
      problems.error(whereOfEdge(edges.front()), what, remedy);
    else
      problems.warning(whereOfEdge(edges.front()), what, remedy);
  }
}

}  // namespace podtwin
