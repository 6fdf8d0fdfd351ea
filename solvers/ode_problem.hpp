// What an integrator needs to know of the thing it integrates.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/system/jacobian.hpp"

namespace podtwin::solvers {

/// dy/dt = f(t, y) with a Jacobian in block form. Inputs are held between discontinuities; the
/// caller resets the integrator at each of them.
class OdeProblem {
 public:
  virtual ~OdeProblem() = default;
  virtual const JacobianStructure& structure() const = 0;
  /// f(t, y). May throw SimulationError for a state it cannot evaluate: the integrator then tries a
  /// smaller step before it gives up with that message.
  virtual void rates(double t, std::span<const double> y, std::span<double> ydot) = 0;
  /// df/dy at (t, y); `jacobian` comes zeroed. Entries may be left out where that only slows convergence.
  virtual void jacobian(double t, std::span<const double> y, Jacobian& jacobian) = 0;
  /// Error scale of each unknown: the integrator aims at local errors below rtol * scale[i]
  /// (plus rtol * |y| where `relative` is wanted by the problem). Infinity: not error controlled.
  virtual std::span<const double> errorScale() const = 0;
  /// Largest relative change of a coefficient of the Jacobian (a flow, say) since jacobian() was last
  /// called, at the state of the last rates() call; infinity when unknown.
  virtual double jacobianDrift() const = 0;
  /// Name of an unknown for messages: "A01-T03-G2.t_junction".
  virtual std::string nameOf(std::size_t row) const = 0;
  /// True when the error of an unknown is measured as scale + |y| (textbook problems), false when by the
  /// scale alone (plants: a kelvin is a kelvin at any temperature).
  virtual bool relativeError() const { return false; }
};

}  // namespace podtwin::solvers
