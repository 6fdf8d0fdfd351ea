// Generating set: law of its engine, governor and regulator, signals and commands. Equations: generator.md.
#include "model/components/power/classes.hpp"
#include "model/components/power/generator_kernel.hpp"
#include "model/system/bus_frequency.hpp"
#include "model/system/seeded.hpp"

namespace podtwin {

namespace generating_set {

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

}  // namespace generating_set

namespace {

using generating_set::Generator;
using generating_set::kHighestReference;
using generating_set::kNearSpeed;
using generating_set::kNotDue;
using Info = GeneratorInfo;
using Performance = generating_set::Performance;
using Phase = GeneratorPhase;

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
