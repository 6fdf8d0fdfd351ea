#include "model/components/cooling/pipe_plug.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "model/components/cooling/plug_content.hpp"
#include "model/system/binder.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

using plug::kReferenceTemperature;

// Temperatures here are those that the coolant carries (CoolantHeat::carried), and so are those of its surroundings.
// Coolant of a pipe decays towards its surroundings all alike: T = t_still + exp(-decay) (u - 273.15 K), with t_still
// the temperature of coolant that has stood in it, and u of each bit constant from its entry to its exit. The profile
// that is kept is that of u: it moves as that of a vessel without loss.
enum Unknown : std::size_t { kHeat, kVolumeIn, kHeatIn, kVolumeInBack, kHeatInBack, kDecay, kStill };
constexpr std::size_t kLedgers = 4;
enum Discrete : std::size_t {
  kHead = kCommonCount,
  kCarryOffset,
  kDecaySeen,
  kSeen,
  kOpenVolume = kSeen + kLedgers,
  kOpenHeat,
  kOpenStart
};

}  // namespace

/// What leaves now, and its derivatives.
struct PipePlugSet::Outflow {
  bool forward;
  std::size_t in;  ///< column of the node it comes from
  double t;        ///< K
  double by_in = 0.0, by_air = 0.0, by_still = 0.0, by_decay = 0.0;
};

PipePlugSet::PipePlugSet(const PipeSet& pipes, std::vector<std::size_t> of,
                         std::vector<const InstanceDescription*> makers, std::vector<std::string> ids)
    : ComponentSet(pipeContentInfo(), std::move(makers), std::move(ids)),
      pipes_(pipes),
      of_(std::move(of)),
      slots_(size()) {}

std::vector<std::pair<std::string, std::vector<std::string>>> PipePlugSet::labels() const {
  std::vector<std::string> parents;
  for (const auto i : of_) parents.push_back(pipes_.ids()[i]);
  return {{"pipe", std::move(parents)}};
}

void PipePlugSet::bind(Binder& b) {
  system_ = &b.system();
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    for (std::size_t k = 0; k < info().states.size(); ++k) b.capacity(yIndex(k, i), 1.0);
    b.coolantVolumeOf(i, p.from, p.volume);
    // An error of 1 K of the whole content.
    for (const auto k : {kHeat, kHeatIn, kHeatInBack}) b.errorScale(yIndex(k, i), p.volume * p.density * p.cp);
    const std::size_t in = p.in.column, out = p.out.column, air = p.air.column, still = yIndex(kStill, i),
                      decay = yIndex(kDecay, i), heat = yIndex(kHeat, i);
    for (const auto& [row, column] :
         {std::pair{heat, heat}, {heat, air}, {p.air.row, heat}, {p.air.row, air}, {still, still}, {still, air}})
      slots_[i].push_back(b.couple(row, column));
    for (const bool forward : {true, false}) {
      const std::size_t source = forward ? in : out, sink = forward ? out : in,
                        sink_row = forward ? p.out.row : p.in.row, ledger = yIndex(forward ? kHeatIn : kHeatInBack, i);
      for (const auto& [row, column] : {std::pair{heat, source},
                                        {heat, still},
                                        {heat, decay},
                                        {sink_row, source},
                                        {sink_row, air},
                                        {sink_row, still},
                                        {sink_row, decay},
                                        {sink_row, sink},
                                        {ledger, source},
                                        {ledger, still},
                                        {ledger, decay},
                                        {p.air.row, source}})
        slots_[i].push_back(b.couple(row, column));
    }
  }
}

void PipePlugSet::initialise(State& state, double temperature) const {
  initialiseCommon(state);
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    for (std::size_t k = 0; k < info().states.size(); ++k) state.y[yIndex(k, i)] = 0.0;
    const double carried = p.coolant->carried(temperature);
    state.y[yIndex(kHeat, i)] = p.volume * p.density * p.cp * (carried - kReferenceTemperature);
    const double still = p.heat.loss > 0.0 ? carried : kReferenceTemperature;
    state.y[yIndex(kStill, i)] = still;
    const double undecayed = kReferenceTemperature + (carried - still);
    z(state, kHead, i) = undecayed;
    state.lines[line_first + i] = {{p.volume}, {undecayed}, 0};
  }
}

double PipePlugSet::decayed(const Evaluation& e, std::size_t i) const {
  return pipe(i).heat.loss > 0.0 ? std::exp(z(e, kDecaySeen, i) - e.y[yIndex(kDecay, i)]) : 1.0;
}

