// What sorts of value a sensor can read and a controller can hold, and where such a value comes from.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/system/component_set.hpp"

namespace podtwin {

class System;

/// Sort of a measured value: decides which set point and which span belong to it.
enum class MeasuredKind { temperature, pressure, flow, ratio, other };

MeasuredKind kindOf(Quantity quantity);
std::string_view kindName(MeasuredKind kind);

/// Kind of quantity of the value at an address; also where it is that of a sensor or controller that is not bound yet,
/// by following what this one names. Nothing when that leads back to where it was, or to a value that is not there.
std::optional<Quantity> quantityBehind(const System& system, const SignalAddress& address);

/// What a value is from which another was subtracted; nothing where the difference has no meaning.
std::optional<Quantity> differenceOf(Quantity value, Quantity subtracted);

/// The exposed unknown that a signal shows unchanged (a node's temperature, a pump's speed), if it shows one.
std::optional<std::size_t> unknownBehind(const SignalAddress& address);

}  // namespace podtwin
