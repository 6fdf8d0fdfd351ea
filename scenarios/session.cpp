#include "scenarios/session.hpp"

#include <chrono>

#include "model/base/diagnostics.hpp"

namespace podtwin::scenarios {

/// Queues what must not be lost.
class Session::Listener final : public Observer {
 public:
  void observe(double, const State&, const Evaluation&) override {}
  void event(const EventOccurrence& event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  void alarm(const AlarmOccurrence& alarm) override {
    const std::lock_guard lock(mutex_);
    alarms_.push_back(alarm);
  }
  std::vector<EventOccurrence> takeEvents() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }
  std::vector<AlarmOccurrence> takeAlarms() {
    const std::lock_guard lock(mutex_);
    return std::exchange(alarms_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<EventOccurrence> events_;
  std::vector<AlarmOccurrence> alarms_;
};

Session::Session(const System& system, SimulationSetup setup, State start) : listener_(std::make_unique<Listener>()) {
  owned_ =
      std::make_unique<Simulation>(system, std::move(setup), std::move(start), std::vector<Observer*>{listener_.get()});
  simulation_ = owned_.get();
  thread_ = std::thread([this] { work(); });
}

Session::~Session() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Session::run() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == SessionState::paused) state_ = SessionState::running;
    single_ = false;
  }
  changed_.notify_all();
}

void Session::pause() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == SessionState::running) state_ = SessionState::paused;
  }
  changed_.notify_all();
}

void Session::stepOnce() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != SessionState::paused) return;
    state_ = SessionState::running;
    single_ = true;
  }
  changed_.notify_all();
}

void Session::setSpeed(double factor) {
  {
    const std::lock_guard lock(mutex_);
    speed_ = factor;
  }
  changed_.notify_all();
}

void Session::act(Action action) {
  {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(action));
  }
  changed_.notify_all();
}

void Session::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return state_ != SessionState::running; });
}

SessionState Session::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::string Session::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

const Snapshot* Session::newest() { return newest_.take() ? &newest_.reading() : nullptr; }
std::vector<EventOccurrence> Session::takeEvents() { return listener_->takeEvents(); }
std::vector<AlarmOccurrence> Session::takeAlarms() { return listener_->takeAlarms(); }

void Session::publish() {
  Snapshot& snapshot = newest_.writing();
  const Evaluation& e = simulation_->evaluation();
  snapshot.number = ++published_;
  snapshot.time = simulation_->time();
  snapshot.state = simulation_->state();
  snapshot.m = e.m;
  snapshot.p = e.p;
  snapshot.it_power = simulation_->system().itPower(e);
  snapshot.source_power = e.source_power;
  newest_.publish();
}

void Session::work() {
  using Clock = std::chrono::steady_clock;
  auto due = Clock::now();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || state_ == SessionState::running || !actions_.empty(); });
    if (stop_) return;
    std::deque<Action> actions;
    actions.swap(actions_);
    const bool running = state_ == SessionState::running;
    const double speed = speed_;
    lock.unlock();
    bool more = true;
    std::string problem;
    try {
      for (const auto& action : actions) simulation_->perform(action, "operator");
      if (running) {
        const double before = simulation_->time();
        more = simulation_->step();
        publish();
        // Paced: the next period is due when wall time has caught up.
        const auto now = Clock::now();
        if (speed > 0.0)
          due = std::max(due, now - std::chrono::seconds(1)) +
                std::chrono::duration_cast<Clock::duration>(
                    std::chrono::duration<double>((simulation_->time() - before) / speed));
        else
          due = now;
      }
    } catch (const Error& error) {
      problem = error.what();
    }
    lock.lock();
    if (!problem.empty()) {
      failure_ = problem;
      state_ = SessionState::failed;
    } else if (running && !more) {
      state_ = SessionState::finished;
    } else if (running && single_ && state_ == SessionState::running) {
      state_ = SessionState::paused;
      single_ = false;
    }
    changed_.notify_all();
    if (running && speed > 0.0)
      changed_.wait_until(lock, due, [&] { return stop_ || state_ != SessionState::running; });
  }
}

}  // namespace podtwin::scenarios