PipePlugSet::Outflow PipePlugSet::outflow(const Evaluation& e, std::size_t i) const {
  const Pipe& p = pipe(i);
  const double m = e.m[p.edge];
  const bool forward = m >= 0.0;
  Outflow out{.forward = forward, .in = (forward ? p.in : p.out).column, .t = 0.0};
  const std::size_t clock = forward ? 0 : 2;
  const double depth = e.y[yIndex(kVolumeIn + clock, i)] - z(e, kSeen + clock, i);
  if (e.steady_search || depth >= p.volume) {
    // Of a steady flow, or where the step has turned the content over.
    out.by_in = p.heat.loss > 0.0 ? (m == 0.0 ? 0.0 : std::exp(-p.heat.loss / (std::abs(m) * p.cp))) : 1.0;
    out.by_air = 1.0 - out.by_in;
    out.t = out.by_in * p.coolant->carried(e.y[out.in]) + out.by_air * p.coolant->carried(e.y[p.air.column]);
    return out;
  }
  const DelayLine& line = e.lines->lines[line_first + i];
  const double t_head = z(e, kHead, i);
  const double excess =
      decayed(e, i) * ((forward ? plug::behindOutlet(line, t_head, depth) : plug::aheadOfInlet(line, t_head, depth)) -
                       kReferenceTemperature);
  out.by_still = 1.0;
  out.by_decay = p.heat.loss > 0.0 ? -excess : 0.0;
  out.t = e.y[yIndex(kStill, i)] + excess + z(e, kCarryOffset, i);
  return out;
}

double PipePlugSet::leaving(const Evaluation& e, std::size_t i) const {
  return pipe(i).coolant->fromCarried(outflow(e, i).t);
}

double PipePlugSet::meanCarried(const Evaluation& e, std::size_t i) const {
  const Pipe& p = pipe(i);
  return kReferenceTemperature + e.y[yIndex(kHeat, i)] / (p.volume * p.density * p.cp);
}

double PipePlugSet::loss(const Evaluation& e, std::size_t i) const {
  const Pipe& p = pipe(i);
  if (e.steady_search) {
    const Outflow out = outflow(e, i);
    return std::abs(e.m[p.edge]) * p.cp * (p.coolant->carried(e.y[out.in]) - out.t);
  }
  return p.heat.loss * (meanCarried(e, i) - p.coolant->carried(e.y[p.air.column]));
}

void PipePlugSet::rates(Evaluation& e) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    const Outflow out = outflow(e, i);
    const double m = std::abs(e.m[p.edge]), rate = m * p.cp, t_in = p.coolant->carried(e.y[out.in]);
    const double lost = loss(e, i);
    const ThermalPort& sink = out.forward ? p.out : p.in;
    e.heat[sink.row] += rate * (out.t - p.coolant->carried(e.y[sink.column]));
    e.heat[p.air.row] += lost;
    if (e.steady_search) continue;  // the content is put down when the state is found
    const double still = e.y[yIndex(kStill, i)];
    const std::size_t clock = out.forward ? 0 : 2;
    e.heat[yIndex(kHeat, i)] += rate * (t_in - out.t) - lost;
    e.heat[yIndex(kVolumeIn + clock, i)] += m / p.density;
    e.heat[yIndex(kHeatIn + clock, i)] += rate * (t_in - still) / decayed(e, i);
    if (p.heat.loss <= 0.0) continue;
    const double per_second = p.heat.loss / (p.volume * p.density * p.cp);
    e.heat[yIndex(kDecay, i)] += per_second;
    e.heat[yIndex(kStill, i)] -= per_second * (still - p.coolant->carried(e.y[p.air.column]));
  }
}

void PipePlugSet::jacobian(const Evaluation& e, JacobianWriter& w) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    const Outflow out = outflow(e, i);
    const double rate = std::abs(e.m[p.edge]) * p.cp;
    const std::vector<std::size_t>& common = slots_[i];
    const std::size_t* s = &common[6 + (out.forward ? 0 : 12)];
    const std::size_t heat = yIndex(kHeat, i), still = yIndex(kStill, i), sink = (out.forward ? p.out : p.in).row;
    const auto slope = [&](std::size_t column) { return p.coolant->carriedSlope(e.y[column]); };
    const double in = slope(out.in), air = slope(p.air.column);
    w.add(s[3], sink, rate * out.by_in * in);
    w.add(s[4], sink, rate * out.by_air * air);
    w.add(s[5], sink, rate * out.by_still);
    w.add(s[6], sink, rate * out.by_decay);
    w.add(s[7], sink, -rate * slope((out.forward ? p.out : p.in).column));
    if (e.steady_search) {
      w.add(s[11], p.air.row, rate * (1.0 - out.by_in) * in);
      w.add(common[3], p.air.row, -rate * out.by_air * air);
      continue;
    }
    const double loss_by_heat = p.heat.loss / (p.volume * p.density * p.cp);
    w.add(common[0], heat, -loss_by_heat);
    w.add(common[1], heat, (p.heat.loss - rate * out.by_air) * air);
    w.add(common[2], p.air.row, loss_by_heat);
    w.add(common[3], p.air.row, -p.heat.loss * air);
    w.add(s[0], heat, rate * (1.0 - out.by_in) * in);
    w.add(s[1], heat, -rate * out.by_still);
    w.add(s[2], heat, -rate * out.by_decay);
    const std::size_t ledger = yIndex(out.forward ? kHeatIn : kHeatInBack, i);
    const double grown = rate / decayed(e, i);
    w.add(s[8], ledger, grown * in);
    w.add(s[9], ledger, -grown);
    if (p.heat.loss <= 0.0) continue;
    w.add(s[10], ledger, grown * (p.coolant->carried(e.y[out.in]) - e.y[still]));
    w.add(common[4], still, -loss_by_heat);
    w.add(common[5], still, loss_by_heat * air);
  }
}

