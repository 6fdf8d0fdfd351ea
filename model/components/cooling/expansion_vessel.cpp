// Expansion vessel: holds the pressure of a closed circuit and what its other volumes do not. Equations:
// expansion_vessel.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/components/cooling/classes.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/fluids/range.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kReferenceTemperature = 273.15;  // K; zero of stored heat
constexpr double kFree = 1e-6;          // Pa s/kg of its connection, so that its law rises; equipment states the rest
constexpr double kLeastPressure = 2e3;  // Pa absolute at which gas is counted at least: vapour of water at 17 degC
constexpr double kDeadShare = 0.02;     // of its volume, below the connection, so that no temperature is 0/0; estimate
constexpr PortInfo kPorts[] = {
    {"node", PortKind::fluid, PortCount::one, "node whose pressure it holds", true, true},
    {"trips", PortKind::member, PortCount::many, "equipment that its lock-out trips, pumps as a rule"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "kind",
     .kind = ParameterKind::choice,
     .meaning = "Gas cushion behind a diaphragm, or a pressure that a pump or compressor maintains.",
     .source = "a shut gas cushion is the usual vessel of a CDU",
     .choices = "diaphragm|maintained"},
    {.name = "volume",
     .quantity = Quantity::volume,
     .low = 1e-6,
     .high = 1e4,
     .meaning = "Total, gas and liquid.",
     .source = ""},
    {.name = "precharge",
     .quantity = Quantity::pressure_gauge,
     .fallback = 1e5,
     .low = 0.0,
     .high = 2e6,
     .meaning = "Gauge pressure of the gas while the vessel is empty; diaphragm only.",
     .source = "engineering estimate: 1 bar, above the static head of a hall"},
    {.name = "fill_pressure",
     .quantity = Quantity::pressure_gauge,
     .fallback = 1.5e5,
     .low = 0.0,
     .high = 2e6,
     .meaning = "Gauge pressure to which the circuit is filled; of a maintained one the pressure that is kept.",
     .source = "engineering estimate: half a bar above the precharge"},
    {.name = "fill_temperature",
     .quantity = Quantity::temperature,
     .fallback = 293.15,
     .low = 253.15,
     .high = 363.15,
     .meaning = "Temperature of all coolant at that filling.",
     .source = "room temperature"},
    {.name = "fill_level",
     .quantity = Quantity::ratio,
     .fallback = 0.5,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Share of the volume that is liquid at that filling; maintained only.",
     .source = "engineering estimate: half full"},
    {.name = "acceptance",
     .quantity = Quantity::ratio,
     .fallback = 0.9,
     .low = 0.01,
     .high = 0.99,
     .meaning = "Share of the volume that may be liquid; above it the cushion is gone.",
     .source = "engineering estimate: a full bladder leaves a tenth"},
    {.name = "stiffness",
     .quantity = Quantity::pressure_per_kelvin,
     .fallback = 2.5e5,
     .low = 1e2,
     .high = 1e7,
     .meaning = "Rise of pressure a kelvin of the circuit without cushion.",
     .source = "dynaflow.com: 50 bar for 20 K, practice.md section 3 (published)"},
    {.name = "low_level",
     .quantity = Quantity::ratio,
     .fallback = 0.15,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Level of the low-level alarm.",
     .source = "engineering estimate"},
    {.name = "trip_level",
     .quantity = Quantity::ratio,
     .fallback = 0.05,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Level below which the lock-out trips its members.",
     .source = "engineering estimate"},
    {.name = "low_pressure",
     .quantity = Quantity::pressure_gauge,
     .fallback = 5e4,
     .low = -1e5,
     .high = 2e6,
     .meaning = "Gauge pressure of the low-pressure alarm.",
     .source = "engineering estimate: half a bar over the air at the vessel"},
    {.name = "trip_pressure",
     .quantity = Quantity::pressure_gauge,
     .fallback = 0.0,
     .low = -1e5,
     .high = 2e6,
     .meaning = "Gauge pressure below which the lock-out trips its members.",
     .source = "engineering estimate: below that of the air a circuit draws it in"},
    {.name = "trip_delay",
     .quantity = Quantity::time,
     .fallback = 0.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "For which level or pressure must be low before the lock-out trips.",
     .source = "0: at the next second"},
    {.name = "max_pressure",
     .quantity = Quantity::pressure_gauge,
     .fallback = 6e5,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Gauge pressure it is rated for.",
     .source = "relief at 6 bar, NVIDIA guide, pod-design 5.1 (published)"},
    {.name = "glycol",
     .quantity = Quantity::ratio,
     .fallback = -1.0,
     .low = -1.0,
     .high = 0.6,
     .meaning = "Glycol in the coolant as filled; -1: that in the name of the circuit's fluid.",
     .source = "-1: as the fluid is called"},
    {.name = "least_glycol",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = 0.0,
     .high = 0.6,
     .meaning = "Glycol below which an alarm is raised.",
     .source = "0: none; 24.5 % is the floor of PG25, practice.md section 3"},
    {.name = "vent_time",
     .quantity = Quantity::time,
     .fallback = 3600.0,
     .low = 1.0,
     .high = 1e7,
     .meaning = "Time in which its air separator takes all but 1/e of the air out of the circuit.",
     .source = "engineering estimate: an hour"},
};
constexpr StateInfo kStates[] = {
    {"mass_change", Quantity::mass, 0.1, "Coolant in the circuit less that at the filling [kg]."},
    {"heat_share", Quantity::temperature_difference, 1.0,
     "Heat stored relative to 273.15 K over the heat capacity of the full vessel [K]."},
    {"glycol", Quantity::ratio, 0.01, "Glycol in the circuit's coolant."},
    {"air_vented", Quantity::volume, 1e-3, "Air that the separator has taken out [m3]."},
};
constexpr DiscreteInfo kDiscretes[] = {
    {"relieved", Quantity::mass, 0.0, "Coolant that relief valves let out of trapped parts [kg]."},
    {"low_since", Quantity::time, -1.0, "When the lock-out's level or pressure became low [s]; -1: it is not."},
    {"locked", Quantity::none, 0.0, "1 while the lock-out trips."},
    {"air_taken", Quantity::volume, 0.0, "Air that was taken in [m3]."},
};
constexpr SignalInfo kSignals[] = {
    {"level", Quantity::ratio, SignalType::real, "Liquid over total volume."},
    {"liquid", Quantity::volume, SignalType::real, "Liquid in the vessel."},
    {"p", Quantity::pressure_gauge, SignalType::real, "Gauge pressure at its connection."},
    {"t", Quantity::temperature, SignalType::real, "Temperature of its content."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow into the vessel for what leaves or enters the circuit."},
    {"mass", Quantity::mass, SignalType::real, "Coolant in the circuit, vessel included."},
    {"glycol", Quantity::ratio, SignalType::real, "Glycol in the circuit's coolant."},
    {"air", Quantity::volume, SignalType::real, "Air in the circuit, at the pressure of the room."},
    {"locked", Quantity::none, SignalType::integer, "1 while the lock-out trips its members."},
    {"beyond_data", Quantity::temperature_difference, SignalType::real,
     "By how much coolant is outside the data of its density."},
    {"lacking", Quantity::volume, SignalType::real, "Coolant that the circuit's other volumes lack: gas stands there."},
};
constexpr CommandInfo kCommands[] = {
    {"air_in", "volume", Quantity::volume, "The circuit takes in air, as a tray does that was connected dry."},
};
constexpr LimitInfo kLimits[] = {
    {"level", false, 0.0, 0.0, "alarm", "low level", "low_level"},
    {"level", true, 0.0, 0.0, "alarm", "above its acceptance the cushion is gone", "acceptance"},
    {"p", false, 0.0, 0.0, "alarm", "low pressure", "low_pressure"},
    {"p", true, 0.0, 0.0, "rating", "rated pressure of the vessel", "max_pressure"},
    {"glycol", false, 0.0, 0.0, "alarm", "glycol thinned by make-up", "least_glycol"},
    {"locked", true, 0.5, 0.0, "trip", "lock-out on low level or pressure"},
    {"beyond_data", true, 0.0, 0.0, "alarm", "validity: density of the coolant is held where its data end"},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "nothing in it is driven; trip the pumps"},
    {"isolate", "its circuit would have nothing that holds its pressure; shut valves around the part that is meant"},
};
constexpr ClassInfo kInfo{.name = "expansion_vessel",
                          .group = "expansion_vessel",
                          .title = "Expansion vessel of a closed circuit",
                          .page = "cooling/expansion_vessel.md",
                          .symbol = "tank",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits,
                          .refusals = kRefusals};

