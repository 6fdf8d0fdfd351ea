#include "solvers/steady_state.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "model/base/diagnostics.hpp"
#include "model/base/vectorised.hpp"
#include "model/system/builtin_sets.hpp"
#include "solvers/integrator.hpp"
#include "solvers/system_problem.hpp"

namespace podtwin::solvers {

namespace {

constexpr double kLargeMove = 1e-3;   // 1/s over error scale; below it nothing runs away within the search
constexpr double kNearEnough = 1e-2;  // 1/s over error scale; below it the rest of the way is extrapolated
// Less exchange than this is that of standing coolant: the flow solve says to 1e-10 of the largest flow what creeps.
constexpr double kLeastExchange = 1e-3;       // W/K; a quarter of a milligram of water a second, estimate
constexpr double kLeastExchangeShare = 1e-9;  // of the greatest in the plant, in one of small flows
constexpr double kCreepingSpan = 10.0;        // K over which creeping coolant may bring heat to what stands
constexpr double kOneBody = 0.9;              // of what both exchange, with each other: they are as one; estimate
constexpr double kFastestRise = 20.0;         // K/s that the heat of the moment may give a compressed capacity
constexpr double kLonelyRise = 1.0;           // K/s, likewise, of what exchanges no heat yet; estimate
constexpr double kStarted = 60.0;             // s; by then pumps run, and flows are of the size that they will have

/// W/K by which every exposed unknown exchanges heat. Two that exchange nearly all of it with each other (coolant and
/// the wall around it) come to rest as one body does: each has half of what the two exchange with all others.
std::vector<double> exchanges(const System& system, const Evaluation& e, const Jacobian& jacobian, std::size_t count) {
  const auto& couplings = system.structure().couplings;
  std::vector<double> own(count, 0.0), most(count, 0.0);
  std::vector<std::size_t> partner(count, count);
  const auto exchange = [&](std::size_t c) {
    const double inverse = e.inverse_capacity[static_cast<std::size_t>(couplings[c].row)];
    return inverse > 0.0 ? std::abs(jacobian.exposed[c] / inverse) : 0.0;
  };
  for (std::size_t c = 0; c < couplings.size(); ++c) {
    const auto row = static_cast<std::size_t>(couplings[c].row), column = static_cast<std::size_t>(couplings[c].column);
    if (row == column) {
      own[row] = exchange(c);
    } else if (const double g = exchange(c); g > most[row]) {
      most[row] = g;
      partner[row] = column;
    }
  }
  std::vector<double> sum = own;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = partner[i];
    if (k >= count || partner[k] != i || !(std::min(most[i], most[k]) > kOneBody * std::max(own[i], own[k]))) continue;
    sum[i] = 0.5 * std::max(own[i] - most[i] + own[k] - most[k], 0.0);
  }
  return sum;
}

/// Capacities that give every exposed unknown of another capacity than 1 the wanted time constant, never a longer one
/// than it has. Where what it exchanges now would not carry its heat (a heater in coolant that has yet to flow) the
/// capacity is as large as the heat asks for. What hardly exchanges heat, and gets none but so, is given the `weight`
/// 0: whether it moves says nothing about the plant. Until all has `started` what exchanges no heat may soon do so.
std::vector<double> compressed(const System& system, const Evaluation& e, const Jacobian& jacobian,
                               std::span<const double> rates, double time_constant, bool started,
                               std::span<double> weight) {
  const auto own = system.inverseCapacity();
  std::vector<double> inverse(own.begin(), own.end());
  const std::vector<double> exchange = exchanges(system, e, jacobian, own.size());
  const double least =
      started ? std::min(kLeastExchange, kLeastExchangeShare * *std::max_element(exchange.begin(), exchange.end()))
              : kLeastExchange;
  for (std::size_t row = 0; row < own.size(); ++row) {
    if (own[row] == 0.0 || own[row] == 1.0 || e.inverse_capacity[row] == 0.0) continue;
    const double heat = std::abs(rates[row] / e.inverse_capacity[row]);  // W
    // What hardly exchanges heat keeps its capacity: the flow of standing coolant is the round-off of the flow solve,
    // its direction is chance, and a capacity in proportion to it would follow every change of that.
    if (exchange[row] <= least) {
      if (!started) continue;
      if (heat <= least * kCreepingSpan)
        weight[row] = 0.0;
      else  // a room that warms until its coils, whose water is warmer yet, begin to take heat
        inverse[row] = std::max(own[row], kLonelyRise / heat);
      continue;
    }
    inverse[row] = std::max(own[row], 1.0 / std::max(time_constant * exchange[row], heat / kFastestRise));
  }
  return inverse;
}

bool anyHotterThan(const System& system, const State& state, double limit) {
  for (const auto& set : system.sets()) {
    const auto states = set->info().states;
    const std::size_t exposed = set->exposedCount() / std::max<std::size_t>(set->size(), 1);
    for (std::size_t k = 0; k < states.size(); ++k) {
      if (states[k].quantity != Quantity::temperature) continue;
      const bool is_exposed = k < exposed;
      if (!is_exposed && set->interiorCount() == 0) continue;
      for (std::size_t i = 0; i < set->size(); ++i)
        if (state.y[is_exposed ? set->yIndex(k, i) : set->interior_first + (k - exposed) * set->size() + i] > limit)
          return true;
    }
  }
  return false;
}

/// Largest |after - before| * inverse_scale.
PODTWIN_VECTORISED double greatestMove(std::span<const double> after, std::span<const double> before,
                                       std::span<const double> inverse_scale) {
  double worst[PODTWIN_LANES];
  for (std::size_t k = 0; k < PODTWIN_LANES; ++k) worst[k] = 0.0;
  const std::size_t n = after.size();
  const auto one = [&](std::size_t i, std::size_t k) {
    const double move = std::abs(after[i] - before[i]) * inverse_scale[i];
    worst[k] = move > worst[k] ? move : worst[k];
  };
  std::size_t i = 0;
  for (; i + PODTWIN_LANES <= n; i += PODTWIN_LANES)
    for (std::size_t k = 0; k < PODTWIN_LANES; ++k) one(i + k, k);
  for (; i < n; ++i) one(i, 0);
  return *std::max_element(worst, worst + PODTWIN_LANES);
}

/// Most of a search is the last slow modes dying out, often the integrals of controllers. From how the plant moved over
/// some windows of equal length follows where these modes end (reduced rank extrapolation, Mesina 1977): the mixture of
/// windows that hardly moves. Where that did not bring the end nearer it waits, each time twice as long, so that it
/// cannot keep a plant from coming to rest.
class SlowModes {
 public:
  explicit SlowModes(std::span<const double> inverse_scale) : inverse_scale_(inverse_scale) {}
  /// Takes the unknowns at the end of a window; puts them where they are heading when the windows tell.
  void endWindow(std::span<double> y) {
    ends_.emplace_back(y.begin(), y.end());
    if (ends_.size() < 2) return;
    const std::vector<double>& before = ends_[ends_.size() - 2];
    std::vector<double>& move = moves_.emplace_back(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) move[i] = (y[i] - before[i]) * inverse_scale_[i];
    const double size = dot(move, move);
    if (before_jump_ > 0.0 && size > kGain * before_jump_) wait_ = pause_ *= 2;
    before_jump_ = 0.0;
    if (moves_.size() > kMostWindows) {
      ends_.erase(ends_.begin());
      moves_.erase(moves_.begin());
    }
    if (wait_ > 0) {
      --wait_;
      return;
    }
    if (moves_.size() < 2) return;
    // Least squares of the mixed move, shares adding up to 1: G c = 1, shares c over their sum, square 1 over that sum.
    const auto count = static_cast<Eigen::Index>(moves_.size());
    Eigen::MatrixXd gram(count, count);
    for (Eigen::Index r = 0; r < count; ++r)
      for (Eigen::Index c = 0; c <= r; ++c)
        gram(r, c) = gram(c, r) = dot(moves_[static_cast<std::size_t>(r)], moves_[static_cast<std::size_t>(c)]);
    gram.diagonal() *= 1.0 + kRidge;
    const Eigen::VectorXd solution = gram.ldlt().solve(Eigen::VectorXd::Ones(count));
    const double sum = solution.sum();
    if (!(sum > 0.0) || !(1.0 / sum < kMixed * size) || !(solution.lpNorm<1>() < kWildest * sum)) return;
    std::fill(y.begin(), y.end(), 0.0);
    for (Eigen::Index k = 0; k < count; ++k) {
      const std::vector<double>& end = ends_[static_cast<std::size_t>(k) + 1];
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += solution[k] / sum * end[i];
    }
    for (std::size_t i = 0; i < y.size(); ++i)
      if (inverse_scale_[i] == 0.0) y[i] = ends_.back()[i];
    forget();
    before_jump_ = size;
  }
  void forget() {
    ends_.clear();
    moves_.clear();
    before_jump_ = 0.0;
  }

