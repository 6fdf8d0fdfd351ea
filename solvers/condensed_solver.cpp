#include "solvers/condensed_solver.hpp"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model/base/diagnostics.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define PODTWIN_VECTORISED __attribute__((target_clones("avx2,fma", "default")))
#else
#define PODTWIN_VECTORISED
#endif

namespace podtwin::solvers {

namespace {
constexpr double kTinyPivot = 1e-14;       // relative to the identity on the diagonal
constexpr double kBadConditioning = 1e-12; // reciprocal condition at which KLU chooses pivots anew
}  // namespace

/// Interior block M_ii = I - gamma J_ii, factored as dense LU without pivoting (diagonally dominant for heat),
/// and the products that condensation and back-substitution need. All arrays are [entry][instance].
struct CondensedSolver::Group {
  const InteriorGroup* shape = nullptr;
  std::vector<double> inverse;      ///< M_ii^-1, n x n
  std::vector<double> to_port;      ///< M_pi M_ii^-1, ports x n
  std::vector<double> from_port;    ///< M_ii^-1 M_ip, n x ports
  std::vector<std::int64_t> place;  ///< [(a * ports + b)] -> value of KLU matrix, per instance; -1 never
  std::vector<char> row_used;       ///< [port] any nonzero in the port row
};

struct CondensedSolver::Klu {
  std::vector<std::int64_t> column_start, row_index;
  std::vector<double> values;
  std::vector<std::int64_t> place;  ///< [coupling] -> index in values
  klu_l_common common{};
  klu_l_symbolic* symbolic = nullptr;
  klu_l_numeric* numeric = nullptr;
  Klu() { klu_l_defaults(&common); }
  ~Klu() {
    if (numeric != nullptr) klu_l_free_numeric(&numeric, &common);
    if (symbolic != nullptr) klu_l_free_symbolic(&symbolic, &common);
  }
};

namespace {

/// out = M^-1 of n x n blocks, Gauss-Jordan without pivoting, for n = 2 in closed form.
PODTWIN_VECTORISED void invertTwo(std::size_t count, double gamma, const double* __restrict ii, double* __restrict inverse, double& worst) {
  double least = 1.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = 1.0 - gamma * ii[i], b = -gamma * ii[count + i];
    const double c = -gamma * ii[2 * count + i], d = 1.0 - gamma * ii[3 * count + i];
    const double det = a * d - b * c;
    const double r = 1.0 / det;
    inverse[i] = d * r;
    inverse[count + i] = -b * r;
    inverse[2 * count + i] = -c * r;
    inverse[3 * count + i] = a * r;
    const double magnitude = std::abs(det) / (std::abs(a * d) + 1e-300);
    least = magnitude < least ? magnitude : least;
  }
  worst = least;
}

/// y[r] (+)= sum_c m[r][c] x[c] over structure-of-arrays blocks: product of an (rows x inner) by an (inner x columns).
PODTWIN_VECTORISED void multiply(std::size_t count, std::size_t rows, std::size_t inner, std::size_t columns, const double* __restrict a,
                                 const double* __restrict b, double scale, double* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      double* __restrict o = out + (r * columns + c) * count;
      std::fill(o, o + count, 0.0);
      for (std::size_t k = 0; k < inner; ++k) {
        const double* __restrict x = a + (r * inner + k) * count;
        const double* __restrict y = b + (k * columns + c) * count;
        for (std::size_t i = 0; i < count; ++i) o[i] += scale * x[i] * y[i];
      }
    }
}

PODTWIN_VECTORISED void applyTwo(std::size_t count, const double* __restrict m, double* __restrict x) {
  double* __restrict x0 = x;
  double* __restrict x1 = x + count;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = x0[i], b = x1[i];
    x0[i] = m[i] * a + m[count + i] * b;
    x1[i] = m[2 * count + i] * a + m[3 * count + i] * b;
  }
}

}  // namespace

