// Trip curves: reference case E05, the exact integral of every memory, and what no current may do to it.
#include "model/components/power/trip_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/base/diagnostics.hpp"
#include "model/components/power/trip_devices.hpp"

namespace podtwin::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Edge kEdges[] = {Edge::low, Edge::middle, Edge::high};

TripCurve relay(const std::string& name, double multiplier, RelayReset reset = RelayReset::instantaneous,
                double reset_time = 0.0) {
  return TripCurve({relayElement(relayCurve(name), 1.0, multiplier, reset, reset_time)});
}

struct Row {
  std::string curve;
  double multiplier, M, time;
};

/// All rows of constant current in case E05; none where the cases are not at hand.
std::vector<Row> rowsOfE05() {
  const char* given = std::getenv("PODTWIN_CASES");
  const std::filesystem::path folder =
      given != nullptr ? given : std::string(PODTWIN_SOURCE_DIR) + "/../shared/reference/cases";
  std::ifstream in(folder / "E05-inverse-time-overcurrent/expected.csv");
  std::vector<Row> rows;
  std::string line;
  while (std::getline(in, line)) {
    std::vector<std::string> fields;
    std::stringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    const auto at = fields[1].find(";M=");
    if (at == std::string::npos) continue;
    rows.push_back(
        {fields[0], std::stod(fields[1].substr(4, at - 4)), std::stod(fields[1].substr(at + 3)), std::stod(fields[4])});
  }
  return rows;
}

TEST(TripCurve, MeetsRowsOfCaseE05CarriedHere) {
  const Row rows[] = {
      {"IEC standard inverse", 0.05, 1.05, 7.17007757922}, {"IEC standard inverse", 1.0, 2, 10.02902702},
      {"IEC very inverse", 0.3, 15, 0.289285714286},       {"IEC extremely inverse", 1.0, 20, 0.200501253133},
      {"IEC extremely inverse", 0.05, 1.2, 9.09090909091}, {"IEC long-time inverse", 0.1, 8, 1.71428571429},
      {"IEC short-time inverse", 1.0, 2, 1.77848432416},   {"IEEE moderately inverse", 1.0, 2, 3.80324922523},
      {"IEEE extremely inverse", 0.3, 10, 0.121964545455}, {"IEEE extremely inverse", 1.0, 1.05, 275.24365122},
      {"IEEE extremely inverse", 1.0, 20, 0.192376691729},
  };
  for (const auto& row : rows) {
    const double expected = row.time;
    EXPECT_NEAR(relay(row.curve, row.multiplier).tripTime(row.M), expected, 1e-8 * expected) << row.curve;
  }
}

TEST(TripCurve, MeetsEveryRowOfConstantCurrentOfCaseE05) {
  const auto rows = rowsOfE05();
  if (rows.empty()) GTEST_SKIP() << "no reference cases: set PODTWIN_CASES";
  EXPECT_EQ(rows.size(), 320U);
  double worst = 0.0;
  for (const auto& row : rows) {
    const double error = std::abs(relay(row.curve, row.multiplier).tripTime(row.M) / row.time - 1.0);
    EXPECT_LE(error, 1e-8) << row.curve << " TMS " << row.multiplier << " M " << row.M;
    worst = std::max(worst, error);
  }
  RecordProperty("worst_relative_error", std::to_string(worst));
}

/// Time at which the memory of the only element of `curve` reaches 1, by Runge-Kutta of order 4 on memoryRate.
template <class Multiple>
double tripOf(const TripCurve& curve, const Multiple& M, std::vector<double> jumps, double step) {
  double t = 0.0, m = 0.0;
  jumps.push_back(kInfinity);
  for (const double jump : jumps)
    while (t < jump) {
      const double h = std::min(step, jump - t);
      // Inside a step the current is that of its piece: no stage looks beyond a jump.
      const double start = t + 1e-9 * h, end = t + h - 1e-9 * h;
      const double k1 = curve.memoryRate(M(start), m, 0);
      const double k2 = curve.memoryRate(M(t + 0.5 * h), m + 0.5 * h * k1, 0);
      const double k3 = curve.memoryRate(M(t + 0.5 * h), m + 0.5 * h * k2, 0);
      const double k4 = curve.memoryRate(M(end), m + h * k3, 0);
      const double rise = h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      if (m + rise >= 1.0) return t + h * (1.0 - m) / rise;
      m += rise;
      t += h;
    }
  return kInfinity;
}

TEST(TripCurve, MeetsTheProfilesOfVaryingCurrentOfCaseE05) {
  const auto two = [](double t) { return t < 0.8 ? 2.5 : 6.0; };
  const auto three = [](double t) { return t < 3.0 ? 2.0 : t < 4.0 ? 4.0 : 3.0; };
  const auto ramp = [](double t) { return 1.5 + 0.5 * t; };
  EXPECT_NEAR(tripOf(relay("IEC very inverse", 0.2), two, {0.8}, 0.01), 1.1, 1e-5 * 1.1);
  EXPECT_NEAR(tripOf(relay("IEEE very inverse", 2.0), three, {3.0, 4.0}, 0.01), 6.99240166603, 1e-5 * 6.99240166603);
  EXPECT_NEAR(tripOf(relay("IEC extremely inverse", 0.1), ramp, {}, 0.001), 2.32371721063, 1e-5 * 2.32371721063);
}

