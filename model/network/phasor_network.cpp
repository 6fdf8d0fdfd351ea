#include "model/network/phasor_network.hpp"

#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

constexpr double kSameVoltage = 1e-9;  // relative; two sources of one node that differ by more contradict each other
// Of the greatest admittance at a node of a part that nothing joins to earth (a delta, say): leaks of this size hold it
// about earth, as insulation does; a thousandth of what real cables leak by their capacitance.
constexpr double kLeak = 1e-9;
constexpr double kEarthed = 1e-6;    // of a row of admittances; its sum above this is a path to earth
constexpr double kConverged = 1e-9;  // of the currents that meet at a node; what the issue asks of the power by phase
constexpr double kFloor = 1e-14;     // below this share of them an imbalance is round-off
constexpr int kMostIterations = 60;
constexpr int kMostHalvings = 12;
constexpr std::size_t kMostNames = 3;  // of nodes in a message

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

}  // namespace

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

PhasorNetwork::PhasorNetwork(std::vector<std::string> nodes, std::vector<PhasorElement> elements,
                             std::vector<PhasorLoad> loads)
    : nodes_(std::move(nodes)), elements_(std::move(elements)), loads_(std::move(loads)) {}

Eigen::VectorXcd PhasorNetwork::currents(std::size_t element, const Solution& solution) const {
  const PhasorElement& e = elements_[element];
  Eigen::VectorXcd v(static_cast<Eigen::Index>(e.terminals.size()));
  for (std::size_t k = 0; k < e.terminals.size(); ++k)
    v[static_cast<Eigen::Index>(k)] = solution.voltage[e.terminals[k]];
  return e.admittance * v;
}

Complex PhasorNetwork::current(std::size_t load, const Input& input, const Solution& solution) const {
  const PhasorLoad& l = loads_[load];
  const Complex to = l.to == kEarth ? Complex{} : solution.voltage[static_cast<std::size_t>(l.to)];
  return loadCurrent(l, input.power[load], solution.voltage[l.from] - to).current;
}

/// One solve: which nodes are live, the rows of those whose voltage is not held, and Newton's iteration.
class PhasorNetwork::Solve {
 public:
  Solve(const PhasorNetwork& network, const Input& input, Solution& solution)
      : network_(network), input_(input), solution_(solution) {}

  void run() {
    const std::size_t n = network_.nodes_.size();
    const bool warm = solution_.voltage.size() == n && solution_.live.size() == n;
    const std::vector<char> before = warm ? solution_.live : std::vector<char>();
    solution_.voltage.resize(n);
    findLive();
    numberRows();
    leaks();
    holdSources();
    if (before != solution_.live) startFlat();
    iterate();
  }

 private:
  bool closed(std::size_t element) const { return input_.closed[element] != 0; }

