// What a rack does when its feeds fail or its shelves cannot give what it asks for: hold-up, brake, limit, collapse of
// the busbar, return. Equations: rack.md.
#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"
#include "model/components/it/rack.hpp"

namespace podtwin {

namespace {

constexpr double kDueNow = 1.0;              // of watch()
constexpr double kTimeTolerance = 1e-9;      // s
constexpr double kOverCapability = 1e-9;     // of what the shelves can give; more is an overload
constexpr double kLimitHysteresis = 0.01;    // of it: what the rack asks for has to be below by this for a limit to go
constexpr double kVoltageHysteresis = 0.02;  // of nominal voltage: supplies come back this far above where they went

std::string kilowatts(double power) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f kW", 1e-3 * power);
  return text;
}

}  // namespace

bool RackSet::on(const Evaluation& e, std::size_t r) const {
  return available(e, r) && z(e, kDropped, r) == 0.0 && !(e.steady_search && capability(e, r) == 0.0);
}

bool RackSet::overloaded(const Evaluation& e, std::size_t r) const {
  return !unlimited(e, r) && found(e, r)[kDcPower] > capability(e, r) * (1.0 + kOverCapability);
}

bool RackSet::watching(const Evaluation& e) const {
  for (std::size_t r = 0; r < size(); ++r)
    if (z(e, kOverloadSince, r) != kNever || found(e, r)[kFromHoldUp] > 0.0 || found(e, r)[kFromBbu] > 0.0) return true;
  return false;
}

double RackSet::watch(const Evaluation& e) const {
  double greatest = ComponentSet::watch(e);
  for (std::size_t r = 0; r < size(); ++r) greatest = std::max(greatest, shelfWatch(e, r));
  return greatest;
}

double RackSet::shelfWatch(const Evaluation& e, std::size_t r) const {
  const Rack& k = racks_[r];
  const double can = capability(e, r);
  double due = -kUnbounded;
  if (found(e, r)[kUndisturbed] != 0.0) {
    // None is low or off: one look at each phase of a feed stands for all its shelves.
    for (std::size_t f = 0; f < k.feeds.size(); ++f)
      for (std::size_t phase = 0; k.feeds[f].phased && phase < kPhases; ++phase)
        if (k.feeds[f].supplies[phase] > 0.0) due = std::max(due, k.lowest_voltage - phaseVoltage(e, k, f, phase));
  } else if (!k.feeds.empty()) {
    for (std::size_t s = 0; s < k.shelf_count; ++s)
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        if (k.supplies[s][phase] == 0) continue;
        const std::size_t i = k.first_shelf + s;
        const double voltage = phaseVoltage(e, k, s, phase), back = k.lowest_voltage + kVoltageHysteresis;
        const bool off = shelf_->z(e, kOff + phase, i) != 0.0;
        if (off && (shelf_->z(e, kShelfRestartDue + phase, i) == kNever))
          due = std::max(due, voltage - back);
        else if (off)
          due = std::max(due, k.lowest_voltage - voltage);
        else if (shelf_->z(e, kLowSince + phase, i) == kNever)
          due = std::max(due, k.lowest_voltage - voltage);
        else
          due = std::max(due, voltage - back);
      }
  }
  if (z(e, kDropped, r) != 0.0) {
    if (k.restarts && (can > 0.0) != (z(e, kRestartDue, r) != kNever)) due = std::max(due, kDueNow);
    return due;
  }
  if (!overloaded(e, r)) return due;
  if (z(e, kOverloadSince, r) == kNever) return kDueNow;
  if (found(e, r)[kFromBbu] > 0.0) due = std::max(due, e.y[yIndex(kBbuMissing, r)] / k.stores.bbu_energy - 1.0);
  if (found(e, r)[kFromCapacitors] > 0.0)
    due = std::max(due, k.stores.capacitor_energy > 0.0
                            ? e.y[yIndex(kCapacitorsMissing, r)] / k.stores.capacitor_energy - 1.0
                            : kDueNow);
  return due;
}

