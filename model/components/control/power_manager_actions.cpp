// What a power manager does about equipment above its rating: caps along the slowest path in time, BESS, loads tripped.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/components/control/called_unit.hpp"
#include "model/components/control/power_manager.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kTolerance = 1e-9;        // s
constexpr double kAbove = 1e-6;            // of rating
constexpr double kLeastAction = 1.0;       // W
constexpr double kEnoughOfPathTime = 2.0;  // a path is taken when twice its time is left; engineering estimate
constexpr double kPerCent = 100.0;
constexpr double kPerKilo = 1e3;

std::string text(const char* form, double value) {
  char out[96];
  std::snprintf(out, sizeof out, form, value);
  return out;
}

bool due(double moment, const Evaluation& e) { return moment != kNotLasting && moment <= e.t + kTolerance; }

}  // namespace

void PowerManagerSet::ask(const Member& member, State& s, double cap, double demand) const {
  std::string reason;
  member.set->command(s, member.instance, member.caps ? "cap" : "set", member.caps || cap > 0.0 ? cap : demand, reason);
}

/// Orders that have arrived by now. A brake is let go once the cap behind it is in force.
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
      // What it takes by now: right after an event capacitors and batteries of the load take more for a while.
      if (loads_->z(s, Load::kCap, load) == 0.0 && loads_->z(s, Load::kReleaseDue, load) == kNotLasting)
        loads_->z(s, Load::kDemand, load) = std::max(power(member, e), loads_->z(s, Load::kAsked, load));
      loads_->z(s, Load::kCap, load) = loads_->z(s, Load::kAsked, load);
      ask(member, s, loads_->z(s, Load::kCap, load), 0.0);
    }
    if (due(loads_->z(s, Load::kReleaseDue, load), e)) {
      loads_->z(s, Load::kReleaseDue, load) = kNotLasting;
      member.set->command(s, member.instance, "release", kRequired, reason);
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

/// Time [s] until the first of the overloaded equipment trips, or a BESS that leaves has no energy.
double PowerManagerSet::timeLeft(const Manager& m, const Seen& seen, const Evaluation& e) const {
  double left = kUnbounded;
  for (std::size_t n = 0; n < m.members.size(); ++n)
    if (loads_->z(e, Load::kLeaving, m.first + n) != 0.0)
      left = std::min(left, m.members[n].store->lasts(e, given(m, n, e)));
  for (std::size_t k = 0; k < seen.loading.size(); ++k) {
    const RatedElement& element = feeds_.elements()[k];
    if (seen.loading[k] > 1.0 + kAbove && element.loading(e) > 1.0 + kAbove)
      left = std::min(left, element.tellsTime() ? element.timeLeft(e) : m.overload);
  }
  return left;
}

/// The slowest path that is in force well before that.
PowerManagerSet::Path PowerManagerSet::pathFor(const Manager& m, double left) {
  if (left >= kEnoughOfPathTime * m.network) return Path::network;
  return left >= kEnoughOfPathTime * m.limit ? Path::limit : Path::brake;
}

/// What a load takes, or its cap where that is less: a load may land a little above the cap it was asked for.
double PowerManagerSet::reach(const Manager& m, std::size_t k, const Evaluation& e, const State& s) const {
  const double cap = s.z[loads_->zIndex(Load::kCap, m.first + k)], now = power(m.members[k], e);
  return cap > 0.0 ? std::min(cap, now) : now;
}

/// Power [W] that a BESS can give more than it was ordered.
double PowerManagerSet::storeRoom(const Manager& m, std::size_t k, const Evaluation& e, const State& s) const {
  const ManagedStore& store = *m.members[k].store;
  const auto value = [&](std::size_t discrete) { return s.z[loads_->zIndex(discrete, m.first + k)]; };
  const bool called = value(Load::kCalled) != 0.0;
  if (!store.ready(e) || value(Load::kLeaving) != 0.0) return 0.0;
  if (!called && store.lasts(e, store.rating()) < m.least_time) return 0.0;
  return store.rating() - (called ? value(Load::kAsked) : store.power(e));
}

void PowerManagerSet::sendCap(std::size_t i, std::size_t n, double taken, Path path, Sent& sent, const Evaluation& e,
                              State& s) const {
  const Manager& m = managers_[i];
  const Member& member = m.members[n];
  const std::size_t load = m.first + n;
  sent.caps += taken;
  // Of what the path takes the load itself takes the last part, from its order.
  const double whole = path == Path::network ? m.network : m.limit,
               on_the_way = std::max(whole - member.cap_delay, 0.0);
  sent.in_force = std::max(sent.in_force, on_the_way + member.cap_delay);
  if (path == Path::network && member.deaf) {
    loads_->z(s, Load::kUnheard, load) = 1.0;
    return;
  }
  if (loads_->z(s, Load::kCap, load) == 0.0) loads_->z(s, Load::kDemand, load) = power(member, e);
  loads_->z(s, Load::kAsked, load) = reach(m, n, e, s) - taken;
  loads_->z(s, Load::kDue, load) = e.t + on_the_way;
  if (path != Path::brake) return;
  loads_->z(s, Load::kBrakeDue, load) = e.t + std::max(m.brake - member.brake_delay, 0.0);
  if (member.brakes) loads_->z(s, Load::kReleaseDue, load) = e.t + on_the_way + member.cap_delay;
}

void PowerManagerSet::call(std::size_t i, std::size_t n, double power, Sent& sent, const Evaluation& e,
                           State& s) const {
  const Manager& m = managers_[i];
  const ManagedStore& store = *m.members[n].store;
  const std::size_t load = m.first + n;
  double& ordered = loads_->z(s, Load::kAsked, load);
  if (loads_->z(s, Load::kCalled, load) == 0.0) {
    loads_->z(s, Load::kCalled, load) = 1.0;
    loads_->z(s, Load::kDispatchBefore, load) = store.dispatch(e);
    loads_->z(s, Load::kDemand, load) = store.target(e);
    ordered = store.power(e);
  }
  ordered = std::min(ordered + power, store.rating());
  store.order(s, ordered);
  sent.stores += power;
  sent.in_force = std::max(sent.in_force, store.follows());
}

/// Trips loads, in order, each that relieves equipment which the rest leaves above its rating.
std::size_t PowerManagerSet::shed(std::size_t i, const Seen& seen, std::vector<double>& excess,
                                  const std::vector<double>& taken, const Evaluation& e, State& s) const {
  const Manager& m = managers_[i];
  std::size_t count = 0;
  for (const auto n : m.shed) {
    const Member& member = m.members[n];
    const std::size_t load = m.first + n;
    const double carried = power(member, e) - taken[n];
    bool helps = false;
    for (std::size_t k = 0; k < excess.size(); ++k)
      helps = helps || (excess[k] > (1.0 - m.target + kAbove) * seen.watt[k] && seen.share[n][k] > 0.0);
    if (!helps || carried < kLeastAction || loads_->z(s, Load::kShed, load) != 0.0) continue;
    if (loads_->z(s, Load::kCap, load) == 0.0)
      loads_->z(s, Load::kDemand, load) = power(member, e);
    else
      ask(member, s, 0.0, loads_->z(s, Load::kDemand, load));  // it comes back whole
    loads_->z(s, Load::kCap, load) = 0.0;
    loads_->z(s, Load::kDue, load) = loads_->z(s, Load::kBrakeDue, load) = kNotLasting;
    loads_->z(s, Load::kShed, load) = 1.0;
    std::string reason;
    member.set->command(s, member.instance, "trip", kRequired, reason);
    for (std::size_t k = 0; k < excess.size(); ++k) excess[k] -= seen.share[n][k] * carried;
    ++count;
  }
  return count;
}

/// Sends orders; caps along a path.
PowerManagerSet::Sent PowerManagerSet::send(std::size_t i, const Seen& seen, Path path, bool may_shed,
                                            const Evaluation& e, State& s) const {
  const Manager& m = managers_[i];
  std::vector<double> excess(seen.loading.size(), 0.0), taken(m.members.size(), 0.0);
  const double left = timeLeft(m, seen, e);
  for (std::size_t k = 0; k < excess.size(); ++k)
    if (seen.loading[k] > 1.0 + kAbove) excess[k] = (seen.loading[k] - m.target) * seen.watt[k];
  Sent sent;
  for (std::size_t step = 0; step <= kManagerSteps; ++step) {
    std::vector<ReducibleLoad> loads;
    if (step == static_cast<std::size_t>(m.use)) {
      for (std::size_t n = 0; n < m.members.size(); ++n) {
        const auto& store = m.members[n].store;
        const bool in_time = store && left >= kEnoughOfPathTime * store->follows();
        loads.push_back({in_time ? std::max(storeRoom(m, n, e, s), 0.0) : 0.0, seen.share[n]});
      }
      const std::vector<double> more = powerReductions(loads, excess);
      for (std::size_t n = 0; n < more.size(); ++n)
        if (more[n] >= kLeastAction) call(i, n, more[n], sent, e, s);
      loads.clear();
    }
    if (step == kManagerSteps) break;
    for (std::size_t n = 0; n < m.members.size(); ++n) {
      const bool unheard = path == Path::network && loads_->z(s, Load::kUnheard, m.first + n) != 0.0;
      const double room = reach(m, n, e, s) - taken[n] - m.members[n].least[step];
      loads.push_back({unheard ? 0.0 : std::max(room, 0.0), seen.share[n]});
    }
    const std::vector<double> more = powerReductions(loads, excess);
    for (std::size_t n = 0; n < taken.size(); ++n) taken[n] += more[n];
  }
  for (std::size_t n = 0; n < taken.size(); ++n)
    if (taken[n] >= kLeastAction) sendCap(i, n, taken[n], path, sent, e, s);
  const bool urgent = left < kEnoughOfPathTime * (sent.in_force + m.settle);
  if (may_shed || urgent) sent.shed = shed(i, seen, excess, taken, e, s);
  return sent;
}

void PowerManagerSet::decide(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Manager& m = managers_[i];
  const auto become = [&](ManagerState next) { z(s, Info::kStateOf, i) = static_cast<double>(next); };
  const auto tell = [&](const std::string& cause, const std::string& what) {
    events.push_back({ids()[i], ids()[i], cause, what});
  };
  z(s, Info::kLookAt, i) = z(s, Info::kRoomSince, i) = kNotLasting;
  const Seen seen = see(m, e, true, true);
  if (seen.worst <= 1.0 + kAbove) {
    z(s, Info::kShort, i) = 0.0;
    become(ManagerState::holding);
    tell("loadings", "all that feeds its loads is within rating");
    return;
  }
  const std::string& worst = feeds_.elements()[seen.worst_element].id();
  const std::string cause = "'" + worst + "' at " + text("%.1f %%", kPerCent * seen.worst);
  const Path best = pathFor(m, timeLeft(m, seen, e));
  // Loads that the network does not reach are asked by the on-GPU limit once nothing else is left, then loads are shed.
  for (const auto& [path, may_shed] : {std::pair{best, false}, {Path::limit, false}, {Path::limit, true}}) {
    const Sent sent = send(i, seen, path, may_shed, e, s);
    if (sent.caps < kLeastAction && sent.stores < kLeastAction && sent.shed == 0) continue;
    ++z(s, Info::kActions, i);
    z(s, Info::kLookAt, i) = e.t + sent.in_force + m.settle;
    become(ManagerState::acting);
    if (sent.stores >= kLeastAction) tell(cause, text("BESS called for %.1f kW", sent.stores / kPerKilo));
    if (sent.caps >= kLeastAction)
      tell(cause, text("caps sent to take %.1f kW, ", sent.caps / kPerKilo) +
                      (path == Path::network ? "over the network"
                       : path == Path::limit ? "by the on-GPU limit"
                                             : "by the hardware brake first"));
    if (sent.shed > 0) tell(cause, text("%.0f load(s) shed", static_cast<double>(sent.shed)));
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

}  // namespace podtwin
