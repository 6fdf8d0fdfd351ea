// Frequency of a bus: that of the source which its conductors or links lead to.
#pragma once

#include <cstddef>

#include "model/system/system.hpp"

namespace podtwin {

/// A component set whose instances feed a bus with a frequency of their own.
class FrequencySource {
 public:
  virtual ~FrequencySource() = default;
  /// Over nominal.
  virtual double frequencyShare(const Evaluation& e, std::size_t instance) const = 0;
  virtual std::size_t fedBus(std::size_t instance) const = 0;
};

/// Frequency of a bus over nominal; 1 behind a converter and where nothing is known to say it.
double busFrequencyShare(const System& system, const Evaluation& e, std::size_t bus);

}  // namespace podtwin
