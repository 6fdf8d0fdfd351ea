// Quasi-steady flow of an incompressible coolant through a network of edges and nodes.
//
// Unknowns: mass flow of every edge [kg/s], gauge pressure of every node [Pa]. Equations: mass balance
// of every node, energy balance of every edge
//     h(m) = p_from - p_to + rho g (z_from - z_to)
// with h the edge's own law. Newton on both at once, the flows eliminated edge by edge (Todini and
// Pilati 1988). Every h rises with m, so the flows are those that make a convex content least, and a
// search along the step for the least of it converges from anywhere; it is judged on every equation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/network/flow_table.hpp"
#include "model/network/friction.hpp"

namespace podtwin {

/// Pressure drop of an edge as a function of its mass flow: a resistance k |m|^(n-1) m plus a linear part and a pipe's
/// friction, less the head of a pump. All parts may be zero but not the slope: `linear` is made at least tiny.
struct EdgeLaw {
  double k = 0.0;               ///< Pa/(kg/s)^n
  double exponent = 2.0;        ///< n, 1
  double linear = 0.0;          ///< Pa/(kg/s)
  double m_linear = 0.0;        ///< kg/s; below it the resistance is linear with a C1 join (1e-3 of nominal flow)
  double head_0 = 0.0;          ///< Pa; pump head = head_0 + head_1 m - k m^2 at the present speed (k with exponent 2)
  double head_1 = 0.0;          ///< Pa/(kg/s)
  bool check = false;           ///< non-return valve: reverse flow sees `reverse_linear` instead of k
  double reverse_linear = 1e8;  ///< Pa/(kg/s)
  double cracking = 0.0;        ///< Pa held back of forward flow; below it the leak of `reverse_linear`, both ways
  bool open = true;             ///< false: taken out of the network, flow exactly 0
  bool vents = false;           ///< a way out to the air that holds no pressure of its own: a relief valve
  bool fixed = false;           ///< carries m_fixed whatever the pressures; joins no pressures
  double m_fixed = 0.0;         ///< kg/s
  double m_limit = std::numeric_limits<double>::infinity();  ///< kg/s, of a flow limiter: above, steep
  const FlowTable* table = nullptr;  ///< k times it instead of the power law; the edge's owner keeps it; none: nullptr
  double stretch = 1.0;              ///< of the table's flows: k times its drop at m / stretch (a pump's speed)
  double viscosity = 1.0;            ///< of the coolant in the pipe over that its friction is stated for
  double lightness = 1.0;            ///< likewise, density it is stated for over that of the coolant in the pipe
  const PipeFriction* pipe = nullptr;  ///< its friction, which the edge's owner keeps; none: nullptr

  /// Pressure drop [Pa] at m [kg/s] and its slope [Pa s/kg], always positive.
  double drop(double m, double& slope) const;
  bool operator==(const EdgeLaw&) const = default;
};

struct FluidEdge {
  std::size_t from = 0, to = 0;  ///< node indices
  std::string name;
};

struct FluidNode {
  std::string name;
  double elevation = 0.0;  ///< m
  bool fixed = false;      ///< pressure held
};

/// One connected circuit. Immutable; what changes is in the arguments.
class FluidNetwork {
 public:
  FluidNetwork(std::vector<FluidNode> nodes, std::vector<FluidEdge> edges, double density, double gravity);

  /// The factor of the pressure equations. A copy is without, and the next solve makes it.
  struct Factor {
    struct Content;
    Factor();
    Factor(const Factor&);
    Factor(Factor&&) noexcept;
    Factor& operator=(const Factor&);
    Factor& operator=(Factor&&) noexcept;
    ~Factor();
    std::unique_ptr<Content> content;
  };
  /// Scratch of one solve, one a thread.
  struct Workspace {
    std::vector<double> rhs, slope, drop, trial, pressure_trial, inflow;
    std::vector<double> step;          ///< [edge] kg/s, from the flows to those of the whole Newton step
    std::vector<double> gravity_head;  ///< [edge] Pa
    std::vector<std::size_t> active;   ///< edges that are open, of no stated flow and live
    std::vector<char> live;
    std::vector<std::int32_t> row;  ///< [node] of the pressure equations; -1: held or not live
    Factor factor;                  ///< its pattern lasts while `row` and `active` do
    int iterations = 0;
    double worst_mass = 0.0;    ///< kg/s, largest nodal imbalance after the solve
    double worst_energy = 0.0;  ///< Pa, largest edge imbalance after the solve
  };

  /// Solves for `m` and `p` (in: start values, warm or zero; fixed nodes' pressures in p; out: solution).
  /// `inflow` [kg/s] a node. Parts that no open edge joins to a fixed node have zero flow and keep their pressure;
  /// they are false in ws.live. Throws SimulationError naming the worst equations when it does not converge.
  void solve(std::span<const EdgeLaw> laws, std::span<const double> inflow, std::span<double> m, std::span<double> p,
             Workspace& ws) const;

  /// By how much the pressure of `at` [from, to] differs more between its two nodes when 1 kg/s more is taken out at
  /// the first node of `flow` and let in at its second, Pa s/kg, by the slopes of the last solve of `ws`.
  double pressureResponse(const Workspace& ws, std::pair<std::size_t, std::size_t> flow,
                          std::pair<std::size_t, std::size_t> at) const;

  const std::vector<FluidNode>& nodes() const { return nodes_; }
  const std::vector<FluidEdge>& edges() const { return edges_; }

 private:
  class Solve;

  std::vector<FluidNode> nodes_;
  std::vector<FluidEdge> edges_;
  double density_;
  double gravity_;
};

}  // namespace podtwin
