#include "model/network/phasor_network.hpp"

#include <Eigen/LU>
#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

// Of the greatest admittance at a node of a part that nothing joins to earth (a delta, say): leaks of this size hold it
// about earth, as insulation does; a thousandth of what real cables leak by their capacitance.
constexpr double kLeak = 1e-9;
constexpr double kEarthed = 1e-6;     // of a row of admittances; its sum above this is a path to earth
constexpr double kConverged = 1e-10;  // of the greatest current of a part; the issue asks 1e-9 of the power by phase
constexpr double kAccepted = 1e-9;    // likewise, where nothing lessens it any more
constexpr double kStalled = 1e-7;     // of it, where no step is better and round-off explains what is left over
constexpr double kRoundOff = 64.0 * std::numeric_limits<double>::epsilon();  // of the terms that meet at a node
constexpr double kSlow = 0.3;  // an iteration that leaves more than this of the imbalance asks for new slopes
constexpr int kMostIterations = 200;
constexpr int kMostHalvings = 12;
// Sharpness of the corner between constant power and impedance where Newton finds no way across it, step by step; 0:
// the corner itself.
constexpr double kSharpness[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536, 0};
constexpr std::size_t kMostNames = 3;    // of nodes in a message
constexpr Eigen::Index kDenseRows = 96;  // up to this many rows a dense factor is the faster one (measured)

/// Sets of numbers that are joined, each known by one of them.
class Joined {
 public:
  explicit Joined(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) { parent_[of(i)] = of(j); }

 private:
  std::vector<std::size_t> parent_;
};

/// Real form of the multiplication with a complex number.
Eigen::Matrix2d times(Complex c) {
  Eigen::Matrix2d m;
  m << c.real(), -c.imag(), c.imag(), c.real();
  return m;
}

Complex at(std::ptrdiff_t node, const std::vector<Complex>& voltage) {
  return node == kEarth ? Complex{} : voltage[static_cast<std::size_t>(node)];
}

bool ideal(const PhasorSource& source) { return source.impedance == Complex{}; }

/// Pairs of terminals that an element couples, by conductors or by a magnetic field.
template <class F>
void coupledPairs(const PhasorElement& element, const F& f) {
  for (Eigen::Index k = 0; k < element.admittance.rows(); ++k)
    for (Eigen::Index j = 0; j < k; ++j)
      if (element.admittance(k, j) != Complex{} || element.admittance(j, k) != Complex{})
        f(element.terminals[static_cast<std::size_t>(k)], element.terminals[static_cast<std::size_t>(j)]);
}

}  // namespace

/// Factor of the slopes of the currents, in real and imaginary parts.
struct PhasorState::Factor {
  Eigen::PartialPivLU<Eigen::MatrixXd> dense;
  std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> sparse;
  Eigen::VectorXd solve(const Eigen::VectorXd& rhs) const {
    return sparse ? Eigen::VectorXd(sparse->solve(rhs)) : Eigen::VectorXd(dense.solve(rhs));
  }
};

LoadCurrent loadCurrent(const PhasorLoad& load, Complex power, Complex voltage) {
  const double magnitude = std::abs(voltage), rated = load.rated_voltage, least = load.lowest_share * rated;
  const Complex s = std::conj(power);
  if (load.model == LoadModel::impedance) {
    const Complex y = s / (rated * rated);
    return {y * voltage, times(y)};
  }
  const int exponent = load.model == LoadModel::power ? 0 : 1;  // of the power in the voltage
  if (magnitude < least) {
    const Complex y = s * std::pow(load.lowest_share, exponent) / (least * least);
    return {y * voltage, times(y)};
  }
  // Unit of the voltage u = v/|v|; its derivative turns: du = (dv - u Re(conj(u) dv)) / |v|.
  const Complex u = voltage / magnitude;
  const Eigen::Vector2d along(u.real(), u.imag());
  const Eigen::Matrix2d turn = (Eigen::Matrix2d::Identity() - along * along.transpose()) / magnitude;
  if (exponent == 1) return {s / rated * u, times(s / rated) * turn};
  // s / conj(v) = s u / |v|
  return {s * u / magnitude, times(s / magnitude) * (turn - along * along.transpose() / magnitude)};
}

