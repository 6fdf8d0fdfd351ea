// Stratified tank against closed forms: conduction, inversion, charging and discharging at both ends; tight valves.
#include <cmath>
#include <numbers>
#include <tuple>

#include "tests/unit/cooling/march.hpp"

namespace podtwin {
namespace {

constexpr double kZero = 273.15;
constexpr double kPi = std::numbers::pi;
constexpr int kLayers = 20;
constexpr double kVolume = 2.0, kHeight = 2.0, kDensity = 1000.0, kCp = 4000.0;

PlantBuilder store(double flow, double conductivity, const std::string& inlet_at = "top", double mixing_time = 10.0) {
  PlantBuilder b;
  b.circuit("c", "in", kCp).boundary("in", 1e5, kZero + 40.0).boundary("end", 1e5, kZero + 10.0).volume("out", 1e-6);
  b.add("tank", "T", {{"from", {"in"}}, {"to", {"out"}}},
        {{"volume", kVolume},
         {"cells", kLayers},
         {"height", kHeight},
         {"conductivity", conductivity},
         {"mixing_time", mixing_time}},
        {{"model", "stratified"}, {"inlet_at", inlet_at}});
  b.add("fixed_flow", "F", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", flow}});
  return b;
}

/// Index of layer k: layers lie behind the states of the table.
std::size_t layer(const Bench& bench, int k) {
  const auto [set, i] = bench.system->find("T");
  return set->yIndex(0, 0) + set->info().states.size() * set->size() + static_cast<std::size_t>(k);
}

double mean(const Bench& bench) {
  double sum = 0.0;
  for (int k = 0; k < kLayers; ++k) sum += bench.state.y[layer(bench, k)];
  return sum / kLayers;
}

/// The slowest mode of a column insulated at both ends, hottest on top.
void layMode(Bench& bench, double amplitude) {
  for (int k = 0; k < kLayers; ++k)
    bench.state.y[layer(bench, k)] = kZero + 25.0 + amplitude * std::cos(kPi * (k + 0.5) / kLayers);
  bench.evaluate();
}

TEST(StratifiedTank, DecaysByConductionAloneAsTheSlowestModeOfItsColumn) {
  constexpr double kConductivity = 600.0;  // W/(m K), so that it shows within the hour
  Bench bench(store(0.0, kConductivity), kZero + 25.0);
  layMode(bench, 10.0);
  march(bench, 3600.0);
  // Of N layers: rate 2 (1 - cos(pi/N)) conductivity / (rho cp dz^2); of the continuous column pi^2 alpha / h^2.
  const double dz = kHeight / kLayers, alpha = kConductivity / (kDensity * kCp);
  const double discrete = 2.0 * (1.0 - std::cos(kPi / kLayers)) * alpha / (dz * dz);
  const double continuous = kPi * kPi * alpha / (kHeight * kHeight);
  EXPECT_NEAR(discrete / continuous, 1.0, 0.003);
  const double left = 10.0 * std::exp(-discrete * 3600.0);
  for (int k = 0; k < kLayers; ++k)
    EXPECT_NEAR(bench.state.y[layer(bench, k)] - kZero, 25.0 + left * std::cos(kPi * (k + 0.5) / kLayers), 1e-4) << k;
  EXPECT_NEAR(mean(bench), kZero + 25.0, 1e-9);
}

TEST(StratifiedTank, KeepsAStableColumnAndMixesAnInvertedOneToItsMean) {
  for (const bool hot_on_top : {true, false}) {
    Bench bench(store(0.0, 0.0, "top", 1.0), kZero + 25.0);
    for (int k = 0; k < kLayers; ++k)
      bench.state.y[layer(bench, k)] = kZero + ((k < kLayers / 4) == hot_on_top ? 40.0 : 10.0);
    bench.evaluate();
    const double before = bench.system->ledger(bench.state, bench.e).stored, average = mean(bench);
    march(bench, 1800.0);
    EXPECT_NEAR(bench.system->ledger(bench.state, bench.e).stored, before, 1e-9 * before);
    for (int k = 0; k < kLayers; ++k) {
      const double kept = kZero + (k < kLayers / 4 ? 40.0 : 10.0);
      EXPECT_NEAR(bench.state.y[layer(bench, k)], hot_on_top ? kept : average, 1e-3) << k;
    }
  }
}

/// Response of n mixed cells in a row to a step, after x cells' worth of flow: 1 - exp(-x) sum_{k<n} x^k/k!.
double erlang(int n, double x) {
  double sum = 0.0, term = 1.0;
  for (int k = 0; k < n; ++k) {
    sum += term;
    term *= x / (k + 1);
  }
  return 1.0 - std::exp(-x) * sum;
}

TEST(StratifiedTank, FedWithTheLighterAtTheTopKeepsItsFrontThereAndBack) {
  const double tau = kVolume * kDensity / 2.0;
  Bench bench(store(2.0, 0.0), kZero + 10.0);
  march(bench, 0.5 * tau);
  EXPECT_NEAR(bench.value("T.t_out"), kZero + 10.0 + 30.0 * erlang(kLayers, 0.5 * kLayers), 1e-3);
  EXPECT_NEAR(mean(bench), kZero + 25.0, 0.05);
  // Discharge: flow turns, cold enters below and the warm leaves above.
  ASSERT_TRUE(bench.command("F", "set", -2.0));
  bench.evaluate();
  march(bench, tau);
  EXPECT_NEAR(bench.state.y[layer(bench, kLayers - 1)], kZero + 10.0, 1e-3);
  EXPECT_LT(mean(bench), kZero + 13.0);
}

TEST(StratifiedTank, FedWithTheLighterAtTheBottomIsAMixedTankBothWays) {
  const double tau = kVolume * kDensity / 2.0;
  Bench bench(store(2.0, 0.0, "bottom", 0.02), kZero + 10.0);
  march(bench, 0.5 * tau);
  EXPECT_NEAR(mean(bench), kZero + 10.0 + 30.0 * (1.0 - std::exp(-0.5)), 0.05);
  const double charged = mean(bench) - kZero - 10.0;
  ASSERT_TRUE(bench.command("F", "set", -2.0));  // cold enters above
  bench.evaluate();
  march(bench, tau);
  EXPECT_NEAR(mean(bench), kZero + 10.0 + charged * std::exp(-0.5), 0.05);
}

PlantBuilder tightValves(double leakage) {
  PlantBuilder b;
  b.circuit("c", "", kCp).boundary("in", 3e5, kZero + 20.0).boundary("end", 1e5, kZero + 20.0);
  b.volume("a", 0.05).volume("b", 0.05);
  for (const auto& [id, from, to] : {std::tuple{"V1", "in", "a"}, {"V2", "b", "end"}})
    b.add("valve", id, {{"from", {from}}, {"to", {to}}},
          {{"kv", 2e-3}, {"leakage", leakage}, {"stroke_time", 10.0}, {"dead_band", 0.02}});
  b.add("resistance", "R", {{"from", {"a"}}, {"to", {"b"}}}, {{"dp", 1e4}, {"flow", 1e-3}});
  return b;
}

TEST(Valve, WithoutLeakageShutsItsEdgeAndOpensItAgain) {
  Bench bench(tightValves(0.0), kZero + 20.0);
  EXPECT_GT(bench.value("V1.flow"), 1e-4);
  ASSERT_TRUE(bench.command("V1", "close"));
  ASSERT_TRUE(bench.command("V2", "close"));
  bench.evaluate();
  bench.sample();
  march(bench, 40.0);
  EXPECT_EQ(bench.value("V1.flow"), 0.0);
  EXPECT_EQ(bench.value("V2.flow"), 0.0);
  ASSERT_TRUE(bench.command("V1", "open"));
  ASSERT_TRUE(bench.command("V2", "open"));
  bench.evaluate();
  bench.sample();
  march(bench, 80.0);
  EXPECT_GT(bench.value("V1.flow"), 1e-4);
  EXPECT_NEAR(bench.value("V1.flow"), bench.value("V2.flow"), 1e-9);
}

TEST(Valve, WithADeadBandFollowsOnlyWhatIsMoreThanIt) {
  Bench bench(tightValves(1e-3), kZero + 20.0);
  double t = 0.0;
  const auto ask = [&](double position) {
    EXPECT_TRUE(bench.command("V1", "set", position));
    bench.evaluate();
    bench.sample();
    march(bench, t += 60.0);
    return bench.value("V1.position");
  };
  EXPECT_NEAR(ask(0.5), 0.5, 1e-6);
  EXPECT_NEAR(ask(0.515), 0.5, 1e-6);  // 1.5 % is within 2 %
  EXPECT_NEAR(ask(0.525), 0.525, 1e-6);
  EXPECT_NEAR(ask(0.51), 0.525, 1e-6);
}

}  // namespace
}  // namespace podtwin