/// Glycol in the name of a coolant, 1: 0.25 of PG25.
double glycolOf(const std::string& fluid) {
  const bool glycol = fluid.starts_with("PG") || fluid.starts_with("EG");
  return glycol && fluid.size() > 2 ? std::stod(fluid.substr(2)) / 100.0 : 0.0;
}

struct ExpansionVessel {
  static constexpr int kColumns = 4, kRows = 5;
  static constexpr std::size_t kMassChange = 0, kHeat = 1, kGlycol = 2, kAirVented = 3;  // states
  static constexpr std::size_t kRelieved = kCommonCount, kLowSince = kCommonCount + 1, kLocked = kCommonCount + 2,
                               kAirTaken = kCommonCount + 3;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // mass change, heat share, node, air vented
    std::array<std::size_t, kRows> rows;
    std::size_t self, edge, circuit;
    const System* system;
    const KernelSet<ExpansionVessel>* set;
    const fluids::CoolantHeat* coolant;
    double density, cp, volume, air, precharge, kept, fill_liquid, glycol, acceptance, steep, vent_time;
    double trip_level, trip_pressure, trip_delay, fill_temperature;
    bool maintained;
    std::vector<std::pair<ComponentSet*, std::size_t>> members;
    double filled() const {  // kg in the whole circuit at the filling
      const auto& inventory = system->inventory();
      return density * (inventory.volume(circuit) + fill_liquid);
    }
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<ExpansionVessel>& set, Binder& b) {
    Instance p{};
    p.self = i;
    p.set = &set;
    p.system = &b.system();
    const std::size_t node = b.fluidNode(i, "node");
    p.circuit = p.system->fluidNodes()[node].circuit;
    p.edge = b.openEdge(node, p.system->fluidNodes()[node].elevation, d.id);
    b.closeCircuit(i, node, p.edge);
    p.cp = b.specificHeat(node);
    p.coolant = &b.coolantHeat(node);
    p.volume = d.number("volume");
    p.air = fluids::standardPressure(p.system->plant().elevation);
    p.precharge = d.number("precharge");
    p.kept = d.number("fill_pressure");
    p.acceptance = d.number("acceptance");
    p.maintained = d.text("kind") == "maintained";
    p.fill_temperature = d.number("fill_temperature");
    p.density = p.system->inventory().coolant(p.circuit).density(p.fill_temperature);
    p.fill_liquid =
        p.maintained ? d.number("fill_level") * p.volume : p.volume * (1.0 - (p.precharge + p.air) / (p.kept + p.air));
    p.steep = d.number("stiffness");
    p.glycol =
        d.number("glycol") >= 0.0 ? d.number("glycol") : glycolOf(p.system->plant().circuits[p.circuit].fluid.name);
    p.vent_time = d.number("vent_time");
    p.trip_level = d.number("trip_level");
    p.trip_pressure = d.number("trip_pressure");
    p.trip_delay = d.number("trip_delay");
    refuse(d, p, b);
    for (std::size_t n = 0; n < b.portCount(i, "trips"); ++n) {
      const auto member = b.member(i, "trips", n);
      if (member.first == nullptr) continue;
      if (const auto why = member.first->refusal("trip"); !why.empty())
        b.problems().error(
            d.where, "'" + d.id + "' is to trip '" + member.first->ids()[member.second] + "': " + std::string(why),
            "name pumps or other driven equipment");
      p.members.push_back(member);
    }
    p.columns = {set.yIndex(kMassChange, i), set.yIndex(kHeat, i), b.nodePort(node).column, set.yIndex(kAirVented, i)};
    p.rows = {set.yIndex(kMassChange, i), set.yIndex(kHeat, i), b.nodePort(node).row, set.yIndex(kAirVented, i),
              b.boundaryLedger()};
    b.capacity(set.yIndex(kMassChange, i), 1.0);
    b.capacity(set.yIndex(kHeat, i), p.density * p.cp * p.volume);
    b.capacity(set.yIndex(kGlycol, i), 1.0);
    b.capacity(set.yIndex(kAirVented, i), 1.0);
    return p;
  }
  static void refuse(const InstanceDescription& d, const Instance& p, Binder& b) {
    const auto where = [&](const char* name) {
      const auto& value = d.parameters.at(name);
      return value.given ? value.where : d.where;
    };
    const auto text = [](double pressure) { return fluids::inWords(pressure / 1e3) + " kPa"; };
    if (!p.maintained && !(p.kept > p.precharge))
      b.problems().error(where("fill_pressure"),
                         "'" + d.id + "' is filled to " + text(p.kept) + ", not above its precharge of " +
                             text(p.precharge) + ": it would hold no coolant",
                         "fill above the precharge, by 30 kPa or more");
    if (p.fill_liquid > p.acceptance * p.volume)
      b.problems().error(where(p.maintained ? "fill_level" : "fill_pressure"),
                         "'" + d.id + "' holds " + fluids::inWords(100.0 * p.fill_liquid / p.volume) +
                             " % liquid as filled, more than its acceptance of " +
                             fluids::inWords(100.0 * p.acceptance) + " %",
                         "fill less, or take a larger vessel or precharge");
    for (const char* name : {"precharge", "fill_level"})
      if (d.parameters.at(name).given && p.maintained == (std::string_view(name) == "precharge"))
        b.problems().error(d.parameters.at(name).where,
                           "'" + d.id + "' gives " + name + ", which a vessel of kind " + d.text("kind") + " has not",
                           "leave it out, or choose the other kind");
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<ExpansionVessel>& set, State& s,
                         double temperature) {
    s.y[set.yIndex(kHeat, i)] =
        (temperature - kReferenceTemperature) * (p.fill_liquid + kDeadShare * p.volume) / p.volume;
    s.y[set.yIndex(kGlycol, i)] = p.glycol;
  }

  /// m3 of liquid: what the circuit has less what its other volumes hold, and what air pushes out of them; negative
  /// where they lack it.
  static double liquid(const Instance& p, const Evaluation& e) {
    const double circuit = p.filled() + e.y[p.columns[0]] - p.set->z(e, kRelieved, p.self);
    const double without_air = (circuit - p.system->inventory().mass(p.circuit, e)) / p.density;
    const double room = air(p, *p.set, e);
    if (!(room > 0.0)) return without_air;
    // More liquid, more pressure, less air: one content, between none of it pushed out and all at the least pressure.
    double low = without_air, high = without_air + room * p.air / kLeastPressure;
    constexpr int kHalvings = 60;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (low + high);
      (middle < without_air + compressed(p, room, middle) ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
  /// m3 that air of `room` m3 at the room's pressure takes at the vessel's.
  static double compressed(const Instance& p, double room, double liquid) {
    return room * p.air / std::max(pressure(p, liquid) + p.air, kLeastPressure);
  }
  /// m3 that the circuit's other volumes lack: gas stands there.
  static double lacking(double liquid) { return std::max(-liquid, 0.0); }
  /// m3 of liquid that is in the vessel itself; of a full one with what the circuit holds beyond.
  static double held(const Instance& p, const Evaluation& e) { return std::max(liquid(p, e), 0.0); }
  /// Pa a m3 of a circuit that has no cushion: its rise a kelvin over its expansion a kelvin.
  static double withoutCushion(const Instance& p) {
    const double expansion = p.system->inventory().coolant(p.circuit).expansion(p.fill_temperature);
    constexpr double kLeastExpansion = 5e-5;  // 1/K; water near 4 degC has none, and a stated density neither; estimate
    return p.steep / (std::max(expansion, kLeastExpansion) * p.system->inventory().volume(p.circuit));
  }
  /// Gauge pressure [Pa] at a content.
  static double pressure(const Instance& p, double liquid) {
    const double most = p.acceptance * p.volume;
    const double cushion = std::clamp(liquid, 0.0, most);
    const double within = p.maintained ? p.kept : (p.precharge + p.air) * p.volume / (p.volume - cushion) - p.air;
    if (liquid == cushion) return within;
    return std::max(within + withoutCushion(p) * (liquid - cushion), -p.air);  // no less than nothing: it boils
  }
  /// Pa a kg by which the pressure rises with the content.
  static double pressureSlope(const Instance& p, double liquid) {
    if (liquid < 0.0 || liquid > p.acceptance * p.volume)
      return pressure(p, liquid) > -p.air ? withoutCushion(p) / p.density : 0.0;
    if (p.maintained) return 0.0;
    const double gas = p.volume - liquid;
    return (p.precharge + p.air) * p.volume / (gas * gas * p.density);
  }

  /// m3 of air in the circuit, at the pressure of the room.
  static double air(const Instance& p, const KernelSet<ExpansionVessel>& set, const Evaluation& e) {
    return set.z(e, kAirTaken, p.self) - e.y[p.columns[3]];
  }

  static void edgeLaws(std::size_t, const Instance& p, const KernelSet<ExpansionVessel>&, Evaluation& e) {
    EdgeLaw& law = e.laws[p.edge];
    law.linear = kFree;
    law.head_0 = -pressure(p, liquid(p, e));
  }
  template <class S>
  static S temperature(const Instance& p, const S& mass_change, const S& heat) {
    const S content = S(p.fill_liquid) + mass_change / S(p.density);
    return S(kReferenceTemperature) +
           heat * S(p.volume) / ((content > S(0.0) ? content : S(0.0)) + S(kDeadShare * p.volume));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const double m = e.m[p.edge];
    // What leaves an empty vessel, or comes back to one, is what the circuit's volumes lack or get: they keep their
    // capacities, so that it passes at their temperature and over the boundary.
    const bool empty = p.fill_liquid + e.y[p.columns[0]] / p.density < 0.0 && !e.steady_search;
    const S own = temperature<S>(p, x[0], x[1]), node = p.coolant->carried(x[2]);
    if (empty) r[4] = S(m * p.cp) * (node - S(kReferenceTemperature));
    const double vessel_slope = pressureSlope(p, liquid(p, e));
    if (e.steady_search) {  // the content is held, as that of a boundary
      r[1] = m > 0.0 ? S(m * p.cp) * (node - own) : S(0.0);
    } else {
      // What leaves the circuit falls with the content. The flow carries no derivative: this stands in for it here and,
      // so that the sum of both stays what it is, in the row of each way out (VentDamping).
      const double damping = vessel_slope * p.system->ventSlopes(p.system->circuits()[p.circuit], e);
      r[0] = S(m) - S(damping) * (x[0] - S(e.y[p.columns[0]]));
      if (!empty) r[1] = S(m * p.cp) * ((m > 0.0 ? node : own) - S(kReferenceTemperature));
      r[3] = (S(p.set->z(e, kAirTaken, p.self)) - x[3]) / S(p.vent_time);
    }
    r[2] = m < 0.0 && !empty ? S(-m * p.cp) * (own - node) : S(0.0);
  }
  static double storedEnergy(std::size_t i, const Instance& p, const KernelSet<ExpansionVessel>& set,
                             const Evaluation& e) {
    return p.density * p.cp * p.volume * e.y[set.yIndex(kHeat, i)];
  }
  static CoolantLedger coolantLedger(std::size_t i, const Instance& p, const KernelSet<ExpansionVessel>& set,
                                     const Evaluation& e) {
    return {p.filled() + e.y[p.columns[0]] - set.z(e, kRelieved, i), 0.0, 0.0};
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<ExpansionVessel>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>& events) {
    const double content = liquid(p, e), level = content / p.volume, gauge = pressure(p, content);
    const bool low_level = level < p.trip_level;
    double& since = set.z(s, kLowSince, i);
    if (!low_level && gauge >= p.trip_pressure) {
      since = -1.0;
      set.z(s, kLocked, i) = 0.0;
      return;
    }
    if (since < 0.0 || since > e.t) since = e.t;
    constexpr double kTolerance = 1e-9;  // s
    if (e.t - since < p.trip_delay - kTolerance) return;
    set.z(s, kLocked, i) = 1.0;
    for (const auto& [member, k] : p.members) {
      std::string reason;
      if (member->z(s, kTripped, k) != 0.0 || !member->command(s, k, "trip", kRequired, reason)) continue;
      events.push_back({member->ids()[k], set.ids()[i], low_level ? "low level" : "low pressure", "trip"});
    }
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<ExpansionVessel>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return held(p, e) / p.volume;
      case 1:
        return held(p, e);
      case 2:
        return pressure(p, liquid(p, e));
      case 3:
        return temperature<double>(p, e.y[p.columns[0]], e.y[p.columns[1]]);
      case 4:
        return e.m[p.edge] / p.density;
      case 5:
        return p.filled() + e.y[p.columns[0]] - set.z(e, kRelieved, i);
      case 6:
        return e.y[set.yIndex(kGlycol, i)];
      case 7:
        return air(p, set, e);
      case 8:
        return set.z(e, kLocked, i);
      case 9:
        return p.system->inventory().beyondData(p.circuit, e);
      default:
        return lacking(liquid(p, e));
    }
  }
};

