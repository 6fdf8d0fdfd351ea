#include "model/components/cooling/pipe_walled.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "model/system/binder.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

using plug::kReferenceTemperature;

// Temperatures here are those that the coolant carries (CoolantHeat::carried), and so are those of wall and
// surroundings. Two accounts, of the heat in coolant and wall, are unknowns: all of the bore has one film, so that the
// mean temperatures alone tell what the coolant gives to the wall and the wall loses. Profiles tell what leaves.
enum Unknown : std::size_t { kHeat, kWallHeat, kVolumeIn, kHeatIn, kVolumeInBack, kHeatInBack, kClock };
constexpr std::size_t kLedgers = 4;
enum Discrete : std::size_t { kCarryOffset = kCommonCount, kSeen, kClockSeen = kSeen + kLedgers, kAirSeen, kParts };
constexpr double kLeastParts = 4.0;  // of a passage that is looked at within a step

}  // namespace

/// What leaves now, the wall there, and derivatives of the former.
struct PipeWalledSet::Outflow {
  bool forward;
  std::size_t in;    ///< column of the node it comes from
  double t, t_wall;  ///< K
  double by_in = 0.0, by_air = 0.0;
};

PipeWalledSet::PipeWalledSet(const PipeSet& pipes, std::vector<std::size_t> of,
                             std::vector<const InstanceDescription*> makers, std::vector<std::string> ids)
    : ComponentSet(pipeWalledInfo(), std::move(makers), std::move(ids)),
      pipes_(pipes),
      of_(std::move(of)),
      slots_(size()) {
  for (std::size_t i = 0; i < size(); ++i)
    pieces_.push_back(static_cast<std::size_t>(description(i).number("wall_pieces")));
}

std::vector<std::pair<std::string, std::vector<std::string>>> PipeWalledSet::labels() const {
  std::vector<std::string> parents;
  for (const auto i : of_) parents.push_back(pipes_.ids()[i]);
  return {{"pipe", std::move(parents)}};
}

// Slots: 0 to 7 of the accounts, the surroundings and the clock; then 7 for forward flow and 7 for reversed.
void PipeWalledSet::bind(Binder& b) {
  system_ = &b.system();
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    for (std::size_t k = 0; k < info().states.size(); ++k) b.capacity(yIndex(k, i), 1.0);
    b.coolantVolumeOf(i, p.from, p.volume);
    // An error of 1 K of the whole.
    for (const auto k : {kHeat, kHeatIn, kHeatInBack}) b.errorScale(yIndex(k, i), heatCapacity(i));
    b.errorScale(yIndex(kWallHeat, i), p.heat.wall_capacity);
    const std::size_t heat = yIndex(kHeat, i), wall = yIndex(kWallHeat, i), air = p.air.column,
                      clock = yIndex(kClock, i);
    for (const auto& [row, column] : {std::pair{heat, heat},
                                      {heat, wall},
                                      {wall, heat},
                                      {wall, wall},
                                      {wall, air},
                                      {p.air.row, wall},
                                      {p.air.row, air},
                                      {heat, clock}})
      slots_[i].push_back(b.couple(row, column));
    for (const bool forward : {true, false}) {
      const std::size_t source = (forward ? p.in : p.out).column, ledger = yIndex(forward ? kHeatIn : kHeatInBack, i);
      const ThermalPort& sink = forward ? p.out : p.in;
      for (const auto& [row, column] : {std::pair{heat, source},
                                        {sink.row, source},
                                        {sink.row, air},
                                        {sink.row, clock},
                                        {sink.row, sink.column},
                                        {ledger, source},
                                        {p.air.row, source}})
        slots_[i].push_back(b.couple(row, column));
    }
  }
}

double PipeWalledSet::heatCapacity(std::size_t i) const { return pipe(i).volume * pipe(i).density * pipe(i).cp; }

void PipeWalledSet::initialise(State& state, double temperature) const {
  initialiseCommon(state);
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    for (std::size_t k = 0; k < info().states.size(); ++k) state.y[yIndex(k, i)] = 0.0;
    const double carried = p.coolant->carried(temperature);
    state.y[yIndex(kHeat, i)] = heatCapacity(i) * (carried - kReferenceTemperature);
    state.y[yIndex(kWallHeat, i)] = p.heat.wall_capacity * (carried - kReferenceTemperature);
    z(state, kAirSeen, i) = carried;
    z(state, kParts, i) = kLeastParts;
    plug::settle(state.lines[coolantLine(i)], state.lines[wallLine(i)], bore(i), true, carried, 0.0, 0.0, 0.0);
  }
}

