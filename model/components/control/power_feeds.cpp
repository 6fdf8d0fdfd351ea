#include "model/components/control/power_feeds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "model/system/system.hpp"

namespace podtwin {

namespace {

std::map<std::string, std::size_t> busIndices(const System& system) {
  std::map<std::string, std::size_t> index;
  for (std::size_t k = 0; k < system.buses().size(); ++k) index[system.buses()[k].name] = k;
  return index;
}

const std::vector<std::string>* namesAt(const InstanceDescription& d, const char* port) {
  const auto found = d.ports.find(port);
  return found == d.ports.end() || found->second.empty() ? nullptr : &found->second;
}

}  // namespace

void PowerFeeds::bind(Binder& b) {
  struct Upper {
    const char* port;
    std::size_t part;
  };
  constexpr std::array<Upper, 4> kUppers{{{"from", 0}, {"bypass", 0}, {"preferred", 0}, {"alternate", 1}}};
  system_ = &b.system();
  const System& system = *system_;
  const auto index = busIndices(system);
  elements_ = ratedElements(system.sets());
  into_.assign(system.buses().size(), {});
  for (const auto& set : system.sets())
    for (std::size_t i = 0; i < set->size() && set->info().user_visible; ++i) {
      const InstanceDescription& d = set->description(i);
      const auto* lower = namesAt(d, "to");
      if (lower == nullptr || !index.contains(lower->front())) continue;
      const auto at = std::find_if(elements_.begin(), elements_.end(), [&](const RatedElement& element) {
        return element.set == set.get() && element.instance == i;
      });
      const auto rating = d.parameters.find("rating");
      const double weight = rating != d.parameters.end() && rating->second.number > 0.0 ? rating->second.number : 1.0;
      Way way{set.get(), i, 0, kNone, at == elements_.end() ? kNone : at - elements_.begin(), weight};
      auto& ways = into_[index.at(lower->front())];
      bool above = false;
      for (const auto& [port, part] : kUppers)
        if (const auto* upper = namesAt(d, port); upper != nullptr && index.contains(upper->front())) {
          way.above = static_cast<std::ptrdiff_t>(index.at(upper->front()));
          way.part = part;
          way.number = way_count_++;
          ways.push_back(way);
          above = true;
        }
      if (above) continue;
      way.number = way_count_++;
      ways.push_back(way);
    }
}

std::vector<std::size_t> PowerFeeds::feedsOf(const Binder& b, const InstanceDescription& d) const {
  const auto index = busIndices(b.system());
  std::vector<std::size_t> feeds;
  if (const auto* names = namesAt(d, "feeds"))
    for (const auto& name : *names) feeds.push_back(index.at(name));
  else if (!d.supply.empty())
    feeds.push_back(index.at(d.supply));
  return feeds;
}

std::vector<std::size_t> PowerFeeds::busesAt(const Binder& b, const InstanceDescription& d, const char* port) const {
  const auto index = busIndices(b.system());
  std::vector<std::size_t> buses;
  if (const auto* names = namesAt(d, port))
    for (const auto& name : *names) buses.push_back(index.at(name));
  return buses;
}

bool PowerFeeds::live(const Evaluation& e, const Way& way) const {
  if (!way.set->closes(e, way.instance, way.part)) return false;
  if (way.above == kNone) return true;
  return way.set->drawsFrom(e, way.instance, way.above) &&
         (e.energised[static_cast<std::size_t>(way.above)] != 0 || way.set->selfFed(e, way.instance));
}

double PowerFeeds::gain(const Evaluation& e, const Way& way) const {
  constexpr double kStep = 1e-3, kLeastStep = 1.0;  // of its power, W
  const auto stepOf = [=](double power) { return std::max(kStep * std::abs(power), kLeastStep); };
  const auto& links = system_->links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    const System::Link& link = links[l];
    if (link.set != way.set || link.instance != way.instance || link.part != way.part) continue;
    const double power = e.link_out[l], step = stepOf(power);
    return 1.0 + (link.set->linkLoss(e, link.index, power + step) - link.set->linkLoss(e, link.index, power)) / step;
  }
  // Between buses with voltages: a converter by its own law, conductors by a loss that goes with the square of power.
  const auto value = [&](std::string_view name) {
    const auto& signals = way.set->info().signals;
    for (std::size_t k = 0; k < signals.size(); ++k)
      if (signals[k].name == name) return way.set->signalOf(e, k, way.instance);
    return 0.0;
  };
  if (way.set->info().electrical == ElectricalRole::converter) {
    const double power = value("load"), step = stepOf(power);
    const auto input = [&](double at) { return way.set->converterInput(e, way.instance, at).real(); };
    return (input(power + step) - input(power)) / step;
  }
  const double power = value("power");
  return power > 0.0 ? 1.0 + 2.0 * value("loss") / power : 1.0;
}

std::vector<double> PowerFeeds::gains(const Evaluation& e) const {
  std::vector<double> out(way_count_, 1.0);
  for (const auto& ways : into_)
    for (const Way& way : ways)
      if (way.above != kNone && live(e, way)) out[way.number] = gain(e, way);
  return out;
}

void PowerFeeds::add(const Evaluation& e, std::size_t bus, double share, std::size_t depth,
                     const std::vector<double>& gains, std::vector<double>& out) const {
  if (depth > into_.size()) return;  // a ring of ties
  double weights = 0.0;
  for (const Way& way : into_[bus])
    if (live(e, way)) weights += way.weight;
  for (const Way& way : into_[bus]) {
    if (!live(e, way)) continue;
    const double part = share * way.weight / weights;
    if (way.element != kNone) out[static_cast<std::size_t>(way.element)] += part;
    if (way.above != kNone && e.energised[static_cast<std::size_t>(way.above)] != 0 &&
        !way.set->fedFromStore(e, way.instance))
      add(e, static_cast<std::size_t>(way.above), gains.empty() ? part : part * gains[way.number], depth + 1, gains,
          out);
  }
}

std::vector<double> PowerFeeds::shares(const Evaluation& e, const std::vector<std::size_t>& feeds,
                                       const std::vector<double>& gains) const {
  std::vector<double> out(elements_.size(), 0.0);
  const auto on = static_cast<double>(
      std::count_if(feeds.begin(), feeds.end(), [&](std::size_t bus) { return e.energised[bus] != 0; }));
  for (const auto bus : feeds)
    if (e.energised[bus] != 0) add(e, bus, 1.0 / on, 0, gains, out);
  return out;
}

}  // namespace podtwin
