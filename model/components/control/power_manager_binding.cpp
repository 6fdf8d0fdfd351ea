// What a power manager is told in the pod file: its loads, BESS, what it sheds and what it watches.
#include "model/components/control/power_manager.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/base/diagnostics.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kSamplePeriod = 1.0;  // s

std::string text(const char* form, double value) {
  char out[96];
  std::snprintf(out, sizeof out, form, value);
  return out;
}

std::ptrdiff_t signalNamed(const ClassInfo& info, std::string_view name) {
  for (std::size_t k = 0; k < info.signals.size(); ++k)
    if (info.signals[k].name == name && info.signals[k].quantity == Quantity::power)
      return static_cast<std::ptrdiff_t>(k);
  return -1;
}

bool knows(const ClassInfo& info, std::string_view verb) {
  return std::any_of(info.commands.begin(), info.commands.end(), [&](const CommandInfo& c) { return c.verb == verb; });
}

}  // namespace

void PowerManagerSet::bind(Binder& b) {
  feeds_.bind(b);
  for (const auto& element : feeds_.elements()) {
    const ClassInfo& info = element.set->info();
    const std::ptrdiff_t load = signalNamed(info, "load");
    const std::ptrdiff_t found = load >= 0 ? load : signalNamed(info, "power");
    element_power_.push_back(found < 0 ? info.signals.size() : static_cast<std::size_t>(found));
  }
  for (std::size_t i = 0; i < size(); ++i) {
    const InstanceDescription& d = description(i);
    Manager& m = managers_[i];
    m.target = d.number("target");
    m.hysteresis = d.number("hysteresis");
    m.network = d.number("network_time");
    m.limit = d.number("limit_time");
    m.brake = d.number("brake_time");
    m.brake_share = d.number("brake_share");
    m.overload = d.number("overload_time");
    m.settle = d.number("settle_time");
    m.restore_delay = d.number("restore_delay");
    m.ramp = d.number("restore_ramp");
    m.least_time = d.number("bess_least_time");
    const std::string& use = d.text("bess_use");
    m.use = use == "before_second"  ? BessUse::before_second
            : use == "before_third" ? BessUse::before_third
            : use == "after_caps"   ? BessUse::after_caps
                                    : BessUse::before_first;
    m.bess_last = d.text("bess_return") == "last";
    const ParameterValue& least = d.parameters.at("least");
    std::size_t steps = 0;
    for (std::size_t step = 0; step < kManagerSteps; ++step)
      if (b.portCount(i, kManagerStepPorts[step]) > 0) steps = step + 1;
    if (least.numbers.size() != steps) {
      b.problems().error(
          least.given ? least.where : d.where,
          "'" + d.id + "' has " + std::to_string(steps) + " step(s) of loads and " +
              std::to_string(least.numbers.size()) + " value(s) of `least`",
          "give one power for each of `first`, `second`, `third` that names loads, as in [95 kW, 40 kW]");
      continue;
    }
    if (m.members.empty())
      b.problems().error(d.where, "'" + d.id + "' manages nothing",
                         "name loads at `first`, `second`, `third` or `shed`, or a BESS at `bess`");
    for (std::size_t step = 0; step < steps; ++step)
      for (std::size_t n = 0; n < b.portCount(i, kManagerStepPorts[step]); ++n)
        bindMember(b, i, step, n, least.numbers[step]);
    bindStores(b, i);
    bindShed(b, i);
    bindWatched(b, i);
    double slowest = 0.0;
    for (const Member& member : m.members) slowest = std::max(slowest, member.cap_delay);
    m.give_period = slowest < kSamplePeriod ? kSamplePeriod : std::floor(slowest) + kSamplePeriod;
    for (std::size_t n = 0; n < b.portCount(i, "deaf"); ++n) {
      const auto [set, k] = b.member(i, "deaf", n);
      const auto found = std::find_if(m.members.begin(), m.members.end(), [&, s = set, at = k](const Member& member) {
        return s != nullptr && member.set == s && member.instance == at;
      });
      if (found != m.members.end())
        found->deaf = true;
      else if (set != nullptr)
        b.problems().error(d.where, "'" + set->ids()[k] + "' is deaf to '" + d.id + "' and no load of its",
                           "name it at `first`, `second` or `third`, too, or leave it out");
    }
  }
}

/// The member named at a port, with its set, its power and its feeds; none after a problem.
PowerManagerSet::Member* PowerManagerSet::ownMember(Binder& b, std::size_t i, const char* port, std::size_t n) {
  const InstanceDescription& d = description(i);
  const auto [set, k] = b.member(i, port, n);
  if (set == nullptr) return nullptr;
  const std::string& name = d.ports.at(port).at(n);
  Member& member = *std::find_if(managers_[i].members.begin(), managers_[i].members.end(),
                                 [&](const Member& m) { return m.id == name; });
  if (member.set != nullptr) return &member;
  const std::ptrdiff_t power = signalNamed(set->info(), "power");
  if (power < 0) {
    b.problems().error(d.where, "'" + d.id + "' manages '" + name + "', a " + std::string(set->info().name),
                       "name loads with a power (rack, electrical_load, air_cooled_rack)");
    return nullptr;
  }
  for (std::size_t other = 0; other < i; ++other)
    for (const auto& taken : managers_[other].members)
      if (taken.set == set && taken.instance == k)
        b.problems().error(d.where, "'" + name + "' is managed by '" + ids()[other] + "' and by '" + d.id + "'",
                           "leave it to one power_manager");
  member.set = set;
  member.instance = k;
  member.power = static_cast<std::size_t>(power);
  member.feeds = feeds_.feedsOf(b, set->description(k));
  return &member;
}

