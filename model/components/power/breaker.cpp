// Circuit breaker: a switch with protection as data. Equations: breaker.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "model/base/diagnostics.hpp"
#include "model/components/power/breaker_info.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/delayed_trip.hpp"
#include "model/components/power/trip_devices.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

using Info = BreakerInfo;

// An open breaker is one whose mode is off: that makes its link unavailable to the power tree.
constexpr double kClosedMode = 0.0, kOpenMode = 2.0;
constexpr std::size_t kPhases = 3;

/// Parameters that have a meaning with a kind of protection only.
struct Meaning {
  const char* parameter;
  std::set<std::string> kinds;
};
const Meaning kMeanings[] = {
    {"curve", {"miniature"}},
    {"long_time_pickup", {"electronic"}},
    {"long_time_delay", {"electronic"}},
    {"short_time_pickup", {"electronic"}},
    {"short_time_delay", {"electronic"}},
    {"short_time_ramp", {"electronic"}},
    {"instantaneous_pickup", {"moulded_case", "electronic", "relay"}},
    {"ground_fault_pickup", {"electronic", "relay"}},
    {"ground_fault_delay", {"electronic", "relay"}},
    {"ground_fault_ramp", {"electronic"}},
    {"relay_curve", {"relay"}},
    {"pickup", {"relay"}},
    {"time_multiplier", {"relay"}},
    {"reset", {"relay"}},
    {"reset_time", {"relay"}},
    {"edge", {"miniature", "moulded_case", "electronic", "relay"}},
};

