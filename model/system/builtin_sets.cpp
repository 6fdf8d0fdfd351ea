#include "model/system/builtin_sets.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "model/base/diagnostics.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/system/binder.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr StateInfo kFacilityStates[] = {
    {"t_dry_bulb", Quantity::temperature, kUnbounded, "Outdoor dry bulb [K], held between weather changes."},
    {"energy_sources", Quantity::energy, kUnbounded, "Energy delivered by all sources [J]."},
    {"energy_to_ambient", Quantity::energy, kUnbounded, "Heat given to outdoor air [J]."},
    {"energy_to_boundaries", Quantity::energy, kUnbounded, "Heat carried out by coolant at boundary nodes [J]."},
    {"energy_it", Quantity::energy, kUnbounded, "AC energy taken by IT equipment [J]."},
    {"coolant_from_boundaries", Quantity::mass, kUnbounded,
     "Coolant that came in at boundary nodes, less what left there [kg]."},
    {"energy_stores", Quantity::energy, kUnbounded,
     "Energy that batteries gave, less what they took, at their terminals [J]."},
};
constexpr DiscreteInfo kFacilityDiscretes[] = {
    {"relative_humidity", Quantity::ratio, 0.5, "Outdoor relative humidity."},
    {"p_air", Quantity::pressure_absolute, 101325.0, "Outdoor air pressure [Pa]."},
    {"t_wet_bulb", Quantity::temperature, 291.0, "Outdoor wet bulb [K]."},
    {"t_dew_point", Quantity::temperature, 283.0, "Outdoor dew point [K]."},
};
constexpr SignalInfo kFacilitySignals[] = {
    {"it_power", Quantity::power, SignalType::real, "AC input of compute, network and storage racks."},
    {"facility_power", Quantity::power, SignalType::real,
     "Power that the facility takes: of all sources, and of batteries less what charges them."},
    {"pue", Quantity::none, SignalType::real, "Facility power over IT power; 0 while there is no IT power."},
    {"heat_to_ambient", Quantity::power, SignalType::real, "Heat given to outdoor air."},
    {"t_dry_bulb", Quantity::temperature, SignalType::real, "Outdoor dry bulb temperature."},
    {"t_wet_bulb", Quantity::temperature, SignalType::real, "Outdoor wet bulb temperature."},
    {"energy_sources", Quantity::energy, SignalType::integral,
     "Energy delivered by all sources since the start of this run, the first row of its file."},
    {"energy_to_ambient", Quantity::energy, SignalType::integral,
     "Heat given to outdoor air since the start of this run, the first row of its file."},
    {"energy_to_boundaries", Quantity::energy, SignalType::integral,
     "Heat carried out at boundary nodes since the start of this run, the first row of its file."},
    {"energy_it", Quantity::energy, SignalType::integral,
     "Energy taken by IT equipment since the start of this run, the first row of its file."},
    {"water_use", Quantity::mass_flow, SignalType::real,
     "Fresh water of towers and wetted pads: make-up for all they lose."},
    {"t_dew_point", Quantity::temperature, SignalType::real, "Outdoor dew point, at least 173.15 K."},
    {"energy_stores", Quantity::energy, SignalType::integral,
     "Energy that batteries gave, less what they took, since the start of this run, the first row of its file."},
};
constexpr std::size_t kWaterUse = 10;  // index of the signal
constexpr RefusalInfo kFacilityRefusals[] = {
    {"trip", "it is the sum of its equipment; trip the utility or what is meant"},
    {"isolate", "it is the sum of its equipment; isolate what is meant"},
};
constexpr ClassInfo kFacility{.name = "facility",
                              .group = "facility",
                              .title = "The facility as a whole: weather, totals, energy ledger",
                              .page = "../system/facility.md",
                              .symbol = "none",
                              .states = kFacilityStates,
                              .discretes = kFacilityDiscretes,
                              .signals = kFacilitySignals,
                              .refusals = kFacilityRefusals,
                              .user_visible = false};