namespace {
/// The current alone, where no slope is asked for.
Complex currentOf(const PhasorLoad& load, Complex power, Complex voltage) {
  if (power == Complex{}) return {};
  const double square = std::norm(voltage), rated = load.rated_voltage, least = load.lowest_share * rated;
  const Complex s = std::conj(power);
  if (load.model == LoadModel::impedance) return s / (rated * rated) * voltage;
  if (square < least * least)
    return (load.model == LoadModel::power ? s : s * load.lowest_share) / (least * least) * voltage;
  if (load.model == LoadModel::current) return s / (rated * std::sqrt(square)) * voltage;
  return s * voltage / square;
}

/// Current and slope of a load of constant power or current whose corner at its lowest voltage is rounded: with x the
/// voltage over that one, its admittance there falls by (1 + x^(k n))^(-1/n), k 2 or 1 and n the sharpness.
LoadCurrent roundedCurrent(const PhasorLoad& load, Complex power, Complex voltage, double sharpness) {
  const double magnitude = std::abs(voltage), least = load.lowest_share * load.rated_voltage, x = magnitude / least;
  const double k = load.model == LoadModel::power ? 2.0 : 1.0;
  const Complex below = std::conj(power) * (k == 1.0 ? load.lowest_share : 1.0) / (least * least);
  if (magnitude == 0.0) return {{}, times(below)};
  // By logarithms, as x^(k n) may be any number.
  const double logarithm = k * sharpness * std::log(x);
  const double sum = std::max(logarithm, 0.0) + std::log1p(std::exp(-std::abs(logarithm)));  // ln(1 + x^(k n))
  const double fall = std::exp(-sum / sharpness), above = std::exp(logarithm - sum);
  LoadCurrent out{below * fall * voltage, times(below * fall)};
  const Eigen::Vector2d along(voltage.real() / magnitude, voltage.imag() / magnitude);
  const double slope = -k * above * fall / magnitude;
  out.slope += times(below) * (magnitude * slope * along * along.transpose());
  return out;
}
}  // namespace

PhasorNetwork::PhasorNetwork(std::vector<std::string> nodes, std::vector<PhasorElement> elements,
                             std::vector<PhasorLoad> loads, std::vector<PhasorSource> sources,
                             std::vector<PhasorNeutral> neutrals)
    : nodes_(std::move(nodes)),
      elements_(std::move(elements)),
      loads_(std::move(loads)),
      sources_(std::move(sources)),
      neutrals_(std::move(neutrals)),
      is_neutral_(nodes_.size(), 0) {
  for (const auto& neutral : neutrals_) is_neutral_[neutral.node] = 1;
  for (const auto& source : sources_)
    if (ideal(source) && source.from != kEarth)
      throw Error("source '" + source.name + "' has no impedance and a star point that is not earth");
}

std::vector<char> PhasorNetwork::live(const PhasorConnection& connection) const {
  const auto closedPairs = [&](const auto& f) {
    for (std::size_t e = 0; e < elements_.size(); ++e)
      if (connection.closed[e] != 0) coupledPairs(elements_[e], f);
  };
  Joined joined(nodes_.size());
  closedPairs([&](std::size_t a, std::size_t b) {
    if (is_neutral_[a] == 0 && is_neutral_[b] == 0) joined.join(a, b);
  });
  std::vector<char> fed(nodes_.size(), 0);
  for (std::size_t s = 0; s < sources_.size(); ++s)
    if (connection.on[s] != 0) fed[joined.of(sources_[s].to)] = 1;
  std::vector<char> live(nodes_.size(), 0);
  for (std::size_t n = 0; n < live.size(); ++n) live[n] = is_neutral_[n] == 0 ? fed[joined.of(n)] : 0;
  for (std::size_t s = 0; s < sources_.size(); ++s)
    if (connection.on[s] != 0 && sources_[s].from != kEarth) live[static_cast<std::size_t>(sources_[s].from)] = 1;
  for (const auto& neutral : neutrals_)
    for (const auto phase : neutral.phases)
      if (live[phase] != 0) live[neutral.node] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    closedPairs([&](std::size_t a, std::size_t b) {
      for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}})
        if (live[from] != 0 && live[to] == 0 && is_neutral_[to] != 0) {
          live[to] = 1;
          changed = true;
        }
    });
  }
  return live;
}

