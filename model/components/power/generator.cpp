// Generating set: engine with governor, start sequence, breaker and protection. Equations: generator.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/curve.hpp"
#include "model/base/diagnostics.hpp"
#include "model/base/random.hpp"
#include "model/base/text_hash.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/delayed_trip.hpp"
#include "model/components/power/generator_info.hpp"
#include "model/components/power/governor.hpp"
#include "model/system/bus_frequency.hpp"
#include "model/system/electrical_network.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/seeded.hpp"

namespace podtwin {

namespace {

using Info = GeneratorInfo;
using Phase = GeneratorPhase;

constexpr double kNotDue = -1.0;            // value of `due`
constexpr double kTimeTolerance = 1e-9;     // s
constexpr double kCrankSpeed = 0.2;         // of rated; engineering estimate: 300 of 1800 rpm
constexpr double kCrankAcceleration = 0.5;  // s, time constant; engineering estimate
constexpr double kRunUps = 6.0;             // time constants of run-up in the warm-up: 0.25 % remain
constexpr double kSettling = 1.0;           // s, time constant of a set without fuel, and of all in a steady search
constexpr double kNearSpeed = -0.05;        // deviation above which it counts as turning; engineering estimate
constexpr double kStall = -0.5;             // deviation at which an engine on line stalls; engineering estimate
// 0.071 gal/kWh (hardware.csv, published) of 3.785411784e-3 m3 and 3.6e6 J.
constexpr double kFuelPerEnergy = 0.071 * 3.785411784e-3 / 3.6e6;  // m3/J
// Engineering estimate: shape of data sheets of diesel sets.
constexpr std::array<std::pair<double, double>, 5> kFuelCurve{
    {{0.0, 0.08}, {0.25, 0.31}, {0.5, 0.53}, {0.75, 0.75}, {1.0, 1.0}}};
constexpr double kHighestReference = 1e12;  // W

/// ISO 8528-5: deviations [1] and time [s] after a step of load. G2: hardware.csv; G1, G3 and their bands: recalled.
struct Performance {
  double dip, rise, recovery, steady_band;
};
constexpr Performance kG1{0.15, 0.18, 10.0, 0.025}, kG2{0.10, 0.12, 5.0, 0.015}, kG3{0.07, 0.10, 3.0, 0.005};

enum Protection : std::size_t { kOverload, kReverse, kUnder, kOver, kProtections };
constexpr std::array<const char*, kProtections> kCauses{"overload", "reverse power", "under-frequency",
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

Generator::Instance Generator::bind(std::size_t i, const InstanceDescription& d, KernelSet<Generator>& set, Binder& b) {
  Instance p{};
  p.self = i;
  p.set = &set;
  p.rating = d.number("rating");
  p.frequency = d.number("frequency");
  constexpr std::ptrdiff_t kSource = -1;
  const auto bus = b.bus(i, "to");
  p.bus = static_cast<std::size_t>(bus);
  p.phased = b.phased(bus);
  p.voltage = d.number("voltage");
  p.apparent = p.rating / d.number("power_factor");
  p.regulator_time = d.number("regulator_time");
  p.reactive_droop = d.number("reactive_droop");
  p.ceiling = d.number("greatest_excitation");
  if (p.phased) {
    if (p.voltage == 0.0) p.voltage = b.nominalVoltage(bus);
    const Complex z = {0.0, d.number("reactance") * p.voltage * p.voltage / p.apparent};
    // Resistances of IEC 60909-0 section 6.6.1 for machines below 100 MVA.
    constexpr double kHighVoltage = 1000.0, kResistanceHigh = 0.07, kResistanceLow = 0.15;
    const double x = d.number("subtransient_reactance"),
                 share = p.voltage > kHighVoltage ? kResistanceHigh : kResistanceLow;
    const double power_factor = d.number("power_factor");
    const Complex subtransient = Complex(share * x, x) * (p.voltage * p.voltage / p.apparent);
    const Infeed infeed{.kind = Infeed::Kind::machine,
                        .impedance = subtransient,
                        .highest_impedance = subtransient,
                        .rated_voltage = p.voltage,
                        .reactance = x,
                        .sine = std::sqrt(1.0 - power_factor * power_factor)};
    for (std::size_t k = 0; k < p.source.size(); ++k)
      p.source[k] = b.source(
          i, {.name = d.id, .from = kEarth, .to = b.conductor(bus, k), .impedance = z, .infeed = infeed}, kSource);
  } else {
    p.link = b.link(kSource, bus, i, p.rating);
  }
  if (b.hasPort(i, "start_on")) p.start_on = b.bus(i, "start_on");
  p.isochronous = d.text("governor") == "isochronous";
  p.governor = {.proportional = p.isochronous ? d.number("gain") : 1.0 / d.number("droop"),
                .integral = p.isochronous ? d.number("integral_gain") : 0.0,
                .actuator_time = d.number("actuator_time"),
                .engine_time = d.number("engine_time"),
                .inertia = d.number("inertia"),
                .damping = d.number("damping"),
                .least = 0.0,
                .greatest = d.number("greatest_power")};
  p.reference = d.number("load_reference") / p.rating;
  p.pull = d.number("synchronising_pull");
  p.sharing = d.number("sharing_time");
  const std::string& initially = d.text("initially");
  p.initially = initially == "on_line" ? Phase::on_line : initially == "ready" ? Phase::ready : Phase::stopped;
  p.start_delay = d.number("start_delay");
  p.crank_time = d.number("crank_time");
  p.crank_limit = d.number("crank_limit");
  p.crank_rest = d.number("crank_rest");
  p.attempts = d.number("crank_attempts");
  p.failing = d.number("failing_attempts");
  p.failure_probability = d.number("start_failure_probability");
  constexpr int kHexadecimal = 16;
  p.stream = std::stoull(fnv1a(d.id), nullptr, kHexadecimal);
  p.warm_up = d.number("warm_up");
  p.coast_down = d.number("coast_down");
  p.closes = d.text("close") == "automatic";
  p.synchronising_time = d.number("synchronising_time");
  p.cool_down = d.number("cool_down");
  p.minimum_load = d.number("minimum_load");
  p.protections = {DelayedTrip{d.number("overload"), d.number("overload_delay")},
                   DelayedTrip{d.number("reverse_power"), d.number("reverse_power_delay")},
                   DelayedTrip{d.number("underfrequency"), d.number("underfrequency_delay")},
                   DelayedTrip{d.number("overfrequency"), d.number("overfrequency_delay")}};
  const std::string& performance = d.text("performance_class");
  p.performance = performance == "G1" ? kG1 : performance == "G3" ? kG3 : kG2;
  p.band = {p.performance.steady_band, kUnbounded};
  p.tank = d.number("fuel");
  p.fuel_full_load = d.number("fuel_full_load");
  if (p.fuel_full_load == 0.0) p.fuel_full_load = kFuelPerEnergy * p.rating;
  const auto& curve = d.parameters.at("fuel_curve");
  p.fuel = Curve(kFuelCurve);
  if (!curve.points.empty()) {
    try {
      p.fuel = Curve(curve.points);
    } catch (const Error& error) {
      b.problems().error(curve.where, "'" + d.id + "': fuel_curve: " + error.what(), "give points in rising order");
    }
  }
  if (!d.supply.empty())
    b.problems().error(d.where, "'" + d.id + "' has a supply, but a set starts from a battery of its own",
                       "leave `supply` out");
  for (std::size_t k = 0; k < Info::kStateCount; ++k) {
    p.rows[k] = set.yIndex(k, i);
    if (k < Info::kFuelUsed) p.columns[k] = set.yIndex(k, i);
    b.capacity(set.yIndex(k, i), 1.0);
  }
  p.columns[4] = set.yIndex(Info::kExcitation, i);
  return p;
}

void Generator::initialise(std::size_t i, const Instance& p, const KernelSet<Generator>& set, State& s, double) {
  const bool line = p.initially == Phase::on_line;
  s.y[set.yIndex(Info::kExcitation, i)] = 1.0;
  s.y[set.yIndex(Info::kSpeed, i)] = p.initially == Phase::stopped ? -1.0 : 0.0;
  s.y[set.yIndex(Info::kActuator, i)] = s.y[set.yIndex(Info::kEngine, i)] = line ? p.reference : 0.0;
  set.z(s, Info::kPhase, i) = static_cast<double>(p.initially);
  set.z(s, Info::kWillClose, i) = p.closes ? 1.0 : 0.0;
  set.z(s, Info::kReference, i) = p.reference;
  set.z(s, Info::kFailing, i) = p.failing;
}

/// Where a set on line comes to rest at the present load: isochronous sets bring back rated frequency and share what
/// droop sets and references leave; among droop sets alone the frequency falls until they carry the load.
Generator::Steady Generator::steady(const Instance& p, const Evaluation& e) {
  double left = delivered(p, e), isochronous = 0.0, stiffness = 0.0;
  for (std::size_t k = 0; k < p.set->size(); ++k) {
    const Instance& q = p.set->instance(k);
    if (q.bus != p.bus || !onLine(q, e)) continue;
    left -= q.rating * reference(q, e);
    if (q.isochronous) isochronous += q.rating;
    stiffness += q.rating * (q.governor.proportional + q.governor.damping);
  }
  Steady rest;
  rest.engine = reference(p, e);
  if (isochronous > 0.0) {
    if (!p.isochronous) return rest;
    rest.engine += left / isochronous;
    rest.integral = -left / isochronous / p.governor.integral;
  } else {
    rest.speed = -left / stiffness;
    rest.engine -= p.governor.proportional * rest.speed;
  }
  return rest;
}

/// Of the regulator: voltage back to its set point, less the reactive droop. The voltage follows excitation at once and
/// carries no derivative: that it does so one for one stands in for it.
template <class S>
S Generator::excitationRate(const Instance& p, const Evaluation& e, const S& excitation) {
  if (!p.phased || !onLine(p, e)) return (1.0 - excitation) / p.regulator_time;
  const double wanted = 1.0 - p.reactive_droop * terminal(p, e).imag() / p.apparent;
  const double error = wanted - voltageShare(p, e), now = valueOf(excitation);
  if ((now >= p.ceiling && error > 0.0) || (now <= 0.0 && error < 0.0)) return S(0.0);
  return (error - (excitation - now)) / p.regulator_time;
}

template <class S>
void Generator::balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
  const S &speed = x[0], &actuator = x[1], &engine = x[2], &integral = x[3];
  const Phase phase = phaseOf(p, e);
  r[Info::kExcitation] = excitationRate<S>(p, e, x[4]);
  const bool line = phase == Phase::on_line, governed = line || phase == Phase::ready || phase == Phase::cooling_down;
  if (burns(phase) && !e.steady_search) {
    r[4] = p.fuel_full_load * p.fuel.value(engine);
    r[5] = S(1.0);
  }
  if (!governed) {
    r[1] = -actuator / kSettling;
    r[2] = -engine / kSettling;
    r[3] = -integral / kSettling;
    if (phase == Phase::cranking && held(p, e, Info::kResting) == 0.0)
      r[0] = (kCrankSpeed - 1.0 - speed) / kCrankAcceleration;
    else if (phase == Phase::warming_up)
      r[0] = -speed * (kRunUps / p.warm_up);
    else
      r[0] = -(speed + 1.0) / p.coast_down;
    return;
  }
  if (e.steady_search) {
    const Steady rest = line ? steady(p, e) : Steady{};
    r[0] = (rest.speed - speed) / kSettling;
    r[1] = (rest.engine - actuator) / kSettling;
    r[2] = (rest.engine - engine) / kSettling;
    r[3] = (rest.integral - integral) / kSettling;
    return;
  }
  const S asked = p.governor.asked<S>(reference(p, e), speed, integral);
  const S integrated = p.governor.integrated<S>(asked, speed);
  r[1] = (p.governor.granted(asked) - actuator) / p.governor.actuator_time;
  r[2] = (actuator - engine) / p.governor.engine_time;
  if (line) {
    r[0] = speedRate<S>(p, e, speed, engine);
    if (p.isochronous) r[3] = integralRate<S>(p, e, speed, integral, integrated);
  } else {
    r[0] = (engine - p.governor.damping * speed) / (2.0 * p.governor.inertia);
    if (p.isochronous) r[3] = integrated * speed;
  }
}

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

double Generator::signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Generator>& set,
                         const Evaluation& e) {
  const bool line = onLine(p, e);
  const double speed = deviation(p, e);
  switch (k) {
    case Info::kFrequency:
      return p.frequency * (1.0 + speed);
    case Info::kPower:
      return power(p, e);
    case Info::kStateSignal:
      return static_cast<double>(phaseOf(p, e));
    case Info::kLoading:
      return power(p, e) / p.rating;
    case Info::kDeviation:
      return speed;
    case Info::kEnginePower:
      return e.y[p.columns[2]];
    case Info::kActuatorSignal:
      return e.y[p.columns[1]];
    case Info::kFuelLimited:
      return line && wanted(p, e) > p.governor.greatest ? 1.0 : 0.0;
    case Info::kFuelLevel:
      return std::max(fuelLeft(p, e), 0.0);
    case Info::kFuelRate:
      return fuelRate(p, e);
    case Info::kFuelUsedSignal:
      return e.y[p.rows[Info::kFuelUsed]];
    case Info::kRunningSignal:
      return e.y[p.rows[Info::kRunning]];
    case Info::kStartsSignal:
      return set.z(e, Info::kStarts, i);
    case Info::kAttemptsSignal:
      return set.z(e, Info::kAttempts, i);
    case Info::kDip:
      return line && speed < 0.0 ? -speed : 0.0;
    case Info::kRise:
      return line ? std::max(speed, 0.0) : 0.0;
    case Info::kRecovery: {
      const double since = set.z(e, Info::kOutSince, i);
      return line && since != DelayedTrip::kIdle ? e.t - since : 0.0;
    }
    case Info::kLowLoad:
      return line && power(p, e) < p.minimum_load * p.rating ? 1.0 : 0.0;
    case Info::kReactive:
      return terminal(p, e).imag();
    case Info::kCurrent: {
      double greatest = 0.0;
      if (p.phased)
        for (const auto source : p.source)
          greatest =
              std::max(greatest, std::abs(e.phasor.network->sourceCurrent(source, *e.phasor.topology, e.phasor.state)));
      return greatest;
    }
    case Info::kExcitationSignal:
      return e.y[p.columns[4]];
    case Info::kVoltage:
      return voltageShare(p, e);
    default:
      return phaseOf(p, e) == Phase::failed_to_start ? 1.0 : 0.0;
  }
}

class GeneratorSet final : public KernelSet<Generator>, public Seeded, public FrequencySource {
 public:
  using KernelSet<Generator>::KernelSet;