plug::Exchange PipeWalledSet::exchange(std::size_t i, double m, double t_air) const {
  const PipeHeat& heat = pipe(i).heat;
  const double film = heat.film.conductance(m);
  return {film / heatCapacity(i), film / heat.wall_capacity, heat.loss / heat.wall_capacity, t_air};
}

PipeWalledSet::Outflow PipeWalledSet::outflow(const Evaluation& e, std::size_t i, double later) const {
  const Pipe& p = pipe(i);
  const double m = e.m[p.edge];
  const bool forward = m >= 0.0;
  Outflow out{.forward = forward, .in = (forward ? p.in : p.out).column, .t = 0.0, .t_wall = 0.0};
  const double t_in = p.coolant->carried(e.y[out.in]);
  if (e.steady_search) {
    const double film = p.heat.film.conductance(m), through = film * p.heat.loss / (film + p.heat.loss),
                 t_air = p.coolant->carried(e.y[p.air.column]);
    out.by_in = p.heat.loss > 0.0 ? (m == 0.0 ? 0.0 : std::exp(-through / (std::abs(m) * p.cp))) : 1.0;
    out.by_air = 1.0 - out.by_in;
    out.t = out.by_in * t_in + out.by_air * t_air;
    out.t_wall = t_air + film / (film + p.heat.loss) * (out.t - t_air);
    return out;
  }
  const std::size_t in = forward ? 0 : 2;
  const plug::Passage passage{e.y[yIndex(kVolumeIn + in, i)] - z(e, kSeen + in, i),
                              e.y[yIndex(kClock, i)] - z(e, kClockSeen, i) + later, forward};
  const plug::Leaving there =
      plug::leavingAfter(e.lines->lines[coolantLine(i)], e.lines->lines[wallLine(i)], passage,
                         exchange(i, m, z(e, kAirSeen, i)), bore(i), t_in, static_cast<std::size_t>(z(e, kParts, i)));
  out.by_in = there.by_inflow;
  out.t = there.coolant + z(e, kCarryOffset, i);
  out.t_wall = there.wall;
  return out;
}

double PipeWalledSet::leaving(const Evaluation& e, std::size_t i) const {
  return pipe(i).coolant->fromCarried(outflow(e, i).t);
}

double PipeWalledSet::wallThere(const Evaluation& e, std::size_t i) const {
  return pipe(i).coolant->fromCarried(outflow(e, i).t_wall);
}

double PipeWalledSet::coolantMean(const Evaluation& e, std::size_t i) const {
  return kReferenceTemperature + e.y[yIndex(kHeat, i)] / heatCapacity(i);
}

double PipeWalledSet::wallMean(const Evaluation& e, std::size_t i) const {
  return kReferenceTemperature + e.y[yIndex(kWallHeat, i)] / pipe(i).heat.wall_capacity;
}

double PipeWalledSet::loss(const Evaluation& e, std::size_t i) const {
  const Pipe& p = pipe(i);
  if (e.steady_search) {
    const Outflow out = outflow(e, i);
    return std::abs(e.m[p.edge]) * p.cp * (p.coolant->carried(e.y[out.in]) - out.t);
  }
  return p.heat.loss * (wallMean(e, i) - p.coolant->carried(e.y[p.air.column]));
}

/// Heat [W] from coolant to wall.
double PipeWalledSet::given(const Evaluation& e, std::size_t i) const {
  return pipe(i).heat.film.conductance(e.m[pipe(i).edge]) * (coolantMean(e, i) - wallMean(e, i));
}

void PipeWalledSet::rates(Evaluation& e) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    const Outflow out = outflow(e, i);
    const double m = std::abs(e.m[p.edge]), rate = m * p.cp, t_in = p.coolant->carried(e.y[out.in]);
    const double lost = loss(e, i);
    const ThermalPort& sink = out.forward ? p.out : p.in;
    e.heat[sink.row] += rate * (out.t - p.coolant->carried(e.y[sink.column]));
    e.heat[p.air.row] += lost;
    if (e.steady_search) continue;  // the content is put down when the state is found
    const double to_wall = given(e, i);
    e.heat[yIndex(kHeat, i)] += rate * (t_in - out.t) - to_wall;
    e.heat[yIndex(kWallHeat, i)] += to_wall - lost;
    e.heat[yIndex(out.forward ? kVolumeIn : kVolumeInBack, i)] += m / p.density;
    e.heat[yIndex(out.forward ? kHeatIn : kHeatInBack, i)] += rate * (t_in - kReferenceTemperature);
    e.heat[yIndex(kClock, i)] += 1.0;
  }
}

