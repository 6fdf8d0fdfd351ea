// Values that the command line sets.
#include "data/readers/pod_reading.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/readers/scenario_reader.hpp"

namespace podtwin::data {

void PodReader::applyOverrides() {
  for (const auto& text : options_.set_overrides) {
    if (text.starts_with("scenario.")) continue;
    const SourceMark where{"--set", 0, 0};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      found_.error(where, "`" + text + "` has no `=`", "write 'ADDRESS=VALUE', as in 'tcs1-P1.speed=0.8'");
      continue;
    }
    if (const std::string word = text.substr(0, text.find_first_of(".="));
        isScenarioKey(word) && !by_id_.contains(word)) {
      found_.error(where, "`" + text + "`: there is no equipment `" + word + "`; it is a key of the scenario",
                   "write `scenario." + text.substr(0, equals) + "`");
      continue;
    }
    const auto address = parseAddress(std::string_view(text).substr(0, equals), SignalPart::required, where, found_);
    if (!address) continue;
    std::optional<YamlDocument> value;
    try {
      value = YamlDocument::parseAt(text.substr(equals + 1), where);
    } catch (const InputError& problem) {
      for (const auto& one : problem.problems()) found_.error(one.where, "`" + text + "`: " + one.what, one.remedy);
      continue;
    }
    const auto targets = addressed(*address);
    for (const std::size_t i : targets) override(i, *address, value->root(), text);
  }
}

std::vector<std::size_t> PodReader::addressed(const Address& address) {
  std::vector<std::size_t> hits;
  switch (address.kind) {
    case Address::Kind::instance: {
      const auto it = by_id_.find(address.name);
      if (it != by_id_.end()) return {it->second};
      found_.error(address.where, "`" + address.text + "`: there is no equipment `" + address.name + "`",
                   suggestion(address.name, allIds(), "equipment"));
      return {};
    }
    case Address::Kind::group: {
      const auto it = plant_.groups.find(address.name);
      if (it == plant_.groups.end()) {
        unknownGroup(address);
        return {};
      }
      for (const auto& id : it->second) hits.push_back(by_id_.at(id));
      return hits;
    }
    case Address::Kind::pattern: {
      if (!knownClass(address.name)) {
        unknownClass(address);
        return {};
      }
      for (std::size_t i = 0; i < raw_.size(); ++i)
        if (raw_[i].info != nullptr && (raw_[i].info->name == address.name || raw_[i].info->group == address.name) &&
            address.matches(plant_.instances[i].id))
          hits.push_back(i);
      if (hits.empty())
        found_.error(address.where, "`" + address.text + "` matches no equipment",
                     "check the pattern; `podtwin check --expand` lists all ids");
      return hits;
    }
  }
  return hits;
}

void PodReader::unknownGroup(const Address& address) {
  std::vector<std::string> known;
  for (const auto& [name, members] : plant_.groups) known.push_back(name);
  found_.error(address.where, "`" + address.text + "`: there is no group `" + address.name + "`",
               suggestion(address.name, known, "groups"));
}

void PodReader::unknownClass(const Address& address) {
  found_.error(address.where, "`" + address.text + "`: there is no class `" + address.name + "`",
               suggestion(address.name, address_names_, "classes"));
}

bool PodReader::isSignal(const ClassInfo& info, std::string_view name) {
  return std::any_of(info.signals.begin(), info.signals.end(),
                     [&](const SignalInfo& signal) { return signal.name == name; });
}

void PodReader::override(std::size_t i, const Address& address, const YamlNode& value, const std::string& text) {
  InstanceDescription& instance = plant_.instances[i];
  if (raw_[i].info == nullptr) return;
  const std::string& key = address.signal;
  const std::string what = "`" + text + "`";
  if (key == "in_service") {
    if (const auto given = scalarText(value, what, found_))
      if (const auto flag = parseFlag(*given, what, value.where, found_)) instance.in_service = *flag;
    return;
  }
  if (key == "mode") {
    const auto given = scalarText(value, what, found_);
    const std::vector<std::string> modes = {"auto", "manual", "off"};
    if (!given) return;
    if (std::find(modes.begin(), modes.end(), *given) != modes.end())
      setMode(instance, *given);
    else
      found_.error(value.where, what + ": there is no mode `" + *given + "`", suggestion(*given, modes, "modes"));
    return;
  }
  std::vector<std::string> known = {"in_service", "mode"};
  for (const auto& info : raw_[i].info->parameters) {
    known.emplace_back(info.name);
    if (info.name != key) continue;
    if (auto parsed = parser_.parse(info, value, what, {})) instance.parameters[key] = std::move(*parsed);
    broken_.erase(instance.id + "." + key);
    return;
  }
  for (const auto& command : raw_[i].info->commands) {
    if (command.verb != "set" || !isSignal(*raw_[i].info, command.argument)) continue;
    known.emplace_back(command.argument);
    if (command.argument != key) continue;
    if (auto given = scalarText(value, what, found_))
      plant_.start_settings.push_back({instance.id, key, std::move(*given), text, value.where});
    return;
  }
  found_.error(value.where, what + ": class " + instance.class_name + " has no parameter `" + key + "`",
               suggestion(key, known, "parameters"));
}

}  // namespace podtwin::data
