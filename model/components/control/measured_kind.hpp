// What sorts of value a sensor can read and a controller can hold, and where such a value comes from.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/system/component_set.hpp"

namespace podtwin {

/// Sort of a measured value: decides which set point and which span belong to it.
enum class MeasuredKind { temperature, pressure, flow, ratio, other };

MeasuredKind kindOf(Quantity quantity);
MeasuredKind kindOf(const SignalAddress& address);  ///< `other` for a null address
std::string_view kindName(MeasuredKind kind);

/// The exposed unknown that a signal shows unchanged (a node's temperature, a pump's speed), if it shows one.
std::optional<std::size_t> unknownBehind(const SignalAddress& address);

}  // namespace podtwin
