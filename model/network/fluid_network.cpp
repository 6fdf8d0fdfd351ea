#include "model/network/fluid_network.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {
constexpr double kLeastSlope = 1e-3;          // Pa s/kg of the held part of a head curve, so that no law is flat
constexpr double kNoResistance = 0.1;         // Pa s/kg of an edge that states no resistance: 3 Pa at 30 kg/s
constexpr double kRelativeTolerance = 1e-10;  // of the largest pressure or flow in the circuit
constexpr double kAbsolutePressure = 1e3;     // Pa; scale of a circuit at rest: 1e-8 of it is below any gauge
constexpr double kAbsoluteFlow = 1e-6;        // kg/s; scale of a circuit at rest
constexpr double kRoundOff = 1e-8;            // of the same scale; what is accepted where no step gains any more
constexpr int kMaxIterations = 200;
constexpr int kQuickIterations = 40;     // warm starts take two to six
constexpr int kMostPasses = 50;          // over the non-return valves
constexpr double kStillFlow = 1e-9;      // kg/s; a valve does not move for less
constexpr double kStillPressure = 1e-3;  // Pa
constexpr int kMaxHalvings = 12;
/// k |m|^(n-1) m and its slope. Below m_linear a cubic through zero with the law's value and slope at m_linear:
/// positive slope at zero flow, no bias above.
double resistance(const EdgeLaw& law, double m, double& slope) {
  const double a = std::abs(m);
  if (a >= law.m_linear && a > 0.0) {
    const double power = law.exponent == 2.0 ? a : std::pow(a, law.exponent - 1.0);
    slope = law.k * law.exponent * power;
    return law.k * power * m;
  }
  const double scale = law.k * (law.exponent == 2.0 ? law.m_linear : std::pow(law.m_linear, law.exponent - 1.0));
  const double r = law.m_linear > 0.0 ? a / law.m_linear : 0.0;
  const double c1 = (3.0 - law.exponent) * 0.5;
  const double c3 = (law.exponent - 1.0) * 0.5;
  slope = scale * (c1 + 3.0 * c3 * r * r);
  return scale * m * (c1 + c3 * r * r);
}

}  // namespace

double EdgeLaw::drop(double m, double& slope) const {
  double value = linear * m;
  slope = linear;
  if (check && m < 0.0) {
    value = reverse_linear * m;
    slope = reverse_linear;
  } else if (k > 0.0) {
    double own_slope = 0.0;
    value += resistance(*this, m, own_slope);
    slope += own_slope;
  }
  if (head_0 != 0.0 || head_1 != 0.0) {
    // A head curve is used on its falling side; where it rises (near shut-off) it is held at its crest, because a
    // rising curve has two flows for one head.
    const double crest = head_1 > 0.0 && k > 0.0 ? std::max(head_1 / (2.0 * k), m_linear) : 0.0;
    if (m >= crest) {
      value -= head_0 + head_1 * m;
      slope -= head_1;
    } else {
      // Resistance and rising head cancel up to the crest: what is left is the head at the crest.
      double own_slope = 0.0;
      const double own = m >= 0.0 ? resistance(*this, m, own_slope) : 0.0;
      value -= own + head_0 + (head_1 - k * crest) * crest;
      value += kLeastSlope * (std::max(m, 0.0) - crest);  // not quite flat
      slope -= own_slope;
    }
  }
  if (k == 0.0 && linear == 0.0 && !(check && m < 0.0)) {
    slope += kNoResistance;
    value += kNoResistance * m;
  }
  slope = std::max(slope, kLeastSlope);
  return value;
}

FluidNetwork::FluidNetwork(std::vector<FluidNode> nodes, std::vector<FluidEdge> edges, double density, double gravity)
    : nodes_(std::move(nodes)), edges_(std::move(edges)), density_(density), gravity_(gravity) {
  if (!(density_ > 0.0)) throw Error("fluid network: density must be positive");
}

