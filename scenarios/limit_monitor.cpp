#include "scenarios/limit_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "data/readers/units.hpp"
#include "scenarios/addresses.hpp"

namespace podtwin::scenarios {

LimitMonitor::LimitMonitor(std::vector<MonitoredLimit> limits) : limits_(std::move(limits)) {
  records_.resize(limits_.size());
  watches_.resize(limits_.size());
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    watches_[k].previous.assign(limits_[k].instances.size(), std::nan(""));
    watches_[k].violated_since.assign(limits_[k].instances.size(), std::nan(""));
    watches_[k].alarmed.assign(limits_[k].instances.size(), 0);
  }
}

void LimitMonitor::look(double t, const Evaluation& e, std::vector<AlarmOccurrence>& alarms,
                        const std::function<const Evaluation&()>& before_jump) {
  const ComponentSet* read_set = nullptr;
  std::size_t read_signal = 0;
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    const MonitoredLimit& limit = limits_[k];
    LimitRecord& record = records_[k];
    Watch& watch = watches_[k];
    if (limit.set != read_set || limit.signal != read_signal) {
      column_.resize(limit.set->size());
      limit.set->signal(e, limit.signal, column_);
      read_set = limit.set;
      read_signal = limit.signal;
    }
    const double sign = limit.above ? 1.0 : -1.0;
    // Most looks find nothing: the worst instance decides whether any needs a closer look.
    double worst = -std::numeric_limits<double>::infinity();
    std::size_t worst_at = 0;
    for (std::size_t i = 0; i < limit.instances.size(); ++i) {
      const double excess = sign * (column_[limit.instances[i]] - limit.value);
      if (excess > worst) {
        worst = excess;
        worst_at = i;
      }
    }
    if (-worst < record.least_margin) {
      record.least_margin = -worst;
      record.least_instance = limit.instances[worst_at];
      record.least_time = t;
    }
    if (worst > 0.0 || watch.active > 0) {
      watch.active = 0;
      const auto& signal = limit.set->info().signals[limit.signal];
      for (std::size_t i = 0; i < limit.instances.size(); ++i) {
        const std::size_t instance = limit.instances[i];
        const double value = column_[instance];
        const double excess = sign * (value - limit.value);
        double& since = watch.violated_since[i];
        const auto tell = [&](double time, bool active) {
          AlarmOccurrence alarm;
          alarm.time = time;
          alarm.equipment = limit.set->ids()[instance];
          alarm.signal = std::string(signal.name);
          alarm.kind = limit.kind;
          alarm.text = active ? (limit.above ? "above " : "below ") + limit.kind + " limit"
                              : "back within " + limit.kind + " limit";
          alarm.value = value;
          alarm.limit = limit.value;
          alarm.units = std::string(siUnit(limit.set->signalQuantity(limit.signal, instance)));
          alarm.active = active;
          alarms.push_back(std::move(alarm));
        };
        if (excess > 0.0) {
          if (std::isnan(since)) {
            const double before = sign * (watch.previous[i] - limit.value);
            double reached = excess;
            if (before_jump && before < 0.0)
              reached = sign * (limit.set->signalOf(before_jump(), limit.signal, instance) - limit.value);
            since = std::isnan(last_time_) || !(before < 0.0) || !(reached > 0.0)
                        ? t
                        : last_time_ + (t - last_time_) * before / (before - reached);
          }
          if (watch.alarmed[i] == 0 && t - since >= limit.delay) {
            watch.alarmed[i] = 1;
            tell(since + limit.delay, true);
            if (std::isnan(record.first_time)) {
              record.first_time = since + limit.delay;
              record.first_instance = instance;
            }
          }
          ++watch.active;
        } else if (!std::isnan(since)) {
          since = std::nan("");
          if (watch.alarmed[i] != 0) {
            watch.alarmed[i] = 0;
            tell(t, false);
          }
        }
      }
    }
    for (std::size_t i = 0; i < limit.instances.size(); ++i) watch.previous[i] = column_[limit.instances[i]];
  }
  last_time_ = t;
  std::stable_sort(alarms.begin(), alarms.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
}

std::string stateText(const MonitoredLimit& limit) {
  const SignalInfo& signal = limit.set->info().signals[limit.signal];
  if (signal.type != SignalType::integer || !limit.above || !(limit.value > 0.0 && limit.value < 1.0)) return "";
  std::string text(signal.meaning);
  for (const std::string_view begin : {"1 while ", "1 when "})
    if (text.starts_with(begin)) {
      text.erase(0, begin.size());
      const std::size_t end = text.find_first_of(".;");
      return text.substr(0, end);
    }
  return "";
}

std::vector<MonitoredLimit> limitsOf(const System& system, Diagnostics& problems) {
  std::vector<MonitoredLimit> limits;
  for (const auto& set : system.sets()) {
    for (std::size_t l = 0; l < set->info().limits.size(); ++l) {
      const LimitInfo& info = set->info().limits[l];
      MonitoredLimit limit;
      limit.set = set.get();
      for (std::size_t k = 0; k < set->info().signals.size(); ++k)
        if (set->info().signals[k].name == info.signal) limit.signal = k;
      limit.above = info.above;
      limit.delay = info.delay;
      limit.kind = std::string(info.kind);
      limit.source = std::string(info.source);
      std::map<double, std::vector<std::size_t>> by_value;  // instances differ where a parameter states the value
      for (std::size_t i = 0; i < set->size(); ++i)
        if (const double value = set->limitValue(l, i); std::isfinite(value)) by_value[value].push_back(i);
      for (auto& [value, instances] : by_value) {
        limit.value = value;
        limit.instances = std::move(instances);
        limits.push_back(limit);
      }
    }
  }
  for (const auto& stated : system.plant().limits) {
    const auto found = resolveSignal(system, stated.signal, stated.where, problems);
    if (found.set == nullptr) continue;
    MonitoredLimit limit;
    limit.set = found.set;
    limit.signal = found.signal;
    limit.instances = found.instances;
    limit.above = stated.above;
    // Read again: what a sensor, a node or a part of a rack has for a kind, the pod file alone does not tell.
    const auto value = data::parseQuantity(stated.text, found.quantity(), stated.value_where, problems,
                                           "limit '" + stated.id + "' on '" + stated.signal + "'");
    if (!value) continue;
    limit.value = *value;
    limit.delay = stated.delay;
    limit.kind = stated.kind;
    limit.source = stated.source;
    limit.id = stated.id;
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace podtwin::scenarios
