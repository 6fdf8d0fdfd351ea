// Air-cooled chiller that holds its leaving temperature. Equations: chiller.md.
#include <array>
#include <cmath>

#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;
constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "entering coolant node"},
    {"to", PortKind::fluid, PortCount::one, "leaving coolant node"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "capacity",
     .quantity = Quantity::power,
     .low = 1.0,
     .high = 1e9,
     .meaning = "Most heat it takes from the coolant.",
     .source = ""},
    {.name = "set_point",
     .quantity = Quantity::temperature,
     .low = 250.0,
     .high = 350.0,
     .meaning = "Leaving coolant temperature it holds.",
     .source = ""},
    {.name = "cop_law",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "carnot: a share of Carnot between leaving coolant and condenser; constant: cop.",
     .source = "pod-design 5.3",
     .choices = "carnot|constant"},
    {.name = "cop",
     .quantity = Quantity::ratio,
     .fallback = 5.0,
     .low = 0.5,
     .high = 50.0,
     .meaning = "Coefficient of performance of cop_law constant.",
     .source = "air-side chillers COP 5, pod-design 9.2"},
    {.name = "carnot_fraction",
     .quantity = Quantity::ratio,
     .fallback = 0.55,
     .low = 0.05,
     .high = 1.0,
     .meaning = "Share of Carnot.",
     .source = "0.45-0.62, estimate, hardware.csv"},
    {.name = "condenser_approach",
     .quantity = Quantity::temperature_difference,
     .fallback = 15.0,
     .low = 0.0,
     .high = 50.0,
     .meaning = "Condensing temperature above outdoor dry bulb.",
     .source = "engineering estimate for air-cooled condensers"},
    {.name = "minimum_lift",
     .quantity = Quantity::temperature_difference,
     .fallback = 10.0,
     .low = 1.0,
     .high = 60.0,
     .meaning = "Least lift; condenser fans hold it on cold days.",
     .source = "practice.md section 3: minimum lift; estimate"},
    {.name = "cop_max",
     .quantity = Quantity::ratio,
     .fallback = 12.0,
     .low = 1.0,
     .high = 50.0,
     .meaning = "Cap of the coefficient of performance.",
     .source = "practice.md section 3: COP cap, about 12 at 14 K lift"},
    {.name = "fan_fraction",
     .quantity = Quantity::ratio,
     .fallback = 0.04,
     .low = 0.0,
     .high = 0.2,
     .meaning = "Condenser fan power over rejected heat, with cop_law carnot; a constant cop counts fans already.",
     .source = "4.0 % of heat, as the TDFS1238N dry cooler, hardware.csv (published)"},
    {.name = "response_time",
     .quantity = Quantity::time,
     .fallback = 20.0,
     .low = 0.1,
     .high = 3600.0,
     .meaning = "First-order loading of the compressors.",
     .source = "engineering estimate"},
    {.name = "restart_delay",
     .quantity = Quantity::time,
     .fallback = 70.0,
     .low = 0.0,
     .high = 7200.0,
     .meaning = "From availability to the first compressor.",
     .source = "controller boot 25 s + 45 s, practice.md section 3"},
    {.name = "dp",
     .quantity = Quantity::pressure_difference,
     .fallback = 50e3,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Coolant pressure drop at the stated flow.",
     .source = "engineering estimate"},
    {.name = "flow",
     .quantity = Quantity::volume_flow,
     .low = 1e-9,
     .high = 100.0,
     .meaning = "Flow at which dp is stated.",
     .source = ""},
};
constexpr StateInfo kStates[] = {
    {"loading", Quantity::ratio, 0.1, "How far the compressors follow the demand, 1 fully."}};
constexpr DiscreteInfo kDiscretes[] = {
    {"enabled", Quantity::none, 1.0, "1 while compressors may run."},
    {"ready_at", Quantity::time, -1.0, "Time at which the restart sequence ends [s]; -1: not started."},
};
enum Discrete : std::size_t { kEnabled = kCommonCount, kReadyAt };
constexpr SignalInfo kSignals[] = {
    {"heat", Quantity::power, SignalType::real, "Heat taken from the coolant."},
    {"power", Quantity::power, SignalType::real, "Electric power, condenser fans included."},
    {"cop", Quantity::none, SignalType::real, "Coefficient of performance at the present conditions."},
    {"t_leaving", Quantity::temperature, SignalType::real, "Leaving coolant before mixing."},
    {"load", Quantity::ratio, SignalType::real, "Heat over capacity."},
    {"running", Quantity::none, SignalType::integer, "1 while compressors may run."},
    {"saturated", Quantity::none, SignalType::integer, "1 while the capacity does not reach the set point."},
};
constexpr CommandInfo kCommands[] = {{"trip", "", Quantity::none, "Compressors stop."},
                                     {"restore", "", Quantity::none, "Restart sequence begins."}};