void FluidNetwork::solve(std::span<const EdgeLaw> laws, std::span<const double> inflow, std::span<double> m,
                         std::span<double> p, Workspace& ws) const {
  std::string problem = newton(laws, inflow, m, p, ws, kQuickIterations);
  if (problem.empty()) return;
  // Newton may swing about the kink of a non-return valve where coolant hardly moves. Then every valve is taken as open
  // or shut, with a law that has no kink, and changes only when its own flow says so.
  std::vector<EdgeLaw> settled(laws.begin(), laws.end());
  std::vector<char> shut(laws.size(), 0);
  for (std::size_t e = 0; e < laws.size(); ++e) shut[e] = laws[e].check && m[e] < 0.0 ? 1 : 0;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    for (std::size_t e = 0; e < laws.size(); ++e) {
      if (!laws[e].check) continue;
      settled[e] = laws[e];
      settled[e].check = false;
      if (shut[e] == 0) continue;
      double slope = 0.0;
      settled[e].head_0 = -laws[e].drop(0.0, slope);  // the head at rest, crest included
      settled[e].head_1 = settled[e].k = 0.0;
      settled[e].linear = laws[e].reverse_linear;
    }
    problem = newton(settled, inflow, m, p, ws, kMaxIterations);
    if (!problem.empty()) break;
    bool changed = false;
    for (std::size_t e = 0; e < laws.size(); ++e) {
      if (!laws[e].check) continue;
      const bool reversed = shut[e] == 0 && m[e] < -kStillFlow;
      const bool pushed = shut[e] != 0 && m[e] * laws[e].reverse_linear > kStillPressure;
      if (!reversed && !pushed) continue;
      shut[e] = reversed ? 1 : 0;
      changed = true;
    }
    if (!changed) return;
  }
  throw SimulationError(problem.empty() ? "flow solve: the non-return valves of the circuit find no position in " +
                                              std::to_string(kMostPasses) + " passes"
                                        : problem);
}

