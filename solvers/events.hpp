// Where a function of the state changes its sign within a step: bracketed search on the dense output, then steps of
// their own to the place, because the state behind an event has to be one the integrator reached.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "solvers/integrator.hpp"

namespace podtwin::solvers {

/// g(t, y); continuous.
using EventFunction = std::function<double(double t, std::span<const double> y)>;

enum class Crossing { rising, falling, either };

struct EventTolerance {
  double absolute = 1e-6;  ///< s
  double relative = 1e-9;  ///< of the time
};

/// Looks for a zero of g in the step that led from (t_before, y_before) to the integrator's present time; call it
/// before inputs change. Without a sign change in the wanted direction the integrator is left alone. Otherwise it is
/// reset and stepped to the event: it ends within the tolerance behind the crossing, with g zero or of its new sign
/// there, and that time is returned. A zero at the very start of the step belongs to the step before and is passed
/// over. Throws SimulationError when g is not finite or the place cannot be closed in.
std::optional<double> locate(Integrator& integrator, double t_before, std::span<const double> y_before,
                             const EventFunction& g, Crossing crossing = Crossing::either,
                             const EventTolerance& tolerance = {});

}  // namespace podtwin::solvers
