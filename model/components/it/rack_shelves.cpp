// Power shelves of a rack: supplies on the phases of its feeds, what they can give, how they share. Equations: rack.md.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "model/base/diagnostics.hpp"
#include "model/components/it/rack.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

// Efficiency of a 33 kW shelf: 97.5 % at half load published, the other points shaped estimates (hardware.csv).
constexpr std::array<std::pair<double, double>, 5> kShelfEfficiency{
    {{0.10, 0.940}, {0.20, 0.962}, {0.50, 0.975}, {0.75, 0.972}, {1.00, 0.966}}};
constexpr double kLongest = 3600.0;  // s; of time_to_drop
constexpr double kAlike = 1e-12;     // of a feed's power: phases that differ by less are alike

bool isPhases(const std::string& word) {
  if (word.empty() || word.size() > 3) return false;
  for (std::size_t k = 0; k < word.size(); ++k)
    if (word[k] < 'a' || word[k] > 'c' || word.find(word[k]) != k) return false;
  return true;
}

}  // namespace

std::vector<std::array<int, RackSet::kPhases>> RackSet::suppliesByPhase(const InstanceDescription& d,
                                                                        std::size_t shelves, Diagnostics& problems) {
  const ParameterValue& given = d.parameters.at("shelf_phases");
  const auto supplies = static_cast<std::size_t>(d.number("supplies_per_shelf"));
  std::istringstream text(given.text);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.empty()) words.emplace_back("abc");
  for (const auto& word : words)
    if (!isPhases(word)) {
      problems.error(given.where, "'" + d.id + "' has a power shelf on the phases '" + word + "'",
                     "write some of a, b and c, each once: abc, ab, c");
      words = {"abc"};
      break;
    }
  if (words.size() != 1 && words.size() != shelves) {
    problems.error(given.where,
                   "'" + d.id + "' gives the phases of " + std::to_string(words.size()) + " power shelves and has " +
                       std::to_string(shelves),
                   "give one word for all of them, or one a shelf");
    words.resize(1);
  }
  std::vector<std::array<int, kPhases>> counts(shelves);
  for (std::size_t s = 0; s < shelves; ++s) {
    const std::string& word = words[words.size() == 1 ? 0 : s];
    for (std::size_t n = 0; n < supplies; ++n) ++counts[s][static_cast<std::size_t>(word[n % word.size()] - 'a')];
  }
  return counts;
}

void RackSet::bindShelves(Binder& b, std::size_t r) {
  const InstanceDescription& d = description(r);
  Rack& k = racks_[r];
  k.supplies = suppliesByPhase(d, k.shelf_count, b.problems());
  k.supplies_each = d.number("supplies_per_shelf");
  for (std::size_t f = 0; f < b.portCount(r, "feeds"); ++f) {
    const auto bus = b.bus(r, "feeds", f);
    Feed feed{static_cast<std::size_t>(bus), b.phased(bus)};
    auto& on = feed.supplies;
    for (std::size_t s = f; s < k.shelf_count; s += b.portCount(r, "feeds"))
      for (std::size_t phase = 0; phase < kPhases; ++phase) on[phase] += k.supplies[s][phase];
    feed.alike = !feed.phased || (on[0] == on[1] && on[1] == on[2]);
    if (feed.phased) feed.star = b.starLoads(bus, d.number("shelf_lowest_voltage"));
    k.feeds.push_back(feed);
    if (feed.phased || !d.parameters.at("shelf_phases").given) continue;
    if (std::any_of(k.supplies.begin(), k.supplies.end(),
                    [](const auto& shelf) { return shelf[0] != shelf[1] || shelf[1] != shelf[2]; }))
      b.problems().error(d.parameters.at("shelf_phases").where,
                         "'" + d.id + "' has shelves on single phases of a feed that carries active power alone",
                         "give its buses a nominal voltage, or leave shelf_phases out");
  }
  k.shelf_rating = d.number("shelf_rating");
  const auto& curve = d.parameters.at("shelf_efficiency");
  std::vector<std::pair<double, double>> points(kShelfEfficiency.begin(), kShelfEfficiency.end());
  if (!curve.points.empty()) points = curve.points;
  k.shelf_efficiency = Curve(points);

  // The shelves of a feed: from more than an equal share to less, so that feeds differ in nothing.
  const std::size_t feeds = std::max<std::size_t>(k.feeds.size(), 1);
  k.sharing.resize(k.shelf_count);
  for (std::size_t s = 0; s < k.shelf_count; ++s) {
    const double last = static_cast<double>((k.shelf_count - 1 - s % feeds) / feeds);
    const double place = last > 0.0 ? 1.0 - 2.0 * static_cast<double>(s / feeds) / last : 0.0;
    k.sharing[s] = 1.0 + d.number("sharing_error") * place;
  }
  k.lowest_voltage = d.number("shelf_lowest_voltage");
  k.hold_up = d.number("hold_up");
  k.shelf_restart = d.number("shelf_restart");
  k.overload = d.number("shelf_overload");
  k.overload_time = k.overload > 1.0 ? d.number("overload_time") : 0.0;
  const double units = d.number("bbu_shelves");
  k.stores = {.capacitor_energy = d.number("capacitor_energy") * static_cast<double>(k.gpu_count),
              .recharge_time = d.number("recharge_time"),
              .recharge_power = d.number("capacitor_recharge_power"),
              .smoothing_time = d.number("smoothing_time"),
              .bbu_energy = units * d.number("bbu_energy"),
              .bbu_power = units * d.number("bbu_power"),
              .bbu_recharge_power = units * d.number("bbu_recharge_power")};
  const std::string& action = d.text("overload_action");
  k.overload_action = action == "brake"   ? OverloadAction::brake
                      : action == "limit" ? OverloadAction::limit
                      : action == "none"  ? OverloadAction::none
                                          : OverloadAction::unlimited;
  k.brake_time = d.number("brake_time");
  k.limit_time = d.number("limit_time");
  k.gpu_brake_power = d.number("gpu_brake_power");
  k.restarts = d.text("restart") == "automatic";
  k.restart_delay = d.number("restart_delay");
  k.busbar_voltage = d.number("busbar_voltage");
  k.busbar_droop = d.number("busbar_droop");
  for (const auto store : {kCapacitorsMissing, kBbuMissing, kHoldUpMissing, kSmoothedDemand})
    b.capacity(yIndex(store, r), 1.0);
  k.slot_smoothed = b.couple(yIndex(kSmoothedDemand, r), yIndex(kSmoothedDemand, r));
}

