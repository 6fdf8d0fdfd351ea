// A simulation in a thread of its own: start, pause, step, act, stop; the newest state for whoever looks. Knows no
// window.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/simulation.hpp"

namespace podtwin::scenarios {

/// What a viewer needs of one moment: the state and the algebraic results at it.
struct Snapshot {
  std::uint64_t number = 0;  ///< counts published moments; 0: none yet
  double time = 0.0;         ///< s from the start
  State state;
  std::vector<double> m, p;  ///< edges' mass flow, nodes' pressure
  double it_power = 0.0, source_power = 0.0;
};

/// The newest of a stream of values, handed from one writer to one reader without waiting (triple buffer).
template <class T>
class NewestValue {
 public:
  /// Writer: fill this, then publish().
  T& writing() { return slots_[writing_]; }
  void publish() { writing_ = middle_.exchange(writing_ | kFresh, std::memory_order_acq_rel) & kSlot; }
  /// Reader: true when something newer was published; read it then from reading().
  bool take() {
    if ((middle_.load(std::memory_order_acquire) & kFresh) == 0) return false;
    reading_ = middle_.exchange(reading_, std::memory_order_acq_rel) & kSlot;
    return true;
  }
  const T& reading() const { return slots_[reading_]; }

 private:
  static constexpr unsigned kSlot = 3U, kFresh = 4U;
  T slots_[3];
  std::atomic<unsigned> middle_ = 1U;
  unsigned writing_ = 0U, reading_ = 2U;
};

enum class SessionState { paused, running, finished, failed };

class Session {
 public:
  /// The simulation starts paused. `system` must outlive the session.
  Session(const System& system, SimulationSetup setup, State start);
  /// Ends the thread cleanly, also in the middle of a run.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run();
  void pause();
  /// One base period, then paused again.
  void stepOnce();
  /// Simulated seconds per wall second; 0: as fast as possible.
  void setSpeed(double factor);
  /// An operator's action, carried out between two base periods.
  void act(Action action);
  /// Waits until the session is paused, finished or failed.
  void wait();

  SessionState state() const;
  /// Message of a failed simulation.
  std::string failure() const;
  /// The newest moment; null when none is newer than the last one taken. One reader.
  const Snapshot* newest();
  /// Events and alarms since the last call; none is lost.
  std::vector<EventOccurrence> takeEvents();
  std::vector<AlarmOccurrence> takeAlarms();

 private:
  class Listener;
  void work();
  void publish();

  Simulation* simulation_ = nullptr;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Simulation> owned_;
  NewestValue<Snapshot> newest_;
  std::uint64_t published_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  SessionState state_ = SessionState::paused;
  bool single_ = false, stop_ = false;
  double speed_ = 0.0;
  std::deque<Action> actions_;
  std::string failure_;
  std::thread thread_;
};

}  // namespace podtwin::scenarios
