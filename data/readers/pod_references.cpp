// Whether what a pod names exists: nodes, buses, zones, supplies and references, and which names look misspelt.
#include "data/readers/pod_reading.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace podtwin::data {

namespace {

/// Letters added, left out, changed or swapped with their neighbour between two words.
std::size_t slips(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

/// The words of a name, without the digits that number it and without single letters: "fws-cold" of "fws2-cold-A".
std::string wordsOf(const std::string& name) {
  std::string out, word;
  for (const char c : name + "-") {
    if (c == '-' || c == '_') {
      if (word.size() > 1) out += (out.empty() ? "" : "-") + word;
      word.clear();
    } else if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      word += c;
    }
  }
  return out;
}

/// True when one name looks like the other misspelt. Names that numbers or a single letter tell apart are meant.
bool looksMisspelt(const std::string& name, const std::string& other) {
  constexpr std::size_t kShortest = 5;  // characters; shorter names differ by a letter on purpose
  if (name == other || std::min(name.size(), other.size()) < kShortest) return false;
  const std::string a = wordsOf(name), b = wordsOf(other);
  const std::size_t most = std::min(a.size(), b.size()) >= 2 * kShortest ? 2 : 1;
  return a != b && std::min(a.size(), b.size()) >= kShortest && slips(name, other) <= most;
}

}  // namespace

const std::set<std::string>& PodReader::places() {
  if (places_built_) return places_;
  places_built_ = true;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    if (raw_[i].info == nullptr) continue;
    for (const auto& port : raw_[i].info->ports) {
      if (port.kind == PortKind::member || port.kind == PortKind::signal) continue;
      const auto it = plant_.instances[i].ports.find(std::string(port.name));
      if (it == plant_.instances[i].ports.end()) continue;
      for (const auto& name : it->second) {
        places_.insert(name);
        used_.insert(name);
        if (port.kind == PortKind::bus) buses_.insert(name);
        if (port.kind == PortKind::fluid) {
          fluid_nodes_.insert(name);
          const SourceMark& where = plant_.instances[i].port_marks.at(std::string(port.name));
          // Members of a range share a place in the file, and are one user.
          node_users_[name].insert({raw_[i].display + "." + std::string(port.name), {where, label(i)}});
        }
      }
    }
  }
  for (const auto& node : plant_.nodes) {
    places_.insert(node.name);
    if (node.nominal_voltage) buses_.insert(node.name);
  }
  return places_;
}

bool PodReader::isPlace(const std::string& name) {
  if (name == "facility" || places().contains(name)) return true;
  for (std::size_t dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1)) {
    const auto it = by_id_.find(name.substr(0, dash));
    // Only racks and their like make parts; they are the classes that other classes of the list belong to.
    if (it != by_id_.end() && raw_[it->second].info != nullptr && raw_[it->second].info->group == "rack") return true;
  }
  return false;
}

void PodReader::checkReferences() {
  places();
  std::set<std::string> supplies;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    const InstanceDescription& instance = plant_.instances[i];
    if (raw_[i].info == nullptr) continue;
    for (const auto& port : raw_[i].info->ports) {
      const auto it = instance.ports.find(std::string(port.name));
      if (it == instance.ports.end()) continue;
      const SourceMark& where = instance.port_marks.at(std::string(port.name));
      const std::string subject = "`" + std::string(port.name) + "` of " + label(i);
      for (const auto& name : it->second) {
        if (port.kind == PortKind::member && !by_id_.contains(name))
          found_.error(where, subject + ": there is no equipment `" + name + "`",
                       suggestion(name, allIds(), "equipment"));
        if (port.kind == PortKind::signal)
          if (const auto address = parseAddress(name, SignalPart::required, where, found_)) signalKind(*address);
      }
    }
    if (!instance.supply.empty()) checkSupply(i, instance);
  }
  for (const auto& [name, where] : reference_marks_) {
    if (fluid_nodes_.contains(name)) continue;
    const std::string near = nearestName(name, {fluid_nodes_.begin(), fluid_nodes_.end()});
    if (near.empty())
      found_.warning(where, "no equipment uses the reference node `" + name + "`", "connect something to it");
    else
      found_.error(where, "no equipment uses the reference node `" + name + "`", "did you mean `" + near + "`?");
  }
  checkLonelyNodes();
  for (const auto& node : plant_.nodes) {
    const auto same = std::find_if(plant_.circuits.begin(), plant_.circuits.end(),
                                   [&](const auto& circuit) { return circuit.reference_node == node.name; });
    if (node.fixed_pressure && same != plant_.circuits.end() && *node.fixed_pressure != same->reference_pressure)
      found_.error(node.where,
                   "the node '" + node.name +
                       "' has a pressure and is, with another one, the reference of the circuit '" + same->name +
                       "': two things would set one pressure",
                   "leave one of them out");
    if (!used_.contains(node.name))
      found_.warning(node.where, "no equipment uses the node `" + node.name + "`",
                     "connect something to it, or remove the entry");
  }
}

/// A node that one piece of equipment uses, and that no other part of the file names, is most likely misspelt when
/// another is spelt nearly so.
void PodReader::checkLonelyNodes() {
  std::set<std::string> described;
  for (const auto& node : plant_.nodes) described.insert(node.name);
  for (const auto& [name, where] : reference_marks_) described.insert(name);
  const auto lonely = [&](const std::string& name) {
    return node_users_.at(name).size() == 1 && !described.contains(name);
  };
  std::set<std::string> told;
  for (const auto& [name, users] : node_users_) {
    if (!lonely(name) || told.contains(name)) continue;
    std::string near;
    for (const auto& other : node_users_)
      if (looksMisspelt(name, other.first) && (near.empty() || slips(name, other.first) < slips(name, near)))
        near = other.first;
    if (near.empty()) continue;
    const auto& [where, user] = users.begin()->second;
    std::string what = "the node `" + name + "` of " + user + " is joined to nothing else";
    std::string remedy = "did you mean `" + near + "`?";
    if (lonely(near)) {
      // Which of the two is wrong cannot be told: the problem is told once, with both places.
      told.insert(near);
      const auto& [other_where, other_user] = node_users_.at(near).begin()->second;
      what += ", and so is `" + near + "` of " + other_user + " in line " + std::to_string(other_where.line);
      remedy = "did you mean one node, `" + near + "` or `" + name + "`?";
    }
    found_.error(where, what, remedy + " Where it is a dead end on purpose, name it under `nodes:`");
  }
}

void PodReader::checkSupply(std::size_t i, const InstanceDescription& instance) {
  if (buses_.contains(instance.supply)) return;
  const auto it = instance.port_marks.find("supply");
  const SourceMark& where = it == instance.port_marks.end() ? instance.where : it->second;
  const std::string what =
      "`supply` of " + label(i) + ": nothing else is connected to the bus `" + instance.supply + "`";
  const std::string near = nearestName(instance.supply, {buses_.begin(), buses_.end()});
  if (!near.empty())
    found_.error(where, what, "did you mean `" + near + "`?");
  else
    found_.warning(where, what, "connect a source to it; without one this equipment has no supply");
}

}  // namespace podtwin::data
