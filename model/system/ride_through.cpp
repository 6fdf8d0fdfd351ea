#include "model/system/ride_through.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();
constexpr double kResolution = 1e-6;  // of nominal voltage; a solver's noise is far below
constexpr double kJust = 1e-6;        // s; a sag of just the duration allowed is ridden through
constexpr double kTolerance = 1e-9;   // s
constexpr double kLost = 0.1;         // of nominal voltage: below it a supply counts as lost, IEC 61000-4-30

RideThroughCurve lossCurve(double trip_after) {
  const std::pair<double, double> points[] = {{0.0, trip_after}, {kLost, kEver}};
  return RideThroughCurve(points);
}

/// Of pairs (voltage below which, longest duration).
RideThroughCurve ownCurve(const std::vector<std::pair<double, double>>& given) {
  if (given.size() > kMostClocks)
    throw Error("ride-through curve: " + std::to_string(given.size()) + " points, and there may be " +
                std::to_string(kMostClocks));
  std::vector<std::pair<double, double>> points;
  double from = 0.0;
  for (const auto& [below, duration] : given) {
    points.emplace_back(from, duration);
    from = below;
  }
  points.emplace_back(from, kEver);
  return RideThroughCurve(points);
}

const ParameterValue* given(const InstanceDescription& d, const char* name) {
  const auto found = d.parameters.find(name);
  return found != d.parameters.end() && found->second.given ? &found->second : nullptr;
}

}  // namespace

RideThrough RideThrough::bind(const ComponentSet& set, std::size_t i, const RideThroughKind& kind, Binder& b) {
  const InstanceDescription& d = set.description(i);
  RideThrough r;
  r.set_ = &set;
  r.i_ = i;
  r.kind_ = &kind;
  r.bus_ = set.supply_bus[i];
  r.phased_ = b.phased(r.bus_);
  r.restarts_ = !d.parameters.contains("restart") || d.text("restart") == "automatic";
  r.restart_delay_ = kind.own_delay ? 0.0 : d.number("restart_delay");
  const auto& discretes = set.info().discretes;
  r.first_ = kCommonCount + discretes.size() - kRideThroughDiscretes.size();
  const ParameterValue *named = given(d, "ride_through"), *points = given(d, "ride_through_points"),
                       *loss = given(d, "undervoltage_trip");
  const ParameterValue* stated = points != nullptr ? points : named != nullptr ? named : loss;
  if ((named != nullptr) + (points != nullptr) + (loss != nullptr) > 1)
    b.problems().error(stated->where, "'" + d.id + "' states what voltages it bears more than once",
                       "give one of ride_through, ride_through_points and undervoltage_trip");
  if (stated != nullptr && r.bus_ < 0 && stated != loss)
    b.problems().error(stated->where, "'" + d.id + "' states a ride-through, and its supply is not modelled",
                       "name the bus that feeds it by `supply:`, or leave the ride-through out");
  try {
    if (points != nullptr) {
      r.curve_ = ownCurve(points->points);
    } else if (named != nullptr || (loss == nullptr && r.phased_)) {
      const std::string name = named != nullptr ? named->text : std::string(kind.usual);
      if (name != "none") r.curve_ = shippedRideThrough(name).curve();
    } else if (loss != nullptr && loss->number > 0.0) {
      r.curve_ = lossCurve(loss->number);
    }
  } catch (const Error& error) {
    b.problems().error(stated == nullptr ? d.where : stated->where, "'" + d.id + "': " + error.what(),
                       points != nullptr ? "write ride_through_points: [[50 %, 20 ms], [70 %, 200 ms], [90 %, 1 s]]"
                                         : "name one of them, or none");
  }
  return r;
}

double RideThrough::voltage(const Evaluation& e) const {
  if (bus_ < 0) return 1.0;
  const auto bus = static_cast<std::size_t>(bus_);
  if (e.energised[bus] == 0) return 0.0;
  if (!phased_) return 1.0;
  const auto [least, greatest] = e.phasor.electrical->extremeVoltages(e, bus);
  return greatest - 1.0 > 1.0 - least ? greatest : least;
}

