#include "tests/performance/solvers/pod_like_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace podtwin::performance {

namespace {

constexpr std::size_t kUnits = 8, kRacksPerUnit = 8, kRacks = kUnits * kRacksPerUnit;
constexpr std::size_t kComputeTrays = 18, kSwitchTrays = 9, kTraysPerRack = kComputeTrays + kSwitchTrays;
constexpr std::size_t kGpusPerTray = 4;
constexpr std::size_t kPipeCells = 6, kExchangerCells = 6, kFacilityCells = 32, kControls = 4;
constexpr double kHeatCapacity = 3900.0;                           // J/(kg K), a glycol mixture
constexpr double kUnitFlow = 9.6;                                  // kg/s of a unit at full speed
constexpr double kColdFlow = 14.0;                                 // kg/s of a unit's facility side with the valve open
constexpr double kTrayCapacity = 2.0e3;                            // J/K of coolant in a tray
constexpr double kManifoldCapacity = 12.0e3;                       // J/K
constexpr double kPipeCapacity = 16.0e3;                           // J/K of a cell
constexpr double kExchangerWater = 4.0e3, kExchangerWall = 2.0e3;  // J/K of a cell
constexpr double kExchangerFilm = 60.0e3;                          // W/K of a cell and side at full flow
constexpr double kFacilityCapacity = 2.0e6;                        // J/K of a cell
constexpr double kCoolerConductance = 2.0e5;                       // W/K of each of the cells in the dry cooler
constexpr std::size_t kCoolerFirst = 12, kCoolerCells = 8;
constexpr double kLeakage = 0.002;                                   // 1/K of power
constexpr double kLeakageReference = 60.0;                           // degC
constexpr double kFloor2 = 4e-4;                                     // of the relative flow squared in film laws
constexpr double kPumpLag = 4.0, kValveLag = 6.0, kSensorLag = 3.0;  // s
constexpr double kSupplyWanted = 40.0;                               // degC
constexpr double kGain = 0.02, kIntegralGain = 0.001;                // 1/K, 1/(K s)
constexpr double kSupplyShare = 0.5;  // of the plate's coolant temperature that is the supply's

double filmLaw(double relative) { return std::pow(relative * relative + kFloor2, 0.4); }

}  // namespace

