// Makes small plants of the cooling classes for tests: every parameter takes its class default unless given.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/components/cooling/classes.hpp"
#include "model/system/system.hpp"

namespace podtwin {

class PlantBuilder {
 public:
  using Ports = std::map<std::string, std::vector<std::string>>;
  using Numbers = std::map<std::string, double>;
  using Texts = std::map<std::string, std::string>;

  /// A circuit of a made-up coolant; its pressure is held at `reference`, or by boundary nodes when that is empty.
  PlantBuilder& circuit(const std::string& name, const std::string& reference = {}, double cp = 4000.0,
                        double density = 1000.0) {
    CircuitDescription c;
    c.name = name;
    c.fluid = {.name = "custom", .density = density, .viscosity = 1e-3, .specific_heat = cp, .conductivity = 0.6};
    c.reference_node = reference;
    c.reference_pressure = 100e3;
    plant_.circuits.push_back(c);
    return *this;
  }
  PlantBuilder& friction(const std::string& law) {
    plant_.friction = law;
    return *this;
  }
  PlantBuilder& node(const NodeDescription& description) {
    plant_.nodes.push_back(description);
    return *this;
  }
  const ParameterValue& parameter(const std::string& id, const std::string& name) const {
    for (const auto& d : plant_.instances)
      if (d.id == id) return d.parameters.at(name);
    throw Error("no instance " + id);
  }
  PlantBuilder& volume(const std::string& node, double m3) {
    NodeDescription n;
    n.name = node;
    n.volume = m3;
    plant_.nodes.push_back(n);
    return *this;
  }
  /// A node at a held pressure [Pa] and, if positive, a held temperature [K].
  PlantBuilder& boundary(const std::string& node, double pressure, double temperature = 0.0) {
    NodeDescription n;
    n.name = node;
    n.fixed_pressure = pressure;
    if (temperature > 0.0) n.fixed_temperature = temperature;
    plant_.nodes.push_back(n);
    return *this;
  }
  InstanceDescription& add(const std::string& class_name, const std::string& id, Ports ports,
                           const Numbers& numbers = {}, const Texts& texts = {}) {
    const ClassInfo* info = nullptr;
    for (const auto& c : coolingClasses())
      if (c.info->name == class_name) info = c.info;
    if (info == nullptr) throw Error("no class " + class_name);
    InstanceDescription d;
    d.id = id;
    d.class_name = class_name;
    d.ports = std::move(ports);
    for (const auto& parameter : info->parameters) {
      ParameterValue& value = d.parameters[std::string(parameter.name)];
      value.number = parameter.fallback;
      if (parameter.kind == ParameterKind::choice)
        value.text = parameter.choices.substr(0, parameter.choices.find('|'));
    }
    for (const auto& [name, number] : numbers) {
      d.parameters.at(name).number = number;
      d.parameters.at(name).given = true;
    }
    for (const auto& [name, text] : texts) d.parameters.at(name).text = text;
    plant_.instances.push_back(std::move(d));
    return plant_.instances.back();
  }
  std::unique_ptr<System> build() const { return std::make_unique<System>(plant_, coolingClasses()); }

 private:
  PlantDescription plant_;
};

/// A plant with its state, evaluated on demand.
class Bench {
 public:
  explicit Bench(const PlantBuilder& builder, double temperature = 293.15, double dry_bulb = 303.15)
      : system(builder.build()),
        state(system->initialState(temperature, {dry_bulb, 0.5, 101325.0})),
        e(system->makeEvaluation()),
        ydot(system->size()) {
    evaluate();
  }
  void evaluate() { system->evaluate(state, state.t, state.y, e, ydot); }
  double value(const std::string& address) const {
    const SignalAddress signal = system->findSignal(address);
    if (signal.set == nullptr) throw Error("no signal " + address);
    return system->value(signal, e);
  }
  /// Index in y of state k of an instance.
  std::size_t index(const std::string& id, std::size_t k = 0) const {
    const auto [set, i] = system->find(id);
    if (set == nullptr) throw Error("no instance " + id);
    return set->yIndex(k, i);
  }
  bool command(const std::string& id, const std::string& verb, double number = kRequired) {
    const auto [set, i] = system->find(id);
    return set->command(state, i, verb, number, reason);
  }
  std::vector<Occurrence> sample() {
    std::vector<Occurrence> events;
    system->sample(state, e, events);
    return events;
  }

  std::unique_ptr<System> system;
  State state;
  Evaluation e;
  std::vector<double> ydot;
  std::string reason;
};

}  // namespace podtwin