double RackSet::nextMoment(const Evaluation& e) const {
  double soonest = ComponentSet::nextMoment(e);
  const auto at = [&](double moment) {
    if (moment != kNever) soonest = std::min(soonest, moment);
  };
  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    for (const auto due : {kCapDue, kBrakeDue, kShelfBrakeDue, kShelfLimitDue, kRestartDue}) at(z(e, due, r));
    if (const double since = z(e, kOverloadSince, r);
        k.overload_time > 0.0 && since != kNever && since + k.overload_time > e.t + kTimeTolerance)
      at(since + k.overload_time);
    if (found(e, r)[kUndisturbed] != 0.0) continue;
    for (std::size_t i = k.first_shelf; i < k.first_shelf + k.shelf_count; ++i)
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        if (const double low = shelf_->z(e, kLowSince + phase, i); low != kNever) at(low + k.hold_up);
        at(shelf_->z(e, kShelfRestartDue + phase, i));
      }
  }
  return soonest;
}

void RackSet::act(const Evaluation& e, State& state, std::vector<Occurrence>& events) const {
  const auto isDue = [&](double moment) { return moment != kNever && moment <= e.t + kTimeTolerance; };
  for (std::size_t r = 0; r < size(); ++r) {
    if (double& due = z(state, kCapDue, r); isDue(due)) {
      z(state, kPowerCap, r) = z(state, kCapOrdered, r);
      due = kNever;
    }
    if (double& due = z(state, kBrakeDue, r); isDue(due)) {
      z(state, kBrake, r) = 1.0;
      due = kNever;
    }
    actOnShelves(e, state, r, events);
    actOnOverload(e, state, r, events);
  }
}

/// Supplies whose input fails, ends their hold-up, or comes back.
void RackSet::actOnShelves(const Evaluation& e, State& state, std::size_t r, std::vector<Occurrence>& events) const {
  const Rack& k = racks_[r];
  if (k.feeds.empty()) return;
  double went = 0.0, came = 0.0;
  for (std::size_t s = 0; s < k.shelf_count; ++s)
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      if (k.supplies[s][phase] == 0) continue;
      const std::size_t i = k.first_shelf + s;
      double &low = shelf_->z(state, kLowSince + phase, i), &off = shelf_->z(state, kOff + phase, i),
             &restart = shelf_->z(state, kShelfRestartDue + phase, i);
      const double voltage = phaseVoltage(e, k, s, phase);
      const bool lost = voltage <= k.lowest_voltage, back = voltage >= k.lowest_voltage + kVoltageHysteresis;
      if (off != 0.0) {
        if (restart == kNever && back) restart = e.t + k.shelf_restart;
        if (restart != kNever && lost) restart = kNever;
        if (restart == kNever || restart > e.t + kTimeTolerance) continue;
        off = 0.0;
        restart = kNever;
        came += soundSupplies(e, k, s, phase);
      } else if (low == kNever) {
        if (lost) low = e.t;
      } else if (back) {
        low = kNever;
      }
      if (off == 0.0 && low != kNever && low + k.hold_up <= e.t + kTimeTolerance) {
        low = kNever;
        off = 1.0;
        went += soundSupplies(e, k, s, phase);
      }
    }
  const auto tell = [&](double supplies, const char* cause, const char* what) {
    if (supplies > 0.0)
      events.push_back(
          {ids()[r], "power shelves", cause, std::to_string(static_cast<int>(supplies)) + " supplies " + what});
  };
  tell(went, "no input beyond their hold-up", "go off");
  tell(came, "input is back", "come back");
}

void RackSet::clearOverload(State& state, std::size_t r) const {
  for (const auto time : {kOverloadSince, kShelfBrakeDue, kShelfLimitDue}) z(state, time, r) = kNever;
  z(state, kShelfBrake, r) = z(state, kShelfLimit, r) = 0.0;
}

