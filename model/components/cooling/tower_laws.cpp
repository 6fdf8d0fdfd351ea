#include "model/components/cooling/tower_laws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/diagnostics.hpp"
#include "model/base/dual.hpp"
#include "model/components/cooling/effectiveness.hpp"
#include "model/fluids/moist_air.hpp"
#include "model/fluids/range.hpp"

namespace podtwin {

namespace {

using fluids::inWords;
using fluids::saturatedAirEnthalpy;

constexpr double kFreezing = 273.15;  // K, 0 degC

void requirePositive(const char* what, double x, const char* unit) {
  if (!(x > 0.0 && std::isfinite(x)))
    throw Error(std::string("cooling tower: ") + what + " " + inWords(x) + unit +
                " has to be above 0 and finite; give it a positive value");
}

/// h_s(T) - h_a(T) along the water's way.
class DrivingForce {
 public:
  explicit DrivingForce(const MerkelProcess& m)
      : m_(m), entering_(saturatedAirEnthalpy(m.wet_bulb, m.p).value), line_(m.liquid_to_gas * m.water_heat) {}
  double operator()(double T) const { return saturatedAirEnthalpy(T, m_.p).value - entering_ - line_ * (T - m_.cold); }
  /// Where it is least: the enthalpy of saturated air is convex.
  double leastAt() const {
    double low = m_.cold, high = m_.hot;
    if (rising(low)) return low;
    if (!rising(high)) return high;
    constexpr int kHalvings = 60;  // to rounding
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (low + high);
      (rising(middle) ? high : low) = middle;
    }
    return high;
  }

 private:
  bool rising(double T) const { return saturatedAirEnthalpy(T, m_.p).slope > line_; }
  MerkelProcess m_;
  double entering_, line_;
};

/// Simpson's rule, halved until two halves agree with the whole: of a positive function, so that what every part holds
/// relatively the sum holds. `noise` is the rounding of 1/f.
template <class F>
double integral(const F& f, double a, double b, double fa, double fm, double fb, double noise, int depth) {
  constexpr double kAccuracy = 1e-11;   // relative
  constexpr double kRichardson = 15.0;  // error of the halves over their difference to the whole, for fourth order
  const double m = 0.5 * (a + b), h = b - a;
  const double fl = f(0.5 * (a + m)), fr = f(0.5 * (m + b));
  const double whole = h / 6.0 * (fa + 4.0 * fm + fb), halves = h / 12.0 * (fa + 4.0 * fl + 2.0 * fm + 4.0 * fr + fb);
  const double error = (halves - whole) / kRichardson;
  const double accepted = (kAccuracy + noise * std::max({fa, fm, fb})) * halves;
  if (std::fabs(error) <= accepted || depth == 0) return halves + error;
  return integral(f, a, m, fa, fl, fm, noise, depth - 1) + integral(f, m, b, fm, fr, fb, noise, depth - 1);
}

/// Infinite where the driving force vanishes.
double merkelOf(const MerkelProcess& m) {
  constexpr int kDepth = 40;  // a part of 1e-12 of the range
  const DrivingForce force(m);
  const double least = force.leastAt();
  // Differences of enthalpies that agree to this share are rounding.
  constexpr double kRounding = 1e-15;
  const double rounding = kRounding * std::fabs(saturatedAirEnthalpy(m.hot, m.p).value);
  if (!(force(least) > rounding)) return std::numeric_limits<double>::infinity();
  const double noise = rounding / m.water_heat;
  const auto f = [&](double T) { return m.water_heat / force(T); };
  const auto part = [&](double a, double b) {
    if (a == b) return 0.0;
    const double fa = f(a), fm = f(0.5 * (a + b)), fb = f(b);
    return integral(f, a, b, fa, fm, fb, noise, kDepth);
  };
  return part(m.cold, least) + part(least, m.hot);  // the peak, if any, at an end
}

void check(const MerkelProcess& m) {
  requirePositive("water over air flow", m.liquid_to_gas, "");
  requirePositive("specific heat of water", m.water_heat, " J/(kg K)");
  if (!(m.hot > m.cold))
    throw Error("cooling tower: hot water " + inWords(m.hot) + " K is not above cold water " + inWords(m.cold) +
                " K; exchange them or give a range above 0");
}
[[noreturn]] void pinched(const MerkelProcess& m) {
  throw Error("cooling tower: with water over air of " + inWords(m.liquid_to_gas) + " and a wet bulb of " +
              inWords(m.wet_bulb) + " K no tower cools water from " + inWords(m.hot) + " to " + inWords(m.cold) +
              " K: the air is as rich as saturated air at the water on the way; raise the air flow or the cold water");
}

}  // namespace

