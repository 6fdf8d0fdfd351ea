// All instances of one component class: contiguous arrays, evaluated once a call.
#pragma once

#include <complex>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/system/class_info.hpp"
#include "model/system/evaluation.hpp"
#include "model/system/inventory.hpp"
#include "model/system/plant_description.hpp"
#include "model/system/state.hpp"

namespace podtwin {

class Binder;
class System;

/// What a bus is fed from in the end; written as bus/source.
enum class SourceKind : int { none = 0, utility = 1, generator = 2, battery = 3, renewable = 4 };

/// What happened at a sample or a command, for the event list.
struct Occurrence {
  std::string equipment, actor, cause, text;
};

/// Discrete values that every instance has, before those of its class.
enum CommonDiscrete : std::size_t {
  kInService = 0,  ///< 1 or 0
  kMode = 1,       ///< 0 automatic, 1 manual, 2 off
  kTripped = 2,    ///< 1 after a trip until restored
  kStuck = 3,      ///< 0: free; stuck: of a drive 1 + the place it stays at, of what has no drive 1
  kCommand = 4,    ///< held command of the drive, 1 (speed, position, ...); what a stuck one follows once freed
  kCommonCount = 5,
};

/// Last signal of every class whose drive can trip, answered by KernelSet, and its limit: an alarm the moment it does.
inline constexpr SignalInfo kTrippedSignal{"tripped", Quantity::none, SignalType::integer, "1 while it is tripped."};
inline constexpr LimitInfo kTrippedLimit{"tripped", true, 0.5, 0.0, "trip", "it has stopped until restored"};

/// Where a measurable value lives: a signal of one instance.
struct SignalAddress {
  const class ComponentSet* set = nullptr;
  std::size_t signal = 0;
  std::size_t instance = 0;
};

/// What a control valve opens and shuts: an edge, and of a three-way valve the one that shuts as it opens.
struct ControlledWay {
  std::size_t edge = 0;
  EdgeLaw open;  ///< law of the edge, fully open
  std::ptrdiff_t other = -1;
  EdgeLaw other_open;
};

/// Reactive over active power of a drive with a diode rectifier and chokes: displacement power factor 0.95 (estimate).
inline constexpr double kDriveTangent = 0.328684;

class ComponentSet {
 public:
  ComponentSet(const ClassInfo& info, std::vector<const InstanceDescription*> instances);
  virtual ~ComponentSet() = default;
  ComponentSet(const ComponentSet&) = delete;
  ComponentSet& operator=(const ComponentSet&) = delete;

  const ClassInfo& info() const { return info_; }
  std::size_t size() const { return ids_.size(); }
  const std::vector<std::string>& ids() const { return ids_; }
  /// Description of instance i; for parts that another class makes, that of the maker.
  const InstanceDescription& description(std::size_t i) const { return *instances_[i]; }
  /// Parent of each instance for the result file, e.g. {"rack", ids}; empty when it has none.
  virtual std::vector<std::pair<std::string, std::vector<std::string>>> labels() const { return {}; }

  // -- layout, fixed by the system before bind()
  virtual std::size_t exposedCount() const { return info_.states.size() * size(); }
  virtual std::size_t interiorCount() const { return 0; }  ///< unknowns in groups, all together
  virtual std::size_t lineCount() const { return 0; }
  virtual std::size_t scratchCount() const { return 0; }  ///< doubles in Evaluation::set_scratch
  /// Resolves ports to indices, declares capacities, couplings, edges and groups.
  virtual void bind(Binder& binder) = 0;
  /// Start values of y, z and delay lines: coolant at the given temperature, everything stopped or at its command.
  virtual void initialise(State& state, double temperature) const = 0;