CondensedSolver::CondensedSolver(const JacobianStructure& structure) : structure_(structure), klu_(std::make_unique<Klu>()) {
  // Column-compressed pattern of the exposed part.
  const std::size_t n = structure.exposed;
  Klu& k = *klu_;
  k.column_start.assign(n + 1, 0);
  for (const auto& c : structure.couplings) ++k.column_start[static_cast<std::size_t>(c.column) + 1];
  for (std::size_t j = 0; j < n; ++j) k.column_start[j + 1] += k.column_start[j];
  k.row_index.resize(structure.couplings.size());
  k.values.resize(structure.couplings.size());
  k.place.resize(structure.couplings.size());
  std::vector<std::int64_t> next(k.column_start.begin(), k.column_start.end() - 1);
  for (std::size_t s = 0; s < structure.couplings.size(); ++s) {  // couplings are sorted by row, so rows come out sorted
    const auto& c = structure.couplings[s];
    const auto at = next[static_cast<std::size_t>(c.column)]++;
    k.row_index[static_cast<std::size_t>(at)] = c.row;
    k.place[s] = at;
  }
  for (const auto& shape : structure.groups) {
    auto group = std::make_unique<Group>();
    group->shape = &shape;
    const std::size_t ni = shape.interior, np = shape.ports, count = shape.count;
    group->inverse.resize(ni * ni * count);
    group->to_port.resize(np * ni * count);
    group->from_port.resize(ni * np * count);
    group->place.resize(np * np * count);
    group->row_used.assign(np, 1);
    for (std::size_t a = 0; a < np; ++a)
      for (std::size_t b = 0; b < np; ++b)
        for (std::size_t i = 0; i < count; ++i) {
          const Coupling wanted{shape.port[a * count + i], shape.port[b * count + i]};
          const auto found = std::lower_bound(structure.couplings.begin(), structure.couplings.end(), wanted);
          if (found == structure.couplings.end() || *found != wanted)
            throw Error("condensed solver: group '" + shape.name + "' has a pair of ports that is not among the couplings");
          group->place[(a * np + b) * count + i] = k.place[static_cast<std::size_t>(found - structure.couplings.begin())];
        }
    groups_.push_back(std::move(group));
  }
}

CondensedSolver::~CondensedSolver() = default;

void CondensedSolver::factorise(double gamma, const Jacobian& jacobian) {
  Klu& k = *klu_;
  std::fill(k.values.begin(), k.values.end(), 0.0);
  for (std::size_t s = 0; s < structure_.couplings.size(); ++s) {
    const auto& c = structure_.couplings[s];
    k.values[static_cast<std::size_t>(k.place[s])] = (c.row == c.column ? 1.0 : 0.0) - gamma * jacobian.exposed[s];
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = *groups_[g];
    const auto& values = jacobian.groups[g];
    const std::size_t ni = group.shape->interior, np = group.shape->ports, count = group.shape->count;
    double worst = 1.0;
    if (ni == 2) {
      invertTwo(count, gamma, values.ii.data(), group.inverse.data(), worst);
    } else {
      std::vector<double> m(ni * ni), inverse(ni * ni);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t r = 0; r < ni; ++r)
          for (std::size_t c = 0; c < ni; ++c) {
            m[r * ni + c] = (r == c ? 1.0 : 0.0) - gamma * values.ii[(r * ni + c) * count + i];
            inverse[r * ni + c] = r == c ? 1.0 : 0.0;
          }
        for (std::size_t p = 0; p < ni; ++p) {
          const double pivot = m[p * ni + p];
          worst = std::min(worst, std::abs(pivot));
          const double r = 1.0 / pivot;
          for (std::size_t c = 0; c < ni; ++c) {
            m[p * ni + c] *= r;
            inverse[p * ni + c] *= r;
          }
          for (std::size_t q = 0; q < ni; ++q) {
            if (q == p) continue;
            const double f = m[q * ni + p];
            if (f == 0.0) continue;
            for (std::size_t c = 0; c < ni; ++c) {
              m[q * ni + c] -= f * m[p * ni + c];
              inverse[q * ni + c] -= f * inverse[p * ni + c];
            }
          }
        }
        for (std::size_t c = 0; c < ni * ni; ++c) group.inverse[c * count + i] = inverse[c];
      }
    }
    if (!(worst > kTinyPivot)) throw SimulationError("linear solve: a block of '" + group.shape->name + "' is singular");
    // M_ip = -gamma J_ip, M_pi = -gamma J_pi; Schur: S -= M_pi M_ii^-1 M_ip.
    multiply(count, ni, ni, np, group.inverse.data(), values.ip.data(), -gamma, group.from_port.data());
    multiply(count, np, ni, ni, values.pi.data(), group.inverse.data(), -gamma, group.to_port.data());
    for (std::size_t a = 0; a < np; ++a) {
      bool used = false;
      const double* row = values.pi.data() + a * ni * count;
      for (std::size_t c = 0; c < ni * count && !used; ++c) used = row[c] != 0.0;
      group.row_used[a] = used ? 1 : 0;
      if (!used) continue;
      for (std::size_t b = 0; b < np; ++b) {
        const std::int64_t* place = group.place.data() + (a * np + b) * count;
        for (std::size_t i = 0; i < count; ++i) {
          double sum = 0.0;
          for (std::size_t c = 0; c < ni; ++c) sum += values.pi[(a * ni + c) * count + i] * group.from_port[(c * np + b) * count + i];
          k.values[static_cast<std::size_t>(place[i])] += gamma * sum;  // minus (-gamma) J_pi times M_ii^-1 M_ip
        }
      }
    }
  }
  const auto n = static_cast<std::int64_t>(structure_.exposed);
  if (n == 0) return;
  static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));
  auto* start = reinterpret_cast<SuiteSparse_long*>(k.column_start.data());
  auto* rows = reinterpret_cast<SuiteSparse_long*>(k.row_index.data());
  if (k.symbolic == nullptr) {
    k.symbolic = klu_l_analyze(n, start, rows, &k.common);
    if (k.symbolic == nullptr) throw SimulationError("linear solve: the matrix is structurally singular");
  }
  if (k.numeric != nullptr && klu_l_refactor(start, rows, k.values.data(), k.symbolic, k.numeric, &k.common) == 1 &&
      klu_l_rcond(k.symbolic, k.numeric, &k.common) == 1 && k.common.rcond > kBadConditioning)
    return;
  if (k.numeric != nullptr) klu_l_free_numeric(&k.numeric, &k.common);
  k.numeric = klu_l_factor(start, rows, k.values.data(), k.symbolic, &k.common);
  if (k.numeric == nullptr || k.common.status != KLU_OK) throw SimulationError("linear solve: the matrix is singular");
}