constexpr StateInfo kNodeStates[] = {
    {"t", Quantity::temperature, 1.0, "Temperature of the coolant mixed at the node [K]."}};
constexpr DiscreteInfo kNodeDiscretes[] = {
    {"trapped", Quantity::none, 0.0, "1 while every way from the node to a held pressure is shut."},
    {"p_trapped", Quantity::pressure_gauge, 0.0, "Gauge pressure when it was shut in [Pa]."},
    {"t_trapped", Quantity::temperature, 293.15, "Mean temperature of its part then [K]."},
    {"t_flow", Quantity::temperature, 293.15, "Temperature at which pipes beside it take viscosity and density [K]."},
};
constexpr SignalInfo kNodeSignals[] = {
    {"t", Quantity::temperature, SignalType::real, "Temperature of the coolant mixed at the node."},
    {"p", Quantity::pressure_gauge, SignalType::real,
     "Gauge pressure; of a part whose every way out is shut, by its temperature since then."},
    {"trapped_rise", Quantity::pressure_difference, SignalType::real,
     "Rise of pressure since the node was shut in without a relief valve; 0 else."},
};
constexpr RefusalInfo kNodeRefusals[] = {
    {"trip", "a junction has nothing to switch; close or isolate the equipment around it"},
    {"isolate", "a junction has nothing to switch; isolate the equipment around it"},
};
constexpr std::size_t kNodeVacuum = 0;              // index of the limit whose value is the site's
constexpr std::size_t kNodeCold = 2, kNodeHot = 3;  // and of those whose values are the coolant's
constexpr double kFlowTemperatureStep = 0.02;       // K; 5e-4 of a coolant's viscosity, 1e-4 of a flow
constexpr LimitInfo kNodeLimits[] = {
    {"p", false, -101325.0, 0.0, "alarm",
     "validity: below absolute vacuum at the site's elevation (standard atmosphere); "
     "the coolant would boil, its gas come out and pumps cavitate, none of it modelled"},
    {"trapped_rise", true, 1e5, 0.0, "alarm",
     "trapped volume without relief (practice.md section 3); 1 bar is an engineering estimate"},
    {"t", false, 273.15, 0.0, "alarm", "validity: the coolant begins to freeze, or the data of its properties end"},
    {"t", true, 373.15, 0.0, "alarm", "validity: the data of the coolant's properties end; it may boil"}};
constexpr ClassInfo kNode{.name = "node",
                          .group = "node",
                          .title = "Junction of a coolant circuit with a mixed volume",
                          .page = "../network/fluid_network.md",
                          .symbol = "junction",
                          .states = kNodeStates,
                          .discretes = kNodeDiscretes,
                          .signals = kNodeSignals,
                          .limits = kNodeLimits,
                          .refusals = kNodeRefusals,
                          .user_visible = false};

constexpr SignalInfo kBusSignals[] = {
    {"load", Quantity::power, SignalType::real, "Active power taken from the bus."},
    {"energised", Quantity::none, SignalType::integer, "1 when a live source feeds the bus."},
    {"source", Quantity::none, SignalType::integer,
     "What feeds it in the end: 0 nothing, 1 utility, 2 generator, 3 battery, 4 sun or wind."},
    {"v_a", Quantity::voltage, SignalType::real,
     "Voltage of phase a to the bus's neutral, to earth where it has none."},
    {"v_b", Quantity::voltage, SignalType::real, "Likewise of phase b."},
    {"v_c", Quantity::voltage, SignalType::real, "Likewise of phase c."},
    {"v_n", Quantity::voltage, SignalType::real, "Voltage of the neutral to earth."},
    {"angle_a", Quantity::angle, SignalType::real, "Angle of v_a; 0 is phase a of the first grid."},
    {"angle_b", Quantity::angle, SignalType::real, "Angle of v_b."},
    {"angle_c", Quantity::angle, SignalType::real, "Angle of v_c."},
    {"angle_n", Quantity::angle, SignalType::real, "Angle of v_n."},
    {"voltage", Quantity::ratio, SignalType::real, "Least voltage between two phases over the nominal one."},
    {"unbalance", Quantity::ratio, SignalType::real, "Negative over positive sequence of the voltages."},
    {"shortfall", Quantity::power, SignalType::real,
     "Power that it is asked for and its voltage is too low to give; the energy books lack what air-cooled racks and "
     "converters ask of it."},
};
// Indices of its first signals of a kind.
constexpr std::size_t kBusVoltage = 3, kBusAngle = 7, kBusShare = 11, kBusShortfall = 13;
constexpr RefusalInfo kBusRefusals[] = {
    {"trip", "a bus has nothing to switch; trip what feeds it"},
    {"isolate", "a bus has nothing to switch; isolate what feeds it"},
};
constexpr ClassInfo kBus{.name = "bus",
                         .group = "bus",
                         .title = "Electrical bus",
                         .page = "../network/power_tree.md",
                         .symbol = "bus",
                         .signals = kBusSignals,
                         .refusals = kBusRefusals,
                         .user_visible = false};

}  // namespace

