#include "model/components/control/power_manager.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/base/diagnostics.hpp"
#include "model/components/control/called_unit.hpp"
#include "model/components/control/classes.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kTolerance = 1e-9;        // s
constexpr double kAbove = 1e-6;            // of rating
constexpr double kNearlyAbove = 0.9;       // of rating: from here on it is watched inside steps
constexpr double kLeastAction = 1.0;       // W
constexpr double kEnoughOfPathTime = 2.0;  // a path is taken when twice its time is left; engineering estimate
constexpr double kWorthRestoring = 0.01;   // of its demand, before power is given back; engineering estimate
constexpr double kPerCent = 100.0;

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

bool due(double moment, const Evaluation& e) { return moment != kNotLasting && moment <= e.t + kTolerance; }

}  // namespace

ManagedLoadSet::ManagedLoadSet(const PowerManagerSet& managers, std::vector<const InstanceDescription*> makers,
                               std::vector<std::string> ids, std::vector<std::string> parents)
    : ComponentSet(ManagedLoadInfo::table(), std::move(makers), std::move(ids)),
      managers_(managers),
      parents_(std::move(parents)) {}

std::vector<std::pair<std::string, std::vector<std::string>>> ManagedLoadSet::labels() const {
  return {{"power_manager", parents_}};
}
void ManagedLoadSet::signal(const Evaluation& e, std::size_t k, std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
}
double ManagedLoadSet::signalOf(const Evaluation& e, std::size_t k, std::size_t i) const {
  return managers_.loadSignal(e, k, i);
}

PowerManagerSet::PowerManagerSet(std::vector<const InstanceDescription*> instances)
    : ComponentSet(Info::table(), std::move(instances)), managers_(size()) {}

void PowerManagerSet::makeParts(SetList& out) {
  std::vector<const InstanceDescription*> makers;
  std::vector<std::string> ids, parents;
  for (std::size_t i = 0; i < size(); ++i) {
    const InstanceDescription& d = description(i);
    managers_[i].first = ids.size();
    for (const char* port : kManagerStepPorts)
      if (const auto found = d.ports.find(port); found != d.ports.end())
        for (const auto& name : found->second) {
          auto& members = managers_[i].members;
          if (std::any_of(members.begin(), members.end(), [&](const Member& m) { return m.id == name; })) continue;
          owner_.emplace_back(i, members.size());
          members.emplace_back().id = name;
          makers.push_back(&d);
          ids.push_back(d.id + "-" + name);
          parents.push_back(d.id);
        }
  }
  auto set = std::make_unique<ManagedLoadSet>(*this, std::move(makers), std::move(ids), std::move(parents));
  loads_ = set.get();
  out.push_back(std::move(set));
}

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
    const ParameterValue& least = d.parameters.at("least");
    std::size_t steps = 0;
    for (std::size_t step = 0; step < kManagerSteps; ++step)
      if (b.portCount(i, kManagerStepPorts[step]) > 0) steps = step + 1;
    if (least.numbers.size() != steps) {
      b.problems().error(
          least.where,
          "'" + d.id + "' has " + std::to_string(steps) + " step(s) of loads and " +
              std::to_string(least.numbers.size()) + " value(s) of `least`",
          "give one power for each of `first`, `second`, `third` that names loads, as in [95 kW, 40 kW]");
      continue;
    }
    for (std::size_t step = 0; step < steps; ++step)
      for (std::size_t n = 0; n < b.portCount(i, kManagerStepPorts[step]); ++n)
        bindMember(b, i, step, n, least.numbers[step]);
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

