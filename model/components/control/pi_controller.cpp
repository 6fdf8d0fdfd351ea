// Proportional-integral controller, sampled or continuous. Equations: pi_controller.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/components/control/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"sensor", PortKind::member, PortCount::one, "sensor (or any equipment: its first signal) that measures the controlled value"},
    {"drives", PortKind::member, PortCount::many, "pumps, valves or fans that follow its output"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "set_point_temperature", .quantity = Quantity::temperature, .fallback = 0.0, .low = 0.0, .high = 1000.0, .meaning = "Set point of a temperature; give one of the four.", .source = "0: not this kind"},
    {.name = "set_point_pressure", .quantity = Quantity::pressure_difference, .fallback = 0.0, .low = 0.0, .high = 1e8, .meaning = "Set point of a pressure or pressure difference.", .source = "0: not this kind"},
    {.name = "set_point_flow", .quantity = Quantity::volume_flow, .fallback = 0.0, .low = 0.0, .high = 1e3, .meaning = "Set point of a flow.", .source = "0: not this kind"},
    {.name = "set_point", .quantity = Quantity::ratio, .fallback = 0.0, .low = -1e12, .high = 1e12, .meaning = "Set point of a value without unit.", .source = "0"},
    {.name = "gain", .quantity = Quantity::ratio, .fallback = 1.0, .low = 0.0, .high = 1e12, .meaning = "Output per error, the error in units of `span`.", .source = "engineering estimate: one span of error moves the output over its range"},
    {.name = "span_temperature", .quantity = Quantity::temperature_difference, .fallback = 10.0, .low = 1e-9, .high = 1e6, .meaning = "Error that counts as 1 for a temperature.", .source = "engineering estimate"},
    {.name = "span_pressure", .quantity = Quantity::pressure_difference, .fallback = 100e3, .low = 1e-9, .high = 1e9, .meaning = "Error that counts as 1 for a pressure.", .source = "engineering estimate"},
    {.name = "span_flow", .quantity = Quantity::volume_flow, .fallback = 0.02, .low = 1e-12, .high = 1e6, .meaning = "Error that counts as 1 for a flow.", .source = "engineering estimate"},
    {.name = "integral_time", .quantity = Quantity::time, .fallback = 30.0, .low = 1e-3, .high = 1e9, .meaning = "Integral time.", .source = "engineering estimate"},
    {.name = "action", .kind = ParameterKind::choice, .fallback = 0.0, .meaning = "reverse: output rises when the value is below the set point; direct: when it is above.", .source = "usual terms of process control", .choices = "reverse|direct"},
    {.name = "output_low", .quantity = Quantity::ratio, .fallback = 0.0, .low = -1e12, .high = 1e12, .meaning = "Least output.", .source = "closed or stopped"},
    {.name = "output_high", .quantity = Quantity::ratio, .fallback = 1.0, .low = -1e12, .high = 1e12, .meaning = "Most output.", .source = "open or full speed"},
    {.name = "start_output", .quantity = Quantity::ratio, .fallback = 0.6, .low = -1e12, .high = 1e12, .meaning = "Integral part at a cold start.", .source = "engineering estimate"},
    {.name = "sample_period", .quantity = Quantity::time, .fallback = 1.0, .low = 0.0, .high = 3600.0, .meaning = "Time between samples, a multiple of the base period; 0: continuous.", .source = "scan times of plant controllers 0.1-1 s, estimate"},
};
constexpr StateInfo kStates[] = {{"integral", Quantity::ratio, 0.1, "Integral part of the output."}};
constexpr DiscreteInfo kDiscretes[] = {
    {"set_point_now", Quantity::none, 0.0, "Set point in force, SI."},
    {"held_rate", Quantity::rate, 0.0, "Rate of the integral, held between samples [1/s]."},
    {"held_output", Quantity::ratio, 0.0, "Output, held between samples."},
    {"next_sample", Quantity::time, 0.0, "Time of the next sample [s]."},
};
enum Discrete : std::size_t { kSetPoint = kCommonCount, kHeldRate, kHeldOutput, kNextSample };
constexpr SignalInfo kSignals[] = {
    {"setpoint", Quantity::none, SignalType::real, "Set point, in the SI unit of the measured value."},
    {"measured", Quantity::none, SignalType::real, "Measured value."},
    {"output", Quantity::ratio, SignalType::real, "Output."},
    {"mode", Quantity::none, SignalType::integer, "0 automatic, 1 manual, 2 off."},
    {"saturated", Quantity::none, SignalType::integer, "1 at the upper, -1 at the lower bound."},
};
constexpr CommandInfo kCommands[] = {{"set", "set_point", Quantity::none, "Another set point, in the unit of what is measured."}, {"trip", "", Quantity::none, "The output stays where it is."}, {"restore", "", Quantity::none, "Works again."}};
constexpr ClassInfo kInfo{.name = "pi_controller", .group = "controller", .title = "PI controller", .page = "control/pi_controller.md", .symbol = "controller",
                          .ports = kPorts, .parameters = kParameters, .states = kStates, .discretes = kDiscretes, .signals = kSignals, .commands = kCommands};

