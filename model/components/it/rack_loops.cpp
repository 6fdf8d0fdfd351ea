#include "model/components/it/rack_loops.hpp"

#include <algorithm>

#include "model/base/vectorised.hpp"

namespace podtwin::rack_loops {

PODTWIN_VECTORISED GpuPowerSums gpuPowers(std::size_t n, const GpuPowerLaw& law, const double* __restrict utilisation,
                                          const double* __restrict throttled, const double* __restrict shut_down,
                                          const double* __restrict tripped, const double* __restrict cap,
                                          const double* __restrict t_die, double* __restrict power) {
  const GpuPowerLaw k = law;
  double sum[PODTWIN_LANES], busy[PODTWIN_LANES];
  for (std::size_t lane = 0; lane < PODTWIN_LANES; ++lane) sum[lane] = busy[lane] = 0.0;
  const auto one = [&](std::size_t i, std::size_t lane) {
    const double u = utilisation[i], stated = cap[i];
    const double capped = stated < k.limit ? stated : k.limit;
    const double top = stated > 0.0 ? capped : k.limit;
    double p = k.idle + k.dynamic * u + k.leakage * (t_die[i] - k.leakage_at);
    p = p < 0.0 ? 0.0 : p;
    p = top < p ? top : p;
    p -= throttled[i] * (p - (k.throttled < p ? k.throttled : p));
    p = shut_down[i] + tripped[i] != 0.0 ? 0.0 : p;
    power[i] = p;
    sum[lane] += p;
    busy[lane] += u;
  };
  std::size_t i = 0;
  for (; i + PODTWIN_LANES <= n; i += PODTWIN_LANES)
    for (std::size_t lane = 0; lane < PODTWIN_LANES; ++lane) one(i + lane, lane);
  for (; i < n; ++i) one(i, 0);
  GpuPowerSums all;
  for (std::size_t lane = 0; lane < PODTWIN_LANES; ++lane) {
    all.power += sum[lane];
    all.utilisation += busy[lane];
  }
  return all;
}

PODTWIN_VECTORISED double heldPowers(std::size_t n, double each, double throttle_power,
                                     const double* __restrict throttled, const double* __restrict shut_down,
                                     double* __restrict power) {
  const double least = throttle_power < each ? throttle_power : each;
  double taken = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double p = each - throttled[i] * (each - least);
    p = shut_down[i] != 0.0 ? 0.0 : p;
    power[i] = p;
    taken += each - p;
  }
  return taken;
}

PODTWIN_VECTORISED void chipRates(std::size_t n, const ChipLaw& law, const double* __restrict power,
                                  const double* __restrict t_die, const double* __restrict t_plate,
                                  const double* __restrict plate_to_inlet, double t_in, double* __restrict d_die,
                                  double* __restrict d_plate, double* __restrict taken) {
  const ChipLaw k = law;
  for (std::size_t i = 0; i < n; ++i) {
    const double through = k.junction_to_plate * (t_die[i] - t_plate[i]);
    const double out = plate_to_inlet[i] * (t_plate[i] - t_in);
    d_die[i] = k.inverse_die * (k.plate_share * power[i] - through);
    d_plate[i] = k.inverse_plate * (through - out);
    taken[i] = out;
  }
}

PODTWIN_VECTORISED void straight(std::size_t n, const double* __restrict flow, double at, double value, double slope,
                                 double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = value + slope * (flow[i] - at);
}

PODTWIN_VECTORISED void enthalpies(std::size_t n, double specific_heat, const double* __restrict carried,
                                   double* __restrict enthalpy) {
  for (std::size_t i = 0; i < n; ++i) enthalpy[i] = specific_heat * (carried[i] - fluids::kReferenceTemperature);
}

PODTWIN_VECTORISED double coolantHeat(std::size_t n, double extra, double flow, const double* __restrict share,
                                      double enthalpy_in, const double* __restrict enthalpy,
                                      const double* __restrict taken, double* __restrict heat) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    heat[i] += taken[i] + extra + flow * share[i] * (enthalpy_in - enthalpy[i]);
    sum += share[i] * enthalpy[i];
  }
  return sum;
}

}  // namespace podtwin::rack_loops
