// Proportional-integral controller, sampled or continuous. Equations: pi_controller.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/components/control/classes.hpp"
#include "model/components/control/measured_kind.hpp"
#include "model/components/control/pi_law.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"sensor", PortKind::member, PortCount::one,
     "sensor that measures the controlled value (or other equipment: its first signal)"},
    {"drives", PortKind::member, PortCount::many, "pumps, valves or fans that follow its output"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "set_point_temperature",
     .quantity = Quantity::temperature,
     .fallback = 0.0,
     .low = -1000.0,
     .high = 1000.0,
     .meaning = "Set point of a temperature or, in K, of a difference of two; give one of the four set points.",
     .source = "0: not this kind"},
    {.name = "set_point_pressure",
     .quantity = Quantity::pressure_difference,
     .fallback = 0.0,
     .low = -1e8,
     .high = 1e8,
     .meaning = "Set point of a gauge pressure or a pressure difference.",
     .source = "0: not this kind"},
    {.name = "set_point_flow",
     .quantity = Quantity::volume_flow,
     .fallback = 0.0,
     .low = -1e3,
     .high = 1e3,
     .meaning = "Set point of a flow.",
     .source = "0: not this kind"},
    {.name = "set_point",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = -1e12,
     .high = 1e12,
     .meaning = "Set point of a value without unit.",
     .source = "0: not this kind"},
    {.name = "gain",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.0,
     .high = 1e12,
     .meaning = "Output per error, the error in units of the span; of a value without unit, output per error.",
     .source = "engineering estimate: one span of error moves the output over its range"},
    {.name = "span_temperature",
     .quantity = Quantity::temperature_difference,
     .fallback = 10.0,
     .low = 1e-9,
     .high = 1e6,
     .meaning = "Error that counts as 1 for a temperature.",
     .source = "engineering estimate"},
    {.name = "span_pressure",
     .quantity = Quantity::pressure_difference,
     .fallback = 100e3,
     .low = 1e-9,
     .high = 1e9,
     .meaning = "Error that counts as 1 for a pressure.",
     .source = "engineering estimate"},
    {.name = "span_flow",
     .quantity = Quantity::volume_flow,
     .fallback = 0.02,
     .low = 1e-12,
     .high = 1e6,
     .meaning = "Error that counts as 1 for a flow.",
     .source = "engineering estimate: the 1,200 L/min of a CDU"},
    {.name = "integral_time",
     .quantity = Quantity::time,
     .fallback = 30.0,
     .low = 1e-3,
     .high = 1e9,
     .meaning = "Integral time.",
     .source = "engineering estimate"},
    {.name = "action",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "reverse: output rises when the value is below the set point; direct: when it is above.",
     .source = "usual terms of process control",
     .choices = "reverse|direct"},
    {.name = "output_low",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = -1e12,
     .high = 1e12,
     .meaning = "Least output.",
     .source = "0: closed or stopped"},
    {.name = "output_high",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = -1e12,
     .high = 1e12,
     .meaning = "Most output.",
     .source = "1: open or full speed"},
    {.name = "start_output",
     .quantity = Quantity::ratio,
     .fallback = 0.6,
     .low = -1e12,
     .high = 1e12,
     .meaning = "Integral part at a cold start.",
     .source = "engineering estimate"},
    {.name = "sample_period",
     .quantity = Quantity::time,
     .fallback = 1.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "Time between samples, a multiple of the base period; 0: continuous.",
     .source = "scan times of plant controllers 0.1-1 s, estimate"},
    {.name = "rate_limit",
     .quantity = Quantity::rate,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Fastest change of a sampled output; 0: none.",
     .source = "0: the drives have their own ramps"},
};
constexpr StateInfo kStates[] = {{"integral", Quantity::ratio, 0.1, "Integral part of the output."}};
constexpr DiscreteInfo kDiscretes[] = {
    {"set_point_now", Quantity::none, 0.0, "Set point in force, SI."},
    {"held_rate", Quantity::rate, 0.0, "Rate of the integral, held between samples [1/s]."},
    {"held_output", Quantity::ratio, 0.0, "Output, held between samples."},
    {"next_sample", Quantity::time, 0.0, "Time of the next sample [s]."},
    {"tracking", Quantity::none, 0.0, "1: the output was not its own at the last sample."},
};
enum Discrete : std::size_t { kSetPoint = kCommonCount, kHeldRate, kHeldOutput, kNextSample, kTracking };
constexpr SignalInfo kSignals[] = {
    {"setpoint", Quantity::none, SignalType::real, "Set point, in the SI unit of the measured value.", kByInstance},
    {"measured", Quantity::none, SignalType::real, "Measured value, as the sensor says.", kByInstance},
    {"output", Quantity::ratio, SignalType::real, "Output."},
    {"mode", Quantity::none, SignalType::integer, "0 automatic, 1 manual, 2 off."},
    {"saturated", Quantity::none, SignalType::integer, "1 at the upper, -1 at the lower bound."},
};
constexpr CommandInfo kCommands[] = {
    {"set_temperature", "set_point", Quantity::temperature, "Another set point of a temperature.", kByInstance},
    {"set_pressure", "set_point", Quantity::pressure_difference, "Another set point of a pressure.", kByInstance},
    {"set_flow", "set_point", Quantity::volume_flow, "Another set point of a flow.", kByInstance},
    {"set", "set_point", Quantity::none, "Another set point, of the kind that it controls.", kByInstance},
    {"manual", "output", Quantity::ratio, "Manual output; without a value the present one stays."},
    {"automatic", "", Quantity::none, "Back to automatic, without a bump."},
    {"trip", "", Quantity::none, "The controller fails: its output stays where it is."},
    {"restore", "", Quantity::none, "Works again, without a bump."},
};
constexpr ClassInfo kInfo{.name = "pi_controller",
                          .group = "controller",
                          .title = "PI controller",
                          .page = "control/pi_controller.md",
                          .symbol = "controller",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

constexpr double kFade = 0.01;                     // of the range of the output
constexpr double kAutomatic = 0.0, kManual = 1.0;  // values of kMode

/// The four sorts of set point, each with the verb that changes it.
struct SetPointKind {
  MeasuredKind kind;
  const char *point, *span, *verb;
};
constexpr SetPointKind kKinds[] = {
    {MeasuredKind::temperature, "set_point_temperature", "span_temperature", "set_temperature"},
    {MeasuredKind::pressure, "set_point_pressure", "span_pressure", "set_pressure"},
    {MeasuredKind::flow, "set_point_flow", "span_flow", "set_flow"},
    {MeasuredKind::ratio, "set_point", nullptr, "set"},
};

struct PiController {
  static constexpr int kColumns = 0, kRows = 1;
  using Drive = std::pair<const ComponentSet*, std::size_t>;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;
    std::size_t self, integral;
    SignalAddress measured;
    std::optional<SignalAddress> quality;
    std::vector<Drive> drives;
    MeasuredKind kind;
    Quantity quantity;  // of the measured value and its set point
    PiLaw law;
    double set_point, start, period, rate_limit, sign;
    const KernelSet<PiController>* set;
  };
  static const ClassInfo& info() { return kInfo; }

  static void bindSensor(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
    const auto [sensor, k] = b.member(i, "sensor");
    if (sensor == nullptr) return;
    p.measured = {sensor, 0, k};
    if (sensor->info().name == "sensor")
      for (std::size_t s = 0; s < sensor->info().signals.size(); ++s)
        if (sensor->info().signals[s].name == "quality") p.quality = SignalAddress{sensor, s, k};
    const auto found = quantityBehind(b.system(), p.measured);
    if (!found) return;  // the sensor says what is wrong with what it measures
    p.quantity = *found;
    if (kindOf(p.quantity) != p.kind)
      b.problems().error(d.where,
                         "'" + d.id + "' has the set point of a " + std::string(kindName(p.kind)) +
                             ", but its sensor measures a " + std::string(kindName(kindOf(p.quantity))),
                         "give the set point that belongs to the sensor, or another sensor");
  }
  static void bindDrives(std::size_t i, const InstanceDescription& d, const KernelSet<PiController>& set, Binder& b,
                         Instance& p) {
    for (std::size_t n = 0; n < b.portCount(i, "drives"); ++n) {
      const auto [drive, k] = b.member(i, "drives", n);
      if (drive == nullptr) continue;
      const std::string& id = drive->ids()[k];
      if (drive->drive[k] < 0) {
        b.problems().error(
            d.where,
            "'" + d.id + "' drives '" + id + "', a " + std::string(drive->info().name) + ", which has nothing to drive",
            "name pumps, valves or fans");
        continue;
      }
      p.drives.emplace_back(drive, k);
      for (std::size_t other = 0; other < i; ++other)
        if (const auto& taken = set.instance(other).drives;
            std::find(taken.begin(), taken.end(), p.drives.back()) != taken.end())
          b.problems().error(d.where, "'" + id + "' is driven by '" + set.ids()[other] + "' and by '" + d.id + "'",
                             "leave it to one controller");
    }
    if (b.portCount(i, "drives") == 0)
      b.problems().error(d.where, "'" + d.id + "' drives nothing", "name what it drives at `drives`");
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<PiController>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.integral = set.yIndex(0, i);
    p.rows = {p.integral};
    int given = 0;
    double span = 1.0;
    p.kind = MeasuredKind::ratio;
    p.quantity = Quantity::none;
    for (const auto& kind : kKinds)
      if (d.parameters.at(kind.point).given) {
        ++given;
        p.kind = kind.kind;
        p.set_point = d.number(kind.point);
        span = kind.span != nullptr ? d.number(kind.span) : 1.0;
      }
    if (given != 1)
      b.problems().error(d.where, "'" + d.id + "' gives " + std::to_string(given) + " set points",
                         "give one of set_point_temperature, set_point_pressure, set_point_flow, set_point");
    else
      bindSensor(i, d, b, p);
    bindDrives(i, d, set, b, p);
    p.law.gain = d.number("gain") / span;
    p.law.integral_time = d.number("integral_time");
    p.law.low = d.number("output_low");
    p.law.high = d.number("output_high");
    p.start = d.number("start_output");
    p.period = d.number("sample_period");
    p.rate_limit = d.number("rate_limit");
    p.sign = d.text("action") == "direct" ? -1.0 : 1.0;
    if (!(p.law.low < p.law.high))
      b.problems().error(d.where, "'" + d.id + "': output_low is not below output_high", "give a range");
    else if (p.start < p.law.low || p.start > p.law.high)
      b.problems().error(d.parameters.at("start_output").given ? d.parameters.at("start_output").where : d.where,
                         "'" + d.id + "': start_output is outside output_low to output_high", "start within the range");
    if (p.rate_limit > 0.0 && continuous(p))
      b.problems().error(d.where, "'" + d.id + "' limits the rate of a continuous output",
                         "give a sample_period, or leave rate_limit to the drives");
    b.capacity(p.integral, 1.0);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<PiController>& set, State& s, double) {
    s.y[p.integral] = p.start;
    set.z(s, kSetPoint, i) = p.set_point;
    set.z(s, kHeldOutput, i) = p.start;
    // A drive starts where its controller does, whatever its own start value says.
    for (const auto& [drive, k] : p.drives)
      if (drive->z(s, kMode, k) != kManual) drive->z(s, kCommand, k) = p.start;
  }

  static double measured(const Instance& p, const Evaluation& e) {
    return p.measured.set->signalOf(e, p.measured.signal, p.measured.instance);
  }
  static double error(const Instance& p, const Evaluation& e) {
    return p.sign * (p.set->z(e, kSetPoint, p.self) - measured(p, e));
  }
  static bool continuous(const Instance& p) { return p.period <= 0.0; }
  /// Alive, automatic and with a good measurement: otherwise its output stays.
  static bool acts(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) && p.set->z(e, kMode, p.self) == kAutomatic &&
           (!p.quality || p.quality->set->signalOf(e, p.quality->signal, p.quality->instance) == 0.0);
  }
  /// The law's integral rate without its jump, for a continuous output: integration fades over kFade of the range
  /// beyond the bound. With a jump, integration would switch on and off without end where it just balances a falling
  /// error.
  static double fadingIntegralRate(const Instance& p, double error_now, double wanted) {
    const double rate = p.law.gain * error_now / p.law.integral_time;
    const double beyond = rate > 0.0 ? wanted - p.law.high : p.law.low - wanted;
    return rate * std::clamp(1.0 - beyond / (kFade * (p.law.high - p.law.low)), 0.0, 1.0);
  }
  static double wanted(const Instance& p, const Evaluation& e) { return p.law.gain * error(p, e) + e.y[p.integral]; }
  static double outputNow(const Instance& p, const Evaluation& e) {
    return continuous(p) && acts(p, e) ? std::clamp(wanted(p, e), p.law.low, p.law.high)
                                       : p.set->z(e, kHeldOutput, p.self);
  }

  static void control(std::size_t, const Instance& p, const KernelSet<PiController>&, Evaluation& e) {
    if (!continuous(p)) return;
    // The sensor's reading is an unknown, so it is known before anything else is.
    const double output = outputNow(p, e);
    for (const auto& [drive, k] : p.drives)
      if (drive->z(e, kMode, k) == kAutomatic) e.command[static_cast<std::size_t>(drive->drive[k])] = output;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    if (!acts(p, e)) return;
    if (continuous(p) && p.set->z(e, kTracking, p.self) == 0.0)
      r[0] = S(fadingIntegralRate(p, error(p, e), wanted(p, e)));
    else
      r[0] = S(p.set->z(e, kHeldRate, p.self));
  }

  static void sample(std::size_t i, const Instance& p, const KernelSet<PiController>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>&) {
    if (!continuous(p) && !sampleDue(set.z(s, kNextSample, i), e.t, p.period, e.steady_search)) return;
    double& held = set.z(s, kHeldOutput, i);
    double& rate = set.z(s, kHeldRate, i);
    double& tracking = set.z(s, kTracking, i);
    // Where every drive is out of its hands it follows them, so that taking over again makes no bump.
    std::size_t automatic = 0, manual = 0;
    double commands = 0.0;
    for (const auto& [drive, k] : p.drives) {
      if (drive->z(s, kMode, k) == kAutomatic) ++automatic;
      if (drive->z(s, kMode, k) != kManual) continue;
      ++manual;
      commands += drive->z(s, kCommand, k);
    }
    const bool own = acts(p, e) && automatic > 0;
    if (!own) {
      if (automatic == 0 && manual > 0 && acts(p, e))
        held = std::clamp(commands / static_cast<double>(manual), p.law.low, p.law.high);
      rate = 0.0;
      tracking = 1.0;
      if (acts(p, e)) s.y[p.integral] = held - p.law.gain * error(p, e);
    } else {
      const double error_now = error(p, e);
      if (tracking != 0.0) s.y[p.integral] = held - p.law.gain * error_now;
      tracking = 0.0;
      const double asked = p.law.gain * error_now + s.y[p.integral];
      double output = std::clamp(asked, p.law.low, p.law.high);
      if (p.rate_limit > 0.0)
        output = std::clamp(output, held - p.rate_limit * p.period, held + p.rate_limit * p.period);
      rate = continuous(p) ? 0.0 : piIntegralRate(p.law, error_now, asked, output);
      held = output;
    }
    for (const auto& [drive, k] : p.drives)
      if (drive->z(s, kMode, k) == kAutomatic) drive->z(s, kCommand, k) = held;
  }

  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<PiController>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return set.z(e, kSetPoint, i);
      case 1:
        return measured(p, e);
      case 2:
        return outputNow(p, e);
      case 3:
        return set.z(e, kMode, i);
      default: {
        const double output = outputNow(p, e);
        return output >= p.law.high ? 1.0 : (output <= p.law.low ? -1.0 : 0.0);
      }
    }
  }
};

