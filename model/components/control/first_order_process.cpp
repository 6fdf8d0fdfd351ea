// First-order process for control studies. Equations: first_order_process.md.
#include <array>
#include <cmath>

#include "model/components/control/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr ParameterInfo kParameters[] = {
    {.name = "gain",
     .quantity = Quantity::ratio,
     .low = -1e12,
     .high = 1e12,
     .meaning = "Steady output per input.",
     .source = ""},
    {.name = "time_constant",
     .quantity = Quantity::time,
     .low = 1e-6,
     .high = 1e12,
     .meaning = "Time constant.",
     .source = ""},
    {.name = "disturbance",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = -1e12,
     .high = 1e12,
     .meaning = "Added to the input.",
     .source = "0: none"},
    {.name = "start",
     .quantity = Quantity::ratio,
     .fallback = 0.0,
     .low = -1e12,
     .high = 1e12,
     .meaning = "Output at the start.",
     .source = "0: deviation variables"},
};
constexpr StateInfo kStates[] = {{"y", Quantity::ratio, 1.0, "Output."}};
constexpr DiscreteInfo kDiscretes[] = {{"disturbance_now", Quantity::ratio, 0.0, "Disturbance in force."}};
constexpr std::size_t kDisturbance = kCommonCount;
constexpr SignalInfo kSignals[] = {{"y", Quantity::ratio, SignalType::real, "Output."},
                                   {"u", Quantity::ratio, SignalType::real, "Input without disturbance."}};
constexpr CommandInfo kCommands[] = {
    {"disturb", "disturbance", Quantity::ratio, "Another disturbance."},
    {"set", "input", Quantity::ratio, "Manual input."},
    {"automatic", "", Quantity::none, "Back to its controller."},
};
constexpr RefusalInfo kRefusals[] = {
    {"trip", "it is a transfer function without equipment; set its input"},
    {"isolate", "it is a transfer function without equipment; set its input"},
    {"stick", "it is a transfer function without a mechanism; set its input"},
};
constexpr ClassInfo kInfo{.name = "first_order_process",
                          .group = "process",
                          .title = "First-order process",
                          .page = "control/first_order_process.md",
                          .symbol = "process",
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .refusals = kRefusals};

struct FirstOrderProcess {
  static constexpr int kColumns = 1, kRows = 1;
  struct Instance {
    std::array<std::size_t, 1> columns, rows;
    std::size_t self;
    double gain, tau, disturbance, start;
    const KernelSet<FirstOrderProcess>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<FirstOrderProcess>& set, Binder& b) {
    b.makeDrive(i);
    b.capacity(set.yIndex(0, i), 1.0);
    return {{set.yIndex(0, i)},      {set.yIndex(0, i)}, i,   d.number("gain"), d.number("time_constant"),
            d.number("disturbance"), d.number("start"),  &set};
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<FirstOrderProcess>& set, State& s, double) {
    s.y[set.yIndex(0, i)] = p.start;
    set.z(s, kCommand, i) = 0.0;
    set.z(s, kDisturbance, i) = p.disturbance;
  }
  static double input(const Instance& p, const Evaluation& e) {
    return e.command[static_cast<std::size_t>(p.set->drive[p.self])];
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = (S(p.gain * (input(p, e) + p.set->z(e, kDisturbance, p.self))) - x[0]) / S(p.tau);
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<FirstOrderProcess>& set,
                       const Evaluation& e) {
    return k == 0 ? e.y[set.yIndex(0, i)] : input(p, e);
  }
};

class FirstOrderProcessSet final : public KernelSet<FirstOrderProcess> {
 public:
  using KernelSet<FirstOrderProcess>::KernelSet;
  bool command(State& s, std::size_t i, std::string_view verb, double value, std::string& reason) const override {
    if (verb != "disturb") return KernelSet<FirstOrderProcess>::command(s, i, verb, value, reason);
    if (!std::isfinite(value)) {
      reason = "a disturbance needs a value";
      return false;
    }
    z(s, kDisturbance, i) = value;
    return true;
  }
};

}  // namespace

RegisteredClass firstOrderProcessClass() {
  return {&kInfo, [](std::vector<const InstanceDescription*> instances, SetList& out) {
            out.push_back(std::make_unique<FirstOrderProcessSet>(std::move(instances)));
          }};
}

}  // namespace podtwin