void RackSet::actOnOverload(const Evaluation& e, State& state, std::size_t r, std::vector<Occurrence>& events) const {
  const Rack& k = racks_[r];
  const double* const f = found(e, r);
  const double can = capability(e, r);
  const auto tell = [&](const char* cause, const std::string& text) {
    events.push_back({ids()[r], "power shelves", cause, text});
  };
  const auto isDue = [&](double moment) { return moment != kNever && moment <= e.t + kTimeTolerance; };
  if (z(state, kDropped, r) != 0.0) {
    double& due = z(state, kRestartDue, r);
    if (can == 0.0) due = kNever;
    if (k.restarts && can > 0.0 && due == kNever) due = e.t + k.restart_delay;
    if (!isDue(due)) return;
    due = kNever;
    z(state, kDropped, r) = 0.0;
    tell("its shelves give power again", "rack returns");
    return;
  }
  const bool over = overloaded(e, r);
  if (double& due = z(state, kShelfBrakeDue, r); isDue(due)) {
    due = kNever;
    if (over) {
      z(state, kShelfBrake, r) = 1.0;
      tell("more asked for than the shelves can give", "hardware brake");
    }
  }
  if (double& due = z(state, kShelfLimitDue, r); isDue(due)) {
    due = kNever;
    if (f[kWanted] > can) {
      z(state, kShelfLimit, r) = 1.0;
      z(state, kShelfBrake, r) = 0.0;
      tell("more asked for than the shelves can give", "GPUs limited to " + kilowatts(can) + " of the rack");
    } else {
      clearOverload(state, r);
    }
  }
  if (!over) return;
  if (z(state, kOverloadSince, r) == kNever) {
    z(state, kOverloadSince, r) = e.t;
    if (k.overload_action == OverloadAction::brake) z(state, kShelfBrakeDue, r) = e.t + k.brake_time;
    if (k.overload_action != OverloadAction::none) z(state, kShelfLimitDue, r) = e.t + k.limit_time;
    tell(can > 0.0 ? "fewer supplies than the load needs" : "no supply gives power",
         kilowatts(f[kDcPower]) + " asked for, " + kilowatts(can) + " available: stores carry the rest");
    return;
  }
  if (f[kFromBbu] > 0.0 && e.y[yIndex(kBbuMissing, r)] >= k.stores.bbu_energy) {
    z(state, kBbuEnded, r) = 1.0;
    tell("discharged", "battery backup ends");
    return;
  }
  if (f[kFromCapacitors] > 0.0 && e.y[yIndex(kCapacitorsMissing, r)] >= k.stores.capacitor_energy) {
    clearOverload(state, r);
    z(state, kDropped, r) = 1.0;
    z(state, kDrops, r) += 1.0;
    tell("capacitors are empty, the busbar collapses", "rack drops");
  }
}

/// At a sample: what the shelves did is undone once they can give what the rack asks for. In a search for a steady
/// state what takes time has had it.
void RackSet::sampleShelves(const Evaluation& e, State& state, std::size_t r, std::vector<Occurrence>& events) const {
  const Rack& k = racks_[r];
  const double wanted = found(e, r)[kWanted], can = capability(e, r);
  if (e.steady_search) {
    if (k.feeds.empty()) return;
    for (std::size_t s = 0; s < k.shelf_count; ++s)
      for (std::size_t phase = 0; phase < kPhases; ++phase)
        shelf_->z(state, kOff + phase, k.first_shelf + s) = phaseLive(e, k, s, phase) ? 0.0 : 1.0;
    const bool over = wanted > can && !unlimited(e, r);
    z(state, kDropped, r) = can == 0.0 || (over && k.overload_action == OverloadAction::none) ? 1.0 : 0.0;
    z(state, kShelfLimit, r) = over && z(state, kDropped, r) == 0.0 ? 1.0 : 0.0;
    z(state, kOverloadSince, r) = z(state, kShelfLimit, r) != 0.0 ? e.t : kNever;
    return;
  }
  if (z(state, kBbuEnded, r) != 0.0 && e.y[yIndex(kBbuMissing, r)] < 0.5 * k.stores.bbu_energy)
    z(state, kBbuEnded, r) = 0.0;
  if (z(state, kOverloadSince, r) == kNever) return;
  const bool held = z(state, kShelfLimit, r) != 0.0 || z(state, kShelfBrake, r) != 0.0;
  if (wanted > can * (held ? 1.0 - kLimitHysteresis : 1.0)) return;
  clearOverload(state, r);
  if (held) events.push_back({ids()[r], "power shelves", "they can give what it asks for", "GPUs are free again"});
}

}  // namespace podtwin
