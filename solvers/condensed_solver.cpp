#include "solvers/condensed_solver.hpp"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "model/base/vectorised.hpp"

namespace podtwin::solvers {

namespace {

constexpr double kTinyPivot = 1e-13;        // of what was subtracted to form it: nothing but round-off is left below
constexpr double kBadConditioning = 1e-12;  // reciprocal condition at which KLU chooses pivots anew
constexpr std::size_t kChunk = 256;  // instances at a time: a few arrays of this length stay in the nearest cache

/// Neighbouring instances with the same target (the GPUs of a tray): summed before the target is touched.
struct Run {
  std::uint32_t begin, end;
  std::int64_t target;
};

/// Length of the runs when all are equally long, no chunk cuts one and their targets follow each other; otherwise 0.
std::size_t evenLength(const std::vector<Run>& runs) {
  if (runs.empty()) return 0;
  const std::size_t length = runs.front().end - runs.front().begin;
  if (kChunk % length != 0) return 0;
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (runs[r].end - runs[r].begin != length || runs[r].target != runs.front().target + static_cast<std::int64_t>(r))
      return 0;
  return length;
}

template <typename Target>
std::vector<Run> runsOf(std::size_t count, Target&& target) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t at = target(i);
    // Runs end at chunks, so that a chunk is a whole number of them.
    if (runs.empty() || runs.back().target != at || i % kChunk == 0)
      runs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1), at});
    else
      runs.back().end = static_cast<std::uint32_t>(i + 1);
  }
  return runs;
}

// --- Loops over the instances of a group. All arrays are [entry][instance]. -----------------------------------------

/// Inverts I - gamma J of 2 x 2 blocks in closed form; returns the least |determinant| relative to its terms (NaN when
/// a block is not finite).
PODTWIN_VECTORISED double invertTwo(std::size_t count, double gamma, const double* __restrict ii,
                                    double* __restrict inverse) {
  double least[PODTWIN_LANES], sum[PODTWIN_LANES];
  for (std::size_t k = 0; k < PODTWIN_LANES; ++k) least[k] = 1.0, sum[k] = 0.0;
  const double* __restrict aa = ii;
  const double* __restrict bb = ii + count;
  const double* __restrict cc = ii + 2 * count;
  const double* __restrict dd = ii + 3 * count;
  const auto one = [&](std::size_t i, std::size_t k) {
    const double a = 1.0 - gamma * aa[i], b = -gamma * bb[i], c = -gamma * cc[i], d = 1.0 - gamma * dd[i];
    const double ad = a * d, bc = b * c;
    const double det = ad - bc;
    const double r = 1.0 / det;
    inverse[i] = d * r;
    inverse[count + i] = -b * r;
    inverse[2 * count + i] = -c * r;
    inverse[3 * count + i] = a * r;
    const double quality = std::abs(det) / (std::abs(ad) + std::abs(bc));
    least[k] = quality < least[k] ? quality : least[k];
    sum[k] += quality;
  };
  std::size_t i = 0;
  for (; i + PODTWIN_LANES <= count; i += PODTWIN_LANES)
    for (std::size_t k = 0; k < PODTWIN_LANES; ++k) one(i + k, k);
  for (; i < count; ++i) one(i, 0);
  double worst = 1.0, all = 0.0;
  for (std::size_t k = 0; k < PODTWIN_LANES; ++k) worst = least[k] < worst ? least[k] : worst, all += sum[k];
  return all == all ? worst : all;  // a comparison skips a NaN, a sum does not
}

