// Small plants made in C++ for the tests of power and control: instances with the defaults of their class.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/components/control/classes.hpp"
#include "model/components/power/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin::test {

// A lump of heat capacity 1 MJ/K that gives 1 kW/K to the outdoor air and takes 100 kW times its command.
inline constexpr double kMassCapacity = 1e6;     // J/K
inline constexpr double kMassConductance = 1e3;  // W/K
inline constexpr double kMassPower = 100e3;      // W

inline constexpr StateInfo kMassStates[] = {{"t", Quantity::temperature, 1.0, "Temperature."}};
inline constexpr SignalInfo kMassSignals[] = {
    {"t", Quantity::temperature, SignalType::real, "Temperature."},
    {"power", Quantity::power, SignalType::real, "Power taken."},
    {"dp", Quantity::pressure_difference, SignalType::real, "A pressure that goes with the square of the command."},
};
inline constexpr ClassInfo kMassInfo{.name = "thermal_mass",
                                     .group = "thermal_mass",
                                     .title = "Thermal mass",
                                     .page = "",
                                     .symbol = "none",
                                     .states = kMassStates,
                                     .signals = kMassSignals};
struct ThermalMass {
  static constexpr int kColumns = 2, kRows = 2;
  struct Instance {
    std::array<std::size_t, 2> columns, rows;
    std::size_t self;
    const KernelSet<ThermalMass>* set;
  };
  static const ClassInfo& info() { return kMassInfo; }
  static Instance bind(std::size_t i, const InstanceDescription&, KernelSet<ThermalMass>& set, Binder& b) {
    b.makeDrive(i);
    b.capacity(set.yIndex(0, i), kMassCapacity);
    return {{set.yIndex(0, i), b.ambient().column}, {set.yIndex(0, i), b.ambient().row}, i, &set};
  }
  static double command(const Instance& p, const Evaluation& e) {
    return e.command[static_cast<std::size_t>(p.set->drive[p.self])];
  }
  static double power(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) ? kMassPower * command(p, e) : 0.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<ThermalMass>& set, Evaluation& e) {
    set.load(e, i, power(p, e));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, 2> x, std::span<S, 2> r) {
    const S out = S(kMassConductance) * (x[0] - x[1]);
    r[0] = S(power(p, e)) - out;
    r[1] = out;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<ThermalMass>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.y[set.yIndex(0, i)];
      case 1:
        return power(p, e);
      default:
        return 1e5 * command(p, e) * command(p, e);
    }
  }
};

inline std::span<const RegisteredClass> testClasses() {
  static const std::vector<RegisteredClass> classes = [] {
    std::vector<RegisteredClass> all{{&kMassInfo, makeKernelSetInto<ThermalMass, SetList>}};
    for (const auto part : {powerClasses(), controlClasses()}) all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return classes;
}

/// An instance with every parameter of its class at its default; set() gives one.
class Build : public InstanceDescription {
 public:
  Build(std::string class_of, std::string name) {
    id = std::move(name);
    class_name = std::move(class_of);
    for (const auto& c : testClasses()) {
      if (c.info->name != class_name) continue;
      for (const auto& p : c.info->parameters) {
        ParameterValue value;
        if (p.fallback == p.fallback) value.number = p.fallback;
        if (p.kind == ParameterKind::choice) value.text = std::string(p.choices.substr(0, p.choices.find('|')));
        parameters[std::string(p.name)] = value;
      }
    }
  }
  Build& set(const std::string& name, double value) {
    give(name).number = value;
    return *this;
  }
  Build& set(const std::string& name, const char* value) {
    give(name).text = value;
    return *this;
  }
  Build& numbers(const std::string& name, std::vector<double> value) {
    give(name).numbers = std::move(value);
    return *this;
  }
  Build& curve(const std::string& name, std::vector<std::pair<double, double>> value) {
    give(name).points = std::move(value);
    return *this;
  }
  Build& port(const std::string& name, std::vector<std::string> to) {
    ports[name] = std::move(to);
    return *this;
  }
  Build& on(const std::string& bus) {
    supply = bus;
    return *this;
  }

 private:
  ParameterValue& give(const std::string& name) {
    ParameterValue& value = parameters.at(name);
    value.given = true;
    return value;
  }
};

/// A plant with a state of its own, evaluated and stepped by hand.
class Plant {
 public:
  explicit Plant(std::vector<InstanceDescription> instances, double temperature = 300.0)
      : system_(describe(std::move(instances)), testClasses()), e(system_.makeEvaluation()) {
    Weather weather;
    weather.dry_bulb = 300.0;
    state = system_.initialState(temperature, weather);
    ydot.resize(system_.size());
    evaluate();
  }
  const System& system() const { return system_; }
  void evaluate() { system_.evaluate(state, state.t, state.y, e, ydot); }
  double value(const std::string& address) const {
    const auto found = system_.findSignal(address);
    if (found.set == nullptr) throw std::out_of_range("no value '" + address + "'");
    return system_.value(found, e);
  }
  /// Carries out a command and evaluates; returns the reason of a refusal, empty when it was done.
  std::string command(const std::string& id, const std::string& verb, double value = kRequired) {
    const auto [set, i] = system_.find(id);
    std::string reason;
    if (!set->command(state, i, verb, value, reason)) return reason.empty() ? "refused" : reason;
    evaluate();
    return {};
  }
  void sample() {
    evaluate();
    system_.sample(state, e, occurrences);
    evaluate();
  }
  /// Classical Runge-Kutta over one step of h seconds.
  void step(double h) {
    const auto rate = [&](double t, const std::vector<double>& y) {
      std::vector<double> f(y.size());
      system_.evaluate(state, t, y, e, f);
      return f;
    };
    const auto moved = [&](const std::vector<double>& k, double by) {
      std::vector<double> y = state.y;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += by * k[i];
      return y;
    };
    const auto k1 = rate(state.t, state.y), k2 = rate(state.t + h / 2.0, moved(k1, h / 2.0)),
               k3 = rate(state.t + h / 2.0, moved(k2, h / 2.0)), k4 = rate(state.t + h, moved(k3, h));
    for (std::size_t i = 0; i < state.y.size(); ++i)
      state.y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    state.t += h;
    evaluate();
  }
  /// `seconds` periods of 1 s, each begun by a sample, in `steps` steps a period.
  void run(int seconds, int steps = 10) {
    for (int s = 0; s < seconds; ++s) {
      const double start = state.t;
      sample();
      for (int k = 0; k < steps; ++k) step(1.0 / steps);
      state.t = start + 1.0;
    }
    evaluate();
  }

 private:
  static PlantDescription describe(std::vector<InstanceDescription> instances) {
    PlantDescription plant;
    plant.file = "test";
    plant.instances = std::move(instances);
    return plant;
  }
  System system_;

 public:
  Evaluation e;
  State state;
  std::vector<double> ydot;
  std::vector<Occurrence> occurrences;
};

/// The text of every problem that assembling these instances reports; empty when there is none.
inline std::string problemsOf(std::vector<InstanceDescription> instances) {
  try {
    Plant plant(std::move(instances));
  } catch (const InputError& error) {
    std::string all;
    for (const auto& problem : error.problems()) all += problem.what + "; " + problem.remedy + "\n";
    return all;
  }
  return {};
}

}  // namespace podtwin::test
