// What a component class declares about itself: one constexpr table feeds the reader, the JSON
// Schema, HDF5 attributes, scenarios, the desktop's faceplates, the docs and the contract test.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "model/system/quantity.hpp"

namespace podtwin {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();
/// Default of a parameter that has none: the user must give it.
inline constexpr double kRequired = std::numeric_limits<double>::quiet_NaN();

enum class ParameterKind {
  number,   // one value with a unit
  integer,  // a count, no unit
  flag,     // true or false
  choice,   // one of `choices`
  text,     // free text or a name
  numbers,  // a list of values with units
  curve,    // a list of pairs [abscissa, ordinate]
};

struct ParameterInfo {
  std::string_view name;
  ParameterKind kind = ParameterKind::number;
  Quantity quantity = Quantity::none;  ///< of the value, the list entries or a curve's abscissa
  double fallback = kRequired;         ///< SI; kRequired when the user must give it; 0/1 for flags
  double low = -kUnbounded;            ///< SI, inclusive
  double high = kUnbounded;            ///< SI, inclusive
  std::string_view meaning;            ///< one sentence
  std::string_view source;             ///< where the default and the band come from; "" only without default
  Quantity ordinate = Quantity::none;  ///< of a curve's ordinate
  std::string_view choices = {};       ///< "a|b|c" for a choice; the first is the default
  bool optional = false;               ///< a text, list or curve that may be left out
};

enum class Visibility { exposed, interior };

struct StateInfo {
  std::string_view name;
  Quantity quantity = Quantity::none;
  double abs_tol = 1.0;  ///< SI; error scale of one unit of relative tolerance (1 K, 0.1 of speed, ...)
  std::string_view meaning;
};

/// A value that changes by events, commands or samples only (mode, held output, position command).
struct DiscreteInfo {
  std::string_view name;
  Quantity quantity = Quantity::none;
  double initial = 0.0;
  std::string_view meaning;
};

/// Last word of a signal or command whose kind of quantity each instance has for itself: a sensor's value, say.
inline constexpr bool kByInstance = true;

enum class SignalType { real, integer, integral };  // integral: accumulates, written as float64

struct SignalInfo {
  std::string_view name;
  Quantity quantity = Quantity::none;
  SignalType type = SignalType::real;
  std::string_view meaning;
  bool by_instance = false;  ///< each instance has a kind of its own: ComponentSet::signalQuantity()
};

enum class PortKind { fluid, heat, bus, signal, member };
enum class PortCount { one, optional, many };

struct PortInfo {
  std::string_view name;
  PortKind kind = PortKind::fluid;
  PortCount count = PortCount::one;
  std::string_view meaning;
  bool holds_pressure = false;    ///< of a fluid node: its circuit needs no other reference
  bool closes_circuit = false;    ///< of such a one: what else holds a pressure in the circuit is refused
  bool crosses = false;           ///< of a fluid node: coolant leaves or enters the plant there
  bool commands = false;          ///< of a member: it follows what this one decides
  std::string_view voltage = {};  ///< of a bus: parameter with its nominal voltage; 0 there: not stated
  bool same_voltage = false;      ///< of a bus: its nominal voltage is that of every other such port of the instance
};

/// What a class does between its bus ports.
enum class ElectricalRole {
  load,        ///< draws from them, each for itself
  branch,      ///< joins them by conductors or a magnetic field
  converter,   ///< draws from one and feeds the other with a voltage of its own
  source,      ///< feeds one
  power_only,  ///< knows active power alone: its buses have no voltage
};

/// A member port of a controller whose members follow it.
constexpr PortInfo commandedMembers(std::string_view name, std::string_view meaning) {
  return {.name = name, .kind = PortKind::member, .count = PortCount::many, .meaning = meaning, .commands = true};
}

/// A verb a scenario or operator may use on an instance.
struct CommandInfo {
  std::string_view verb;      ///< trip, restore, open, close, stick, set, cap, ...
  std::string_view argument;  ///< name of its `with:` value, or empty
  Quantity quantity = Quantity::none;
  std::string_view meaning;
  bool by_instance = false;  ///< each instance takes a kind of its own: ComponentSet::commandQuantity()
};

/// A verb of every class (trip, isolate, ...) that has no meaning for this one, so that nothing is accepted and does
/// nothing.
struct RefusalInfo {
  std::string_view verb;
  std::string_view reason;  ///< why, and what to do instead; completes "a CLASS cannot be asked to 'VERB': ..."
};

/// Default limit on a signal of the class; a pod file may add others.
struct LimitInfo {
  std::string_view signal;
  bool above = true;  ///< violated above (true) or below (false) the value
  double value = 0.0;
  double delay = 0.0;     ///< s the violation must last
  std::string_view kind;  ///< alarm, trip, warranty, rating
  std::string_view source;
  std::string_view parameter = {};  ///< of the instance (of a part: of its maker) that states the value instead
};

struct ClassInfo {
  std::string_view name;    ///< as written in `class:`
  std::string_view group;   ///< HDF5 class group
  std::string_view title;   ///< one line for people
  std::string_view page;    ///< equations page, relative to model/components
  std::string_view symbol;  ///< of the diagrams
  std::span<const PortInfo> ports = {};
  std::span<const ParameterInfo> parameters = {};
  std::span<const StateInfo> states = {};
  std::span<const DiscreteInfo> discretes = {};
  std::span<const SignalInfo> signals = {};
  std::span<const CommandInfo> commands = {};
  std::span<const LimitInfo> limits = {};
  std::span<const RefusalInfo> refusals = {};
  ElectricalRole electrical = ElectricalRole::load;
  bool user_visible = true;  ///< false for parts that only another class makes (a tray of a rack)
};

}  // namespace podtwin
