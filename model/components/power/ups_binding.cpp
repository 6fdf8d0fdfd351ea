// A UPS's data from the pod file, and where it starts.
#include <cmath>
#include <numbers>

#include "model/base/diagnostics.hpp"
#include "model/components/power/ups_kernel.hpp"

namespace podtwin::ups {

namespace {

// Eaton 9395XR, hardware.csv (published).
const Points kEfficiency{{0.25, 0.970}, {0.50, 0.973}, {0.75, 0.970}, {1.00, 0.964}};
const Points kEcoEfficiency{{0.25, 0.984}, {0.50, 0.990}, {0.75, 0.992}, {1.00, 0.992}};
const Points kOverloadTimes{
    {1.10, 600.0}, {1.25, 60.0}, {1.40, 30.0}};    // 1, s; 140 %: hardware.csv, the others estimate
constexpr double kFaultCurrentSpread = 2.0 / 1.5;  // greatest over least of inverters: practice.md section 4
constexpr double kSameVoltage = 1e-3;              // of it: bypass and output
constexpr double kMaintenancePole = 20e-6;         // ohm, as of a breaker's closed pole; engineering estimate

/// Reads a curve of efficiency that may be left out.
EfficiencyCurve efficiencyOf(const InstanceDescription& d, Binder& b, const char* name, const Points& fallback) {
  const auto& given = d.parameters.at(name);
  if (given.points.empty()) return EfficiencyCurve(fallback);
  for (const auto& [x, eta] : given.points)
    if (!(x >= 0.0 && eta > 0.0 && eta <= 1.0)) {
      b.problems().error(given.where,
                         "'" + d.id + "': an efficiency of " + fluids::inWords(eta) + " at load " + fluids::inWords(x),
                         "give loads from 0 and efficiencies above 0 and not above 100 %");
      return EfficiencyCurve(fallback);
    }
  try {
    return EfficiencyCurve(given.points);
  } catch (const Error& error) {
    b.problems().error(given.where, "'" + d.id + "': " + error.what(),
                       "give rising loads, [[25 %, 97 %], [100 %, 96 %]]");
    return EfficiencyCurve(fallback);
  }
}

}  // namespace

Ups::Instance Ups::bind(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b) {
  Instance p{};
  p.self = i;
  p.set = &set;
  p.system = &b.system();
  p.columns = {set.yIndex(Info::kOverload, i)};
  p.rows = {lossRow(i, b), set.yIndex(Info::kOverload, i)};
  b.capacity(set.yIndex(Info::kOverload, i), 1.0);
  p.rating = d.number("rating");
  p.frames = d.number("frames");
  const auto from = b.bus(i, "from"), to = b.bus(i, "to");
  p.from = static_cast<std::size_t>(from);
  p.to = static_cast<std::size_t>(to);
  const auto bypass = b.hasPort(i, "bypass") ? b.bus(i, "bypass") : from;
  p.bypass = static_cast<std::size_t>(bypass);
  p.own_bypass = bypass != from;
  if (b.phased(to)) {
    bindPhases(i, d, b, p);
  } else {
    p.links.push_back(b.link(from, to, i, p.rating));
    if (p.own_bypass) p.links.push_back(b.link(bypass, to, i, p.rating));
  }
  p.efficiency = efficiencyOf(d, b, "efficiency", kEfficiency);
  p.eco = efficiencyOf(d, b, "eco_efficiency", kEcoEfficiency);
  p.battery_as_input = d.parameters.at("battery_efficiency").points.empty();
  p.battery = efficiencyOf(d, b, "battery_efficiency", kEfficiency);
  p.polynomial = readLossPolynomial(d, b, p.loss);
  if (const auto& curve = d.parameters.at("efficiency"); p.polynomial && !curve.points.empty())
    b.problems().error(curve.where, "'" + d.id + "' gives its loss twice: efficiency and loss_polynomial",
                       "give one of the two");
  p.bypass_loss = d.number("bypass_loss");
  p.low = d.number("input_low");
  p.high = d.number("input_high");
  p.frequency_low = d.number("input_frequency_low");
  p.frequency_high = d.number("input_frequency_high");
  p.bypass_angle = d.number("bypass_angle");
  p.walk_delay = d.number("walk_in_delay");
  p.walk_time = d.number("walk_in_time");
  p.stagger = d.number("stagger");
  p.dip_count = static_cast<std::size_t>(d.number("dip_count"));
  p.dip_time = d.number("dip_time");
  p.dip_hold = d.number("dip_hold");
  p.recharge_utility = d.number("recharge_utility");
  p.recharge_generator = d.number("recharge_generator");
  p.charger = d.number("charger_efficiency");
  p.overload_from = d.number("overload_from");
  p.overload_beyond = d.number("overload_beyond");
  p.recovery = d.number("overload_recovery");
  p.retransfer = d.number("retransfer_delay");
  p.autonomy_low = d.number("autonomy_low");
  p.restarts = d.flag("automatic_restart");
  p.eco_on_generator = d.flag("eco_on_generator");
  const std::string& initially = d.text("initially");
  p.initially = initially == "eco"           ? Mode::eco
                : initially == "bypass"      ? Mode::bypass
                : initially == "maintenance" ? Mode::maintenance
                                             : Mode::double_conversion;
  bindOverload(d, b, p);
  bindStores(i, d, set, b, p);
  return p;
}

void Ups::bindPhases(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
  const auto from = static_cast<std::ptrdiff_t>(p.from), to = static_cast<std::ptrdiff_t>(p.to),
             bypass = static_cast<std::ptrdiff_t>(p.bypass);
  p.phased = true;
  p.voltage = d.number("voltage") > 0.0 ? d.number("voltage") : b.nominalVoltage(to);
  const Complex z = {0.0, d.number("output_impedance") * p.voltage * p.voltage / p.rating};
  for (const char* port : {"from", "bypass"}) {
    if (!b.hasPort(i, port) || b.phased(b.bus(i, port))) continue;
    b.problems().error(d.where,
                       "'" + d.id + "' feeds a bus with voltages from one without, '" + d.ports.at(port).at(0) + "'",
                       "give the buses above it voltages, too: nominal_voltage in `nodes:`, or a transformer's");
    return;
  }
  p.rated_current = p.rating / (std::numbers::sqrt3 * p.voltage);
  p.current_limit = d.number("current_limit") * p.rated_current;
  p.current_limit_time = d.number("current_limit_time");
  // On inverter: a study of fault levels takes no way to the bypass.
  const Infeed infeed{.kind = Infeed::Kind::limited,
                      .greatest_current = kFaultCurrentSpread * p.current_limit,
                      .least_current = p.current_limit};
  for (std::size_t k = 0; k < kPhases; ++k)
    p.sources.push_back(
        b.source(i, {.name = d.id, .from = kEarth, .to = b.conductor(to, k), .impedance = z, .infeed = infeed}, from));
  const double at_bypass = b.nominalVoltage(bypass);
  p.has_bypass = std::abs(at_bypass - p.voltage) <= kSameVoltage * p.voltage;
  if (p.has_bypass) {
    // The static bypass loses bypass_loss of its rating at rated current.
    const double pole = std::max(d.number("bypass_loss") * p.voltage * p.voltage / p.rating, kMaintenancePole);
    bindWay(i, d.id + " bypass", b, pole, 0, p);
    bindWay(i, d.id + " maintenance bypass", b, kMaintenancePole, 1, p);
  } else if (d.text("initially") == "bypass" || d.text("initially") == "maintenance") {
    b.problems().error(d.parameters.at("initially").where,
                       "'" + d.id + "' begins on its bypass, of " + fluids::inWords(at_bypass) +
                           " V, for an output of " + fluids::inWords(p.voltage) + " V",
                       "put a transformer into its bypass, or begin in double_conversion");
  }
  const std::size_t n = b.conductor(to, kPhases);
  b.element(i, impedanceElement(d.id + " earthing", n, kEarth, kSolidEarthing), true);
}

void Ups::bindWay(std::size_t i, const std::string& name, Binder& b, double pole, std::size_t part, Instance& p) {
  Branch& way = p.ways[part];  // its part as `closes` counts is one more: 0 is all that carries the output
  std::vector<std::size_t> begin, end;
  for (std::size_t k = 0; k < kConductors; ++k) {
    begin.push_back(b.conductor(static_cast<std::ptrdiff_t>(p.bypass), k));
    end.push_back(b.conductor(static_cast<std::ptrdiff_t>(p.to), k));
    way.from_place[k] = static_cast<std::ptrdiff_t>(k);
    way.to_place[k] = static_cast<std::ptrdiff_t>(kConductors + k);
  }
  const auto n = static_cast<Eigen::Index>(kConductors);
  way.phased = true;
  way.element =
      b.element(i, lineElement(name, begin, end, pole * Eigen::MatrixXcd::Identity(n, n), {}), false, part + 1);
}

void Ups::bindStores(std::size_t i, const InstanceDescription& d, KernelSet<Ups>& set, Binder& b, Instance& p) {
  for (std::size_t n = 0; n < b.portCount(i, "battery"); ++n) {
    const auto [store, k] = b.member(i, "battery", n);
    if (store == nullptr) continue;
    if (store->info().name != "battery") {
      b.problems().error(
          d.where,
          "'" + d.id + "' names '" + store->ids()[k] + "' as its battery, a " + std::string(store->info().name),
          "name equipment of class battery");
      continue;
    }
    const auto same = [&](const Store& other) { return other.set == store && other.instance == k; };
    bool taken = std::any_of(p.stores.begin(), p.stores.end(), same);
    for (std::size_t other = 0; other < i; ++other)
      taken = taken || std::any_of(set.instance(other).stores.begin(), set.instance(other).stores.end(), same);
    if (taken) {
      b.problems().error(d.where,
                         "'" + d.id + "' draws on '" + store->ids()[k] + "', and so does another UPS or itself",
                         "give each UPS batteries of its own, once");
      continue;
    }
    const auto& signals = store->info().signals;
    const auto soc = std::find_if(signals.begin(), signals.end(), [](const SignalInfo& s) { return s.name == "soc"; });
    p.stores.push_back(
        {store, k, static_cast<std::size_t>(soc - signals.begin()), store->description(k).number("soc_max")});
  }
  if (p.stores.empty())
    for (const char* name : {"walk_in_delay", "walk_in_time", "stagger", "dip_count", "battery_efficiency",
                             "recharge_utility", "recharge_generator"})
      if (const auto& given = d.parameters.at(name); given.given)
        b.problems().error(given.where, "'" + d.id + "' has " + name + " and no battery",
                           "name its batteries at `battery`, or leave it out");
}

void Ups::bindOverload(const InstanceDescription& d, Binder& b, Instance& p) {
  const auto& given = d.parameters.at("overload");
  p.overload = given.points.empty() ? kOverloadTimes : given.points;
  double load = p.overload_from, time = kUnbounded;
  for (const auto& [x, longest] : p.overload) {
    if (!(x > load && longest > 0.0 && longest < time))
      b.problems().error(given.points.empty() ? d.where : given.where,
                         "'" + d.id + "': an overload of " + fluids::inWords(x) + " for " + fluids::inWords(longest) +
                             " s does not follow the one before it",
                         "give loads that rise from overload_from and times that fall, [[110 %, 10 min], [125 %, "
                         "1 min]]");
    load = x;
    time = longest;
  }
}

void Ups::initialise(std::size_t i, const Instance& p, const KernelSet<Ups>& set, State& s, double) {
  set.z(s, Info::kPresent, i) = set.z(s, Info::kWanted, i) = static_cast<double>(p.initially);
  set.z(s, Info::kStoreReady, i) = p.stores.empty() ? 0.0 : 1.0;
}

}  // namespace podtwin::ups