/// Gauss-Jordan in place, without pivoting, of n x n blocks of a chunk; returns the least usable-pivot ratio as above.
PODTWIN_VECTORISED double invertChunk(std::size_t n, std::size_t length, double* __restrict m,
                                      double* __restrict size) {
  double worst = 1.0;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 0; i < length; ++i) size[r * length + i] = std::abs(m[(r * n + r) * length + i]);
  for (std::size_t p = 0; p < n; ++p) {
    double* __restrict pivot = m + (p * n + p) * length;
    double all = 0.0;
    for (std::size_t i = 0; i < length; ++i) {
      const double quality = std::abs(pivot[i]) / size[p * length + i];
      worst = quality < worst ? quality : worst;
      all += quality;
      pivot[i] = 1.0 / pivot[i];
    }
    if (all != all) return all;  // a comparison skips a NaN, a sum does not
    if (!(worst > 0.0)) return worst;
    for (std::size_t c = 0; c < n; ++c) {
      if (c == p) continue;
      double* __restrict row = m + (p * n + c) * length;
      for (std::size_t i = 0; i < length; ++i) row[i] *= pivot[i];
    }
    for (std::size_t q = 0; q < n; ++q) {
      if (q == p) continue;
      double* __restrict f = m + (q * n + p) * length;
      for (std::size_t c = 0; c < n; ++c) {
        if (c == p) continue;
        const double* __restrict row = m + (p * n + c) * length;
        double* __restrict out = m + (q * n + c) * length;
        double* __restrict magnitude = size + q * length;
        if (c == q)
          for (std::size_t i = 0; i < length; ++i) magnitude[i] = std::abs(f[i] * row[i]) + magnitude[i];
        for (std::size_t i = 0; i < length; ++i) out[i] -= f[i] * row[i];
      }
      for (std::size_t i = 0; i < length; ++i) f[i] *= -pivot[i];
    }
  }
  return worst;
}

PODTWIN_VECTORISED void fillChunk(std::size_t length, double gamma, double diagonal, const double* __restrict j,
                                  double* __restrict m) {
  for (std::size_t i = 0; i < length; ++i) m[i] = diagonal - gamma * j[i];
}

PODTWIN_VECTORISED void product(std::size_t n, const double* __restrict x, const double* __restrict y,
                                double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * y[i];
}
PODTWIN_VECTORISED void addProduct(std::size_t n, const double* __restrict x, const double* __restrict y,
                                   double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] += x[i] * y[i];
}
PODTWIN_VECTORISED void tripleProduct(std::size_t n, const double* __restrict x, const double* __restrict y,
                                      const double* __restrict z, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * (y[i] * z[i]);
}
PODTWIN_VECTORISED void addTripleProduct(std::size_t n, const double* __restrict x, const double* __restrict y,
                                         const double* __restrict z, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] += x[i] * (y[i] * z[i]);
}
PODTWIN_VECTORISED void projectTwo(std::size_t n, const double* __restrict m, const double* __restrict p,
                                   const double* __restrict q, const double* __restrict x, const double* __restrict y,
                                   double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = m[i] * (p[i] * x[i] + q[i] * y[i]);
}
PODTWIN_VECTORISED void subtractProduct(std::size_t n, const double* __restrict x, const double* __restrict y,
                                        double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] -= x[i] * y[i];
}
PODTWIN_VECTORISED void scale(std::size_t n, double factor, const double* __restrict x, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = factor * x[i];
}

PODTWIN_VECTORISED void applyTwo(std::size_t length, std::size_t count, const double* __restrict m,
                                 double* __restrict x0, double* __restrict x1) {
  for (std::size_t i = 0; i < length; ++i) {
    const double a = x0[i], b = x1[i];
    x0[i] = m[i] * a + m[count + i] * b;
    x1[i] = m[2 * count + i] * a + m[3 * count + i] * b;
  }
}

/// b[r] -= sum of the `length` values of run r; and the reverse, t of run r = b[r].
template <std::size_t length>
PODTWIN_VECTORISED void subtractSums(std::size_t runs, const double* __restrict t, double* __restrict b) {
  for (std::size_t r = 0; r < runs; ++r) {
    double sum = 0.0;
    for (std::size_t i = 0; i < length; ++i) sum += t[r * length + i];
    b[r] -= sum;
  }
}
template <std::size_t length>
PODTWIN_VECTORISED void spread(std::size_t runs, const double* __restrict b, double* __restrict t) {
  for (std::size_t r = 0; r < runs; ++r)
    for (std::size_t i = 0; i < length; ++i) t[r * length + i] = b[r];
}

struct EvenLoops {
  void (*subtract_sums)(std::size_t, const double* __restrict, double* __restrict) = nullptr;
  void (*spread)(std::size_t, const double* __restrict, double* __restrict) = nullptr;
};

/// The two loops above for the usual numbers of chips a coolant volume; null for others.
EvenLoops evenLoops(std::size_t length) {
  switch (length) {
    case 1:
      return {subtractSums<1>, spread<1>};
    case 2:
      return {subtractSums<2>, spread<2>};
    case 4:
      return {subtractSums<4>, spread<4>};
    case 8:
      return {subtractSums<8>, spread<8>};
    default:
      return {};
  }
}

