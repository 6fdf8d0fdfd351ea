#include "model/system/bus_frequency.hpp"

#include "model/system/electrical_network.hpp"

namespace podtwin {

namespace {

/// By the conductors that join two buses with voltages.
double ofConductors(const System& system, const Evaluation& e, std::size_t bus) {
  const ElectricalNetwork& network = system.electrical();
  const auto part = [&](std::size_t b) { return e.phasor.topology->partOf(network.conductor(b, 0)); };
  for (const auto& set : system.sets()) {
    const auto* source = dynamic_cast<const FrequencySource*>(set.get());
    if (source == nullptr) continue;
    for (std::size_t i = 0; i < set->size(); ++i) {
      const std::size_t fed = source->fedBus(i);
      if (set->connects(e, i) && network.phased(fed) && part(fed) == part(bus)) return source->frequencyShare(e, i);
    }
  }
  return 1.0;
}

}  // namespace

double busFrequencyShare(const System& system, const Evaluation& e, std::size_t bus) {
  if (e.energised[bus] == 0) return 1.0;
  if (system.electrical().phased(bus)) return ofConductors(system, e, bus);
  for (const auto l : system.buses()[bus].incoming) {
    const System::Link& link = system.links()[l];
    if (!link.set->closes(e, link.instance, link.part)) continue;
    if (link.from < 0) {
      const auto* source = dynamic_cast<const FrequencySource*>(link.set);
      if (source != nullptr) return source->frequencyShare(e, link.instance);
      continue;
    }
    const auto from = static_cast<std::size_t>(link.from);
    if (!link.set->drawsFrom(e, link.instance, link.from)) continue;
    if (link.set->info().electrical == ElectricalRole::converter) return 1.0;
    if (e.energised[from] != 0) return busFrequencyShare(system, e, from);
  }
  return 1.0;
}

}  // namespace podtwin