PodLikeProblem::PodLikeProblem() {
  tray_ = 0;
  supply_ = kRacks * kTraysPerRack;
  return_ = supply_ + kRacks;
  pipe_ = return_ + kRacks;                              // [unit][supply 6, return 6]
  exchanger_ = pipe_ + kUnits * 2 * kPipeCells;          // [unit][cell][hot, wall, cold]
  control_ = exchanger_ + kUnits * 3 * kExchangerCells;  // [unit][speed, valve, integral, sensor]
  facility_ = control_ + kUnits * kControls;
  structure_.exposed = facility_ + kFacilityCells;

  for (std::size_t i = 0; i < structure_.exposed; ++i) couple(i, i);
  for (std::size_t r = 0; r < kRacks; ++r) {
    const std::size_t unit = r / kRacksPerUnit;
    for (std::size_t k = 0; k < kTraysPerRack; ++k) {
      const std::size_t t = tray_ + r * kTraysPerRack + k;
      couple(t, supply_ + r);
      couple(supply_ + r, t);  // a pair of ports
      couple(return_ + r, t);
    }
    couple(supply_ + r, pipe_ + unit * 2 * kPipeCells + kPipeCells - 1);
    couple(pipe_ + unit * 2 * kPipeCells + kPipeCells, return_ + r);
  }
  for (std::size_t u = 0; u < kUnits; ++u) {
    const std::size_t pipe = pipe_ + u * 2 * kPipeCells, x = exchanger_ + u * 3 * kExchangerCells,
                      c = control_ + u * kControls;
    for (std::size_t k = 1; k < 2 * kPipeCells; ++k)
      if (k != kPipeCells) couple(pipe + k, pipe + k - 1);
    couple(x, pipe + 2 * kPipeCells - 1);
    couple(pipe, x + 3 * (kExchangerCells - 1));
    for (std::size_t k = 0; k < kExchangerCells; ++k) {
      const std::size_t hot = x + 3 * k, wall = hot + 1, cold = hot + 2;
      if (k > 0) couple(hot, hot - 3);
      if (k + 1 < kExchangerCells) couple(cold, cold + 3);
      couple(hot, wall);
      couple(wall, hot);
      couple(wall, cold);
      couple(cold, wall);
    }
    couple(x + 3 * (kExchangerCells - 1) + 2, facility_ + kFacilityCells - 1);
    couple(facility_, x + 2);
    couple(c + 1, c + 2);
    couple(c + 1, c + 3);
    couple(c + 2, c + 3);
    couple(c + 3, pipe);
  }
  for (std::size_t k = 1; k < kFacilityCells; ++k) couple(facility_ + k, facility_ + k - 1);
  std::sort(structure_.couplings.begin(), structure_.couplings.end());
  structure_.couplings.erase(std::unique(structure_.couplings.begin(), structure_.couplings.end()),
                             structure_.couplings.end());

  std::size_t next = structure_.exposed;
  const auto group = [&](const std::string& name, std::size_t first_tray, std::size_t trays, std::size_t per_tray,
                         Chips chips) {
    InteriorGroup shape;
    shape.name = name;
    shape.interior = 2;
    shape.ports = 2;
    shape.first = next;
    for (std::size_t r = 0; r < kRacks; ++r)
      for (std::size_t k = first_tray; k < first_tray + trays; ++k)
        for (std::size_t g = 0; g < per_tray; ++g) {
          chips.tray.push_back(tray_ + r * kTraysPerRack + k);
          chips.rack.push_back(r);
        }
    shape.count = chips.tray.size();
    for (const std::size_t t : chips.tray) shape.port.push_back(static_cast<std::int64_t>(t));
    for (const std::size_t r : chips.rack) shape.port.push_back(static_cast<std::int64_t>(supply_ + r));
    chips.power.assign(shape.count, 0.5 * chips.nominal);
    next += shape.count * shape.interior;
    structure_.groups.push_back(std::move(shape));
    chips_.push_back(std::move(chips));
  };
  group("gpu", 0, kComputeTrays, kGpusPerTray,
        {.tray = {},
         .rack = {},
         .power = {},
         .nominal = 1200.0,
         .die_capacity = 120.0,
         .plate_capacity = 160.0,
         .junction = 60.0,
         .film = 45.0});
  group("cpu", 0, kComputeTrays, 1,
        {.tray = {},
         .rack = {},
         .power = {},
         .nominal = 600.0,
         .die_capacity = 100.0,
         .plate_capacity = 300.0,
         .junction = 50.0,
         .film = 40.0});
  group("switch", kComputeTrays, kSwitchTrays, 1,
        {.tray = {},
         .rack = {},
         .power = {},
         .nominal = 900.0,
         .die_capacity = 150.0,
         .plate_capacity = 400.0,
         .junction = 60.0,
         .film = 45.0});
  structure_.size = next;

  scale_.assign(structure_.size, 1.0);
  for (std::size_t u = 0; u < kUnits; ++u)
    for (std::size_t k = 0; k < 3; ++k) scale_[control_ + u * kControls + k] = 0.1;
  speed_wanted_.assign(kUnits, 0.9);
  for (auto* values : {&flow_, &film_factor_, &cold_flow_}) values->assign(kUnits, 0.0);
}

std::vector<double> PodLikeProblem::start() const {
  std::vector<double> y(structure_.size, 45.0);
  for (std::size_t u = 0; u < kUnits; ++u) {
    y[control_ + u * kControls] = 0.9;
    y[control_ + u * kControls + 1] = 0.6;
    y[control_ + u * kControls + 2] = 0.6;
    y[control_ + u * kControls + 3] = kSupplyWanted;
  }
  for (std::size_t k = 0; k < kFacilityCells; ++k) y[facility_ + k] = 36.0;
  return y;
}

void PodLikeProblem::setInputs(int second) {
  std::mt19937_64 random(0x90d + static_cast<std::uint64_t>(second));
  const auto noise = [&] { return 2.0 * static_cast<double>(random() >> 11U) / 9007199254740992.0 - 1.0; };  // 2^53
  for (auto& chips : chips_)
    for (std::size_t i = 0; i < chips.power.size(); ++i) {
      const int job = static_cast<int>(chips.rack[i] / 4);
      const int period = 13 + job % 15;
      const bool computes = (second + 5 * job) % period < (2 * period) / 3 && (second + 37 * job) % 300 > 12;
      chips.power[i] = chips.nominal * (computes ? 0.92 : 0.35) * (1.0 + 0.06 * noise());
    }
  for (std::size_t u = 0; u < kUnits; ++u)
    speed_wanted_[u] =
        0.85 * (1.0 + 0.12 * std::sin(2.0 * std::numbers::pi * second / (90.0 + 10.0 * static_cast<double>(u))));
}

