#include "model/components/power/trip_devices.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

constexpr double kMinute = 60.0, kHour = 3600.0;  // s

// ---- Relays ----

constexpr std::string_view kIecSource =
    "IEC 60255-151 k, a as printed in ABB REL650 and DEIF PPM 300 manuals; reset as in SEL manuals (curves C1 to C5), "
    "recalled, verify";
constexpr std::string_view kIeeeSource =
    "IEEE C37.112 as printed in the DEIF PPM 300 manual; reset of the same standard, recalled, verify";
constexpr RelayCurve kRelayCurves[] = {
    {"IEC standard inverse", 0.14, 0.02, 0.0, 13.5, 2.0, kIecSource},
    {"IEC very inverse", 13.5, 1.0, 0.0, 47.3, 2.0, kIecSource},
    {"IEC extremely inverse", 80.0, 2.0, 0.0, 80.0, 2.0, kIecSource},
    {"IEC long-time inverse", 120.0, 1.0, 0.0, 120.0, 1.0, kIecSource},
    {"IEC short-time inverse", 0.05, 0.04, 0.0, 4.85, 2.0, kIecSource},
    {"IEEE moderately inverse", 0.0515, 0.02, 0.114, 4.85, 2.0, kIeeeSource},
    {"IEEE very inverse", 19.61, 2.0, 0.491, 21.6, 2.0, kIeeeSource},
    {"IEEE extremely inverse", 28.2, 2.0, 0.1217, 29.1, 2.0, kIeeeSource},
};
constexpr double kDefiniteAbove = 20.0;  // multiple of the pickup: usual G_D of IEC 60255-151; recalled, verify

// ---- Thermal and magnetic breakers ----

constexpr double kOneHourUpTo = 63.0;  // A: above it the conventional time is two hours (both standards)
constexpr double kNonTrip60898 = 1.13, kTrip60898 = 1.45;  // of In: IEC 60898-1 by Schneider Electric FAQ FA369327
constexpr double kReference60898 = 2.55;                   // of In: IEC 60898-1, test c
constexpr double kShortUpTo60898 = 32.0;                   // A: IEC 60898-1, test c
constexpr double kLeast60898 = 1.0, kGreatest60898 = 60.0, kGreatest60898Large = 120.0;  // s: IEC 60898-1, test c
constexpr double kHold60898 = 0.1;                         // s at the least magnetic current: IEC 60898-1, test d
constexpr double kNonTrip60947 = 1.05, kTrip60947 = 1.30;  // of Ir: IEC 60947-2 by the same FAQ
// 120 to 400 s at 1.5 Ir: thermal-magnetic units of Schneider NSX catalogues; recalled, verify.
constexpr double kReference60947 = 1.5, kLeast60947 = 120.0, kGreatest60947 = 400.0;
constexpr double kMagneticTolerance = 0.2;  // share: IEC 60947-2, short-circuit releases; recalled, verify
constexpr int kSolves = 100;                // the trip level and the time constant settle in a few

/// Time constant and trip level that are full after `T` at M_c and after `t` at M_r, both from cold.
std::pair<double, double> imageThrough(double M_c, double T, double M_r, double t) {
  double theta = M_c * M_c, tau = 0.0;
  for (int k = 0; k < kSolves; ++k) {
    tau = -t / std::log1p(-theta / (M_r * M_r));
    const double next = -M_c * M_c * std::expm1(-T / tau);
    if (next == theta) break;
    theta = next;
  }
  return {tau, theta};
}

// ---- Electronic trip units ----

constexpr Band kLongTimePickup{1.05, 1.125,
                               1.2};          // of Ir: usual for electronic units within 1.05 to 1.30 of IEC 60947-2
constexpr double kUnitTolerance = 0.1;        // share of pickups and times: estimate from makers' data sheets
constexpr double kDelayTolerance = 0.02;      // s of short delays: estimate, one cycle
constexpr double kLongTimeReference = 6.0;    // of Ir: where the long-time delay is stated
constexpr double kShortRampEnd = 10.0;        // of Ir: where the I2t ramp of the short-time delay ends
constexpr double kGroundRampEnd = 1.0;        // of Ir: estimate
constexpr Band kDecision{0.005, 0.01, 0.02};  // s of an instantaneous element: estimate, a half to one cycle