/// A part without a path to earth gets leaks.
void PhasorNetwork::leaks(PhasorTopology& topology, std::vector<double>& leak) const {
  const std::size_t n = nodes_.size();
  Joined parts(n);
  const auto& connection = topology.connection_;
  for (std::size_t e = 0; e < elements_.size(); ++e)
    if (connection.closed[e] != 0)
      for (const auto& [k, j] : elements_[e].joined) parts.join(elements_[e].terminals[k], elements_[e].terminals[j]);
  for (std::size_t s = 0; s < sources_.size(); ++s)
    if (connection.on[s] != 0 && sources_[s].from != kEarth)
      parts.join(sources_[s].to, static_cast<std::size_t>(sources_[s].from));
  std::vector<char> earthed(n, 0);
  std::vector<double> greatest(n, 0.0);
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    if (connection.on[s] == 0) continue;
    if (sources_[s].from == kEarth) earthed[parts.of(sources_[s].to)] = 1;
    if (!ideal(sources_[s]))
      greatest[parts.of(sources_[s].to)] =
          std::max(greatest[parts.of(sources_[s].to)], 1.0 / std::abs(sources_[s].impedance));
  }
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    if (connection.closed[e] == 0) continue;
    const auto& element = elements_[e];
    for (std::size_t k = 0; k < element.terminals.size(); ++k) {
      const std::size_t part = parts.of(element.terminals[k]);
      Complex sum{};
      double size = 0.0;
      for (std::size_t j = 0; j < element.terminals.size(); ++j) {
        const Complex y = element.admittance(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j));
        if (parts.of(element.terminals[j]) == part) sum += y;
        size = std::max(size, std::abs(y));
      }
      if (std::abs(sum) > kEarthed * size) earthed[part] = 1;
      greatest[part] = std::max(greatest[part], size);
    }
  }
  leak.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    if (topology.live(i) && earthed[parts.of(i)] == 0)
      // A neutral that nothing closed touches is at earth's voltage as well as at any.
      leak[i] = greatest[parts.of(i)] > 0.0 ? kLeak * greatest[parts.of(i)] : 1.0;
}