void PodLikeProblem::flows(std::span<const double> y) {
  for (std::size_t u = 0; u < kUnits; ++u) {
    const double speed = y[control_ + u * kControls];
    if (!(speed > -1.0 && speed < 3.0)) throw std::runtime_error("pod-like problem: pump speed out of range");
    flow_[u] = kUnitFlow * speed;
    film_factor_[u] = filmLaw(speed);
    cold_flow_[u] = kColdFlow * std::max(y[control_ + u * kControls + 1], 0.02);
  }
}

void PodLikeProblem::chipRates(const Chips& chips, const InteriorGroup& group, std::span<const double> y,
                               std::span<double> ydot) const {
  const std::size_t n = group.count;
  const double* die = y.data() + group.first;
  const double* plate = die + n;
  double* die_rate = ydot.data() + group.first;
  double* plate_rate = die_rate + n;
  const double per_die = 1.0 / chips.die_capacity, per_plate = 1.0 / chips.plate_capacity;
  const std::size_t per_rack = n / kRacks;
  for (std::size_t r = 0; r < kRacks; ++r) {
    const double film = chips.film * film_factor_[r / kRacksPerUnit];
    const double supply = kSupplyShare * y[supply_ + r];
    for (std::size_t i = r * per_rack; i < (r + 1) * per_rack; ++i) {
      const double across = chips.junction * (die[i] - plate[i]);
      const double heat = film * (plate[i] - supply - (1.0 - kSupplyShare) * y[chips.tray[i]]);
      const double power = chips.power[i] * (1.0 + kLeakage * (die[i] - kLeakageReference));
      die_rate[i] = (power - across) * per_die;
      plate_rate[i] = (across - heat) * per_plate;
      ydot[chips.tray[i]] += heat * (1.0 / kTrayCapacity);
    }
  }
}

void PodLikeProblem::rates(double, std::span<const double> y, std::span<double> ydot) {
  flows(y);
  const double back = y[facility_ + kFacilityCells - 1];
  double total_cold = 0.0, mixed = 0.0;
  for (std::size_t r = 0; r < kRacks; ++r) {
    const std::size_t u = r / kRacksPerUnit;
    const double rack_flow = kHeatCapacity * flow_[u] / kRacksPerUnit, tray_flow = rack_flow / kTraysPerRack;
    const double supply = y[supply_ + r];
    ydot[supply_ + r] = rack_flow / kManifoldCapacity * (y[pipe_ + u * 2 * kPipeCells + kPipeCells - 1] - supply);
    double outlet = 0.0;
    const std::size_t first = tray_ + r * kTraysPerRack;
    for (std::size_t t = first; t < first + kTraysPerRack; ++t) {
      ydot[t] = tray_flow / kTrayCapacity * (supply - y[t]);
      outlet += y[t];
    }
    ydot[return_ + r] = rack_flow / kManifoldCapacity * (outlet / kTraysPerRack - y[return_ + r]);
  }
  for (std::size_t u = 0; u < kUnits; ++u) {
    const std::size_t pipe = pipe_ + u * 2 * kPipeCells, x = exchanger_ + u * 3 * kExchangerCells,
                      c = control_ + u * kControls;
    const double flow = kHeatCapacity * flow_[u], cold_flow = kHeatCapacity * cold_flow_[u];
    const double last = y[x + 3 * (kExchangerCells - 1)];
    double returned = 0.0;
    for (std::size_t k = 0; k < kRacksPerUnit; ++k) returned += y[return_ + u * kRacksPerUnit + k];
    for (std::size_t k = 0; k < 2 * kPipeCells; ++k) {
      const double upstream = k == 0 ? last : k == kPipeCells ? returned / kRacksPerUnit : y[pipe + k - 1];
      ydot[pipe + k] = flow / kPipeCapacity * (upstream - y[pipe + k]);
    }
    const double hot_film = kExchangerFilm * film_factor_[u],
                 cold_film = kExchangerFilm * filmLaw(cold_flow_[u] / kColdFlow);
    for (std::size_t k = 0; k < kExchangerCells; ++k) {
      const std::size_t hot = x + 3 * k, wall = hot + 1, cold = hot + 2;
      const double hot_in = k == 0 ? y[pipe + 2 * kPipeCells - 1] : y[hot - 3];
      const double cold_in = k + 1 == kExchangerCells ? back : y[cold + 3];
      const double q1 = hot_film * (y[hot] - y[wall]), q2 = cold_film * (y[wall] - y[cold]);
      ydot[hot] = (flow * (hot_in - y[hot]) - q1) / kExchangerWater;
      ydot[wall] = (q1 - q2) / kExchangerWall;
      ydot[cold] = (cold_flow * (cold_in - y[cold]) + q2) / kExchangerWater;
    }
    total_cold += cold_flow;
    mixed += cold_flow * y[x + 2];
    const double error = y[c + 3] - kSupplyWanted;
    const double wanted = y[c + 2] + kGain * error, held = std::clamp(wanted, 0.05, 1.0);
    ydot[c] = (speed_wanted_[u] - y[c]) / kPumpLag;
    ydot[c + 1] = (held - y[c + 1]) / kValveLag;
    ydot[c + 2] = kIntegralGain * error + (held - wanted) / 10.0;
    ydot[c + 3] = (y[pipe] - y[c + 3]) / kSensorLag;
  }
  for (std::size_t k = 0; k < kFacilityCells; ++k) {
    double q = k == 0 ? mixed - total_cold * y[facility_] : total_cold * (y[facility_ + k - 1] - y[facility_ + k]);
    if (k >= kCoolerFirst && k < kCoolerFirst + kCoolerCells) q -= kCoolerConductance * (y[facility_ + k] - ambient_);
    ydot[facility_ + k] = q / kFacilityCapacity;
  }
  for (std::size_t g = 0; g < chips_.size(); ++g) chipRates(chips_[g], structure_.groups[g], y, ydot);
}