void PowerManagerSet::bindMember(Binder& b, std::size_t i, std::size_t step, std::size_t n, double least) {
  const InstanceDescription& d = description(i);
  const auto [set, k] = b.member(i, kManagerStepPorts[step], n);
  if (set == nullptr) return;
  const std::string& name = d.ports.at(kManagerStepPorts[step]).at(n);
  Member& member = *std::find_if(managers_[i].members.begin(), managers_[i].members.end(),
                                 [&](const Member& m) { return m.id == name; });
  const std::ptrdiff_t power = signalNamed(set->info(), "power");
  const bool caps = knows(set->info(), "cap");
  if (power < 0 || !(caps || set->info().name == "electrical_load")) {
    b.problems().error(d.where, "'" + d.id + "' cannot cap '" + name + "', a " + std::string(set->info().name),
                       "name loads that take `cap` (rack) or electrical_load");
    return;
  }
  for (std::size_t other = 0; other < i; ++other)
    for (const auto& taken : managers_[other].members)
      if (taken.set == set && taken.instance == k)
        b.problems().error(d.where, "'" + name + "' is managed by '" + ids()[other] + "' and by '" + d.id + "'",
                           "leave it to one power_manager");
  member.set = set;
  member.instance = k;
  member.power = static_cast<std::size_t>(power);
  member.caps = caps;
  member.brakes = knows(set->info(), "brake") && knows(set->info(), "release");
  member.least[step] = least;
  member.feeds = feeds_.feedsOf(b, set->description(k));
  if (member.feeds.empty())
    b.problems().error(d.where, "'" + name + "', a load of '" + d.id + "', has no bus that feeds it",
                       "give it `feeds` or `supply`, or leave it out");
}

ManagerState PowerManagerSet::state(const Evaluation& e, std::size_t i) const {
  return static_cast<ManagerState>(static_cast<int>(z(e, Info::kStateOf, i)));
}

PowerManagerSet::Seen PowerManagerSet::see(const Manager& m, const Evaluation& e) const {
  Seen seen;
  const auto& elements = feeds_.elements();
  for (const Member& member : m.members) seen.share.push_back(feeds_.shares(e, member.feeds));
  seen.loading.assign(elements.size(), 0.0);
  seen.watt.assign(elements.size(), kUnbounded);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    double managed = 0.0;
    bool above = false;
    for (std::size_t n = 0; n < m.members.size(); ++n) {
      managed += seen.share[n][k] * power(m.members[n], e);
      above = above || seen.share[n][k] > 0.0;
    }
    if (!above) continue;
    seen.loading[k] = elements[k].loading(e);
    const bool told = element_power_[k] < elements[k].set->info().signals.size();
    const double carried = told ? elements[k].set->signalOf(e, element_power_[k], elements[k].instance) : managed;
    if (seen.loading[k] > 0.0 && carried > 0.0) seen.watt[k] = carried / seen.loading[k];
    if (seen.loading[k] > seen.worst) {
      seen.worst = seen.loading[k];
      seen.worst_element = k;
    }
  }
  return seen;
}

double PowerManagerSet::worstLoading(const Manager& m, const Evaluation& e) const { return see(m, e).worst; }

double PowerManagerSet::withheld(const Manager& m, std::size_t k, const Evaluation& e) const {
  const std::size_t load = m.first + k;
  return loads_->z(e, Load::kCap, load) > 0.0
             ? std::max(loads_->z(e, Load::kDemand, load) - power(m.members[k], e), 0.0)
             : 0.0;
}

void PowerManagerSet::ask(const Member& member, State& s, double cap, double demand) const {
  std::string reason;
  member.set->command(s, member.instance, member.caps ? "cap" : "set", member.caps || cap > 0.0 ? cap : demand, reason);
}

bool PowerManagerSet::watching(const Evaluation& e) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (available(e, i) && worstLoading(managers_[i], e) > kNearlyAbove) return true;
  return false;
}

double PowerManagerSet::watch(const Evaluation& e) const {
  double greatest = -kUnbounded;
  for (std::size_t i = 0; i < size(); ++i) {
    const ManagerState now = state(e, i);
    if (available(e, i) && now != ManagerState::acting && now != ManagerState::cannot_keep)
      greatest = std::max(greatest, worstLoading(managers_[i], e) - 1.0 - kAbove);
  }
  return greatest;
}

double PowerManagerSet::nextMoment(const Evaluation& e) const {
  double soonest = kUnbounded;
  const auto take = [&](double moment) {
    if (moment != kNotLasting) soonest = std::min(soonest, moment);
  };
  for (std::size_t i = 0; i < size(); ++i) {
    if (!available(e, i)) continue;
    take(z(e, Info::kLookAt, i));
    for (std::size_t k = 0; k < managers_[i].members.size(); ++k) {
      take(loads_->z(e, Load::kDue, managers_[i].first + k));
      take(loads_->z(e, Load::kBrakeDue, managers_[i].first + k));
    }
  }
  return soonest;
}

