// CDUs that hold one header together. Equations: cdu_group.md.
#include "model/components/control/cdu_group.hpp"

#include <algorithm>
#include <cmath>

#include "model/components/control/classes.hpp"
#include "model/fluids/range.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kAutomatic = 0.0, kManual = 1.0;  // values of kMode

SignalAddress named(const ComponentSet& set, std::string_view name, std::size_t i) {
  for (std::size_t k = 0; k < set.info().signals.size(); ++k)
    if (set.info().signals[k].name == name) return {&set, k, i};
  return {};
}

bool names(const InstanceDescription& d, const char* port, const std::string& id) {
  const auto found = d.ports.find(port);
  return found != d.ports.end() && std::find(found->second.begin(), found->second.end(), id) != found->second.end();
}

}  // namespace

CduGroupSet::CduGroupSet(std::vector<const InstanceDescription*> instances)
    : ComponentSet(kCduGroupInfo, std::move(instances)) {
  groups_.resize(size());
}

std::unique_ptr<CduGroupUnitSet> CduGroupSet::makeUnits() {
  std::vector<const InstanceDescription*> makers;
  std::vector<std::string> ids, parents;
  for (std::size_t i = 0; i < size(); ++i) {
    groups_[i].first = ids.size();
    const auto port = description(i).ports.find("units");
    if (port == description(i).ports.end()) continue;
    for (const auto& unit : port->second) {
      makers.push_back(&description(i));
      ids.push_back(description(i).id + "-" + unit);
      parents.push_back(description(i).id);
    }
    groups_[i].count = ids.size() - groups_[i].first;
  }
  auto units = std::make_unique<CduGroupUnitSet>(std::move(makers), std::move(ids), std::move(parents));
  units_ = units.get();
  return units;
}

// -- assembly ---------------------------------------------------------------------------------------------------------

void CduGroupSet::bindLaw(std::size_t i, Group& group, Binder& b) {
  const InstanceDescription& d = description(i);
  const bool pressure = d.parameters.at("set_point_pressure").given, flow = d.parameters.at("set_point_flow").given;
  if (pressure == flow)
    b.problems().error(d.where,
                       "'" + d.id + "' gives " + (pressure ? std::string("two targets") : std::string("no target")),
                       "give one of set_point_pressure, set_point_flow");
  group.kind = flow ? MeasuredKind::flow : MeasuredKind::pressure;
  group.target = d.number(flow ? "set_point_flow" : "set_point_pressure");
  const double span = d.number(flow ? "span_flow" : "span_pressure");
  group.deviation = d.number(flow ? "deviation_flow" : "deviation_pressure");
  group.law = {d.number("gain") / span, d.number("integral_time"), d.number("output_low"), 1.0};
  group.droop = d.number("local_droop") * span;
  group.start = d.number("start_output");
  group.period = d.number("sample_period");
  group.refresh = d.number("refresh_period");
  group.election = d.number("election_time");
  group.changeover = d.number("changeover_time");
  group.design_flow = d.number("design_flow");
  group.duty = static_cast<std::size_t>(d.number("duty"));
  if (group.start < group.law.low)
    b.problems().error(d.parameters.at("start_output").given ? d.parameters.at("start_output").where : d.where,
                       "'" + d.id + "': start_output is below output_low", "start within output_low to 1");
  if (!(group.law.low < group.law.high))
    b.problems().error(d.parameters.at("output_low").where, "'" + d.id + "': output_low leaves no range below 1",
                       "give an output_low below 1, such as 15 %");
  if (group.duty > group.count)
    b.problems().error(
        d.parameters.at("duty").where,
        "'" + d.id + "' wants " + std::to_string(group.duty) + " of " + std::to_string(group.count) + " units to run",
        "name more units or a smaller duty");
}

