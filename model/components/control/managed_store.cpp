#include "model/components/control/managed_store.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace podtwin {

namespace {

// Verbs by the values of its signal `dispatch`.
constexpr std::array<std::string_view, 6> kVerbs{"idle", "set", "peak_shaving", "smoothing", "ramp_limit", "backup"};

std::size_t signalNamed(const ClassInfo& info, std::string_view name) {
  const auto found =
      std::find_if(info.signals.begin(), info.signals.end(), [&](const SignalInfo& s) { return s.name == name; });
  return static_cast<std::size_t>(found - info.signals.begin());
}

}  // namespace

std::optional<ManagedStore> ManagedStore::of(ComponentSet* set, std::size_t instance) {
  constexpr double kSamplePeriod = 1.0, kTimeConstants = 3.0;  // s; 95 % of the way
  if (set == nullptr || set->info().name != "bess") return std::nullopt;
  const InstanceDescription& d = set->description(instance);
  const auto at = [&](std::string_view name) { return signalNamed(set->info(), name); };
  ManagedStore p;
  p.set_ = set;
  p.instance_ = instance;
  p.power_ = at("power");
  p.soc_ = at("soc");
  p.empty_ = at("empty");
  p.dispatch_ = at("dispatch");
  p.target_ = at("target");
  p.forms_ = at("grid_forming");
  p.rating_ = d.number("rating");
  p.energy_ = d.number("energy");
  p.floor_ = d.number("soc_min") + d.number("reserve");
  p.efficiency_ = d.number("converter_efficiency") * d.number("discharge_efficiency");
  const double ramp = d.number("ramp");
  p.follows_ = kSamplePeriod + (ramp > 0.0 ? p.rating_ / ramp : kTimeConstants * d.number("response_time"));
  return p;
}

bool ManagedStore::ready(const Evaluation& e) const {
  const auto is = [&](std::size_t signal) { return set_->signalOf(e, signal, instance_) != 0.0; };
  return set_->available(e, instance_) && !is(empty_) && !is(forms_);
}

double ManagedStore::lasts(const Evaluation& e, double power) const {
  const double left = (set_->signalOf(e, soc_, instance_) - floor_) * energy_ * efficiency_;
  return power > 0.0 ? std::max(left, 0.0) / power : kUnbounded;
}

void ManagedStore::order(State& s, double power) const {
  std::string reason;
  set_->command(s, instance_, "set", power, reason);
}

void ManagedStore::giveBack(State& s, double dispatch, double target) const {
  const auto k = static_cast<std::size_t>(dispatch);
  std::string reason;
  set_->command(s, instance_, kVerbs.at(k), kVerbs.at(k) == "set" ? target : kRequired, reason);
}

}  // namespace podtwin