/// Orders that have arrived by now.
void PowerManagerSet::bring(std::size_t i, const Evaluation& e, State& s) const {
  const Manager& m = managers_[i];
  for (std::size_t k = 0; k < m.members.size(); ++k) {
    const Member& member = m.members[k];
    const std::size_t load = m.first + k;
    std::string reason;
    if (due(loads_->z(s, Load::kBrakeDue, load), e)) {
      loads_->z(s, Load::kBrakeDue, load) = kNotLasting;
      if (member.brakes)
        member.set->command(s, member.instance, "brake", kRequired, reason);
      else
        ask(member, s, std::min(loads_->z(s, Load::kAsked, load), m.brake_share * power(member, e)), 0.0);
    }
    if (due(loads_->z(s, Load::kDue, load), e)) {
      loads_->z(s, Load::kDue, load) = kNotLasting;
      loads_->z(s, Load::kCap, load) = loads_->z(s, Load::kAsked, load);
      ask(member, s, loads_->z(s, Load::kCap, load), 0.0);
      if (member.brakes) member.set->command(s, member.instance, "release", kRequired, reason);
    }
  }
}

void PowerManagerSet::act(const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!available(e, i)) continue;
    bring(i, e, s);
    const ManagerState now = state(e, i);
    const bool free = now != ManagerState::acting && now != ManagerState::cannot_keep;
    if (due(z(s, Info::kLookAt, i), e) || (free && worstLoading(managers_[i], e) > 1.0 + kAbove))
      decide(i, e, s, events);
  }
}

/// The slowest path that is in force well before the first of the overloaded equipment trips.
PowerManagerSet::Path PowerManagerSet::pathFor(const Manager& m, const Seen& seen, const Evaluation& e) const {
  double left = kUnbounded;
  for (std::size_t k = 0; k < seen.loading.size(); ++k)
    if (seen.loading[k] > 1.0 + kAbove) {
      const RatedElement& element = feeds_.elements()[k];
      left = std::min(left, element.time_left_signal >= 0 ? element.timeLeft(e) : m.overload);
    }
  if (left >= kEnoughOfPathTime * m.network) return Path::network;
  return left >= kEnoughOfPathTime * m.limit ? Path::limit : Path::brake;
}

/// What a load takes, or its cap where that is less: a load may land a little above the cap it was asked for.
double PowerManagerSet::reach(const Manager& m, std::size_t k, const Evaluation& e, const State& s) const {
  const double cap = s.z[loads_->zIndex(Load::kCap, m.first + k)], now = power(m.members[k], e);
  return cap > 0.0 ? std::min(cap, now) : now;
}

/// Sends caps along a path; the power [W] that they take.
double PowerManagerSet::send(std::size_t i, const Seen& seen, Path path, const Evaluation& e, State& s) const {
  const Manager& m = managers_[i];
  std::vector<double> excess(seen.loading.size(), 0.0), taken(m.members.size(), 0.0);
  for (std::size_t k = 0; k < excess.size(); ++k)
    if (seen.loading[k] > 1.0 + kAbove) excess[k] = (seen.loading[k] - m.target) * seen.watt[k];
  for (std::size_t step = 0; step < kManagerSteps; ++step) {
    std::vector<ReducibleLoad> loads;
    for (std::size_t n = 0; n < m.members.size(); ++n) {
      const bool unheard = path == Path::network && loads_->z(s, Load::kUnheard, m.first + n) != 0.0;
      const double room = reach(m, n, e, s) - taken[n] - m.members[n].least[step];
      loads.push_back({unheard ? 0.0 : std::max(room, 0.0), seen.share[n]});
    }
    const std::vector<double> more = powerReductions(loads, excess);
    for (std::size_t n = 0; n < taken.size(); ++n) taken[n] += more[n];
  }
  double sum = 0.0;
  for (std::size_t n = 0; n < taken.size(); ++n) {
    if (taken[n] < kLeastAction) continue;
    sum += taken[n];
    const std::size_t load = m.first + n;
    if (path == Path::network && m.members[n].deaf) {
      loads_->z(s, Load::kUnheard, load) = 1.0;
      continue;
    }
    const double now = power(m.members[n], e);
    if (loads_->z(s, Load::kCap, load) == 0.0) loads_->z(s, Load::kDemand, load) = now;
    loads_->z(s, Load::kAsked, load) = reach(m, n, e, s) - taken[n];
    loads_->z(s, Load::kDue, load) = e.t + (path == Path::network ? m.network : m.limit);
    if (path == Path::brake) loads_->z(s, Load::kBrakeDue, load) = e.t + m.brake;
  }
  return sum;
}

