// Air of a room as one volume, and lumped heat capacities. Equations: zone.md.
#include <algorithm>
#include <array>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K
constexpr double kAirCapacity = 1.17 * 1006.0;    // J/(m3 K); dry air at 298 K and 101.325 kPa

constexpr ParameterInfo kZoneParameters[] = {
    {.name = "volume",
     .quantity = Quantity::volume,
     .low = 1e-3,
     .high = 1e7,
     .meaning = "Air in the room.",
     .source = ""},
    {.name = "equipment_capacity",
     .quantity = Quantity::heat_capacity,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e10,
     .meaning = "Equipment mass that follows the air's temperature.",
     .source = "0: air alone"},
    {.name = "dew_point",
     .quantity = Quantity::temperature,
     .fallback = 0.0,
     .low = 0.0,
     .high = 373.15,
     .meaning = "Dew point of its air; 0 K: that of the outdoor air it is ventilated with.",
     .source = "0: a room without humidifier or drier has the moisture of the outdoor air"},
};
constexpr StateInfo kZoneStates[] = {{"t_air", Quantity::temperature, 1.0, "Air temperature [K]."}};
constexpr SignalInfo kZoneSignals[] = {
    {"t_air", Quantity::temperature, SignalType::real,
     "Air temperature; with fan walls, that of the air they draw (hot aisle)."},
    {"t_dew_point", Quantity::temperature, SignalType::real, "Dew point of the air."}};
constexpr RefusalInfo kZoneRefusals[] = {
    {"trip", "air is always there; trip the fans or coolers that treat it"},
    {"isolate", "air is always there; isolate the fans or coolers that treat it"},
};
constexpr ClassInfo kZoneInfo{.name = "zone",
                              .group = "zone",
                              .title = "Air of a room",
                              .page = "cooling/zone.md",
                              .symbol = "zone",
                              .parameters = kZoneParameters,
                              .states = kZoneStates,
                              .signals = kZoneSignals,
                              .refusals = kZoneRefusals};

constexpr ParameterInfo kCapacityParameters[] = {
    {.name = "capacity",
     .quantity = Quantity::heat_capacity,
     .low = 1e-9,
     .high = 1e12,
     .meaning = "Heat capacity.",
     .source = ""},
    {.name = "initial_temperature",
     .quantity = Quantity::temperature,
     .fallback = 0.0,
     .low = 0.0,
     .high = 2000.0,
     .meaning = "Temperature at a cold start; 0 K: as the rest of the plant.",
     .source = "0: not stated"},
};
constexpr StateInfo kCapacityStates[] = {{"t", Quantity::temperature, 1.0, "Temperature [K]."}};
constexpr SignalInfo kCapacitySignals[] = {{"t", Quantity::temperature, SignalType::real, "Temperature."}};
constexpr RefusalInfo kCapacityRefusals[] = {
    {"trip", "a mass is always there; trip the heat_source that warms it"},
    {"isolate", "a mass is always there; isolate the heat_source that warms it"},
};
constexpr ClassInfo kCapacityInfo{.name = "heat_capacity",
                                  .group = "heat_capacity",
                                  .title = "Lumped heat capacity",
                                  .page = "cooling/zone.md",
                                  .symbol = "capacity",
                                  .parameters = kCapacityParameters,
                                  .states = kCapacityStates,
                                  .signals = kCapacitySignals,
                                  .refusals = kCapacityRefusals};

template <const ClassInfo& Info, bool IsZone>
struct Lump {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 0> rows;
    double capacity, start;
    double dew_point;               // K, 0: outdoor
    std::size_t outdoor_dew_point;  // in Evaluation::z
  };
  static const ClassInfo& info() { return Info; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Lump>& set, Binder& b) {
    Instance p{};
    if constexpr (IsZone) {
      p.capacity = d.number("volume") * kAirCapacity + d.number("equipment_capacity");
      p.start = 0.0;
      p.dew_point = d.number("dew_point");
      p.outdoor_dew_point = b.outdoorAir().dew_point;
    } else {
      p.capacity = d.number("capacity");
      p.start = d.number("initial_temperature");
    }
    b.capacity(set.yIndex(0, i), p.capacity);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Lump>& set, State& s, double temperature) {
    s.y[set.yIndex(0, i)] = p.start > 0.0 ? p.start : temperature;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Lump>& set,
                       const Evaluation& e) {
    if (k == 1) return p.dew_point > 0.0 ? p.dew_point : e.z[p.outdoor_dew_point];
    return e.y[set.yIndex(0, i)];
  }
  static double storedEnergy(std::size_t i, const Instance& p, const KernelSet<Lump>& set, const Evaluation& e) {
    return p.capacity * (e.y[set.yIndex(0, i)] - kReferenceTemperature);
  }
};

constexpr PortInfo kResistancePorts[] = {
    {"a", PortKind::heat, PortCount::one, "one end: a zone, heat_capacity or ambient"},
    {"b", PortKind::heat, PortCount::one, "other end"},
};
constexpr ParameterInfo kResistanceParameters[] = {{.name = "resistance",
                                                    .quantity = Quantity::thermal_resistance,
                                                    .low = 1e-12,
                                                    .high = 1e9,
                                                    .meaning = "Thermal resistance.",
                                                    .source = ""}};