void PipeWalledSet::jacobian(const Evaluation& e, JacobianWriter& w) const {
  constexpr std::size_t kCommonSlots = 8, kSlotsByEnd = 7;
  constexpr double kMoment = 1e-3;  // s, of the difference that gives the derivative by time
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    const Outflow out = outflow(e, i);
    const double rate = std::abs(e.m[p.edge]) * p.cp;
    const std::vector<std::size_t>& common = slots_[i];
    const std::size_t* s = &common[kCommonSlots + (out.forward ? 0 : kSlotsByEnd)];
    const std::size_t heat = yIndex(kHeat, i), wall = yIndex(kWallHeat, i);
    const ThermalPort& sink = out.forward ? p.out : p.in;
    const auto slope = [&](std::size_t column) { return p.coolant->carriedSlope(e.y[column]); };
    const double in = slope(out.in), air = slope(p.air.column);
    w.add(s[1], sink.row, rate * out.by_in * in);
    w.add(s[2], sink.row, rate * out.by_air * air);
    w.add(s[4], sink.row, -rate * slope(sink.column));
    if (e.steady_search) {
      w.add(s[6], p.air.row, rate * (1.0 - out.by_in) * in);
      w.add(common[6], p.air.row, -rate * out.by_air * air);
      continue;
    }
    const double film = p.heat.film.conductance(e.m[p.edge]), by_heat = film / heatCapacity(i),
                 by_wall = film / p.heat.wall_capacity, lost = p.heat.loss / p.heat.wall_capacity;
    w.add(common[0], heat, -by_heat);
    w.add(common[1], heat, by_wall);
    w.add(common[2], wall, by_heat);
    w.add(common[3], wall, -by_wall - lost);
    w.add(common[4], wall, p.heat.loss * air);
    w.add(common[5], p.air.row, lost);
    w.add(common[6], p.air.row, -p.heat.loss * air);
    w.add(s[0], heat, rate * (1.0 - out.by_in) * in);
    w.add(s[5], yIndex(out.forward ? kHeatIn : kHeatInBack, i), rate * in);
    const double by_time = rate == 0.0 ? 0.0 : (outflow(e, i, kMoment).t - outflow(e, i, -kMoment).t) / (2.0 * kMoment);
    w.add(common[7], heat, -rate * by_time);
    w.add(s[3], sink.row, rate * by_time);
  }
}

double PipeWalledSet::nextFront(const Evaluation& e, const State& s, double horizon) const {
  double soonest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    const double flow = e.m[p.edge] / p.density;
    const DelayLine& line = s.lines[coolantLine(i)];
    if (flow == 0.0) continue;
    soonest = std::min(soonest, plug::nextFront(line, line.temperature[line.head], flow, p.volume, horizon));
  }
  return soonest;
}

// As of pipes without wall; and the profiles of coolant and wall exchange heat over what has passed.
void PipeWalledSet::advance(const Evaluation& e, State& s, double) const {
  for (std::size_t i = 0; i < size(); ++i) {
    std::array<double, kLedgers> gained;
    for (std::size_t k = 0; k < kLedgers; ++k) {
      const double now = s.y[yIndex(kVolumeIn + k, i)];
      gained[k] = now - z(s, kSeen + k, i);
      z(s, kSeen + k, i) = now;
    }
    const double time = s.y[yIndex(kClock, i)] - z(s, kClockSeen, i);
    z(s, kClockSeen, i) = s.y[yIndex(kClock, i)];
    const double t_air = pipe(i).coolant->carried(system_->temperature(s, pipe(i).air.column));
    if (e.steady_search) {
      z(s, kAirSeen, i) = t_air;
      settle(e, s, i);
      continue;
    }
    const bool forward = e.m[pipe(i).edge] >= 0.0;
    z(s, kAirSeen, i) = 0.5 * (z(s, kAirSeen, i) + t_air);  // over the step
    const double on = std::max(gained[0], 0.0), back = std::max(gained[2], 0.0), moved = on + back;
    if (moved <= 0.0) pass(e, s, i, forward, {0.0, 0.0}, time);
    if (on > 0.0) pass(e, s, i, true, {on, gained[1]}, time * on / moved);
    if (back > 0.0) pass(e, s, i, false, {back, gained[3]}, time * back / moved);
    z(s, kAirSeen, i) = t_air;
    keepBooks(s, i, moved);
  }
}

