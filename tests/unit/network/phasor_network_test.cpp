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

/// Three sources that hold nodes 0 to 2.
std::vector<PhasorSource> holders() { return {{.name = "a", .to = 0}, {.name = "b", .to = 1}, {.name = "c", .to = 2}}; }

/// One solve of every part.
struct Solved {
  const PhasorNetwork& network;
  std::shared_ptr<const PhasorTopology> topology;
  PhasorState state;
  Solved(const PhasorNetwork& n, PhasorConnection connection, std::vector<Complex> power, std::vector<Complex> emf)
      : network(n), topology(n.connect(std::move(connection))), state(n.makeState()) {
    state.power = std::move(power);
    state.emf = std::move(emf);
    n.enter(*topology, state, false);
    for (std::size_t p = 0; p < topology->parts().size(); ++p) n.solve(*topology, p, state);
  }
};

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
                                {}, holders());
    SCOPED_TRACE(text);
    const double u = 20e3 / std::numbers::sqrt3;
    const Solved solved(network, {{1}, {1, 1, 1}}, {}, {phase(u, 0), phase(u, 1), phase(u, 2)});
    const auto& v = solved.state.voltage;
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
                              {{.name = "load", .from = 1, .to = kEarth, .rated_voltage = 230.0}},
                              {{.name = "grid", .to = 0}});
  const Solved solved(network, {{1}, {1}}, {s}, {230.0});
  const double b = s.real() * z.real() + s.imag() * z.imag() - 0.5 * 230.0 * 230.0;
  const double square = -b + std::sqrt(b * b - std::norm(z) * std::norm(s));
  EXPECT_NEAR(std::abs(solved.state.voltage[1]), std::sqrt(square), 1e-9);
  const Complex i = network.loadCurrentOf(0, *solved.topology, solved.state);
  EXPECT_NEAR(std::abs(solved.state.voltage[1] * std::conj(i) - s), 0.0, 1e-6);
  EXPECT_NEAR(std::abs(network.sourceCurrent(0, *solved.topology, solved.state) - i), 0.0, 1e-9);
  const Complex delivered = network.sourcePower(0, *solved.topology, solved.state);
  EXPECT_NEAR(std::abs(delivered - s - network.absorbed(0, *solved.topology, solved.state)), 0.0, 1e-6);
  EXPECT_LE(solved.state.iterations, 8);
}

TEST(PhasorNetwork, AnElectromotiveForceBehindAnImpedanceDoesWhatTheCableDoes) {
  const Complex z(0.1, 0.05), s(5000.0, 1000.0);
  const PhasorNetwork cable({"source", "load"}, {impedanceElement("cable", 0, 1, z)},
                            {{.name = "load", .from = 1, .to = kEarth, .rated_voltage = 230.0}},
                            {{.name = "grid", .to = 0}});
  const PhasorNetwork behind({"load"}, {}, {{.name = "load", .from = 0, .to = kEarth, .rated_voltage = 230.0}},
                             {{.name = "grid", .to = 0, .impedance = z}});
  const Solved a(cable, {{1}, {1}}, {s}, {230.0}), b(behind, {{}, {1}}, {s}, {230.0});
  EXPECT_NEAR(std::abs(a.state.voltage[1] - b.state.voltage[0]), 0.0, 1e-9);
  EXPECT_NEAR(std::abs(behind.sourcePower(0, *b.topology, b.state) - s), 0.0, 1e-6);
}

TEST(PhasorNetwork, SourcesInParallelShareByTheirAdmittances) {
  const PhasorNetwork network(
      {"bus"}, {}, {{.name = "load", .from = 0, .to = kEarth, .rated_voltage = 230.0}},
      {{.name = "one", .to = 0, .impedance = {0.0, 0.1}}, {.name = "two", .to = 0, .impedance = {0.0, 0.2}}});
  const Solved both(network, {{}, {1, 1}}, {3000.0}, {230.0, 230.0});
  EXPECT_NEAR(std::abs(network.sourceCurrent(0, *both.topology, both.state)),
              2.0 * std::abs(network.sourceCurrent(1, *both.topology, both.state)), 1e-9);
  const Solved one(network, {{}, {0, 1}}, {3000.0}, {230.0, 230.0});
  EXPECT_EQ(network.sourceCurrent(0, *one.topology, one.state), Complex{});
}

TEST(PhasorNetwork, NoSourceMeansDeadAndAnOpenElementParts) {
  const PhasorNetwork network({"source", "load"}, {impedanceElement("cable", 0, 1, {0.1, 0.05})},
                              {{.name = "load", .from = 1, .to = kEarth, .rated_voltage = 230.0}},
                              {{.name = "grid", .to = 0}});
  const Solved parted(network, {{0}, {1}}, {5000.0}, {230.0});
  EXPECT_EQ(parted.state.voltage[1], Complex{});
  EXPECT_FALSE(parted.topology->live(1));
  EXPECT_TRUE(parted.topology->live(0));
  const Solved off(network, {{1}, {0}}, {5000.0}, {230.0});
  EXPECT_FALSE(off.topology->live(0));
}

TEST(PhasorNetwork, AConstantPowerBeyondWhatTheCableCarriesSinksToAnImpedance) {
  const PhasorNetwork network({"source", "load"}, {impedanceElement("cable", 0, 1, {1.0, 0.0})},
                              {{.name = "load", .from = 1, .to = kEarth, .rated_voltage = 230.0}},
                              {{.name = "grid", .to = 0}});
  const Solved solved(network, {{1}, {1}}, {100e3}, {230.0});  // 13 kW is the most
  // r = (0.7 230)^2 / 100 kW
  const double r = 161.0 * 161.0 / 100e3;
  EXPECT_NEAR(std::abs(solved.state.voltage[1]), 230.0 * r / (1.0 + r), 1e-9);
}

TEST(PhasorNetwork, TwoHoldersOfOneNodeAreRefused) {
  const PhasorNetwork network({"bus"}, {}, {}, {{.name = "one", .to = 0}, {.name = "two", .to = 0}});
  EXPECT_THROW(network.connect({{}, {1, 1}}), SimulationError);
}

}  // namespace
