// What a run comes to: extremes, energies, closure, and the table printed at its end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/results/recorder.hpp"
#include "scenarios/expectations.hpp"
#include "scenarios/simulation.hpp"

namespace podtwin::scenarios {

/// "13:05:09" or "2 d 01:00:00" of a time [s].
std::string clockText(double seconds);

/// Keeps the extremes of what an engineer asks about first.
class SummaryObserver final : public Observer {
 public:
  explicit SummaryObserver(const System& system);
  void observe(double t, const State& state, const Evaluation& e) override;
  void event(const EventOccurrence&) override { ++events_; }
  void alarm(const AlarmOccurrence& alarm) override { alarms_ += alarm.active ? 1 : 0; }

  std::vector<data::SummaryScalar> scalars(const Simulation& simulation) const;
  std::map<std::string, std::string> texts(const Simulation& simulation) const;
  /// Closure of the energy ledger: sources less ambient, boundaries and stored heat, absolute and over throughput.
  std::vector<data::SummaryScalar> balance(const Simulation& simulation) const;

  struct Extreme {
    std::string name, long_name;
    const ComponentSet* set;
    std::size_t signal;
    bool greatest;
    double value, time;
    std::size_t instance;
  };
  const std::vector<Extreme>& extremes() const { return extremes_; }
  std::size_t events() const { return events_; }
  std::size_t alarms() const { return alarms_; }

 private:
  const System& system_;
  std::vector<Extreme> extremes_;
  std::vector<double> column_;
  std::size_t events_ = 0, alarms_ = 0;
};

void printSummary(const Simulation& simulation, const SummaryObserver& summary, const ExpectationObserver& expectations,
                  const std::vector<Expectation>& expected);
void printExpectations(const ExpectationObserver& expectations, const std::vector<Expectation>& expected);

}  // namespace podtwin::scenarios
