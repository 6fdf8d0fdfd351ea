#include "scenarios/signal_units.hpp"

#include <algorithm>

namespace podtwin::scenarios {

SignalUnits unitsOf(const std::vector<SetSignal>& columns) {
  SignalUnits units;
  bool by_instance = false;
  for (const auto& [set, signal] : columns) {
    by_instance = by_instance || set->info().signals[signal].by_instance;
    for (std::size_t i = 0; i < set->size(); ++i) units.by_member.emplace_back(siUnit(set->signalQuantity(signal, i)));
  }
  const auto& first = units.by_member.front();
  const bool alike = std::all_of(units.by_member.begin(), units.by_member.end(),
                                 [&](const std::string& unit) { return unit == first; });
  units.common = alike ? first : "1";
  // Where the class leaves the unit to its instances the table names them even when they happen to agree, so that a
  // reader finds the same columns in the results of every plant.
  if (alike && !by_instance) units.by_member.clear();
  return units;
}

}  // namespace podtwin::scenarios
