#include "model/components/control/power_manager.hpp"

#include <algorithm>
#include <cmath>

#include "model/components/control/called_unit.hpp"
#include "model/components/control/classes.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kAbove = 1e-6;       // of rating
constexpr double kNearlyAbove = 0.9;  // of rating: from here on it is watched inside steps

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
    for (const char* port : {"first", "second", "third", "bess", "shed"})
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

ManagerState PowerManagerSet::state(const Evaluation& e, std::size_t i) const {
  return static_cast<ManagerState>(static_cast<int>(z(e, Info::kStateOf, i)));
}

PowerManagerSet::Seen PowerManagerSet::see(const Manager& m, const Evaluation& e, bool after, bool gains) const {
  Seen seen;
  const auto& elements = feeds_.elements();
  const std::vector<double> gain = gains ? feeds_.gains(e) : std::vector<double>{};
  for (const Member& member : m.members) seen.share.push_back(feeds_.shares(e, member.feeds, gain));
  seen.loading.assign(elements.size(), 0.0);
  seen.watt.assign(elements.size(), kUnbounded);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (m.watched[k] == 0) continue;
    double managed = 0.0, leaving = 0.0;
    bool above = false;
    for (std::size_t n = 0; n < m.members.size(); ++n) {
      above = above || seen.share[n][k] > 0.0;
      if (!m.members[n].store)
        managed += seen.share[n][k] * power(m.members[n], e);
      else if (after && loads_->z(e, Load::kLeaving, m.first + n) != 0.0)
        leaving += seen.share[n][k] * given(m, n, e);
    }
    if (!above) continue;
    seen.loading[k] = elements[k].loading(e);
    const bool told = element_power_[k] < elements[k].set->info().signals.size();
    const double carried = told ? elements[k].set->signalOf(e, element_power_[k], elements[k].instance) : managed;
    if (seen.loading[k] > 0.0 && carried > 0.0) {
      seen.watt[k] = carried / seen.loading[k];
      seen.loading[k] += leaving / seen.watt[k];
    }
    if (seen.loading[k] > seen.worst) {
      seen.worst = seen.loading[k];
      seen.worst_element = k;
    }
  }
  return seen;
}

double PowerManagerSet::withheld(const Manager& m, std::size_t k, const Evaluation& e) const {
  const std::size_t load = m.first + k;
  const bool held = loads_->z(e, Load::kCap, load) > 0.0 || loads_->z(e, Load::kShed, load) != 0.0;
  return held ? std::max(loads_->z(e, Load::kDemand, load) - power(m.members[k], e), 0.0) : 0.0;
}

/// Power [W] of a BESS that it gives by order.
double PowerManagerSet::given(const Manager& m, std::size_t k, const Evaluation& e) const {
  return loads_->z(e, Load::kCalled, m.first + k) != 0.0 ? std::max(power(m.members[k], e), 0.0) : 0.0;
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
      take(loads_->z(e, Load::kReleaseDue, managers_[i].first + k));
    }
  }
  return soonest;
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
      return see(m, e, false).worst;
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
    case Info::kGiven: {
      double sum = 0.0;
      for (std::size_t n = 0; n < m.members.size(); ++n) sum += given(m, n, e);
      return sum;
    }
    case Info::kShedCount: {
      double count = 0.0;
      for (std::size_t n = 0; n < m.members.size(); ++n) count += loads_->z(e, Load::kShed, m.first + n);
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
  if (k == Load::kGiven) return given(m, n, e);
  if (k == Load::kShedSignal) return loads_->z(e, Load::kShed, load);
  if (m.members[n].store) return 0.0;
  const std::vector<double> share = feeds_.shares(e, m.members[n].feeds);
  double spare = kUnbounded;
  for (std::size_t x = 0; x < share.size(); ++x) {
    const RatedElement& element = feeds_.elements()[x];
    const double loading = element.loading(e);
    if (m.watched[x] == 0 || share[x] <= 0.0 || loading <= 0.0 ||
        element_power_[x] >= element.set->info().signals.size())
      continue;
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
