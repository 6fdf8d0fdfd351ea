// Electric power of a rack: devices, caps, shelves and feeds. Equations: rack.md.
#include "model/components/it/rack.hpp"

#include <algorithm>
#include <cmath>

#include "model/components/it/rack_loops.hpp"

namespace podtwin {

/// Output [W DC] of shelves of a `rating` [W DC] together whose input is `ac` [W].
double RackSet::outputAt(const Rack& k, double ac, double rating) {
  constexpr int kIterations = 6;  // the efficiency curve is flat
  double dc = ac;
  for (int i = 0; i < kIterations; ++i) dc = ac * k.shelf_efficiency.value(dc / rating);
  return dc;
}

/// Likewise of those that draw now; of none, all that is asked for.
double RackSet::outputAt(const Evaluation& e, std::size_t r, double ac) const {
  const Rack& k = racks_[r];
  const double rating = found(e, r)[kDrawing] / supplyPower(e, r) * k.shelf_rating / k.supplies_each;
  return rating > 0.0 ? outputAt(k, ac, rating) : ac;
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

  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    double* const f = found(e, r);
    std::fill(f, f + kFoundCount, 0.0);
    findCapability(e, r);
    if (!on(e, r)) {
      std::fill(p_gpu + k.first_gpu, p_gpu + k.first_gpu + k.gpu_count, 0.0);
      std::fill(p_cpu + k.first_tray, p_cpu + k.first_tray + k.tray_count, 0.0);
      std::fill(p_switch + k.first_switch, p_switch + k.first_switch + k.switch_count, 0.0);
      supplyBusbar(e, r, 0.0);
      f[kAir] = f[kPower] + storeOutput(f);
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
      const double dc = outputAt(k, setting, static_cast<double>(k.shelf_count) * k.shelf_rating);
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
    // In this order: an ordered limit, what the rack asks for, then what its shelves do about it.
    const double other = cpu_sum + switch_sum + air + excess_liquid;
    if (const double cap = z(e, kPowerCap, r); cap > 0.0) sum = limitGpus(p_gpu, k, sum, outputAt(e, r, cap) - other);
    if (z(e, kBrake, r) != 0.0) sum = brakeGpus(p_gpu, k);
    f[kWanted] = sum + other;
    if (z(e, kShelfBrake, r) != 0.0) sum = brakeGpus(p_gpu, k);
    if (z(e, kShelfLimit, r) != 0.0) sum = limitGpus(p_gpu, k, sum, capability(e, r) - other);
    const double dc = sum + other;
    supplyBusbar(e, r, dc);
    f[kDcPower] = dc;
    f[kLiquid] = sum + cpu_sum + switch_sum * k.switch_liquid + excess_liquid;
    f[kExcessLiquid] = excess_liquid;
    f[kAir] = f[kPower] + storeOutput(f) - f[kLiquid];
  }
}

/// Power [W] of the GPUs after they are held to `allowed` [W] together, in proportion.
double RackSet::limitGpus(double* power, const Rack& k, double sum, double allowed) {
  allowed = std::max(allowed, 0.0);
  if (sum <= allowed) return sum;
  const double factor = allowed / sum;
  for (std::size_t g = k.first_gpu; g < k.first_gpu + k.gpu_count; ++g) power[g] *= factor;
  return allowed;
}

/// Power [W] of the GPUs after the hardware brake holds each of them.
double RackSet::brakeGpus(double* power, const Rack& k) {
  double sum = 0.0;
  for (std::size_t g = k.first_gpu; g < k.first_gpu + k.gpu_count; ++g) {
    power[g] = std::min(power[g], k.gpu_brake_power);
    sum += power[g];
  }
  return sum;
}

}  // namespace podtwin
