// Liquid-cooled rack of compute and switch trays: every GPU with its own die and cold plate, trays as mixed coolant
// volumes in parallel between two manifolds, power shelves on one or two feeds. Equations: rack.md.
//
// One instance in a pod file makes instances of six classes: rack (A01), tray (A01-T01), gpu (A01-T01-G1),
// cpu (A01-T01-C), nvlink_tray (A01-S1) and power_shelf (A01-P1).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "model/base/curve.hpp"
#include "model/components/it/rack_ladder.hpp"
#include "model/components/it/rack_stores.hpp"
#include "model/system/binder.hpp"
#include "model/system/component_set.hpp"
#include "model/system/registry.hpp"

namespace podtwin {

class RackSet;

/// A part of a rack: its unknowns, discrete values and signals; the rack evaluates them.
class RackPartSet : public ComponentSet {
 public:
  RackPartSet(const ClassInfo& info, const RackSet& racks, std::vector<const InstanceDescription*> makers,
              std::vector<std::string> ids, std::vector<std::string> parents, std::vector<std::string> trays,
              std::size_t exposed_states, std::size_t interior_states);
  std::vector<std::pair<std::string, std::vector<std::string>>> labels() const override;
  std::size_t exposedCount() const override { return exposed_states_ * size(); }
  std::size_t interiorCount() const override { return interior_states_ * size(); }
  void bind(Binder& binder) override;
  void initialise(State& state, double temperature) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t instance) const override;
  bool command(State& state, std::size_t instance, std::string_view verb, double value,
               std::string& reason) const override;
  /// Index in y of interior unknown k (0 die, 1 plate) of instance i.
  std::size_t interior(std::size_t k, std::size_t i) const { return group_first + k * size() + i; }

  std::size_t group = 0, group_first = 0;
  std::vector<std::size_t> slot_ws;  ///< [instance]: derivative of the coolant's balance by the supply manifold

 private:
  const RackSet& racks_;
  std::vector<std::string> parents_, trays_;
  std::size_t exposed_states_, interior_states_;
};

class RackSet final : public ComponentSet {
 public:
  explicit RackSet(std::vector<const InstanceDescription*> instances);
  /// Makes the sets of the parts, in the order tray, gpu, cpu, nvlink_tray, power_shelf.
  void makeParts(SetList& out);

