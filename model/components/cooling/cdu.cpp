// Coolant distribution unit: reports what its exchanger, pumps and valve do together. Equations: cdu.md.
#include <array>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"exchanger", PortKind::member, PortCount::one, "its plate heat exchanger"},
    {"pumps", PortKind::member, PortCount::many, "its pumps"},
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
constexpr LimitInfo kLimits[] = {{"loading", true, 1.0, 60.0, "rating", "rated heat of the unit; 60 s is an estimate"}};
constexpr ClassInfo kInfo{.name = "cdu",
                          .group = "cdu",
                          .title = "Coolant distribution unit",
                          .page = "cooling/cdu.md",
                          .symbol = "cdu",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .signals = kSignals,
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
    return p;
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

}  // namespace

RegisteredClass cduClass() { return {&kInfo, makeKernelSetInto<Cdu, SetList>}; }

}  // namespace podtwin