  void seed(State& s, std::uint64_t seed) const override {
    for (std::size_t i = 0; i < size(); ++i) {
      z(s, Info::kSeedHigh, i) = static_cast<double>(seed >> 32);
      z(s, Info::kSeedLow, i) = static_cast<double>(seed & 0xffffffffU);
    }
  }
  double frequencyShare(const Evaluation& e, std::size_t i) const override {
    return 1.0 + Generator::deviation(instance(i), e);
  }
  std::size_t fedBus(std::size_t i) const override { return instance(i).bus; }

  void bind(Binder& binder) override {
    KernelSet<Generator>::bind(binder);
    // The speed of a set follows engine and speed of those beside it, its integral theirs.
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t k = 0; k < size(); ++k) {
        if (i == k || instance(i).bus != instance(k).bus) continue;
        Neighbour n{i, k, {}, {}, {}};
        n.speed_by_speed = binder.couple(instance(i).rows[Info::kSpeed], instance(k).columns[0]);
        n.speed_by_engine = binder.couple(instance(i).rows[Info::kSpeed], instance(k).columns[2]);
        n.integral_by_integral = binder.couple(instance(i).rows[Info::kIntegral], instance(k).columns[3]);
        neighbours_.push_back(n);
      }
  }

  void jacobian(const Evaluation& e, JacobianWriter& writer) const override {
    KernelSet<Generator>::jacobian(e, writer);
    if (e.steady_search) return;
    for (const auto& n : neighbours_) {
      const Generator::Instance &p = instance(n.of), &q = instance(n.by);
      if (!Generator::onLine(p, e) || !Generator::onLine(q, e)) continue;
      const Generator::Island all = Generator::island(p, e, false);
      const double share = 2.0 * q.governor.inertia * q.rating / all.inertia;
      writer.add(n.speed_by_speed, p.rows[Info::kSpeed], share / p.pull - q.rating * q.governor.damping / all.inertia);
      writer.add(n.speed_by_engine, p.rows[Info::kSpeed], q.rating / all.inertia);
      if (p.isochronous && q.isochronous)
        writer.add(n.integral_by_integral, p.rows[Info::kIntegral], q.rating / all.isochronous / p.sharing);
    }
  }

