// Proportional-integral controller, sampled or continuous. Equations: pi_controller.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/components/control/classes.hpp"
#include "model/components/control/measured_kind.hpp"
#include "model/components/control/pi_controller_info.hpp"
#include "model/components/control/pi_law.hpp"
#include "model/fluids/range.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

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
    std::vector<std::pair<double, double>> ranges;  // outputs at which each drive stands at 0 and 1; none: the output
    std::optional<SignalAddress> dew_point, dew_quality, reset, reset_quality;
    std::vector<std::pair<double, double>> reset_curve;
    double dew_margin, fail_output, reboot, band;
    bool fail_on_loss, manual_on_loss, fail_on_failure;
    MeasuredKind kind;
    Quantity quantity;  // of the measured value and its set point
    PiLaw law;
    double set_point, start, period, rate_limit, sign;
    const KernelSet<PiController>* set;
  };
  static const ClassInfo& info() { return kPiControllerInfo; }

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
  /// A second sensor, of a temperature: its value and quality.
  static void bindTemperature(std::size_t i, const char* port, const InstanceDescription& d, Binder& b,
                              const Instance& p, std::optional<SignalAddress>& value,
                              std::optional<SignalAddress>& quality) {
    if (!b.hasPort(i, port)) return;
    const auto [sensor, k] = b.member(i, port);
    if (sensor == nullptr) return;
    value = SignalAddress{sensor, 0, k};
    for (std::size_t s = 0; s < sensor->info().signals.size(); ++s)
      if (sensor->info().signals[s].name == "quality") quality = SignalAddress{sensor, s, k};
    const auto found = quantityBehind(b.system(), *value);
    if (found && *found != Quantity::temperature)
      b.problems().error(
          d.where, "'" + d.id + "' needs a temperature at '" + port + "', not a " + std::string(quantityName(*found)),
          "name a sensor of a temperature");
    else if (p.quantity != Quantity::temperature)
      b.problems().error(d.where, "'" + d.id + "' has a sensor at '" + port + "', but controls no temperature",
                         std::string("leave `") + port + "` out, or control a temperature");
  }
  static void bindLimits(std::size_t i, const InstanceDescription& d, Binder& b, Instance& p) {
    const auto refuse = [&](const char* parameter, const std::string& what, const char* remedy) {
      const auto& value = d.parameters.at(parameter);
      b.problems().error(value.given ? value.where : d.where, "'" + d.id + "' " + what, remedy);
    };
    bindTemperature(i, "dew_point", d, b, p, p.dew_point, p.dew_quality);
    bindTemperature(i, "reset", d, b, p, p.reset, p.reset_quality);
    p.reset_curve = d.parameters.at("reset_curve").points;
    if (p.reset_curve.empty() != !b.hasPort(i, "reset"))
      refuse("reset_curve", "gives one of `reset` and `reset_curve` without the other",
             "name the sensor at `reset` and the set points at `reset_curve`");
    for (std::size_t k = 1; k < p.reset_curve.size(); ++k)
      if (!(p.reset_curve[k].first > p.reset_curve[k - 1].first)) {
        refuse("reset_curve", "has a reset_curve whose temperatures do not rise", "order its points by temperature");
        break;
      }
    p.dew_margin = d.number("dew_point_margin");
    p.fail_on_loss = d.text("on_signal_loss") == "fail_output";
    p.manual_on_loss = d.text("on_signal_loss") == "manual";
    p.fail_on_failure = d.text("on_failure") == "fail_output";
    p.fail_output = d.number("fail_output");
    p.reboot = d.number("reboot_time");
    p.band = d.number("reversal_band");
    if ((p.fail_on_loss || p.fail_on_failure) && (p.fail_output < p.law.low || p.fail_output > p.law.high))
      refuse("fail_output", "has a fail_output outside output_low to output_high", "give one within the range");
    const auto& ranges = d.parameters.at("ranges").numbers;
    if (ranges.empty()) return;
    if (ranges.size() != 2 * b.portCount(i, "drives")) {
      refuse("ranges",
             "gives " + std::to_string(ranges.size()) + " bounds of ranges for " +
                 std::to_string(b.portCount(i, "drives")) + " drives",
             "give two a drive, in the same order: ranges: [0, 0.5, 0.5, 1]");
      return;
    }
    for (std::size_t k = 0; k + 1 < ranges.size(); k += 2) {
      if (ranges[k] == ranges[k + 1])
        refuse("ranges", "has a range that begins where it ends", "give each drive a range of the output");
      p.ranges.emplace_back(ranges[k], ranges[k + 1]);
    }
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
    if (p.law.gain == 0.0)
      b.problems().warning(d.parameters.at("gain").where, "'" + d.id + "' has a gain of 0: its output never moves",
                           "give a gain, or leave the controller out and set its drives");
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
    bindLimits(i, d, b, p);
    b.capacity(p.integral, 1.0);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<PiController>& set, State& s, double) {
    s.y[p.integral] = p.start;
    set.z(s, kSetPoint, i) = set.z(s, kInForce, i) = p.set_point;
    set.z(s, kTurnExtreme, i) = p.start;
    set.z(s, kHeldOutput, i) = p.start;
    // A drive starts where its controller does, whatever its own start value says.
    for (std::size_t n = 0; n < p.drives.size(); ++n)
      if (const auto& [drive, k] = p.drives[n]; drive->z(s, kMode, k) != kManual)
        drive->z(s, kCommand, k) = shareOf(p, n, p.start);
  }

  /// What drive n is asked at an output: the output, or its place in the drive's range.
  static double shareOf(const Instance& p, std::size_t n, double output) {
    if (p.ranges.empty()) return output;
    const auto& [zero, one] = p.ranges[n];
    return std::clamp((output - zero) / (one - zero), 0.0, 1.0);
  }
  /// The output at which drive n is asked a share; of a range the end where it stands still, it is the bound.
  static double outputOf(const Instance& p, std::size_t n, double share) {
    return p.ranges.empty() ? share : p.ranges[n].first + share * (p.ranges[n].second - p.ranges[n].first);
  }
  static double measured(const Instance& p, const Evaluation& e) {
    return p.measured.set->signalOf(e, p.measured.signal, p.measured.instance);
  }
  static double error(const Instance& p, const Evaluation& e) {
    return p.sign * (p.set->z(e, kInForce, p.self) - measured(p, e));
  }
  static bool continuous(const Instance& p) { return p.period <= 0.0; }
  static bool good(const std::optional<SignalAddress>& quality, const Evaluation& e) {
    return !quality || quality->set->signalOf(e, quality->signal, quality->instance) == 0.0;
  }
  static bool down(const Instance& p, const Evaluation& e) {
    return !p.set->available(e, p.self) || p.set->z(e, kWasDown, p.self) != 0.0;
  }
  /// Alive, automatic and with a good measurement: otherwise its output is not its own.
  static bool acts(const Instance& p, const Evaluation& e) {
    return !down(p, e) && p.set->z(e, kMode, p.self) == kAutomatic && good(p.quality, e);
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
    for (std::size_t n = 0; n < p.drives.size(); ++n)
      if (const auto& [drive, k] = p.drives[n]; drive->z(e, kMode, k) == kAutomatic)
        e.command[static_cast<std::size_t>(drive->drive[k])] = shareOf(p, n, output);
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns>, std::span<S, kRows> r) {
    if (!acts(p, e)) return;
    if (continuous(p) && p.set->z(e, kTracking, p.self) == 0.0)
      r[0] = S(fadingIntegralRate(p, error(p, e), wanted(p, e)));
    else
      r[0] = S(p.set->z(e, kHeldRate, p.self));
  }

  /// Down from the failure until it has started again.
  static void watchItself(std::size_t i, const Instance& p, const KernelSet<PiController>& set, const Evaluation& e,
                          State& s) {
    double &was_down = set.z(s, kWasDown, i), &back = set.z(s, kBackAt, i);
    if (!set.available(e, i)) {
      was_down = p.reboot > 0.0 ? 1.0 : 0.0;
      back = e.t + p.reboot;
    } else if (was_down != 0.0 && (e.t >= back || back > e.t + p.reboot || e.steady_search)) {
      was_down = 0.0;  // a clock that was set back would else keep it down
    }
  }
  /// The set point in force: the reset curve's unless an operator gave one, never below the dew point and its margin.
  /// A failed sensor of either leaves what it said last.
  static bool setPointInForce(std::size_t i, const Instance& p, const KernelSet<PiController>& set, const Evaluation& e,
                              State& s) {
    double &asked = set.z(s, kSetPoint, i), &in_force = set.z(s, kInForce, i), &limit = set.z(s, kDewLimit, i);
    if (p.reset && set.z(e, kByOperator, i) == 0.0 && good(p.reset_quality, e))
      asked = onCurve(p.reset_curve, p.reset->set->signalOf(e, p.reset->signal, p.reset->instance));
    if (p.dew_point && good(p.dew_quality, e))
      limit = p.dew_point->set->signalOf(e, p.dew_point->signal, p.dew_point->instance) + p.dew_margin;
    in_force = p.dew_point ? std::max(asked, limit) : asked;
    return in_force > asked;
  }
  static double onCurve(const std::vector<std::pair<double, double>>& points, double x) {
    if (x <= points.front().first) return points.front().second;
    for (std::size_t k = 1; k < points.size(); ++k)
      if (const auto& a = points[k - 1], &b = points[k]; x < b.first)
        return a.second + (b.second - a.second) * (x - a.first) / (b.first - a.first);
    return points.back().second;
  }
  /// Counts the turns of the output that are wider than the band.
  static void countTurns(std::size_t i, const Instance& p, const KernelSet<PiController>& set, const Evaluation& e,
                         double output, State& s) {
    double &direction = set.z(s, kTurnDirection, i), &extreme = set.z(s, kTurnExtreme, i);
    if (e.steady_search) {
      extreme = output;
      return;
    }
    const double moved = output - extreme;
    if (direction == 0.0 || moved * direction > 0.0) {
      if (direction == 0.0 && std::abs(moved) < p.band) return;
      if (direction == 0.0) direction = moved > 0.0 ? 1.0 : -1.0;
      extreme = output;
    } else if (std::abs(moved) >= p.band) {
      direction = -direction;
      extreme = output;
      set.z(s, kTurns, i) += 1.0;
    }
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<PiController>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>& events) {
    watchItself(i, p, set, e, s);
    if (!continuous(p) && !sampleDue(set.z(s, kNextSample, i), e.t, p.period, e.steady_search)) return;
    double &held = set.z(s, kHeldOutput, i), &rate = set.z(s, kHeldRate, i), &tracking = set.z(s, kTracking, i),
           &limiter = set.z(s, kLimiter, i);
    limiter = setPointInForce(i, p, set, e, s) ? kDewPointOverride : kNoOverride;
    const bool is_down = down(p, e), lost = !good(p.quality, e);
    if (lost && !is_down && p.manual_on_loss && set.z(s, kMode, i) == kAutomatic) {
      set.z(s, kMode, i) = kManual;
      events.push_back({set.ids()[i], set.ids()[i], "its measurement is lost", "went to manual"});
    }
    // Where every drive is out of its hands it follows them, so that taking over again makes no bump.
    std::size_t automatic = 0, manual = 0;
    double outputs = 0.0;
    for (std::size_t n = 0; n < p.drives.size(); ++n) {
      const auto& [drive, k] = p.drives[n];
      if (drive->z(s, kMode, k) == kAutomatic) ++automatic;
      if (drive->z(s, kMode, k) != kManual) continue;
      ++manual;
      outputs += outputOf(p, n, drive->z(s, kCommand, k));
    }
    if (acts(p, e) && automatic > 0) {
      const double error_now = error(p, e);
      if (tracking != 0.0) s.y[p.integral] = held - p.law.gain * error_now;
      tracking = 0.0;
      const double asked = p.law.gain * error_now + s.y[p.integral];
      double output = std::clamp(asked, p.law.low, p.law.high);
      if (p.rate_limit > 0.0) {
        const double free = output;
        output = std::clamp(output, held - p.rate_limit * p.period, held + p.rate_limit * p.period);
        if (output != free) limiter = kRateOverride;
      }
      rate = continuous(p) ? 0.0 : piIntegralRate(p.law, error_now, asked, output);
      held = output;
    } else {
      if (is_down) {
        limiter = kControllerDown;
        if (p.fail_on_failure) held = p.fail_output;
      } else if (lost) {
        limiter = kSignalLost;
        if (p.fail_on_loss && set.z(s, kMode, i) == kAutomatic) held = p.fail_output;
      } else if (automatic == 0 && manual > 0 && acts(p, e)) {
        limiter = kDrivesManual;
        held = std::clamp(outputs / static_cast<double>(manual), p.law.low, p.law.high);
      }
      rate = 0.0;
      tracking = 1.0;
      if (acts(p, e)) s.y[p.integral] = held - p.law.gain * error(p, e);
    }
    countTurns(i, p, set, e, held, s);
    writeHeld(p, set.z(s, kHeldOutput, i), s);
  }
  static void writeHeld(const Instance& p, double held, State& s) {
    for (std::size_t n = 0; n < p.drives.size(); ++n)
      if (const auto& [drive, k] = p.drives[n]; drive->z(s, kMode, k) == kAutomatic)
        drive->z(s, kCommand, k) = shareOf(p, n, held);
  }

  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<PiController>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return set.z(e, kInForce, i);
      case 1:
        return measured(p, e);
      case 2:
        return outputNow(p, e);
      case 3:
        return set.z(e, kMode, i);
      case 4: {
        const double output = outputNow(p, e);
        return output >= p.law.high ? 1.0 : (output <= p.law.low ? -1.0 : 0.0);
      }
      case 5:
        return set.z(e, kLimiter, i);
      default:
        return set.z(e, kTurns, i);
    }
  }
};