/// Clocks that run at a voltage, one bit each; what ran goes on within the resolution.
unsigned RideThrough::running(double voltage, unsigned before) const {
  unsigned now = 0;
  for (std::size_t k = 0; k < curve_.memories(); ++k) {
    const bool ran = (before >> k & 1U) != 0;
    if (curve_.excess(voltage, k) >= (ran ? -kResolution : kResolution)) now |= 1U << k;
  }
  return now;
}

bool RideThrough::mayTrip(const Evaluation& e) const {
  return set_->z(e, kInService, i_) != 0.0 && set_->z(e, kTripped, i_) == 0.0 && set_->z(e, kMode, i_) != 2.0;
}

bool RideThrough::watching(const Evaluation& e) const {
  if (!guarded(e) || !phased_) return false;
  const auto bus = static_cast<std::size_t>(bus_);
  return e.energised[bus] != 0 &&
         (z(e, kClocksRunning) != 0.0 || e.bus_source[bus] == static_cast<int>(SourceKind::generator));
}

double RideThrough::watch(const Evaluation& e) const {
  double greatest = -kEver;
  if (!guarded(e)) return greatest;
  const double v = voltage(e);
  const auto before = static_cast<unsigned>(z(e, kClocksRunning));
  for (std::size_t k = 0; k < curve_.memories(); ++k) {
    const double excess = curve_.excess(v, k);
    greatest = std::max(greatest, ((before >> k & 1U) != 0 ? -excess : excess) - kResolution);
  }
  return greatest;
}

double RideThrough::nextMoment(const Evaluation& e) const {
  double soonest = kEver;
  if (!guarded(e) || z(e, kClocksRunning) == 0.0 || !mayTrip(e)) return soonest;
  const auto running = static_cast<unsigned>(z(e, kClocksRunning));
  for (std::size_t k = 0; k < curve_.memories(); ++k)
    if ((running >> k & 1U) != 0)
      soonest = std::min(soonest, z(e, kClocksAt) + (1.0 - z(e, kFirstClock + k)) * curve_.duration(k) + kJust);
  return soonest;
}

void RideThrough::say(State& s, std::vector<Occurrence>& events, std::string cause, std::string_view text) const {
  ++s.topology;
  events.push_back({set_->ids()[i_], set_->ids()[i_], std::move(cause), std::string(text)});
}

void RideThrough::act(const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  if (!guarded(e)) return;
  double &undervoltage = z(s, kUndervoltage), &since = z(s, kDipSince), &worst = z(s, kDipVoltage);
  if (undervoltage != 0.0 && set_->z(e, kTripped, i_) == 0.0) undervoltage = 0.0;  // restored by hand
  const double v = voltage(e), moment = nextMoment(e);
  const auto before = static_cast<unsigned>(z(e, kClocksRunning)), now = running(v, before);
  if (now != before) {
    for (std::size_t k = 0; k < curve_.memories(); ++k) {
      double& memory = z(s, kFirstClock + k);
      memory = std::min(curve_.memoryAfter((before >> k & 1U) != 0, memory, k, e.t - z(e, kClocksAt)), 1.0);
    }
    z(s, kClocksAt) = e.t;
    z(s, kClocksRunning) = static_cast<double>(now);
    if (before == 0) {
      since = e.t;
      worst = v;
    }
  }
  if (std::abs(v - 1.0) > std::abs(worst - 1.0) && now != 0) worst = v;
  if (mayTrip(e) && moment <= e.t + kTolerance) {
    char cause[80];
    std::snprintf(cause, sizeof cause, "%s-voltage %.2f for %.2f s", worst > 1.0 ? "over" : "under", worst,
                  e.t - since);
    undervoltage = set_->z(s, kTripped, i_) = 1.0;
    say(s, events, cause, kind_->trip);
  }
  if (now == 0 && before != 0) {
    if (mayTrip(e) && undervoltage == 0.0) z(s, kDipsRidden) += 1.0;
    since = kSound;
    z(s, kRestartAt) = e.t + restart_delay_;
  }
}

void RideThrough::sample(const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  act(e, s, events);
  if (!guarded(e) || z(s, kDipSince) != kSound || z(s, kUndervoltage) == 0.0 || !restarts_ ||
      e.t < z(s, kRestartAt) - kTolerance)
    return;
  z(s, kUndervoltage) = set_->z(s, kTripped, i_) = 0.0;
  say(s, events, "supply is back", kind_->restart);
}

}  // namespace podtwin