/// t = delay (end/M)^2 with M of `base`, from its pickup on, no less than the delay. `end` 0: the delay alone.
TimedElement delayedElement(std::string name, double pickup, double delay, double base, double end, Watched watched) {
  TimedElement e;
  e.name = std::move(name);
  e.watched = watched;
  e.pickup = Band::around(pickup, kUnitTolerance);
  e.base = Band::exactly(base);
  e.k = delay * end * end;
  e.a = 2.0;
  e.offset = 0.0;
  e.least = std::max(delay, kDecision.middle);  // a delay of nothing is an instantaneous element
  e.multiplier = Band::around(1.0, kUnitTolerance);
  e.added = {-kDelayTolerance, 0.0, kDelayTolerance};
  return e;
}

// ---- Fuses ----

constexpr double kVirtualTime = 0.004;              // s: of the discrimination test, IEC 60269-2; recalled, verify
constexpr double kNonFusing = 1.25, kFusing = 1.6;  // of In: IEC 60269-1, conventional currents of gG
constexpr double kFuseCooling = 300.0;              // s: estimate, a fuse-link in its holder cools within minutes
constexpr double kHalfCycle = 0.01;                 // s at 50 Hz
constexpr double kGate5s = 5.0, kGate10s = 10.0, kGate01s = 0.1;  // s
struct ConventionalTime {
  double up_to, time;
};
// IEC 60269-1, rated current [A] and conventional time [s]; recalled, verify.
constexpr ConventionalTime kConventionalTimes[] = {
    {63.0, kHour}, {160.0, 2 * kHour}, {400.0, 3 * kHour}, {1e9, 4 * kHour}};
// A and A2s. IEC 60269-1, gates of gG, and IEC 60269-2, verification of discrimination; recalled, verify. That each
// greatest value is the least one two ratings on, which makes fuses of ratio 1.6 selective, speaks for them.
constexpr FuseGates kGatesGg[] = {
    {16, 33, 65, 85, 150, 291, 1210},
    {20, 42, 85, 110, 200, 640, 2500},
    {25, 52, 110, 150, 260, 1210, 4000},
    {32, 75, 150, 200, 350, 2500, 5750},
    {40, 95, 190, 260, 450, 4000, 9000},
    {50, 125, 250, 350, 610, 5750, 13700},
    {63, 160, 320, 450, 820, 9000, 21200},
    {80, 215, 425, 610, 1100, 13700, 36000},
    {100, 290, 580, 820, 1450, 21200, 64000},
    {125, 355, 715, 1100, 1910, 36000, 104000},
    {160, 460, 950, 1450, 2590, 64000, 185000},
    {200, 610, 1250, 1910, 3420, 104000, 302000},
    {250, 750, 1650, 2590, 4500, 185000, 557000},
    {315, 1050, 2200, 3420, 6000, 302000, 900000},
    {400, 1420, 2840, 4500, 8060, 557000, 1600000},
    {500, 1780, 3800, 6000, 10600, 900000, 2700000},
    {630, 2200, 5100, 8060, 14140, 1600000, 5470000},
    {800, 3060, 7000, 10600, 19000, 2700000, 10000000},
    {1000, 4000, 9500, 14140, 24000, 5470000, 17400000},
    {1250, 5000, 13000, 19000, 35000, 10000000, 33100000},
};
// Multiple of In and time [s]. IEC 60269-1, gates of aM; recalled, verify.
constexpr std::pair<double, double> kLeastAm[] = {{4.0, 60.0}, {8.0, 0.5}, {10.0, 0.2}};
constexpr std::pair<double, double> kGreatestAm[] = {{6.3, 60.0}, {12.5, 0.5}, {19.0, 0.1}};

