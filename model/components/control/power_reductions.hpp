// The least power to take from loads so that every piece of equipment above them is within what it may carry.
#pragma once

#include <cstddef>
#include <vector>

namespace podtwin {

struct ReducibleLoad {
  double most;                ///< W that may be taken from it
  std::vector<double> share;  ///< [equipment] of its power that the equipment carries
};

/// [load] power [W] to take, so that sum(share * power) reaches excess[equipment] where it can. From loads that relieve
/// most equipment first; among equals alike. `excess` [W] becomes what is left of it.
std::vector<double> powerReductions(const std::vector<ReducibleLoad>& loads, std::vector<double>& excess);

/// [load] power [W] to give back, alike to all loads that may still be given some, each up to its `most`, with no
/// equipment above its headroom [W], which becomes what is left of it.
std::vector<double> powerReturns(const std::vector<ReducibleLoad>& loads, std::vector<double>& headroom);

}  // namespace podtwin
