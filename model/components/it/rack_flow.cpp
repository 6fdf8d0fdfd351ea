// Coolant flow in a rack: its resistance and what each tray and plate gets of it. Equations: rack.md.
#include "model/components/it/rack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;  // of the upper point's flow; below it the pressure drop is linear
constexpr double kEvenSpread = 0.01;   // of the mean share; within it the plates' laws are linear enough (rack.md)
// Parts of the pressure drop where the pod says nothing: manifolds of the rack's, quick disconnects of a tray's
// (rack.md).
constexpr double kManifoldShare = 0.015, kDisconnectShare = 0.475;
constexpr double kShut = std::numeric_limits<double>::infinity();

bool differMuch(std::span<const double> shares) {
  if (shares.empty()) return false;
  const auto [low, high] = std::minmax_element(shares.begin(), shares.end());
  return *high - *low > kEvenSpread * *low;
}

/// Resistance of a compute tray with which the whole ladder has `dp` at a whole flow of 1: it rises with the tray's.
template <class F>
double solveTray(const F& wholeAt, double high, double dp) {
  double low = 0.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (wholeAt(middle) < dp ? low : high) = middle;
  }
  return high;
}

std::string kilopascals(double pascals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g kPa", 1e-3 * pascals);
  return text;
}

const ParameterValue& parameter(const InstanceDescription& d, const char* name) { return d.parameters.at(name); }

}  // namespace

std::size_t RackSet::branchAt(const Rack& k, std::size_t place) {
  const std::size_t before = (k.tray_count + 1) / 2;
  if (place < before) return place;
  if (place < before + k.switch_count) return k.tray_count + place - before;
  return place - k.switch_count;
}

// The law of the rack, and of its trays such that they and the manifolds make it up.
void RackSet::bindFlow(Binder& b, std::size_t r) {
  const InstanceDescription& d = description(r);
  Rack& k = racks_[r];
  const std::size_t branches = k.tray_count + k.switch_count;
  k.exponent = 2.0;
  k.k = k.r_whole = k.r_disconnect = k.r_plates = k.r_switch = 1.0;
  k.uneven = false;
  const double q1 = d.number("dp_flow_low"), q2 = d.number("dp_flow_high"), p1 = d.number("dp_low"),
               p2 = d.number("dp_high");
  k.m_linear = kLinearShare * q2 * k.density;

  const double gpu_heat = k.gpu_limit, switch_heat = k.switch_max * k.switch_liquid;
  const double tray_heat = static_cast<double>(k.gpus_per_tray) * gpu_heat + k.cpu_max;
  k.gpu_share = gpu_heat / tray_heat;
  k.cpu_share = k.cpu_max / tray_heat;
  const ParameterValue& stated_ratio = parameter(d, "switch_flow_ratio");
  const double ratio = stated_ratio.given ? stated_ratio.number : switch_heat / tray_heat;
  const double tray_share = 1.0 / (static_cast<double>(k.tray_count) + ratio * static_cast<double>(k.switch_count));
  k.clean_shares.assign(branches, tray_share);
  std::fill(k.clean_shares.begin() + static_cast<std::ptrdiff_t>(k.tray_count), k.clean_shares.end(),
            ratio * tray_share);
  if (!(q2 > q1) || !(p2 > p1)) {
    b.problems().error(
        d.where, "'" + d.id + "': the pressure-drop points do not rise (dp_flow_low < dp_flow_high, dp_low < dp_high)",
        "give two points of one rising curve");
    return;
  }
  k.exponent = std::log(p2 / p1) / std::log(q2 / q1);
  k.k = p2 / std::pow(q2 * k.density, k.exponent);
  const double n = k.exponent;

  std::vector<double> ordered(branches), resistance(branches), shares(branches);
  for (std::size_t i = 0; i < branches; ++i) ordered[i] = k.clean_shares[branchAt(k, i)];
  k.ladder.exponent = n;
  k.ladder.back = d.text("manifold_return") == "reverse" ? ManifoldReturn::reverse : ManifoldReturn::direct;
  const ParameterValue& manifold = parameter(d, "manifold_dp");
  const double manifold_dp = manifold.given ? manifold.number : kManifoldShare * p2;
  k.ladder.segment = RackLadder::segmentFor(manifold_dp, n, ordered);
  const double switch_over_tray = ratio > 0.0 ? std::pow(ratio, -n) : kShut;
  const auto wholeAt = [&](double tray) {
    for (std::size_t i = 0; i < branches; ++i)
      resistance[i] = branchAt(k, i) < k.tray_count ? tray : tray * switch_over_tray;
    return k.ladder.split(resistance, shares);
  };
  double tray = 0.0;
  const ParameterValue &tray_dp = parameter(d, "tray_dp"), &tray_flow = parameter(d, "tray_dp_flow");
  if (tray_dp.given != tray_flow.given) {
    b.problems().error((tray_dp.given ? tray_dp : tray_flow).where,
                       "'" + d.id + "': tray_dp and tray_dp_flow are one point of a tray, and only one is given",
                       "give both, or neither: the tray's resistance then follows from the rack's points");
    return;
  }
  if (tray_dp.given) {
    tray = tray_dp.number / std::pow(tray_flow.number / q2, n);
  } else {
    if (!(manifold_dp < p2)) {
      b.problems().error(manifold.where,
                         "'" + d.id + "': manifold_dp of " + kilopascals(manifold_dp) + " leaves nothing of dp_high, " +
                             kilopascals(p2) + ", to the trays",
                         "the manifolds are part of the rack's pressure drop: give less than dp_high");
      return;
    }
    // Without manifolds the resistance of each tray would be the greatest.
    tray = solveTray(wholeAt, p2 / std::pow(tray_share, n), p2);
  }
  k.r_whole = wholeAt(tray);
  if (tray_dp.given) k.k = k.r_whole / std::pow(q2 * k.density, n);
  for (std::size_t i = 0; i < branches; ++i) k.clean_shares[branchAt(k, i)] = shares[i];
  k.r_switch = tray * switch_over_tray;
  bindDisconnects(b, k, d, tray, q2);
  const std::span<const double> all(k.clean_shares);
  k.uneven = differMuch(all.first(k.tray_count)) || differMuch(all.subspan(k.tray_count));
}

