#include "model/components/control/held_members.hpp"

#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"

namespace podtwin {

HeldMembers HeldMembers::bind(const ComponentSet& set, std::size_t i, std::size_t first, Binder& b) {
  HeldMembers all;
  all.set_ = &set;
  all.i_ = i;
  all.first_ = first;
  const InstanceDescription& d = set.description(i);
  const SourceMark& where = d.port_marks.at("members");
  const std::size_t count = b.portCount(i, "members");
  if (count > kHeldWords * kHeldBits)
    b.problems().error(where,
                       "'" + d.id + "' names " + std::to_string(count) + " members, and " +
                           std::to_string(kHeldWords * kHeldBits) + " is the most",
                       "make several of it, or name what feeds them");
  for (std::size_t n = 0; n < count && n < kHeldWords * kHeldBits; ++n) {
    const auto [member, k] = b.member(i, "members", n);
    if (member == nullptr) continue;
    if (const std::string_view why = member->refusal("trip"); !why.empty())
      b.problems().error(where,
                         "'" + d.id + "' is to trip '" + member->ids()[k] + "', and a " +
                             std::string(member->info().name) + " cannot: " + std::string(why),
                         "name equipment that can be switched off");
    all.members_.push_back({member, k});
  }
  return all;
}

bool HeldMembers::holds(std::size_t n, double word) const {
  return std::fmod(std::floor(std::ldexp(word, -static_cast<int>(n % kHeldBits))), 2.0) != 0.0;
}

std::size_t HeldMembers::held(const Evaluation& e) const {
  std::size_t count = 0;
  for (std::size_t n = 0; n < members_.size(); ++n)
    if (holds(n, set_->z(e, first_ + n / kHeldBits, i_))) ++count;
  return count;
}

void HeldMembers::mark(std::size_t n, bool held, State& s) const {
  const double bit = std::ldexp(1.0, static_cast<int>(n % kHeldBits));
  set_->z(s, first_ + n / kHeldBits, i_) += held ? bit : -bit;
}

void HeldMembers::order(const Member& member, const char* verb, State& s, const std::string& cause,
                        std::vector<Occurrence>& events) const {
  const std::string& id = member.set->ids()[member.instance];
  std::string reason;
  const bool done = member.set->command(s, member.instance, verb, std::numeric_limits<double>::quiet_NaN(), reason);
  events.push_back({id, set_->ids()[i_], cause, done ? verb : std::string(verb) + " refused: " + reason});
}

void HeldMembers::trip(State& s, const std::string& cause, std::vector<Occurrence>& events) const {
  for (std::size_t n = 0; n < members_.size(); ++n) {
    if (holds(n, word(n, s)) || members_[n].set->z(s, kTripped, members_[n].instance) != 0.0) continue;
    order(members_[n], "trip", s, cause, events);
    mark(n, true, s);
  }
}

void HeldMembers::keep(State& s, const std::string& cause, std::vector<Occurrence>& events) const {
  for (std::size_t n = 0; n < members_.size(); ++n)
    if (holds(n, word(n, s)) && members_[n].set->z(s, kTripped, members_[n].instance) == 0.0)
      order(members_[n], "trip", s, cause, events);
}

void HeldMembers::release(State& s, std::size_t count, const std::string& cause,
                          std::vector<Occurrence>& events) const {
  for (std::size_t n = 0; n < members_.size() && count > 0; ++n) {
    if (!holds(n, word(n, s))) continue;
    mark(n, false, s);
    --count;
    order(members_[n], "restore", s, cause, events);
  }
}

}  // namespace podtwin
