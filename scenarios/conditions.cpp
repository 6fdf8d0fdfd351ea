#include "scenarios/conditions.hpp"

#include <algorithm>

namespace podtwin::scenarios {

double Observable::value(const Evaluation& e, std::size_t* which) const {
  if (instances.size() == 1) {
    if (which != nullptr) *which = instances.front();
    return set->signalOf(e, signal, instances.front());
  }
  std::vector<double> column(set->size());
  set->signal(e, signal, column);
  double result = 0.0;
  std::size_t place = instances.front();
  switch (reduction) {
    case Reduction::min:
    case Reduction::max:
    case Reduction::none: {
      const bool least = reduction == Reduction::min;
      result = column[place];
      for (const auto i : instances)
        if (least ? column[i] < result : column[i] > result) {
          result = column[i];
          place = i;
        }
      break;
    }
    case Reduction::mean:
    case Reduction::sum:
      for (const auto i : instances) result += column[i];
      if (reduction == Reduction::mean) result /= static_cast<double>(instances.size());
      break;
  }
  if (which != nullptr) *which = place;
  return result;
}

double Condition::margin(const Evaluation& e) const {
  const double value = observable.value(e);
  return above ? value - threshold : threshold - value;
}

}  // namespace podtwin::scenarios
