// Pump with speed control and non-return valve. Equations: pump.md.
#include <array>
#include <cmath>

#include "model/components/cooling/actuator.hpp"
#include "model/components/cooling/classes.hpp"
#include "model/system/kernel_set.hpp"

namespace podtwin {

namespace {

constexpr double kLinearShare = 1e-3;  // of the last point's flow; below it the curve's quadratic part is linear
constexpr double kStraight = 1e-9;     // of the shut-off head; less curvature than that is rounding of a straight line
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
     .meaning = "First-order time of the speed after a trip.",
     .source = "engineering estimate: small canned pumps stop within a few seconds"},
    {.name = "speed_min",
     .quantity = Quantity::ratio,
     .fallback = 0.15,
     .low = 0.0,
     .high = 1.0,
     .meaning = "Lowest speed of a running pump.",
     .source = "Vertiv CoolChip CDU guide, practice.md section 3"},
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
    {.name = "undervoltage_trip",
     .quantity = Quantity::time,
     .fallback = 0.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "Loss of supply that trips the drive; a shorter one it rides through, coasting. 0: it never trips.",
     .source = "0: runs on when its supply returns; drives by SEMI F47 about 0.2 s, practice.md section 4"},
    {.name = "restart_delay",
     .quantity = Quantity::time,
     .fallback = 5.0,
     .low = 0.0,
     .high = 3600.0,
     .meaning = "From the return of supply to the restart of a drive that tripped so, at the speed it then has.",
     .source = "engineering estimate: charging and self-test of a drive"},
    {.name = "restart",
     .kind = ParameterKind::choice,
     .fallback = 0.0,
     .meaning = "Whether it restarts by itself or waits for `restore`.",
     .source = "practice.md section 4: auto or manual",
     .choices = "automatic|manual"},
};
constexpr double kSupplied = -1.0;  // value of dead_since
constexpr DiscreteInfo kDiscretes[] = {
    {"dead_since", Quantity::time, kSupplied, "Time since which it has no supply [s]; -1: it has."},
    {"undervoltage", Quantity::none, 0.0, "1: its drive tripped on the loss of supply."},
    {"restart_at", Quantity::time, 0.0, "Time of its restart [s]."},
};
enum Discrete : std::size_t { kDeadSince = kCommonCount, kUndervoltage, kRestartAt };
constexpr StateInfo kStates[] = {{"speed", Quantity::ratio, 0.02, "Speed over full speed."}};
constexpr SignalInfo kSignals[] = {
    {"speed", Quantity::ratio, SignalType::real, "Speed over full speed."},
    {"flow", Quantity::volume_flow, SignalType::real, "Flow, suction to discharge."},
    {"dp", Quantity::pressure_difference, SignalType::real, "Pressure rise, discharge less suction."},
    {"power", Quantity::power, SignalType::real, "Electric power."},
    {"running", Quantity::none, SignalType::integer, "1 while the drive is on."},
};
constexpr CommandInfo kCommands[] = {
    {"trip", "", Quantity::none, "The drive drops out and the pump coasts down."},
    {"restore", "", Quantity::none, "The drive is available again."},
    {"set", "speed", Quantity::ratio, "Manual speed."},
    {"stick", "speed", Quantity::ratio, "Stays at the stated place, or where it is, whatever it is asked."},
    {"automatic", "", Quantity::none, "Back to its controller."},
};
constexpr ClassInfo kInfo{.name = "pump",
                          .group = "pump",
                          .title = "Pump with speed control and non-return valve",
                          .page = "cooling/pump.md",
                          .symbol = "pump",
                          .ports = kPorts,
                          .parameters = kParameters,
                          .states = kStates,
                          .discretes = kDiscretes,
                          .signals = kSignals,
                          .commands = kCommands};

struct Pump {
  static constexpr int kColumns = 1, kRows = 3;
  struct Instance {
    std::array<std::size_t, kColumns> columns;
    std::array<std::size_t, kRows> rows;  // speed, discharge node, motor loss
    std::size_t self, edge, from, to;
    double density, h0, h1, h2, m_nominal;  // head [Pa] against mass flow [kg/s] at full speed; flow of the last point
    double efficiency, idle, loss_to_coolant, ramp, lag, coast, speed_min, start;
    bool check, restarts;
    double trip_after, restart_delay;  // s
    const KernelSet<Pump>* set;
  };
  static const ClassInfo& info() { return kInfo; }
  static double fullTravelTime(const Instance& p) { return p.ramp; }  // s