std::shared_ptr<const PhasorTopology> PhasorNetwork::connect(PhasorConnection connection) const {
  auto topology = std::make_shared<PhasorTopology>();
  const std::size_t n = nodes_.size();
  const std::vector<char> is_live = live(connection);
  topology->connection_ = std::move(connection);
  const auto& closed = topology->connection_.closed;
  const auto& on = topology->connection_.on;
  const auto liveEnd = [&](std::ptrdiff_t node) {
    return node == kEarth || is_live[static_cast<std::size_t>(node)] != 0;
  };

  Joined joined(n);
  for (std::size_t e = 0; e < elements_.size(); ++e)
    if (closed[e] != 0)
      coupledPairs(elements_[e], [&](std::size_t a, std::size_t b) {
        if (is_live[a] != 0 && is_live[b] != 0) joined.join(a, b);
      });
  for (std::size_t s = 0; s < sources_.size(); ++s)
    if (on[s] != 0 && sources_[s].from != kEarth)
      joined.join(sources_[s].to, static_cast<std::size_t>(sources_[s].from));
  for (const auto& neutral : neutrals_)
    for (const auto phase : neutral.phases)
      if (is_live[phase] != 0) joined.join(phase, neutral.node);
  for (const auto& load : loads_)
    if (load.to != kEarth && is_live[load.from] != 0 && liveEnd(load.to))
      joined.join(load.from, static_cast<std::size_t>(load.to));

  topology->part_of_.assign(n, -1);
  topology->row_of_.assign(n, -1);
  std::vector<char> held(n, 0);
  std::map<std::size_t, std::size_t> number;  // of a part, by its member in `joined`
  const auto partAt = [&](std::size_t node) -> PhasorTopology::Part& {
    return topology->parts_[static_cast<std::size_t>(topology->part_of_[node])];
  };
  for (std::size_t i = 0; i < n; ++i)
    if (is_live[i] != 0) {
      const auto [place, fresh] = number.emplace(joined.of(i), topology->parts_.size());
      if (fresh) topology->parts_.emplace_back();
      topology->part_of_[i] = static_cast<std::ptrdiff_t>(place->second);
    }
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    if (on[s] == 0) continue;
    auto& part = partAt(sources_[s].to);
    if (!ideal(sources_[s])) {
      part.sources.push_back(s);
      continue;
    }
    if (held[sources_[s].to] != 0)
      throw SimulationError("two sources without impedance hold '" + nodes_[sources_[s].to] + "': '" +
                            sources_[s].name + "' and another; give them a short-circuit power");
    held[sources_[s].to] = 1;
    part.held.push_back(s);
  }
  for (std::size_t i = 0; i < n; ++i)
    if (is_live[i] != 0 && held[i] == 0) {
      auto& part = partAt(i);
      topology->row_of_[i] = static_cast<std::ptrdiff_t>(part.nodes.size());
      part.nodes.push_back(i);
    }
  for (std::size_t l = 0; l < loads_.size(); ++l)
    if (is_live[loads_[l].from] != 0 && liveEnd(loads_[l].to)) partAt(loads_[l].from).loads.push_back(l);

  std::vector<double> leak;
  leaks(*topology, leak);
  topology->adrift_.resize(n);
  for (std::size_t i = 0; i < n; ++i) topology->adrift_[i] = leak[i] > 0.0 ? 1 : 0;
  // Admittances of each part, row by row.
  std::vector<std::vector<std::map<std::size_t, Complex>>> rows(topology->parts_.size());
  std::vector<std::map<std::size_t, Complex>> held_rows(sources_.size());
  std::vector<std::ptrdiff_t> holder(n, -1);
  for (std::size_t s = 0; s < sources_.size(); ++s)
    if (on[s] != 0 && ideal(sources_[s])) holder[sources_[s].to] = static_cast<std::ptrdiff_t>(s);
  for (std::size_t p = 0; p < rows.size(); ++p) rows[p].resize(topology->parts_[p].nodes.size());
  const auto add = [&](std::size_t a, std::size_t b, Complex y) {
    if (y == Complex{} || !topology->live(a) || !topology->live(b)) return;
    if (holder[a] >= 0)
      held_rows[static_cast<std::size_t>(holder[a])][b] += y;
    else
      rows[static_cast<std::size_t>(topology->part_of_[a])][static_cast<std::size_t>(topology->row_of_[a])][b] += y;
  };
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const auto& element = elements_[e];
    if (closed[e] == 0) continue;
    const auto first = std::find_if(element.terminals.begin(), element.terminals.end(),
                                    [&](std::size_t node) { return topology->live(node); });
    if (first == element.terminals.end()) continue;
    partAt(*first).elements.push_back(e);
    for (std::size_t k = 0; k < element.terminals.size(); ++k)
      for (std::size_t j = 0; j < element.terminals.size(); ++j)
        add(element.terminals[k], element.terminals[j],
            element.admittance(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)));
  }
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    if (on[s] == 0 || ideal(sources_[s])) continue;
    const Complex y = 1.0 / sources_[s].impedance;
    add(sources_[s].to, sources_[s].to, y);
    if (sources_[s].from == kEarth) continue;
    const auto star = static_cast<std::size_t>(sources_[s].from);
    add(star, star, y);
    add(star, sources_[s].to, -y);
    add(sources_[s].to, star, -y);
  }
  for (std::size_t i = 0; i < n; ++i)
    if (leak[i] > 0.0) add(i, i, leak[i]);
  for (std::size_t p = 0; p < rows.size(); ++p) {
    auto& part = topology->parts_[p];
    part.row_start.push_back(0);
    for (std::size_t r = 0; r < rows[p].size(); ++r) {
      for (const auto& [node, y] : rows[p][r]) {
        if (holder[node] >= 0) {
          part.ties.push_back({r, node, y});
        } else {
          part.column.push_back(static_cast<std::size_t>(topology->row_of_[node]));
          part.admittance.push_back(y);
        }
      }
      part.row_start.push_back(part.column.size());
    }
    for (const auto s : part.held) {
      part.held_ties.emplace_back();
      for (const auto& [node, y] : held_rows[s]) part.held_ties.back().push_back({0, node, y});
    }
  }
  return topology;
}