void RackSet::bindDisconnects(Binder& b, Rack& k, const InstanceDescription& d, double tray, double q2) {
  k.r_disconnect = kDisconnectShare * tray;
  k.r_plates = tray - k.r_disconnect;
  const ParameterValue &dp = parameter(d, "quick_disconnect_dp"), &flow = parameter(d, "quick_disconnect_flow");
  if (!dp.given && !flow.given) return;
  if (dp.given != flow.given) {
    b.problems().error(
        (dp.given ? dp : flow).where,
        "'" + d.id + "': quick_disconnect_dp and quick_disconnect_flow are one point, and only one is given",
        "give both, or neither");
    return;
  }
  const double stated = dp.number / std::pow(flow.number / q2, k.exponent);
  if (stated < tray) {
    k.r_disconnect = stated;
    k.r_plates = tray - stated;
    return;
  }
  const double design = std::pow(k.clean_shares.front(), k.exponent);
  b.problems().error(dp.where,
                     "'" + d.id + "': the quick disconnects alone take " + kilopascals(stated * design) +
                         " where a whole tray has " + kilopascals(tray * design) + ", at dp_flow_high",
                     "give quick disconnects of a larger size, or a higher pressure drop of the rack or tray");
}

void RackSet::edgeLaws(Evaluation& e) const {
  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    EdgeLaw& law = e.laws[k.edge];
    const double factor = z(e, kResistance, r);
    law.k = k.k * factor;
    law.exponent = k.exponent;
    law.m_linear = k.m_linear;
    law.open = z(e, kInService, r) != 0.0 && factor > 0.0;  // its shut-off valves, and a tray to pass
  }
}

void RackSet::startFlow(State& state, const RackPartSet& part) const {
  for (std::size_t r = 0; r < size(); ++r) {
    const Rack& k = racks_[r];
    const double* const shares = k.clean_shares.data();
    if (&part == tray_)
      for (std::size_t t = 0; t < k.tray_count; ++t)
        tray_->z(state, kTrayBranch + kFlowShare, k.first_tray + t) = shares[t];
    if (&part == switch_)
      for (std::size_t s = 0; s < k.switch_count; ++s)
        switch_->z(state, kSwitchBranch + kFlowShare, k.first_switch + s) = shares[k.tray_count + s];
    if (&part == cpu_)
      for (std::size_t t = 0; t < k.tray_count; ++t) cpu_->z(state, kCpuShare, k.first_tray + t) = k.cpu_share;
    if (&part == gpu_)
      for (std::size_t g = 0; g < k.gpu_count; ++g) gpu_->z(state, kGpuShare, k.first_gpu + g) = k.gpu_share;
  }
}

