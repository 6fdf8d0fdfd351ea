// Solves (I - gamma J) x = b for a block Jacobian: interior blocks are eliminated in one vectorised loop a group
// (static condensation), what remains is a small sparse system for KLU. Knows no plant.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/system/jacobian.hpp"

namespace podtwin::solvers {

class CondensedSolver {
 public:
  /// `structure` must outlive the solver. Throws Error when a pair of ports is missing from the couplings.
  explicit CondensedSolver(const JacobianStructure& structure);
  ~CondensedSolver();
  CondensedSolver(const CondensedSolver&) = delete;
  CondensedSolver& operator=(const CondensedSolver&) = delete;

  /// Factorises I - gamma J. Throws SimulationError when the matrix is singular.
  void factorise(double gamma, const Jacobian& jacobian);
  /// Solves in place. Needs a factorisation.
  void solve(std::span<double> b) const;

 private:
  struct Klu;
  struct Group;
  const JacobianStructure& structure_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::unique_ptr<Klu> klu_;
};

}  // namespace podtwin::solvers