void PowerManagerSet::decide(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Manager& m = managers_[i];
  const auto become = [&](ManagerState next) { z(s, Info::kStateOf, i) = static_cast<double>(next); };
  const auto tell = [&](const std::string& cause, const std::string& what) {
    events.push_back({ids()[i], ids()[i], cause, what});
  };
  z(s, Info::kLookAt, i) = z(s, Info::kRoomSince, i) = kNotLasting;
  const Seen seen = see(m, e);
  if (seen.worst <= 1.0 + kAbove) {
    z(s, Info::kShort, i) = 0.0;
    become(ManagerState::holding);
    tell("loadings", "all that feeds its loads is within rating");
    return;
  }
  const std::string& worst = feeds_.elements()[seen.worst_element].id();
  const std::string cause = "'" + worst + "' at " + text("%.1f %%", kPerCent * seen.worst);
  const Path best = pathFor(m, seen, e);
  // Loads that the network does not reach are asked by the on-GPU limit once nothing else is left.
  for (const Path path : {best, Path::limit}) {
    const double sum = send(i, seen, path, e, s);
    if (sum < kLeastAction) continue;
    ++z(s, Info::kActions, i);
    z(s, Info::kLookAt, i) = e.t + (path == Path::network ? m.network : m.limit) + m.settle;
    become(ManagerState::acting);
    tell(cause,
         text("caps sent to take %.1f kW, ", sum / 1e3) + (path == Path::network ? "over the network"
                                                           : path == Path::limit ? "by the on-GPU limit"
                                                                                 : "by the hardware brake first"));
    return;
  }
  const auto over = static_cast<double>(
      std::count_if(seen.loading.begin(), seen.loading.end(), [](double loading) { return loading > 1.0 + kAbove; }));
  if (state(e, i) != ManagerState::cannot_keep || over != z(s, Info::kShort, i))
    tell(cause, "'" + worst + "' cannot be kept: at " + text("%.1f %%", kPerCent * seen.worst) +
                    " with every load at its least");
  z(s, Info::kShort, i) = over;
  become(ManagerState::cannot_keep);
}

void PowerManagerSet::sample(const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  if (e.steady_search) return;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!available(e, i)) continue;
    const ManagerState now = state(e, i);
    if (now == ManagerState::cannot_keep) decide(i, e, s, events);
    if (now == ManagerState::holding || now == ManagerState::restoring) restore(i, e, s, events);
  }
}

