#include "model/components/it/rack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "model/base/diagnostics.hpp"
#include "model/components/it/rack_info.hpp"
#include "model/components/it/rack_loops.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr double kMostEffective = 0.999;  // of a plate: the published law has no bound
constexpr double kLinearShare = 1e-3;     // of the upper point's flow; below it the pressure drop is linear
// Efficiency of a 33 kW shelf: 97.5 % at half load published, the other points shaped estimates (hardware.csv).
constexpr std::array<std::pair<double, double>, 5> kShelfEfficiency{
    {{0.10, 0.940}, {0.20, 0.962}, {0.50, 0.975}, {0.75, 0.972}, {1.00, 0.966}}};

std::string padded(std::size_t number, std::size_t count) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*zu", count >= 100 ? 3 : (count >= 10 ? 2 : 1), number);
  return text;
}

std::string millilitres(double volume) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g mL", 1e6 * volume);
  return text;
}

/// Heat a plate gives to coolant that passes it, per kelvin above the coolant's inlet [W/K]: effectiveness by flow.
/// None where the coolant stands.
double inletConductance(double ua, double flow_capacity) {
  return flow_capacity > 0.0 ? -flow_capacity * std::expm1(-ua / flow_capacity) : 0.0;
}

/// A power asked for: 0 W or more, and a number.
bool statedPower(double value, const char* what, std::string& reason) {
  if (value >= 0.0 && std::isfinite(value)) return true;
  reason = std::string("a ") + what + " is a power of 0 W or more (0 lifts it)";
  return false;
}

}  // namespace

// -- parts ----------------------------------------------------------------------------------------------------------

RackPartSet::RackPartSet(const ClassInfo& info, const RackSet& racks, std::vector<const InstanceDescription*> makers,
                         std::vector<std::string> ids, std::vector<std::string> parents, std::vector<std::string> trays,
                         std::size_t exposed_states, std::size_t interior_states)
    : ComponentSet(info, std::move(makers), std::move(ids)),
      racks_(racks),
      parents_(std::move(parents)),
      trays_(std::move(trays)),
      exposed_states_(exposed_states),
      interior_states_(interior_states) {}

std::vector<std::pair<std::string, std::vector<std::string>>> RackPartSet::labels() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> labels{{"rack", parents_}};
  if (!trays_.empty()) labels.emplace_back("tray", trays_);
  return labels;
}

void RackPartSet::bind(Binder&) {}

void RackPartSet::initialise(State& state, double temperature) const {
  initialiseCommon(state);
  for (std::size_t i = 0; i < exposedCount(); ++i) state.y[exposed_first + i] = temperature;
  for (std::size_t i = 0; i < interiorCount(); ++i) state.y[interior_first + i] = temperature;
}

void RackPartSet::signal(const Evaluation& e, std::size_t signal_index, std::span<double> out) const {
  // The columns that are contiguous already are copied: every GPU is looked at each second.
  const double* column = racks_.partColumn(e, *this, signal_index);
  if (column != nullptr)
    std::copy(column, column + size(), out.begin());
  else
    for (std::size_t i = 0; i < size(); ++i) out[i] = racks_.partSignal(e, *this, signal_index, i);
}

double RackPartSet::signalOf(const Evaluation& e, std::size_t signal_index, std::size_t i) const {
  return racks_.partSignal(e, *this, signal_index, i);
}

bool RackPartSet::command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const {
  if (&info() == &gpuInfo()) {
    if (verb == "cap") {
      if (!statedPower(value, "cap", reason)) return false;
      z(state, RackSet::kGpuCap, i) = value;
      return true;
    }
    if (verb == "restore") {
      z(state, RackSet::kShutDown, i) = 0.0;
      z(state, RackSet::kThrottled, i) = 0.0;
    }
    if (verb == "trip" || verb == "restore") return ComponentSet::command(state, i, verb, value, reason);
  }
  if ((&info() == &cpuInfo() || &info() == &switchTrayInfo()) && verb == "restore") {
    z(state, RackSet::kChipThrottled, i) = z(state, RackSet::kChipShutDown, i) = 0.0;
    return true;
  }
  reason = "a " + std::string(info().name) + " cannot be asked to '" + std::string(verb) + "'";
  return false;
}

// -- rack -----------------------------------------------------------------------------------------------------------

RackSet::RackSet(std::vector<const InstanceDescription*> instances) : ComponentSet(rackInfo(), std::move(instances)) {
  racks_.resize(size());
  for (std::size_t r = 0; r < size(); ++r) {
    const InstanceDescription& d = description(r);
    Rack& rack = racks_[r];
    rack.tray_count = static_cast<std::size_t>(d.number("trays"));
    rack.gpus_per_tray = static_cast<std::size_t>(d.number("gpus_per_tray"));
    rack.gpu_count = rack.tray_count * rack.gpus_per_tray;
    rack.switch_count = static_cast<std::size_t>(d.number("switch_trays"));
    rack.shelf_count = static_cast<std::size_t>(d.number("shelves"));
    rack.first_gpu = gpu_total_;
    rack.first_tray = tray_total_;
    rack.first_switch = switch_total_;
    rack.first_shelf = shelf_total_;
    gpu_total_ += rack.gpu_count;
    tray_total_ += rack.tray_count;
    switch_total_ += rack.switch_count;
    shelf_total_ += rack.shelf_count;
    chips_most_ = std::max({chips_most_, rack.gpu_count, rack.tray_count, rack.switch_count});
  }
}

