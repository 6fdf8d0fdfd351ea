// Pump with speed control and non-return valve. Equations: pump.md.
#include <array>
#include <cmath>

#include "model/base/curve.hpp"
#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/components/cooling/pump_curve.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/fluids/range.hpp"
#include "model/system/kernel_set.hpp"
#include "model/system/ride_through.hpp"
#include "model/system/system.hpp"

namespace podtwin {

namespace {

constexpr PortInfo kPorts[] = {
    {"from", PortKind::fluid, PortCount::one, "suction node"},
    {"to", PortKind::fluid, PortCount::one, "discharge node"},
    {"air", PortKind::heat, PortCount::optional, "zone that takes the motor's loss; outdoor air when left out"},
};
constexpr ParameterInfo kParameters[] = {
    {.name = "head_curve",
     .kind = ParameterKind::curve,
     .quantity = Quantity::volume_flow,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Head against flow at full speed; a quadratic through two (zero slope at shut-off) or three points, "
                "least squares beyond.",
     .source = "",
     .ordinate = Quantity::pressure_difference},
    {.name = "head_form",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Whether the quadratic is fitted to head_curve, or the curve goes through all of its points.",
     .source = "quadratic: usual of centrifugal pumps, Gülich",
     .choices = "quadratic|table"},
    {.name = "efficiency_curve",
     .kind = ParameterKind::curve,
     .quantity = Quantity::volume_flow,
     .low = 0.0,
     .high = 10.0,
     .meaning =
         "Hydraulic over shaft power against flow at full speed, linear between the points; in place of efficiency.",
     .source = "",
     .ordinate = Quantity::ratio,
     .optional = true},
    {.name = "motor_efficiency",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.05,
     .high = 1.0,
     .meaning = "Shaft over motor input power, with efficiency_curve.",
     .source = "1: contained in efficiency; IE3 motors have 0.85-0.95, IEC 60034-30-1"},
    {.name = "drive_efficiency",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.05,
     .high = 1.0,
     .meaning = "Motor input over electric power, with efficiency_curve.",
     .source = "1: contained in efficiency; frequency converters have 0.95-0.98, estimate"},
    {.name = "shut_off_power",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e7,
     .meaning = "Electric power at full speed that churning takes at least, also at no flow; by the cube of speed.",
     .source = "0: neglected; radial pumps take 0.3-0.6 of their rated power at shut-off, Gülich"},
    {.name = "minimum_flow",
     .quantity = Quantity::volume_flow,
     .fallback = 0.0,
     .low = 0.0,
     .high = 10.0,
     .meaning = "Minimum continuous flow at full speed, in proportion to speed; below it an alarm is raised.",
     .source = "0: not stated; 10-30 % of the best flow is usual, estimate"},
    {.name = "efficiency",
     .quantity = Quantity::ratio,
     .fallback = 0.70,
     .low = 0.05,
     .high = 1.0,
     .meaning = "Hydraulic over electric power.",
     .source = "wire to water 0.70, band 0.55-0.78, hardware.csv (published)"},
    {.name = "idle_power",
     .quantity = Quantity::power,
     .fallback = 0.0,
     .low = 0.0,
     .high = 1e6,
     .meaning = "Electric power of the running drive at no hydraulic power.",
     .source = "estimate: neglected"},
    {.name = "loss_to_coolant",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Share of the motor and drive loss that ends in the coolant.",
     .source = "pod-design 9.3 puts the whole pump power into the loop"},
    {.name = "ramp_time",
     .quantity = Quantity::time,
     .fallback = 30.0,
     .low = 0.01,
     .high = 3600.0,
     .meaning = "Full speed range at the fastest.",
     .source = "XDU1350 pump ramp 30 s, pod-design 5.1 (published)"},
    {.name = "lag",
     .quantity = Quantity::time,
     .fallback = 1.0,
     .low = 0.01,
     .high = 600.0,
     .meaning = "First-order lag of the drive.",
     .source = "engineering estimate"},
    {.name = "coast_down",
     .quantity = Quantity::time,
     .fallback = 1.0,
     .low = 0.01,
     .high = 600.0,
     .meaning = "Time of the speed's fall after a trip: first-order, or J w0^2 / P0 of the rotor at full speed.",
     .source = "engineering estimate: small canned pumps stop within a few seconds"},
    {.name = "coast_form",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "How the speed falls after a trip: exponential, or hyperbolic by the rotor's inertia against a torque "
                "that goes "
                "with the square of speed.",
     .source = "exponential: engineering estimate",
     .choices = "exponential|inertia"},
    {.name = "speed_min",
     .quantity = Quantity::ratio,
     .fallback = 0.15,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Lowest speed of a running pump.",
     .source = "Vertiv CoolChip CDU guide, practice.md section 3"},
    {.name = "speed_max",
     .quantity = Quantity::ratio,
     .fallback = 1.0,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Highest speed the drive gives, whatever it is asked.",
     .source = "1: full speed, of which head_curve is"},
    {.name = "start_speed",
     .quantity = Quantity::ratio,
     .fallback = 0.6,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Speed command before a controller acts.",
     .source = "engineering estimate"},
    {.name = "check_valve",
     .kind = ParameterKind::flag,
     .fallback = 1.0,
     .meaning = "A non-return valve stands behind the pump.",
     .source = "practice.md section 3: non-return valve a unit"},
    {.name = "npsh_required",
     .quantity = Quantity::length,
     .fallback = 0.0,
     .low = 0.0,
     .high = 100.0,
     .meaning = "Net positive suction head that it needs at the flow of the head curve's last point.",
     .source = "0: not stated; then only boiling at the suction raises the alarm"},
    kRideThrough,
    kUndervoltageTrip,
    kRestartDelay,
    kRestartMode,
};
constexpr StateInfo kStates[] = {{"speed", Quantity::ratio, 0.02, "Speed over full speed."}};
constexpr SignalInfo kSignals[] = {
    {"speed", Quantity::ratio, SignalType::real, "Speed over full speed."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow, suction to discharge."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure rise, discharge less suction."},
    {"power", Quantity::power, SignalType::real, "Electric power."},
    {"running", Quantity::none, SignalType::integer, "1 while the drive is on."},
    {"efficiency", Quantity::ratio, SignalType::real, "Hydraulic over electric power, 0 at rest."},
    {"low_flow", Quantity::none, SignalType::integer, "1 while it runs below its minimum continuous flow."},
    {"npsh_margin", Quantity::length, SignalType::real,
     "Net positive suction head that is there, less what the pump needs at its flow."},
    {"gas", Quantity::ratio, SignalType::real, "Gas by volume of the coolant it is fed."},
    {"beyond_curve", Quantity::none, SignalType::integer,
     "1 while its flow over speed is beyond the last point of its curves: head and efficiency are extrapolated."},
    kSupplyVoltageSignal,
    kDipsRiddenSignal,
    kTrippedSignal,
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "The drive drops out and the pump coasts down."},
    {"restore", "", Quantity::none, "The drive is available again."},
    {"set", "speed", Quantity::ratio, "Manual speed."},
    {"stick", "speed", Quantity::ratio, "Stays at the stated place, or where it is, whatever it is asked."},
    {"automatic", "", Quantity::none, "Back to its controller."},
};
// Gas that a pump is fed, by volume: less does not show, more takes all of its head. NUREG/CR-2792 (1982).
constexpr double kGasHarmless = 0.02, kGasStops = 0.15;
constexpr LimitInfo kLimits[] = {
    {"low_flow", true, 0.5, 10.0, "alarm",
     "below the minimum continuous flow of its data; 10 s is an estimate: starts take as long"},
    {"npsh_margin", false, 0.0, 0.0, "alarm", "the pump cavitates, which is not modelled"},
    {"gas", true, kGasHarmless, 0.0, "alarm", "above 2 % of gas a pump loses head, NUREG/CR-2792"},
    {"beyond_curve", true, 0.5, 10.0, "alarm", "no data there; 10 s is an estimate, as of low_flow"},
    kTrippedLimit,
};
constexpr ClassInfo kInfo{.name = "pump",
                          .group = "pump",
                          .title = "Pump with speed control and non-return valve",
                          .page = "cooling/pump.md",
                          .symbol = "pump",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kRideThroughDiscretes,
                          .signals = kSignals,
                          .commands = kCommands,
                          .limits = kLimits};

struct Pump {
  static constexpr int kColumns = 1, kRows = 3;
  static constexpr bool kDrivesFlow = true;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;                 // speed, discharge node, motor loss
    std::size_t self, edge, from, to, circuit, suction;  // suction: unknown of its temperature
    double density;
    PumpCurve curve;
    Curve shaft_efficiency;  // [m3/s at full speed]; empty: `efficiency` holds
    double efficiency, converter, idle, shut_off, loss_to_coolant, ramp, lag, coast, speed_min, speed_max, start;
    double minimum_flow;
    double npsh_required, air, weight, vapour_share;  // m, Pa, Pa/m, 1
    bool check, inertia;
    const KernelSet<Pump>* set;
    const Inventory* inventory;
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.ramp; }  // s

