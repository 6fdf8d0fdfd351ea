// How a power manager gives back what it took, and hands over from a BESS before its energy is used.
#include <algorithm>
#include <cmath>

#include "model/components/control/called_unit.hpp"
#include "model/components/control/power_manager.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kTolerance = 1e-9;        // s
constexpr double kLeastAction = 1.0;       // W
constexpr double kWorthRestoring = 0.01;   // of its demand, before power is given back; engineering estimate
constexpr double kEnoughOfPathTime = 2.0;  // as of paths: a hand-over begins when twice its time is left; estimate

}  // namespace

void PowerManagerSet::sample(const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  if (e.steady_search) return;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!available(e, i)) continue;
    const ManagerState now = state(e, i);
    if (now == ManagerState::cannot_keep) decide(i, e, s, events);
    if (now == ManagerState::holding || now == ManagerState::restoring)
      if (!handOver(i, e, s, events)) restore(i, e, s, events);
  }
}

/// A BESS whose energy ends soon leaves: loadings count as they will be without it, so that caps come before its end.
bool PowerManagerSet::handOver(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Manager& m = managers_[i];
  bool any = false;
  for (std::size_t n = 0; n < m.members.size(); ++n) {
    if (!m.members[n].store) continue;
    const std::size_t load = m.first + n;
    double& leaving = loads_->z(s, Load::kLeaving, load);
    if (loads_->z(s, Load::kCalled, load) == 0.0 || leaving != 0.0) continue;
    if (m.members[n].store->lasts(e, given(m, n, e)) > kEnoughOfPathTime * m.network + m.settle) continue;
    leaving = 1.0;
    any = true;
    ++s.topology;
    events.push_back({m.members[n].id, ids()[i], "its energy ends soon", "caps take its place"});
  }
  return any;
}

bool PowerManagerSet::holds(const Manager& m, std::size_t n, const State& s) const {
  const std::size_t load = m.first + n;
  const auto value = [&](std::size_t discrete) { return s.z[loads_->zIndex(discrete, load)]; };
  return value(Load::kCap) > 0.0 || value(Load::kCalled) != 0.0 || value(Load::kShed) != 0.0;
}

/// In the order in which power is given back: last step of caps first, a load up to where the step before took it from;
/// BESS before or after them.
std::vector<PowerManagerSet::Stage> PowerManagerSet::stages(const Manager& m, const State& s) const {
  const auto value = [&](std::size_t discrete, std::size_t n) { return s.z[loads_->zIndex(discrete, m.first + n)]; };
  Stage stores;
  stores.stores = true;
  for (std::size_t n = 0; n < m.members.size(); ++n)
    if (value(Load::kCalled, n) != 0.0) {
      stores.members.push_back(n);
      stores.missing.push_back(std::max(value(Load::kAsked, n) - value(Load::kDemand, n), 0.0));
    }
  std::vector<Stage> out;
  if (!m.bess_last) out.push_back(stores);
  for (std::size_t step = kManagerSteps; step-- > 0;) {
    Stage stage;
    for (std::size_t n = 0; n < m.members.size(); ++n) {
      const double cap = value(Load::kCap, n);
      if (cap <= 0.0 || !std::isfinite(m.members[n].least[step])) continue;
      double upper = value(Load::kDemand, n);
      for (std::size_t k = 0; k < step; ++k) upper = std::min(upper, m.members[n].least[k]);
      if (upper <= cap && upper < value(Load::kDemand, n)) continue;  // it is above this step already
      stage.members.push_back(n);
      stage.missing.push_back(std::max(upper - cap, 0.0));
    }
    out.push_back(std::move(stage));
  }
  if (m.bess_last) out.push_back(std::move(stores));
  return out;
}

void PowerManagerSet::giveBack(const Manager& m, std::size_t n, double power, State& s) const {
  const Member& member = m.members[n];
  const std::size_t load = m.first + n;
  const double demand = loads_->z(s, Load::kDemand, load);
  if (member.store) {
    double& ordered = loads_->z(s, Load::kAsked, load);
    if (power <= 0.0 && ordered > demand + kLeastAction) return;
    ordered -= power;
    if (ordered > demand + kLeastAction) return member.store->order(s, ordered);
    member.store->giveBack(s, loads_->z(s, Load::kDispatchBefore, load), demand);
    loads_->z(s, Load::kCalled, load) = loads_->z(s, Load::kLeaving, load) = 0.0;
    return;
  }
  double& cap = loads_->z(s, Load::kCap, load);
  if (power <= 0.0 && cap < demand - kLeastAction) return;
  cap += power;
  if (cap >= demand - kLeastAction) cap = 0.0;
  ask(member, s, cap, demand);
}