  /// Quadratic h0 + h1 q + h2 q^2 through the points of the head curve.
  static void fitHead(const std::vector<std::pair<double, double>>& points, double& h0, double& h1, double& h2) {
    if (points.size() == 2) {
      const double a = points[0].first * points[0].first, b = points[1].first * points[1].first;
      h2 = (points[1].second - points[0].second) / (b - a);
      h0 = points[0].second - h2 * a;
      h1 = 0.0;
      return;
    }
    // Least squares on 1, q/s, (q/s)^2 by the normal equations; exact for three points.
    const double s = points.back().first > 0.0 ? points.back().first : 1.0;
    double m[3][4] = {};
    for (const auto& [q, h] : points) {
      const double basis[3] = {1.0, q / s, q / s * q / s};
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) m[i][j] += basis[i] * basis[j];
        m[i][3] += basis[i] * h;
      }
    }
    for (int p = 0; p < 3; ++p)
      for (int r = 0; r < 3; ++r) {
        if (r == p) continue;
        const double f = m[r][p] / m[p][p];
        for (int c = p; c < 4; ++c) m[r][c] -= f * m[p][c];
      }
    h0 = m[0][3] / m[0][0];
    h1 = m[1][3] / m[1][1] / s;
    h2 = m[2][3] / m[2][2] / (s * s);
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
    const auto& curve = d.parameters.at("head_curve");
    const auto& points = curve.points;
    bool rising = points.size() >= 2;
    for (std::size_t k = 1; k < points.size(); ++k) rising = rising && points[k].first > points[k - 1].first;
    if (!rising) {
      b.problems().error(curve.given ? curve.where : d.where,
                         "'" + d.id + "' needs a head_curve of two or more points with rising flow",
                         "write head_curve: [[0 L/min, 400 kPa], [600 L/min, 250 kPa]]");
      p.h0 = 1e5;
    } else {
      fitHead(points, p.h0, p.h1, p.h2);
      p.m_nominal = points.back().first * p.density;
      if (std::abs(p.h2) * points.back().first * points.back().first < kStraight * p.h0) p.h2 = 0.0;
      p.h1 /= p.density;
      p.h2 /= p.density * p.density;
      if (!(p.h0 > 0.0) || p.h2 > 0.0 || (p.h2 == 0.0 && p.h1 >= 0.0))
        b.problems().error(curve.where, "'" + d.id + "': the head curve does not fall with flow",
                           "give a finite shut-off head and lower heads at higher flows");
    }
    p.efficiency = d.number("efficiency");
    p.idle = d.number("idle_power");
    p.loss_to_coolant = d.number("loss_to_coolant");
    p.ramp = d.number("ramp_time");
    p.lag = d.number("lag");
    p.coast = d.number("coast_down");
    p.speed_min = d.number("speed_min");
    p.start = d.number("start_speed");
    p.check = d.flag("check_valve");
    p.trip_after = d.number("undervoltage_trip");
    p.restart_delay = d.number("restart_delay");
    p.restarts = d.text("restart") == "automatic";
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
  static void edgeLaws(std::size_t i, const Instance& p, const KernelSet<Pump>& set, Evaluation& e) {
    const double w = turning(e.y[set.yIndex(0, i)]);
    EdgeLaw& law = e.laws[p.edge];
    law.head_0 = p.h0 * w * w;
    law.head_1 = p.h1 * w;
    law.k = -p.h2;
    law.m_linear = kLinearShare * p.m_nominal;
    law.check = p.check;
    law.open = set.z(e, kInService, i) != 0.0;  // out of service: its isolating valves are shut
  }
  static double rise(const Instance& p, const Evaluation& e) { return e.p[p.to] - e.p[p.from]; }
  /// Power the drive gives to the coolant: never negative, a turbine is not modelled.
  static double hydraulic(const Instance& p, const Evaluation& e) {
    return std::max(rise(p, e) * e.m[p.edge] / p.density, 0.0);
  }
  static double electric(std::size_t i, const Instance& p, const KernelSet<Pump>& set, const Evaluation& e) {
    return set.available(e, i) ? p.idle + hydraulic(p, e) / p.efficiency : 0.0;
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
      r[0] = followRate(x[0], place > 0.0 ? std::max(place, least) : 0.0, p.lag, p.ramp);
    } else {
      r[0] = -x[0] / S(p.coast);
    }
    const double power = electric(p.self, p, *p.set, e), work = on ? hydraulic(p, e) : 0.0;
    r[1] = S(work + p.loss_to_coolant * (power - work));
    r[2] = S((1.0 - p.loss_to_coolant) * (power - work));
  }
  /// The drive's under-voltage trip and its restart, which finds the pump at the speed it has coasted to.
  static void supplyChanged(std::size_t i, const Instance& p, const KernelSet<Pump>& set, const Evaluation& e, State& s,
                            std::vector<Occurrence>& events) {
    if (p.trip_after <= 0.0 || set.supply_bus[i] < 0 || e.steady_search) return;
    constexpr double kTolerance = 1e-9;  // s
    double &since = set.z(s, kDeadSince, i), &undervoltage = set.z(s, kUndervoltage, i),
           &tripped = set.z(s, kTripped, i), &restart_at = set.z(s, kRestartAt, i);
    const bool dead = e.energised[static_cast<std::size_t>(set.supply_bus[i])] == 0;
    if (undervoltage != 0.0 && tripped == 0.0) undervoltage = 0.0;  // restored by hand
    if (dead && since == kSupplied) since = e.t;
    if (since != kSupplied && tripped == 0.0 && e.t - since > p.trip_after + kTolerance) {
      undervoltage = tripped = 1.0;
      ++s.topology;
      events.push_back({set.ids()[i], set.ids()[i], "under-voltage", "drive trip"});
    }
    if (dead) return;
    if (since != kSupplied) restart_at = e.t + p.restart_delay;
    since = kSupplied;
    if (undervoltage == 0.0 || !p.restarts || e.t < restart_at - kTolerance) return;
    undervoltage = tripped = 0.0;
    ++s.topology;
    events.push_back({set.ids()[i], set.ids()[i], "supply is back", "drive restart"});
  }
  static void sample(std::size_t i, const Instance& p, const KernelSet<Pump>& set, const Evaluation& e, State& s,
                     std::vector<Occurrence>& events) {
    supplyChanged(i, p, set, e, s, events);
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
      default:
        return set.available(e, i) && asked(set, e, i) > 0.0 ? 1.0 : 0.0;
    }
  }
};

}  // namespace

RegisteredClass pumpClass() { return {&kInfo, makeDriveSetInto<Pump>}; }

}  // namespace podtwin