/// Current [A] at a time: straight in logarithms, the last piece of constant I2t beyond the points.
double currentAt(const TimeCurrentPoints& points, double time) {
  const auto& last = points.back();
  if (time <= last.second) return last.first * std::sqrt(last.second / time);
  std::size_t k = 1;
  while (points[k].second > time) ++k;
  const auto& [I0, t0] = points[k - 1];
  const auto& [I1, t1] = points[k];
  return I0 * std::pow(I1 / I0, std::log(time / t0) / std::log(t1 / t0));
}

/// Halfway in the logarithm of the current, at every time of either.
TimeCurrentPoints middleOf(const TimeCurrentPoints& low, const TimeCurrentPoints& high) {
  std::vector<double> times;
  for (const auto* points : {&low, &high})
    for (const auto& [current, time] : *points) times.push_back(time);
  std::sort(times.rbegin(), times.rend());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  TimeCurrentPoints middle;
  for (const double t : times) middle.emplace_back(std::sqrt(currentAt(low, t) * currentAt(high, t)), t);
  return middle;
}

TripCurve fuse(std::string name, TimeCurrentPoints low, TimeCurrentPoints middle, TimeCurrentPoints high, Band arcing) {
  return TripCurve({FuseElement{.name = std::move(name),
                                .pre_arcing = {std::move(low), std::move(middle), std::move(high)},
                                .arcing_i2t = arcing,
                                .longest_arc = kHalfCycle,
                                .cooling = kFuseCooling}});
}

}  // namespace

std::span<const RelayCurve> relayCurves() { return kRelayCurves; }

const RelayCurve& relayCurve(std::string_view name) {
  std::string names;
  for (const auto& curve : kRelayCurves) {
    if (curve.name == name) return curve;
    names += (names.empty() ? "" : ", ") + std::string(curve.name);
  }
  throw Error("unknown relay curve '" + std::string(name) + "': there are " + names);
}

TimedElement relayElement(const RelayCurve& curve, double pickup, double multiplier, RelayReset reset,
                          double reset_time, const RelayTolerance& tolerance) {
  TimedElement e;
  e.name = curve.name;
  e.pickup = e.base = Band::around(pickup, tolerance.pickup);
  e.k = curve.k;
  e.a = curve.a;
  e.c = curve.c;
  e.multiplier = Band::around(multiplier, tolerance.time);
  e.added = {-tolerance.added, 0.0, tolerance.added};
  e.definite_above = kDefiniteAbove;
  if (reset == RelayReset::definite) e.reset = {Reset::Law::linear, reset_time};
  if (reset == RelayReset::inverse) e.reset = {Reset::Law::inverse, curve.reset_time, curve.reset_exponent};
  return e;
}

TimedElement definiteElement(std::string name, Band pickup, Band time, Watched watched) {
  TimedElement e;
  e.name = std::move(name);
  e.watched = watched;
  e.pickup = e.base = pickup;
  e.c = 1.0;
  e.multiplier = time;
  return e;
}

ThermalElement thermalElement(std::string name, double rated, const ThermalBand& band) {
  const auto wrong = [&name](const char* what) { throw Error("thermal element '" + name + "': " + what); };
  if (!(band.non_trip > 0.0 && band.non_trip < band.trip && band.trip < band.reference))
    wrong("non-trip, trip and reference multiples rise");
  const Band& t = band.reference_time;
  if (!(t.low > 0.0 && t.low <= t.middle && t.middle <= t.high && t.high < band.conventional_time))
    wrong("reference times rise and are below the conventional time");
  if (band.hold != 0.0 && !(band.hold > band.trip && band.hold_time > 0.0))
    wrong("it bears a multiple above the trip multiple for a time above 0 s, or nothing is said of it");
  ThermalElement e;
  e.name = std::move(name);
  e.rated = rated;
  std::tie(e.tau.low, e.theta_trip.low) =
      imageThrough(band.non_trip, band.conventional_time, band.reference, band.reference_time.low);
  std::tie(e.tau.high, e.theta_trip.high) =
      imageThrough(band.trip, band.conventional_time, band.reference, band.reference_time.high);
  e.theta_trip.middle = band.non_trip * band.trip;
  e.tau.middle = -band.reference_time.middle / std::log1p(-e.theta_trip.middle / (band.reference * band.reference));
  if (band.hold > 0.0)
    e.tau.low = std::max(e.tau.low, -band.hold_time / std::log1p(-e.theta_trip.low / (band.hold * band.hold)));
  return e;
}

