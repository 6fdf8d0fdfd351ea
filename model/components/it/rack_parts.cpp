// The parts of a rack: what they show and the orders they take.
#include "model/components/it/rack.hpp"

#include <algorithm>
#include <cmath>

#include "model/components/it/rack_info.hpp"

namespace podtwin {

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
  racks_.startFlow(state, *this);
  for (std::size_t i = 0; i < exposedCount(); ++i) state.y[exposed_first + i] = temperature;
  for (std::size_t i = 0; i < interiorCount(); ++i) state.y[interior_first + i] = temperature;
}

void RackPartSet::signal(const Evaluation& e, std::size_t signal_index, std::span<double> out) const {
  // The columns that are contiguous already are copied: every GPU is looked at each second.
  if (racks_.shelfSignals(e, *this, signal_index, out)) return;
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
  if (racks_.commandFlow(state, *this, i, verb, value, reason)) {
    if (!reason.empty()) return false;
    if (&info() == &trayInfo() && verb == "restore") racks_.restoreTray(state, i);
    if (&info() != &switchTrayInfo() || verb != "restore") return true;
  }
  if (&info() == &gpuInfo()) {
    if (verb == "cap") {
      if (!RackSet::statedPower(value, "cap", reason)) return false;
      z(state, RackSet::kGpuCap, i) = value;
      return true;
    }
    if (verb == "restore") {
      z(state, RackSet::kShutDown, i) = 0.0;
      z(state, RackSet::kThrottled, i) = 0.0;
    }
    if (verb == "trip" || verb == "restore") return ComponentSet::command(state, i, verb, value, reason);
  }
  if (&info() == &powerShelfInfo()) return racks_.commandShelf(state, i, verb, value, reason);
  if ((&info() == &cpuInfo() || &info() == &switchTrayInfo()) && verb == "restore") {
    z(state, RackSet::kChipThrottled, i) = z(state, RackSet::kChipShutDown, i) = 0.0;
    return true;
  }
  reason = "a " + std::string(info().name) + " cannot be asked to '" + std::string(verb) + "'";
  return false;
}

double RackSet::protectionOf(const Evaluation& e, const RackPartSet& part, std::size_t i) {
  return part.z(e, kChipShutDown, i) != 0.0 ? 2.0 : part.z(e, kChipThrottled, i);
}

// The last rack whose first part is not after it.
std::size_t RackSet::rackOf(std::size_t Rack::*first, std::size_t part) const {
  std::size_t low = 0, high = racks_.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (racks_[middle].*first <= part)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

double RackSet::partSignal(const Evaluation& e, const RackPartSet& part, std::size_t signal_index,
                           std::size_t i) const {
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
    const Rack& k = racks_[rackOf(&Rack::first_tray, i)];
    switch (signal_index) {
      case 0:
        return e.y[tray_->exposed_first + i];
      case 1:
        return e.m[k.edge] * trayShares(e)[i] / k.density;
      case 3:
        return tray_->z(e, kTrayBranch + kDisconnected, i) != 0.0 ? 1.0
                                                                  : 2.0 * tray_->z(e, kTrayBranch + kAirLocked, i);
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
      case 3:
        return protectionOf(e, *switch_, i);
      case 4: {
        const Rack& k = racks_[rackOf(&Rack::first_switch, i)];
        return e.m[k.edge] * switchShares(e)[i] / k.density;
      }
      default:
        return switch_->z(e, kSwitchBranch + kDisconnected, i) != 0.0
                   ? 1.0
                   : 2.0 * switch_->z(e, kSwitchBranch + kAirLocked, i);
    }
  }
  return shelfSignal(e, signal_index, i);
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

}  // namespace podtwin
