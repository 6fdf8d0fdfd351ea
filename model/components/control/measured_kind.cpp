#include "model/components/control/measured_kind.hpp"

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

MeasuredKind kindOf(const SignalAddress& address) {
  return address.set == nullptr ? MeasuredKind::other : kindOf(address.set->info().signals[address.signal].quantity);
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
