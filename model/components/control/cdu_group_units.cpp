// What one unit of a CDU group knows and does. Equations: cdu_group.md.
#include <algorithm>

#include "model/components/control/cdu_group.hpp"

namespace podtwin {

namespace {
constexpr double kLongAgo = -1e9;  // s; start of what ran before the run began
}  // namespace

CduGroupUnitSet::CduGroupUnitSet(std::vector<const InstanceDescription*> makers, std::vector<std::string> ids,
                                 std::vector<std::string> groups)
    : ComponentSet(kCduGroupUnitInfo, std::move(makers), std::move(ids)), groups_(std::move(groups)) {
  places.resize(size());
}

std::vector<std::pair<std::string, std::vector<std::string>>> CduGroupUnitSet::labels() const {
  return {{"cdu_group", groups_}};
}

void CduGroupUnitSet::initialise(State& state, double) const {
  initialiseCommon(state);
  for (std::size_t i = 0; i < size(); ++i) z(state, kMode, i) = 0.0;  // the group's mode is its own
}

void CduGroupUnitSet::endSteadySearch(State& state) const {
  for (std::size_t i = 0; i < size(); ++i) z(state, kUnitStarted, i) = kLongAgo;
}

bool CduGroupUnitSet::healthy(const Evaluation& e, std::size_t i) const {
  const Place& place = places[i];
  return place.cdu->available(e, place.cdu_instance) &&
         std::any_of(place.pumps.begin(), place.pumps.end(), [&](const StandbyUnit& pump) { return pump.healthy(e); });
}
bool CduGroupUnitSet::called(const Evaluation& e, std::size_t i) const {
  return std::any_of(places[i].pumps.begin(), places[i].pumps.end(),
                     [&](const StandbyUnit& pump) { return pump.called(e); });
}
void CduGroupUnitSet::call(State& state, std::size_t i, bool run) const {
  for (const StandbyUnit& pump : places[i].pumps) pump.call(state, run);
}

bool CduGroupUnitSet::goodReading(const Evaluation& e, std::size_t i) const {
  const auto& quality = places[i].quality;
  return !quality || quality->set->signalOf(e, quality->signal, quality->instance) == 0.0;
}
double CduGroupUnitSet::reading(const Evaluation& e, std::size_t i) const {
  const SignalAddress& a = places[i].reading;
  return a.set->signalOf(e, a.signal, a.instance);
}

void CduGroupUnitSet::signal(const Evaluation& e, std::size_t k, std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
}
double CduGroupUnitSet::signalOf(const Evaluation& e, std::size_t k, std::size_t i) const {
  const Place& place = places[i];
  switch (k) {
    case 0:
      return z(e, kUnitOutput, i);
    case 1:
      return reading(e, i);
    case 2:
      return z(e, kUnitLead, i);
    case 3:
      return z(e, kUnitLocal, i);
    case 4:
      return called(e, i) ? 1.0 : 0.0;
    case 5:
      return called(e, i) && healthy(e, i) ? 1.0 : 0.0;
    default: {
      const SignalAddress& t = place.supply_temperature;
      return place.temperature_high > 0.0 && z(e, kUnitRunning, i) != 0.0 &&
                     e.t - z(e, kUnitStarted, i) >= place.inhibit &&
                     t.set->signalOf(e, t.signal, t.instance) > place.temperature_high
                 ? 1.0
                 : 0.0;
    }
  }
}
Quantity CduGroupUnitSet::signalQuantity(std::size_t k, std::size_t i) const {
  return info().signals[k].by_instance ? places[i].quantity : info().signals[k].quantity;
}

bool CduGroupUnitSet::command(State& state, std::size_t i, std::string_view verb, double value,
                              std::string& reason) const {
  if (verb == "lose_communication") return ComponentSet::command(state, i, "trip", value, reason);
  if (verb == "restore_communication") return ComponentSet::command(state, i, "restore", value, reason);
  return ComponentSet::command(state, i, verb, value, reason);
}

}  // namespace podtwin