double merkelNumber(const MerkelProcess& m) {
  check(m);
  const double me = merkelOf(m);
  if (!std::isfinite(me)) pinched(m);
  return me;
}

double merkelNumberChebyshev(const MerkelProcess& m) {
  constexpr std::array<double, 4> kPoints{0.1, 0.4, 0.6, 0.9};
  check(m);
  const DrivingForce force(m);
  double sum = 0.0;
  for (const double x : kPoints) {
    const double difference = force(m.cold + x * (m.hot - m.cold));
    if (!(difference > 0.0)) pinched(m);
    sum += 1.0 / difference;
  }
  return m.water_heat * (m.hot - m.cold) * sum / static_cast<double>(kPoints.size());
}

FillResult coolWithFill(const Fill& fill, double water, double air, double hot, double wet_bulb, double water_heat,
                        double p) {
  requirePositive("water flow", water, " kg/s");
  requirePositive("air flow", air, " kg/s");
  requirePositive("fill coefficient c", fill.c, "");
  requirePositive("specific heat of water", water_heat, " J/(kg K)");
  if (!(hot > wet_bulb))
    throw Error("cooling tower: hot water " + inWords(hot) + " K is not above the wet bulb " + inWords(wet_bulb) +
                " K; there is nothing to cool");
  const double liquid_to_gas = water / air, asked = fill.c * std::pow(liquid_to_gas, -fill.n);
  constexpr double kClose = 1e-10;    // K
  double low = wet_bulb, high = hot;  // an infinite fill's at most, no fill's
  while (high - low > kClose) {       // the Merkel number falls as the cold water gets warmer
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (merkelOf({hot, middle, wet_bulb, liquid_to_gas, water_heat, p}) > asked ? low : high) = middle;
  }
  const double cold = 0.5 * (low + high);
  const double heat = water * water_heat * (hot - cold);
  return {cold, heat, saturatedAirEnthalpy(wet_bulb, p).value + heat / air};
}

const YorkCalcCoefficients kYorkCalc{
    -0.359741205,        -0.055053608,    0.0023850432,     0.173926877,      -0.0248473764,  0.00048430224,
    -0.005589849456,     0.0005770079712, -1.342427256e-05, 2.84765801111111, -0.121765149,   0.0014599242,
    1.680428651,         -0.0166920786,   -0.0007190532,    -0.025485194448,  4.87491696e-05, 2.719234152e-05,
    -0.0653766255555556, -0.002278167,    0.0002500254,     -0.0910565458,    0.00318176316,  3.8621772e-05,
    -0.0034285382352,    8.56589904e-06,  -1.516821552e-06};

double yorkCalcApproach(double liquid_to_gas, double range, double wet_bulb_celsius,
                        std::span<const double, 27> coefficients) {
  const std::array<double, 3> ratio{1.0, liquid_to_gas, liquid_to_gas * liquid_to_gas},
      by_range{1.0, range, range * range}, wet{1.0, wet_bulb_celsius, wet_bulb_celsius * wet_bulb_celsius};
  double sum = 0.0;
  std::size_t k = 0;
  for (const double a : ratio)
    for (const double b : by_range)
      for (const double c : wet) sum += coefficients[k++] * a * b * c;
  return sum;
}

YorkCalcRange yorkCalcRange(double water_in, double wet_bulb, double water_ratio, double air_ratio) {
  constexpr YorkCalcValidity kFit;
  const double wet = std::clamp(wet_bulb - kFreezing, kFit.wet_bulb_low, kFit.wet_bulb_high);
  const double liquid_to_gas = std::min(water_ratio / air_ratio, kFit.liquid_to_gas_high);
  const auto reach = [&](double range) { return range + std::max(yorkCalcApproach(liquid_to_gas, range, wet), 0.0); };
  const double span = water_in - wet_bulb;
  for (const auto& [end, below] : {std::pair(kFit.range_low, true), std::pair(kFit.range_high, false)}) {
    const double at_end = reach(end);
    if (below ? span <= at_end : span >= at_end) return {end / at_end * span, end / at_end};
  }
  double low = kFit.range_low, high = kFit.range_high;
  constexpr int kHalvings = 60;  // to rounding
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (reach(middle) < span ? low : high) = middle;
  }
  // The polynomial is a parabola in the range: its slope by a central difference is exact.
  const double range = high, ahead = yorkCalcApproach(liquid_to_gas, range + 0.5, wet),
               behind = yorkCalcApproach(liquid_to_gas, range - 0.5, wet);
  return {range, 1.0 / (1.0 + (reach(range) > range ? ahead - behind : 0.0))};
}

