// What of a plant carries power and has a rating: utility, transformers, UPS, busways, lines, breakers, generators.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/system/component_set.hpp"

namespace podtwin {

struct RatedElement {
  const ComponentSet* set = nullptr;
  std::size_t instance = 0;
  std::size_t loading_signal = 0;
  std::size_t limit = 0;                 ///< of its class: kind `rating`, on the loading
  std::ptrdiff_t time_left_signal = -1;  ///< time until its protection acts at its present load; -1: it has none

  const std::string& id() const { return set->ids()[instance]; }
  /// Loading over what its rating allows, 1.
  double loading(const Evaluation& e) const {
    return set->signalOf(e, loading_signal, instance) / set->limitValue(limit, instance);
  }
  /// Whether it can tell how long it may stay above its rating.
  bool tellsTime() const {
    return time_left_signal >= 0 && set->solves(static_cast<std::size_t>(time_left_signal), instance);
  }
  /// s; infinite where it is not known or does not come.
  double timeLeft(const Evaluation& e) const;
};

/// In the order of the sets. Parts of racks are not among them: what is behind a rack's feeds is the rack's.
std::vector<RatedElement> ratedElements(const std::vector<std::unique_ptr<ComponentSet>>& sets);

}  // namespace podtwin