PODTWIN_VECTORISED bool anyNonzero(std::size_t n, const double* __restrict x) {
  for (std::size_t begin = 0; begin < n; begin += kChunk) {
    const std::size_t end = std::min(n, begin + kChunk);
    std::uint64_t found = 0;
    for (std::size_t i = begin; i < end; ++i) found |= static_cast<std::uint64_t>(x[i] != 0.0);
    if (found != 0) return true;
  }
  return false;
}

}  // namespace

struct CondensedSolver::Group {
  const InteriorGroup* shape = nullptr;
  std::vector<double> inverse;           ///< M_ii^-1, n x n
  std::vector<double> from_port;         ///< M_ip, n x ports; only where used
  std::vector<double> to_port;           ///< M_pi, ports x n; only where used
  std::vector<char> from_port_used;      ///< [c * ports + port]
  std::vector<char> to_port_used;        ///< [port * n + c]
  std::vector<char> port_row_used;       ///< [port]: it depends on the interior
  std::vector<char> port_column_used;    ///< [port]: the interior depends on it
  std::vector<std::vector<Run>> ports;   ///< [port]
  std::vector<std::vector<Run>> places;  ///< [port * ports + port]: where Schur terms go among KLU's values
  std::vector<std::size_t> port_even;    ///< [port]: evenLength() of its runs
  std::vector<std::size_t> port_chunk;   ///< [port * chunks + chunk]: its first run
  std::size_t chunks = 0;
};

struct CondensedSolver::Klu {
  std::vector<SuiteSparse_long> column_start, row_index;
  std::vector<double> values;
  std::vector<std::int64_t> place;   ///< [coupling] -> index in values
  std::vector<double> diagonal;      ///< [value] 1 on the diagonal
  std::vector<std::int64_t> source;  ///< [value] -> coupling
  klu_l_common common{};
  klu_l_symbolic* symbolic = nullptr;
  klu_l_numeric* numeric = nullptr;
  Klu() {
    klu_l_defaults(&common);
    common.scale = -1;  // neither scaled nor searched for bad indices: the pattern was checked, and it halves the time
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() {
    if (numeric != nullptr) klu_l_free_numeric(&numeric, &common);
    if (symbolic != nullptr) klu_l_free_symbolic(&symbolic, &common);
  }
};

CondensedSolver::CondensedSolver(const JacobianStructure& structure, std::function<std::string(std::size_t)> name_of)
    : structure_(structure), name_of_(std::move(name_of)), klu_(std::make_unique<Klu>()) {
  // Column-compressed pattern of the exposed part.
  const std::size_t n = structure.exposed, entries = structure.couplings.size();
  Klu& k = *klu_;
  k.column_start.assign(n + 1, 0);
  for (const auto& c : structure.couplings) {
    if (c.row < 0 || c.column < 0 || static_cast<std::size_t>(std::max(c.row, c.column)) >= n)
      throw Error("condensed solver: a coupling names an unknown that is not exposed");
    ++k.column_start[static_cast<std::size_t>(c.column) + 1];
  }
  if (!std::is_sorted(structure.couplings.begin(), structure.couplings.end()) ||
      std::adjacent_find(structure.couplings.begin(), structure.couplings.end()) != structure.couplings.end())
    throw Error("condensed solver: couplings are not sorted and unique");
  for (std::size_t j = 0; j < n; ++j) k.column_start[j + 1] += k.column_start[j];
  k.row_index.resize(entries);
  k.values.resize(entries);
  k.place.resize(entries);
  k.source.resize(entries);
  k.diagonal.assign(entries, 0.0);
  std::vector<SuiteSparse_long> next(k.column_start.begin(), k.column_start.end() - 1);
  std::size_t diagonals = 0;
  for (std::size_t s = 0; s < entries; ++s) {  // couplings are sorted by row, so rows come out sorted
    const auto& c = structure.couplings[s];
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(c.column)]++);
    k.row_index[at] = c.row;
    k.place[s] = static_cast<std::int64_t>(at);
    k.source[at] = static_cast<std::int64_t>(s);
    if (c.row == c.column) k.diagonal[at] = 1.0, ++diagonals;
  }
  if (diagonals != n) throw Error("condensed solver: the couplings lack diagonal entries");

  std::size_t largest = kChunk;
  for (const auto& shape : structure.groups) {
    auto group = std::make_unique<Group>();
    group->shape = &shape;
    const std::size_t ni = shape.interior, np = shape.ports, count = shape.count;
    if (shape.port.size() != np * count || shape.first < n || shape.first + ni * count > structure.size)
      throw Error("condensed solver: group '" + shape.name + "' does not fit the structure");
    group->inverse.resize(ni * ni * count);
    group->to_port.resize(np * ni * count);
    group->from_port.resize(ni * np * count);
    group->port_row_used.assign(np, 0);
    group->port_column_used.assign(np, 0);
    group->to_port_used.assign(np * ni, 0);
    group->from_port_used.assign(ni * np, 0);
    group->chunks = (count + kChunk - 1) / kChunk;
    for (std::size_t a = 0; a < np; ++a) {
      group->ports.push_back(runsOf(count, [&](std::size_t i) { return shape.port[a * count + i]; }));
      const auto& runs = group->ports.back();
      group->port_even.push_back(evenLength(runs));
      for (std::size_t r = 0; r < runs.size(); ++r)
        if (runs[r].begin % kChunk == 0) group->port_chunk.push_back(r);
      for (std::size_t b = 0; b < np; ++b)
        group->places.push_back(runsOf(count, [&](std::size_t i) {
          const Coupling wanted{shape.port[a * count + i], shape.port[b * count + i]};
          const auto found = std::lower_bound(structure.couplings.begin(), structure.couplings.end(), wanted);
          if (found == structure.couplings.end() || *found != wanted)
            throw Error("condensed solver: group '" + shape.name +
                        "' has a pair of ports that is not among the couplings");
          return k.place[static_cast<std::size_t>(found - structure.couplings.begin())];
        }));
    }
    largest = std::max({largest, count, kChunk * ni * (ni + 1)});
    groups_.push_back(std::move(group));
  }
  scratch_.resize(largest);
  if (n > 0) {
    k.symbolic = klu_l_analyze(static_cast<SuiteSparse_long>(n), k.column_start.data(), k.row_index.data(), &k.common);
    if (k.symbolic == nullptr) throw Error("condensed solver: KLU cannot order the matrix");
  }
}

