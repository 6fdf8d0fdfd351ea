// Generating set as its laws, its sequence and its binding see it. Equations: generator.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/curve.hpp"
#include "model/base/random.hpp"
#include "model/components/power/delayed_trip.hpp"
#include "model/components/power/generator_info.hpp"
#include "model/components/power/governor.hpp"
#include "model/system/electrical_network.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin::generating_set {

using Info = GeneratorInfo;
using Phase = GeneratorPhase;

inline constexpr double kNotDue = -1.0;            // value of `due`
inline constexpr double kTimeTolerance = 1e-9;     // s
inline constexpr double kCrankSpeed = 0.2;         // of rated; engineering estimate: 300 of 1800 rpm
inline constexpr double kCrankAcceleration = 0.5;  // s, time constant; engineering estimate
inline constexpr double kRunUps = 6.0;             // time constants of run-up in the warm-up: 0.25 % remain
inline constexpr double kSettling = 1.0;     // s, time constant of a set without fuel, and of all in a steady search
inline constexpr double kNearSpeed = -0.05;  // deviation above which it counts as turning; engineering estimate
inline constexpr double kStall = -0.5;       // deviation at which an engine on line stalls; engineering estimate
// 0.071 gal/kWh (hardware.csv, published) of 3.785411784e-3 m3 and 3.6e6 J.
inline constexpr double kFuelPerEnergy = 0.071 * 3.785411784e-3 / 3.6e6;  // m3/J
// Engineering estimate: shape of data sheets of diesel sets.
inline constexpr std::array<std::pair<double, double>, 5> kFuelCurve{
    {{0.0, 0.08}, {0.25, 0.31}, {0.5, 0.53}, {0.75, 0.75}, {1.0, 1.0}}};
inline constexpr double kHighestReference = 1e12;  // W

/// ISO 8528-5: deviations [1] and time [s] after a step of load. G2: hardware.csv; G1, G3 and their bands: recalled.
struct Performance {
  double dip, rise, recovery, steady_band;
};
inline constexpr Performance kG1{0.15, 0.18, 10.0, 0.025}, kG2{0.10, 0.12, 5.0, 0.015}, kG3{0.07, 0.10, 3.0, 0.005};

enum Protection : std::size_t { kOverload, kReverse, kUnder, kOver, kProtections };
inline constexpr std::array<const char*, kProtections> kCauses{"overload", "reverse power", "under-frequency",
                                                               "over-frequency"};