std::string outsideYorkCalc(double water_ratio, double air_ratio, double range, double wet_bulb_celsius,
                            const YorkCalcValidity& v) {
  const auto told = [](const char* what, double x, double low, double high, const char* unit) {
    return std::string("YorkCalc: ") + what + " " + inWords(x) + unit + " is outside " + inWords(low) + " to " +
           inWords(high) + unit;
  };
  const auto outside = [](double x, double low, double high) { return !(x >= low && x <= high); };
  if (outside(wet_bulb_celsius, v.wet_bulb_low, v.wet_bulb_high))
    return told("wet bulb", wet_bulb_celsius, v.wet_bulb_low, v.wet_bulb_high, " degC");
  if (outside(range, v.range_low, v.range_high)) return told("range", range, v.range_low, v.range_high, " K");
  if (outside(water_ratio, v.water_low, v.water_high))
    return told("water flow over design", water_ratio, v.water_low, v.water_high, "");
  if (outside(water_ratio / air_ratio, 0.0, v.liquid_to_gas_high))
    return told("liquid-to-gas ratio", water_ratio / air_ratio, 0.0, v.liquid_to_gas_high, "");
  return {};
}

namespace {

/// Share of vapour in the pressure beyond which air is not taken: it has hardly any dry air left to count by.
constexpr double kRichest = 0.9999;
/// Difference of wet bulbs [K] below which the mean specific heat is taken over it: no 0/0.
constexpr double kSpan = 1e-3;

struct Ends {
  double entering;  // J/kg, air at its wet bulb
  double ntu;       // of the air, the same for every equivalent specific heat
};

/// Heat [W] and the wet bulb of the leaving air that it leads to, for a guess of that wet bulb.
struct Guess {
  Dual<2> heat, excess;  // by wet bulb out (0) and water in (1); excess vanishes at the solution
};
Guess evaluate(const TowerPass& pass, const Ends& ends, double wet_bulb_out) {
  const auto out = Dual<2>::unknown(wet_bulb_out, 0), in = Dual<2>::unknown(pass.water_in, 1);
  const double span = wet_bulb_out - pass.wet_bulb;
  const bool close = std::fabs(span) < kSpan;
  const auto h = saturatedAirEnthalpy(close ? pass.wet_bulb + kSpan : wet_bulb_out, pass.p);
  const Dual<2> mean = close ? Dual<2>((h.value - ends.entering) / kSpan)
                             : (Dual<2>::chain(out, h.value, h.slope) - ends.entering) / (out - pass.wet_bulb);
  const Dual<2> air = pass.air * mean, water(pass.water_rate);
  const Dual<2> least = min(air, water), most = max(air, water);
  const Dual<2> heat = counterflowEffectiveness(ends.ntu * air / least, least / most) * least * (in - pass.wet_bulb);
  return {heat, heat / air - (out - pass.wet_bulb)};
}

}  // namespace

TowerPassResult passTower(const TowerPass& pass, double ua) {
  if (!(pass.water_rate > 0.0 && pass.air > 0.0 && ua > 0.0)) return {0.0, 0.0, pass.wet_bulb};
  const Ends ends{saturatedAirEnthalpy(pass.wet_bulb, pass.p).value, ua / (kTowerAirHeat * pass.air)};
  double low = std::min(pass.wet_bulb, pass.water_in), high = std::max(pass.wet_bulb, pass.water_in);
  constexpr double kMild = 350.0;  // K; below it air is far from its richest at any pressure of a site
  if (high > kMild) {
    const double richest = fluids::dewPointOfVapour(kRichest * pass.p);
    if (high > richest) {
      high = richest;
      if (evaluate(pass, ends, high).excess.value > 0.0)  // all the air takes
        return {pass.air * (saturatedAirEnthalpy(high, pass.p).value - ends.entering), 0.0, high};
    }
  }
  constexpr int kMostSteps = 100;       // Newton within the bracket takes 3 to 6
  constexpr double kConverged = 1e-11;  // K
  double out = 0.5 * (low + high);
  Guess guess = evaluate(pass, ends, out);
  for (int step = 0; step < kMostSteps; ++step) {
    (guess.excess.value > 0.0 ? low : high) = out;
    double next = out - guess.excess.value / guess.excess.d[0];
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const double change = next - out;
    out = next;
    guess = evaluate(pass, ends, out);
    if (std::fabs(change) < kConverged) break;
  }
  return {guess.heat.value, guess.heat.d[1] - guess.heat.d[0] * guess.excess.d[1] / guess.excess.d[0], out};
}