void RackSet::makeParts(SetList& out) {
  struct Lists {
    std::vector<const InstanceDescription*> makers;
    std::vector<std::string> ids, parents, trays;
    void add(const InstanceDescription* maker, std::string id, std::string tray = {}) {
      makers.push_back(maker);
      ids.push_back(std::move(id));
      parents.push_back(maker->id);
      if (!tray.empty()) trays.push_back(std::move(tray));
    }
  } tray, gpu, cpu, switch_tray, shelf;
  for (std::size_t r = 0; r < size(); ++r) {
    const InstanceDescription* maker = &description(r);
    const Rack& rack = racks_[r];
    for (std::size_t t = 1; t <= rack.tray_count; ++t) {
      const std::string tray_id = maker->id + "-T" + padded(t, rack.tray_count);
      tray.add(maker, tray_id);
      cpu.add(maker, tray_id + "-C", tray_id);
      for (std::size_t g = 1; g <= rack.gpus_per_tray; ++g)
        gpu.add(maker, tray_id + "-G" + padded(g, rack.gpus_per_tray), tray_id);
    }
    for (std::size_t s = 1; s <= rack.switch_count; ++s)
      switch_tray.add(maker, maker->id + "-S" + padded(s, rack.switch_count));
    for (std::size_t s = 1; s <= rack.shelf_count; ++s)
      shelf.add(maker, maker->id + "-P" + padded(s, rack.shelf_count));
  }
  const auto make = [&](const ClassInfo& info, Lists& lists, std::size_t exposed, std::size_t interior) {
    auto set = std::make_unique<RackPartSet>(info, *this, std::move(lists.makers), std::move(lists.ids),
                                             std::move(lists.parents), std::move(lists.trays), exposed, interior);
    RackPartSet* raw = set.get();
    out.push_back(std::move(set));
    return raw;
  };
  tray_ = make(trayInfo(), tray, 1, 0);
  gpu_ = make(gpuInfo(), gpu, 0, 2);
  cpu_ = make(cpuInfo(), cpu, 0, 2);
  if (switch_total_ > 0) switch_ = make(switchTrayInfo(), switch_tray, 1, 2);
  shelf_ = make(powerShelfInfo(), shelf, 0, 0);
}

std::size_t RackSet::scratchCount() const {
  return size() * kFoundCount + gpu_total_ + tray_total_ + switch_total_ + 3 * chips_most_;
}