TripCurve relayBreaker(const RelaySettings& settings, Band breaking) {
  const RelayTolerance tolerance{};
  std::vector<TripElement> elements;
  if (settings.pickup > 0.0)
    elements.push_back(relayElement(relayCurve(settings.curve), settings.pickup, settings.multiplier, settings.reset,
                                    settings.reset_time, tolerance));
  if (settings.instantaneous > 0.0)
    elements.push_back(
        definiteElement("instantaneous", Band::around(settings.instantaneous, tolerance.pickup), kDecision));
  if (settings.ground > 0.0) {
    TimedElement ground = definiteElement(
        "ground", Band::around(settings.ground, tolerance.pickup),
        Band::around(std::max(settings.ground_delay, kDecision.middle), tolerance.time), Watched::ground);
    ground.added = {-tolerance.added, 0.0, tolerance.added};
    elements.push_back(std::move(ground));
  }
  return TripCurve(std::move(elements), breaking);
}

Band magneticMultiples(MagneticType type) {
  // IEC 60898-1, of In, by IEK VA47-100 manual; the middle is the mean.
  switch (type) {
    case MagneticType::B:
      return {3.0, 4.0, 5.0};
    case MagneticType::C:
      return {5.0, 7.5, 10.0};
    case MagneticType::D:
      return {10.0, 15.0, 20.0};
  }
  throw Error("unknown type of magnetic release");
}

ThermalBand thermalBandIec60898(double rated, MagneticType type) {
  const double longest = rated <= kShortUpTo60898 ? kGreatest60898 : kGreatest60898Large;
  return {.non_trip = kNonTrip60898,
          .trip = kTrip60898,
          .conventional_time = rated <= kOneHourUpTo ? kHour : 2 * kHour,
          .reference = kReference60898,
          .reference_time = {kLeast60898, std::sqrt(kLeast60898 * longest), longest},
          .hold = magneticMultiples(type).low,
          .hold_time = kHold60898};
}

ThermalBand thermalBandIec60947(double rated) {
  return {.non_trip = kNonTrip60947,
          .trip = kTrip60947,
          .conventional_time = rated <= kOneHourUpTo ? kHour : 2 * kHour,
          .reference = kReference60947,
          .reference_time = {kLeast60947, std::sqrt(kLeast60947 * kGreatest60947), kGreatest60947}};
}

TripCurve miniatureBreaker(double rated, MagneticType type, Band magnetic_time) {
  auto thermal = thermalElement("thermal", rated, thermalBandIec60898(rated, type));
  thermal.least = magnetic_time;
  return TripCurve({std::move(thermal), definiteElement("magnetic", magneticMultiples(type) * rated, magnetic_time)});
}

TripCurve mouldedCaseBreaker(double rated, double instantaneous, Band magnetic_time) {
  auto thermal = thermalElement("thermal", rated, thermalBandIec60947(rated));
  thermal.least = magnetic_time;
  return TripCurve({std::move(thermal),
                    definiteElement("magnetic", Band::around(instantaneous, kMagneticTolerance), magnetic_time)});
}

