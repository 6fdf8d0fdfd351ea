#include "scenarios/workload/held_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace podtwin::scenarios {

HeldWorkload::HeldWorkload(std::string name, ItInventory inventory, LevelKind kind, std::vector<LevelAt> levels,
                           const SourceMark& where)
    : name_(std::move(name)), inventory_(std::move(inventory)), kind_(kind), levels_(std::move(levels)) {
  inventory_.check();
  if (levels_.empty()) throw InputError(where, "the workload has no level", "give at least one time and level");
  double previous = -std::numeric_limits<double>::infinity();
  for (const LevelAt& entry : levels_) {
    if (!std::isfinite(entry.time) || entry.time <= previous) {
      throw InputError(where, fmt::format("workload times do not rise at {} s", entry.time),
                       "sort the times and drop repetitions");
    }
    previous = entry.time;
    if (kind_ == LevelKind::utilisation && !(entry.level >= 0.0 && entry.level <= 1.0)) {
      throw InputError(where, fmt::format("utilisation {} at {} s is outside 0 to 1", entry.level, entry.time),
                       "give a share of the dynamic power range");
    }
    if (kind_ == LevelKind::rack_power && !(entry.level > 0.0 && std::isfinite(entry.level))) {
      throw InputError(where, fmt::format("rack power {} W at {} s is not above 0", entry.level, entry.time),
                       "give the AC input of a rack, or use the idle workload");
    }
  }
}

HeldWorkload HeldWorkload::idle(ItInventory inventory) {
  return HeldWorkload("idle", std::move(inventory), LevelKind::utilisation, {{0.0, 0.0}}, {});
}

HeldWorkload HeldWorkload::constant(ItInventory inventory, LevelKind kind, double level, const SourceMark& where) {
  return HeldWorkload("constant", std::move(inventory), kind, {{0.0, level}}, where);
}

HeldWorkload HeldWorkload::step(ItInventory inventory, LevelKind kind, std::vector<LevelAt> levels,
                                const SourceMark& where) {
  return HeldWorkload("step", std::move(inventory), kind, std::move(levels), where);
}

HeldWorkload HeldWorkload::series(ItInventory inventory, LevelKind kind, std::vector<LevelAt> levels,
                                  const SourceMark& where) {
  if (!levels.empty() && levels.front().time > 0.0) {
    throw InputError(where,
                     fmt::format("the series begins at {} s, after the start of the simulation", levels.front().time),
                     "add a row at or before 0 s");
  }
  return HeldWorkload("series", std::move(inventory), kind, std::move(levels), where);
}

std::vector<LevelAt>::const_iterator HeldWorkload::firstAfter(double time) const {
  return std::upper_bound(levels_.begin(), levels_.end(), time + kSameInstant,
                          [](double t, const LevelAt& entry) { return t < entry.time; });
}

void HeldWorkload::demand(double time, ItDemand& out) const {
  const auto next = firstAfter(time);
  const bool begun = next != levels_.begin();
  const double level = begun ? std::prev(next)->level : 0.0;
  const bool power = begun && kind_ == LevelKind::rack_power;
  out.gpu_utilisation.assign(inventory_.gpu_tray.size(), power ? 0.0 : level);
  out.rack_power.assign(inventory_.racks, power ? level : 0.0);
  out.overload = 0.0;
}

double HeldWorkload::nextChange(double time) const {
  const auto next = firstAfter(time);
  return next == levels_.end() ? std::numeric_limits<double>::infinity() : next->time;
}

std::map<std::string, std::string> HeldWorkload::provenance() const {
  std::map<std::string, std::string> out{{"kind", name_}};
  if (name_ == "idle") return out;
  out["level"] = kind_ == LevelKind::utilisation ? "utilisation [1]" : "rack_power [W]";
  std::string text;
  for (const LevelAt& entry : levels_)
    text += fmt::format("{}{} s: {}", text.empty() ? "" : "; ", entry.time, entry.level);
  out["levels"] = std::move(text);
  return out;
}

}  // namespace podtwin::scenarios
