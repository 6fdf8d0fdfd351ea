#include "scenarios/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/base/diagnostics.hpp"
#include "model/components/it/rack.hpp"
#include "model/system/builtin_sets.hpp"

namespace podtwin::scenarios {

namespace {
constexpr double kTimeTolerance = 1e-9;    // s
constexpr int kVeryManySteps = 1000;       // within a base period: a second or so of wall time
constexpr double kRootTolerance = 1e-6;    // s; to which a condition's moment is located
constexpr double kPeriodTolerance = 1e-6;  // of a period of a window
constexpr int kMostActs = 200;             // of equipment, one the cause of the next, at one moment
}  // namespace

Simulation::Simulation(const System& system, SimulationSetup setup, State state, std::vector<Observer*> observers)
    : system_(system),
      setup_(std::move(setup)),
      state_(std::move(state)),
      e_(system.makeEvaluation()),
      problem_(system, state_, e_),
      integrator_(solvers::makeIntegrator(problem_, setup_.integrator)),
      observers_(std::move(observers)),
      monitor_(setup_.limits),
      ydot_(system.size()) {
  // Energies count from the start of this run, also when its state was stored by another.
  for (const auto ledger :
       {kEnergySources, kEnergyToAmbient, kEnergyToBoundaries, kEnergyIt, kCoolantFromBoundaries, kEnergyStores})
    state_.y[system_.sets().front()->yIndex(ledger, 0)] = 0.0;
  start_ = state_.t;
  gpu_set_ = system_.setOfGroup("gpu");
  rack_set_ = system_.setOfGroup("rack");
  for (const auto& set : system_.sets())
    if (const auto* meter = dynamic_cast<const Metered*>(set.get())) meters_.push_back(meter);
  if (rack_set_ != nullptr && gpu_set_ != nullptr) {
    demand_.gpu_utilisation.assign(gpu_set_->size(), 0.0);
    demand_.rack_power.assign(rack_set_->size(), 0.0);
  }
  std::stable_sort(setup_.events.begin(), setup_.events.end(),
                   [](const TimedEvent& a, const TimedEvent& b) { return a.at < b.at; });
  blocked_ = system_.blockedEdges(state_);
  std::sort(blocked_.begin(), blocked_.end());
  held_since_.resize(setup_.conditional_events.size());
  fired_.assign(setup_.conditional_events.size(), 0);
  next_input_ = state_.t;
  while (next_event_ < setup_.events.size() && setup_.events[next_event_].at < state_.t - kTimeTolerance) ++next_event_;
}

void Simulation::announce(const std::string& equipment, const std::string& actor, const std::string& cause,
                          const std::string& text) {
  for (auto* observer : observers_) observer->event({state_.t, equipment, actor, cause, text});
}

void Simulation::perform(const Action& action, const std::string& actor) {
  std::string reason;
  if (!action.set->command(state_, action.instance, action.verb, action.value, reason))
    throw SimulationError("event at t = " + std::to_string(state_.t) + " s on '" + action.set->ids()[action.instance] +
                          "': " + reason);
  announce(action.set->ids()[action.instance], actor, action.text, action.verb);
  announceBlocked(action.text);
  acted_ = true;
}

/// Branches that what was just done shuts off from every way for coolant, and those it gives one again.
void Simulation::announceBlocked(const std::string& cause) {
  std::vector<std::string> now = system_.blockedEdges(state_);
  std::sort(now.begin(), now.end());
  std::vector<std::string> changed;
  std::set_difference(now.begin(), now.end(), blocked_.begin(), blocked_.end(), std::back_inserter(changed));
  for (const auto& name : changed) announce(name, "network", cause, "coolant has no way through it any more");
  changed.clear();
  std::set_difference(blocked_.begin(), blocked_.end(), now.begin(), now.end(), std::back_inserter(changed));
  for (const auto& name : changed)
    announce(name, "network", cause, "coolant has a way through it again, or it is shut");
  blocked_ = std::move(now);
}

bool Simulation::workloadDue() const {
  return setup_.workload && rack_set_ != nullptr && gpu_set_ != nullptr && state_.t >= next_input_ - kTimeTolerance;
}

bool Simulation::eventDue() const {
  return next_event_ < setup_.events.size() && setup_.events[next_event_].at <= state_.t + kTimeTolerance;
}

const Window* Simulation::windowNow() const {
  for (const auto& window : setup_.windows)
    if (window.holds(state_.t)) return &window;
  return nullptr;
}

void Simulation::applyInputs() {
  if (setup_.weather) system_.setWeather(state_, setup_.weather(state_.t));
  applyWorkload();
}

// What the workload asks for is held until it is applied again, so that its mean over that time is applied.
void Simulation::applyWorkload() {
  if (workloadDue()) {
    const Window* window = windowNow();
    setup_.workload->meanDemand(state_.t, window != nullptr ? window->period : setup_.base_period, demand_);
    std::copy(demand_.gpu_utilisation.begin(), demand_.gpu_utilisation.end(),
              state_.z.begin() + static_cast<std::ptrdiff_t>(gpu_set_->zIndex(RackSet::kUtilisation, 0)));
    std::copy(demand_.rack_power.begin(), demand_.rack_power.end(),
              state_.z.begin() + static_cast<std::ptrdiff_t>(rack_set_->zIndex(RackSet::kPowerSetting, 0)));
    overload_ = std::max(overload_, demand_.overload);
    next_input_ = setup_.workload->nextChange(state_.t);
  }
}

void Simulation::applyEvents() {
  const std::uint64_t topology = state_.topology;
  while (eventDue()) {
    for (const auto& action : setup_.events[next_event_].actions) perform(action, "scenario");
    ++next_event_;
  }
  if (topology != state_.topology) noticeSupply();
}

void Simulation::noticeSupply() {
  system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
  system_.supplyChanged(state_, e_, occurrences_);
  announceOccurrences();
}

bool Simulation::due() const { return system_.watch(e_) >= 0.0 || system_.nextMoment(e_) <= state_.t + kTimeTolerance; }

/// Lets equipment do what is due at this moment, and what follows from it at once; `e_` must be of this state and is
/// so again afterwards.
void Simulation::settle() {
  watching_ = system_.watching(e_);
  for (int acts = 0; due(); ++acts) {
    if (acts == 0 && !jumps_) keepBeforeJump();
    const std::uint64_t topology = state_.topology;
    system_.act(state_, e_, occurrences_);
    if (acts == kMostActs) {
      const std::string who = occurrences_.empty() ? "no equipment says what it does"
                                                   : "'" + occurrences_.back().equipment + "' (" +
                                                         occurrences_.back().text + ") was the last of them";
      throw SimulationError("events at t = " + std::to_string(state_.t) + " s do not come to an end after " +
                            std::to_string(kMostActs) + " of them: " + who);
    }
    acted_ = true;
    announceOccurrences();
    system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
    if (topology != state_.topology) {
      system_.supplyChanged(state_, e_, occurrences_);
      announceOccurrences();
      announceBlocked("events of the equipment");
      system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
    }
    watching_ = system_.watching(e_);
  }
}

/// After a step that ended beyond an event of the equipment's own: goes back to it on the step's interpolant. The time
/// reached; `e_` is of it.
double Simulation::watchIn(double from) {
  double low = from, high = state_.t;
  std::vector<double> y(system_.size()), y_high = state_.y;
  while (high - low > kRootTolerance) {
    const double middle = 0.5 * (low + high);
    integrator_->interpolate(middle, y);
    system_.evaluate(state_, middle, y, e_, ydot_);
    if (system_.watch(e_) >= 0.0) {
      high = middle;
      y_high = y;
    } else {
      low = middle;
    }
  }
  state_.t = high;
  state_.y = y_high;
  system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
  return high;
}

void Simulation::announceOccurrences() {
  for (const auto& o : occurrences_) announce(o.equipment, o.actor, o.cause, o.text);
  occurrences_.clear();
}

/// Keeps the plant of just before something acts: what jumps there is not a course in time.
void Simulation::keepBeforeJump() {
  y_before_ = state_.y;
  z_before_ = state_.z;
  topology_before_ = state_.topology;
  jumps_ = true;
}

void Simulation::lookAtLimits(const Evaluation& e, std::vector<AlarmOccurrence>& alarms) {
  if (!jumps_) {
    monitor_.look(state_.t, e, alarms);
  } else {
    // Rarely needed: only where a limit was crossed. An evaluation of its own leaves the warm starts of the run alone.
    std::optional<Evaluation> before;
    monitor_.look(state_.t, e, alarms, [&]() -> const Evaluation& {
      if (!before) {
        std::vector<double> ydot(system_.size());
        before = e;
        std::swap(state_.z, z_before_);
        std::swap(state_.topology, topology_before_);
        system_.evaluate(state_, state_.t, y_before_, *before, ydot);
        std::swap(state_.z, z_before_);
        std::swap(state_.topology, topology_before_);
      }
      return *before;
    });
  }
  jumps_ = acted_ = false;
}

// Observers, limits and samples see the plant at its present inputs, after the events of this moment.
void Simulation::look() {
  system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
  settle();
  const Window* window = windowNow();
  for (const auto* meter : meters_) meter->measure(e_, state_, window != nullptr ? window->period : 0.0);
  std::vector<AlarmOccurrence> alarms;
  lookAtLimits(e_, alarms);
  for (auto* observer : observers_) {
    observer->observe(state_.t, state_, e_);
    for (const auto& alarm : alarms) observer->alarm(alarm);
  }
}

/// Limits after something acted that no look of a base period follows at once.
void Simulation::lookAtJump() {
  Evaluation e = e_;
  std::vector<double> ydot(system_.size());
  system_.evaluate(state_, state_.t, state_.y, e, ydot);
  std::vector<AlarmOccurrence> alarms;
  lookAtLimits(e, alarms);
  for (auto* observer : observers_)
    for (const auto& alarm : alarms) observer->alarm(alarm);
}

// Between base periods no controller acts, and only who asked for the moment sees it.
void Simulation::lookBetween() {
  bool evaluated = false;
  for (auto* observer : observers_) {
    if (observer->nextLook() > state_.t + kTimeTolerance) continue;
    if (!evaluated) system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
    evaluated = true;
    observer->observe(state_.t, state_, e_);
  }
}

// Controllers and protections act on what was seen at the end of the last period. They do so at the start of the next,
// so that a checkpoint holds a moment before it is acted on and a run that goes on from it sees and does the same.
void Simulation::sample() {
  const std::uint64_t topology = state_.topology;
  system_.sample(state_, e_, occurrences_);
  acted_ = acted_ || !occurrences_.empty();
  announceOccurrences();
  if (acted_) lookAtJump();
  if (topology != state_.topology) {
    system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
    settle();
    if (acted_) lookAtJump();
  }
}

// False when it was asked to stop on the way.
bool Simulation::integrateTo(double stop) {
  integrator_->reset(state_.t, state_.y);
  while (state_.t < stop - kTimeTolerance) {
    const double before = state_.t;
    const double front = before + system_.nextFront(e_, state_, stop - before);
    const double moment = system_.nextMoment(e_);
    const double reached = integrator_->step(std::min({front, moment, stop}));
    std::copy(integrator_->state().begin(), integrator_->state().end(), state_.y.begin());
    state_.t = reached;
    bool fired = false, evaluated = false, own = false;
    if (watching_) {
      system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
      evaluated = true;
      if (system_.watch(e_) >= 0.0) {
        watchIn(before);
        own = true;
      }
    }
    own = own || moment <= state_.t + kTimeTolerance;
    for (std::size_t k = 0; k < setup_.conditional_events.size() && !fired; ++k) {
      if (fired_[k] != 0) continue;
      const ConditionalEvent& event = setup_.conditional_events[k];
      if (!evaluated) system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
      evaluated = true;
      if (event.condition.margin(e_) <= 0.0) {
        held_since_[k].reset();
        continue;
      }
      if (!held_since_[k]) {
        // Locate the crossing between `before` and now on the step's own interpolant.
        double low = before, high = state_.t;
        std::vector<double> y(system_.size());
        while (high - low > kRootTolerance) {
          const double middle = 0.5 * (low + high);
          integrator_->interpolate(middle, y);
          system_.evaluate(state_, middle, y, e_, ydot_);
          (event.condition.margin(e_) > 0.0 ? high : low) = middle;
        }
        held_since_[k] = high;
        evaluated = false;
      }
      const double due_at = *held_since_[k] + event.delay;
      if (due_at > state_.t + kTimeTolerance) continue;
      // Go back to the moment it is due, act there, and go on from it.
      if (due_at > before && due_at < state_.t) {
        std::vector<double> y(system_.size());
        integrator_->interpolate(due_at, y);
        state_.y = y;
        state_.t = due_at;
        own = own && moment <= state_.t + kTimeTolerance;
      }
      fired_[k] = 1;
      fired = true;
      system_.advance(state_, e_, state_.t - before);
      keepBeforeJump();
      for (const auto& action : event.actions) perform(action, "scenario");
      noticeSupply();
      settle();
      lookAtJump();
      integrator_->reset(state_.t, state_.y);
    }
    if (!fired) {
      system_.advance(state_, e_, state_.t - before);
      if (own) {
        system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
        settle();
        if (jumps_) lookAtJump();
      }
      if (own || state_.t == front) integrator_->reset(state_.t, state_.y);
    }
    if (++steps_in_period_ > kVeryManySteps && setup_.stop != nullptr && *setup_.stop) {
      system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
      return false;
    }
  }
  state_.t = stop;
  return true;
}

// A failure leaves the state of the last accepted step. A run can go on from it, also from the middle of a period: what
// is sampled keeps its own clock among its discrete values.
bool Simulation::step() {
  if (!started_) {
    applyInputs();
    applyEvents();
    look();
    stored_at_start_ = system_.ledger(state_, e_).stored;
    coolant_at_start_ = system_.coolantLedger(state_, e_);
    started_ = true;
    return state_.t < setup_.duration - kTimeTolerance;
  }
  if (state_.t >= setup_.duration - kTimeTolerance) return false;
  const double periods = std::floor(state_.t / setup_.base_period + kTimeTolerance);
  sample();
  steps_in_period_ = 0;
  // To the next base period, stopping on the way at events, where an observer asks for it and, in a window, at each of
  // its periods.
  const double begin = periods * setup_.base_period, stop = std::min(begin + setup_.base_period, setup_.duration);
  const Window* window = windowNow();
  while (state_.t < stop - kTimeTolerance) {
    double until = stop, next_of_window = stop;
    if (window != nullptr) {
      const double done = std::floor((state_.t - begin) / window->period + kPeriodTolerance);
      next_of_window = begin + (done + 1.0) * window->period;
    }
    if (next_event_ < setup_.events.size()) until = std::min(until, setup_.events[next_event_].at);
    for (const auto* observer : observers_) until = std::min(until, observer->nextLook());
    if (until > next_of_window - kTimeTolerance) until = next_of_window;
    if (until > stop - kTimeTolerance) until = stop;
    if (until > state_.t + kTimeTolerance && !integrateTo(until)) return false;
    if (until == stop) break;
    if (until == next_of_window) {
      if (eventDue() || workloadDue()) keepBeforeJump();
      applyWorkload();
      applyEvents();
      look();
    } else {
      if (eventDue()) keepBeforeJump();
      applyEvents();
      if (jumps_) {
        system_.evaluate(state_, state_.t, state_.y, e_, ydot_);
        settle();
        lookAtJump();
      }
      lookBetween();
    }
  }
  if (eventDue() || workloadDue()) keepBeforeJump();
  applyInputs();
  applyEvents();
  look();
  return state_.t < setup_.duration - kTimeTolerance;
}

EnergyLedger Simulation::ledger() const {
  EnergyLedger ledger = system_.ledger(state_, e_);
  ledger.stored -= stored_at_start_;
  return ledger;
}

CoolantBalance Simulation::coolantBalance() const {
  const CoolantLedger now = system_.coolantLedger(state_, e_);
  return {coolant_at_start_.held, now.in - coolant_at_start_.in, now.out - coolant_at_start_.out, now.held};
}

}  // namespace podtwin::scenarios