CondensedSolver::~CondensedSolver() = default;

std::string CondensedSolver::nameOf(std::size_t row) const {
  return name_of_ ? name_of_(row) : "unknown " + std::to_string(row);
}

void CondensedSolver::failBlock(const Group& group, double gamma, const Jacobian::GroupValues& values) const {
  // Rare: look for the block again, one at a time, with the loop's own criterion.
  const std::size_t ni = group.shape->interior, count = group.shape->count;
  std::vector<double> m(ni * ni), size(ni);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t r = 0; r < ni; ++r)
      for (std::size_t c = 0; c < ni; ++c)
        m[r * ni + c] = (r == c ? 1.0 : 0.0) - gamma * values.ii[(r * ni + c) * count + i];
    double quality = 0.0;
    if (ni == 2) {
      std::vector<double> ii{values.ii[i], values.ii[count + i], values.ii[2 * count + i], values.ii[3 * count + i]};
      quality = invertTwo(1, gamma, ii.data(), m.data());
    } else {
      quality = invertChunk(ni, 1, m.data(), size.data());
    }
    if (!(quality > kTinyPivot))
      throw SimulationError("linear solve: block " + std::to_string(i) + " of '" + group.shape->name + "' (with " +
                            nameOf(group.shape->first + i) + ") is " +
                            (std::isnan(quality) ? "not finite" : "singular"));
  }
  throw SimulationError("linear solve: a block of '" + group.shape->name + "' is singular");
}