/// Gives power back, last step first, as far as what feeds the loads has room below `target`.
void PowerManagerSet::restore(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  constexpr double kSamplePeriod = 1.0;  // s
  const Manager& m = managers_[i];
  const Seen seen = see(m, e);
  std::vector<double> headroom(seen.loading.size());
  for (std::size_t k = 0; k < headroom.size(); ++k)
    headroom[k] = seen.watt[k] == kUnbounded
                      ? kUnbounded
                      : std::max((m.target - m.hysteresis - seen.loading[k]) * seen.watt[k], 0.0);
  std::vector<std::size_t> capped;
  for (std::size_t n = m.members.size(); n-- > 0;)
    if (loads_->z(s, Load::kCap, m.first + n) > 0.0) capped.push_back(n);
  std::vector<ReducibleLoad> room, step;
  bool worth = false;
  for (const auto n : capped) {
    const double missing =
        std::max(loads_->z(s, Load::kDemand, m.first + n) - loads_->z(s, Load::kCap, m.first + n), 0.0);
    room.push_back({missing, seen.share[n]});
    step.push_back({std::min(missing, m.ramp * kSamplePeriod), seen.share[n]});
  }
  std::vector<double> all = headroom;
  const std::vector<double> possible = powerReturns(room, all);
  for (std::size_t c = 0; c < capped.size(); ++c)
    worth = worth ||
            possible[c] >= std::min(kWorthRestoring * loads_->z(s, Load::kDemand, m.first + capped[c]), room[c].most);
  const bool restoring = state(e, i) == ManagerState::restoring;
  if (!worth && !capped.empty()) {
    z(s, Info::kRoomSince, i) = kNotLasting;
    if (restoring) z(s, Info::kStateOf, i) = static_cast<double>(ManagerState::holding);
    return;
  }
  if (!lasted(z(s, Info::kRoomSince, i), e.t, m.restore_delay)) return;
  if (!restoring && !capped.empty())
    events.push_back({ids()[i], ids()[i], "room below its target", "gives power back"});
  z(s, Info::kStateOf, i) = static_cast<double>(ManagerState::restoring);
  const std::vector<double> given = powerReturns(step, headroom);
  for (std::size_t c = 0; c < capped.size(); ++c) {
    const std::size_t load = m.first + capped[c];
    double& cap = loads_->z(s, Load::kCap, load);
    const double demand = loads_->z(s, Load::kDemand, load);
    cap += given[c];
    if (cap >= demand - kLeastAction) cap = 0.0;
    ask(m.members[capped[c]], s, cap, demand);
  }
  if (std::all_of(capped.begin(), capped.end(),
                  [&](std::size_t n) { return loads_->z(s, Load::kCap, m.first + n) == 0.0; })) {
    z(s, Info::kStateOf, i) = static_cast<double>(ManagerState::normal);
    z(s, Info::kRoomSince, i) = kNotLasting;
    for (std::size_t n = 0; n < m.members.size(); ++n) loads_->z(s, Load::kUnheard, m.first + n) = 0.0;
    events.push_back({ids()[i], ids()[i], "room below its target", "every cap is lifted"});
  }
}

void PowerManagerSet::signal(const Evaluation& e, std::size_t k, std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
}

double PowerManagerSet::signalOf(const Evaluation& e, std::size_t k, std::size_t i) const {
  const Manager& m = managers_[i];
  switch (k) {
    case Info::kStateSignal:
      return z(e, Info::kStateOf, i);
    case Info::kWorst:
      return worstLoading(m, e);
    case Info::kWithheld: {
      double sum = 0.0;
      for (std::size_t n = 0; n < m.members.size(); ++n) sum += withheld(m, n, e);
      return sum;
    }
    case Info::kCapped: {
      double count = 0.0;
      for (std::size_t n = 0; n < m.members.size(); ++n)
        count += loads_->z(e, Load::kCap, m.first + n) > 0.0 ? 1.0 : 0.0;
      return count;
    }
    case Info::kActionCount:
      return z(e, Info::kActions, i);
    default:
      return z(e, Info::kShort, i);
  }
}

double PowerManagerSet::loadSignal(const Evaluation& e, std::size_t k, std::size_t load) const {
  const auto [i, n] = owner_[load];
  const Manager& m = managers_[i];
  if (k == Load::kCapSignal) return loads_->z(e, Load::kCap, load);
  if (k == Load::kWithheld) return withheld(m, n, e);
  const std::vector<double> share = feeds_.shares(e, m.members[n].feeds);
  double spare = kUnbounded;
  for (std::size_t x = 0; x < share.size(); ++x) {
    const RatedElement& element = feeds_.elements()[x];
    const double loading = element.loading(e);
    if (share[x] <= 0.0 || loading <= 0.0 || element_power_[x] >= element.set->info().signals.size()) continue;
    const double watt = element.set->signalOf(e, element_power_[x], element.instance) / loading;
    spare = std::min(spare, std::max((m.target - loading) * watt, 0.0) / share[x]);
  }
  return std::isfinite(spare) ? spare : 0.0;
}

RegisteredClass powerManagerClass() {
  return {&PowerManagerInfo::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            auto managers = std::make_unique<PowerManagerSet>(std::move(instances));
            PowerManagerSet* raw = managers.get();
            out.push_back(std::move(managers));
            raw->makeParts(out);
          }};
}

}  // namespace podtwin
