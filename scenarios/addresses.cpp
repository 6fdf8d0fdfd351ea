#include "scenarios/addresses.hpp"

#include <algorithm>
#include <cctype>

namespace podtwin::scenarios {

namespace {

/// Wildcard match: `*` stands for any run of characters.
bool wildcard(const std::string& text, const std::string& pattern) {
  std::size_t t = 0, p = 0, star = std::string::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// "A01-A08" as a range of ids: same length, same letters, number between. `where` is the dash that splits it.
bool inRange(const std::string& id, const std::string& pattern) {
  if (pattern.size() % 2 == 0) return false;
  const std::size_t half = pattern.size() / 2;
  if (pattern[half] != '-') return false;
  const std::string low = pattern.substr(0, half), high = pattern.substr(half + 1);
  if (low.empty() || id.size() != low.size() || low > high) return false;
  if (std::isdigit(static_cast<unsigned char>(low.back())) == 0) return false;
  return low <= id && id <= high;
}

std::vector<std::string> splitTopLevel(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

/// A[01-04] style: expands the first bracket into alternatives.
std::vector<std::string> expandBrackets(const std::string& pattern) {
  const auto open = pattern.find('['), close = pattern.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return {pattern};
  const std::string before = pattern.substr(0, open), inside = pattern.substr(open + 1, close - open - 1),
                    after = pattern.substr(close + 1);
  std::vector<std::string> out;
  for (const auto& part : splitTopLevel(inside)) {
    const auto dash = part.find('-');
    std::vector<std::string> values;
    if (dash != std::string::npos && dash > 0 && part.size() == 2 * dash + 1) {
      std::string value = part.substr(0, dash);
      const std::string last = part.substr(dash + 1);
      for (int guard = 0; guard < 100000; ++guard) {
        values.push_back(value);
        if (value == last) break;
        std::size_t i = value.size();
        while (i-- > 0) {
          if (value[i] == '9') {
            value[i] = '0';
          } else if (value[i] == 'Z' || value[i] == 'z') {
            value[i] = value[i] == 'Z' ? 'A' : 'a';
          } else {
            ++value[i];
            break;
          }
        }
      }
    } else {
      values.push_back(part);
    }
    for (const auto& value : values)
      for (auto& rest : expandBrackets(after)) out.push_back(before + value + rest);
  }
  return out;
}

std::vector<std::string> groupNames(const System& system) {
  std::vector<std::string> names;
  for (const auto& set : system.sets()) {
    names.emplace_back(set->info().name);
    if (set->info().group != set->info().name) names.emplace_back(set->info().group);
  }
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& names, const std::string& otherwise) {
  const std::string near = nearestName(word, names);
  return near.empty() ? otherwise : "did you mean '" + near + "'?";
}

bool matchesPattern(const std::string& id, const std::string& pattern) {
  for (const auto& part : splitTopLevel(pattern))
    for (const auto& alternative : expandBrackets(part))
      if (alternative == id || wildcard(id, alternative) || inRange(id, alternative)) return true;
  return false;
}

std::vector<std::pair<ComponentSet*, std::size_t>> resolveTargets(const System& system, const std::string& target,
                                                                  const SourceMark& where, Diagnostics& problems) {
  std::vector<std::pair<ComponentSet*, std::size_t>> found;
  if (target.rfind("group:", 0) == 0) {
    const std::string name = target.substr(6);
    const auto group = system.plant().groups.find(name);
    if (group == system.plant().groups.end()) {
      std::vector<std::string> names;
      for (const auto& [key, members] : system.plant().groups) names.push_back(key);
      problems.error(where, "there is no group '" + name + "'",
                     suggestion(name, names, "name a group of the pod file"));
      return found;
    }
    for (const auto& id : group->second)
      if (const auto place = system.find(id); place.first != nullptr) found.push_back(place);
    return found;
  }
  if (const auto place = system.find(target); place.first != nullptr) return {place};
  const auto open = target.find('[');
  if (open != std::string::npos && target.back() == ']') {
    const std::string name = target.substr(0, open), pattern = target.substr(open + 1, target.size() - open - 2);
    bool known = false;
    for (const auto& set : system.sets()) {
      if (set->info().name != name && set->info().group != name) continue;
      known = true;
      for (std::size_t i = 0; i < set->size(); ++i)
        if (matchesPattern(set->ids()[i], pattern)) found.emplace_back(set.get(), i);
    }
    if (!known)
      problems.error(where, "the pod has no equipment of class '" + name + "'",
                     suggestion(name, groupNames(system), "its classes stand in `podtwin check --expand`"));
    else if (found.empty())
      problems.error(where, "no " + name + " matches '" + pattern + "'", "check the ids with `podtwin check --expand`");
    return found;
  }
  problems.error(where, "there is no equipment '" + target + "'",
                 suggestion(target, system.allIds(), "name an id, class[pattern] or group:NAME"));
  return found;
}

std::vector<std::pair<ComponentSet*, std::size_t>> resolveTargets(const System& system, const data::Address& address,
                                                                  Diagnostics& problems) {
  if (address.kind != data::Address::Kind::pattern)
    return resolveTargets(system, address.signal.empty() ? address.text : address.name, address.where, problems);
  std::vector<std::pair<ComponentSet*, std::size_t>> found;
  bool known = false;
  std::vector<std::string> classes;
  for (const auto& set : system.sets()) {
    classes.emplace_back(set->info().name);
    if (set->info().name != address.name && set->info().group != address.name) continue;
    known = true;
    for (std::size_t i = 0; i < set->size(); ++i)
      if (address.matches(set->ids()[i])) found.emplace_back(set.get(), i);
  }
  if (!known)
    problems.error(address.where, "the pod has no equipment of class '" + address.name + "'",
                   suggestion(address.name, classes, "its classes stand in `podtwin check --expand`"));
  else if (found.empty())
    problems.error(address.where, "nothing matches '" + address.text + "'",
                   "check the ids with `podtwin check --expand`");
  return found;
}

bool ofOneQuantity(const ComponentSet& set, std::size_t signal, const std::vector<std::size_t>& instances,
                   const std::string& address, const SourceMark& where, Diagnostics& problems) {
  const Quantity first = set.signalQuantity(signal, instances.front());
  for (const std::size_t i : instances) {
    const Quantity other = set.signalQuantity(signal, i);
    if (other == first) continue;
    problems.error(where,
                   "'" + address + "' names values of several kinds: " + std::string(quantityName(first)) + " ('" +
                       set.ids()[instances.front()] + "') and " + std::string(quantityName(other)) + " ('" +
                       set.ids()[i] + "')",
                   "name instances of one kind");
    return false;
  }
  return true;
}

ResolvedSignal resolveSignal(const System& system, const std::string& address, const SourceMark& where,
                             Diagnostics& problems) {
  ResolvedSignal resolved;
  std::size_t dot = std::string::npos;
  int depth = 0;
  for (std::size_t i = 0; i < address.size(); ++i) {
    if (address[i] == '[') ++depth;
    if (address[i] == ']') --depth;
    if (address[i] == '.' && depth == 0) dot = i;
  }
  if (dot == std::string::npos) {
    problems.error(where, "'" + address + "' names no signal", "write ID.signal or class[pattern].signal");
    return resolved;
  }
  const std::string target = address.substr(0, dot), name = address.substr(dot + 1);
  // A node or bus may share its name with nothing else; instances win.
  std::vector<std::pair<ComponentSet*, std::size_t>> places;
  if (const SignalAddress direct = system.findSignal(address); direct.set != nullptr) {
    resolved.set = direct.set;
    resolved.signal = direct.signal;
    resolved.instances = {direct.instance};
    return resolved;
  }
  places = resolveTargets(system, target, where, problems);
  if (places.empty()) return resolved;
  const ComponentSet* set = places.front().first;
  for (const auto& [other, i] : places)
    if (other != set) {
      problems.error(where, "'" + target + "' names equipment of several classes", "name one class at a time");
      return resolved;
    }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < set->info().signals.size(); ++k) {
    names.emplace_back(set->info().signals[k].name);
    if (set->info().signals[k].name == name) {
      resolved.set = set;
      resolved.signal = k;
    }
  }
  if (resolved.set == nullptr) {
    problems.error(where, "a " + std::string(set->info().name) + " has no signal '" + name + "'",
                   suggestion(name, names, "its signals are " + listed(names)));
    return resolved;
  }
  for (const auto& [other, i] : places) resolved.instances.push_back(i);
  std::sort(resolved.instances.begin(), resolved.instances.end());
  if (!ofOneQuantity(*resolved.set, resolved.signal, resolved.instances, address, where, problems))
    resolved.set = nullptr;
  return resolved;
}

}  // namespace podtwin::scenarios
