// Grid connection. Equations: utility.md.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/components/power/branch.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/delayed_trip.hpp"
#include "model/components/power/utility_info.hpp"
#include "model/system/bus_frequency.hpp"

namespace podtwin {

namespace {

using Info = UtilityInfo;

constexpr double kHighestSwell = 2.0;  // of the voltage; more is no swell but another network
constexpr double kLowestFrequency = 0.5, kHighestFrequency = 1.5;  // of nominal; beyond, no grid holds together
constexpr double kSteady = -1.0;                                   // value of `ramp_until`
constexpr double kTimeTolerance = 1e-9;                            // s

struct Utility {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    std::size_t link;
    double limit;
    bool phased;
    std::size_t self;
    const KernelSet<Utility>* set;
    DelayedTrip import;
    bool trips;
    double frequency, ramp_time;
    std::size_t bus;
    double voltage;
    std::array<std::size_t, 3> source;
  };
  static const ClassInfo& info() { return Info::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Utility>& set, Binder& b) {
    Instance p{};
    p.self = i;
    p.set = &set;
    p.frequency = d.number("frequency");
    p.ramp_time = d.number("frequency_ramp_time");
    p.trips = d.text("import_limit_action") == "trip";
    p.import = {d.number("import_limit"), d.number("import_limit_delay")};
    const double rating = d.number("rating"), import_limit = d.number("import_limit");
    p.limit = import_limit > 0.0 ? std::min(rating, import_limit) : rating;
    if (const auto bus = b.bus(i, "to"); b.phased(bus)) {
      bindPhases(i, d, b, bus, p);
      return p;
    }
    constexpr std::ptrdiff_t kSource = -1;
    p.bus = static_cast<std::size_t>(b.bus(i, "to"));
    p.link = b.link(kSource, b.bus(i, "to"), i, rating);
    return p;
  }
  static void bindPhases(std::size_t i, const InstanceDescription& d, Binder& b, std::ptrdiff_t bus, Instance& p) {
    p.phased = true;
    p.bus = static_cast<std::size_t>(bus);
    p.voltage = d.number("voltage") > 0.0 ? d.number("voltage") : b.nominalVoltage(bus);
    const double power = d.number("short_circuit_power"), ratio = d.number("resistance_over_reactance");
    const auto impedance = [&](double of) {
      const double size = b.nominalVoltage(bus) * b.nominalVoltage(bus) / of, x = size / std::sqrt(1.0 + ratio * ratio);
      return Complex(ratio * x, x);
    };
    const double least = d.number("least_short_circuit_power") > 0.0 ? d.number("least_short_circuit_power") : power;
    Infeed infeed{.kind = Infeed::Kind::infinite};
    if (power > 0.0)
      infeed = {.kind = Infeed::Kind::feeder, .impedance = impedance(power), .highest_impedance = impedance(least)};
    if (least > power)
      b.problems().error(d.parameters.at("least_short_circuit_power").where,
                         "'" + d.id + "' has a least short-circuit power above its greatest",
                         "give short_circuit_power as the greatest of the two");
    const bool holds = power == 0.0 || d.flag("holds_voltage");
    std::ptrdiff_t star = kEarth;
    if (!d.flag("earthed")) {
      star = static_cast<std::ptrdiff_t>(b.starPoint(d.id + ".star point"));
      if (holds) {
        b.problems().error(d.where, "'" + d.id + "' holds its voltage and has a star point that is not earthed",
                           "give its short_circuit_power, and no `holds_voltage: true`");
        return;
      }
    }
    for (std::size_t k = 0; k < p.source.size(); ++k)
      p.source[k] = b.source(i,
                             {.name = d.id,
                              .from = star,
                              .to = b.conductor(bus, k),
                              .impedance = holds ? Complex{} : infeed.impedance,
                              .infeed = infeed},
                             -1);
  }
  static void initialise(std::size_t i, const Instance&, const KernelSet<Utility>& set, State& s, double) {
    set.z(s, Info::kVoltageShare, i) = 1.0;
  }

  // -- frequency
  static double frequencyShare(const Instance& p, const Evaluation& e) {
    const double from = p.set->z(e, Info::kFrequencyFrom, p.self), to = p.set->z(e, Info::kFrequencyTo, p.self),
                 until = p.set->z(e, Info::kRampUntil, p.self);
    if (until == kSteady) return to;
    return to + (from - to) * std::clamp((until - e.t) / p.ramp_time, 0.0, 1.0);
  }

