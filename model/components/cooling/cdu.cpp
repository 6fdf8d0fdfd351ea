// Coolant distribution unit: reports what its exchanger and pumps do together, and passes on to them and its valve what
// happens to it as a whole. Equations: cdu.md.
#include <array>
#include <cstdint>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr std::size_t kMostPumps = 50;  // bits that a held value, a double, has for them
constexpr double kManualMode = 1.0;     // value of kMode
constexpr PortInfo kPorts[] = {
    {"exchanger", PortKind::member, PortCount::one, "its plate heat exchanger"},
    {"pumps", PortKind::member, PortCount::many, "its pumps"},
    {"valve", PortKind::member, PortCount::optional, "its control valve on the facility side"},
    {"supply_node", PortKind::fluid, PortCount::one, "technology-side supply node"},
    {"return_node", PortKind::fluid, PortCount::one, "technology-side return node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Rated heat, for its limit; 0: none.",
     .source = "0: not stated"},
};
constexpr SignalInfo kSignals[] = {
    {"heat", Quantity::power, SignalType::real, "Heat from technology to facility side."},
    {"t_supply", Quantity::temperature, SignalType::real, "Technology supply temperature."},
    {"t_return", Quantity::temperature, SignalType::real, "Technology return temperature."},
    {"flow", Quantity::volume_flow, SignalType::real, "Technology flow."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Supply less return pressure."},
    {"power", Quantity::power, SignalType::real, "Electric power of its pumps."},
    {"pumps_running", Quantity::none, SignalType::integer, "Pumps that run."},
    {"loading", Quantity::ratio, SignalType::real, "Heat over rating; 0 without a rating."},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"tripped_pumps", Quantity::none, 0.0, "Pumps that the unit's trip stopped, one bit each in the order of `pumps`."},
    {"isolated_members", Quantity::none, 0.0,
     "What the unit's isolation took out of service, one bit each: exchanger, valve, pumps."},
    {"closed_valve", Quantity::none, 0.0, "1 while its valve is closed by the unit's trip."},
    {"valve_mode", Quantity::none, 0.0, "Mode of the valve before that."},
    {"valve_command", Quantity::ratio, 0.0, "Command of the valve before that."},
};
enum Discrete : std::size_t { kTrippedPumps = kCommonCount, kIsolatedMembers, kClosedValve, kValveMode, kValveCommand };
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Its controller stops it: the pumps trip and the valve closes."},
    {"isolate", "", Quantity::none, "Shut off on both sides: exchanger, pumps and valve go out of service."},
    {"restore", "", Quantity::none, "What its trip and isolation changed is as it was before."},
};
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 60.0, "rating", "rated heat of the unit; 60 s is an estimate"}};
constexpr ClassInfo kInfo{.name = "cdu",
                          .group = "cdu",
                          .title = "Coolant distribution unit",
                          .page = "cooling/cdu.md",
                          .symbol = "cdu",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct Cdu {
  static constexpr int kColumns = 0, kRows = 0;
  struct Member {
    const ComponentSet* set;
    std::size_t instance, flow, power, running;
  };
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    const ComponentSet* exchanger;
    std::size_t exchanger_instance, heat, supply, back, t_supply, t_return;
    std::vector<Member> pumps;
    const ComponentSet* valve;  // null: none named
    std::size_t valve_instance;
    double rating;
  };
  static const ClassInfo& info() { return kInfo; }
  static std::size_t named(const ComponentSet& set, std::string_view name) {
    for (std::size_t k = 0; k < set.info().signals.size(); ++k)
      if (set.info().signals[k].name == name) return k;
    return set.info().signals.size();
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Cdu>&, Binder& b) {
    Instance p{};
    p.rating = d.number("rating");
    p.supply = b.fluidNode(i, "supply_node");
    p.back = b.fluidNode(i, "return_node");
    p.t_supply = b.nodePort(p.supply).column;
    p.t_return = b.nodePort(p.back).column;
    const auto wrong = [&](const char* port, const char* what) {
      b.problems().error(d.where, "'" + d.id + "' names something else than " + what + " at '" + port + "'",
                         std::string("name ") + what);
    };
    const auto [exchanger, k] = b.member(i, "exchanger");
    if (exchanger == nullptr) return p;
    p.exchanger = exchanger;
    p.exchanger_instance = k;
    p.heat = named(*exchanger, "heat");
    if (p.heat == exchanger->info().signals.size()) wrong("exchanger", "a heat exchanger");
    for (std::size_t n = 0; n < b.portCount(i, "pumps"); ++n) {
      const auto [pump, instance] = b.member(i, "pumps", n);
      if (pump == nullptr) continue;
      if (pump->info().name != "pump")
        wrong("pumps", "pumps");
      else
        p.pumps.push_back({pump, instance, named(*pump, "flow"), named(*pump, "power"), named(*pump, "running")});
    }
    if (p.pumps.size() > kMostPumps)
      b.problems().error(d.where, "'" + d.id + "' names more than " + std::to_string(kMostPumps) + " pumps",
                         "make several units of it");
    if (b.hasPort(i, "valve")) {
      const auto [valve, instance] = b.member(i, "valve");
      if (valve == nullptr) return p;
      if (valve->info().group != "valve") wrong("valve", "a valve");
      p.valve = valve;
      p.valve_instance = instance;
    }
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Cdu>& set, State& s, double) {
    if (!set.description(i).in_service) isolate(i, p, set, s);  // members have been initialised: they come before
  }

  static double bit(std::size_t k) { return static_cast<double>(std::uint64_t{1} << k); }
  static bool holds(double bits, std::size_t k) { return ((static_cast<std::uint64_t>(bits) >> k) & 1U) != 0; }
  /// Exchanger, valve, pumps, in the order of the bits; calls f(bit, set, instance).
  template <class F>
  static void eachMember(const Instance& p, const F& f) {
    f(std::size_t{0}, *p.exchanger, p.exchanger_instance);
    if (p.valve != nullptr) f(std::size_t{1}, *p.valve, p.valve_instance);
    for (std::size_t k = 0; k < p.pumps.size(); ++k) f(k + 2, *p.pumps[k].set, p.pumps[k].instance);
  }
  // What had stopped by itself before is not the unit's to bring back: it keeps what it changed.
  static void trip(std::size_t i, const Instance& p, const KernelSet<Cdu>& set, State& s) {
    double& stopped = set.z(s, kTrippedPumps, i);
    for (std::size_t k = 0; k < p.pumps.size(); ++k)
      if (double& tripped = p.pumps[k].set->z(s, kTripped, p.pumps[k].instance); tripped == 0.0) {
        tripped = 1.0;
        stopped += bit(k);
      }
    if (p.valve == nullptr || set.z(s, kClosedValve, i) != 0.0) return;
    double &mode = p.valve->z(s, kMode, p.valve_instance), &command = p.valve->z(s, kCommand, p.valve_instance);
    set.z(s, kClosedValve, i) = 1.0;
    set.z(s, kValveMode, i) = mode;
    set.z(s, kValveCommand, i) = command;
    mode = kManualMode;
    command = 0.0;
  }
  static void isolate(std::size_t i, const Instance& p, const KernelSet<Cdu>& set, State& s) {
    double& isolated = set.z(s, kIsolatedMembers, i);
    eachMember(p, [&](std::size_t k, const ComponentSet& member, std::size_t instance) {
      double& in_service = member.z(s, kInService, instance);
      if (in_service == 0.0) return;
      in_service = 0.0;
      isolated += bit(k);
    });
  }
  static void restore(std::size_t i, const Instance& p, const KernelSet<Cdu>& set, State& s) {
    double &stopped = set.z(s, kTrippedPumps, i), &isolated = set.z(s, kIsolatedMembers, i);
    for (std::size_t k = 0; k < p.pumps.size(); ++k)
      if (holds(stopped, k)) p.pumps[k].set->z(s, kTripped, p.pumps[k].instance) = 0.0;
    eachMember(p, [&](std::size_t k, const ComponentSet& member, std::size_t instance) {
      if (holds(isolated, k)) member.z(s, kInService, instance) = 1.0;
    });
    stopped = isolated = 0.0;
    if (set.z(s, kClosedValve, i) == 0.0) return;
    set.z(s, kClosedValve, i) = 0.0;
    p.valve->z(s, kMode, p.valve_instance) = set.z(s, kValveMode, i);
    p.valve->z(s, kCommand, p.valve_instance) = set.z(s, kValveCommand, i);
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Cdu>&, const Evaluation& e) {
    const auto sum = [&](std::size_t Member::*which) {
      double total = 0.0;
      for (const auto& pump : p.pumps) total += pump.set->signalOf(e, pump.*which, pump.instance);
      return total;
    };
    switch (k) {
      case 0:
        return p.exchanger->signalOf(e, p.heat, p.exchanger_instance);
      case 1:
        return e.y[p.t_supply];
      case 2:
        return e.y[p.t_return];
      case 3:
        return sum(&Member::flow);
      case 4:
        return e.p[p.supply] - e.p[p.back];
      case 5:
        return sum(&Member::power);
      case 6:
        return sum(&Member::running);
      default:
        return p.rating > 0.0 ? p.exchanger->signalOf(e, p.heat, p.exchanger_instance) / p.rating : 0.0;
    }
  }
};

class CduSet final : public KernelSet<Cdu> {
 public:
  using KernelSet<Cdu>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "trip") Cdu::trip(i, instance(i), *this, s);
    if (verb == "isolate") Cdu::isolate(i, instance(i), *this, s);
    if (verb == "restore") Cdu::restore(i, instance(i), *this, s);
    return KernelSet<Cdu>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass cduClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<CduSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
