#include "scenarios/recording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "scenarios/signal_units.hpp"

namespace podtwin::scenarios {

namespace {

constexpr double kSlow = 10.0, kFast = 1.0;  // s
constexpr double kTimeTolerance = 1e-9;      // s
constexpr double kPeriodTolerance = 1e-6;    // of a period; the quotient of a long time and 1 ms is not exact

/// Sets of one HDF5 group; several classes may share it.
std::vector<const ComponentSet*> setsOf(const System& system, const std::string& group) {
  std::vector<const ComponentSet*> sets;
  for (const auto& set : system.sets())
    if (set->size() > 0 && (set->info().group == group || set->info().name == group)) sets.push_back(set.get());
  return sets;
}

std::size_t signalNamed(const ComponentSet& set, const std::string& name) {
  const auto& signals = set.info().signals;
  for (std::size_t k = 0; k < signals.size(); ++k)
    if (signals[k].name == name) return k;
  return signals.size();
}

}  // namespace

std::vector<data::RecordDescription> defaultRecord(const System& system) {
  std::vector<data::RecordDescription> requests;
  std::set<std::string> seen;
  for (const auto& set : system.sets()) {
    const std::string group(set->info().group);
    if (set->size() == 0 || set->info().signals.empty() || !seen.insert(group).second) continue;
    data::RecordDescription request;
    request.class_name = group;
    request.signals = {{"*", {}}};
    request.period = group == "rack" || group == "facility" ? kFast : kSlow;
    if (group == "gpu") request.signals = {{"t_junction", {}}, {"power", {}}, {"utilisation", {}}};
    if (group == "tray") request.signals = {{"t_coolant", {}}};
    if (group == "cpu" || group == "nvlink_tray") request.signals = {{"t_junction", {}}};
    if (group == "power_shelf") continue;
    if (group == "rack" && system.setOfGroup("gpu") != nullptr)
      request.reduce.push_back({"gpu", "t_junction", {{"max", {}}, {"mean", {}}}, {}});
    requests.push_back(std::move(request));
  }
  return requests;
}

std::vector<data::RecordDescription> recordOf(const System& system, const std::vector<data::RecordDescription>& wanted,
                                              Diagnostics& problems) {
  std::vector<data::RecordDescription> requests = defaultRecord(system);
  std::map<std::string, SourceMark> named;  // group -> its entry
  for (data::RecordDescription entry : wanted) {
    if (entry.class_name.empty() || !(entry.period > 0.0)) continue;  // the reader has told it
    const auto sets = setsOf(system, entry.class_name);
    if (sets.empty()) {
      std::vector<std::string> names;
      for (const auto& set : system.sets()) names.emplace_back(set->info().group);
      const std::string near = nearestName(entry.class_name, names);
      problems.error(entry.class_where, "nothing of class '" + entry.class_name + "' to record",
                     near.empty() ? "name a class of the pod" : "did you mean '" + near + "'?");
      continue;
    }
    entry.class_name = sets.front()->info().group;  // several classes may share a group, which has one period
    if (const auto [first, is_new] = named.emplace(entry.class_name, entry.class_where); !is_new) {
      problems.error(
          entry.class_where,
          "class '" + entry.class_name + "' is recorded twice, first in line " + std::to_string(first->second.line),
          "list its signals in one entry; a class has one period");
      continue;
    }
    const auto same = std::find_if(requests.begin(), requests.end(),
                                   [&](const auto& request) { return request.class_name == entry.class_name; });
    if (same != requests.end())
      *same = std::move(entry);
    else
      requests.push_back(std::move(entry));
  }
  return requests;
}

Recording::Recording(const System& system, const std::vector<data::RecordDescription>& requests,
                     std::vector<Window> windows, Diagnostics& problems)
    : system_(system), windows_(std::move(windows)) {
  for (const auto& request : requests) {
    const auto sets = setsOf(system, request.class_name);
    const std::string group(sets.front()->info().group);
    data::RecordedTable table;
    Table plan;
    table.group = group;
    table.period = plan.period = request.period;
    plan.window_period = request.window_period;
    if (group != "facility")
      for (const auto* set : sets) table.ids.insert(table.ids.end(), set->ids().begin(), set->ids().end());
    plan.rows = std::max<std::size_t>(table.ids.size(), 1);
    if (sets.size() == 1)
      for (auto& [name, values] : sets.front()->labels()) table.labels[name] = values;
    std::vector<data::TextValue> names = request.signals;
    if (const auto all = std::find_if(names.begin(), names.end(), [](const auto& name) { return name.text == "*"; });
        all != names.end()) {
      const SourceMark where = all->where;
      names.clear();
      for (const auto& signal : sets.front()->info().signals)
        if (std::all_of(sets.begin(), sets.end(), [&](const ComponentSet* s) {
              const std::size_t k = signalNamed(*s, std::string(signal.name));
              return k < s->info().signals.size() && s->solvesAny(k);
            }))
          names.push_back({std::string(signal.name), where});
    }
    std::set<std::string> used;
    for (const auto& [name, where] : names) {
      if (!used.insert(name).second) {
        problems.error(where, "signal '" + name + "' of class '" + group + "' is named twice", "name it once");
        continue;
      }
      std::vector<Column> columns;
      for (const auto* set : sets) {
        const std::size_t k = signalNamed(*set, name);
        if (k == set->info().signals.size()) {
          std::vector<std::string> known;
          for (const auto& signal : set->info().signals) known.emplace_back(signal.name);
          const std::string near = nearestName(name, known);
          problems.error(where, "a " + std::string(set->info().name) + " has no signal '" + name + "'",
                         near.empty() ? "use \"*\" for all" : "did you mean '" + near + "'?");
          continue;
        }
        if (!set->solvesAny(k)) {
          problems.error(where, "'" + name + "' of class '" + group + "' is not solved for in this plant",
                         "give the buses a nominal voltage: without, they carry active power alone");
          continue;
        }
        columns.push_back({set, k, {}, {}});
      }
      if (columns.size() != sets.size()) continue;
      const auto& info = sets.front()->info().signals[columns.front().signal];
      std::vector<SetSignal> of_sets;
      for (const auto& column : columns) of_sets.push_back({column.set, column.signal});
      SignalUnits units = unitsOf(of_sets);
      table.signals.push_back({.name = name,
                               .units = std::move(units.common),
                               .long_name = std::string(info.meaning),
                               .type = info.type,
                               .units_by_id = std::move(units.by_member)});
      plan.columns.push_back(std::move(columns));
    }
    for (const auto& reduction : request.reduce) {
      if (reduction.signal.empty()) continue;  // the reader has told it
      const auto children = setsOf(system, reduction.class_name);
      if (children.size() != 1 ||
          signalNamed(*children.front(), reduction.signal) == children.front()->info().signals.size()) {
        problems.error(reduction.where, "'" + reduction.class_name + "." + reduction.signal + "' cannot be reduced",
                       "name a class and a signal, e.g. gpu.t_junction: [max, mean]");
        continue;
      }
      const ComponentSet* child = children.front();
      std::map<std::string, std::size_t> parent_index;
      for (std::size_t i = 0; i < table.ids.size(); ++i) parent_index[table.ids[i]] = i;
      std::vector<std::vector<std::size_t>> members(table.ids.size());
      for (const auto& [label, parents] : child->labels())
        if (label == group)
          for (std::size_t i = 0; i < parents.size(); ++i) members[parent_index.at(parents[i])].push_back(i);
      if (std::any_of(members.begin(), members.end(), [](const auto& m) { return m.empty(); })) {
        problems.error(reduction.where, "not every " + group + " has a " + reduction.class_name,
                       "reduce a class that is part of it");
        continue;
      }
      for (const auto& [kind, where] : reduction.kinds) {
        if (!used.insert(reduction.class_name + "." + reduction.signal + " " + kind).second) {
          problems.error(where,
                         "'" + kind + "' of " + reduction.class_name + "." + reduction.signal + " is named twice",
                         "name it once");
          continue;
        }
        const std::size_t k = signalNamed(*child, reduction.signal);
        const auto& info = child->info().signals[k];
        table.signals.push_back(
            {reduction.class_name + "_" + reduction.signal + "_" + kind, std::string(siUnit(info.quantity)),
             kind + " over the " + reduction.class_name + "s of the " + group + ": " + std::string(info.meaning),
             SignalType::real});
        plan.columns.push_back({Column{child, k, kind, members}});
      }
    }
    tables_.push_back(std::move(table));
    plans_.push_back(std::move(plan));
  }
}

/// Moment of the row after the one at t.
double Recording::nextRow(const Table& plan, double t) const {
  const auto after = [t](double from, double period) {
    return from + (std::floor((t - from) / period + kPeriodTolerance) + 1.0) * period;
  };
  double next = after(0.0, plan.period);
  if (plan.window_period <= 0.0) return next;
  for (const auto& window : windows_) {
    const double moment = window.from > t ? window.from : after(window.from, plan.window_period);
    if (window.holds(moment)) next = std::min(next, moment);
  }
  return next;
}

void Recording::observe(double t, const State&, const Evaluation& e) {
  if (recorder_ == nullptr) return;
  for (std::size_t n = 0; n < plans_.size(); ++n) {
    Table& plan = plans_[n];
    if (t < plan.next - kTimeTolerance) continue;
    plan.next = nextRow(plan, t);
    row_.resize(plan.columns.size() * plan.rows);
    double* out = row_.data();
    for (const auto& columns : plan.columns) {
      for (const auto& column : columns) {
        column_.resize(column.set->size());
        column.set->signal(e, column.signal, column_);
        if (column.reduction.empty()) {
          out = std::copy(column_.begin(), column_.end(), out);
          continue;
        }
        for (const auto& members : column.members) {
          double value = column_[members.front()];
          if (column.reduction == "mean" || column.reduction == "sum") {
            value = 0.0;
            for (const auto i : members) value += column_[i];
            if (column.reduction == "mean") value /= static_cast<double>(members.size());
          } else {
            for (const auto i : members)
              value = column.reduction == "max" ? std::max(value, column_[i]) : std::min(value, column_[i]);
          }
          *out++ = value;
        }
      }
    }
    recorder_->append(n, t, row_);
  }
}

double Recording::nextLook() const {
  double next = std::numeric_limits<double>::infinity();
  if (recorder_ != nullptr)
    for (const auto& plan : plans_) next = std::min(next, plan.next);
  return next;
}

void Recording::event(const EventOccurrence& event) {
  if (recorder_ != nullptr)
    recorder_->append(data::EventRecord{event.time, event.equipment, event.actor, event.cause, event.text});
}

void Recording::alarm(const AlarmOccurrence& alarm) {
  if (recorder_ == nullptr) return;
  data::AlarmRecord record;
  record.time = alarm.time;
  record.equipment = alarm.equipment;
  record.signal = alarm.signal;
  record.kind = alarm.kind;
  record.text = alarm.text;
  record.value = alarm.value;
  record.limit = alarm.limit;
  record.units = alarm.units;
  record.active = alarm.active;
  recorder_->append(record);
}

}  // namespace podtwin::scenarios