double towerConductance(const TowerPass& pass, double heat) {
  requirePositive("heat of the design", heat, " W");
  constexpr double kLow = 1e-3, kHigh = 1e12, kClose = 1e-13;  // W/K, W/K, relative
  if (!(passTower(pass, kHigh).heat > heat))
    throw Error("cooling tower: no finite tower gives " + inWords(heat) + " W with water at " + inWords(pass.water_in) +
                " K, a wet bulb of " + inWords(pass.wet_bulb) + " K and " + inWords(pass.air) +
                " kg/s of air, at most " + inWords(passTower(pass, kHigh).heat) +
                " W; raise the air flow or the approach");
  double low = kLow, high = kHigh;
  while (high > (1.0 + kClose) * low) {  // heat rises with conductance
    const double middle = std::sqrt(low * high);
    if (middle <= low || middle >= high) break;
    (passTower(pass, middle).heat < heat ? low : high) = middle;
  }
  return high;
}

namespace {
constexpr double kWetBulbSlope = 0.0081;                               // 1/K
constexpr double kAirLinear = 1.3, kAirSquare = -0.3;                  // by air flow over design
constexpr double kStill = 0.1082, kLinear = 1.667, kSquare = -0.7713;  // by water flow over design
}  // namespace

double towerConductanceRatio(double below_design, double air_ratio, double water_ratio) {
  return (1.0 + kWetBulbSlope * below_design) * air_ratio * (kAirLinear + kAirSquare * air_ratio) *
         (kStill + water_ratio * (kLinear + kSquare * water_ratio));
}
double towerMostWaterRatio() { return -0.5 * kLinear / kSquare; }

double towerAirDensity(double dry_bulb, double wet_bulb, double p) {
  return 1.0 / fluids::moistAirVolume(dry_bulb, fluids::humidityRatioFromWetBulb(dry_bulb, wet_bulb, p), p);
}

double monotoneTable(std::span<const std::pair<double, double>> table, double x) {
  const std::size_t n = table.size();
  if (n < 2) throw Error("a table needs two points or more, got " + std::to_string(n));
  for (std::size_t k = 1; k < n; ++k)
    if (!(table[k].first > table[k - 1].first))
      throw Error("the points of a table have to rise: " + inWords(table[k].first) + " follows " +
                  inWords(table[k - 1].first));
  if (!(x >= table.front().first && x <= table.back().first))
    throw Error("the value " + inWords(x) + " is outside the table's " + inWords(table.front().first) + " to " +
                inWords(table.back().first));
  const auto width = [&](std::size_t k) { return table[k + 1].first - table[k].first; };
  const auto rise = [&](std::size_t k) { return (table[k + 1].second - table[k].second) / width(k); };
  // Slope at an end: that of the parabola through three points, held to the table's own sense.
  const auto at_end = [&](std::size_t near, std::size_t far) {
    const double h = width(near), next = width(far), a = rise(near), b = rise(far);
    const double slope = ((2.0 * h + next) * a - h * b) / (h + next);
    if (slope * a <= 0.0) return 0.0;
    constexpr double kSteepest = 3.0;  // of the piece's own slope: more would leave the table's range
    return a * b < 0.0 && std::fabs(slope) > kSteepest * std::fabs(a) ? kSteepest * a : slope;
  };
  const auto slope = [&](std::size_t k) {
    if (n == 2) return rise(0);
    if (k == 0) return at_end(0, 1);
    if (k == n - 1) return at_end(n - 2, n - 3);
    const double a = rise(k - 1), b = rise(k);
    if (a * b <= 0.0) return 0.0;
    const double wa = 2.0 * width(k) + width(k - 1), wb = width(k) + 2.0 * width(k - 1);
    return (wa + wb) / (wa / a + wb / b);
  };
  std::size_t k = 0;
  while (k + 2 < n && x > table[k + 1].first) ++k;
  const double h = width(k), s = (x - table[k].first) / h, rest = 1.0 - s;
  return rest * rest * ((1.0 + 2.0 * s) * table[k].second + s * h * slope(k)) +
         s * s * ((1.0 + 2.0 * rest) * table[k + 1].second - rest * h * slope(k + 1));
}

}  // namespace podtwin
