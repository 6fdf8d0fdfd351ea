// A generating set's data from the pod file, and where it starts.
#include "model/base/diagnostics.hpp"
#include "model/base/text_hash.hpp"
#include "model/components/power/generator_kernel.hpp"

namespace podtwin::generating_set {

Generator::Instance Generator::bind(std::size_t i, const InstanceDescription& d, KernelSet<Generator>& set, Binder& b) {
  Instance p{};
  p.self = i;
  p.set = &set;
  p.rating = d.number("rating");
  p.frequency = d.number("frequency");
  constexpr std::ptrdiff_t kSource = -1;
  const auto bus = b.bus(i, "to");
  p.bus = static_cast<std::size_t>(bus);
  p.phased = b.phased(bus);
  p.voltage = d.number("voltage");
  p.apparent = p.rating / d.number("power_factor");
  p.regulator_time = d.number("regulator_time");
  p.reactive_droop = d.number("reactive_droop");
  p.ceiling = d.number("greatest_excitation");
  if (p.phased) {
    if (p.voltage == 0.0) p.voltage = b.nominalVoltage(bus);
    const Complex z = {0.0, d.number("reactance") * p.voltage * p.voltage / p.apparent};
    // Resistances of IEC 60909-0 section 6.6.1 for machines below 100 MVA.
    constexpr double kHighVoltage = 1000.0, kResistanceHigh = 0.07, kResistanceLow = 0.15;
    const double x = d.number("subtransient_reactance"),
                 share = p.voltage > kHighVoltage ? kResistanceHigh : kResistanceLow;
    const double power_factor = d.number("power_factor");
    const Complex subtransient = Complex(share * x, x) * (p.voltage * p.voltage / p.apparent);
    const Infeed infeed{.kind = Infeed::Kind::machine,
                        .impedance = subtransient,
                        .highest_impedance = subtransient,
                        .rated_voltage = p.voltage,
                        .reactance = x,
                        .sine = std::sqrt(1.0 - power_factor * power_factor)};
    for (std::size_t k = 0; k < p.source.size(); ++k)
      p.source[k] = b.source(
          i, {.name = d.id, .from = kEarth, .to = b.conductor(bus, k), .impedance = z, .infeed = infeed}, kSource);
  } else {
    p.link = b.link(kSource, bus, i, p.rating);
  }
  if (b.hasPort(i, "start_on")) p.start_on = b.bus(i, "start_on");
  p.isochronous = d.text("governor") == "isochronous";
  p.governor = {.proportional = p.isochronous ? d.number("gain") : 1.0 / d.number("droop"),
                .integral = p.isochronous ? d.number("integral_gain") : 0.0,
                .actuator_time = d.number("actuator_time"),
                .engine_time = d.number("engine_time"),
                .inertia = d.number("inertia"),
                .damping = d.number("damping"),
                .least = 0.0,
                .greatest = d.number("greatest_power")};
  p.reference = d.number("load_reference") / p.rating;
  p.pull = d.number("synchronising_pull");
  p.sharing = d.number("sharing_time");
  const std::string& initially = d.text("initially");
  p.initially = initially == "on_line" ? Phase::on_line : initially == "ready" ? Phase::ready : Phase::stopped;
  p.start_delay = d.number("start_delay");
  p.crank_time = d.number("crank_time");
  p.crank_limit = d.number("crank_limit");
  p.crank_rest = d.number("crank_rest");
  p.attempts = d.number("crank_attempts");
  p.failing = d.number("failing_attempts");
  p.failure_probability = d.number("start_failure_probability");
  constexpr int kHexadecimal = 16;
  p.stream = std::stoull(fnv1a(d.id), nullptr, kHexadecimal);
  p.warm_up = d.number("warm_up");
  p.coast_down = d.number("coast_down");
  p.closes = d.text("close") == "automatic";
  p.synchronising_time = d.number("synchronising_time");
  p.cool_down = d.number("cool_down");
  p.minimum_load = d.number("minimum_load");
  p.protections = {DelayedTrip{d.number("overload"), d.number("overload_delay")},
                   DelayedTrip{d.number("reverse_power"), d.number("reverse_power_delay")},
                   DelayedTrip{d.number("underfrequency"), d.number("underfrequency_delay")},
                   DelayedTrip{d.number("overfrequency"), d.number("overfrequency_delay")}};
  const std::string& performance = d.text("performance_class");
  p.performance = performance == "G1" ? kG1 : performance == "G3" ? kG3 : kG2;
  p.band = {p.performance.steady_band, kUnbounded};
  p.tank = d.number("fuel");
  p.fuel_full_load = d.number("fuel_full_load");
  if (p.fuel_full_load == 0.0) p.fuel_full_load = kFuelPerEnergy * p.rating;
  const auto& curve = d.parameters.at("fuel_curve");
  p.fuel = Curve(kFuelCurve);
  if (!curve.points.empty()) {
    try {
      p.fuel = Curve(curve.points);
    } catch (const Error& error) {
      b.problems().error(curve.where, "'" + d.id + "': fuel_curve: " + error.what(), "give points in rising order");
    }
  }
  if (!d.supply.empty())
    b.problems().error(d.where, "'" + d.id + "' has a supply, but a set starts from a battery of its own",
                       "leave `supply` out");
  for (std::size_t k = 0; k < Info::kStateCount; ++k) {
    p.rows[k] = set.yIndex(k, i);
    if (k < Info::kFuelUsed) p.columns[k] = set.yIndex(k, i);
    b.capacity(set.yIndex(k, i), 1.0);
  }
  p.columns[4] = set.yIndex(Info::kExcitation, i);
  return p;
}

void Generator::initialise(std::size_t i, const Instance& p, const KernelSet<Generator>& set, State& s, double) {
  const bool line = p.initially == Phase::on_line;
  s.y[set.yIndex(Info::kExcitation, i)] = 1.0;
  s.y[set.yIndex(Info::kSpeed, i)] = p.initially == Phase::stopped ? -1.0 : 0.0;
  s.y[set.yIndex(Info::kActuator, i)] = s.y[set.yIndex(Info::kEngine, i)] = line ? p.reference : 0.0;
  set.z(s, Info::kPhase, i) = static_cast<double>(p.initially);
  set.z(s, Info::kWillClose, i) = p.closes ? 1.0 : 0.0;
  set.z(s, Info::kReference, i) = p.reference;
  set.z(s, Info::kFailing, i) = p.failing;
}

}  // namespace podtwin::generating_set
