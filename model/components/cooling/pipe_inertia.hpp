// Momentum of the coolant in the pipes that state `inertance`. Equations: pipe.md.
#pragma once

#include <memory>

#include "model/components/cooling/pipe.hpp"

namespace podtwin {

/// The set of those among the pipes that have inertance; null when none has. It comes after them in the list of sets:
/// it turns their flow laws into stated flows.
std::unique_ptr<ComponentSet> makePipeInertiaSet(const PipeSet& pipes);

}  // namespace podtwin