void CondensedSolver::eliminate(Group& group, double gamma, const Jacobian::GroupValues& values) {
  const std::size_t ni = group.shape->interior, np = group.shape->ports, count = group.shape->count;
  double worst = 1.0;
  if (ni == 2) {
    worst = invertTwo(count, gamma, values.ii.data(), group.inverse.data());
  } else {
    double* const block = scratch_.data();
    double* const size = block + ni * ni * kChunk;
    for (std::size_t begin = 0; begin < count && worst > kTinyPivot; begin += kChunk) {
      const std::size_t length = std::min(kChunk, count - begin);
      for (std::size_t r = 0; r < ni; ++r)
        for (std::size_t c = 0; c < ni; ++c)
          fillChunk(length, gamma, r == c ? 1.0 : 0.0, values.ii.data() + (r * ni + c) * count + begin,
                    block + (r * ni + c) * length);
      const double least = invertChunk(ni, length, block, size);
      worst = least < worst || std::isnan(least) ? least : worst;
      for (std::size_t e = 0; e < ni * ni; ++e)
        std::copy(block + e * length, block + (e + 1) * length, group.inverse.data() + e * count + begin);
    }
  }
  if (!(worst > kTinyPivot)) failBlock(group, gamma, values);

  // M_ip = -gamma J_ip and M_pi = -gamma J_pi. Most of their entries are zero for a whole group (a die touches no
  // coolant): one look at each array saves the products with it here and in every solve.
  const auto take = [&](const double* from, double* to) {
    if (!anyNonzero(count, from)) return false;
    scale(count, -gamma, from, to);
    return true;
  };
  for (std::size_t b = 0; b < np; ++b) {
    group.port_column_used[b] = 0;
    for (std::size_t c = 0; c < ni; ++c) {
      const std::size_t entry = c * np + b;
      group.from_port_used[entry] =
          take(values.ip.data() + entry * count, group.from_port.data() + entry * count) ? 1 : 0;
      if (group.from_port_used[entry] != 0) group.port_column_used[b] = 1;
    }
  }
  for (std::size_t a = 0; a < np; ++a) {
    group.port_row_used[a] = 0;
    for (std::size_t c = 0; c < ni; ++c) {
      const std::size_t entry = a * ni + c;
      group.to_port_used[entry] = take(values.pi.data() + entry * count, group.to_port.data() + entry * count) ? 1 : 0;
      if (group.to_port_used[entry] != 0) group.port_row_used[a] = 1;
    }
  }
  // S -= M_pi M_ii^-1 M_ip
  Klu& k = *klu_;
  for (std::size_t a = 0; a < np; ++a) {
    if (group.port_row_used[a] == 0) continue;
    for (std::size_t b = 0; b < np; ++b) {
      if (group.port_column_used[b] == 0) continue;
      bool first = true;
      for (std::size_t r = 0; r < ni; ++r) {
        if (group.to_port_used[a * ni + r] == 0) continue;
        for (std::size_t c = 0; c < ni; ++c) {
          if (group.from_port_used[c * np + b] == 0) continue;
          (first ? tripleProduct : addTripleProduct)(count, group.to_port.data() + (a * ni + r) * count,
                                                     group.inverse.data() + (r * ni + c) * count,
                                                     group.from_port.data() + (c * np + b) * count, scratch_.data());
          first = false;
        }
      }
      for (const Run& run : group.places[a * np + b]) {
        double sum = 0.0;
        for (std::size_t i = run.begin; i < run.end; ++i) sum += scratch_[i];
        k.values[static_cast<std::size_t>(run.target)] -= sum;
      }
    }
  }
}

void CondensedSolver::factorise(double gamma, const Jacobian& jacobian) {
  Klu& k = *klu_;
  for (std::size_t v = 0; v < k.values.size(); ++v)
    k.values[v] = k.diagonal[v] - gamma * jacobian.exposed[static_cast<std::size_t>(k.source[v])];
  for (std::size_t g = 0; g < groups_.size(); ++g) eliminate(*groups_[g], gamma, jacobian.groups[g]);
  if (structure_.exposed == 0) return;

  double sum = 0.0;
  for (const double value : k.values) sum += value;
  if (!std::isfinite(sum)) {
    for (std::size_t s = 0; s < structure_.couplings.size(); ++s)
      if (!std::isfinite(k.values[static_cast<std::size_t>(k.place[s])]))
        throw SimulationError("linear solve: the coefficient of " +
                              nameOf(static_cast<std::size_t>(structure_.couplings[s].column)) + " in the balance of " +
                              nameOf(static_cast<std::size_t>(structure_.couplings[s].row)) + " is not finite");
  }
  auto* start = k.column_start.data();
  auto* rows = k.row_index.data();
  if (k.numeric != nullptr) {
    if (klu_l_refactor(start, rows, k.values.data(), k.symbolic, k.numeric, &k.common) == 1 &&
        klu_l_rcond(k.symbolic, k.numeric, &k.common) == 1 && k.common.rcond > kBadConditioning)
      return;
    klu_l_free_numeric(&k.numeric, &k.common);
  }
  k.numeric = klu_l_factor(start, rows, k.values.data(), k.symbolic, &k.common);
  if (k.numeric == nullptr || k.common.status != KLU_OK) {
    const auto column = k.common.singular_col;
    if (k.numeric != nullptr) klu_l_free_numeric(&k.numeric, &k.common);
    const bool known = column >= 0 && static_cast<std::size_t>(column) < structure_.exposed;
    throw SimulationError("linear solve: the matrix is singular" +
                          (known ? ", no pivot left for " + nameOf(static_cast<std::size_t>(column)) : std::string()));
  }
}