struct PiController {
  static constexpr int kColumns = 0, kRows = 1;
  struct Instance {
    std::array<std::size_t, 0> columns;
    std::array<std::size_t, 1> rows;
    std::size_t self, integral;
    const ComponentSet* sensor;
    std::size_t sensor_instance;
    std::vector<std::pair<const ComponentSet*, std::size_t>> drives;
    double set_point, gain, integral_time, low, high, start, period, sign;
    const KernelSet<PiController>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<PiController>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.integral = set.yIndex(0, i);
    p.rows = {p.integral};
    const auto [sensor, k] = b.member(i, "sensor");
    p.sensor = sensor;
    p.sensor_instance = k;
    for (std::size_t n = 0; n < b.portCount(i, "drives"); ++n) {
      const auto [drive, instance] = b.member(i, "drives", n);
      if (drive == nullptr) continue;
      if (drive->drive[instance] < 0) {
        b.problems().error(d.port_marks.contains("drives") ? d.port_marks.at("drives") : d.where, "'" + d.id + "' drives '" + drive->ids()[instance] + "', which has nothing to set",
                           "name pumps, valves or fans");
        continue;
      }
      p.drives.emplace_back(drive, instance);
    }
    struct Kind {
      const char *point, *span;
    };
    int given = 0;
    double span = 1.0;
    for (const auto& [point, scale] : {Kind{"set_point_temperature", "span_temperature"}, {"set_point_pressure", "span_pressure"}, {"set_point_flow", "span_flow"}, {"set_point", nullptr}})
      if (d.parameters.at(point).given) {
        ++given;
        p.set_point = d.number(point);
        span = scale != nullptr ? d.number(scale) : 1.0;
      }
    if (given != 1)
      b.problems().error(d.where, "'" + d.id + "' gives " + std::to_string(given) + " set points", "give one of set_point_temperature, set_point_pressure, set_point_flow, set_point");
    p.gain = d.number("gain") / span;
    p.integral_time = d.number("integral_time");
    p.low = d.number("output_low");
    p.high = d.number("output_high");
    p.start = d.number("start_output");
    p.period = d.number("sample_period");
    p.sign = d.text("action") == "direct" ? -1.0 : 1.0;
    if (!(p.low < p.high)) b.problems().error(d.where, "'" + d.id + "': output_low is not below output_high", "give a range");
    b.capacity(p.integral, 1.0);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<PiController>& set, State& s, double) {
    s.y[p.integral] = p.start;
    set.z(s, kSetPoint, i) = p.set_point;
    set.z(s, kHeldOutput, i) = std::clamp(p.start, p.low, p.high);
    // A drive starts where its controller does, whatever its own start value says.
    for (const auto& [drive, k] : p.drives) drive->z(s, kCommand, k) = set.z(s, kHeldOutput, i);
  }
  static double measured(const Instance& p, const Evaluation& e) { return p.sensor->signalOf(e, 0, p.sensor_instance); }
  static double error(const Instance& p, const Evaluation& e) { return p.sign * (p.set->z(e, kSetPoint, p.self) - measured(p, e)); }
  /// Integration stops where it would drive a bounded output further out (conditional anti-windup).
  static double integralRate(const Instance& p, double error_now, double output) {
    const double rate = p.gain * error_now / p.integral_time;
    return (output >= p.high && rate > 0.0) || (output <= p.low && rate < 0.0) ? 0.0 : rate;
  }
  static bool continuous(const Instance& p) { return p.period <= 0.0; }
  static void control(std::size_t i, const Instance& p, const KernelSet<PiController>& set, Evaluation& e) {
    if (!continuous(p) || !set.available(e, i)) return;
    // The sensor's reading is an unknown, so it is known before anything else is.
    const double output = std::clamp(p.gain * error(p, e) + e.y[p.integral], p.low, p.high);
    for (const auto& [drive, k] : p.drives)
      if (drive->z(e, kMode, k) == 0.0) e.command[static_cast<std::size_t>(drive->drive[k])] = output;
  }
  static double outputNow(const Instance& p, const Evaluation& e) {
    return continuous(p) ? std::clamp(p.gain * error(p, e) + e.y[p.integral], p.low, p.high) : p.set->z(e, kHeldOutput, p.self);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    r[0] = S(!p.set->available(e, p.self) ? 0.0 : (continuous(p) ? integralRate(p, error(p, e), outputNow(p, e)) : p.set->z(e, kHeldRate, p.self)));
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<PiController>& set, const Evaluation& e, State& s, std::vector<Occurrence>&) {
    if (continuous(p)) return;
    if (!set.available(e, i)) {
      set.z(s, kHeldRate, i) = 0.0;
      return;
    }
    double& next = set.z(s, kNextSample, i);
    constexpr double kTolerance = 1e-9;  // s
    if (e.t < next - kTolerance) return;
    next = e.t + p.period;
    const double error_now = error(p, e);
    // Where every drive is out of its hands it follows them, so that taking over again makes no bump.
    bool any = p.drives.empty();
    double manual = 0.0;
    for (const auto& [drive, k] : p.drives) {
      any = any || drive->z(s, kMode, k) == 0.0;
      manual = drive->z(s, kCommand, k);
    }
    if (!any) {
      s.y[p.integral] = manual - p.gain * error_now;
      set.z(s, kHeldRate, i) = 0.0;
      set.z(s, kHeldOutput, i) = std::clamp(manual, p.low, p.high);
      return;
    }
    const double output = std::clamp(p.gain * error_now + s.y[p.integral], p.low, p.high);
    set.z(s, kHeldRate, i) = integralRate(p, error_now, output);
    set.z(s, kHeldOutput, i) = output;
    for (const auto& [drive, k] : p.drives)
      if (drive->z(s, kMode, k) == 0.0 && drive->z(s, kStuck, k) == 0.0) drive->z(s, kCommand, k) = output;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<PiController>& set, const Evaluation& e) {
    switch (k) {
      case 0: return set.z(e, kSetPoint, i);
      case 1: return measured(p, e);
      case 2: return outputNow(p, e);
      case 3: return set.z(e, kMode, i);
      default: {
        const double output = outputNow(p, e);
        return output >= p.high ? 1.0 : (output <= p.low ? -1.0 : 0.0);
      }
    }
  }
};

class PiControllerSet final : public KernelSet<PiController> {
 public:
  using KernelSet<PiController>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "set") return KernelSet<PiController>::command(s, i, verb, value, reason);
    z(s, kSetPoint, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass piControllerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) { out.push_back(std::make_unique<PiControllerSet>(std::move(instances))); }};
}

}  // namespace podtwin