  double limitValue(std::size_t limit, std::size_t i) const override {
    const Performance& performance = instance(i).performance;
    switch (limit) {
      case Info::kDipLimit:
        return performance.dip;
      case Info::kRiseLimit:
        return performance.rise;
      case Info::kRecoveryLimit:
        return performance.recovery;
      default:
        return KernelSet<Generator>::limitValue(limit, i);
    }
  }

  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    const Generator::Instance& p = instance(i);
    const auto phase = static_cast<Phase>(static_cast<int>(z(s, Info::kPhase, i)));
    const auto enter = [&](Phase next, double due) {
      z(s, Info::kPhase, i) = static_cast<double>(next);
      z(s, Info::kDue, i) = due;
      ++s.topology;
    };
    const bool out = z(s, kTripped, i) != 0.0 || phase == Phase::failed_to_start;
    if (verb == "start") {
      if (out) return true;  // locked out: the order is given and nothing happens
      z(s, Info::kWillClose, i) = p.closes ? 1.0 : 0.0;
      if (phase == Phase::stopped && z(s, Info::kDue, i) == kNotDue) enter(phase, s.t + p.start_delay);
      if (phase == Phase::cooling_down) enter(Phase::ready, kNotDue);
      return true;
    }
    if (verb == "stop") {
      if (phase == Phase::on_line || phase == Phase::ready) enter(Phase::cooling_down, s.t + p.cool_down);
      if (phase == Phase::stopped || phase == Phase::cranking || phase == Phase::warming_up)
        enter(Phase::stopped, kNotDue);
      return true;
    }
    if (verb == "open") {
      z(s, Info::kWillClose, i) = 0.0;
      if (phase == Phase::on_line || phase == Phase::ready) enter(Phase::ready, kNotDue);
      return true;
    }
    if (verb == "close") {
      if (out) return true;  // locked out: the order is given and nothing happens
      z(s, Info::kWillClose, i) = 1.0;
      if (phase != Phase::ready) return true;
      if (Generator::anotherOnLine(p, s)) {
        enter(phase, s.t + p.synchronising_time);
      } else {
        for (std::size_t k = Info::kOverloadSince; k <= Info::kOutSince; ++k) z(s, k, i) = DelayedTrip::kIdle;
        enter(Phase::on_line, kNotDue);
      }
      return true;
    }
    if (verb == "set") {
      if (!(value >= 0.0 && value <= kHighestReference)) {
        reason = "its load reference must be from 0 to 1 TW";
        return false;
      }
      z(s, Info::kReference, i) = value / p.rating;
      ++s.topology;
      return true;
    }
    if (verb == "fail_start") {
      if (!(value >= 0.0 && value == std::floor(value))) {
        reason = "attempts that fail are a whole number";
        return false;
      }
      z(s, Info::kFailing, i) = value;
      return true;
    }
    if (verb == "refuel") {
      s.y[yIndex(Info::kFuelUsed, i)] = 0.0;
      ++s.topology;
      return true;
    }
    const bool running = s.y[yIndex(Info::kSpeed, i)] > kNearSpeed;
    if (verb == "trip" && z(s, kTripped, i) == 0.0) {
      // What was under way is off; what was ready may be caught running.
      const bool ran = phase == Phase::ready || phase == Phase::on_line;
      z(s, Info::kBefore, i) = static_cast<double>(ran ? phase : Phase::stopped);
    }
    const bool was_tripped = z(s, kTripped, i) != 0.0, was_out = z(s, kInService, i) == 0.0;
    if (!KernelSet<Generator>::command(s, i, verb, value, reason)) return false;
    if (verb == "trip" && !was_tripped) enter(Phase::tripped, kNotDue);
    if (verb == "restore") {
      z(s, Info::kDeadSince, i) = kNotDue;
      if (was_tripped)
        enter(running ? static_cast<Phase>(static_cast<int>(z(s, Info::kBefore, i))) : Phase::stopped, kNotDue);
      else if (phase == Phase::failed_to_start || (was_out && !running))
        enter(Phase::stopped, kNotDue);
    }
    return true;
  }

 private:
  struct Neighbour {
    std::size_t of, by;
    std::size_t speed_by_speed, speed_by_engine, integral_by_integral;
  };
  std::vector<Neighbour> neighbours_;
};

}  // namespace

RegisteredClass generatorClass() {
  return {&Info::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<GeneratorSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