TEST(TripCurve, MeetsTheSteppedProfilesOfCaseE05ByTheExactIntegral) {
  const auto curve = relay("IEEE very inverse", 2.0);
  double m = curve.memoryAfter(2.0, 0.0, 0, 3.0);
  m = curve.memoryAfter(4.0, m, 0, 1.0);
  EXPECT_NEAR(4.0 + curve.timeToTrip(3.0, std::vector<double>{m}), 6.99240166603, 1e-9);
}

std::vector<TripCurve> allKinds() {
  const TimeCurrentPoints rapid = {{150, 100.0}, {300, 1.0}, {600, 0.05}, {1500, 0.001}};
  std::vector<TripCurve> curves;
  for (const auto& c : relayCurves())
    for (const auto reset : {RelayReset::instantaneous, RelayReset::definite, RelayReset::inverse})
      curves.push_back(TripCurve({relayElement(c, 100.0, 0.5, reset, 3.0)}));
  for (const auto type : {MagneticType::B, MagneticType::C, MagneticType::D})
    for (const double rated : {6.0, 32.0, 63.0, 125.0}) curves.push_back(miniatureBreaker(rated, type));
  curves.push_back(mouldedCaseBreaker(250.0, 2500.0));
  for (const bool ramp : {false, true})
    curves.push_back(electronicBreaker({.long_time = 1600.0,
                                        .long_time_delay = 8.0,
                                        .short_time = 6400.0,
                                        .short_time_delay = 0.2,
                                        .short_time_ramp = ramp,
                                        .instantaneous = 24000.0,
                                        .ground = 640.0,
                                        .ground_delay = 0.3,
                                        .ground_ramp = ramp}));
  for (const auto& gates : fuseGatesGg()) curves.push_back(fuseGg(gates.rated));
  curves.push_back(fuseAm(100.0));
  curves.push_back(fuseOf("rapid", rapid, 0.08, 1.8));
  return curves;
}

TEST(TripCurve, TripsNoLaterAtAGreaterCurrentAndNoSoonerAtAHigherEdge) {
  for (const auto& curve : allKinds()) {
    for (const Edge edge : kEdges) {
      double before = kInfinity;
      for (double current = 1.0; current < 1e7; current *= 1.01) {
        const double time = curve.tripTime({current, current}, edge);
        ASSERT_LE(time, before * (1.0 + 1e-12)) << curve.name(0) << " at " << current;
        ASSERT_GE(time, 0.0);
        ASSERT_GE(curve.clearingTime({current, current}, edge), time);
        before = time;
        if (edge != Edge::low) {
          ASSERT_GE(time,
                    curve.tripTime({current, current}, edge == Edge::high ? Edge::middle : Edge::low) * (1.0 - 1e-12))
              << curve.name(0) << " at " << current;
        }
      }
      EXPECT_LT(before, 4.0);
    }
  }
}

TEST(TripCurve, NeverTripsWithoutCurrentAndHasANumberForAnyCurrent) {
  for (const auto& curve : allKinds())
    for (std::size_t k = 0; k < curve.memories(); ++k)
      for (const Edge edge : kEdges) {
        EXPECT_EQ(curve.tripTime({0.0, 0.0}, edge), kInfinity);
        EXPECT_LE(curve.memoryRate({0.0, 0.0}, 0.0, k, edge), 0.0);
        const double at = curve.tripsAbove(k, edge);
        for (const double current : {0.0, 1e-300, at, std::nextafter(at, kInfinity), 1e6, 1e300, kInfinity})
          for (const double memory : {-1e-9, 0.0, 0.5, 1.0, 1.5}) {
            EXPECT_TRUE(std::isfinite(curve.memoryRate({current, current}, memory, k, edge))) << curve.name(k);
            EXPECT_TRUE(std::isfinite(curve.memoryAfter({current, current}, memory, k, 0.0, edge))) << curve.name(k);
            const auto memories = std::vector<double>(curve.memories(), memory);
            EXPECT_FALSE(std::isnan(curve.timeToTrip({current, current}, memories, edge))) << curve.name(k);
          }
      }
}

TEST(TripCurve, RefusesNegativeCurrentsAndWrongNumbersOfMemories) {
  const auto curve = miniatureBreaker(16.0, MagneticType::C);
  EXPECT_THROW(curve.tripTime(-1.0), Error);
  EXPECT_THROW(curve.tripTime(std::nan("")), Error);
  EXPECT_THROW(curve.memoryRate(-1.0, 0.0, 0), Error);
  EXPECT_THROW(curve.timeToTrip(1.0, std::vector<double>{0.0}), Error);
  EXPECT_EQ(TripCurve().tripTime(1e9), kInfinity);
}