void RackSet::bind(Binder& b) {
  for (std::size_t r = 0; r < size(); ++r) {
    const InstanceDescription& d = description(r);
    Rack& k = racks_[r];
    k.node_from = b.fluidNode(r, "from");
    k.node_to = b.fluidNode(r, "to");
    k.from = b.nodePort(k.node_from);
    k.to = b.nodePort(k.node_to);
    k.air = b.hasPort(r, "air") ? b.heatPort(r, "air") : b.ambient();
    for (std::size_t f = 0; f < b.portCount(r, "feeds"); ++f) k.feeds.push_back(b.bus(r, "feeds", f));
    k.edge = b.edge(k.node_from, k.node_to, d.id);
    k.density = b.density(k.node_from);
    k.specific_heat = b.specificHeat(k.node_from);
    k.coolant = &b.coolantHeat(k.node_from);

    // dp = K q^n through two published points.
    const double q1 = d.number("dp_flow_low"), q2 = d.number("dp_flow_high"), p1 = d.number("dp_low"),
                 p2 = d.number("dp_high");
    if (!(q2 > q1) || !(p2 > p1)) {
      b.problems().error(
          d.where,
          "'" + d.id + "': the pressure-drop points do not rise (dp_flow_low < dp_flow_high, dp_low < dp_high)",
          "give two points of one rising curve");
      k.exponent = 2.0;
      k.k = 1.0;
    } else {
      k.exponent = std::log(p2 / p1) / std::log(q2 / q1);
      k.k = p2 / std::pow(q2 * k.density, k.exponent);
    }
    k.m_linear = kLinearShare * q2 * k.density;
    // Required flow K / (T0 - T): two published points, the others follow.
    const double f1 = d.number("required_flow_cold"), t1 = d.number("required_t_cold"),
                 f2 = d.number("required_flow_warm"), t2 = d.number("required_t_warm");
    if (!(f2 > f1) || !(t2 > t1)) {
      b.problems().error(d.where, "'" + d.id + "': the required-flow points do not rise with temperature",
                         "give the cold point first");
    } else {
      k.required_return = (f2 * t2 - f1 * t1) / (f2 - f1);
      k.required_heat_flow = f1 * (k.required_return - t1);
    }
    k.rated_power = d.number("rated_power");

    k.gpu_idle = d.number("gpu_idle_power");
    k.gpu_limit = d.number("gpu_power_limit");
    k.gpu_leak = d.number("gpu_leakage");
    k.gpu_leak_reference = d.number("gpu_leakage_reference");
    k.die_capacity = d.number("gpu_die_capacity");
    k.plate_capacity = d.number("gpu_plate_capacity");
    k.r_junction_case = d.number("gpu_junction_to_case");
    k.plate_r0 = d.number("plate_resistance");
    k.plate_r1 = d.number("plate_resistance_slope");
    k.plate_flow_low = d.number("plate_flow_low");
    const double mcp_low = k.plate_flow_low * k.density * k.specific_heat;
    const double resistance_low = k.plate_r0 + k.plate_r1 / k.plate_flow_low;
    k.plate_ua_low = -std::log1p(-std::min(1.0 / (resistance_low * mcp_low), kMostEffective)) * mcp_low;
    k.cpu_idle = d.number("cpu_idle_power");
    k.cpu_max = d.number("cpu_power");
    k.cpu_die_capacity = d.number("cpu_die_capacity");
    k.cpu_plate_capacity = d.number("cpu_plate_capacity");
    k.cpu_r = d.number("cpu_junction_to_case");
    k.cpu_ua = d.number("cpu_plate_conductance");
    const auto protection = [&](const std::string& part) {
      const double t = d.number(part + "_throttle_temperature");
      return Protection{d.number(part + "_throttle_power"), t, t - d.number(part + "_throttle_hysteresis"),
                        d.number(part + "_shutdown_temperature")};
    };
    k.gpu_protection = protection("gpu");
    k.cpu_protection = protection("cpu");
    k.switch_protection = protection("switch");
    k.switch_idle = d.number("switch_idle_power");
    k.switch_max = d.number("switch_power");
    k.switch_liquid = d.number("switch_liquid_share");
    k.switch_die_capacity = d.number("switch_die_capacity");
    k.switch_plate_capacity = d.number("switch_plate_capacity");
    k.switch_r = d.number("switch_junction_to_case");
    k.switch_ua = d.number("switch_plate_conductance");
    k.tray_air = d.number("tray_air_power");
    k.auxiliary = d.number("auxiliary_power");
    k.liquid_fraction = d.number("excess_liquid_share");
    k.shelf_rating = d.number("shelf_rating");
    const auto& curve = d.parameters.at("shelf_efficiency");
    std::vector<std::pair<double, double>> points(kShelfEfficiency.begin(), kShelfEfficiency.end());
    if (!curve.points.empty()) points = curve.points;
    k.shelf_efficiency = Curve(points);

    const double in_plates = static_cast<double>(k.gpus_per_tray) * d.number("gpu_plate_coolant_volume");
    if (!(in_plates < d.number("tray_coolant_volume")))
      b.problems().error(d.where,
                         "'" + d.id + "': the GPU plates of a tray hold " + millilitres(in_plates) +
                             " of coolant, the whole tray " + millilitres(d.number("tray_coolant_volume")),
                         "lower `gpu_plate_coolant_volume`, which is part of `tray_coolant_volume`");
    k.plate_capacity += d.number("gpu_plate_coolant_volume") * k.density * k.specific_heat;
    k.tray_mass = (d.number("tray_coolant_volume") - in_plates) * k.density;
    k.tray_solid = d.number("tray_electronics_capacity");
    k.switch_mass = d.number("switch_coolant_volume") * k.density;
    k.manifold_mass = 0.5 * d.number("manifold_coolant_volume") * k.density;
    // Coolant is split by the heat it is to take at full power: every branch leaves equally warm.
    const double gpu_heat = k.gpu_limit, cpu_heat = k.cpu_max, switch_heat = k.switch_max * k.switch_liquid;
    const double tray_heat = static_cast<double>(k.gpus_per_tray) * gpu_heat + cpu_heat;
    const double total =
        static_cast<double>(k.tray_count) * tray_heat + static_cast<double>(k.switch_count) * switch_heat;
    k.tray_share = tray_heat / total;
    k.switch_share = switch_heat / total;
    k.gpu_share = gpu_heat / tray_heat;
    k.cpu_share = cpu_heat / tray_heat;

    // Unknowns: manifolds, tray coolant; the entries of their balances.
    const std::size_t supply = yIndex(0, r), back = yIndex(1, r);
    b.coolantCapacity(supply, k.node_from, k.manifold_mass);
    b.coolantCapacity(back, k.node_from, k.manifold_mass);
    const std::size_t s[6] = {b.couple(supply, k.from.column),
                              b.couple(supply, supply),
                              b.couple(k.from.row, supply),
                              b.couple(k.from.row, k.from.column),
                              0,
                              0};
    std::copy(std::begin(s), std::end(s), std::begin(k.slot_from));
    const std::size_t t[6] = {b.couple(k.to.row, back),
                              b.couple(k.to.row, k.to.column),
                              b.couple(back, k.to.column),
                              b.couple(back, back),
                              0,
                              0};
    std::copy(std::begin(t), std::end(t), std::begin(k.slot_to));
    const auto cell = [&](std::size_t index, double mass, double solid) {
      b.coolantCapacity(index, k.node_from, mass, solid);
      // own by own, own by supply, own by return; supply by own; return by own
      for (const auto& [row, column] :
           {std::pair{index, index}, {index, supply}, {index, back}, {supply, index}, {back, index}})
        k.slot_cells.push_back(b.couple(row, column));
    };
    for (std::size_t i = 0; i < k.tray_count; ++i) {
      const std::size_t tray = tray_->exposed_first + k.first_tray + i;
      cell(tray, k.tray_mass, k.tray_solid);
      b.coolantVolume(k.node_from, tray, in_plates);
    }
    for (std::size_t i = 0; i < k.switch_count; ++i)
      cell(switch_->exposed_first + k.first_switch + i, k.switch_mass, 0.0);
  }
  // Chips: two interior unknowns each; ports are the coolant around the plate and the rack's supply manifold.
  const auto makeGroup = [&](RackPartSet* part, const char* name, const auto& coolantOf) {
    InteriorGroup group;
    group.name = name;
    group.count = part->size();
    group.interior = 2;
    group.ports = 2;
    group.port.resize(2 * part->size());
    for (std::size_t r = 0; r < size(); ++r) coolantOf(r, group);
    for (std::size_t i = 0; i < part->size(); ++i) {
      const auto w = static_cast<std::size_t>(group.port[i]),
                 sm = static_cast<std::size_t>(group.port[part->size() + i]);
      part->slot_ww.push_back(b.couple(w, w));
      part->slot_ws.push_back(b.couple(w, sm));
    }
    part->group = b.group(std::move(group));
    part->group_first = b.system().structure().groups[part->group].first;
  };
  const auto set = [&](InteriorGroup& group, std::size_t i, std::size_t coolant, std::size_t rack) {
    group.port[i] = static_cast<std::int64_t>(coolant);
    group.port[group.count + i] = static_cast<std::int64_t>(yIndex(0, rack));
  };
  makeGroup(gpu_, "gpu", [&](std::size_t r, InteriorGroup& group) {
    const Rack& k = racks_[r];
    for (std::size_t g = 0; g < k.gpu_count; ++g)
      set(group, k.first_gpu + g, tray_->exposed_first + k.first_tray + g / k.gpus_per_tray, r);
  });
  makeGroup(cpu_, "cpu", [&](std::size_t r, InteriorGroup& group) {
    const Rack& k = racks_[r];
    for (std::size_t t = 0; t < k.tray_count; ++t)
      set(group, k.first_tray + t, tray_->exposed_first + k.first_tray + t, r);
  });
  if (switch_ != nullptr)
    makeGroup(switch_, "nvlink_tray", [&](std::size_t r, InteriorGroup& group) {
      const Rack& k = racks_[r];
      for (std::size_t s = 0; s < k.switch_count; ++s)
        set(group, k.first_switch + s, switch_->exposed_first + k.first_switch + s, r);
    });
}

