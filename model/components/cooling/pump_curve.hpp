// Head of a pump against its flow and speed: a quadratic fitted to points, or a table through them. Equations: pump.md.
#pragma once

#include "model/network/fluid_network.hpp"
#include "model/system/plant_description.hpp"

namespace podtwin {

struct PumpCurve {
  double h0 = 1e5, h1 = 0.0, h2 = 0.0;  ///< Pa, Pa/(kg/s), Pa/(kg/s)^2 at full speed
  double m_nominal = 0.0;               ///< kg/s of the last point
  FlowTable falls_by;                   ///< of a table: shut-off head less head

  /// Head and resistance of the law at a speed over full speed. The law keeps a pointer into this curve.
  void apply(EdgeLaw& law, double speed) const;
};

/// `head_curve` and `head_form` of a pump in a coolant of that density [kg/m3]; a curve that cannot be is a problem.
PumpCurve pumpCurveOf(const InstanceDescription& d, double density, Diagnostics& problems);

}  // namespace podtwin
