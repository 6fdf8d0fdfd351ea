#include "model/components/it/rack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/base/diagnostics.hpp"
#include "model/components/it/rack_info.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

std::string padded(std::size_t number, std::size_t count) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*zu", count >= 100 ? 3 : (count >= 10 ? 2 : 1), number);
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

void RackSet::initialise(State& state, double temperature) const {
  initialiseCommon(state);
  for (std::size_t k = 0; k < info().states.size(); ++k)
    for (std::size_t r = 0; r < size(); ++r)
      state.y[yIndex(k, r)] = info().states[k].quantity == Quantity::temperature ? temperature : 0.0;
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
    case 11:
      return requiredFlow(r, e.y[yIndex(0, r)], f[kPower]);
    default:
      return shelfBankSignal(e, signal_index, r);
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
    z(state, kCapOrdered, r) = value;
    z(state, kCapDue, r) = state.t + k.limit_time;
    return true;
  }
  if (verb == "brake") {
    z(state, kBrakeDue, r) = state.t + k.brake_time;
    return true;
  }
  if (verb == "release") {
    z(state, kBrakeDue, r) = kNever;
    z(state, kBrake, r) = 0.0;
    return true;
  }
  if (verb == "set") {
    z(state, kPowerSetting, r) = value;
    return true;
  }
  if (verb == "restore") {
    z(state, kDropped, r) = 0.0;
    z(state, kRestartDue, r) = kNever;
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
