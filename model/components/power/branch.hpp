// An element that joins two buses: a link of the power tree, or an element of the phasor network where its buses have
// voltages. One an instance; its loss heats a zone or the outdoor air.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/components/power/link.hpp"
#include "model/network/phasor_elements.hpp"
#include "model/system/electrical_network.hpp"

namespace podtwin {

/// Earthing called solid [ohm]: a bar and a rod's lead of a metre; less than any impedance it is in series with.
inline constexpr double kSolidEarthing = 1e-5;

/// A link (Evaluation::link_out) or, where `phased`, an element of the network.
struct Branch : LinkInstance {
  bool phased = false;
  std::size_t element = 0;
  std::array<std::ptrdiff_t, kConductors> from_place{-1, -1, -1, -1};  ///< terminal of conductor k; -1: none
  std::array<std::ptrdiff_t, kConductors> to_place{-1, -1, -1, -1};
};

namespace branches {

/// Whether both buses have voltages.
inline bool isPhased(std::size_t i, Binder& b) { return b.phased(b.bus(i, "from")) && b.phased(b.bus(i, "to")); }

/// Adds the element; its terminals at the two buses are found by their nodes.
inline void bindElement(std::size_t i, Binder& b, PhasorElement element, Branch& p) {
  p.phased = true;
  p.rows = {lossRow(i, b)};
  const auto find = [&](std::ptrdiff_t bus, std::array<std::ptrdiff_t, kConductors>& place) {
    for (std::size_t k = 0; k < kConductors; ++k) {
      const auto& t = element.terminals;
      const auto found = std::find(t.begin(), t.end(), b.conductor(bus, k));
      place[k] = found == t.end() ? -1 : found - t.begin();
    }
  };
  find(b.bus(i, "from"), p.from_place);
  find(b.bus(i, "to"), p.to_place);
  p.from = static_cast<std::size_t>(b.bus(i, "from"));
  p.element = b.element(i, std::move(element));
}

/// Power [VA] out of the element at the conductors of one side.
inline Complex powerOut(const Branch& p, const std::array<std::ptrdiff_t, kConductors>& side, const Evaluation& e) {
  const Eigen::VectorXcd current = e.phasor.currents(p.element);
  const auto& terminals = e.phasor.network->elements()[p.element].terminals;
  Complex sum{};
  for (const auto place : side)
    if (place >= 0) sum -= e.phasor.voltage(terminals[static_cast<std::size_t>(place)]) * std::conj(current[place]);
  return sum;
}

/// Power [VA] delivered downstream.
inline Complex delivered(const Branch& p, const Evaluation& e) {
  return p.phased ? powerOut(p, p.to_place, e) : Complex(e.link_out[p.link]);
}
/// Power [VA] drawn upstream.
inline Complex drawn(const Branch& p, const Evaluation& e) {
  return p.phased ? -powerOut(p, p.from_place, e) : Complex(e.link_out[p.link] + e.link_loss[p.link]);
}
inline double loss(const Branch& p, const Evaluation& e) {
  return p.phased ? e.phasor.absorbed(p.element).real() : e.link_loss[p.link];
}
/// Current [A] into the element at a conductor of its first side, or out of it at the second.
inline double currentIn(const Branch& p, std::size_t conductor, const Evaluation& e) {
  return p.phased && p.from_place[conductor] >= 0 ? std::abs(e.phasor.currents(p.element)[p.from_place[conductor]])
                                                  : 0.0;
}
inline double currentOut(const Branch& p, std::size_t conductor, const Evaluation& e) {
  return p.phased && p.to_place[conductor] >= 0 ? std::abs(e.phasor.currents(p.element)[p.to_place[conductor]]) : 0.0;
}
/// Greatest current [A] of a phase or the neutral at either side; of `conductors` a to n.
inline double greatestCurrent(const Branch& p, const Evaluation& e, std::size_t conductors = kConductors) {
  if (!p.phased) return 0.0;
  const Eigen::VectorXcd current = e.phasor.currents(p.element);
  double greatest = 0.0;
  for (std::size_t k = 0; k < conductors; ++k)
    for (const auto place : {p.from_place[k], p.to_place[k]})
      if (place >= 0) greatest = std::max(greatest, std::abs(current[place]));
  return greatest;
}
/// Power [VA] drawn by one conductor at the first side, of its voltage to earth.
inline Complex drawnBy(const Branch& p, std::size_t conductor, const Evaluation& e) {
  const auto place = p.from_place[conductor];
  if (!p.phased || place < 0) return {};
  const auto node = e.phasor.network->elements()[p.element].terminals[static_cast<std::size_t>(place)];
  return e.phasor.voltage(node) * std::conj(e.phasor.currents(p.element)[place]);
}
inline double powerFactor(Complex power) { return power == Complex{} ? 0.0 : power.real() / std::abs(power); }

}  // namespace branches

/// Ports of what joins two buses of one voltage.
inline constexpr PortInfo kSameVoltagePorts[] = {
    {.name = "from",
     .kind = PortKind::bus,
     .count = PortCount::one,
     .meaning = "bus it draws from",
     .same_voltage = true},
    {.name = "to", .kind = PortKind::bus, .count = PortCount::one, .meaning = "bus it feeds", .same_voltage = true},
    {"air", PortKind::heat, PortCount::optional, "zone that takes its loss; outdoor air when left out"},
};

/// Signals of a phased branch, for the tables of classes: joined() to those of the class, and answered by
/// branchSignal().
inline constexpr SignalInfo kBranchSignals[] = {
    {"i_a", Quantity::current, SignalType::real, "Current of phase a, from its first end."},
    {"i_b", Quantity::current, SignalType::real, "Current of phase b, from its first end."},
    {"i_c", Quantity::current, SignalType::real, "Current of phase c, from its first end."},
    {"i_n", Quantity::current, SignalType::real, "Current of the neutral."},
    {"q", Quantity::reactive_power, SignalType::real, "Reactive power delivered."},
    {"power_in", Quantity::power, SignalType::real, "Power drawn."},
    {"q_in", Quantity::reactive_power, SignalType::real, "Reactive power drawn."},
    {"power_factor", Quantity::ratio, SignalType::real, "Active over apparent power delivered; 0 without."},
    {"power_a", Quantity::power, SignalType::real, "Power drawn by conductor a, of its voltage to earth."},
    {"power_b", Quantity::power, SignalType::real, "Likewise by conductor b."},
    {"power_c", Quantity::power, SignalType::real, "Likewise by conductor c."},
    {"q_a", Quantity::reactive_power, SignalType::real,
     "Reactive power drawn by conductor a, of its voltage to earth."},
    {"q_b", Quantity::reactive_power, SignalType::real, "Likewise by conductor b."},
    {"q_c", Quantity::reactive_power, SignalType::real, "Likewise by conductor c."},
};

/// Value number k of those above, in their order.
inline double branchSignal(std::size_t k, const Branch& p, const Evaluation& e) {
  if (k < kConductors) return branches::currentIn(p, k, e);
  switch (k - kConductors) {
    case 0:
      return branches::delivered(p, e).imag();
    case 1:
      return branches::drawn(p, e).real();
    case 2:
      return branches::drawn(p, e).imag();
    case 3:
      return branches::powerFactor(branches::delivered(p, e));
    default: {
      constexpr std::size_t kPhases = 3, kBefore = kConductors + 4;
      const Complex drawn = branches::drawnBy(p, (k - kBefore) % kPhases, e);
      return k - kBefore < kPhases ? drawn.real() : drawn.imag();
    }
  }
}

}  // namespace podtwin
