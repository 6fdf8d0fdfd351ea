// What a way out of a circuit has of the derivative of its flow by the content of the circuit's expansion vessel.
#pragma once

#include "model/system/binder.hpp"
#include "model/system/system.hpp"

namespace podtwin {

struct VentDamping {
  static constexpr std::size_t kMassChange = 0;  // state of expansion_vessel
  const System* system = nullptr;
  const ComponentSet* vessel = nullptr;  ///< none: the circuit's reference supplies what gets out
  std::size_t instance = 0, edge = 0;
  std::size_t column = 0;  ///< unknown that is the content's change; of a circuit without vessel the way out's own

  static VentDamping of(Binder& b, std::size_t node, std::size_t edge) {
    VentDamping damping;
    damping.system = &b.system();
    damping.edge = edge;
    const auto [vessel, i] = damping.system->vesselOf(damping.system->fluidNodes()[node].circuit);
    damping.vessel = vessel;
    damping.instance = i;
    damping.column = vessel == nullptr ? b.nodePort(node).column : vessel->yIndex(kMassChange, i);
    return damping;
  }
  /// kg/s by which more gets out: zero in value, with its derivative by the content `x`.
  template <class S>
  S term(const Evaluation& e, const S& x) const {
    if (vessel == nullptr) return S(0.0);
    return S(vessel->pressureSlope(e, instance) * system->ventSlope(edge, e)) * (x - S(e.y[column]));
  }
};

}  // namespace podtwin