void CduGroupSet::bindUnit(std::size_t i, std::size_t n, Group& group, Binder& b) {
  const InstanceDescription& d = description(i);
  CduGroupUnitSet::Place& place = units_->places[group.first + n];
  place.temperature_high = d.number("temperature_high");
  place.inhibit = d.number("temperature_inhibit");
  const auto [sensor, s] = b.member(i, "sensors", b.portCount(i, "sensors") == 1 ? 0 : n);
  if (sensor != nullptr) {
    place.reading = {sensor, 0, s};
    if (const SignalAddress quality = named(*sensor, "quality", s); quality.set != nullptr) place.quality = quality;
    if (const auto found = quantityBehind(b.system(), place.reading)) place.quantity = *found;
    if (kindOf(place.quantity) != group.kind)
      b.problems().error(d.where,
                         "'" + d.id + "' has the target of a " + std::string(kindName(group.kind)) +
                             ", but its sensor '" + sensor->ids()[s] + "' measures a " +
                             std::string(kindName(kindOf(place.quantity))),
                         "give the target that belongs to the sensor, or another sensor");
  }
  const auto [cdu, k] = b.member(i, "units", n);
  if (cdu == nullptr) return;
  const std::string& id = cdu->ids()[k];
  if (cdu->info().name != "cdu") {
    b.problems().error(d.where, "'" + d.id + "' takes in '" + id + "', a " + std::string(cdu->info().name),
                       "name CDUs (class cdu) at `units`");
    return;
  }
  place.cdu = cdu;
  place.cdu_instance = k;
  place.flow = named(*cdu, "flow", k);
  place.supply_temperature = named(*cdu, "t_supply", k);
  for (std::size_t other = 0; other < group.first + n; ++other)
    if (units_->places[other].cdu == cdu && units_->places[other].cdu_instance == k)
      b.problems().error(d.where,
                         "'" + id + "' is a unit of '" + units_->ids()[other] + "' and of '" + d.id + "' again",
                         "name a unit once, in one group");
  for (const auto& name : cdu->description(k).ports.at("pumps")) {
    const auto [pump, p] = b.system().find(name);
    if (pump == nullptr || pump->drive[p] < 0) continue;  // the unit says what is wrong with it
    place.pumps.push_back({pump, p});
    for (const auto& other : b.system().plant().instances)
      if (other.class_name == "pi_controller" && names(other, "drives", name))
        b.problems().error(
            other.where,
            "'" + name + "' is driven by '" + other.id + "' and, as a pump of '" + id + "', by '" + d.id + "'",
            "leave it to the group, or take the unit out of it");
  }
}

void CduGroupSet::bind(Binder& b) {
  for (std::size_t i = 0; i < size(); ++i) {
    Group& group = groups_[i];
    bindLaw(i, group, b);
    if (const std::size_t sensors = b.portCount(i, "sensors"); sensors != 1 && sensors != group.count) {
      b.problems().error(description(i).where,
                         "'" + description(i).id + "' has " + std::to_string(sensors) + " sensors for " +
                             std::to_string(group.count) + " units",
                         "name one sensor a unit, in the same order, or one for all");
      continue;
    }
    for (std::size_t n = 0; n < group.count; ++n) bindUnit(i, n, group, b);
    if (group.count > 0) group.quantity = units_->places[group.first].quantity;
  }
}

void CduGroupSet::initialise(State& s, double) const {
  initialiseCommon(s);
  for (std::size_t i = 0; i < size(); ++i) {
    const Group& group = groups_[i];
    z(s, kGroupTarget, i) = group.target;
    std::size_t running = 0;
    for (std::size_t unit = group.first; unit < group.first + group.count; ++unit) {
      const auto& place = units_->places[unit];
      units_->z(s, kUnitTarget, unit) = group.target;
      units_->z(s, kUnitOutput, unit) = units_->z(s, kUnitIntegral, unit) = group.start;
      units_->z(s, kUnitTracking, unit) = units_->z(s, kUnitLocal, unit) = 1.0;
      units_->z(s, kUnitLocalOutput, unit) = group.start;
      for (const auto& [pump, k] : place.pumps)
        if (pump->z(s, kMode, k) != kManual) pump->z(s, kCommand, k) = group.start;
      if (group.duty == 0) continue;
      if (running < group.duty && place.cdu->z(s, kInService, place.cdu_instance) != 0.0)
        ++running;
      else
        units_->call(s, unit, false);
    }
  }
}

// -- what is known ----------------------------------------------------------------------------------------------------

/// Its messages get through, and its controller lives to send them.
bool CduGroupSet::talks(const Evaluation& e, std::size_t i, std::size_t unit) const {
  const auto& place = units_->places[unit];
  return available(e, i) && units_->available(e, unit) && place.cdu->available(e, place.cdu_instance);
}

/// It talks, and there is a lead to talk to.
bool CduGroupSet::grouped(const Evaluation& e, std::size_t i, std::size_t unit) const {
  return z(e, kGroupLead, i) != 0.0 && talks(e, i, unit);
}