void RackSet::initialise(State& state, double temperature) const {
  initialiseCommon(state);
  for (std::size_t i = 0; i < exposedCount(); ++i) state.y[exposed_first + i] = temperature;
}

void RackSet::edgeLaws(Evaluation& e) const {
  for (const Rack& k : racks_) {
    EdgeLaw& law = e.laws[k.edge];
    law.k = k.k;
    law.exponent = k.exponent;
    law.m_linear = k.m_linear;
    law.open = z(e, kInService, static_cast<std::size_t>(&k - racks_.data())) != 0.0;  // its shut-off valves
  }
}

std::size_t RackSet::liveFeeds(const Evaluation& e, const Rack& k) const {
  std::size_t live = 0;
  for (const auto feed : k.feeds)
    if (e.energised[static_cast<std::size_t>(feed)] != 0) ++live;
  return live;
}

double RackSet::shelfInput(const Rack& k, double dc, double live_fraction) const {
  if (dc <= 0.0 || live_fraction <= 0.0) return 0.0;
  const double load = dc / (static_cast<double>(k.shelf_count) * live_fraction * k.shelf_rating);
  return dc / k.shelf_efficiency.value(load);
}

// Powers of all devices from utilisation, temperature and caps; then the shelves and their feeds.
void RackSet::demand(Evaluation& e) const {
  double* const p_gpu = gpuPower(e);
  double* const p_cpu = cpuPower(e);
  double* const p_switch = switchPower(e);
  const double* const utilisation = e.z.data() + gpu_->zIndex(kUtilisation, 0);
  const double* const throttled = e.z.data() + gpu_->zIndex(kThrottled, 0);
  const double* const shut_down = e.z.data() + gpu_->zIndex(kShutDown, 0);
  const double* const tripped = e.z.data() + gpu_->zIndex(kTripped, 0);
  const double* const gpu_cap = e.z.data() + gpu_->zIndex(kGpuCap, 0);
  const double* const t_die = e.y.data() + gpu_->interior(0, 0);
  constexpr int kShelfIterations = 6;  // of DC power behind a set AC power: the efficiency curve is flat

  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    double* const f = found(e, r);
    std::fill(f, f + kPowersCount, 0.0);
    const std::size_t live = liveFeeds(e, k);
    const double live_fraction =
        k.feeds.empty() ? 1.0 : static_cast<double>(live) / static_cast<double>(k.feeds.size());
    const bool on = available(e, r) && live_fraction > 0.0;
    if (!on) {
      std::fill(p_gpu + k.first_gpu, p_gpu + k.first_gpu + k.gpu_count, 0.0);
      std::fill(p_cpu + k.first_tray, p_cpu + k.first_tray + k.tray_count, 0.0);
      std::fill(p_switch + k.first_switch, p_switch + k.first_switch + k.switch_count, 0.0);
      continue;
    }
    const double setting = z(e, kPowerSetting, r);
    const double trays = static_cast<double>(k.tray_count), switches = static_cast<double>(k.switch_count);
    const double gpus = static_cast<double>(k.gpu_count);
    double cpu_each, switch_each, air, excess_liquid = 0.0;
    double sum = 0.0;
    if (setting > 0.0) {
      // The rack holds its AC input: every device takes the same share of its full power, a GPU not less than
      // idle and not more than its limit; what the devices do not explain goes to coolant and air by the published
      // split.
      double dc = setting;
      for (int i = 0; i < kShelfIterations; ++i)
        dc = setting *
             k.shelf_efficiency.value(dc / (static_cast<double>(k.shelf_count) * live_fraction * k.shelf_rating));
      const double others = trays * (k.cpu_max + k.tray_air) + switches * k.switch_max + k.auxiliary;
      const double share = dc / (gpus * k.gpu_limit + others);
      const double gpu_each = std::clamp(share * k.gpu_limit, k.gpu_idle, k.gpu_limit);
      const double rest = std::max(dc - gpus * gpu_each, 0.0);
      const double other_share = std::min(rest / others, 1.0);
      const double excess = std::max(rest - others, 0.0);
      cpu_each = other_share * k.cpu_max;
      switch_each = other_share * k.switch_max;
      excess_liquid = std::min(excess, excess * k.liquid_fraction * setting / dc);
      air = other_share * (trays * k.tray_air + k.auxiliary) + excess - excess_liquid;
      for (std::size_t g = k.first_gpu; g < k.first_gpu + k.gpu_count; ++g) {
        double p = gpu_each;
        if (gpu_cap[g] > 0.0) p = std::min(p, gpu_cap[g]);
        p -= throttled[g] * (p - std::min(p, k.gpu_protection.throttle_power));
        p = shut_down[g] != 0.0 || tripped[g] != 0.0 ? 0.0 : p;
        p_gpu[g] = p;
        sum += p;
      }
    } else {
      const rack_loops::GpuPowerLaw law{k.gpu_idle,  k.gpu_limit - k.gpu_idle,       k.gpu_leak, k.gpu_leak_reference,
                                        k.gpu_limit, k.gpu_protection.throttle_power};
      const std::size_t g = k.first_gpu;
      const rack_loops::GpuPowerSums all =
          rack_loops::gpuPowers(k.gpu_count, law, utilisation + g, throttled + g, shut_down + g, tripped + g,
                                gpu_cap + g, t_die + g, p_gpu + g);
      sum = all.power;
      const double busy = all.utilisation / gpus;
      cpu_each = k.cpu_idle + (k.cpu_max - k.cpu_idle) * busy;
      switch_each = k.switch_idle + (k.switch_max - k.switch_idle) * busy;
      air = trays * k.tray_air + k.auxiliary;
    }
    const auto held = [&](const RackPartSet& part, std::size_t first, std::size_t count, double each,
                          const Protection& protection, double* power) {
      return rack_loops::heldPowers(count, each, protection.throttle_power,
                                    e.z.data() + part.zIndex(kChipThrottled, first),
                                    e.z.data() + part.zIndex(kChipShutDown, first), power + first);
    };
    const double cpu_sum =
        trays * cpu_each - held(*cpu_, k.first_tray, k.tray_count, cpu_each, k.cpu_protection, p_cpu);
    const double switch_sum = switches == 0.0
                                  ? 0.0
                                  : switches * switch_each - held(*switch_, k.first_switch, k.switch_count, switch_each,
                                                                  k.switch_protection, p_switch);
    if (excess_liquid > 0.0) {
      // What devices do not explain is theirs all the same: a tray that has shut down has no part in it.
      double down = 0.0;
      for (std::size_t t = k.first_tray; t < k.first_tray + k.tray_count; ++t) down += cpu_->z(e, kChipShutDown, t);
      excess_liquid *= 1.0 - down / trays;
    }
    if (const double cap = z(e, kPowerCap, r); cap > 0.0) {
      const double other = cpu_sum + switch_sum + air + excess_liquid;
      const double allowed = std::max(cap - other, 0.0);
      if (sum > allowed) {
        const double factor = allowed / sum;
        for (std::size_t g = k.first_gpu; g < k.first_gpu + k.gpu_count; ++g) p_gpu[g] *= factor;
        sum = allowed;
      }
    }
    const double dc = sum + cpu_sum + switch_sum + air + excess_liquid;
    const double ac = shelfInput(k, dc, live_fraction);
    f[kPower] = ac;
    f[kDcPower] = dc;
    f[kLiquid] = sum + cpu_sum + switch_sum * k.switch_liquid + excess_liquid;
    f[kExcessLiquid] = excess_liquid;
    f[kAir] = ac - f[kLiquid];
    if (k.feeds.empty()) {
      e.unmetered_load += ac;
    } else {
      for (const auto feed : k.feeds)
        if (e.energised[static_cast<std::size_t>(feed)] != 0)
          e.bus_load[static_cast<std::size_t>(feed)] += ac / static_cast<double>(live);
    }
  }
}