PhasorState PhasorNetwork::makeState() const {
  PhasorState state;
  state.voltage.assign(nodes_.size(), Complex{});
  state.power.assign(loads_.size(), Complex{});
  state.emf.assign(sources_.size(), Complex{});
  return state;
}

void PhasorNetwork::enter(const PhasorTopology& topology, PhasorState& state, bool keep) const {
  state.factors.assign(topology.parts().size(), nullptr);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (!keep || !topology.live(i)) state.voltage[i] = Complex{};
}

/// Newton on one part.
class PhasorNetwork::Solve {
 public:
  Solve(const PhasorNetwork& network, const PhasorTopology& topology, std::size_t part, PhasorState& state)
      : network_(network), part_(topology.parts()[part]), topology_(topology), number_(part), state_(state) {}

  void run() {
    state_.iterations = 0;
    for (const auto s : part_.held) state_.voltage[network_.sources_[s].to] = state_.emf[s];
    const std::size_t rows = part_.nodes.size();
    if (rows == 0) return;
    v_.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) v_[r] = state_.voltage[part_.nodes[r]];
    fixedCurrents();
    if (std::all_of(v_.begin(), v_.end(), [](Complex v) { return v == Complex{}; })) startFlat();
    if (const double left = iterate(); left > 0.0 && !roundCorners()) fail(left);
    for (std::size_t r = 0; r < rows; ++r) state_.voltage[part_.nodes[r]] = v_[r];
  }

  double imbalance() {
    v_.resize(part_.nodes.size());
    for (std::size_t r = 0; r < v_.size(); ++r) v_[r] = state_.voltage[part_.nodes[r]];
    if (v_.empty()) return 0.0;
    fixedCurrents();
    const double worst = residual(v_, out_);
    return worst / greatest_;
  }

 private:
  Complex voltage(std::ptrdiff_t node, const std::vector<Complex>& v) const {
    if (node == kEarth) return {};
    const auto row = topology_.rowOf(static_cast<std::size_t>(node));
    return row < 0 ? state_.voltage[static_cast<std::size_t>(node)] : v[static_cast<std::size_t>(row)];
  }
  std::ptrdiff_t row(std::ptrdiff_t node) const {
    return node == kEarth ? -1 : topology_.rowOf(static_cast<std::size_t>(node));
  }

  /// Currents that do not depend on the unknown voltages: of held nodes and electromotive forces.
  void fixedCurrents() {
    fixed_.assign(part_.nodes.size(), Complex{});
    for (const auto& tie : part_.ties) fixed_[tie.row] += tie.admittance * state_.voltage[tie.node];
    for (const auto s : part_.sources) {
      const auto& source = network_.sources_[s];
      const Complex i = state_.emf[s] / source.impedance;
      if (const auto r = row(static_cast<std::ptrdiff_t>(source.to)); r >= 0) fixed_[static_cast<std::size_t>(r)] -= i;
      if (const auto r = row(source.from); r >= 0) fixed_[static_cast<std::size_t>(r)] += i;
    }
  }

  /// Current [A] that leaves each node; gives the greatest, less what round-off explains there.
  double residual(const std::vector<Complex>& v, std::vector<Complex>& out) {
    const std::size_t rows = part_.nodes.size();
    out.resize(rows);
    size_.resize(rows);
    double greatest = 0.0;  // squares, as roots take longer than the rest
    for (std::size_t r = 0; r < rows; ++r) {
      Complex sum = fixed_[r];
      double size = std::abs(fixed_[r].real()) + std::abs(fixed_[r].imag());
      for (std::size_t k = part_.row_start[r]; k < part_.row_start[r + 1]; ++k) {
        const Complex i = part_.admittance[k] * v[part_.column[k]];
        sum += i;
        size += std::abs(i.real()) + std::abs(i.imag());
      }
      out[r] = sum;
      size_[r] = size;
    }
    for (const auto l : part_.loads) {
      if (state_.power[l] == Complex{}) continue;
      const auto& load = network_.loads_[l];
      const Complex across = voltage(static_cast<std::ptrdiff_t>(load.from), v) - voltage(load.to, v);
      const Complex i = rounded(load) ? roundedCurrent(load, state_.power[l], across, sharpness_).current
                                      : currentOf(load, state_.power[l], across);
      greatest = std::max(greatest, std::norm(i));
      if (const auto r = row(static_cast<std::ptrdiff_t>(load.from)); r >= 0) out[static_cast<std::size_t>(r)] += i;
      if (const auto r = row(load.to); r >= 0) out[static_cast<std::size_t>(r)] -= i;
    }
    for (const auto s : part_.sources) {
      const auto& source = network_.sources_[s];
      const Complex across = voltage(static_cast<std::ptrdiff_t>(source.to), v) - voltage(source.from, v);
      greatest = std::max(greatest, std::norm(state_.emf[s] - across) / std::norm(source.impedance));
    }
    double worst = 0.0;
    round_off_ = true;
    for (std::size_t r = 0; r < rows; ++r) {
      const double left = std::norm(out[r]), noise = kRoundOff * size_[r];
      if (left > noise * noise) round_off_ = false;
      worst = std::max(worst, left);
    }
    greatest_ = std::max(std::sqrt(greatest), std::numeric_limits<double>::min());
    return std::sqrt(worst);
  }

  void factorise(const std::vector<Complex>& v, bool flat) {
    const auto n = 2 * static_cast<Eigen::Index>(part_.nodes.size());
    auto factor = std::make_shared<PhasorState::Factor>();
    const bool dense = n <= kDenseRows;
    Eigen::MatrixXd matrix;
    std::vector<Eigen::Triplet<double>> triplets;
    if (dense) matrix = Eigen::MatrixXd::Zero(n, n);
    const auto put = [&](std::ptrdiff_t i, std::ptrdiff_t j, const Eigen::Matrix2d& m) {
      if (i < 0 || j < 0) return;
      if (dense) {
        matrix.block<2, 2>(2 * i, 2 * j) += m;
        return;
      }
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
          triplets.emplace_back(static_cast<int>(2 * i + a), static_cast<int>(2 * j + b), m(a, b));
    };
    for (std::size_t r = 0; r < part_.nodes.size(); ++r)
      for (std::size_t k = part_.row_start[r]; k < part_.row_start[r + 1]; ++k)
        put(static_cast<std::ptrdiff_t>(r), static_cast<std::ptrdiff_t>(part_.column[k]), times(part_.admittance[k]));
    for (const auto l : part_.loads) {
      if (state_.power[l] == Complex{}) continue;
      PhasorLoad load = network_.loads_[l];
      load.name.clear();
      if (flat) load.model = LoadModel::impedance;
      const Complex across = voltage(static_cast<std::ptrdiff_t>(load.from), v) - voltage(load.to, v);
      const Eigen::Matrix2d g = rounded(load) ? roundedCurrent(load, state_.power[l], across, sharpness_).slope
                                              : loadCurrent(load, state_.power[l], across).slope;
      const auto from = row(static_cast<std::ptrdiff_t>(load.from)), to = row(load.to);
      put(from, from, g);
      put(from, to, -g);
      put(to, from, -g);
      put(to, to, g);
    }
    bool sound = true;
    if (dense) {
      factor->dense.compute(matrix);
      sound = factor->dense.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
    } else {
      Eigen::SparseMatrix<double> sparse(n, n);
      sparse.setFromTriplets(triplets.begin(), triplets.end());
      factor->sparse = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
      factor->sparse->compute(sparse);
      sound = factor->sparse->info() == Eigen::Success;
    }
    if (!sound)
      throw SimulationError("power flow: the voltages of the part with '" + network_.nodes_[part_.nodes.front()] +
                            "' are not determined");
    factor_ = std::move(factor);
    fresh_ = true;
  }

  void step(const std::vector<Complex>& out, std::vector<Complex>& change) {
    rhs_.resize(2 * static_cast<Eigen::Index>(out.size()));
    for (std::size_t r = 0; r < out.size(); ++r) {
      rhs_[2 * static_cast<Eigen::Index>(r)] = -out[r].real();
      rhs_[2 * static_cast<Eigen::Index>(r) + 1] = -out[r].imag();
    }
    const Eigen::VectorXd x = factor_->solve(rhs_);
    change.resize(out.size());
    for (std::size_t r = 0; r < out.size(); ++r)
      change[r] = {x[2 * static_cast<Eigen::Index>(r)], x[2 * static_cast<Eigen::Index>(r) + 1]};
  }

  /// The network with every load the impedance that it is at its rated voltage, or below its lowest one: linear, so
  /// that one solve has it.
  void startFlat(bool at_rated_voltage = true) {
    factorise(v_, at_rated_voltage);
    // At 0 V no load draws: what leaves a node is what the sources drive through the elements.
    residual(v_, out_);
    step(out_, change_);
    for (std::size_t r = 0; r < v_.size(); ++r) v_[r] += change_[r];
    factor_ = nullptr;
    fresh_ = false;
  }

  bool converged(double worst) const { return worst <= kConverged * greatest_ || round_off_; }

  bool rounded(const PhasorLoad& load) const { return sharpness_ > 0.0 && load.model != LoadModel::impedance; }

  /// Where voltages sink so far that loads cross the corner between constant power and impedance, Newton may find no
  /// step that helps: from the network in which that corner is round, made sharper step by step, and if that does not
  /// hold either, from the collapsed one in which every load is below it.
  bool roundCorners() {
    state_.iterations = 0;
    restart(true);
    for (const double sharpness : kSharpness) {
      sharpness_ = sharpness;
      factor_ = state_.factors[number_] = nullptr;
      if (iterate() == 0.0 && sharpness == 0.0) return true;
    }
    restart(false);
    return iterate() == 0.0;
  }
  void restart(bool at_rated_voltage) {
    factor_ = state_.factors[number_] = nullptr;
    std::fill(v_.begin(), v_.end(), Complex{});
    startFlat(at_rated_voltage);
  }

  /// 0 when it has converged, else the current [A] that is left over.
  double iterate() {
    if (!factor_) factor_ = state_.factors[number_];
    double worst = residual(v_, out_);
    const int most = state_.iterations + kMostIterations;
    while (!converged(worst)) {
      if (++state_.iterations > most) return worst;
      if (!factor_) factorise(v_, false);
      step(out_, change_);
      double share = 1.0, next = worst;
      bool better = false;
      for (int halving = 0; halving <= kMostHalvings; ++halving, share *= 0.5) {
        trial_ = v_;
        for (std::size_t r = 0; r < v_.size(); ++r) trial_[r] += share * change_[r];
        next = residual(trial_, trial_out_);
        if (next < worst) {
          better = true;
          break;
        }
        if (!fresh_) break;  // slopes of elsewhere: better take new ones than shorten the step
      }
      if (!better) {
        if (!fresh_) {
          residual(v_, out_);
          factorise(v_, false);
          continue;
        }
        worst = residual(v_, out_);
        // A node of small terms, as a neutral, is left with the round-off of the greatest ones of its part.
        const double noise = kRoundOff * *std::max_element(size_.begin(), size_.end());
        if (worst <= kAccepted * greatest_ || worst <= std::min(noise, kStalled * greatest_)) break;
        return worst;
      }
      const bool slow = next > kSlow * worst && !converged(next);
      v_.swap(trial_);
      out_.swap(trial_out_);
      worst = next;
      fresh_ = false;
      if (slow) factor_ = nullptr;
    }
    if (factor_) state_.factors[number_] = factor_;
    return 0.0;
  }

  [[noreturn]] void fail(double worst) {
    std::vector<std::size_t> order(out_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNames, order.size())),
                      order.end(), [&](std::size_t a, std::size_t b) { return std::abs(out_[a]) > std::abs(out_[b]); });
    std::ostringstream text;
    text << "power flow did not converge in " << state_.iterations << " iterations: " << worst << " A of " << greatest_
         << " A are left over; worst at ";
    for (std::size_t k = 0; k < std::min(kMostNames, order.size()); ++k)
      text << (k == 0 ? "'" : ", '") << network_.nodes_[part_.nodes[order[k]]] << "'";
    throw SimulationError(text.str());
  }

  const PhasorNetwork& network_;
  const PhasorTopology::Part& part_;
  const PhasorTopology& topology_;
  std::size_t number_;
  PhasorState& state_;
  std::shared_ptr<const PhasorState::Factor> factor_;
  double sharpness_ = 0.0;  // of corners; 0: as they are
  bool fresh_ = false;      // the factor is of these voltages
  bool round_off_ = false;  // no node has more left over than round-off
  double greatest_ = 0.0;
  std::vector<Complex>&v_ = state_.scratch[0], &out_ = state_.scratch[1], &change_ = state_.scratch[2],
  &trial_ = state_.scratch[3], &trial_out_ = state_.scratch[4], &fixed_ = state_.scratch[5];
  std::vector<double>& size_ = state_.sizes;
  Eigen::VectorXd rhs_;
};

