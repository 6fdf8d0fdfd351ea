#include "solvers/events.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"

namespace podtwin::solvers {

namespace {

constexpr int kDenseSearch = 60;   // iterations on the dense output: as many halvings as a number has digits
constexpr int kRefinements = 100;  // steps of their own; five or six are the rule

double valueOf(const EventFunction& g, double t, std::span<const double> y) {
  const double value = g(t, y);
  if (!std::isfinite(value))
    throw SimulationError("event: its function is not finite at t = " + std::to_string(t) + " s");
  return value;
}

/// A place within the bracket by the secant; by halves when the secant leaves it.
double candidate(double lo, double g_lo, double hi, double g_hi) {
  const double x = lo - g_lo * (hi - lo) / (g_hi - g_lo);
  return x > lo && x < hi ? x : 0.5 * (lo + hi);
}

}  // namespace

std::optional<double> locate(Integrator& integrator, double t_before, std::span<const double> y_before,
                             const EventFunction& g, Crossing crossing, const EventTolerance& tolerance) {
  double lo = t_before, hi = integrator.time();
  if (!(hi > lo)) return std::nullopt;
  double g_lo = valueOf(g, lo, y_before), g_hi = valueOf(g, hi, integrator.state());
  if (g_lo == 0.0 || g_lo * g_hi > 0.0) return std::nullopt;
  const bool rises = g_lo < 0.0;
  if ((crossing == Crossing::rising && !rises) || (crossing == Crossing::falling && rises)) return std::nullopt;
  const auto crossed = [&](double value) { return rises ? value >= 0.0 : value <= 0.0; };
  const auto goal = [&](double t) { return std::max(tolerance.absolute, tolerance.relative * std::abs(t)); };

  // On the dense output: the Illinois form of the false position.
  const double begin = lo, end = hi;
  std::vector<double> y(y_before.size());
  double guess = hi;
  {
    double a = lo, ga = g_lo, b = hi, gb = g_hi;
    int side = 0;
    for (int k = 0; k < kDenseSearch && b - a > 0.1 * goal(b); ++k) {
      // Every third place halves the bracket, so that it closes whatever the shape of g.
      const double x = k % 3 == 2 ? 0.5 * (a + b) : candidate(a, ga, b, gb);
      if (!(x > a && x < b)) break;
      integrator.interpolate(x, y);
      const double gx = valueOf(g, x, y);
      if (crossed(gx)) {
        b = x, gb = gx;
        if (side == 1) ga *= 0.5;
        side = 1;
      } else {
        a = x, ga = gx;
        if (side == -1) gb *= 0.5;
        side = -1;
      }
    }
    guess = 0.5 * (a + b);
  }

  // By steps of their own, each from the last place known to lie before the event.
  std::vector<double> y_lo(y_before.begin(), y_before.end());
  std::vector<double> y_hi(integrator.state().begin(), integrator.state().end());
  const auto run = [&](double to) {
    integrator.reset(lo, y_lo);
    for (double t = lo; t < to;) t = integrator.step(to);
    return valueOf(g, to, integrator.state());
  };
  // The place of hi is trusted only once a step of its own has been there: re-stepping may differ a little from the
  // step that found the crossing.
  double next = guess;
  for (int k = 0; k < kRefinements; ++k) {
    const double wanted = goal(end), width = hi - lo;
    if (width <= wanted) {
      integrator.reset(hi, y_hi);
      return hi;
    }
    // Keep off the ends by a part of the goal, so that a good guess closes the bracket from both sides at once.
    const double off = std::min(0.4 * wanted, 0.25 * width);
    next = std::clamp(next, lo + off, hi - off);
    const double value = run(next);
    if (crossed(value)) {
      hi = next, g_hi = value;
      std::copy(integrator.state().begin(), integrator.state().end(), y_hi.begin());
    } else {
      lo = next, g_lo = value;
      std::copy(integrator.state().begin(), integrator.state().end(), y_lo.begin());
    }
    if (hi - lo <= 0.0) break;
    const bool slow = hi - lo > 0.6 * width;
    const double secant = candidate(lo, g_lo, hi, g_hi);
    // A guess near one end moved that end only: aim just beyond it. If that did not help either, halve.
    next = slow && k % 2 == 1 ? 0.5 * (lo + hi)
           : slow             ? (secant - lo < hi - secant ? secant + off : secant - off)
                              : secant;
  }
  throw SimulationError("event: not closed in between t = " + std::to_string(begin) + " and " + std::to_string(end) +
                        " s");
}

}  // namespace podtwin::solvers