void RackSet::rates(Evaluation& e) const {
  const double* const p_gpu = gpuPower(e);
  const double* const p_cpu = cpuPower(e);
  const double* const p_switch = switchPower(e);
  const double* const y = e.y.data();
  double* const ydot = e.ydot.data();
  double* const heat = e.heat.data();
  double* const taken = chipScratch(e);
  double* const tray_heat = taken + chips_most_;
  double* const enthalpy = tray_heat + chips_most_;

  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    double* const f = found(e, r);
    const double m = e.m[k.edge];
    const double flow_capacity = std::abs(m) * k.specific_heat;
    const double t_supply = y[yIndex(0, r)], t_return = y[yIndex(1, r)];

    // Plates: conductance to the coolant's inlet, from the published resistance where it applies; see rack.md.
    const bool forward = m > 0.0;
    const double t_in = forward ? t_supply : t_return;
    const double tray_capacity_rate = flow_capacity * k.tray_share;
    const double gpu_flow = std::abs(m) * k.tray_share * k.gpu_share / k.density;
    const double mcp_gpu = tray_capacity_rate * k.gpu_share;
    const double ua_gpu = gpu_flow >= k.plate_flow_low
                              ? std::min(1.0 / (k.plate_r0 + k.plate_r1 / gpu_flow), kMostEffective * mcp_gpu)
                              : inletConductance(k.plate_ua_low, mcp_gpu);
    const double ua_cpu = inletConductance(k.cpu_ua, tray_capacity_rate * k.cpu_share);
    const double ua_switch = inletConductance(k.switch_ua, flow_capacity * k.switch_share);
    f[kUaGpu] = ua_gpu;
    f[kUaCpu] = ua_cpu;
    f[kUaSwitch] = ua_switch;

    const std::size_t g = k.first_gpu, t = k.first_tray, trays = k.tray_count;
    const std::size_t coolant = tray_->exposed_first + t;
    const double* const t_coolant = y + coolant;
    rack_loops::chipRates(k.gpu_count,
                          {1.0, 1.0 / k.r_junction_case, ua_gpu, 1.0 / k.die_capacity, 1.0 / k.plate_capacity},
                          p_gpu + g, y + gpu_->interior(0, g), y + gpu_->interior(1, g), t_in,
                          ydot + gpu_->interior(0, g), ydot + gpu_->interior(1, g), taken);
    for (std::size_t i = 0, gpu = 0; i < trays; ++i) {
      double sum = 0.0;
      for (std::size_t end = gpu + k.gpus_per_tray; gpu < end; ++gpu) sum += taken[gpu];
      tray_heat[i] = sum;
    }
    rack_loops::chipRates(trays, {1.0, 1.0 / k.cpu_r, ua_cpu, 1.0 / k.cpu_die_capacity, 1.0 / k.cpu_plate_capacity},
                          p_cpu + t, y + cpu_->interior(0, t), y + cpu_->interior(1, t), t_in,
                          ydot + cpu_->interior(0, t), ydot + cpu_->interior(1, t), taken);
    for (std::size_t i = 0; i < trays; ++i) taken[i] += tray_heat[i];
    const double excess_each = f[kExcessLiquid] / static_cast<double>(trays);
    const double flow = std::abs(m);
    const double h_supply = k.coolant->enthalpy(t_supply), h_return = k.coolant->enthalpy(t_return);
    const double h_in = forward ? h_supply : h_return;
    // Flow-weighted enthalpy of what leaves the trays.
    rack_loops::enthalpies(trays, *k.coolant, t_coolant, enthalpy);
    double mixed = k.tray_share * rack_loops::coolantHeat(trays, excess_each, flow * k.tray_share, h_in, enthalpy,
                                                          taken, heat + coolant);
    if (k.switch_count > 0) {
      const std::size_t s = k.first_switch, switches = k.switch_count;
      const std::size_t switch_coolant = switch_->exposed_first + s;
      rack_loops::chipRates(
          switches,
          {k.switch_liquid, 1.0 / k.switch_r, ua_switch, 1.0 / k.switch_die_capacity, 1.0 / k.switch_plate_capacity},
          p_switch + s, y + switch_->interior(0, s), y + switch_->interior(1, s), t_in, ydot + switch_->interior(0, s),
          ydot + switch_->interior(1, s), taken);
      rack_loops::enthalpies(switches, *k.coolant, y + switch_coolant, enthalpy);
      mixed += k.switch_share * rack_loops::coolantHeat(switches, 0.0, flow * k.switch_share, h_in, enthalpy, taken,
                                                        heat + switch_coolant);
    }
    if (forward) {
      heat[yIndex(0, r)] += flow * (k.coolant->enthalpy(y[k.from.column]) - h_supply);
      heat[yIndex(1, r)] += flow * (mixed - h_return);
      heat[k.to.row] += flow * (h_return - k.coolant->enthalpy(y[k.to.column]));
    } else {
      heat[yIndex(1, r)] += flow * (k.coolant->enthalpy(y[k.to.column]) - h_return);
      heat[yIndex(0, r)] += flow * (mixed - h_supply);
      heat[k.from.row] += flow * (h_supply - k.coolant->enthalpy(y[k.from.column]));
    }
    heat[k.air.row] += f[kAir];
  }
}

