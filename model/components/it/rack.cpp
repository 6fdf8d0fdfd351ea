#include "model/components/it/rack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "model/base/diagnostics.hpp"
#include "model/components/it/rack_info.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

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

std::string kelvinPerWatt(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g K/W", value);
  return text;
}

}  // namespace

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
  const std::size_t powers = gpu_total_ + tray_total_ + switch_total_;
  const std::size_t plates = gpu_total_ + 2 * tray_total_ + switch_total_;
  return size() * kFoundCount + powers + plates + 4 * chips_most_;
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
    bindFlow(b, r);
    // Beyond 1 the plate would give the coolant more heat than warms it to the case; it falls with the flow.
    const double coolant = k.plate_flow_low * k.density * k.specific_heat;
    const double resistance = k.plate_r0 + k.plate_r1 / k.plate_flow_low;
    if (resistance * coolant > 1.0) {
      k.plate_ua_low = -std::log1p(-1.0 / (resistance * coolant)) * coolant;
    } else {
      const ParameterValue& low = d.parameters.at("plate_flow_low");
      b.problems().error(low.given ? low.where : d.where,
                         "'" + d.id + "': at plate_flow_low the plate's resistance is " + kelvinPerWatt(resistance) +
                             ", not above the " + kelvinPerWatt(1.0 / coolant) + " by which the coolant alone warms",
                         "give a higher plate_flow_low, or check plate_resistance and plate_resistance_slope");
    }

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
  for (std::size_t r = 0; r < size(); ++r) z(state, kUneven, r) = racks_[r].uneven ? 1.0 : 0.0;
}

bool RackSet::statedPower(double value, const char* what, std::string& reason) {
  if (value >= 0.0 && std::isfinite(value)) return true;
  reason = std::string("a ") + what + " is a power of 0 W or more (0 lifts it)";
  return false;
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

bool RackSet::powered(const Evaluation& e, const Rack& k) const {
  return found(e, static_cast<std::size_t>(&k - racks_.data()))[kPower] > 0.0;
}

void RackSet::restoreTray(State& state, std::size_t tray) const {
  const Rack& k = racks_[rackOf(&Rack::first_tray, tray)];
  cpu_->z(state, kChipShutDown, tray) = cpu_->z(state, kChipThrottled, tray) = 0.0;
  const std::size_t first = k.first_gpu + (tray - k.first_tray) * k.gpus_per_tray;
  for (std::size_t g = first; g < first + k.gpus_per_tray; ++g)
    gpu_->z(state, kShutDown, g) = gpu_->z(state, kThrottled, g) = 0.0;
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
    for (std::size_t t = k.first_tray; t < k.first_tray + k.tray_count; ++t) restoreTray(state, t);
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