double PipePlugSet::nextFront(const Evaluation& e, const State& s, double horizon) const {
  double soonest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < size(); ++i) {
    const Pipe& p = pipe(i);
    const double flow = e.m[p.edge] / p.density;
    if (flow == 0.0) continue;
    soonest =
        std::min(soonest, plug::nextFront(s.lines[line_first + i], s.z[zIndex(kHead, i)], flow, p.volume, horizon));
  }
  return soonest;
}

// As of the tank: what came in by the integrator's own account is put down, as much taken away. What the account of
// heat and the profile differ by, an error of integration, is carried and given back slowly, so that no heat is lost.
void PipePlugSet::advance(const Evaluation& e, State& s, double) const {
  for (std::size_t i = 0; i < size(); ++i) {
    std::array<double, kLedgers> gained;
    for (std::size_t k = 0; k < kLedgers; ++k) {
      const double now = s.y[yIndex(kVolumeIn + k, i)];
      gained[k] = now - z(s, kSeen + k, i);
      z(s, kSeen + k, i) = now;
    }
    if (e.steady_search) {
      settle(e, s, i);
      continue;
    }
    const Pipe& p = pipe(i);
    const bool forward = e.m[p.edge] >= 0.0;
    const double still = s.y[yIndex(kStill, i)],
                 growth = p.heat.loss > 0.0 ? std::exp(s.y[yIndex(kDecay, i)] - z(s, kDecaySeen, i)) : 1.0;
    const auto undecayed = [&](double t) { return kReferenceTemperature + growth * (t - still); };
    DelayLine& line = s.lines[line_first + i];
    if (gained[0] > 0.0)
      enter(s, i, gained[0], gained[1],
            forward ? undecayed(p.coolant->carried(system_->temperature(s, p.in.column))) : kRequired);
    if (gained[2] > 0.0) {
      z(s, kHead, i) = plug::reverse(line, z(s, kHead, i));
      z(s, kOpenVolume, i) = 0.0;
      enter(s, i, gained[2], gained[3],
            forward ? kRequired : undecayed(p.coolant->carried(system_->temperature(s, p.out.column))));
      z(s, kHead, i) = plug::reverse(line, z(s, kHead, i));
      z(s, kOpenVolume, i) = 0.0;
    }
    keepBooks(s, i, gained[0] + gained[2]);
  }
}

void PipePlugSet::enter(State& s, std::size_t i, double volume, double heat, double t_end) const {
  const Pipe& p = pipe(i);
  plug::Stretch open{z(s, kOpenVolume, i), z(s, kOpenHeat, i), z(s, kOpenStart, i)};
  plug::move(s.lines[line_first + i], z(s, kHead, i), open, {.volume = volume, .heat = heat, .t_end = t_end},
             {p.volume, p.density * p.cp});
  z(s, kOpenVolume, i) = open.volume;
  z(s, kOpenHeat, i) = open.heat;
  z(s, kOpenStart, i) = open.start;
}

/// The carry, and a fresh count of the decay where the profile has lost half of what it had.
void PipePlugSet::keepBooks(State& s, std::size_t i, double moved) const {
  const Pipe& p = pipe(i);
  DelayLine& line = s.lines[line_first + i];
  const double rho_cp = p.density * p.cp, left = std::exp(z(s, kDecaySeen, i) - s.y[yIndex(kDecay, i)]);
  if (moved > 0.0) {
    const double held =
        p.volume * (s.y[yIndex(kStill, i)] - kReferenceTemperature) + left * plug::content(line, z(s, kHead, i));
    z(s, kCarryOffset, i) = (s.y[yIndex(kHeat, i)] / rho_cp - held) / std::max(moved, p.volume);
  }
  if (left > 0.5) return;
  const auto lower = [&](double& t) { t = kReferenceTemperature + left * (t - kReferenceTemperature); };
  lower(z(s, kHead, i));
  lower(z(s, kOpenStart, i));
  z(s, kOpenHeat, i) *= left;
  for (double& t : line.temperature) lower(t);
  z(s, kDecaySeen, i) = s.y[yIndex(kDecay, i)];
}