/// The value that the good sensors of units that talk stand for: the median, of two the mean, of one that one.
CduGroupSet::Vote CduGroupSet::vote(const Evaluation& e, std::size_t i) const {
  const Group& group = groups_[i];
  std::vector<double> readings;
  std::vector<SignalAddress> seen;  // one sensor for all votes once
  for (std::size_t unit = group.first; unit < group.first + group.count; ++unit) {
    const SignalAddress& a = units_->places[unit].reading;
    const bool again = std::any_of(seen.begin(), seen.end(), [&](const SignalAddress& other) {
      return other.set == a.set && other.instance == a.instance;
    });
    if (again || !talks(e, i, unit) || !units_->goodReading(e, unit)) continue;
    seen.push_back(a);
    readings.push_back(units_->reading(e, unit));
  }
  Vote vote;
  vote.good = readings.size();
  if (readings.empty()) return vote;
  std::sort(readings.begin(), readings.end());
  const std::size_t middle = readings.size() / 2;
  vote.value = readings.size() % 2 == 1 ? readings[middle] : 0.5 * (readings[middle - 1] + readings[middle]);
  vote.spread = readings.back() - readings.front();
  return vote;
}

double CduGroupSet::meanOutput(std::size_t i, const Evaluation& e) const {
  const Group& group = groups_[i];
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t unit = group.first; unit < group.first + group.count; ++unit)
    if (units_->called(e, unit) && units_->healthy(e, unit)) {
      sum += units_->z(e, kUnitOutput, unit);
      ++count;
    }
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

// -- what is done at a sample -----------------------------------------------------------------------------------------

void CduGroupSet::elect(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Group& group = groups_[i];
  double &lead = z(s, kGroupLead, i), &since = z(s, kGroupLeadless, i);
  const auto fit = [&](std::size_t unit) {
    return talks(e, i, unit) && units_->healthy(e, unit) && units_->called(e, unit);
  };
  const std::size_t before = static_cast<std::size_t>(lead);
  if (before > 0 && fit(group.first + before - 1)) {
    since = kNotLasting;
    return;
  }
  if (before > 0) units_->z(s, kUnitLead, group.first + before - 1) = lead = 0.0;
  if (!lasted(since, e.t, group.election) && !e.steady_search) return;
  for (std::size_t n = 0; n < group.count && lead == 0.0; ++n)
    if (fit(group.first + n)) lead = static_cast<double>(n + 1);
  if (lead == 0.0) return;
  const std::size_t unit = group.first + static_cast<std::size_t>(lead) - 1;
  since = kNotLasting;
  units_->z(s, kUnitLead, unit) = 1.0;
  z(s, kGroupRefresh, i) = e.t;
  events.push_back({units_->ids()[unit], ids()[i], "the group has no lead", "elected lead"});
}

/// Starts a unit in standby when one is missing, and those in standby that hear nothing.
void CduGroupSet::staff(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  const Group& group = groups_[i];
  if (group.duty == 0) return;
  const std::size_t none = group.first + group.count;
  std::size_t running = 0, next = none, lost = none;
  for (std::size_t unit = group.first; unit < none; ++unit) {
    const bool called = units_->called(e, unit), healthy = units_->healthy(e, unit);
    if (called && healthy) ++running;
    if (called && !healthy && lost == none) lost = unit;
    if (called || !healthy) continue;
    if (!talks(e, i, unit)) {
      units_->call(s, unit, true);
      events.push_back({units_->places[unit].cdu->ids()[units_->places[unit].cdu_instance], ids()[i],
                        "it hears nothing of its group", "standby unit started"});
    } else if (next == none) {
      next = unit;
    }
  }
  double& since = z(s, kGroupShort, i);
  if (running >= group.duty) {
    since = kNotLasting;
    return;
  }
  if (!lasted(since, e.t, group.changeover) || next == none || z(e, kGroupLead, i) == 0.0) return;
  const auto idOf = [&](std::size_t unit) {
    return units_->places[unit].cdu->ids()[units_->places[unit].cdu_instance];
  };
  units_->call(s, next, true);
  if (lost != none) units_->call(s, lost, false);
  since = kNotLasting;
  events.push_back({idOf(next), ids()[i], lost == none ? "a unit is missing" : "'" + idOf(lost) + "' is lost",
                    "standby unit started"});
}