constexpr SignalInfo kResistanceSignals[] = {{"heat", Quantity::power, SignalType::real, "Heat from a to b."}};
constexpr RefusalInfo kResistanceRefusals[] = {
    {"trip", "a wall always conducts; trip what is behind it"},
    {"isolate", "a wall always conducts; isolate what is behind it"},
};
constexpr ClassInfo kResistanceInfo{.name = "heat_resistance",
                                    .group = "heat_resistance",
                                    .title = "Thermal resistance",
                                    .page = "cooling/zone.md",
                                    .symbol = "resistance",
                                    .ports = kResistancePorts,
                                    .parameters = kResistanceParameters,
                                    .signals = kResistanceSignals,
                                    .refusals = kResistanceRefusals};

struct HeatResistance {
  static constexpr int kColumns = 2, kRows = 2;
  struct Instance {
    std::array<std::size_t, 2> columns, rows;
    double conductance;
  };
  static const ClassInfo& info() { return kResistanceInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<HeatResistance>&, Binder& b) {
    const ThermalPort a = b.heatPort(i, "a"), c = b.heatPort(i, "b");
    return {{a.column, c.column}, {a.row, c.row}, 1.0 / d.number("resistance")};
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation&, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const S heat = S(p.conductance) * (x[0] - x[1]);
    r[0] = -heat;
    r[1] = heat;
  }
  static double signal(std::size_t, std::size_t, const Instance& p, const KernelSet<HeatResistance>&,
                       const Evaluation& e) {
    return p.conductance * (e.y[p.columns[0]] - e.y[p.columns[1]]);
  }
};

constexpr PortInfo kSourcePorts[] = {
    {"to", PortKind::heat, PortCount::one, "zone, heat_capacity, fluid node or ambient that takes the heat"}};
constexpr ParameterInfo kSourceParameters[] = {
    {.name = "power",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = -1e10,
     .high = 1e10,
     .meaning = "Heat, drawn as electric power from `supply`.",
     .source = "0: as set by events"},
    {.name = "profile",
     .kind = ParameterKind::curve,
     .quantity = Quantity::time,
     .low = -1e12,
     .high = 1e12,
     .meaning = "Power against time, linear between points and held beyond; overrides power.",
     .source = "",
     .ordinate = Quantity::power,
     .optional = true},
};
constexpr DiscreteInfo kSourceDiscretes[] = {{"power_setting", Quantity::power, 0.0, "Heat asked for [W]."}};
constexpr SignalInfo kSourceSignals[] = {{"power", Quantity::power, SignalType::real, "Heat given."}};
constexpr CommandInfo kSourceCommands[] = {{"set", "power", Quantity::power, "Another power."},
                                           {"trip", "", Quantity::none, "No power."},
                                           {"restore", "", Quantity::none, "Power again."}};
constexpr ClassInfo kSourceInfo{.name = "heat_source",
                                .group = "heat_source",
                                .title = "Stated heat, a load bank or a study input",
                                .page = "cooling/zone.md",
                                .symbol = "source",
                                .ports = kSourcePorts,
                                .parameters = kSourceParameters,
                                .discretes = kSourceDiscretes,
                                .signals = kSourceSignals,
                                .commands = kSourceCommands};

struct HeatSource {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t self;
    double start;
    std::vector<std::pair<double, double>> profile;
    const KernelSet<HeatSource>* set;
  };
  static const ClassInfo& info() { return kSourceInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<HeatSource>& set, Binder& b) {
    return {{}, {b.heatPort(i, "to").row}, i, d.number("power"), d.parameters.at("profile").points, &set};
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<HeatSource>& set, State& s, double) {
    set.z(s, kCommonCount, i) = p.start;
  }
  static double power(const Instance& p, const Evaluation& e) { return p.set->served(e, p.self) * asked(p, e); }
  static double asked(const Instance& p, const Evaluation& e) {
    if (!p.set->available(e, p.self)) return 0.0;
    if (p.profile.empty()) return p.set->z(e, kCommonCount, p.self);
    if (e.t <= p.profile.front().first) return p.profile.front().second;
    if (e.t >= p.profile.back().first) return p.profile.back().second;
    const auto next = std::upper_bound(p.profile.begin(), p.profile.end(), e.t,
                                       [](double t, const auto& point) { return t < point.first; });
    const auto& [t1, v1] = *next;
    const auto& [t0, v0] = *(next - 1);
    return v0 + (v1 - v0) * (e.t - t0) / (t1 - t0);
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<HeatSource>& set, Evaluation& e) {
    set.load(e, i, power(p, e));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(power(p, e));
  }
  static double signal(std::size_t, std::size_t, const Instance& p, const KernelSet<HeatSource>&, const Evaluation& e) {
    return power(p, e);
  }
};

class HeatSourceSet final : public KernelSet<HeatSource> {
 public:
  using KernelSet<HeatSource>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "set") return KernelSet<HeatSource>::command(state, i, verb, value, reason);
    z(state, kCommonCount, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass zoneClass() { return {&kZoneInfo, makeKernelSetInto<Lump<kZoneInfo, true>, SetList>}; }
RegisteredClass heatCapacityClass() { return {&kCapacityInfo, makeKernelSetInto<Lump<kCapacityInfo, false>, SetList>}; }
RegisteredClass heatResistanceClass() { return {&kResistanceInfo, makeKernelSetInto<HeatResistance, SetList>}; }
RegisteredClass heatSourceClass() {
  return {&kSourceInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<HeatSourceSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
