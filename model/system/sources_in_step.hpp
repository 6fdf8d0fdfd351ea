// Sources that feed one bus have to be in step: one grid, or grids that may be joined, stands behind them all.
#pragma once

namespace podtwin {

class Diagnostics;
class System;
struct Evaluation;

/// What is joined at the start and must not be: two grids, converters that follow two grids, a generator that is on
/// line beside a grid. Grids whose `parallel` says so may be joined.
void refuseSourcesOutOfStep(const System& system, const Evaluation& e, Diagnostics& problems);

}  // namespace podtwin
