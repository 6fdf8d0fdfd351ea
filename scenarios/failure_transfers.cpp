#include "scenarios/failure_transfers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/system/rated_elements.hpp"

namespace podtwin::scenarios {

namespace {

constexpr double kChanged = 0.002;  // of rating: what moves less carries nobody else's load

std::ptrdiff_t signalNamed(const ComponentSet& set, std::string_view name) {
  for (std::size_t k = 0; k < set.info().signals.size(); ++k)
    if (set.info().signals[k].name == name) return static_cast<std::ptrdiff_t>(k);
  return -1;
}

/// Instances that have a supply and whether it is live: one bus, or one of several feeds.
std::map<std::string, bool> supplied(const System& system, const std::vector<char>& energised) {
  std::map<std::string, std::size_t> index;
  for (std::size_t b = 0; b < system.buses().size(); ++b) index[system.buses()[b].name] = b;
  const auto live = [&](const std::string& bus) {
    const auto found = index.find(bus);
    return found != index.end() && energised[found->second] != 0;
  };
  std::map<std::string, bool> out;
  for (const auto& d : system.plant().instances) {
    if (!d.in_service) continue;
    if (!d.supply.empty()) out[d.id] = live(d.supply);
    if (const auto feeds = d.ports.find("feeds"); feeds != d.ports.end() && !feeds->second.empty())
      out[d.id] = std::any_of(feeds->second.begin(), feeds->second.end(), live);
  }
  return out;
}

/// What the plant is there for, or draws for itself; the drives of a dead bus have others that stand in.
bool isLoad(const InstanceDescription& d) { return d.ports.contains("feeds") || d.class_name == "electrical_load"; }

double shortestAutonomy(const System& system, const Evaluation& e) {
  double shortest = kUnbounded;
  const ComponentSet* ups = system.setOfGroup("ups");
  if (ups == nullptr) return shortest;
  const auto on = static_cast<std::size_t>(signalNamed(*ups, "on_battery")),
             time = static_cast<std::size_t>(signalNamed(*ups, "autonomy"));
  for (std::size_t i = 0; i < ups->size(); ++i)
    if (ups->signalOf(e, on, i) != 0.0) shortest = std::min(shortest, ups->signalOf(e, time, i));
  return shortest;
}

std::vector<double> loadings(const std::vector<RatedElement>& elements, const Evaluation& e) {
  std::vector<double> all;
  for (const auto& element : elements) all.push_back(element.loading(e));
  return all;
}

/// The plant before any failure.
struct Before {
  std::vector<double> loading;
  std::vector<char> energised;
  std::map<std::string, bool> supplied;
  double it_power = 0.0;
};

FailureTransfer after(const System& system, const std::vector<RatedElement>& elements, std::size_t failed,
                      const Before& before, const Evaluation& e) {
  FailureTransfer found;
  found.failed = elements[failed].id();
  found.it_power_before = before.it_power;
  found.it_power_after = system.itPower(e);
  found.autonomy = shortestAutonomy(system, e);
  for (std::size_t b = 0; b < system.buses().size(); ++b)
    if (before.energised[b] != 0 && e.energised[b] == 0) found.dead_buses.push_back(system.buses()[b].name);
  const auto now = supplied(system, e.energised);
  for (const auto& [id, live] : before.supplied)
    if (live && !now.at(id)) found.without_power.push_back(id);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (k == failed) continue;
    const ElementLoading loading{elements[k].id(), before.loading[k], elements[k].loading(e), elements[k].timeLeft(e)};
    if (std::abs(loading.after - loading.before) > kChanged) found.changed.push_back(loading);
    if (loading.after > 1.0) found.over.push_back(loading);
    if (found.worst.id.empty() || loading.after > found.worst.after) found.worst = loading;
  }
  const auto higher = [](const ElementLoading& a, const ElementLoading& b) { return a.after > b.after; };
  std::stable_sort(found.changed.begin(), found.changed.end(), higher);
  std::stable_sort(found.over.begin(), found.over.end(), higher);
  const bool lost = std::any_of(found.without_power.begin(), found.without_power.end(), [&](const std::string& id) {
    const auto& [set, i] = system.find(id);
    return isLoad(set->description(i));
  });
  found.verdict = lost                            ? TransferVerdict::lost
                  : !found.over.empty()           ? TransferVerdict::over
                  : std::isfinite(found.autonomy) ? TransferVerdict::on_battery
                                                  : TransferVerdict::holds;
  return found;
}

}  // namespace

std::string_view nameOf(TransferVerdict verdict) {
  switch (verdict) {
    case TransferVerdict::holds:
      return "holds";
    case TransferVerdict::on_battery:
      return "on battery";
    case TransferVerdict::over:
      return "over";
    case TransferVerdict::lost:
      break;
  }
  return "lost";
}

std::vector<FailureTransfer> failureTransfers(const PreparedRun& run, double settle, const std::atomic<bool>& stop) {
  const System& system = *run.system;
  const std::vector<RatedElement> elements = ratedElements(system.sets());
  Evaluation start = system.makeEvaluation();
  std::vector<double> ydot(system.size());
  system.evaluate(run.start, run.start.t, run.start.y, start, ydot);
  const Before before{loadings(elements, start), start.energised, supplied(system, start.energised),
                      system.itPower(start)};
  std::vector<FailureTransfer> all;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const RatedElement& element = elements[k];
    if (!element.set->description(element.instance).in_service || !element.set->refusal("trip").empty()) continue;
    SimulationSetup setup;
    setup.duration = run.start.t + settle;
    setup.integrator = run.setup.integrator;
    setup.stop = &stop;
    Action trip;
    trip.set = system.find(element.id()).first;
    trip.instance = element.instance;
    trip.verb = "trip";
    trip.value = std::nan("");
    trip.text = "single failure";
    setup.events.push_back({run.start.t, {trip}});
    Simulation simulation(system, setup, run.start, {});
    while (simulation.step())
      if (stop) throw SimulationError("stopped by a signal");
    all.push_back(after(system, elements, k, before, simulation.evaluation()));
  }
  return all;
}

}  // namespace podtwin::scenarios
