// Liquid load bank by hand.
#include <cmath>

#include "tests/unit/cooling/march.hpp"
#include "tests/unit/cooling/plant_builder.hpp"

namespace podtwin {
namespace {

PlantBuilder bank(double flow) {
  PlantBuilder b;
  b.circuit("w", "in").boundary("in", 100e3, 303.15).boundary("end", 50e3, 303.15);
  b.add("heat_load_bank", "bank", {{"from", {"in"}}, {"to", {"out"}}},
        {{"rating", 200e3}, {"step", 25e3}, {"power", 100e3}, {"flow", 5e-3}, {"volume", 0.02}});
  b.add("fixed_flow", "flow", {{"from", {"out"}}, {"to", {"end"}}}, {{"flow", flow}});
  return b;
}

TEST(HeatLoadBank, WarmsItsCoolantByPowerOverCapacityRate) {
  Bench bench(bank(5.0));
  march(bench, 600.0);
  EXPECT_NEAR(bench.value("bank.t_out"), 303.15 + 100e3 / (5.0 * 4000.0), 1e-4);
  EXPECT_NEAR(bench.value("bank.heat"), 100e3, 1.0);
  EXPECT_NEAR(bench.e.unmetered_load, 100e3, 1e-9);
  EXPECT_TRUE(bench.sample().empty());
}

TEST(HeatLoadBank, GoesInWholeStepsUpToItsRating) {
  Bench bench(bank(5.0));
  EXPECT_TRUE(bench.command("bank", "set", 175e3));
  bench.evaluate();
  EXPECT_EQ(bench.value("bank.power"), 175e3);
  EXPECT_FALSE(bench.command("bank", "set", 180e3));
  EXPECT_NE(bench.reason.find("175 or 200 kW"), std::string::npos) << bench.reason;
  EXPECT_FALSE(bench.command("bank", "set", 225e3));
  EXPECT_FALSE(bench.command("bank", "set", -25e3));
}

TEST(HeatLoadBank, IsOffWithoutFlowAndOnAgainWithIt) {
  Bench bench(bank(1.4));
  EXPECT_EQ(bench.sample().size(), 1U);
  bench.evaluate();
  EXPECT_EQ(bench.value("bank.power"), 0.0);
  EXPECT_EQ(bench.value("bank.blocked"), 1.0);
  EXPECT_TRUE(bench.sample().empty());
  bench.command("flow", "set", 1.6);  // below 1.1 times the least flow of 1.5 kg/s
  bench.evaluate();
  EXPECT_TRUE(bench.sample().empty());
  bench.command("flow", "set", 1.7);
  bench.evaluate();
  EXPECT_EQ(bench.sample().size(), 1U);
  bench.evaluate();
  EXPECT_EQ(bench.value("bank.power"), 100e3);
}

TEST(HeatLoadBank, TripsAboveItsTemperatureUntilRestored) {
  Bench bench(bank(5.0));
  bench.state.y[bench.index("bank", 1)] = 353.2;
  bench.evaluate();
  EXPECT_EQ(bench.sample().size(), 1U);
  bench.evaluate();
  EXPECT_EQ(bench.value("bank.power"), 0.0);
  EXPECT_EQ(bench.value("bank.tripped"), 1.0);
  bench.state.y[bench.index("bank", 1)] = 303.15;
  EXPECT_TRUE(bench.sample().empty());
  EXPECT_TRUE(bench.command("bank", "restore"));
  bench.evaluate();
  EXPECT_EQ(bench.value("bank.power"), 100e3);
}

}  // namespace
}  // namespace podtwin