TripCurve electronicBreaker(const TripUnit& unit, Band breaking) {
  if (!(unit.long_time > 0.0)) throw Error("trip unit: a long-time current Ir above 0 A is wanted");
  std::vector<TripElement> elements;
  if (unit.long_time_delay > 0.0) {
    auto e = delayedElement("long time", unit.long_time, unit.long_time_delay, unit.long_time, kLongTimeReference,
                            Watched::phase);
    e.pickup = kLongTimePickup * unit.long_time;
    e.least = 0.0;
    e.added = Band::exactly(0.0);
    // It cools as the first-order image that this I2t is the beginning of: tau theta_trip = k.
    e.reset = {Reset::Law::decay, e.k / (kLongTimePickup.middle * kLongTimePickup.middle)};
    elements.push_back(std::move(e));
  }
  if (unit.short_time > 0.0)
    elements.push_back(delayedElement("short time", unit.short_time, unit.short_time_delay, unit.long_time,
                                      unit.short_time_ramp ? kShortRampEnd : 0.0, Watched::phase));
  if (unit.instantaneous > 0.0)
    elements.push_back(definiteElement("instantaneous", Band::around(unit.instantaneous, kUnitTolerance), kDecision));
  if (unit.ground > 0.0)
    elements.push_back(delayedElement("ground", unit.ground, unit.ground_delay, unit.long_time,
                                      unit.ground_ramp ? kGroundRampEnd : 0.0, Watched::ground));
  return TripCurve(std::move(elements), breaking);
}

std::span<const FuseGates> fuseGatesGg() { return kGatesGg; }

TripCurve fuseGg(double rated) {
  const auto* gates =
      std::find_if(std::begin(kGatesGg), std::end(kGatesGg), [&](const auto& g) { return g.rated == rated; });
  if (gates == std::end(kGatesGg)) {
    std::string ratings;
    for (const auto& g : kGatesGg) ratings += (ratings.empty() ? "" : ", ") + std::to_string(std::lround(g.rated));
    throw Error("no gates of a gG fuse of " + std::to_string(rated) + " A: there are " + ratings);
  }
  double conventional = 0.0;
  for (const auto& c : kConventionalTimes) {
    conventional = c.time;
    if (rated <= c.up_to) break;
  }
  const auto atVirtualTime = [](double i2t) { return std::sqrt(i2t / kVirtualTime); };
  const TimeCurrentPoints low = {{kNonFusing * rated, conventional},
                                 {gates->least_10s, kGate10s},
                                 {gates->least_01s, kGate01s},
                                 {atVirtualTime(gates->least_pre_arcing_i2t), kVirtualTime}};
  const TimeCurrentPoints high = {{kFusing * rated, conventional},
                                  {gates->greatest_5s, kGate5s},
                                  {gates->greatest_01s, kGate01s},
                                  {atVirtualTime(gates->greatest_operating_i2t), kVirtualTime}};
  // The high edge is an operating I2t already: no arc is added to it.
  return fuse("gG", low, middleOf(low, high), high, Band::exactly(0.0));
}

TripCurve fuseAm(double rated) {
  TimeCurrentPoints low, high;
  for (const auto& [M, t] : kLeastAm) low.emplace_back(M * rated, t);
  for (const auto& [M, t] : kGreatestAm) high.emplace_back(M * rated, t);
  return fuse("aM", low, middleOf(low, high), high, Band::exactly(0.0));
}

TripCurve fuseOf(std::string name, const TimeCurrentPoints& pre_arcing, double tolerance,
                 double clearing_over_pre_arcing) {
  if (pre_arcing.empty() || !(tolerance >= 0.0 && tolerance < 1.0) || !(clearing_over_pre_arcing >= 1.0))
    throw Error("fuse '" + name + "': points, a tolerance from 0 to 1 and a clearing I2t no less than that of melting");
  const auto scaled = [&](double factor) {
    TimeCurrentPoints points = pre_arcing;
    for (auto& point : points) point.first *= factor;
    return points;
  };
  const Band factor = Band::around(1.0, tolerance);
  const auto& [I, t] = pre_arcing.back();
  const double arc = (clearing_over_pre_arcing - 1.0) * I * I * t;
  return fuse(std::move(name), scaled(factor.low), pre_arcing, scaled(factor.high),
              {arc * factor.low * factor.low, arc, arc * factor.high * factor.high});
}

}  // namespace podtwin