std::size_t RackSet::liveFeeds(const Evaluation& e, const Rack& k) const {
  return static_cast<std::size_t>(
      std::count_if(k.feeds.begin(), k.feeds.end(), [&](const Feed& feed) { return e.energised[feed.bus] != 0; }));
}

bool RackSet::conductorLive(const Evaluation& e, const Feed& feed, std::size_t phase) {
  return e.phasor.conductor_live[e.phasor.network->loads()[feed.star[phase]].from] != 0;
}

bool RackSet::phaseLive(const Evaluation& e, const Rack& k, std::size_t shelf, std::size_t phase) {
  if (k.feeds.empty()) return true;
  const Feed& feed = k.feeds[shelf % k.feeds.size()];
  if (e.energised[feed.bus] == 0) return false;
  return !feed.phased || conductorLive(e, feed, phase);
}

double RackSet::phaseVoltage(const Evaluation& e, const Rack& k, std::size_t shelf, std::size_t phase) {
  if (!phaseLive(e, k, shelf, phase)) return 0.0;
  if (k.feeds.empty()) return 1.0;
  const Feed& feed = k.feeds[shelf % k.feeds.size()];
  if (!feed.phased) return 1.0;
  return std::abs(e.phasor.network->across(feed.star[phase], e.phasor.state)) /
         e.phasor.network->loads()[feed.star[phase]].rated_voltage;
}

double RackSet::soundSupplies(const Evaluation& e, const Rack& k, std::size_t shelf, std::size_t phase) const {
  const std::size_t i = k.first_shelf + shelf;
  if (shelf_->z(e, kTripped, i) != 0.0) return 0.0;
  return std::max(k.supplies[shelf][phase] - shelf_->z(e, kFailedSupplies + phase, i), 0.0);
}

RackSet::Supplies RackSet::suppliesOn(const Evaluation& e, const Rack& k, std::size_t shelf, std::size_t phase) const {
  const std::size_t i = k.first_shelf + shelf;
  if (shelf_->z(e, kOff + phase, i) != 0.0) return Supplies::off;
  if (phaseLive(e, k, shelf, phase) && shelf_->z(e, kLowSince + phase, i) == kNever) return Supplies::drawing;
  return e.steady_search ? Supplies::off : Supplies::held_up;
}

double RackSet::supplyPower(const Evaluation& e, std::size_t r) const {
  const Rack& k = racks_[r];
  const double since = z(e, kOverloadSince, r);
  const bool more = since != kNever && !e.steady_search && e.t < since + k.overload_time;
  return k.shelf_rating / k.supplies_each * (more ? k.overload : 1.0);
}

