// Measurement with lag, drift and failure: what controllers and alarms see. Equations: sensor.md.
#include <algorithm>
#include <array>

#include "model/components/control/classes.hpp"
#include "model/components/control/measured_kind.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr ParameterInfo kParameters[] = {
    {.name = "measures",
     .kind = ParameterKind::text,
     .meaning = "Address of the measured value, ID.signal.",
     .source = ""},
    {.name = "minus",
     .kind = ParameterKind::text,
     .meaning = "Second address, subtracted from the first (a differential pressure).",
     .source = "",
     .optional = true},
    {.name = "lag",
     .quantity = Quantity::time,
     .fallback = 2.0,
     .low = 0.01,
     .high = 3600.0,
     .meaning = "First-order lag.",
     .source = "engineering estimate: thermowells 5-20 s, pressure transmitters below 1 s"},
    {.name = "drift_time",
     .quantity = Quantity::time,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e9,
     .meaning = "Time over which a commanded drift builds up; 0: at once.",
     .source = "0: an offset"},
    {.name = "accuracy",
     .kind = ParameterKind::text,
     .meaning = "Accuracy as its data sheet states it, for the record; the reading does not depend on it.",
     .source = "",
     .optional = true},
};
constexpr StateInfo kStates[] = {
    {"reading", Quantity::none, kUnbounded,
     "Lagged value, in the SI unit of what it measures; not error controlled, it follows controlled unknowns through "
     "its lag."}};
constexpr DiscreteInfo kDiscretes[] = {
    {"offset", Quantity::none, 0.0, "Drift that is added to the reading when it has built up, SI."},
    {"failed", Quantity::none, 0.0, "1: failed, the reading stays at the last value."},
    {"settled", Quantity::none, 0.0, "0 until the reading has been set to the measured value at the start."},
    {"offset_before", Quantity::none, 0.0, "Drift from which it builds up, SI."},
    {"drift_since", Quantity::time, 0.0, "Time since which it builds up [s]."},
};
enum Discrete : std::size_t { kOffset = kCommonCount, kFailed, kSettled, kOffsetBefore, kDriftSince };
constexpr SignalInfo kSignals[] = {
    {"value", Quantity::none, SignalType::real, "What the sensor says, in the SI unit of what it measures.",
     kByInstance},
    {"true", Quantity::none, SignalType::real, "What it measures, without lag, drift or failure.", kByInstance},
    {"quality", Quantity::none, SignalType::integer, "0 good, 1 failed or without supply."},
};
constexpr CommandInfo kCommands[] = {
    {"drift", "offset", Quantity::temperature_difference, "Adds an offset to a temperature reading."},
    {"drift_pressure", "offset", Quantity::pressure_difference, "Adds an offset to a pressure reading."},
    {"drift_flow", "offset", Quantity::volume_flow, "Adds an offset to a flow reading."},
    {"drift_ratio", "offset", Quantity::ratio, "Adds an offset to a reading without unit."},
    {"fail", "", Quantity::none, "Known failure: the reading freezes and its quality is bad."},
    {"stick", "", Quantity::none, "Hidden failure: the reading freezes, its quality stays good."},
    {"restore", "", Quantity::none, "Repaired and calibrated."},
};
constexpr ClassInfo kInfo{.name = "sensor",
                          .group = "sensor",
                          .title = "Sensor",
                          .page = "control/sensor.md",
                          .symbol = "sensor",
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct Sensor {
  static constexpr int kColumns = 2, kRows = 1;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // own reading, measured unknown
    std::array<std::size_t, kRows> rows;
    std::size_t self;
    bool direct;  // the measured value is itself an unknown, so its derivative is exact
    SignalAddress plus, minus;
    Quantity quantity;
    double lag, drift_time;
    const KernelSet<Sensor>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Sensor>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.rows = {set.yIndex(0, i)};
    p.columns = {set.yIndex(0, i), set.yIndex(0, i)};
    p.plus = b.signal(i, d.text("measures"));
    if (!d.text("minus").empty()) p.minus = b.signal(i, d.text("minus"));
    p.lag = d.number("lag");
    p.drift_time = d.number("drift_time");
    p.quantity = quantityOf(i, d, set, b, p);
    if (const auto column = unknownBehind(p.plus)) {
      p.direct = true;
      p.columns[1] = *column;
    }
    b.capacity(p.rows[0], 1.0);
    return p;
  }
  /// Kind of what it measures; adds a problem when the addresses are good and their values are not.
  static Quantity quantityOf(std::size_t i, const InstanceDescription& d, const KernelSet<Sensor>& set, Binder& b,
                             const Instance& p) {
    if (p.plus.set == nullptr || (p.minus.set == nullptr && !d.text("minus").empty())) return Quantity::none;
    if (const auto found = quantityBehind(b.system(), {&set, 0, i})) return *found;
    const auto plus = quantityBehind(b.system(), p.plus);
    const auto minus = p.minus.set == nullptr ? plus : quantityBehind(b.system(), p.minus);
    if (plus && minus)
      b.problems().error(d.where,
                         "'" + d.id + "' subtracts '" + d.text("minus") + "' (" + std::string(quantityName(*minus)) +
                             ") from '" + d.text("measures") + "' (" + std::string(quantityName(*plus)) +
                             "), a value of another kind",
                         "subtract a value of the same kind");
    else
      b.problems().error(d.where,
                         "'" + d.id + "' measures '" + d.text("measures") + "', which comes from no value of the plant",
                         "do not let sensors measure each other in a circle");
    return Quantity::none;
  }
  static double valueOf(const SignalAddress& a, const Evaluation& e) {
    return a.set == nullptr ? 0.0 : a.set->signalOf(e, a.signal, a.instance);
  }
  static double measured(const Instance& p, const Evaluation& e) { return valueOf(p.plus, e) - valueOf(p.minus, e); }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Sensor>& set, State& s, double temperature) {
    // Before the first evaluation only temperatures are known; the first sample sets the reading whatever it measures.
    s.y[set.yIndex(0, i)] = p.quantity == Quantity::temperature ? temperature : 0.0;
  }
  /// Drift at time t, on its way from what it was to what was commanded.
  template <class Values>
  static double offset(std::size_t i, const Instance& p, const KernelSet<Sensor>& set, Values& values, double t) {
    const double to = set.z(values, kOffset, i), from = set.z(values, kOffsetBefore, i);
    const double since = t - set.z(values, kDriftSince, i);
    return p.drift_time <= 0.0 || since >= p.drift_time ? to : from + (to - from) * std::max(since, 0.0) / p.drift_time;
  }
  static bool failed(const Instance& p, const Evaluation& e) {
    return p.set->z(e, kFailed, p.self) != 0.0 || !p.set->available(e, p.self);
  }
  static bool frozen(const Instance& p, const Evaluation& e) {
    return failed(p, e) || p.set->z(e, kStuck, p.self) != 0.0;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    if (frozen(p, e)) return;
    const S now = p.direct ? x[1] - S(valueOf(p.minus, e)) : S(measured(p, e));
    r[0] = (now - x[0]) / S(p.lag);
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<Sensor>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>&) {
    if (set.z(s, kSettled, i) != 0.0) return;
    set.z(s, kSettled, i) = 1.0;
    s.y[set.yIndex(0, i)] = measured(p, e);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Sensor>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.y[set.yIndex(0, i)] + offset(i, p, set, e, e.t);
      case 1:
        return measured(p, e);
      default:
        return failed(p, e) ? 1.0 : 0.0;
    }
  }
};

