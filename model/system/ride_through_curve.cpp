#include "model/system/ride_through_curve.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/base/diagnostics.hpp"

namespace podtwin {

namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();
using Point = std::pair<double, double>;  // share of rated voltage, s

constexpr Point kIticSags[] = {{0.0, 0.02}, {0.7, 0.5}, {0.8, 10.0}, {0.9, kEver}};
constexpr Point kIticSwells[] = {{1.1, kEver}, {1.2, 0.5}, {1.4, 0.003}, {2.0, 0.001}};
constexpr Point kSemiSags[] = {{0.0, 0.02}, {0.5, 0.2}, {0.7, 0.5}, {0.8, 1.0}, {0.9, kEver}};
constexpr Point kSupplySags[] = {{0.0, 0.02}, {0.75, kEver}};
constexpr Point kContactorSags[] = {{0.0, 0.02}, {0.6, kEver}};
constexpr Point kPlcSags[] = {{0.0, 0.01}, {0.6, 0.2}, {0.8, kEver}};
constexpr Point kChillerSags[] = {{0.0, 0.03}, {0.8, 0.5}, {0.9, kEver}};

constexpr ShippedRideThrough kShipped[] = {
    {"itic", "Information technology by ITI (CBEMA).", "ITI (CBEMA) curve application note, 2000; recalled, verify",
     kIticSags, kIticSwells},
    {"semi_f47",
     "Drives and process equipment by SEMI F47.",
     "SEMI F47: 50 % 0.2 s, 70 % 0.5 s, 80 % 1 s; one cycle at 0 V from its recommendations of 2006, recalled, verify",
     kSemiSags,
     {}},
    {"supply",
     "Power supply of a server: its capacitor holds it up.",
     "20 ms at 0 V: ITIC; down to 180 V of 240 V for ever: estimate",
     kSupplySags,
     {}},
    {"contactor",
     "Contactor held by its own bus.",
     "estimate: drops out near 50 to 70 % within one or two cycles",
     kContactorSags,
     {}},
    {"plc",
     "Programmable controller on its own bus.",
     "10 ms at 0 V: IEC 61131-2, recalled, verify; the other points are estimates",
     kPlcSags,
     {}},
    {"chiller_control",
     "Control and phase monitor of a chiller.",
     "estimate: power-loss monitors act within one to three cycles below 80 %",
     kChillerSags,
     {}},
};

void require(bool holds, const char* what) {
  if (!holds) throw Error(std::string("ride-through curve: ") + what);
}

void checkVoltage(double voltage) {
  if (!(voltage >= 0.0)) throw Error("ride-through curve: voltage " + std::to_string(voltage) + " is below 0");
}

}  // namespace

RideThroughCurve::RideThroughCurve(Points sags, Points swells, double recovery) : recovery_(recovery) {
  require(recovery > 0.0 && std::isfinite(recovery), "a time constant of recovery above 0 s is wanted");
  for (std::size_t k = 0; k < sags.size(); ++k) {
    const auto [voltage, duration] = sags[k];
    require(duration > 0.0, "durations above 0 s are wanted");
    require(k == 0 ? voltage == 0.0 : voltage > sags[k - 1].first && duration > sags[k - 1].second,
            "sags begin at 0 V, and voltages and durations rise");
    require((k + 1 == sags.size()) == (duration == kEver), "the last duration of the sags, and no other, is infinity");
    if (k + 1 < sags.size()) clocks_.push_back({sags[k + 1].first, duration, false});
  }
  for (std::size_t k = 0; k < swells.size(); ++k) {
    const auto [voltage, duration] = swells[k];
    require(std::isfinite(voltage) && duration > 0.0, "voltages of swells are finite and durations above 0 s");
    require((k == 0) == (duration == kEver), "the first duration of the swells, and no other, is infinity");
    require(k == 0 ? sags.empty() || voltage > sags.back().first
                   : voltage > swells[k - 1].first && duration < swells[k - 1].second,
            "swells begin above the sags; from point to point the voltage rises and the duration falls");
    if (k > 0) clocks_.push_back({swells[k - 1].first, duration, true});
  }
}

const RideThroughCurve::Clock& RideThroughCurve::clock(double voltage, std::size_t k) const {
  checkVoltage(voltage);
  return clocks_.at(k);
}

double RideThroughCurve::timeAllowed(double voltage) const {
  checkVoltage(voltage);
  double least = kEver;
  for (const auto& c : clocks_)
    if (c.runs(voltage)) least = std::min(least, c.duration);
  return least;
}

double RideThroughCurve::rate(double voltage, double memory, std::size_t k) const {
  const Clock& c = clock(voltage, k);
  return c.runs(voltage) ? 1.0 / c.duration : -memory / recovery_;
}

double RideThroughCurve::memoryAfter(double voltage, double memory, std::size_t k, double duration) const {
  return memoryAfter(clock(voltage, k).runs(voltage), memory, k, duration);
}

double RideThroughCurve::memoryAfter(bool running, double memory, std::size_t k, double time) const {
  return running ? memory + time / clocks_.at(k).duration : memory * std::exp(-time / recovery_);
}

double RideThroughCurve::excess(double voltage, std::size_t k) const {
  const Clock& c = clock(voltage, k);
  return c.swell ? voltage - c.threshold : c.threshold - voltage;
}

double RideThroughCurve::timeToTrip(double voltage, std::span<const double> memory) const {
  checkVoltage(voltage);
  require(memory.size() == clocks_.size(), "one memory a clock is wanted");
  double least = kEver;
  for (std::size_t k = 0; k < clocks_.size(); ++k) {
    if (memory[k] >= 1.0) return 0.0;
    if (clocks_[k].runs(voltage)) least = std::min(least, (1.0 - memory[k]) * clocks_[k].duration);
  }
  return least;
}

std::span<const ShippedRideThrough> shippedRideThrough() { return kShipped; }

const ShippedRideThrough& shippedRideThrough(std::string_view name) {
  std::string names;
  for (const auto& shipped : kShipped) {
    if (shipped.name == name) return shipped;
    names += (names.empty() ? "" : ", ") + std::string(shipped.name);
  }
  throw Error("unknown ride-through curve '" + std::string(name) + "': there are " + names);
}

}  // namespace podtwin