bool RackSet::undisturbed(const Evaluation& e, const Rack& k) const {
  for (const Feed& feed : k.feeds) {
    if (e.energised[feed.bus] == 0) return false;
    for (std::size_t phase = 0; feed.phased && phase < kPhases; ++phase)
      if (!conductorLive(e, feed, phase)) return false;
  }
  const auto differ = [&](std::size_t discrete, double usual) {
    const double* const held = e.z.data() + shelf_->zIndex(discrete, k.first_shelf);
    bool any = false;
    for (std::size_t s = 0; s < k.shelf_count; ++s) any |= held[s] != usual;
    return any;
  };
  if (differ(kTripped, 0.0)) return false;
  for (std::size_t phase = 0; phase < kPhases; ++phase)
    if (differ(kLowSince + phase, kNever) || differ(kOff + phase, 0.0) || differ(kFailedSupplies + phase, 0.0))
      return false;
  return true;
}

void RackSet::findCapability(Evaluation& e, std::size_t r) const {
  const Rack& k = racks_[r];
  if (undisturbed(e, k)) {
    double* const f = found(e, r);
    f[kUndisturbed] = 1.0;
    f[kDrawing] = f[kSound] = static_cast<double>(k.shelf_count) * k.supplies_each * supplyPower(e, r);
    return;
  }
  double drawing = 0.0, held_up = 0.0, all = 0.0;
  for (std::size_t s = 0; s < k.shelf_count; ++s)
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      const double sound = soundSupplies(e, k, s, phase);
      if (sound == 0.0) continue;
      all += sound;
      const Supplies are = suppliesOn(e, k, s, phase);
      if (are == Supplies::drawing) drawing += sound;
      if (are == Supplies::held_up) held_up += sound;
    }
  double* const f = found(e, r);
  f[kDrawing] = drawing * supplyPower(e, r);
  f[kHeldUp] = held_up * supplyPower(e, r);
  f[kSound] = all * supplyPower(e, r);
}

double RackSet::capability(const Evaluation& e, std::size_t r) const {
  return found(e, r)[kDrawing] + found(e, r)[kHeldUp];
}

bool RackSet::unlimited(const Evaluation& e, std::size_t r) const {
  return (racks_[r].feeds.empty() || racks_[r].overload_action == OverloadAction::unlimited) && capability(e, r) > 0.0;
}

/// What the devices draw from the busbar, `dc` [W], comes from supplies and stores; the supplies' input from the feeds.
void RackSet::supplyBusbar(Evaluation& e, std::size_t r, double dc) const {
  const Rack& k = racks_[r];
  double* const f = found(e, r);
  const double can = unlimited(e, r) ? std::max(capability(e, r), dc) : capability(e, r);
  const MissingEnergy missing{e.y[yIndex(kCapacitorsMissing, r)], e.y[yIndex(kBbuMissing, r)]};
  const BusbarPower power =
      divideBusbar(k.stores, missing, z(e, kBbuEnded, r) != 0.0, can, dc, e.y[yIndex(kSmoothedDemand, r)]);
  f[kFromSupplies] = power.supplies;
  f[kFromBbu] = power.bbu;
  f[kFromCapacitors] = power.capacitors;
  f[kFromHoldUp] = can > 0.0 ? power.supplies * f[kHeldUp] / capability(e, r) : 0.0;
  // What held up is charged from its own input: once all of them have theirs again.
  const bool all_draw = f[kDrawing] > 0.0 && f[kDrawing] == f[kSound];
  f[kHoldUpRecharge] = all_draw ? std::max(e.y[yIndex(kHoldUpMissing, r)], 0.0) / k.stores.recharge_time : 0.0;
  const double drawn = power.supplies - f[kFromHoldUp];
  double ac = f[kHoldUpRecharge];
  if (drawn > 0.0)
    ac += drawn / k.shelf_efficiency.value(drawn * supplyPower(e, r) * k.supplies_each / f[kDrawing] / k.shelf_rating);
  f[kPower] = ac;
  drawFromFeeds(e, r, ac);
}

