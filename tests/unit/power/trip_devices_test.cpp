// Devices against the figures of the standards that bound them.
#include "model/components/power/trip_devices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/base/diagnostics.hpp"

namespace podtwin::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Edge kEdges[] = {Edge::low, Edge::middle, Edge::high};
constexpr MagneticType kTypes[] = {MagneticType::B, MagneticType::C, MagneticType::D};
double conventionalTime(double rated) { return rated <= 63.0 ? 3600.0 : 7200.0; }

TEST(TripDevices, MiniatureBreakersPassTheTestsOfIec60898AtEveryEdge) {
  for (const double rated : {6.0, 16.0, 32.0, 40.0, 63.0, 80.0, 125.0})
    for (const auto type : kTypes)
      for (const Edge edge : kEdges) {
        const auto curve = miniatureBreaker(rated, type);
        const double T = conventionalTime(rated);
        EXPECT_GE(curve.tripTime(1.13 * rated, edge), T);  // test a
        // Test b: right after that, within the hour at 1.45.
        const std::vector<double> hot = {curve.memoryAfter(1.13 * rated, 0.0, 0, T, edge), 0.0};
        EXPECT_LE(curve.timeToTrip(1.45 * rated, hot, edge), T);
        EXPECT_LE(curve.tripTime(1.45 * rated, edge), T * (1.0 + 1e-5));
        const double at_255 = curve.tripTime(2.55 * rated, edge);  // test c
        EXPECT_GE(at_255, 1.0 - 1e-12);
        EXPECT_LE(at_255, (rated <= 32.0 ? 60.0 : 120.0) * (1.0 + 1e-12));
        const Band multiples = magneticMultiples(type);
        EXPECT_GE(curve.tripTime(multiples.low * rated, edge), 0.1 - 1e-12);        // test d
        EXPECT_LE(curve.clearingTime(1.0001 * multiples.high * rated, edge), 0.1);  // test e
      }
}

TEST(TripDevices, MiniatureBreakersLieInTheMiddleOfTheBandWhereTheyAreTold) {
  const auto curve = miniatureBreaker(16.0, MagneticType::C);
  EXPECT_NEAR(curve.tripTime(2.55 * 16.0), std::sqrt(60.0), 1e-9);
  EXPECT_NEAR(curve.tripTime(2.55 * 16.0, Edge::high), 60.0, 1e-9);
  EXPECT_NEAR(curve.tripTime(2.55 * 16.0, Edge::low), 1.0, 1e-9);
  EXPECT_NEAR(curve.tripsAbove(0), std::sqrt(1.13 * 1.45) * 16.0, 1e-9);
  EXPECT_NEAR(curve.tripTime(1.45 * 16.0, Edge::high), 3600.0, 1.0);
}

TEST(TripDevices, RefuseThermalBandsThatAreNone) {
  ThermalBand band = thermalBandIec60898(16.0, MagneticType::C);
  band.trip = band.non_trip;
  EXPECT_THROW(thermalElement("thermal", 16.0, band), Error);
  band = thermalBandIec60898(16.0, MagneticType::C);
  band.reference_time.high = 2.0 * band.conventional_time;
  EXPECT_THROW(thermalElement("thermal", 16.0, band), Error);
  band = thermalBandIec60898(16.0, MagneticType::C);
  band.hold = 1.2;
  EXPECT_THROW(thermalElement("thermal", 16.0, band), Error);
}

TEST(TripDevices, NoThermalElementTripsSoonerFromColdThanTheMagneticOne) {
  for (const Edge edge : kEdges)
    EXPECT_NEAR(miniatureBreaker(16.0, MagneticType::C).tripTime(1e6, edge), kMagneticTime.at(edge), 1e-12);
}

TEST(TripDevices, AHotMiniatureBreakerTripsSoonerThanAColdOne) {
  const auto curve = miniatureBreaker(32.0, MagneticType::C);
  const std::vector<double> hot = {curve.memoryAfter(30.0, 0.0, 0, 7200.0), 0.0};
  EXPECT_LT(curve.timeToTrip(2.0 * 32.0, hot), 0.7 * curve.tripTime(2.0 * 32.0));
}

TEST(TripDevices, MouldedCaseBreakersKeepTheCurrentsOfIec60947) {
  for (const double rated : {63.0, 250.0}) {
    const auto curve = mouldedCaseBreaker(rated, 10.0 * rated);
    const double T = conventionalTime(rated);
    for (const Edge edge : kEdges) {
      EXPECT_GE(curve.tripTime(1.05 * rated, edge), T);
      EXPECT_LE(curve.tripTime(1.30 * rated, edge), T * (1.0 + 1e-6));
    }
    EXPECT_NEAR(curve.tripTime(1.5 * rated, Edge::low), 120.0, 1e-6);
    EXPECT_NEAR(curve.tripTime(1.5 * rated, Edge::high), 400.0, 1e-6);
    EXPECT_GT(curve.tripTime(8.0 * rated, Edge::low), 1.0);
    EXPECT_LT(curve.tripTime(12.1 * rated, Edge::high), 0.03);
  }
}

