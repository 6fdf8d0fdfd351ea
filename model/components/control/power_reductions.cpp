#include "model/components/control/power_reductions.hpp"

#include <algorithm>
#include <limits>

namespace podtwin {

namespace {
constexpr double kNothing = 1e-3;  // W
constexpr double kAlike = 1e-9;    // of shares
}  // namespace

std::vector<double> powerReductions(const std::vector<ReducibleLoad>& loads, std::vector<double>& excess) {
  std::vector<double> taken(loads.size(), 0.0);
  // Every round fills a load or relieves a piece of equipment for good.
  for (std::size_t round = 0; round < loads.size() + excess.size(); ++round) {
    std::vector<double> worth(loads.size(), 0.0);
    double best = 0.0;
    for (std::size_t m = 0; m < loads.size(); ++m) {
      if (loads[m].most - taken[m] <= kNothing) continue;
      for (std::size_t k = 0; k < excess.size(); ++k)
        if (excess[k] > kNothing) worth[m] += loads[m].share[k];
      best = std::max(best, worth[m]);
    }
    if (best <= kAlike) break;
    std::vector<std::size_t> chosen;
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < loads.size(); ++m)
      if (worth[m] >= best - kAlike) {
        chosen.push_back(m);
        step = std::min(step, loads[m].most - taken[m]);
      }
    for (std::size_t k = 0; k < excess.size(); ++k) {
      double relief = 0.0;
      for (const auto m : chosen) relief += loads[m].share[k];
      if (excess[k] > kNothing && relief > kAlike) step = std::min(step, excess[k] / relief);
    }
    for (const auto m : chosen) {
      taken[m] += step;
      for (std::size_t k = 0; k < excess.size(); ++k) excess[k] -= loads[m].share[k] * step;
    }
  }
  return taken;
}

std::vector<double> powerReturns(const std::vector<ReducibleLoad>& loads, std::vector<double>& headroom) {
  std::vector<double> given(loads.size(), 0.0);
  // Every round fills a load or uses up a piece of equipment for good.
  for (std::size_t round = 0; round < loads.size() + headroom.size(); ++round) {
    std::vector<std::size_t> open;
    std::vector<double> drawn(headroom.size(), 0.0);  // W of equipment for a watt to each of them
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < loads.size(); ++m) {
      bool room = loads[m].most - given[m] > kNothing;
      for (std::size_t k = 0; k < headroom.size() && room; ++k)
        room = loads[m].share[k] <= kAlike || headroom[k] > kNothing;
      if (!room) continue;
      open.push_back(m);
      step = std::min(step, loads[m].most - given[m]);
      for (std::size_t k = 0; k < headroom.size(); ++k) drawn[k] += loads[m].share[k];
    }
    if (open.empty()) break;
    for (std::size_t k = 0; k < headroom.size(); ++k)
      if (drawn[k] > kAlike) step = std::min(step, headroom[k] / drawn[k]);
    for (const auto m : open) given[m] += step;
    for (std::size_t k = 0; k < headroom.size(); ++k)
      if (drawn[k] > kAlike) headroom[k] -= drawn[k] * step;
  }
  return given;
}

}  // namespace podtwin