void PipeWalledSet::pass(const Evaluation& e, State& s, std::size_t i, bool forward, const Gained& in,
                         double time) const {
  const Pipe& p = pipe(i);
  const bool now = forward == (e.m[p.edge] >= 0.0);  // it flows this way at the end of the step, too
  const double t_end = now ? p.coolant->carried(system_->temperature(s, (forward ? p.in : p.out).column)) : kRequired;
  const plug::Passage passage{in.volume, time, forward};
  const plug::Exchange x = exchange(i, time > 0.0 ? in.volume * p.density / time : 0.0, z(s, kAirSeen, i));
  plug::march(s.lines[coolantLine(i)], s.lines[wallLine(i)], passage, {in.volume, in.heat, t_end}, x, bore(i),
              p.density * p.cp);
  // The next step may be longer than this one; it is looked at in as many parts all through, so that what leaves is a
  // smooth function.
  constexpr double kLonger = 2.0;
  const plug::Passage next{kLonger * in.volume, kLonger * time, forward};
  z(s, kParts, i) = std::max(kLeastParts, static_cast<double>(plug::partsOf(next, x, bore(i))));
}

/// The carry: what the accounts hold and the profiles do not is given back over at least one volume.
void PipeWalledSet::keepBooks(State& s, std::size_t i, double moved) const {
  if (moved <= 0.0) return;
  const Pipe& p = pipe(i);
  const auto held = [&](std::size_t line) { return plug::contentOf(s.lines[line], kReferenceTemperature); };
  const double differs = s.y[yIndex(kHeat, i)] + s.y[yIndex(kWallHeat, i)] - p.density * p.cp * held(coolantLine(i)) -
                         p.heat.wall_capacity / p.volume * held(wallLine(i));
  z(s, kCarryOffset, i) = differs / (p.density * p.cp * std::max(moved, p.volume));
}

void PipeWalledSet::settle(const Evaluation& e, State& s, std::size_t i) const {
  const Pipe& p = pipe(i);
  const double m = e.m[p.edge], film = p.heat.film.conductance(m);
  z(s, kCarryOffset, i) = 0.0;
  z(s, kParts, i) = kLeastParts;
  if (m == 0.0 && p.heat.loss <= 0.0) return;  // it stands and keeps its heat
  const bool forward = m >= 0.0;
  const double t_in = p.coolant->carried(system_->temperature(s, (forward ? p.in : p.out).column)),
               t_air = z(s, kAirSeen, i), through = film * p.heat.loss / (film + p.heat.loss);
  DelayLine& coolant = s.lines[coolantLine(i)];
  DelayLine& wall = s.lines[wallLine(i)];
  if (p.heat.loss <= 0.0)
    plug::settle(coolant, wall, bore(i), forward, t_in, 0.0, 0.0, 0.0);
  else if (m == 0.0)
    plug::settle(coolant, wall, bore(i), forward, t_air, 0.0, 0.0, 0.0);
  else
    plug::settle(coolant, wall, bore(i), forward, t_air, t_in - t_air, through / (std::abs(m) * p.cp),
                 film / (film + p.heat.loss));
  s.y[yIndex(kHeat, i)] = p.density * p.cp * plug::contentOf(coolant, kReferenceTemperature);
  s.y[yIndex(kWallHeat, i)] = p.heat.wall_capacity / p.volume * plug::contentOf(wall, kReferenceTemperature);
}

void PipeWalledSet::signal(const Evaluation& e, std::size_t k, std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
}

double PipeWalledSet::signalOf(const Evaluation& e, std::size_t k, std::size_t i) const {
  const Pipe& p = pipe(i);
  switch (k) {
    case 0:
      return leaving(e, i);
    case 1:
      return p.coolant->fromCarried(coolantMean(e, i));
    case 2:
      return loss(e, i);
    case 3:
      return wallThere(e, i);
    default:
      return p.coolant->fromCarried(wallMean(e, i));
  }
}

double PipeWalledSet::storedEnergy(const Evaluation& e) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < size(); ++i) sum += e.y[yIndex(kHeat, i)] + e.y[yIndex(kWallHeat, i)];
  return sum;
}

std::unique_ptr<PipeWalledSet> makePipeWalledSet(const PipeSet& pipes) {
  std::vector<std::size_t> of;
  std::vector<const InstanceDescription*> makers;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (pipes.pipe(i).walled < 0) continue;
    of.push_back(i);
    makers.push_back(&pipes.description(i));
    ids.push_back(pipes.ids()[i] + ".content");
  }
  if (of.empty()) return nullptr;
  return std::make_unique<PipeWalledSet>(pipes, std::move(of), std::move(makers), std::move(ids));
}

}  // namespace podtwin
