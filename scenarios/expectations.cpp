#include "scenarios/expectations.hpp"

#include <algorithm>
#include <cmath>

namespace podtwin::scenarios {

void ExpectationObserver::observe(double t, const State&, const Evaluation& e) {
  for (std::size_t k = 0; k < expectations_.size(); ++k) {
    const Expectation& expectation = expectations_[k];
    ExpectationResult& result = results_[k];
    std::size_t which = 0;
    const double value = expectation.observable.value(e, &which);
    double margin = std::numeric_limits<double>::infinity();
    if (expectation.below) margin = std::min(margin, *expectation.below - value);
    if (expectation.above) margin = std::min(margin, value - *expectation.above);
    const bool at_end = expectation.equals.has_value();
    if (at_end) margin = expectation.tolerance - std::abs(value - *expectation.equals);
    // What must be equal is looked at when the run ends, so the last look counts; a bound counts at its worst.
    if (at_end || margin < result.margin) {
      result.margin = margin;
      result.worst = value;
      result.worst_time = t;
      result.equipment = expectation.observable.set->ids()[which];
      result.holds = margin >= 0.0;
    }
  }
}

bool ExpectationObserver::allHold() const {
  return std::all_of(results_.begin(), results_.end(), [](const ExpectationResult& r) { return r.holds; });
}

}  // namespace podtwin::scenarios