std::size_t PodLikeProblem::place(std::size_t row, std::size_t column) const {
  const Coupling wanted{static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)};
  const auto found = std::lower_bound(structure_.couplings.begin(), structure_.couplings.end(), wanted);
  if (found == structure_.couplings.end() || *found != wanted)
    throw std::logic_error("pod-like problem: no such coupling");
  return static_cast<std::size_t>(found - structure_.couplings.begin());
}

// The flows' own derivatives are left out, as a plant would leave them out of a Jacobian that is held for a while.
void PodLikeProblem::jacobian(double, std::span<const double> y, Jacobian& jacobian) {
  flows(y);
  flow_at_jacobian_ = flow_;
  cold_flow_at_jacobian_ = cold_flow_;
  // The same contributions come in the same order every time: look their places up once.
  const bool known = !places_.empty();
  std::size_t next = 0;
  const auto add = [&](std::size_t row, std::size_t column, double value) {
    if (!known) places_.push_back(place(row, column));
    jacobian.exposed[places_[next++]] += value;
  };
  double total_cold = 0.0;
  for (const double flow : cold_flow_) total_cold += kHeatCapacity * flow;
  for (std::size_t r = 0; r < kRacks; ++r) {
    const std::size_t u = r / kRacksPerUnit;
    const double rack_flow = kHeatCapacity * flow_[u] / kRacksPerUnit, tray_flow = rack_flow / kTraysPerRack;
    add(supply_ + r, pipe_ + u * 2 * kPipeCells + kPipeCells - 1, rack_flow / kManifoldCapacity);
    add(supply_ + r, supply_ + r, -rack_flow / kManifoldCapacity);
    add(return_ + r, return_ + r, -rack_flow / kManifoldCapacity);
    for (std::size_t k = 0; k < kTraysPerRack; ++k) {
      const std::size_t t = tray_ + r * kTraysPerRack + k;
      add(t, t, -tray_flow / kTrayCapacity);
      add(t, supply_ + r, tray_flow / kTrayCapacity);
      add(return_ + r, t, tray_flow / kManifoldCapacity);
    }
  }
  for (std::size_t u = 0; u < kUnits; ++u) {
    const std::size_t pipe = pipe_ + u * 2 * kPipeCells, x = exchanger_ + u * 3 * kExchangerCells,
                      c = control_ + u * kControls;
    const double flow = kHeatCapacity * flow_[u], cold_flow = kHeatCapacity * cold_flow_[u];
    for (std::size_t k = 0; k < 2 * kPipeCells; ++k) {
      add(pipe + k, pipe + k, -flow / kPipeCapacity);
      if (k == 0) {
        add(pipe, x + 3 * (kExchangerCells - 1), flow / kPipeCapacity);
      } else if (k == kPipeCells) {
        for (std::size_t r = 0; r < kRacksPerUnit; ++r)
          add(pipe + k, return_ + u * kRacksPerUnit + r, flow / kPipeCapacity / kRacksPerUnit);
      } else {
        add(pipe + k, pipe + k - 1, flow / kPipeCapacity);
      }
    }
    const double hot_film = kExchangerFilm * film_factor_[u],
                 cold_film = kExchangerFilm * filmLaw(cold_flow_[u] / kColdFlow);
    for (std::size_t k = 0; k < kExchangerCells; ++k) {
      const std::size_t hot = x + 3 * k, wall = hot + 1, cold = hot + 2;
      add(hot, k == 0 ? pipe + 2 * kPipeCells - 1 : hot - 3, flow / kExchangerWater);
      add(hot, hot, -(flow + hot_film) / kExchangerWater);
      add(hot, wall, hot_film / kExchangerWater);
      add(wall, hot, hot_film / kExchangerWall);
      add(wall, wall, -(hot_film + cold_film) / kExchangerWall);
      add(wall, cold, cold_film / kExchangerWall);
      add(cold, k + 1 == kExchangerCells ? facility_ + kFacilityCells - 1 : cold + 3, cold_flow / kExchangerWater);
      add(cold, cold, -(cold_flow + cold_film) / kExchangerWater);
      add(cold, wall, cold_film / kExchangerWater);
    }
    add(facility_, x + 2, cold_flow / kFacilityCapacity);
    const double wanted = y[c + 2] + kGain * (y[c + 3] - kSupplyWanted);
    const double slope = wanted > 0.05 && wanted < 1.0 ? 1.0 : 0.0;
    add(c, c, -1.0 / kPumpLag);
    add(c + 1, c + 1, -1.0 / kValveLag);
    add(c + 1, c + 2, slope / kValveLag);
    add(c + 1, c + 3, slope * kGain / kValveLag);
    add(c + 2, c + 2, (slope - 1.0) / 10.0);
    add(c + 2, c + 3, kIntegralGain + (slope - 1.0) * kGain / 10.0);
    add(c + 3, c + 3, -1.0 / kSensorLag);
    add(c + 3, pipe, 1.0 / kSensorLag);
  }
  for (std::size_t k = 0; k < kFacilityCells; ++k) {
    add(facility_ + k, facility_ + k, -total_cold / kFacilityCapacity);
    if (k > 0) add(facility_ + k, facility_ + k - 1, total_cold / kFacilityCapacity);
    if (k >= kCoolerFirst && k < kCoolerFirst + kCoolerCells)
      add(facility_ + k, facility_ + k, -kCoolerConductance / kFacilityCapacity);
  }
  for (std::size_t g = 0; g < chips_.size(); ++g) {
    const Chips& chips = chips_[g];
    auto& v = jacobian.groups[g];
    const std::size_t n = structure_.groups[g].count;
    for (std::size_t i = 0; i < n; ++i) {
      const double film = chips.film * film_factor_[chips.rack[i] / kRacksPerUnit], tray_share = 1.0 - kSupplyShare;
      v.ii[i] = (kLeakage * chips.power[i] - chips.junction) / chips.die_capacity;
      v.ii[n + i] = chips.junction / chips.die_capacity;
      v.ii[2 * n + i] = chips.junction / chips.plate_capacity;
      v.ii[3 * n + i] = -(chips.junction + film) / chips.plate_capacity;
      v.ip[2 * n + i] = film * tray_share / chips.plate_capacity;
      v.ip[3 * n + i] = film * kSupplyShare / chips.plate_capacity;
      v.pi[n + i] = film / kTrayCapacity;  // the coolant's row by the plate
      const std::size_t t = chips.tray[i];
      add(t, t, -film * tray_share / kTrayCapacity);
      add(t, supply_ + chips.rack[i], -film * kSupplyShare / kTrayCapacity);
    }
  }
}

double PodLikeProblem::jacobianDrift() const {
  if (flow_at_jacobian_.empty()) return HUGE_VAL;
  double drift = 0.0;
  for (std::size_t u = 0; u < kUnits; ++u) {
    drift = std::max(drift, std::abs(flow_[u] / flow_at_jacobian_[u] - 1.0));
    drift = std::max(drift, std::abs(cold_flow_[u] / cold_flow_at_jacobian_[u] - 1.0));
  }
  return drift;
}

std::string PodLikeProblem::nameOf(std::size_t row) const {
  if (row < structure_.exposed) return "exposed-" + std::to_string(row);
  for (const auto& group : structure_.groups)
    if (row < group.first + group.interior * group.count)
      return group.name + "-" + std::to_string((row - group.first) % group.count) +
             (row < group.first + group.count ? ".t_die" : ".t_plate");
  return "unknown";
}

}  // namespace podtwin::performance
