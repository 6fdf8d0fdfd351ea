// Parameters, ports and couplings of a rack.
#include <array>
#include <cmath>
#include <cstdio>

#include "model/base/diagnostics.hpp"
#include "model/components/it/rack.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

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

void RackSet::bind(Binder& b) {
  for (std::size_t r = 0; r < size(); ++r) {
    const InstanceDescription& d = description(r);
    Rack& k = racks_[r];
    k.node_from = b.fluidNode(r, "from");
    k.node_to = b.fluidNode(r, "to");
    k.from = b.nodePort(k.node_from);
    k.to = b.nodePort(k.node_to);
    k.air = b.hasPort(r, "air") ? b.heatPort(r, "air") : b.ambient();
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
    bindShelves(b, r);

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

}  // namespace podtwin
