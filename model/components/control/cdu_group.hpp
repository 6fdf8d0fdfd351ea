// CDUs that hold one header together, and their places in the group. Equations: cdu_group.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/components/control/called_unit.hpp"
#include "model/components/control/measured_kind.hpp"
#include "model/components/control/pi_law.hpp"
#include "model/system/component_set.hpp"

namespace podtwin {

extern const ClassInfo kCduGroupInfo;
extern const ClassInfo kCduGroupUnitInfo;

/// What a group holds besides the common discrete values, in the order of its table.
enum CduGroupDiscrete : std::size_t {
  kGroupTarget = kCommonCount,
  kGroupLead,       ///< 1 + place of the lead, 0: none
  kGroupLeadless,   ///< s since when there is none, -1: there is one
  kGroupRefresh,    ///< s, next
  kGroupSample,     ///< s, next
  kGroupSampled,    ///< s, last
  kGroupShort,      ///< s since when a unit is missing, -1: none
  kGroupDeviation,  ///< 1: the sensors that are good disagree
};

/// What a unit holds, in the order of its table.
enum CduGroupUnitDiscrete : std::size_t {
  kUnitTarget = kCommonCount,
  kUnitLocal,        ///< 1: by its own sensor
  kUnitLocalOutput,  ///< output when it came to be local
  kUnitIntegral,
  kUnitRate,  ///< 1/s, of the integral until the next sample
  kUnitOutput,
  kUnitTracking,  ///< 1: the output was not its own at the last sample
  kUnitRunning,
  kUnitStarted,  ///< s
  kUnitLead,
};

/// The places of all groups' units, one instance a place: what the unit's own controller knows and does.
class CduGroupUnitSet final : public ComponentSet {
 public:
  struct Place {
    const ComponentSet* cdu = nullptr;
    std::size_t cdu_instance = 0;
    std::vector<StandbyUnit> pumps;
    SignalAddress flow, supply_temperature;
    SignalAddress reading;                 ///< its own sensor
    std::optional<SignalAddress> quality;  ///< of it
    Quantity quantity = Quantity::none;
    double temperature_high = 0.0, inhibit = 0.0;  ///< K, s
    std::size_t group = 0;
  };
  CduGroupUnitSet(std::vector<const InstanceDescription*> makers, std::vector<std::string> ids,
                  std::vector<std::string> groups);
  std::vector<std::pair<std::string, std::vector<std::string>>> labels() const override;
  void bind(Binder&) override {}
  void initialise(State& state, double temperature) const override;
  void endSteadySearch(State& state) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t i) const override;
  Quantity signalQuantity(std::size_t signal, std::size_t i) const override;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override;

  /// In service, not tripped and with a pump that could run.
  bool healthy(const Evaluation& e, std::size_t i) const;
  /// Not in standby: some pump of it is not switched off.
  bool called(const Evaluation& e, std::size_t i) const;
  void call(State& state, std::size_t i, bool run) const;
  bool goodReading(const Evaluation& e, std::size_t i) const;
  double reading(const Evaluation& e, std::size_t i) const;

  std::vector<Place> places;

 private:
  std::vector<std::string> groups_;
};

class CduGroupSet final : public ComponentSet {
 public:
  explicit CduGroupSet(std::vector<const InstanceDescription*> instances);
  /// The set of its units; comes after this one in the list of sets.
  std::unique_ptr<CduGroupUnitSet> makeUnits();
  void bind(Binder& binder) override;
  void initialise(State& state, double temperature) const override;
  void sample(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t i) const override;
  Quantity signalQuantity(std::size_t signal, std::size_t i) const override;
  Quantity commandQuantity(const CommandInfo& command, std::size_t i) const override;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override;

 private:
  struct Group {
    std::size_t first = 0, count = 0;  ///< of its units in the set of units
    std::size_t duty = 0;
    MeasuredKind kind = MeasuredKind::pressure;
    Quantity quantity = Quantity::none;
    PiLaw law{};
    double target = 0.0, start = 0.0, droop = 0.0, deviation = 0.0, design_flow = 0.0;
    double period = 0.0, refresh = 0.0, election = 0.0, changeover = 0.0;  ///< s
  };
  struct Vote {
    std::size_t good = 0;
    double value = 0.0, spread = 0.0;
  };
  void bindUnit(std::size_t i, std::size_t n, Group& group, Binder& binder);
  void bindLaw(std::size_t i, Group& group, Binder& binder);
  bool talks(const Evaluation& e, std::size_t i, std::size_t unit) const;
  Vote vote(const Evaluation& e, std::size_t i) const;
  bool grouped(const Evaluation& e, std::size_t i, std::size_t unit) const;
  void elect(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  void staff(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  void refresh(std::size_t i, const Evaluation& e, State& s, const Vote& vote) const;
  void drive(std::size_t i, std::size_t unit, const Evaluation& e, State& s, const Vote& vote, double elapsed) const;
  void watchStarts(std::size_t i, const Evaluation& e, State& s) const;
  double meanOutput(std::size_t i, const Evaluation& e) const;

  CduGroupUnitSet* units_ = nullptr;
  std::vector<Group> groups_;
};

}  // namespace podtwin
