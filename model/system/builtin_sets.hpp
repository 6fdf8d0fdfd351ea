// The sets every plant has: facility (weather, ledgers), fluid nodes, buses.
#pragma once

#include <span>

#include "model/system/component_set.hpp"

namespace podtwin {

/// What the facility, nodes and buses declare about themselves.
std::span<const ClassInfo* const> builtinClasses();

class System;

/// States of the facility set, in order.
enum FacilityState : std::size_t {
  kDryBulb = 0,                ///< K, constant between weather changes
  kEnergySources = 1,          ///< J delivered by all sources
  kEnergyToAmbient = 2,        ///< J of heat given to outdoor air
  kEnergyToBoundaries = 3,     ///< J carried out at boundary nodes
  kEnergyIt = 4,               ///< J of IT input
  kCoolantFromBoundaries = 5,  ///< kg that came in at boundary nodes, less what left there
  kEnergyStores = 6,           ///< J that stores of electrical energy gave, less what they took
  kHeatToAmbientRow = kEnergyToAmbient,
};

class FacilitySet final : public ComponentSet {
 public:
  FacilitySet(const System& system, std::vector<const InstanceDescription*> description);
  void bind(Binder& binder) override;
  void initialise(State& state, double temperature) const override;
  void rates(Evaluation& e) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  enum Discrete : std::size_t { kRelativeHumidity = kCommonCount, kPressure, kWetBulb, kDewPoint };

 private:
  const System& system_;
};

class FluidNodeSet final : public ComponentSet {
 public:
  FluidNodeSet(const System& system, std::vector<const InstanceDescription*> descriptions);
  void bind(Binder& binder) override;
  void initialise(State& state, double temperature) const override;
  void rates(Evaluation& e) const override;
  void jacobian(const Evaluation& e, JacobianWriter& writer) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t instance) const override;
  double storedEnergy(const Evaluation& e) const override;
  CoolantLedger coolantLedger(const Evaluation& e) const override;
  void sample(const Evaluation& e, State& state, std::vector<Occurrence>& occurrences) const override;
  enum Discrete : std::size_t { kTrapped = kCommonCount, kTrappedPressure, kTrappedTemperature, kFlowTemperature };
  double limitValue(std::size_t limit, std::size_t instance) const override;

 private:
  const System& system_;
  std::vector<double> mass_;  ///< kg, 0 at a fixed temperature
  std::vector<std::size_t> boundary_slot_;
};

class BusSet final : public ComponentSet {
 public:
  BusSet(const System& system, std::vector<const InstanceDescription*> descriptions);
  void bind(Binder&) override {}
  void initialise(State& state, double temperature) const override;
  void signal(const Evaluation& e, std::size_t signal, std::span<double> out) const override;
  double signalOf(const Evaluation& e, std::size_t signal, std::size_t instance) const override;
  bool solves(std::size_t signal, std::size_t instance) const override;

 private:
  const System& system_;
};

}  // namespace podtwin