void CondensedSolver::solve(std::span<double> b) const {
  // Forward: b_p -= M_pi M_ii^-1 b_i.
  for (const auto& pointer : groups_) {
    const Group& group = *pointer;
    const std::size_t ni = group.shape->interior, np = group.shape->ports, count = group.shape->count;
    const double* bi = b.data() + group.shape->first;
    for (std::size_t a = 0; a < np; ++a) {
      if (group.row_used[a] == 0) continue;
      const std::int64_t* port = group.shape->port.data() + a * count;
      const double* m = group.to_port.data() + a * ni * count;
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0.0;
        for (std::size_t c = 0; c < ni; ++c) sum += m[c * count + i] * bi[c * count + i];
        b[static_cast<std::size_t>(port[i])] -= sum;
      }
    }
  }
  if (structure_.exposed > 0)
    klu_l_solve(klu_->symbolic, klu_->numeric, static_cast<std::int64_t>(structure_.exposed), 1, b.data(), &klu_->common);
  // Back: x_i = M_ii^-1 b_i - M_ii^-1 M_ip x_p.
  for (const auto& pointer : groups_) {
    const Group& group = *pointer;
    const std::size_t ni = group.shape->interior, np = group.shape->ports, count = group.shape->count;
    double* bi = b.data() + group.shape->first;
    if (ni == 2) {
      applyTwo(count, group.inverse.data(), bi);
    } else {
      std::vector<double> x(ni);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t r = 0; r < ni; ++r) {
          x[r] = 0.0;
          for (std::size_t c = 0; c < ni; ++c) x[r] += group.inverse[(r * ni + c) * count + i] * bi[c * count + i];
        }
        for (std::size_t r = 0; r < ni; ++r) bi[r * count + i] = x[r];
      }
    }
    for (std::size_t a = 0; a < np; ++a) {
      const std::int64_t* port = group.shape->port.data() + a * count;
      for (std::size_t r = 0; r < ni; ++r) {
        const double* m = group.from_port.data() + (r * np + a) * count;
        for (std::size_t i = 0; i < count; ++i) bi[r * count + i] -= m[i] * b[static_cast<std::size_t>(port[i])];
      }
    }
  }
}

}  // namespace podtwin::solvers