void RackSet::jacobian(const Evaluation& e, JacobianWriter& w) const {
  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    const double* const f = found(e, r);
    const double m = e.m[k.edge];
    const bool forward = m > 0.0;
    const std::size_t supply = yIndex(0, r), back = yIndex(1, r);
    const auto carried = [&](std::size_t column) { return std::abs(m) * k.coolant->specificHeat(e.y[column]); };
    const double by_supply = carried(supply), by_return = carried(back);
    if (forward) {
      w.add(k.slot_from[0], supply, carried(k.from.column));
      w.add(k.slot_from[1], supply, -by_supply);
      w.add(k.slot_to[3], back, -by_return);
      w.add(k.slot_to[0], k.to.row, by_return);
      w.add(k.slot_to[1], k.to.row, -carried(k.to.column));
    } else {
      w.add(k.slot_to[2], back, carried(k.to.column));
      w.add(k.slot_to[3], back, -by_return);
      w.add(k.slot_from[1], supply, -by_supply);
      w.add(k.slot_from[2], k.from.row, by_supply);
      w.add(k.slot_from[3], k.from.row, -carried(k.from.column));
    }
    std::size_t cell = 0;
    const auto stamp = [&](std::size_t own, double share) {
      const std::size_t* slot = &k.slot_cells[cell];
      cell += 5;
      const double by_own = carried(own) * share;
      w.add(slot[0], own, -by_own);
      w.add(slot[forward ? 1 : 2], own, (forward ? by_supply : by_return) * share);
      if (forward)
        w.add(slot[4], back, by_own);
      else
        w.add(slot[3], supply, by_own);
    };
    for (std::size_t t = 0; t < k.tray_count; ++t) stamp(tray_->exposed_first + k.first_tray + t, k.tray_share);
    for (std::size_t s = 0; s < k.switch_count; ++s) stamp(switch_->exposed_first + k.first_switch + s, k.switch_share);

    const auto chips = [&](const RackPartSet& part, std::size_t first, std::size_t count, std::size_t own_first,
                           std::size_t per_own, double die_capacity, double plate_capacity, double resistance,
                           double ua) {
      Jacobian::GroupValues& v = w.group(part.group);
      const std::size_t n = part.size();
      const double g = 1.0 / resistance;
      const double by_supply_manifold = forward ? ua : 0.0;  // reversed, the plates' inlet carries no derivative
      for (std::size_t i = first; i < first + count; ++i) {
        v.ii[0 * n + i] = -g / die_capacity;
        v.ii[1 * n + i] = g / die_capacity;
        v.ii[2 * n + i] = g / plate_capacity;
        v.ii[3 * n + i] = -(g + ua) / plate_capacity;
        v.ip[2 * n + i] = 0.0;
        v.ip[3 * n + i] = by_supply_manifold / plate_capacity;
        const std::size_t own = own_first + (i - first) / per_own;
        v.pi[1 * n + i] = ua * w.inverseCapacity(own);  // coolant row by plate
        w.add(part.slot_ws[i], own, -by_supply_manifold);
      }
    };
    chips(*gpu_, k.first_gpu, k.gpu_count, tray_->exposed_first + k.first_tray, k.gpus_per_tray, k.die_capacity,
          k.plate_capacity, k.r_junction_case, f[kUaGpu]);
    chips(*cpu_, k.first_tray, k.tray_count, tray_->exposed_first + k.first_tray, 1, k.cpu_die_capacity,
          k.cpu_plate_capacity, k.cpu_r, f[kUaCpu]);
    if (switch_ != nullptr)
      chips(*switch_, k.first_switch, k.switch_count, switch_->exposed_first + k.first_switch, 1, k.switch_die_capacity,
            k.switch_plate_capacity, k.switch_r, f[kUaSwitch]);
  }
}

template <class F>
void RackSet::protect(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences, std::size_t rack,
                      const RackPartSet& part, ProtectionPlace at, std::size_t first, std::size_t count,
                      const Protection& protection, const char* name, const char* with_it, const F& shut) const {
  std::size_t throttled = 0, released = 0, down = 0;
  const double* const t_die = e.y.data() + part.interior(0, 0);
  for (std::size_t i = first; i < first + count; ++i) {
    const double t = t_die[i];
    double& throttle = part.z(state, at.throttled, i);
    if (e.steady_search) {
      // On and off has no steady state; the share of time for which its mean is in the middle of the hysteresis has.
      const double middle = 0.5 * (protection.t_throttle + protection.t_release);
      if (throttle > 0.0 || t > protection.t_throttle)
        throttle = std::clamp(throttle + kSearchGain * (t - middle), 0.0, 1.0);
      if (throttle < 1.0) continue;
    } else if (throttle == 0.0 && t > protection.t_throttle) {
      throttle = 1.0;
      ++throttled;
    } else if (throttle != 0.0 && t < protection.t_release) {
      throttle = 0.0;
      ++released;
    }
    double& off = part.z(state, at.shut_down, i);
    if (off != 0.0 || !(t > protection.t_shutdown)) continue;
    off = 1.0;
    ++down;
    shut(i);
  }
  const auto tell = [&](std::size_t number, const std::string& what, const char* cause) {
    if (number > 0)
      occurrences.push_back({ids()[rack], "protection", cause, std::to_string(number) + " " + name + " " + what});
  };
  tell(throttled, "throttled", "junction above throttle temperature");
  tell(released, "recovered from throttling", "junction below release temperature");
  tell(down, std::string("shut down") + with_it, "junction above shutdown temperature");
}

