// What a breaker and a fuse have in common: poles between two buses with voltages, a trip curve that watches their
// current, memories as states, and the way from a decision to no current. Equations: breaker.md, fuse.md.
//
// The greatest phase current stands for all poles, which open together. Memories rise and fall in the integrator; at a
// constant current the moment of the decision is known beforehand and exact (nextMoment), at a varying one it is found
// on the step (watch).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "model/base/dual.hpp"
#include "model/components/power/branch.hpp"
#include "model/components/power/trip_curve.hpp"

namespace podtwin {

/// Held values of a device with at most N elements, before those of its class.
enum ProtectionDiscrete : std::size_t {
  kDecided = kCommonCount,  ///< 0: nothing; 1 + the element that has ordered it to open; more: a release
  kOpensAt,                 ///< s; kNoMoment: it is not about to
  kTrippedAt,               ///< s, of the last decision; kNoMoment: none
  kAboveSince,              ///< [element] s, since when its current is above its pickup; kNoMoment: it is not
};
inline constexpr double kNoMoment = -1.0;
/// What `time_to_trip` says when it never trips [s].
inline constexpr double kNever = 1e9;

/// Error scale of a memory: a thousand steps that are each wrong by a relative tolerance of it move a trip by as much.
inline constexpr double kMemoryScale = 1e-3;

struct ProtectedBranch : Branch {
  const ComponentSet* set = nullptr;
  std::size_t self = 0;
  TripCurve curve;
  Edge edge = Edge::middle;
  double rated_current = 0.0;         ///< A; 0: not stated
  double prospective = 0.0;           ///< A, up to which selectivity is looked at
  std::ptrdiff_t neutral = -1;        ///< element of a neutral that stays joined; -1: it has a pole, or there is none
  std::vector<SignalAddress> inrush;  ///< currents [A] that second-harmonic restraint keeps it from counting
  std::vector<double> pickup, multiples;  ///< [element] A: trips above, is counted in
};

/// A set of such devices.
class ProtectiveSet {
 public:
  virtual ~ProtectiveSet() = default;
  virtual const ProtectedBranch& device(std::size_t i) const = 0;
};

namespace protection {

Edge edgeOf(const std::string& text);
/// Poles of `resistance` [ohm] between the buses of the ports `from` and `to`; three leave the neutral joined.
void bindPoles(std::size_t i, const InstanceDescription& d, Binder& b, bool four, ProtectedBranch& p);
/// Notes the pickups of the curve, once it is there.
void notePickups(ProtectedBranch& p);

WatchedCurrent watched(const ProtectedBranch& p, const Evaluation& e);
/// Loss [W] of the poles; that of a neutral that stays joined is booked with the network's fixed elements.
double loss(const ProtectedBranch& p, const Evaluation& e);
double neutralCurrent(const ProtectedBranch& p, const Evaluation& e);
Trip nextTrip(const ProtectedBranch& p, const Evaluation& e);
double greatestMemory(const ProtectedBranch& p, const Evaluation& e);
/// Time [s] to the decision at the present current, 0 after it; kNever when none comes.
double timeToTrip(const ProtectedBranch& p, const Evaluation& e);

/// Rates of the memories; plain currents, without derivative.
template <class S>
void memoryRates(const ProtectedBranch& p, const Evaluation& e, std::span<const S> memory, std::span<S> rate) {
  constexpr double kSettling = 1.0, kForever = 1e12;  // s: of a steady search; any time that ends every transient
  constexpr double kEmpty = 1e-3;  // memory below which a steady reset fades, so that the rate does not jump at 0
  if (p.curve.memories() == 0) return;
  const WatchedCurrent current = watched(p, e);
  const bool decided = p.set->z(e, kDecided, p.self) != 0.0;
  for (std::size_t k = 0; k < p.curve.memories(); ++k) {
    if (e.steady_search) {
      // What carries more than it trips at has no steady state but a trip: it stands just before one.
      const double rest = std::min(p.curve.memoryAfter(current, 0.0, k, kForever, p.edge), 1.0);
      rate[k] = (rest - memory[k]) / kSettling;
      continue;
    }
    const double now = valueOf(memory[k]), of_full = p.curve.memoryRate(current, 1.0, k, p.edge);
    const double slope = p.curve.memorySlope(current, k, p.edge);
    if (decided && of_full > 0.0) continue;  // it has said what it had to say
    if (slope == 0.0 && of_full < 0.0 && now < kEmpty)
      rate[k] = (of_full / kEmpty) * memory[k];
    else
      rate[k] = p.curve.memoryRate(current, now, k, p.edge) + slope * (memory[k] - now);
  }
}

// -- events of its own, for the kernels of the same names
bool watching(const ProtectedBranch& p, const Evaluation& e);
double watch(const ProtectedBranch& p, const Evaluation& e);
double nextMoment(const ProtectedBranch& p, const Evaluation& e);
void act(const ProtectedBranch& p, const Evaluation& e, State& s, std::vector<Occurrence>& events);
/// Orders it to open at a moment [s], on behalf of an element or release.
void order(const ProtectedBranch& p, std::size_t by, double decided_at, double opens_at, State& s);
/// Opens it where the moment has come.
void openIfDue(const ProtectedBranch& p, const Evaluation& e, State& s, std::vector<Occurrence>& events);
/// After `restore`: nothing is decided any more; memories stay.
void reset(const ComponentSet& set, std::size_t elements, std::size_t i, State& s);

}  // namespace protection

/// Signals that both classes end with; their discretes above; asked by protectionSignal(k, ...).
inline constexpr SignalInfo kProtectionSignals[] = {
    {"i", Quantity::current, SignalType::real, "Greatest phase current."},
    {"loading", Quantity::ratio, SignalType::real, "That over the rated current."},
    {"trip_memory", Quantity::ratio, SignalType::real, "Greatest memory of an element: 0 cold, 1 trips."},
    {"time_to_trip", Quantity::time, SignalType::real, "Time to the decision at the present current; 1e9 s: never."},
    {"tripped_at", Quantity::time, SignalType::integral, "Moment of its last decision to open by itself; -1: none."},
    kTrippedSignal,
};
double protectionSignal(std::size_t k, const ProtectedBranch& p, const Evaluation& e);
/// Whether signal k of these is known of the device.
bool solvesProtection(std::size_t k, const ProtectedBranch& p);

inline constexpr LimitInfo kLoadingLimit{"loading", true,     1.0,
                                         60.0,      "rating", "rated current (practice.md 1.8); 60 s is an estimate"};
inline constexpr LimitInfo kTimeToTripLimit{
    "time_to_trip", false, 60.0, 0.0, "alarm", "estimate: an operator needs a minute to shed load"};

}  // namespace podtwin
