#include "model/components/cooling/chiller_start.hpp"

#include <algorithm>

namespace podtwin {

namespace {

void enter(const ChillerMemory& m, ChillerState state) { m.state = static_cast<double>(state); }

bool hasRun(const ChillerMemory& m) { return m.now() == ChillerState::running || m.now() == ChillerState::cycled_off; }

/// Time at which compressors that stopped may start again; of those that never stopped long ago.
double restedAt(const ChillerStartRules& rules, const ChillerMemory& m) {
  return m.stopped_at == kChillerNever ? kChillerNever : m.stopped_at + std::max(rules.coast_down, rules.minimum_off);
}

/// Likewise after a stop that was not the load's.
double readyAt(const ChillerStartRules& rules, const ChillerMemory& m) {
  return rules.fast ? kChillerNever : restedAt(rules, m);
}

/// Controllers that share the supply of the compressors begin anew after every stop.
double bootedAt(const ChillerStartRules& rules, const ChillerInputs& in, const ChillerMemory& m) {
  return in.own_control ? m.booted_at : m.available_since + rules.boot;
}

ChillerNews stop(const ChillerInputs& in, const ChillerMemory& m, std::string_view cause) {
  const bool ran = hasRun(m);
  if (m.now() == ChillerState::running) m.stopped_at = in.t;
  enter(m, ChillerState::off);
  m.proven_since = m.lost_since = kChillerNever;
  return ran ? ChillerNews{"protection", cause, "compressors off"} : ChillerNews{};
}

ChillerNews run(const ChillerMemory& m, std::string_view cause) {
  enter(m, ChillerState::running);
  m.lost_since = kChillerNever;
  return {"controller", cause, "compressors may run"};
}

ChillerNews startSequence(const ChillerStartRules& rules, const ChillerInputs& in, const ChillerMemory& m) {
  if (!in.flow)
    m.proven_since = kChillerNever;
  else if (m.proven_since == kChillerNever)
    m.proven_since = in.t;
  const double booted = bootedAt(rules, in, m), proven = std::max(m.proven_since, booted) + rules.flow_proof;
  if (in.t < booted || !in.flow) {
    enter(m, in.t < booted ? ChillerState::booting : ChillerState::flow_proof);
    return {};
  }
  enter(m, in.t < proven ? ChillerState::flow_proof : ChillerState::start_delay);
  const double ready = std::max(proven + rules.restart + rules.stagger, readyAt(rules, m));
  return in.t >= ready ? run(m, "restart sequence complete") : ChillerNews{};
}

ChillerNews settle(const ChillerInputs& in, const ChillerMemory& m) {
  m.stopped_at = m.lost_since = m.proven_since = kChillerNever;
  m.available_since = m.booted_at = in.available && in.controlled ? in.t : kChillerNever;
  enter(m, !in.available || !in.controlled ? ChillerState::off
           : in.flow                       ? ChillerState::running
                                           : ChillerState::flow_proof);
  return {};
}

}  // namespace

ChillerNews advanceChiller(const ChillerStartRules& rules, const ChillerInputs& in, const ChillerMemory& m) {
  if (in.at_once) return settle(in, m);
  if (!in.controlled)
    m.booted_at = kChillerNever;
  else if (m.booted_at == kChillerNever)
    m.booted_at = in.t + rules.boot;
  if (!in.available || !in.controlled) {
    m.available_since = kChillerNever;
    return stop(in, m, in.available ? "supply of its controller" : "supply, trip or service");
  }
  if (m.available_since == kChillerNever) m.available_since = in.t;
  if (hasRun(m) && !in.flow) {
    if (m.lost_since == kChillerNever) m.lost_since = in.t;
    return in.t >= m.lost_since + rules.flow_loss ? stop(in, m, "no flow") : ChillerNews{};
  }
  m.lost_since = kChillerNever;
  if (m.now() == ChillerState::running) {
    if (!in.rest) return {};
    enter(m, ChillerState::cycled_off);
    m.stopped_at = in.t;
    return {"controller", "load below the minimum", "compressors off"};
  }
  if (m.now() == ChillerState::cycled_off)
    return in.call && in.t >= restedAt(rules, m) ? run(m, "load above the minimum") : ChillerNews{};
  return startSequence(rules, in, m);
}

double timeToStart(const ChillerStartRules& rules, const ChillerInputs& in, const ChillerMemory& m) {
  if (m.now() == ChillerState::running) return 0.0;
  if (m.now() == ChillerState::cycled_off) return std::max(restedAt(rules, m) - in.t, 0.0);
  const bool boots = in.own_control ? m.booted_at == kChillerNever : m.available_since == kChillerNever;
  const double booted = boots ? in.t + rules.boot : bootedAt(rules, in, m);
  const double seen = m.proven_since == kChillerNever ? in.t : m.proven_since;
  const double proven = std::max(seen, booted) + rules.flow_proof;
  return std::max({proven + rules.restart + rules.stagger - in.t, readyAt(rules, m) - in.t, 0.0});
}

void endChillerSearch(double t, const ChillerMemory& m) {
  for (double* time : {&m.booted_at, &m.available_since, &m.proven_since, &m.lost_since, &m.stopped_at})
    if (*time != kChillerNever) *time = std::min(*time, t);
}

}  // namespace podtwin
