// What the voltage of its supply does to a load: it rides a sag through or trips, and restarts. One piece for every
// class that has it. Equations: docs/theory/ride_through.md.
//
// A class lists kRideThrough among its parameters, with kUndervoltageTrip, kRestartDelay and kRestartMode unless it
// comes back at once and by itself, kRideThroughDiscretes among its held values and kSupplyVoltageSignal,
// kDipsRiddenSignal among its signals, and registers RidesThrough of its set. Its kernel does not know of it: a trip is
// one of the common held values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/system/binder.hpp"
#include "model/system/component_set.hpp"
#include "model/system/ride_through_curve.hpp"

namespace podtwin {

inline constexpr ParameterInfo kRideThrough{
    .name = "ride_through",
    .kind = ParameterKind::text,
    .meaning =
        "Voltage tolerance of its supply by a shipped curve: itic, semi_f47, supply, contactor, plc, "
        "chiller_control, or none; left out, and without undervoltage_trip: on a bus with voltages the usual "
        "one of its class, else none.",
    .source = "curves: docs/theory/ride_through.md; drives by SEMI F47, practice.md section 4",
    .optional = true};
inline constexpr ParameterInfo kUndervoltageTrip{
    .name = "undervoltage_trip",
    .quantity = Quantity::time,
    .fallback = 0.0,
    .low = 0.0,
    .high = 3600.0,
    .meaning =
        "In place of ride_through: loss of supply that trips it; a shorter one it rides through. 0: it never "
        "trips.",
    .source = "0: runs on when its supply returns; drives by SEMI F47 about 0.2 s, practice.md section 4"};
inline constexpr ParameterInfo kRestartDelay{.name = "restart_delay",
                                             .quantity = Quantity::time,
                                             .fallback = 5.0,
                                             .low = 0.0,
                                             .high = 3600.0,
                                             .meaning =
                                                 "From the return of a sound supply to its restart after such a "
                                                 "trip; staggered by giving each its own.",
                                             .source = "engineering estimate: charging and self-test of a drive"};
inline constexpr ParameterInfo kRestartMode{.name = "restart",
                                            .kind = ParameterKind::choice,
                                            .fallback = 0.0,
                                            .meaning = "Whether it restarts by itself or waits for `restore`.",
                                            .source = "practice.md section 4: auto or manual",
                                            .choices = "automatic|manual"};

inline constexpr double kSound = -1.0;  // value of dip_since
inline constexpr std::size_t kMostClocks = 6;
inline constexpr std::array kRideThroughDiscretes{
    DiscreteInfo{"dip_since", Quantity::time, kSound, "Time since which its voltage is not sound [s]; -1: it is."},
    DiscreteInfo{"dip_voltage", Quantity::ratio, 1.0, "Worst voltage since then, share of the nominal one."},
    DiscreteInfo{"clocks_running", Quantity::none, 0.0, "Clocks of its ride-through curve that run, one bit each."},
    DiscreteInfo{"clocks_at", Quantity::time, 0.0, "Time of which the clocks' values are [s]."},
    DiscreteInfo{"clock_1", Quantity::none, 0.0, "Share of its duration that the first clock has run."},
    DiscreteInfo{"clock_2", Quantity::none, 0.0, "Likewise of the second."},
    DiscreteInfo{"clock_3", Quantity::none, 0.0, "Likewise of the third."},
    DiscreteInfo{"clock_4", Quantity::none, 0.0, "Likewise of the fourth."},
    DiscreteInfo{"clock_5", Quantity::none, 0.0, "Likewise of the fifth."},
    DiscreteInfo{"clock_6", Quantity::none, 0.0, "Likewise of the sixth."},
    DiscreteInfo{"undervoltage", Quantity::none, 0.0, "1: it tripped on its supply."},
    DiscreteInfo{"restart_at", Quantity::time, 0.0, "Time of its restart [s]."},
    DiscreteInfo{"dips_ridden", Quantity::none, 0.0, "Sags and swells outside its sound range that it rode through."},
};
/// Held values of a class, with those of its ride-through after them.
template <std::size_t N>
constexpr std::array<DiscreteInfo, N + kRideThroughDiscretes.size()> withRideThrough(const DiscreteInfo (&own)[N]) {
  std::array<DiscreteInfo, N + kRideThroughDiscretes.size()> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k < N ? own[k] : kRideThroughDiscretes[k - N];
  return all;
}

inline constexpr SignalInfo kSupplyVoltageSignal{
    "supply_voltage", Quantity::ratio, SignalType::real,
    "Worst voltage between phases of its supply over the nominal one; where buses carry power alone 1 or 0."};
inline constexpr SignalInfo kDipsRiddenSignal{"dips_ridden", Quantity::none, SignalType::integer,
                                              "Sags and swells of its supply that it rode through."};

/// What a kind of load is by default, and how its trips are told.
struct RideThroughKind {
  std::string_view usual;          ///< curve on a bus with voltages
  std::string_view trip, restart;  ///< texts of events
  bool own_delay = false;          ///< what follows the return of its supply is the class's own
};
inline constexpr RideThroughKind kDriveRideThrough{"semi_f47", "drive trip", "drive restart"};
inline constexpr RideThroughKind kChillerRideThrough{"chiller_control", "drive trip", "drive restart", true};
inline constexpr RideThroughKind kLoadRideThrough{"none", "dropped out", "on again"};
inline constexpr RideThroughKind kActuatorRideThrough{"none", "actuator drops out", "actuator is back", true};
inline constexpr RideThroughKind kControllerRideThrough{"plc", "controller drops out", "controller starts again", true};

/// The ride-through of one instance.
class RideThrough {
 public:
  /// Reads it. Adds problems.
  static RideThrough bind(const ComponentSet& set, std::size_t i, const RideThroughKind& kind, Binder& b);