std::span<const ClassInfo* const> builtinClasses() {
  static constexpr std::array kAll = {&kFacility, &kNode, &kBus};
  return kAll;
}

FacilitySet::FacilitySet(const System& system, std::vector<const InstanceDescription*> description)
    : ComponentSet(kFacility, std::move(description)), system_(system) {}

void FacilitySet::bind(Binder& binder) {
  binder.capacity(yIndex(kDryBulb, 0), kUnbounded);
  for (const auto ledger :
       {kEnergySources, kEnergyToAmbient, kEnergyToBoundaries, kEnergyIt, kCoolantFromBoundaries, kEnergyStores})
    binder.capacity(yIndex(ledger, 0), 1.0);
}

void FacilitySet::initialise(State& state, double temperature) const {
  initialiseCommon(state);
  state.y[yIndex(kDryBulb, 0)] = temperature;
  for (const auto ledger :
       {kEnergySources, kEnergyToAmbient, kEnergyToBoundaries, kEnergyIt, kCoolantFromBoundaries, kEnergyStores})
    state.y[yIndex(ledger, 0)] = 0.0;
}

void FacilitySet::rates(Evaluation& e) const {
  e.heat[yIndex(kEnergySources, 0)] += e.source_power;
  e.heat[yIndex(kEnergyToAmbient, 0)] += system_.electrical().lossOfFixtures(e);
  e.heat[yIndex(kEnergyIt, 0)] += system_.itPower(e);
  e.heat[yIndex(kEnergyStores, 0)] += system_.storeOutput(e);
}

void FacilitySet::signal(const Evaluation& e, std::size_t signal_index, std::span<double> out) const {
  const double it = system_.itPower(e);
  switch (signal_index) {
    case 0:
      out[0] = it;
      break;
    case 1:
      out[0] = e.source_power + system_.storeOutput(e);
      break;
    case 2:
      out[0] = it > 0.0 ? (e.source_power + system_.storeOutput(e)) / it : 0.0;
      break;
    case 3:
      out[0] = e.heat[yIndex(kEnergyToAmbient, 0)];
      break;
    case 4:
      out[0] = e.y[yIndex(kDryBulb, 0)];
      break;
    case 5:
      out[0] = z(e, kWetBulb, 0);
      break;
    case kWaterUse:
      out[0] = 0.0;
      for (const auto& set : system_.sets()) out[0] += set->waterUse(e);
      break;
    case 11:
      out[0] = z(e, kDewPoint, 0);
      break;
    case 12:
      out[0] = e.y[yIndex(kEnergyStores, 0)];
      break;
    default:
      out[0] = e.y[yIndex(kEnergySources + (signal_index - 6), 0)];
      break;
  }
}

FluidNodeSet::FluidNodeSet(const System& system, std::vector<const InstanceDescription*> descriptions)
    : ComponentSet(kNode, std::move(descriptions)), system_(system) {}

