// A component set that draws by chance: what it draws follows from the seed of the scenario.
#pragma once

#include <cstdint>

#include "model/system/state.hpp"

namespace podtwin {

class Seeded {
 public:
  virtual ~Seeded() = default;
  /// Keeps the seed among the set's held values, so that a checkpoint has it.
  virtual void seed(State& state, std::uint64_t seed) const = 0;
};

}  // namespace podtwin