  // -- evaluation, in this order
  /// Continuous controllers: writes Evaluation::command from y (held commands are already there).
  virtual void control(Evaluation&) const {}
  /// Fills EdgeLaw entries from y and z. Must be cheap and must not read flows.
  virtual void edgeLaws(Evaluation&) const {}
  /// Electric power asked of the buses: Evaluation::bus_load through System::load().
  virtual void demand(Evaluation&) const {}
  /// Loss [W] of link `link` (index in this set) that delivers `power` [W].
  virtual double linkLoss(const Evaluation&, std::size_t /*link*/, double /*power*/) const { return 0.0; }
  /// Whether what instance i joins is joined at present: a link, breaker or source that is on. Not asked of what its
  /// `from` bus feeds: that is looked at apart.
  virtual bool connects(const Evaluation& e, std::size_t i) const { return available(e, i); }
  /// Likewise of one of several ways through an instance, as its sources of a transfer switch.
  virtual bool closes(const Evaluation& e, std::size_t i, std::size_t /*part*/) const { return connects(e, i); }
  /// Of a source that draws from a bus above it: whether it has power without that (a battery).
  virtual bool selfFed(const Evaluation&, std::size_t /*instance*/) const { return false; }
  /// Of such a source: whether it takes all of its power from a store, whatever the bus above it has.
  virtual bool fedFromStore(const Evaluation&, std::size_t /*instance*/) const { return false; }
  /// Of such a source that may draw from one of several buses: whether it draws from this one at present.
  virtual bool drawsFrom(const Evaluation&, std::size_t /*instance*/, std::ptrdiff_t /*bus*/) const { return true; }
  /// Of such a source: power [VA] that it draws to deliver `power` [W]; after selfFed() took over, 0.
  virtual std::complex<double> converterInput(const Evaluation&, std::size_t /*instance*/, double power) const {
    return power;
  }
  virtual SourceKind sourceKind() const { return SourceKind::utility; }
  /// All powers are solved: converters draw on their stores, once, by drawStorage().
  virtual void drawStores(Evaluation&) const {}
  /// Of a store of electrical energy, for the converter behind which it stands. Power [W] at its terminals, positive
  /// out of it; called before rates(), several times where several draw on it.
  virtual void drawStorage(Evaluation&, std::size_t /*instance*/, double /*power*/) const {}
  /// Greatest power [W] it can give (take, when `charging`) now.
  virtual double storageLimit(const Evaluation&, std::size_t /*instance*/, bool /*charging*/) const { return 0.0; }
  /// Time [s] for which it can give a power [W] from now on; infinite at 0 W.
  virtual double storageTime(const Evaluation&, std::size_t /*instance*/, double /*power*/) const { return 0.0; }
  /// Heat and rates.
  virtual void rates(Evaluation&) const {}
  virtual void jacobian(const Evaluation&, JacobianWriter&) const {}

  /// Whether the drive of an instance moves as fast as it can: its rate then does not depend on where it is, and a
  /// Jacobian of before or after is of no use. `e` as evaluated.
  virtual bool atFullSpeed(const Evaluation&, std::size_t /*instance*/) const { return false; }

  /// Whether its edges drive coolant (a pump), and whether it is of no use without (a rack).
  virtual bool drivesFlow() const { return false; }
  virtual bool needsFlow() const { return false; }

  /// The way a control valve controls; false for what is none.
  virtual bool controlledWay(std::size_t /*instance*/, ControlledWay& /*way*/) const { return false; }

