// What the circuits hold: which volumes of coolant stand at which temperatures, and what becomes of those that are shut
// in. Theory: docs/theory/inventory.md.
#pragma once

#include <cstddef>
#include <vector>

#include "model/fluids/coolant_law.hpp"
#include "model/system/evaluation.hpp"
#include "model/system/state.hpp"

namespace podtwin {

class ComponentSet;
class System;
struct Occurrence;

/// A volume of coolant at one temperature, part of what stands at a node.
struct CoolantContent {
  std::size_t node = 0;
  std::size_t column = 0;  ///< unknown that is its temperature, if no owner tells it
  double volume = 0.0;     ///< m3
  const ComponentSet* owner = nullptr;
  std::size_t instance = 0;
  double temperature(const Evaluation& e) const;  ///< K
};

/// Coolant in the plant and what crossed its boundary since the start [kg], from independent terms.
struct CoolantLedger {
  double held = 0.0, in = 0.0, out = 0.0;
  CoolantLedger& operator+=(const CoolantLedger& other) {
    held += other.held;
    in += other.in;
    out += other.out;
    return *this;
  }
};

class Inventory {
 public:
  explicit Inventory(const System& system) : system_(system) {}
  /// Sizes the lists once the circuits are known.
  void prepare();
  void add(CoolantContent content);
  void addRelief(std::size_t node, const ComponentSet* set, std::size_t instance);
  /// The circuit needs its density by temperature.
  void useDensity(std::size_t circuit);

  double volume(std::size_t circuit) const;  ///< m3, without vessels
  /// Mass [kg] of the circuit's contents at their temperatures; of shut-in parts as when they were shut.
  double mass(std::size_t circuit, const Evaluation& e) const;
  /// Gas over coolant by volume in the circuit, at the pressure of its vessel; 0 without a vessel.
  double gasShare(std::size_t circuit, const Evaluation& e) const;
  const fluids::CoolantLaw& coolant(std::size_t circuit) const { return coolants_[circuit]; }
  /// K by which a content of the circuit is outside the density's data; 0 inside.
  double beyondData(std::size_t circuit, const Evaluation& e) const;

  /// After a solve of the circuit's flows: which of its nodes are shut in together.
  void findTrapped(std::size_t circuit, Evaluation& e) const;
  /// Pressures of the nodes that are shut in.
  void trappedPressures(std::size_t circuit, Evaluation& e) const;
  /// Once a second: what has newly been shut in, joined, opened or relieved.
  void sampleTrapped(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const;
  /// Rise of pressure [Pa] at a node since its part was shut, where no relief valve is in it; 0 elsewhere.
  double unrelievedRise(std::size_t node, const Evaluation& e) const;

 private:
  struct Relief {
    std::size_t node;
    const ComponentSet* set;
    std::size_t instance;
  };
  struct Part {
    double volume = 0.0, mean = 0.0;  ///< m3, K
  };
  std::vector<Part> parts(std::size_t circuit, const Evaluation& e) const;
  const Relief* firstRelief(std::size_t circuit, std::int32_t part, const Evaluation& e) const;
  bool samplePart(std::size_t circuit, std::int32_t part, const Part& whole, const Evaluation& e, State& state,
                  std::vector<Occurrence>& occurrences) const;
  void relieve(std::size_t circuit, std::int32_t part, const Part& whole, const Evaluation& e, State& state,
               std::vector<Occurrence>& occurrences) const;

  const System& system_;
  std::vector<std::vector<CoolantContent>> contents_;  ///< [circuit]
  std::vector<std::vector<Relief>> reliefs_;           ///< [circuit]
  std::vector<fluids::CoolantLaw> coolants_;  ///< [circuit], by temperature whatever the circuit holds constant
};

}  // namespace podtwin
