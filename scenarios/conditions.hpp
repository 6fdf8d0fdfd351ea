// Values and conditions on a plant: "max(gpu[*].t_junction) > 85 degC", resolved to numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/readers/expression.hpp"
#include "model/base/diagnostics.hpp"
#include "model/system/system.hpp"

namespace podtwin::scenarios {

/// A signal of one instance, or the extreme, mean or sum over several.
struct Observable {
  enum class Reduction { none, min, max, mean, sum };
  Reduction reduction = Reduction::none;
  const ComponentSet* set = nullptr;
  std::size_t signal = 0;
  std::vector<std::size_t> instances;  ///< ascending; all of the set when it is as long as the set
  std::string text;

  /// Value now, and which instance has it (for min and max).
  double value(const Evaluation& e, std::size_t* which = nullptr) const;
  /// Kind of the value; instances of several kinds are refused before (addresses.hpp).
  Quantity quantity() const { return set->signalQuantity(signal, instances.front()); }
};

/// What an expression of a scenario means on the plant; none, with a problem, when it means nothing.
std::optional<Observable> observableOf(const System& system, const data::Expression& expression, Diagnostics& problems);

struct Condition {
  Observable observable;
  bool above = true;
  double threshold = 0.0;  ///< SI
  /// Positive when the condition holds.
  double margin(const Evaluation& e) const;
};

}  // namespace podtwin::scenarios