// The chips' own protection: throttle with hysteresis, shutdown until restored.
void RackSet::sample(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const {
  const auto alone = [](std::size_t) {};
  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    protect(e, state, occurrences, r, *gpu_, kGpuPlace, k.first_gpu, k.gpu_count, k.gpu_protection, "GPU(s)", "",
            alone);
    // GPUs without their host are off with it.
    protect(e, state, occurrences, r, *cpu_, kChipPlace, k.first_tray, k.tray_count, k.cpu_protection, "tray CPU(s)",
            ", the GPUs of their trays with them", [&](std::size_t tray) {
              const std::size_t first = k.first_gpu + (tray - k.first_tray) * k.gpus_per_tray;
              for (std::size_t g = first; g < first + k.gpus_per_tray; ++g) gpu_->z(state, kShutDown, g) = 1.0;
            });
    if (switch_ != nullptr)
      protect(e, state, occurrences, r, *switch_, kChipPlace, k.first_switch, k.switch_count, k.switch_protection,
              "NVLink tray(s)", "", alone);
  }
}

// Of the chips of a rack that a search found throttled for a share of the time, as many are throttled at the start.
void RackSet::endSteadySearch(State& state) const {
  const auto settle = [&](const RackPartSet& part, std::size_t throttled, std::size_t first, std::size_t count) {
    double owed = 0.0;
    for (std::size_t i = first; i < first + count; ++i) {
      double& throttle = part.z(state, throttled, i);
      owed += throttle;
      throttle = owed >= 0.5 ? 1.0 : 0.0;
      owed -= throttle;
    }
  };
  for (const Rack& k : racks_) {
    settle(*gpu_, kThrottled, k.first_gpu, k.gpu_count);
    settle(*cpu_, kChipThrottled, k.first_tray, k.tray_count);
    if (switch_ != nullptr) settle(*switch_, kChipThrottled, k.first_switch, k.switch_count);
  }
}

double RackSet::requiredFlow(std::size_t rack, double t_supply, double power) const {
  const Rack& k = racks_[rack];
  // At the maker's return temperature and above no flow is enough; a hundredth of a kelvin keeps the figure finite.
  constexpr double kNearest = 0.01;
  return k.required_heat_flow * (power / k.rated_power) / std::max(k.required_return - t_supply, kNearest);
}

double RackSet::signalOf(const Evaluation& e, std::size_t signal_index, std::size_t r) const {
  const Rack& k = racks_[r];
  const double* const f = found(e, r);
  switch (signal_index) {
    case 0:
      return f[kPower];
    case 1:
      return e.y[yIndex(0, r)];
    case 2:
      return e.y[yIndex(1, r)];
    case 3:
      return e.m[k.edge] / k.density;
    case 4:
      return e.m[k.edge] / k.density - requiredFlow(r, e.y[yIndex(0, r)], f[kPower]);
    case 5: {
      double count = 0.0;
      for (std::size_t g = k.first_gpu; g < k.first_gpu + k.gpu_count; ++g)
        if (gpu_->z(e, kThrottled, g) != 0.0 || gpu_->z(e, kShutDown, g) != 0.0) count += 1.0;
      return count;
    }
    case 6:
      return e.p[k.node_from] - e.p[k.node_to];
    case 7:
      return f[kDcPower];
    case 8:
      return f[kLiquid];
    case 9:
      return f[kAir];
    case 10:
      return static_cast<double>(liveFeeds(e, k));
    default:
      return requiredFlow(r, e.y[yIndex(0, r)], f[kPower]);
  }
}

void RackSet::signal(const Evaluation& e, std::size_t signal_index, std::span<double> out) const {
  for (std::size_t r = 0; r < size(); ++r) out[r] = signalOf(e, signal_index, r);
}

double RackSet::protectionOf(const Evaluation& e, const RackPartSet& part, std::size_t i) {
  return part.z(e, kChipShutDown, i) != 0.0 ? 2.0 : part.z(e, kChipThrottled, i);
}

