#include "model/system/rated_elements.hpp"

#include <algorithm>

namespace podtwin {

namespace {

std::ptrdiff_t signalNamed(const ClassInfo& info, std::string_view name) {
  for (std::size_t k = 0; k < info.signals.size(); ++k)
    if (info.signals[k].name == name) return static_cast<std::ptrdiff_t>(k);
  return -1;
}

bool feedsBus(const ClassInfo& info) {
  return std::any_of(info.ports.begin(), info.ports.end(),
                     [](const PortInfo& p) { return p.kind == PortKind::bus && p.name == "to"; });
}

}  // namespace

double RatedElement::timeLeft(const Evaluation& e) const {
  return !tellsTime() ? kUnbounded : set->signalOf(e, static_cast<std::size_t>(time_left_signal), instance);
}

std::vector<RatedElement> ratedElements(const std::vector<std::unique_ptr<ComponentSet>>& sets) {
  std::vector<RatedElement> found;
  for (const auto& set : sets) {
    const ClassInfo& info = set->info();
    const std::ptrdiff_t loading = signalNamed(info, "loading");
    if (loading < 0 || !feedsBus(info)) continue;
    const auto limit = std::find_if(info.limits.begin(), info.limits.end(),
                                    [](const LimitInfo& l) { return l.signal == "loading" && l.kind == "rating"; });
    if (limit == info.limits.end()) continue;
    const std::ptrdiff_t trip = signalNamed(info, "time_to_trip");
    const std::ptrdiff_t time_left = trip >= 0 ? trip : signalNamed(info, "overload_time_left");
    for (std::size_t i = 0; i < set->size(); ++i)
      found.push_back({set.get(), i, static_cast<std::size_t>(loading),
                       static_cast<std::size_t>(limit - info.limits.begin()), time_left});
  }
  return found;
}

}  // namespace podtwin