  // -- between steps
  /// Every base period: controllers, on-board protection. May change z only.
  virtual void sample(const Evaluation&, State&, std::vector<Occurrence>&) const {}
  /// Events may have cut or returned a supply between two samples: for what counts the time without. May change z only.
  virtual void supplyChanged(const Evaluation&, State&, std::vector<Occurrence>&) const {}
  /// Time [s] from now until coolant on either side of a steep front leaves a delay line, at the present flow: the
  /// right side of the equations jumps there, so a step should end there. Infinite when no front comes within `horizon`
  /// [s].
  virtual double nextFront(const Evaluation&, const State&, double /*horizon*/) const {
    return std::numeric_limits<double>::infinity();
  }
  /// Whether something of the set is under way that can end in an event of its own at any moment: a battery gives, a
  /// breaker carries more than it may. `e` as evaluated after the last input or event; watch() is asked only then.
  virtual bool watching(const Evaluation&) const { return false; }
  /// Greatest of the set's functions of the plant that are negative until an event of the equipment's own is due and
  /// zero then; continuous between events. What act() does must make it negative again.
  virtual double watch(const Evaluation&) const { return -std::numeric_limits<double>::infinity(); }
  /// Time [s] of the next event that the set knows of (a delay runs out); infinite: none.
  virtual double nextMoment(const Evaluation&) const { return std::numeric_limits<double>::infinity(); }
  /// Carries out every event of its own that is due: a watch that is not negative, a moment that is not later than e.t.
  /// May change z only.
  virtual void act(const Evaluation&, State&, std::vector<Occurrence>&) const {}
  /// A steady search is over: what it held between two values is given one. May change z only.
  virtual void endSteadySearch(State&) const {}
  /// After every accepted step of length h: delay lines.
  virtual void advance(const Evaluation&, State&, double /*h*/) const {}
  /// Carries out a command; false with a reason when it cannot. The base knows trip, restore, isolate, and of a drive
  /// stick, set, open, close, automatic. What is stuck takes an order and follows it when it is free again.
  virtual bool command(State& state, std::size_t instance, std::string_view verb, double value,
                       std::string& reason) const;
  /// Why the class refuses a verb that every class is asked, empty when it does not.
  std::string_view refusal(std::string_view verb) const;

  // -- observation
  virtual void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const = 0;
  virtual double signalOf(const Evaluation& e, std::size_t signal, std::size_t instance) const;
  /// Whether a signal of one instance is solved for in this plant: phase currents are not where no voltages are. What
  /// is solved for no instance is not written.
  virtual bool solves(std::size_t /*signal*/, std::size_t /*instance*/) const { return true; }
  bool solvesAny(std::size_t signal) const {
    for (std::size_t i = 0; i < size(); ++i)
      if (solves(signal, i)) return true;
    return false;
  }
  /// Kind of quantity of a signal of one instance, once the plant is bound: the table's unless it says `by_instance`.
  virtual Quantity signalQuantity(std::size_t signal, std::size_t /*instance*/) const {
    return info_.signals[signal].quantity;
  }
  /// Kind of quantity that one instance takes as the argument of a command of the table, in the same way.
  virtual Quantity commandQuantity(const CommandInfo& command, std::size_t /*instance*/) const {
    return command.quantity;
  }
  /// Name of an exposed unknown of the set, counted from its first, for messages; sets whose instances have cells of
  /// their own number say which.
  virtual std::string unknownName(std::size_t k) const {
    const std::size_t state = k / size();
    return ids_[k % size()] + "." +
           (state < info_.states.size() ? std::string(info_.states[state].name) : "cell " + std::to_string(state));
  }
  /// Value of a limit of the table for one instance [SI], once the plant is known: that of the instance's parameter
  /// when the table names one, the table's otherwise, unless it depends on the site. Infinite: it has none.
  virtual double limitValue(std::size_t limit, std::size_t instance) const {
    const LimitInfo& info = info_.limits[limit];
    return info.parameter.empty() ? info.value : description(instance).number(std::string(info.parameter));
  }
  /// Power [W] out of stores of electrical energy at their terminals, less what charges them.
  virtual double storeOutput(const Evaluation&) const { return 0.0; }
  /// AC input of information technology [W]: what PUE divides by.
  virtual double itPower(const Evaluation&) const { return 0.0; }
  /// Fresh water taken [kg/s]: evaporation, drift, blowdown.
  virtual double waterUse(const Evaluation&) const { return 0.0; }
  /// Heat stored relative to 273.15 K [J], from parameters and y alone (an independent term of the ledger).
  virtual double storedEnergy(const Evaluation&) const { return 0.0; }