/// The lead's message: the target, and one output for all that hear it.
void CduGroupSet::refresh(std::size_t i, const Evaluation& e, State& s, const Vote& vote) const {
  const Group& group = groups_[i];
  double sum = 0.0;
  std::vector<std::size_t> hearers;
  for (std::size_t unit = group.first; unit < group.first + group.count; ++unit) {
    if (!grouped(e, i, unit)) continue;
    units_->z(s, kUnitTarget, unit) = z(s, kGroupTarget, i);
    units_->z(s, kUnitLocal, unit) = 0.0;
    if (!units_->called(e, unit) || !units_->healthy(e, unit)) continue;
    hearers.push_back(unit);
    sum += units_->z(s, kUnitOutput, unit);
  }
  if (hearers.empty() || vote.good == 0) return;
  const double mean = sum / static_cast<double>(hearers.size());
  for (const std::size_t unit : hearers) {
    double& output = units_->z(s, kUnitOutput, unit);
    if (output == mean) continue;
    output = mean;
    units_->z(s, kUnitTracking, unit) = 1.0;
  }
}

void CduGroupSet::drive(std::size_t i, std::size_t unit, const Evaluation& e, State& s, const Vote& vote,
                        double elapsed) const {
  const Group& group = groups_[i];
  const auto& place = units_->places[unit];
  double &local = units_->z(s, kUnitLocal, unit), &output = units_->z(s, kUnitOutput, unit),
         &integral = units_->z(s, kUnitIntegral, unit), &rate = units_->z(s, kUnitRate, unit),
         &tracking = units_->z(s, kUnitTracking, unit);
  if (local == 0.0 && !grouped(e, i, unit)) {
    local = tracking = 1.0;
    units_->z(s, kUnitLocalOutput, unit) = output;
  }
  std::size_t automatic = 0, manual = 0;
  double commands = 0.0;
  for (const auto& [pump, k] : place.pumps) {
    if (pump->z(s, kMode, k) == kAutomatic) ++automatic;
    if (pump->z(s, kMode, k) != kManual) continue;
    ++manual;
    commands += pump->z(s, kCommand, k);
  }
  const bool running = units_->called(e, unit) && units_->healthy(e, unit), by_itself = local != 0.0;
  const bool informed = by_itself ? units_->goodReading(e, unit) : vote.good > 0;
  // An order at the group's panel reaches those that hear it.
  const bool ordered = !by_itself && z(e, kMode, i) != kAutomatic;
  if (running && informed && !ordered && automatic > 0) {
    const double measured = by_itself ? units_->reading(e, unit) : vote.value;
    // Alone it lets the target fall with its output, so that units that do not talk share the load.
    const double yield = by_itself ? group.droop * (output - units_->z(s, kUnitLocalOutput, unit)) : 0.0;
    const double error = units_->z(s, kUnitTarget, unit) - measured - yield;
    integral = tracking != 0.0 ? output - group.law.gain * error : integral + rate * elapsed;
    tracking = 0.0;
    const double asked = group.law.gain * error + integral;
    output = std::clamp(asked, group.law.low, group.law.high);
    rate = piIntegralRate(group.law, error, asked, output);
  } else {
    tracking = 1.0;
    rate = 0.0;
    if (automatic == 0 && manual > 0)
      output = std::clamp(commands / static_cast<double>(manual), group.law.low, group.law.high);
    else if (const double others = meanOutput(i, e); !running && others > 0.0)
      output = others;  // it joins at the speed of those that run
  }
  for (const auto& [pump, k] : place.pumps)
    if (pump->z(s, kMode, k) == kAutomatic) pump->z(s, kCommand, k) = output;
}

void CduGroupSet::watchStarts(std::size_t i, const Evaluation& e, State& s) const {
  const Group& group = groups_[i];
  for (std::size_t unit = group.first; unit < group.first + group.count; ++unit) {
    const bool runs = units_->called(e, unit) && units_->healthy(e, unit);
    double& before = units_->z(s, kUnitRunning, unit);
    if (runs && before == 0.0) units_->z(s, kUnitStarted, unit) = e.t;
    before = runs ? 1.0 : 0.0;
  }
}

void CduGroupSet::sample(const Evaluation& e, State& s, std::vector<Occurrence>& events) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Group& group = groups_[i];
    watchStarts(i, e, s);
    elect(i, e, s, events);
    staff(i, e, s, events);
    if (!sampleDue(z(s, kGroupSample, i), e.t, group.period, e.steady_search)) continue;
    double& last = z(s, kGroupSampled, i);
    constexpr double kGap = 10.0;  // periods; longer is no interval but a clock that was set anew
    const double since = e.t - last, elapsed = since > 0.0 && since <= kGap * group.period ? since : group.period;
    last = e.t;
    const Vote now = vote(e, i);
    z(s, kGroupDeviation, i) = now.good > 1 && now.spread > group.deviation ? 1.0 : 0.0;
    if (z(s, kGroupLead, i) != 0.0 && sampleDue(z(s, kGroupRefresh, i), e.t, group.refresh, e.steady_search))
      refresh(i, e, s, now);
    for (std::size_t unit = group.first; unit < group.first + group.count; ++unit) drive(i, unit, e, s, now, elapsed);
  }
}

