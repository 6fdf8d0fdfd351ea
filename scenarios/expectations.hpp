// "expect:" of a scenario: limits a run is held to over its whole length.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/conditions.hpp"
#include "scenarios/simulation.hpp"

namespace podtwin::scenarios {

struct Expectation {
  Observable observable;
  std::optional<double> below, above, equals;
  double tolerance = 0.0;  ///< of equals
  SourceMark where;
};

/// What an expectation met: its worst moment, and whether it held all the time (equals: at the end).
struct ExpectationResult {
  bool holds = true;
  double worst = 0.0;  ///< value furthest from holding, SI
  double worst_time = 0.0;
  double margin = std::numeric_limits<double>::infinity();  ///< negative when it does not hold
  std::string equipment;
};

class ExpectationObserver final : public Observer {
 public:
  explicit ExpectationObserver(const std::vector<Expectation>& expectations)
      : expectations_(expectations), results_(expectations.size()) {}
  void observe(double t, const State& state, const Evaluation& e) override;
  const std::vector<ExpectationResult>& results() const { return results_; }
  bool allHold() const;

 private:
  const std::vector<Expectation>& expectations_;
  std::vector<ExpectationResult> results_;
};

}  // namespace podtwin::scenarios