struct Breaker {
  static constexpr int kColumns = Info::kMostElements, kRows = kColumns + 1;
  struct Instance : ProtectedBranch {
    std::array<std::size_t, kColumns> columns;  ///< memories
    std::array<std::size_t, kRows> rows;        ///< memories, loss
    bool closed;
    DelayedTrip undervoltage;  ///< of 2 - voltage over the release's level
    double undervoltage_level = 0.0, release_time = 0.0;
    std::array<std::size_t, kPhases> upstream{};  ///< nodes
    double nominal = 0.0;                         ///< V between phases
  };
  static const ClassInfo& info() { return Info::table(); }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Breaker>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.phased = branches::isPhased(i, b);
    if (p.phased)
      protection::bindPoles(i, d, b, d.text("poles") == "4", p);
    else
      static_cast<LinkInstance&>(p) = bindLink(i, b, d.number("rating"));
    for (std::size_t k = 0; k < Info::kMostElements; ++k) {
      p.columns[k] = p.rows[k] = set.yIndex(k, i);
      b.capacity(p.rows[k], 1.0);
    }
    p.rows.back() = p.LinkInstance::rows[0];
    p.closed = d.flag("closed");
    if (!d.supply.empty())
      b.problems().error(d.where, "'" + d.id + "' has a supply, but a latched breaker needs none to stay where it is",
                         "leave `supply` out");
    bindProtection(i, d, b, p);
    bindRestraint(i, d, b, p);
    return p;
  }
  /// Nominal voltage [V] of the bus that a transformer draws from.
  static double nominalBefore(const InstanceDescription& transformer, const Binder& b) {
    const auto& buses = b.system().buses();
    const auto found = std::find_if(buses.begin(), buses.end(), [&](const System::Bus& bus) {
      return bus.name == transformer.ports.at("from").front();
    });
    return b.nominalVoltage(found - buses.begin());
  }
  static void bindRestraint(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
    for (std::size_t n = 0; n < b.portCount(i, "restraint"); ++n) {
      const auto [transformer, k] = b.member(i, "restraint", n);
      if (transformer == nullptr) continue;
      const auto refuse = [&, id = transformer->ids()[k]](const std::string& what, const std::string& remedy) {
        b.problems().error(d.port_marks.at("restraint"), "'" + d.id + "' is restrained by '" + id + "', " + what,
                           remedy);
      };
      const auto& signals = transformer->info().signals;
      const auto found = std::find_if(signals.begin(), signals.end(),
                                      [](const SignalInfo& signal) { return signal.name == "inrush_current"; });
      if (found == signals.end())
        refuse("which is no transformer", "name transformers");
      else if (!p.phased || d.text("protection") == "none")
        refuse("and it watches no current", "give it a protection, and its buses voltages, or leave `restraint` out");
      else if (nominalBefore(transformer->description(k), b) != b.nominalVoltage(b.bus(i, "to")))
        refuse("whose first side has another voltage", "name transformers on its own voltage");
      else
        p.inrush.push_back({transformer, static_cast<std::size_t>(found - signals.begin()), k});
    }
  }
  static void bindProtection(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
    const std::string& kind = d.text("protection");
    p.rated_current = d.number("rated_current");
    p.prospective = d.number("prospective_current");
    p.edge = protection::edgeOf(d.text("edge"));
    p.undervoltage_level = d.number("undervoltage_release");
    const bool opens_late = kind == "electronic" || kind == "relay" || p.undervoltage_level > 0.0;
    const Band breaking = kBreakingTime * (d.number("opening_time") / kBreakingTime.middle);
    p.release_time = breaking.at(p.edge);
    if ((kind != "none" || p.undervoltage_level > 0.0) && !p.phased) {
      b.problems().error(d.where, "'" + d.id + "' watches currents and voltages, and its buses have none",
                         "give the source above it a voltage, or the buses a nominal voltage");
      return;
    }
    const auto refuse = [&](const char* parameter, const std::string& what, const std::string& remedy) {
      b.problems().error(d.parameters.at(parameter).where, "'" + d.id + "': " + what, remedy);
    };
    for (const auto& [parameter, kinds] : kMeanings)
      if (d.parameters.at(parameter).given && !kinds.contains(kind))
        refuse(parameter, std::string("`") + parameter + "` has no meaning with protection: " + kind,
               "leave it out, or choose a protection that has it");
    if (d.parameters.at("opening_time").given && !opens_late)
      refuse("opening_time", "`opening_time` has no meaning with protection: " + kind, "leave it out");
    if (d.parameters.at("undervoltage_delay").given && p.undervoltage_level == 0.0)
      refuse("undervoltage_delay", "a delay of a release that it has not", "give `undervoltage_release`, too");
    try {
      p.curve = curveOf(d, breaking);
      protection::notePickups(p);
    } catch (const Error& error) {
      refuse("protection", error.what(), "see the parameters of the protection on the breaker's page");
    }
    if (p.undervoltage_level == 0.0) return;
    // DelayedTrip drops out at 0.99 of its pickup: 1.01 of the level.
    p.undervoltage = {1.0, d.number("undervoltage_delay")};
    p.nominal = b.nominalVoltage(b.bus(i, "from"));
    for (std::size_t k = 0; k < kPhases; ++k) p.upstream[k] = b.conductor(b.bus(i, "from"), k);
  }
  static TripCurve curveOf(const InstanceDescription& d, Band breaking) {
    const std::string& kind = d.text("protection");
    const auto needed = [&](const char* name) {
      const double value = d.number(name);
      if (!(value > 0.0)) throw Error("protection: " + kind + " needs `" + name + "` above 0");
      return value;
    };
    if (kind == "miniature") {
      const std::string& type = d.text("curve");
      return miniatureBreaker(needed("rated_current"), type == "B"   ? MagneticType::B
                                                       : type == "D" ? MagneticType::D
                                                                     : MagneticType::C);
    }
    if (kind == "moulded_case") return mouldedCaseBreaker(needed("rated_current"), needed("instantaneous_pickup"));
    if (kind == "electronic")
      return electronicBreaker({.long_time = needed("long_time_pickup"),
                                .long_time_delay = d.number("long_time_delay"),
                                .short_time = d.number("short_time_pickup"),
                                .short_time_delay = d.number("short_time_delay"),
                                .short_time_ramp = d.flag("short_time_ramp"),
                                .instantaneous = d.number("instantaneous_pickup"),
                                .ground = d.number("ground_fault_pickup"),
                                .ground_delay = d.number("ground_fault_delay"),
                                .ground_ramp = d.flag("ground_fault_ramp")},
                               breaking);
    if (kind == "relay") {
      const std::string& reset = d.text("reset");
      const RelaySettings settings{.curve = d.text("relay_curve"),
                                   .pickup = d.number("pickup"),
                                   .multiplier = d.number("time_multiplier"),
                                   .reset = reset == "definite"  ? RelayReset::definite
                                            : reset == "inverse" ? RelayReset::inverse
                                                                 : RelayReset::instantaneous,
                                   .reset_time = d.number("reset_time"),
                                   .instantaneous = d.number("instantaneous_pickup"),
                                   .ground = d.number("ground_fault_pickup"),
                                   .ground_delay = d.number("ground_fault_delay")};
      if (settings.pickup + settings.instantaneous + settings.ground == 0.0)
        throw Error("protection: relay without a pickup trips on nothing");
      return relayBreaker(settings, breaking);
    }
    return {};
  }
  static bool solves(std::size_t k, const Instance& p) {
    if (k < Info::kFirstBranch) return true;
    return k < Info::kFirstProtection ? p.phased : solvesProtection(k - Info::kFirstProtection, p);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    protection::memoryRates<S>(p, e, x, r);
    r[kRows - 1] = S(protection::loss(p, e));
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Breaker>& set, State& s, double) {
    if (!p.closed) set.z(s, kMode, i) = kOpenMode;
  }

  /// What the release watches: above 1 when the voltage is below its level.
  static double undervoltage(const Instance& p, const Evaluation& e) {
    double least = kUnbounded;
    for (std::size_t k = 0; k < kPhases; ++k)
      least =
          std::min(least, std::abs(e.phasor.voltage(p.upstream[k]) - e.phasor.voltage(p.upstream[(k + 1) % kPhases])));
    return 2.0 - least / (p.nominal * p.undervoltage_level);
  }
  static bool guards(const Instance& p, const Evaluation& e) {
    return p.undervoltage_level > 0.0 && p.set->z(e, kDecided, p.self) == 0.0 && p.set->connects(e, p.self);
  }
  static bool watching(std::size_t, const Instance& p, const KernelSet<Breaker>&, const Evaluation& e) {
    return protection::watching(p, e) || guards(p, e);
  }
  static double watch(std::size_t i, const Instance& p, const KernelSet<Breaker>& set, const Evaluation& e) {
    const double own = protection::watch(p, e);
    return guards(p, e) ? std::max(own, p.undervoltage.watch(undervoltage(p, e), set.z(e, Info::kUnderSince, i))) : own;
  }
  static double nextMoment(std::size_t i, const Instance& p, const KernelSet<Breaker>& set, const Evaluation& e) {
    const double own = protection::nextMoment(p, e), since = set.z(e, Info::kUnderSince, i);
    return guards(p, e) && since != DelayedTrip::kIdle ? std::min(own, since + p.undervoltage.delay) : own;
  }
  static void act(std::size_t i, const Instance& p, const KernelSet<Breaker>& set, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events) {
    if (double& since = set.z(s, Info::kUnderSince, i);
        guards(p, e) && p.undervoltage.act(undervoltage(p, e), e.t, since)) {
      since = DelayedTrip::kIdle;
      protection::order(p, Info::kMostElements, e.t, e.t + p.release_time, s);
      const std::string& id = set.ids()[i];
      events.push_back({id, id, "undervoltage", "undervoltage release tripped"});
    }
    protection::act(p, e, s, events);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Breaker>& set,
                       const Evaluation& e) {
    switch (k) {
      case Info::kClosed:
        return set.available(e, i) ? 1.0 : 0.0;
      case Info::kPower:
        return branches::delivered(p, e).real();
      case Info::kNeutral:
        return protection::neutralCurrent(p, e);
      case Info::kGround:
        return protection::watched(p, e).ground;
      default:
        return k < Info::kGround ? branchSignal(k - Info::kFirstBranch, p, e)
                                 : protectionSignal(k - Info::kFirstProtection, p, e);
    }
  }
};

class BreakerSet final : public KernelSet<Breaker>, public ProtectiveSet {
 public:
  using KernelSet<Breaker>::KernelSet;
  const ProtectedBranch& device(std::size_t i) const override { return instance(i); }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    const bool stuck = z(s, kStuck, i) != 0.0;
    if (verb == "open" || verb == "close") {
      if (stuck) return true;  // the order is given and nothing moves: that is the failure
      if (verb == "close" && z(s, kTripped, i) != 0.0) {
        reason = "it has tripped: restore it";
        return false;
      }
      z(s, kMode, i) = verb == "open" ? kOpenMode : kClosedMode;
      ++s.topology;
      return true;
    }
    if (verb == "stick") {
      z(s, kStuck, i) = 1.0;
      return true;
    }
    if (verb == "trip" && stuck) return true;
    if (verb == "restore") {
      z(s, kMode, i) = kClosedMode;
      z(s, Info::kUnderSince, i) = DelayedTrip::kIdle;
      protection::reset(*this, Info::kMostElements, i, s);
    }
    return KernelSet<Breaker>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass breakerClass() {
  return {&Info::table(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<BreakerSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