// Shares of all plates and trays of a rack, and its resistance, from what is disconnected and clogged.
void RackSet::splitFlow(State& state, std::size_t r) const {
  const Rack& k = racks_[r];
  const double n = k.exponent;
  const std::size_t branches = k.tray_count + k.switch_count;
  // Open area a: at the same pressure difference a^(2/n) of the flow, at the same flow a^-2 of the pressure difference.
  const auto conductance = [&](double clogging) { return std::pow(1.0 - clogging, 2.0 / n); };
  bool plates_clogged = false;
  const auto plates = [&](std::size_t t) {
    const std::size_t first = k.first_gpu + (t - k.first_tray) * k.gpus_per_tray, end = first + k.gpus_per_tray;
    bool clean = true;
    double sum = k.cpu_share;
    for (std::size_t g = first; g < end; ++g) {
      const double clogging = gpu_->z(state, kGpuClogging, g);
      clean = clean && clogging == 0.0;
      sum += k.gpu_share * conductance(clogging);
    }
    if (clean) sum = 1.0;
    plates_clogged = plates_clogged || !clean;
    const double part = sum > 0.0 ? 1.0 / sum : 0.0;
    for (std::size_t g = first; g < end; ++g)
      gpu_->z(state, kGpuShare, g) = k.gpu_share * conductance(gpu_->z(state, kGpuClogging, g)) * part;
    cpu_->z(state, kCpuShare, t) = k.cpu_share * part;
    return sum > 0.0 ? k.r_disconnect + k.r_plates * std::pow(sum, -n) : kShut;
  };
  const auto branch = [&](const RackPartSet& part, std::size_t first, std::size_t i, double whole) {
    const double open = 1.0 - part.z(state, first + kClogging, i);
    const bool shut = part.z(state, first + kDisconnected, i) != 0.0 || part.z(state, first + kAirLocked, i) != 0.0;
    return shut || !(open > 0.0) ? kShut : whole / (open * open);
  };
  std::vector<double> resistance(branches), shares(branches);
  for (std::size_t i = 0; i < branches; ++i) {
    const std::size_t at = branchAt(k, i);
    resistance[i] = at < k.tray_count ? branch(*tray_, kTrayBranch, k.first_tray + at, plates(k.first_tray + at))
                                      : branch(*switch_, kSwitchBranch, k.first_switch + at - k.tray_count, k.r_switch);
  }
  const double whole = k.ladder.split(resistance, shares);
  z(state, kResistance, r) = std::isinf(whole) ? 0.0 : whole / k.r_whole;
  std::vector<double> by_branch(branches);
  for (std::size_t i = 0; i < branches; ++i) by_branch[branchAt(k, i)] = shares[i];
  for (std::size_t t = 0; t < k.tray_count; ++t)
    tray_->z(state, kTrayBranch + kFlowShare, k.first_tray + t) = by_branch[t];
  for (std::size_t s = 0; s < k.switch_count; ++s)
    switch_->z(state, kSwitchBranch + kFlowShare, k.first_switch + s) = by_branch[k.tray_count + s];
  const std::span<const double> all(by_branch);
  const bool uneven = plates_clogged || differMuch(all.first(k.tray_count)) || differMuch(all.subspan(k.tray_count));
  z(state, kUneven, r) = uneven ? 1.0 : 0.0;
  ++state.topology;
}

bool RackSet::commandFlow(State& state, const RackPartSet& part, std::size_t i, std::string_view verb, double value,
                          std::string& reason) const {
  const bool gpu = &part == gpu_, tray = &part == tray_;
  if (!gpu && !tray && &part != switch_) return false;
  const bool clogs = verb == "clog" || verb == "clean";
  if (!clogs && (gpu || (verb != "isolate" && verb != "restore" && verb != "air_lock" && verb != "vent"))) return false;
  const std::size_t first = tray ? kTrayBranch : kSwitchBranch;
  if (clogs) {
    const double share = verb == "clean" ? 0.0 : value;
    if (!(share >= 0.0 && share <= 1.0)) {
      reason = "the blocked share of a " + std::string(gpu ? "plate" : "tray") + " is from 0 to 1";
      return true;
    }
    part.z(state, gpu ? static_cast<std::size_t>(kGpuClogging) : first + kClogging, i) = share;
  } else if (verb == "isolate") {
    part.z(state, first + kDisconnected, i) = 1.0;
  } else if (verb == "air_lock") {
    part.z(state, first + kAirLocked, i) = 1.0;
  } else {
    part.z(state, first + kAirLocked, i) = 0.0;
    if (verb == "restore") part.z(state, first + kDisconnected, i) = 0.0;
  }
  splitFlow(state, rackOf(gpu ? &Rack::first_gpu : (tray ? &Rack::first_tray : &Rack::first_switch), i));
  return true;
}

}  // namespace podtwin
