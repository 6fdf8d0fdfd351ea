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
    if (overrideSection(text, equals)) continue;
    if (const std::string word = text.substr(0, text.find_first_of(".="));
        isScenarioKey(word) && !by_id_.contains(word)) {
      found_.error(where, "`" + text + "`: there is no equipment `" + word + "`; it is a key of the scenario",
                   "write `scenario." + text.substr(0, equals) + "`");
      continue;
    }
    std::vector<Address> addresses;
    for (const auto& one : addressesOf(text.substr(0, equals), where))
      if (auto address = parseAddress(one, SignalPart::required, where, found_))
        addresses.push_back(std::move(*address));
    if (addresses.empty()) continue;
    std::optional<YamlDocument> value;
    try {
      value = YamlDocument::parseAt(text.substr(equals + 1), where);
    } catch (const InputError& problem) {
      for (const auto& one : problem.problems()) found_.error(one.where, "`" + text + "`: " + one.what, one.remedy);
      continue;
    }
    for (const auto& address : addresses) {
      const auto targets = addressed(address);
      for (const std::size_t i : targets) override(i, address, value->root(), text);
    }
  }
}

/// A range of ids, `LB-[1-2].power`, written out; every other address as it is.
std::vector<std::string> PodReader::addressesOf(const std::string& path, const SourceMark& where) {
  const std::size_t bracket = path.find('['), dot = path.rfind('.');
  if (bracket == std::string::npos || dot == std::string::npos || dot < bracket || path.starts_with("group:") ||
      path.find('*') != std::string::npos || knownClass(path.substr(0, bracket)))
    return {path};
  const auto names = expandRanges(path.substr(0, dot), where, found_);
  if (std::none_of(names.begin(), names.end(), [&](const ExpandedName& one) { return by_id_.contains(one.name); }))
    return names.empty() ? std::vector<std::string>{} : std::vector{path};
  std::vector<std::string> out;
  for (const auto& one : names) out.push_back(one.name + path.substr(dot));
  return out;
}

bool PodReader::overrideSection(const std::string& text, std::size_t equals) {
  const std::string path = text.substr(0, equals), value = text.substr(equals + 1);
  const std::size_t dot = path.find('.');
  const std::string section = path.substr(0, dot), rest = dot == std::string::npos ? "" : path.substr(dot + 1);
  if (by_id_.contains(section)) return false;
  if (section == "design") {
    overrideDesign(rest, value, text);
    return true;
  }
  const SourceMark where{"--set", 0, 0};
  if (section == "circuits") {
    const std::size_t last = rest.rfind('.');
    const std::string circuit = rest.substr(0, last), key = last == std::string::npos ? "" : rest.substr(last + 1);
    if (key == "fluid" || key == "property_temperature")
      circuit_settings_.push_back({circuit, key, value, text});
    else
      found_.error(where, "`" + text + "`: of a circuit, `fluid` and `property_temperature` can be set",
                   "write `circuits.NAME.fluid=PG25`, or change the pod file");
    return true;
  }
  for (const char* other : {"site", "nodes", "physics", "equipment", "controls", "limits", "groups", "templates",
                            "layout", "use", "include"})
    if (section == other) {
      found_.error(where, "`" + text + "`: `" + section + "` of a pod is not set from the command line",
                   "set a parameter (`ID.parameter=...`, `class[pattern].parameter=...`), `design.rack_power`, "
                   "`design.weather.dry_bulb`, `circuits.NAME.fluid` or `scenario.KEY`, or change the pod file");
      return true;
    }
  return false;
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
  const bool ids = std::any_of(plant_.instances.begin(), plant_.instances.end(),
                               [&](const InstanceDescription& one) { return one.id.starts_with(address.name); });
  found_.error(address.where,
               "`" + address.text + "`: there is no class `" + address.name + "`" +
                   (ids ? ", and no equipment with these ids" : ""),
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