namespace {

/// The content of a steady flow: exponential from the inlet to the outlet, with `excess` [K] over what surrounds it at
/// the inlet and that over exp(units) at the outlet. Pieces of equal decay; the points between its ends are lowered so
/// that the pieces hold what the exponential holds.
DelayLine exponentialProfile(double volume, double excess, double units, bool forward, double& t_head) {
  constexpr std::size_t kPieces = 64;
  constexpr double kAllDecayed = 36.0;  // exp(-36) is round-off
  const double step = std::min(units, kAllDecayed) / kPieces;
  const bool rest = units > kAllDecayed;
  std::vector<double> t(kPieces + 1);
  double between = 0.0;
  for (std::size_t k = 0; k <= kPieces; ++k) {
    t[k] = excess * std::exp(-step * static_cast<double>(k));
    if (k > 0 && k < kPieces) between += t[k];
  }
  const double held = -excess * std::expm1(-step * kPieces);  // over the volume of one unit
  const double lowered = between != 0.0 ? (held - 0.5 * (t.front() + t.back()) * step) / (between * step) : 1.0;
  std::vector<double> pieces(kPieces, volume * step / units);
  for (std::size_t k = 1; k < kPieces; ++k) t[k] *= lowered;
  if (rest) {
    t.back() = 0.0;
    t.push_back(0.0);
    pieces.push_back(volume * (1.0 - kAllDecayed / units));
  }
  for (double& each : t) each += kReferenceTemperature;
  if (forward) {  // in order of entry: what entered first stands at the outlet
    std::reverse(t.begin(), t.end());
    std::reverse(pieces.begin(), pieces.end());
  }
  t_head = t.front();
  t.erase(t.begin());
  return {std::move(pieces), std::move(t), 0};
}

}  // namespace

void PipePlugSet::settle(const Evaluation& e, State& s, std::size_t i) const {
  const Pipe& p = pipe(i);
  const double m = e.m[p.edge];
  DelayLine& line = s.lines[line_first + i];
  z(s, kCarryOffset, i) = z(s, kOpenVolume, i) = 0.0;
  z(s, kDecaySeen, i) = s.y[yIndex(kDecay, i)];
  if (m == 0.0 && p.heat.loss <= 0.0) return;  // it stands and keeps its heat
  const bool forward = m >= 0.0;
  const double t_in = p.coolant->carried(system_->temperature(s, (forward ? p.in : p.out).column)),
               t_air = p.coolant->carried(system_->temperature(s, p.air.column));
  if (p.heat.loss <= 0.0 || m == 0.0) {
    line = {{p.volume}, {p.heat.loss > 0.0 ? kReferenceTemperature : t_in}, 0};
    z(s, kHead, i) = line.temperature.front();
  } else {
    line = exponentialProfile(p.volume, t_in - t_air, p.heat.loss / (std::abs(m) * p.cp), forward, z(s, kHead, i));
  }
  if (p.heat.loss > 0.0) s.y[yIndex(kStill, i)] = t_air;
  s.y[yIndex(kHeat, i)] =
      p.density * p.cp *
      (p.volume * (s.y[yIndex(kStill, i)] - kReferenceTemperature) + plug::content(line, z(s, kHead, i)));
}

void PipePlugSet::signal(const Evaluation& e, std::size_t k, std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = signalOf(e, k, i);
}

double PipePlugSet::signalOf(const Evaluation& e, std::size_t k, std::size_t i) const {
  const Pipe& p = pipe(i);
  switch (k) {
    case 0:
      return leaving(e, i);
    case 1:
      return p.coolant->fromCarried(meanCarried(e, i));
    default:
      return loss(e, i);
  }
}

double PipePlugSet::storedEnergy(const Evaluation& e) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < size(); ++i) sum += e.y[yIndex(kHeat, i)];
  return sum;
}

std::unique_ptr<PipePlugSet> makePipePlugSet(const PipeSet& pipes) {
  std::vector<std::size_t> of;
  std::vector<const InstanceDescription*> makers;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (pipes.pipe(i).plug < 0) continue;
    of.push_back(i);
    makers.push_back(&pipes.description(i));
    ids.push_back(pipes.ids()[i] + ".content");
  }
  if (of.empty()) return nullptr;
  return std::make_unique<PipePlugSet>(pipes, std::move(of), std::move(makers), std::move(ids));
}

}  // namespace podtwin