// -- observation and commands -----------------------------------------------------------------------------------------

void CduGroupSet::signal(const Evaluation& e, std::size_t k, std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
}

double CduGroupSet::signalOf(const Evaluation& e, std::size_t k, std::size_t i) const {
  const Group& group = groups_[i];
  const auto sum = [&](const auto& of) {
    double total = 0.0;
    for (std::size_t unit = group.first; unit < group.first + group.count; ++unit) total += of(unit);
    return total;
  };
  const auto runs = [&](std::size_t unit) { return units_->called(e, unit) && units_->healthy(e, unit); };
  const auto flow = [&](std::size_t unit) {
    const SignalAddress& a = units_->places[unit].flow;
    return a.set->signalOf(e, a.signal, a.instance);
  };
  switch (k) {
    case 0:
      return z(e, kGroupTarget, i);
    case 1: {
      const Vote now = vote(e, i);
      if (now.good > 0) return now.value;
      return units_->reading(e, group.first);
    }
    case 2:
      return meanOutput(i, e);
    case 3:
      return sum(flow);
    case 4:
      return group.design_flow > 0.0 ? sum(flow) / group.design_flow : 1.0;
    case 5:
      return z(e, kGroupLead, i);
    case 6:
      return sum([&](std::size_t unit) { return runs(unit) ? 1.0 : 0.0; });
    case 7:
      return sum([&](std::size_t unit) { return units_->healthy(e, unit) ? 1.0 : 0.0; });
    case 8:
      return sum([&](std::size_t unit) { return runs(unit) ? units_->z(e, kUnitLocal, unit) : 0.0; });
    case 9:
      return static_cast<double>(vote(e, i).good);
    case 10:
      return z(e, kGroupDeviation, i);
    case 11:
      return z(e, kMode, i);
    default: {
      const double output = meanOutput(i, e);
      return output >= group.law.high ? 1.0 : (output <= group.law.low ? -1.0 : 0.0);
    }
  }
}

Quantity CduGroupSet::signalQuantity(std::size_t k, std::size_t i) const {
  return info().signals[k].by_instance ? groups_[i].quantity : info().signals[k].quantity;
}
Quantity CduGroupSet::commandQuantity(const CommandInfo& command, std::size_t i) const {
  return command.by_instance ? groups_[i].quantity : command.quantity;
}

bool CduGroupSet::command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const {
  const Group& group = groups_[i];
  if (verb == "set" || verb == "set_pressure" || verb == "set_flow") {
    const MeasuredKind kind = verb == "set_flow" ? MeasuredKind::flow : MeasuredKind::pressure;
    if (verb != "set" && kind != group.kind) {
      reason = "it controls a " + std::string(kindName(group.kind)) + ", not a " + std::string(kindName(kind));
      return false;
    }
    if (!(value >= 0.0) || !std::isfinite(value)) {
      reason = "a shared target needs a value of 0 or more";
      return false;
    }
    z(s, kGroupTarget, i) = value;
    return true;
  }
  if (verb == "manual") {
    if (std::isfinite(value) && (value < group.law.low || value > group.law.high)) {
      reason = "a manual output must be from " + fluids::inWords(group.law.low) + " to 1";
      return false;
    }
    z(s, kMode, i) = kManual;
    if (!std::isfinite(value)) return true;
    for (std::size_t unit = group.first; unit < group.first + group.count; ++unit)
      if (units_->z(s, kUnitLocal, unit) == 0.0) units_->z(s, kUnitOutput, unit) = value;
    return true;
  }
  if (verb == "lose_communication") return ComponentSet::command(s, i, "trip", value, reason);
  if (verb == "restore_communication") return ComponentSet::command(s, i, "restore", value, reason);
  return ComponentSet::command(s, i, verb, value, reason);
}

RegisteredClass cduGroupClass() {
  return {&kCduGroupInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            auto groups = std::make_unique<CduGroupSet>(std::move(instances));
            out.push_back(groups->makeUnits());  // before the groups, which set their start values
            out.push_back(std::move(groups));
          }};
}

}  // namespace podtwin