constexpr LimitInfo kLimits[] = {{"load", true, 1.0, 60.0, "rating", "capacity; 60 s is an estimate"}};
constexpr ClassInfo kInfo{.name = "chiller",
                          .group = "chiller",
                          .title = "Air-cooled chiller",
                          .page = "cooling/chiller.md",
                          .symbol = "chiller",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct Chiller {
  static constexpr int kColumns = 3, kRows = 4;
  struct Instance {
    std::array<std::size_t, kColumns> columns;  // loading, entering, leaving
    std::array<std::size_t, kRows> rows;        // loading, entering, leaving, outdoor air
    std::size_t self, edge, ambient;
    double density, cp, capacity, set_point, cop, carnot, approach, lift, cop_max, fans, response, delay, k, m_linear;
    bool constant;
    const KernelSet<Chiller>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Chiller>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    const std::size_t from = b.fluidNode(i, "from"), to = b.fluidNode(i, "to");
    p.edge = b.edge(from, to, d.id);
    p.density = b.density(from);
    p.cp = b.specificHeat(from);
    p.capacity = d.number("capacity");
    p.set_point = d.number("set_point");
    p.constant = d.text("cop_law") == "constant";
    p.cop = d.number("cop");
    p.carnot = d.number("carnot_fraction");
    p.approach = d.number("condenser_approach");
    p.lift = d.number("minimum_lift");
    p.cop_max = d.number("cop_max");
    p.fans = p.constant ? 0.0 : d.number("fan_fraction");
    p.response = d.number("response_time");
    p.delay = d.number("restart_delay");
    const double m = d.number("flow") * p.density;
    p.k = d.number("dp") / (m * m);
    p.m_linear = kLinearShare * m;
    const ThermalPort in = b.nodePort(from), out = b.nodePort(to), air = b.ambient();
    p.ambient = air.column;
    p.columns = {set.yIndex(0, i), in.column, out.column};
    p.rows = {set.yIndex(0, i), in.row, out.row, air.row};
    return p;
  }
  static void initialise(std::size_t i, const Instance&, const KernelSet<Chiller>& set, State& s, double) {
    s.y[set.yIndex(0, i)] = 0.0;
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Chiller>& set, Evaluation& e) {
    e.laws[p.edge].k = p.k;
    e.laws[p.edge].m_linear = p.m_linear;
    e.laws[p.edge].open = set.z(e, kInService, i) != 0.0;
  }
  static bool running(const Instance& p, const Evaluation& e) {
    return p.set->available(e, p.self) && p.set->z(e, kEnabled, p.self) != 0.0;
  }
  template <class S>
  static S heat(const Instance& p, const Evaluation& e, const S& loading, const S& entering) {
    using std::max;
    using std::min;
    if (!running(p, e)) return S(0.0);
    const S wanted = S(std::abs(e.m[p.edge]) * p.cp) * (entering - S(p.set_point));
    return loading * min(max(wanted, S(0.0)), S(p.capacity));
  }
  static double performance(const Instance& p, const Evaluation& e) {
    if (p.constant) return p.cop;
    const double lift = std::max(e.y[p.ambient] + p.approach - p.set_point, p.lift);
    return std::min(p.carnot * p.set_point / lift, p.cop_max);
  }
  static double entering(const Instance& p, const Evaluation& e) { return e.y[p.columns[e.m[p.edge] >= 0.0 ? 1 : 2]]; }
  static double electric(const Instance& p, const Evaluation& e) {
    const double taken = heat<double>(p, e, e.y[p.columns[0]], entering(p, e)), compressor = taken / performance(p, e);
    return compressor + p.fans * (taken + compressor);
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<Chiller>& set, Evaluation& e) {
    set.load(e, i, electric(p, e));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    r[0] = (S(running(p, e) ? 1.0 : 0.0) - x[0]) / S(p.response);
    const double rate = e.m[p.edge] * p.cp;
    const std::size_t in = rate >= 0.0 ? 1 : 2, out = 3 - in;
    const S taken = heat<S>(p, e, x[0], x[in]);
    r[out] = S(std::abs(rate)) * (x[in] - x[out]) - taken;
    r[3] = taken + S(electric(p, e));
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<Chiller>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>& events) {
    double& enabled = set.z(s, kEnabled, i);
    double& ready = set.z(s, kReadyAt, i);
    if (!set.available(e, i)) {
      if (enabled != 0.0) events.push_back({set.ids()[i], "protection", "supply, trip or service", "compressors off"});
      enabled = 0.0;
      ready = -1.0;
    } else if (enabled == 0.0) {
      if (ready < 0.0) ready = e.t + p.delay;
      if (e.t >= ready) {
        enabled = 1.0;
        ready = -1.0;
        events.push_back({set.ids()[i], "controller", "restart sequence complete", "compressors may run"});
      }
    }
  }
  static double signal(std::size_t k, std::size_t, const Instance& p, const KernelSet<Chiller>&, const Evaluation& e) {
    const double in = entering(p, e), rate = std::abs(e.m[p.edge]) * p.cp;
    const double taken = heat<double>(p, e, e.y[p.columns[0]], in);
    switch (k) {
      case 0:
        return taken;
      case 1:
        return electric(p, e);
      case 2:
        return performance(p, e);
      case 3:
        return rate > 0.0 ? in - taken / rate : e.y[p.columns[2]];
      case 4:
        return taken / p.capacity;
      case 5:
        return running(p, e) ? 1.0 : 0.0;
      default:
        return running(p, e) && rate * (in - p.set_point) > p.capacity ? 1.0 : 0.0;
    }
  }
};

}  // namespace

RegisteredClass chillerClass() { return {&kInfo, makeKernelSetInto<Chiller, SetList>}; }

}  // namespace podtwin