  /// Either `efficiency`, wire to water, or that of the pump by its flow with those of motor and drive.
  static void bindEfficiency(Instance& p, const InstanceDescription& d, Diagnostics& problems) {
    p.efficiency = d.number("efficiency");
    p.converter = d.number("motor_efficiency") * d.number("drive_efficiency");
    const auto& curve = d.parameters.at("efficiency_curve");
    if (!curve.given) {
      for (const char* name : {"motor_efficiency", "drive_efficiency"})
        if (d.parameters.at(name).given)
          problems.error(
              d.parameters.at(name).where,
              "'" + d.id + "' gives " + name + " besides an `efficiency` from wire to water, which contains it",
              "give efficiency_curve of the pump alone, or leave it out");
      return;
    }
    if (d.parameters.at("efficiency").given)
      problems.error(curve.where, "'" + d.id + "' gives efficiency and efficiency_curve", "leave one of them out");
    bool good = curve.points.size() >= 2 && curve.points.front().first > 0.0;
    for (std::size_t k = 0; k < curve.points.size(); ++k)
      good = good && (k == 0 || curve.points[k].first > curve.points[k - 1].first) && curve.points[k].second > 0.0 &&
             curve.points[k].second <= 1.0;
    if (good)
      p.shaft_efficiency = Curve(curve.points);
    else
      problems.error(curve.where,
                     "'" + d.id +
                         "' needs an efficiency_curve of two or more points with rising flow above 0 and "
                         "efficiencies above 0 up to 1",
                     "write efficiency_curve: [[2 L/s, 40 %], [6 L/s, 72 %], [9 L/s, 66 %]]");
  }
  static Instance bind(std::size_t i, const InstanceDescription& d, KernelSet<Pump>& set, Binder& b) {
    Instance p{};
    p.set = &set;
    p.self = i;
    p.from = b.fluidNode(i, "from");
    p.to = b.fluidNode(i, "to");
    p.edge = b.edge(p.from, p.to, d.id);
    b.passThrough(p.edge);
    b.makeDrive(i);
    p.density = b.density(p.from);
    p.curve = pumpCurveOf(d, p.density, b.problems());
    bindEfficiency(p, d, b.problems());
    p.shut_off = d.number("shut_off_power");
    p.minimum_flow = d.number("minimum_flow");
    p.inertia = d.text("coast_form") == "inertia";
    p.speed_max = d.number("speed_max");
    p.idle = d.number("idle_power");
    p.loss_to_coolant = d.number("loss_to_coolant");
    p.ramp = d.number("ramp_time");
    p.lag = d.number("lag");
    p.coast = d.number("coast_down");
    p.speed_min = d.number("speed_min");
    if (p.speed_min > p.speed_max)
      b.problems().error(d.parameters.at("speed_max").given ? d.parameters.at("speed_max").where : d.where,
                         "'" + d.id + "': speed_max " + fluids::inWords(100.0 * p.speed_max) +
                             " % is below speed_min " + fluids::inWords(100.0 * p.speed_min) + " %",
                         "give a speed_max of speed_min or more");
    p.start = d.number("start_speed");
    p.check = d.flag("check_valve");
    const System& plant = b.system();
    p.npsh_required = d.number("npsh_required");
    p.air = fluids::standardPressure(plant.plant().elevation);
    p.weight = p.density * plant.plant().gravity;
    p.vapour_share = fluids::waterMoleFraction(plant.circuits()[plant.fluidNodes()[p.from].circuit].coolant.name);
    p.suction = b.nodePort(p.from).column;
    p.circuit = plant.fluidNodes()[p.from].circuit;
    p.inventory = &plant.inventory();
    p.columns = {set.yIndex(0, i)};
    p.rows = {set.yIndex(0, i), b.nodePort(p.to).row, (b.hasPort(i, "air") ? b.heatPort(i, "air") : b.ambient()).row};
    b.capacity(set.yIndex(0, i), 1.0);
    return p;
  }
  static void initialise(std::size_t i, const Instance& p, const KernelSet<Pump>& set, State& s, double) {
    set.z(s, kCommand, i) = p.start;
    s.y[set.yIndex(0, i)] = 0.0;
  }
  /// Speed that makes head: below 2 % it fades, at 0.5 % the pump counts as standing, so that a coast-down ends. At 2 %
  /// the head is 0.04 % of shut-off.
  static double turning(double speed) {
    constexpr double kStanding = 0.005, kFull = 0.02;
    if (speed >= kFull) return speed;
    const double x = std::clamp((speed - kStanding) / (kFull - kStanding), 0.0, 1.0);
    return speed * x * x * (3.0 - 2.0 * x);
  }
  /// Share of its head that it makes while it is fed gas, by its share of the volume.
  static double headWithGas(double share) {
    const double x = std::clamp((share - kGasHarmless) / (kGasStops - kGasHarmless), 0.0, 1.0);
    return 1.0 - x * x * (3.0 - 2.0 * x);
  }
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Pump>& set, Evaluation& e) {
    double w = turning(e.y[set.yIndex(0, i)]);
    if (const double gas = p.inventory->gasShare(p.circuit, e); gas > kGasHarmless) w *= std::sqrt(headWithGas(gas));
    EdgeLaw& law = e.laws[p.edge];
    p.curve.apply(law, w);
    law.check = p.check;
    law.open = set.z(e, kInService, i) != 0.0;  // out of service: its isolating valves are shut
  }
  static double rise(const Instance& p, const Evaluation& e) { return e.p[p.to] - e.p[p.from]; }
  /// Power the drive gives to the coolant: never negative, a turbine is not modelled.
  static double hydraulic(const Instance& p, const Evaluation& e) {
    return std::max(rise(p, e) * e.m[p.edge] / p.density, 0.0);
  }
  /// Hydraulic over electric power at the present flow; by the affinity laws that of the same flow over speed.
  static double efficiency(std::size_t i, const Instance& p, const KernelSet<Pump>& set, const Evaluation& e) {
    if (p.shaft_efficiency.empty()) return p.efficiency;
    const double speed = e.y[set.yIndex(0, i)], low = p.shaft_efficiency.low();
    const double q = speed > 0.0 ? std::max(e.m[p.edge], 0.0) / p.density / speed : 0.0;
    // Below the first point in proportion to flow: power then falls with head alone.
    if (q < low) return p.converter * p.shaft_efficiency.value(low) * q / low;
    return p.converter * p.shaft_efficiency.value(std::min(q, p.shaft_efficiency.high()));
  }
  /// Power [W] beyond idle that goes into the work on the coolant and what is lost with it.
  static double loaded(std::size_t i, const Instance& p, const KernelSet<Pump>& set, const Evaluation& e) {
    const double speed = e.y[set.yIndex(0, i)];
    double power = 0.0;
    if (const double share = efficiency(i, p, set, e); share > 0.0)
      power = hydraulic(p, e) / share;
    else if (!p.shaft_efficiency.empty())  // no flow: the limit of the above
      power = std::max(rise(p, e), 0.0) * speed * p.shaft_efficiency.low() /
              (p.converter * p.shaft_efficiency.value(p.shaft_efficiency.low()));
    return p.shut_off > 0.0 ? std::max(power, p.shut_off * speed * speed * speed) : power;
  }
  static double electric(std::size_t i, const Instance& p, const KernelSet<Pump>& set, const Evaluation& e) {
    return set.available(e, i) ? set.served(e, i) * (p.idle + loaded(i, p, set, e)) : 0.0;
  }
  static void demand(std::size_t i, const Instance& p, const KernelSet<Pump>& set, Evaluation& e) {
    set.load(e, i, electric(i, p, set, e));
  }
  template <class S>
  static void balance(const Instance& p, const Evaluation& e, std::span<const S, kColumns> x, std::span<S, kRows> r) {
    const bool on = p.set->available(e, p.self);
    if (on) {
      const double place = asked(*p.set, e, p.self);
      const double least = stuck(*p.set, e, p.self) ? 0.0 : p.speed_min;  // the drive's own, which a stuck one ignores
      const double most = stuck(*p.set, e, p.self) ? 1.0 : p.speed_max;
      r[0] = followRate(x[0], place > 0.0 ? std::min(std::max(place, least), most) : 0.0, p.lag, p.ramp);
    } else {
      r[0] = p.inertia ? -x[0] * x[0] / S(p.coast) : -x[0] / S(p.coast);
    }
    const double power = electric(p.self, p, *p.set, e), work = on ? hydraulic(p, e) : 0.0;
    r[1] = S(work + p.loss_to_coolant * (power - work));
    r[2] = S((1.0 - p.loss_to_coolant) * (power - work));
  }
  /// Absolute pressure over that of the vapour at the suction, as a head, less what is needed: that goes with the
  /// square of the flow. The head of the velocity there is left out; it is a few centimetres.
  static double npshMargin(const Instance& p, const Evaluation& e) {
    constexpr double kColdest = 173.15, kHottest = 473.15;  // K; ends of the data of water's vapour pressure
    const double share = p.curve.m_nominal > 0.0 ? e.m[p.edge] / p.curve.m_nominal : 0.0;
    const double t = std::clamp(e.y[p.suction], kColdest, kHottest);  // beyond, the node's own alarm tells it
    const double vapour = p.vapour_share * fluids::vapourSaturationPressure(t);
    return (e.p[p.from] + p.air - vapour) / p.weight - p.npsh_required * share * share;
  }
  static bool beyondCurve(std::size_t i, const Instance& p, const KernelSet<Pump>& set, const Evaluation& e) {
    constexpr double kReading = 1e-3;  // of the last point; a pump sized to it is within its curve
    const double speed = e.y[set.yIndex(0, i)];
    const double last = p.shaft_efficiency.empty() ? p.curve.m_nominal
                                                   : std::min(p.curve.m_nominal, p.shaft_efficiency.high() * p.density);
    return turning(speed) == speed && e.m[p.edge] > (1.0 + kReading) * last * speed;
  }
  static double signal(std::size_t k, std::size_t i, const Instance& p, const KernelSet<Pump>& set,
                       const Evaluation& e) {
    switch (k) {
      case 0:
        return e.y[set.yIndex(0, i)];
      case 1:
        return e.m[p.edge] / p.density;
      case 2:
        return rise(p, e);
      case 3:
        return electric(i, p, set, e);
      case 4:
        return set.available(e, i) && asked(set, e, i) > 0.0 ? 1.0 : 0.0;
      case 5: {
        const double power = electric(i, p, set, e);
        return power > 0.0 ? hydraulic(p, e) / power : 0.0;
      }
      case 6:
        return set.available(e, i) && asked(set, e, i) > 0.0 &&
                       e.m[p.edge] / p.density < p.minimum_flow * e.y[set.yIndex(0, i)]
                   ? 1.0
                   : 0.0;
      case 7:
        return npshMargin(p, e);
      case 8:
        return p.inventory->gasShare(p.circuit, e);
      default:
        return beyondCurve(i, p, set, e) ? 1.0 : 0.0;
    }
  }
};

}  // namespace

RegisteredClass pumpClass() { return {&kInfo, makeRidingDriveSetInto<Pump>}; }

}  // namespace podtwin