class SensorSet final : public KernelSet<Sensor> {
 public:
  using KernelSet<Sensor>::KernelSet;
  Quantity signalQuantity(std::size_t signal, std::size_t i) const override {
    return kSignals[signal].by_instance ? instance(i).quantity : kSignals[signal].quantity;
  }
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    struct Drift {
      std::string_view verb;
      MeasuredKind kind;
    };
    for (const auto& drift :
         {Drift{"drift", MeasuredKind::temperature}, Drift{"drift_pressure", MeasuredKind::pressure},
          Drift{"drift_flow", MeasuredKind::flow}, Drift{"drift_ratio", MeasuredKind::ratio}}) {
      if (verb != drift.verb) continue;
      if (const MeasuredKind kind = kindOf(instance(i).quantity); kind != drift.kind) {
        reason = "it measures a " + std::string(kindName(kind)) + ", not a " + std::string(kindName(drift.kind));
        return false;
      }
      if (!(value == value)) {
        reason = "a drift needs its offset";
        return false;
      }
      z(s, kOffsetBefore, i) = Sensor::offset(i, instance(i), *this, s, s.t);
      z(s, kDriftSince, i) = s.t;
      z(s, kOffset, i) = value;
      return true;
    }
    if (verb == "fail" || verb == "stick") {
      z(s, verb == "fail" ? static_cast<std::size_t>(kFailed) : static_cast<std::size_t>(kStuck), i) = 1.0;
      return true;
    }
    if (verb == "restore") z(s, kOffset, i) = z(s, kOffsetBefore, i) = z(s, kFailed, i) = 0.0;
    return KernelSet<Sensor>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass sensorClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<SensorSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