  // -- events of its own
  static double since(const Instance& p, const Evaluation& e) { return p.set->z(e, Info::kOverSince, p.self); }
  static bool exceeded(const Instance& p, const Evaluation& e) { return p.set->z(e, Info::kExceeded, p.self) != 0.0; }
  static bool watching(std::size_t i, const Instance& p, const KernelSet<Utility>& set, const Evaluation& e) {
    return set.z(e, Info::kRampUntil, i) != kSteady || (p.import.pick_up > 0.0 && set.available(e, i));
  }
  static double watch(std::size_t, const Instance& p, const KernelSet<Utility>&, const Evaluation& e) {
    return p.import.watch(power(p, e).real(), since(p, e));
  }
  static double nextMoment(std::size_t i, const Instance& p, const KernelSet<Utility>& set, const Evaluation& e) {
    double soonest = kUnbounded;
    if (const double until = set.z(e, Info::kRampUntil, i); until != kSteady) soonest = until;
    if (since(p, e) != DelayedTrip::kIdle && !exceeded(p, e)) soonest = std::min(soonest, since(p, e) + p.import.delay);
    return soonest;
  }
  static void act(std::size_t i, const Instance& p, const KernelSet<Utility>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events) {
    const std::string& id = set.ids()[i];
    char text[64];
    if (double& until = set.z(s, Info::kRampUntil, i); until != kSteady && until <= e.t + kTimeTolerance) {
      until = kSteady;
      set.z(s, Info::kFrequencyFrom, i) = set.z(s, Info::kFrequencyTo, i);
      std::snprintf(text, sizeof text, "frequency at %.6g Hz", p.frequency * set.z(s, Info::kFrequencyTo, i));
      events.push_back({id, id, "end of its ramp", text});
    }
    double &since = set.z(s, Info::kOverSince, i), &exceeded = set.z(s, Info::kExceeded, i);
    const bool over = p.import.act(power(p, e).real(), e.t, since);
    if (over && exceeded == 0.0) {
      exceeded = 1.0;
      std::snprintf(text, sizeof text, "imports %.6g kW of %.6g kW", power(p, e).real() / 1e3, p.import.pick_up / 1e3);
      events.push_back({id, id, text, p.trips ? "trip" : "import limit exceeded"});
      if (!p.trips) return;
      set.z(s, kTripped, i) = 1.0;
      since = DelayedTrip::kIdle;
      ++s.topology;
    } else if (since == DelayedTrip::kIdle && exceeded != 0.0 && set.z(s, kTripped, i) == 0.0) {
      exceeded = 0.0;
      events.push_back({id, id, "power has fallen", "within its import limit again"});
    }
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<Utility>& set, Evaluation& e) {
    if (!p.phased) return;
    const double voltage = p.voltage * set.z(e, Info::kVoltageShare, i);
    for (std::size_t k = 0; k < p.source.size(); ++k)
      e.phasor.state.emf[p.source[k]] = e.phasor.electrical->emf(e, p.bus, k, voltage);
  }
  static Complex power(const Instance& p, const Evaluation& e) {
    if (!p.phased) return e.link_out[p.link];
    Complex sum{};
    for (const auto s : p.source) sum += e.phasor.network->sourcePower(s, *e.phasor.topology, e.phasor.state);
    return sum;
  }
  static bool solves(std::size_t k, const Instance& p) {
    return k < Info::kReactive || k > Info::kCurrentC || p.phased;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Utility>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return power(p, e).real();
      case 1:
        return power(p, e).real() / p.limit;
      case 2:
        return set.available(e, i) ? 1.0 : 0.0;
      case Info::kReactive:
        return power(p, e).imag();
      case Info::kFrequency:
        return set.available(e, i) ? p.frequency * frequencyShare(p, e) : 0.0;
      case Info::kImportMargin:
        return p.limit - power(p, e).real();
      case Info::kImportExceeded:
        return exceeded(p, e) ? 1.0 : 0.0;
      default:
        return p.phased ? std::abs(e.phasor.network->sourceCurrent(p.source[k - Info::kReactive - 1],
                                                                   *e.phasor.topology, e.phasor.state))
                        : 0.0;
    }
  }
};

class UtilitySet final : public KernelSet<Utility>, public FrequencySource {
 public:
  using KernelSet<Utility>::KernelSet;
  double frequencyShare(const Evaluation& e, std::size_t i) const override {
    return Utility::frequencyShare(instance(i), e);
  }
  std::size_t fedBus(std::size_t i) const override { return instance(i).bus; }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "sag" || verb == "swell") {
      if (!instance(i).phased) {
        reason = "its bus carries active power alone: give it a nominal voltage";
        return false;
      }
      const bool sag = verb == "sag";
      if (!(sag ? value >= 0.0 && value <= 1.0 : value >= 1.0 && value <= kHighestSwell)) {
        reason = sag ? "the voltage of a sag is from 0 to 100 % of the normal one"
                     : "the voltage of a swell is from 100 to 200 % of the normal one";
        return false;
      }
      z(s, Info::kVoltageShare, i) = value;
      return true;
    }
    if (verb == "frequency") return ramp(s, i, value, reason);
    if (verb == "restore") {
      z(s, Info::kVoltageShare, i) = z(s, Info::kFrequencyFrom, i) = z(s, Info::kFrequencyTo, i) = 1.0;
      z(s, Info::kRampUntil, i) = kSteady;
      z(s, Info::kExceeded, i) = 0.0;
      z(s, Info::kOverSince, i) = DelayedTrip::kIdle;
    }
    return KernelSet<Utility>::command(s, i, verb, value, reason);
  }

 private:
  bool ramp(State& s, std::size_t i, double frequency, std::string& reason) const {
    const Utility::Instance& p = instance(i);
    const double share = frequency / p.frequency;
    if (!(share >= kLowestFrequency && share <= kHighestFrequency)) {
      reason = "its frequency must be from 50 to 150 % of the nominal one";
      return false;
    }
    double &from = z(s, Info::kFrequencyFrom, i), &to = z(s, Info::kFrequencyTo, i), &until = z(s, Info::kRampUntil, i);
    from = until == kSteady ? to : to + (from - to) * std::clamp((until - s.t) / p.ramp_time, 0.0, 1.0);
    to = share;
    until = p.ramp_time > 0.0 ? s.t + p.ramp_time : kSteady;
    if (until == kSteady) from = to;
    ++s.topology;
    return true;
  }
};

}  // namespace

RegisteredClass utilityClass() {
  return {&UtilityInfo::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<UtilitySet>(std::move(instances)));
          }};
}

}  // namespace podtwin
