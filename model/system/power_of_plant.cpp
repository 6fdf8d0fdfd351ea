// The tree of electrical power: which buses are live, and what flows through its links.
#include <algorithm>
#include <deque>

#include "model/base/diagnostics.hpp"
#include "model/system/system.hpp"

namespace podtwin {

void System::orderLinks(Diagnostics& problems) {
  for (std::size_t l = 0; l < links_.size(); ++l) buses_[static_cast<std::size_t>(links_[l].to)].incoming.push_back(l);
  // Downstream first: a link comes after every link that draws from the bus it feeds.
  std::vector<std::size_t> outgoing(buses_.size(), 0);
  for (const auto& link : links_)
    if (link.from >= 0) ++outgoing[static_cast<std::size_t>(link.from)];
  std::deque<std::size_t> ready;
  for (std::size_t b = 0; b < buses_.size(); ++b)
    if (outgoing[b] == 0) ready.push_back(b);
  while (!ready.empty()) {
    const std::size_t b = ready.front();
    ready.pop_front();
    for (const auto l : buses_[b].incoming) {
      link_order_.push_back(l);
      if (links_[l].from >= 0 && --outgoing[static_cast<std::size_t>(links_[l].from)] == 0)
        ready.push_back(static_cast<std::size_t>(links_[l].from));
    }
  }
  if (link_order_.size() != links_.size()) {
    std::string names;
    for (std::size_t b = 0; b < buses_.size(); ++b)
      if (outgoing[b] > 0) names += (names.empty() ? "" : ", ") + buses_[b].name;
    problems.error({plant_.file, 0, 0}, "the electrical tree has a loop through: " + names,
                   "power must flow from sources to loads without a ring; open one tie");
  }
  for (std::size_t b = 0; b < buses_.size(); ++b)
    if (buses_[b].incoming.empty() && !electrical_.phased(b))
      problems.error(whereNamed(buses_[b].name), "nothing feeds the bus '" + buses_[b].name + "'",
                     "connect a utility, transformer, UPS or busway to it, or leave `supply` out");
}

bool System::joins(const Evaluation& e, const Link& link) {
  return link.set->closes(e, link.instance, link.part) &&
         (link.from < 0 || link.set->drawsFrom(e, link.instance, link.from));
}

void System::refreshTopology(const State& state, Evaluation& e) const {
  if (e.topology_seen == state.topology) return;
  std::fill(e.energised.begin(), e.energised.end(), char{0});
  std::fill(e.bus_source.begin(), e.bus_source.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& link : links_) {
      char& to = e.energised[static_cast<std::size_t>(link.to)];
      if (to != 0) continue;
      if (link.from >= 0 && e.energised[static_cast<std::size_t>(link.from)] == 0 &&
          !link.set->selfFed(e, link.instance))
        continue;
      if (!joins(e, link)) continue;
      to = 1;
      changed = true;
    }
    changed = electrical_.spread(e) || changed;
  }
  electrical_.enter(e);
  findSources(e);
  e.topology_seen = state.topology;
}

/// Of buses that links feed, from sources down: of several the first of SourceKind.
void System::findSources(Evaluation& e) const {
  for (auto l = link_order_.rbegin(); l != link_order_.rend(); ++l) {
    const Link& link = links_[*l];
    const bool upstream_live = link.from >= 0 && e.energised[static_cast<std::size_t>(link.from)] != 0;
    if (!joins(e, link) || (link.from >= 0 && !upstream_live && !link.set->selfFed(e, link.instance))) continue;
    int found = static_cast<int>(SourceKind::battery);
    if (link.from < 0)
      found = static_cast<int>(link.set->sourceKind());
    else if (upstream_live && !link.set->fedFromStore(e, link.instance))
      found = e.bus_source[static_cast<std::size_t>(link.from)];
    int& source = e.bus_source[static_cast<std::size_t>(link.to)];
    if (source == 0 || found < source) source = found;
  }
}

// Loads are summed from the leaves to the sources; every link adds its own loss. A bus with several live links
// shares its load among them by their ratings.
void System::solvePower(Evaluation& e) const {
  std::fill(e.bus_load.begin(), e.bus_load.end(), 0.0);
  std::fill(e.bus_reactive.begin(), e.bus_reactive.end(), 0.0);
  std::fill(e.phasor.state.power.begin(), e.phasor.state.power.end(), Complex{});
  std::fill(e.served.begin(), e.served.end(), 1.0);
  e.unmetered_load = 0.0;
  for (const auto& set : sets_) set->demand(e);
  e.source_power = 0.0;
  for (const auto l : link_order_) {
    const Link& link = links_[l];
    const auto to = static_cast<std::size_t>(link.to);
    e.link_out[l] = 0.0;
    e.link_loss[l] = 0.0;
    const auto live = [&](const Link& other) {
      return joins(e, other) && (other.from < 0 || e.energised[static_cast<std::size_t>(other.from)] != 0 ||
                                 other.set->selfFed(e, other.instance));
    };
    if (!live(link)) continue;
    double share = 1.0;
    if (buses_[to].incoming.size() > 1) {
      double total = 0.0;
      for (const auto other : buses_[to].incoming)
        if (live(links_[other])) total += links_[other].rating;
      share = link.rating / total;
    }
    e.link_out[l] = share * e.bus_load[to];
    e.link_loss[l] = link.set->linkLoss(e, link.index, e.link_out[l]);
    const double in = e.link_out[l] + e.link_loss[l];
    if (link.from < 0) {
      e.source_power += in;
    } else if (const auto from = static_cast<std::size_t>(link.from); e.energised[from] != 0) {
      e.bus_load[from] += in;
      e.bus_reactive[from] += in * link.tangent;
    }
  }
  electrical_.solve(e);
  e.source_power += e.unmetered_load;
}

}  // namespace podtwin
