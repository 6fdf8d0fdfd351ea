// Liquid-cooled rack of compute and switch trays: every GPU with its own die and cold plate, trays as mixed coolant
// volumes in parallel between two manifolds, power shelves on one or two feeds. Equations: rack.md.
//
// One instance in a pod file makes instances of six classes: rack (A01), tray (A01-T01), gpu (A01-T01-G1),
// cpu (A01-T01-C), nvlink_tray (A01-S1) and power_shelf (A01-P1).
#pragma once

#include <memory>
#include <vector>

#include "model/base/curve.hpp"
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
  std::vector<std::size_t> slot_ww,
      slot_ws;  ///< [instance]: derivative of the coolant's balance by itself, by the inlet

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
  void endSteadySearch(State& state) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t instance) const override;
  bool command(State& state, std::size_t instance, std::string_view verb, double value,
               std::string& reason) const override;
  double itPower(const Evaluation& e) const override;
  double storedEnergy(const Evaluation& e) const override;
  /// Signals of the parts.
  double partSignal(const Evaluation& e, const RackPartSet& part, std::size_t signal, std::size_t i) const;

  /// The signal as a contiguous column over the part's instances, or null when it has to be gathered.
  const double* partColumn(const Evaluation& e, const RackPartSet& part, std::size_t signal) const;

  /// Coolant flow [m3/s] the maker requires at a supply temperature [K] and rack power [W].
  double requiredFlow(std::size_t rack, double t_supply, double power) const;

  const RackPartSet& gpus() const { return *gpu_; }
  const RackPartSet& trays() const { return *tray_; }
  std::size_t gpusPerRack(std::size_t rack) const { return racks_[rack].gpu_count; }
  std::size_t firstGpu(std::size_t rack) const { return racks_[rack].first_gpu; }

  enum Discrete : std::size_t { kPowerSetting = kCommonCount, kPowerCap };
  enum GpuDiscrete : std::size_t { kUtilisation = kCommonCount, kThrottled, kShutDown, kGpuCap };
  enum ChipDiscrete : std::size_t { kChipThrottled = kCommonCount, kChipShutDown };  ///< of a cpu or nvlink_tray

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
  struct Rack {
    // layout
    std::size_t first_gpu, gpu_count, first_tray, tray_count, first_switch, switch_count, first_shelf, shelf_count,
        gpus_per_tray;
    std::size_t edge, node_from, node_to;
    ThermalPort from, to, air;
    std::vector<std::ptrdiff_t> feeds;
    std::size_t slot_from[6], slot_to[6];
    std::vector<std::size_t> slot_cells;
    double density, specific_heat;  // at the circuit's property temperature
    const fluids::CoolantHeat* coolant;
    // parameters, SI
    double k, exponent, m_linear;
    double gpu_idle, gpu_limit, gpu_leak, gpu_leak_reference;
    double die_capacity, plate_capacity, r_junction_case;
    double plate_r0, plate_r1, plate_flow_low, plate_ua_low;  // K/W, K m3/(W s), m3/s, W/K
    double cpu_idle, cpu_max, cpu_die_capacity, cpu_plate_capacity, cpu_r, cpu_ua;
    double switch_idle, switch_max, switch_liquid, switch_die_capacity, switch_plate_capacity, switch_r, switch_ua;
    Protection gpu_protection, cpu_protection, switch_protection;
    double tray_air, auxiliary, liquid_fraction;
    double tray_mass, switch_mass, manifold_mass;  // kg of coolant
    double tray_solid;                             // J/K
    double tray_share, switch_share, gpu_share, cpu_share;
    double shelf_rating;
    Curve shelf_efficiency;
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
    kPowersCount,
    kUaGpu = kPowersCount,
    kUaCpu,
    kUaSwitch,
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
  /// Three arrays of chips_most_ for the loops over one rack.
  double* chipScratch(Evaluation& e) const { return switchPower(e) + switch_total_; }
  std::size_t liveFeeds(const Evaluation& e, const Rack& rack) const;
  double shelfInput(const Rack& rack, double dc, double live_fraction) const;
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