/// The last load shed that has room as a whole comes back.
bool PowerManagerSet::restoreShed(std::size_t i, const Seen& seen, const Evaluation& e, State& s,
                                  std::vector<Occurrence>& events) const {
  const Manager& m = managers_[i];
  for (auto n = m.shed.rbegin(); n != m.shed.rend(); ++n) {
    const std::size_t load = m.first + *n;
    if (loads_->z(s, Load::kShed, load) == 0.0) continue;
    bool fits = true;
    for (std::size_t k = 0; k < seen.loading.size(); ++k)
      fits = fits && (seen.share[*n][k] <= 0.0 || seen.watt[k] == kUnbounded ||
                      seen.share[*n][k] * loads_->z(s, Load::kDemand, load) <=
                          (m.target - m.hysteresis - seen.loading[k]) * seen.watt[k]);
    if (!fits) continue;
    if (!lasted(z(s, Info::kRoomSince, i), e.t, m.restore_delay)) return true;
    std::string reason;
    m.members[*n].set->command(s, m.members[*n].instance, "restore", kRequired, reason);
    loads_->z(s, Load::kShed, load) = 0.0;
    z(s, Info::kRoomSince, i) = kNotLasting;
    z(s, Info::kStateOf, i) = static_cast<double>(ManagerState::restoring);
    events.push_back({m.members[*n].id, ids()[i], "room below its target", "shed load is restored"});
    return true;
  }
  z(s, Info::kRoomSince, i) = kNotLasting;
  return false;
}

/// Gives power back, as far as what feeds the loads has room below `target`.
void PowerManagerSet::restore(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Manager& m = managers_[i];
  const Seen seen = see(m, e, false, true);
  const auto held = [&](auto&& which) {
    for (std::size_t n = 0; n < m.members.size(); ++n)
      if (which(n)) return true;
    return false;
  };
  const auto finish = [&] {
    if (held([&](std::size_t n) { return holds(m, n, s); })) return;
    z(s, Info::kStateOf, i) = static_cast<double>(ManagerState::normal);
    z(s, Info::kRoomSince, i) = kNotLasting;
    for (std::size_t n = 0; n < m.members.size(); ++n) loads_->z(s, Load::kUnheard, m.first + n) = 0.0;
    events.push_back({ids()[i], ids()[i], "room below its target", "every cap is lifted"});
  };
  std::vector<double> headroom(seen.loading.size());
  for (std::size_t k = 0; k < headroom.size(); ++k)
    headroom[k] = seen.watt[k] == kUnbounded
                      ? kUnbounded
                      : std::max((m.target - m.hysteresis - seen.loading[k]) * seen.watt[k], 0.0);
  const bool restoring = state(e, i) == ManagerState::restoring;
  const auto none = [&] {
    return !held([&](std::size_t n) {
      return loads_->z(s, Load::kCap, m.first + n) > 0.0 || loads_->z(s, Load::kCalled, m.first + n) != 0.0;
    });
  };
  if (none()) {
    if (!restoreShed(i, seen, e, s, events) && restoring)
      z(s, Info::kStateOf, i) = static_cast<double>(ManagerState::holding);
    return finish();
  }
  bool worth = false;
  std::vector<std::pair<std::size_t, double>> given;  // member, W
  std::vector<double> ramp_left(m.members.size(), m.ramp * m.give_period);
  bool blocked = false;  // by a stage that could be given more than one step's ramp
  for (const Stage& stage : stages(m, s)) {
    std::vector<ReducibleLoad> all, step;
    for (std::size_t c = 0; c < stage.members.size(); ++c) {
      const std::size_t n = stage.members[c];
      all.push_back({stage.missing[c], seen.share[n]});
      step.push_back({blocked ? 0.0 : std::min(stage.missing[c], ramp_left[n]), seen.share[n]});
    }
    std::vector<double> room = headroom;
    const std::vector<double> possible = powerReturns(all, room), now = powerReturns(step, headroom);
    for (std::size_t c = 0; c < stage.members.size(); ++c) {
      const std::size_t n = stage.members[c];
      const double whole = stage.stores ? m.members[n].store->rating() : loads_->z(s, Load::kDemand, m.first + n);
      worth = worth || possible[c] >= std::min(kWorthRestoring * whole, stage.missing[c]);
      given.emplace_back(n, now[c]);
      ramp_left[n] -= now[c];
    }
    for (std::size_t c = 0; c < stage.members.size(); ++c) blocked = blocked || possible[c] > now[c] + kLeastAction;
  }
  if (!worth) {
    z(s, Info::kRoomSince, i) = kNotLasting;
    if (restoring) z(s, Info::kStateOf, i) = static_cast<double>(ManagerState::holding);
    return;
  }
  if (!lasted(z(s, Info::kRoomSince, i), e.t, m.restore_delay)) return;
  double& gave_at = z(s, Info::kGaveAt, i);
  if (gave_at != kNotLasting && gave_at <= e.t && e.t - gave_at < m.give_period - kTolerance) return;
  gave_at = e.t;
  if (!restoring) events.push_back({ids()[i], ids()[i], "room below its target", "gives power back"});
  z(s, Info::kStateOf, i) = static_cast<double>(ManagerState::restoring);
  for (const auto& [n, power] : given)
    if (holds(m, n, s)) giveBack(m, n, power, s);
  if (none()) z(s, Info::kRoomSince, i) = kNotLasting;
  finish();
}

}  // namespace podtwin
