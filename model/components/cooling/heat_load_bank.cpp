// Liquid load bank for commissioning. Equations: heat_load_bank.md.
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of stored heat
constexpr double kLinearShare = 1e-3;
constexpr std::size_t kSetting = kCommonCount, kBlocked = kCommonCount + 1;
constexpr double kProven = 1.1;  // of the least flow: what closes the flow switch again
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "inlet node"},
    {"to", PortKind::fluid, PortCount::one, "outlet node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "rating",
     .quantity = Quantity::power,
     .low = 1.0,
     .high = 1e8,
     .meaning = "Power with all its elements on.",
     .source = ""},
    {.name = "power",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Power at the start; drawn from `supply` at power factor 1.",
     .source = "0: as set by events"},
    {.name = "step",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e8,
     .meaning = "Power of its least element; settings are whole numbers of it. 0: any.",
     .source = "0: thyristor control"},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .low = 1e-9,
     .high = 10.0,
     .meaning = "Rated flow.",
     .source = ""},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 50e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Pressure drop at rated flow; goes with its square.",
     .source = "engineering estimate"},
    {.name = "volume",
     .quantity = Quantity::volume,
     .fallback = 0.1,
     .low = 1e-6,
     .high = 100.0,
     .meaning = "Coolant in it.",
     .source = "engineering estimate: a vessel of 0.5 m diameter and length"},
    {.name = "element_capacity",
     .quantity = Quantity::heat_capacity,
     .fallback = 30e3,
     .low = 1.0,
     .high = 1e9,
     .meaning = "Heat capacity of elements and vessel.",
     .source = "engineering estimate: 60 kg of steel"},
    {.name = "element_excess",
     .quantity = Quantity::temperature_difference,
     .fallback = 40.0,
     .low = 0.1,
     .high = 500.0,
     .meaning = "Elements above the coolant at rated power.",
     .source = "engineering estimate: 10 W/cm2 into moving water"},
    {.name = "least_flow",
     .quantity = Quantity::ratio,
     .fallback = 0.3,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Share of rated flow below which its flow switch keeps it off.",
     .source = "engineering estimate"},
    {.name = "trip_temperature",
     .quantity = Quantity::temperature,
     .fallback = 353.15,
     .low = 280.0,
     .high = 500.0,
     .meaning = "Outlet temperature at which its thermostat trips it.",
     .source = "engineering estimate: 80 degC, short of boiling"},
    kRideThrough,
    kUndervoltageTrip,
    kRestartDelay,
    kRestartMode,
};
constexpr StateInfo kStates[] = {
    {"t_element", Quantity::temperature, 1.0, "Elements and vessel [K]."},
    {"t_coolant", Quantity::temperature, 1.0, "Coolant in it, as it leaves [K]."},
};
constexpr DiscreteInfo kOwnDiscretes[] = {{"power_setting", Quantity::power, 0.0, "Power asked for [W]."},
                                          {"blocked", Quantity::none, 0.0, "1 while its flow switch keeps it off."}};