void CondensedSolver::solve(std::span<double> b) {
  double* const t = scratch_.data();
  // b_p -= M_pi M_ii^-1 b_i
  for (const auto& pointer : groups_) {
    const Group& group = *pointer;
    const std::size_t ni = group.shape->interior, np = group.shape->ports, count = group.shape->count;
    double* const bi = b.data() + group.shape->first;
    for (std::size_t chunk = 0; chunk < group.chunks; ++chunk) {
      const std::size_t begin = chunk * kChunk, length = std::min(kChunk, count - begin);
      for (std::size_t a = 0; a < np; ++a) {
        if (group.port_row_used[a] == 0) continue;
        bool first = true;
        for (std::size_t r = 0; r < ni; ++r) {
          if (group.to_port_used[a * ni + r] == 0) continue;
          const double* m = group.to_port.data() + (a * ni + r) * count + begin;
          const double* inverse = group.inverse.data() + r * ni * count + begin;
          if (ni == 2 && first) {
            projectTwo(length, m, inverse, inverse + count, bi + begin, bi + count + begin, t);
            first = false;
            continue;
          }
          for (std::size_t c = 0; c < ni; ++c) {
            (first ? tripleProduct : addTripleProduct)(length, m, inverse + c * count, bi + c * count + begin, t);
            first = false;
          }
        }
        if (const auto loop = evenLoops(group.port_even[a]).subtract_sums; loop != nullptr) {
          const std::size_t each = group.port_even[a];
          loop(length / each, t, b.data() + group.ports[a].front().target + begin / each);
          continue;
        }
        const auto& runs = group.ports[a];
        for (std::size_t r = group.port_chunk[a * group.chunks + chunk];
             r < runs.size() && runs[r].begin < begin + length; ++r) {
          double sum = 0.0;
          for (std::size_t i = runs[r].begin; i < runs[r].end; ++i) sum += t[i - begin];
          b[static_cast<std::size_t>(runs[r].target)] -= sum;
        }
      }
    }
  }
  if (structure_.exposed > 0)
    klu_l_solve(klu_->symbolic, klu_->numeric, static_cast<SuiteSparse_long>(structure_.exposed), 1, b.data(),
                &klu_->common);
  // x_i = M_ii^-1 (b_i - M_ip x_p)
  for (const auto& pointer : groups_) {
    const Group& group = *pointer;
    const std::size_t ni = group.shape->interior, np = group.shape->ports, count = group.shape->count;
    double* const bi = b.data() + group.shape->first;
    for (std::size_t chunk = 0; chunk < group.chunks; ++chunk) {
      const std::size_t begin = chunk * kChunk, length = std::min(kChunk, count - begin);
      for (std::size_t a = 0; a < np; ++a) {
        if (group.port_column_used[a] == 0) continue;
        if (const auto loop = evenLoops(group.port_even[a]).spread; loop != nullptr) {
          const std::size_t each = group.port_even[a];
          loop(length / each, b.data() + group.ports[a].front().target + begin / each, t);
        } else {
          const auto& runs = group.ports[a];
          for (std::size_t r = group.port_chunk[a * group.chunks + chunk];
               r < runs.size() && runs[r].begin < begin + length; ++r) {
            const double value = b[static_cast<std::size_t>(runs[r].target)];
            for (std::size_t i = runs[r].begin; i < runs[r].end; ++i) t[i - begin] = value;
          }
        }
        for (std::size_t c = 0; c < ni; ++c)
          if (group.from_port_used[c * np + a] != 0)
            subtractProduct(length, group.from_port.data() + (c * np + a) * count + begin, t, bi + c * count + begin);
      }
      if (ni == 2) {
        applyTwo(length, count, group.inverse.data() + begin, bi + begin, bi + count + begin);
        continue;
      }
      for (std::size_t r = 0; r < ni; ++r)
        for (std::size_t c = 0; c < ni; ++c)
          (c == 0 ? product : addProduct)(length, group.inverse.data() + (r * ni + c) * count + begin,
                                          bi + c * count + begin, t + r * kChunk);
      for (std::size_t r = 0; r < ni; ++r) std::copy(t + r * kChunk, t + r * kChunk + length, bi + r * count + begin);
    }
  }
}

}  // namespace podtwin::solvers
