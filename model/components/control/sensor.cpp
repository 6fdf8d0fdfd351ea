// Measurement with lag, offset and failure: what controllers and alarms see. Equations: sensor.md.
#include <array>

#include "model/components/control/classes.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr ParameterInfo kParameters[] = {
    {.name = "measures", .kind = ParameterKind::text, .meaning = "Address of the measured value, ID.signal.", .source = ""},
    {.name = "minus", .kind = ParameterKind::text, .meaning = "Second address, subtracted from the first (a differential pressure).", .source = "", .optional = true},
    {.name = "lag", .quantity = Quantity::time, .fallback = 2.0, .low = 0.01, .high = 3600.0, .meaning = "First-order lag.", .source = "engineering estimate: thermowells 5-20 s, pressure transmitters below 1 s"},
};
constexpr StateInfo kStates[] = {{"reading", Quantity::none, kUnbounded, "Lagged value, in the SI unit of what it measures; not error controlled, it follows controlled unknowns through its lag."}};
constexpr DiscreteInfo kDiscretes[] = {
    {"offset", Quantity::none, 0.0, "Drift added to the reading."},
    {"failed", Quantity::none, 0.0, "1: the reading stays at the last value."},
    {"last", Quantity::none, 0.0, "Reading when it failed."},
};
enum Discrete : std::size_t { kOffset = kCommonCount, kFailed, kLast };
constexpr SignalInfo kSignals[] = {
    {"value", Quantity::none, SignalType::real, "What the sensor says, in the SI unit of what it measures."},
    {"true", Quantity::none, SignalType::real, "What it measures, without lag, drift or failure."},
    {"quality", Quantity::none, SignalType::integer, "0 good, 1 failed."},
};
constexpr CommandInfo kCommands[] = {
    {"drift", "offset", Quantity::temperature_difference, "Adds an offset to the reading."},
    {"fail", "", Quantity::none, "The reading freezes."},
    {"restore", "", Quantity::none, "Repaired and calibrated."},
};
constexpr ClassInfo kInfo{.name = "sensor", .group = "sensor", .title = "Sensor", .page = "control/sensor.md", .symbol = "sensor",
                          .parameters = kParameters, .states = kStates, .discretes = kDiscretes, .signals = kSignals, .commands = kCommands};

struct Sensor {
  static constexpr int kColumns = 1, kRows = 1;
  struct Instance {
    std::array<std::size_t, 1> columns, rows;
    SignalAddress plus, minus;
    double lag;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Sensor>& set, Binder& b) {
    Instance p{};
    p.columns = p.rows = {set.yIndex(0, i)};
    p.plus = b.signal(i, d.text("measures"));
    if (!d.text("minus").empty()) p.minus = b.signal(i, d.text("minus"));
    p.lag = d.number("lag");
    return p;
  }
  static double measured(const Instance& p, const Evaluation& e) {
    const double value = p.plus.set->signalOf(e, p.plus.signal, p.plus.instance);
    return p.minus.set != nullptr ? value - p.minus.set->signalOf(e, p.minus.signal, p.minus.instance) : value;
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = (S(measured(p, e)) - x[0]) / S(p.lag);
  }
  static double reading(std::size_t i, const KernelSet<Sensor>& set, const Evaluation& e) {
    return set.z(e, kFailed, i) != 0.0 ? set.z(e, kLast, i) : e.y[set.yIndex(0, i)] + set.z(e, kOffset, i);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Sensor>& set, const Evaluation& e) {
    switch (k) {
      case 0: return reading(i, set, e);
      case 1: return measured(p, e);
      default: return set.z(e, kFailed, i);
    }
  }
};

class SensorSet final : public KernelSet<Sensor> {
 public:
  using KernelSet<Sensor>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "drift") {
      z(s, kOffset, i) = value;
      return true;
    }
    if (verb == "fail") {
      z(s, kLast, i) = s.y[yIndex(0, i)] + z(s, kOffset, i);
      z(s, kFailed, i) = 1.0;
      return true;
    }
    if (verb == "restore") z(s, kOffset, i) = z(s, kFailed, i) = 0.0;
    return KernelSet<Sensor>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass sensorClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) { out.push_back(std::make_unique<SensorSet>(std::move(instances))); }};
}

}  // namespace podtwin
