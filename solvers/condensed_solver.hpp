// Solves (I - gamma J) x = b for a block Jacobian: interior blocks are eliminated in one vectorised loop a group
// (static condensation), what remains is a small sparse system for KLU. Knows no plant.
//
// With M = I - gamma J split into interior (i) and exposed (p) unknowns:
//   factorise   M_ii^-1 of every block,  S = M_pp - M_pi M_ii^-1 M_ip  (KLU)
//   solve       S x_p = b_p - M_pi M_ii^-1 b_i,  x_i = M_ii^-1 (b_i - M_ip x_p)
// Blocks are inverted without pivoting (M is close to diagonally dominant for heat); a block without a usable pivot is
// an error that names it. Nothing is allocated after the first factorisation, save when KLU has to choose pivots anew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/system/jacobian.hpp"

namespace podtwin::solvers {

class CondensedSolver {
 public:
  /// `structure` must outlive the solver; `name_of` names an unknown in messages (empty: by its number). Throws Error
  /// when a pair of ports is missing from the couplings or a group does not fit the structure.
  explicit CondensedSolver(const JacobianStructure& structure, std::function<std::string(std::size_t)> name_of = {});
  ~CondensedSolver();
  CondensedSolver(const CondensedSolver&) = delete;
  CondensedSolver& operator=(const CondensedSolver&) = delete;

  /// Factorises I - gamma J. Throws SimulationError naming the unknown when the matrix is singular or not finite.
  void factorise(double gamma, const Jacobian& jacobian);
  /// Solves in place. Needs a factorisation. Uses scratch space of the solver: one call at a time.
  void solve(std::span<double> b);

 private:
  struct Klu;
  struct Group;
  std::string nameOf(std::size_t row) const;
  void eliminate(Group& group, double gamma, const Jacobian::GroupValues& values);
  [[noreturn]] void failBlock(const Group& group, double gamma, const Jacobian::GroupValues& values) const;

  const JacobianStructure& structure_;
  std::function<std::string(std::size_t)> name_of_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::unique_ptr<Klu> klu_;
  std::vector<double> scratch_;  ///< one value an instance of the largest group
};

}  // namespace podtwin::solvers
