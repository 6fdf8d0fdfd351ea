#include "model/components/power/selectivity_of_plant.hpp"

#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "model/components/power/protected_branch.hpp"

namespace podtwin {

namespace {

struct Branching {
  const InstanceDescription* description;
  std::string from, to;
  const ProtectedBranch* device;  // null: it protects nothing
};

std::vector<Branching> branchesOf(const System& system) {
  std::vector<Branching> all;
  for (const auto& set : system.sets()) {
    if (set->info().electrical != ElectricalRole::branch) continue;
    const auto* protective = dynamic_cast<const ProtectiveSet*>(set.get());
    for (std::size_t i = 0; i < set->size(); ++i) {
      const InstanceDescription& d = set->description(i);
      const auto from = d.ports.find("from"), to = d.ports.find("to");
      if (from == d.ports.end() || to == d.ports.end() || from->second.size() != 1 || to->second.size() != 1) continue;
      const ProtectedBranch* device = protective == nullptr ? nullptr : &protective->device(i);
      if (device != nullptr && device->curve.memories() == 0) device = nullptr;
      all.push_back({&d, from->second.front(), to->second.front(), device});
    }
  }
  return all;
}

std::string number(double value) {
  constexpr int kDigits = 3;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", kDigits, value);
  return text.data();
}

}  // namespace

std::vector<SelectivityFinding> selectivityOfPlant(const System& system) {
  const std::vector<Branching> all = branchesOf(system);
  std::multimap<std::string, const Branching*> feeding;
  for (const auto& branch : all) feeding.emplace(branch.to, &branch);
  std::map<std::string, double> nominal;
  for (std::size_t b = 0; b < system.buses().size(); ++b)
    if (system.electrical().phased(b)) nominal[system.buses()[b].name] = system.electrical().nominalVoltage(b);

  std::vector<SelectivityFinding> findings;
  for (const auto& below : all) {
    if (below.device == nullptr) continue;
    std::set<std::string> seen{below.from};
    std::vector<std::string> next{below.from};
    while (!next.empty()) {
      const std::string bus = next.back();
      next.pop_back();
      for (auto [it, end] = feeding.equal_range(bus); it != end; ++it) {
        const Branching& above = *it->second;
        if (above.device == nullptr) {
          if (seen.insert(above.from).second) next.push_back(above.from);
          continue;
        }
        if (&above == &below) continue;
        SelectivityCase at{.prospective = below.device->prospective,
                           .upstream_share = nominal.at(below.to) / nominal.at(above.to)};
        for (const FaultPath path : {FaultPath::phases, FaultPath::earth}) {
          // A transformer keeps an earth fault to its side.
          if (path == FaultPath::earth &&
              (above.device->curve.tripsAbove(Watched::ground) == kUnbounded || at.upstream_share != 1.0))
            continue;
          at.path = path;
          findings.push_back({below.description->id, above.description->id, below.description->where, path,
                              at.upstream_share, at.prospective,
                              selectivity(below.device->curve, above.device->curve, at)});
        }
      }
    }
  }
  return findings;
}

std::vector<SelectivityWarning> selectivityWarnings(const std::vector<SelectivityFinding>& findings) {
  constexpr std::size_t kMostNamed = 6;
  std::map<std::string, std::vector<const SelectivityFinding*>> alike;
  std::vector<std::string> order;
  for (const auto& f : findings) {
    if (f.found.full) continue;
    const std::string current =
        f.found.fails_at < 1000.0 ? number(f.found.fails_at) + " A" : number(f.found.fails_at / 1000.0) + " kA";
    const std::string clears = f.found.downstream < kUnbounded
                                   ? "may take " + number(f.found.downstream) + " s to no current"
                                   : "may never open";
    const std::string text = "not selective with '" + f.upstream + "' above, " +
                             (f.path == FaultPath::earth ? "at earth faults" : "at overloads and short circuits") +
                             " from " + current + " on: it " + clears + ", '" + f.upstream + "' decides after " +
                             number(f.found.upstream) + " s";
    auto& list = alike[text];
    if (list.empty()) order.push_back(text);
    list.push_back(&f);
  }
  std::vector<SelectivityWarning> warnings;
  for (const auto& text : order) {
    const auto& list = alike.at(text);
    std::string names;
    for (std::size_t k = 0; k < std::min(list.size(), kMostNamed); ++k)
      names += (k == 0 ? "'" : ", '") + list[k]->downstream + "'";
    if (list.size() > kMostNamed) names += " and " + std::to_string(list.size() - kMostNamed) + " more";
    warnings.push_back({list.front()->where, names + (list.size() > 1 ? " are each " : " is ") + text,
                        "delay the upper one, raise its pickup, choose a quicker one below, or state the prospective "
                        "current"});
  }
  return warnings;
}

}  // namespace podtwin
