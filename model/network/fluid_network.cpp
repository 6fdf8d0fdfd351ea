#include "model/network/fluid_network.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {
constexpr double kLeastSlope = 1e-3;   // Pa s/kg of the held part of a head curve, so that no law is flat
constexpr double kNoResistance = 0.1;  // Pa s/kg of an edge that states no resistance: 3 Pa at 30 kg/s
constexpr double kLimiter = 1e11;      // Pa; slope of a flow limiter at work, times its flow: 2e-6 of it at 2 bar
constexpr double kRelativeTolerance = 1e-10;  // of the largest pressure or flow in the circuit
constexpr double kAbsolutePressure = 1e3;     // Pa; scale of a circuit at rest: 1e-8 of it is below any gauge
constexpr double kAbsoluteFlow = 1e-6;        // kg/s; scale of a circuit at rest
constexpr double kRoundOff = 1e-8;            // of the same scale; what is accepted where no step gains any more
constexpr int kMaxIterations = 200;           // warm starts take two to six
constexpr double kBalanced = 1e-9;            // of the largest flow; what misses less at its nodes is balanced
constexpr double kNearlyBalanced =
    1e-6;                              // likewise, round-off where laws from flat to steep meet, far from the solution
constexpr double kFar = 1e-3;          // of the largest pressure
constexpr double kFlatEnough = 0.1;    // of the content's slope at the start of a step: there a search along it ends
constexpr double kGoodEnough = 0.5;    // likewise, of a whole step
constexpr int kMostTrials = 100;       // along a step
constexpr double kFarthest = 1048576;  // whole steps
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
    value += table == nullptr ? resistance(*this, m, own_slope) : k * table->drop(m / stretch, own_slope);
    slope += table == nullptr ? own_slope : k * own_slope / stretch;
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
  if (pipe != nullptr) {
    double own_slope = 0.0;
    // f(Re) m |m| at another viscosity: as at a flow that has the same Reynolds number, times the square of the ratio.
    value += lightness * viscosity * viscosity * pipe->drop(m / viscosity, own_slope);
    slope += lightness * viscosity * own_slope;
  } else if (k == 0.0 && linear == 0.0 && (m < 0.0 ? !check : head_1 >= 0.0)) {
    slope += kNoResistance;
    value += kNoResistance * m;
  }
  if (cracking > 0.0 && m >= 0.0) {
    value += cracking;
    if (reverse_linear * m < value) {
      value = reverse_linear * m;
      slope = reverse_linear;
    }
  }
  if (m > m_limit) {
    slope += kLimiter / m_limit;
    value += kLimiter / m_limit * (m - m_limit);
  }
  slope = std::max(slope, kLeastSlope);
  return value;
}

FluidNetwork::FluidNetwork(std::vector<FluidNode> nodes, std::vector<FluidEdge> edges, double density, double gravity)
    : nodes_(std::move(nodes)), edges_(std::move(edges)), density_(density), gravity_(gravity) {
  if (!(density_ > 0.0)) throw Error("fluid network: density must be positive");
}

/// The matrix is symmetric, its lower triangle stored, its pattern that of the live edges.
struct FluidNetwork::Factor::Content {
  using Matrix = Eigen::SparseMatrix<double>;
  Matrix matrix;
  Eigen::SimplicialLLT<Matrix, Eigen::Lower> llt;
  std::vector<std::int32_t> row;
  std::vector<std::size_t> active;
  std::vector<std::ptrdiff_t> from, to, both;  // [active edge] where its entries are; -1: it has none
};

FluidNetwork::Factor::Factor() = default;
FluidNetwork::Factor::Factor(const Factor&) {}
FluidNetwork::Factor::Factor(Factor&&) noexcept = default;
FluidNetwork::Factor& FluidNetwork::Factor::operator=(const Factor&) {
  content.reset();
  return *this;
}
FluidNetwork::Factor& FluidNetwork::Factor::operator=(Factor&&) noexcept = default;
FluidNetwork::Factor::~Factor() = default;

/// One solve: the network, what it was asked, and its scratch.
class FluidNetwork::Solve {
 public:
  Solve(const FluidNetwork& network, std::span<const EdgeLaw> laws, std::span<double> m, std::span<double> p,
        Workspace& ws)
      : nodes_(network.nodes_), edges_(network.edges_), laws_(laws), m_(m), p_(p), ws_(ws) {}