void FluidNodeSet::bind(Binder& binder) {
  mass_.assign(size(), 0.0);
  boundary_slot_.assign(size(), 0);
  for (std::size_t n = 0; n < size(); ++n) {
    const auto& node = system_.fluidNodes()[n];
    mass_[n] = node.fixed_temperature ? 0.0 : node.volume * binder.density(n);
    if (node.fixed_temperature) {
      binder.capacity(yIndex(0, n), kUnbounded);
      binder.coolantVolume(n, yIndex(0, n), node.volume);
    } else {
      binder.coolantCapacity(yIndex(0, n), n, mass_[n]);
    }
    if (node.external) boundary_slot_[n] = binder.couple(binder.boundaryLedger(), yIndex(0, n));
  }
}

void FluidNodeSet::initialise(State& state, double temperature) const {
  initialiseCommon(state);
  for (std::size_t n = 0; n < size(); ++n) {
    state.y[yIndex(0, n)] = system_.fluidNodes()[n].temperature.value_or(temperature);
    z(state, kFlowTemperature, n) = state.y[yIndex(0, n)];
  }
}

// Coolant that crosses the plant's boundary at a node carries out its enthalpy, which is 0 at 273.15 K.
void FluidNodeSet::rates(Evaluation& e) const {
  const std::size_t coolant = system_.sets().front()->yIndex(kCoolantFromBoundaries, 0);
  for (const auto& circuit : system_.circuits()) {
    if (!circuit.fed) continue;
    const fluids::CoolantHeat& heat = circuit.law.heat;
    for (std::size_t k = 0; k < circuit.edges.size(); ++k) {
      const auto& edge = circuit.network->edges()[k];
      const double m = e.m[circuit.edges[k]];
      const bool open = edge.to >= circuit.nodes.size();  // what goes into a vessel there stays in the plant
      const std::size_t from = circuit.nodes[edge.from], to = open ? from : circuit.nodes[edge.to];
      const std::size_t ledger = system_.sets().front()->yIndex(kEnergyToBoundaries, 0);
      if (system_.fluidNodes()[from].external) {
        e.heat[ledger] -= m * heat.enthalpy(e.y[yIndex(0, from)]);
        e.heat[coolant] += m;
      }
      if (!open && system_.fluidNodes()[to].external) {
        e.heat[ledger] += m * heat.enthalpy(e.y[yIndex(0, to)]);
        e.heat[coolant] -= m;
      }
    }
  }
}

void FluidNodeSet::jacobian(const Evaluation& e, JacobianWriter& writer) const {
  const std::size_t ledger = system_.sets().front()->yIndex(kEnergyToBoundaries, 0);
  for (const auto& circuit : system_.circuits()) {
    const fluids::CoolantHeat& coolant = circuit.law.heat;
    for (std::size_t k = 0; k < circuit.edges.size(); ++k) {
      const auto& edge = circuit.network->edges()[k];
      const double m = e.m[circuit.edges[k]];
      const bool open = edge.to >= circuit.nodes.size();
      const std::size_t from = circuit.nodes[edge.from], to = open ? from : circuit.nodes[edge.to];
      if (system_.fluidNodes()[from].external)
        writer.add(boundary_slot_[from], ledger, -m * coolant.specificHeat(e.y[yIndex(0, from)]));
      if (!open && system_.fluidNodes()[to].external)
        writer.add(boundary_slot_[to], ledger, m * coolant.specificHeat(e.y[yIndex(0, to)]));
    }
  }
}

void FluidNodeSet::signal(const Evaluation& e, std::size_t signal_index, std::span<double> out) const {
  for (std::size_t n = 0; n < size(); ++n) out[n] = signalOf(e, signal_index, n);
}

double FluidNodeSet::signalOf(const Evaluation& e, std::size_t signal_index, std::size_t n) const {
  switch (signal_index) {
    case 0:
      return e.y[yIndex(0, n)];
    case 1:
      return e.p[n];
    default:
      return system_.inventory().unrelievedRise(n, e);
  }
}

