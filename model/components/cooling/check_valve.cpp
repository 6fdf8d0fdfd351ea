// Valves that a spring shuts: non-return valve, and differential-pressure valve (bypass). Equations: check_valve.md.
#include <array>
#include <cmath>

#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/throttle_body.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node; nothing but the leak comes back from it"},
};
constexpr ParameterInfo kCheckParameters[] = {
    kKvParameter,
    kDropParameter,
    kFlowParameter,
    kLeakageParameter,
    {.name = "cracking_pressure",
     .quantity = Quantity::pressure_difference,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Pressure difference that its spring holds back; 0: a swing or ball check without one.",
     .source = "0: no spring; spring-loaded ones have 2-20 kPa, estimate"},
};
constexpr ParameterInfo kDifferentialParameters[] = {
    kKvParameter,
    kDropParameter,
    kFlowParameter,
    kLeakageParameter,
    {.name = "set_dp",
     .quantity = Quantity::pressure_difference,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Pressure difference at which it begins to open.",
     .source = ""},
};
constexpr DiscreteInfo kCheckDiscretes[] = {
    {"cracking", Quantity::pressure_difference, 0.0, "Pressure difference its spring holds back."}};
constexpr DiscreteInfo kDifferentialDiscretes[] = {
    {"setting", Quantity::pressure_difference, 0.0, "Pressure difference at which it opens at present."}};
constexpr SignalInfo kSignals[] = {
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop, without the weight of the coolant."},
    {"is_open", Quantity::none, SignalType::integer, "1 while it is off its seat."},
};
constexpr CommandInfo kCheckCommands[] = {
    {"stick", "position", Quantity::ratio, "Stays at the stated share of its Kv, and passes both ways."},
    {"restore", "", Quantity::none, "Free again, and in service."},
};
constexpr CommandInfo kDifferentialCommands[] = {
    {"set", "dp", Quantity::pressure_difference, "Another pressure difference at which it opens."},
    {"stick", "position", Quantity::ratio, "Stays at the stated share of its Kv, and passes both ways."},
    {"restore", "", Quantity::none, "Free again, and in service."},
};
constexpr RefusalInfo kCheckRefusals[] = {
    {"trip", "it acts by the coolant's own pressure; isolate shuts it off, stick jams it"},
    {"open", "it acts by the coolant's own pressure; stick it at 100 %"},
    {"close", "it acts by the coolant's own pressure; stick it at 0 %, or isolate it"},
    {"set", "its spring cannot be adjusted; a differential_pressure_valve's can"},
    {"automatic", "it has no controller; restore frees it"},
};
constexpr RefusalInfo kDifferentialRefusals[] = {
    {"trip", "it acts by the coolant's own pressure; isolate shuts it off, stick jams it"},
    {"open", "it acts by the coolant's own pressure; stick it at 100 %"},
    {"close", "it acts by the coolant's own pressure; stick it at 0 %, or isolate it"},
    {"automatic", "it has no controller; restore frees it"},
};
constexpr ClassInfo kCheckInfo{.name = "check_valve",
                               .group = "check_valve",
                               .title = "Non-return valve",
                               .page = "cooling/check_valve.md",
                               .symbol = "valve",
                               .ports = kPorts,
                               .parameters = kCheckParameters,
                               .discretes = kCheckDiscretes,
                               .signals = kSignals,
                               .commands = kCheckCommands,
                               .refusals = kCheckRefusals};
constexpr ClassInfo kDifferentialInfo{.name = "differential_pressure_valve",
                                      .group = "differential_pressure_valve",
                                      .title = "Differential-pressure (bypass) valve",
                                      .page = "cooling/check_valve.md",
                                      .symbol = "valve",
                                      .ports = kPorts,
                                      .parameters = kDifferentialParameters,
                                      .discretes = kDifferentialDiscretes,
                                      .signals = kSignals,
                                      .commands = kDifferentialCommands,
                                      .refusals = kDifferentialRefusals};

struct SpringInstance {
  std::array<std::size_t, 0> columns;
  std::array<std::size_t, 0> rows;
  std::size_t edge, from, to;
  ValveBody body;
  double leak, weight, spring;
};

/// Both are one body with a spring; they differ in what is stated and whether it can be adjusted.
template <class Kernel>
struct SpringValve {
  static constexpr int kColumns = 0, kRows = 0;
  using Instance = SpringInstance;
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Kernel>&, Binder& b) {
    Instance p{};
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    p.body = bodyOf(d, b, p.from);
    p.leak = leakSlope(p.body, d.number("leakage"));
    p.weight = b.weight(p.from, p.to);
    p.spring = d.number(Kernel::kSpring);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Kernel>& set, State& s, double) {
    set.z(s, kCommonCount, i) = p.spring;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Kernel>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.open = set.z(e, kInService, i) != 0.0;
    if (const double stuck = set.z(e, kStuck, i); stuck != 0.0) {
      applyStuck(law, p.body, stuck - 1.0);
      return;
    }
    p.body.apply(law);
    law.check = true;
    law.reverse_linear = p.leak;
    law.cracking = set.z(e, kCommonCount, i);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Kernel>& set,
                       const Evaluation& e) {
    const double total = e.p[p.from] - e.p[p.to] + p.weight, stuck = set.z(e, kStuck, i);
    switch (k) {
      case 0:
        return e.m[p.edge] / p.body.density;
      case 1:
        return total;
      default:
        if (set.z(e, kInService, i) == 0.0) return 0.0;
        if (stuck != 0.0) return stuck - 1.0 >= kLeastOpening ? 1.0 : 0.0;
        return e.m[p.edge] > 0.0 && p.leak * e.m[p.edge] > total * (1.0 + 1e-9) ? 1.0 : 0.0;
    }
  }
};

struct CheckValve : SpringValve<CheckValve> {
  static constexpr const char* kSpring = "cracking_pressure";
  static const ClassInfo& info() { return kCheckInfo; }
};

struct DifferentialPressureValve : SpringValve<DifferentialPressureValve> {
  static constexpr const char* kSpring = "set_dp";
  static const ClassInfo& info() { return kDifferentialInfo; }
  static std::string refuses(const Instance&, double value) {
    return value >= 0.0 ? "" : "the pressure difference at which it opens must be 0 or more";
  }
};

}  // namespace

RegisteredClass checkValveClass() { return selfActingClass<CheckValve>(); }
RegisteredClass differentialPressureValveClass() { return selfActingClass<DifferentialPressureValve>(); }

}  // namespace podtwin