 private:
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }
  static constexpr std::size_t kMostWindows = 5;
  static constexpr double kMixed = 0.01;   // of the square of the last move: what the mixture may still move
  static constexpr double kGain = 0.25;    // likewise, of the first move behind a jump; else it was no use
  static constexpr double kRidge = 1e-10;  // windows may be alike
  static constexpr double kWildest = 1e5;  // sum of the shares' sizes
  std::span<const double> inverse_scale_;
  std::vector<std::vector<double>> ends_, moves_;  // unknowns at the windows' ends; their moves over error scale
  double before_jump_ = 0.0;                       // square of the last move before a jump
  int wait_ = 0, pause_ = 2;                       // windows
};

}  // namespace

SteadyReport findSteadyState(const System& system, State& state, Evaluation& e, const SteadyOptions& options) {
  long steps = 0;

  SteadyReport report;
  const std::size_t n = system.size();
  std::vector<double> ydot(n), y_before(n), z_before;
  const auto scale = system.errorScale();
  std::vector<double> inverse_scale(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    if (std::isfinite(scale[i])) inverse_scale[i] = 1.0 / scale[i];
  std::vector<double> inverse(system.inverseCapacity().begin(), system.inverseCapacity().end());
  std::vector<double> weight = inverse_scale;
  e.steady_search = true;
  e.inverse_capacity = inverse;
  SystemProblem problem(system, state, e);
  IntegratorOptions integrator_options;
  integrator_options.method = Method::rosenbrock;
  integrator_options.rtol = 1e-2;
  const auto integrator = makeIntegrator(problem, integrator_options);
  std::vector<Occurrence> ignored;

  const auto worstRates = [&](std::size_t keep) {
    std::vector<std::pair<double, std::size_t>> rates;
    for (std::size_t i = 0; i < n; ++i)
      if (std::isfinite(scale[i])) rates.emplace_back(std::abs(ydot[i]) / scale[i], i);
    keep = std::min(keep, rates.size());
    std::partial_sort(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(keep), rates.end(), std::greater<>());
    rates.resize(keep);
    return rates;
  };

  // Clocks and running totals among the held values never stand still.
  std::vector<char> counts(state.z.size(), 1);
  for (const auto& set : system.sets())
    for (std::size_t k = 0; k < set->info().discretes.size(); ++k) {
      const Quantity quantity = set->info().discretes[k].quantity;
      if (quantity == Quantity::time || quantity == Quantity::energy || quantity == Quantity::volume)
        for (std::size_t i = 0; i < set->size(); ++i) counts[set->zIndex(kCommonCount + k, i)] = 0;
    }

  const double start = state.t;
  double t = start;
  double next_compression = start;
  double period = options.sample_period;
  int quiet = 0, slow_periods = 0;
  constexpr double kLongEnough = 5000.0, kSlowEnough = 1e-5;  // s, 1/s
  Jacobian jacobian(system.structure());
  SlowModes slow_modes(inverse_scale);
  double moved = std::numeric_limits<double>::infinity();
  const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
  while (t - start < options.longest && steps < options.most_steps && !stopped() && !report.runaway) {
    if (t >= next_compression) {
      // Far from the end the plant is not linear; and what has not come to rest after long is left to itself.
      if (moved < kNearEnough * period && t - start < kLongEnough)
        slow_modes.endWindow(state.y);
      else
        slow_modes.forget();
      system.evaluate(state, t, state.y, e, ydot);
      jacobian.zero();
      system.jacobian(e, jacobian);
      weight = inverse_scale;
      inverse = compressed(system, e, jacobian, ydot, options.time_constant, t - start >= kStarted, weight);
      e.inverse_capacity = inverse;
      problem.outdateJacobian();
      next_compression = t + 20.0 * options.sample_period;
    }
    system.evaluate(state, t, state.y, e, ydot);
    z_before = state.z;
    system.sample(state, e, ignored);
    ignored.clear();
    y_before = state.y;
    integrator->reset(t, state.y);
    const double stop = t + period;
    while (t < stop) {
      t = integrator->step(stop);
      if (++steps > options.most_steps || stopped()) break;
    }
    std::copy(integrator->state().begin(), integrator->state().end(), state.y.begin());
    system.advance(state, e, period);
    // Steady when neither unknowns nor held values moved over a period.
    moved = greatestMove(state.y, y_before, weight);
    double held = 0.0;
    if (moved < std::max(options.tolerance, kSlowEnough) * period)  // else it does not matter
      for (std::size_t i = 0; i < state.z.size(); ++i)
        if (counts[i] != 0)
          held = std::max(held, std::abs(state.z[i] - z_before[i]) / std::max(1.0, std::abs(z_before[i])));
    if (!(moved < kLargeMove * period)) report.runaway = anyHotterThan(system, state, options.hottest);
    // Some points are neared ever more slowly (a controller at the end of its reach); what moves less than 0.01 mK a
    // second after that long is where the plant will stand.
    if (t - start > kLongEnough && moved < kSlowEnough * period && held < kSlowEnough)
      ++slow_periods;
    else
      slow_periods = 0;
    if (slow_periods >= 60) {
      report.converged = true;
      break;
    }
    quiet = moved < options.tolerance * period && held < options.tolerance ? quiet + 1 : 0;
    if (quiet >= 5) {
      report.converged = true;
      break;
    }
  }
  report.compressed_time = t - start;
  report.stopped = stopped() && !report.converged;
  // Still as the search takes the plant: outside of it the running totals of plug-flow contents go on.
  e.inverse_capacity = system.inverseCapacity();
  system.evaluate(state, t, state.y, e, ydot);
  for (const auto& [rate, i] : worstRates(5)) {
    char text[160];
    std::snprintf(text, sizeof text, "%s changes by %.3g per second (in units of its error scale)",
                  system.nameOf(i).c_str(), rate);
    report.worst.emplace_back(text);
    report.worst_rate = std::max(report.worst_rate, rate);
  }
  e.steady_search = false;
  for (const auto ledger : {kEnergySources, kEnergyToAmbient, kEnergyToBoundaries, kEnergyIt, kEnergyStores})
    state.y[system.sets().front()->yIndex(ledger, 0)] = 0.0;
  state.t = start;
  system.evaluate(state, start, state.y, e, ydot);
  system.endSteadySearch(state);
  system.evaluate(state, start, state.y, e, ydot);
  return report;
}

}  // namespace podtwin::solvers