void FluidNodeSet::sample(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const {
  system_.inventory().sampleTrapped(e, state, occurrences);
  for (const auto& circuit : system_.circuits()) {
    if (!circuit.law.heat.varies()) continue;
    for (const auto n : circuit.nodes)
      if (const double t = e.y[yIndex(0, n)]; std::abs(t - z(state, kFlowTemperature, n)) > kFlowTemperatureStep)
        z(state, kFlowTemperature, n) = t;
  }
}

// Contents of circuits without a vessel do not change: where a pressure is held, so is the mass.
CoolantLedger FluidNodeSet::coolantLedger(const Evaluation&) const {
  CoolantLedger ledger;
  for (std::size_t c = 0; c < system_.circuits().size(); ++c)
    if (system_.circuits()[c].vessel < 0)
      ledger.held += system_.inventory().volume(c) * system_.circuits()[c].coolant.density;
  return ledger;
}

double FluidNodeSet::limitValue(std::size_t limit, std::size_t instance) const {
  const auto& law = system_.circuits()[system_.fluidNodes()[instance].circuit].law;
  if (limit == kNodeVacuum) return -fluids::standardPressure(system_.plant().elevation);
  if (limit == kNodeCold) return law.stated ? -kUnbounded : law.t_low;
  if (limit == kNodeHot) return law.stated ? kUnbounded : law.t_high;
  return ComponentSet::limitValue(limit, instance);
}

double FluidNodeSet::storedEnergy(const Evaluation& e) const {
  double sum = 0.0;
  for (std::size_t n = 0; n < size(); ++n)
    if (mass_[n] > 0.0)
      sum += mass_[n] * system_.circuits()[system_.fluidNodes()[n].circuit].law.heat.enthalpy(e.y[yIndex(0, n)]);
  return sum;
}

BusSet::BusSet(const System& system, std::vector<const InstanceDescription*> descriptions)
    : ComponentSet(kBus, std::move(descriptions)), system_(system) {}

void BusSet::initialise(State& state, double) const { initialiseCommon(state); }

double BusSet::signalOf(const Evaluation& e, std::size_t k, std::size_t b) const {
  if (k == 0) return e.bus_load[b] + system_.electrical().starPower(e, b);
  if (k == 1) return static_cast<double>(e.energised[b]);
  if (k == 2) return e.bus_source[b];
  const ElectricalNetwork& electrical = system_.electrical();
  if (!electrical.phased(b)) return 0.0;
  const auto earthed = [&](std::size_t c) { return e.phasor.voltage(electrical.conductor(b, c)); };
  constexpr std::size_t kNeutral = kConductors - 1;
  if (k < kBusShare) {
    const std::size_t c = (k - kBusVoltage) % kConductors;
    // A conductor that is dead has no voltage, also where the neutral has one.
    const bool live = e.phasor.conductor_live[electrical.conductor(b, c)] != 0;
    const Complex v = !live ? Complex{} : c == kNeutral ? earthed(c) : earthed(c) - earthed(kNeutral);
    return k < kBusAngle ? std::abs(v) : std::arg(v);
  }
  if (k == kBusShortfall) return electrical.shortfall(e, b);
  const std::array<Complex, kNeutral> phase{earthed(0), earthed(1), earthed(2)};
  if (k == kBusShare) {
    double least = kUnbounded;
    for (std::size_t c = 0; c < kNeutral; ++c) least = std::min(least, std::abs(phase[c] - phase[(c + 1) % kNeutral]));
    return least / electrical.nominalVoltage(b);
  }
  const Complex turn = std::polar(1.0, 2.0 * std::numbers::pi / static_cast<double>(kNeutral));
  const double positive = std::abs(phase[0] + turn * phase[1] + turn * turn * phase[2]);
  return positive > 0.0 ? std::abs(phase[0] + turn * turn * phase[1] + turn * phase[2]) / positive : 0.0;
}

void BusSet::signal(const Evaluation& e, std::size_t k, std::span<double> out) const {
  for (std::size_t b = 0; b < size(); ++b) out[b] = signalOf(e, k, b);
}

bool BusSet::solves(std::size_t k, std::size_t b) const { return k < kBusVoltage || system_.electrical().phased(b); }

}  // namespace podtwin
