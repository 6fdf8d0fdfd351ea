#include "scenarios/phase_balance.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace podtwin::scenarios {

namespace {

using Phases = std::array<double, 3>;
constexpr double kEqual = 1e-9;  // of the mean phase power: rounding

Phases plus(Phases sum, double value, int phases, double sign = 1.0) {
  const double share = sign * value / std::popcount(static_cast<unsigned>(phases));
  for (std::size_t k = 0; k < sum.size(); ++k)
    if ((phases >> k & 1) != 0) sum[k] += share;
  return sum;
}

const std::array<int, 3>& placesOf(int phases) {
  static constexpr std::array<int, 3> kOne{1, 2, 4}, kTwo{3, 6, 5};
  return std::popcount(static_cast<unsigned>(phases)) == 1 ? kOne : kTwo;
}

double square(const Phases& p) { return p[0] * p[0] + p[1] * p[1] + p[2] * p[2]; }

class Search {
 public:
  Search(const BusToBalance& bus, double bound, double equal) : bus_(bus), bound_(bound), equal_(equal) {
    order_.resize(bus.loads.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return bus.loads[a].power > bus.loads[b].power; });
    for (const auto& load : bus.loads) present_.push_back(load.phases);
  }

  std::vector<int> complete() {
    best_ = present_;
    best_power_ = greatestPhase(sumOf(present_));
    best_moves_ = 0;
    std::vector<int> at = present_;
    descend(0, bus_.fixed_power, 0, at);
    return best_;
  }

  std::vector<int> local() const {
    std::vector<int> best = present_;
    for (const bool afresh : {false, true}) {
      std::vector<int> at = afresh ? longestFirst() : present_;
      improve(at);
      takeBack(at);
      const double now = greatestPhase(sumOf(at)), before = greatestPhase(sumOf(best));
      if (now < before - equal_ || (now <= before + equal_ && moves(at) < moves(best))) best = at;
    }
    return best;
  }

 private:
  Phases sumOf(const std::vector<int>& at) const {
    Phases sum = bus_.fixed_power;
    for (std::size_t k = 0; k < at.size(); ++k) sum = plus(sum, bus_.loads[k].power, at[k]);
    return sum;
  }
  std::size_t moves(const std::vector<int>& at) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < at.size(); ++k) count += at[k] != present_[k] ? 1 : 0;
    return count;
  }

  void descend(std::size_t depth, const Phases& sum, std::size_t moved, std::vector<int>& at) {
    const double least = std::max(bound_, greatestPhase(sum));
    if (least > best_power_ + equal_ || (least >= best_power_ - equal_ && moved >= best_moves_)) return;
    if (depth == order_.size()) {
      best_ = at;
      best_power_ = greatestPhase(sum);
      best_moves_ = moved;
      return;
    }
    const std::size_t k = order_[depth];
    for (const int place : placesOf(present_[k])) {
      at[k] = place;
      descend(depth + 1, plus(sum, bus_.loads[k].power, place), moved + (place != present_[k] ? 1 : 0), at);
    }
    at[k] = present_[k];
  }

  std::vector<int> longestFirst() const {
    std::vector<int> at = present_;
    Phases sum = bus_.fixed_power;
    for (const std::size_t k : order_) {
      double least = -1.0;
      for (const int place : placesOf(present_[k])) {
        const double then = square(plus(sum, bus_.loads[k].power, place));
        if (least >= 0.0 && then >= least) continue;
        least = then;
        at[k] = place;
      }
      sum = plus(sum, bus_.loads[k].power, at[k]);
    }
    return at;
  }

  bool better(const Phases& then, const Phases& now) const { return square(then) < square(now) * (1.0 - kEqual); }

  /// Moves, swaps of pairs, then rotations of three, until none makes the phases more alike.
  void improve(std::vector<int>& at) const {
    const std::size_t n = at.size();
    Phases sum = sumOf(at);
    const auto power = [&](std::size_t k) { return bus_.loads[k].power; };
    const auto alike = [&](std::size_t i, std::size_t j) {
      return at[i] != at[j] && &placesOf(at[i]) == &placesOf(at[j]);
    };
    const auto step = [&] {
      for (std::size_t i = 0; i < n; ++i)
        for (const int place : placesOf(at[i])) {
          const Phases then = plus(plus(sum, power(i), at[i], -1.0), power(i), place);
          if (place != at[i] && better(then, sum)) return at[i] = place, true;
        }
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
          if (alike(i, j) && better(plus(plus(sum, power(i) - power(j), at[i], -1.0), power(i) - power(j), at[j]), sum))
            return std::swap(at[i], at[j]), true;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t k = i + 1; alike(i, j) && k < n; ++k) {
            if (!alike(i, k) || !alike(j, k)) continue;
            const Phases then = plus(plus(plus(sum, power(k) - power(i), at[i]), power(i) - power(j), at[j]),
                                     power(j) - power(k), at[k]);
            if (!better(then, sum)) continue;
            const int first = at[i];
            at[i] = at[j];
            at[j] = at[k];
            at[k] = first;
            return true;
          }
      return false;
    };
    while (greatestPhase(sum) > bound_ + equal_ && step()) sum = sumOf(at);
  }

  /// Moves that gain nothing.
  void takeBack(std::vector<int>& at) const {
    const double limit = greatestPhase(sumOf(at)) + equal_;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const int moved = at[k];
      at[k] = present_[k];
      if (greatestPhase(sumOf(at)) > limit) at[k] = moved;
    }
  }

  const BusToBalance& bus_;
  double bound_, equal_;
  std::vector<std::size_t> order_;
  std::vector<int> present_, best_;
  double best_power_ = 0.0;
  std::size_t best_moves_ = 0;
};

}  // namespace

double greatestPhase(const std::array<double, 3>& phases) { return *std::max_element(phases.begin(), phases.end()); }

BalancedBus balancePhases(const BusToBalance& bus) {
  BalancedBus result{};
  result.power_before = bus.fixed_power;
  result.reactive_before = result.reactive_after = bus.fixed_reactive;
  for (const auto& load : bus.loads) {
    result.power_before = plus(result.power_before, load.power, load.phases);
    result.reactive_before = plus(result.reactive_before, load.reactive_power, load.phases);
  }
  const auto& p = result.power_before;
  const double mean = (p[0] + p[1] + p[2]) / static_cast<double>(p.size());
  // Divisible loads would reach the mean of the phases; the greatest load has to be somewhere.
  result.bound = std::max(mean, greatestPhase(bus.fixed_power));
  for (const auto& load : bus.loads) {
    double least = std::numeric_limits<double>::infinity();
    for (const int place : placesOf(load.phases))
      least = std::min(least, greatestPhase(plus(bus.fixed_power, load.power, place)));
    result.bound = std::max(result.bound, least);
  }
  const double equal = kEqual * std::max(mean, 1.0);
  Search search(bus, result.bound, equal);
  const bool complete = bus.loads.size() <= kMostProvedLoads;
  result.phases = complete ? search.complete() : search.local();
  result.power_after = bus.fixed_power;
  for (std::size_t k = 0; k < bus.loads.size(); ++k) {
    result.power_after = plus(result.power_after, bus.loads[k].power, result.phases[k]);
    result.reactive_after = plus(result.reactive_after, bus.loads[k].reactive_power, result.phases[k]);
    result.moves += result.phases[k] != bus.loads[k].phases ? 1 : 0;
  }
  result.proved = complete || greatestPhase(result.power_after) <= result.bound + equal;
  return result;
}

}  // namespace podtwin::scenarios
