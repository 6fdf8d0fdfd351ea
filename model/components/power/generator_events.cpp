// Start sequence, breaker, protection and fuel of a generating set: its events.
#include "model/components/power/generator_kernel.hpp"

namespace podtwin::generating_set {

double Generator::watch(std::size_t, const Instance& p, const KernelSet<Generator>&, const Evaluation& e) {
  constexpr double kDueNow = 1.0, kNothing = -1.0;
  const Phase phase = phaseOf(p, e);
  if (p.start_on >= 0) {
    const bool dead = e.energised[static_cast<std::size_t>(p.start_on)] == 0;
    if (dead != (held(p, e, Info::kDeadSince) != kNotDue)) return kDueNow;
  }
  if (phase == Phase::ready && held(p, e, Info::kWillClose) != 0.0) {
    if (e.energised[p.bus] == 0) return kDueNow;
    if (held(p, e, Info::kDue) == kNotDue && island(p, e, true).inertia > 0.0) return kDueNow;
  }
  double due = kNothing;
  if (p.tank > 0.0 && burns(phase)) due = std::max(due, -fuelLeft(p, e));
  if (phase != Phase::on_line) return due;
  due = std::max(due, kStall - deviation(p, e));
  for (std::size_t k = 0; k < kProtections; ++k)
    due = std::max(due, p.protections[k].watch(guarded(p, e, k), held(p, e, Info::kOverloadSince + k)));
  return std::max(due, p.band.watch(unsettled(p, e), held(p, e, Info::kOutSince)));
}

double Generator::nextMoment(std::size_t, const Instance& p, const KernelSet<Generator>&, const Evaluation& e) {
  double soonest = kUnbounded;
  const Phase phase = phaseOf(p, e);
  if (phase == Phase::tripped) return soonest;
  if (const double due = held(p, e, Info::kDue); due != kNotDue) soonest = due;
  if (phase == Phase::on_line)
    for (std::size_t k = 0; k < kProtections; ++k)
      if (const double since = held(p, e, Info::kOverloadSince + k); since != DelayedTrip::kIdle)
        soonest = std::min(soonest, since + p.protections[k].delay);
  return soonest;
}

void Generator::act(std::size_t i, const Instance& p, const KernelSet<Generator>& set, const Evaluation& e, State& s,
                    std::vector<Occurrence>& events) {
  const std::string& id = set.ids()[i];
  const Phase phase = phaseOf(p, e);
  double& due = set.z(s, Info::kDue, i);
  const auto tell = [&](const char* cause, const char* text) { events.push_back({id, id, cause, text}); };
  const auto enter = [&](Phase next, double at) {
    set.z(s, Info::kPhase, i) = static_cast<double>(next);
    due = at;
    ++s.topology;
  };
  const auto trip = [&](const char* cause) {
    set.z(s, kTripped, i) = 1.0;
    set.z(s, Info::kBefore, i) = static_cast<double>(Phase::stopped);
    enter(Phase::tripped, kNotDue);
    tell(cause, "trip");
  };
  const auto crank = [&] {
    double& attempts = set.z(s, Info::kAttempts, i);
    attempts += 1.0;
    set.z(s, Info::kResting, i) = 0.0;
    const bool fires = Generator::fires(i, p, set, s);
    set.z(s, Info::kFires, i) = fires ? 1.0 : 0.0;
    enter(Phase::cranking, e.t + (fires ? p.crank_time : p.crank_limit));
    tell("start", "cranking");
  };
  const auto closeBreaker = [&](const char* cause) {
    for (std::size_t k = Info::kOverloadSince; k <= Info::kOutSince; ++k) set.z(s, k, i) = DelayedTrip::kIdle;
    enter(Phase::on_line, kNotDue);
    tell(cause, "breaker closes");
  };
  if (p.start_on >= 0) {
    const bool dead = e.energised[static_cast<std::size_t>(p.start_on)] == 0;
    double& since = set.z(s, Info::kDeadSince, i);
    if (dead && since == kNotDue) {
      since = e.t;
      if (phase == Phase::stopped && due == kNotDue) due = e.t + p.start_delay;
    } else if (!dead && since != kNotDue) {
      since = kNotDue;
      if (phase == Phase::stopped) due = kNotDue;
    }
  }
  if (phase == Phase::tripped) return;
  if (p.tank > 0.0 && burns(phase) && fuelLeft(p, e) <= 0.0) {
    trip("fuel tank is empty");
    return;
  }
  if (phase == Phase::on_line) {
    if (kStall - deviation(p, e) >= 0.0) {
      trip("the engine stalls");
      return;
    }
    for (std::size_t k = 0; k < kProtections; ++k)
      if (p.protections[k].act(guarded(p, e, k), e.t, set.z(s, Info::kOverloadSince + k, i))) {
        trip(kCauses[k]);
        return;
      }
    p.band.act(unsettled(p, e), e.t, set.z(s, Info::kOutSince, i));
    return;
  }
  if (phase == Phase::ready && set.z(s, Info::kWillClose, i) != 0.0) {
    const bool others = anotherOnLine(p, s);
    const bool over = due != kNotDue && due <= e.t + kTimeTolerance;
    if (e.energised[p.bus] == 0 && !others)
      closeBreaker("dead bus");
    else if (others && over)
      closeBreaker("synchronised");
    else if (others && due == kNotDue)
      due = e.t + p.synchronising_time;
    else if (over)
      due = kNotDue;
    return;
  }
  if (due == kNotDue || due > e.t + kTimeTolerance) return;
  switch (phase) {
    case Phase::stopped:
      set.z(s, Info::kStarts, i) += 1.0;
      set.z(s, Info::kAttempts, i) = 0.0;
      crank();
      break;
    case Phase::cranking:
      if (set.z(s, Info::kResting, i) != 0.0) {
        crank();
      } else if (set.z(s, Info::kFires, i) != 0.0) {
        enter(Phase::warming_up, e.t + p.warm_up);
        tell("start", "fires");
      } else if (set.z(s, Info::kAttempts, i) >= p.attempts) {
        enter(Phase::failed_to_start, kNotDue);
        tell("no attempt fired", "failed to start");
      } else {
        set.z(s, Info::kResting, i) = 1.0;
        due = e.t + p.crank_rest;
        tell("did not fire", "rests before another attempt");
      }
      break;
    case Phase::warming_up:
      enter(Phase::ready, kNotDue);
      tell("start", "ready");
      break;
    case Phase::cooling_down:
      enter(Phase::stopped, kNotDue);
      tell("cooled down", "stops");
      break;
    default:
      due = kNotDue;
  }
}

}  // namespace podtwin::generating_set
