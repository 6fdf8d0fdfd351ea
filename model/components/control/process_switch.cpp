// Flow, pressure, temperature or voltage switch: a contact that a measured value closes. Equations: process_switch.md.
#include <array>
#include <optional>

#include "model/base/diagnostics.hpp"
#include "model/components/control/classes.hpp"
#include "model/components/control/measured_kind.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {{"sensor", PortKind::member, PortCount::one, "sensor whose value it judges"}};
constexpr ParameterInfo setting(std::string_view name, Quantity quantity, std::string_view meaning, double low,
                                double high) {
  return {.name = name,
          .quantity = quantity,
          .fallback = 0.0,
          .low = low,
          .high = high,
          .meaning = meaning,
          .source = "0: the value measured is of another kind"};
}
constexpr ParameterInfo kParameters[] = {
    setting("flow", Quantity::volume_flow, "Flow at which it acts.", -1e3, 1e3),
    setting("pressure", Quantity::pressure_difference, "Pressure or difference of pressures at which it acts.", -1e8,
            1e8),
    setting("temperature", Quantity::temperature, "Temperature at which it acts.", 0.0, 1e4),
    setting("ratio", Quantity::ratio, "Value without unit at which it acts.", -1e6, 1e6),
    {.name = "closes",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "On which side of that it is closed.",
     .source = "above: proof of flow",
     .choices = "above|below"},
    {.name = "differential",
     .quantity = Quantity::ratio,
     .fallback = 0.05,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Of the setting (of a temperature, of 100 K): how far the value has to go back to open it again.",
     .source = "engineering estimate: differential of mechanical switches"},
};
constexpr DiscreteInfo kDiscretes[] = {{"contact", Quantity::none, 0.0, "1: closed."}};
constexpr std::size_t kContact = kCommonCount;
constexpr SignalInfo kSignals[] = {{"closed", Quantity::none, SignalType::integer, "1 while its contact is closed."}};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "Its wire is cut: open."},
    {"stick", "", Quantity::none, "Its contact stays as it is."},
    {"restore", "", Quantity::none, "Sound again."},
};
constexpr ClassInfo kInfo{.name = "process_switch",
                          .group = "process_switch",
                          .title = "Flow, pressure, temperature or voltage switch",
                          .page = "control/process_switch.md",
                          .symbol = "sensor",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct ProcessSwitch {
  static constexpr int kColumns = 0, kRows = 0;
  struct Instance {
    std::array<std::size_t, 0> columns, rows;
    SignalAddress value, quality;
    double setting, differential;
    bool above;
  };
  static const ClassInfo& info() { return kInfo; }
  static const char* parameterOf(MeasuredKind kind) {
    switch (kind) {
      case MeasuredKind::temperature:
        return "temperature";
      case MeasuredKind::pressure:
        return "pressure";
      case MeasuredKind::flow:
        return "flow";
      case MeasuredKind::ratio:
        return "ratio";
      case MeasuredKind::other:
        break;
    }
    return nullptr;
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<ProcessSwitch>&, Binder& b) {
    Instance p{};
    p.above = d.text("closes") == "above";
    const auto [sensor, k] = b.member(i, "sensor");
    if (sensor == nullptr) return p;
    const SourceMark& where = d.port_marks.at("sensor");
    if (sensor->info().name != "sensor") {
      b.problems().error(where, "'" + d.id + "' judges '" + sensor->ids()[k] + "', which is no sensor",
                         "name a sensor");
      return p;
    }
    p.value = {sensor, 0, k};
    p.quality = {sensor, 2, k};
    const auto quantity = quantityBehind(b.system(), p.value);
    if (!quantity) return p;  // the sensor tells it
    const char* own = parameterOf(kindOf(*quantity));
    if (own == nullptr || !d.parameters.at(own).given) {
      b.problems().error(d.where,
                         "'" + d.id + "' judges a " + std::string(kindName(kindOf(*quantity))) +
                             (own == nullptr ? "" : " and gives no `" + std::string(own) + "`"),
                         own == nullptr ? "measure a flow, pressure, temperature or ratio"
                                        : "give `" + std::string(own) + "`, at which it acts");
      return p;
    }
    for (const char* other : {"flow", "pressure", "temperature", "ratio"})
      if (std::string_view(other) != own && d.parameters.at(other).given)
        b.problems().error(d.parameters.at(other).where, "'" + d.id + "' judges a " + own + " and gives a " + other,
                           "leave it out");
    constexpr double kTemperatureSpan = 100.0;  // K
    p.setting = d.number(own);
    p.differential = d.number("differential") *
                     (kindOf(*quantity) == MeasuredKind::temperature ? kTemperatureSpan : std::abs(p.setting));
    return p;
  }
  static double valueOf(const SignalAddress& a, const Evaluation& e) {
    return a.set->signalOf(e, a.signal, a.instance);
  }
  static bool closed(std::size_t i, const KernelSet<ProcessSwitch>& set, const Evaluation& e) {
    return set.z(e, kContact, i) != 0.0;
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<ProcessSwitch>& set, const Evaluation& e,
                     State& s, std::vector<Occurrence>& events) {
    if (set.z(e, kStuck, i) != 0.0) return;
    const bool was = closed(i, set, e), sound = set.available(e, i) && valueOf(p.quality, e) == 0.0;
    const double beyond = (valueOf(p.value, e) - p.setting) * (p.above ? 1.0 : -1.0);
    const bool now = sound && beyond >= (was ? -p.differential : 0.0);
    if (now == was) return;
    set.z(s, kContact, i) = now ? 1.0 : 0.0;
    if (e.steady_search) return;
    events.push_back(
        {set.ids()[i], set.ids()[i], sound ? "its measured value" : "signal lost", now ? "closed" : "opened"});
  }
  static double signal(std::size_t, std::size_t i, const Instance&, const KernelSet<ProcessSwitch>& set,
                       const Evaluation& e) {
    return closed(i, set, e) ? 1.0 : 0.0;
  }
};

class ProcessSwitchSet final : public KernelSet<ProcessSwitch> {
 public:
  using KernelSet<ProcessSwitch>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb == "stick") {
      z(s, kStuck, i) = 1.0;
      return true;
    }
    return KernelSet<ProcessSwitch>::command(s, i, verb, value, reason);
  }
};

}  // namespace

RegisteredClass processSwitchClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<ProcessSwitchSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
