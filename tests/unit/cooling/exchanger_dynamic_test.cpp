// Dynamic plate heat exchanger: at rest it is the static one, and along the way it keeps its heat.
#include <cmath>

#include "model/components/cooling/effectiveness.hpp"
#include "model/components/cooling/exchanger_films.hpp"
#include "tests/unit/cooling/march.hpp"
#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

constexpr double kCp = 4000.0, kHot = 323.15, kCold = 303.15;

PlantBuilder exchanger(const std::string& model, double m_hot, double m_cold, PlantBuilder::Numbers changes = {}) {
  PlantBuilder b;
  b.circuit("hot", "h-in", kCp).circuit("cold", "c-in", kCp);
  b.boundary("h-in", 100e3, kHot).boundary("c-in", 100e3, kCold);
  b.boundary("h-end", 50e3, kHot).boundary("c-end", 50e3, kCold);
  PlantBuilder::Numbers numbers{{"ua", 200e3},          {"hot_flow", 20.0},   {"cold_flow", 16.0},
                                {"film_ratio", 0.7},    {"hot_volume", 0.03}, {"cold_volume", 0.03},
                                {"wall_capacity", 1e5}, {"fouling", 1e-6}};
  for (const auto& [name, value] : changes) numbers[name] = value;
  b.add("plate_heat_exchanger", "hx", {{"hot", {"h-in", "h-out"}}, {"cold", {"c-in", "c-out"}}}, numbers,
        {{"model", model}});
  b.add("fixed_flow", "h-flow", {{"from", {"h-out"}}, {"to", {"h-end"}}}, {{"flow", m_hot}});
  b.add("fixed_flow", "c-flow", {{"from", {"c-out"}}, {"to", {"c-end"}}}, {{"flow", m_cold}});
  return b;
}

double settled(const PlantBuilder& plant, const std::string& signal) {
  Bench bench(plant);
  march(bench, 600.0);
  return bench.value(signal);
}

double stored(const Bench& bench) { return bench.system->find("hx").first->storedEnergy(bench.e); }

TEST(DynamicExchanger, ComesToRestAtTheHeatOfEffectivenessAndNtu) {
  for (const auto& [m_hot, m_cold] : {std::pair{20.0, 16.0}, {7.0, 30.0}, {-12.0, -16.0}}) {
    Bench still(exchanger("static", m_hot, m_cold));
    // A reversed side draws from its own end: both ends have the temperature of their side.
    const double heat = settled(exchanger("dynamic", m_hot, m_cold), "hx.heat");
    const double expected =
        still.value("hx.effectiveness") * std::min(std::abs(m_hot), std::abs(m_cold)) * kCp * (kHot - kCold);
    EXPECT_NEAR(heat, expected, 1e-6 * expected) << m_hot << " " << m_cold;
  }
}

TEST(DynamicExchanger, IsInParallelFlowWithOneSideReversed) {
  const double heat = settled(exchanger("dynamic", -20.0, 16.0), "hx.heat");
  Bench still(exchanger("static", -20.0, 16.0));
  const double ua = still.value("hx.ua"), least = 16.0 * kCp, cr = 16.0 / 20.0, ntu = ua / least;
  const double parallel = (1.0 - std::exp(-ntu * (1.0 + cr))) / (1.0 + cr) * least * (kHot - kCold);
  EXPECT_NEAR(heat, parallel, 1e-6 * parallel);
  EXPECT_NEAR(still.value("hx.effectiveness"), parallel / (least * (kHot - kCold)), 1e-12);
}

TEST(DynamicExchanger, KeepsItsHeatWhenBothSidesStand) {
  Bench bench(exchanger("dynamic", 20.0, 16.0));
  march(bench, 3.0);
  for (const char* flow : {"h-flow", "c-flow"}) bench.command(flow, "set", 0.0);
  bench.evaluate();
  const double before = stored(bench);
  march(bench, 300.0);
  EXPECT_NEAR(stored(bench), before, 1e-9 * std::abs(before));
}

TEST(ExchangerFilms, FollowMartinsExponentsAndMeetWhereTheyChange) {
  const auto slope = [](double re) {
    return std::log(martinShape(re * 1.001) / martinShape(re / 1.001)) / std::log(1.001 * 1.001);
  };
  EXPECT_NEAR(slope(500.0), 0.667, 1e-9);
  EXPECT_NEAR(slope(50.0), 0.40, 1e-9);
  EXPECT_NEAR(slope(2.0), 0.30, 1e-9);
  for (const double corner : {10.0, 200.0})
    EXPECT_NEAR(martinShape(corner * (1.0 - 1e-12)) / martinShape(corner), 1.0, 1e-10);
  EXPECT_EQ(martinShape(0.0), 0.0);
  // 400 at nominal flow of a coolant of 1 mPa s; in one of 4 mPa s at half flow Re is 50: 200^0.267 50^0.4 / 400^0.667.
  const ExchangerFilm film{.nominal = 1e5, .flow = 10.0, .exponent = 0.8, .reynolds = 400.0, .thinness = 0.25};
  EXPECT_NEAR(film.at(5.0), 1e5 * std::pow(200.0, 0.267) * std::pow(50.0, 0.4) / std::pow(400.0, 0.667), 1e-6);
}

TEST(ExchangerRating, IsTheSameWhicheverWayItIsStated) {
  // 1,000 kW, hot 50 to 40 degC, cold 30 to 38 degC: 25 and 31.25 kg/s, effectiveness 0.5; NTU = ln(0.6/0.5)/0.2.
  const double least = 25.0 * kCp, ua = least * std::log((1.0 - 0.5 * 0.8) / 0.5) / 0.2;
  const auto value = [&](const PlantBuilder::Numbers& numbers) {
    PlantBuilder b;
    b.circuit("hot", "h-in", kCp).circuit("cold", "c-in", kCp);
    b.boundary("h-in", 100e3, kHot).boundary("c-in", 100e3, kCold).boundary("h-end", 50e3).boundary("c-end", 50e3);
    b.add("plate_heat_exchanger", "hx", {{"hot", {"h-in", "h-out"}}, {"cold", {"c-in", "c-out"}}}, numbers);
    b.add("fixed_flow", "h-flow", {{"from", {"h-out"}}, {"to", {"h-end"}}}, {{"flow", 25.0}});
    b.add("fixed_flow", "c-flow", {{"from", {"c-out"}}, {"to", {"c-end"}}}, {{"flow", 31.25}});
    return Bench(b).value("hx.ua");
  };
  EXPECT_NEAR(value({{"nominal_effectiveness", 0.5}, {"hot_flow", 25.0}, {"cold_flow", 31.25}}), ua, 1e-9 * ua);
  const PlantBuilder::Numbers point{{"nominal_heat", 1e6}, {"nominal_hot_in", 323.15}, {"nominal_cold_in", 303.15}};
  auto by_temperatures = point, by_flows = point;
  by_temperatures.insert({{"nominal_hot_out", 313.15}, {"nominal_cold_out", 311.15}});
  by_flows.insert({{"hot_flow", 25.0}, {"cold_flow", 31.25}});
  EXPECT_NEAR(value(by_temperatures), ua, 1e-9 * ua);
  EXPECT_NEAR(value(by_flows), ua, 1e-9 * ua);
}

}  // namespace
}  // namespace podtwin