double RackSet::partSignal(const Evaluation& e, const RackPartSet& part, std::size_t signal_index,
                           std::size_t i) const {
  // The rack of a part: the last one whose first part is not after it.
  const auto rackOf = [&](const auto first) {
    std::size_t low = 0, high = racks_.size() - 1;
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (racks_[middle].*first <= i)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  };
  if (&part == gpu_) {
    switch (signal_index) {
      case 0:
        return e.y[gpu_->interior(0, i)];
      case 1:
        return gpuPower(e)[i];
      case 2:
        return gpu_->z(e, kUtilisation, i);
      case 3:
        return e.y[gpu_->interior(1, i)];
      default:
        return gpu_->z(e, kShutDown, i) != 0.0 ? 2.0 : gpu_->z(e, kThrottled, i);
    }
  }
  if (&part == tray_) {
    const Rack& k = racks_[rackOf(&Rack::first_tray)];
    switch (signal_index) {
      case 0:
        return e.y[tray_->exposed_first + i];
      case 1:
        return e.m[k.edge] * k.tray_share / k.density;
      default: {
        double power = cpuPower(e)[i] + (powered(e, k) ? k.tray_air : 0.0);
        const std::size_t first = k.first_gpu + (i - k.first_tray) * k.gpus_per_tray;
        for (std::size_t g = first; g < first + k.gpus_per_tray; ++g) power += gpuPower(e)[g];
        return power;
      }
    }
  }
  if (&part == cpu_) {
    switch (signal_index) {
      case 0:
        return e.y[cpu_->interior(0, i)];
      case 1:
        return cpuPower(e)[i];
      case 2:
        return e.y[cpu_->interior(1, i)];
      default:
        return protectionOf(e, *cpu_, i);
    }
  }
  if (&part == switch_) {
    switch (signal_index) {
      case 0:
        return e.y[switch_->exposed_first + i];
      case 1:
        return switchPower(e)[i];
      case 2:
        return e.y[switch_->interior(0, i)];
      default:
        return protectionOf(e, *switch_, i);
    }
  }
  const std::size_t r = rackOf(&Rack::first_shelf);
  const Rack& k = racks_[r];
  const double* const f = found(e, r);
  // Shelf s stands on feed s mod feeds; shelves of a dead feed deliver nothing.
  const std::size_t local = i - k.first_shelf;
  double live_shelves = static_cast<double>(k.shelf_count);
  bool on = true;
  if (!k.feeds.empty()) {
    live_shelves *= static_cast<double>(liveFeeds(e, k)) / static_cast<double>(k.feeds.size());
    on = e.energised[static_cast<std::size_t>(k.feeds[local % k.feeds.size()])] != 0;
  }
  if (!on || live_shelves <= 0.0) return 0.0;
  switch (signal_index) {
    case 0:
      return f[kDcPower] / live_shelves;
    case 1:
      return (f[kPower] - f[kDcPower]) / live_shelves;
    default:
      return f[kDcPower] / live_shelves / k.shelf_rating;
  }
}

const double* RackSet::partColumn(const Evaluation& e, const RackPartSet& part, std::size_t signal_index) const {
  if (&part == gpu_) {
    switch (signal_index) {
      case 0:
        return e.y.data() + gpu_->interior(0, 0);
      case 1:
        return gpuPower(e);
      case 2:
        return e.z.data() + gpu_->zIndex(kUtilisation, 0);
      case 3:
        return e.y.data() + gpu_->interior(1, 0);
      default:
        return nullptr;
    }
  }
  if (&part == tray_ && signal_index == 0) return e.y.data() + tray_->exposed_first;
  if (&part == cpu_ && signal_index == 0) return e.y.data() + cpu_->interior(0, 0);
  if (&part == switch_ && signal_index == 0) return e.y.data() + switch_->exposed_first;
  if (&part == switch_ && signal_index == 2) return e.y.data() + switch_->interior(0, 0);
  return nullptr;
}

bool RackSet::powered(const Evaluation& e, const Rack& k) const {
  return found(e, static_cast<std::size_t>(&k - racks_.data()))[kPower] > 0.0;
}

bool RackSet::command(State& state, std::size_t r, std::string_view verb, double value, std::string& reason) const {
  const Rack& k = racks_[r];
  if (verb == "cap" && !statedPower(value, "cap", reason)) return false;
  if (verb == "set" && !statedPower(value, "set power", reason)) return false;
  if (verb == "cap") {
    // The cap is asked for in AC; the devices behind the shelves are held to the DC it leaves.
    z(state, kPowerCap, r) =
        value > 0.0 ? value * k.shelf_efficiency.value(value / (static_cast<double>(k.shelf_count) * k.shelf_rating))
                    : 0.0;
    return true;
  }
  if (verb == "set") {
    z(state, kPowerSetting, r) = value;
    return true;
  }
  if (verb == "restore") {
    for (std::size_t g = k.first_gpu; g < k.first_gpu + k.gpu_count; ++g)
      gpu_->z(state, kShutDown, g) = gpu_->z(state, kThrottled, g) = 0.0;
    for (std::size_t t = k.first_tray; t < k.first_tray + k.tray_count; ++t)
      cpu_->z(state, kChipShutDown, t) = cpu_->z(state, kChipThrottled, t) = 0.0;
    for (std::size_t s = k.first_switch; s < k.first_switch + k.switch_count; ++s)
      switch_->z(state, kChipShutDown, s) = switch_->z(state, kChipThrottled, s) = 0.0;
  }
  return ComponentSet::command(state, r, verb, value, reason);
}

double RackSet::itPower(const Evaluation& e) const {
  double sum = 0.0;
  for (std::size_t r = 0; r < size(); ++r) sum += found(e, r)[kPower];
  return sum;
}

double RackSet::storedEnergy(const Evaluation& e) const {
  double sum = 0.0;
  const auto stored = [&](double capacity, std::size_t index) {
    sum += capacity * (e.y[index] - fluids::kReferenceTemperature);
  };
  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    const auto coolant = [&](double mass, std::size_t index) { sum += mass * k.coolant->enthalpy(e.y[index]); };
    coolant(k.manifold_mass, yIndex(0, r));
    coolant(k.manifold_mass, yIndex(1, r));
    for (std::size_t g = k.first_gpu; g < k.first_gpu + k.gpu_count; ++g) {
      stored(k.die_capacity, gpu_->interior(0, g));
      stored(k.plate_capacity, gpu_->interior(1, g));
    }
    for (std::size_t t = k.first_tray; t < k.first_tray + k.tray_count; ++t) {
      coolant(k.tray_mass, tray_->exposed_first + t);
      stored(k.tray_solid, tray_->exposed_first + t);
      stored(k.cpu_die_capacity, cpu_->interior(0, t));
      stored(k.cpu_plate_capacity, cpu_->interior(1, t));
    }
    for (std::size_t s = k.first_switch; s < k.first_switch + k.switch_count; ++s) {
      coolant(k.switch_mass, switch_->exposed_first + s);
      stored(k.switch_die_capacity, switch_->interior(0, s));
      stored(k.switch_plate_capacity, switch_->interior(1, s));
    }
  }
  return sum;
}

std::span<const RegisteredClass> itClasses() {
  static const RegisteredClass classes[] = {
      {&rackInfo(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
         auto racks = std::make_unique<RackSet>(std::move(instances));
         RackSet* raw = racks.get();
         out.push_back(std::move(racks));
         raw->makeParts(out);
       }}};
  return classes;
}

}  // namespace podtwin
