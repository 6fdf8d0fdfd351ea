#include "model/system/component_set.hpp"

#include <algorithm>

namespace podtwin {

namespace {
std::vector<std::string> idsOf(const std::vector<const InstanceDescription*>& instances) {
  std::vector<std::string> ids;
  ids.reserve(instances.size());
  for (const auto* instance : instances) ids.push_back(instance->id);
  return ids;
}
}  // namespace

ComponentSet::ComponentSet(const ClassInfo& info, std::vector<const InstanceDescription*> instances)
    : supply_bus(instances.size(), -1),
      drive(instances.size(), -1),
      info_(info),
      instances_(std::move(instances)),
      ids_(idsOf(instances_)) {}

ComponentSet::ComponentSet(const ClassInfo& info, std::vector<const InstanceDescription*> makers,
                           std::vector<std::string> ids)
    : supply_bus(ids.size(), -1),
      drive(ids.size(), -1),
      info_(info),
      instances_(std::move(makers)),
      ids_(std::move(ids)) {}

void ComponentSet::initialiseCommon(State& state) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const auto& d = description(i);
    z(state, kInService, i) = d.in_service ? 1.0 : 0.0;
    z(state, kMode, i) = d.mode == OperatingMode::automatic ? 0.0 : (d.mode == OperatingMode::manual ? 1.0 : 2.0);
    z(state, kTripped, i) = 0.0;
    z(state, kStuck, i) = 0.0;
    z(state, kCommand, i) = 1.0;
    for (std::size_t k = 0; k < info_.discretes.size(); ++k) z(state, kCommonCount + k, i) = info_.discretes[k].initial;
  }
}

bool ComponentSet::lists(std::string_view verb) const {
  return std::any_of(info_.commands.begin(), info_.commands.end(),
                     [&](const CommandInfo& command) { return command.verb == verb; });
}

std::string_view ComponentSet::refusal(std::string_view verb) const {
  for (const auto& refused : info_.refusals)
    if (refused.verb == verb) return refused.reason;
  return {};
}

bool ComponentSet::command(State& state, std::size_t i, std::string_view verb, double value,
                           std::string& reason) const {
  if (const std::string_view why = refusal(verb); !why.empty()) {
    reason = "a " + std::string(info_.name) + " cannot be asked to '" + std::string(verb) + "': " + std::string(why);
    return false;
  }
  if (verb == "trip") {
    z(state, kTripped, i) = 1.0;
  } else if (verb == "restore") {
    if (!refusal("trip").empty() && !refusal("isolate").empty()) {
      reason = "a " + std::string(info_.name) + " has nothing to restore";
      return false;
    }
    z(state, kTripped, i) = 0.0;
    z(state, kStuck, i) = 0.0;
    z(state, kInService, i) = 1.0;
  } else if (verb == "isolate") {
    z(state, kInService, i) = 0.0;
  } else if (verb == "stick") {
    if (drive[i] < 0) {
      reason = "a " + std::string(info_.name) + " has nothing that could stick";
      return false;
    }
    z(state, kStuck, i) = 1.0 + (value == value ? value : z(state, kCommand, i));
  } else if (verb == "set" || verb == "open" || verb == "close") {
    if (drive[i] < 0) {
      reason = "a " + std::string(info_.name) + " has nothing to set";
      return false;
    }
    z(state, kMode, i) = 1.0;
    z(state, kCommand, i) = verb == "open" ? 1.0 : (verb == "close" ? 0.0 : value);
  } else if (verb == "automatic") {
    if (drive[i] < 0 && !lists("automatic")) {
      reason = "a " + std::string(info_.name) + " has no controller to go back to";
      return false;
    }
    z(state, kMode, i) = 0.0;
  } else {
    reason = "a " + std::string(info_.name) + " cannot be asked to '" + std::string(verb) + "'";
    return false;
  }
  ++state.topology;
  return true;
}

double ComponentSet::signalOf(const Evaluation& e, std::size_t signal_index, std::size_t instance) const {
  std::vector<double> all(size());
  signal(e, signal_index, all);
  return all[instance];
}

}  // namespace podtwin
