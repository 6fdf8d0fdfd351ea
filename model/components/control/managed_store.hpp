// A BESS as a power manager uses it: what it can give, orders to it, and back to what it did before.
#pragma once

#include <cstddef>
#include <optional>

#include "model/system/component_set.hpp"

namespace podtwin {

class ManagedStore {
 public:
  /// Nothing when the instance is no BESS.
  static std::optional<ManagedStore> of(ComponentSet* set, std::size_t instance);

  double power(const Evaluation& e) const { return set_->signalOf(e, power_, instance_); }
  double rating() const { return rating_; }
  /// Time [s] until it is at what it was ordered, from the order.
  double follows() const { return follows_; }
  /// Whether it is on, does not form the grid and has energy.
  bool ready(const Evaluation& e) const;
  /// Time [s] for which its energy above window and reserve lasts at a power [W].
  double lasts(const Evaluation& e, double power) const;
  double dispatch(const Evaluation& e) const { return set_->signalOf(e, dispatch_, instance_); }
  double target(const Evaluation& e) const { return set_->signalOf(e, target_, instance_); }
  void order(State& s, double power) const;
  void giveBack(State& s, double dispatch, double target) const;

 private:
  ComponentSet* set_ = nullptr;
  std::size_t instance_ = 0, power_ = 0, soc_ = 0, empty_ = 0, dispatch_ = 0, target_ = 0, forms_ = 0;
  double rating_ = 0.0, energy_ = 0.0, floor_ = 0.0, efficiency_ = 1.0, follows_ = 0.0;
};

}  // namespace podtwin
