// Power tree: losses, shares, dead buses, energy. Reference values: cases E10 and F04 and pod-design.md sections 4
// and 9.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/unit/power/plant_builder.hpp"

namespace podtwin::test {
namespace {

Build utility(const std::string& bus = "MV") { return Build("utility", "GRID").set("rating", 20e6).port("to", {bus}); }
Build load(const std::string& id, const std::string& bus, double power) {
  return Build("electrical_load", id).set("power", power).on(bus);
}
Build stage(const std::string& class_name, const std::string& id, const std::string& from, const std::string& to,
            double rating, std::vector<double> polynomial) {
  return Build(class_name, id)
      .set("rating", rating)
      .numbers("loss_polynomial", std::move(polynomial))
      .port("from", {from})
      .port("to", {to});
}

struct ChainRow {
  double it;
  double loss[4], efficiency[4];  // shelf, pdu, ups, transformer
  double input, chain_efficiency, pue;
};
// Case E10-conversion-chain, expected.csv; tolerance 1e-10 relative.
constexpr ChainRow kChain[] = {
    {300000.0,
     {10800, 2228.1888, 20586.1843372, 3159.57866387},
     {0.965250965251, 0.992881827006, 0.938293472959, 0.990618102597},
     336773.951801,
     0.89080523715,
     1.439246506},
    {750000.0,
     {19350, 4567.023075, 28095.6339605, 5117.06543153},
     {0.974848898421, 0.994098820754, 0.964968590316, 0.993660169748},
     807129.722467,
     0.929218661044,
     1.20283962996},
    {1200000.0,
     {30600, 8333.8212, 38363.3526346, 8753.87609865},
     {0.975134080936, 0.993273392769, 0.969965209804, 0.993193212587},
     1286051.04993,
     0.933088931471,
     1.15087587494},
    {1500000.0,
     {39600, 11650.6272, 46776.7466358, 12147.5846741},
     {0.974279033515, 0.992489526195, 0.970728444705, 0.992455736186},
     1610174.95851,
     0.931575784403,
     1.13678330567},
};
constexpr double kChainTolerance = 1e-10;
constexpr double kOverhead = 95000.0;  // W

TEST(ConversionChain, LossPolynomialsGiveEveryRowOfCaseE10) {
  Plant plant({utility(), stage("transformer", "T", "MV", "LV", 2500000.0, {0.0011, 0.0, 0.0092}),
               stage("ups", "U", "LV", "UB", 2000000.0, {0.0085, 0.0095, 0.0125}),
               stage("transformer", "PDU", "UB", "PB", 1800000.0, {0.0008, 0.0015, 0.006}),
               stage("transformer", "SHELF", "PB", "DC", 300 * 5500.0, {0.004, 0.012, 0.011}),
               load("IT", "DC", 1.0).set("it", 1.0), load("OVERHEAD", "MV", kOverhead)});
  for (const auto& row : kChain) {
    ASSERT_EQ(plant.command("IT", "set", row.it), "");
    const char* names[] = {"SHELF", "PDU", "U", "T"};
    double output = row.it;
    for (int k = 0; k < 4; ++k) {
      const double loss = plant.value(std::string(names[k]) + ".loss");
      EXPECT_NEAR(loss, row.loss[k], kChainTolerance * row.loss[k]) << names[k] << " at " << row.it;
      EXPECT_NEAR(output / (output + loss), row.efficiency[k], kChainTolerance) << names[k] << " at " << row.it;
      output += loss;
    }
    EXPECT_NEAR(output, row.input, kChainTolerance * row.input);
    EXPECT_NEAR(row.it / output, row.chain_efficiency, kChainTolerance);
    EXPECT_NEAR(plant.value("facility.pue"), row.pue, kChainTolerance);
    EXPECT_NEAR(plant.value("U.efficiency"), row.efficiency[2], kChainTolerance);
  }
}

TEST(ConversionChain, GivesThePowersOfCaseF04) {
  constexpr double kDcPower = 16 * 130000.0, kPumps = 12712.5377403 + 8804.4885628, kCrah = 47402.7259259,
                   kFan = 9514.39774562, kMisc = 30000.0;
  constexpr double kTolerance = 1e-6;
  Plant plant({utility(), stage("transformer", "T", "MV", "LV", 3150000.0, {0.0011, 0.0, 0.0092}),
               stage("ups", "U", "LV", "UB", 2600000.0, {0.0085, 0.0095, 0.0125}),
               stage("transformer", "SHELF", "UB", "DC", 128 * 33000.0, {0.004, 0.012, 0.011}),
               load("IT", "DC", kDcPower), load("PUMPS", "UB", kPumps), load("CRAH", "UB", kCrah),
               load("FAN", "LV", kFan), load("MISC", "LV", kMisc)});
  const double rack_ac = plant.value("SHELF.power") + plant.value("SHELF.loss");
  const double ups_input = plant.value("U.load") + plant.value("U.loss");
  const double total = plant.value("facility.facility_power");
  EXPECT_NEAR(rack_ac, 2133122.66667, kTolerance * rack_ac);
  EXPECT_NEAR(ups_input, 2268374.27771, kTolerance * ups_input);
  EXPECT_NEAR(total, 2326909.99967, kTolerance * total);
  EXPECT_NEAR(total / rack_ac, 1.09084678347, kTolerance);
}

std::vector<InstanceDescription> fourBlocks(double power) {
  std::vector<InstanceDescription> plant{utility()};
  for (int k = 1; k <= 4; ++k) {
    const std::string n = std::to_string(k);
    plant.push_back(
        Build("ups", "UPS-" + n).set("rating", 3.75e6).set("frames", 2).port("from", {"MV"}).port("to", {"UB" + n}));
    plant.push_back(load("L" + n, "UB" + n, power / 4.0));
  }
  return plant;
}

TEST(Ups, FourBlocksOfTheReferencePodLose290KilowattsAtDesignLoad) {
  // pod-design 9.2, 142 kW a rack and 35 degC: UPS loss 290 kW at 9.79 MW output.
  Plant plant(fourBlocks(9.798e6));
  double loss = 0.0;
  for (int k = 1; k <= 4; ++k) loss += plant.value("UPS-" + std::to_string(k) + ".loss");
  EXPECT_NEAR(loss, 290e3, 0.01 * 290e3);
  EXPECT_NEAR(plant.value("UPS-1.loading"), 9.798 / 15.0, 1e-12);
  EXPECT_EQ(plant.value("UPS-1.mode"), 1.0);
}

TEST(Ups, EfficiencyIsThePublishedOneAtItsFourPoints) {
  Plant plant(fourBlocks(0.0));
  for (const auto& [load_fraction, efficiency] :
       {std::pair{0.25, 0.970}, {0.50, 0.973}, {0.75, 0.970}, {1.00, 0.964}}) {
    ASSERT_EQ(plant.command("L1", "set", load_fraction * 3.75e6), "");
    EXPECT_NEAR(plant.value("UPS-1.efficiency"), efficiency, 1e-12);
  }
}

TEST(Ups, KeepsTheLossOfTheFirstPointBelowItAndLosesNothingWhenDead) {
  Plant plant(fourBlocks(0.0));
  const double first = 0.25 * 3.75e6 * (1.0 / 0.97 - 1.0);
  EXPECT_NEAR(plant.value("UPS-1.loss"), first, 1e-6);
  EXPECT_EQ(plant.value("UPS-1.efficiency"), 0.0);
  ASSERT_EQ(plant.command("L1", "set", 0.25 * 3.75e6 * (1.0 + 1e-9)), "");
  EXPECT_NEAR(plant.value("UPS-1.loss"), first, 1e-3);
  ASSERT_EQ(plant.command("GRID", "trip"), "");
  EXPECT_EQ(plant.value("UPS-1.loss"), 0.0);
  EXPECT_EQ(plant.value("UPS-1.mode"), 0.0);
}

TEST(Transformer, LosesItsCoreLossWithoutLoadAndAllOfItAtRating) {
  Plant plant({utility(), Build("transformer", "T").set("rating", 2.5e6).port("from", {"MV"}).port("to", {"LV"}),
               load("L", "LV", 0.0)});
  EXPECT_NEAR(plant.value("T.loss"), 3.5e3, 1e-9);
  EXPECT_NEAR(plant.value("facility.facility_power"), 3.5e3, 1e-9);
  ASSERT_EQ(plant.command("L", "set", 0.99 * 2.5e6), "");
  EXPECT_NEAR(plant.value("T.loading"), 1.0, 1e-12);
  EXPECT_NEAR(plant.value("T.loss"), 21.5e3, 1e-6);
}

TEST(Transformer, DefaultLossesScaleWithRating) {
  Plant plant({utility(), Build("transformer", "T").set("rating", 1.25e6).port("from", {"MV"}).port("to", {"LV"}),
               load("L", "LV", 0.0)});
  EXPECT_NEAR(plant.value("T.loss"), 1.75e3, 1e-9);
}

TEST(Transformer, TwoInParallelShareByRatingAndOneCarriesAllAfterATrip) {
  Plant plant({utility(), Build("transformer", "T1").set("rating", 2e6).port("from", {"MV"}).port("to", {"LV"}),
               Build("transformer", "T2").set("rating", 1e6).port("from", {"MV"}).port("to", {"LV"}),
               load("L", "LV", 1.5e6)});
  EXPECT_NEAR(plant.value("T1.power"), 1e6, 1e-6);
  EXPECT_NEAR(plant.value("T2.power"), 0.5e6, 1e-6);
  ASSERT_EQ(plant.command("T1", "trip"), "");
  EXPECT_EQ(plant.value("T1.power"), 0.0);
  EXPECT_EQ(plant.value("T1.loss"), 0.0);
  EXPECT_NEAR(plant.value("T2.power"), 1.5e6, 1e-6);
  ASSERT_EQ(plant.command("T1", "restore"), "");
  EXPECT_NEAR(plant.value("T1.power"), 1e6, 1e-6);
}

TEST(Busway, LosesCurrentSquaredTimesResistanceOnThreePhases) {
  constexpr double kPower = 8 * 142e3, kVoltage = 480.0, kFactor = 0.99, kResistance = 0.4e-3;
  Plant plant({utility(), Build("busway", "BW").set("rating", 1600.0).port("from", {"MV"}).port("to", {"ROW"}),
               load("L", "ROW", kPower)});
  const double current = kPower / (std::numbers::sqrt3 * kVoltage * kFactor);
  EXPECT_NEAR(current, 1380.0, 0.01 * 1380.0);  // pod-design section 4, without power factor
  EXPECT_NEAR(plant.value("BW.i"), current, 1e-9);
  EXPECT_NEAR(plant.value("BW.loading"), current / 1600.0, 1e-12);
  EXPECT_NEAR(plant.value("BW.loss"), 3.0 * kResistance * current * current, 1e-9);
}

TEST(Breaker, OpeningDeadensEverythingBelowAndClosingBringsItBack) {
  Plant plant({utility(), Build("breaker", "B").port("from", {"MV"}).port("to", {"SW"}),
               Build("ups", "U").set("rating", 1e6).port("from", {"SW"}).port("to", {"UB"}), load("L", "UB", 5e5)});
  EXPECT_EQ(plant.value("B.closed"), 1.0);
  const auto topology = plant.state.topology;
  ASSERT_EQ(plant.command("B", "open"), "");
  EXPECT_GT(plant.state.topology, topology);
  EXPECT_EQ(plant.value("B.closed"), 0.0);
  EXPECT_EQ(plant.value("UB.energised"), 0.0);
  EXPECT_EQ(plant.value("L.power"), 0.0);
  EXPECT_EQ(plant.value("L.energised"), 0.0);
  EXPECT_EQ(plant.value("facility.facility_power"), 0.0);
  ASSERT_EQ(plant.command("B", "close"), "");
  EXPECT_EQ(plant.value("L.power"), 5e5);
  EXPECT_EQ(plant.value("B.power"), plant.value("facility.facility_power"));
}

TEST(Breaker, StaysOpenAfterATripUntilItIsRestored) {
  Plant plant({utility(), Build("breaker", "B").port("from", {"MV"}).port("to", {"SW"}), load("L", "SW", 5e5)});
  ASSERT_EQ(plant.command("B", "trip"), "");
  EXPECT_NE(plant.command("B", "close"), "");
  EXPECT_EQ(plant.value("L.power"), 0.0);
  ASSERT_EQ(plant.command("B", "restore"), "");
  EXPECT_EQ(plant.value("L.power"), 5e5);
}

TEST(Breaker, ThatIsStuckDoesNotTrip) {
  Plant plant({utility(), Build("breaker", "B").port("from", {"MV"}).port("to", {"SW"}), load("L", "SW", 5e5)});
  ASSERT_EQ(plant.command("B", "stick"), "");
  ASSERT_EQ(plant.command("B", "trip"), "");
  ASSERT_EQ(plant.command("B", "open"), "");
  EXPECT_EQ(plant.value("B.closed"), 1.0);
  EXPECT_EQ(plant.value("L.power"), 5e5);
}

TEST(Breaker, CanStartOpen) {
  Plant plant({utility(), Build("breaker", "B").set("closed", 0.0).port("from", {"MV"}).port("to", {"SW"}),
               load("L", "SW", 5e5)});
  EXPECT_EQ(plant.value("B.closed"), 0.0);
  EXPECT_EQ(plant.value("L.power"), 0.0);
}

std::vector<InstanceDescription> twoFeeds() {
  return {utility(), Build("busway", "BA").set("rating", 1600.0).port("from", {"MV"}).port("to", {"A"}),
          Build("busway", "BB").set("rating", 1600.0).port("from", {"MV"}).port("to", {"B"}),
          Build("air_cooled_rack", "R").set("power", 24e3).port("feeds", {"A", "B"})};
}

TEST(AirCooledRack, SharesItsPowerEquallyAndMovesItToTheFeedThatIsLeft) {
  Plant plant(twoFeeds());
  EXPECT_NEAR(plant.value("A.load"), 12e3, 1e-9);
  EXPECT_NEAR(plant.value("B.load"), 12e3, 1e-9);
  EXPECT_NEAR(plant.value("facility.it_power"), 24e3, 1e-9);
  ASSERT_EQ(plant.command("BA", "trip"), "");
  EXPECT_EQ(plant.value("A.load"), 0.0);
  EXPECT_NEAR(plant.value("B.load"), 24e3, 1e-9);
  EXPECT_EQ(plant.value("R.feeds_live"), 1.0);
  ASSERT_EQ(plant.command("BB", "trip"), "");
  EXPECT_EQ(plant.value("R.power"), 0.0);
  EXPECT_EQ(plant.value("R.energised"), 0.0);
  EXPECT_EQ(plant.value("facility.it_power"), 0.0);
}

TEST(AirCooledRack, WithoutFeedsDrawsFromAnUnmeteredSupply) {
  Plant plant({Build("air_cooled_rack", "R").set("power", 24e3)});
  EXPECT_EQ(plant.value("facility.facility_power"), 24e3);
}

TEST(ElectricalLoad, CountsAsItOnlyWhenItSaysSo) {
  Plant plant({utility(), load("A", "MV", 1e3), load("B", "MV", 2e3).set("it", 1.0)});
  EXPECT_EQ(plant.value("facility.it_power"), 2e3);
  EXPECT_EQ(plant.value("facility.facility_power"), 3e3);
  EXPECT_NE(plant.command("A", "set", -1.0), "");
}

TEST(Utility, LoadsItsImportLimitWhereThatIsLessThanItsRating) {
  Plant plant({Build("utility", "GRID").set("rating", 14e6).set("import_limit", 10e6).port("to", {"MV"}),
               load("L", "MV", 5e6)});
  EXPECT_NEAR(plant.value("GRID.loading"), 0.5, 1e-12);
  EXPECT_EQ(plant.value("GRID.available"), 1.0);
  ASSERT_EQ(plant.command("GRID", "trip"), "");
  EXPECT_EQ(plant.value("GRID.available"), 0.0);
  EXPECT_EQ(plant.value("GRID.power"), 0.0);
}

TEST(PowerTree, SourcesDeliverLoadsAndLossesAndAllOfItBecomesHeatInItsPlace) {
  std::vector<InstanceDescription> description{
      utility(),
      Build("transformer", "T").set("rating", 2.5e6).port("from", {"MV"}).port("to", {"LV"}),
      Build("ups", "U").set("rating", 1.875e6).port("from", {"LV"}).port("to", {"UB"}).port("air", {"hall"}),
      Build("busway", "BW").set("rating", 1600.0).port("from", {"UB"}).port("to", {"ROW"}).port("air", {"hall"}),
      Build("air_cooled_rack", "R").set("power", 7e5).port("feeds", {"ROW"}).port("air", {"hall"}),
      load("L", "LV", 3e4),
      Build("thermal_mass", "hall").on("LV")};
  Plant plant(std::move(description));
  const double losses = plant.value("T.loss") + plant.value("U.loss") + plant.value("BW.loss");
  const double loads = 7e5 + 3e4 + kMassPower;
  const double total = plant.value("facility.facility_power");
  EXPECT_GT(losses, 1e4);
  EXPECT_NEAR(total, loads + losses, 1e-12 * total);
  const double hall = plant.ydot[plant.system().find("hall").first->yIndex(0, 0)] * kMassCapacity;
  EXPECT_NEAR(hall, kMassPower + 7e5 + plant.value("U.loss") + plant.value("BW.loss"), 1e-12 * total);
  EXPECT_NEAR(plant.value("facility.heat_to_ambient"), 3e4 + plant.value("T.loss"), 1e-12 * total);
  EXPECT_NEAR(hall + plant.value("facility.heat_to_ambient"), total, 1e-12 * total);
}

TEST(PowerTree, AnOutageOfTheOnlySourceStopsEveryLoadAndEveryLoss) {
  Plant plant({utility(), Build("transformer", "T").set("rating", 2.5e6).port("from", {"MV"}).port("to", {"LV"}),
               Build("breaker", "B").port("from", {"LV"}).port("to", {"SW"}), load("L", "SW", 3e5)});
  ASSERT_EQ(plant.command("GRID", "trip"), "");
  for (const char* bus : {"MV", "LV", "SW"}) EXPECT_EQ(plant.value(std::string(bus) + ".energised"), 0.0);
  EXPECT_EQ(plant.value("L.power"), 0.0);
  EXPECT_EQ(plant.value("T.loss"), 0.0);
  EXPECT_EQ(plant.value("facility.facility_power"), 0.0);
  EXPECT_EQ(plant.value("facility.pue"), 0.0);
  EXPECT_EQ(plant.value("B.closed"), 1.0);
  ASSERT_EQ(plant.command("GRID", "restore"), "");
  EXPECT_EQ(plant.value("L.power"), 3e5);
}

TEST(PowerInput, NamesWhatIsWrongWithALossOrASupply) {
  const auto with = [](InstanceDescription d) { return problemsOf({utility(), std::move(d), load("L", "X", 1.0)}); };
  EXPECT_NE(with(stage("transformer", "T", "MV", "X", 1e6, {0.01, 0.02})).find("2 coefficients"), std::string::npos);
  EXPECT_NE(with(stage("transformer", "T", "MV", "X", 1e6, {0.01, 0.0, 0.02}).set("load_loss", 5.0)).find("loss twice"),
            std::string::npos);
  EXPECT_NE(with(stage("ups", "U", "MV", "X", 1e6, {0.01, 0.0, 0.02}).curve("efficiency", {{0.2, 0.9}, {1.0, 0.95}}))
                .find("loss twice"),
            std::string::npos);
  EXPECT_NE(with(Build("ups", "U")
                     .set("rating", 1e6)
                     .curve("efficiency", {{0.2, 0.0}, {1.0, 0.95}})
                     .port("from", {"MV"})
                     .port("to", {"X"}))
                .find("an efficiency of 0"),
            std::string::npos);
  EXPECT_NE(with(Build("breaker", "B").port("from", {"MV"}).port("to", {"X"}).on("MV")).find("needs none"),
            std::string::npos);
  EXPECT_NE(problemsOf({utility(), Build("air_cooled_rack", "R").set("power", 1.0).on("MV")}).find("at `feeds`"),
            std::string::npos);
  EXPECT_EQ(with(stage("transformer", "T", "MV", "X", 1e6, {0.01, 0.0, 0.02})), "");
}

}  // namespace
}  // namespace podtwin::test