struct Generator {
  static constexpr int kColumns = 5, kRows = 7;
  static constexpr SourceKind kSourceKind = SourceKind::generator;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self = 0;
    const KernelSet<Generator>* set = nullptr;
    std::size_t link = 0, bus = 0;
    std::ptrdiff_t start_on = -1;
    bool phased = false;
    std::array<std::size_t, 3> source{};  // of the network, a phase each
    double voltage = 0.0, apparent = 1.0, regulator_time = 1.0, reactive_droop = 0.0, ceiling = 1.0;
    double rating = 1.0, frequency = 1.0;
    Governor governor;
    bool isochronous = true;
    double reference = 0.0, pull = 1.0, sharing = 1.0;
    Phase initially = Phase::stopped;
    double start_delay = 0.0, crank_time = 0.0, crank_limit = 0.0, crank_rest = 0.0, warm_up = 1.0, coast_down = 1.0;
    double attempts = 1.0, failing = 0.0, failure_probability = 0.0;
    std::uint64_t stream = 0;  ///< of its draws
    bool closes = true;
    double synchronising_time = 0.0, cool_down = 0.0, minimum_load = 0.0;
    std::array<DelayedTrip, kProtections> protections;
    DelayedTrip band;
    double tank = 0.0, fuel_full_load = 0.0;
    Curve fuel;
    Performance performance = kG2;
  };
  static const ClassInfo& info() { return Info::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Generator>& set, Binder& b);
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Generator>& set, State& s, double);

  // -- where it stands
  static double held(const Instance& p, const Evaluation& e, std::size_t discrete) {
    return p.set->z(e, discrete, p.self);
  }
  static Phase phaseOf(const Instance& p, const Evaluation& e) {
    if (held(p, e, kTripped) != 0.0 || held(p, e, kInService) == 0.0 || held(p, e, kMode) == 2.0) return Phase::tripped;
    return static_cast<Phase>(static_cast<int>(held(p, e, Info::kPhase)));
  }
  static bool onLine(const Instance& p, const Evaluation& e) { return phaseOf(p, e) == Phase::on_line; }
  static bool onLine(const Instance& p, const State& s) {
    const auto held = [&](std::size_t discrete) { return s.z[p.set->zIndex(discrete, p.self)]; };
    return held(kTripped) == 0.0 && held(kInService) != 0.0 &&
           held(Info::kPhase) == static_cast<double>(Phase::on_line);
  }
  static bool anotherOnLine(const Instance& p, const State& s) {
    for (std::size_t k = 0; k < p.set->size(); ++k)
      if (k != p.self && p.set->instance(k).bus == p.bus && onLine(p.set->instance(k), s)) return true;
    return false;
  }
  static bool burns(Phase phase) {
    return phase == Phase::warming_up || phase == Phase::ready || phase == Phase::on_line ||
           phase == Phase::cooling_down;
  }
  static double deviation(const Instance& p, const Evaluation& e) { return e.y[p.columns[0]]; }
  static bool connects(std::size_t, const Instance& p, const KernelSet<Generator>&, const Evaluation& e) {
    return onLine(p, e);
  }

  // -- sets on one bus
  struct Island {
    double inertia = 0.0;      ///< sum of 2 H S, W s
    double surplus = 0.0;      ///< engines less damping less what is delivered, W
    double speed = 0.0;        ///< centre of inertia
    double isochronous = 0.0;  ///< rating of those on the load-sharing line, W
    double integral = 0.0;     ///< their mean by rating, s
  };
  /// Of all sets on line on the bus of p, but p itself when `others`.
  static Island island(const Instance& p, const Evaluation& e, bool others) {
    Island all;
    for (std::size_t k = 0; k < p.set->size(); ++k) {
      const Instance& q = p.set->instance(k);
      if (q.bus != p.bus || (others && k == p.self) || !onLine(q, e)) continue;
      const double inertia = 2.0 * q.governor.inertia * q.rating, speed = e.y[q.columns[0]];
      all.inertia += inertia;
      all.speed += inertia * speed;
      all.surplus += q.rating * (e.y[q.columns[2]] - q.governor.damping * speed);
      if (q.isochronous) {
        all.isochronous += q.rating;
        all.integral += q.rating * e.y[q.columns[3]];
      }
    }
    return all;  // speed and integral still as sums
  }
  /// Power [W] that the bus takes of all of them.
  static double delivered(const Instance& p, const Evaluation& e) {
    double sum = 0.0;
    for (std::size_t k = 0; k < p.set->size(); ++k)
      if (p.set->instance(k).bus == p.bus) sum += terminal(p.set->instance(k), e).real();
    return sum;
  }
  /// Power [VA] at the terminals of one, as the network has it: of sets in parallel by their reactances.
  static Complex terminal(const Instance& p, const Evaluation& e) {
    if (!p.phased) return e.link_out[p.link];
    Complex sum{};
    for (const auto s : p.source) sum += e.phasor.network->sourcePower(s, *e.phasor.topology, e.phasor.state);
    return sum;
  }
  /// Mean voltage between phases at the terminals over that which the regulator holds.
  static double voltageShare(const Instance& p, const Evaluation& e) {
    if (!p.phased) return 1.0;
    double sum = 0.0;
    const auto at = [&](std::size_t k) {
      return e.phasor.voltage(e.phasor.network->sources()[p.source[k % p.source.size()]].to);
    };
    for (std::size_t k = 0; k < p.source.size(); ++k) sum += std::abs(at(k) - at(k + 1));
    return sum / static_cast<double>(p.source.size()) / p.voltage;
  }
  static void demand(std::size_t, const Instance& p, const KernelSet<Generator>&, Evaluation& e) {
    if (!p.phased) return;
    const double excitation = e.y[p.columns[4]];
    for (std::size_t k = 0; k < p.source.size(); ++k)
      e.phasor.state.emf[p.source[k]] = e.phasor.electrical->emf(e, p.bus, k, excitation * p.voltage);
  }
  static bool solves(std::size_t k, const Instance& p) {
    return (k != Info::kReactive && k != Info::kCurrent && k != Info::kVoltage && k != Info::kExcitationSignal) ||
           p.phased;
  }
  /// Rate of the speed of a set on line.
  template <class S>
  static S speedRate(const Instance& p, const Evaluation& e, const S& speed, const S& engine) {
    const Island others = island(p, e, true);
    const double own = 2.0 * p.governor.inertia * p.rating, inertia = own + others.inertia;
    const S surplus = p.rating * (engine - p.governor.damping * speed) + (others.surplus - delivered(p, e));
    const S centre = (own * speed + others.speed) / inertia;
    return surplus / inertia + (centre - speed) / p.pull;
  }
  /// Rate of the integral of an isochronous set on line.
  template <class S>
  static S integralRate(const Instance& p, const Evaluation& e, const S& speed, const S& integral,
                        const S& integrated) {
    const Island others = island(p, e, true);
    const S mean = (p.rating * integral + others.integral) / (p.rating + others.isochronous);
    const S level = (mean - integral) / p.sharing;
    return integrated * speed + level;
  }
  struct Steady {
    double speed = 0.0, engine = 0.0, integral = 0.0;
  };
  static Steady steady(const Instance& p, const Evaluation& e);
  static double power(const Instance& p, const Evaluation& e) {
    if (!onLine(p, e)) return 0.0;
    if (e.steady_search) return p.rating * (steady(p, e).engine - p.governor.damping * steady(p, e).speed);
    const double speed = deviation(p, e), engine = e.y[p.columns[2]];
    if (island(p, e, true).inertia == 0.0) return terminal(p, e).real();
    return p.rating * (engine - p.governor.damping * speed) -
           2.0 * p.governor.inertia * p.rating * speedRate<double>(p, e, speed, engine);
  }
  static double reference(const Instance& p, const Evaluation& e) {
    return onLine(p, e) ? held(p, e, Info::kReference) : 0.0;
  }
  static double wanted(const Instance& p, const Evaluation& e) {
    return p.governor.asked<double>(reference(p, e), deviation(p, e), e.y[p.columns[3]]);
  }
  static double fuelRate(const Instance& p, const Evaluation& e) {
    return burns(phaseOf(p, e)) ? p.fuel_full_load * p.fuel.value(e.y[p.columns[2]]) : 0.0;
  }
  template <class S>
  static S excitationRate(const Instance& p, const Evaluation& e, const S& excitation);
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r);

  // -- events of its own
  static double guarded(const Instance& p, const Evaluation& e, std::size_t protection) {
    switch (protection) {
      case kOverload:
        return power(p, e) / p.rating;
      case kReverse:
        return -power(p, e) / p.rating;
      case kUnder:
        return -deviation(p, e);
      default:
        return deviation(p, e);
    }
  }
  /// How far its speed is from where its governor will hold it at the present power.
  static double unsettled(const Instance& p, const Evaluation& e) {
    const double fall =
        p.isochronous ? 0.0
                      : (power(p, e) / p.rating - reference(p, e)) / (p.governor.proportional + p.governor.damping);
    return std::abs(deviation(p, e) + fall);
  }
  static double fuelLeft(const Instance& p, const Evaluation& e) {
    return p.tank > 0.0 ? 1.0 - e.y[p.rows[Info::kFuelUsed]] / p.tank : 1.0;
  }
  static bool watching(std::size_t, const Instance& p, const KernelSet<Generator>&, const Evaluation& e) {
    return onLine(p, e) || (p.tank > 0.0 && burns(phaseOf(p, e)));
  }
  static double watch(std::size_t i, const Instance& p, const KernelSet<Generator>& set, const Evaluation& e);
  static double nextMoment(std::size_t i, const Instance& p, const KernelSet<Generator>& set, const Evaluation& e);
  static void act(std::size_t i, const Instance& p, const KernelSet<Generator>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events);
  /// Whether the attempt under way fires.
  static bool fires(std::size_t i, const Instance& p, const KernelSet<Generator>& set, State& s) {
    double& failing = set.z(s, Info::kFailing, i);
    if (failing <= 0.0) return !startFails(i, p, set, s);
    failing -= 1.0;
    return false;
  }
  /// Draw of the present start: of its number, the set's name and the seed, so that nothing else moves it.
  static bool startFails(std::size_t i, const Instance& p, const KernelSet<Generator>& set, const State& s) {
    if (p.failure_probability == 0.0) return false;
    const auto held = [&](std::size_t discrete) { return static_cast<std::uint64_t>(s.z[set.zIndex(discrete, i)]); };
    const std::uint64_t seed = (held(Info::kSeedHigh) << 32) | held(Info::kSeedLow);
    return RandomStream(seed, p.stream).uniform(held(Info::kStarts)) < p.failure_probability;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Generator>& set,
                       const Evaluation& e);
};

}  // namespace podtwin::generating_set
