// Hot coolant, wall and cold coolant along an exchanger, by a discontinuous Galerkin method: elements with the
// temperatures at four Gauss points each, upwind between elements. Scheme: docs/theory/heat_exchangers.md.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "model/system/binder.hpp"
#include "model/system/jacobian.hpp"

namespace podtwin {

/// One exchanger along its length. Hot coolant flows towards higher places when its flow is positive, cold coolant
/// towards lower ones.
class CounterflowCells {
 public:
  static constexpr std::size_t kPoints = 4;  ///< a body an element
  enum Body : std::size_t { hot, wall, cold, kBodies };

  struct Exchange {
    double hot_rate, cold_rate;  ///< capacity rates, signed [W/K]
    double hot_film, cold_film;  ///< between each coolant and the wall [W/K]
  };
  struct Contents {
    double hot_mass, wall_capacity, cold_mass;  ///< kg, J/K, kg
    std::size_t hot_node, cold_node;            ///< a fluid node of either coolant's circuit
    const fluids::CoolantHeat *hot, *cold;
  };
  struct Ends {
    ThermalPort hot_first, hot_last;    ///< nodes at the low and the high end of the hot side
    ThermalPort cold_first, cold_last;  ///< nodes named first and last of the cold side: at the high and the low end
  };

  static std::size_t unknowns(std::size_t elements) { return elements * kPoints * kBodies; }

  CounterflowCells(std::size_t first, std::size_t elements, const Contents& contents, const Ends& ends);
  void bind(Binder& b);
  void rates(const Exchange& x, Evaluation& e) const;
  void jacobian(const Exchange& x, const Evaluation& e, JacobianWriter& w) const;
  /// Temperature at the end where a coolant leaves.
  double leaving(Body body, double rate, const Evaluation& e) const;
  /// Heat from the wall to the cold coolant [W].
  double heatToCold(const Exchange& x, const Evaluation& e) const;
  /// Heat stored above 273.15 K [J].
  double stored(const Evaluation& e) const;

 private:
  std::size_t index(Body body, std::size_t element, std::size_t point) const {
    return first_ + (element * kPoints + point) * kBodies + body;
  }
  /// Element and point that coolant passes as its n-th, i-th.
  std::size_t passed(Body body, bool ascending, std::size_t n, std::size_t i) const {
    return ascending ? index(body, n, i) : index(body, elements_ - 1 - n, kPoints - 1 - i);
  }
  static bool ascends(Body body, double rate) { return (body == hot) == (rate >= 0.0); }
  const ThermalPort& inlet(Body body, bool ascending) const;
  const ThermalPort& outlet(Body body, bool ascending) const;
  template <class Add>
  void advection(Body body, double rate, Add add) const;
  template <class Add>
  void films(const Exchange& x, Add add) const;
  std::size_t slot(std::size_t row, std::size_t column) const;
  const fluids::CoolantHeat& coolant(Body body) const { return body == hot ? *contents_.hot : *contents_.cold; }

  std::size_t first_, elements_;
  Contents contents_;
  Ends ends_;
  struct Slot {
    std::size_t row, column, slot;
  };
  std::vector<Slot> slots_;  ///< in order of row and column
};

}  // namespace podtwin