TEST(TripCurve, AdvancesEveryMemoryByTheIntegralOfItsRate) {
  for (const auto& curve : allKinds())
    for (std::size_t k = 0; k < curve.memories(); ++k)
      for (const double over : {0.0, 0.5, 0.97, 1.3, 4.0}) {
        const double current = over * curve.tripsAbove(k);
        const double rate = std::abs(curve.memoryRate({current, current}, 0.5, k));
        const double duration = 0.25 / std::max(rate, 1e-9);
        double m = 0.5;
        constexpr int kSteps = 2000;
        for (int step = 0; step < kSteps; ++step) {
          const double h = duration / kSteps;
          const double half = m + 0.5 * h * curve.memoryRate({current, current}, m, k);
          m += h * curve.memoryRate({current, current}, half, k);
        }
        EXPECT_NEAR(curve.memoryAfter({current, current}, 0.5, k, duration), m, 1e-6) << curve.name(k) << " " << over;
      }
}

TEST(TripCurve, HasAFullMemoryJustWhenItSaysItTrips) {
  for (const auto& curve : allKinds()) {
    std::vector<double> memory(curve.memories(), 0.3);
    const double current = 2.2 * curve.tripsAbove(Watched::phase);
    const Trip trip = curve.nextTrip({current, 0.0}, memory);
    EXPECT_NEAR(curve.memoryAfter({current, 0.0}, memory[trip.element], trip.element, trip.time), 1.0, 1e-9);
    EXPECT_LT(trip.time, curve.tripTime({current, 0.0}));
    memory[trip.element] = 1.0;
    EXPECT_EQ(curve.timeToTrip({0.0, 0.0}, memory), 0.0);
  }
}

TEST(TripCurve, FallsBelowPickupByItsReset) {
  const auto at_once = relay("IEC very inverse", 1.0),
             definite = relay("IEC very inverse", 1.0, RelayReset::definite, 8),
             inverse = relay("IEEE very inverse", 2.0, RelayReset::inverse);
  EXPECT_LT(at_once.memoryAfter(0.9, 0.9, 0, 0.2), 1e-8);
  EXPECT_DOUBLE_EQ(definite.memoryRate(0.9, 0.5, 0), -0.125);
  EXPECT_DOUBLE_EQ(definite.memoryAfter(0.9, 0.5, 0, 2.0), 0.25);
  EXPECT_EQ(definite.memoryAfter(0.9, 0.5, 0, 5.0), 0.0);
  EXPECT_EQ(definite.memoryRate(0.9, 0.0, 0), 0.0);
  // t_r = TD 21.6/(1 - M^2): 43.2 s for the whole way without current, more the nearer to the pickup.
  EXPECT_NEAR(inverse.memoryRate(0.0, 1.0, 0), -1.0 / 43.2, 1e-15);
  EXPECT_NEAR(inverse.memoryRate(0.5, 1.0, 0), -0.75 / 43.2, 1e-15);
  EXPECT_NEAR(inverse.memoryRate(std::nextafter(1.0, 0.0), 1.0, 0), 0.0, 1e-15);
}

TEST(TripCurve, HasTheSlopeOfItsRateByTheMemory) {
  constexpr double kApart = 0.25;
  const TripCurve thermal = miniatureBreaker(63.0, MagneticType::C);
  for (const double current : {0.0, 50.0, 200.0, 5e3})
    for (std::size_t k = 0; k < thermal.memories(); ++k) {
      const double risen = thermal.memoryRate(current, 0.5 + kApart, k) - thermal.memoryRate(current, 0.5, k);
      EXPECT_NEAR(thermal.memorySlope(current, k), risen / kApart, 1e-9 * std::abs(risen / kApart) + 1e-15);
    }
}

TEST(TripCurve, ClearsByTheDelayOfTheElementThatTrips) {
  const TripCurve unit = electronicBreaker({.long_time = 1000.0, .long_time_delay = 8.0});
  EXPECT_NEAR(unit.clearingDelay(3000.0, 0), kBreakingTime.middle, 1e-15);
  EXPECT_NEAR(unit.clearingTime(3000.0) - unit.tripTime(3000.0), kBreakingTime.middle, 1e-12);
  EXPECT_EQ(unit.multiplesOf(0), 1000.0);
}

TEST(TripCurve, RefusesElementsThatAreNone) {
  TimedElement timed = relayElement(relayCurve("IEC very inverse"), 100.0, 1.0);
  timed.pickup = Band::exactly(0.0);
  EXPECT_THROW(TripCurve({timed}), Error);
  timed = relayElement(relayCurve("IEC very inverse"), 100.0, 1.0);
  timed.base = Band::exactly(200.0);
  EXPECT_THROW(TripCurve({timed}), Error);  // it would count backwards from 100 to 200 A
  EXPECT_THROW(relay("IEC very inverse", 1.0, RelayReset::definite, 0.0), Error);
  ThermalElement thermal;
  thermal.rated = 16.0;
  EXPECT_THROW(TripCurve({thermal}), Error);
  EXPECT_THROW(fuseOf("rising", {{100, 1.0}, {200, 2.0}}, 0.1, 2.0), Error);
  EXPECT_THROW(relayCurve("IEC unheard-of inverse"), Error);
}

}  // namespace
}  // namespace podtwin::test