  double voltage(const Evaluation& e) const;  ///< worst share of the nominal one
  bool hasSupply() const { return bus_ >= 0; }
  /// Its voltage moves by itself: between two looks it may cross a threshold.
  bool watching(const Evaluation& e) const;
  double watch(const Evaluation& e) const;       ///< a clock starts or stops at 0
  double nextMoment(const Evaluation& e) const;  ///< its trip at the present voltage
  /// Clocks start and stop, and it trips.
  void act(const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  /// Likewise, and it restarts when its supply has been sound for long enough.
  void sample(const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  double dipsRidden(const Evaluation& e) const { return z(e, kDipsRidden); }

 private:
  enum Held : std::size_t {
    kDipSince,
    kDipVoltage,
    kClocksRunning,
    kClocksAt,
    kFirstClock,
    kUndervoltage = kFirstClock + kMostClocks,
    kRestartAt,
    kDipsRidden
  };
  double z(const Evaluation& e, std::size_t held) const { return set_->z(e, first_ + held, i_); }
  double& z(State& s, std::size_t held) const { return set_->z(s, first_ + held, i_); }
  bool guarded(const Evaluation& e) const { return bus_ >= 0 && curve_.memories() > 0 && !e.steady_search; }
  bool mayTrip(const Evaluation& e) const;
  unsigned running(double voltage, unsigned before) const;
  void say(State& s, std::vector<Occurrence>& events, std::string cause, std::string_view text) const;

  const ComponentSet* set_ = nullptr;
  std::size_t i_ = 0, first_ = 0;  ///< instance; its first held value here
  std::ptrdiff_t bus_ = -1;
  bool phased_ = false, restarts_ = true;
  double restart_delay_ = 0.0;  // s
  const RideThroughKind* kind_ = nullptr;
  RideThroughCurve curve_;
};

/// A set whose instances ride through what their curve allows.
template <class Base, const RideThroughKind& kKind>
class RidesThrough : public Base {
 public:
  using Base::Base;

  void bind(Binder& b) override {
    Base::bind(b);
    for (std::size_t i = 0; i < this->size(); ++i) each_.push_back(RideThrough::bind(*this, i, kKind, b));
  }
  bool watching(const Evaluation& e) const override {
    for (const auto& each : each_)
      if (each.watching(e)) return true;
    return Base::watching(e);
  }
  double watch(const Evaluation& e) const override {
    double greatest = Base::watch(e);
    for (const auto& each : each_) greatest = std::max(greatest, each.watch(e));
    return greatest;
  }
  double nextMoment(const Evaluation& e) const override {
    double soonest = Base::nextMoment(e);
    for (const auto& each : each_) soonest = std::min(soonest, each.nextMoment(e));
    return soonest;
  }
  void act(const Evaluation& e, State& s, std::vector<Occurrence>& events) const override {
    Base::act(e, s, events);
    for (const auto& each : each_) each.act(e, s, events);
  }
  // After the class's own, so that a start sequence sees the trip of a dip between two samples.
  void sample(const Evaluation& e, State& s, std::vector<Occurrence>& events) const override {
    Base::sample(e, s, events);
    for (const auto& each : each_) each.sample(e, s, events);
  }
  bool solves(std::size_t k, std::size_t i) const override {
    return k == voltage_ || k == ridden_ ? each_[i].hasSupply() : Base::solves(k, i);
  }
  void signal(const Evaluation& e, std::size_t k, std::span<double> out) const override {
    if (k != voltage_ && k != ridden_) return Base::signal(e, k, out);
    for (std::size_t i = 0; i < this->size(); ++i) out[i] = signalOf(e, k, i);
  }
  double signalOf(const Evaluation& e, std::size_t k, std::size_t i) const override {
    if (k == voltage_) return each_[i].voltage(e);
    return k == ridden_ ? each_[i].dipsRidden(e) : Base::signalOf(e, k, i);
  }

 private:
  std::size_t named(std::string_view name) const {
    const auto& signals = this->info().signals;
    return static_cast<std::size_t>(
        std::find_if(signals.begin(), signals.end(), [&](const SignalInfo& s) { return s.name == name; }) -
        signals.begin());
  }
  std::size_t voltage_ = named(kSupplyVoltageSignal.name), ridden_ = named(kDipsRiddenSignal.name);
  std::vector<RideThrough> each_;
};

}  // namespace podtwin
