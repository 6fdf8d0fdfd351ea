// The body of a valve or fitting that is stated by its Kv or by a drop at a flow, and what is common to those that act
// without a drive: a set value, sticking at a stated opening.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "model/system/kernel_set.hpp"
#include "model/system/registry.hpp"

namespace podtwin {

inline constexpr double kKvDrop = 1e5;          // Pa; Kv is the flow of water at 1 bar
inline constexpr double kKvDensity = 1000.0;    // kg/m3; and that water's density
inline constexpr double kBodyLinear = 1e-3;     // of the flow at 1 bar; below it the drop is linear
inline constexpr double kLeastOpening = 1e-12;  // of a body stuck; less is shut

inline constexpr ParameterInfo kKvParameter{.name = "kv",
                                            .quantity = Quantity::volume_flow,
                                            .low = 1e-9,
                                            .high = 100.0,
                                            .meaning = "Flow of water at 1 bar when fully open.",
                                            .source = "",
                                            .optional = true};
inline constexpr ParameterInfo kDropParameter{
    .name = "dp",
    .quantity = Quantity::pressure_difference,
    .low = 1e-3,
    .high = 1e8,
    .meaning = "Pressure drop fully open at the stated flow; with flow, in place of kv.",
    .source = "",
    .optional = true};
inline constexpr ParameterInfo kFlowParameter{.name = "flow",
                                              .quantity = Quantity::volume_flow,
                                              .low = 1e-9,
                                              .high = 100.0,
                                              .meaning = "Flow of the circuit's coolant at which dp is stated.",
                                              .source = "",
                                              .optional = true};
inline constexpr ParameterInfo kLeakageParameter{
    .name = "leakage",
    .quantity = Quantity::ratio,
    .fallback = 1e-6,
    .low = 1e-12,
    .high = 0.01,
    .meaning = "Flow through the shut seat at 1 bar over that fully open.",
    .source = "estimate: soft seat; a metal seat of class IV has 1e-4, IEC 60534-4"};

/// Square law of a fully open body.
struct ValveBody {
  double density = 0.0;
  double k = 0.0;         ///< Pa/(kg/s)^2
  double m_linear = 0.0;  ///< kg/s
  double m_full = 0.0;    ///< kg/s at 1 bar

  double drop(double m) const {
    double slope = 0.0;
    return EdgeLaw{.k = k, .m_linear = m_linear}.drop(m, slope);
  }
  /// The law of the body at a share of its Kv.
  void apply(EdgeLaw& law, double opening = 1.0) const {
    law.k = k / (opening * opening);
    law.exponent = 2.0;
    law.m_linear = m_linear * opening;
  }
};

/// Reads `kv`, or `dp` and `flow`; exactly one of both has to be given.
inline ValveBody bodyOf(const InstanceDescription& d, Binder& b, std::size_t node) {
  ValveBody body;
  body.density = b.density(node);
  const auto given = [&](const char* name) { return d.parameters.at(name).given; };
  const bool kv = given("kv"), point = given("dp") && given("flow");
  if (kv == point || given("dp") != given("flow")) {
    b.problems().error(d.where, "'" + d.id + "' states " + (kv || point ? "more than one size" : "no size"),
                       "give kv, or dp and flow, as in `kv: 10 L/s` or `dp: 20 kPa, flow: 5 L/s`");
    body.k = 1.0;
    body.m_full = std::sqrt(kKvDrop);
  } else if (kv) {
    body.m_full = d.number("kv") * std::sqrt(body.density * kKvDensity);
    body.k = kKvDrop / (body.m_full * body.m_full);
  } else {
    const double m = d.number("flow") * body.density;
    body.k = d.number("dp") / (m * m);
    body.m_full = std::sqrt(kKvDrop / body.k);
  }
  body.m_linear = kBodyLinear * body.m_full;
  return body;
}

/// Slope [Pa s/kg] of the leak through a shut seat.
inline double leakSlope(const ValveBody& body, double leakage) { return kKvDrop / (leakage * body.m_full); }

/// The law of what is stuck at its opening: a plain throttle, both ways.
inline void applyStuck(EdgeLaw& law, const ValveBody& body, double opening) {
  law.check = false;
  law.head_0 = law.cracking = 0.0;
  law.open = law.open && opening >= kLeastOpening;
  if (law.open) body.apply(law, opening);
}

/// Set of a kernel without a drive that has a set value (held value 0, checked by Kernel::refuses) and may stick.
template <class Kernel>
class SelfActingSet final : public KernelSet<Kernel> {
 public:
  using KernelSet<Kernel>::KernelSet;
  bool command(State& state, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "stick") {
      if (!(value >= 0.0 && value <= 1.0)) {
        reason = "'stick' of a " + std::string(this->info().name) + " takes its position, from 0 to 1";
        return false;
      }
      this->z(state, kStuck, i) = 1.0 + value;
      return true;
    }
    if constexpr (requires { Kernel::refuses(this->instance(i), value); }) {
      if (verb == "set") {
        reason = Kernel::refuses(this->instance(i), value);
        if (!reason.empty()) return false;
        this->z(state, kCommonCount, i) = value;
        return true;
      }
    }
    return KernelSet<Kernel>::command(state, i, verb, value, reason);
  }
};

template <class Kernel>
RegisteredClass selfActingClass() {
  return {&Kernel::info(), [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<SelfActingSet<Kernel>>(std::move(instances)));
          }};
}

}  // namespace podtwin
