#include "model/components/control/measured_kind.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "model/system/system.hpp"

namespace podtwin {

MeasuredKind kindOf(Quantity quantity) {
  switch (quantity) {
    case Quantity::temperature:
    case Quantity::temperature_difference:
      return MeasuredKind::temperature;
    case Quantity::pressure_gauge:
    case Quantity::pressure_absolute:
    case Quantity::pressure_difference:
      return MeasuredKind::pressure;
    case Quantity::volume_flow:
      return MeasuredKind::flow;
    case Quantity::none:
    case Quantity::ratio:
      return MeasuredKind::ratio;
    default:
      return MeasuredKind::other;
  }
}

std::optional<Quantity> differenceOf(Quantity value, Quantity subtracted) {
  const auto of = [&](std::initializer_list<Quantity> levels, Quantity difference) -> std::optional<Quantity> {
    const bool is_level = std::find(levels.begin(), levels.end(), value) != levels.end();
    if (subtracted == difference) return is_level || value == difference ? std::optional(value) : std::nullopt;
    return is_level && subtracted == value ? std::optional(difference) : std::nullopt;
  };
  switch (kindOf(value)) {
    case MeasuredKind::temperature:
      return of({Quantity::temperature}, Quantity::temperature_difference);
    case MeasuredKind::pressure:
      return of({Quantity::pressure_gauge, Quantity::pressure_absolute}, Quantity::pressure_difference);
    case MeasuredKind::ratio:  // counts and ratios go together
      return kindOf(subtracted) == MeasuredKind::ratio ? std::optional(value) : std::nullopt;
    case MeasuredKind::flow:
    case MeasuredKind::other:
      break;
  }
  return subtracted == value ? std::optional(value) : std::nullopt;
}

namespace {

/// `seen` holds what asked for this one, so that a circle is noticed.
std::optional<Quantity> follow(const System& system, const SignalAddress& address, std::vector<SignalAddress>& seen) {
  if (address.set == nullptr) return std::nullopt;
  const SignalInfo& signal = address.set->info().signals[address.signal];
  if (!signal.by_instance) return signal.quantity;
  if (std::any_of(seen.begin(), seen.end(), [&](const SignalAddress& other) {
        return other.set == address.set && other.instance == address.instance;
      }))
    return std::nullopt;
  seen.push_back(address);
  const InstanceDescription& d = address.set->description(address.instance);
  std::optional<Quantity> found;
  auto port = d.ports.find("sensor");
  if (port == d.ports.end()) port = d.ports.find("sensors");
  if (port != d.ports.end() && !port->second.empty()) {
    const auto [sensor, i] = system.find(port->second.front());
    if (sensor != nullptr) found = follow(system, {sensor, 0, i}, seen);
  } else if (d.parameters.contains("measures")) {
    found = follow(system, system.findSignal(d.text("measures")), seen);
    if (found && !d.text("minus").empty()) {
      const auto subtracted = follow(system, system.findSignal(d.text("minus")), seen);
      found = subtracted ? differenceOf(*found, *subtracted) : std::nullopt;
    }
  }
  seen.pop_back();
  return found;
}

}  // namespace

std::optional<Quantity> quantityBehind(const System& system, const SignalAddress& address) {
  std::vector<SignalAddress> seen;
  return follow(system, address, seen);
}

std::string_view kindName(MeasuredKind kind) {
  switch (kind) {
    case MeasuredKind::temperature:
      return "temperature";
    case MeasuredKind::pressure:
      return "pressure";
    case MeasuredKind::flow:
      return "flow";
    case MeasuredKind::ratio:
      return "value without unit";
    case MeasuredKind::other:
      break;
  }
  return "value of another kind";
}

std::optional<std::size_t> unknownBehind(const SignalAddress& address) {
  if (address.set == nullptr) return std::nullopt;
  const ClassInfo& info = address.set->info();
  // By the house's naming a signal that shares name and quantity with a state shows that state.
  if (address.set->exposedCount() != info.states.size() * address.set->size()) return std::nullopt;
  const SignalInfo& signal = info.signals[address.signal];
  for (std::size_t k = 0; k < info.states.size(); ++k)
    if (info.states[k].name == signal.name && info.states[k].quantity == signal.quantity)
      return address.set->yIndex(k, address.instance);
  return std::nullopt;
}

}  // namespace podtwin