/// Every supply that has input draws the same. Phases of a feed that draw alike are a load between phases, as that of
/// other equipment; what differs stands from phase to neutral.
void RackSet::drawFromFeeds(Evaluation& e, std::size_t r, double ac) const {
  const Rack& k = racks_[r];
  if (k.feeds.empty()) {
    e.unmetered_load += ac;
    return;
  }
  const double drawing = found(e, r)[kDrawing];
  if (drawing <= 0.0) return;
  const double each = ac * supplyPower(e, r) / drawing;
  for (std::size_t f = 0; f < k.feeds.size(); ++f) {
    if (k.feeds[f].alike && found(e, r)[kUndisturbed] != 0.0) {
      const auto& on = k.feeds[f].supplies;
      e.bus_load[k.feeds[f].bus] += each * (on[0] + on[1] + on[2]);
      continue;
    }
    std::array<double, kPhases> power{};
    for (std::size_t s = f; s < k.shelf_count; s += k.feeds.size())
      for (std::size_t phase = 0; phase < kPhases; ++phase)
        if (suppliesOn(e, k, s, phase) == Supplies::drawing) power[phase] += each * soundSupplies(e, k, s, phase);
    const double sum = std::accumulate(power.begin(), power.end(), 0.0);
    const auto [least, greatest] = std::minmax_element(power.begin(), power.end());
    if (!k.feeds[f].phased || *greatest - *least <= kAlike * sum)
      e.bus_load[k.feeds[f].bus] += sum;
    else
      for (std::size_t phase = 0; phase < kPhases; ++phase)
        e.phasor.state.power[k.feeds[f].star[phase]] += power[phase];
  }
}

void RackSet::storeRates(Evaluation& e, std::size_t r) const {
  const Rack& k = racks_[r];
  const double* const f = found(e, r);
  e.heat[yIndex(kCapacitorsMissing, r)] += f[kFromCapacitors];
  e.heat[yIndex(kBbuMissing, r)] += f[kFromBbu];
  e.heat[yIndex(kHoldUpMissing, r)] += f[kFromHoldUp] - f[kHoldUpRecharge];
  if (k.stores.smoothing_time > 0.0)
    e.heat[yIndex(kSmoothedDemand, r)] += (f[kDcPower] - e.y[yIndex(kSmoothedDemand, r)]) / k.stores.smoothing_time;
}

/// Powers carry no derivative, nor do the stores that they come from: with theirs alone the books would not balance.
void RackSet::storeJacobian(const Evaluation&, JacobianWriter& w, std::size_t r) const {
  const Rack& k = racks_[r];
  if (k.stores.smoothing_time > 0.0) w.add(k.slot_smoothed, yIndex(kSmoothedDemand, r), -1.0 / k.stores.smoothing_time);
}

double RackSet::storeOutput(const Evaluation& e) const {
  double sum = 0.0;
  for (std::size_t r = 0; r < size(); ++r) sum += storeOutput(found(e, r));
  return sum;
}

void RackSet::shelfPowers(const Evaluation& e, std::size_t r, std::vector<double>& power,
                          std::vector<double>& rating) const {
  const Rack& k = racks_[r];
  std::vector<double> weight(k.shelf_count);
  const bool undisturbed = found(e, r)[kUndisturbed] != 0.0;
  const double can = capability(e, r);
  const double beyond = unlimited(e, r) ? std::max(found(e, r)[kFromSupplies] / can, 1.0) : 1.0;
  power.assign(k.shelf_count, 0.0);
  rating.assign(k.shelf_count, 0.0);
  for (std::size_t s = 0; s < k.shelf_count; ++s) {
    double live = undisturbed ? k.supplies_each : 0.0;
    for (std::size_t phase = 0; !undisturbed && phase < kPhases; ++phase)
      if (suppliesOn(e, k, s, phase) != Supplies::off) live += soundSupplies(e, k, s, phase);
    rating[s] = live * supplyPower(e, r) * beyond;
    weight[s] = rating[s] * k.sharing[s];
  }
  shareAmongShelves(found(e, r)[kFromSupplies], rating, weight, power);
}

double RackSet::shelfSignal(const Evaluation& e, std::size_t signal_index, std::size_t i) const {
  const std::size_t r = rackOf(&Rack::first_shelf, i), s = i - racks_[r].first_shelf;
  std::vector<double> power, rating;
  shelfPowers(e, r, power, rating);
  return shelfSignal(e, signal_index, r, power[s], rating[s]);
}

bool RackSet::shelfSignals(const Evaluation& e, const RackPartSet& part, std::size_t signal_index,
                           std::span<double> out) const {
  if (&part != shelf_) return false;
  std::vector<double> power, rating;
  for (std::size_t r = 0; r < size(); ++r) {
    shelfPowers(e, r, power, rating);
    for (std::size_t s = 0; s < racks_[r].shelf_count; ++s)
      out[racks_[r].first_shelf + s] = shelfSignal(e, signal_index, r, power[s], rating[s]);
  }
  return true;
}