class PiControllerSet final : public KernelSet<PiController> {
 public:
  using KernelSet<PiController>::KernelSet;
  Quantity signalQuantity(std::size_t signal, std::size_t i) const override {
    return kSignals[signal].by_instance ? instance(i).quantity : kSignals[signal].quantity;
  }
  Quantity commandQuantity(const CommandInfo& command, std::size_t i) const override {
    // The verb of another kind keeps its own, so that it is refused for what it is.
    const bool own = std::any_of(std::begin(kKinds), std::end(kKinds), [&](const SetPointKind& kind) {
      return command.verb == kind.verb && (kind.kind == instance(i).kind || kind.kind == MeasuredKind::ratio);
    });
    return own ? instance(i).quantity : command.quantity;
  }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    const auto& p = instance(i);
    for (const auto& kind : kKinds) {
      if (verb != kind.verb) continue;
      // `set` belongs to a value without unit, and takes what the text of any other says.
      if (kind.kind != p.kind && kind.kind != MeasuredKind::ratio) {
        reason = "it controls a " + std::string(kindName(p.kind)) + ", not a " + std::string(kindName(kind.kind));
        return false;
      }
      if (!std::isfinite(value)) {
        reason = "a set point needs a value";
        return false;
      }
      z(s, kSetPoint, i) = value;
      return true;
    }
    if (verb == "manual") {
      if (std::isfinite(value) && (value < p.law.low || value > p.law.high)) {
        reason = "a manual output must be from " + std::to_string(p.law.low) + " to " + std::to_string(p.law.high);
        return false;
      }
      z(s, kMode, i) = kManual;
      if (std::isfinite(value)) z(s, kHeldOutput, i) = value;
      if (z(s, kInService, i) != 0.0 && z(s, kTripped, i) == 0.0) writeHeld(s, p);
      return true;
    }
    return KernelSet<PiController>::command(s, i, verb, value, reason);
  }

 private:
  static void writeHeld(State& s, const PiController::Instance& p) {
    for (const auto& [drive, k] : p.drives)
      if (drive->z(s, kMode, k) == kAutomatic) drive->z(s, kCommand, k) = p.set->z(s, kHeldOutput, p.self);
  }
};

}  // namespace

RegisteredClass piControllerClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<PiControllerSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