  void findLive() {
    const std::size_t n = network_.nodes_.size();
    Joined parts(n);
    for (std::size_t e = 0; e < network_.elements_.size(); ++e) {
      if (!closed(e)) continue;
      const auto& element = network_.elements_[e];
      const auto count = element.admittance.rows();
      for (Eigen::Index k = 0; k < count; ++k)
        for (Eigen::Index j = 0; j < k; ++j)
          if (element.admittance(k, j) != Complex{} || element.admittance(j, k) != Complex{})
            parts.join(element.terminals[static_cast<std::size_t>(k)], element.terminals[static_cast<std::size_t>(j)]);
    }
    std::vector<char> fed(n, 0);
    for (const auto& [node, voltage] : input_.sources) fed[parts.of(node)] = 1;
    solution_.live.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      solution_.live[i] = fed[parts.of(i)];
      if (solution_.live[i] == 0) solution_.voltage[i] = 0.0;
    }
  }

  void numberRows() {
    row_.assign(network_.nodes_.size(), 0);
    for (const auto& [node, voltage] : input_.sources) row_[node] = -1;
    rows_ = 0;
    for (std::size_t i = 0; i < row_.size(); ++i)
      row_[i] = row_[i] < 0 || solution_.live[i] == 0 ? -1 : static_cast<std::ptrdiff_t>(rows_++);
  }

  /// A part without a path to earth gets leaks.
  void leaks() {
    const std::size_t n = network_.nodes_.size();
    Joined parts(n);
    for (std::size_t e = 0; e < network_.elements_.size(); ++e)
      if (closed(e))
        for (const auto& [k, j] : network_.elements_[e].joined)
          parts.join(network_.elements_[e].terminals[k], network_.elements_[e].terminals[j]);
    std::vector<char> earthed(n, 0);
    std::vector<double> greatest(n, 0.0);
    for (const auto& [node, voltage] : input_.sources) earthed[parts.of(node)] = 1;
    for (std::size_t e = 0; e < network_.elements_.size(); ++e) {
      if (!closed(e)) continue;
      const auto& element = network_.elements_[e];
      for (std::size_t k = 0; k < element.terminals.size(); ++k) {
        const std::size_t own = element.terminals[k], part = parts.of(own);
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
    leak_.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      if (solution_.live[i] != 0 && earthed[parts.of(i)] == 0) leak_[i] = kLeak * greatest[parts.of(i)];
  }

  void holdSources() {
    std::vector<char> held(network_.nodes_.size(), 0);
    for (const auto& [node, voltage] : input_.sources) {
      if (held[node] != 0 && std::abs(solution_.voltage[node] - voltage) > kSameVoltage * std::abs(voltage))
        throw Error("two sources hold '" + network_.nodes_[node] + "' at different voltages");
      solution_.voltage[node] = voltage;
      held[node] = 1;
    }
  }

  Complex voltage(std::ptrdiff_t node, const std::vector<Complex>& v) const {
    return node == kEarth ? Complex{} : v[static_cast<std::size_t>(node)];
  }

  /// Current [A] that leaves each node, and the greatest imbalance over the currents that meet there.
  double imbalance(const std::vector<Complex>& v, std::vector<Complex>& out) {
    const std::size_t n = network_.nodes_.size();
    out.assign(n, Complex{});
    meeting_.assign(n, 0.0);
    const auto add = [&](std::size_t node, Complex i, double size) {
      out[node] += i;
      meeting_[node] += size;
    };
    for (std::size_t e = 0; e < network_.elements_.size(); ++e) {
      if (!closed(e)) continue;
      const auto& element = network_.elements_[e];
      for (std::size_t k = 0; k < element.terminals.size(); ++k)
        for (std::size_t j = 0; j < element.terminals.size(); ++j) {
          const Complex i =
              element.admittance(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) * v[element.terminals[j]];
          add(element.terminals[k], i, std::abs(i));
        }
    }
    for (std::size_t l = 0; l < network_.loads_.size(); ++l) {
      if (input_.power[l] == Complex{}) continue;
      const auto& load = network_.loads_[l];
      const Complex i = loadCurrent(load, input_.power[l], v[load.from] - voltage(load.to, v)).current;
      add(load.from, i, std::abs(i));
      if (load.to != kEarth) add(static_cast<std::size_t>(load.to), -i, std::abs(i));
    }
    double worst = 0.0;
    solution_.worst_current = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      if (row_[i] < 0) continue;
      out[i] += leak_[i] * v[i];
      solution_.worst_current = std::max(solution_.worst_current, std::abs(out[i]));
      if (meeting_[i] > 0.0 && std::abs(out[i]) / meeting_[i] > worst) {
        worst = std::abs(out[i]) / meeting_[i];
        worst_node_ = i;
      }
    }
    return worst;
  }

  void assemble(const std::vector<Complex>& v, bool flat) {
    triplets_.clear();
    const auto put = [&](std::ptrdiff_t i, std::ptrdiff_t j, const Eigen::Matrix2d& m) {
      if (i < 0 || j < 0) return;
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
          triplets_.emplace_back(static_cast<int>(2 * i + a), static_cast<int>(2 * j + b), m(a, b));
    };
    const auto row = [&](std::ptrdiff_t node) { return node == kEarth ? -1 : row_[static_cast<std::size_t>(node)]; };
    for (std::size_t e = 0; e < network_.elements_.size(); ++e) {
      if (!closed(e)) continue;
      const auto& element = network_.elements_[e];
      for (std::size_t k = 0; k < element.terminals.size(); ++k)
        for (std::size_t j = 0; j < element.terminals.size(); ++j)
          put(row_[element.terminals[k]], row_[element.terminals[j]],
              times(element.admittance(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j))));
    }
    for (std::size_t l = 0; l < network_.loads_.size(); ++l) {
      if (input_.power[l] == Complex{}) continue;
      PhasorLoad load = network_.loads_[l];
      if (flat) load.model = LoadModel::impedance;
      const Eigen::Matrix2d g = loadCurrent(load, input_.power[l], v[load.from] - voltage(load.to, v)).slope;
      const auto from = row(static_cast<std::ptrdiff_t>(load.from)), to = row(load.to);
      put(from, from, g);
      put(from, to, -g);
      put(to, from, -g);
      put(to, to, g);
    }
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (leak_[i] > 0.0) put(row_[i], row_[i], times(leak_[i]));
    matrix_.resize(2 * static_cast<Eigen::Index>(rows_), 2 * static_cast<Eigen::Index>(rows_));
    matrix_.setFromTriplets(triplets_.begin(), triplets_.end());
    if (factor_.rows() != matrix_.rows() || !analysed_) factor_.analyzePattern(matrix_);
    analysed_ = true;
    factor_.factorize(matrix_);
    if (factor_.info() != Eigen::Success)
      throw SimulationError("power flow: singular at '" + network_.nodes_[worst_node_] +
                            "': a conductor there has no impedance to anything");
  }

  void step(const std::vector<Complex>& from, const std::vector<Complex>& imbalances, std::vector<Complex>& change) {
    Eigen::VectorXd rhs(2 * static_cast<Eigen::Index>(rows_));
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (row_[i] >= 0) {
        rhs[2 * row_[i]] = -imbalances[i].real();
        rhs[2 * row_[i] + 1] = -imbalances[i].imag();
      }
    const Eigen::VectorXd x = factor_.solve(rhs);
    change.assign(from.size(), Complex{});
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (row_[i] >= 0) change[i] = {x[2 * row_[i]], x[2 * row_[i] + 1]};
  }

  /// The network with every load an impedance: linear, so that one solve has it.
  void startFlat() {
    if (rows_ == 0) return;
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (row_[i] >= 0) solution_.voltage[i] = 0.0;
    std::vector<Complex> out, change;
    imbalance(solution_.voltage, out);
    assemble(solution_.voltage, true);
    // At 0 V no load draws: what leaves a node is what the sources drive through the elements.
    step(solution_.voltage, out, change);
    for (std::size_t i = 0; i < row_.size(); ++i) solution_.voltage[i] += change[i];
  }

  void iterate() {
    std::vector<Complex> out, trial_out, change, trial;
    double norm = imbalance(solution_.voltage, out);
    for (solution_.iterations = 0; rows_ > 0 && norm > kFloor && solution_.iterations < kMostIterations;
         ++solution_.iterations) {
      assemble(solution_.voltage, false);
      step(solution_.voltage, out, change);
      double share = 1.0, trial_norm = norm;
      for (int halving = 0; halving <= kMostHalvings; ++halving, share *= 0.5) {
        trial = solution_.voltage;
        for (std::size_t i = 0; i < trial.size(); ++i) trial[i] += share * change[i];
        trial_norm = imbalance(trial, trial_out);
        if (trial_norm < norm) break;
      }
      if (!(trial_norm < norm)) break;  // round-off, or no way on
      solution_.voltage.swap(trial);
      out.swap(trial_out);
      norm = trial_norm;
    }
    norm = imbalance(solution_.voltage, out);
    if (!(norm <= kConverged)) fail(norm, out);
  }

  [[noreturn]] void fail(double norm, const std::vector<Complex>& out) {
    std::vector<std::size_t> order(out.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto share = [&](std::size_t i) {
      return row_[i] < 0 || meeting_[i] == 0.0 ? 0.0 : std::abs(out[i]) / meeting_[i];
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNames, order.size())),
                      order.end(), [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
    std::string names;
    for (std::size_t k = 0; k < std::min(kMostNames, order.size()); ++k)
      names += (k == 0 ? "'" : ", '") + network_.nodes_[order[k]] + "'";
    throw SimulationError("power flow did not converge in " + std::to_string(solution_.iterations) +
                          " iterations: currents leave a share of " + std::to_string(norm) + " open; worst at " +
                          names);
  }

  const PhasorNetwork& network_;
  const Input& input_;
  Solution& solution_;
  std::vector<std::ptrdiff_t> row_;  // [node] of the equations; -1: held or dead
  std::size_t rows_ = 0, worst_node_ = 0;
  std::vector<double> leak_, meeting_;  // [node] S, A
  std::vector<Eigen::Triplet<double>> triplets_;
  Eigen::SparseMatrix<double> matrix_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factor_;
  bool analysed_ = false;
};

void PhasorNetwork::solve(const Input& input, Solution& solution) const { Solve(*this, input, solution).run(); }

}  // namespace podtwin