TEST(TripDevices, AnElectronicUnitTripsByItsSettings) {
  TripUnit unit{.long_time = 1600.0,
                .long_time_delay = 8.0,
                .short_time = 8000.0,
                .short_time_delay = 0.2,
                .instantaneous = 24000.0,
                .ground = 480.0,
                .ground_delay = 0.4};
  const auto curve = electronicBreaker(unit);
  ASSERT_EQ(curve.memories(), 4U);
  EXPECT_EQ(curve.tripTime(1.1 * 1600.0), kInfinity);
  EXPECT_NEAR(curve.tripTime(1.5 * 1600.0), 8.0 * 16.0, 1e-9);  // (6/1.5)^2
  EXPECT_NEAR(curve.tripTime(4.9 * 1600.0), 8.0 * 36.0 / (4.9 * 4.9), 1e-9);
  EXPECT_NEAR(curve.tripTime(10000.0), 0.2, 1e-12);
  EXPECT_NEAR(curve.tripTime(10000.0, Edge::low), 0.16, 1e-12);
  EXPECT_NEAR(curve.clearingTime(10000.0, Edge::high), 0.29, 1e-12);
  EXPECT_NEAR(curve.tripTime(30000.0), 0.01, 1e-12);
  EXPECT_EQ(curve.nextTrip({1000.0, 600.0}, std::vector<double>(4)).element, 3U);
  EXPECT_NEAR(curve.tripTime({1000.0, 600.0}), 0.4, 1e-12);
  unit.short_time_ramp = true;
  EXPECT_NEAR(electronicBreaker(unit).tripTime(9600.0), 0.2 * std::pow(10.0 / 6.0, 2), 1e-12);
  EXPECT_NEAR(electronicBreaker(unit).tripTime(20000.0), 0.2, 1e-12);
  EXPECT_THROW(electronicBreaker({}), Error);
}

TEST(TripDevices, ARelayHasTheElementsThatItsSettingsName) {
  const TripCurve all = relayBreaker({.curve = "IEC very inverse",
                                      .pickup = 100.0,
                                      .multiplier = 0.2,
                                      .instantaneous = 2e3,
                                      .ground = 20.0,
                                      .ground_delay = 0.3});
  ASSERT_EQ(all.memories(), 3U);
  EXPECT_NEAR(all.tripTime(400.0), 0.2 * 13.5 / 3.0, 1e-12);
  EXPECT_NEAR(all.tripTime(5e3), 0.01, 1e-12);
  EXPECT_NEAR(all.tripTime({50.0, 30.0}), 0.3, 1e-12);
  EXPECT_EQ(all.tripTime({50.0, 10.0}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(relayBreaker({.curve = "IEC very inverse", .instantaneous = 2e3}).memories(), 1U);
}

TEST(TripDevices, GgFusesGoThroughTheirGates) {
  for (const auto& g : fuseGatesGg()) {
    const auto fuse = fuseGg(g.rated);
    EXPECT_EQ(fuse.tripTime(1.2499 * g.rated, Edge::low), kInfinity);
    EXPECT_EQ(fuse.tripTime(1.5999 * g.rated, Edge::high), kInfinity);
    EXPECT_NEAR(fuse.tripTime(g.least_10s, Edge::low), 10.0, 1e-9);
    EXPECT_NEAR(fuse.tripTime(g.greatest_5s, Edge::high), 5.0, 1e-9);
    EXPECT_NEAR(fuse.tripTime(g.least_01s, Edge::low), 0.1, 1e-9);
    EXPECT_NEAR(fuse.tripTime(g.greatest_01s, Edge::high), 0.1, 1e-9);
    constexpr double kLarge = 1e5;  // A: far in the range of constant I2t
    EXPECT_NEAR(fuse.tripTime(kLarge, Edge::low) * kLarge * kLarge / g.least_pre_arcing_i2t, 1.0, 1e-9);
    EXPECT_NEAR(fuse.clearingTime(kLarge, Edge::high) * kLarge * kLarge / g.greatest_operating_i2t, 1.0, 1e-9);
  }
  EXPECT_THROW(fuseGg(17.0), Error);
}

TEST(TripDevices, AmFusesBearWhatAMotorDrawsAtItsStart) {
  const auto fuse = fuseAm(100.0);
  EXPECT_EQ(fuse.tripTime(390.0, Edge::low), kInfinity);
  EXPECT_GE(fuse.tripTime(400.0, Edge::low), 60.0 - 1e-9);
  EXPECT_NEAR(fuse.tripTime(1900.0, Edge::high), 0.1, 1e-9);
}

TEST(TripDevices, AFuseByItsMakersCurveMeltsOnItAndClearsLater) {
  const TimeCurrentPoints points = {{150, 100.0}, {300, 1.0}, {600, 0.05}, {1500, 0.001}};
  const auto fuse = fuseOf("rapid", points, 0.05, 1.8);
  for (const auto& [current, time] : points) EXPECT_NEAR(fuse.tripTime(current), time, 1e-12 * time);
  EXPECT_NEAR(fuse.tripTime(std::sqrt(150.0 * 300.0)), 10.0, 1e-9);  // halfway in the logarithms
  EXPECT_NEAR(fuse.clearingTime(3000.0) / fuse.tripTime(3000.0), 1.8, 1e-9);
  EXPECT_LE(fuse.clearingTime(150.0) - fuse.tripTime(150.0), 0.01 + 1e-9);  // an arc ends with its half wave
}

}  // namespace
}  // namespace podtwin::test