  void findLive() {
    ws_.live.assign(nodes_.size(), 0);
    ws_.row.assign(nodes_.size(), -1);
    // Which nodes are joined to a held pressure by open edges: repeated sweeps, the graphs are small.
    for (std::size_t n = 0; n < nodes_.size(); ++n) ws_.live[n] = nodes_[n].fixed ? 1 : 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t e = 0; e < edges_.size(); ++e) {
        if (!laws_[e].open || laws_[e].fixed || laws_[e].vents) continue;
        char& a = ws_.live[edges_[e].from];
        char& b = ws_.live[edges_[e].to];
        if (a != b) {
          a = b = 1;
          changed = true;
        }
      }
    }
    std::int32_t unknowns = 0;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (ws_.live[n] != 0 && !nodes_[n].fixed) ws_.row[n] = unknowns++;
    ws_.rhs.assign(static_cast<std::size_t>(unknowns), 0.0);
  }

  /// Shut edges rest. A stated flow counts at its nodes; where one of them has no pressure it has nowhere to go.
  void sortEdges(std::span<const double> inflow, double weight) {
    ws_.slope.resize(edges_.size());
    ws_.drop.resize(edges_.size());
    ws_.trial.resize(edges_.size());
    ws_.step.resize(edges_.size());
    ws_.gravity_head.resize(edges_.size());
    ws_.pressure_trial.assign(p_.begin(), p_.end());
    ws_.inflow.assign(inflow.begin(), inflow.end());
    ws_.active.clear();
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const FluidEdge& edge = edges_[e];
      ws_.gravity_head[e] = weight * (nodes_[edge.from].elevation - nodes_[edge.to].elevation);
      if (laws_[e].open && !laws_[e].fixed && ws_.live[edge.from] != 0) {
        ws_.active.push_back(e);
        continue;
      }
      m_[e] = laws_[e].fixed && laws_[e].open && ws_.live[edge.from] != 0 && ws_.live[edge.to] != 0 ? laws_[e].m_fixed
                                                                                                    : 0.0;
      ws_.inflow[edge.from] -= m_[e];
      ws_.inflow[edge.to] += m_[e];
    }
    std::copy(m_.begin(), m_.end(), ws_.trial.begin());
  }

  /// Largest relative residual of any equation at (flow, pressure).
  double residual(std::span<const double> flow, std::span<const double> pressure) {
    double flow_scale = kAbsoluteFlow, pressure_scale = kAbsolutePressure;
    ws_.worst_energy = 0.0;
    for (const std::size_t e : ws_.active) {
      ws_.drop[e] = laws_[e].drop(flow[e], ws_.slope[e]);
      flow_scale = std::max(flow_scale, std::abs(flow[e]));
      const double available = pressure[edges_[e].from] - pressure[edges_[e].to] + ws_.gravity_head[e];
      pressure_scale = std::max({pressure_scale, std::abs(ws_.drop[e]), std::abs(available)});
      const double miss = std::abs(ws_.drop[e] - available);
      if (!(miss <= ws_.worst_energy)) {
        ws_.worst_energy = miss;
        worst_edge_ = e;
      }
    }
    std::fill(ws_.rhs.begin(), ws_.rhs.end(), 0.0);
    for (const std::size_t e : ws_.active) {
      if (const auto r = ws_.row[edges_[e].from]; r >= 0) ws_.rhs[static_cast<std::size_t>(r)] -= flow[e];
      if (const auto r = ws_.row[edges_[e].to]; r >= 0) ws_.rhs[static_cast<std::size_t>(r)] += flow[e];
    }
    ws_.worst_mass = 0.0;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (ws_.row[n] < 0) continue;
      flow_scale = std::max(flow_scale, std::abs(ws_.inflow[n]));
      const double miss = std::abs(ws_.rhs[static_cast<std::size_t>(ws_.row[n])] + ws_.inflow[n]);
      if (!(miss <= ws_.worst_mass)) {
        ws_.worst_mass = miss;
        worst_node_ = n;
      }
    }
    balanced_ = ws_.worst_mass <= (ws_.worst_energy > kFar * pressure_scale ? kNearlyBalanced : kBalanced) * flow_scale;
    return std::max(ws_.worst_energy / pressure_scale, ws_.worst_mass / flow_scale);
  }

  /// The whole Newton step from (m, p): its flows in ws.trial, its pressures in ws.pressure_trial. ws.drop and ws.slope
  /// hold the laws at m.
  void wholeStep() {
    findPattern();
    Factor::Content& factor = *ws_.factor.content;
    double* const a = factor.matrix.valuePtr();
    std::fill(a, a + factor.matrix.nonZeros(), 0.0);
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (ws_.row[n] >= 0) ws_.rhs[static_cast<std::size_t>(ws_.row[n])] = ws_.inflow[n];
    for (std::size_t k = 0; k < ws_.active.size(); ++k) {
      const std::size_t e = ws_.active[k];
      const FluidEdge& edge = edges_[e];
      const double g = 1.0 / ws_.slope[e];
      // m_new = constant + g (dp_from - dp_to). Changes of pressure are solved for, not pressures: these are large, and
      // their rounding alone would move coolant that stands still.
      const double constant = m_[e] + g * (p_[edge.from] - p_[edge.to] + ws_.gravity_head[e] - ws_.drop[e]);
      if (factor.from[k] >= 0) {
        a[factor.from[k]] += g;
        ws_.rhs[static_cast<std::size_t>(ws_.row[edge.from])] -= constant;
      }
      if (factor.to[k] >= 0) {
        a[factor.to[k]] += g;
        ws_.rhs[static_cast<std::size_t>(ws_.row[edge.to])] += constant;
      }
      if (factor.both[k] >= 0) a[factor.both[k]] -= g;
    }
    if (!ws_.rhs.empty()) {
      factor.llt.factorize(factor.matrix);
      if (factor.llt.info() != Eigen::Success)
        throw SimulationError("flow solve: singular at the node '" + nodes_[worst_node_].name + "' of the circuit");
      Eigen::Map<Eigen::VectorXd> rhs(ws_.rhs.data(), static_cast<Eigen::Index>(ws_.rhs.size()));
      rhs = factor.llt.solve(rhs).eval();
    }
    const auto change = [&](std::size_t n) {
      return ws_.row[n] >= 0 ? ws_.rhs[static_cast<std::size_t>(ws_.row[n])] : 0.0;
    };
    for (std::size_t n = 0; n < nodes_.size(); ++n) ws_.pressure_trial[n] = p_[n] + change(n);
    start_slope_ = 0.0;
    for (const std::size_t e : ws_.active) {
      const double miss = p_[edges_[e].from] - p_[edges_[e].to] + ws_.gravity_head[e] - ws_.drop[e];
      ws_.step[e] = (miss + change(edges_[e].from) - change(edges_[e].to)) / ws_.slope[e];
      ws_.trial[e] = m_[e] + ws_.step[e];
      start_slope_ -= ws_.slope[e] * ws_.step[e] * ws_.step[e];
    }
  }

  /// Goes along the step to where the content of the flows stops falling, for flows that are balanced; ws.trial is
  /// there. Each edge adds the integral of its law less the pressure it sees; flows balanced at both ends of the step
  /// are balanced along it. At the start the slope is minus the sum of slope_e step_e^2.
  bool searchAlongStep() {
    const double start = start_slope_;
    if (!(start < 0.0)) return false;
    double share = 1.0, now = 0.0;
    for (const std::size_t e : ws_.active) now += ws_.step[e] * (ws_.drop[e] - available(e));
    if (std::abs(now) <= kGoodEnough * -start) return false;
    double low = 0.0, at_low = start, high = 0.0, at_high = 0.0;  // high 0: not found yet
    for (int trial = 0; trial < kMostTrials && std::abs(now) > kFlatEnough * -start; ++trial) {
      if (now < 0.0) {
        low = share;
        at_low = now;
      } else {
        high = share;
        at_high = now;
      }
      if (high == 0.0) {
        if (share >= kFarthest) break;
        share *= 4.0;
      } else {
        // Between the secant, kept off the ends, and the middle: the slope may jump.
        const double secant = low + (high - low) * at_low / (at_low - at_high);
        const double margin = 0.1 * (high - low);
        share = trial % 2 == 0 ? std::clamp(secant, low + margin, high - margin) : 0.5 * (low + high);
      }
      now = contentSlope(share);
    }
    for (const std::size_t e : ws_.active) ws_.trial[e] = m_[e] + share * ws_.step[e];
    return true;
  }

  /// Takes ws.trial and ws.pressure_trial.
  void accept() {
    for (const std::size_t e : ws_.active) m_[e] = ws_.trial[e];
    std::copy(ws_.pressure_trial.begin(), ws_.pressure_trial.end(), p_.begin());
  }

  bool balanced() const { return balanced_; }
  std::string worst() const {
    return "worst edge '" + (edges_.empty() ? std::string("-") : edges_[worst_edge_].name) + "' misses by " +
           std::to_string(ws_.worst_energy) + " Pa, worst node '" +
           (nodes_.empty() ? std::string("-") : nodes_[worst_node_].name) + "' by " + std::to_string(ws_.worst_mass) +
           " kg/s";
  }

 private:
  /// Pressure that the edge sees behind the step [Pa].
  double available(std::size_t e) const {
    return ws_.pressure_trial[edges_[e].from] - ws_.pressure_trial[edges_[e].to] + ws_.gravity_head[e];
  }

  double contentSlope(double share) const {
    double sum = 0.0;
    for (const std::size_t e : ws_.active) {
      double slope = 0.0;
      sum += ws_.step[e] * (laws_[e].drop(m_[e] + share * ws_.step[e], slope) - available(e));
    }
    return sum;
  }

  /// Where each live edge enters the matrix, while the same edges are live.
  void findPattern() {
    if (!ws_.factor.content) ws_.factor.content = std::make_unique<Factor::Content>();
    Factor::Content& factor = *ws_.factor.content;
    if (factor.row == ws_.row && factor.active == ws_.active) return;
    factor.row = ws_.row;
    factor.active = ws_.active;
    const auto size = static_cast<Eigen::Index>(ws_.rhs.size());
    std::vector<Eigen::Triplet<double>> entries;
    const auto ends = [&](std::size_t e) {
      return std::pair<int, int>{ws_.row[edges_[e].from], ws_.row[edges_[e].to]};
    };
    for (const std::size_t e : ws_.active) {
      const auto [from, to] = ends(e);
      if (from >= 0) entries.emplace_back(from, from, 1.0);
      if (to >= 0) entries.emplace_back(to, to, 1.0);
      if (from >= 0 && to >= 0 && from != to) entries.emplace_back(std::max(from, to), std::min(from, to), 1.0);
    }
    factor.matrix.resize(size, size);
    factor.matrix.setFromTriplets(entries.begin(), entries.end());
    if (size > 0) factor.llt.analyzePattern(factor.matrix);
    const auto place = [&](int row, int column) -> std::ptrdiff_t {
      if (row < 0 || column < 0) return -1;
      return &factor.matrix.coeffRef(row, column) - factor.matrix.valuePtr();
    };
    factor.from.clear();
    factor.to.clear();
    factor.both.clear();
    for (const std::size_t e : ws_.active) {
      const auto [from, to] = ends(e);
      // An edge from a node to itself moves nothing between nodes.
      factor.from.push_back(from == to ? -1 : place(from, from));
      factor.to.push_back(from == to ? -1 : place(to, to));
      factor.both.push_back(from < 0 || to < 0 || from == to ? -1 : place(std::max(from, to), std::min(from, to)));
    }
  }

  const std::vector<FluidNode>& nodes_;
  const std::vector<FluidEdge>& edges_;
  std::span<const EdgeLaw> laws_;
  std::span<double> m_, p_;
  Workspace& ws_;
  std::size_t worst_edge_ = 0, worst_node_ = 0;
  bool balanced_ = false;
  double start_slope_ = 0.0;  // of the content at the start of the whole step
};