class PiControllerSet : public KernelSet<PiController> {
 public:
  using KernelSet<PiController>::KernelSet;
  Quantity signalQuantity(std::size_t signal, std::size_t i) const override {
    return info().signals[signal].by_instance ? instance(i).quantity : info().signals[signal].quantity;
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
      z(s, kInForce, i) = p.dew_point ? std::max(value, z(s, kDewLimit, i)) : value;
      z(s, kByOperator, i) = 1.0;
      return true;
    }
    if (verb == "manual") {
      if (std::isfinite(value) && (value < p.law.low || value > p.law.high)) {
        reason = "a manual output must be from " + fluids::inWords(p.law.low) + " to " + fluids::inWords(p.law.high);
        return false;
      }
      z(s, kMode, i) = kManual;
      if (std::isfinite(value)) z(s, kHeldOutput, i) = value;
      if (z(s, kInService, i) != 0.0 && z(s, kTripped, i) == 0.0) PiController::writeHeld(p, z(s, kHeldOutput, i), s);
      return true;
    }
    if (verb == "reboot") {
      if (p.reboot <= 0.0) {
        reason = "it has no reboot_time";
        return false;
      }
      z(s, kWasDown, i) = 1.0;
      z(s, kBackAt, i) = s.t + p.reboot;
      return true;
    }
    if (verb == "automatic") z(s, kByOperator, i) = 0.0;
    return KernelSet<PiController>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass piControllerClass() {
  return {
      &kPiControllerInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
        out.push_back(std::make_unique<RidesThrough<PiControllerSet, kControllerRideThrough>>(std::move(instances)));
      }};
}

}  // namespace podtwin
