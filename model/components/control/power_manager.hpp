// Caps loads so that the rated equipment that feeds them stays within rating, and gives the power back. Equations:
// power_manager.md.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/components/control/managed_store.hpp"
#include "model/components/control/power_feeds.hpp"
#include "model/components/control/power_manager_info.hpp"
#include "model/components/control/power_reductions.hpp"
#include "model/system/registry.hpp"

namespace podtwin {

class PowerManagerSet;

/// A load of a manager: its cap and what is on its way to it.
class ManagedLoadSet : public ComponentSet {
 public:
  ManagedLoadSet(const PowerManagerSet& managers, std::vector<const InstanceDescription*> makers,
                 std::vector<std::string> ids, std::vector<std::string> parents);
  std::vector<std::pair<std::string, std::vector<std::string>>> labels() const override;
  void bind(Binder&) override {}
  void initialise(State& state, double) const override { initialiseCommon(state); }
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t i) const override;

 private:
  const PowerManagerSet& managers_;
  std::vector<std::string> parents_;
};

class PowerManagerSet : public ComponentSet {
 public:
  explicit PowerManagerSet(std::vector<const InstanceDescription*> instances);
  void makeParts(SetList& out);
  void bind(Binder& binder) override;
  void initialise(State& state, double) const override { initialiseCommon(state); }
  bool watching(const Evaluation& e) const override;
  double watch(const Evaluation& e) const override;
  double nextMoment(const Evaluation& e) const override;
  void act(const Evaluation& e, State& state, std::vector<Occurrence>& events) const override;
  void sample(const Evaluation& e, State& state, std::vector<Occurrence>& events) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t i) const override;
  double loadSignal(const Evaluation& e, std::size_t signal, std::size_t load) const;

 private:
  using Info = PowerManagerInfo;
  using Load = ManagedLoadInfo;
  struct Member {
    std::string id;
    ComponentSet* set = nullptr;
    std::size_t instance = 0, power = 0;              ///< its signal
    bool caps = false, brakes = false, deaf = false;  ///< caps: by verb `cap`, otherwise by `set`
    double cap_delay = 0.0, brake_delay = 0.0;        ///< s, of the load itself, from an order until it is in force
    std::ptrdiff_t shed = -1;                         ///< its place among the loads that are tripped; -1: it is not
    std::optional<ManagedStore> store;                ///< it is a BESS
    std::array<double, kManagerSteps> least{kUnbounded, kUnbounded, kUnbounded};  ///< W; infinite: not of the step
    std::vector<std::size_t> feeds;
  };
  struct Manager {
    std::size_t first = 0;  ///< of its loads
    std::vector<Member> members;
    std::vector<std::size_t> shed;  ///< members, in order
    std::vector<char> watched;      ///< [equipment]
    BessUse use = BessUse::before_first;
    bool bess_last = false;  ///< relieved after caps
    double target, hysteresis, network, limit, brake, brake_share, overload, settle, restore_delay, ramp, least_time;
    double give_period;  ///< s between two steps of giving back
  };
  enum class Path { network, limit, brake };
  /// What a manager sees: equipment above its loads, and how its loads share it.
  struct Seen {
    std::vector<double> loading, watt;       ///< [equipment] over rating; W at rating
    std::vector<std::vector<double>> share;  ///< [load][equipment]
    double worst = 0.0;
    std::size_t worst_element = 0;
  };

  /// What a decision sends: W by caps and of BESS, loads tripped; when all of it is in force.
  struct Sent {
    double caps = 0.0, stores = 0.0, in_force = 0.0;
    std::size_t shed = 0;
  };
  /// What giving back has at hand: loads with what they lack, and what may be given in one step.
  struct Stage {
    std::vector<std::size_t> members;
    std::vector<double> missing;
    bool stores = false;
  };

  void bindMember(Binder& b, std::size_t i, std::size_t step, std::size_t n, double least);
  void bindStores(Binder& b, std::size_t i);
  void bindShed(Binder& b, std::size_t i);
  void bindWatched(Binder& b, std::size_t i);
  static void refuseSlow(Binder& b, const InstanceDescription& d, const std::string& member, const char* what,
                         double time);
  Member* ownMember(Binder& b, std::size_t i, const char* port, std::size_t n);
  /// `after`: as loadings will be without the BESS that leave; `gains`: shares with the losses above.
  Seen see(const Manager& m, const Evaluation& e, bool after, bool gains = false) const;
  double worstLoading(const Manager& m, const Evaluation& e) const { return see(m, e, true).worst; }
  ManagerState state(const Evaluation& e, std::size_t i) const;
  static double power(const Member& member, const Evaluation& e) {
    return member.set->signalOf(e, member.power, member.instance);
  }
  double withheld(const Manager& m, std::size_t k, const Evaluation& e) const;
  double given(const Manager& m, std::size_t k, const Evaluation& e) const;
  double reach(const Manager& m, std::size_t k, const Evaluation& e, const State& s) const;
  double storeRoom(const Manager& m, std::size_t k, const Evaluation& e, const State& s) const;
  void ask(const Member& member, State& s, double cap, double demand) const;
  void bring(std::size_t i, const Evaluation& e, State& s) const;
  void decide(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  double timeLeft(const Manager& m, const Seen& seen, const Evaluation& e) const;
  static Path pathFor(const Manager& m, double left);
  Sent send(std::size_t i, const Seen& seen, Path path, bool shed, const Evaluation& e, State& s) const;
  void sendCap(std::size_t i, std::size_t n, double taken, Path path, Sent& sent, const Evaluation& e, State& s) const;
  void call(std::size_t i, std::size_t n, double power, Sent& sent, const Evaluation& e, State& s) const;
  std::size_t shed(std::size_t i, const Seen& seen, std::vector<double>& excess, const std::vector<double>& taken,
                   const Evaluation& e, State& s) const;
  bool handOver(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const;
  std::vector<Stage> stages(const Manager& m, const State& s) const;
  void giveBack(const Manager& m, std::size_t n, double power, State& s) const;
  bool restoreShed(std::size_t i, const Seen& seen, const Evaluation& e, State& s,
                   std::vector<Occurrence>& events) const;
  bool holds(const Manager& m, std::size_t n, const State& s) const;
  void restore(std::size_t i, const Evaluation& e, State& s, std::vector<Occurrence>& events) const;

  std::vector<Manager> managers_;
  PowerFeeds feeds_;
  std::vector<std::size_t> element_power_;  ///< [equipment] signal with its power; past the end: none
  ManagedLoadSet* loads_ = nullptr;
  std::vector<std::pair<std::size_t, std::size_t>> owner_;  ///< [load] manager, member
};

}  // namespace podtwin
