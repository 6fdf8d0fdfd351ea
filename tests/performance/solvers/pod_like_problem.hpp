// A synthetic plant of the size and structure of one pod, for measuring integrators and the linear solver.
//
// 64 racks of 18 compute trays (4 GPUs, 1 CPU pair) and 9 switch trays (1 switch), 8 coolant distribution units with
// pipes, counterflow exchanger, pump and valve control, one facility loop with a dry cooler. Every chip is a die and a
// plate (an interior block with two ports: its tray's coolant and the rack's supply manifold). Flows follow the pump
// speeds without delay. All values are round figures of the right size; they describe no product.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "solvers/ode_problem.hpp"

namespace podtwin::performance {

class PodLikeProblem final : public solvers::OdeProblem {
 public:
  PodLikeProblem();

  const JacobianStructure& structure() const override { return structure_; }
  void rates(double t, std::span<const double> y, std::span<double> ydot) override;
  void jacobian(double t, std::span<const double> y, Jacobian& jacobian) override;
  std::span<const double> errorScale() const override { return scale_; }
  double jacobianDrift() const override;
  std::string nameOf(std::size_t row) const override;

  /// A state near the operating point.
  std::vector<double> start() const;
  /// Inputs of a second: a new power for every chip, pump set-points that move by 12 %. The same for every object.
  void setInputs(int second);
  /// The GPU dies within y.
  std::size_t firstDie() const { return structure_.groups[0].first; }
  std::size_t dies() const { return structure_.groups[0].count; }

 private:
  struct Chips {  // one group
    std::vector<std::size_t> tray, rack;
    std::vector<double> power;
    double nominal = 0.0, die_capacity = 0.0, plate_capacity = 0.0, junction = 0.0, film = 0.0;
  };
  void couple(std::size_t row, std::size_t column) {
    structure_.couplings.push_back({static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)});
  }
  void flows(std::span<const double> y);
  void chipRates(const Chips& chips, const InteriorGroup& group, std::span<const double> y,
                 std::span<double> ydot) const;
  std::size_t place(std::size_t row, std::size_t column) const;

  JacobianStructure structure_;
  std::vector<Chips> chips_;
  std::vector<double> scale_;
  std::vector<std::size_t> places_;  ///< of the Jacobian's contributions, in the order they come
  // Where things are among the exposed unknowns.
  std::size_t tray_ = 0, supply_ = 0, return_ = 0, pipe_ = 0, exchanger_ = 0, control_ = 0, facility_ = 0;
  // Inputs.
  std::vector<double> speed_wanted_;
  double ambient_ = 30.0;
  // Of the last evaluation, by coolant distribution unit.
  std::vector<double> flow_, film_factor_, cold_flow_, flow_at_jacobian_, cold_flow_at_jacobian_;
};

}  // namespace podtwin::performance