  bool needsFlow() const override { return true; }
  std::size_t scratchCount() const override;
  void bind(Binder& binder) override;
  void initialise(State& state, double temperature) const override;
  void edgeLaws(Evaluation& e) const override;
  void demand(Evaluation& e) const override;
  void rates(Evaluation& e) const override;
  void jacobian(const Evaluation& e, JacobianWriter& writer) const override;
  void sample(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const override;
  bool watching(const Evaluation& e) const override;
  double watch(const Evaluation& e) const override;
  double nextMoment(const Evaluation& e) const override;
  void act(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const override;
  double storeOutput(const Evaluation& e) const override;
  void endSteadySearch(State& state) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t instance) const override;
  bool command(State& state, std::size_t instance, std::string_view verb, double value,
               std::string& reason) const override;
  double itPower(const Evaluation& e) const override;
  double storedEnergy(const Evaluation& e) const override;
  /// Signals of the parts.
  double partSignal(const Evaluation& e, const RackPartSet& part, std::size_t signal, std::size_t i) const;

  /// Of all power shelves, each rack looked at once; false when the part is none.
  bool shelfSignals(const Evaluation& e, const RackPartSet& part, std::size_t signal, std::span<double> out) const;

  /// The signal as a contiguous column over the part's instances, or null when it has to be gathered.
  const double* partColumn(const Evaluation& e, const RackPartSet& part, std::size_t signal) const;

  /// Held values of a part's flow before anything is disconnected or clogged.
  void startFlow(State& state, const RackPartSet& part) const;
  /// Carries out an order to what lets coolant through a tray (tray, nvlink_tray) or a GPU's plate; false when the verb
  /// is none of these. `reason` is filled when it is one but is refused.
  bool commandFlow(State& state, const RackPartSet& part, std::size_t i, std::string_view verb, double value,
                   std::string& reason) const;
  /// Carries out an order to a power shelf; false with a reason when it cannot.
  bool commandShelf(State& state, std::size_t shelf, std::string_view verb, double value, std::string& reason) const;
  /// A tray is brought back: the chips in it that shut down.
  void restoreTray(State& state, std::size_t tray) const;

  /// A power asked for: 0 W or more, and a number.
  static bool statedPower(double value, const char* what, std::string& reason);
  /// Coolant flow [m3/s] the maker requires at a supply temperature [K] and rack power [W].
  double requiredFlow(std::size_t rack, double t_supply, double power) const;

  const RackPartSet& gpus() const { return *gpu_; }
  const RackPartSet& trays() const { return *tray_; }
  std::size_t gpusPerRack(std::size_t rack) const { return racks_[rack].gpu_count; }
  std::size_t firstGpu(std::size_t rack) const { return racks_[rack].first_gpu; }

  enum RackState : std::size_t {
    kSupplyManifold,
    kReturnManifold,
    kCapacitorsMissing,
    kBbuMissing,
    kHoldUpMissing,
    kSmoothedDemand
  };
  enum Discrete : std::size_t {
    kPowerSetting = kCommonCount,
    kPowerCap,
    kResistance,
    kUneven,
    kCapOrdered,
    kCapDue,
    kBrake,
    kBrakeDue,
    kShelfBrake,
    kShelfBrakeDue,
    kShelfLimit,
    kShelfLimitDue,
    kOverloadSince,
    kBbuEnded,
    kDropped,
    kRestartDue,
    kDrops
  };
  /// Of a power shelf; each is followed by that of phases b and c.
  enum ShelfDiscrete : std::size_t {
    kLowSince = kCommonCount,
    kOff = kLowSince + 3,
    kShelfRestartDue = kOff + 3,
    kFailedSupplies = kShelfRestartDue + 3
  };
  enum GpuDiscrete : std::size_t {
    kUtilisation = kCommonCount,
    kThrottled,
    kShutDown,
    kGpuCap,
    kGpuClogging,
    kGpuShare
  };
  enum ChipDiscrete : std::size_t { kChipThrottled = kCommonCount, kChipShutDown, kCpuShare };  ///< cpu, nvlink_tray
  /// Of a tray from kTrayBranch on, of an nvlink_tray from kSwitchBranch on.
  enum BranchDiscrete : std::size_t { kDisconnected, kAirLocked, kClogging, kFlowShare };
  static constexpr std::size_t kTrayBranch = kCommonCount, kSwitchBranch = kChipShutDown + 1;
  static constexpr double kNever = -1.0;  ///< value of a time that is not set

 private:
  /// A chip's own: power [W] while throttled, temperatures [K] at which it throttles, recovers and shuts down.
  struct Protection {
    double throttle_power, t_throttle, t_release, t_shutdown;
  };
  /// Where a sort of chip keeps what its protection has done.
  struct ProtectionPlace {
    std::size_t throttled, shut_down;
  };
  static constexpr ProtectionPlace kGpuPlace{kThrottled, kShutDown}, kChipPlace{kChipThrottled, kChipShutDown};
  static constexpr double kSearchGain = 0.01;  // 1/K and sample; slow beside a die and its plate
  static constexpr std::size_t kPhases = 3;
  /// A bus that feeds shelves; of one with voltages, its loads from phase to neutral.
  struct Feed {
    std::size_t bus;
    bool phased;
    std::array<double, kPhases> supplies{};  ///< on each of its phases, all sound
    bool alike = false;                      ///< as many on each, or of no account
    std::array<std::size_t, kPhases> star{};
  };
  enum class OverloadAction { brake, limit, none, unlimited };
  struct Rack {
    // layout
    std::size_t first_gpu, gpu_count, first_tray, tray_count, first_switch, switch_count, first_shelf, shelf_count,
        gpus_per_tray;
    std::size_t edge, node_from, node_to;
    ThermalPort from, to, air;
    std::vector<Feed> feeds;
    std::size_t slot_from[6], slot_to[6];
    std::vector<std::size_t> slot_cells;
    double density, specific_heat;  // at the circuit's property temperature
    const fluids::CoolantHeat* coolant;
    // parameters, SI
    double k, exponent, m_linear;
    // Flow among trays in units in which a whole flow is 1 and dp of the upper point its own; see rack.md.
    RackLadder ladder;
    double r_disconnect, r_plates, r_switch, r_whole;
    std::vector<double> clean_shares;  // trays, then NVLink trays
    bool uneven;
    double gpu_idle, gpu_limit, gpu_leak, gpu_leak_reference;
    double die_capacity, plate_capacity, r_junction_case;
    double plate_r0, plate_r1, plate_flow_low, plate_ua_low;  // K/W, K m3/(W s), m3/s, W/K
    double cpu_idle, cpu_max, cpu_die_capacity, cpu_plate_capacity, cpu_r, cpu_ua;
    double switch_idle, switch_max, switch_liquid, switch_die_capacity, switch_plate_capacity, switch_r, switch_ua;
    Protection gpu_protection, cpu_protection, switch_protection;
    double tray_air, auxiliary, liquid_fraction;
    double tray_mass, switch_mass, manifold_mass;  // kg of coolant
    double tray_solid;                             // J/K
    double gpu_share, cpu_share;                   // of a tray's flow to one GPU's plate, to its CPUs', all clean
    // power shelves
    double shelf_rating;  // W DC
    Curve shelf_efficiency;
    std::vector<std::array<int, kPhases>> supplies;  // [shelf] on each phase, all sound
    std::vector<double> sharing;                     // [shelf] of an equal share, without a limit
    double supplies_each;                            // of a shelf
    double lowest_voltage, hold_up, shelf_restart, overload, overload_time;
    RackStores stores;
    OverloadAction overload_action;
    double brake_time, limit_time, gpu_brake_power;
    bool restarts;
    double restart_delay, busbar_voltage, busbar_droop;
    std::size_t slot_smoothed;
    double required_heat_flow, required_return;  // m3 K/s at rated power, K
    double rated_power;
  };
  /// Where one evaluation keeps what it found for a rack, in Evaluation::set_scratch.
  enum Found : std::size_t {
    kPower,
    kDcPower,
    kLiquid,
    kAir,
    kExcessLiquid,
    kWanted,          ///< W DC, without the shelves' brake and limit
    kDrawing,         ///< W DC that supplies with input can give
    kHeldUp,          ///< W DC that supplies on their hold-up can give
    kSound,           ///< W DC that all sound supplies could give
    kUndisturbed,     ///< 1: all its supplies are sound and have input
    kFromSupplies,    ///< W DC
    kFromHoldUp,      ///< W DC, of kFromSupplies
    kFromBbu,         ///< W DC
    kFromCapacitors,  ///< W DC
    kHoldUpRecharge,  ///< W
    kFoundCount
  };
  double* found(Evaluation& e, std::size_t rack) const {
    return e.set_scratch.data() + scratch_first + rack * kFoundCount;
  }
  const double* found(const Evaluation& e, std::size_t rack) const {
    return e.set_scratch.data() + scratch_first + rack * kFoundCount;
  }
  double* gpuPower(Evaluation& e) const { return e.set_scratch.data() + scratch_first + size() * kFoundCount; }
  const double* gpuPower(const Evaluation& e) const {
    return e.set_scratch.data() + scratch_first + size() * kFoundCount;
  }
  double* cpuPower(Evaluation& e) const { return gpuPower(e) + gpu_total_; }
  const double* cpuPower(const Evaluation& e) const { return gpuPower(e) + gpu_total_; }
  double* switchPower(Evaluation& e) const { return cpuPower(e) + tray_total_; }
  const double* switchPower(const Evaluation& e) const { return cpuPower(e) + tray_total_; }
  // Conductance [W/K] of a plate to its coolant's inlet, as the last rates() found it: of the GPUs a tray in an even
  // rack, of every GPU in an uneven one.
  double* trayUa(Evaluation& e) const { return switchPower(e) + switch_total_; }
  const double* trayUa(const Evaluation& e) const { return switchPower(e) + switch_total_; }
  double* cpuUa(Evaluation& e) const { return trayUa(e) + tray_total_; }
  const double* cpuUa(const Evaluation& e) const { return trayUa(e) + tray_total_; }
  double* switchUa(Evaluation& e) const { return cpuUa(e) + tray_total_; }
  const double* switchUa(const Evaluation& e) const { return cpuUa(e) + tray_total_; }
  double* gpuUa(Evaluation& e) const { return switchUa(e) + switch_total_; }
  const double* gpuUa(const Evaluation& e) const { return switchUa(e) + switch_total_; }
  /// Four arrays of chips_most_ for the loops over one rack.
  double* chipScratch(Evaluation& e) const { return gpuUa(e) + gpu_total_; }
  /// Heat a plate gives to the coolant that passes it, per kelvin above the coolant's inlet [W/K].
  struct PlateLaw {
    double ua, slope;  ///< W/K, and by its flow [m3/s]
  };
  static PlateLaw gpuPlate(const Rack& rack, double flow);
  static PlateLaw fixedPlate(const Rack& rack, double ua, double flow);
  void findPlatesEven(Evaluation& e, const Rack& rack, double flow) const;
  void findPlatesUneven(Evaluation& e, const Rack& rack, double flow) const;
  const double* trayShares(const Evaluation& e) const {
    return e.z.data() + tray_->zIndex(kTrayBranch + kFlowShare, 0);
  }
  const double* switchShares(const Evaluation& e) const {
    return e.z.data() + switch_->zIndex(kSwitchBranch + kFlowShare, 0);
  }
  void bindFlow(Binder& binder, std::size_t rack);
  static void bindDisconnects(Binder& binder, Rack& rack, const InstanceDescription& description, double tray,
                              double whole_flow);
  /// The part's place in the ladder's order from the connection: trays 0 .., then NVLink trays.
  static std::size_t branchAt(const Rack& rack, std::size_t place);
  void splitFlow(State& state, std::size_t rack) const;
  std::size_t rackOf(std::size_t Rack::*first, std::size_t part) const;
  // -- power shelves
  void bindShelves(Binder& binder, std::size_t rack);
  static std::vector<std::array<int, kPhases>> suppliesByPhase(const InstanceDescription& description,
                                                               std::size_t shelves, Diagnostics& problems);
  std::size_t liveFeeds(const Evaluation& e, const Rack& rack) const;
  /// Whether all its supplies are sound and have input.
  bool undisturbed(const Evaluation& e, const Rack& rack) const;
  static bool conductorLive(const Evaluation& e, const Feed& feed, std::size_t phase);
  /// Whether a phase of a shelf's feed has any voltage, and its voltage over the nominal one.
  static bool phaseLive(const Evaluation& e, const Rack& rack, std::size_t shelf, std::size_t phase);
  static double phaseVoltage(const Evaluation& e, const Rack& rack, std::size_t shelf, std::size_t phase);
  double soundSupplies(const Evaluation& e, const Rack& rack, std::size_t shelf, std::size_t phase) const;
  enum class Supplies { off, drawing, held_up };
  Supplies suppliesOn(const Evaluation& e, const Rack& rack, std::size_t shelf, std::size_t phase) const;
  /// Power [W DC] of one of the rack's supplies, with what it may give for a while on top.
  double supplyPower(const Evaluation& e, std::size_t rack) const;
  double capability(const Evaluation& e, std::size_t rack) const;
  /// Whether its shelves are taken to give whatever it asks for.
  bool unlimited(const Evaluation& e, std::size_t rack) const;
  bool overloaded(const Evaluation& e, std::size_t rack) const;
  void findCapability(Evaluation& e, std::size_t rack) const;
  void drawFromFeeds(Evaluation& e, std::size_t rack, double ac) const;
  static double outputAt(const Rack& rack, double ac, double rating);
  double outputAt(const Evaluation& e, std::size_t rack, double ac) const;
  static double limitGpus(double* power, const Rack& rack, double sum, double allowed);
  static double brakeGpus(double* power, const Rack& rack);
  /// Power [W] out of a rack's stores less what charges them, from what was found for it.
  static double storeOutput(const double* found) {
    return found[kFromCapacitors] + found[kFromBbu] + found[kFromHoldUp] - found[kHoldUpRecharge];
  }
  void supplyBusbar(Evaluation& e, std::size_t rack, double dc) const;
  double shelfWatch(const Evaluation& e, std::size_t rack) const;
  void actOnShelves(const Evaluation& e, State& state, std::size_t rack, std::vector<Occurrence>& occurrences) const;
  void actOnOverload(const Evaluation& e, State& state, std::size_t rack, std::vector<Occurrence>& occurrences) const;
  void sampleShelves(const Evaluation& e, State& state, std::size_t rack, std::vector<Occurrence>& occurrences) const;
  void clearOverload(State& state, std::size_t rack) const;
  /// Its devices draw power, or would if its busbar gave it.
  bool on(const Evaluation& e, std::size_t rack) const;
  void shelfPowers(const Evaluation& e, std::size_t rack, std::vector<double>& power,
                   std::vector<double>& rating) const;
  double shelfSignal(const Evaluation& e, std::size_t signal, std::size_t shelf) const;
  /// Of a shelf of a rack, from its power and what it can give [W DC].
  double shelfSignal(const Evaluation& e, std::size_t signal, std::size_t rack, double power, double rating) const;
  double shelfBankSignal(const Evaluation& e, std::size_t signal, std::size_t rack) const;
  void storeRates(Evaluation& e, std::size_t rack) const;
  void storeJacobian(const Evaluation& e, JacobianWriter& writer, std::size_t rack) const;
  bool powered(const Evaluation& e, const Rack& rack) const;
  /// 0, 1 throttled, 2 shut down, of a cpu or nvlink_tray.
  static double protectionOf(const Evaluation& e, const RackPartSet& part, std::size_t i);
  /// Looks at one sort of chip of a rack; `shut(i)` is told what shuts down.
  template <class F>
  void protect(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences, std::size_t rack,
               const RackPartSet& part, ProtectionPlace at, std::size_t first, std::size_t count,
               const Protection& protection, const char* name, const char* with_it, const F& shut) const;

  std::vector<Rack> racks_;
  RackPartSet *tray_ = nullptr, *gpu_ = nullptr, *cpu_ = nullptr, *switch_ = nullptr, *shelf_ = nullptr;
  std::size_t gpu_total_ = 0, tray_total_ = 0, switch_total_ = 0, shelf_total_ = 0;
  std::size_t chips_most_ = 0;  ///< of one kind in one rack
};

std::span<const RegisteredClass> itClasses();

}  // namespace podtwin
