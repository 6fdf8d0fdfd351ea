#include "model/network/phasor_network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/base/diagnostics.hpp"
#include "model/network/phasor_elements.hpp"

namespace {

using namespace podtwin;

constexpr double kDegree = std::numbers::pi / 180.0;

Complex phase(double magnitude, int k) { return std::polar(magnitude, -120.0 * kDegree * k); }

std::vector<std::pair<std::size_t, Complex>> balanced(double line_to_line) {
  std::vector<std::pair<std::size_t, Complex>> sources;
  for (int k = 0; k < 3; ++k) sources.emplace_back(k, phase(line_to_line / std::numbers::sqrt3, k));
  return sources;
}

TEST(LoadCurrent, HasTheSlopeOfItsDifferences) {
  for (const auto model : {LoadModel::power, LoadModel::current, LoadModel::impedance})
    for (const double magnitude : {50.0, 150.0, 230.0, 260.0}) {
      const PhasorLoad load{.name = "", .from = 0, .to = kEarth, .rated_voltage = 230.0, .model = model};
      const Complex s(1000.0, 400.0), v = std::polar(magnitude, 0.7);
      const auto at = loadCurrent(load, s, v);
      const double h = 1e-4;
      for (int k = 0; k < 2; ++k) {
        const Complex d = k == 0 ? Complex(h, 0.0) : Complex(0.0, h);
        const Complex slope = (loadCurrent(load, s, v + d).current - loadCurrent(load, s, v - d).current) / (2.0 * h);
        EXPECT_NEAR(at.slope(0, k), slope.real(), 1e-8);
        EXPECT_NEAR(at.slope(1, k), slope.imag(), 1e-8);
      }
      const double share = magnitude / 230.0, lowest = 0.7;
      const double expected = model == LoadModel::impedance ? share * share
                              : model == LoadModel::power   ? (share < lowest ? share * share / (lowest * lowest) : 1.0)
                                                            : (share < lowest ? share * share / lowest : share);
      EXPECT_NEAR(std::abs(v * std::conj(at.current) - s * expected), 0.0, 1e-9 * std::abs(s));
    }
}

TEST(VectorGroup, SaysWhatIsWrongWithOneThatDoesNotExist) {
  for (const char* text : {"Dyn2", "YNyn1", "DNy1", "Dyn12", "Dyn", "yD1", "", "Dyn11x"})
    EXPECT_THROW(vectorGroup(text), Error) << text;
  EXPECT_EQ(vectorGroup("YNd5").hour, 5);
}

TEST(Transformer, SecondSideIsBehindByItsHourAndHasItsVoltage) {
  for (const char* text :
       {"Dyn11", "Dyn1",  "Dyn5",  "Dyn7",  "Dyn3",  "Dyn9",   "YNd1", "YNd11", "YNd5", "YNd7", "YNd3", "YNd9",
        "YNyn0", "YNyn4", "YNyn8", "YNyn2", "YNyn6", "YNyn10", "Dd0",  "Dd6",   "Dd4",  "Yy0",  "Yyn6"}) {
    // nodes 0-2 first side, 3-5 second, 6 and 7 star points that are not brought out
    const VectorGroup group = vectorGroup(text);
    const auto star = [&](bool neutral, std::ptrdiff_t hidden) { return neutral ? kEarth : hidden; };
    const ThreePhaseTransformer data{.power = 1e6,
                                     .first_voltage = 20e3,
                                     .second_voltage = 400.0,
                                     .impedance = {0.01, 0.06},
                                     .magnetising = {},
                                     .group = group,
                                     .place = MagnetisingPlace::ends};
    const PhasorNetwork network(std::vector<std::string>(8, "node"),
                                {transformerElement("T", data, {0, 1, 2, star(group.first_neutral, 6)},
                                                    {3, 4, 5, star(group.second_neutral, 7)})},
                                {});
    PhasorNetwork::Solution solution;
    SCOPED_TRACE(text);
    ASSERT_NO_THROW(network.solve({.closed = {1}, .power = {}, .sources = balanced(20e3)}, solution)) << text;
    const auto& v = solution.voltage;
    for (std::size_t k = 0; k < 3; ++k) {
      const Complex first = v[k] - v[(k + 1) % 3], second = v[3 + k] - v[3 + (k + 1) % 3];
      EXPECT_NEAR(std::abs(second), 400.0, 1e-3) << text;
      const double behind = std::arg(first / second) / (30.0 * kDegree);
      EXPECT_NEAR(std::remainder(behind - group.hour, 12.0), 0.0, 1e-5) << text;
    }
  }
}

TEST(PhasorNetwork, FeederOfOneLoadHasTheVoltageOfItsQuadratic) {
  // V^2 + P R + Q X ... of one phase: source 230 V, z = 0.1 + 0.05j, constant power 5 kW, 1 kvar
  const Complex z(0.1, 0.05), s(5000.0, 1000.0);
  const PhasorNetwork network({"source", "load"}, {impedanceElement("cable", 0, 1, z)},
                              {{.name = "load", .from = 1, .to = kEarth, .rated_voltage = 230.0}});
  PhasorNetwork::Solution solution;
  const PhasorNetwork::Input input{.closed = {1}, .power = {s}, .sources = {{0, 230.0}}};
  network.solve(input, solution);
  const double b = s.real() * z.real() + s.imag() * z.imag() - 0.5 * 230.0 * 230.0;
  const double square = -b + std::sqrt(b * b - std::norm(z) * std::norm(s));
  EXPECT_NEAR(std::abs(solution.voltage[1]), std::sqrt(square), 1e-9);
  EXPECT_NEAR(std::abs(solution.voltage[1] * std::conj(network.current(0, input, solution)) - s), 0.0, 1e-6);
  EXPECT_LE(solution.iterations, 6);
}

TEST(PhasorNetwork, NoSourceMeansDeadAndAnOpenElementParts) {
  const PhasorNetwork network({"source", "load"}, {impedanceElement("cable", 0, 1, {0.1, 0.05})},
                              {{.name = "load", .from = 1, .to = kEarth, .rated_voltage = 230.0}});
  PhasorNetwork::Solution solution;
  network.solve({.closed = {0}, .power = {5000.0}, .sources = {{0, 230.0}}}, solution);
  EXPECT_EQ(solution.voltage[1], Complex{});
  EXPECT_EQ(solution.live[1], 0);
  network.solve({.closed = {1}, .power = {5000.0}, .sources = {}}, solution);
  EXPECT_EQ(solution.live[0], 0);
}

TEST(PhasorNetwork, AConstantPowerBeyondWhatTheCableCarriesSinksToAnImpedance) {
  const PhasorNetwork network({"source", "load"}, {impedanceElement("cable", 0, 1, {1.0, 0.0})},
                              {{.name = "load", .from = 1, .to = kEarth, .rated_voltage = 230.0}});
  PhasorNetwork::Solution solution;
  network.solve({.closed = {1}, .power = {100e3}, .sources = {{0, 230.0}}}, solution);  // 13 kW is the most
  // r = (0.7 230)^2 / 100 kW
  const double r = 161.0 * 161.0 / 100e3;
  EXPECT_NEAR(std::abs(solution.voltage[1]), 230.0 * r / (1.0 + r), 1e-9);
}

}  // namespace