double RackSet::shelfSignal(const Evaluation& e, std::size_t signal_index, std::size_t r, double power,
                            double rating) const {
  const double* const f = found(e, r);
  switch (signal_index) {
    case 0:
      return power;
    case 1: {
      const double loss = f[kPower] - f[kHoldUpRecharge] - (f[kFromSupplies] - f[kFromHoldUp]);
      return f[kFromSupplies] > 0.0 ? loss * power / f[kFromSupplies] : 0.0;
    }
    case 2:
      return power / racks_[r].shelf_rating;
    case 3:
      return std::round(rating / supplyPower(e, r));
    default:
      return rating > 0.0 && power >= rating ? 1.0 : 0.0;
  }
}

double RackSet::shelfBankSignal(const Evaluation& e, std::size_t signal_index, std::size_t r) const {
  enum Signal : std::size_t { available = 12, margin, capacitors, bbu, time_to_drop, held_by, dropped, drops, voltage };
  const Rack& k = racks_[r];
  const double* const f = found(e, r);
  const double can = capability(e, r);
  const auto charge = [&](std::size_t store, double energy) {
    return energy > 0.0 ? 1.0 - std::clamp(e.y[yIndex(store, r)] / energy, 0.0, 1.0) : 0.0;
  };
  switch (signal_index) {
    case available:
      return can;
    case margin:
      return can - f[kWanted];
    case capacitors:
      return charge(kCapacitorsMissing, k.stores.capacitor_energy);
    case bbu:
      return charge(kBbuMissing, k.stores.bbu_energy);
    case time_to_drop: {
      // The battery first, to its power, then the capacitors alone.
      if (f[kDcPower] <= can || unlimited(e, r)) return kLongest;
      const double bbu_left =
          f[kFromBbu] > 0.0 ? (k.stores.bbu_energy - e.y[yIndex(kBbuMissing, r)]) / f[kFromBbu] : 0.0;
      const double left = k.stores.capacitor_energy - e.y[yIndex(kCapacitorsMissing, r)];
      const double during = f[kFromCapacitors] * bbu_left;
      const double time = during >= left ? left / f[kFromCapacitors] : bbu_left + (left - during) / (f[kDcPower] - can);
      return std::clamp(time, 0.0, kLongest);
    }
    case held_by:
      if (z(e, kBrake, r) != 0.0 || z(e, kShelfBrake, r) != 0.0) return 3.0;
      if (z(e, kShelfLimit, r) != 0.0) return 2.0;
      return z(e, kPowerCap, r) > 0.0 ? 1.0 : 0.0;
    case dropped:
      return z(e, kDropped, r);
    case drops:
      return z(e, kDrops, r);
    default: {
      const bool live = z(e, kDropped, r) == 0.0 && (can > 0.0 || f[kDcPower] > 0.0);
      const double load = can > 0.0 ? std::min(f[kFromSupplies] / can, 1.0) : 1.0;
      return live ? k.busbar_voltage * (1.0 - k.busbar_droop * load) : 0.0;
    }
  }
}

bool RackSet::commandShelf(State& state, std::size_t i, std::string_view verb, double value,
                           std::string& reason) const {
  const Rack& k = racks_[rackOf(&Rack::first_shelf, i)];
  if (verb == "trip" || verb == "restore") {
    shelf_->z(state, kTripped, i) = verb == "trip" ? 1.0 : 0.0;
    if (verb == "restore")
      for (std::size_t phase = 0; phase < kPhases; ++phase) shelf_->z(state, kFailedSupplies + phase, i) = 0.0;
    return true;
  }
  if (verb == "fail") {
    if (!(value >= 1.0 && value <= k.supplies_each && value == std::floor(value))) {
      reason = "its supplies are numbered from 1 to " + std::to_string(static_cast<int>(k.supplies_each));
      return false;
    }
    // Supplies stand on the shelf's phases in turn.
    const auto& counts = k.supplies[i - k.first_shelf];
    std::vector<std::size_t> phases;
    for (std::size_t phase = 0; phase < kPhases; ++phase)
      if (counts[phase] > 0) phases.push_back(phase);
    const std::size_t phase = phases[(static_cast<std::size_t>(value) - 1) % phases.size()];
    double& failed = shelf_->z(state, kFailedSupplies + phase, i);
    if (failed >= counts[phase]) {
      reason = "every supply on that phase has failed already";
      return false;
    }
    failed += 1.0;
    return true;
  }
  reason = "a power_shelf cannot be asked to '" + std::string(verb) + "'";
  return false;
}

}  // namespace podtwin