void PhasorNetwork::solve(const PhasorTopology& topology, std::size_t part, PhasorState& state) const {
  Solve(*this, topology, part, state).run();
}

double PhasorNetwork::imbalance(const PhasorTopology& topology, std::size_t part, const PhasorState& state) const {
  PhasorState copy = state;
  return Solve(*this, topology, part, copy).imbalance();
}

Eigen::VectorXcd PhasorNetwork::currents(std::size_t element, const PhasorTopology& topology,
                                         const PhasorState& state) const {
  const PhasorElement& e = elements_[element];
  Eigen::VectorXcd v(static_cast<Eigen::Index>(e.terminals.size()));
  if (topology.connection().closed[element] == 0) return Eigen::VectorXcd::Zero(v.size());
  for (std::size_t k = 0; k < e.terminals.size(); ++k) v[static_cast<Eigen::Index>(k)] = state.voltage[e.terminals[k]];
  return e.admittance * v;
}

Complex PhasorNetwork::absorbed(std::size_t element, const PhasorTopology& topology, const PhasorState& state) const {
  if (topology.connection().closed[element] == 0) return {};
  const PhasorElement& e = elements_[element];
  const auto n = static_cast<Eigen::Index>(e.terminals.size());
  Complex sum{};
  for (Eigen::Index k = 0; k < n; ++k) {
    Complex i{};
    for (Eigen::Index j = 0; j < n; ++j)
      i += e.admittance(k, j) * state.voltage[e.terminals[static_cast<std::size_t>(j)]];
    sum += state.voltage[e.terminals[static_cast<std::size_t>(k)]] * std::conj(i);
  }
  return sum;
}

