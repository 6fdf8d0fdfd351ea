// Fuse: three fuse-links that melt together and are replaced. Equations: fuse.md.
#include <array>

#include "model/base/diagnostics.hpp"
#include "model/components/power/classes.hpp"
#include "model/components/power/protected_branch.hpp"
#include "model/components/power/trip_devices.hpp"

namespace podtwin {

namespace {

constexpr std::size_t kElements = 1;
constexpr double kGreatestCurrent = 1e6;  // A

constexpr PortInfo kPorts[] = {
    {.name = "from",
     .kind = PortKind::bus,
     .count = PortCount::one,
     .meaning = "bus it draws from, with voltages",
     .same_voltage = true},
    {.name = "to", .kind = PortKind::bus, .count = PortCount::one, .meaning = "bus it feeds", .same_voltage = true},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "rated_current",
     .quantity = Quantity::current,
     .low = 0.1,
     .high = kGreatestCurrent,
     .meaning = "Rated current In; of gG one that the standard has gates of.",
     .source = ""},
    {.name = "characteristic",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Full range, for motor circuits (short circuits alone), or by its maker's curve.",
     .source = "gG: general use (IEC 60269-1)",
     .choices = "gG|aM|custom"},
    {.name = "pre_arcing",
     .kind = ParameterKind::curve,
     .quantity = Quantity::current,
     .meaning = "Time to melt by current, from the least current that melts it on; of characteristic custom.",
     .source = "",
     .ordinate = Quantity::time,
     .optional = true},
    {.name = "tolerance",
     .quantity = Quantity::ratio,
     .fallback = 0.1,
     .low = 0.0,
     .high = 0.5,
     .meaning = "Share of current to either side of that curve.",
     .source = "IEC 60269-1: 10 % of current of a stated characteristic; recalled, verify"},
    {.name = "clearing_ratio",
     .quantity = Quantity::ratio,
     .fallback = 2.0,
     .low = 1.0,
     .high = 10.0,
     .meaning = "I2t to no current over that to melting; of characteristic custom.",
     .source = "estimate: makers' data sheets give 1.5 to 4"},
    {.name = "edge",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Where in its band it lies: low melts soonest.",
     .source = "middle: a usual one",
     .choices = "middle|low|high"},
    {.name = "resistance",
     .quantity = Quantity::resistance,
     .fallback = 0.2e-3,
     .low = 0.1e-6,
     .high = 1.0,
     .meaning = "Of one fuse-link.",
     .source = "estimate: a gG fuse-link of 400 A loses some 30 W at rated current"},
    {.name = "prospective_current",
     .quantity = Quantity::current,
     .fallback = 50e3,
     .low = 1.0,
     .high = kGreatestCurrent,
     .meaning = "Greatest current of a fault behind it, up to which selectivity is looked at.",
     .source = "practice.md section 4: 2.5 MVA of 6 % give 50.1 kA at 480 V"},
};
constexpr StateInfo kStates[] = {{"memory_1", Quantity::none, kMemoryScale, "How far it is melted: 0 cold, 1 melts."}};
constexpr DiscreteInfo kDiscretes[] = {
    {"decided", Quantity::none, 0.0, "1 once it is melted."},
    {"opens_at", Quantity::time, kNoMoment, "End of its arc [s]; -1: it has none."},
    {"tripped_at", Quantity::time, kNoMoment, "Moment at which it melted [s]; -1: it has not."},
    {"above_since_1", Quantity::time, kNoMoment, "Since when its current melts it [s]; -1: it does not."},
};
constexpr SignalInfo kOwnSignals[] = {
    {"closed", Quantity::none, SignalType::integer, "1 while it conducts."},
    {"power", Quantity::power, SignalType::real, "Power delivered."},
};
constexpr auto kSignals = joined(kOwnSignals, kBranchSignals, kProtectionSignals);
constexpr std::size_t kClosed = 0, kPower = 1, kFirstBranch = 2, kNeutral = kFirstBranch + 3,
                      kFirstProtection = kFirstBranch + std::size(kBranchSignals);
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Taken out."},
    {"restore", "", Quantity::none, "Put in again; those that have melted are replaced by new ones."},
};
constexpr RefusalInfo kRefusals[] = {
    {"stick", "it has no mechanism"},
    {"open", "it is no switch: trip it, or put a breaker in series"},
    {"close", "it is no switch: restore replaces it"},
    {"set", "it has nothing to set"},
};
constexpr LimitInfo kLimits[] = {kLoadingLimit, kTimeToTripLimit, kTrippedLimit};
constexpr ClassInfo kInfo{.name = "fuse",
                          .group = "fuse",
                          .title = "Fuse",
                          .page = "power/fuse.md",
                          .symbol = "breaker",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .refusals = kRefusals,
                          .electrical = ElectricalRole::branch};