std::string FluidNetwork::newton(std::span<const EdgeLaw> laws, std::span<const double> inflow, std::span<double> m,
                                 std::span<double> p, Workspace& ws, int most_iterations) const {
  const std::size_t node_count = nodes_.size();
  const std::size_t edge_count = edges_.size();
  ws.live.assign(node_count, 0);
  ws.row.assign(node_count, -1);

  // Which nodes are joined to a held pressure by open edges: repeated sweeps, the graphs are small.
  for (std::size_t n = 0; n < node_count; ++n) ws.live[n] = nodes_[n].fixed ? 1 : 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t e = 0; e < edge_count; ++e) {
      if (!laws[e].open || laws[e].fixed) continue;
      char& a = ws.live[edges_[e].from];
      char& b = ws.live[edges_[e].to];
      if (a != b) {
        a = b = 1;
        changed = true;
      }
    }
  }
  std::int32_t unknowns = 0;
  for (std::size_t n = 0; n < node_count; ++n)
    if (ws.live[n] != 0 && !nodes_[n].fixed) ws.row[n] = unknowns++;
  const auto size = static_cast<std::size_t>(unknowns);
  ws.matrix.resize(size * size);
  ws.rhs.resize(size);
  ws.slope.resize(edge_count);
  ws.drop.resize(edge_count);
  ws.trial.resize(edge_count);
  ws.pressure_trial.assign(p.begin(), p.end());

  ws.active.clear();
  ws.gravity_head.resize(edge_count);
  for (std::size_t e = 0; e < edge_count; ++e) {
    ws.gravity_head[e] = density_ * gravity_ * (nodes_[edges_[e].from].elevation - nodes_[edges_[e].to].elevation);
    ws.trial[e] = m[e];
    if (laws[e].open && !laws[e].fixed && ws.live[edges_[e].from] != 0) ws.active.push_back(e);
  }
  // A stated flow counts at its nodes; where one of them has no pressure it has nowhere to go and stands still.
  ws.inflow.assign(inflow.begin(), inflow.end());
  for (std::size_t e = 0, next = 0; e < edge_count; ++e) {
    if (next < ws.active.size() && ws.active[next] == e) {
      ++next;
      continue;
    }
    m[e] = laws[e].fixed && laws[e].open && ws.live[edges_[e].from] != 0 && ws.live[edges_[e].to] != 0 ? laws[e].m_fixed
                                                                                                       : 0.0;
    ws.inflow[edges_[e].from] -= m[e];
    ws.inflow[edges_[e].to] += m[e];
    ws.trial[e] = m[e];
  }

  // Largest relative residual of any equation at (flow, pressure).
  std::size_t worst_edge = 0, worst_node = 0;
  double last_pressure_scale = 1.0, last_flow_scale = 1.0;
  const auto residual = [&](std::span<const double> flow, std::span<const double> pressure) {
    double flow_scale = kAbsoluteFlow, pressure_scale = kAbsolutePressure;
    ws.worst_energy = 0.0;
    for (const std::size_t e : ws.active) {
      ws.drop[e] = laws[e].drop(flow[e], ws.slope[e]);
      flow_scale = std::max(flow_scale, std::abs(flow[e]));
      const double available = pressure[edges_[e].from] - pressure[edges_[e].to] + ws.gravity_head[e];
      pressure_scale = std::max({pressure_scale, std::abs(ws.drop[e]), std::abs(available)});
      const double miss = std::abs(ws.drop[e] - available);
      if (miss > ws.worst_energy) {
        ws.worst_energy = miss;
        worst_edge = e;
      }
    }
    std::fill(ws.rhs.begin(), ws.rhs.end(), 0.0);
    for (const std::size_t e : ws.active) {
      if (const auto r = ws.row[edges_[e].from]; r >= 0) ws.rhs[static_cast<std::size_t>(r)] -= flow[e];
      if (const auto r = ws.row[edges_[e].to]; r >= 0) ws.rhs[static_cast<std::size_t>(r)] += flow[e];
    }
    ws.worst_mass = 0.0;
    for (std::size_t n = 0; n < node_count; ++n) {
      if (ws.row[n] < 0) continue;
      flow_scale = std::max(flow_scale, std::abs(ws.inflow[n]));
      const double miss = std::abs(ws.rhs[static_cast<std::size_t>(ws.row[n])] + ws.inflow[n]);
      if (miss > ws.worst_mass) {
        ws.worst_mass = miss;
        worst_node = n;
      }
    }
    last_pressure_scale = pressure_scale;
    last_flow_scale = flow_scale;
    return std::max(ws.worst_energy / pressure_scale, ws.worst_mass / flow_scale);
  };

  double norm = residual(m, p);
  std::vector<double>& a = ws.matrix;
  for (ws.iterations = 0; norm > kRelativeTolerance && ws.iterations < most_iterations; ++ws.iterations) {
    // Laplacian of the linearised edges; ws.drop and ws.slope hold the laws at the present flows.
    std::fill(a.begin(), a.end(), 0.0);
    for (std::size_t n = 0; n < node_count; ++n)
      if (ws.row[n] >= 0) ws.rhs[static_cast<std::size_t>(ws.row[n])] = ws.inflow[n];
    for (const std::size_t e : ws.active) {
      const double g = 1.0 / ws.slope[e];
      const auto& edge = edges_[e];
      const auto rf = ws.row[edge.from], rt = ws.row[edge.to];
      // m_new = constant + g (dp_from - dp_to). Changes of pressure are solved for, not pressures: these are large, and
      // their rounding alone would move coolant that stands still.
      const double constant = m[e] + g * (p[edge.from] - p[edge.to] + ws.gravity_head[e] - ws.drop[e]);
      if (rf >= 0) {
        const auto f = static_cast<std::size_t>(rf);
        a[f * size + f] += g;
        ws.rhs[f] -= constant;
      }
      if (rt >= 0) {
        const auto t = static_cast<std::size_t>(rt);
        a[t * size + t] += g;
        ws.rhs[t] += constant;
      }
      if (rf >= 0 && rt >= 0) {
        const auto f = static_cast<std::size_t>(rf), t = static_cast<std::size_t>(rt);
        a[f * size + t] -= g;
        a[t * size + f] -= g;
      }
    }
    // Dense Cholesky: circuits of a pod have a few dozen nodes.
    for (std::size_t j = 0; j < size; ++j) {
      double d = a[j * size + j];
      for (std::size_t k = 0; k < j; ++k) d -= a[j * size + k] * a[j * size + k];
      if (!(d > 0.0))
        throw SimulationError("flow solve: singular at the node '" + nodes_[worst_node].name + "' of the circuit");
      d = std::sqrt(d);
      a[j * size + j] = d;
      for (std::size_t i = j + 1; i < size; ++i) {
        double s = a[i * size + j];
        for (std::size_t k = 0; k < j; ++k) s -= a[i * size + k] * a[j * size + k];
        a[i * size + j] = s / d;
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      double s = ws.rhs[i];
      for (std::size_t k = 0; k < i; ++k) s -= a[i * size + k] * ws.rhs[k];
      ws.rhs[i] = s / a[i * size + i];
    }
    for (std::size_t i = size; i-- > 0;) {
      double s = ws.rhs[i];
      for (std::size_t k = i + 1; k < size; ++k) s -= a[k * size + i] * ws.rhs[k];
      ws.rhs[i] = s / a[i * size + i];
    }
    const auto change = [&](std::size_t n) {
      return ws.row[n] >= 0 ? ws.rhs[static_cast<std::size_t>(ws.row[n])] : 0.0;
    };
    std::vector<double>& p_new = ws.pressure_trial;
    for (std::size_t n = 0; n < node_count; ++n) p_new[n] = p[n] + change(n);
    for (const std::size_t e : ws.active) {
      const double miss = p[edges_[e].from] - p[edges_[e].to] + ws.gravity_head[e] - ws.drop[e];
      ws.trial[e] = m[e] + (miss + change(edges_[e].from) - change(edges_[e].to)) / ws.slope[e];
    }
    // Halve the step while it makes the equations worse by the scales at its start: scales that grow with the trial
    // would let an overshoot of any size look like the start. A step that no halving makes good is taken whole.
    const double pressure_scale = last_pressure_scale, flow_scale = last_flow_scale;
    const auto merit = [&] { return std::max(ws.worst_energy / pressure_scale, ws.worst_mass / flow_scale); };
    const double start_merit = merit();
    double trial_norm = residual(ws.trial, p_new), share = 1.0;
    if (merit() > start_merit && trial_norm > kRelativeTolerance) {
      ws.flow_whole = ws.trial;
      ws.pressure_whole = p_new;
    }
    for (int halving = 0; halving <= kMaxHalvings && merit() > start_merit && trial_norm > kRelativeTolerance;
         ++halving) {
      share = halving < kMaxHalvings ? 0.5 * share : 1.0;
      for (std::size_t e = 0; e < edge_count; ++e) ws.trial[e] = m[e] + share * (ws.flow_whole[e] - m[e]);
      for (std::size_t n = 0; n < node_count; ++n) p_new[n] = p[n] + share * (ws.pressure_whole[n] - p[n]);
      trial_norm = residual(ws.trial, p_new);
    }
    std::copy(ws.trial.begin(), ws.trial.end(), m.begin());
    std::copy(p_new.begin(), p_new.end(), p.begin());
    // Round-off floor: a step that no longer gains is as converged as it gets.
    if (trial_norm > 0.5 * norm && trial_norm < kRoundOff) {
      norm = trial_norm;
      break;
    }
    norm = trial_norm;
  }
  if (norm <= kRoundOff) return {};
  return "flow solve did not converge in " + std::to_string(ws.iterations) + " iterations: worst edge '" +
         (edge_count > 0 ? edges_[worst_edge].name : std::string("-")) + "' misses by " +
         std::to_string(ws.worst_energy) + " Pa, worst node '" +
         (node_count > 0 ? nodes_[worst_node].name : std::string("-")) + "' by " + std::to_string(ws.worst_mass) +
         " kg/s";
}

}  // namespace podtwin
