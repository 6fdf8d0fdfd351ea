#include "model/system/sources_in_step.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/system/component_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

using Grids = std::set<const InstanceDescription*>;

/// What feeds a place: a source of its own, or what carries the step of another bus to it.
struct Feed {
  const ComponentSet* set;
  std::size_t instance;
  std::ptrdiff_t follows;  // bus; -1: a source of its own
  const InstanceDescription& description() const { return set->description(instance); }
};

/// Buses that are joined by conductors, and what feeds them.
struct Place {
  std::vector<std::size_t> buses;
  std::vector<Feed> feeds;
};

bool mayBeJoined(const InstanceDescription& grid) {
  const auto found = grid.parameters.find("parallel");
  return found == grid.parameters.end() || found->second.text == "allowed";
}

bool carriesStep(const ComponentSet& set) {
  const ElectricalRole role = set.info().electrical;
  return role == ElectricalRole::branch || role == ElectricalRole::converter || role == ElectricalRole::source;
}

class StepOfBuses {
 public:
  StepOfBuses(const System& system, const Evaluation& e)
      : system_(system), e_(e), grids_(system.buses().size()), machine_(system.buses().size(), nullptr) {
    findPlaces();
    spread();
  }

  void refuse(Diagnostics& problems) const {
    for (const auto& place : places_) {
      refuseGrids(place, problems);
      refuseMachines(place, problems);
    }
  }

 private:
  void findPlaces() {
    const ElectricalNetwork& network = system_.electrical();
    if (!network.empty() && e_.phasor.topology) {
      places_.resize(e_.phasor.topology->parts().size());
      for (std::size_t p = 0; p < places_.size(); ++p)
        for (const auto& feeder : network.feeders(e_, p))
          addFeed(places_[p], feeder.set, feeder.instance, feeder.upstream);
      for (const auto b : network.phasedBuses())
        if (const auto p = network.partOf(*e_.phasor.topology, b); p >= 0)
          places_[static_cast<std::size_t>(p)].buses.push_back(b);
    }
    for (std::size_t b = 0; b < system_.buses().size(); ++b) {
      if (network.phased(b)) continue;
      Place place{{b}, {}};
      for (const auto l : system_.buses()[b].incoming) {
        const System::Link& link = system_.links()[l];
        const bool joined = link.set->closes(e_, link.instance, link.part) &&
                            (link.from < 0 || link.set->drawsFrom(e_, link.instance, link.from));
        // What else feeds a bus rectifies, and carries no step.
        if (joined && carriesStep(*link.set)) addFeed(place, link.set, link.instance, link.from);
      }
      places_.push_back(std::move(place));
    }
  }
  /// A converter with a bypass of its own keeps in step with that.
  void addFeed(Place& place, const ComponentSet* set, std::size_t instance, std::ptrdiff_t upstream) {
    const InstanceDescription& d = set->description(instance);
    if (const auto bypass = d.ports.find("bypass"); upstream >= 0 && bypass != d.ports.end() && !bypass->second.empty())
      for (std::size_t b = 0; b < system_.buses().size(); ++b)
        if (system_.buses()[b].name == bypass->second.front()) upstream = static_cast<std::ptrdiff_t>(b);
    place.feeds.push_back({set, instance, upstream});
  }
  Grids gridsOf(const Feed& feed) const {
    if (feed.follows >= 0) return grids_[static_cast<std::size_t>(feed.follows)];
    return feed.set->sourceKind() == SourceKind::utility ? Grids{&feed.description()} : Grids{};
  }
  /// A generator that is on line; through branches alone, since a converter parts its sides.
  const InstanceDescription* machineOf(const Feed& feed) const {
    if (feed.follows < 0) return feed.set->sourceKind() == SourceKind::generator ? &feed.description() : nullptr;
    if (feed.set->info().electrical == ElectricalRole::converter) return nullptr;
    return machine_[static_cast<std::size_t>(feed.follows)];
  }
  void spread() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& place : places_)
        for (const auto& feed : place.feeds)
          for (const auto b : place.buses) {
            const std::size_t before = grids_[b].size();
            const Grids more = gridsOf(feed);
            grids_[b].insert(more.begin(), more.end());
            const InstanceDescription* machine = machineOf(feed);
            const bool fresh = machine_[b] == nullptr && machine != nullptr;
            if (fresh) machine_[b] = machine;
            changed = changed || fresh || grids_[b].size() != before;
          }
    }
  }
  std::string nameOf(const Place& place) const {
    return place.buses.empty() ? std::string() : system_.buses()[place.buses.front()].name;
  }
  void refuseGrids(const Place& place, Diagnostics& problems) const {
    std::vector<std::pair<const InstanceDescription*, const Feed*>> held;
    for (const auto& feed : place.feeds) {
      for (const auto* grid : gridsOf(feed)) {
        const bool known = std::any_of(held.begin(), held.end(), [&](const auto& h) { return h.first == grid; });
        if (known) continue;
        for (const auto& [other, by] : held) {
          if (by == &feed || (mayBeJoined(*grid) && mayBeJoined(*other))) continue;
          tell(place, *by, *other, feed, *grid, problems);
          return;
        }
        held.push_back({grid, &feed});
      }
    }
  }
  void tell(const Place& place, const Feed& first, const InstanceDescription& grid, const Feed& second,
            const InstanceDescription& other, Diagnostics& problems) const {
    const InstanceDescription &a = first.description(), &b = second.description();
    if (&a == &grid && &b == &other)
      problems.error(b.where,
                     "the grids '" + a.id + "' and '" + b.id + "' are joined at the bus '" + nameOf(place) + "'",
                     "open a breaker between them (`closed: false`), or write `parallel: allowed` at both");
    else
      problems.error(b.where,
                     "the bus '" + nameOf(place) + "' is fed by '" + a.id + "' in step with '" + grid.id +
                         "' and by '" + b.id + "' in step with '" + other.id + "', which are not in step",
                     "open one of the two (`closed: false`), give equipment a feed from each, or write `parallel: "
                     "allowed` at both grids");
  }
  void refuseMachines(const Place& place, Diagnostics& problems) const {
    const Feed* grid = nullptr;
    const Feed* machine = nullptr;
    for (const auto& feed : place.feeds) {
      if (machineOf(feed) != nullptr && machine == nullptr) machine = &feed;
      if (grid == nullptr)
        for (const auto* g : gridsOf(feed))
          if (!mayBeJoined(*g) && machineOf(feed) == nullptr) grid = &feed;
    }
    if (grid == nullptr || machine == nullptr) return;
    const InstanceDescription& set = *machineOf(*machine);
    problems.error(machine->description().where,
                   "the bus '" + nameOf(place) + "' is fed by the grid '" + (*gridsOf(*grid).begin())->id +
                       "' and by the generator '" + set.id + "', which is on line without having been synchronised",
                   "start it with `initially: stopped` or behind an open breaker or a transfer_switch, or write "
                   "`parallel: allowed` at the grid");
  }

  const System& system_;
  const Evaluation& e_;
  std::vector<Place> places_;
  std::vector<Grids> grids_;                         // [bus]
  std::vector<const InstanceDescription*> machine_;  // [bus] a generator on line; null: none
};

}  // namespace

void refuseSourcesOutOfStep(const System& system, const Evaluation& e, Diagnostics& problems) {
  StepOfBuses(system, e).refuse(problems);
}

}  // namespace podtwin
