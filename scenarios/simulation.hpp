// One run in one thread: inputs, events, controllers, integration, observers. Knows no file and no window.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/system/metered.hpp"
#include "model/system/system.hpp"
#include "scenarios/conditions.hpp"
#include "scenarios/limit_monitor.hpp"
#include "scenarios/workload/workload.hpp"
#include "solvers/integrator.hpp"
#include "solvers/system_problem.hpp"

namespace podtwin::scenarios {

/// An instance asked to do something.
struct Action {
  ComponentSet* set = nullptr;
  std::size_t instance = 0;
  std::string verb;
  double value = 0.0;  ///< SI; NaN when the verb takes none
  std::string text;    ///< as the user wrote it, for the event list
  SourceMark where;
};

/// Actions at a known time: an exact stop.
struct TimedEvent {
  double at = 0.0;  ///< s from the start
  std::vector<Action> actions;
};

/// Actions once a condition has held for a while; fires once.
struct ConditionalEvent {
  Condition condition;
  double delay = 0.0;  ///< s the condition must hold
  std::vector<Action> actions;
  std::string text;
};

struct EventOccurrence {
  double time = 0.0;
  std::string equipment, actor, cause, text;
};

/// A span of whole base periods in which inputs are applied and the plant is looked at each `period`.
struct Window {
  double from = 0.0, to = 0.0, period = 0.0;  ///< s
  bool holds(double t) const { return t >= from - kSameInstant && t < to - kSameInstant; }
};

/// Everything a run needs besides the plant.
struct SimulationSetup {
  double duration = 0.0;     ///< s
  double base_period = 1.0;  ///< s between inputs, samples of controllers and looks at limits
  std::shared_ptr<const Workload> workload;
  std::function<Weather(double)> weather;  ///< at s from the start
  std::vector<TimedEvent> events;
  std::vector<ConditionalEvent> conditional_events;
  solvers::IntegratorOptions integrator;
  std::vector<MonitoredLimit> limits;
  std::vector<Window> windows;              ///< in the order of time
  const std::atomic<bool>* stop = nullptr;  ///< a base period that takes very many steps ends early when it turns true
};

/// Looks at the plant at every base period, and within a window at every period of that, after inputs and events of
/// that time.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void observe(double t, const State& state, const Evaluation& e) = 0;
  /// The next moment at which it must look, which may be between two base periods: an exact stop of the integration.
  /// Later than the last look.
  virtual double nextLook() const { return std::numeric_limits<double>::infinity(); }
  virtual void event(const EventOccurrence&) {}
  virtual void alarm(const AlarmOccurrence&) {}
};

/// Coolant of the plant over a run [kg].
struct CoolantBalance {
  double start = 0.0, in = 0.0, out = 0.0, end = 0.0;
  double error() const { return start + in - out - end; }
};

class Simulation {
 public:
  /// `state` is the start: its y, z and t. Observers must outlive the simulation.
  Simulation(const System& system, SimulationSetup setup, State state, std::vector<Observer*> observers);

  /// Advances by one base period (or to the end). False when the end has been reached.
  /// Throws SimulationError; the state is then that of the last accepted step.
  bool step();
  double time() const { return state_.t; }
  double start() const { return start_; }
  double duration() const { return setup_.duration; }
  const State& state() const { return state_; }
  const Evaluation& evaluation() const { return e_; }
  const System& system() const { return system_; }
  const solvers::IntegratorStatistics& statistics() const { return integrator_->statistics(); }
  /// Carries out an action now (between steps), as an operator does.
  void perform(const Action& action, const std::string& actor);
  /// Energy terms since the start of this run (stored: its change).
  EnergyLedger ledger() const;
  /// Coolant at the start of this run, what came and went, and what is there now.
  CoolantBalance coolantBalance() const;
  const LimitMonitor& limits() const { return monitor_; }
  double overloadFraction() const { return overload_; }  ///< largest share of work the GPUs could not take

 private:
  void announceBlocked(const std::string& cause);
  void applyInputs();
  void applyWorkload();
  void applyEvents();
  void look();
  void lookBetween();
  bool workloadDue() const;
  const Window* windowNow() const;
  bool eventDue() const;
  void keepBeforeJump();
  void lookAtJump();
  void lookAtLimits(const Evaluation& e, std::vector<AlarmOccurrence>& alarms);
  void sample();
  void noticeSupply();
  void settle();
  bool due() const;
  double watchIn(double from);
  void announceOccurrences();
  void announce(const std::string& equipment, const std::string& actor, const std::string& cause,
                const std::string& text);
  bool integrateTo(double stop);

  const System& system_;
  SimulationSetup setup_;
  State state_;
  Evaluation e_;
  solvers::SystemProblem problem_;
  std::unique_ptr<solvers::Integrator> integrator_;
  std::vector<Observer*> observers_;
  LimitMonitor monitor_;
  std::vector<double> ydot_;
  int steps_in_period_ = 0;
  std::vector<Occurrence> occurrences_;
  ItDemand demand_;
  const ComponentSet* gpu_set_ = nullptr;
  ComponentSet* rack_set_ = nullptr;
  std::vector<const Metered*> meters_;
  double next_input_ = 0.0;
  std::size_t next_event_ = 0;
  std::vector<std::optional<double>> held_since_;  ///< [conditional event]
  std::vector<std::string> blocked_;               ///< edges that are open but have no way for coolant, sorted
  std::vector<char> fired_;
  double start_ = 0.0;  ///< s; of this run, later than 0 when it goes on from a stored state
  CoolantLedger coolant_at_start_;
  double stored_at_start_ = 0.0;  ///< J
  double overload_ = 0.0;
  bool started_ = false;
  std::vector<double> y_before_, z_before_;  ///< just before what acts at this moment, while `jumps_`
  std::uint64_t topology_before_ = 0;
  bool jumps_ = false, acted_ = false;
  bool watching_ = false;  ///< equipment may come to an event of its own before the next look
};

}  // namespace podtwin::scenarios