void FluidNetwork::solve(std::span<const EdgeLaw> laws, std::span<const double> inflow, std::span<double> m,
                         std::span<double> p, Workspace& ws) const {
  Solve solve(*this, laws, m, p, ws);
  solve.findLive();
  solve.sortEdges(inflow, density_ * gravity_);
  double norm = solve.residual(m, p);
  for (ws.iterations = 0; !(norm <= kRelativeTolerance && ws.iterations > 0) && ws.iterations < kMaxIterations;
       ++ws.iterations) {
    const bool balanced = solve.balanced();
    solve.wholeStep();
    double trial_norm = solve.residual(ws.trial, ws.pressure_trial);
    if (balanced && solve.searchAlongStep()) trial_norm = solve.residual(ws.trial, ws.pressure_trial);
    solve.accept();
    // Round-off floor: a step that no longer gains is as converged as it gets.
    const bool floor = trial_norm > 0.5 * norm && trial_norm < kRoundOff;
    norm = trial_norm;
    if (floor) break;
  }
  if (!(norm <= kRoundOff))
    throw SimulationError("flow solve did not converge in " + std::to_string(ws.iterations) +
                          " iterations: " + solve.worst());
}

double FluidNetwork::pressureResponse(const Workspace& ws, std::pair<std::size_t, std::size_t> flow,
                                      std::pair<std::size_t, std::size_t> at) const {
  if (!ws.factor.content || ws.rhs.empty() || ws.factor.content->row != ws.row) return 0.0;
  Eigen::VectorXd rhs = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(ws.rhs.size()));
  if (const auto r = ws.row[flow.first]; r >= 0) rhs[r] -= 1.0;
  if (const auto r = ws.row[flow.second]; r >= 0) rhs[r] += 1.0;
  const Eigen::VectorXd dp = ws.factor.content->llt.solve(rhs);
  const auto of = [&](std::size_t node) { return ws.row[node] >= 0 ? dp[ws.row[node]] : 0.0; };
  return of(at.first) - of(at.second);
}

}  // namespace podtwin