Complex PhasorNetwork::across(std::size_t load, const PhasorState& state) const {
  return state.voltage[loads_[load].from] - at(loads_[load].to, state.voltage);
}

Complex PhasorNetwork::loadCurrentOf(std::size_t load, const PhasorTopology& topology, const PhasorState& state) const {
  const PhasorLoad& l = loads_[load];
  if (!topology.live(l.from) || (l.to != kEarth && !topology.live(static_cast<std::size_t>(l.to)))) return {};
  return currentOf(l, state.power[load], across(load, state));
}

Complex PhasorNetwork::sourceCurrent(std::size_t source, const PhasorTopology& topology,
                                     const PhasorState& state) const {
  if (topology.connection().on[source] == 0) return {};
  const PhasorSource& s = sources_[source];
  if (!ideal(s)) return (state.emf[source] - state.voltage[s.to] + at(s.from, state.voltage)) / s.impedance;
  const auto& part = topology.parts()[static_cast<std::size_t>(topology.partOf(s.to))];
  const auto place =
      static_cast<std::size_t>(std::find(part.held.begin(), part.held.end(), source) - part.held.begin());
  Complex sum{};
  for (const auto& tie : part.held_ties[place]) sum += tie.admittance * state.voltage[tie.node];
  for (const auto l : part.loads) {
    if (loads_[l].from == s.to) sum += loadCurrentOf(l, topology, state);
    if (loads_[l].to == static_cast<std::ptrdiff_t>(s.to)) sum -= loadCurrentOf(l, topology, state);
  }
  for (const auto other : part.sources) {
    if (sources_[other].to == s.to) sum -= sourceCurrent(other, topology, state);
    if (sources_[other].from == static_cast<std::ptrdiff_t>(s.to)) sum += sourceCurrent(other, topology, state);
  }
  return sum;
}

Complex PhasorNetwork::sourcePower(std::size_t source, const PhasorTopology& topology, const PhasorState& state) const {
  const PhasorSource& s = sources_[source];
  return (state.voltage[s.to] - at(s.from, state.voltage)) * std::conj(sourceCurrent(source, topology, state));
}

}  // namespace podtwin
