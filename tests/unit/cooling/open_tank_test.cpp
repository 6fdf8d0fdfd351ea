// Open tanks against reference case H08-tank-drain-and-levelling, and an empty one that a pump draws from.
#include <cmath>
#include <numbers>

#include "tests/unit/cooling/march.hpp"

namespace podtwin {
namespace {

constexpr double kOrifice = 0.0015, kDischarge = 0.62;  // m2, 1

PlantBuilder& addTank(PlantBuilder& b, const char* id, const char* node, double area, double level,
                      double least = 1e-9) {
  b.add("open_tank", id, {{"node", {node}}},
        {{"area", area}, {"height", 4.0}, {"start_level", level}, {"least_level", least}});
  return b;
}
PlantBuilder& addOrifice(PlantBuilder& b, const char* from, const char* to) {
  b.add("resistance", "O", {{"from", {from}}, {"to", {to}}},
        {{"loss_coefficient", 1.0 / (kDischarge * kDischarge)},
         {"diameter", std::sqrt(4.0 * kOrifice / std::numbers::pi)}});
  return b;
}

TEST(OpenTank, DrainsThroughAnOrificeAsTheReferenceDoes) {
  PlantBuilder b;
  b.circuit("c").boundary("out", 0.0, 293.15);
  addTank(b, "T", "a", 2.0, 1.8);
  addOrifice(b, "a", "out");
  Bench bench(b);
  EXPECT_NEAR(bench.value("O.flow"), 0.00552579204332, 1e-7);
  const double mass = 1000.0 * 2.0, energy = bench.system->ledger(bench.state, bench.e).stored;
  for (const auto& [t, level] : {std::pair{60.0, 1.63804303591}, {300.0, 1.06655112383}, {900.0, 0.172172953488}}) {
    march(bench, t, {.max_step = 0.5});
    EXPECT_NEAR(bench.value("T.level"), level, 1e-5) << t << " s";
    EXPECT_NEAR(bench.value("T.t"), 293.15, 1e-6);
  }
  const EnergyLedger end = bench.system->ledger(bench.state, bench.e);
  EXPECT_NEAR(end.stored + end.to_boundaries, energy, 1e-9 * energy);
  EXPECT_NEAR(end.to_boundaries, mass * (1.8 - bench.value("T.level")) * 4000.0 * 20.0, 1e-9 * energy);
}

TEST(OpenTank, LevelsWithAnotherThatHoldsItsPressureToo) {
  PlantBuilder b;
  b.circuit("c");
  addTank(b, "T1", "a", 2.0, 1.8);
  addTank(b, "T2", "b", 3.5, 0.6);
  addOrifice(b, "a", "b");
  Bench bench(b);
  march(bench, 300.0, {.max_step = 0.5});
  EXPECT_NEAR(bench.value("T1.level"), 1.27317705826, 1e-5);
  EXPECT_NEAR(bench.value("T2.level"), 0.901041680992, 1e-5);
}

TEST(OpenTank, ThatIsDrawnEmptyGivesWhatComesInAndItsLevelStands) {
  PlantBuilder b;
  b.circuit("c").boundary("feed", 50e3, 313.15).boundary("out", 100e3, 293.15);
  addTank(b, "T", "a", 0.5, 0.3, 0.01);
  b.add("resistance", "R", {{"from", {"feed"}}, {"to", {"a"}}}, {{"dp", 50e3}, {"flow", 0.002}});
  b.add("pump", "P", {{"from", {"a"}}, {"to", {"out"}}}, {}).parameters.at("head_curve").points = {{0.0, 300e3},
                                                                                                   {0.02, 100e3}};
  Bench bench(b);
  march(bench, 600.0, {.max_step = 0.5});
  EXPECT_GT(bench.value("T.level"), 0.0);
  EXPECT_LT(bench.value("T.level"), 0.01);
  EXPECT_NEAR(bench.value("T.flow"), 0.0, 1e-6);
  EXPECT_NEAR(bench.value("P.flow"), bench.value("R.flow"), 1e-6);
  EXPECT_GT(bench.value("P.flow"), 0.001);
}

TEST(OpenTank, ThatStartsAboveItsRimIsRefused) {
  PlantBuilder b;
  b.circuit("c").boundary("out", 0.0, 293.15);
  addTank(b, "T", "a", 2.0, 4.5);
  addOrifice(b, "a", "out");
  EXPECT_THROW(b.build(), Error);
}

}  // namespace
}  // namespace podtwin