class ExpansionVesselSet final : public KernelSet<ExpansionVessel> {
 public:
  using KernelSet<ExpansionVessel>::KernelSet;
  double pressureSlope(const Evaluation& e, std::size_t i) const override {
    return ExpansionVessel::pressureSlope(instance(i), ExpansionVessel::liquid(instance(i), e));
  }
  double gasVolume(const Evaluation& e, std::size_t i) const override {
    const auto& p = instance(i);
    const double room = ExpansionVessel::air(p, *this, e), liquid = ExpansionVessel::liquid(p, e);
    return ExpansionVessel::lacking(liquid) + (room > 0.0 ? ExpansionVessel::compressed(p, room, liquid) : 0.0);
  }
  void relieved(State& state, std::size_t i, double mass) const override {
    z(state, ExpansionVessel::kRelieved, i) += mass;
  }
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "air_in") return KernelSet<ExpansionVessel>::command(state, i, verb, value, reason);
    const double most = instance(i).system->inventory().volume(instance(i).circuit);
    if (!(value >= 0.0 && z(state, ExpansionVessel::kAirTaken, i) + value <= most)) {
      reason = "the air taken in must be a volume from 0 to that of the circuit, " + std::to_string(1e3 * most) + " L";
      return false;
    }
    z(state, ExpansionVessel::kAirTaken, i) += value;
    return true;
  }
};

}  // namespace

RegisteredClass expansionVesselClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<ExpansionVesselSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
