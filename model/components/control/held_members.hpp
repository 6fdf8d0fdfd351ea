// Equipment that a control trips and holds off, and brings back in groups: what emergency_power_off and permissive
// share. Which members are held is kept in held values, 50 bits each.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "model/system/binder.hpp"
#include "model/system/component_set.hpp"

namespace podtwin {

inline constexpr std::size_t kHeldWords = 8, kHeldBits = 50;
inline constexpr DiscreteInfo kHeldInfo[kHeldWords] = {
    {"held_1", Quantity::none, 0.0, "Members that it holds off, one bit each: the first 50."},
    {"held_2", Quantity::none, 0.0, "Likewise the next 50."},
    {"held_3", Quantity::none, 0.0, "Likewise the next 50."},
    {"held_4", Quantity::none, 0.0, "Likewise the next 50."},
    {"held_5", Quantity::none, 0.0, "Likewise the next 50."},
    {"held_6", Quantity::none, 0.0, "Likewise the next 50."},
    {"held_7", Quantity::none, 0.0, "Likewise the next 50."},
    {"held_8", Quantity::none, 0.0, "Likewise the next 50."},
};
/// Held values of a class with the above after them.
template <std::size_t N>
constexpr std::array<DiscreteInfo, N + kHeldWords> withHeldMembers(const DiscreteInfo (&own)[N]) {
  std::array<DiscreteInfo, N + kHeldWords> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k < N ? own[k] : kHeldInfo[k - N];
  return all;
}

class HeldMembers {
 public:
  /// Members of port `members`; `first`: index of held_1 among the held values. Adds problems.
  static HeldMembers bind(const ComponentSet& set, std::size_t i, std::size_t first, Binder& b);

  std::size_t size() const { return members_.size(); }
  std::size_t held(const Evaluation& e) const;  ///< how many
  bool any(const Evaluation& e) const { return held(e) > 0; }
  /// Trips every member that is not tripped, and holds it: an event each.
  void trip(State& s, const std::string& cause, std::vector<Occurrence>& events) const;
  /// Held members that something else restored are tripped again.
  void keep(State& s, const std::string& cause, std::vector<Occurrence>& events) const;
  /// Restores up to `count` held members, in the order of the list.
  void release(State& s, std::size_t count, const std::string& cause, std::vector<Occurrence>& events) const;

 private:
  struct Member {
    const ComponentSet* set;
    std::size_t instance;
  };
  double word(std::size_t n, State& s) const { return set_->z(s, first_ + n / kHeldBits, i_); }
  bool holds(std::size_t n, double word) const;
  void mark(std::size_t n, bool held, State& s) const;
  void order(const Member& member, const char* verb, State& s, const std::string& cause,
             std::vector<Occurrence>& events) const;

  const ComponentSet* set_ = nullptr;
  std::size_t i_ = 0, first_ = 0;
  std::vector<Member> members_;
};

}  // namespace podtwin