constexpr auto kDiscretes = withRideThrough(kOwnDiscretes);
constexpr SignalInfo kSignals[] = {
    {"power", Quantity::power, SignalType::real, "Electric power drawn, all of it heat."},
    {"heat", Quantity::power, SignalType::real, "Heat from its elements to the coolant."},
    {"t_out", Quantity::temperature, SignalType::real, "Coolant as it leaves."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow from inlet to outlet."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure drop."},
    kTrippedSignal,
    {"blocked", Quantity::none, SignalType::integer, "1 while its flow switch keeps it off."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
};
constexpr CommandInfo kCommands[] = {{"set", "power", Quantity::power, "Another power, a whole number of steps."},
                                     {"trip", "", Quantity::none, "Its contactors drop out."},
                                     {"restore", "", Quantity::none, "Its contactors may close again."}};
constexpr LimitInfo kLimits[] = {kTrippedLimit};
constexpr ClassInfo kInfo{.name = "heat_load_bank",
                          .group = "heat_load_bank",
                          .title = "Liquid load bank for commissioning",
                          .page = "cooling/heat_load_bank.md",
                          .symbol = "source",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct HeatLoadBank {
  static constexpr int kColumns = 4, kRows = 4;
  enum Place : std::size_t { kElement, kCoolant, kFrom, kTo };
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self, edge, from, to;
    const fluids::CoolantHeat* coolant;
    double density, cp, rating, step, k, m_linear, element, mass, conductance, least_flow, trip_temperature;
    const KernelSet<HeatLoadBank>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  /// Whether it can be set to a power; the reason otherwise.
  static bool settable(double rating, double step, double power, std::string& reason) {
    char text[120];
    constexpr double kWhole = 1e-6;  // of a step
    if (!(power >= 0.0 && power <= rating * (1.0 + kWhole))) {
      std::snprintf(text, sizeof text, "its power must be from 0 to %.6g kW", rating / 1e3);
    } else if (step > 0.0 && std::abs(power / step - std::round(power / step)) > kWhole) {
      const double below = std::floor(power / step) * step;
      std::snprintf(text, sizeof text, "it goes in steps of %.6g kW: %.6g or %.6g kW", step / 1e3, below / 1e3,
                    (below + step) / 1e3);
    } else {
      return true;
    }
    reason = text;
    return false;
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<HeatLoadBank>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    p.density = b.density(p.from);
    p.cp = b.specificHeat(p.from);
    p.coolant = &b.coolantHeat(p.from);
    p.rating = d.number("rating");
    p.step = d.number("step");
    const double m = d.number("flow") * p.density;
    p.k = d.number("dp") / (m * m);
    p.m_linear = kLinearShare * m;
    p.element = d.number("element_capacity");
    p.mass = d.number("volume") * p.density;
    p.conductance = p.rating / d.number("element_excess");
    p.least_flow = d.number("least_flow") * m;
    p.trip_temperature = d.number("trip_temperature");
    if (std::string reason; !settable(p.rating, p.step, d.number("power"), reason))
      b.problems().error(d.parameters.at("power").where, "'" + d.id + "': " + reason, "give such a power");
    const ThermalPort in = b.nodePort(p.from), out = b.nodePort(p.to);
    p.columns = {set.yIndex(0, i), set.yIndex(1, i), in.column, out.column};
    p.rows = {set.yIndex(0, i), set.yIndex(1, i), in.row, out.row};
    b.capacity(set.yIndex(0, i), p.element);
    b.coolantCapacity(set.yIndex(1, i), p.from, p.mass);
    return p;
  }
  static void initialise(std::size_t i, const Instance&, const KernelSet<HeatLoadBank>& set, State& s, double) {
    set.z(s, kSetting, i) = set.description(i).number("power");
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<HeatLoadBank>& set, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.k = p.k;
    law.m_linear = p.m_linear;
    law.open = set.z(e, kInService, i) != 0.0;
  }
  static double power(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) && p.set->z(e, kBlocked, p.self) == 0.0
               ? p.set->served(e, p.self) * p.set->z(e, kSetting, p.self)
               : 0.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<HeatLoadBank>& set, Evaluation& e) {
    set.load(e, i, power(p, e));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double rate = std::abs(e.m[p.edge]) * p.cp;
    const std::size_t in = e.m[p.edge] >= 0.0 ? kFrom : kTo, out = in == kFrom ? kTo : kFrom;
    const S heat = S(p.conductance) * (x[kElement] - x[kCoolant]);
    r[kElement] = S(power(p, e)) - heat;
    const S own = p.coolant->carried(x[kCoolant]);
    r[kCoolant] = heat + S(rate) * (p.coolant->carried(x[in]) - own);
    r[out] = S(rate) * (own - p.coolant->carried(x[out]));
  }
  /// Its own protection: a flow switch, which lets it on again, and a thermostat, which does not.
  static void sample(std::size_t i, const Instance& p, const KernelSet<HeatLoadBank>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>& occurrences) {
    const bool asked = set.available(e, i) && set.z(e, kSetting, i) > 0.0;
    double& blocked = set.z(s, kBlocked, i);
    const double flow = std::abs(e.m[p.edge]);
    if (blocked == 0.0 && flow < p.least_flow) {
      blocked = 1.0;
      if (asked) occurrences.push_back({set.ids()[i], "protection", "flow switch", "off: less than its least flow"});
    } else if (blocked != 0.0 && flow >= kProven * p.least_flow) {
      blocked = 0.0;
      if (asked) occurrences.push_back({set.ids()[i], "protection", "flow switch", "on: its flow is back"});
    }
    if (asked && e.y[p.columns[kCoolant]] > p.trip_temperature) {
      set.z(s, kTripped, i) = 1.0;
      occurrences.push_back({set.ids()[i], "protection", "thermostat", "tripped: outlet above its trip temperature"});
    }
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<HeatLoadBank>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return power(p, e);
      case 1:
        return p.conductance * (e.y[p.columns[kElement]] - e.y[p.columns[kCoolant]]);
      case 2:
        return e.y[p.columns[kCoolant]];
      case 3:
        return e.m[p.edge] / p.density;
      case 4:
        return e.p[p.from] - e.p[p.to];
      case 5:
        return set.z(e, kTripped, i);
      default:
        return set.z(e, kBlocked, i);
    }
  }
  static double storedEnergy(std::size_t, const Instance& p, const KernelSet<HeatLoadBank>&, const Evaluation& e) {
    return p.element * (e.y[p.columns[kElement]] - kReferenceTemperature) +
           p.mass * p.coolant->enthalpy(e.y[p.columns[kCoolant]]);
  }
};

class HeatLoadBankSet : public KernelSet<HeatLoadBank> {
 public:
  using KernelSet<HeatLoadBank>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "set") return KernelSet<HeatLoadBank>::command(s, i, verb, value, reason);
    if (!HeatLoadBank::settable(instance(i).rating, instance(i).step, value, reason)) return false;
    z(s, kSetting, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass heatLoadBankClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<RidesThrough<HeatLoadBankSet, kLoadRideThrough>>(std::move(instances)));
          }};
}

}  // namespace podtwin
