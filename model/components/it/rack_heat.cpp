// Heat of a rack from die to coolant and air. Equations: rack.md.
#include "model/components/it/rack.hpp"

#include <cmath>

#include "model/components/it/rack_loops.hpp"

namespace podtwin {

namespace {

constexpr double kGreatNtu = 700.0;  // exp(-NTU) is nothing beside 1

}  // namespace

// What the flow carries away, eps m cp: the published resistance where it was measured, constant UA below; see rack.md.
RackSet::PlateLaw RackSet::gpuPlate(const Rack& k, double flow) {
  if (flow < k.plate_flow_low) return fixedPlate(k, k.plate_ua_low, flow);
  const double below = k.plate_r0 * flow + k.plate_r1;
  return {flow / below, k.plate_r1 / (below * below)};
}

RackSet::PlateLaw RackSet::fixedPlate(const Rack& k, double ua, double flow) {
  const double rho_cp = k.density * k.specific_heat, rate = flow * rho_cp;
  if (!(ua < kGreatNtu * rate)) return {rate, rho_cp};
  const double ntu = ua / rate, remaining = std::exp(-ntu);
  return {-rate * std::expm1(-ntu), rho_cp * (1.0 - (1.0 + ntu) * remaining)};
}

// Trays whose flows are nearly the same: the laws' tangents at the flow of the one in the middle.
void RackSet::findPlatesEven(Evaluation& e, const Rack& k, double flow) const {
  const std::size_t t = k.first_tray, trays = k.tray_count;
  const double* const share = trayShares(e) + t;
  const double middle = share[trays / 2];
  const double gpu_flow = flow * k.gpu_share, cpu_flow = flow * k.cpu_share;
  const PlateLaw gpu = gpuPlate(k, gpu_flow * middle);
  const PlateLaw cpu = fixedPlate(k, k.cpu_ua, cpu_flow * middle);
  rack_loops::straight(trays, share, middle, gpu.ua, gpu.slope * gpu_flow, trayUa(e) + t);
  rack_loops::straight(trays, share, middle, cpu.ua, cpu.slope * cpu_flow, cpuUa(e) + t);
  if (k.switch_count == 0) return;
  const double* const by_switch = switchShares(e) + k.first_switch;
  const double centre = by_switch[k.switch_count / 2];
  const PlateLaw plate = fixedPlate(k, k.switch_ua, flow * centre);
  rack_loops::straight(k.switch_count, by_switch, centre, plate.ua, plate.slope * flow, switchUa(e) + k.first_switch);
}

void RackSet::findPlatesUneven(Evaluation& e, const Rack& k, double flow) const {
  const double* const share = trayShares(e);
  for (std::size_t t = k.first_tray; t < k.first_tray + k.tray_count; ++t) {
    const double tray_flow = flow * share[t];
    cpuUa(e)[t] = fixedPlate(k, k.cpu_ua, tray_flow * cpu_->z(e, kCpuShare, t)).ua;
    const std::size_t first = k.first_gpu + (t - k.first_tray) * k.gpus_per_tray;
    double last_flow = -1.0, last_ua = 0.0;
    for (std::size_t g = first; g < first + k.gpus_per_tray; ++g) {
      const double own = tray_flow * gpu_->z(e, kGpuShare, g);
      if (own != last_flow) last_ua = gpuPlate(k, own).ua;
      last_flow = own;
      gpuUa(e)[g] = last_ua;
    }
  }
  for (std::size_t s = k.first_switch; s < k.first_switch + k.switch_count; ++s)
    switchUa(e)[s] = fixedPlate(k, k.switch_ua, flow * switchShares(e)[s]).ua;
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
  double* const ua = enthalpy + chips_most_;

  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    double* const f = found(e, r);
    const double m = e.m[k.edge];
    const double t_supply = y[yIndex(0, r)], t_return = y[yIndex(1, r)];
    const bool forward = m > 0.0, uneven = z(e, kUneven, r) != 0.0;
    const double t_in = forward ? t_supply : t_return;
    if (uneven)
      findPlatesUneven(e, k, std::abs(m) / k.density);
    else
      findPlatesEven(e, k, std::abs(m) / k.density);

    const std::size_t g = k.first_gpu, t = k.first_tray, trays = k.tray_count;
    const std::size_t coolant = tray_->exposed_first + t;
    const double* const plate_ua = uneven ? gpuUa(e) + g : ua;
    if (!uneven) {
      const double* const tray_ua = trayUa(e) + t;
      for (std::size_t i = 0, gpu = 0; i < trays; ++i)
        for (std::size_t end = gpu + k.gpus_per_tray; gpu < end; ++gpu) ua[gpu] = tray_ua[i];
    }
    rack_loops::chipRates(k.gpu_count, {1.0, 1.0 / k.r_junction_case, 1.0 / k.die_capacity, 1.0 / k.plate_capacity},
                          p_gpu + g, y + gpu_->interior(0, g), y + gpu_->interior(1, g), plate_ua, t_in,
                          ydot + gpu_->interior(0, g), ydot + gpu_->interior(1, g), taken);
    for (std::size_t i = 0, gpu = 0; i < trays; ++i) {
      double sum = 0.0;
      for (std::size_t end = gpu + k.gpus_per_tray; gpu < end; ++gpu) sum += taken[gpu];
      tray_heat[i] = sum;
    }
    rack_loops::chipRates(trays, {1.0, 1.0 / k.cpu_r, 1.0 / k.cpu_die_capacity, 1.0 / k.cpu_plate_capacity}, p_cpu + t,
                          y + cpu_->interior(0, t), y + cpu_->interior(1, t), cpuUa(e) + t, t_in,
                          ydot + cpu_->interior(0, t), ydot + cpu_->interior(1, t), taken);
    for (std::size_t i = 0; i < trays; ++i) taken[i] += tray_heat[i];
    const double excess_each = f[kExcessLiquid] / static_cast<double>(trays);
    const double flow = std::abs(m);
    const double h_supply = k.coolant->enthalpy(t_supply), h_return = k.coolant->enthalpy(t_return);
    const double h_in = forward ? h_supply : h_return;
    // Flow-weighted enthalpy of what leaves the trays.
    rack_loops::enthalpies(trays, k.specific_heat, e.kept.data() + coolant, enthalpy);
    double mixed =
        rack_loops::coolantHeat(trays, excess_each, flow, trayShares(e) + t, h_in, enthalpy, taken, heat + coolant);
    if (k.switch_count > 0) {
      const std::size_t s = k.first_switch, switches = k.switch_count;
      const std::size_t switch_coolant = switch_->exposed_first + s;
      rack_loops::chipRates(
          switches, {k.switch_liquid, 1.0 / k.switch_r, 1.0 / k.switch_die_capacity, 1.0 / k.switch_plate_capacity},
          p_switch + s, y + switch_->interior(0, s), y + switch_->interior(1, s), switchUa(e) + s, t_in,
          ydot + switch_->interior(0, s), ydot + switch_->interior(1, s), taken);
      rack_loops::enthalpies(switches, k.specific_heat, e.kept.data() + switch_coolant, enthalpy);
      mixed += rack_loops::coolantHeat(switches, 0.0, flow, switchShares(e) + s, h_in, enthalpy, taken,
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
    storeRates(e, r);
  }
}

void RackSet::jacobian(const Evaluation& e, JacobianWriter& w) const {
  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    const double m = e.m[k.edge];
    const bool forward = m > 0.0, uneven = z(e, kUneven, r) != 0.0;
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
    storeJacobian(e, w, r);
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
    for (std::size_t t = 0; t < k.tray_count; ++t)
      stamp(tray_->exposed_first + k.first_tray + t, trayShares(e)[k.first_tray + t]);
    for (std::size_t s = 0; s < k.switch_count; ++s)
      stamp(switch_->exposed_first + k.first_switch + s, switchShares(e)[k.first_switch + s]);

    const auto chips = [&](const RackPartSet& part, std::size_t first, std::size_t count, std::size_t own_first,
                           std::size_t per_own, double die_capacity, double plate_capacity, double resistance,
                           const auto& plate) {
      Jacobian::GroupValues& v = w.group(part.group);
      const std::size_t n = part.size();
      const double g = 1.0 / resistance, by_inlet = forward ? 1.0 : 0.0;  // the return manifold is no port
      for (std::size_t i = first; i < first + count; ++i) {
        const double ua = plate(i), ua_supply = by_inlet * ua;
        v.ii[0 * n + i] = -g / die_capacity;
        v.ii[1 * n + i] = g / die_capacity;
        v.ii[2 * n + i] = g / plate_capacity;
        v.ii[3 * n + i] = -(g + ua) / plate_capacity;
        v.ip[2 * n + i] = 0.0;
        v.ip[3 * n + i] = ua_supply / plate_capacity;
        const std::size_t own = own_first + (i - first) / per_own;
        v.pi[1 * n + i] = ua * w.inverseCapacity(own);  // coolant row by plate
        w.add(part.slot_ws[i], own, -ua_supply);
      }
    };
    const std::size_t coolant = tray_->exposed_first + k.first_tray;
    chips(*gpu_, k.first_gpu, k.gpu_count, coolant, k.gpus_per_tray, k.die_capacity, k.plate_capacity,
          k.r_junction_case, [&](std::size_t g) {
            return uneven ? gpuUa(e)[g] : trayUa(e)[k.first_tray + (g - k.first_gpu) / k.gpus_per_tray];
          });
    chips(*cpu_, k.first_tray, k.tray_count, coolant, 1, k.cpu_die_capacity, k.cpu_plate_capacity, k.cpu_r,
          [&](std::size_t t) { return cpuUa(e)[t]; });
    if (switch_ != nullptr)
      chips(*switch_, k.first_switch, k.switch_count, switch_->exposed_first + k.first_switch, 1, k.switch_die_capacity,
            k.switch_plate_capacity, k.switch_r, [&](std::size_t s) { return switchUa(e)[s]; });
  }
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
    for (const auto store : {kCapacitorsMissing, kBbuMissing, kHoldUpMissing}) sum -= e.y[yIndex(store, r)];
    for (std::size_t g = k.first_gpu; g < k.first_gpu + k.gpu_count; ++g) {
      stored(k.die_capacity, gpu_->interior(0, g));
      stored(k.plate_capacity, gpu_->interior(1, g));
    }
    for (std::size_t t = k.first_tray; t < k.first_tray + k.tray_count; ++t) {
      coolant(k.tray_mass, tray_->exposed_first + t);
      sum += k.tray_solid * (k.coolant->carried(e.y[tray_->exposed_first + t]) - fluids::kReferenceTemperature);
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

}  // namespace podtwin