struct Fuse {
  static constexpr int kColumns = kElements, kRows = kColumns + 1;
  struct Instance : ProtectedBranch {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Fuse>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.phased = branches::isPhased(i, b);
    p.columns[0] = p.rows[0] = set.yIndex(0, i);
    b.capacity(p.rows[0], 1.0);
    if (p.phased) {
      protection::bindPoles(i, d, b, false, p);
    } else {
      static_cast<LinkInstance&>(p) = bindLink(i, b, 1.0);
      b.problems().error(d.where, "'" + d.id + "' melts by its current, and its buses have no voltage",
                         "give the source above it a voltage, or the buses a nominal voltage");
    }
    p.rows[1] = p.LinkInstance::rows[0];
    p.rated_current = d.number("rated_current");
    p.prospective = d.number("prospective_current");
    p.edge = protection::edgeOf(d.text("edge"));
    const std::string& type = d.text("characteristic");
    for (const char* parameter : {"pre_arcing", "tolerance", "clearing_ratio"})
      if (const auto& given = d.parameters.at(parameter); given.given && type != "custom")
        b.problems().error(given.where,
                           "'" + d.id + "': `" + parameter + "` has no meaning with characteristic: " + type,
                           "leave it out, or choose characteristic: custom");
    try {
      p.curve = type == "gG"   ? fuseGg(p.rated_current)
                : type == "aM" ? fuseAm(p.rated_current)
                               : fuseOf(d.id, d.parameters.at("pre_arcing").points, d.number("tolerance"),
                                        d.number("clearing_ratio"));
      protection::notePickups(p);
      p.multiples.assign(p.curve.memories(), p.rated_current);
    } catch (const Error& error) {
      b.problems().error(d.where, "'" + d.id + "': " + error.what(), "see the fuse's page");
    }
    return p;
  }
  static bool solves(std::size_t k, const Instance& p) {
    return k < kFirstProtection || solvesProtection(k - kFirstProtection, p);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    protection::memoryRates<S>(p, e, x, r);
    r[kRows - 1] = S(protection::loss(p, e));
  }
  static bool watching(std::size_t, const Instance& p, const KernelSet<Fuse>&, const Evaluation& e) {
    return protection::watching(p, e);
  }
  static double watch(std::size_t, const Instance& p, const KernelSet<Fuse>&, const Evaluation& e) {
    return protection::watch(p, e);
  }
  static double nextMoment(std::size_t, const Instance& p, const KernelSet<Fuse>&, const Evaluation& e) {
    return protection::nextMoment(p, e);
  }
  static void act(std::size_t, const Instance& p, const KernelSet<Fuse>&, const Evaluation& e, State& s,
                  std::vector<Occurrence>& events) {
    protection::act(p, e, s, events);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Fuse>& set,
                       const Evaluation& e) {
    switch (k) {
      case kClosed:
        return set.available(e, i) ? 1.0 : 0.0;
      case kPower:
        return branches::delivered(p, e).real();
      case kNeutral:
        return protection::neutralCurrent(p, e);
      default:
        return k < kFirstProtection ? branchSignal(k - kFirstBranch, p, e)
                                    : protectionSignal(k - kFirstProtection, p, e);
    }
  }
};

class FuseSet final : public KernelSet<Fuse>, public ProtectiveSet {
 public:
  using KernelSet<Fuse>::KernelSet;
  const ProtectedBranch& device(std::size_t i) const override { return instance(i); }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (!KernelSet<Fuse>::command(s, i, verb, value, reason)) return false;
    if (verb == "restore") {
      if (z(s, kDecided, i) != 0.0) s.y[yIndex(0, i)] = 0.0;  // a new one is cold
      protection::reset(*this, kElements, i, s);
    }
    return true;
  }
};

}  // namespace

RegisteredClass fuseClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<FuseSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