  /// Coolant held beyond what Binder::coolantVolume told, and what crossed the plant's boundary here.
  virtual CoolantLedger coolantLedger(const Evaluation&) const { return {}; }
  /// Mean temperature [K] of a content that was told without an unknown (Binder::coolantVolume).
  virtual double contentTemperature(const Evaluation&, std::size_t /*instance*/) const { return 0.0; }
  /// Of an expansion vessel: rise of its pressure [Pa] a kg of coolant in its circuit.
  virtual double pressureSlope(const Evaluation&, std::size_t /*instance*/) const { return 0.0; }
  /// Of an expansion vessel: gas [m3] in its circuit's coolant, at the vessel's pressure.
  virtual double gasVolume(const Evaluation&, std::size_t /*instance*/) const { return 0.0; }
  /// Of a relief valve: where it lifts and where it shuts again [Pa gauge].
  virtual std::pair<double, double> reliefPressures(const Evaluation&, std::size_t /*instance*/) const {
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  /// Books coolant [kg] that a relief valve let out of a part that is shut in.
  virtual void relieved(State&, std::size_t /*instance*/, double /*mass*/) const {}

  // -- discrete values
  double z(const Evaluation& e, std::size_t discrete, std::size_t i) const { return e.z[zIndex(discrete, i)]; }
  double& z(State& s, std::size_t discrete, std::size_t i) const { return s.z[zIndex(discrete, i)]; }
  std::size_t zIndex(std::size_t discrete, std::size_t i) const { return z_first + discrete * size() + i; }
  std::size_t discreteCount() const { return kCommonCount + info_.discretes.size(); }
  std::size_t yIndex(std::size_t state, std::size_t i) const { return exposed_first + state * size() + i; }
  /// In service, not tripped, not switched off, and its supply (if modelled) energised.
  bool available(const Evaluation& e, std::size_t i) const {
    return e.z[zIndex(kInService, i)] != 0.0 && e.z[zIndex(kTripped, i)] == 0.0 && e.z[zIndex(kMode, i)] != 2.0 &&
           (supply_bus[i] < 0 || e.energised[static_cast<std::size_t>(supply_bus[i])] != 0);
  }
  /// Share that instance i gets of the power it asks for by load(); 1 while that is being asked.
  double served(const Evaluation& e, std::size_t i) const {
    return supply_bus[i] < 0 ? 1.0 : e.served[static_cast<std::size_t>(supply_bus[i])];
  }
  /// Adds `power` [W] to the bus that supplies instance i, with the reactive power of a drive.
  void load(Evaluation& e, std::size_t i, double power) const {
    if (supply_bus[i] < 0) {
      e.unmetered_load += power;
    } else {
      e.bus_load[static_cast<std::size_t>(supply_bus[i])] += power;
      e.bus_reactive[static_cast<std::size_t>(supply_bus[i])] += power * kDriveTangent;
    }
  }

  // -- set by the system
  std::size_t exposed_first = 0, interior_first = 0, z_first = 0, line_first = 0, scratch_first = 0;
  std::vector<std::ptrdiff_t> supply_bus;  ///< [instance] -1: not modelled
  std::vector<std::ptrdiff_t> drive;       ///< [instance] index into Evaluation::command; -1: none

 protected:
  /// For sets whose instances are parts of another class's instances.
  ComponentSet(const ClassInfo& info, std::vector<const InstanceDescription*> makers, std::vector<std::string> ids);
  void initialiseCommon(State& state) const;

 private:
  bool lists(std::string_view verb) const;  ///< in its table of commands

  const ClassInfo& info_;
  std::vector<const InstanceDescription*> instances_;
  std::vector<std::string> ids_;
};

}  // namespace podtwin