void PowerManagerSet::bindMember(Binder& b, std::size_t i, std::size_t step, std::size_t n, double least) {
  const InstanceDescription& d = description(i);
  const auto [set, k] = b.member(i, kManagerStepPorts[step], n);
  if (set == nullptr) return;
  const std::string& name = d.ports.at(kManagerStepPorts[step]).at(n);
  const bool caps = knows(set->info(), "cap");
  if (signalNamed(set->info(), "power") < 0 || !(caps || set->info().name == "electrical_load")) {
    b.problems().error(d.where, "'" + d.id + "' cannot cap '" + name + "', a " + std::string(set->info().name),
                       "name loads that take `cap` (rack) or electrical_load");
    return;
  }
  Member* member = ownMember(b, i, kManagerStepPorts[step], n);
  if (member == nullptr) return;
  const bool known = std::isfinite(*std::min_element(member->least.begin(), member->least.end()));
  member->caps = caps;
  member->brakes = knows(set->info(), "brake") && knows(set->info(), "release");
  member->least[step] = least;
  if (known) return;
  if (member->feeds.empty())
    b.problems().error(d.where, "'" + name + "', a load of '" + d.id + "', has no bus that feeds it",
                       "give it `feeds` or `supply`, or leave it out");
  const auto own = [&](const char* parameter) {
    const auto found = set->description(k).parameters.find(parameter);
    return found == set->description(k).parameters.end() ? 0.0 : found->second.number;
  };
  if (caps) member->cap_delay = own("limit_time");
  if (member->brakes) member->brake_delay = own("brake_time");
  refuseSlow(b, d, name, "limit_time", member->cap_delay);
}

void PowerManagerSet::bindStores(Binder& b, std::size_t i) {
  const InstanceDescription& d = description(i);
  for (std::size_t n = 0; n < b.portCount(i, "bess"); ++n) {
    const auto [set, k] = b.member(i, "bess", n);
    if (set == nullptr) continue;
    const std::string& name = d.ports.at("bess").at(n);
    const auto store = ManagedStore::of(set, k);
    if (!store) {
      b.problems().error(d.where, "'" + d.id + "' cannot call '" + name + "', a " + std::string(set->info().name),
                         "name equipment of class bess");
      continue;
    }
    if (Member* member = ownMember(b, i, "bess", n); member != nullptr) {
      member->store = store;
      member->feeds = feeds_.busesAt(b, set->description(k), "to");
      refuseSlow(b, d, name, "time to follow an order", store->follows());
    }
  }
}

void PowerManagerSet::bindShed(Binder& b, std::size_t i) {
  const InstanceDescription& d = description(i);
  Manager& m = managers_[i];
  for (std::size_t n = 0; n < b.portCount(i, "shed"); ++n) {
    Member* member = ownMember(b, i, "shed", n);
    if (member == nullptr) continue;
    if (member->store || member->feeds.empty())
      b.problems().error(d.where, "'" + member->id + "', which '" + d.id + "' sheds, is no load on a bus",
                         "name loads with `feeds` or `supply`");
    member->shed = static_cast<std::ptrdiff_t>(n);
    m.shed.push_back(static_cast<std::size_t>(member - m.members.data()));
  }
}

void PowerManagerSet::bindWatched(Binder& b, std::size_t i) {
  const InstanceDescription& d = description(i);
  Manager& m = managers_[i];
  const std::size_t count = b.portCount(i, "watches");
  m.watched.assign(feeds_.elements().size(), count == 0 ? 1 : 0);
  for (std::size_t n = 0; n < count; ++n) {
    const auto [set, k] = b.member(i, "watches", n);
    if (set == nullptr) continue;
    const auto& elements = feeds_.elements();
    const auto found = std::find_if(
        elements.begin(), elements.end(),
        [&, s = set, at = k](const RatedElement& element) { return element.set == s && element.instance == at; });
    if (found == elements.end())
      b.problems().error(d.where, "'" + d.id + "' watches '" + set->ids()[k] + "', which has no rating on a loading",
                         "name utilities, transformers, UPS, busways, lines, breakers or generators");
    else
      m.watched[static_cast<std::size_t>(found - elements.begin())] = 1;
  }
}

/// What is not in force when it is looked at again would be taken for a cap that does not help, and taken twice.
void PowerManagerSet::refuseSlow(Binder& b, const InstanceDescription& d, const std::string& member, const char* what,
                                 double time) {
  const ParameterValue& settle = d.parameters.at("settle_time");
  if (settle.number > time) return;
  b.problems().error(settle.given ? settle.where : d.where,
                     "'" + d.id + "' looks again " + text("%.3g s", settle.number) + " after an order, and '" + member +
                         "' has a " + what + text(" of %.3g s", time),
                     "give a `settle_time` above it");
}

}  // namespace podtwin
